"""Limits of a share, and of a mean of bounded values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds import binomial_tail_bound

if TYPE_CHECKING:
    from numpy.typing import NDArray

DRAWS = 100_000


def exact_interval(hits: int, n: int, delta: float) -> tuple[float, float]:
    """Clopper and Pearson's (1934) limits of a share: each is missed with at most delta/2.

    >>> [round(end, 4) for end in exact_interval(8, 10, 0.05)]
    [0.4439, 0.9748]
    """
    low = 1 - binomial_tail_bound(n, n - hits, delta / 2)
    return low, binomial_tail_bound(n, hits, delta / 2)


def bounded_interval(values: Any, least: float, most: float, delta: float) -> tuple[float, float]:
    """Limits of the mean of independent values that lie between ``least`` and ``most``.

    Gaffke's (2005) bound at delta/2 on either side: the quantile of the mean of the sorted values
    and of the end of the range, weighted by the gaps between uniform numbers; by 100,000 draws of
    them. Of zeros and ones these are Clopper and Pearson's. That it always covers is conjectured
    (Learned-Miller & Thomas 2019), not proved.

    >>> [round(end, 1) for end in bounded_interval([1] * 8 + [0] * 2, 0, 1, 0.05)]
    [0.4, 1.0]
    """
    levels, counts = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    rng = np.random.default_rng(0)

    def mean(end: float) -> NDArray[np.float64]:
        weights = rng.dirichlet([*counts, 1], DRAWS)
        return np.asarray(weights @ np.array([*levels, end]))

    low, high = np.quantile(mean(least), delta / 2), np.quantile(mean(most), 1 - delta / 2)
    return float(low), float(high)
