"""Measures of the sums of squares around centroids; Euclidean, O(n d) for each clustering."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from sortal.measures.internal.batch import of_features
from sortal.measures.passes.statistics import Statistics

__all__ = [
    "ball_hall_index",
    "banfield_raftery_index",
    "calinski_harabasz_index",
    "pooled_variance",
    "r_squared",
    "ratkowsky_lance_index",
    "within_sum_of_squares",
]

VARIANCE_RATIO = "variance ratio"
ALL_COINCIDE = "all objects coincide"
NO_SCATTER = "every object is at its cluster's centroid"
_of_squares = partial(of_features, family=VARIANCE_RATIO, needs=["centroids"], cost="O(n d)")
#: measures that never rise when a cluster is split
_falling = partial(
    _of_squares, least_k=1, greater_is_better=False, range=(0.0, math.inf), compares_k=False
)


def sums_of_squares(stats: Statistics, m: int) -> tuple[float, float]:
    """Sums of squares within and between clusters: the traces of W and B."""
    sizes, C = stats.sizes[m], stats.centroids[m]
    mean = sizes @ C / sizes.sum()
    return float(stats.squares[m].sum()), float((sizes * ((C - mean) ** 2).sum(axis=1)).sum())


@_of_squares("Calinski–Harabasz index", references=["calinski1974"], range=(0.0, math.inf))
def calinski_harabasz_index(stats: Statistics, m: int) -> float | str:
    """Variance between clusters over variance within them, per degree of freedom.

    (B/(k−1)) / (W/(n−k)) with the sums of squares B and W.

    Examples
    --------
    >>> calinski_harabasz_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    200.0
    """
    within, between = sums_of_squares(stats, m)
    freedom = stats.freedom(m)
    if freedom == 0 or within == 0:
        return "the sum of squares within clusters is 0"
    return between / (len(stats.sizes[m]) - 1) / (within / freedom)


@_falling("Sum of squares within clusters", references=["macqueen1967"])
def within_sum_of_squares(stats: Statistics, m: int) -> float:
    """Sum of the squared Euclidean distances of the objects to their centroids.

    The objective of k-means (trace W). It never rises when a cluster is split, so it does not
    compare different numbers of clusters.

    Examples
    --------
    >>> within_sum_of_squares([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    1.0
    """
    return float(stats.squares[m].sum())


@_of_squares(
    "Share of the variance explained (R²)", references=["sarle1983", "liu2008"], compares_k=False
)
def r_squared(stats: Statistics, m: int) -> float | str:
    """Share of the variance that the clusters explain, R² = 1 − tr W/tr T.

    It never falls when a cluster is split, so it does not compare different numbers of clusters.
    1 − R² is SigClust's cluster index of two clusters.

    Examples
    --------
    >>> round(r_squared([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.990099
    """
    within, between = sums_of_squares(stats, m)
    return between / (within + between) if within + between > 0 else ALL_COINCIDE


@_falling("Ball–Hall index", references=["ball1965"])
def ball_hall_index(stats: Statistics, m: int) -> float:
    """Mean over clusters of the mean squared distance to the centroid; it falls with splits.

    Examples
    --------
    >>> ball_hall_index([[0.0], [1.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.625
    """
    return float((stats.squares[m] / stats.sizes[m]).mean())


@_of_squares("Ratkowsky–Lance index", references=["ratkowsky1978"])
def ratkowsky_lance_index(stats: Statistics, m: int) -> float | str:
    """√(mean over features of BSS/TSS) / √k; constant features are excluded.

    Examples
    --------
    >>> round(ratkowsky_lance_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.703598
    """
    sizes, C = stats.sizes[m], stats.centroids[m]
    between = sizes @ (C - sizes @ C / sizes.sum()) ** 2
    total = between + stats.feature_squares[m].sum(axis=0)
    varies = total > 0
    if not varies.any():
        return ALL_COINCIDE
    return math.sqrt(float((between[varies] / total[varies]).mean()) / len(sizes))


@_falling("Pooled variance within clusters", references=["milligan1985"], default=False)
def pooled_variance(stats: Statistics, m: int) -> float | str:
    """Trace of the pooled covariance matrix within clusters, tr W/(n − k); it falls with splits.

    Notes
    -----
    The criterion "trace Cov W" of Milligan & Cooper. NbClust's ``trcovw`` is another number: it
    takes the covariance between the columns of W, and its trace.

    Examples
    --------
    >>> pooled_variance([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.5
    """
    freedom = stats.freedom(m)
    if freedom == 0:
        return "every cluster is a singleton"
    return float(stats.squares[m].sum()) / freedom


@of_features(
    "Banfield–Raftery index",
    family="model",
    references=["banfield1993"],
    least_k=1,
    needs=["centroids"],
    greater_is_better=False,
    range=(-math.inf, math.inf),
    cost="O(n d)",
    compares_k=False,
    default=False,
)
def banfield_raftery_index(stats: Statistics, m: int) -> float | str:
    """Σ_c n_c ln(tr W_c/n_c): spherical Gaussian clusters of different sizes.

    Up to a constant, it is 2/d times the negative log-likelihood of the best such Gaussians given
    the clusters, so it falls as clusters are split.

    Examples
    --------
    >>> round(banfield_raftery_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    -5.545177
    """
    sizes, squares = stats.sizes[m], stats.squares[m]
    if (squares == 0).any():
        n = sizes[int(np.argmin(squares))]
        many = f"{n:g} object{'s' if n != 1 else ''}"
        return f"the {many} of a cluster coincide, so the logarithm has no value"
    return float(sizes @ np.log(squares / sizes))
