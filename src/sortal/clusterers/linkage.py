"""Agglomerative clustering: one tree, then a cut for any number of clusters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sortal.clusterers._estimator import BaseClusterer
from sortal.distances import check_metric, condensed
from sortal.labelings.partitions import cut_dendrogram
from sortal.runtime.resources import require_memory
from sortal.runtime.validation import InputError, check_choice, check_data
from sortal.typing import ArrayLike, Floats, Metric, Rows

LINKAGE_METHODS = ("single", "complete", "average", "weighted", "centroid", "ward")
#: methods about means of the objects, for which the distance must be Euclidean
OF_MEANS = ("centroid", "ward")


@dataclass(eq=False, repr=False)
class LinkageClustering(BaseClusterer):
    """Single, complete, average (UPGMA), weighted (WPGMA), centroid or Ward linkage.

    Parameters
    ----------
    n_clusters : int, default 2
        Where the tree is cut.
    method : {"average", "single", "complete", "weighted", "centroid", "ward"}
        How the distance between clusters follows from that between objects.
    metric : str or callable, default "euclidean"
        A name in :data:`sortal.distances.METRICS`, ``"precomputed"`` among them, or a function of
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
    O(n² d) time. Single and Ward linkage of dense Euclidean data need O(n d) memory. Everything
    else stores n(n-1)/2 distances, and is rejected if these need more memory than there is.
    The trees are those of fastcluster (Müllner, J. Stat. Softw. 53(9), 2013).

    Examples
    --------
    >>> from sortal.clusterers import LinkageClustering
    >>> model = LinkageClustering(n_clusters=2).fit([[0.0], [1.0], [5.0], [5.5]])
    >>> model.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> model.cut(3)
    array([0, 1, 2, 2], dtype=int32)
    """

    n_clusters: int = 2
    _: KW_ONLY
    method: str = "average"
    metric: Metric = "euclidean"

    def fit(self, X: ArrayLike, y: object = None) -> LinkageClustering:
        """Build the tree and cut it."""
        check_choice(self.method, LINKAGE_METHODS, "method")
        metric = check_metric(self.metric)
        if self.method in OF_MEANS and metric not in ("euclidean", "precomputed"):
            raise InputError(
                f"{self.method} linkage is about means of the objects and needs "
                f'metric="euclidean"; got {self.metric!r}. Average linkage takes any distance'
            )
        self.linkage_ = _tree(self._rows(X, least=2), self.method, metric)
        self.labels_ = self.cut(self.n_clusters)
        return self

    def fit_cells(self, means: ArrayLike, sizes: npt.ArrayLike) -> LinkageClustering:
        """Build Ward's tree of cells of objects, from their means and sizes, and cut it.

        Exact for whole cells, because merges do not change the variation within cells (Murtagh
        1983; the idea of Zhang, Ramakrishnan & Livny 1996). O(s² d) time, 4 s² bytes.
        """
        if self.method != "ward" or check_metric(self.metric) != "euclidean":
            raise InputError(
                "only Ward linkage of Euclidean distances is exact for cells; got "
                f"{self.method!r}, {self.metric!r}"
            )
        points = check_data(means, name="means")
        self.linkage_ = _tree_of_cells(points, np.asarray(sizes, dtype=np.float64))
        self.labels_ = self.cut(self.n_clusters)
        self.n_features_in_ = points.shape[1]
        return self

    def cut(self, n_clusters: int | Iterable[int]) -> NDArray[np.int32]:
        """Labels for another number of clusters, or a row for each of several, in O(n) each."""
        check_is_fitted(self)
        return cut_dendrogram(self.linkage_, n_clusters=n_clusters)


def _tree_of_cells(means: Rows, sizes: Floats) -> Floats:
    """Ward's tree of cells, in SciPy's form."""
    from scipy.spatial.distance import pdist

    from sortal._kernels.linkage import merge_cells

    s = len(means)
    require_memory(4.0 * s * s, f"Ward linkage of {s:,} cells", "take fewer")
    D, start = pdist(means, "sqeuclidean"), 0
    for i, size in enumerate(sizes[:-1]):
        later = sizes[i + 1 :]
        D[start : start + len(later)] *= 2 * size * later / (size + later)
        start += len(later)
    merges = merge_cells(D, sizes)
    merges = merges[np.argsort(merges[:, 2], kind="stable")]
    tree = np.empty((s - 1, 4))
    name, count = np.arange(s), np.ones(s)
    for i, (low, high, height) in enumerate(merges):
        a, b = int(low), int(high)
        count[a] += count[b]
        tree[i] = (*sorted((name[a], name[b])), np.sqrt(height), count[a])
        name[a] = s + i
    return tree


def _tree(X: Rows, method: str, metric: Metric) -> Floats:
    """Linkage tree of the rows, in SciPy's form."""
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
