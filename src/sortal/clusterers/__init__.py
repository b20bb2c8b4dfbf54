"""Clusterers by name: scikit-learn estimators, and what a sweep needs to know about each.

``catalogue["kmeans"].make(3, 0)`` is an estimator; :class:`Clusterer` says how it is swept and
which distances it takes, and ``under(clusterer, metric)`` is the clusterer under one of them.
"""

from sortal.clusterers import _catalogue  # noqa: F401  fills the list
from sortal.clusterers._metric_adapter import OnDistances, OnForm, memberships_of
from sortal.clusterers._record import (
    Clusterer,
    ExcludedError,
    as_clusterer,
    catalogue,
    configured,
    under,
)
from sortal.clusterers.criterion import CriterionClustering
from sortal.clusterers.factorizations import NormalizedCutNMF, PCAKMeans
from sortal.clusterers.genie import GenieClustering
from sortal.clusterers.hdbscan import FilledHDBSCAN
from sortal.clusterers.information_theoretic import InformationTheoreticKMeans
from sortal.clusterers.informativeness_agglomeration import InformativenessAgglomeration
from sortal.clusterers.kmedoids import CLARA, KMedoids
from sortal.clusterers.linkage import LinkageClustering
from sortal.clusterers.lloyd import QuickKMeans
from sortal.clusterers.mixed_mixture import MixedMixture
from sortal.clusterers.orclus import ORCLUS
from sortal.clusterers.spectral import SpectralClustering
from sortal.clusterers.spherical import (
    FrequencySensitiveSphericalKMeans,
    SphericalKMeans,
    VonMisesFisherMixture,
)

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
    "InformativenessAgglomeration",
    "KMedoids",
    "LinkageClustering",
    "MixedMixture",
    "NormalizedCutNMF",
    "OnDistances",
    "OnForm",
    "PCAKMeans",
    "QuickKMeans",
    "SpectralClustering",
    "SphericalKMeans",
    "VonMisesFisherMixture",
    "as_clusterer",
    "catalogue",
    "configured",
    "memberships_of",
    "under",
]
