"""Which features set each cluster apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from karat.labelings.labels import NOISE
from karat.plot import style
from karat.runtime.resources import row_blocks
from karat.runtime.validation import InputError, check_data

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray

# cells of the table of means that are held at once; beyond, the features that vary most
_MOST_CELLS = 20_000_000


@dataclass(frozen=True)
class FeatureProfile:
    """Means of the features in each cluster, and how far they are from the mean of all objects.

    Attributes
    ----------
    clusters : tuple of int
        The clusters, a row each; outliers are not among them.
    names : tuple of str
        The features, a column each.
    means : ndarray, shape (k, d)
        Mean in each cluster, in the units of the data as given.
    overall : ndarray, shape (d,)
        Mean of all objects that are in a cluster.
    deviation : ndarray, shape (k, d)
        (mean of the cluster − overall mean) / standard deviation of all objects in a cluster;
        0 where a feature is constant.
    explained : ndarray, shape (d,)
        Share of each feature's variance that lies between the clusters (η²), from 0 to 1.
    """

    clusters: tuple[int, ...]
    names: tuple[str, ...]
    means: NDArray[np.float64]
    overall: NDArray[np.float64]
    deviation: NDArray[np.float64]
    explained: NDArray[np.float64]

    def most_telling(self, cluster: int, count: int) -> list[int]:
        """Positions of the features by which this cluster differs most from all objects."""
        strength = np.abs(self.deviation[self.clusters.index(cluster)])
        order = np.argsort(-strength, kind="stable")[:count]
        return [int(j) for j in order if strength[j] > 0]


def profile_features(
    X: Any,
    labels: Any,
    *,
    feature_names: Sequence[object] | None = None,
    center: Any = None,
    scale: Any = None,
) -> FeatureProfile:
    """Describe each cluster by its features, in original units.

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

    Returns
    -------
    FeatureProfile
        With the 20 million / k features of largest variance, where there are more.

    Raises
    ------
    InputError
        If sizes do not fit, or every object is an outlier.

    Notes
    -----
    One pass over the data, O(nd) or O(non-zeros).

    Examples
    --------
    >>> from karat.plot import profile_features
    >>> profile = profile_features([[0.0, 5.0], [2.0, 5.0], [10.0, 5.0], [12.0, 5.0]],
    ...                            [0, 0, 1, 1], feature_names=["age", "size"])
    >>> profile.means
    array([[ 1.,  5.],
           [11.,  5.]])
    >>> profile.explained.round(3)
    array([0.962, 0.   ])
    """
    X = check_data(X)
    codes = style.check_labels(labels, X.shape[0])
    d = X.shape[1]
    names = [str(name) for name in (range(d) if feature_names is None else feature_names)]
    if len(names) != d:
        raise InputError(f"feature_names has {len(names)} names, but there are {d} features")
    clusters = np.unique(codes)
    clusters = clusters[clusters != NOISE]
    if len(clusters) == 0:
        raise InputError("every object is an outlier, so there is no cluster to describe")
    own = np.searchsorted(clusters, codes)
    own[codes == NOISE] = NOISE
    sizes = np.bincount(own[own != NOISE]).astype(np.float64)
    overall = _sums(X, np.minimum(own, 0), 1)[0] / sizes.sum()
    variance = _variance(X, own != NOISE, overall)
    most = max(1, _MOST_CELLS // len(clusters))
    if d > most:
        columns = np.sort(np.argsort(-variance, kind="stable")[:most])
        X, overall, variance = X[:, columns], overall[columns], variance[columns]
        names = [names[j] for j in columns]
    else:
        columns = np.arange(d)
    means = _sums(X, own, len(clusters)) / sizes[:, None]
    varies = variance > 1e-24 * (1 + overall**2)
    spread = np.sqrt(np.where(varies, variance, 1.0))
    difference = means - overall
    deviation = np.where(varies, difference / spread, 0.0)
    explained = np.clip((sizes / sizes.sum()) @ deviation**2, 0, 1)
    if scale is not None:
        factor = np.asarray(scale, dtype=np.float64).ravel()[columns]
        means, overall = means * factor, overall * factor
    if center is not None:
        shift = np.asarray(center, dtype=np.float64).ravel()[columns]
        means, overall = means + shift, overall + shift
    return FeatureProfile(
        tuple(int(c) for c in clusters), tuple(names), means, overall, deviation, explained
    )


def _sums(X: Any, own: NDArray[np.intp], k: int) -> NDArray[np.float64]:
    """Sums of the rows of each cluster, shape (k, d), without those of ``NOISE``."""
    total = np.zeros((k, X.shape[1]))
    for block in _blocks(X):
        kept = np.flatnonzero(own[block] != NOISE)
        member = sparse.csr_array(
            (np.ones(len(kept)), (own[block][kept], kept)), shape=(k, len(own[block]))
        )
        part = member @ X[block]
        total += part.toarray() if sparse.issparse(part) else part
    return total


def _blocks(X: Any) -> Iterable[slice]:
    return [slice(0, X.shape[0])] if sparse.issparse(X) else row_blocks(X.shape)


def _variance(X: Any, kept: NDArray[np.bool_], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    squares = np.zeros(X.shape[1])
    for block in _blocks(X):
        rows = X[block][np.flatnonzero(kept[block])]
        if sparse.issparse(X):
            squares += np.asarray(rows.multiply(rows).sum(axis=0), dtype=np.float64).ravel()
        else:
            squares += ((rows - mean) ** 2).sum(axis=0)
    if sparse.issparse(X):
        return np.maximum(squares / kept.sum() - mean**2, 0)
    return squares / kept.sum()


def feature_profile(
    profile: FeatureProfile, *, n_features: int = 20, names: Sequence[object] | None = None
) -> go.Figure:
    """Draw a :class:`FeatureProfile`: the features that tell the clusters apart best.

    Parameters
    ----------
    profile : FeatureProfile
        As from :func:`profile_features`.
    n_features : int, default 20
        How many features, those with the largest η², largest first.
    names : sequence, optional
        What the clusters are called, by number.

    Returns
    -------
    plotly.graph_objects.Figure
        Shading: how many standard deviations the cluster's mean is above (blue) or below
        (orange) the mean of all objects. Text: the cluster's mean in original units.

    Examples
    --------
    >>> from karat.plot import feature_profile, profile_features
    >>> profile = profile_features([[0.0], [1.0], [9.0]], [0, 0, 1], feature_names=["age"])
    >>> feature_profile(profile).data[0].y.tolist()
    ['age']
    """
    chosen = np.argsort(-profile.explained, kind="stable")[:n_features]
    called = style.cluster_names(np.array(profile.clusters), names)
    columns = [style.safe(name) for name in called.values()]
    rows = [style.safe(profile.names[j]) for j in chosen]
    deviation, means = profile.deviation[:, chosen].T, profile.means[:, chosen].T
    hover = [
        [
            f"{rows[i]}, cluster {columns[c]}<br>mean <b>{style.number(means[i, c])}</b>, "
            f"all objects {style.number(profile.overall[chosen[i]])}<br>"
            f"{style.number(deviation[i, c], 2)} standard deviations from all objects"
            for c in range(len(columns))
        ]
        for i in range(len(rows))
    ]
    few = len(columns) <= 12
    text = [[style.number(v, 3) for v in line] for line in means]
    bar = style.color_bar(
        "standard<br>deviations<br>from all",
        tickvals=[-2, -1, 0, 1, 2],
        ticktext=["≤ −2", "−1", "0", "1", "≥ 2"],
    )
    return style.heat_map(
        deviation,
        columns,
        [_shortened(row) for row in rows],
        limits=(-2, 2),
        text=text if few else None,
        hovertext=hover,
        hoverinfo="text",
        colorbar=bar,
        xaxis={"title": {"text": "Cluster"}},
        height=int(np.clip(130 + 26 * len(rows), 200, 900)),
    )


def _shortened(text: str, most: int = 32) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
