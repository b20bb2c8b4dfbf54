"""Measures of the spread around centroids: D-index, the parts of SD, Wemmert–Gançarski."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.measures.internal.define import define, each, one
from karat.measures.passes.statistics import Statistics
from karat.partition import NOISE, NoisePolicy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["d_index", "sd_scattering", "sd_separation", "wemmert_gancarski_index"]

ALL_COINCIDE = "all objects coincide"


def d_index(
    X: Any,
    labels: Any,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mean over the clusters of the mean distance to the centroid.

    Not negative, lower is better; it falls with the number of clusters. The knee of the curve is
    looked for: the greatest second difference, see :func:`level_differences`.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    labels : array-like, shape (n,)
    noise : {"error", "cluster", "singletons", "drop"}
        What the label -1 means.
    sample_weight : array-like, shape (n,), optional
        How many coincident objects each stands for; 0 leaves it out.

    Returns
    -------
    float

    Notes
    -----
    Lebart, Morineau & Piron 2000, as in NbClust. O(n d).

    Examples
    --------
    >>> from karat import d_index
    >>> d_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    1.0
    """
    return one("d_index", X, labels, noise=noise, sample_weight=sample_weight)


def sd_scattering(
    X: Any,
    labels: Any,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Scat, the first part of SD: mean length of the clusters' variances over that of all.

    Each cluster has a vector of variances, one for each feature; singletons have zeros. Not
    negative, lower is better; it falls with the number of clusters, so it is added to
    :func:`sd_separation`, see :func:`sd_index`.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    labels : array-like, shape (n,)
    noise : {"error", "cluster", "singletons", "drop"}
    sample_weight : array-like, shape (n,), optional
        How many coincident objects each stands for; 0 leaves it out.

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        Where all objects coincide.

    Notes
    -----
    Halkidi, Vazirgiannis & Batistakis 2000; variances are over n_c, not n_c − 1. O(n d).

    Examples
    --------
    >>> from karat import sd_scattering
    >>> round(sd_scattering([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.009901
    """
    return one("sd_scattering", X, labels, noise=noise, sample_weight=sample_weight)


def sd_separation(
    X: Any,
    labels: Any,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Dis, the second part of SD: (D_max/D_min) Σ_a 1/Σ_b ∣v_a − v_b∣ over the centroids v.

    Not negative, lower is better; 1/length is its unit. It grows with the number of clusters.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    labels : array-like, shape (n,)
    noise : {"error", "cluster", "singletons", "drop"}
    sample_weight : array-like, shape (n,), optional
        How many coincident objects each stands for; 0 leaves it out.

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or two with the same centroid.

    Notes
    -----
    Halkidi, Vazirgiannis & Batistakis 2000. O(n d + k² d).

    Examples
    --------
    >>> from karat import sd_separation
    >>> sd_separation([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.2
    """
    return one("sd_separation", X, labels, noise=noise, sample_weight=sample_weight)


def wemmert_gancarski_index(
    X: Any,
    labels: Any,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Wemmert–Gançarski: Σ_c max(0, n_c − Σ_{x in c} R(x))/n.

    R(x) is the distance of an object to its own centroid over that to the nearest other one; 1
    (neutral) for an object at both. Between 0 and 1, greater is better.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    labels : array-like, shape (n,)
    noise : {"error", "cluster", "singletons", "drop"}
    sample_weight : array-like, shape (n,), optional
        How many coincident objects each stands for; 0 leaves it out.

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters.

    Notes
    -----
    Wemmert, Gançarski & Korczak 2000, in the form of Desgraupes' clusterCrit. A singleton is at
    its centroid, so many singletons look good. O(n k d).

    Examples
    --------
    >>> from karat import wemmert_gancarski_index
    >>> round(wemmert_gancarski_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.949875
    """
    return one("wemmert_gancarski_index", X, labels, noise=noise, sample_weight=sample_weight)


def _d_index(stats: Statistics, m: int) -> float:
    return float((stats.spreads[m] / stats.sizes[m]).mean())


def variance_lengths(stats: Statistics, m: int) -> tuple[Floats, float]:
    """Length of the vector of the features' variances: of each cluster, and of all objects."""
    sizes, C = stats.sizes[m], stats.centroids[m]
    mean = sizes @ C / sizes.sum()
    total = stats.feature_squares[m].sum(axis=0) + sizes @ (C - mean) ** 2
    within = np.linalg.norm(stats.feature_squares[m] / sizes[:, None], axis=1)
    return within, float(np.linalg.norm(total)) / stats.n_judged(m)


def scattering_of(stats: Statistics, m: int) -> float | str:
    within, total = variance_lengths(stats, m)
    return float(within.mean()) / total if total > 0 else ALL_COINCIDE


def separation_of(stats: Statistics, m: int) -> float | str:
    from scipy.spatial.distance import cdist

    C = stats.centroids[m]
    nearest, farthest, inverses = math.inf, 0.0, 0.0
    for start in range(0, len(C), 512):
        apart = cdist(C[start : start + 512], C)
        totals = apart.sum(axis=1)
        farthest = max(farthest, float(apart.max()))
        apart[np.arange(len(apart)), np.arange(start, start + len(apart))] = np.inf
        nearest = min(nearest, float(apart.min()))
        if nearest == 0:
            return "two clusters have the same centroid"
        inverses += float((1 / totals).sum())
    return farthest / nearest * inverses


def _to_centroids(stats: Statistics, m: int) -> Iterator[tuple[NDArray[np.int32], Floats, Floats]]:
    """Cluster, weight and distances to all centroids of the objects judged, in blocks."""
    from scipy.spatial.distance import cdist

    codes, C = stats.labelings.codes[m], stats.centroids[m]
    weights = np.ones(len(codes)) if stats.weights is None else stats.weights
    step = max(1, 2**20 // max(len(C), stats.X.shape[1]))
    for start in range(0, len(codes), step):
        rows: Any = stats.X[start : start + step]
        own = codes[start : start + step]
        kept = own != NOISE
        dense = (rows.toarray() if hasattr(rows, "toarray") else rows)[kept] - stats.shift
        yield own[kept], weights[start : start + step][kept], cdist(dense, C)


def _wemmert_gancarski(stats: Statistics, m: int) -> float:
    sizes = stats.sizes[m]
    ratios = np.zeros(len(sizes))
    for own, weights, apart in _to_centroids(stats, m):
        at = np.arange(len(own))
        a = apart[at, own].copy()
        apart[at, own] = np.inf
        b = apart.min(axis=1)
        ratio = np.divide(a, b, out=np.full(len(a), np.inf), where=b > 0)
        ratio[(a == 0) & (b == 0)] = 1.0
        ratios += np.bincount(own, weights * ratio, len(sizes))
    return float(np.maximum(sizes - ratios, 0).sum()) / stats.n_judged(m)


for _key, _title, _function, _value, _range, _source, _cost, _least_k in (
    ("d_index", "D-index", d_index, _d_index, (0.0, math.inf),
     "Lebart, Morineau & Piron 2000", "O(n d)", 1),
    ("sd_scattering", "Scattering of the SD index (Scat)", sd_scattering, scattering_of,
     (0.0, math.inf), "Halkidi, Vazirgiannis & Batistakis 2000", "O(n d)", 1),
    ("sd_separation", "Separation of the SD index (Dis)", sd_separation, separation_of,
     (0.0, math.inf), "Halkidi, Vazirgiannis & Batistakis 2000", "O(n d + k² d)", 2),
    ("wemmert_gancarski_index", "Wemmert–Gançarski index", wemmert_gancarski_index,
     _wemmert_gancarski, (0.0, 1.0), "Wemmert, Gançarski & Korczak 2000", "O(n k d)", 2),
):  # fmt: skip
    _greater = _key == "wemmert_gancarski_index"
    define(
        _key,
        _title,
        "centroid separation",
        _function,
        each(_value, least_k=_least_k),
        ("centroids",),
        greater_is_better=_greater,
        range=_range,
        optimum=_range[_greater],
        source=_source,
        cost=_cost,
        compares_k=_greater,
        default=False,
        takes_metric=False,
    )
