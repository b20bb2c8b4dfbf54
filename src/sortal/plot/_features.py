"""Features that distinguish the clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from sortal.labelings.labels import NOISE
from sortal.plot import style
from sortal.runtime.validation import InputError, check_data

if TYPE_CHECKING:
    import numpy.typing as npt
    import plotly.graph_objects as go

    from sortal.typing import ArrayLike, Labels


def feature_profile(
    X: ArrayLike,
    labels: Labels,
    *,
    feature_names: Sequence[object] | None = None,
    center: npt.ArrayLike | None = None,
    scale: npt.ArrayLike | None = None,
    n_features: int = 20,
    names: Sequence[object] | None = None,
) -> go.Figure:
    """Draw the features that tell the clusters apart best.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data that was clustered.
    labels : array-like of int, shape (n,)
        -1 for outliers, which are excluded.
    feature_names : sequence, optional
        Names of the d features; by default their numbers.
    center, scale : array-like, shape (d,), optional
        What the data was scaled by: the means are given for ``X * scale + center``.
    n_features : int, default 20
        How many features: those with the most variance between the clusters, most first.
    names : sequence, optional
        What the clusters are called, by number.

    Returns
    -------
    plotly.graph_objects.Figure
        Shading: how many standard deviations the cluster's mean is above (blue) or below
        (orange) the mean of all objects. Text: the cluster's mean in original units.

    Examples
    --------
    >>> import sortal
    >>> X = [[0.0, 5.0], [2.0, 5.1], [10.0, 5.0], [12.0, 5.1]]
    >>> figure = sortal.plot.feature_profile(X, [0, 0, 1, 1], feature_names=["age", "size"])
    >>> figure.data[0].y.tolist()
    ['age', 'size']
    """
    from sklearn.utils.sparsefuncs import mean_variance_axis

    X = check_data(X)
    codes = style.check_labels(labels, X.shape[0])
    d = X.shape[1]
    features = [str(name) for name in (range(d) if feature_names is None else feature_names)]
    if len(features) != d:
        raise InputError(f"feature_names has {len(features)} names, but there are {d} features")
    if (codes == NOISE).all():
        raise InputError("every object is an outlier, so there is no cluster to describe")
    if (codes == NOISE).any():
        X, codes = X[codes != NOISE], codes[codes != NOISE]
    clusters, member_of, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    member = sparse.csr_array((np.ones(len(member_of)), (member_of, np.arange(len(member_of)))))
    sums = member @ X
    sums = sums.toarray() if sparse.issparse(sums) else sums
    overall, means = sums.sum(axis=0) / len(member_of), sums / sizes[:, None]
    variance = mean_variance_axis(X, 0)[1] if sparse.issparse(X) else X.var(axis=0, dtype=float)
    varies = variance > 1e-24 * (1 + overall**2)
    spread = np.sqrt(np.where(varies, variance, 1.0))
    deviation = np.where(varies, (means - overall) / spread, 0.0)
    explained = np.clip((sizes / len(member_of)) @ deviation**2, 0, 1)
    factor = 1 if scale is None else np.asarray(scale, dtype=np.float64).ravel()
    shift = 0 if center is None else np.asarray(center, dtype=np.float64).ravel()
    means, overall = means * factor + shift, overall * factor + shift
    chosen = np.argsort(-explained, kind="stable")[:n_features]
    columns = [style.safe(name) for name in style.cluster_names(clusters, names).values()]
    rows = [style.safe(features[j]) for j in chosen]
    deviation, means = deviation[:, chosen].T, means[:, chosen].T
    hover = [
        [
            f"{row}, cluster {column}<br>mean <b>{style.number(means[i, c])}</b>, "
            f"all objects {style.number(overall[chosen[i]])}<br>"
            f"{style.number(deviation[i, c], 2)} standard deviations from all objects"
            for c, column in enumerate(columns)
        ]
        for i, row in enumerate(rows)
    ]
    text = [[style.number(v, 3) for v in line] for line in means]
    bar = style.color_bar(
        "standard<br>deviations<br>from all",
        tickvals=[-2, -1, 0, 1, 2],
        ticktext=["≤ −2", "−1", "0", "1", "≥ 2"],
    )
    return style.heat_map(
        deviation,
        columns,
        [row if len(row) <= 32 else row[:31] + "…" for row in rows],
        limits=(-2, 2),
        text=text if len(columns) <= 12 else None,
        hovertext=hover,
        hoverinfo="text",
        colorbar=bar,
        xaxis={"title": {"text": "Cluster"}},
        height=int(np.clip(130 + 26 * len(rows), 200, 900)),
    )
