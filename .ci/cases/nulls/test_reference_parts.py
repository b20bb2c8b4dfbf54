"""Null references, coordinates and searches by their definitions."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist

from sortal.nulls import StructureSettings, coordinates, references, structure, valleys


def blobs(k, n=40, apart=12.0, seed=0):
    y = np.arange(k * n) % k
    rng = np.random.default_rng(seed)
    return rng.normal(size=(k * n, 2)) + apart * np.column_stack([y, y % 2]), y


def test_covariance_within_clusters_is_its_definition():
    X, y = blobs(3)
    labels = y.copy()
    labels[::7] = -1
    root = references._within(X, labels)
    kept, codes = X[labels >= 0], labels[labels >= 0]
    away = kept - np.array([kept[codes == c].mean(axis=0) for c in range(3)])[codes]
    np.testing.assert_allclose(root.T @ root, away.T @ away / (len(kept) - 3))
    # a label that no object has
    np.testing.assert_allclose(references._within(X[y != 1], y[y != 1]).shape, (2, 2))


@pytest.mark.parametrize("n", [30, 700])
def test_principal_coordinates_have_the_distances_and_the_inertia(n):
    X = np.random.default_rng(0).normal(size=(n, 3)) * [3, 2, 1]
    points = references.principal_coordinates(cdist(X, X))
    np.testing.assert_allclose(pdist(points), pdist(X), rtol=1e-6)
    uneven = cdist(X, X, "cityblock")
    points = references.principal_coordinates(uneven)
    inertia = np.square(points - points.mean(axis=0)).sum()
    assert inertia == pytest.approx(np.square(uneven).sum() / (2 * n), rel=1e-6)


def test_groups_far_apart_are_separated_as_they_are():
    X, y = blobs(3)
    labels, evidence = valleys.separated(X, np.random.default_rng(0), 3.0)
    assert len({*zip(y.tolist(), labels.tolist(), strict=True)}) == 3
    assert evidence > 3
    cloud = np.random.default_rng(0).normal(size=(120, 2))
    assert valleys.separated(cloud, np.random.default_rng(0), 3.0) is None


def test_a_partition_that_cuts_a_cloud_has_no_valley():
    X, y = blobs(2, n=60)
    rng = np.random.default_rng
    right = valleys.valley_evidence(X, y, rng(0))
    cloud = rng(1).normal(size=(120, 2))
    wrong = valleys.valley_evidence(cloud, (cloud[:, 0] > 0).astype(int), rng(0))
    assert wrong < 2 < right
    assert valleys.valley_evidence(X, np.zeros(120, dtype=int), rng(0)) == 0


def test_a_constant_feature_and_copies_change_no_coordinates():
    X = np.random.default_rng(0).normal(size=(40, 2))
    rng = np.random.default_rng
    plain = coordinates.spread_ties(X, rng(0))
    wider = coordinates.spread_ties(np.column_stack([X, np.full(40, 3.0)]), rng(0))
    np.testing.assert_array_equal(plain[0], wider[0])
    assert coordinates.spread_ties(np.ones((5, 2)), rng(0))[0].shape == (5, 0)


def test_a_decision_is_settled_outside_of_a_t_interval_of_99_percent():
    for probability, searches, quantile in ((0.5, 4, 5.841), (0.97, 8, 3.499), (0.15, 64, 2.656)):
        reach = min(abs(probability - 0.9), abs(probability - 0.2)) / quantile
        for error, settled in ((0.999 * reach, True), (1.001 * reach, False)):
            found = structure.Structure(probability, "unclear", 4.0, 1, 100, error)
            assert structure.is_settled(found, searches) == settled, (probability, searches)
    at_limit = structure.Structure(0.9, "yes", 4.0, 1, 100, 0.0)
    assert not structure.is_settled(at_limit, 4)


def test_searches_are_repeated_near_a_limit_and_for_the_leading_numbers(monkeypatch):
    asked = []

    def find(Z, rng, numbers, settings):
        """Evidence that differs from search to search at 3 clusters; none above 5."""
        asked.append(numbers.tolist())
        of_three = level + (1 if len(asked) % 2 else -1)
        others = np.where(numbers > 5, 0.0, level - 0.5)
        return np.where(numbers == 3, of_three, others), np.where(numbers == 3, 3, 9)

    monkeypatch.setattr(structure, "find_valleys", find)
    monkeypatch.setattr("sortal.runtime.threads.available_cores", lambda: 1)
    X = np.random.default_rng(0).normal(size=(400, 2))
    level = 15.0
    sure = structure.assess_structure(X)
    assert (sure.decision, sure.n_clusters, len(asked)) == ("yes", 9, structure.N_SEARCHES)
    asked.clear()
    level = structure.needed(sure.linearity)
    near = structure.assess_structure(X)
    assert len(asked) == structure.MAX_SEARCHES
    assert asked[0] == list(structure.NUMBERS_OF_CLUSTERS)
    assert asked[-1] == [3]
    assert near.error > 0
    assert near.evidence == pytest.approx(level)
    monkeypatch.setattr(structure, "MAX_SEARCHES", 8)
    asked.clear()
    structure.assess_structure(X)
    assert len(asked) == 8


def test_only_tied_or_many_rows_of_plain_features_are_drawn_again():
    rows = np.zeros((coordinates.MAX_OBJECTS + 1, 2))
    few, wide = rows[:50], np.zeros((50, coordinates.MAX_TIED_FEATURES + 1))
    assert coordinates.depend_on_draws(few, "euclidean")
    assert coordinates.depend_on_draws(rows, "cosine")
    assert coordinates.depend_on_draws(sparse.csr_array(rows), "cosine")
    assert not coordinates.depend_on_draws(sparse.csr_array(few), "cosine")
    assert not coordinates.depend_on_draws(wide, "euclidean")
    assert not coordinates.depend_on_draws(np.zeros((2_001, 2_001)), "precomputed")
    assert not coordinates.depend_on_draws(rows, lambda a, b: 0.0)


def test_components_that_stand_out_of_noise_are_kept():
    """Of one axis beyond the leading ones, all of its variance is noise."""
    n, d = 400, coordinates.MAX_COMPONENTS + 1
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, d))]))[0][:, 1:]
    sizes = np.sqrt([9.0] * 12 + [1.2] * (d - 13) + [1.0])
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    found = coordinates._first_components((basis * sizes) @ turn, rng)
    # random noise of variance 1 reaches (1 + (d / n)^(1/2))^2 = 1.63
    np.testing.assert_allclose(np.square(found).sum(axis=0), 9.0)
    assert found.shape == (n, 12)


@pytest.mark.parametrize(("n", "d"), [(200, 100), (100, 200), (300, 40)])
def test_noise_has_no_components_and_groups_have_one_less_than_their_number(n, d):
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(n, d))
    groups = noise + 8 * np.eye(5, d)[np.arange(n) % 5]
    for Z, rank in ((noise, 0), (groups, 4)):
        Z = Z - Z.mean(axis=0)
        sizes = np.linalg.svd(Z, compute_uv=False)
        assert coordinates._count_above_noise(sizes, float(np.square(Z).sum()), n, d) == rank
        found = coordinates._first_components(Z, rng).shape[1]
        assert found == max(rank, StructureSettings().min_components)


def test_no_draw_of_a_shuffle_is_repeated_where_none_is_double():
    n, d = 10, 30
    X = sparse.csr_array(np.eye(n)[np.arange(d) % n].T)
    rows = 9 - np.arange(d) // 10
    real, drawn = np.random.default_rng(0), []

    def uniform(low, high, count):
        drawn.append(count)
        return 3.0 * rows[:count] + 1

    rng = SimpleNamespace(uniform=uniform, permutation=real.permutation)
    shuffled = references._shuffled(X, rng)
    assert drawn == [d]
    assert (shuffled.sum(axis=0) == 1).all()
    assert (shuffled.sum(axis=1) > 0).all()
