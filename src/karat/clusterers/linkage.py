"""Agglomerative clustering: one tree, then a cut for any number of clusters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from karat.distances import check_metric, condensed
from karat.partition import cut_dendrogram
from karat.resources import require_memory
from karat.validation import InputError, check_choice, validated

if TYPE_CHECKING:
    from numpy.typing import NDArray

METHODS = ("single", "complete", "average", "weighted", "centroid", "ward")
#: those that are about means of the objects, so that the distance must be Euclidean
OF_MEANS = ("centroid", "ward")


class LinkageClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Single, complete, average (UPGMA), weighted (WPGMA), centroid or Ward linkage.

    Parameters
    ----------
    n_clusters : int, default 2
        Where the tree is cut.
    method : {"average", "single", "complete", "weighted", "centroid", "ward"}
        How the distance between clusters follows from that between objects.
    metric : str or callable, default "euclidean"
        A name in :data:`karat.distances.METRICS`, ``"precomputed"`` among them, or a function of
        two rows; symmetric. Centroid and Ward linkage are about means of the objects, so they
        need ``"euclidean"``, or the matrix of such distances.

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
        self, n_clusters: int = 2, *, method: str = "average", metric: Any = "euclidean"
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.metric = metric

    def fit(self, X: Any, y: Any = None) -> LinkageClustering:
        """Build the tree and cut it."""
        check_choice(self.method, METHODS, "method")
        metric = check_metric(self.metric)
        if self.method in OF_MEANS and metric not in ("euclidean", "precomputed"):
            raise InputError(
                f"{self.method} linkage is about means of the objects and needs "
                f'metric="euclidean"; got {self.metric!r}. Average linkage takes any distance'
            )
        X = validated(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        if not 1 <= self.n_clusters <= X.shape[0]:
            raise InputError(
                f"n_clusters must be between 1 and the {X.shape[0]} objects; got {self.n_clusters}"
            )
        self.linkage_ = _tree(X, self.method, metric)
        self.labels_ = self.cut(self.n_clusters)
        return self

    def cut(self, n_clusters: int | Iterable[int]) -> NDArray[np.int32]:
        """Labels for another number of clusters, or a row for each of several, in O(n) each."""
        check_is_fitted(self)
        return cut_dendrogram(self.linkage_, n_clusters=n_clusters)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags


def tree_of_cells(means: Any, sizes: Any, method: str) -> NDArray[np.float64]:
    """The tree of cells of objects that are represented by their means.

    Parameters
    ----------
    means : ndarray, shape (s, d)
    sizes : ndarray of int, shape (s,)
        How many objects each cell has.
    method : {"ward", "average"}

    Returns
    -------
    ndarray of float64, shape (s-1, 4)
        In SciPy's form, but that the last column counts objects, not cells. With cells of one
        object each it is the tree of the objects.

    Notes
    -----
    O(s² d) time, 8 s² bytes. Ward's criterion is exact for whole cells: what varies within them
    is the same whatever is merged. The average of distances between cells is taken between their
    means.
    """
    from scipy.spatial.distance import cdist

    from karat._kernels.linkage import AVERAGE, WARD, merge_cells

    means = np.asarray(means, dtype=np.float64)
    sizes = np.asarray(sizes, dtype=np.float64)
    require_memory(8.0 * len(means) ** 2, f"{method} linkage of {len(means):,} cells", "take fewer")
    D = cdist(means, means, "sqeuclidean" if method == "ward" else "euclidean")
    if method == "ward":
        D *= 2 * sizes[:, None] * sizes / (sizes[:, None] + sizes)
    merges = merge_cells(D, sizes, WARD if method == "ward" else AVERAGE)
    merges = merges[np.argsort(merges[:, 2], kind="stable")]
    s = len(sizes)
    tree = np.empty((s - 1, 4))
    name, count = np.arange(s), sizes.copy()
    for i, (low, high, height) in enumerate(merges):
        a, b = int(low), int(high)
        count[a] += count[b]
        tree[i] = (*sorted((name[a], name[b])), height, count[a])
        name[a] = s + i
    if method == "ward":
        tree[:, 2] = np.sqrt(np.maximum(tree[:, 2], 0))
    return tree


def _tree(X: Any, method: str, metric: Any) -> NDArray[np.float64]:
    import fastcluster

    n = X.shape[0]
    direct = method in ("single", *OF_MEANS) and isinstance(X, np.ndarray)
    if direct and metric == "euclidean":
        return fastcluster.linkage_vector(np.array(X, dtype=np.float64), method=method)
    require_memory(
        8 * n * (n - 1) * 0.5 * (1 + (method in OF_MEANS)),
        f"{method} linkage of {n:,} objects, with all their distances,",
        "take a sample, or use single linkage or Ward on dense data, or k-means",
    )
    return fastcluster.linkage(condensed(X, metric), method=method, preserve_input=False)
