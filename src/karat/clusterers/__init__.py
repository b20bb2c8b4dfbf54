"""Clusterers by name: scikit-learn estimators, and what a sweep needs to know about each.

``catalogue["kmeans"].make(3, 0)`` is an estimator; :class:`Clusterer` says how it is swept and
which distances it takes, and ``under(clusterer, metric)`` is the clusterer under one of them.
"""

from karat.clusterers import _catalogue  # noqa: F401  fills the list
from karat.clusterers._memberships import memberships_of
from karat.clusterers._metric_adapter import OnDistances, OnForm
from karat.clusterers._metric_support import ExcludedError, under
from karat.clusterers._record import Clusterer, as_clusterer, catalogue, configured
from karat.clusterers.criterion import CriterionClustering
from karat.clusterers.genie import GenieClustering
from karat.clusterers.hdbscan import FilledHDBSCAN
from karat.clusterers.information_theoretic import InformationTheoreticKMeans
from karat.clusterers.kmedoids import CLARA, KMedoids
from karat.clusterers.linkage import LinkageClustering
from karat.clusterers.mixed_mixture import MixedMixture
from karat.clusterers.nmf import NormalizedCutNMF
from karat.clusterers.orclus import ORCLUS
from karat.clusterers.pca import PCAKMeans
from karat.clusterers.spectral import SpectralClustering
from karat.clusterers.spherical import FrequencySensitiveSphericalKMeans, SphericalKMeans
from karat.clusterers.von_mises_fisher import VonMisesFisherMixture

__all__ = [
    "CLARA",
    "ORCLUS",
    "Clusterer",
    "CriterionClustering",
    "ExcludedError",
    "FilledHDBSCAN",
    "FrequencySensitiveSphericalKMeans",
    "GenieClustering",
    "InformationTheoreticKMeans",
    "KMedoids",
    "LinkageClustering",
    "MixedMixture",
    "NormalizedCutNMF",
    "OnDistances",
    "OnForm",
    "PCAKMeans",
    "SpectralClustering",
    "SphericalKMeans",
    "VonMisesFisherMixture",
    "as_clusterer",
    "catalogue",
    "configured",
    "memberships_of",
    "under",
]
