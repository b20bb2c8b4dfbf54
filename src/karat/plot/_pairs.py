"""The features themselves: objects by pairs of features, or across all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from karat.plot import style
from karat.plot._features import FeatureProfile, profile_features
from karat.plot._sampled import finished
from karat.runtime.draws import draw_rows
from karat.runtime.validation import InputError, check_data, unknown_name

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from karat.runtime.types import ArrayLike, Labels, RandomState


def pairs(
    X: ArrayLike,
    labels: Labels,
    *,
    feature_names: Sequence[object] | None = None,
    features: int | Sequence[object] = 4,
    names: Sequence[object] | None = None,
    random_state: RandomState = 0,
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
    values, codes, profile, chosen = _chosen(X, labels, feature_names, features)
    m = len(chosen)
    if m < 2:
        raise InputError("pairs need at least two features; got one")
    rows = draw_rows(len(codes), 1_000, random_state)
    cluster_names = style.cluster_names(codes, names)
    titles = [style.safe(profile.names[j]) for j in chosen]
    figure = _panels(m, titles)
    for i in range(1, m):
        for j in range(i):
            for cluster, name in cluster_names.items():
                members, label = rows[codes[rows] == cluster], style.safe(name)
                hover = f"object %{{customdata}}<br>cluster {label}<br>"
                hover += f"{titles[j]} <b>%{{x:.4g}}</b><br>{titles[i]} <b>%{{y:.4g}}</b>"
                trace = {
                    "type": "scatter", "mode": "markers", "name": label,
                    "x": values[members, j], "y": values[members, i], "customdata": members,
                    "legendgroup": str(cluster), "showlegend": i == 1,
                    "hovertemplate": f"{hover}<extra></extra>",
                    "marker": {
                        "color": style.color(cluster), "size": 5, "opacity": 0.7,
                        "symbol": style.symbol(cluster).replace("-thin-open", ""),
                    },
                }  # fmt: skip
                figure.add_trace(trace, row=i, col=j + 1)
    return finished(figure, _means(profile, chosen, cluster_names), len(rows), len(codes))


def _panels(m: int, titles: Sequence[str]) -> go.Figure:
    """Empty panels for each pair of m features, below the diagonal."""
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
    X: ArrayLike,
    labels: Labels,
    *,
    feature_names: Sequence[object] | None = None,
    features: int | Sequence[object] = 12,
    names: Sequence[object] | None = None,
    random_state: RandomState = 0,
) -> go.Figure:
    """Draw each object as a line across the features, and each cluster as the line of its means.

    Parameters
    ----------
    X, labels, feature_names, names
        As for :func:`pairs`.
    features : int or sequence, default 12
        How many, those whose variance lies most between the clusters, in the order of the data; or
        their names.
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
    values, codes, profile, chosen = _chosen(X, labels, feature_names, features)
    rows = draw_rows(len(codes), 500, random_state)
    center, spread = values.mean(axis=0), values.std(axis=0)
    spread[spread == 0] = 1
    lines = (values[rows] - center) / spread
    cluster_names = style.cluster_names(codes, names)
    titles = [style.safe(profile.names[j]) for j in chosen]
    thin, thick = [], []
    for cluster, name in cluster_names.items():
        profiles = lines[codes[rows] == cluster]
        ends = np.column_stack([profiles, np.full(len(profiles), np.nan)]).ravel()
        colour, label = style.color(cluster), style.safe(name)
        base = {"type": "scatter", "legendgroup": str(cluster), "name": label}
        thin.append({
            **base, "mode": "lines", "x": [*titles, None] * len(profiles), "y": ends,
            "opacity": 0.18, "line": {"color": colour, "width": 1},
            "hoverinfo": "skip", "showlegend": cluster < 0,
        })  # fmt: skip
        if cluster >= 0:
            means = profile.means[profile.clusters.index(cluster), chosen]
            thick.append({
                **base, "mode": "lines+markers", "x": titles, "y": (means - center) / spread,
                "line": {"color": colour, "width": 3.5},
                "text": [f"cluster {label}: mean <b>{style.number(v, 3)}</b>" for v in means],
                "hovertemplate": "%{x}<br>%{text}<extra></extra>",
            })  # fmt: skip
    figure = style.figure(
        [*thin, *thick],
        xaxis={"type": "category", "showgrid": True, "tickangle": -30},
        yaxis={"title": {"text": "Standard deviations from the mean"}},
        height=460,
    )
    return finished(figure, _means(profile, chosen, cluster_names), len(rows), len(codes))


def _chosen(
    X: ArrayLike,
    labels: Labels,
    feature_names: Sequence[object] | None,
    features: int | Sequence[object],
) -> tuple[NDArray[np.float64], NDArray[np.int64], FeatureProfile, NDArray[np.intp]]:
    """Values of the features to draw, labels, profile, and positions of the features."""
    points = check_data(X)
    codes = style.check_labels(labels, points.shape[0])
    profile = profile_features(points, codes, feature_names=feature_names)
    if isinstance(features, (int, np.integer)):
        if features < 1:
            raise InputError(f"features must be at least 1; got {features}")
        chosen = np.sort(np.argsort(-profile.explained, kind="stable")[:features])
    else:
        at = {name: j for j, name in enumerate(profile.names)}
        for name in map(str, features):
            if name not in at:
                raise unknown_name(name, at, "feature")
        chosen = np.array([at[str(name)] for name in features])
    block: Any = points[:, chosen]
    values = np.asarray(block.toarray() if sparse.issparse(block) else block, dtype=np.float64)
    return values, codes, profile, chosen


def _means(
    profile: FeatureProfile, chosen: NDArray[np.intp], cluster_names: dict[int, str]
) -> pd.DataFrame:
    """Means of the drawn features in each cluster."""
    import pandas as pd

    return pd.DataFrame(
        profile.means[:, chosen],
        index=pd.Index([cluster_names[c] for c in profile.clusters], name="cluster"),
        columns=[profile.names[j] for j in chosen],
    )
