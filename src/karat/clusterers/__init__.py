"""Clusterers by name: scikit-learn estimators, and what a sweep has to know of each.

``catalogue["kmeans"].make(3, 0)`` is an estimator; :class:`Clusterer` says how it is swept.
"""

from karat.clusterers._catalogue import Clusterer, as_clusterer, catalogue
from karat.clusterers.genie import GenieClustering
from karat.clusterers.linkage import LinkageClustering

__all__ = ["Clusterer", "GenieClustering", "LinkageClustering", "as_clusterer", "catalogue"]
