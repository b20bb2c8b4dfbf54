"""Limits of a share."""

from __future__ import annotations

from karat.bounds import binomial_tail_bound


def exact_interval(hits: int, n: int, delta: float) -> tuple[float, float]:
    """Clopper and Pearson's (1934) limits of a share: each is missed with at most delta/2.

    >>> [round(end, 4) for end in exact_interval(8, 10, 0.05)]
    [0.4439, 0.9748]
    """
    low = 1 - binomial_tail_bound(n, n - hits, delta / 2)
    return low, binomial_tail_bound(n, hits, delta / 2)
