"""What further labels would buy: a forecast, not a guarantee."""

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
from karat.bounds.tails import b_max, log_level
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

#: chance that each end of an interval is meant to be missed with
TAIL = 0.1
#: the error rate of a classifier with g times the labels, as a power of g: the expected one, and
#: those of the ends of the interval
LEARNING = {"bound": -0.25, "low": -0.5, "high": 0.0}
#: share of delta of a confidence sequence that has yet to begin
TO_COME = 0.2


@dataclass(frozen=True)
class LabelForecast:
    """How many labels would be needed.

    Attributes
    ----------
    target : float
        Wanted bound on the error rate.
    labelled : int
        Labels there are.
    more : int or None
        How many more would be needed; None where labels of all objects but one would not do.
    low, high : int or None
        The same at the ends of the interval of the error rate.
    error_rate, standard_error : float
        The share of errors among the labelled objects, after one error and one success more
        (so that the standard error is never 0).
    refused : str
        Why nothing can be guaranteed with these labels, else empty.
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


@dataclass(frozen=True)
class LabelAdvice:
    """What labels would buy.

    Attributes
    ----------
    curve : DataFrame
        By the number of labels: ``bound``, the bound that is expected, and the interval from
        ``low`` to ``high``.
    error_rate, standard_error : float
        As of :class:`LabelForecast`.
    refused : str
        Why nothing can be guaranteed with these labels, else empty.
    """

    curve: pd.DataFrame
    error_rate: float
    standard_error: float
    refused: str = ""

    def __str__(self) -> str:
        return wording.advice(self)


def forecast_labels(bound: Guarantee | PacMdlBound, target: float) -> LabelForecast:
    """Forecast how many more labels bring a bound to a target.

    Parameters
    ----------
    bound : Guarantee or PacMdlBound
        The bound there is.
    target : float
        Wanted bound on the error rate, in [0, 1).

    Returns
    -------
    LabelForecast

    Raises
    ------
    InputError
        If the target is not in [0, 1), or nothing is labelled.

    See Also
    --------
    karat.bounds.advise : What further labels would buy, without a target.

    Notes
    -----
    Each part of the bound is computed for larger numbers of labels, and the lowest counts. Its
    error rate has the posterior Beta(errors + 1/2, tested − errors + 1/2): the middle is what was
    seen, the ends are the 10 % quantiles. A classifier that learns from its labels is taken to
    improve with the 4th root of their number (ends: the square root, and not at all).

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
    if not 0 <= target < 1:
        raise InputError(f"target is an error rate in [0, 1); got {target!r}")
    outlook = _outlook(bound)
    labelled, last = bound.m, bound.m + bound.n - 1

    def more(end: str) -> int | None:
        if bound.bound_rate <= target and not bound.refused:
            return 0
        return _first(lambda m: outlook(m, end) <= target, labelled + 1, last, labelled)

    rate, error = _seen(bound)
    middle, low, high = (None if bound.refused else more(end) for end in LEARNING)
    return LabelForecast(target, labelled, middle, low, high, rate, error, bound.refused)


def advise(found: Guarantee | PacMdlBound, *, sizes: Any = None) -> LabelAdvice:
    """What more labels would buy.

    Parameters
    ----------
    found : Guarantee or PacMdlBound
        What a pilot of labels guarantees.
    sizes : iterable of int, optional
        Numbers of labels, the pilot's among them; by default its own and 1.5, 2, 4 and 8 times it,
        as far as there are objects.

    Returns
    -------
    LabelAdvice
        It prints as a few sentences.

    Raises
    ------
    InputError
        If nothing is labelled, or a size is not between 1 and the number of objects.

    See Also
    --------
    karat.bounds.forecast_labels : How many labels a target takes, and how that is reckoned.

    Examples
    --------
    >>> import karat
    >>> y = [None] * 2000
    >>> for i in karat.bounds.sample(2000, 60, random_state=0): y[i] = i < 900
    >>> print(karat.bounds.advise(karat.guarantee([0] * 1000 + [1] * 1000, y)))
    Forecast (no guarantee): with 60 labels at most 24.1 % wrong, with 90 20.1 %, with 120 17.9 %,
    with 240 14.1 %, with 480 10.8 %. So far 8.1 ± 3.4 % of the tested labels were wrong.
    """
    import pandas as pd

    outlook, total = _outlook(found), found.m + found.n
    if sizes is None:
        sizes = [s for s in (found.m, *(int(found.m * g) for g in (1.5, 2, 4, 8))) if s < total]
    m = np.array(sorted({int(size) for size in sizes} or {found.m}), dtype=np.int64)
    if m[0] < 1 or m[-1] > total:
        raise InputError(f"sizes must be between 1 and the {total:,} objects; got {m.tolist()}")
    curve = pd.DataFrame(
        {end: outlook(m, end) for end in LEARNING},
        index=pd.Index(m, name="labels"),
    )
    rate, error = _seen(found)
    return LabelAdvice(curve, rate, error, found.refused)


@dataclass(frozen=True)
class _Plan:
    """How a bound is made, to make it again with more labels.

    Of m labels ``share · m − spent`` are its test. ``learns``: its classifier does with more.
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

    def rates(self, m: NDArray[np.int64], end: str) -> NDArray[np.float64]:
        """The bound with so many labels, at the middle or an end of the interval."""
        tested = np.minimum(np.ceil(m * self.share - 1e-9).astype(np.int64) - self.spent, m)
        tested = np.maximum(tested, 0)
        growth = (np.maximum(m, 1) / self.m) ** (LEARNING[end] if self.learns else 0.0)
        rate = self._rate(end) * growth
        whole = np.floor(tested * rate + 1e-9) if end == "low" else np.ceil(tested * rate - 1e-9)
        errors = np.minimum(whole.astype(np.int64), tested)
        n = self.m + self.n - m
        tail = b_always if self.followed else b_max
        bound: NDArray[np.float64] = tail(tested, n, errors, log_delta=self.level)
        return bound / np.maximum(n, 1)

    def _rate(self, end: str) -> float:
        from scipy.special import betaincinv

        tail = {"low": TAIL, "bound": 0.5, "high": 1 - TAIL}[end]
        limit = float(betaincinv(self.errors + 0.5, self.tested - self.errors + 0.5, tail))
        if not self.tested:
            return limit
        seen = self.errors / self.tested
        return {"low": min(limit, seen), "bound": seen, "high": max(limit, seen)}[end]


def _outlook(bound: Guarantee | PacMdlBound) -> Callable[[Any, str], NDArray[np.float64]]:
    """The lowest of the parts, by the number of labels and the end of the interval."""
    if bound.m == 0:
        raise InputError("nothing is labelled, so there is no error rate to forecast from")
    plans = _plans(bound)
    return lambda m, end: np.min([plan.rates(np.asarray(m), end) for plan in plans], axis=0)


def _plans(bound: Guarantee | PacMdlBound) -> list[_Plan]:
    m = bound.m
    if isinstance(bound, PacMdlBound):
        level = log_level(bound.delta, bound.bits)
        return [_Plan(m, bound.n, bound.errors, m, 1.0, 0, level, False, False)]
    plans = []
    for part in bound.parts:
        e, t = part.errors, part.tested
        name = bound.mdl.labelings.names[part.classifier.row]
        if part.method in ("pac-mdl", "mdl-sequence"):
            level = log_level(part.delta, bound.mdl[name].bits)
            followed = part.method == "mdl-sequence"
            plans.append(_Plan(m, part.n, e, t, t / m, 0, level, followed, False))
        elif part.method == "largest class":
            continue
        elif part.method == "half":
            plans.append(_Plan(m, part.n, e, t, t / m, 0, log_level(part.delta), False, True))
        elif part.method == "start":
            level = log_level(part.delta)
            plans.append(_Plan(m, part.n, e, t, 1.0, m - t, level, True, False))
            level = log_level(TO_COME * bound.delta)
            plans.append(_Plan(m, part.n, e, t, 1.0, m, level, True, True))
    return plans


def _seen(bound: Guarantee | PacMdlBound) -> tuple[float, float]:
    """The error rate after one error and one success more, and its standard error."""
    tested = bound.tested if isinstance(bound, Guarantee) else bound.m
    share = (bound.errors + 1) / (tested + 2)
    return share, math.sqrt(share * (1 - share) / (tested + 3))


def _first(reached: Callable[[Any], Any], low: int, high: int, labelled: int) -> int | None:
    """How many more labels than ``labelled`` first reach something."""
    # coarse to fine: the first grid point that reaches the target brackets the answer
    while low <= high:
        grid = np.unique(np.linspace(low, high, 512).astype(np.int64))
        found = reached(grid)
        if not found.any():
            return None
        first = int(np.argmax(found))
        if first == 0 or grid[first] == grid[first - 1] + 1:
            return int(grid[first]) - labelled
        low, high = int(grid[first - 1]) + 1, int(grid[first])
    return None
