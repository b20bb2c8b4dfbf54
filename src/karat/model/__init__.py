"""A clustering in use: saved in a file, and applied to further objects."""

from karat.model.changes import Changes, ResamplingReference, changes
from karat.model.holdout import Confidence, ExtensionAgreement
from karat.model.model import KEPT, Assignment, Model, load_model
from karat.model.rule import Placed, PlacementRule

__all__ = [
    "KEPT",
    "Assignment",
    "Changes",
    "Confidence",
    "ExtensionAgreement",
    "Model",
    "Placed",
    "PlacementRule",
    "ResamplingReference",
    "changes",
    "load_model",
]
