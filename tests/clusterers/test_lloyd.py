"""k-means for resampling: scikit-learn's result from the same start, and from the best of many."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from sortal.clusterers import QuickKMeans

IRIS = load_iris().data


def as_columns(X):
    return np.ascontiguousarray(X.T) - X.T.mean(axis=1, keepdims=True)


def squares(X, labels):
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("n", "d", "k"), [(40, 1, 3), (300, 2, 7), (600, 20, 5)])
def test_it_is_that_of_scikit_learn_from_the_same_centers(n, d, k, seed):
    X = np.random.default_rng(seed).normal(size=(n, d)) + 1e6
    quick = QuickKMeans.of(KMeans(k, init="random", n_init=1, tol=0))
    labels = quick.labels(as_columns(X), k, seed)
    start = np.random.default_rng(seed).choice(n, k, replace=False)
    Z = X - X.mean(axis=0)
    theirs = KMeans(k, init=Z[start], n_init=1, tol=0).fit(Z).labels_
    assert (labels == theirs).all()


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_best_of_many_starts_is_the_optimum(k):
    labels = QuickKMeans("k-means++", 30, 300, 1e-4).labels(as_columns(IRIS), k, 0)
    best = KMeans(k, n_init=30, random_state=0).fit(IRIS)
    assert adjusted_rand_score(labels, best.labels_) == 1
    assert squares(IRIS, labels) == pytest.approx(best.inertia_)


def test_its_starts_are_as_good_as_those_of_scikit_learn():
    quick = QuickKMeans("k-means++", 1, 300, 1e-4)
    mine = [squares(IRIS, quick.labels(as_columns(IRIS), 6, seed)) for seed in range(60)]
    theirs = [KMeans(6, n_init=1, random_state=seed).fit(IRIS).inertia_ for seed in range(60)]
    assert np.mean(mine) == pytest.approx(np.mean(theirs), rel=0.03)


def test_no_cluster_is_empty():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    labels = QuickKMeans("k-means++", 3, 50, 1e-4).labels(as_columns(X), 4, 0)
    assert sorted(set(labels.tolist())) == [0, 1, 2, 3]


def test_what_it_cannot_be_is_left_to_scikit_learn():
    assert QuickKMeans.of(KMeans(3)).n_init == 1
    assert QuickKMeans.of(KMeans(3, init="random")).n_init == 10
    assert QuickKMeans.of(KMeans(3, algorithm="elkan")) is None
    assert QuickKMeans.of(KMeans(3, init=np.eye(3))) is None

    class Other(KMeans):
        pass

    assert QuickKMeans.of(Other(3)) is None
