"""Spectral clustering: its three Laplacians, the graph of cosines, graphs in parts."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.manifold import spectral_embedding

from sortal.clusterers.spectral import _neighbors, embedding

LAPLACIANS = ("random-walk", "symmetric", "unnormalized")


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
