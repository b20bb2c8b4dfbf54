"""Measures of sums over the pairs of objects: scatter within and between, cuts of the graph."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

from karat.measures.internal.define import SINGLETONS_ONLY, define, each, fixed, one
from karat.measures.passes.statistics import Statistics
from karat.partition import NoisePolicy
from karat.validation import check_choice

__all__ = [
    "between_cluster_scatter",
    "between_within_ratio",
    "mcclain_rao_index",
    "normalized_cut",
    "ratio_cut",
    "within_cluster_scatter",
]

WithinVariant = Literal["sum", "mean", "size-weighted", "cluster-mean"]
WITHIN = {
    "mean": "average_within_cluster_scatter",
    "sum": "within_cluster_scatter",
    "size-weighted": "weighted_within_cluster_scatter_1",
    "cluster-mean": "weighted_within_cluster_scatter_2",
}
BETWEEN = {"mean": "average_between_cluster_scatter", "sum": "between_cluster_scatter"}


def within_cluster_scatter(
    X: Any,
    labels: Any,
    *,
    variant: WithinVariant = "sum",
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Distances of the pairs within clusters, added up in one of four ways.

    Not negative, lower is better; all variants improve as clusters are split, so they do not
    compare clusterings of different numbers of clusters.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), or (n, n) with ``metric="precomputed"``
    labels : array-like, shape (n,)
    variant : {"sum", "mean", "size-weighted", "cluster-mean"}
        ``"sum"``: WCS (equation 3.1), what the catalogue calls ``within_cluster_scatter``.
        ``"mean"``: aWCS, the mean over all pairs within clusters (3.4). ``"size-weighted"``:
        WWCS1, each cluster's sum divided by its size (3.2); with ``metric="sqeuclidean"`` the
        objective of k-means. ``"cluster-mean"``: WWCS2, each cluster's sum over ∣c∣(∣c∣−1), half
        its mean (3.3).
    metric : str or callable
        A distance, see :data:`karat.distances.METRICS`.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label -1 means.
    sample_weight : array-like, shape (n,), optional
        How many coincident objects each stands for; 0 leaves it out.

    Returns
    -------
    float
        In the unit of the distance. Singletons add nothing.

    Raises
    ------
    UndefinedMeasureError
        ``"mean"`` where every cluster is a singleton.

    Notes
    -----
    whissell2012 section 3.1.1. O(n² d) time, O(n d) memory; O(n d) time for
    ``metric="sqeuclidean"`` and dense data, from centroids.

    Examples
    --------
    >>> from karat import within_cluster_scatter
    >>> X = [[0.0], [1.0], [10.0], [13.0]]
    >>> within_cluster_scatter(X, [0, 0, 1, 1])
    4.0
    >>> within_cluster_scatter(X, [0, 0, 1, 1], variant="mean")
    2.0
    """
    check_choice(variant, WITHIN, "variant")
    return one(WITHIN[variant], X, labels, metric, noise, sample_weight)


def between_cluster_scatter(
    X: Any,
    labels: Any,
    *,
    variant: Literal["sum", "mean"] = "sum",
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Distances of the pairs between clusters: their sum (BCS) or their mean (aBCS).

    Not negative, greater is better.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), or (n, n) with ``metric="precomputed"``
    labels : array-like, shape (n,)
    variant : {"sum", "mean"}
        Equation 3.5, what the catalogue calls ``between_cluster_scatter``, or 3.6.
    metric : str or callable
    noise : {"error", "cluster", "singletons", "drop"}
    sample_weight : array-like, shape (n,), optional
        How many coincident objects each stands for; 0 leaves it out.

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
    whissell2012 section 3.1.2. O(n² d) time; O(n d) for ``metric="sqeuclidean"`` and dense data.

    Examples
    --------
    >>> from karat import between_cluster_scatter
    >>> between_cluster_scatter([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    11.0
    """
    check_choice(variant, BETWEEN, "variant")
    return one(BETWEEN[variant], X, labels, metric, noise, sample_weight)


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

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), or (n, n) with ``metric="precomputed"``
    labels : array-like, shape (n,)
    metric : str or callable
    noise : {"error", "cluster", "singletons", "drop"}
    sample_weight : array-like, shape (n,), optional
        How many coincident objects each stands for; 0 leaves it out.

    Returns
    -------
    float

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


def ratio_cut(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Ratio-Cut with 1/d² as affinity: (Σ_{P_b} 1/d²) · Σ_c 1/∣c∣.

    Not negative, lower is better; infinite where coincident objects are in different clusters.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), or (n, n) with ``metric="precomputed"``
    labels : array-like, shape (n,)
    metric : str or callable
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
    whissell2012 equation 3.7 (Ackerman & Ben-David 2008). O(n² d) time.

    Examples
    --------
    >>> from karat import ratio_cut
    >>> round(ratio_cut([[0.0], [1.0], [3.0]], [0, 0, 1]), 6)
    0.541667
    """
    return one("ratio_cut", X, labels, metric, noise, sample_weight)


def normalized_cut(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """N-Cut with 1/d² as affinity: (Σ_{P_b} 1/d²) · Σ_c 1/(Σ_{pairs in c} 1/d²).

    Not negative, lower is better. A singleton has no pair within it, so the value is infinite;
    it is also infinite where coincident objects are in different clusters.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), or (n, n) with ``metric="precomputed"``
    labels : array-like, shape (n,)
    metric : str or callable
    noise : {"error", "cluster", "singletons", "drop"}
    sample_weight : array-like, shape (n,), optional
        How many coincident objects each stands for; 0 leaves it out.

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where coincident objects are both in one cluster and in
        two, so that every term is ∞ · 0.

    Notes
    -----
    whissell2012 equation 3.9, whose first sum runs over pairs *between* clusters. O(n² d) time.

    Examples
    --------
    >>> from karat import normalized_cut
    >>> round(normalized_cut([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.08122
    """
    return one("normalized_cut", X, labels, metric, noise, sample_weight)


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


def _ratio_cut(stats: Statistics, m: int) -> float:
    return float(stats.between_inverse[m].sum()) / 2 * float((1 / stats.sizes[m]).sum())


def _normalized_cut(stats: Statistics, m: int) -> float | str:
    between = float(stats.between_inverse[m].sum()) / 2
    within = sum(1 / v if v > 0 else math.inf for v in stats.within_inverse[m].tolist())
    if math.isinf(between) and within == 0:
        return "coincident objects are in one cluster and in two: every term is ∞ · 0"
    return between * within if not (between == 0 and math.isinf(within)) else math.inf


def _define(
    key: str, title: str, family: str, function: Any, value: Callable[..., Any], **record: Any
) -> None:
    least_k = record.pop("least_k", 2)
    record.setdefault("source", "whissell2012")
    define(
        key,
        title,
        family,
        function,
        each(value, least_k=least_k),
        (record.pop("needs", "pair_sums"),),
        cost="O(n² d)",
        compares_k=False,
        **record,
    )


for _variant, _title, _value, _equation in (
    ("mean", "Average within-cluster scatter (aWCS)", _mean_within, "3.4"),
    ("sum", "Within-cluster scatter (WCS)", _sum_within, "3.1"),
    ("size-weighted", "Within-cluster scatter by cluster size (WWCS1)",
     _size_weighted_within, "3.2"),
    ("cluster-mean", "Within-cluster scatter by cluster (WWCS2)", _cluster_mean_within, "3.3"),
):  # fmt: skip
    _define(
        WITHIN[_variant],
        _title,
        "scatter",
        fixed(within_cluster_scatter, f"{_title}.", variant=_variant),
        _value,
        least_k=1,
        greater_is_better=False,
        range=(0.0, math.inf),
        optimum=0.0,
        equation=_equation,
    )
for _variant, _title, _value, _equation in (
    ("mean", "Average between-cluster scatter (aBCS)", _mean_between, "3.6"),
    ("sum", "Between-cluster scatter (BCS)", _sum_between, "3.5"),
):
    _define(
        BETWEEN[_variant],
        _title,
        "scatter",
        fixed(between_cluster_scatter, f"{_title}.", variant=_variant),
        _value,
        greater_is_better=True,
        range=(0.0, math.inf),
        optimum=math.inf,
        equation=_equation,
    )
_define(
    "between_within_ratio",
    "Between–within ratio (B/W)",
    "scatter",
    between_within_ratio,
    _between_within,
    greater_is_better=True,
    range=(0.0, math.inf),
    optimum=math.inf,
    equation="3.8",
)
_define(
    "mcclain_rao_index",
    "McClain–Rao index",
    "scatter",
    mcclain_rao_index,
    _mcclain_rao,
    greater_is_better=False,
    range=(0.0, math.inf),
    optimum=0.0,
    source="McClain & Rao 1975",
)
_define(
    "ratio_cut",
    "Ratio-Cut of 1/d²",
    "graph cuts",
    ratio_cut,
    _ratio_cut,
    needs="inverse_square_sums",
    greater_is_better=False,
    range=(0.0, math.inf),
    optimum=0.0,
    equation="3.7",
)
_define(
    "normalized_cut",
    "N-Cut of 1/d²",
    "graph cuts",
    normalized_cut,
    _normalized_cut,
    needs="inverse_square_sums",
    greater_is_better=False,
    range=(0.0, math.inf),
    optimum=0.0,
    equation="3.9",
)
