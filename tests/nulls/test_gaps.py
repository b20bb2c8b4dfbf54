"""Gaps between groups of any shape: their contrast, by definition, and what they do not follow."""

from __future__ import annotations

from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons

import sortal
from sortal.nulls import GapSettings, find_gaps

GAPS = GapSettings()


def by_thresholds(Z):
    """The contrast by definition: connected objects at every length, in O(n³)."""
    n = len(Z)
    D = cdist(Z, Z)
    near = np.sort(D, axis=1)[:, 1 : GAPS.dimension_neighbours + 1]
    core, least = near[:, GAPS.core_neighbour - 1], max(ceil(GAPS.min_share * n), 10)
    R = np.maximum(D, np.maximum.outer(core, core))
    d = 1 / np.log(near[:, -1:] / near[:, :-1]).mean()
    levels = np.unique(R[np.triu_indices(n, 1)])

    def parts(rows, level):
        """Connected objects among some rows."""
        left, out = set(rows), []
        while left:
            todo, part = [left.pop()], []
            while todo:
                i = todo.pop()
                part.append(i)
                new = {j for j in left if R[i, j] <= level}
                left -= new
                todo += new
            out.append(part)
        return out

    def half(part):
        """Least level at which half of a part is connected."""
        return next(x for x in levels if 2 * max(map(len, parts(part, x))) >= len(part))

    contrast, before = 0.0, [[i] for i in range(n)]
    for level in levels:
        now = parts(range(n), level)
        for part in now:
            joined = [old for old in before if set(old) <= set(part) and len(old) >= least]
            if len(joined) == 2:
                typical = max(*map(half, joined), np.median(core))
                contrast = max(contrast, d * np.log(level / typical))
        before = now
    return contrast


@given(st.integers(0, 10_000), st.sampled_from([1, 2, 4]), st.floats(0, 6))
@settings(max_examples=12, deadline=None)
def test_the_contrast_is_that_of_its_definition(seed, d, apart):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(44, d))
    Z[:15, 0] += apart
    assert find_gaps(Z)[0] == pytest.approx(by_thresholds(Z), abs=1e-9)


def spirals(n, k, seed=0):
    rng = np.random.default_rng(seed)
    t, arm = np.sqrt(rng.uniform(1, 9, n)) * np.pi / 1.5, 2 * np.pi * (np.arange(n) % k) / k
    return t[:, None] * np.column_stack([np.cos(t + arm), np.sin(t + arm)])


def shell_and_core(n=800, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    X[: n // 2] *= 10 / np.linalg.norm(X[: n // 2], axis=1, keepdims=True)
    return X


SHAPES = {
    "a core in a shell": (shell_and_core(), 2),
    "moons": (make_moons(500, noise=0.05, random_state=0)[0], 2),
    "spirals": (spirals(900, 3), 3),
    "three rows": (np.random.default_rng(0).uniform(size=(600, 2)) * [20, 1]
                   + 4 * (np.arange(600) % 3)[:, None] * [0, 1], 3),
}  # fmt: skip


@pytest.mark.quick(2)
@pytest.mark.parametrize("shape", SHAPES)
def test_groups_of_any_shape_are_structure(shape):
    X, k = SHAPES[shape]
    contrast, groups = find_gaps(X)
    assert contrast > GAPS.enough_contrast
    assert groups == k
    structure = sortal.assess_structure(X)
    assert structure.decision == "yes"
    assert structure.n_clusters >= k


def heaped(rng):
    """Ages and weights, half of which are rounded to tens."""
    X = rng.normal(40, 12, (400, 2))
    return np.where(rng.random((400, 2)) < 0.5, np.round(X / 10) * 10, np.round(X))


CLOUDS = {
    "normal": lambda rng: rng.normal(size=(500, 3)),
    "heavy tails": lambda rng: rng.standard_t(2, size=(500, 3)),
    "lognormal": lambda rng: np.exp(rng.normal(size=(500, 2))),
    "a flag beside measurements": lambda rng: np.c_[
        rng.normal(size=(500, 2)), 2 * rng.integers(0, 2, 500)
    ],
    "heaped": heaped,
    "a cross": lambda rng: (
        rng.normal(size=(500, 1)) * np.eye(2)[np.arange(500) % 2] + 0.1 * rng.normal(size=(500, 2))
    ),
}


@pytest.mark.parametrize("seeds", [1, pytest.param(3, marks=pytest.mark.long)])
@pytest.mark.parametrize("cloud", CLOUDS)
def test_clouds_have_no_gap(cloud, seeds):
    for seed in range(seeds):
        structure = sortal.assess_structure(CLOUDS[cloud](np.random.default_rng(seed)))
        assert structure.decision != "yes"


def test_the_contrast_follows_neither_scale_nor_place_nor_order():
    rng = np.random.default_rng(1)
    X = make_moons(200, noise=0.1, random_state=1)[0]
    contrast, groups = find_gaps(X)
    assert contrast > 0
    for Z in (1e6 * X, X - 50, rng.permutation(X), X @ np.linalg.qr(rng.normal(size=(2, 2)))[0]):
        assert find_gaps(Z) == (pytest.approx(contrast, rel=1e-6), groups)


def test_small_clumps_and_few_objects_have_none():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(391, 2)), 0.01 * rng.normal(size=(9, 2)) + 20])
    assert find_gaps(X)[1] == 1
    more = np.concatenate([X, 0.01 * rng.normal(size=(10, 2)) + 20])
    assert find_gaps(more)[1] == 2
    assert find_gaps(X[:19]) == find_gaps(np.zeros((50, 0))) == (0.0, 1)
    # a dense clump inside of a cloud, nearer to it than its objects are to each other
    inside = np.concatenate([rng.normal(size=(400, 2)), 0.001 * rng.normal(size=(30, 2))])
    assert len(cKDTree(inside).query_ball_point([0, 0], 0.01)) >= 30
    assert find_gaps(inside)[0] < GAPS.enough_contrast


def test_equal_objects_are_no_error():
    X = np.repeat(np.random.default_rng(0).normal(size=(4, 2)), 20, axis=0)
    contrast, groups = find_gaps(X)
    assert np.isfinite(contrast)
    assert groups == 4
    assert find_gaps(np.zeros((40, 2)))[1] == 1
