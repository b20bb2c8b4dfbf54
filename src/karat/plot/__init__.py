"""Pictures of clusterings and of their scores: functions that return Plotly figures."""

from karat.plot._agreement import agreement
from karat.plot._clarity import cluster_clarity
from karat.plot._contingency import contingency
from karat.plot._dendrogram import dendrogram
from karat.plot._elbow import elbow
from karat.plot._features import FeatureProfile, feature_profile, profile_features
from karat.plot._pairs import pairs, parallel_coordinates
from karat.plot._projection import projection
from karat.plot._sampled import table
from karat.plot._silhouette import silhouette, silhouette_profile
from karat.plot._stability import consensus, consensus_matrix, stability_by_k
from karat.plot.bound import bound_by_k
from karat.plot.by_k import measures_by_k

__all__ = [
    "FeatureProfile",
    "agreement",
    "bound_by_k",
    "cluster_clarity",
    "consensus",
    "consensus_matrix",
    "contingency",
    "dendrogram",
    "elbow",
    "feature_profile",
    "measures_by_k",
    "pairs",
    "parallel_coordinates",
    "profile_features",
    "projection",
    "silhouette",
    "silhouette_profile",
    "stability_by_k",
    "table",
]
