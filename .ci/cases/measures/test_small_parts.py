"""The smallest distance of several tiles, the number of its pairs, and squares of limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

from sortal.distances import as_distances
from sortal.measures.passes import ranks
from sortal.measures.passes.centroids import _sparse_to_centers
from sortal.measures.passes.over_pairs import OverPairs
from sortal.runtime.executors import Workers


@pytest.mark.parametrize("seed", range(6))
def test_the_smallest_distance_of_a_range_and_its_pairs(seed, monkeypatch):
    monkeypatch.setattr(ranks, "TILE_ROWS", 4)
    monkeypatch.setattr(ranks, "TILE_WIDTH", 6)
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


def test_a_sparse_row_beside_a_center_far_away_has_all_digits_of_its_distance():
    center = np.array([[1e8, 1.5]])
    row = sparse.csr_array([[1e8, 1.0]])
    found = _sparse_to_centers(row, center, center.T.copy(), (center**2).sum(axis=1))
    assert found.tolist() == [[0.5]]


@pytest.mark.parametrize("sample", ["good", "wrong", "crowded", "small"])
@pytest.mark.parametrize("digits", [0, 9])
def test_sums_by_brackets_are_those_of_sorted_distances(sample, digits, monkeypatch):
    rng = np.random.default_rng(digits)
    X, passes = rng.normal(size=(150, 2)).round(digits), []
    monkeypatch.setattr(ranks, "SAMPLE", 64 if sample != "small" else 2**17)
    monkeypatch.setattr(ranks, "MAX_PAIRS_IN_MEMORY", 2000 if sample == "crowded" else 2**20)
    if sample == "wrong":
        brackets = np.array([[0.0, 0.2], [9.0, np.inf]]), np.array([0, 0, 0, 1])
        monkeypatch.setattr(ranks, "_brackets", lambda *a: brackets)
    histogram = ranks._histogram
    monkeypatch.setattr(ranks, "_histogram", lambda *a: passes.append(1) or histogram(*a))
    pairs, wanted = OverPairs(X, "euclidean", Workers.of(None)), [0, 2000, 7000, 11175]
    codes = np.stack([np.zeros(150, np.int32), rng.integers(0, 3, 150, dtype=np.int32)])
    sums, total, within = ranks._sums_of_smallest(pairs, wanted, codes)
    in_order = np.sort(pdist(X))
    apart = pdist(codes[1][:, None]) > 0
    assert total == pytest.approx(in_order.sum(), rel=1e-14)
    assert within == pytest.approx([total, pdist(X)[~apart].sum()], rel=1e-14)
    assert sums == pytest.approx({r: in_order[:r].sum() for r in wanted}, rel=1e-13)
    assert bool(passes) == (sample != "good")


def test_brackets_have_the_distances_of_their_ranks(monkeypatch):
    monkeypatch.setattr(ranks, "SAMPLE", 2**10)
    X = np.random.default_rng(3).normal(size=(600, 3))
    every = np.sort(pdist(X))
    pairs, wanted = (
        OverPairs(X, "euclidean", Workers.of(None)),
        [0, 50_000, 52_000, 179_000, 179_700],
    )
    brackets, of_rank = ranks._brackets(pairs, wanted)
    assert of_rank.tolist() == [0, 1, 1, 2, 2]
    assert (brackets[:-1, 1] < brackets[1:, 0]).all()
    for rank, (low, high) in zip(wanted, brackets[of_rank], strict=True):
        assert (every < low).sum() <= rank <= (every < high).sum()
    monkeypatch.setattr(ranks, "MOST_BRACKETS", 2)
    assert ranks._brackets(pairs, wanted) is None
    monkeypatch.setattr(ranks, "MOST_BRACKETS", 3)
    assert ranks._brackets(pairs, wanted) is not None
    of_matrix = OverPairs(squareform(pdist(X)), "precomputed", Workers.of(None))
    assert ranks._brackets(of_matrix, wanted) is None
