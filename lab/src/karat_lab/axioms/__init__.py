"""What measures can be trusted to do: properties, and the search for counterexamples."""

from karat_lab.axioms import external as external
from karat_lab.axioms import internal as internal
from karat_lab.axioms.cases import Case, Situation, partitions, without_object
from karat_lab.axioms.search import (
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
from karat_lab.axioms.valuation import Judge
from karat_lab.axioms.verdicts import Properties, properties, stored_verdicts

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
