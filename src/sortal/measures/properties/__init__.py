"""Verdicts on the properties of each measure, and what sortal-lab needs to find them."""

from sortal.measures.properties.verdicts import (
    Case,
    Counterexample,
    Outcome,
    Properties,
    Property,
    PropertyForm,
    Situation,
    SituationMetric,
    Verdict,
    cluster_name,
    definitions,
    properties,
    stored_verdicts,
)

__all__ = [
    "Case",
    "Counterexample",
    "Outcome",
    "Properties",
    "Property",
    "PropertyForm",
    "Situation",
    "SituationMetric",
    "Verdict",
    "cluster_name",
    "definitions",
    "properties",
    "stored_verdicts",
]
