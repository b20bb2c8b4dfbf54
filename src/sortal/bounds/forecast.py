"""Forecasts of what more labels bring: the number for a target, and the bound; no guarantees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortal.bounds import wording
from sortal.bounds.classifiers import ComponentBound
from sortal.bounds.confidence_sequence import b_always
from sortal.bounds.guarantees import Guarantee
from sortal.bounds.pac_mdl import PacMdlBound
from sortal.bounds.sequential import FOR_TARGET, PLANNED, WITHOUT_TARGET
from sortal.bounds.stopping import StoppingLine, stopping_line
from sortal.bounds.tails import b_max, log_level
from sortal.bounds.tuned import TUNED
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from sortal.typing import Floats, Ints

#: limit of cost: simulated futures of a bound; a search for a number of labels has a quarter
FUTURES = 2_000
#: tuned: between these ends lie four in five of the bounds that came true on generated tables
LIMITS = (0.15, 0.5, 0.85)


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
        Target for the bound on the error rate, in [0, 1). By default the guarantee's target if it
        is not reached, otherwise half of the current bound.

    Raises
    ------
    InputError
        If the target is not in [0, 1), or nothing is labelled.

    Notes
    -----
    The first number of labels where the median of :func:`forecast_bounds` reaches the target, and
    the same for the ends of its interval.

    Examples
    --------
    >>> import sortal
    >>> y = [None] * 2000
    >>> for i in sortal.bounds.sample(2000, 60, random_state=0): y[i] = i < 1000
    >>> bound = sortal.pac_mdl_bound([0] * 1000 + [1] * 1000, y, classes=[True, False])
    >>> round(bound.bound_rate, 3)
    0.059
    >>> sortal.bounds.forecast_labels(bound, 0.03).more
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
    futures = _Futures(bound, FUTURES // 4)
    labelled, last = bound.m, bound.m + bound.n - 1

    def more(end: int) -> int | None:
        if bound.refused:
            return None
        if bound.bound_rate <= target:
            return 0
        low, high = labelled, min(labelled + 1, last)
        while futures.rates(high)[end] > target:
            if high == last:
                return None
            low, high = high, min(3 * high - 2 * labelled, last)
        while high - low > 1:
            middle = (low + high) // 2
            reached = futures.rates(middle)[end] <= target
            low, high = (low, middle) if reached else (middle, high)
        return high - labelled

    # after one error and one success more
    tested = bound.tested if isinstance(bound, Guarantee) else bound.m
    rate = (bound.errors + 1) / (tested + 2)
    error = math.sqrt(rate * (1 - rate) / (tested + 3))
    low, expected, high = map(more, range(3))
    return LabelForecast(target, labelled, expected, low, high, rate, error, bound.refused)


@dataclass(frozen=True)
class BoundForecast:
    """Forecast of the bound at a larger number of labels.

    Attributes
    ----------
    labelled : int
        Number of labels, those so far among them.
    rate : float
        Median of the forecast bound, as a share of the objects that are then unlabelled.
    low, high : float
        Ends of its 80 % interval.
    """

    labelled: int
    rate: float
    low: float
    high: float


def forecast_bounds(
    bound: Guarantee | PacMdlBound, labelled: Sequence[int] | None = None
) -> tuple[BoundForecast, ...]:
    """Forecast the bound at larger numbers of labels.

    Parameters
    ----------
    bound : Guarantee or PacMdlBound
        Bound to improve.
    labelled : sequence of int, optional
        Numbers of labels, those so far among them; by default 2 and 3.5 times as many, rounded.
        Numbers that leave no object without a label have no forecast.

    Returns
    -------
    tuple of BoundForecast
        Empty if the bound is refused or nothing is labelled.

    Notes
    -----
    The further labels are simulated 2,000 times: error rates from the posterior Beta(errors + 1/2,
    tested − errors + 1/2), errors from the binomial distribution. A classifier that learns improves
    with a power of the number of its labels that is uniform between 0 and 1/2. A new half is tested
    afresh, and so is a test that begins later, at its planned number of labels. Any other keeps its
    errors. A test of a target stops where its errors meet the boundary
    (:func:`sortal.bounds.stopping.stopping_line`). Each part of the bound is computed for these,
    and the lowest counts.

    Examples
    --------
    >>> import sortal
    >>> y = [None] * 2000
    >>> for i in sortal.bounds.sample(2000, 60, random_state=0): y[i] = i < 1000
    >>> bound = sortal.pac_mdl_bound([0] * 1000 + [1] * 1000, y, classes=[True, False])
    >>> twice, _ = sortal.bounds.forecast_bounds(bound)
    >>> twice.labelled, round(bound.bound_rate, 3), round(twice.rate, 3)
    (120, 0.059, 0.03)
    """
    m, last = bound.m, bound.m + bound.n - 1
    if labelled is None:
        labelled = [int(float(f"{m * factor:.2g}")) for factor in TUNED.growth]
    if any(number < m for number in labelled):
        raise InputError(f"{m} objects are labelled already; forecast at {m} labels or more")
    if bound.refused or m == 0:
        return ()
    futures = _Futures(bound, FUTURES)
    forecasts = []
    for number in labelled:
        if number <= last:
            low, middle, high = futures.rates(int(number))
            forecasts.append(BoundForecast(int(number), middle, low, high))
    return tuple(forecasts)


class _Futures:
    """Simulated futures of a bound: error rates, powers of learning, and quantiles of errors."""

    def __init__(self, bound: Guarantee | PacMdlBound, count: int) -> None:
        rng = np.random.default_rng(0)
        luck, power, chance = rng.random((3, count))
        self._bound, self._plans = bound, _plans(bound)
        self._draws = luck, power / 2, chance
        self._stops = {i: plan.stops(luck, rng) for i, plan in enumerate(self._plans) if plan.line}
        self._rates: dict[int, tuple[float, float, float]] = {}

    def rates(self, m: int) -> tuple[float, float, float]:
        """Bound rate for m labels: the middle of the futures between the ends of the interval."""
        if m not in self._rates:
            bound, hidden = self._bound, self._bound.m + self._bound.n - m
            counts = [
                np.where(self._stops[i] <= m, math.floor(plan.target * hidden), hidden)
                if plan.line
                else plan.simulated(m, *self._draws)
                for i, plan in enumerate(self._plans)
            ]
            lowest = np.min(counts, axis=0)
            if getattr(bound, "anytime", False):  # the lowest bound so far holds on
                lowest = np.minimum(lowest, bound.bound)
            low, middle, high = np.quantile(lowest / hidden, LIMITS, method="inverted_cdf").tolist()
            self._rates[m] = low, middle, high
        return self._rates[m]


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

    def stops(self, luck: Floats, rng: np.random.Generator) -> Floats:
        """Number of labels at which the errors meet the boundary in each future, or infinity."""
        assert self.line is not None
        begun = self.tested if self.spent < self.m else 0
        place = int(np.searchsorted(self.line.checks, begun, side="right"))
        checks = self.line.checks[place:]
        if not len(checks):
            return np.full(len(luck), np.inf)
        steps = rng.binomial(np.diff(checks, prepend=begun), self._rates(luck)[:, None])
        wrong = steps.cumsum(axis=1) + (self.errors if begun else 0)
        met = wrong <= place + np.arange(len(checks))
        stops: Floats = np.where(met.any(axis=1), self.spent + checks[met.argmax(axis=1)], np.inf)
        return stops

    def _rates(self, luck: Floats) -> Floats:
        """Error rates at quantiles of their posterior."""
        from scipy.special import betaincinv

        right = self.tested - self.errors
        rates: Floats = betaincinv(self.errors + 0.5, right + 0.5, luck)
        return rates

    def simulated(self, m: int, luck: Floats, power: Floats, chance: Floats) -> Ints:
        """Bounds for m labels in simulated futures, as counts.

        A future is a quantile of the error rate, a power of learning, and a quantile of the errors.
        """
        from scipy.stats import binom

        tested = min(max(math.ceil(m * self.share - 1e-9) - self.spent, 0), m)
        rates = self._rates(luck)
        if self.learns:
            taught_by = self.spent if self.followed else m
            errors = binom.ppf(chance, tested, rates * (taught_by / self.m) ** -power)
        else:
            errors = self.errors + binom.ppf(chance, max(tested - self.tested, 0), rates)
        n, tail = self.m + self.n - m, b_always if self.followed else b_max
        different, place = np.unique(errors.astype(np.int64), return_inverse=True)
        bounds: Ints = np.asarray(tail(tested, n, different, log_delta=self.level))[place]
        return bounds


def _plans(bound: Guarantee | PacMdlBound) -> list[_Plan]:
    """Recipes of all components of a bound."""
    m = bound.m
    if isinstance(bound, PacMdlBound):
        level = log_level(bound.delta, bound.bits)
        return [_Plan(m, bound.n, bound.errors, m, 1.0, 0, level, False, False)]
    plans = []
    for component in bound.parts:
        n, e, t = component.n, component.errors, component.tested
        name = bound.mdl.labelings.names[component.classifier.row]
        if component.method in ("pac-mdl", "mdl-sequence"):
            level = log_level(component.delta, bound.mdl[name].bits)
            followed = component.method == "mdl-sequence"
            plans.append(_Plan(m, n, e, t, t / m, 0, level, followed, False))
        elif component.method == "half":
            plans.append(_Plan(m, n, e, t, t / m, 0, log_level(component.delta), False, True))
        elif component.method == "start":
            gain = _gain(component)
            level = log_level(component.delta) + gain
            plans.append(_Plan(m, n, e, t, 1.0, m - t, level, True, False))
    return plans + (
        _plans_to_come(bound) if bound.target is None else _plans_for_target(bound, bound.target)
    )


def _plans_to_come(bound: Guarantee) -> list[_Plan]:
    """Recipes of the tests that begin at a later number of labels, by the latest classifier."""
    tests = [component for component in bound.parts if component.method == "start"]
    if not tests:
        return []
    latest = min(tests, key=lambda component: component.tested)
    n_lessons = len(bound.labels) - len(latest.classifier.predicted)
    rivals = [component for component in tests if component.tested] or tests
    component = min(rivals, key=_smoothed_rate)
    delta = WITHOUT_TARGET.tests * bound.delta
    return [
        _Plan(bound.m, bound.n, component.errors, component.tested, 1.0, begins - n_lessons,
              min(log_level(share * delta) + _gain(component), 0.0), True, True)
        for begins, share in PLANNED.items()
        if begins - n_lessons > bound.m
    ]  # fmt: skip


def _plans_for_target(bound: Guarantee, target: float) -> list[_Plan]:
    """Recipes of the tests of a target, those begun and the next one."""
    begun = [component for component in bound.parts if component.method == "target"]
    plans = []
    for component in begun:
        if component.bound < component.n:
            continue
        n, e, t = component.n, component.errors, component.tested
        line = stopping_line(n + t, target, component.delta)
        plans.append(_Plan(bound.m, n, e, t, 1.0, bound.m - t, 0.0, True, False, line, target))
    if len(begun) < len(FOR_TARGET.target):
        # of the classifiers so far the one that was wrong least often
        rivals = begun or [component for component in bound.parts if component.tested]
        component = min(rivals, key=_smoothed_rate)
        line = stopping_line(bound.n, target, FOR_TARGET.target[len(begun)] * bound.delta)
        e, t = component.errors, component.tested
        plans.append(_Plan(bound.m, bound.n, e, t, 1.0, bound.m, 0.0, True, True, line, target))
    return plans


def _smoothed_rate(component: ComponentBound) -> float:
    """Error rate on the test labels after one error and one success more."""
    return (component.errors + 1) / (component.tested + 2)


def _gain(component: ComponentBound) -> float:
    """What a test's prior is worth: how much higher a level gives its bound by the even prior."""
    level = log_level(component.delta)
    low, high = level, 0.0
    for _ in range(20):
        middle = (low + high) / 2
        even = b_always(component.tested, component.n, component.errors, log_delta=middle)
        low, high = (middle, high) if even > component.bound else (low, middle)
    return low - level
