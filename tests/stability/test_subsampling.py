"""Subsampling and cluster-wise stability by their definitions, with known estimators and draws."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans

from sortal.clusterers import catalogue
from sortal.stability import Engine, clusterwise_bootstrap, prepare, subsampling


class Planted(ClusterMixin, BaseEstimator):
    """The clusters that the first feature names, as many as there are."""

    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit_predict(self, X, y=None):
        return np.unique(X[:, 0], return_inverse=True)[1]


def planted(*sizes):
    """Objects of clusters of these sizes; the second feature is noise."""
    noise = np.random.default_rng(0).normal(size=sum(sizes))
    return np.column_stack([np.repeat(np.arange(float(len(sizes))), sizes), noise])


def test_a_cluster_too_small_for_an_estimator_counts_as_one():
    asked = []

    def two(X, clusterer, numbers, seed):
        asked.append((len(X), numbers))
        return 2

    found = subsampling(
        planted(18, 20), Planted(), method=3, k=2, n_resamples=3, fraction=0.5, estimator=two
    )
    # half of 18 are fewer than 10 objects; half of 20 are given away
    assert found.samples[2].tolist() == [1, 1, 1, 0, 0, 0]
    assert asked == [(10, [1, 2, 3, 4, 5])] * 3


def test_subsets_with_few_objects_are_passed_over():
    asked = []

    def one(X, clusterer, numbers, seed):
        asked.append((len(X), numbers[-1]))
        return 1

    found = subsampling(planted(4, 6, 20), Planted(), method=2, k=3, n_resamples=7, estimator=one)
    # of {4}, {6}, {20}, {4, 6}, {4, 20}, {6, 20} and all the first two have fewer than 10
    assert asked == [(20, 5), (10, 5), (24, 5), (26, 5), (30, 5)]
    assert found.samples[3].tolist() == [1, 0, 0, 0, 0]


def test_k_means_by_name_has_ten_starts_and_an_estimator_its_own():
    X = np.random.default_rng(0).normal(size=(40, 2))
    for clusterer, starts in (("kmeans", 10), (KMeans(n_init=3), 3)):
        quick = prepare(X, clusterer).quick
        assert quick is not None
        assert quick.n_init == starts
    assert prepare(X, catalogue["kmeans"]).quick == prepare(X, "kmeans").quick


def test_the_table_of_clusters_is_that_of_the_resamples(monkeypatch):
    """Shares count a Jaccard of 0.75 as found again and of 0.5 as dissolved."""
    values = iter([[1.0, 0.5], [0.75, 0.51], [0.74, np.nan], [0.2, 0.49]])

    def known(engine, function, jobs):
        assert len(jobs) == 4
        stayed = np.array([1, 0, -1] * 4, dtype=np.int8)
        return [(np.array(next(values)), stayed, np.array(2)) for _ in jobs]

    monkeypatch.setattr(Engine, "map", known)
    found = clusterwise_bootstrap(
        planted(6, 6), Planted(), k=2, labels=[0, 1] * 5 + [0, -1], n_resamples=4
    )
    table = found.table
    assert table["size"].tolist() == [6, 5]
    assert table["jaccard"].tolist() == pytest.approx([2.69 / 4, 0.5])
    spread = np.array([np.std([1, 0.75, 0.74, 0.2]) / 2, np.std([0.5, 0.51, 0.49]) / np.sqrt(3)])
    assert table["standard_error"].to_numpy() == pytest.approx(spread)
    assert table["recovered"].tolist() == [0.5, 0]
    assert table["dissolved"].tolist() == pytest.approx([0.25, 2 / 3])
    # the third of each three was never drawn, and the last is an outlier
    expected = [1, 0, np.nan] * 4
    np.testing.assert_array_equal(found.objects, expected)


def test_resamples_have_their_share():
    fitted = []

    class Seen(Planted):
        def fit_predict(self, X, y=None):
            fitted.append(np.array(X))
            return (X[:, 0] > 0.5).astype(int)

    X = np.random.default_rng(1).normal(size=(200, 5))
    labels = np.repeat([0, 1], [120, 80])
    clusterwise_bootstrap(X, Seen(), k=2, labels=labels, n_resamples=20)
    assert len(fitted) == 20
    assert all(len(np.unique(one, axis=0)) == len(one) for one in fitted)
    mean = np.mean([len(one) for one in fitted]) / 200
    assert mean == pytest.approx(1 - np.exp(-1), abs=0.03)
