"""Exact limits of a share, and those of a mean of several."""

from __future__ import annotations

import math
from collections.abc import Sequence

from karat.bounds import binomial_tail_bound


def exact_interval(hits: int, n: int, delta: float) -> tuple[float, float]:
    """Clopper and Pearson's (1934) limits of a share: each is missed with at most delta/2.

    >>> [round(end, 4) for end in exact_interval(8, 10, 0.05)]
    [0.4439, 0.9748]
    """
    low = 1 - binomial_tail_bound(n, n - hits, delta / 2)
    return low, binomial_tail_bound(n, hits, delta / 2)


def mean_interval(found: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    """Mean of independent estimates, from value, low and high of each, with its interval.

    By the variances that their limits tell (MOVER, Zou & Donner 2008).

    >>> mean_interval([(0.5, 0.2, 0.8), (0.5, 0.1, 0.9)])
    (0.5, 0.25, 0.75)
    """
    n = len(found)
    value = sum(one for one, _, _ in found) / n
    below = math.sqrt(sum((one - low) ** 2 for one, low, _ in found)) / n
    above = math.sqrt(sum((high - one) ** 2 for one, _, high in found)) / n
    return value, value - below, value + above
