"""Exact linear boundary at which labelling may stop for a target."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sortal.bounds.tuned import TUNED

if TYPE_CHECKING:
    from sortal.typing import Floats, Ints

#: limit of cost: the boundary ends at this number of labels, or at that of so many errors if larger
MOST_LABELS, MOST_ERRORS = 2_000, 256


@dataclass(frozen=True, eq=False)
class StoppingLine:
    """Numbers of labels at which a test of one fixed classifier may stop.

    Attributes
    ----------
    n : int
        Objects with a prediction that were not labelled when the test began.
    checks : ndarray of int64
        Labels at which k errors stop the test, for k = 0, 1, ...: ⌈(k + h)/s⌉.
    allowed : ndarray of int64
        Errors that the target allows among the objects left at each of them.
    risk : float
        Largest chance of a false stop, over all numbers of wrong objects.
    """

    n: int
    checks: Ints
    allowed: Ints
    risk: float

    def first_stop(self, wrong: Ints) -> int | None:
        """Number of tested labels at the first stop; ``wrong[t]`` are the errors on t of them."""
        checks = self.checks[: int(np.searchsorted(self.checks, len(wrong)))]
        stops = np.flatnonzero(wrong[checks] <= np.arange(len(checks)))
        return int(checks[stops[0]]) if len(stops) else None

    def expected_stop(self, rate: float, errors: int = 0, tested: int = 0) -> float:
        """Further labels to the stop if this share of them is wrong; infinite if it never comes."""
        expected = errors + rate * (self.checks - tested)
        stops = np.flatnonzero((self.checks > tested) & (expected <= np.arange(len(self.checks))))
        return float(self.checks[stops[0]] - tested) if len(stops) else math.inf


def allowed_errors(n: Ints, target: float) -> Ints:
    """Largest numbers of errors among n objects whose share is at most the target, as floats."""
    most = np.floor(target * n).astype(np.int64)
    most += (most + 1) / np.maximum(n, 1) <= target
    most -= most / np.maximum(n, 1) > target
    return np.clip(most, 0, n)


@lru_cache(maxsize=4096)
def stopping_line(n: int, target: float, delta: float, most: int | None = None) -> StoppingLine:
    """Linear boundary whose chance of a false stop is at most delta.

    Parameters
    ----------
    n : int
        Objects with a prediction that are not labelled when the test begins.
    target : float
        The error rate at which to stop.
    delta : float
        Allowed chance of a false stop: one with a larger error rate of the objects not labelled.
    most : int, optional
        Number of labels at which the test ends.

    Returns
    -------
    StoppingLine

    Notes
    -----
    One stops after t labels if at most ⌊s t − h⌋ of them were wrong. s is the slope of Wald's test
    of the target against 0.35 of it. h is the least, up to bisection, for which no number E of
    wrong objects makes a false stop likelier than delta.

    The boundary rises by at most 1, so that a stop at check k has exactly k errors, and W_k orders
    of the t_k labels lead there first. Of E wrong objects the chance is
    W_k C(n − t_k, E − k)/C(n, E). W_k does not depend on E: the chances of a first stop under
    independent errors, by dynamic programming, give all of them. The stop is false if
    E > k + allowed_k. So below the least of these sums nothing is false. Above the largest, every
    stop is false, and one more wrong object only delays stops. All E between are looked at. Their
    number depends on the checks and not on n.

    Examples
    --------
    >>> line = stopping_line(1000, 0.1, 0.09)
    >>> line.checks[:3], line.allowed[:3]
    (array([35, 51, 67]), array([96, 94, 93]))
    """
    against = (1 - TUNED.alternative * target) / (1 - target)
    odds = math.log(against / TUNED.alternative)
    slope = math.log(against) / odds
    if delta < 1e-250:  # the dynamic programming would underflow, so this test never stops
        return _line(n, target, slope, math.inf, most)
    low, high = 0.0, -math.log(delta) / odds
    line = _line(n, target, slope, high, most)
    while line.risk > delta:
        low, high = high, 2 * high
        line = _line(n, target, slope, high, most)
    for _ in range(14):  # the intercept to a part in 16,000
        middle = (low + high) / 2
        lower = _line(n, target, slope, middle, most)
        if lower.risk <= delta:
            high, line = middle, lower
        else:
            low = middle
    return line


def _line(n: int, target: float, slope: float, height: float, most: int | None) -> StoppingLine:
    """Boundary with this slope and intercept, and its largest chance of a false stop."""
    none = np.zeros(0, dtype=np.int64)
    if math.isinf(height):
        return StoppingLine(n, none, none, 0.0)
    last = max(MOST_LABELS, math.ceil((MOST_ERRORS + height) / slope)) if most is None else most
    last = min(n, last)
    errors = np.arange(max(0, math.floor(slope * last - height) + 2))
    checks = np.maximum(1, np.ceil((errors + height) / slope)).astype(np.int64)
    checks = checks[checks <= last]
    allowed = allowed_errors(n - checks, target)
    if not len(checks):
        return StoppingLine(n, checks, allowed, 0.0)
    needed = np.arange(len(checks)) + allowed + 1
    wrong = np.arange(needed.min(), min(n, needed.max()) + 1)
    chances = false_stop_chances(n, checks, allowed, slope, wrong)
    # never tightened by rounding
    slack = 1 + 1e-9 + 4e-14 * math.lgamma(n + 1.0)
    return StoppingLine(n, checks, allowed, float(chances.max(initial=0.0)) * slack)


def false_stop_chances(n: int, checks: Ints, allowed: Ints, rate: float, wrong: Ints) -> Floats:
    """Chance of a false stop for each number of wrong objects; ``rate`` does not matter."""
    from sortal._kernels import stopping as kernel

    stops = kernel.first_stops(checks, rate)
    chances: Floats = kernel.false_stops(checks, allowed, n, stops, rate, wrong)
    return chances
