"""The consensus matrix: how often objects share a cluster in resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.distances import check_points
from sortal.plot import style
from sortal.plot.results import with_note
from sortal.runtime.draws import draw_rows
from sortal.stability import consensus_matrix as resampled

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from sortal.stability.engine import ClustererLike
    from sortal.typing import ArrayLike, Metric

#: limit of cost: objects of a consensus matrix that is drawn
MOST_IN_MATRIX = 300


def _heat(matrix: NDArray[np.floating[Any]], rows: NDArray[np.integer[Any]]) -> go.Figure:
    """Heat map of the consensus of some objects, in their order."""
    names = [f"object {row}" for row in rows]
    few = len(names) <= 100
    named = "%{hovertext}<br>" if few else ""
    axis = {"type": None, "showticklabels": False}
    return style.heat_map(
        matrix,
        None,
        None,
        hovertext=[[f"{a}, {b}" for b in names] for a in names] if few else None,
        hovertemplate=f"{named}<b>%{{z:.0%}}</b><extra></extra>",
        xgap=0,
        ygap=0,
        colorbar=style.color_bar("share of the<br>resamples", tickformat=".0%"),
        xaxis=axis,
        yaxis=axis,
        height=520,
    )


def consensus_matrix(
    X: ArrayLike,
    k: int,
    *,
    clusterer: ClustererLike = "kmeans",
    metric: Metric = "euclidean",
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

    See Also
    --------
    sortal.stability.consensus_matrix

    References
    ----------
    Monti, Tamayo, Mesirov & Golub, *Machine Learning* 52, 2003.

    Examples
    --------
    >>> import sortal
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> sortal.plot.consensus_matrix(X, 2).data[0].z.shape
    (8, 8)
    """
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    n = check_points(X, metric).shape[0]
    clusterings = resampled(
        X, clusterer, k=k, n_resamples=n_resamples, metric=metric, random_state=random_state
    )
    rows = draw_rows(n, MOST_IN_MATRIX, random_state)
    matrix = np.concatenate([clusterings.rows(k, i, i + 1)[:, rows] for i in map(int, rows)])
    matrix = np.nan_to_num(matrix.astype(np.float64))  # pairs never drawn together
    np.fill_diagonal(matrix, 1.0)
    tree = linkage(squareform(1 - matrix, checks=False), "average")
    order = leaves_list(tree)
    return with_note(_heat(matrix[np.ix_(order, order)], rows[order]), len(rows), n)
