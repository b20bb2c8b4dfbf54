"""How many more labels would bring the bound below a target: a forecast, not a guarantee."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.bounds._bound import PacMdlBound, _levels
from karat.bounds._guarantee import Guarantee
from karat.bounds._sequence import b_always
from karat.bounds._tails import b_max
from karat.runtime.validation import InputError


@dataclass(frozen=True)
class LabelForecast:
    """How many labels would be needed, if the share of errors stays what it is.

    Attributes
    ----------
    target : float
        Wanted bound on the error rate.
    labelled : int
        Labels there are.
    more : int or None
        How many more would be needed; None where not even labelling all but one object would do.
    low, high : int or None
        The same if the true share of errors is one standard error lower or higher than seen.
    error_rate, standard_error : float
        The share of errors among the labelled objects, after one error and one success more
        (so that the standard error is never 0).
    """

    target: float
    labelled: int
    more: int | None
    low: int | None
    high: int | None
    error_rate: float
    standard_error: float

    def __str__(self) -> str:
        goal = f"a bound of {self.target * 100:.4g} %"
        if self.more == 0:
            return f"The bound is {self.target * 100:.4g} % or lower already."
        if self.more is None:
            return (
                f"Forecast: {goal} is out of reach for this clustering of these objects, however "
                f"many are labelled, if it errs as often as seen ({self.error_rate * 100:.2g} ± "
                f"{self.standard_error * 100:.2g} %); try other numbers of clusters or clusterers."
            )
        low = "0" if self.low is None else f"{self.low:,}"
        high = "out of reach" if self.high is None else f"{self.high:,}"
        return (
            f"Forecast (no guarantee): about {self.more:,} more labels ({low} to {high}) would "
            f"bring {goal}, if the error rate stays the same."
        )


def forecast_labels(bound: Guarantee | PacMdlBound, target: float) -> LabelForecast:
    """Forecast how many more labels bring the bound of the same clustering to a target.

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
    The bound is computed again for larger m at the same number of objects and share of delta,
    with ceil(tested · error rate) errors on the same share of the labels as a test. O(log n)
    bounds of the tail and 512 more for the first crossing.

    Examples
    --------
    >>> import karat
    >>> y = [None] * 2000
    >>> for i in karat.bounds.sample(2000, 60, random_state=0): y[i] = i < 1000
    >>> bound = karat.pac_mdl_bound([0] * 1000 + [1] * 1000, y)
    >>> round(bound.bound_rate, 3)
    0.059
    >>> karat.bounds.forecast_labels(bound, 0.03).more
    62
    """
    if not 0 <= target < 1:
        raise InputError(f"target is an error rate in [0, 1); got {target!r}")
    if bound.m == 0:
        raise InputError("nothing is labelled, so there is no error rate to forecast from")
    plan = plan_of(bound)
    share, spread = rate_of(plan)
    seen = plan.errors / plan.tested if plan.tested else share

    def more(rate: float) -> int | None:
        return 0 if bound.bound_rate <= target else _more(plan, target, rate)

    return LabelForecast(
        target=target,
        labelled=bound.m,
        more=more(seen),
        low=more(max(0.0, seen - spread)),
        high=more(min(1.0, seen + spread)),
        error_rate=share,
        standard_error=spread,
    )


@dataclass(frozen=True)
class Plan:
    """How a bound is made, to make it again with more labels."""

    m: int
    n: int
    errors: int
    tested: int
    log_level: float
    followed: bool

    def rates(self, m: Any, rate: float) -> Any:
        """The bound with so many labels, if this share of the tested is wrong."""
        m = np.asarray(m)
        tested = np.minimum(np.ceil(m * (self.tested / self.m)).astype(np.int64), m)
        errors = np.minimum(np.ceil(tested * rate - 1e-9).astype(np.int64), tested)
        tail = b_always if self.followed else b_max
        n = self.m + self.n - m
        return tail(tested, n, errors, log_delta=self.log_level) / np.maximum(n, 1)


def rate_of(plan: Plan) -> tuple[float, float]:
    """The error rate after one error and one success more, and its standard error."""
    share = (plan.errors + 1) / (plan.tested + 2)
    return share, math.sqrt(share * (1 - share) / (plan.tested + 3))


def plan_of(bound: Guarantee | PacMdlBound) -> Plan:
    """How a bound was made."""
    if isinstance(bound, PacMdlBound):
        level = float(_levels(bound.delta, bound.bits))
        return Plan(bound.m, bound.n, bound.errors, bound.m, level, False)
    # an average of classifiers cannot be computed from a number of errors
    part = next(part for part in bound.parts if part.method != "pac-bayes")
    bits = 0.0
    if part.method in ("pac-mdl", "mdl-sequence"):
        bits = bound.mdl[part.name].bits
    followed = part.method in ("sequence", "mdl-sequence")
    tested = part.tested
    errors = part.errors
    if part.method == "looks":  # the last look is behind; the next will test half
        errors, tested = round(errors / tested * (bound.m / 2)), bound.m // 2
    level = float(_levels(part.delta, bits))
    return Plan(bound.m, part.n, errors, tested, level, followed)


def _more(plan: Plan, target: float, rate: float) -> int | None:
    low, high = plan.m + 1, plan.m + plan.n - 1
    # coarse to fine: the first grid point that reaches the target brackets the answer
    while low <= high:
        grid = np.unique(np.linspace(low, high, 512).astype(np.int64))
        reached = plan.rates(grid, rate) <= target
        if not reached.any():
            return None
        first = int(np.argmax(reached))
        if first == 0 or grid[first] == grid[first - 1] + 1:
            return int(grid[first]) - plan.m
        low, high = int(grid[first - 1]) + 1, int(grid[first])
    return None
