"""Clusterers: the estimator contract, trees against SciPy, what a sweep relies on."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from sortal import InputError
from sortal.clusterers import (
    Clusterer,
    LinkageClustering,
    as_clusterer,
    catalogue,
)
from sortal.runtime import resources
from sortal.testing import check_clusterer

LINKAGE_METHODS = ("single", "complete", "average", "weighted", "centroid", "ward")


def test_too_many_objects_for_memory_is_an_error_that_says_how_much(monkeypatch):
    monkeypatch.setattr(resources, "available_memory", lambda: 1000)
    with pytest.raises(InputError, match=r"average linkage of 100 objects.*needs about"):
        LinkageClustering().fit(np.random.default_rng(0).normal(size=(100, 2)))
    LinkageClustering(method="ward").fit(np.random.default_rng(0).normal(size=(100, 2)))


class BySeed(KMeans):
    """Uses a seed that is not called ``random_state``."""

    def __init__(self, n_clusters=2, salt=0):
        super().__init__(n_clusters, n_init=1)
        self.salt = salt

    def get_params(self, deep=True):
        return {"n_clusters": self.n_clusters, "salt": self.salt}

    def fit_predict(self, X, y=None):
        return KMeans(self.n_clusters, n_init=1, random_state=self.salt).fit_predict(X)


def by_seed(k, seed):
    return BySeed(k, seed)


def plain_linkage(k, seed):
    return LinkageClustering(k)


def test_whether_a_seed_matters_is_found_out():
    without = {key for key, clusterer in catalogue.items() if not clusterer.depends_on_seed}
    densities = {"hdbscan", "hdbscan-filled", "dbscan", "optics"}
    merges = {f"{c}-agglomerative" for c in ("i1", "i2", "e1", "h1", "h2")}
    assert without == {*LINKAGE_METHODS, *densities, *merges, "genie"}
    assert as_clusterer(KMeans()).depends_on_seed
    assert not as_clusterer(LinkageClustering()).depends_on_seed
    with pytest.raises(AssertionError, match="seeded=True"):
        check_clusterer(Clusterer(key="a", title="A", make=by_seed))
    check_clusterer(Clusterer(key="a", title="A", make=by_seed, seeded=True))
    with pytest.raises(AssertionError, match="seeded=False"):
        check_clusterer(Clusterer(key="a", title="A", make=plain_linkage, seeded=True))


def test_a_tree_of_cells_needs_the_square_of_their_number(monkeypatch):
    means = np.random.default_rng(0).normal(size=(30, 2))
    model = LinkageClustering(method="ward").fit_cells(means, np.ones(30))
    assert model.n_features_in_ == 2
    monkeypatch.setattr(resources, "available_memory", lambda: 3000)
    with pytest.raises(InputError, match=r"Ward linkage of 30 cells needs about 3.6 kB"):
        LinkageClustering(method="ward").fit_cells(means, np.ones(30))
