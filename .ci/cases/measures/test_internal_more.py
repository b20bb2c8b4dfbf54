"""Margins, models, soft, density, gap, chance and sampled measures against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import sortal
from sortal.measures.internal import margins as internal_margins


def small(seed=0, n=14, k=3, d=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), np.concatenate([np.arange(k), rng.integers(0, k, n - k)])


def test_local_search_says_so_and_comes_near(monkeypatch):
    X, labels = make_blobs(60, centers=3, random_state=0)
    exact = sortal.relative_margin(X, labels)
    monkeypatch.setattr(internal_margins, "EXACT_WORK", 0)
    found = sortal.relative_margin(X, labels)
    assert not found.exact
    assert "local search" in repr(found)
    assert exact * (1 - 1e-12) <= found <= exact * 1.02
    assert sorted(labels[found.representatives]) == [0, 1, 2]


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 12), marks=pytest.mark.long)])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "canberra"])
def test_local_search_finds_the_optimum_of_small_sets(metric, seeds, monkeypatch):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 4))
        X, labels = small(seed, n=24, k=k)
        for function in (sortal.relative_margin, sortal.additive_margin):
            exact = function(X, labels, metric=metric)
            with monkeypatch.context() as patch:
                patch.setattr(internal_margins, "EXACT_WORK", 0)
                found = function(X, labels, metric=metric)
            assert exact.exact
            assert not found.exact
            assert found == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 6), marks=pytest.mark.long)])
def test_a_search_with_many_optima_reaches_the_best_set(seeds, monkeypatch):
    """Random labels: one start in ten reaches the best of 50,000 sets."""
    missed = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        X, labels = small(seed, n=int(rng.integers(55, 65)), k=4)
        exact = sortal.relative_margin(X, labels)
        with monkeypatch.context() as patch:
            patch.setattr(internal_margins, "EXACT_WORK", 0)
            found = sortal.relative_margin(X, labels, random_state=seed)
        assert exact.exact
        assert exact * (1 - 1e-12) <= found <= exact * 1.02
        missed += found > exact * (1 + 1e-9)
    assert missed <= 1


def two_starts(X, k, seed):
    return KMeans(k, n_init=2, random_state=seed).fit_predict(X)


def test_the_gap_rule_charges_one_error_of_the_next_k(monkeypatch):
    """Gaps that rise by 0.8 and then by 1.2 standard errors, over four hand-made references."""
    from sortal.measures.internal import gap

    class Fixed:
        def __init__(self, points, batch, needs):
            of_data = points is X
            scale = [0.0, 0.0] if of_data else [0.0, next(draws)]
            self.squares = [np.array([math.exp(value)]) for value in scale]
            self.sizes = [np.array([4]), np.array([4])]

    monkeypatch.setattr(gap, "Statistics", Fixed)
    X = np.arange(8.0).reshape(4, 2)
    for rise, first in ((0.8, 1), (1.2, 2)):
        spread = math.sqrt(1 + 1 / 2)  # two references at ±1 have the standard deviation 1
        draws = iter([rise * spread - 1, rise * spread + 1])
        found = gap.gap_statistic(X, two_starts, k=[1, 2], n_references=2, random_state=0)
        assert found.first_k == first
        assert found.table.at[2, "standard_error"] == pytest.approx(spread)
