"""The objects in two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from karat.plot import style
from karat.runtime.validation import InputError, check_data, check_random_state

LINE = 22  # pixels from one label to the next

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray


def projection(
    X: Any,
    labels: Any,
    *,
    ids: Any = None,
    truth: Any = None,
    names: Sequence[object] | None = None,
    feature_names: Sequence[object] | None = None,
    center: Any = None,
    scale: Any = None,
    max_points: int = 5000,
    random_state: Any = 0,
) -> go.Figure:
    """Draw the objects in the plane, coloured by cluster.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data. Up to two features are drawn as they are; of more, the first two principal
        components (also of sparse data, which is not made dense).
    labels : array-like of int, shape (n,)
        -1 for outliers, drawn as grey crosses.
    ids : array-like, shape (n,), optional
        What each object is called, shown where the pointer is; by default its row number.
    truth : array-like, shape (n,), optional
        Class of each object, None where it is not known; shown where the pointer is.
    names : sequence, optional
        What the clusters are called, by number.
    feature_names : sequence, optional
        Names of the features.
    center, scale : array-like, shape (d,), optional
        One or two features are drawn as ``X * scale + center``.
    max_points : int, default 5000
        Of more objects, a random sample is drawn that keeps the shares of the clusters, and at
        least 20 objects of each; ``figure.layout.meta["drawn"]`` tells how many.
    random_state : int, Generator or None, default 0
        For the sample.

    Returns
    -------
    plotly.graph_objects.Figure
        ``layout.meta`` has ``drawn``, ``n``, and ``explained``: the share of the variance that
        each of the two components has, None where the features themselves are drawn.

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
    if len(ids) != n or (truth is not None and len(truth) != n):
        raise InputError(f"ids and truth must have an entry for each of the {n} objects")
    shown = _sample(codes, max_points, check_random_state(random_state))
    points, axes, explained = _plane(X, shown, feature_names, center, scale)
    size = float(np.clip(60 / np.sqrt(len(shown)) + 3, 4, 10))
    traces, labels_there = [], []
    for cluster, name in called.items():
        drawn = np.flatnonzero(codes[shown] == cluster)
        hover = [
            f"<b>{style.safe(ids[i])}</b><br>cluster {style.safe(name)}"
            + ("" if truth is None else f"<br>class {_class(truth[i])}")
            for i in shown[drawn]
        ]
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
        xaxis={"title": {"text": axes[0]}, "zeroline": False},
        yaxis={"title": {"text": axes[1]}, "zeroline": False, "showticklabels": X.shape[1] > 1},
        showlegend=few,
        legend={"title": {"text": "Cluster"}, "itemsizing": "constant"},
        annotations=labels_there if len(called) <= 60 else [],
        height=520,
        meta={"drawn": len(shown), "n": n, "explained": explained},
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


def _class(value: Any) -> str:
    return "not known" if value is None else style.safe(value)


def _plane(
    X: Any, shown: NDArray[np.intp], feature_names: Sequence[object] | None, center: Any, scale: Any
) -> tuple[NDArray[np.float32], tuple[str, str], list[float] | None]:
    """The shown objects in the plane of the features, or of all objects' principal components."""
    d = X.shape[1]
    if d <= 2:
        rows = X[shown]
        given = np.asarray(rows.toarray() if sparse.issparse(X) else rows, dtype=np.float64)
        given = given * (1 if scale is None else np.asarray(scale, dtype=np.float64))
        given = given + (0 if center is None else np.asarray(center, dtype=np.float64))
        named = [
            style.safe(f"feature {j}" if feature_names is None else feature_names[j])
            for j in range(d)
        ]
        if d == 1:
            # one dimension: spread the objects out so that they do not hide each other
            aside = check_random_state(0).uniform(-1, 1, size=(len(shown), 1))
            return np.hstack([given, aside]).astype(np.float32), (named[0], ""), None
        return given.astype(np.float32), (named[0], named[1]), None
    points, share = _principal(X, shown)
    titles = [
        f"Principal component {i + 1} ({style.percent(share[i])} of the variance)" for i in range(2)
    ]
    return points.astype(np.float32), (titles[0], titles[1]), [float(s) for s in share]


def _principal(X: Any, shown: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from sklearn.decomposition import PCA

    n = X.shape[0]
    if n < 3 or (sparse.issparse(X) and X.nnz == 0):
        X = X[shown].toarray() if sparse.issparse(X) else X[shown]
        centred = X - X.mean(axis=0)
        distance = np.sqrt((centred**2).sum(axis=1))
        line = distance * np.where(np.arange(len(shown)) == 0, 1.0, -1.0)
        share = np.array([1.0 if distance.any() else 0.0, 0.0])
        return np.column_stack([line, np.zeros(len(shown))]), share
    # sparse data is centred implicitly by ARPACK; dense data by whatever suits its shape
    model = PCA(2, svd_solver="arpack" if sparse.issparse(X) else "auto", random_state=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        points = model.fit(X).transform(X[shown])
    return points, np.nan_to_num(model.explained_variance_ratio_)


def _sample(codes: NDArray[np.int64], most: int, rng: np.random.Generator) -> NDArray[np.intp]:
    n = len(codes)
    if n <= most:
        return np.arange(n)
    parts = []
    for cluster in np.unique(codes):
        own = np.flatnonzero(codes == cluster)
        wanted = max(round(most * len(own) / n), min(20, len(own)))
        parts.append(rng.choice(own, size=wanted, replace=False))
    return np.sort(np.concatenate(parts))
