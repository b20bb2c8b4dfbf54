"""The engine of the properties: it finds what is broken, shrinks it, keeps it and replays it."""

import json

import numpy as np
import pytest

from sortal import InputError
from sortal_lab.axioms import (
    PROPERTIES,
    Case,
    Counterexample,
    Property,
    Situation,
    Trial,
    Valuation,
    Verdict,
    gain,
    replays,
    search,
)
from sortal_lab.axioms.cases import partitions


def _trials(judge, rng):
    """All partitions of 4 objects on a line against their mirror image."""
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    for labels in partitions(4):
        case = Case((Situation(labels, data=X), Situation(labels, data=X[::-1])))
        values = judge.values(case.situations)
        undefined = int(np.isnan(values).any())
        yield Trial(1 - undefined, undefined, case=None if undefined else case)


MIRROR = Property(
    key="mirror_for_tests",
    name="Mirror",
    kind="internal",
    definition="The order of the points does not matter, but the labels stay.",
    reference="none",
    trials=_trials,
    margin=lambda values, case, sign: -abs(gain(values[0], values[1])),
)


@pytest.fixture(autouse=True, scope="module")
def _registered():
    PROPERTIES.add(MIRROR)
    yield
    PROPERTIES._records.pop(MIRROR.key, None)


def test_finds_shrinks_and_replays():
    verdict = search(MIRROR, Valuation.of("within_cluster_scatter"))
    assert verdict.outcome == "violated"
    found = verdict.counterexample
    assert found.case.n == 2
    again = Counterexample.from_dict(json.loads(json.dumps(found.to_dict())))
    assert replays(again)
    assert not replays(again, "between_cluster_scatter")
    assert "within_cluster_scatter =" in str(again)
    stored = Verdict.from_dict(json.loads(json.dumps(verdict.to_dict())))
    assert stored.counterexample.values == found.values


def test_holds_says_how_many_cases_and_how_many_were_undefined():
    def sizes(X, labels):
        counts = np.bincount(labels)
        return counts.max() if len(counts) > 1 else float("nan")

    verdict = search(MIRROR, Valuation.of(sizes))
    assert verdict.outcome == "holds"
    assert (verdict.n_cases, verdict.undefined) == (14, 1)
    assert "NaN without a reason" in verdict.reason


def test_a_measure_without_values_is_undecided():
    def never(X, labels):
        raise InputError("no")

    verdict = search(MIRROR, Valuation.of(never))
    assert verdict.outcome == "undecided"
    assert "(no)" in verdict.reason


def test_external_measures_are_not_asked_of_distances():
    assert search(MIRROR, Valuation.of("rand_index")).outcome == "not applicable"


def test_gain_is_blind_to_rounding_and_knows_infinity():
    assert gain(1.0, 1.0 + 1e-13) == 0
    assert gain(0.0, 1e-17) == 0
    assert gain(1.0, 2.0) == 0.5
    assert gain(1.0, 2.0, -1) == -0.5
    assert gain(np.inf, np.inf) == 0
    assert gain(1.0, np.inf) == 1
    assert np.isnan(gain(np.nan, 1.0))


def test_what_is_no_measure_is_refused():
    with pytest.raises(InputError, match="function"):
        Valuation.of(3)


def test_partitions_are_all_of_them():
    assert [len(partitions(n)) for n in range(1, 8)] == [1, 2, 5, 15, 52, 203, 877]
