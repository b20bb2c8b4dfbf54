"""Rows that are like the next one: series are found, and tables that are sorted are none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter
from sklearn.datasets import load_iris, load_wine

import sortal
from sortal.datasets import from_array


def successive(X):
    return [finding for finding in from_array(X).findings if finding.key == "successive"]


def autoregressive(seed, memory, n=400, d=3):
    draws = np.random.default_rng(seed).normal(size=(n, d))
    return lfilter([1], [1, -memory], draws, axis=0)


def walk(seed, n=400, d=3):
    return autoregressive(seed, 1.0, n, d)


@pytest.mark.quick(4)
@pytest.mark.parametrize("n", [60, 400, 5000])
@pytest.mark.parametrize("seed", range(3))
def test_random_walks_are_series_until_they_are_shuffled(seed, n):
    X = walk(seed, n)
    (finding,) = successive(X)
    assert (finding.key, finding.stops) == ("successive", False)
    assert finding.facts["share"] >= 0.85
    assert successive(X[::-1])
    assert not successive(np.random.default_rng(seed).permutation(X))


@pytest.mark.parametrize("seed", range(5))
def test_a_short_memory_is_no_series(seed):
    assert successive(autoregressive(seed, 0.95))
    assert not successive(autoregressive(seed, 0.5))


@pytest.mark.quick(5)
@pytest.mark.parametrize("k", [2, 4, 12])
@pytest.mark.parametrize("seed", range(5))
def test_independent_rows_are_none_however_they_are_sorted(seed, k):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, 300)
    X = rng.standard_t(3, size=(300, 4)) + 5 * y[:, None]
    for order in (np.arange(300), np.argsort(y, kind="stable"), np.argsort(-X[:, 0] + 5 * y)):
        assert not successive(X[order])
    assert not successive(np.sort(X[:, :1], axis=0))
    assert not successive((X > 0).astype(float))  # most rows have equals


def test_sets_that_are_sorted_by_their_classes_are_none():
    for load in (load_iris, load_wine):
        assert not successive(load().data)


def test_few_rows_and_distances_are_not_compared():
    X = walk(0)
    assert not successive(X[:59])
    assert successive(X[:60])
    assert not successive(X[:5])
    square = np.abs(X[:, :1] - X[:, 0])
    assert not sortal.datasets.from_distances(square).findings


def test_tests_of_differences_name_the_condition():
    study = sortal.Study(autoregressive(0, 0.97, 200))
    study.sweep(["kmeans"], k=[2], n_init=1, workers=1, progress=False)
    assert any("as in a series" in premise for premise in study.differences().premises)
