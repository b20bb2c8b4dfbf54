"""A clustering in use: saved in a file, and applied to further objects."""

from sortal.model.all_rows import AssignedRows, assign_rows
from sortal.model.changes import Changes, ResamplingReference, changes
from sortal.model.holdout import Confidence, ExtensionAgreement
from sortal.model.model import KEPT, Assignment, Model, load_model
from sortal.model.rule import Placed, PlacementRule
from sortal.model.watch import Signal, WatchedClusters, watch

__all__ = [
    "KEPT",
    "AssignedRows",
    "Assignment",
    "Changes",
    "Confidence",
    "ExtensionAgreement",
    "Model",
    "Placed",
    "PlacementRule",
    "ResamplingReference",
    "Signal",
    "WatchedClusters",
    "assign_rows",
    "changes",
    "load_model",
    "watch",
]
