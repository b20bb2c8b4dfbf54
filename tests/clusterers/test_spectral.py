"""Spectral clustering: its three Laplacians, the graph of cosines, graphs in parts."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import SpectralClustering as ScikitLearns
from sklearn.manifold import spectral_embedding
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from sortal import InputError
from sortal.clusterers import SpectralClustering
from sortal.clusterers.spectral import _neighbors, embedding

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


def embedded(W, k, laplacian):
    _, component = connected_components(W, directed=False)
    return embedding(W, component, k, laplacian, np.random.default_rng(1))


def same_up_to_sign(one, other, **tolerance):
    signs = np.sign((one * other).sum(axis=0))
    np.testing.assert_allclose(one * signs, other, **tolerance)


@pytest.mark.parametrize("n", [30, 400])
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_the_embedding_is_that_of_scikit_learn(n, laplacian):
    W = graph(n)
    wanted = spectral_embedding(
        sparse.csr_matrix(W), n_components=5, drop_first=False, eigen_solver="arpack",
        norm_laplacian=laplacian != "unnormalized", random_state=0,
    )  # fmt: skip
    found = embedded(W, 5, laplacian)
    if laplacian == "symmetric":
        wanted = wanted * np.sqrt(W.sum(axis=1))[:, None]
        wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    same_up_to_sign(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n", [40, 300])
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_eigenvectors_of_a_graph_in_parts(n, laplacian):
    """They span what a dense solver finds, those of eigenvalue 0 being the parts."""
    W = graph(n, 3, groups=3)
    d = W.sum(axis=1)
    A = W.toarray()
    if laplacian == "unnormalized":
        values, vectors = np.linalg.eigh(np.diag(d) - A)
    else:
        values, vectors = np.linalg.eigh(np.eye(n) - A / np.sqrt(d[:, None] * d))
    assert values[2] < 1e-12 < values[3]
    found = embedded(W, 6, laplacian)
    if laplacian == "random-walk":
        found = found * np.sqrt(d)[:, None]
    if laplacian == "symmetric":
        lengths = np.linalg.norm(vectors[:, :6], axis=1, keepdims=True)
        cosines = (vectors[:, :6] / lengths) @ (vectors[:, :6] / lengths).T
        np.testing.assert_allclose(found @ found.T, cosines, atol=1e-6)
    else:
        span = vectors[:, :6] @ vectors[:, :6].T
        np.testing.assert_allclose(found @ found.T, span, atol=1e-6)


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


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_graph_of_cosines(form):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 6))
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    C = U @ U.T
    wanted = np.zeros((40, 40))
    for i in range(40):
        near = [j for j in np.argsort(-C[i]) if j != i][:7]
        for j in near:
            wanted[i, j] = wanted[j, i] = max(C[i, j], 0)
    found = _neighbors(form(X), "cosine", 8, "cosine").toarray()
    np.testing.assert_allclose(found, wanted, atol=1e-12)


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
