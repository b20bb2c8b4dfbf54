"""Answers that do not depend on the order of the objects, on copies of all, or on a few rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClusterMixin

import sortal

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
    study = sortal.Study(X, **options)
    chosen = OF_DISTANCES if options.get("metric") == "precomputed" else FEW
    study.sweep(chosen, k=range(2, 5), n_init=2, workers=1, progress=False)
    return study.best(stability=False)


@pytest.mark.quick(2)
@pytest.mark.parametrize("form", ["rows", "sparse", "distances"])
def test_the_order_of_the_objects_does_not_matter(form):
    X, options = forms(overlapping())[form]
    order = np.random.default_rng(3).permutation(X.shape[0])
    shuffled = X[np.ix_(order, order)] if form == "distances" else X[order]
    first, again = answer_of(X, **options), answer_of(shuffled, **options)
    assert sortal.adjusted_rand_index(first.labels[order], again.labels) == 1
    assert again.name == first.name
    assert again.recovery == first.recovery
    assert again.structure == first.structure


@pytest.mark.parametrize("copies", [2, 3])
def test_copies_of_the_whole_data_change_nothing(copies):
    X = overlapping()
    first, again = answer_of(X), answer_of(np.tile(X, (copies, 1)))
    assert sortal.adjusted_rand_index(np.tile(first.labels, copies), again.labels) == 1
    assert again.recovery == first.recovery
    assert again.structure == first.structure


class ByPlace(ClusterMixin, BaseEstimator):
    """Halves by the places of the rows: a clusterer that holds something of each object."""

    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        self.labels_ = np.arange(len(X)) * self.n_clusters // len(X)
        return self


def test_clusterers_of_others_get_the_objects_as_they_are():
    study = sortal.Study(overlapping())
    study.sweep({"by place": ByPlace()}, k=[2], workers=1, progress=False)
    labels = study.labels(study.candidates.index[0])
    assert (labels == np.repeat([0, 1], 45)).all()


# -- the choice --------------------------------------------------------------------------------


def blobs(k, n=20, spread=0.1, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(c, spread, (n, 2)) for c in range(k)])


def test_clusterings_of_the_user_within_the_error_are_level():
    centres = np.array([[0, 0], [5, 0], [0, 5]])
    X = np.random.default_rng(3).normal(size=(90, 2)) + np.repeat(centres, 30, axis=0)
    away = cdist(X, centres)
    nearest = away.argsort(axis=1)
    first, second = nearest[:, 0], nearest[:, 0].copy()
    doubtful = np.diff(np.sort(away, axis=1)[:, :2]).argmin()
    second[doubtful] = nearest[doubtful, 1]
    rng = np.random.default_rng(5)
    given = {"a": first, "b": second, "c": rng.integers(3, size=90)}
    answer = sortal.Study(X).add(given, reference=False).best(stability=False)
    assert {answer.name, *(level.name for level in answer.level)} == {"a", "b"}
    assert " more" not in str(answer)


def test_a_tree_of_granularities_nests():
    study = sortal.Study(overlapping()).sweep("ward", progress=False)
    answer = study.best(stability=False)
    tree = answer.granularities
    assert len(tree) > 1
    assert answer.n_clusters in {level.k for level in tree}
    assert tree[0].parents == ()
    for coarse, fine in pairwise(tree):
        assert coarse.k < fine.k == len(fine.parents)
        parents = np.array(fine.parents)[study.labels(fine.name)]
        assert (parents == study.labels(coarse.name).astype(str)).mean() >= 0.9


@pytest.mark.parametrize(
    ("numbers", "expected"), [(range(2, 5), 4), ([4], None), (range(2, 9), None)]
)
def test_a_choice_at_the_end_of_the_numbers_is_open(numbers, expected):
    study = sortal.Study(blobs(5 if expected else 3)).sweep("ward", k=numbers, progress=False)
    assert study.best(stability=False).open_above == expected


# -- parts of the rows -------------------------------------------------------------------------
