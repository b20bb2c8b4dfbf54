"""Properties of measures, and the search for counterexamples."""

from sortal.measures.properties import Case, Counterexample, Situation, Verdict
from sortal_lab.axioms import external as external
from sortal_lab.axioms import internal as internal
from sortal_lab.axioms.cases import partitions, without_object
from sortal_lab.axioms.search import (
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
from sortal_lab.axioms.valuation import Valuation
from sortal_lab.axioms.verdicts import known, properties

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
