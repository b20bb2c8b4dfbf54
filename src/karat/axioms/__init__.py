"""What measures can be trusted to do: properties, and the search for counterexamples."""

from karat.axioms import external as external
from karat.axioms._base import (
    PROPERTIES,
    Counterexample,
    Property,
    Trial,
    Verdict,
    gain,
    is_broken,
    search,
    shrink,
    unequal,
)
from karat.axioms._cases import Case, Situation, partitions, without_object
from karat.axioms._judge import Judge

__all__ = [
    "PROPERTIES",
    "Case",
    "Counterexample",
    "Judge",
    "Property",
    "Situation",
    "Trial",
    "Verdict",
    "gain",
    "is_broken",
    "partitions",
    "search",
    "shrink",
    "unequal",
    "without_object",
]
