"""The dendrogram: which clusters merge into which, and where a number of clusters cuts it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import LinkageClustering
from karat.distances import check_points
from karat.labelings import Dendrogram, cut_dendrogram
from karat.plot import style
from karat.plot._sampled import draw, finished
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray

AT_MOST = 2_000
#: merges in the table
_LISTED = 20


def dendrogram(
    X: Any,
    k: int | None = None,
    *,
    method: str = "ward",
    metric: Any = "euclidean",
    ids: Any = None,
    leaves: int = 40,
    random_state: Any = 0,
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
        :func:`table` has, for 20 numbers of clusters, the heights between which there are so
        many: a long range speaks for the number.

    Raises
    ------
    InputError
        For a number of clusters that the tree does not have, or data that cannot be used.

    Examples
    --------
    >>> import karat
    >>> figure = karat.plot.dendrogram([[0.0], [1.0], [9.0], [9.5]], 2)
    >>> karat.plot.table(figure).set_index("k").loc[2].round(2).tolist()
    [1.0, 12.37]
    """
    import pandas as pd
    from scipy.cluster.hierarchy import dendrogram as layout

    Z, rows, n = _tree(X, method, metric, random_state)
    m = len(rows)
    if leaves < 2:
        raise InputError(f"leaves must be at least 2; got {leaves}")
    if k is not None and not 1 <= k <= m:
        raise InputError(f"k must be between 1 and the {m:,} objects of the tree; got {k}")
    called = rows if ids is None else np.asarray(ids, dtype=object)[rows]
    drawn = layout(
        Z,
        p=leaves,
        truncate_mode="lastp",
        no_plot=True,
        link_color_func=_colours(Z, k).__getitem__,
        leaf_label_func=lambda i: style.safe(called[i]) if i < m else f"({int(Z[i - m, 3])})",
    )
    traces = []
    for colour in dict.fromkeys(drawn["color_list"]):
        own = np.array([one == colour for one in drawn["color_list"]])
        x, y = (np.pad(np.array(drawn[key])[own], ((0, 0), (0, 1)), constant_values=np.nan).ravel()
                for key in ("icoord", "dcoord"))  # fmt: skip
        traces.append({"type": "scatter", "mode": "lines", "x": x, "y": y,
                       "line": {"color": colour, "width": 1.6},
                       "hovertemplate": "height %{y:.4g}<extra></extra>"})  # fmt: skip
    linkage = "as given" if isinstance(X, Dendrogram) else f"{method} linkage"
    figure = style.figure(
        traces,
        showlegend=False,
        xaxis={"tickvals": [5 + 10 * i for i in range(len(drawn["ivl"]))],
               "ticktext": drawn["ivl"], "showgrid": False, "zeroline": False, "tickangle": -90},
        yaxis={"title": {"text": f"Height ({linkage})"}, "rangemode": "tozero"},
        height=460,
    )  # fmt: skip
    heights = np.append(np.insert(Z[:, 2], 0, 0.0), np.nan)
    numbers = np.arange(1, min(_LISTED, len(Z)) + 1)
    found = pd.DataFrame(
        {"from": heights[m - numbers], "to": heights[m + 1 - numbers]},
        index=pd.Index(numbers, name="k"),
    )
    if k is not None and k > 1:
        figure.add_hline(
            float(heights[m - k : m + 2 - k].mean()),
            line={"dash": "dash", "color": style.INK, "width": 1.2},
            annotation={"text": f"{k} clusters", "font": {"size": 12}},
            annotation_position="top left",
        )
    return finished(figure, found, m, n)


def _tree(
    X: Any, method: str, metric: Any, random_state: Any
) -> tuple[NDArray[np.float64], NDArray[np.intp], int]:
    """The linkage, the objects that it is of, and how many there are."""
    if isinstance(X, Dendrogram):
        return X.linkage, np.arange(X.n_objects), X.n_objects
    points = check_points(X, metric)
    n = points.shape[0]
    rows = draw(n, AT_MOST, random_state)
    if len(rows) < n:
        given = isinstance(metric, str) and metric == "precomputed"
        points = points[rows][:, rows] if given else points[rows]
    model = LinkageClustering(n_clusters=1, method=method, metric=metric).fit(points)
    return model.linkage_, rows, n


def _colours(Z: NDArray[np.float64], k: int | None) -> list[str]:
    """Colour of the link of each node: that of its cluster below the cut."""
    n = len(Z) + 1
    first = np.arange(2 * n - 1)
    for i, (left, _) in enumerate(Z[:, :2].astype(int)):
        first[n + i] = first[left]
    if k is None:
        return [style.INK] * (2 * n - 1)
    labels = cut_dendrogram(Z, n_clusters=k)
    cut = n + (n - k)  # nodes from here on are merges of clusters
    return [style.color(int(labels[first[i]])) if i < cut else style.INK for i in range(2 * n - 1)]
