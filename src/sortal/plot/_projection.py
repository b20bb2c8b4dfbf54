"""The objects in two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sortal.plot import style
from sortal.plot.layout import as_given, lay_out, n_neighbors, sample
from sortal.plot.results import MOST_OBJECTS
from sortal.runtime.validation import InputError, check_data, check_random_state

if TYPE_CHECKING:
    import numpy.typing as npt
    import plotly.graph_objects as go

    from sortal.typing import ArrayLike, Labels, RandomState


def projection(
    X: ArrayLike,
    labels: Labels,
    *,
    ids: npt.ArrayLike | None = None,
    names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    random_state: RandomState = 0,
) -> go.Figure:
    """Draw the objects in the plane, coloured by cluster.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data. One or two features are drawn directly. For more features the picture has the
        first two principal components if they keep at least half of the nearest neighbours,
        otherwise t-SNE if it keeps more. Sparse data stay sparse.
    labels : array-like of int, shape (n,)
        -1 for outliers, drawn as grey crosses.
    ids : array-like, shape (n,), optional
        What each object is called; by default its row number.
    names : sequence, optional
        What the clusters are called, by number.
    feature_names : sequence, optional
        Names of the features.
    random_state : int, Generator or None, default 0
        For the sample that is drawn of more than 5,000 objects, which keeps the shares of the
        clusters and at least 20 objects of each.

    Returns
    -------
    plotly.graph_objects.Figure
        ``layout.meta`` has ``drawn``, ``n``, ``kept`` and, for principal components, ``explained``,
        their shares of the variance. ``kept`` is the share of the 10 nearest neighbours, among the
        drawn objects, that are nearest in the plane too.

    Examples
    --------
    >>> from sortal.plot import projection
    >>> figure = projection([[0.0, 1.0], [1.0, 0.0], [9.0, 9.0]], [0, 0, 1])
    >>> [trace.name for trace in figure.data]
    ['0', '1']
    """
    from sortal.distances.neighbors import neighbor_lists

    X = check_data(X)
    n = X.shape[0]
    codes = style.check_labels(labels, n)
    cluster_names = style.cluster_names(codes, names)
    ids = np.arange(n) if ids is None else np.asarray(ids, dtype=object)
    if len(ids) != n:
        raise InputError(f"ids must have an entry for each of the {n} objects; got {len(ids)}")
    rows = sample(codes, MOST_OBJECTS, check_random_state(random_state))
    points = X[rows]
    if X.shape[1] <= 2:
        plane = as_given(points, feature_names, None, None)
    else:
        lists = neighbor_lists(points, n_neighbors(len(rows))) if n > 1 else None
        plane = lay_out(points, lists)
    size = float(np.clip(60 / np.sqrt(len(rows)) + 3, 4, 10))
    traces = []
    for cluster, name in cluster_names.items():
        members, label, colour = codes[rows] == cluster, style.safe(name), style.color(cluster)
        traces.append({
            "type": "scatter", "mode": "markers", "name": label,
            "x": plane.points[members, 0], "y": plane.points[members, 1], "hoverinfo": "text",
            "text": [f"<b>{style.safe(i)}</b><br>cluster {label}" for i in ids[rows[members]]],
            "marker": {
                "color": colour, "symbol": style.symbol(cluster), "size": size, "opacity": 0.75,
                "line": {"width": 1 if cluster < 0 else 0.5, "color": colour},
            },
        })  # fmt: skip
    axes = [
        {"title": {"text": title}, "zeroline": False, "showticklabels": bool(title)}
        for title in plane.axes
    ]
    return style.figure(
        traces,
        xaxis=axes[0],
        yaxis=axes[1],
        legend={"title": {"text": "Cluster"}, "itemsizing": "constant"},
        height=520,
        meta={"drawn": len(rows), "n": n, "kept": plane.kept, "explained": plane.explained},
    )
