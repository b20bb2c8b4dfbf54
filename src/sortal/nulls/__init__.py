"""Null references: data like the user's, without its clusters."""

from sortal.nulls.gaps import find_gaps
from sortal.nulls.overlap import CopulaTwins, overlap_evidence
from sortal.nulls.references import Null, draw_reference
from sortal.nulls.settings import (
    GapSettings,
    OverlapSettings,
    StructureSettings,
    ValleySettings,
)
from sortal.nulls.structure import Structure, StructureSearch, assess_structure, predictors

__all__ = [
    "CopulaTwins",
    "GapSettings",
    "Null",
    "OverlapSettings",
    "Structure",
    "StructureSearch",
    "StructureSettings",
    "ValleySettings",
    "assess_structure",
    "draw_reference",
    "find_gaps",
    "overlap_evidence",
    "predictors",
]
