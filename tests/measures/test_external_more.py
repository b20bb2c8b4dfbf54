"""Pair sets index and NMI of covers: against their definitions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import karat
from karat.labelings.partitions import OverlappingPartition
from karat.runtime.validation import InputError


def two(seed, n=24):
    rng = np.random.default_rng(seed)
    k, t = rng.integers(1, 6, 2)
    true = rng.integers(0, k, n)
    return true, np.where(rng.random(n) < 0.5, true, rng.integers(0, t, n))


# -- pair sets index ------------------------------------------------------------------------


def naive_psi(true, pred):
    table = np.array([[np.sum((true == i) & (pred == j)) for j in np.unique(pred)]
                      for i in np.unique(true)])  # fmt: skip
    if table.shape[0] > table.shape[1]:
        table = table.T
    a, b, n = table.sum(axis=1), table.sum(axis=0), table.sum()
    if table.shape == (1, 1):
        return 1.0
    best = max(
        sum(table[i, j] / max(a[i], b[j]) for i, j in enumerate(chosen))
        for chosen in itertools.permutations(range(len(b)), len(a))
    )
    pairs = zip(sorted(a, reverse=True), sorted(b, reverse=True), strict=False)
    expected = sum(x * y / n / max(x, y) for x, y in pairs)
    return max(0, (best - expected) / (len(b) - expected))


@pytest.mark.parametrize("seed", range(25))
def test_pair_sets_index(seed):
    true, pred = two(seed)
    assert karat.pair_sets_index(true, pred) == pytest.approx(naive_psi(true, pred), abs=1e-12)


def test_pair_sets_index_gives_small_clusters_the_same_vote():
    big = np.repeat([0, 1], [1000, 10])
    one, other = big.copy(), big.copy()
    one[:5] = 1  # five of the big cluster to the small one: half of that is wrong
    other[1000:1005] = 0
    assert karat.pair_sets_index(big, one) < 0.75
    assert karat.pair_sets_index(big, other) < 0.75
    assert karat.matching_accuracy(big, one) > 0.99


# -- covers ---------------------------------------------------------------------------------


def h(p):
    return -p * math.log(p) if p > 0 else 0.0


def naive_cover_information(U, V, normalizer):
    n = len(U)
    X, Y = ([set(np.flatnonzero(c).tolist()) for c in M.T if c.any()] for M in (U, V))
    if sorted(map(sorted, X)) == sorted(map(sorted, Y)):
        return 1.0

    def entropy(c):
        return h(len(c) / n) + h(1 - len(c) / n)

    def given(x, others):
        found = [entropy(x)]
        for y in others:
            a, b = (n - len(x | y)) / n, len(y - x) / n
            c, d = len(x - y) / n, len(x & y) / n
            if h(a) + h(d) > h(b) + h(c):
                found.append(h(a) + h(b) + h(c) + h(d) - entropy(y))
        return min(found)

    if normalizer == "cluster":
        sides = []
        for these, those in ((X, Y), (Y, X)):
            sides.append(np.mean([given(x, those) / entropy(x) if entropy(x) else 1
                                  for x in these]))  # fmt: skip
        return 1 - sum(sides) / 2
    of_x, of_y = sum(map(entropy, X)), sum(map(entropy, Y))
    shared = of_x - sum(given(x, Y) for x in X) + of_y - sum(given(y, X) for y in Y)
    return shared / 2 / max(of_x, of_y)


@pytest.mark.parametrize("normalizer", ["max", "cluster"])
@pytest.mark.parametrize("seed", range(12))
def test_information_of_covers(seed, normalizer):
    rng = np.random.default_rng(seed)
    U = rng.random((20, int(rng.integers(1, 5)))) < 0.5
    V = np.where(rng.random((20, 1)) < 0.7, np.roll(U, seed % 2, axis=1), rng.random(U.shape) < 0.4)
    U[0], V[0] = True, True
    function = karat.overlapping_normalized_mutual_information
    found = function(OverlappingPartition(U), OverlappingPartition(V), normalizer=normalizer)
    expected = naive_cover_information(U, V, normalizer)
    assert found == pytest.approx(max(expected, 0), abs=1e-9)
    true, pred = two(seed)
    hard = [np.unique(x)[:, None] == x for x in (true, pred)]
    expected = naive_cover_information(hard[0].T, hard[1].T, normalizer)
    assert function(true, pred, normalizer=normalizer) == pytest.approx(expected, abs=1e-9)
    sets = [OverlappingPartition(x.T) for x in hard]
    assert function(*sets, normalizer=normalizer) == pytest.approx(expected, abs=1e-9)


def test_covers_of_many_clusters_have_a_value():
    n = 200_000
    alone, few = np.arange(n), np.arange(n) % 7
    assert karat.overlapping_normalized_mutual_information(alone, alone) == 1
    uneven = np.repeat(np.arange(600), np.arange(600) + 20)[:n]
    for true in (few, uneven):
        value = karat.overlapping_normalized_mutual_information(true, alone[: len(true)])
        assert 0 <= value < 0.2


@pytest.mark.parametrize("normalizer", ["max", "cluster"])
def test_sizes_of_which_every_cluster_is_shared(normalizer):
    rng = np.random.default_rng(0)
    for _ in range(30):
        true, pred = rng.integers(0, 3, 9), np.minimum(rng.geometric(0.4, 9), 4)
        hard = [(np.unique(x)[:, None] == x).T for x in (true, pred)]
        found = karat.overlapping_normalized_mutual_information(true, pred, normalizer=normalizer)
        expected = naive_cover_information(*hard, normalizer)
        assert found == pytest.approx(max(expected, 0), abs=1e-9)


@pytest.mark.parametrize("normalizer", ["max", "cluster"])
def test_a_cover_that_says_one_thing_twice(normalizer):
    both = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])
    twice, both = OverlappingPartition(both[:, [0, 0]]), OverlappingPartition(both)
    options = {"normalizer": normalizer, "noise": "drop"}
    for one, other in ((twice, both), (both, twice)):
        assert karat.overlapping_normalized_mutual_information(one, other, **options) < 1
    assert karat.overlapping_normalized_mutual_information(both, both, **options) == 1


def test_what_a_refinement_tells_is_exact():
    rng = np.random.default_rng(0)
    for _ in range(20):
        fine = rng.integers(0, 40, 300)
        coarse = rng.integers(0, 7, 40)[fine]
        entropy = karat.mutual_information(coarse, coarse)
        assert karat.mutual_information(coarse, fine) == entropy
        assert karat.mutual_information(fine, coarse) == entropy


def test_covers_that_cannot_be_compared():
    U = OverlappingPartition(np.ones((3, 2)))
    with pytest.raises(InputError, match="3 objects"):
        karat.overlapping_normalized_mutual_information(U, [0, 1])
    with pytest.raises(InputError, match="normalizer"):
        karat.overlapping_normalized_mutual_information([0, 1], [0, 1], normalizer="min")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="missing"):
        karat.overlapping_normalized_mutual_information(U)
