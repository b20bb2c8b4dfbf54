"""Clusterers: the estimator contract, trees against SciPy, what a sweep relies on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, KMeans
from sklearn.utils.estimator_checks import parametrize_with_checks

from sortal import InputError
from sortal.clusterers import (
    CLARA,
    ORCLUS,
    Clusterer,
    KMedoids,
    LinkageClustering,
    MixedMixture,
    SpectralClustering,
    as_clusterer,
    catalogue,
)
from sortal.labelings import canonical_codes, cut_dendrogram
from sortal.testing import check_clusterer

LINKAGE_METHODS = ("single", "complete", "average", "weighted", "centroid", "ward")


@pytest.mark.quick(44)
@parametrize_with_checks(
    [
        LinkageClustering(),
        LinkageClustering(method="ward"),
        LinkageClustering(method="single"),
        SpectralClustering(),
        KMedoids(),
        CLARA(),
        ORCLUS(),
        MixedMixture(),
    ]
)
def test_estimator_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method", LINKAGE_METHODS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_linkage_agrees_with_scipy(method, form):
    X = np.random.default_rng(3).normal(size=(60, 4))
    model = LinkageClustering(method=method).fit(form(X))
    Z = linkage(X, method)
    np.testing.assert_allclose(model.linkage_[:, 2], Z[:, 2], rtol=1e-9)
    for k in (1, 2, 7):
        if method == "centroid":
            # its heights may fall, and fcluster then finds no such number of clusters
            expected = cut_dendrogram(Z, n_clusters=k)
        else:
            expected = canonical_codes(fcluster(Z, k, "maxclust"))
        np.testing.assert_array_equal(model.cut(k), expected)


def test_linkage_from_distances():
    X = np.random.default_rng(1).normal(size=(30, 2))
    D = np.abs(X[:, None] - X).sum(axis=2)
    one = LinkageClustering(4, metric="precomputed").fit(D)
    two = LinkageClustering(4, metric="cityblock").fit(X)
    np.testing.assert_array_equal(one.labels_, two.labels_)


def test_ties_still_give_the_number_of_clusters_asked_for():
    X = np.zeros((10, 1))
    for method in LINKAGE_METHODS:
        model = LinkageClustering(method=method).fit(X)
        assert [len(np.unique(model.cut(k))) for k in (1, 4, 10)] == [1, 4, 10]


def test_every_clusterer_clusters():
    X = np.abs(np.random.default_rng(0).normal(size=(50, 3)))
    X += 10 * np.repeat(np.eye(3)[:2], 25, axis=0)
    for clusterer in catalogue.values():
        value = {"n_clusters": 2, "quantile": 0.0, "min_samples": 20}.get(clusterer.parameter, 5)
        labels = clusterer.make(value, 0).fit_predict(X)
        np.testing.assert_array_equal(canonical_codes(labels), np.repeat([0, 1], 25))


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


def test_seeds_of_nested_estimators_are_set():
    nested = SelfMade(inner=KMeans())
    assert as_clusterer(nested).make(3, 11).inner.random_state == 11


class SelfMade(ClusterMixin, BaseEstimator):
    def __init__(self, n_clusters=2, inner=None):
        self.n_clusters = n_clusters
        self.inner = inner


def test_any_estimator_is_a_clusterer():
    clusterer = as_clusterer(KMeans(max_iter=7))
    model = clusterer.make(3, 11)
    assert (model.n_clusters, model.random_state, model.max_iter) == (3, 11, 7)
    with pytest.raises(InputError, match="nothing to sweep"):
        as_clusterer(DBSCAN())
    with pytest.raises(InputError, match="did you mean 'kmeans'"):
        as_clusterer("kmean")
    with pytest.raises(InputError, match="estimator instance"):
        as_clusterer(KMeans)


def test_a_tree_of_cells_needs_the_square_of_their_number():
    means = np.random.default_rng(0).normal(size=(30, 2))
    model = LinkageClustering(method="ward").fit_cells(means, np.ones(30))
    assert model.n_features_in_ == 2


def test_models_with_equal_settings_are_two_models():
    for clusterer in catalogue.values():
        model, twin = clusterer.make(2, 0), clusterer.make(2, 0)
        assert len({model, twin}) == 2
