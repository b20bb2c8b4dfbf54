"""What measures can be trusted to do: properties, and the search for counterexamples."""

from karat.axioms import external as external
from karat.axioms import internal as internal
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
from karat.axioms._table import Properties, properties, stored_verdicts

__all__ = [
    "PROPERTIES",
    "Case",
    "Counterexample",
    "Judge",
    "Properties",
    "Property",
    "Situation",
    "Trial",
    "Verdict",
    "gain",
    "is_broken",
    "partitions",
    "properties",
    "search",
    "shrink",
    "stored_verdicts",
    "unequal",
    "without_object",
]
