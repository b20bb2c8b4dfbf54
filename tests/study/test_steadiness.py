"""Answers that do not depend on the order of the objects, on copies of all, or on a few rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClusterMixin

import karat
from karat.study.samples import in_order_of_contents

FEW = ("kmeans", "ward", "gaussian-mixture")
OF_DISTANCES = ("average", "kmedoids", "spectral")


def overlapping(n=90, seed=0):
    rng = np.random.default_rng(seed)
    centres = np.array([[0, 0], [2.2, 0], [0, 2.4]])
    return (centres[rng.integers(3, size=n)] + rng.normal(size=(n, 2))).round(1)


def forms(X):
    counts = sparse.csr_matrix(
        np.random.default_rng(1).poisson(0.7, (len(X), 12)) + np.eye(len(X), 12)
    )
    return {
        "rows": (X, {}),
        "sparse": (counts, {"metric": "cosine"}),
        "distances": (cdist(X, X), {"metric": "precomputed"}),
    }


def answer_of(X, **options):
    study = karat.Study(X, **options)
    chosen = OF_DISTANCES if options.get("metric") == "precomputed" else FEW
    study.sweep(chosen, k=range(2, 5), n_init=2, workers=1, progress=False)
    return study.best(stability=False)


@pytest.mark.parametrize("form", ["rows", "sparse", "distances"])
def test_the_order_of_the_objects_does_not_matter(form):
    X, options = forms(overlapping())[form]
    order = np.random.default_rng(3).permutation(X.shape[0])
    shuffled = X[np.ix_(order, order)] if form == "distances" else X[order]
    first, again = answer_of(X, **options), answer_of(shuffled, **options)
    assert karat.adjusted_rand_index(first.labels[order], again.labels) == 1
    assert again.name == first.name
    assert again.expected == first.expected
    assert again.structure == first.structure


@pytest.mark.parametrize("copies", [2, 3])
def test_copies_of_the_whole_data_change_nothing(copies):
    X = overlapping()
    first, again = answer_of(X), answer_of(np.tile(X, (copies, 1)))
    assert karat.adjusted_rand_index(np.tile(first.labels, copies), again.labels) == 1
    assert again.expected == first.expected
    assert again.structure == first.structure


@pytest.mark.parametrize("form", ["rows", "sparse"])
def test_one_of_as_many_copies_as_every_row_has_is_kept(form):
    X = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    X = np.concatenate([X, X, X])  # 6, 3 and 3 copies
    kept = in_order_of_contents(X if form == "rows" else sparse.csr_matrix(X))
    assert len(kept) == 4
    assert (X[kept.rows][kept.nearest] == X).all()
    alone = in_order_of_contents(X[:-1])
    assert sorted(alone.rows) == list(range(11))


class ByPlace(ClusterMixin, BaseEstimator):
    """Halves by the places of the rows: a clusterer that holds something of each object."""

    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        self.labels_ = np.arange(len(X)) * self.n_clusters // len(X)
        return self


def test_clusterers_of_others_get_the_objects_as_they_are():
    study = karat.Study(overlapping())
    study.sweep({"by place": ByPlace()}, k=[2], workers=1, progress=False)
    labels = study.labels(study.candidates.index[0])
    assert (labels == np.repeat([0, 1], 45)).all()
