"""Neighbour lists against sorting every row, ties and extremes included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import naive_clarity as naive
from example_counts import examples
from sortal import InputError
from sortal.distances import neighbor_lists


def expected(X: np.ndarray, k: int) -> np.ndarray:
    D = naive.distances(X)
    return np.array([naive.neighbor_order(D, i)[:k] for i in range(len(X))])


@examples(50)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 12), st.integers(1, 8))
def test_small_integers_full_of_ties(seed: int, n: int, d: int, k: int) -> None:
    X = np.random.default_rng(seed).integers(0, 3, (n, d)).astype(float)
    found = neighbor_lists(X, k)
    np.testing.assert_array_equal(found.indices, expected(X, min(k, n - 1)))


@pytest.mark.parametrize(("n", "d"), [(1200, 2), (1200, 7), (1200, 12), (600, 40)])
@pytest.mark.parametrize("kind", ["real", "integer", "copies", "far away"])
def test_every_search_agrees_with_sorting(n: int, d: int, kind: str) -> None:
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d))
    if kind == "integer":
        X = np.round(X)
    elif kind == "copies":
        X = X[rng.integers(0, n // 20, n)]
    elif kind == "far away":
        X = X * 1e-3 + 1e5
    D = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(D, -1)
    order = np.lexsort((np.broadcast_to(np.arange(n), (n, n)), D), axis=1)[:, 1:7]
    found = neighbor_lists(X, 6)
    # sums of squares in another order may round apart where distances are equal
    reached = np.take_along_axis(D, found.indices.astype(int), axis=1)
    np.testing.assert_allclose(reached, np.take_along_axis(D, order, axis=1), rtol=1e-12)
    if kind in ("integer", "copies"):
        np.testing.assert_array_equal(found.indices, order)
    np.testing.assert_allclose(found.distances, np.sqrt(np.maximum(reached, 0)), rtol=1e-10)


@pytest.mark.parametrize("scale", [1e-140, 1e-3, 1e140])
def test_scale_of_the_data_does_not_matter(scale: float) -> None:
    X = np.random.default_rng(3).normal(size=(80, 3))
    a, b = neighbor_lists(X, 5), neighbor_lists(X * scale, 5)
    np.testing.assert_array_equal(a.indices, b.indices)
    np.testing.assert_allclose(b.distances, a.distances * scale, rtol=1e-12)


def test_metrics_precomputed_and_sparse() -> None:
    rng = np.random.default_rng(4)
    X = rng.random((90, 5)) * (rng.random((90, 5)) < 0.6) + 0.01
    from sklearn.metrics import pairwise_distances

    for metric in ("manhattan", "cosine"):
        D = pairwise_distances(X, metric=metric)
        np.testing.assert_array_equal(
            neighbor_lists(X, 4, metric=metric).indices,
            neighbor_lists(D, 4, metric="precomputed").indices,
        )
    S = sparse.csr_array(X)
    np.testing.assert_array_equal(neighbor_lists(S, 4).indices, neighbor_lists(X, 4).indices)


def test_float32_is_judged_in_float64() -> None:
    X = np.random.default_rng(5).normal(size=(200, 3)).astype(np.float32)
    np.testing.assert_array_equal(
        neighbor_lists(X, 5).indices, neighbor_lists(X.astype(np.float64), 5).indices
    )


def test_what_cannot_be_searched() -> None:
    with pytest.raises(InputError, match="at least two"):
        neighbor_lists([[1.0]], 1)
    with pytest.raises(InputError, match="n_neighbors"):
        neighbor_lists([[1.0], [2.0]], 0)
    with pytest.raises(InputError, match="n×n"):
        neighbor_lists([[1.0], [2.0]], 1, metric="precomputed")
    with pytest.raises(InputError, match="nonsense"):
        neighbor_lists([[1.0], [2.0]], 1, metric="nonsense")


def test_divergences_go_from_the_object_to_its_neighbours():
    P = np.random.default_rng(0).dirichlet(np.full(6, 0.7), 200)
    D = (P[:, None] * np.log(P[:, None] / P[None])).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    found = neighbor_lists(P, 5, metric="kl").indices
    assert np.array_equal(np.sort(found), np.sort(np.argsort(D)[:, :5]))
