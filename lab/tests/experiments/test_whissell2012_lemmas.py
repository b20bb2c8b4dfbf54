"""Lemmas on informativeness and the order of the bound."""

import numpy as np
import pytest

from sortal.measures import informativeness
from sortal.measures.clarity import KNearestNeighbors
from sortal_lab import whissell2012_lemmas as lemmas


@pytest.fixture(autouse=True)
def few_objects(monkeypatch):
    monkeypatch.setattr(lemmas, "OBJECTS", 4)


@pytest.mark.quick(1)
@pytest.mark.parametrize("make", [lemmas.more_recognised, lemmas.scale_invariant, lemmas.rich,
                                  lemmas.bound_order])  # fmt: skip
def test_claims_of_the_papers_hold(make):
    for claim in make():
        assert claim.cases > 0
        assert (not claim.failing) == bool(claim.source), claim


def test_nearest_neighbour_is_consistent():
    one, _ = lemmas.consistent()
    assert one.cases > 1000
    assert not one.failing


@pytest.mark.long
def test_three_neighbours_are_not_consistent(monkeypatch):
    monkeypatch.undo()
    one, three = lemmas.consistent()
    assert not one.failing
    assert three.failing


def test_three_neighbours_by_hand():
    """The far cluster C leaves the vote to B, which has two."""
    labels = [0, 0, 1, 1, 2]
    before = np.full((5, 5), 2.0)
    np.fill_diagonal(before, 0)
    for i, j in ((0, 1), (0, 2), (0, 4)):
        before[i, j] = before[j, i] = 1.0
    after = before.copy()
    after[0, 4] = after[4, 0] = 2.0
    three = KNearestNeighbors(3)
    values = [
        informativeness(D, labels, classifiers=three, metric="precomputed") for D in (before, after)
    ]
    assert values[1] < values[0]
    nearest = KNearestNeighbors(1)
    values = [
        informativeness(D, labels, classifiers=nearest, metric="precomputed")
        for D in (before, after)
    ]
    assert values[1] >= values[0]


def test_a_claim_that_fails_is_told(monkeypatch):
    monkeypatch.setattr(lemmas, "b_max", lambda m, n, a, d: np.asarray(-a))
    failing = [claim.claim for claim in lemmas.bound_order() if claim.failing]
    assert failing == ["The bound rises or stays with more errors on the labelled"]
