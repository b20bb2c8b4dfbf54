"""Graph cuts with affinities 1/d² of all objects."""

from __future__ import annotations

import math
from functools import partial

from sortal.measures.internal.batch import of_distances
from sortal.measures.passes.statistics import Statistics

__all__ = ["normalized_cut", "ratio_cut"]

_of_affinity_cuts = partial(
    of_distances,
    family="graph cuts",
    needs=["inverse_square_sums"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n² d)",
    compares_k=False,
)


@_of_affinity_cuts("Ratio-Cut of 1/d²", references=["whissell2012 3.7", "ackerman2008"])
def ratio_cut(stats: Statistics, m: int) -> float:
    """Ratio-Cut with 1/d² as affinity: (Σ_{P_b} 1/d²) · Σ_c 1/∣c∣.

    Infinite if coincident objects are in different clusters.

    Examples
    --------
    >>> round(ratio_cut([[0.0], [1.0], [3.0]], [0, 0, 1]), 6)
    0.541667
    """
    return float(stats.between_inverse[m].sum()) / 2 * float((1 / stats.sizes[m]).sum())


@_of_affinity_cuts("N-Cut of 1/d²", references=["whissell2012 3.9", "ackerman2008"])
def normalized_cut(stats: Statistics, m: int) -> float | str:
    """N-Cut with 1/d² as affinity: (Σ_{P_b} 1/d²) · Σ_c 1/(Σ_{pairs in c} 1/d²).

    Infinite for singletons, which contain no pair, and if coincident objects are in different
    clusters.

    Notes
    -----
    The first sum of equation 3.9 runs over pairs *between* clusters. O(n² d) time.

    Examples
    --------
    >>> round(normalized_cut([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.08122
    """
    between = float(stats.between_inverse[m].sum()) / 2
    within = sum(1 / v if v > 0 else math.inf for v in stats.within_inverse[m].tolist())
    if math.isinf(between) and within == 0:
        return "coincident objects are in one cluster and in two: every term is ∞ · 0"
    return between * within if not (between == 0 and math.isinf(within)) else math.inf
