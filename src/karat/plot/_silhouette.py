"""The silhouette plot: how well each object fits its cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import check_points
from karat.measures import silhouette_samples
from karat.plot import style
from karat.plot._clusters import silhouette_profile
from karat.plot._sampled import draw, finished

if TYPE_CHECKING:
    import plotly.graph_objects as go

AT_MOST = 5_000


def silhouette(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    names: Sequence[object] | None = None,
    random_state: Any = 0,
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
        left of zero are objects that are nearer to another cluster. :func:`table` has for each
        cluster its objects, their mean silhouette, and the share below 0.

    Raises
    ------
    InputError
        For fewer than two clusters, or sizes that do not fit.

    References
    ----------
    Rousseeuw, *J. Comput. Appl. Math.* 20, 1987.

    Examples
    --------
    >>> import karat
    >>> karat.plot.silhouette([[0.0], [1.0], [9.0], [9.5]], [0, 0, 1, 1]).layout.xaxis.title.text
    'Silhouette'
    """
    import pandas as pd

    points = check_points(X, metric)
    codes = style.check_labels(labels, points.shape[0])
    rows = draw(len(codes), AT_MOST, random_state)
    if len(rows) < len(codes):
        given = isinstance(metric, str) and metric == "precomputed"
        points = points[rows][:, rows] if given else points[rows]
    values = silhouette_samples(points, codes[rows], metric=metric, noise="drop")
    figure = silhouette_profile(values, codes[rows], names=names)
    told = []
    for cluster, name in style.cluster_names(codes[rows], names).items():
        own = values[(codes[rows] == cluster) & ~np.isnan(values)]
        if len(own):
            told.append((name, len(own), float(own.mean()), float((own < 0).mean())))
    columns = ["cluster", "objects", "mean silhouette", "below 0"]
    found = pd.DataFrame(told, columns=columns).set_index("cluster")
    return finished(figure, found, len(rows), len(codes))
