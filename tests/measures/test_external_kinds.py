"""Soft and overlapping clusterings, and dendrograms, against their definitions."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.cluster.hierarchy import linkage

import naive_external as naive
import sortal
from example_counts import examples
from sortal import Dendrogram, InputError, UndefinedMeasureError
from sortal.labelings import OverlappingPartition, SoftPartition, cut_dendrogram


def soft(rng, n, k):
    return rng.dirichlet(np.full(k, 0.4), size=n)


@pytest.mark.parametrize("seed", range(5))
def test_soft_pairs_are_expectations(seed):
    rng = np.random.default_rng(seed)
    U, V = soft(rng, 12, 3), soft(rng, 12, 4)
    both, true, pred = naive.expected_pairs(U.tolist(), V.tolist())
    got = sortal.pair_counts(SoftPartition(U), SoftPartition(V))
    assert_allclose(
        [got.both, got.only_pred, got.only_true, got.total], [both, pred - both, true - both, 66]
    )
    assert_allclose(
        sortal.rand_index(SoftPartition(U), SoftPartition(V)), (66 - true - pred + 2 * both) / 66
    )


def test_soft_pairs_are_the_mean_over_drawn_labels():
    rng = np.random.default_rng(1)
    U, V = soft(rng, 8, 3), soft(rng, 8, 2)
    draws = []
    for _ in range(4000):
        true = [rng.choice(3, p=p) for p in U]
        pred = [rng.choice(2, p=p) for p in V]
        draws.append(naive.pairs(true, pred)[0])
    got = sortal.pair_counts(SoftPartition(U), SoftPartition(V)).both
    assert abs(got - np.mean(draws)) < 4 * np.std(draws) / np.sqrt(len(draws))


@pytest.mark.parametrize("key", [m.key for m in sortal.measures.catalogue.select(kind="external")])
def test_hard_memberships_are_labels(key):
    true, pred = [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 0]
    function = sortal.measures.catalogue[key].function
    U = SoftPartition(np.eye(3)[pred])
    if key in naive.COUNTED:
        with pytest.raises(UndefinedMeasureError, match="harden"):
            function(true, U)
        return
    assert_allclose(function(true, U), function(true, pred), atol=1e-12)


def test_soft_nmi_from_the_expected_table():
    rng = np.random.default_rng(3)
    U, V = soft(rng, 30, 3), soft(rng, 30, 3)
    joint = U.T @ V / 30
    a, b = joint.sum(1), joint.sum(0)
    mi = (joint * np.log(joint / np.outer(a, b))).sum()
    nmi = mi / np.sqrt((a * np.log(a)).sum() * (b * np.log(b)).sum())
    got = sortal.normalized_mutual_information(SoftPartition(U), SoftPartition(V))
    assert_allclose(got, nmi, rtol=1e-12)


@st.composite
def two_covers(draw):
    n, k, t = draw(st.integers(2, 7)), draw(st.integers(1, 3)), draw(st.integers(1, 3))

    def rows(width):
        row = st.lists(st.booleans(), min_size=width, max_size=width).filter(any)
        return draw(st.lists(row, min_size=n, max_size=n))

    return rows(t), rows(k)


@examples(40)
@given(covers=two_covers())
def test_overlapping(covers):
    true, pred = covers
    T, C = OverlappingPartition(true), OverlappingPartition(pred)
    p, r = naive.extended_bcubed(true, pred), naive.extended_bcubed(pred, true)
    assert_allclose(sortal.bcubed_precision(T, C), p, atol=1e-12)
    assert_allclose(sortal.bcubed_recall(T, C), r, atol=1e-12)
    f = 2 * p * r / (p + r) if p + r else 0.0
    assert_allclose(sortal.bcubed_f_measure(T, C), f, atol=1e-12)
    assert_allclose(sortal.omega_index(T, C), naive.omega_index(true, pred), atol=1e-12)


@pytest.mark.parametrize("alpha", [0.3, 0.9])
def test_overlapping_element_centric(alpha):
    rng = np.random.default_rng(7)
    true, pred = rng.random((8, 3)) < 0.5, rng.random((8, 2)) < 0.6
    true[:, 0] |= ~true.any(axis=1)
    pred[:, 1] |= ~pred.any(axis=1)
    computed = sortal.element_centric_similarity(
        OverlappingPartition(true), OverlappingPartition(pred), alpha=alpha
    )
    expected = naive.overlapping_similarity(
        true.astype(int).tolist(), pred.astype(int).tolist(), alpha, steps=400
    )
    assert_allclose(computed, expected, atol=1e-9)


def test_without_overlap_the_overlapping_measures_are_the_ordinary_ones():
    rng = np.random.default_rng(2)
    true, pred = rng.integers(0, 3, 30), rng.integers(0, 4, 30)
    C = OverlappingPartition(np.eye(4)[pred])
    assert_allclose(sortal.omega_index(true, C), sortal.adjusted_rand_index(true, pred))
    for key in ("bcubed_precision", "bcubed_recall", "element_centric_similarity"):
        function = getattr(sortal, key)
        assert_allclose(function(true, C), function(true, pred))
    with pytest.raises(InputError, match="element_centric_similarity"):
        sortal.rand_index(true, C)


def test_extended_bcubed_of_amigo2009():
    # §6: two items sharing two categories, put together once, have recall 1/2 and precision 1
    true = OverlappingPartition([[1, 1], [1, 1]])
    once = OverlappingPartition([[1], [1]])
    assert sortal.bcubed_precision(true, once) == 1
    assert sortal.bcubed_recall(true, once) == 0.5


@pytest.mark.parametrize("seed", range(8))
def test_dendrograms(seed):
    rng = np.random.default_rng(seed)
    n = 7
    Z = linkage(rng.random((n, 2)), ["single", "average", "complete"][seed % 3])
    true = rng.integers(0, 3, n).tolist()
    tree = Dendrogram(Z)
    assert_allclose(sortal.f_quality(true, tree), naive.dendrogram_f(true, Z))
    assert_allclose(sortal.f_quality(true, tree, beta=2), naive.dendrogram_f(true, Z, 2))
    assert_allclose(sortal.matching_accuracy(true, tree), naive.dendrogram_accuracy(true, Z))
    assert_allclose(sortal.purity(true, tree), naive.dendrogram_purity(true, Z))


def test_a_tree_is_at_least_as_good_as_its_cuts():
    rng = np.random.default_rng(0)
    Z = linkage(rng.random((60, 2)), "average")
    true = rng.integers(0, 4, 60)
    for k in (2, 4, 9):
        cut = cut_dendrogram(Z, n_clusters=k)
        for key in ("f_quality", "matching_accuracy"):
            function = getattr(sortal, key)
            assert function(true, Dendrogram(Z)) >= function(true, cut) - 1e-12


def test_bad_kinds():
    with pytest.raises(InputError, match="4 objects"):
        sortal.purity([0, 1], Dendrogram(linkage(np.eye(4))))
    with pytest.raises(InputError, match="SciPy"):
        Dendrogram([[0, 1]])
    with pytest.raises(InputError, match="same objects"):
        sortal.rand_index([0, 1], SoftPartition([[1.0], [1.0], [1.0]]))
    with pytest.raises(InputError, match="no cluster"):
        sortal.element_centric_similarity([0, 1], OverlappingPartition([[1], [0]]))


@pytest.mark.parametrize("normalizer", ["max", "cluster"])
@pytest.mark.parametrize("seed", range(6))
def test_information_of_covers(seed, normalizer):
    rng = np.random.default_rng(seed)
    U = rng.random((20, int(rng.integers(1, 5)))) < 0.5
    V = np.where(rng.random((20, 1)) < 0.7, np.roll(U, seed % 2, axis=1), rng.random(U.shape) < 0.4)
    U[0], V[0] = True, True
    function = sortal.overlapping_normalized_mutual_information
    covers = OverlappingPartition(U), OverlappingPartition(V)
    expected = max(naive.cover_information(U, V, normalizer), 0)
    assert_allclose(function(*covers, normalizer=normalizer), expected, atol=1e-9)
    assert_allclose(function(*covers[::-1], normalizer=normalizer), expected, atol=1e-9)
    reordered = OverlappingPartition(U[:, ::-1])
    assert function(covers[0], reordered, normalizer=normalizer) == 1
    true, pred = rng.integers(0, 3, 30), rng.integers(0, 4, 30)
    hard = [(np.unique(x)[:, None] == x).T for x in (true, pred)]
    expected = max(naive.cover_information(*hard, normalizer), 0)
    assert_allclose(function(true, pred, normalizer=normalizer), expected, atol=1e-9)
    with pytest.raises(InputError, match="30 objects"):
        function(true, covers[0])
