"""The silhouette plot: how well each object fits its cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.distances import check_points
from sortal.measures import silhouette_samples
from sortal.plot import style
from sortal.plot.results import MOST_OBJECTS, draw_points, with_note
from sortal.runtime.numerals import percent

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from sortal.typing import ArrayLike, Labels, Metric, RandomState

#: limit of cost: ranks of a cluster that are drawn
_POINTS_PER_CLUSTER = 300


def silhouette(
    X: ArrayLike,
    labels: Labels,
    *,
    metric: Metric = "euclidean",
    names: Sequence[object] | None = None,
    random_state: RandomState = 0,
) -> go.Figure:
    """Draw the silhouette of every object, sorted within its cluster.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    labels : array-like of int, shape (n,)
        -1 for outliers, which are excluded.
    metric : str or callable, default "euclidean"
    names : sequence, optional
        What the clusters are called, by number.
    random_state : int, Generator or None, default 0
        For the sample: for more than 5,000 objects silhouettes are those within a random sample.

    Returns
    -------
    plotly.graph_objects.Figure
        A broad shape that keeps its width to the end is a cluster whose objects all fit; what is
        left of zero are objects that are nearer to another cluster. Of a cluster of more than 300
        objects, 300 evenly spaced ranks are drawn.

    References
    ----------
    Rousseeuw, *J. Comput. Appl. Math.* 20, 1987.

    Examples
    --------
    >>> import sortal
    >>> sortal.plot.silhouette([[0.0], [1.0], [9.0], [9.5]], [0, 0, 1, 1]).layout.xaxis.title.text
    'Silhouette'
    """
    points = check_points(X, metric)
    n = points.shape[0]
    codes = style.check_labels(labels, n)
    points, rows = draw_points(points, MOST_OBJECTS, metric, random_state)
    codes = codes[rows]
    values = silhouette_samples(points, codes, metric=metric, noise="drop")
    judged = codes >= 0
    cluster_names = style.cluster_names(codes[judged], names)
    gap = judged.sum() * 0.012
    traces, middles, start = [], [], 0.0
    for cluster, name in cluster_names.items():
        ordered = np.sort(values[judged & (codes == cluster)])[::-1]
        middles.append(start + len(ordered) / 2)
        traces.append(_shape(ordered, start, cluster, style.safe(name)))
        start += len(ordered) + gap
    mean = float(values[judged].mean())
    ticks = [style.safe(name) for name in cluster_names.values()]
    figure = style.figure(
        traces,
        showlegend=False,
        xaxis={"title": {"text": "Silhouette"}, "range": [min(-0.1, values[judged].min()), 1]},
        yaxis={
            "title": {"text": "Cluster"},
            "range": [start, -gap],
            "tickvals": middles,
            "ticktext": ticks if len(ticks) <= 40 else [""] * len(ticks),
            "showgrid": False,
            "zeroline": False,
        },
        margin={"t": 24},
        height=int(np.clip(160 + 46 * len(cluster_names), 300, 900)),
    )
    line = {"color": style.INK, "width": 1.2, "dash": "dash"}
    note = {"text": f"mean {mean:.3f}", "font": {"size": 12}}
    figure.add_vline(mean, line=line, annotation=note, annotation_position="top")
    return with_note(figure, len(rows), n)


def _shape(
    silhouettes: NDArray[np.float64], start: float, cluster: int, name: str
) -> dict[str, Any]:
    """Trace of a cluster's descending silhouettes, a step for each object."""
    size = len(silhouettes)
    ranks = np.unique(np.linspace(0, size - 1, min(size, _POINTS_PER_CLUSTER)).astype(int))
    x = np.repeat(silhouettes[ranks], 2)
    y = start + np.repeat(np.append(ranks, size), 2)[1:-1]
    return {
        "type": "scatter",
        "x": np.concatenate([[0], x, [0]]).astype(np.float32),
        "y": np.concatenate([[y[0]], y, [y[-1]]]).astype(np.float32),
        "fill": "toself",
        "mode": "lines",
        "line": {"width": 0.5, "color": style.color(cluster)},
        "fillcolor": style.color(cluster),
        "opacity": 0.85,
        "name": name,
        "hoveron": "fills",
        "hoverinfo": "text",
        "text": f"Cluster {name}: {size:,} objects<br>"
        f"mean silhouette <b>{silhouettes.mean():.3f}</b><br>"
        f"{percent((silhouettes < 0).mean())} below 0",
    }
