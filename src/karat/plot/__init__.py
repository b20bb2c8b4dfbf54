"""Pictures of clusterings and of their scores: functions that return Plotly figures."""

from karat.plot._agreement import agreement
from karat.plot._contingency import contingency
from karat.plot._dendrogram import dendrogram
from karat.plot._elbow import elbow
from karat.plot._features import feature_profile
from karat.plot._projection import projection
from karat.plot._silhouette import silhouette
from karat.plot._stability import consensus_matrix

__all__ = [
    "agreement",
    "consensus_matrix",
    "contingency",
    "dendrogram",
    "elbow",
    "feature_profile",
    "projection",
    "silhouette",
]
