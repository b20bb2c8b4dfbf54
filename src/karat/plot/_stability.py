"""Results of resampling: stability over k beside the null, and the consensus matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import check_points
from karat.plot import style
from karat.plot._sampled import finished
from karat.runtime.draws import draw_rows
from karat.stability import consensus_matrix as resampled

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from karat.runtime.types import ArrayLike, Metric
    from karat.stability import Assessment, StabilityCurve
    from karat.stability.engine import ClustererLike


#: objects of a consensus matrix that is drawn
MOST_IN_MATRIX = 300


def stability_by_k(curve: StabilityCurve) -> go.Figure:
    """Draw a stability against the number of clusters, beside data without clusters.

    Parameters
    ----------
    curve : StabilityCurve
        From any method of :mod:`karat.stability`.

    Returns
    -------
    plotly.graph_objects.Figure
        The data with twice its standard error; the null, where there is one, with twice the
        standard deviation of its data sets.

    Examples
    --------
    >>> import karat
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> curve = karat.stability.ben_hur(X, k=[2, 3], n_resamples=4)
    >>> len(karat.plot.stability_by_k(curve).data)
    1
    """
    table = curve.table
    lines = [("data", "value", "standard_error", style.COLORS[0])]
    if "null" in table:
        lines.append(("without clusters", "null", "null_error", style.NOISE_COLOR))
    return style.figure(
        [
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": name,
                "x": table.index.to_numpy(),
                "y": table[value].to_numpy(),
                "error_y": {"type": "data", "array": 2 * table[error].to_numpy(), "width": 3},
                "line": {"color": colour},
                "marker": {"color": colour},
                "hovertemplate": f"{name}, k = %{{x}}<br><b>%{{y:.3f}}</b><extra></extra>",
            }
            for name, value, error, colour in lines
        ],
        xaxis=style.whole_numbers("number of clusters", table.index.min(), table.index.max()),
        yaxis={"title": {"text": "stability"}},
        height=360,
    )


def consensus(found: Assessment) -> go.Figure:
    """Draw how often objects share a cluster, in the order of the dendrogram.

    Parameters
    ----------
    found : Assessment
        From :func:`karat.stability.assess`; up to 300 of its objects are drawn.

    Returns
    -------
    plotly.graph_objects.Figure
        Blocks are clusters that resamples agree on; grey between them is doubt.

    Examples
    --------
    >>> import karat
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> found = karat.stability.assess(X, k=[2], n_resamples=4, n_references=2)
    >>> karat.plot.consensus(found).data[0].z.shape
    (8, 8)
    """
    return _heat(found.consensus, found.shown)


def _heat(matrix: NDArray[np.floating[Any]], shown: NDArray[np.integer[Any]]) -> go.Figure:
    """Heat map of the consensus of some objects, in their order."""
    names = [f"object {row}" for row in shown]
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
    clusterings = resampled(
        X, clusterer, k=k, n_resamples=n_resamples, metric=metric, random_state=random_state
    )
    shown = draw_rows(n, MOST_IN_MATRIX, random_state)
    matrix = np.concatenate([clusterings.rows(k, i, i + 1)[:, shown] for i in map(int, shown)])
    matrix = np.nan_to_num(matrix.astype(np.float64))  # pairs never drawn together
    np.fill_diagonal(matrix, 1.0)
    tree = linkage(squareform(1 - matrix, checks=False), "average")
    order = leaves_list(tree)
    block = cut_tree(tree, min(k, len(shown))).ravel()
    records = []
    for c in dict.fromkeys(block[order]):
        members = block == c
        pairs = matrix[np.ix_(members, members)][~np.eye(int(members.sum()), dtype=bool)]
        others = matrix[np.ix_(members, ~members)]
        outside = others.mean() if others.size else 0.0
        records.append((int(members.sum()), pairs.mean() if pairs.size else 1.0, outside))
    rows = pd.DataFrame(records, columns=["objects", "within", "with others"])
    figure = _heat(matrix[np.ix_(order, order)], shown[order])
    return finished(figure, rows.rename_axis("block"), len(shown), n)
