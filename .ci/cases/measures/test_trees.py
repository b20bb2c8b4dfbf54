"""Spanning trees and what DBCV reads of them: compiled code, any distance, and the definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree

import naive_internal as naive
from sortal.distances import as_distances
from sortal.measures.passes.trees import core_distances, separations, spanning_tree

METRICS = ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "canberra"]


def naive_tree(reach):
    """Kruskal's edges, those of equal length in the order of their objects."""
    n = len(reach)
    root = list(range(n))

    def top(i):
        return i if root[i] == i else top(root[i])

    edges = []
    for length, i, j in sorted((reach[i, j], i, j) for i, j in itertools.combinations(range(n), 2)):
        if top(i) != top(j):
            root[top(i)] = top(j)
            edges.append((i, j, length))
    return sorted(edges)


def data(seed, integers=False):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(8, 30)), int(rng.integers(1, 6))
    X = rng.integers(0, 4, (n, d)).astype(float) if integers else rng.normal(size=(n, d))
    labels = rng.permutation(np.concatenate([[0, 1, 2], rng.integers(-1, 3, n - 3)]))
    return X, labels


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", range(6))
def test_spanning_tree_is_the_least(metric, seed):
    X, _ = data(seed, integers=seed % 2 == 1)
    core = np.random.default_rng(seed).random(len(X)) * (seed % 3)
    D = naive.matrix(X, metric)
    reach = np.maximum(np.maximum(D, core), core[:, None])
    u, v, w = spanning_tree(as_distances(X, metric), core)
    found = sorted(zip(u.tolist(), v.tolist(), w.tolist(), strict=True))
    expected = naive_tree(reach)
    assert [f[:2] for f in found] == [e[:2] for e in expected]
    np.testing.assert_allclose([f[2] for f in found], [e[2] for e in expected], rtol=1e-12)


@pytest.mark.parametrize("d", [3, 80])
def test_large_trees_are_scipys(d):
    X = np.random.default_rng(0).normal(size=(700, d))
    D = naive.cdist(X, X)
    w = np.sort(spanning_tree(as_distances(X))[2])
    np.testing.assert_allclose(w, np.sort(minimum_spanning_tree(D).data), rtol=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_core_distances_and_separations(metric):
    X, labels = data(5)
    labels = np.abs(labels)
    for dimension in (1, 2, 7):
        D = naive.matrix(X, metric)
        core = core_distances(as_distances(X, metric), dimension)
        for i in range(len(X)):
            mean = np.mean([D[i, j] ** -dimension for j in range(len(X)) if j != i])
            assert core[i] == pytest.approx(mean ** (-1 / dimension), rel=1e-9)
    reach = np.maximum(np.maximum(D, core), core[:, None])
    found = separations(as_distances(X, metric), core, labels, 3)
    for c in range(3):
        assert found[c] == pytest.approx(reach[np.ix_(labels == c, labels != c)].min(), rel=1e-12)


def test_core_distances_of_many_features_stay_numbers():
    X = np.random.default_rng(0).normal(size=(20, 2)) * 1e-3
    core = core_distances(as_distances(X), 500)
    D = np.sort(naive.cdist(X, X), axis=1)
    # in so many dimensions the nearest alone counts
    np.testing.assert_allclose(core, D[:, 1] * 19 ** (1 / 500), rtol=2e-3)
