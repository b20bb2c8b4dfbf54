"""Measures of the sums of squares around centroids; Euclidean, O(n d) for each clustering."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.internal.batch import each, one
from karat.measures.passes.statistics import Statistics

__all__ = [
    "ball_hall_index",
    "banfield_raftery_index",
    "calinski_harabasz_index",
    "log_scatter_ratio",
    "pooled_variance",
    "r_squared",
    "ratkowsky_lance_index",
    "within_sum_of_squares",
]

ALL_COINCIDE = "all objects coincide"
NO_SCATTER = "every object is at its cluster's centroid"


def sums_of_squares(stats: Statistics, m: int) -> tuple[float, float]:
    """Sums of squares within and between clusters: the traces of W and B."""
    sizes, C = stats.sizes[m], stats.centroids[m]
    mean = sizes @ C / sizes.sum()
    return float(stats.squares[m].sum()), float((sizes * ((C - mean) ** 2).sum(axis=1)).sum())


def calinski_harabasz_index(
    X: Any, labels: Any, *, noise: NoisePolicy = "error", sample_weight: Any = None
) -> float:
    """Variance between clusters over variance within them, per degree of freedom.

    (B/(k−1)) / (W/(n−k)) with the sums of squares B and W. Not negative, greater is better.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where every object is at its centroid.

    Notes
    -----
    Caliński & Harabasz 1974. O(n d) time.

    Examples
    --------
    >>> from karat import calinski_harabasz_index
    >>> calinski_harabasz_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    200.0
    """
    return one("calinski_harabasz_index", X, labels, noise=noise, sample_weight=sample_weight)


def within_sum_of_squares(
    X: Any, labels: Any, *, noise: NoisePolicy = "error", sample_weight: Any = None
) -> float:
    """Squared Euclidean distances of the objects to their centroids, added up.

    The objective of k-means (trace W). Not negative, lower is better; it never rises when a
    cluster is split, so it does not compare different numbers of clusters. O(n d) time.

    Examples
    --------
    >>> from karat import within_sum_of_squares
    >>> within_sum_of_squares([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    1.0
    """
    return one("within_sum_of_squares", X, labels, noise=noise, sample_weight=sample_weight)


def ball_hall_index(
    X: Any, labels: Any, *, noise: NoisePolicy = "error", sample_weight: Any = None
) -> float:
    """Mean over clusters of the mean squared distance to the centroid.

    Not negative, lower is better, but it falls as clusters are split. Ball & Hall 1965. O(n d).

    Examples
    --------
    >>> from karat import ball_hall_index
    >>> ball_hall_index([[0.0], [1.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.625
    """
    return one("ball_hall_index", X, labels, noise=noise, sample_weight=sample_weight)


def ratkowsky_lance_index(
    X: Any, labels: Any, *, noise: NoisePolicy = "error", sample_weight: Any = None
) -> float:
    """√(mean over features of BSS/TSS) / √k. Between 0 and 1, greater is better.

    Constant features are excluded. Ratkowsky & Lance 1978. O(n d).

    Examples
    --------
    >>> from karat import ratkowsky_lance_index
    >>> round(ratkowsky_lance_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.703598
    """
    return one("ratkowsky_lance_index", X, labels, noise=noise, sample_weight=sample_weight)


def r_squared(
    X: Any, labels: Any, *, noise: NoisePolicy = "error", sample_weight: Any = None
) -> float:
    """Share of the variance that the clusters explain, R² = 1 − tr W/tr T.

    Between 0 and 1, greater is better; it never falls when a cluster is split, so it does not
    compare different numbers of clusters.

    Parameters
    ----------
    sample_weight : array-like, shape (n,), optional
        Object weights (frequencies); 0 excludes the object.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where all objects coincide.

    Notes
    -----
    ``r_squared_index`` of permetrics. 1 − R² is SigClust's cluster index of two clusters. O(n d).

    Examples
    --------
    >>> from karat import r_squared
    >>> round(r_squared([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.990099
    """
    return one("r_squared", X, labels, noise=noise, sample_weight=sample_weight)


def _r_squared(stats: Statistics, m: int) -> float | str:
    within, between = sums_of_squares(stats, m)
    return between / (within + between) if within + between > 0 else ALL_COINCIDE


def pooled_variance(
    X: Any,
    labels: Any,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Trace of the pooled covariance matrix within clusters, tr W/(n − k).

    Not negative, lower is better; it falls with the number of clusters, and the number after its
    largest fall is taken, see :func:`level_differences`.

    Raises
    ------
    UndefinedMeasureError
        Where every cluster is a singleton.

    Notes
    -----
    The criterion "trace Cov W" of Milligan & Cooper 1985. NbClust's ``trcovw`` is another
    number: the trace of the covariance of the columns of the matrix W. O(n d).

    Examples
    --------
    >>> from karat import pooled_variance
    >>> pooled_variance([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.5
    """
    return one("pooled_variance", X, labels, noise=noise, sample_weight=sample_weight)


def log_scatter_ratio(
    X: Any,
    labels: Any,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """ln(tr B/tr W): the logarithm of the sums of squares between over within.

    No bounds, greater is better; it grows with the number of clusters.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where one of the sums is 0.

    Notes
    -----
    Hartigan 1975. Not :func:`hartigan_index`, which compares two numbers of clusters. O(n d).

    Examples
    --------
    >>> from karat import log_scatter_ratio
    >>> round(log_scatter_ratio([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    4.60517
    """
    return one("log_scatter_ratio", X, labels, noise=noise, sample_weight=sample_weight)


def banfield_raftery_index(
    X: Any,
    labels: Any,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Σ_c n_c ln(tr W_c/n_c): spherical Gaussian clusters of different sizes.

    No bounds, lower is better. A constant apart, it is 2/d times the negative log-likelihood of
    the best such Gaussians given the clusters, so it falls as clusters are split.

    Raises
    ------
    UndefinedMeasureError
        Where a cluster is a singleton, or all its objects coincide.

    Notes
    -----
    Banfield & Raftery 1993. O(n d).

    Examples
    --------
    >>> from karat import banfield_raftery_index
    >>> round(banfield_raftery_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    -5.545177
    """
    return one("banfield_raftery_index", X, labels, noise=noise, sample_weight=sample_weight)


def _calinski_harabasz(stats: Statistics, m: int) -> float | str:
    within, between = sums_of_squares(stats, m)
    freedom = stats.freedom(m)
    if freedom == 0 or within == 0:
        return "the sum of squares within clusters is 0"
    return between / (len(stats.sizes[m]) - 1) / (within / freedom)


def _within_squares(stats: Statistics, m: int) -> float:
    return float(stats.squares[m].sum())


def _ball_hall(stats: Statistics, m: int) -> float:
    return float((stats.squares[m] / stats.sizes[m]).mean())


def _ratkowsky_lance(stats: Statistics, m: int) -> float | str:
    sizes, C = stats.sizes[m], stats.centroids[m]
    between = sizes @ (C - sizes @ C / sizes.sum()) ** 2
    total = between + stats.feature_squares[m].sum(axis=0)
    varies = total > 0
    if not varies.any():
        return ALL_COINCIDE
    return math.sqrt(float((between[varies] / total[varies]).mean()) / len(sizes))


def _pooled_variance(stats: Statistics, m: int) -> float | str:
    freedom = stats.freedom(m)
    if freedom == 0:
        return "every cluster is a singleton"
    return float(stats.squares[m].sum()) / freedom


def _log_scatter_ratio(stats: Statistics, m: int) -> float | str:
    within, between = sums_of_squares(stats, m)
    if within == 0:
        return NO_SCATTER
    return math.log(between / within) if between > 0 else "all centroids are the same"


def _banfield_raftery(stats: Statistics, m: int) -> float | str:
    sizes, squares = stats.sizes[m], stats.squares[m]
    if (squares == 0).any():
        c = int(np.argmin(squares))
        return f"the {objects(sizes[c])} of a cluster coincide, so the logarithm has no value"
    return float(sizes @ np.log(squares / sizes))


def objects(n: float) -> str:
    """``3 objects``, ``1 object``."""
    return f"{n:g} object{'s' if n != 1 else ''}"


define(
    calinski_harabasz_index,
    "Calinski–Harabasz index",
    family="variance ratio",
    references=[Reference("calinski1974")],
    compute=each(_calinski_harabasz),
    needs=["centroids"],
    range=(0.0, math.inf),
    cost="O(n d)",
    takes="features",
)
define(
    within_sum_of_squares,
    "Sum of squares within clusters",
    family="variance ratio",
    references=[Reference("macqueen1967")],
    compute=each(_within_squares, least_k=1),
    needs=["centroids"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n d)",
    compares_k=False,
    takes="features",
)
define(
    r_squared,
    "Share of the variance explained (R²)",
    family="variance ratio",
    references=[Reference("sarle1983"), Reference("liu2008")],
    compute=each(_r_squared),
    needs=["centroids"],
    cost="O(n d)",
    compares_k=False,
    takes="features",
)
define(
    ball_hall_index,
    "Ball–Hall index",
    family="variance ratio",
    references=[Reference("ball1965")],
    compute=each(_ball_hall, least_k=1),
    needs=["centroids"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n d)",
    compares_k=False,
    takes="features",
)
define(
    ratkowsky_lance_index,
    "Ratkowsky–Lance index",
    family="variance ratio",
    references=[Reference("ratkowsky1978")],
    compute=each(_ratkowsky_lance),
    needs=["centroids"],
    cost="O(n d)",
    takes="features",
)
define(
    pooled_variance,
    "Pooled variance within clusters",
    family="variance ratio",
    references=[Reference("milligan1985")],
    compute=each(_pooled_variance, least_k=1),
    needs=["centroids"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n d)",
    compares_k=False,
    default=False,
    takes="features",
)
define(
    log_scatter_ratio,
    "Log ratio of sums of squares",
    family="variance ratio",
    references=[Reference("hartigan1975")],
    compute=each(_log_scatter_ratio),
    needs=["centroids"],
    range=(-math.inf, math.inf),
    cost="O(n d)",
    compares_k=False,
    default=False,
    takes="features",
)
define(
    banfield_raftery_index,
    "Banfield–Raftery index",
    family="model",
    references=[Reference("banfield1993")],
    compute=each(_banfield_raftery, least_k=1),
    needs=["centroids"],
    greater_is_better=False,
    range=(-math.inf, math.inf),
    cost="O(n d)",
    compares_k=False,
    default=False,
    takes="features",
)
