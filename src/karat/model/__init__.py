"""A clustering used afterwards: kept in a file, and applied to objects that come later."""

from karat.model.archive import load_model
from karat.model.changes import Changes, Reference, changes
from karat.model.held_out import Confidence, ExtensionAgreement
from karat.model.model import KEPT, Assignment, Model
from karat.model.rule import Placed, Rule

__all__ = [
    "KEPT",
    "Assignment",
    "Changes",
    "Confidence",
    "ExtensionAgreement",
    "Model",
    "Placed",
    "Reference",
    "Rule",
    "changes",
    "load_model",
]
