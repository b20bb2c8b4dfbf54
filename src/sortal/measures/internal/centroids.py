"""Measures of centroids, their Euclidean distances and the spread around them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.labelings.labels import NOISE, NoisePolicy
from sortal.measures.catalogue import define
from sortal.measures.internal.batch import (
    SINGLETONS_ONLY,
    batch_form,
    compute_one,
    measure_one,
    of_features,
)
from sortal.measures.internal.nearest import between_centroids, centroid_pairs
from sortal.measures.internal.soft import has_memberships, soft_pbm
from sortal.measures.internal.variance import ALL_COINCIDE, NO_SCATTER
from sortal.measures.passes.statistics import Statistics
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.labelings.partitions import SoftPartition
    from sortal.typing import ArrayLike, Floats, Labels

__all__ = [
    "davies_bouldin_index",
    "pbm_index",
    "ray_turi_index",
    "sd_scattering",
    "sd_separation",
    "wemmert_gancarski_index",
]

CENTROID_SEPARATION = "centroid separation"
SAME_CENTROID = "two clusters have the same centroid"
_of_centroids = partial(of_features, family=CENTROID_SEPARATION, needs=["centroids"], default=False)


def davies_bouldin_index(
    X: ArrayLike,
    labels: Labels,
    *,
    p: float = 2,
    q: float = 1,
    noise: NoisePolicy = "error",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean over clusters of the worst (spread + spread)/(distance of centroids).

    Parameters
    ----------
    p : float, at least 1
        Exponent of the Minkowski distance between centroids; 2 is Euclidean.
    q : float, at least 1
        A cluster's spread is (mean of (Euclidean distance to the centroid)^q)^(1/q). 1 is usual
        (equation 3.17); 2 is the standard deviation.

    Examples
    --------
    >>> davies_bouldin_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.1
    """
    if p < 1 or q not in (1, 2):
        raise InputError(f"p must be at least 1 and q 1 or 2; got p={p}, q={q}")
    compute = batch_form(lambda stats, m: _davies_bouldin_value(stats, m, p, q))
    return compute_one(
        "Davies–Bouldin index", compute, ["centroids"], X, labels,
        noise=noise, sample_weight=sample_weight,
    )  # fmt: skip


def _davies_bouldin_value(stats: Statistics, m: int, p: float, q: float) -> float | str:
    """Davies–Bouldin index of clustering m, or the reason of a missing value."""
    sizes, C = stats.sizes[m], stats.centroids[m]
    if stats.pairs_within(m) == 0:
        return SINGLETONS_ONLY
    if p == 2:
        pairs = between_centroids(stats, m)
        if q == 2:
            pairs = centroid_pairs(C, np.sqrt(stats.squares[m] / sizes))
        return SAME_CENTROID if pairs.nearest == 0 else float(pairs.worst.mean())
    spread = stats.spreads[m] / sizes if q == 1 else np.sqrt(stats.squares[m] / sizes)
    worst = np.empty(len(C))
    for i, center in enumerate(C):
        distances = np.linalg.norm(C - center, ord=p, axis=1)
        distances[i] = math.inf
        if (distances == 0).any():
            return SAME_CENTROID
        worst[i] = ((spread[i] + spread) / distances).max()
    return float(worst.mean())


def pbm_index(
    X: ArrayLike,
    labels: Labels | SoftPartition,
    *,
    fuzzifier: float = 1.5,
    noise: NoisePolicy = "error",
    sample_weight: ArrayLike | None = None,
) -> float:
    """PBM index: (E_1/E_k · D/k)², as in clusterCrit.

    E_1 and E_k are the sums of the objects' distances to the overall mean and to their centroids,
    D the largest distance of two centroids.

    Parameters
    ----------
    labels : array-like, shape (n,), or memberships (n, k) or SoftPartition
    fuzzifier : float, at least 1
        Exponent m of memberships u: centres and E_k are weighted by u^m.
    sample_weight : array-like, shape (n,), optional
        Object weights (frequencies); 0 excludes the object. Not for memberships.

    Examples
    --------
    >>> pbm_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    2500.0
    """
    if has_memberships(labels):
        if sample_weight is not None:
            raise InputError("memberships take no sample_weight here; repeat the objects instead")
        return soft_pbm(X, labels, fuzzifier)
    return measure_one("pbm_index", X, labels, noise=noise, sample_weight=sample_weight)


def _pbm(stats: Statistics, m: int) -> float | str:
    """PBM index of clustering m, or the reason of a missing value."""
    inner = float(stats.spreads[m].sum())
    if inner == 0:
        return NO_SCATTER
    k = len(stats.sizes[m])
    outer = float(stats.total_spreads[m])
    return (outer / inner * between_centroids(stats, m).farthest / k) ** 2


define(
    davies_bouldin_index,
    "Davies–Bouldin index",
    family=CENTROID_SEPARATION,
    references=["davies1979", "whissell2012 3.16, 3.17"],
    compute=batch_form(lambda stats, m: _davies_bouldin_value(stats, m, 2, 1)),
    needs=["centroids"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n d + k² d)",
    takes="features",
)
define(
    pbm_index,
    "PBM index",
    family=CENTROID_SEPARATION,
    references=["pakhira2004"],
    compute=batch_form(_pbm),
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

    Equal to the centroid form of Xie–Beni's index for hard clusterings.

    Examples
    --------
    >>> ray_turi_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.0025
    """
    if stats.pairs_within(m) == 0:
        return SINGLETONS_ONLY
    nearest = between_centroids(stats, m).nearest
    if nearest == 0:
        return SAME_CENTROID
    return float(stats.squares[m].sum()) / stats.n_judged(m) / nearest**2


def centred_blocks(stats: Statistics, m: int) -> Iterator[tuple[NDArray[np.int32], Floats, Floats]]:
    """Blocks of judged objects: clusters, weights and dense rows relative to ``stats.shift``."""
    codes = stats.labelings.codes[m]
    weights = np.ones(len(codes)) if stats.weights is None else stats.weights
    step = max(1, 2**20 // max(len(stats.centroids[m]), stats.X.shape[1]))
    for start in range(0, len(codes), step):
        block = slice(start, start + step)
        is_judged = codes[block] != NOISE
        rows: Any = stats.X[block]
        dense = (rows.toarray() if hasattr(rows, "toarray") else rows)[is_judged] - stats.shift
        yield codes[block][is_judged], weights[block][is_judged], dense


def variance_lengths(stats: Statistics, m: int) -> tuple[Floats, float]:
    """Norms of the vectors of the features' variances: of each cluster, and of all objects."""
    sizes, C = stats.sizes[m], stats.centroids[m]
    mean = sizes @ C / sizes.sum()
    total = stats.feature_squares[m].sum(axis=0) + sizes @ (C - mean) ** 2
    # variances of large values have no square, and those of small ones vanish
    unit = float(total.max()) or 1.0
    within = np.linalg.norm(stats.feature_squares[m] / unit / sizes[:, None], axis=1) * unit
    return within, float(np.linalg.norm(total / unit)) * unit / stats.n_judged(m)


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
    """Scat, the first part of SD: mean norm of the clusters' variances over the total norm.

    Each cluster has a vector of variances (over n_c, not n_c − 1), one for each feature;
    singletons have zeros. It falls with the number of clusters, so SD adds
    :func:`sd_separation`.

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

    Its unit is 1/length. It grows with the number of clusters.

    Examples
    --------
    >>> sd_separation([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.2
    """
    pairs = between_centroids(stats, m)
    if pairs.nearest == 0:
        return SAME_CENTROID
    return pairs.farthest / pairs.nearest * float((1 / pairs.sums).sum())


@_of_centroids("Wemmert–Gançarski index", references=["wemmert2000"], cost="O(n k d)")
def wemmert_gancarski_index(stats: Statistics, m: int) -> float | str:
    """Wemmert–Gançarski: Σ_c max(0, n_c − Σ_{x in c} R(x))/n.

    R(x) is the distance of an object to its cluster's centroid divided by that to the nearest
    other centroid; 1 (neutral) for an object at both.

    Notes
    -----
    In the form of Desgraupes' clusterCrit. Singletons are at their centroids, so many singletons
    give a good value. O(n k d).

    Examples
    --------
    >>> round(wemmert_gancarski_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.949875
    """
    from scipy.spatial.distance import cdist

    if stats.pairs_within(m) == 0:
        return SINGLETONS_ONLY
    sizes = stats.sizes[m]
    ratios = np.zeros(len(sizes))
    for clusters, weights, rows in centred_blocks(stats, m):
        distances = cdist(rows, stats.centroids[m])
        at = np.arange(len(clusters))
        a = distances[at, clusters].copy()
        distances[at, clusters] = np.inf
        b = distances.min(axis=1)
        ratio = np.divide(a, b, out=np.full(len(a), np.inf), where=b > 0)
        ratio[(a == 0) & (b == 0)] = 1.0
        ratios += np.bincount(clusters, weights * ratio, len(sizes))
    return float(np.maximum(sizes - ratios, 0).sum()) / stats.n_judged(m)
