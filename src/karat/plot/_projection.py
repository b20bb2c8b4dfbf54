"""The objects in two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.plot import style
from karat.plot.layout import Layout, as_given, lay_out, n_neighbors, sample
from karat.runtime.validation import InputError, check_data, check_random_state

AT_MOST = 5_000
LINE = 22  # pixels from one label to the next

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray


def projection(
    X: Any,
    labels: Any,
    *,
    ids: Any = None,
    names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    random_state: Any = 0,
) -> go.Figure:
    """Draw the objects in the plane, coloured by cluster.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data. Up to two features are drawn as they are; of more, the first two principal
        components (also of sparse data, which is not made dense) where they keep at least half
        of the objects' nearest neighbours, otherwise t-SNE where it keeps more.
    labels : array-like of int, shape (n,)
        -1 for outliers, drawn as grey crosses.
    ids : array-like, shape (n,), optional
        What each object is called, shown where the pointer is; by default its row number.
    names : sequence, optional
        What the clusters are called, by number.
    feature_names : sequence, optional
        Names of the features.
    random_state : int, Generator or None, default 0
        For the sample that is drawn of more than 5,000 objects, which keeps the shares of the
        clusters and at least 20 objects of each; ``figure.layout.meta["drawn"]`` tells how many.

    Returns
    -------
    plotly.graph_objects.Figure
        ``layout.meta`` has ``drawn``, ``n``, ``kept``: the share of an object's 10 nearest
        neighbours among those drawn that are among the 10 nearest in the plane, and
        ``explained``: the share of the variance of each of two principal components, None where
        others are drawn.

    Raises
    ------
    InputError
        If sizes do not fit.

    Examples
    --------
    >>> from karat.plot import projection
    >>> figure = projection([[0.0, 1.0], [1.0, 0.0], [9.0, 9.0]], [0, 0, 1])
    >>> [trace.name for trace in figure.data]
    ['0', '1']
    """
    X = check_data(X)
    n = X.shape[0]
    codes = style.check_labels(labels, n)
    called = style.cluster_names(codes, names)
    ids = range(n) if ids is None else ids
    if hasattr(ids, "to_numpy"):
        ids = ids.to_numpy()
    if len(ids) != n:
        raise InputError(f"ids must have an entry for each of the {n} objects; got {len(ids)}")
    shown = sample(codes, AT_MOST, check_random_state(random_state))
    plane = _plane(X[shown], feature_names)
    points = plane.points
    size = float(np.clip(60 / np.sqrt(len(shown)) + 3, 4, 10))
    traces, labels_there = [], []
    for cluster, name in called.items():
        drawn = np.flatnonzero(codes[shown] == cluster)
        hover = [f"<b>{style.safe(ids[i])}</b><br>cluster {style.safe(name)}" for i in shown[drawn]]
        traces.append(
            {
                "type": "scatter",
                "x": points[drawn, 0],
                "y": points[drawn, 1],
                "mode": "markers",
                "name": style.safe(name),
                "text": hover,
                "hoverinfo": "text",
                "marker": {
                    "color": style.color(cluster),
                    "symbol": style.symbol(cluster),
                    "size": size,
                    "opacity": 0.75,
                    "line": {"width": 1 if cluster < 0 else 0.5, "color": style.color(cluster)},
                },
            }
        )
        if cluster >= 0 and len(drawn):
            x, y = np.median(points[drawn], axis=0)
            labels_there.append(
                {
                    "x": float(x), "y": float(y), "text": f"<b>{style.safe(name)}</b>",
                    "showarrow": False, "font": {"size": 13}, "borderpad": 2,
                    "bgcolor": "rgba(255,255,255,0.8)",
                }
            )  # fmt: skip
    _keep_apart(labels_there, points)
    few = len(called) <= 12
    return style.figure(
        traces,
        xaxis=_axis(plane.axes[0]),
        yaxis=_axis(plane.axes[1]),
        showlegend=few,
        legend={"title": {"text": "Cluster"}, "itemsizing": "constant"},
        annotations=labels_there if len(called) <= 60 else [],
        height=520,
        meta={"drawn": len(shown), "n": n, "kept": plane.kept, "explained": plane.explained},
    )


def _keep_apart(labels: list[dict[str, Any]], points: NDArray[np.float32]) -> None:
    """Shift labels up or down, in pixels, until none lies on an earlier one."""
    low = points.min(axis=0)
    span = np.where(np.ptp(points, axis=0) > 0, np.ptp(points, axis=0), 1)
    boxes: list[tuple[float, float, float]] = []
    for label in labels:
        # of a drawing of the usual width
        x, y = np.array([820, 400]) * (np.array([label["x"], label["y"]]) - low) / span
        half = 3.8 * (len(label["text"]) - len("<b></b>")) + 6
        for step in range(2 * len(labels)):
            shift = LINE * ((step + 1) // 2) * (1 if step % 2 else -1)
            if all(abs(x - a) > half + b or abs(y + shift - h) >= LINE for a, h, b in boxes):
                break
        label["yshift"] = shift
        boxes.append((x, y + shift, half))


def _axis(title: str) -> dict[str, Any]:
    return {"title": {"text": title}, "zeroline": False, "showticklabels": bool(title)}


def _plane(X: Any, names: Sequence[object] | None) -> Layout:
    from karat.distances.neighbors import neighbor_lists

    if X.shape[1] <= 2:
        return as_given(X, names, None, None)
    n = X.shape[0]
    return lay_out(X, neighbor_lists(X, n_neighbors(n)) if n > 1 else None)
