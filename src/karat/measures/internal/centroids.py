"""Measures of centroids and the variance around them; Euclidean, O(n d) for each clustering."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.measures.internal.define import define, each, one, one_value
from karat.measures.internal.nearest import centroid_extremes
from karat.measures.passes.statistics import Statistics
from karat.partition import NoisePolicy
from karat.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "ball_hall_index",
    "calinski_harabasz_index",
    "davies_bouldin_index",
    "pbm_index",
    "ratkowsky_lance_index",
    "ray_turi_index",
    "within_sum_of_squares",
]


def sums_of_squares(stats: Statistics, m: int) -> tuple[float, float]:
    """Sums of squares within and between clusters: the traces of W and B."""
    sizes, C = stats.sizes[m], stats.centroids[m]
    mean = sizes @ C / sizes.sum()
    return float(stats.squares[m].sum()), float((sizes * ((C - mean) ** 2).sum(axis=1)).sum())


def davies_bouldin_index(
    X: Any,
    labels: Any,
    *,
    p: float = 2,
    q: float = 1,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mean over clusters of the worst (spread + spread)/(distance of centroids).

    Not negative, lower is better.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    labels : array-like, shape (n,)
    p : float, at least 1
        Exponent of the Minkowski distance between centroids; 2 is Euclidean.
    q : float, at least 1
        A cluster's spread is (mean of (Euclidean distance to the centroid)^q)^(1/q). 1 is the
        usual one, and equation 3.17; 2 the standard deviation.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label -1 means.
    sample_weight : array-like, shape (n,), optional
        How many coincident objects each stands for; 0 leaves it out.

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or two clusters with the same centroid.

    Notes
    -----
    Davies & Bouldin 1979; whissell2012 equations 3.16, 3.17. O(n d + k² d) time.

    Examples
    --------
    >>> from karat import davies_bouldin_index
    >>> davies_bouldin_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.1
    """
    if p < 1 or q not in (1, 2):
        raise InputError(f"p must be at least 1 and q 1 or 2; got p={p}, q={q}")

    @each
    def compute(stats: Statistics, m: int) -> float | str:
        return _davies_bouldin_value(stats, m, p, q)

    return one_value(
        "Davies–Bouldin index",
        compute,
        ["centroids"],
        X,
        labels,
        noise=noise,
        sample_weight=sample_weight,
    )


def _davies_bouldin_value(stats: Statistics, m: int, p: float, q: float) -> float | str:
    from scipy.spatial.distance import cdist

    sizes, C = stats.sizes[m], stats.centroids[m]
    spread = stats.spreads[m] / sizes if q == 1 else np.sqrt(stats.squares[m] / sizes)
    worst = np.empty(len(C))
    for start in range(0, len(C), 512):
        block = slice(start, min(start + 512, len(C)))
        apart = cdist(C[block], C, "minkowski", p=p)
        apart[np.arange(len(apart)), np.arange(len(C))[block]] = np.inf
        if (apart == 0).any():
            return "two clusters have the same centroid"
        worst[block] = ((spread[block, None] + spread) / apart).max(axis=1)
    return float(worst.mean())


def calinski_harabasz_index(
    X: Any, labels: Any, *, noise: NoisePolicy = "error", sample_weight: Any = None
) -> float:
    """Variance between clusters over variance within them, per degree of freedom.

    (B/(k−1)) / (W/(n−k)) with the sums of squares B and W. Not negative, greater is better.

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


def pbm_index(
    X: Any, labels: Any, *, noise: NoisePolicy = "error", sample_weight: Any = None
) -> float:
    """PBM index: (E_1/E_k · D/k)², as clusterCrit has it.

    E_1 and E_k are the sums of distances to the mean of all objects and to the own centroid,
    D the largest distance of two centroids. Not negative, greater is better.

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
        For fewer than two clusters, or where every object is at its centroid.

    Notes
    -----
    Pakhira, Bandyopadhyay & Maulik 2004. For soft clusterings see :func:`soft_pbm_index`.
    O(n d + k² d).

    Examples
    --------
    >>> from karat import pbm_index
    >>> pbm_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    2500.0
    """
    return one("pbm_index", X, labels, noise=noise, sample_weight=sample_weight)


def ray_turi_index(
    X: Any, labels: Any, *, noise: NoisePolicy = "error", sample_weight: Any = None
) -> float:
    """Mean squared distance to the centroid over the smallest squared distance of centroids.

    Not negative, lower is better; undefined where two centroids are the same. The same as
    Xie–Beni's index for hard clusterings in its centroid form. Ray & Turi 1999. O(n d + k² d).

    Examples
    --------
    >>> from karat import ray_turi_index
    >>> ray_turi_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.0025
    """
    return one("ray_turi_index", X, labels, noise=noise, sample_weight=sample_weight)


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


def _calinski_harabasz(stats: Statistics, m: int) -> float | str:
    within, between = sums_of_squares(stats, m)
    freedom = stats.freedom(m)
    if freedom == 0 or within == 0:
        return "the sum of squares within clusters is 0"
    return between / (len(stats.sizes[m]) - 1) / (within / freedom)


def _davies_bouldin(stats: Statistics, m: int) -> float | str:
    return _davies_bouldin_value(stats, m, 2, 1)


def _within_squares(stats: Statistics, m: int) -> float:
    return float(stats.squares[m].sum())


def _ball_hall(stats: Statistics, m: int) -> float:
    return float((stats.squares[m] / stats.sizes[m]).mean())


def _pbm(stats: Statistics, m: int) -> float | str:
    inner = float(stats.spreads[m].sum())
    if inner == 0:
        return "every object is at its cluster's centroid"
    k = len(stats.sizes[m])
    outer = float(stats.total_spreads[m])
    return (outer / inner * centroid_extremes(stats, m)[1] / k) ** 2


def _ray_turi(stats: Statistics, m: int) -> float | str:
    nearest = centroid_extremes(stats, m)[0]
    if nearest == 0:
        return "two clusters have the same centroid"
    return float(stats.squares[m].sum()) / stats.n_judged(m) / nearest**2


def _ratkowsky_lance(stats: Statistics, m: int) -> float | str:
    sizes, C = stats.sizes[m], stats.centroids[m]
    between = sizes @ (C - sizes @ C / sizes.sum()) ** 2
    total = between + stats.feature_squares[m].sum(axis=0)
    varies = total > 0
    if not varies.any():
        return "all objects coincide"
    return math.sqrt(float((between[varies] / total[varies]).mean()) / len(sizes))


def _define(
    key: str, title: str, family: str, function: Any, value: Callable[..., Any], **record: Any
) -> None:
    record.setdefault("optimum", math.inf if record["greater_is_better"] else 0.0)
    record.setdefault("range", (0.0, math.inf))
    record.setdefault("cost", "O(n d + k² d)")
    least_k = record.pop("least_k", 2)
    define(
        key,
        title,
        family,
        function,
        each(value, least_k=least_k),
        record.pop("needs", ("centroids",)),
        takes_metric=False,
        **record,
    )


_define(
    "davies_bouldin_index",
    "Davies–Bouldin index",
    "centroid separation",
    davies_bouldin_index,
    _davies_bouldin,
    greater_is_better=False,
    source="Davies & Bouldin 1979",
    equation="3.17",
)
_define(
    "calinski_harabasz_index",
    "Calinski–Harabasz index",
    "variance ratio",
    calinski_harabasz_index,
    _calinski_harabasz,
    greater_is_better=True,
    source="Caliński & Harabasz 1974",
    cost="O(n d)",
)
_define(
    "within_sum_of_squares",
    "Sum of squares within clusters",
    "variance ratio",
    within_sum_of_squares,
    _within_squares,
    greater_is_better=False,
    source="MacQueen 1967",
    cost="O(n d)",
    compares_k=False,
    least_k=1,
)
_define(
    "ball_hall_index",
    "Ball–Hall index",
    "variance ratio",
    ball_hall_index,
    _ball_hall,
    greater_is_better=False,
    source="Ball & Hall 1965",
    cost="O(n d)",
    compares_k=False,
    least_k=1,
)
_define(
    "pbm_index",
    "PBM index",
    "centroid separation",
    pbm_index,
    _pbm,
    greater_is_better=True,
    source="Pakhira, Bandyopadhyay & Maulik 2004",
    needs=("centroids", "total_spreads"),
)
_define(
    "ray_turi_index",
    "Ray–Turi index",
    "centroid separation",
    ray_turi_index,
    _ray_turi,
    default=False,  # Xie–Beni's index has the same values
    greater_is_better=False,
    source="Ray & Turi 1999",
)
_define(
    "ratkowsky_lance_index",
    "Ratkowsky–Lance index",
    "variance ratio",
    ratkowsky_lance_index,
    _ratkowsky_lance,
    greater_is_better=True,
    range=(0.0, 1.0),
    optimum=1.0,
    source="Ratkowsky & Lance 1978",
    cost="O(n d)",
)
