"""Reference sets: what each kind keeps of the data, and what is found beside it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from sortal import InputError
from sortal.nulls import Null
from sortal.stability import assess, calibrated_stability, draw_reference


def documents(n_topics: int, seed: int, n: int = 240, d: int = 400):
    """Weights of terms by Zipf's law; half of each document is of its topic."""
    rng = np.random.default_rng(seed)
    zipf = 1 / np.arange(1, d + 1)
    zipf /= zipf.sum()
    topics = np.array([zipf[rng.permutation(d)] for _ in range(n_topics)])
    shares = 0.5 * zipf + 0.5 * topics[np.arange(n) % n_topics]
    counts = np.array([rng.multinomial(rng.integers(30, 120), p) for p in shares])
    counts = counts[:, counts.sum(axis=0) > 0]
    idf = np.log(n / (counts > 0).sum(axis=0))
    return sparse.csr_array(np.log1p(counts) * idf)


@pytest.mark.parametrize("density", [0.01, 0.1, 0.6])
def test_shuffled_features_keep_their_values_and_objects_their_lengths(density):
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 80), density=density, rng=rng, format="lil")
    X[:40] = 0  # short documents
    X[:40, 3] = 1.5
    X[40:60] = rng.random((20, 80))  # long ones
    X[299] = 0
    X = sparse.csr_array(X)
    drawn = draw_reference(X, "shuffled", random_state=1)
    assert drawn.shape == X.shape
    ours, theirs = X.tocsc(), drawn.tocsc()
    for j in range(80):
        column = slice(ours.indptr[j], ours.indptr[j + 1])
        assert np.allclose(np.sort(ours.data[column]), np.sort(theirs.data[column]))
    before, after = np.diff(X.indptr), np.diff(drawn.indptr)
    assert ((after > 0) == (before > 0)).all()
    assert np.corrcoef(before, after)[0, 1] > 0.8
    assert (drawn != X).nnz > 0


def test_shuffling_ends_dependence():
    x = np.repeat([0.0, 1.0], 200)
    X = sparse.csr_array(np.column_stack([x, x, np.ones(400)]))
    drawn = draw_reference(X, "shuffled", random_state=0).toarray()
    assert drawn.sum(axis=0).tolist() == [200, 200, 400]
    assert abs(np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1]) < 0.2


@pytest.mark.parametrize("n", [80, 600])
def test_references_of_distances_are_those_of_the_points(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3)) * [1, 2, 6]
    D = cdist(X, X)
    points, matrix = Null(X), Null(D, "precomputed")
    for kind in ("gaussian", "uniform"):
        rngs = [np.random.default_rng(s) for s in range(8)]
        of_points = [points.draw(kind, rng) for rng in rngs]
        of_matrix = [matrix.draw(kind, rng) for rng in rngs]
        expected = np.mean([2 * R.var(axis=0).sum() for R in of_points])
        assert np.mean([np.square(R).mean() for R in of_matrix]) == pytest.approx(expected, rel=0.1)
    assert all((np.diag(R) == 0).all() and np.allclose(R, R.T) for R in of_matrix)


def test_numbers_of_clusters_from_distances_and_from_sparse_data():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.5, (30, 2)) for c in ((0, 0), (6, 0), (0, 6))])
    one = rng.normal(size=(90, 2))
    few = {"k": range(2, 5), "n_resamples": 6, "n_references": 3}
    for points, k in ((X, 3), (one[:60], 1)):
        found = calibrated_stability(cdist(points, points), "kmedoids", metric="precomputed", **few)
        assert found.selected == k
    texts = {"clusterer": "spherical-kmeans-refined", "metric": "cosine", **few}
    for n_topics in (1, 3):
        assert calibrated_stability(documents(n_topics, 0), **texts).selected == n_topics


def test_kinds_by_data():
    X = np.eye(6)
    assert Null(sparse.csr_array(X)).kinds == ("shuffled",)
    assert Null(X, "precomputed").kinds == Null(X).kinds == ("gaussian", "uniform")
    assert Null(sparse.csr_array(X), "graph").kinds == ()
    with pytest.raises(InputError, match="sparse data have no reference of the kind 'gaussian'"):
        draw_reference(sparse.csr_array(X))
    with pytest.raises(InputError, match="dense data have no reference of the kind 'shuffled'"):
        draw_reference(X, "shuffled")


def test_equal_points_have_a_reference():
    found = assess(np.zeros((12, 12)), "average", k=[2], metric="precomputed", n_resamples=2)
    assert found.n_references == 5


def test_a_graph_is_resampled_and_has_no_null():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.3, (12, 2)) for c in ((0, 0), (4, 0), (0, 4))])
    A = np.exp(-cdist(X, X))
    np.fill_diagonal(A, 0)
    for graph in (A, sparse.csr_array(A)):
        found = assess(graph, "spectral", k=[3], metric="graph", n_resamples=2)
        assert found.n_references == 0
        assert found.selected is None
        assert (found.clusters.table["jaccard"] == 1).all()
