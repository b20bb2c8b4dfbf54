"""Sums of squared Euclidean distances from centroids, and the plan of passes."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import sortal
from example_counts import examples
from sortal.labelings import as_labelings
from sortal.measures import catalogue
from sortal.measures.passes import Statistics

BY_IDENTITY = [
    m.key
    for m in catalogue.select(kind="internal")
    if m.needs and m.needs <= {"pair_sums", "silhouettes"}
]


@examples(60)
@given(
    st.integers(0, 10**6),
    st.sampled_from([np.float32, np.float64]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_they_equal_the_pass_over_pairs(seed, dtype, integers, weighted, noise):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(5, 40)), int(rng.integers(1, 6)), int(rng.integers(2, 6))
    X = rng.integers(0, 3, (n, d)) if integers else rng.normal(size=(n, d)) + 5
    X = X.astype(dtype)
    labelings = {str(i): rng.integers(-1 if noise else 0, k, n) for i in range(3)}
    w = rng.choice([0.5, 1.0, 2.0], n) if weighted else None
    options = {"metric": "sqeuclidean", "noise": "drop", "sample_weight": w}
    found = sortal.evaluate(X, labelings, measures=BY_IDENTITY, **options)
    pairs = sortal.evaluate(X, labelings, measures=[*BY_IDENTITY, "dunn_index"], **options)
    np.testing.assert_allclose(
        found.table, pairs.table[BY_IDENTITY], rtol=1e-9, atol=1e-12, equal_nan=True
    )
    others = {
        name: {key: why for key, why in reasons.items() if key != "dunn_index"}
        for name, reasons in pairs.reasons.items()
    }
    assert found.reasons == {k: v for k, v in others.items() if v}


def test_sparse_data_goes_through_the_pairs():
    X = np.random.default_rng(0).normal(size=(30, 4)) + 1e6
    labels = np.arange(30) % 3
    X[labels == 1, 0] += 1e-3
    for key in ("silhouette", "within_cluster_scatter"):
        function = catalogue[key].function
        dense = function(X, labels, metric="sqeuclidean")
        found = function(sparse.csr_array(X), labels, metric="sqeuclidean")
        assert found == pytest.approx(dense, rel=1e-9)


def exact(X, labels):
    """Silhouette and sums of pairs of squared distances, in fractions."""
    points = [[Fraction(float(v)) for v in row] for row in X]
    n = len(points)
    D = [[sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for y in points] for x in points]
    within = sum(D[i][j] for i, j in itertools.combinations(range(n), 2) if labels[i] == labels[j])
    total = sum(D[i][j] for i, j in itertools.combinations(range(n), 2))
    values = []
    for i in range(n):
        means = {}
        for c in sorted(set(labels)):
            others = [j for j in range(n) if labels[j] == c and j != i]
            means[c] = sum((D[i][j] for j in others), Fraction(0)) / len(others)
        a = means.pop(labels[i])
        b = min(means.values())
        values.append((b - a) / max(a, b))
    return {
        "silhouette": float(sum(values) / n),
        "within_cluster_scatter": float(within),
        "between_cluster_scatter": float(total - within),
    }


@pytest.mark.parametrize("far", [False, True])
def test_tight_clusters_far_from_the_origin(far):
    # two clusters 1e6 from the origin and 1e-3 apart; then a third one far from both
    rng = np.random.default_rng(0)
    X = 1e6 + 5e-4 * rng.normal(size=(40, 3))
    labels = [0] * 20 + [1] * 20
    X[20:, 0] += 1e-3
    if far:
        X = np.vstack([X, -3e6 + 1e-4 * rng.normal(size=(5, 3))])
        labels += [2] * 5
    for key, value in exact(X, labels).items():
        found = catalogue[key].function(X, labels, metric="sqeuclidean")
        assert found == pytest.approx(value, rel=1e-11), key


def test_objects_that_all_coincide():
    X = np.full((7, 3), 0.1)
    labels = [0, 0, 0, 1, 1, 2, 2]
    assert (sortal.silhouette_samples(X, labels, metric="sqeuclidean") == 0).all()
    assert sortal.silhouette(X, labels, metric="sqeuclidean") == 0
    assert sortal.squared_euclidean_silhouette(X, labels) == 0
    assert sortal.simplified_silhouette(X, labels) == 0
    assert sortal.average_within_cluster_scatter(X, labels, metric="sqeuclidean") == 0


def test_centroids_are_those_of_the_data():
    rng = np.random.default_rng(4)
    X, labels = rng.normal(size=(50, 3)) + 7, rng.integers(0, 4, 50)
    w = rng.random(50) + 0.1
    stats = Statistics(X, as_labelings(labels), ["centroids"], weights=w)
    for c in range(4):
        own = labels == c
        mean = np.average(X[own], axis=0, weights=w[own])
        np.testing.assert_allclose(stats.centroids[0][c] + stats.shift, mean, rtol=1e-13)
        apart = ((X[own] - mean) ** 2).sum(axis=1)
        assert stats.squares[0][c] == pytest.approx(w[own] @ apart)
        assert stats.spreads[0][c] == pytest.approx(w[own] @ np.sqrt(apart))
        assert stats.radii[0][c] == pytest.approx(np.sqrt(apart).max())
