"""Spanning trees and what DBCV reads of them: compiled code, any distance, and the definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import naive_internal as naive
import sortal

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


def naive_dbcv(D, labels, dimension):
    """Moulavi et al. 2014, definitions 1 to 8, as they read."""
    n, groups = len(D), [np.flatnonzero(labels == c) for c in sorted(set(labels[labels >= 0]))]
    core = {}
    for g in groups:
        for i in g:
            others = [D[i, j] for j in g if j != i]
            core[i] = 0.0
            if others and min(others) > 0:
                core[i] = np.mean([d**-dimension for d in others]) ** (-1 / dimension)

    def reach(i, j):
        return max(D[i, j], core[i], core[j])

    inner, sparse = [], []
    for g in groups:
        if len(g) == 1:
            inner.append(list(g))
            sparse.append(0.0)
            continue
        edges = naive_tree(np.array([[reach(i, j) for j in g] for i in g]))
        ends = [end for i, j, _ in edges for end in (i, j)]
        inside = [i for i in range(len(g)) if ends.count(i) > 1] or list(range(len(g)))
        between = [w for i, j, w in edges if ends.count(i) > 1 and ends.count(j) > 1]
        inner.append([g[i] for i in inside])
        sparse.append(max(between or [w for *_, w in edges]))
    value = 0.0
    for a, g in enumerate(groups):
        apart = min(
            reach(i, j) for b in range(len(groups)) if b != a for i in inner[a] for j in inner[b]
        )
        largest = max(apart, sparse[a])
        if len(g) > 1 and largest > 0:
            value += len(g) / n * (apart - sparse[a]) / largest
    return value


def data(seed, integers=False):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(8, 30)), int(rng.integers(1, 6))
    X = rng.integers(0, 4, (n, d)).astype(float) if integers else rng.normal(size=(n, d))
    labels = rng.permutation(np.concatenate([[0, 1, 2], rng.integers(-1, 3, n - 3)]))
    return X, labels


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", range(8))
def test_dbcv_is_the_definition(metric, seed):
    X, labels = data(seed, integers=seed == 3)
    D = naive.matrix(X, metric)
    expected = naive_dbcv(D, labels, X.shape[1])
    assert sortal.dbcv(X, labels, metric=metric) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    given = sortal.dbcv(D, labels, metric="precomputed", n_features=X.shape[1])
    assert given == pytest.approx(expected, rel=1e-9, abs=1e-12)
