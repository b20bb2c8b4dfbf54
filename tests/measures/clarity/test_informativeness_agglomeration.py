"""Every merge against trying all of them, and the estimator's contract."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest
from sklearn.datasets import make_circles, make_moons
from sklearn.utils.estimator_checks import estimator_checks_generator

import sortal
from sortal import InputError
from sortal.clusterers import InformativenessAgglomeration
from sortal.measures.clarity import KNearestNeighbors


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
