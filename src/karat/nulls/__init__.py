"""Null references: data like the user's, without its clusters."""

from karat.nulls.references import Null, draw_reference

__all__ = ["Null", "draw_reference"]
