"""Lemmas 4 to 6 of whissell2012 as properties; lemma 3 is with the scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sortal
from example_counts import examples
from sortal.measures.clarity import KNearestNeighbors, assess


def draw(seed: int, n: int, k: int) -> tuple[Any, Any, np.random.Generator]:
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    D = rng.integers(1, 40, (n, n)).astype(float)
    return np.triu(D, 1) + np.triu(D, 1).T, labels, rng


def consistent_variant(D: Any, labels: Any, rng: np.random.Generator) -> Any:
    """Distances within clusters shrink, those between clusters grow, each by its own amount."""
    within = labels[:, None] == labels
    factor = np.where(within, rng.uniform(0.2, 1, D.shape), rng.uniform(1, 5, D.shape))
    return D * (np.triu(factor, 1) + np.triu(factor, 1).T)


def right(D: Any, labels: Any, r: int) -> Any:
    found = assess(D, labels, classifiers=KNearestNeighbors(r), metric="precomputed")
    return found.predictions[0, 0] == found.labelings.codes[0]


@examples(60)
@given(st.integers(0, 2**32 - 1), st.integers(5, 30), st.integers(2, 5))
def test_lemma_4_consistent_with_one_neighbour(seed: int, n: int, k: int) -> None:
    D, labels, rng = draw(seed, n, k)
    before, after = (right(d, labels, 1) for d in (D, consistent_variant(D, labels, rng)))
    # where distances tie, the lower index stands before, and either may be right
    np.fill_diagonal(D, np.inf)
    tied = (D.min(axis=1)[:, None] == D).sum(axis=1) > 1
    assert (after | ~before | tied).all()


@examples(60)
@given(st.integers(0, 2**32 - 1), st.integers(5, 30), st.integers(1, 7))
def test_lemma_4_consistent_with_two_clusters(seed: int, n: int, r: int) -> None:
    D, labels, rng = draw(seed, n, 2)
    # no ties
    D += 1e-3 * np.abs(np.subtract.outer(np.arange(n) ** 2, np.arange(n) ** 2)) / n**2
    before, after = (right(d, labels, r) for d in (D, consistent_variant(D, labels, rng)))
    assert (after | ~before).all()


def test_lemma_4_fails_for_three_clusters_and_several_neighbours() -> None:
    # object 0 sees its own cluster twice, b twice and c once, its own first: recognised. When the
    # distance to c grows more than those to b, a third b takes c's place
    labels = np.array(["a", "a", "a", "b", "b", "b", "c"])
    D = np.full((7, 7), 9.0)
    D[0] = D[:, 0] = [0, 1, 2, 3, 4, 6, 5]
    np.fill_diagonal(D, 0)
    grown = D.copy()
    grown[0, 6] = grown[6, 0] = 50
    assert right(D, labels, 5)[0]
    assert not right(grown, labels, 5)[0]


@examples(40)
@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6))
def test_lemma_5_scale_does_not_matter(seed: int, scale: float) -> None:
    D, labels, _ = draw(seed, 25, 4)
    a, b = (sortal.informativeness(d, labels, metric="precomputed") for d in (D, scale * D))
    assert a == b


@pytest.mark.parametrize("r", [1, 3, 5])
@examples(20)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_lemma_6_rich(r: int, seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.repeat(np.arange(k), r + 1), rng.integers(0, k, 10)])
    D = np.where(labels[:, None] == labels, 0.1, 1.0)
    np.fill_diagonal(D, 0)
    near = KNearestNeighbors(r)
    assert sortal.informativeness(D, labels, classifiers=near, metric="precomputed") == 1.0
    other = rng.permutation(labels)
    value = sortal.informativeness(D, other, classifiers=near, metric="precomputed")
    assert value < 1 or len(set(zip(labels, other, strict=True))) <= k


def test_rotation_and_shift_do_not_matter() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    labels = (X[:, 0] > 0).astype(int) + (X[:, 1] > 1)
    turned = X @ np.linalg.qr(rng.normal(size=(3, 3)))[0] + 7
    for classifier in ("5nn", "centroid"):
        a, b = (sortal.informativeness(x, labels, classifiers=classifier) for x in (X, turned))
        assert a == pytest.approx(b, abs=1e-12)
