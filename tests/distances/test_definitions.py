"""Every named distance by its definition, a pair at a time, and neighbours by sorting it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse, stats

from sortal.distances import (
    METRICS,
    as_distances,
    distance_matrix,
    neighbor_lists,
    triangle_violations,
)


def angle(x, y):
    lengths = math.sqrt((x @ x) * (y @ y))
    return 1 - x @ y / lengths if lengths else float(x.any() or y.any())


def divergence(x, y):
    p, q = x / x.sum(), y / y.sum()
    return sum(a * math.log(a / b) if a else 0.0 for a, b in zip(p, q, strict=True))


def shannon(x, y):
    p, q = x / x.sum(), y / y.sum()
    return (divergence(p, p + q) + divergence(q, p + q)) / 2


def presence(value):
    """A function of n11, n10, n01, n00."""

    def distance(x, y):
        a, b = x != 0, y != 0
        return value((a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum())

    return distance


def yule(n11, n10, n01, n00):
    total = n11 * n00 + n10 * n01
    return 2 * n10 * n01 / total if n10 * n01 else 0.0


DEFINITIONS = {
    "euclidean": lambda x, y: math.sqrt(((x - y) ** 2).sum()),
    "sqeuclidean": lambda x, y: ((x - y) ** 2).sum(),
    "cityblock": lambda x, y: abs(x - y).sum(),
    "chebyshev": lambda x, y: abs(x - y).max(),
    "minkowski:P": lambda x, y: (abs(x - y) ** 3).sum() ** (1 / 3),
    "cosine": angle,
    "correlation": lambda x, y: angle(x - x.mean(), y - y.mean()),
    "spearman": lambda x, y: 1 - stats.spearmanr(x, y).statistic,
    "extended_jaccard": lambda x, y: 1 - x @ y / (x @ x + y @ y - x @ y),
    "kl": divergence,
    "symmetric_kl": lambda x, y: divergence(x, y) + divergence(y, x),
    "jensenshannon": lambda x, y: math.sqrt(max(shannon(x, y), 0)),
    "js_divergence": shannon,
    "braycurtis": lambda x, y: abs(x - y).sum() / abs(x + y).sum(),
    "canberra": lambda x, y: sum(
        abs(a - b) / (abs(a) + abs(b)) if a or b else 0.0 for a, b in zip(x, y, strict=True)
    ),
    "hamming": lambda x, y: (x != y).mean(),
    "matching": lambda x, y: (x != y).mean(),
    "jaccard": presence(lambda a, b, c, d: (b + c) / (a + b + c)),
    "dice": presence(lambda a, b, c, d: (b + c) / (2 * a + b + c)),
    "rogerstanimoto": presence(lambda a, b, c, d: 2 * (b + c) / (a + d + 2 * (b + c))),
    "russellrao": presence(lambda a, b, c, d: (b + c + d) / (a + b + c + d)),
    "sokalsneath": presence(lambda a, b, c, d: 2 * (b + c) / (a + 2 * (b + c))),
    "yule": presence(yule),
}
OF_THE_DATA = {"seuclidean", "mahalanobis"}
SIGNLESS = {"kl", "symmetric_kl", "jensenshannon", "js_divergence", "braycurtis"}


def data(metric, n=14, d=6):
    """Rows that the metric takes; zeros where it does not divide by them."""
    X = np.random.default_rng(d).normal(size=(n, d)).round(1)
    if metric in SIGNLESS:
        return abs(X) + 0.1
    X[:, 0] += 0.5
    X[abs(X) < 0.4] = 0.0
    return X


def test_every_distance_has_a_definition_here():
    assert set(DEFINITIONS) | OF_THE_DATA == set(METRICS) - {"precomputed", "graph"}


@pytest.mark.parametrize("d", [6, 70])
@pytest.mark.parametrize("metric", sorted(DEFINITIONS))
def test_distances_are_those_of_the_definition(metric, d):
    X = data(metric, d=d)
    name = metric.replace("P", "3")
    expected = np.array([[DEFINITIONS[metric](x, y) for y in X] for x in X])
    expected[np.diag_indices(len(X))] = 0
    expected = expected.T  # a column has the distances from its object
    for exact in (False, True):
        distances = as_distances(X, name, exact=exact)
        n = len(X)
        np.testing.assert_allclose(
            distances.block(slice(0, n), slice(0, n)), expected, rtol=1e-9, atol=2e-12 * d
        )
        order = np.array([5, 2, 11, 2])
        few = distances.take(order).block(slice(1, 4), slice(0, 3))
        np.testing.assert_allclose(
            few[[0, 2], [0, 0]], expected[order[[1, 3]], order[0]], rtol=1e-9, atol=2e-12 * d
        )


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "sqeuclidean", "extended_jaccard"])
def test_sparse_rows_and_a_row_of_zeros(metric):
    X = data(metric)
    if metric != "extended_jaccard":
        X[[3, 8]] = 0
    expected = np.array([[DEFINITIONS[metric](x, y) for y in X] for x in X])
    expected[np.diag_indices(len(X))] = 0
    for rows in (X, sparse.csr_array(X)):
        np.testing.assert_allclose(distance_matrix(rows, metric), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("metric", sorted(OF_THE_DATA))
def test_distances_after_the_spread_of_the_data(metric):
    X = data(metric)
    whitened = np.linalg.inv(np.cov(X.T))
    if metric == "seuclidean":
        whitened = np.diag(1 / X.var(axis=0, ddof=1))
    expected = np.array([[math.sqrt((x - y) @ whitened @ (x - y)) for y in X] for x in X])
    np.testing.assert_allclose(distance_matrix(X, metric), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", [40, 1200])
@pytest.mark.parametrize("d", [2, 8, 9, 20])
def test_lists_of_neighbours_are_those_of_sorting(n, d):
    X = np.random.default_rng(d).normal(size=(n, d)).round(1)
    few = np.random.default_rng(0).choice(n, 25, replace=False)
    lists = neighbor_lists(X, 6)
    for i in few:
        squares = ((X - X[i]) ** 2).sum(axis=1)
        squares[i] = np.inf
        nearest = np.argsort(squares, kind="stable")[:6]
        np.testing.assert_allclose(lists.distances[i], np.sqrt(squares[nearest]), rtol=1e-12)
        apart = np.diff(np.sort(squares)[:7]) > 1e-9
        if apart.all():
            assert lists.indices[i].tolist() == nearest.tolist()


@pytest.mark.parametrize("scale", [1e-140, 1e140])
@pytest.mark.parametrize("n", [30, 1100])
def test_neighbours_of_extreme_units_have_their_distances(n, scale):
    X = np.random.default_rng(0).normal(size=(n, 2))
    lists, scaled = neighbor_lists(X, 3), neighbor_lists(X * scale, 3)
    np.testing.assert_allclose(scaled.distances, lists.distances * scale, rtol=1e-12)


def test_triangles_of_two_objects_close():
    assert triangle_violations(np.array([[0.0, 5.0], [5.0, 0.0]])) == 0
