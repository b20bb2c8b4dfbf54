"""Genie: single linkage whose clusters may not become too unequal."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sortal.clusterers._estimator import BaseClusterer
from sortal.runtime.validation import InputError
from sortal.typing import ArrayLike, Floats, Metric, Rows


@dataclass(eq=False, repr=False)
class GenieClustering(BaseClusterer):
    """Agglomeration along the minimum spanning tree, with a limit on unequal sizes.

    Parameters
    ----------
    n_clusters : int, default 2
        Where the merging stops.
    gini_threshold : float, default 0.3
        Above this Gini index of the clusters' sizes only merges of a smallest cluster are
        allowed. 1 is single linkage.
    metric : str, default "euclidean"
        A distance of :data:`sortal.distances.METRICS`, or ``"precomputed"``.

    Attributes
    ----------
    merges_ : ndarray of int32, shape (n-1, 2)
        The edges of the tree in the order in which they are taken.
    labels_ : ndarray of int32, shape (n,)
        Clusters numbered by first appearance.
    n_features_in_ : int

    Notes
    -----
    Gagolewski, Bartoszuk & Cena, Information Sciences 363, 2016. O(n² d) time, O(n) memory.

    Examples
    --------
    >>> from sortal.clusterers import GenieClustering
    >>> model = GenieClustering(n_clusters=2).fit([[0.0], [1.0], [2.0], [7.0], [8.0], [30.0]])
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model.cut(3)
    array([0, 0, 0, 1, 1, 2], dtype=int32)
    """

    n_clusters: int = 2
    _: KW_ONLY
    gini_threshold: float = 0.3
    metric: str = "euclidean"

    def fit(self, X: ArrayLike, y: object = None) -> GenieClustering:
        """Build the tree and merge clusters along it."""
        from sortal._kernels.spanning_trees import genie_order

        rows = self._rows(X, least=2)
        if not 0 <= self.gini_threshold <= 1:
            raise InputError(f"gini_threshold must be in [0, 1]; got {self.gini_threshold!r}")
        edges, weights = spanning_tree(rows, self.metric)
        edges = edges[np.lexsort((edges.max(axis=1), edges.min(axis=1), weights))]
        self.merges_ = edges[genie_order(edges, float(self.gini_threshold))]
        self.labels_ = self.cut(self.n_clusters)
        return self

    def cut(self, n_clusters: int) -> NDArray[np.int32]:
        """Labels for another number of clusters, from the same merges, in O(n)."""
        from scipy import sparse
        from scipy.sparse.csgraph import connected_components

        check_is_fitted(self)
        n = len(self.merges_) + 1
        if not 1 <= n_clusters <= n:
            raise InputError(f"n_clusters must be between 1 and the {n} objects; got {n_clusters}")
        joined = self.merges_[: n - n_clusters].T
        forest = sparse.coo_array((np.ones(n - n_clusters), joined), shape=(n, n))
        return np.asarray(connected_components(forest, directed=False)[1], dtype=np.int32)


def spanning_tree(
    X: Rows, metric: Metric, core: Floats | None = None
) -> tuple[NDArray[np.int32], Floats]:
    """Minimum spanning tree of the distances, each at least the ``core`` of both its objects."""
    from sortal._kernels.spanning_trees import euclidean_tree

    n = X.shape[0]
    core = np.zeros(n) if core is None else core
    if metric == "euclidean" and isinstance(X, np.ndarray):
        Z = np.ascontiguousarray(X, dtype=np.float64)
        edges, squares = euclidean_tree(Z, core**2)
        return edges, np.sqrt(squares)
    from sortal.distances import as_distances

    distances = as_distances(X, metric)
    edges, weights = np.empty((n - 1, 2), dtype=np.int32), np.empty(n - 1)
    reached, source = np.full(n, np.inf), np.zeros(n, dtype=np.int32)
    todo = np.ones(n, dtype=bool)
    at = 0
    for e in range(n - 1):
        todo[at] = False
        row = distances.block(slice(0, n), slice(at, at + 1))[:, 0]
        row = np.maximum(np.maximum(row, core), core[at])
        nearer = todo & (row < reached)
        reached[nearer], source[nearer] = row[nearer], at
        outside = np.flatnonzero(todo)
        at = int(outside[np.argmin(reached[outside])])
        edges[e], weights[e] = (source[at], at), reached[at]
    return edges, weights
