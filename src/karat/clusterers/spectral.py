"""Spectral clustering of the neighbours under any distance, or of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin

from karat.distances import check_metric
from karat.neighbors import neighbor_lists
from karat.validation import InputError, check_random_state, validated


class SpectralClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Spectral clustering of the graph of each object's 20 nearest neighbours.

    Parameters
    ----------
    n_clusters : int, default 8
    metric : str or callable, default "euclidean"
        A name in :data:`karat.distances.METRICS`, ``"precomputed"`` among them, a function of two
        rows, or ``"graph"``: then X is the symmetric matrix of affinities.
    n_neighbors : int, default 20
        The object itself counts; fewer where there are fewer objects.
    random_state : None, int or Generator

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
    n_features_in_ : int

    Notes
    -----
    scikit-learn's :class:`~sklearn.cluster.SpectralClustering` with the neighbour graph of
    whissell2012 §5.2, affinity 1 where both are among each other's neighbours and ½ where only
    one is, and 20 starts of k-means on the eigenvectors.

    Examples
    --------
    >>> from karat.clusterers.spectral import SpectralClustering
    >>> A = [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0.1], [0, 0, 0.1, 0]]
    >>> labels = SpectralClustering(2, metric="graph", random_state=0).fit_predict(A)
    >>> (labels == labels[0]).tolist()
    [True, True, True, False]
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Any = "euclidean",
        n_neighbors: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> SpectralClustering:
        """Build the graph, embed and cluster."""
        from sklearn.cluster import SpectralClustering as OnAffinities

        X = validated(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        if not 1 <= self.n_clusters <= X.shape[0]:
            raise InputError(
                f"n_clusters must be between 1 and the {X.shape[0]} objects; got {self.n_clusters}"
            )
        is_graph = isinstance(self.metric, str) and self.metric == "graph"
        affinity = X if is_graph else _mutual(X, check_metric(self.metric), self.n_neighbors)
        if sparse.issparse(affinity) and affinity.nnz < 2**31:
            # scikit-learn takes no wider indices
            affinity = sparse.csr_array(affinity)
            affinity.indices = affinity.indices.astype(np.int32)
            affinity.indptr = affinity.indptr.astype(np.int32)
        seed = int(check_random_state(self.random_state).integers(2**31 - 1))
        model = OnAffinities(
            self.n_clusters, affinity="precomputed", n_init=20, random_state=seed
        ).fit(affinity)
        self.labels_ = model.labels_.astype(np.int32)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric in ("precomputed", "graph")
        return tags


def _mutual(X: Any, metric: Any, n_neighbors: int) -> sparse.csr_array:
    """The graph of the nearest neighbours, the object itself among them, made symmetric."""
    n = X.shape[0]
    count = min(n_neighbors, n) - 1
    graph = sparse.eye_array(n, format="csr")
    if count > 0:
        indices = neighbor_lists(X, count, metric=metric, random_state=0).indices
        rows = np.repeat(np.arange(n), indices.shape[1])
        ones = np.ones(len(rows))
        graph = graph + sparse.csr_array((ones, (rows, indices.ravel())), shape=(n, n))
    return sparse.csr_array((graph + graph.T) / 2)
