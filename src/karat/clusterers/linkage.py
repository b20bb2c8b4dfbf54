"""Agglomerative clustering: one tree, then a cut for any number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from karat.partition import cut_dendrogram
from karat.resources import require_memory
from karat.validation import InputError, check_choice

if TYPE_CHECKING:
    from numpy.typing import NDArray

METHODS = ("single", "complete", "average", "ward")


class LinkageClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Single, complete, average (UPGMA) or Ward linkage.

    Parameters
    ----------
    n_clusters : int, default 2
        Where the tree is cut.
    method : {"average", "single", "complete", "ward"}
        How the distance between clusters follows from that between objects.
    metric : str, default "euclidean"
        Any distance of :func:`sklearn.metrics.pairwise_distances`, or ``"precomputed"`` for a
        square matrix of distances. Ward needs ``"euclidean"``.

    Attributes
    ----------
    linkage_ : ndarray of float64, shape (n-1, 4)
        The tree in SciPy's form.
    labels_ : ndarray of int32, shape (n,)
        Clusters numbered by first appearance.
    n_features_in_ : int

    Notes
    -----
    O(n² d) time. Single and Ward linkage of dense Euclidean data need O(n d) memory; everything
    else holds n(n-1)/2 distances, and is rejected with the amount where that is more than there is.
    The trees are those of fastcluster (Müllner, J. Stat. Softw. 53(9), 2013).

    Examples
    --------
    >>> from karat.clusterers import LinkageClustering
    >>> model = LinkageClustering(n_clusters=2).fit([[0.0], [1.0], [5.0], [5.5]])
    >>> model.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> model.cut(3)
    array([0, 1, 2, 2], dtype=int32)
    """

    def __init__(
        self, n_clusters: int = 2, *, method: str = "average", metric: str = "euclidean"
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.metric = metric

    def fit(self, X: Any, y: Any = None) -> LinkageClustering:
        """Build the tree and cut it."""
        check_choice(self.method, METHODS, "method")
        if self.method == "ward" and self.metric != "euclidean":
            raise InputError(f"Ward linkage needs metric='euclidean'; got {self.metric!r}")
        X = validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        if not 1 <= self.n_clusters <= X.shape[0]:
            raise InputError(
                f"n_clusters must be between 1 and the {X.shape[0]} objects; got {self.n_clusters}"
            )
        self.linkage_ = _tree(X, self.method, self.metric)
        self.labels_ = self.cut(self.n_clusters)
        return self

    def cut(self, n_clusters: int) -> NDArray[np.int32]:
        """Labels for another number of clusters, from the same tree, in O(n)."""
        check_is_fitted(self)
        return cut_dendrogram(self.linkage_, n_clusters=n_clusters)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def _tree(X: Any, method: str, metric: str) -> NDArray[np.float64]:
    import fastcluster
    from scipy import sparse
    from scipy.spatial.distance import pdist, squareform

    n = X.shape[0]
    if method in ("single", "ward") and metric == "euclidean" and not sparse.issparse(X):
        return fastcluster.linkage_vector(np.array(X, dtype=np.float64), method=method)
    square = metric == "precomputed" or sparse.issparse(X)
    require_memory(
        8 * n * (n - 1) * (1.5 if square else 0.5) * (1 + (method == "ward")),
        f"{method} linkage of {n:,} objects, with all their distances,",
        "take a sample, or use single linkage or Ward on dense data, or k-means",
    )
    if metric == "precomputed":
        condensed = squareform(np.asarray(X, dtype=np.float64), checks=False)
    elif sparse.issparse(X):
        from sklearn.metrics import pairwise_distances

        D = pairwise_distances(X, metric=metric)
        np.fill_diagonal(D, 0.0)
        condensed = squareform(D, checks=False)
    else:
        condensed = pdist(X, metric)
    return fastcluster.linkage(condensed, method=method, preserve_input=False)
