"""Clusterers under a distance: each claim against the same clusterer on the explicit matrix."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import sklearn.cluster as sk
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score, pairwise_distances
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

import sortal
from sortal import InputError
from sortal.clusterers import (
    ExcludedError,
    KMedoids,
    as_clusterer,
    catalogue,
    under,
)
from sortal.distances import distance_matrix
from sortal.labelings import canonical_codes, cut_dendrogram

METRICS = ["euclidean", "cosine", "minkowski:3", "spearman", "precomputed"]
ANY = [key for key, clusterer in catalogue.items() if "any" in clusterer.distances]
VALUES = {"n_clusters": 3, "min_cluster_size": 5, "min_samples": 5, "quantile": 0.1}


def data(n=90, d=6):
    rng = np.random.default_rng(5)
    centres = rng.uniform(0, 8, size=(3, d))
    return centres[np.arange(n) % 3] + rng.gamma(1.0, size=(n, d)) + 0.5


def reference(key, D):
    """The clusterer of SciPy or scikit-learn on the matrix itself."""
    if key in ("single", "complete", "average", "weighted"):
        return fcluster(linkage(squareform(D, checks=False), key), 3, "maxclust")
    return {
        "hdbscan": lambda: sk.HDBSCAN(min_cluster_size=5, metric="precomputed", copy=True),
        "dbscan": lambda: sk.DBSCAN(eps=float(np.quantile(D, 0.1)), metric="precomputed"),
        "optics": lambda: sk.OPTICS(min_samples=5, metric="precomputed"),
    }[key]().fit_predict(D)  # fmt: skip


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("key", ["single", "complete", "average", "weighted", "hdbscan", "dbscan"])
def test_it_is_the_clusterer_on_the_matrix(key, metric):
    X = data()
    D = distance_matrix(X, "braycurtis" if metric == "precomputed" else metric)
    value = VALUES.get(catalogue[key].parameter, float(np.quantile(D, 0.1)))
    model = under(catalogue[key], metric).make(value, 0)
    labels = model.fit_predict(D if metric == "precomputed" else X)
    np.testing.assert_array_equal(canonical_codes(labels), canonical_codes(reference(key, D)))


@pytest.mark.quick(12)
@pytest.mark.parametrize("metric", METRICS[:-1])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("key", ANY)
def test_features_and_their_matrix_give_the_same(key, form, metric):
    if form is sparse.csr_array and metric == "spearman":
        pytest.skip("needs dense data")
    X = form(data())
    D = distance_matrix(X, metric)
    value = VALUES.get(catalogue[key].parameter, float(np.quantile(D, 0.1)))
    # one thread, as in a sweep
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        of_rows = under(catalogue[key], metric).make(value, 3).fit_predict(X)
        of_matrix = under(catalogue[key], "precomputed").make(value, 3).fit_predict(D)
    np.testing.assert_array_equal(canonical_codes(of_rows), canonical_codes(of_matrix))


@pytest.mark.parametrize("key", ["centroid", "ward"])
def test_linkage_of_means_is_that_of_scipy(key):
    X = data()
    labels = under(catalogue[key], "euclidean").make(3, 0).fit_predict(X)
    np.testing.assert_array_equal(labels, cut_dendrogram(linkage(X, key), n_clusters=3))
    # a matrix does not say that it is Euclidean
    with pytest.raises(ExcludedError, match="needs the objects' features"):
        under(catalogue[key], "precomputed")


def test_means_are_formed_on_unit_rows_and_it_is_called_so():
    X = data()
    for form in (X, sparse.csr_array(X)):
        found = under(catalogue["kmeans"], "cosine")
        assert found.key == "kmeans on unit rows"
        labels = found.make(3, 1).fit_predict(form)
        expected = sk.KMeans(3, n_init=1, random_state=1).fit_predict(normalize(X))
        np.testing.assert_array_equal(canonical_codes(labels), canonical_codes(expected))
    tree = under(catalogue["ward"], "cosine").make(1, 0).fit(X)
    expected = fcluster(linkage(normalize(X), "ward"), 4, "maxclust")
    np.testing.assert_array_equal(tree.cut(4), canonical_codes(expected))
    names = {m: under(catalogue["kmeans"], m).key for m in ("sqeuclidean", "seuclidean")}
    assert names == {"sqeuclidean": "kmeans", "seuclidean": "kmeans on standardised features"}


@pytest.mark.parametrize(
    ("key", "metric", "message"),
    [
        ("kmeans", "precomputed", "k-means needs the objects' features"),
        ("ward", "cityblock", "forms means of the objects, which cityblock distance has not"),
        ("gaussian-mixture", "precomputed", "needs the objects' features"),
        ("average", "kl", "depends on the direction"),
        ("average", "graph", "a graph has edges alone"),
    ],
)
def test_what_cannot_take_the_distance_says_why(key, metric, message):
    with pytest.raises(ExcludedError, match=message):
        under(catalogue[key], metric)


def test_a_record_is_picklable_under_any_distance():
    for clusterer in catalogue.values():
        for metric in ("cosine", "precomputed"):
            try:
                there = pickle.loads(pickle.dumps(under(clusterer, metric)))
            except ExcludedError:
                continue
            value = VALUES.get(clusterer.parameter, 1.0)
            assert repr(there.make(value, 0)) == repr(under(clusterer, metric).make(value, 0))


def test_an_estimator_with_a_metric_takes_the_distance_of_the_study():
    X = data()
    D = pairwise_distances(X, metric="cityblock")
    for estimator in (sk.HDBSCAN(copy=True), sk.OPTICS()):
        clusterer = as_clusterer(estimator, "min_samples")
        labels = under(clusterer, "cityblock").make(4, 0).fit_predict(X)
        expected = estimator.set_params(metric="precomputed", min_samples=4).fit_predict(D)
        np.testing.assert_array_equal(labels, expected)
    tree = as_clusterer(sk.AgglomerativeClustering(linkage="average"))
    expected = sk.AgglomerativeClustering(3, linkage="average", metric="precomputed")
    labels = under(tree, "cityblock").make(3, 0).fit_predict(X)
    np.testing.assert_array_equal(labels, expected.fit_predict(D))
    # Ward is for Euclidean space; a metric that was chosen stays
    with pytest.raises(ExcludedError, match="forms means"):
        under(as_clusterer(sk.AgglomerativeClustering()), "cityblock")
    chosen = as_clusterer(sk.AgglomerativeClustering(linkage="average", metric="cosine"))
    assert under(chosen, "cityblock").make(3, 0).metric == "cosine"
    with pytest.raises(ExcludedError, match="a matrix of distances has none"):
        under(chosen, "precomputed")


def test_a_pipeline_is_a_clusterer_on_the_data_as_it_is():
    X = data()
    clusterer = as_clusterer(make_pipeline(PCA(2), sk.KMeans(n_init=1)))
    assert (clusterer.key, clusterer.depends_on_seed) == ("KMeans", True)
    model = under(clusterer, "cityblock").make(3, 7)
    assert model.get_params()["kmeans__n_clusters"] == 3
    assert model.get_params()["pca__random_state"] == 7
    expected = sk.KMeans(3, n_init=1, random_state=7).fit_predict(PCA(2).fit_transform(X))
    assert adjusted_rand_score(model.fit_predict(X), expected) == 1
    with pytest.raises(ExcludedError):
        under(clusterer, "precomputed")
    mixture = as_clusterer(make_pipeline(PCA(2), GaussianMixture()))
    assert mixture.make(3, 0).get_params()["gaussianmixture__n_components"] == 3


class TestKMedoids:
    def naive_loss(self, D, medoids):
        return D[medoids].min(axis=0).sum()

    @pytest.mark.parametrize("seed", range(5))
    def test_no_swap_lowers_the_sum(self, seed):
        D = np.random.default_rng(seed).uniform(size=(40, 40))
        D = np.triu(D, 1) + np.triu(D, 1).T
        model = KMedoids(4, metric="precomputed", random_state=seed).fit(D)
        medoids = model.medoid_indices_
        assert model.inertia_ == pytest.approx(self.naive_loss(D, medoids))
        np.testing.assert_array_equal(model.labels_, D[medoids].argmin(axis=0))
        for i in range(4):
            for c in range(40):
                other = medoids.copy()
                other[i] = c
                assert self.naive_loss(D, other) >= model.inertia_ - 1e-9

    @pytest.mark.parametrize("seed", range(5))
    def test_the_optimum_of_a_small_set_is_found(self, seed):
        from itertools import combinations

        D = distance_matrix(data(20), "canberra")
        best = min(self.naive_loss(D, list(c)) for c in combinations(range(20), 3))
        model = KMedoids(3, metric="canberra", random_state=seed).fit(data(20))
        assert model.inertia_ == pytest.approx(best)

    def test_the_best_of_its_starts_is_near_the_best_of_many(self):
        X = np.random.default_rng(0).normal(size=(400, 2))
        D = distance_matrix(X)
        once = [
            KMedoids(10, metric="precomputed", n_init=1, random_state=s).fit(D).inertia_
            for s in range(100)
        ]
        for seed in range(3):
            model = KMedoids(10, metric="precomputed", random_state=seed).fit(D)
            assert min(once) - 1e-9 <= model.inertia_ <= 1.005 * min(once)
            assert model.inertia_ == pytest.approx(self.naive_loss(D, model.medoid_indices_))
        assert np.mean(once) > 1.01 * min(once)
        with pytest.raises(InputError, match="n_init"):
            KMedoids(3, n_init=0).fit(X)

    def test_one_cluster_all_alone_and_coincident_objects(self):
        X = data(12)
        D = distance_matrix(X)
        one = KMedoids(1).fit(X)
        assert one.medoid_indices_[0] == D.sum(axis=0).argmin()
        assert len(set(KMedoids(12).fit(X).labels_)) == 12
        assert len(set(KMedoids(3, random_state=0).fit(np.zeros((6, 2))).labels_)) == 3
        with pytest.raises(InputError, match="between 1 and the 12 objects"):
            KMedoids(13).fit(X)

    def test_a_direction_that_matters_is_rejected(self):
        D = distance_matrix(data(12))
        D[2, 5] += 1
        with pytest.raises(InputError, match="not symmetric"):
            KMedoids(2, metric="precomputed").fit(D)


# -- estimators of the user's -----------------------------------------------------------------


class Propagation(ClusterMixin, BaseEstimator):
    """Label propagation, on edges of at least a weight."""

    distances = "graph"

    def __init__(self, resolution=0.5, random_state=None):
        self.resolution, self.random_state = resolution, random_state

    def fit(self, A, y=None):
        rng, labels = np.random.default_rng(self.random_state), np.arange(A.shape[0])
        for _ in range(20):
            for i in rng.permutation(len(labels)):
                ends = slice(A.indptr[i], A.indptr[i + 1])
                near = A.indices[ends][A.data[ends] >= self.resolution]
                if len(near):
                    values, counts = np.unique(labels[near], return_counts=True)
                    labels[i] = values[counts.argmax()]
        self.labels_ = labels
        return self


def test_an_estimator_of_a_graph_is_a_clusterer():
    truth = np.repeat([0, 1, 2], 10)
    A = np.where(truth[:, None] == truth, 1.0, 0.1)
    study = sortal.Study(A, metric="graph")
    study.sweep(Propagation(), grid={"resolution": [0.05, 0.7]}, n_init=2, workers=1)
    study.sweep("spectral", k=[2], n_init=1, workers=1)
    found = study.candidates["n_clusters"]
    assert found["Propagation resolution=0.05 start=0"] == 1
    own = study.labels("Propagation resolution=0.7 start=1")
    assert adjusted_rand_score(truth, own) == 1
    assert adjusted_rand_score(truth, study.best().labels) == 1
    other = sortal.Study(np.random.default_rng(0).random((10, 2)))
    other.sweep(Propagation(), grid={"resolution": [0.5]}, workers=1)
    assert "clusters the nodes of a graph" in other.candidates["reason"].iloc[0]


class Short(Propagation):
    """One label, whatever it is given."""

    distances = ("precomputed", "graph")

    def fit(self, A, y=None):
        self.labels_ = [0]
        return self


def test_labels_of_other_objects_are_rejected():
    study = sortal.Study(1 - np.eye(6), metric="precomputed")
    study.sweep(Short(), grid={"resolution": [1]}, n_init=1, workers=1)
    assert study.candidates["reason"].iloc[0] == "it gave 1 labels for 6 objects"
