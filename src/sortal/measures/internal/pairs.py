"""Scatter: sums and means of the distances of the pairs within and between clusters."""

from __future__ import annotations

import math
from functools import partial

from sortal.measures.internal.batch import SINGLETONS_ONLY, of_distances, of_order
from sortal.measures.passes.statistics import Statistics

__all__ = [
    "average_between_cluster_scatter",
    "average_within_cluster_scatter",
    "between_cluster_scatter",
    "between_within_ratio",
    "mcclain_rao_index",
    "point_biserial_index",
    "weighted_within_cluster_scatter_1",
    "weighted_within_cluster_scatter_2",
    "within_cluster_scatter",
]

_of_sums = partial(
    of_distances,
    family="scatter",
    needs=["pair_sums"],
    range=(0.0, math.inf),
    cost="O(n² d)",
    compares_k=False,
)
_within = partial(_of_sums, least_k=1, greater_is_better=False)


def pair_means(stats: Statistics, m: int) -> tuple[float, float]:
    """Mean distances within and between clusters; NaN without such pairs."""
    within, between = stats.pairs_within(m), stats.pairs_between(m)
    return (
        float(stats.within_sums[m].sum()) / within if within else math.nan,
        float(stats.between_sums[m].sum()) / 2 / between if between else math.nan,
    )


@_within("Average within-cluster scatter (aWCS)", references=["whissell2012 3.4"])
def average_within_cluster_scatter(stats: Statistics, m: int) -> float | str:
    """Mean distance of the pairs within clusters (aWCS), which falls as clusters are split.

    Examples
    --------
    >>> average_within_cluster_scatter([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    2.0
    """
    value = pair_means(stats, m)[0]
    return SINGLETONS_ONLY if math.isnan(value) else value


@_within("Within-cluster scatter (WCS)", references=["whissell2012 3.1"])
def within_cluster_scatter(stats: Statistics, m: int) -> float:
    """Within-cluster scatter (WCS): the sum of the distances of the pairs within clusters.

    It improves as clusters are split, so it does not compare different numbers of clusters.

    Notes
    -----
    O(n² d) time, O(n d) memory. Like all sums of pairs, O(n d) time for ``metric="sqeuclidean"``
    and dense data, from centroids.

    Examples
    --------
    >>> within_cluster_scatter([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    4.0
    """
    return float(stats.within_sums[m].sum())


@_within("Within-cluster scatter by cluster size (WWCS1)", references=["whissell2012 3.2"])
def weighted_within_cluster_scatter_1(stats: Statistics, m: int) -> float:
    """Within-cluster scatter with each cluster's sum divided by its size (WWCS1).

    With ``metric="sqeuclidean"`` it is the objective of k-means; it falls as clusters are split.

    Examples
    --------
    >>> weighted_within_cluster_scatter_1([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    2.0
    """
    return float((stats.within_sums[m] / stats.sizes[m]).sum())


@_within("Within-cluster scatter by cluster (WWCS2)", references=["whissell2012 3.3"])
def weighted_within_cluster_scatter_2(stats: Statistics, m: int) -> float:
    """Within-cluster scatter with each cluster's sum over ∣c∣(∣c∣−1), half its mean (WWCS2).

    Singletons add nothing.

    Examples
    --------
    >>> weighted_within_cluster_scatter_2([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    2.0
    """
    pairs = stats.cluster_pairs(m)
    has_pairs = pairs > 0
    return float((stats.within_sums[m][has_pairs] / (2 * pairs[has_pairs])).sum())


@_of_sums("Average between-cluster scatter (aBCS)", references=["whissell2012 3.6"])
def average_between_cluster_scatter(stats: Statistics, m: int) -> float:
    """Mean distance of the pairs between clusters (aBCS).

    Examples
    --------
    >>> average_between_cluster_scatter([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    11.0
    """
    return pair_means(stats, m)[1]


@_of_sums("Between-cluster scatter (BCS)", references=["whissell2012 3.5"])
def between_cluster_scatter(stats: Statistics, m: int) -> float:
    """Between-cluster scatter (BCS): the sum of the distances of the pairs between clusters.

    Examples
    --------
    >>> between_cluster_scatter([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    44.0
    """
    return float(stats.between_sums[m].sum()) / 2


@_of_sums("Between–within ratio (B/W)", references=["whissell2012 3.8"])
def between_within_ratio(stats: Statistics, m: int) -> float | str:
    """Mean distance between clusters over mean distance within them (B/W = aBCS/aWCS).

    1 if the clusters are unrelated to the distances.

    Examples
    --------
    >>> between_within_ratio([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    5.5
    """
    within, between = pair_means(stats, m)
    if math.isnan(within):
        return SINGLETONS_ONLY
    return between / within if within > 0 else "all distances within clusters are 0"


@_of_sums("McClain–Rao index", references=["mcclain1975"], greater_is_better=False)
def mcclain_rao_index(stats: Statistics, m: int) -> float | str:
    """Mean distance within clusters over mean distance between them.

    The inverse of :func:`between_within_ratio`.

    Examples
    --------
    >>> mcclain_rao_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    0.18181818181818182
    """
    within, between = pair_means(stats, m)
    if math.isnan(within):
        return SINGLETONS_ONLY
    return within / between if between > 0 else "all distances between clusters are 0"


@of_order(
    "Point-biserial correlation",
    family="scatter",
    references=["milligan1981"],
    needs=["distance_squares", "pair_sums"],
    range=(-1.0, 1.0),
    cost="O(n² d)",
    default=False,
)
def point_biserial_index(stats: Statistics, m: int) -> float | str:
    """Correlation of the distance of a pair with its being between clusters.

    (d̄_b − d̄_w)/s · √(∣P_w∣ ∣P_b∣)/N, where d̄_w and d̄_b are the mean distances within and
    between clusters, and s is the standard deviation of all N distances.

    Notes
    -----
    fpc calls it ``pearsongamma`` (Hubert's Γ, normalised, Halkidi et al. 2001). clusterCrit omits s
    and reverses the sign. O(n² d), with a second pass for distances that are not Euclidean.

    Examples
    --------
    >>> round(point_biserial_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1]), 6)
    0.948683
    """
    within, between = stats.pairs_within(m), stats.pairs_between(m)
    if within == 0:
        return SINGLETONS_ONLY
    n = within + between
    mean_within, mean_between = pair_means(stats, m)
    mean = (within * mean_within + between * mean_between) / n
    squares = float(stats.distance_squares[m]) / n
    variance = squares - mean * mean
    if variance <= 1e-13 * squares:
        return "all distances are equal"
    value = (mean_between - mean_within) * math.sqrt(within * between / variance) / n
    return min(max(value, -1.0), 1.0)
