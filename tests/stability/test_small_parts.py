"""Small parts of the resampling methods: errors of curves, parts of matrices, neighbour lists."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClusterMixin

from sortal import InputError
from sortal.stability import clest, prepare, subsampling


class Planted(ClusterMixin, BaseEstimator):
    """The clusters that the first feature names."""

    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit_predict(self, X, y=None):
        return np.unique(X[:, 0], return_inverse=True)[1]


X = np.random.default_rng(0).normal(size=(30, 2))


def test_a_part_of_a_matrix_has_its_rows_and_columns():
    D = cdist(X, X)
    rows = np.array([7, 2, 19])
    part = prepare(D, "average", metric="precomputed").part(rows)
    np.testing.assert_array_equal(part, D[rows][:, rows])
    part = prepare(sparse.csr_array(D), "spectral", metric="graph").part(rows)
    np.testing.assert_array_equal(part.toarray(), D[rows][:, rows])


def test_a_larger_similarity_is_better_for_clest():
    assert clest(X, "kmeans", k=[2], n_splits=2, n_references=2).greater_is_better


def test_methods_that_estimate_numbers_need_features():
    for method in (2, 3):
        with pytest.raises(InputError, match="need the objects' features"):
            subsampling(cdist(X, X), "average", method=method, k=2, metric="precomputed")
    found = subsampling(cdist(X, X), "average", method=1, k=2, n_resamples=2, metric="precomputed")
    assert found.selected == 2


def test_one_cluster_has_one_subset():
    one = np.column_stack([np.zeros(20), X[:20, 1]])
    found = subsampling(one, Planted(), method=2, k=1, n_resamples=9, estimator=lambda *_: 1)
    assert found.samples[1].tolist() == [1.0]


def test_a_single_cluster_may_be_up_to_five():
    asked = []

    def estimate(X, clusterer, numbers, seed):
        asked.append(list(numbers))
        return 1

    one = np.column_stack([np.zeros(60), np.arange(60.0)])
    subsampling(one, Planted(), method=3, k=1, n_resamples=2, fraction=0.5, estimator=estimate)
    assert asked == [[1, 2, 3, 4, 5]] * 2
