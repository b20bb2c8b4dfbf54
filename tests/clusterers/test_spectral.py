"""Spectral clustering: its three Laplacians, the graph of cosines, graphs in parts."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import SpectralClustering as ScikitLearns
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from sortal import InputError
from sortal.clusterers import SpectralClustering

LAPLACIANS = ("random-walk", "symmetric", "unnormalized")


@pytest.mark.quick(7)
@parametrize_with_checks([SpectralClustering(3, laplacian="symmetric")])
def test_the_estimator_contract(estimator, check):
    check(estimator)


@pytest.mark.long
@parametrize_with_checks([SpectralClustering(3, laplacian="unnormalized")])
def test_the_estimator_contract_of_the_third(estimator, check):
    check(estimator)


def graph(n, seed=0, groups=1):
    """Random affinities; no edges between the groups."""
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 12 / n), 1)
    A[np.arange(n - 1), np.arange(1, n)] = 0.5  # connected
    A *= (np.arange(n) * groups // n)[:, None] == np.arange(n) * groups // n
    return sparse.csr_array(A + A.T)


@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_as_many_parts_as_clusters(laplacian):
    W = graph(60, 4, groups=3)
    model = SpectralClustering(3, metric="graph", laplacian=laplacian, random_state=0)
    np.testing.assert_array_equal(model.fit_predict(W), np.arange(60) // 20)
    sizes = (30, 20, 10, 5)
    blocks = [np.ones((s, s)) - np.eye(s) for s in sizes]
    A = sparse.csr_array(sparse.block_diag([*blocks, np.zeros((2, 2))]))
    two = SpectralClustering(2, metric="graph", laplacian=laplacian).fit_predict(A)
    np.testing.assert_array_equal(two, np.repeat([0, 1, 0], (30, 20, 17)))
    # two nodes without an edge go to the largest cluster
    four = SpectralClustering(4, metric="graph", laplacian=laplacian).fit_predict(A)
    np.testing.assert_array_equal(four, np.repeat([0, 1, 2, 3, 0], (*sizes, 2)))


@pytest.mark.parametrize("laplacian", LAPLACIANS)
@pytest.mark.parametrize("affinity", ["neighbors", "cosine"])
def test_topics_are_found(laplacian, affinity):
    rng = np.random.default_rng(6)
    words = rng.dirichlet(np.full(80, 0.1), 4)
    truth = np.repeat(np.arange(4), 50)
    X = sparse.csr_array(np.array([rng.multinomial(60, words[t]) for t in truth], dtype=float))
    model = SpectralClustering(
        4, metric="cosine", laplacian=laplacian, affinity=affinity, random_state=0
    )
    labels = model.fit_predict(X)
    assert adjusted_rand_score(truth, labels) > 0.95
    np.testing.assert_array_equal(labels, model.fit_predict(X.toarray()))


def test_rings_as_scikit_learn_has_them():
    rng = np.random.default_rng(7)
    angle = rng.uniform(0, 2 * np.pi, 300)
    radius = np.repeat([1.0, 3.0], 150) + 0.1 * rng.normal(size=300)
    X = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    wanted = ScikitLearns(2, affinity="nearest_neighbors", n_neighbors=20, random_state=0)
    labels = SpectralClustering(2, random_state=0).fit_predict(X)
    assert adjusted_rand_score(wanted.fit_predict(X), labels) == 1


def test_settings_that_cannot_work():
    X = np.random.default_rng(8).random((30, 3))
    with pytest.raises(InputError, match='goes with metric="cosine"'):
        SpectralClustering(2, affinity="cosine").fit(X)
    with pytest.raises(InputError, match="no edge"):
        SpectralClustering(2, metric="graph").fit(np.eye(5))
    with pytest.raises(InputError, match="laplacian"):
        SpectralClustering(2, laplacian="normalized").fit(X)
