"""Measures of the order of the pair distances: C-Index, Gamma, AUCC; exact without n² memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps

from sortal.measures.internal.batch import SINGLETONS_ONLY, Value, of_order
from sortal.measures.passes.statistics import Statistics

__all__ = ["aucc", "baker_hubert_gamma", "c_index", "g_plus_index", "kendall_tau_index"]

PAIR_ORDER = "order of pairs"
_of_concordance = partial(
    of_order, family=PAIR_ORDER, needs=["concordance"], cost="O(n² log n)", default=False
)


def _of_pairs(value: Value) -> Callable[[Statistics, int], float | str]:
    """A formula that has no value if every cluster is a singleton."""

    @wraps(value)
    def checked(stats: Statistics, m: int) -> float | str:
        return value(stats, m) if stats.pairs_within(m) else SINGLETONS_ONLY

    return checked


@of_order(
    "C-Index",
    family=PAIR_ORDER,
    references=["hubert1976", "whissell2012 3.15"],
    needs=["extreme_sums"],
    greater_is_better=False,
    cost="O(n² d)",
    default=False,
)
@_of_pairs
def c_index(stats: Statistics, m: int) -> float | str:
    """C-Index: the sum of distances within, scaled by its least and greatest possible value.

    (WCS − S_min)/(S_max − S_min), where S_min and S_max are the sums of as many smallest and
    largest distances as there are pairs within clusters.

    Notes
    -----
    Exact: one or two passes over the pairs, seldom more, O(n² d) time and O(n d) memory, shared by
    all clusterings.

    Examples
    --------
    >>> c_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    0.0
    """
    low, high = float(stats.smallest_sums[m]), float(stats.largest_sums[m])
    if high - low <= 1e-13 * high:
        return "all distances are equal"
    within = float(stats.totals_within[m])
    return min(max((within - low) / (high - low), 0.0), 1.0)


@_of_concordance("Gamma", references=["baker1975", "whissell2012 3.10"], range=(-1.0, 1.0))
@_of_pairs
def baker_hubert_gamma(stats: Statistics, m: int) -> float | str:
    """Gamma: concordant minus discordant combinations of a pair within and a pair between.

    (S₊ − S₋)/(S₊ + S₋) over all combinations of a pair within and a pair between clusters, ties
    excluded. A combination is concordant if the pair within is nearer.

    Notes
    -----
    Exact, in integers. O(n² log n) time, and a pass of O(n² d) for every few million pairs. Memory
    is bounded, and all clusterings share the work.

    Examples
    --------
    >>> baker_hubert_gamma([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    1.0
    """
    plus, minus = stats.concordant[m], stats.discordant[m]
    if plus + minus == 0:
        return "all distances within equal all distances between"
    return (plus - minus) / (plus + minus)


@_of_concordance("Area under the curve for clustering (AUCC)", references=["jaskowiak2022"])
@_of_pairs
def aucc(stats: Statistics, m: int) -> float:
    """Area under the curve of the distance as a classifier of pairs into within and between.

    Take a pair within a cluster and a pair between clusters: the value is the chance that the pair
    within is nearer. Ties count half; 0.5 is chance. Without ties it is (Gamma + 1)/2. Errors as
    :func:`baker_hubert_gamma`, except that ties are allowed.

    Examples
    --------
    >>> aucc([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    0.875
    """
    plus, minus, tied = stats.concordant[m], stats.discordant[m], stats.tied[m]
    return (2 * plus + tied) / (2 * (plus + minus + tied))


@_of_concordance("G+", references=["rohlf1974"], greater_is_better=False, compares_k=False)
@_of_pairs
def g_plus_index(stats: Statistics, m: int) -> float:
    """G+: share of all pairs of pairs that are discordant, 2 S₋/(N(N−1)) with N = n(n−1)/2.

    Errors as :func:`baker_hubert_gamma`.

    Examples
    --------
    >>> g_plus_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1])
    0.0
    """
    pairs = stats.pairs_within(m) + stats.pairs_between(m)
    return 2 * stats.discordant[m] / (pairs * (pairs - 1))


@_of_concordance("Kendall's tau of pairs", references=["rohlf1974"], range=(-1.0, 1.0))
@_of_pairs
def kendall_tau_index(stats: Statistics, m: int) -> float:
    """Tau: (S₊ − S₋) / √(∣P_w∣ ∣P_b∣ N(N−1)/2), with N = n(n−1)/2, as in clusterCrit.

    Errors as :func:`baker_hubert_gamma`.

    Examples
    --------
    >>> round(kendall_tau_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1]), 6)
    0.730297
    """
    within, between = stats.pairs_within(m), stats.pairs_between(m)
    pairs = within + between
    scale = (within * between * (pairs * (pairs - 1) // 2)) ** 0.5
    return (stats.concordant[m] - stats.discordant[m]) / scale
