"""Measures of the order of the pair distances: C-Index, Gamma, AUCC; exact without n² memory."""

from __future__ import annotations

from typing import Any

from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.internal.batch import SINGLETONS_ONLY, each, one
from karat.measures.passes.statistics import Statistics

__all__ = ["aucc", "baker_hubert_gamma", "c_index", "g_plus_index", "kendall_tau_index"]

NO_PAIRS_BETWEEN = "no pair of objects is between clusters"


def c_index(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> float:
    """C-Index: the sum of distances within, between its least and greatest possible value.

    (WCS − S_min)/(S_max − S_min), where S_min and S_max are the sums of as many smallest and
    largest distances as there are pairs within clusters. Between 0 and 1, lower is better.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, singletons only, or where all distances are equal.

    Notes
    -----
    Hubert & Levin 1976; whissell2012 equation 3.15. Exact: two to four passes over the pairs,
    O(n² d) time and O(n d) memory, shared by all clusterings.

    Examples
    --------
    >>> from karat import c_index
    >>> c_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    0.0
    """
    return one("c_index", X, labels, metric, noise)


def baker_hubert_gamma(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> float:
    """Gamma: how often a pair within is nearer than a pair between, less how often it is farther.

    (S₊ − S₋)/(S₊ + S₋) over all combinations of a pair within and a pair between clusters, ties
    excluded. Between −1 and 1, greater is better.

    Parameters
    ----------
    metric : str or callable
        A symmetric distance.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, singletons only, or where all combinations are ties.
    InputError
        For a distance that is not symmetric.

    Notes
    -----
    Baker & Hubert 1975; whissell2012 equation 3.10. Exact, in integers. O(n² log n) time, and a
    pass of O(n² d) for every few million pairs; bounded memory; shared by all clusterings.

    Examples
    --------
    >>> from karat import baker_hubert_gamma
    >>> baker_hubert_gamma([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    1.0
    """
    return one("baker_hubert_gamma", X, labels, metric, noise)


def aucc(X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error") -> float:
    """Area under the curve of the distance as a classifier of pairs into within and between.

    The share of combinations of a pair within and a pair between where the pair within is
    nearer, ties half. Between 0 and 1, greater is better, 0.5 by chance.

    Parameters and errors as :func:`baker_hubert_gamma`; ties do no harm here.

    Notes
    -----
    Jaskowiak, Costa & Campello 2022. Without ties AUCC = (Gamma + 1)/2. Cost as Gamma's.

    Examples
    --------
    >>> from karat import aucc
    >>> aucc([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    0.875
    """
    return one("aucc", X, labels, metric, noise)


def g_plus_index(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> float:
    """G+: share of all pairs of pairs that are discordant, 2 S₋/(N(N−1)) with N = n(n−1)/2.

    Between 0 and 1, lower is better. Rohlf 1974. Parameters and errors as
    :func:`baker_hubert_gamma`.

    Examples
    --------
    >>> from karat import g_plus_index
    >>> g_plus_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    0.0
    """
    return one("g_plus_index", X, labels, metric, noise)


def kendall_tau_index(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> float:
    """Tau: (S₊ − S₋) / √(∣P_w∣ ∣P_b∣ N(N−1)/2), with N = n(n−1)/2, as clusterCrit has it.

    Between −1 and 1, greater is better. Rohlf 1974; Milligan 1981. Parameters and errors as
    :func:`baker_hubert_gamma`.

    Examples
    --------
    >>> from karat import kendall_tau_index
    >>> round(kendall_tau_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1]), 6)
    0.730297
    """
    return one("kendall_tau_index", X, labels, metric, noise)


@each
def _c_index(stats: Statistics, m: int) -> float | str:
    if stats.pairs_within(m) == 0:
        return SINGLETONS_ONLY
    low, high = float(stats.smallest_sums[m]), float(stats.largest_sums[m])
    if high - low <= 1e-13 * high:
        return "all distances are equal"
    within = float(stats.within_sums[m].sum())
    return min(max((within - low) / (high - low), 0.0), 1.0)


def _pairs_missing(stats: Statistics, m: int) -> str:
    return SINGLETONS_ONLY if stats.pairs_within(m) == 0 else ""


@each
def _gamma(stats: Statistics, m: int) -> float | str:
    if why := _pairs_missing(stats, m):
        return why
    plus, minus = stats.concordant[m], stats.discordant[m]
    if plus + minus == 0:
        return "all distances within equal all distances between"
    return (plus - minus) / (plus + minus)


@each
def _aucc(stats: Statistics, m: int) -> float | str:
    if why := _pairs_missing(stats, m):
        return why
    plus, minus, tied = stats.concordant[m], stats.discordant[m], stats.tied[m]
    return (2 * plus + tied) / (2 * (plus + minus + tied))


@each
def _g_plus(stats: Statistics, m: int) -> float | str:
    if why := _pairs_missing(stats, m):
        return why
    pairs = stats.pairs_within(m) + stats.pairs_between(m)
    return 2 * stats.discordant[m] / (pairs * (pairs - 1))


@each
def _tau(stats: Statistics, m: int) -> float | str:
    if why := _pairs_missing(stats, m):
        return why
    within, between = stats.pairs_within(m), stats.pairs_between(m)
    pairs = within + between
    scale = (within * between * (pairs * (pairs - 1) // 2)) ** 0.5
    return (stats.concordant[m] - stats.discordant[m]) / scale


define(
    c_index,
    "C-Index",
    family="order of pairs",
    references=[Reference("hubert1976"), Reference("whissell2012", "3.15")],
    compute=_c_index,
    needs=["extreme_sums", "pair_sums"],
    greater_is_better=False,
    cost="O(n² d)",
    default=False,
)
define(
    baker_hubert_gamma,
    "Gamma",
    family="order of pairs",
    references=[Reference("baker1975"), Reference("whissell2012", "3.10")],
    compute=_gamma,
    needs=["concordance"],
    range=(-1.0, 1.0),
    cost="O(n² log n)",
    default=False,
)
define(
    aucc,
    "Area under the curve for clustering (AUCC)",
    family="order of pairs",
    references=[Reference("jaskowiak2022")],
    compute=_aucc,
    needs=["concordance"],
    cost="O(n² log n)",
    default=False,
)
define(
    g_plus_index,
    "G+",
    family="order of pairs",
    references=[Reference("rohlf1974")],
    compute=_g_plus,
    needs=["concordance"],
    greater_is_better=False,
    cost="O(n² log n)",
    compares_k=False,
    default=False,
)
define(
    kendall_tau_index,
    "Kendall's tau of pairs",
    family="order of pairs",
    references=[Reference("rohlf1974")],
    compute=_tau,
    needs=["concordance"],
    range=(-1.0, 1.0),
    cost="O(n² log n)",
    default=False,
)
