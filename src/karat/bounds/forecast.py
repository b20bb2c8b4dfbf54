"""Forecasts of the number of labels that a target takes; no guarantees."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds import wording
from karat.bounds.confidence_sequence import b_always
from karat.bounds.guarantees import Guarantee
from karat.bounds.pac_mdl import PacMdlBound
from karat.bounds.sequential import FOR_TARGET
from karat.bounds.stopping import StoppingLine, stopping_line
from karat.bounds.tails import b_max, log_level
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from karat.runtime.types import Floats, Ints

#: power of g by which g times the labels change the error rate of a classifier, and quantile of its
#: posterior error rate: as expected, and at the ends of the interval
LEARNING = {"expected": -0.25, "low": -0.5, "high": 0.0}
QUANTILES = {"expected": 0.5, "low": 0.1, "high": 0.9}
#: share of delta for a confidence sequence that has not begun
TO_COME = 0.2


@dataclass(frozen=True)
class LabelForecast:
    """Forecast of the number of labels that a target needs.

    Attributes
    ----------
    target : float
        Wanted bound on the error rate.
    labelled : int
        Number of labels so far.
    more : int or None
        Further labels needed; None if labels of all objects but one are not enough.
    low, high : int or None
        The same at the ends of the interval of the error rate.
    error_rate, standard_error : float
        Share of errors among the labelled objects, after one more error and one more success, so
        that the standard error is never 0.
    refused : str
        Reason why nothing can be guaranteed with these labels, else empty.
    """

    target: float
    labelled: int
    more: int | None
    low: int | None
    high: int | None
    error_rate: float
    standard_error: float
    refused: str = ""

    def __str__(self) -> str:
        return wording.forecast(self)


def forecast_labels(bound: Guarantee | PacMdlBound, target: float | None = None) -> LabelForecast:
    """Forecast how many more labels bring a bound to a target.

    Parameters
    ----------
    bound : Guarantee or PacMdlBound
        Bound to improve.
    target : float, optional
        Wanted bound on the error rate, in [0, 1); by default the target of the guarantee, if it has
        one that is not reached, else half of the current bound.

    Returns
    -------
    LabelForecast

    Raises
    ------
    InputError
        If the target is not in [0, 1), or nothing is labelled.

    Notes
    -----
    Each part of the bound is computed for larger numbers of labels, and the lowest counts. Its
    error rate has the posterior Beta(errors + 1/2, tested − errors + 1/2): the middle is what was
    seen, the ends are the 10 % quantiles. A classifier that learns from its labels is taken to
    improve with the 4th root of their number (ends: the square root, and not at all). A guarantee
    with a target reaches it where these errors meet the boundary of one of its tests
    (:func:`karat.bounds.stopping.stopping_line`), begun or to come.

    Examples
    --------
    >>> import karat
    >>> y = [None] * 2000
    >>> for i in karat.bounds.sample(2000, 60, random_state=0): y[i] = i < 1000
    >>> bound = karat.pac_mdl_bound([0] * 1000 + [1] * 1000, y, classes=[True, False])
    >>> round(bound.bound_rate, 3)
    0.059
    >>> karat.bounds.forecast_labels(bound, 0.03).more
    62
    """
    if target is None:
        target = bound.target if isinstance(bound, Guarantee) else None
        if target is None or bound.bound_rate <= target:
            target = float(f"{bound.bound_rate / 2:.2g}")
    if not 0 <= target < 1:
        raise InputError(f"target is an error rate in [0, 1); got {target!r}")
    if bound.m == 0:
        raise InputError("nothing is labelled, so there is no error rate to forecast from")
    rates = outlook(bound)
    labelled, last = bound.m, bound.m + bound.n - 1

    def more(end: str) -> int | None:
        """Labels still needed at one end of the interval; None if no number of them is enough."""
        if bound.refused:
            return None
        if bound.bound_rate <= target:
            return 0
        first = _first(lambda m: rates(m, end) <= target, labelled + 1, last)
        return None if first is None else first - labelled

    # after one error and one success more
    tested = bound.tested if isinstance(bound, Guarantee) else bound.m
    rate = (bound.errors + 1) / (tested + 2)
    error = math.sqrt(rate * (1 - rate) / (tested + 3))
    expected, low, high = map(more, LEARNING)
    return LabelForecast(target, labelled, expected, low, high, rate, error, bound.refused)


@dataclass(frozen=True)
class _Plan:
    """Recipe of a bound, to compute it again for more labels.

    Of m labels ``share · m − spent`` are its test. ``learns``: its classifier does with more.
    ``line``: it says nothing before its errors meet this boundary, and then the ``target``.
    """

    m: int
    n: int
    errors: int
    tested: int
    share: float
    spent: int
    level: float
    followed: bool
    learns: bool
    line: StoppingLine | None = None
    target: float = 1.0

    def rates(self, m: Ints, end: str) -> Floats:
        """Bound rate for m labels, as expected or at an end of the interval."""
        if self.line is not None:
            return np.where(m >= self._stop(self.line, end), self.target, 1.0)
        tested, errors = self._tested(m, end)
        n = self.m + self.n - m
        tail = b_always if self.followed else b_max
        bound: Floats = tail(tested, n, errors, log_delta=self.level)
        return bound / np.maximum(n, 1)

    def _tested(self, m: Ints, end: str) -> tuple[Ints, Ints]:
        """Tested labels among m, and the errors on them."""
        tested = np.minimum(np.ceil(m * self.share - 1e-9).astype(np.int64) - self.spent, m)
        tested = np.maximum(tested, 0)
        growth = (np.maximum(m, 1) / self.m) ** (LEARNING[end] if self.learns else 0.0)
        rate = self._rate(end) * growth
        whole = np.floor(tested * rate + 1e-9) if end == "low" else np.ceil(tested * rate - 1e-9)
        return tested, np.minimum(whole.astype(np.int64), tested)

    def _stop(self, line: StoppingLine, end: str) -> float:
        """Number of labels at which the errors meet the boundary; infinite if they never do."""
        m = line.checks + self.spent
        stops = (m > self.m) & (self._tested(m, end)[1] <= np.arange(len(m)))
        return float(m[int(np.argmax(stops))]) if stops.any() else math.inf

    def _rate(self, end: str) -> float:
        """Error rate with the labels at hand, as expected or at an end of the interval."""
        from scipy.special import betaincinv

        right = self.tested - self.errors
        limit = float(betaincinv(self.errors + 0.5, right + 0.5, QUANTILES[end]))
        if not self.tested:
            return limit
        seen = self.errors / self.tested
        return {"low": min(limit, seen), "expected": seen, "high": max(limit, seen)}[end]


def outlook(bound: Guarantee | PacMdlBound) -> Callable[[Any, str], Floats]:
    """Function from the number of labels and the end of the interval to the lowest bound rate."""
    plans = _plans(bound)
    # a test that has stopped
    held = bound.bound_rate if bound.method == "target" else 1.0
    return lambda m, end: np.minimum(
        held, np.min([plan.rates(np.asarray(m), end) for plan in plans], axis=0)
    )


def _plans(bound: Guarantee | PacMdlBound) -> list[_Plan]:
    """Recipes of all components of a bound."""
    m = bound.m
    if isinstance(bound, PacMdlBound):
        level = log_level(bound.delta, bound.bits)
        return [_Plan(m, bound.n, bound.errors, m, 1.0, 0, level, False, False)]
    plans = []
    for part in bound.parts:
        n, e, t = part.n, part.errors, part.tested
        name = bound.mdl.labelings.names[part.classifier.row]
        if part.method in ("pac-mdl", "mdl-sequence"):
            level = log_level(part.delta, bound.mdl[name].bits)
            followed = part.method == "mdl-sequence"
            plans.append(_Plan(m, n, e, t, t / m, 0, level, followed, False))
        elif part.method == "half":
            plans.append(_Plan(m, n, e, t, t / m, 0, log_level(part.delta), False, True))
        elif part.method == "start":
            level, later = log_level(part.delta), log_level(TO_COME * bound.delta)
            plans.append(_Plan(m, n, e, t, 1.0, m - t, level, True, False))
            if bound.target is None:
                plans.append(_Plan(m, n, e, t, 1.0, m, later, True, True))
    return plans if bound.target is None else plans + _plans_for_target(bound, bound.target)


def _plans_for_target(bound: Guarantee, target: float) -> list[_Plan]:
    """Recipes of the tests of a target, those begun and the next one."""
    begun = [part for part in bound.parts if part.method == "target"]
    plans = []
    for part in begun:
        if part.bound < part.n:
            continue
        n, e, t = part.n, part.errors, part.tested
        line = stopping_line(n + t, target, part.delta)
        plans.append(_Plan(bound.m, n, e, t, 1.0, bound.m - t, 0.0, True, False, line, target))
    if len(begun) < len(FOR_TARGET):
        # of the classifiers so far the one that was wrong least often
        rivals = begun or [part for part in bound.parts if part.tested]
        part = min(rivals, key=lambda part: (part.errors + 1) / (part.tested + 2))
        line = stopping_line(bound.n, target, FOR_TARGET[len(begun)] * bound.delta)
        e, t = part.errors, part.tested
        plans.append(_Plan(bound.m, bound.n, e, t, 1.0, bound.m, 0.0, True, True, line, target))
    return plans


def _first(reached: Callable[[Any], Any], low: int, high: int) -> int | None:
    """Smallest number of labels that reaches the target, or None."""
    # coarse to fine: the first grid point that reaches the target brackets the answer
    while low <= high:
        grid = np.unique(np.linspace(low, high, 512).astype(np.int64))
        hits = reached(grid)
        if not hits.any():
            return None
        first = int(np.argmax(hits))
        if first == 0 or grid[first] == grid[first - 1] + 1:
            return int(grid[first])
        low, high = int(grid[first - 1]) + 1, int(grid[first])
    return None
