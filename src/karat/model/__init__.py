"""A clustering in use: saved in a file, and applied to further objects."""

from karat.model.all_rows import AssignedRows, assign_rows
from karat.model.changes import Changes, ResamplingReference, changes
from karat.model.holdout import Confidence, ExtensionAgreement
from karat.model.model import KEPT, Assignment, Model, load_model
from karat.model.rule import Placed, PlacementRule
from karat.model.watch import Signal, WatchedClusters, watch

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
