"""Scatter: sums and means of the distances of the pairs within and between clusters."""

from __future__ import annotations

import math
from typing import Any

from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.internal.batch import SINGLETONS_ONLY, each, one
from karat.measures.passes.statistics import Statistics

__all__ = [
    "average_between_cluster_scatter",
    "average_within_cluster_scatter",
    "between_cluster_scatter",
    "between_within_ratio",
    "mcclain_rao_index",
    "weighted_within_cluster_scatter_1",
    "weighted_within_cluster_scatter_2",
    "within_cluster_scatter",
]


def within_cluster_scatter(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Within-cluster scatter (WCS): the sum of the distances of the pairs within clusters.

    Not negative, lower is better; it improves as clusters are split, so it does not compare
    clusterings of different numbers of clusters.

    Returns
    -------
    float
        In the unit of the distance. Singletons add nothing.

    Notes
    -----
    O(n² d) time, O(n d) memory; O(n d) time for ``metric="sqeuclidean"`` and dense data, from
    centroids.

    Examples
    --------
    >>> from karat import within_cluster_scatter
    >>> within_cluster_scatter([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    4.0
    """
    return one("within_cluster_scatter", X, labels, metric, noise, sample_weight)


def average_within_cluster_scatter(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mean distance of the pairs within clusters (aWCS).

    Not negative, lower is better; it improves as clusters are split, so it does not compare
    clusterings of different numbers of clusters.

    Returns
    -------
    float
        In the unit of the distance. Singletons add nothing.

    Raises
    ------
    UndefinedMeasureError
        Where every cluster is a singleton.

    Notes
    -----
    O(n² d) time, O(n d) memory; O(n d) time for ``metric="sqeuclidean"`` and dense data, from
    centroids.

    Examples
    --------
    >>> from karat import average_within_cluster_scatter
    >>> average_within_cluster_scatter([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    2.0
    """
    return one("average_within_cluster_scatter", X, labels, metric, noise, sample_weight)


def weighted_within_cluster_scatter_1(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Within-cluster scatter with each cluster's sum divided by its size (WWCS1).

    Not negative, lower is better; it improves as clusters are split, so it does not compare
    clusterings of different numbers of clusters.
    With ``metric="sqeuclidean"`` it is the objective of k-means.

    Returns
    -------
    float
        In the unit of the distance. Singletons add nothing.

    Notes
    -----
    O(n² d) time, O(n d) memory; O(n d) time for ``metric="sqeuclidean"`` and dense data, from
    centroids.

    Examples
    --------
    >>> from karat import weighted_within_cluster_scatter_1
    >>> weighted_within_cluster_scatter_1([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    2.0
    """
    return one("weighted_within_cluster_scatter_1", X, labels, metric, noise, sample_weight)


def weighted_within_cluster_scatter_2(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Within-cluster scatter with each cluster's sum over ∣c∣(∣c∣−1), half its mean (WWCS2).

    Not negative, lower is better; it improves as clusters are split, so it does not compare
    clusterings of different numbers of clusters.

    Returns
    -------
    float
        In the unit of the distance. Singletons add nothing.

    Notes
    -----
    O(n² d) time, O(n d) memory; O(n d) time for ``metric="sqeuclidean"`` and dense data, from
    centroids.

    Examples
    --------
    >>> from karat import weighted_within_cluster_scatter_2
    >>> weighted_within_cluster_scatter_2([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    2.0
    """
    return one("weighted_within_cluster_scatter_2", X, labels, metric, noise, sample_weight)


def between_cluster_scatter(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Between-cluster scatter (BCS): the sum of the distances of the pairs between clusters.

    Not negative, greater is better.

    Returns
    -------
    float
        In the unit of the distance.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters.

    Notes
    -----
    O(n² d) time, O(n d) memory; O(n d) time for ``metric="sqeuclidean"`` and dense data, from
    centroids.

    Examples
    --------
    >>> from karat import between_cluster_scatter
    >>> between_cluster_scatter([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    44.0
    """
    return one("between_cluster_scatter", X, labels, metric, noise, sample_weight)


def average_between_cluster_scatter(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mean distance of the pairs between clusters (aBCS).

    Not negative, greater is better.

    Returns
    -------
    float
        In the unit of the distance.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters.

    Notes
    -----
    O(n² d) time, O(n d) memory; O(n d) time for ``metric="sqeuclidean"`` and dense data, from
    centroids.

    Examples
    --------
    >>> from karat import average_between_cluster_scatter
    >>> average_between_cluster_scatter([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    11.0
    """
    return one("average_between_cluster_scatter", X, labels, metric, noise, sample_weight)


def between_within_ratio(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mean distance between clusters over mean distance within them (B/W = aBCS/aWCS).

    Not negative, greater is better; 1 where the clustering tells nothing of the distances.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, singletons only, or distances within that are all 0.

    Notes
    -----
    whissell2012 equation 3.8. O(n² d) time; O(n d) for ``metric="sqeuclidean"`` and dense data.

    Examples
    --------
    >>> from karat import between_within_ratio
    >>> between_within_ratio([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    5.5
    """
    return one("between_within_ratio", X, labels, metric, noise, sample_weight)


def mcclain_rao_index(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mean distance within clusters over mean distance between them.

    The inverse of :func:`between_within_ratio`; lower is better. Same parameters and errors.

    Notes
    -----
    McClain & Rao 1975. O(n² d) time.

    Examples
    --------
    >>> from karat import mcclain_rao_index
    >>> mcclain_rao_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    0.18181818181818182
    """
    return one("mcclain_rao_index", X, labels, metric, noise, sample_weight)


def pair_means(stats: Statistics, m: int) -> tuple[float, float]:
    """Mean distance within and between; NaN where there is no such pair."""
    within, between = stats.pairs_within(m), stats.pairs_between(m)
    return (
        float(stats.within_sums[m].sum()) / within if within else math.nan,
        float(stats.between_sums[m].sum()) / 2 / between if between else math.nan,
    )


def _mean_within(stats: Statistics, m: int) -> float | str:
    value = pair_means(stats, m)[0]
    return SINGLETONS_ONLY if math.isnan(value) else value


def _sum_within(stats: Statistics, m: int) -> float:
    return float(stats.within_sums[m].sum())


def _size_weighted_within(stats: Statistics, m: int) -> float:
    return float((stats.within_sums[m] / stats.sizes[m]).sum())


def _cluster_mean_within(stats: Statistics, m: int) -> float:
    pairs = stats.cluster_pairs(m)
    more = pairs > 0
    return float((stats.within_sums[m][more] / (2 * pairs[more])).sum())


def _mean_between(stats: Statistics, m: int) -> float:
    return pair_means(stats, m)[1]


def _sum_between(stats: Statistics, m: int) -> float:
    return float(stats.between_sums[m].sum()) / 2


def _between_within(stats: Statistics, m: int) -> float | str:
    within, between = pair_means(stats, m)
    if math.isnan(within):
        return SINGLETONS_ONLY
    return between / within if within > 0 else "all distances within clusters are 0"


def _mcclain_rao(stats: Statistics, m: int) -> float | str:
    within, between = pair_means(stats, m)
    if math.isnan(within):
        return SINGLETONS_ONLY
    return within / between if between > 0 else "all distances between clusters are 0"


define(
    average_within_cluster_scatter,
    "Average within-cluster scatter (aWCS)",
    family="scatter",
    references=[Reference("whissell2012", "3.4")],
    compute=each(_mean_within, least_k=1),
    needs=["pair_sums"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n² d)",
    compares_k=False,
)
define(
    within_cluster_scatter,
    "Within-cluster scatter (WCS)",
    family="scatter",
    references=[Reference("whissell2012", "3.1")],
    compute=each(_sum_within, least_k=1),
    needs=["pair_sums"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n² d)",
    compares_k=False,
)
define(
    weighted_within_cluster_scatter_1,
    "Within-cluster scatter by cluster size (WWCS1)",
    family="scatter",
    references=[Reference("whissell2012", "3.2")],
    compute=each(_size_weighted_within, least_k=1),
    needs=["pair_sums"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n² d)",
    compares_k=False,
)
define(
    weighted_within_cluster_scatter_2,
    "Within-cluster scatter by cluster (WWCS2)",
    family="scatter",
    references=[Reference("whissell2012", "3.3")],
    compute=each(_cluster_mean_within, least_k=1),
    needs=["pair_sums"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n² d)",
    compares_k=False,
)
define(
    average_between_cluster_scatter,
    "Average between-cluster scatter (aBCS)",
    family="scatter",
    references=[Reference("whissell2012", "3.6")],
    compute=each(_mean_between),
    needs=["pair_sums"],
    range=(0.0, math.inf),
    cost="O(n² d)",
    compares_k=False,
)
define(
    between_cluster_scatter,
    "Between-cluster scatter (BCS)",
    family="scatter",
    references=[Reference("whissell2012", "3.5")],
    compute=each(_sum_between),
    needs=["pair_sums"],
    range=(0.0, math.inf),
    cost="O(n² d)",
    compares_k=False,
)
define(
    between_within_ratio,
    "Between–within ratio (B/W)",
    family="scatter",
    references=[Reference("whissell2012", "3.8")],
    compute=each(_between_within),
    needs=["pair_sums"],
    range=(0.0, math.inf),
    cost="O(n² d)",
    compares_k=False,
)
define(
    mcclain_rao_index,
    "McClain–Rao index",
    family="scatter",
    references=[Reference("mcclain1975")],
    compute=each(_mcclain_rao),
    needs=["pair_sums"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n² d)",
    compares_k=False,
)
