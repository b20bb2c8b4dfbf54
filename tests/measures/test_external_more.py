"""Pair sets index: against its definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sortal


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
    assert sortal.pair_sets_index(true, pred) == pytest.approx(naive_psi(true, pred), abs=1e-12)


def test_pair_sets_index_gives_small_clusters_the_same_vote():
    big = np.repeat([0, 1], [1000, 10])
    one, other = big.copy(), big.copy()
    one[:5] = 1  # five of the big cluster to the small one: half of that is wrong
    other[1000:1005] = 0
    assert sortal.pair_sets_index(big, one) < 0.75
    assert sortal.pair_sets_index(big, other) < 0.75
    assert sortal.matching_accuracy(big, one) > 0.99


def test_what_a_refinement_tells_is_exact():
    rng = np.random.default_rng(0)
    for _ in range(20):
        fine = rng.integers(0, 40, 300)
        coarse = rng.integers(0, 7, 40)[fine]
        entropy = sortal.mutual_information(coarse, coarse)
        assert sortal.mutual_information(coarse, fine) == entropy
        assert sortal.mutual_information(fine, coarse) == entropy
