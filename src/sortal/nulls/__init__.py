"""Null references: data like the user's, without its clusters."""

from sortal.nulls.references import Null, draw_reference
from sortal.nulls.structure import Structure, assess_structure, predictors

__all__ = [
    "Null",
    "Structure",
    "assess_structure",
    "draw_reference",
    "predictors",
]
