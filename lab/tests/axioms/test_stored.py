"""What sortal stores of the properties is what the laboratory defines and finds."""

from importlib.resources import files

import numpy as np
import pytest

from sortal.measures import catalogue
from sortal.measures.properties import stored_verdicts
from sortal_lab.axioms import PROPERTIES, Valuation, search
from sortal_lab.axioms.__main__ import as_json

FOUND = {(v.measure, v.property): v for v in stored_verdicts()}
QUICK = [
    ("dunn_index", "scale_invariance"),
    ("silhouette", "improving_between"),
    ("ratio_cut", "duplication_order"),
    ("adjusted_rand_index", "completeness"),
    ("purity", "rag_bag"),
]


def test_definitions_are_those_of_the_laboratory():
    stored = files("sortal.measures").joinpath("properties.json").read_text("utf-8")
    told = "python -m sortal_lab.axioms > src/sortal/measures/properties.json writes them anew"
    assert stored == as_json(), told


def test_there_is_a_verdict_on_every_property_of_every_measure():
    wanted = {(m.key, p.key) for m in catalogue.values() for p in PROPERTIES.values()
              if p.kind == m.kind}  # fmt: skip
    told = "reproduce measure-properties --storage src/sortal/measures/verdicts.jsonl.xz adds it"
    assert set(FOUND) == wanted, told


def check(measure, property):
    found = search(PROPERTIES[property], Valuation.of(measure))
    assert found.to_dict() == FOUND[measure, property].to_dict()


@pytest.mark.quick(2)
@pytest.mark.parametrize(("measure", "property"), QUICK)
def test_the_search_finds_what_is_stored(measure, property):
    check(measure, property)


@pytest.mark.long
def test_the_search_finds_what_is_stored_of_a_sample():
    pairs = sorted(FOUND)
    for at in np.random.default_rng().choice(len(pairs), 20, replace=False):
        # counts and coordinates of cases depend on how a processor rounds; the verdict does not
        measure, property = pairs[at]
        found = search(PROPERTIES[property], Valuation.of(measure))
        assert found.outcome == FOUND[pairs[at]].outcome, pairs[at]
