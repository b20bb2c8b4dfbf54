"""The consensus matrix of one clusterer: which objects stay together in resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import check_points
from karat.plot._sampled import draw, finished
from karat.plot._stability import consensus_map
from karat.stability import consensus_matrix as resampled

if TYPE_CHECKING:
    import plotly.graph_objects as go

AT_MOST = 300


def consensus_matrix(
    X: Any,
    k: int,
    *,
    clusterer: Any = "kmeans",
    metric: Any = "euclidean",
    n_resamples: int = 50,
    random_state: int = 0,
) -> go.Figure:
    """Draw how often each two objects share a cluster in clusterings of random subsamples.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    k : int
        Number of clusters.
    clusterer : str, Clusterer or estimator, default "kmeans"
    metric : str or callable, default "euclidean"
    n_resamples : int, default 50
        Subsamples of four fifths of the objects.
    random_state : int, default 0

    Returns
    -------
    plotly.graph_objects.Figure
        In the order of an average-linkage tree; of more than 300 objects a random sample of 300 is
        drawn, though all are clustered. Dark blocks are clusters that subsamples agree on.
        :func:`table` has, for each of the k blocks, the mean consensus within it and with others.

    See Also
    --------
    karat.stability.consensus_matrix

    References
    ----------
    Monti, Tamayo, Mesirov & Golub, *Machine Learning* 52, 2003.

    Examples
    --------
    >>> import karat
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> karat.plot.table(karat.plot.consensus_matrix(X, 2))["within"].tolist()
    [1.0, 1.0]
    """
    import pandas as pd
    from scipy.cluster.hierarchy import cut_tree, leaves_list, linkage
    from scipy.spatial.distance import squareform

    n = check_points(X, metric).shape[0]
    found = resampled(
        X, clusterer, k=k, n_resamples=n_resamples, metric=metric, random_state=random_state
    )
    shown = draw(n, AT_MOST, random_state)
    matrix = np.concatenate([found.rows(k, i, i + 1)[:, shown] for i in map(int, shown)])
    matrix = np.nan_to_num(matrix.astype(np.float64))  # pairs never drawn together
    np.fill_diagonal(matrix, 1.0)
    tree = linkage(squareform(1 - matrix, checks=False), "average")
    order = leaves_list(tree)
    block = cut_tree(tree, min(k, len(shown))).ravel()
    told = []
    for c in dict.fromkeys(block[order]):
        own = block == c
        pairs = matrix[np.ix_(own, own)][~np.eye(int(own.sum()), dtype=bool)]
        others = matrix[np.ix_(own, ~own)]
        outside = others.mean() if others.size else 0.0
        told.append((int(own.sum()), pairs.mean() if pairs.size else 1.0, outside))
    rows = pd.DataFrame(told, columns=["objects", "within", "with others"])
    figure = consensus_map(matrix[np.ix_(order, order)], shown[order])
    return finished(figure, rows.rename_axis("block"), len(shown), n)
