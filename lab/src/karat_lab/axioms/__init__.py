"""Properties of measures, and the search for counterexamples."""

from karat.measures.properties import Case, Counterexample, Situation, Verdict
from karat_lab.axioms import external as external
from karat_lab.axioms import internal as internal
from karat_lab.axioms.cases import partitions, without_object
from karat_lab.axioms.search import (
    PROPERTIES,
    Property,
    Trial,
    gain,
    is_broken,
    replays,
    search,
    shrink,
    unequal,
)
from karat_lab.axioms.valuation import Valuation
from karat_lab.axioms.verdicts import known, properties

__all__ = [
    "PROPERTIES",
    "Case",
    "Counterexample",
    "Property",
    "Situation",
    "Trial",
    "Valuation",
    "Verdict",
    "gain",
    "is_broken",
    "known",
    "partitions",
    "properties",
    "replays",
    "search",
    "shrink",
    "unequal",
    "without_object",
]
