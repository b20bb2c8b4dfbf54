"""Null references: data like the user's, without its clusters."""

from karat.nulls.references import Null, draw_reference
from karat.nulls.structure import Structure, assess_structure

__all__ = ["Null", "Structure", "assess_structure", "draw_reference"]
