"""The features themselves: objects by pairs of features, or across all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.plot import style
from karat.plot._features import FeatureProfile, profile_features
from karat.plot._sampled import dense, draw, finished
from karat.runtime.validation import InputError, check_data, unknown_name

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    from numpy.typing import NDArray


def pairs(
    X: Any,
    labels: Any,
    *,
    feature_names: Sequence[object] | None = None,
    features: int | Sequence[object] = 4,
    names: Sequence[object] | None = None,
    random_state: Any = 0,
) -> go.Figure:
    """Draw the objects by each pair of features, coloured by cluster.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data in the units to be shown.
    labels : array-like of int, shape (n,)
        -1 for outliers, drawn in grey.
    feature_names : sequence, optional
        Names of the features; by default their numbers.
    features : int or sequence, default 4
        How many, those whose variance lies most between the clusters; or their names.
    names : sequence, optional
        What the clusters are called, by number.
    random_state : int, Generator or None, default 0
        Of more than 1,000 objects a random sample is drawn.

    Returns
    -------
    plotly.graph_objects.Figure
        :func:`table` has the means of these features in each cluster.

    Raises
    ------
    InputError
        If sizes do not fit, a feature is not there, or there is one alone.

    Examples
    --------
    >>> import karat
    >>> figure = karat.plot.pairs([[0.0, 1.0], [1.0, 0.0], [9.0, 9.0]], [0, 0, 1])
    >>> figure.data[0].x.tolist(), figure.layout.xaxis.title.text
    ([0.0, 1.0], '0')
    """
    points, codes, profile, chosen = _chosen(X, labels, feature_names, features)
    m = len(chosen)
    if m < 2:
        raise InputError("pairs need at least two features; got one")
    rows = draw(len(codes), 1_000, random_state)
    values = dense(points, rows, chosen)
    called = style.cluster_names(codes, names)
    titles = [style.safe(profile.names[j]) for j in chosen]
    panels = [(i, j) for i in range(1, m) for j in range(i)]
    figure, traces = _panels(m, titles), []
    for panel, (i, j) in enumerate(panels):
        for cluster, name in called.items():
            own = codes[rows] == cluster
            label = style.safe(name)
            trace = {
                "type": "scatter",
                "mode": "markers",
                "x": values[own, j],
                "y": values[own, i],
                "name": label,
                "legendgroup": str(cluster),
                "showlegend": panel == 0,
                "customdata": rows[own],
                "hovertemplate": f"object %{{customdata}}<br>cluster {label}<br>"
                f"{titles[j]} <b>%{{x:.4g}}</b><br>{titles[i]} <b>%{{y:.4g}}</b><extra></extra>",
                "marker": {
                    "color": style.color(cluster),
                    "symbol": style.symbol(cluster).replace("-thin-open", ""),
                    "size": 5,
                    "opacity": 0.7,
                },
            }
            traces.append(trace)
    each = [panel for panel in panels for _ in called]
    figure.add_traces(traces, rows=[i for i, _ in each], cols=[j + 1 for _, j in each])
    return finished(figure, _means(profile, chosen, called), len(rows), len(codes))


def _panels(m: int, titles: Sequence[str]) -> go.Figure:
    """Axes for each two of m features, below the diagonal."""
    from plotly.subplots import make_subplots

    figure = make_subplots(
        m - 1, m - 1, shared_xaxes=True, shared_yaxes=True,
        horizontal_spacing=0.02, vertical_spacing=0.02,
        specs=[[{} if j <= i else None for j in range(m - 1)] for i in range(m - 1)],
    )  # fmt: skip
    template = style.figure().layout.template
    figure.update_layout(template=template, height=max(320, 60 + 190 * (m - 1)))
    for i in range(1, m):
        figure.update_yaxes(title_text=titles[i], row=i, col=1)
        figure.update_xaxes(title_text=titles[i - 1], row=m - 1, col=i)
    return figure


def parallel_coordinates(
    X: Any,
    labels: Any,
    *,
    feature_names: Sequence[object] | None = None,
    features: int | Sequence[object] = 12,
    names: Sequence[object] | None = None,
    random_state: Any = 0,
) -> go.Figure:
    """Draw each object as a line across the features, and each cluster as the line of its means.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data in the units to be told; a feature is drawn in standard deviations from its mean.
    labels : array-like of int, shape (n,)
        -1 for outliers, drawn in grey without a mean.
    feature_names : sequence, optional
        Names of the features; by default their numbers.
    features : int or sequence, default 12
        How many, those whose variance lies most between the clusters; or their names.
    names : sequence, optional
        What the clusters are called, by number.
    random_state : int, Generator or None, default 0
        Of more than 500 objects a random sample is drawn; the means are of all.

    Returns
    -------
    plotly.graph_objects.Figure
        :func:`table` has the means of these features in each cluster.

    Raises
    ------
    InputError
        If sizes do not fit, or a feature is not there.

    Examples
    --------
    >>> import karat
    >>> figure = karat.plot.parallel_coordinates([[0.0, 1.0], [1.0, 0.0], [9.0, 9.0]], [0, 0, 1])
    >>> [trace.name for trace in figure.data if trace.showlegend is not False]
    ['0', '1']
    """
    points, codes, profile, chosen = _chosen(X, labels, feature_names, features)
    rows = draw(len(codes), 500, random_state)
    every = dense(points, np.arange(len(codes)), chosen)
    center, spread = every.mean(axis=0), every.std(axis=0)
    spread[spread == 0] = 1
    lines = (every[rows] - center) / spread
    called = style.cluster_names(codes, names)
    titles = [style.safe(profile.names[j]) for j in chosen]
    thin, thick = [], []
    for cluster, name in called.items():
        own = lines[codes[rows] == cluster]
        ends = np.column_stack([own, np.full(len(own), np.nan)]).ravel()
        base = {"type": "scatter", "mode": "lines", "legendgroup": str(cluster)}
        colour, label = style.color(cluster), style.safe(name)
        thin.append(
            base
            | {"x": [*titles, None] * len(own), "y": ends, "opacity": 0.18, "name": label,
               "line": {"color": colour, "width": 1}, "hoverinfo": "skip",
               "showlegend": cluster < 0}
        )  # fmt: skip
        if cluster >= 0:
            at = profile.clusters.index(cluster)
            means = profile.means[at, chosen]
            thick.append(
                base
                | {"x": titles, "y": (means - center) / spread, "name": label,
                   "mode": "lines+markers", "line": {"color": colour, "width": 3.5},
                   "text": [f"cluster {label}: mean <b>{style.number(v, 3)}</b>" for v in means],
                   "hovertemplate": "%{x}<br>%{text}<extra></extra>"}
            )  # fmt: skip
    figure = style.figure(
        [*thin, *thick],
        xaxis={"type": "category", "showgrid": True, "tickangle": -30},
        yaxis={"title": {"text": "Standard deviations from the mean"}},
        height=460,
    )
    return finished(figure, _means(profile, chosen, called), len(rows), len(codes))


def _chosen(
    X: Any,
    labels: Any,
    feature_names: Sequence[object] | None,
    features: int | Sequence[object],
) -> tuple[Any, NDArray[np.int64], FeatureProfile, NDArray[np.intp]]:
    points = check_data(X)
    codes = style.check_labels(labels, points.shape[0])
    profile = profile_features(points, codes, feature_names=feature_names)
    at = {name: j for j, name in enumerate(profile.names)}
    if len(at) < points.shape[1]:  # of very many, those that vary most
        every = [str(j) for j in range(points.shape[1])] if feature_names is None else feature_names
        points = points[:, [j for j, name in enumerate(map(str, every)) if name in at]]
    if not isinstance(features, (int, np.integer)):
        missing = [name for name in map(str, features) if name not in at]
        if missing:
            raise unknown_name(missing[0], at, "feature")
        return points, codes, profile, np.array([at[str(name)] for name in features])
    if features < 1:
        raise InputError(f"features must be at least 1; got {features}")
    order = np.argsort(-profile.explained, kind="stable")[:features]
    return points, codes, profile, np.sort(order)


def _means(
    profile: FeatureProfile, chosen: NDArray[np.intp], called: dict[int, str]
) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        profile.means[:, chosen],
        index=pd.Index([called[c] for c in profile.clusters], name="cluster"),
        columns=[profile.names[j] for j in chosen],
    )
