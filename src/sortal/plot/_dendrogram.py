"""The dendrogram: which clusters merge into which, and where a number of clusters cuts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sortal.clusterers import LinkageClustering
from sortal.distances import check_points
from sortal.labelings import Dendrogram
from sortal.plot.results import MOST_IN_TREE, draw_points, tree_figure

if TYPE_CHECKING:
    import numpy.typing as npt
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from sortal.typing import ArrayLike, Metric, RandomState


def dendrogram(
    X: ArrayLike | Dendrogram,
    k: int | None = None,
    *,
    method: str = "ward",
    metric: Metric = "euclidean",
    ids: npt.ArrayLike | None = None,
    leaves: int = 40,
    random_state: RandomState = 0,
) -> go.Figure:
    """Draw a tree of clusters, with the cut into k of them.

    Parameters
    ----------
    X : array-like, shape (n, d), or Dendrogram
        The data, the (n, n) distances with ``metric="precomputed"``, or a tree.
    k : int, optional
        Where to cut: a dashed line, and a colour for each cluster below it.
    method : {"ward", "average", "single", "complete", "weighted", "centroid"}
        Linkage, where ``X`` is no tree.
    metric : str or callable, default "euclidean"
        Ward and centroid linkage need the Euclidean distance.
    ids : array-like, shape (n,), optional
        What the objects are called; by default their row numbers.
    leaves : int, default 40
        How many of the last clusters are leaves; "(12)" is a leaf of 12 objects.
    random_state : int, Generator or None, default 0
        For the sample: of more than 2,000 objects, the tree is that of a random sample.

    Returns
    -------
    plotly.graph_objects.Figure
        A long range of heights without a merge speaks for the number of clusters there.

    Examples
    --------
    >>> import sortal
    >>> figure = sortal.plot.dendrogram([[0.0], [1.0], [9.0], [9.5]], 2)
    >>> figure.layout.yaxis.title.text
    'Height (ward linkage)'
    """
    Z, rows, n = _tree(X, method, metric, random_state)
    names = rows if ids is None else np.asarray(ids, dtype=object)[rows]
    linkage = "as given" if isinstance(X, Dendrogram) else f"{method} linkage"
    return tree_figure(Z, k, names.tolist(), linkage=linkage, leaves=leaves, n=n)


def _tree(
    X: ArrayLike | Dendrogram, method: str, metric: Metric, random_state: RandomState
) -> tuple[NDArray[np.float64], NDArray[np.intp], int]:
    """The linkage matrix, the objects in it, and the number of all objects."""
    if isinstance(X, Dendrogram):
        return X.linkage, np.arange(X.n_objects), X.n_objects
    points = check_points(X, metric)
    n = points.shape[0]
    points, rows = draw_points(points, MOST_IN_TREE, metric, random_state)
    model = LinkageClustering(n_clusters=1, method=method, metric=metric).fit(points)
    return model.linkage_, rows, n
