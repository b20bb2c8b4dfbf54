"""Measures of centroids, their distances and the spread around them; Euclidean."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.labels import NOISE, NoisePolicy
from karat.labelings.partitions import SoftPartition
from karat.measures.catalogue import define
from karat.measures.internal.batch import each, of_features, one, one_value
from karat.measures.internal.nearest import centroid_extremes
from karat.measures.internal.variance import ALL_COINCIDE
from karat.measures.passes.statistics import Statistics
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "davies_bouldin_index",
    "pbm_index",
    "ray_turi_index",
    "sd_scattering",
    "sd_separation",
    "wemmert_gancarski_index",
]

FAMILY = "centroid separation"
SAME_CENTROID = "two clusters have the same centroid"
_of_centroids = partial(of_features, family=FAMILY, needs=["centroids"], default=False)


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

    Parameters
    ----------
    p : float, at least 1
        Exponent of the Minkowski distance between centroids; 2 is Euclidean.
    q : float, at least 1
        A cluster's spread is (mean of (Euclidean distance to the centroid)^q)^(1/q). 1 is the
        usual one, and equation 3.17; 2 the standard deviation.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or two clusters with the same centroid.

    Examples
    --------
    >>> davies_bouldin_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.1
    """
    if p < 1 or q not in (1, 2):
        raise InputError(f"p must be at least 1 and q 1 or 2; got p={p}, q={q}")
    compute = each(lambda stats, m: _davies_bouldin_value(stats, m, p, q))
    return one_value(
        "Davies–Bouldin index", compute, ["centroids"], X, labels,
        noise=noise, sample_weight=sample_weight,
    )  # fmt: skip


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
            return SAME_CENTROID
        worst[block] = ((spread[block, None] + spread) / apart).max(axis=1)
    return float(worst.mean())


def pbm_index(
    X: Any, labels: Any, *, noise: NoisePolicy = "error", sample_weight: Any = None
) -> float:
    """PBM index: (E_1/E_k · D/k)², as clusterCrit has it.

    E_1 and E_k are the sums of distances to the mean of all objects and to the own centroid,
    D the largest distance of two centroids.

    Parameters
    ----------
    labels : array-like, shape (n,), or SoftPartition
        Memberships are judged by :func:`soft_pbm_index`.
    sample_weight : array-like, shape (n,), optional
        Object weights (frequencies); 0 excludes the object. Not for memberships.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where every object is at its centroid.

    Examples
    --------
    >>> pbm_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    2500.0
    """
    if isinstance(labels, SoftPartition):
        from karat.measures.internal.soft import soft_pbm_index

        if sample_weight is not None:
            raise InputError("memberships take no sample_weight here; repeat the objects instead")
        return soft_pbm_index(X, labels)
    return one("pbm_index", X, labels, noise=noise, sample_weight=sample_weight)


def _pbm(stats: Statistics, m: int) -> float | str:
    inner = float(stats.spreads[m].sum())
    if inner == 0:
        return "every object is at its cluster's centroid"
    k = len(stats.sizes[m])
    outer = float(stats.total_spreads[m])
    return (outer / inner * centroid_extremes(stats, m)[1] / k) ** 2


define(
    davies_bouldin_index,
    "Davies–Bouldin index",
    family=FAMILY,
    references=["davies1979", "whissell2012 3.16, 3.17"],
    compute=each(lambda stats, m: _davies_bouldin_value(stats, m, 2, 1)),
    needs=["centroids"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n d + k² d)",
    takes="features",
)
define(
    pbm_index,
    "PBM index",
    family=FAMILY,
    references=["pakhira2004"],
    compute=each(_pbm),
    needs=["centroids", "total_spreads"],
    range=(0.0, math.inf),
    cost="O(n d + k² d)",
    takes="features",
    structures={"soft"},
)


@_of_centroids(
    "Ray–Turi index",
    references=["ray1999"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n d + k² d)",
)
def ray_turi_index(stats: Statistics, m: int) -> float | str:
    """Mean squared distance to the centroid over the smallest squared distance of centroids.

    The same as Xie–Beni's index for hard clusterings in its centroid form.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where two have the same centroid.

    Examples
    --------
    >>> ray_turi_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.0025
    """
    nearest = centroid_extremes(stats, m)[0]
    if nearest == 0:
        return SAME_CENTROID
    return float(stats.squares[m].sum()) / stats.n_judged(m) / nearest**2


def variance_lengths(stats: Statistics, m: int) -> tuple[Floats, float]:
    """Length of the vector of the features' variances: of each cluster, and of all objects."""
    sizes, C = stats.sizes[m], stats.centroids[m]
    mean = sizes @ C / sizes.sum()
    total = stats.feature_squares[m].sum(axis=0) + sizes @ (C - mean) ** 2
    within = np.linalg.norm(stats.feature_squares[m] / sizes[:, None], axis=1)
    return within, float(np.linalg.norm(total)) / stats.n_judged(m)


@_of_centroids(
    "Scattering of the SD index (Scat)",
    references=["halkidi2000"],
    least_k=1,
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n d)",
    compares_k=False,
)
def sd_scattering(stats: Statistics, m: int) -> float | str:
    """Scat, the first part of SD: mean length of the clusters' variances over that of all.

    Each cluster has a vector of variances (over n_c, not n_c − 1), one for each feature;
    singletons have zeros. It falls with the number of clusters, so SD adds
    :func:`sd_separation`.

    Raises
    ------
    UndefinedMeasureError
        Where all objects coincide.

    Examples
    --------
    >>> round(sd_scattering([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.009901
    """
    within, total = variance_lengths(stats, m)
    return float(within.mean()) / total if total > 0 else ALL_COINCIDE


@_of_centroids(
    "Separation of the SD index (Dis)",
    references=["halkidi2000"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n d + k² d)",
    compares_k=False,
)
def sd_separation(stats: Statistics, m: int) -> float | str:
    """Dis, the second part of SD: (D_max/D_min) Σ_a 1/Σ_b ∣v_a − v_b∣ over the centroids v.

    1/length is its unit. It grows with the number of clusters.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or two with the same centroid.

    Examples
    --------
    >>> sd_separation([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.2
    """
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
            return SAME_CENTROID
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


@_of_centroids("Wemmert–Gançarski index", references=["wemmert2000"], cost="O(n k d)")
def wemmert_gancarski_index(stats: Statistics, m: int) -> float:
    """Wemmert–Gançarski: Σ_c max(0, n_c − Σ_{x in c} R(x))/n.

    R(x) is the distance of an object to its own centroid over that to the nearest other one; 1
    (neutral) for an object at both.

    Notes
    -----
    In the form of Desgraupes' clusterCrit. A singleton is at its centroid, so many singletons look
    good. O(n k d).

    Examples
    --------
    >>> round(wemmert_gancarski_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.949875
    """
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
