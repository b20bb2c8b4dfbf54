"""The smallest distance of several tiles, the number of its pairs, and squares of limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

import karat
from karat.distances import as_distances
from karat.measures.passes import ranks
from karat.measures.passes.centroids import _sparse_to_centers
from karat.measures.passes.over_pairs import OverPairs
from karat.runtime.executors import Workers


@pytest.mark.parametrize("seed", range(6))
def test_the_smallest_distance_of_a_range_and_its_pairs(seed, monkeypatch):
    monkeypatch.setattr(ranks, "STRIP_ROWS", 4)
    monkeypatch.setattr(ranks, "STRIP_WIDTH", 6)
    X = np.random.default_rng(seed).integers(0, 12, size=(23, 1)).astype(float)
    every = pdist(X)
    distances = as_distances(X, "cityblock")
    for low, high in ((0, 9), (1, 9), (3, 12), (5, 6)):
        inside = every[(every >= low) & (every < high)]
        shares = [
            ranks._least_of_share(distances, low, high, share) for share in ranks._strips(len(X))
        ]
        least = min(value for value, _ in shares)
        assert least == inside.min()
        assert sum(count for value, count in shares if value == least) == (every == least).sum()


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_the_least_square_is_the_smallest_number_with_at_least_this_root(root):
    square = ranks._least_square(root)
    assert math.sqrt(square) >= root > math.sqrt(math.nextafter(square, 0.0))


@pytest.mark.parametrize("root", [-math.inf, -2.0, 0.0, math.inf])
def test_limits_that_are_no_positive_number_have_a_square_of_their_sign(root):
    assert ranks._least_square(root) == root * abs(root)


def test_clusterings_without_a_link_are_not_further_apart_than_one():
    # without a limit, rounding gives 1 + 2.2e-16
    true, pred = np.repeat([0, 1, 2], 3), np.tile([0, 1, 1], 3)
    assert karat.normalized_variation_of_information(true, pred) == 1.0


def test_a_sparse_row_beside_a_center_far_away_has_all_digits_of_its_distance():
    center = np.array([[1e8, 1.5]])
    row = sparse.csr_array([[1e8, 1.0]])
    found = _sparse_to_centers(row, center, center.T.copy(), (center**2).sum(axis=1))
    assert found.tolist() == [[0.5]]


@pytest.mark.parametrize("guess", ["good", "wrong", "crowded", "none"])
@pytest.mark.parametrize("digits", [0, 9])
def test_sums_by_guessed_bins_are_those_of_sorted_distances(guess, digits, monkeypatch):
    rng = np.random.default_rng(digits)
    X, asked = rng.normal(size=(150, 2)).round(digits), []
    monkeypatch.setattr(ranks, "SAMPLE", 64 if guess != "none" else 2**17)
    monkeypatch.setattr(ranks, "MAX_PAIRS_IN_MEMORY", 2000 if guess == "crowded" else 2**20)
    monkeypatch.setattr(ranks._Bins, "number", 300)
    if guess == "wrong":
        monkeypatch.setattr(ranks, "_guess", lambda *a: np.arange(300) > 290)
    collect, guessed = ranks._collect, ranks._guess
    monkeypatch.setattr(ranks, "_collect", lambda *a: asked.append(1) or collect(*a))
    pairs = OverPairs(X, "euclidean", Workers.of(None))
    chosen = guessed(pairs, ranks._Bins(0.0, ranks._upper_bound(pairs)), [2000, 7000])
    assert (chosen is None) == (guess in ("crowded", "none"))
    sums, total, _ = ranks._sums_of_smallest(pairs, [2000, 7000], np.zeros((1, 150), np.int32))
    sorted_distances = np.sort(pdist(X))
    assert total == pytest.approx(sorted_distances.sum(), rel=1e-13)
    for rank, value in sums.items():
        assert value == pytest.approx(sorted_distances[:rank].sum(), rel=1e-13)
    if digits:
        assert bool(asked) == (guess != "good")


def test_no_bins_are_guessed_from_a_matrix(monkeypatch):
    monkeypatch.setattr(ranks, "SAMPLE", 16)
    X = np.random.default_rng(0).normal(size=(99, 2))
    for data, metric, is_guessed in (
        (X, "euclidean", True),
        (squareform(pdist(X)), "precomputed", False),
    ):
        pairs = OverPairs(data, metric, Workers.of(None))
        assert (ranks._guess(pairs, ranks._Bins(0.0, 9.0), [7]) is not None) == is_guessed
