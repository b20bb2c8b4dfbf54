"""Every merge against trying all of them, and the estimator's contract."""

from __future__ import annotations

import contextlib
import itertools
from functools import partial
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.datasets import make_circles, make_moons
from sklearn.utils.estimator_checks import estimator_checks_generator

import naive_clarity as naive
import sortal
from example_counts import examples
from sortal import InputError
from sortal._kernels.informativeness_agglomeration import agglomerate
from sortal.clusterers.informativeness_agglomeration import InformativenessAgglomeration
from sortal.distances.neighbors import neighbor_lists
from sortal.measures.clarity import KNearestNeighbors


def best_merge(D: Any, labels: Any, r: int, apart: Any) -> tuple[Any, float]:
    """Try every pair: the one that the rule takes, and its informativeness."""
    n = len(labels)
    told = naive.nearest_vote(D, labels, r)
    lists = [naive.neighbor_order(D, i)[:r] for i in range(n)]
    candidates = []
    for a, b in itertools.combinations(sorted(set(labels)), 2):
        merged = [a if c == b else c for c in labels]
        after = naive.nearest_vote(D, merged, r)
        # mistaken: an object of the two becomes right by the merge
        mistaken = any(
            labels[i] in (a, b) and told[i] != labels[i] and after[i] == a for i in range(n)
        )
        linked = any({labels[i], labels[j]} == {a, b} for i in range(n) for j in lists[i])
        value = naive.informativeness(merged, after) if len(set(merged)) > 1 else 1.0
        candidates.append((2 if mistaken else int(linked), value, -apart[a, b], (a, b)))
    tier = max(c[0] for c in candidates)
    best = max(c[1] for c in candidates if c[0] == tier)
    near = [c for c in candidates if c[0] == tier and c[1] > best - 1e-10]
    return {c[3] for c in near if c[2] > max(c[2] for c in near) - 1e-12}, best


@examples(12)
@given(st.integers(0, 2**32 - 1), st.integers(12, 24), st.integers(3, 6), st.integers(1, 6))
def test_every_step_is_the_best_of_all(seed: int, n: int, k: int, r: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    labels = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    centres = rng.normal(size=(k, 2))
    apart, D = cdist(centres, centres), naive.distances(X)
    merges, path = np.empty((k - 1, 2), dtype=np.int64), np.full(k, np.nan)
    lists = neighbor_lists(X, r).indices
    codes = labels.copy()
    agglomerate(lists, codes, apart.copy(), merges, path)
    assert set(codes) == {merges[-1, 0]}
    assert np.isnan(path[-1])
    for step, (a, b) in enumerate(merges):
        told = naive.nearest_vote(D, labels, r)
        assert path[step] == pytest.approx(naive.informativeness(labels, told), abs=1e-9)
        allowed, _ = best_merge(D, labels, r, apart)
        assert (min(a, b), max(a, b)) in allowed
        labels = np.where(labels == b, a, labels)
        apart[a] = np.minimum(apart[a], apart[b])
        apart[:, a] = apart[a]


@pytest.mark.parametrize("make", [partial(make_circles, factor=0.5), make_moons])
def test_clusters_of_any_shape(make: Any) -> None:
    X, truth = make(600, noise=0.02, random_state=1)
    model = InformativenessAgglomeration(int(truth.max()) + 1, random_state=0).fit(X)
    assert sortal.adjusted_rand_index(truth, model.labels_) > 0.99
    assert model.informativeness_ == pytest.approx(sortal.informativeness(X, model.labels_))


def test_path_and_repetition() -> None:
    X = np.random.default_rng(0).normal(size=(300, 3))
    one, two = (InformativenessAgglomeration(4, random_state=3).fit(X) for _ in range(2))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert len(one.path_) == 20 - 4 + 1
    assert one.labels_.max() == 3
    other = InformativenessAgglomeration(4, n_neighbors=3, random_state=3).fit(X)
    near = KNearestNeighbors(3)
    value = sortal.informativeness(X, other.labels_, classifiers=near)
    assert other.informativeness_ == pytest.approx(value)


def test_extremes() -> None:
    X = np.repeat([[0.0, 0.0], [5.0, 5.0]], 10, axis=0)
    np.testing.assert_array_equal(
        InformativenessAgglomeration(2, random_state=0).fit_predict(X), np.repeat([0, 1], 10)
    )
    assert (InformativenessAgglomeration(1).fit_predict(X) == 0).all()
    assert len(set(InformativenessAgglomeration(20).fit_predict(np.arange(20.0)[:, None]))) == 20
    with pytest.raises(InputError, match="between 1 and the 20"):
        InformativenessAgglomeration(21).fit(X)


def test_scikit_learn_contract() -> None:
    for estimator, check in estimator_checks_generator(InformativenessAgglomeration(n_clusters=2)):
        # one check wants an environment variable of SciPy and skips without it
        with contextlib.suppress(SkipTest):
            check(estimator)


def test_there_is_a_pair_for_each_merge(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, shapes = "sortal._kernels.informativeness_agglomeration.agglomerate", []

    def checked(lists: Any, codes: Any, distances: Any, merges: Any, path: Any) -> None:
        shapes.append((merges.shape, path.shape))

    monkeypatch.setattr(kernel, checked)
    X = np.random.default_rng(0).normal(size=(20, 2))
    InformativenessAgglomeration(2, random_state=0).fit(X)
    InformativenessAgglomeration(1, random_state=0).fit(np.arange(40.0).reshape(-1, 1) ** 2)
    for merges, path in shapes:
        assert merges == (path[0] - 1, 2)
    assert len(shapes) == 2
