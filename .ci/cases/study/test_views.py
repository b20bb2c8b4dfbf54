"""Views of the data and differences of clusterings, beside oracles and for chosen inputs."""

from __future__ import annotations

import numpy as np
import pytest

from sortal.measures import adjusted_mutual_information
from sortal.study import Alternatives
from sortal.study.views import (
    DataView,
    dependence,
    differ,
    diverse,
    groups_of,
    independent_blocks,
    residual,
    shared_information,
    space_between,
)
from sortal.study.wording import divisions


def planted(d):
    """Two groups, apart in the first of d features."""
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=240)
    return 6.0 * a[:, None] * np.eye(d)[0] + rng.normal(size=(240, d)), a


def test_independent_groups_of_features():
    rng = np.random.default_rng(0)
    a, b = rng.integers(2, size=240), rng.integers(3, size=240)
    A = np.array([[0, 0], [6, 1.8]])[a]
    B = np.array([[0, 0], [5, 0], [2.5, 4.5]])[b]
    X = np.column_stack([A, B, np.zeros(240)]) + rng.normal(size=(240, 5))
    blocks = {view.features for view in independent_blocks(X, "euclidean")}
    assert blocks == {(0, 1), (2, 3), (4,)} or blocks == {(0, 1), (2, 3), (4,)} | {(1,)}
    assert independent_blocks(X @ np.linalg.qr(np.ones((5, 5)) + np.eye(5))[0], "euclidean") == []
    # a third cluster of a tenth is excluded by another one: no quartile shows it
    rng = np.random.default_rng(0)
    codes = rng.choice(3, 600, p=[0.7, 0.2, 0.1])
    Y = np.array([[0, 0], [6, 0], [0, 6]])[codes] + rng.normal(size=(600, 2))
    assert independent_blocks(Y, "euclidean") == []


def test_shared_information_is_adjusted_mutual_information_to_first_order():
    rng = np.random.default_rng(0)
    for _ in range(5):
        a, b = rng.integers(3, size=2000), rng.integers(4, size=2000)
        b = np.where(rng.random(2000) < 0.4, a, b)
        exact = adjusted_mutual_information(a, b, normalizer="min")
        assert shared_information(a, b) == pytest.approx(exact, abs=1e-3)
    assert shared_information(np.array([0, -1, -1]), np.array([-1, 0, 0])) == 0


def test_finer_coarser_and_merged_clusterings_do_not_differ():
    fine = np.arange(300) % 3
    assert not differ(fine, np.minimum(fine, 1))
    # two mergers of three clusters: they tell little of each other, but two never meet
    sizes = np.repeat([0, 1, 2], [30, 30, 240])
    one, other = (sizes == 0).astype(int), (sizes == 1).astype(int)
    assert shared_information(one, other) < 0.2
    assert not differ(one, other)
    assert differ(np.arange(300) % 2, np.arange(300) // 2 % 2)


def test_the_most_different_are_kept():
    base = np.arange(64)
    bits = [base >> shift & 1 for shift in range(4)]
    near = bits[0].copy()
    near[:24] = bits[1][:24]
    assert diverse([bits[0], near, bits[1], bits[2]], 3) == [0, 2, 3]
    assert diverse([], 3) == []


def test_dependent_features_are_grouped():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 500))
    P = np.column_stack([one, one + 0.3 * rng.normal(size=500), other, np.abs(other)])
    V, linked = dependence(P)
    assert linked[0, 1]
    assert linked[2, 3]
    assert not linked[:2, 2:].any()
    assert np.allclose(V, V.T)
    assert {(0, 1), (2, 3)} <= set(groups_of(P))


def test_what_is_left_is_orthogonal_to_the_known_clustering():
    X, a = planted(4)
    view = residual(X, "euclidean", {"a": a.astype(np.int32)})
    left = view.points(X)
    assert left.shape == (240, 3)
    means = [left[a == c].mean(axis=0) for c in (0, 1)]
    assert np.allclose(means[0], means[1])
    axes = space_between(X, [a.astype(np.int32)])
    assert np.allclose(axes.T @ axes, np.eye(1))


def test_nothing_is_left_where_a_clustering_spans_the_space():
    X, a = planted(1)
    assert residual(X, "euclidean", {"a": a.astype(np.int32)}) is None


def test_words_for_views():
    names = ["income", "age", "region", "rent"]
    assert divisions.seen_in(DataView("features", (0, 2)), names) == "income and region"
    assert divisions.seen_in(DataView("features", (0, 1, 2, 3)), names) == "income, age and 2 more"
    assert (
        divisions.seen_in(DataView("residual", (), ("ward k=2",)), names) == "what ward k=2 leaves"
    )
    assert divisions.sentences(Alternatives((), reason="graph")) == [divisions.REASONS["graph"]]
