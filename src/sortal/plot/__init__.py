"""Pictures of clusterings and of their scores: functions that return Plotly figures."""

from sortal.plot._agreement import agreement
from sortal.plot._contingency import contingency
from sortal.plot._dendrogram import dendrogram
from sortal.plot._elbow import elbow
from sortal.plot._features import feature_profile
from sortal.plot._projection import projection
from sortal.plot._silhouette import silhouette
from sortal.plot._stability import consensus_matrix

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
