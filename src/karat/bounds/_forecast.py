"""How many more labels would bring the bound below a target: a forecast, not a guarantee."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.bounds._bound import PacMdlBound, _levels
from karat.bounds._tails import b_max
from karat.validation import InputError


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


def forecast_labels(bound: PacMdlBound, target: float) -> LabelForecast:
    """Forecast how many more labels bring the bound of the same clustering to a target.

    Parameters
    ----------
    bound : PacMdlBound
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

    Notes
    -----
    The bound is computed again for larger m at the same number of objects and bits, with
    ceil(m · error rate) errors. O(log n) bounds of the tail and 512 more for the first crossing.

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
    share = (bound.errors + 1) / (bound.m + 2)
    spread = math.sqrt(share * (1 - share) / (bound.m + 3))
    seen = bound.error_rate

    return LabelForecast(
        target=target,
        labelled=bound.m,
        more=_more(bound, target, seen),
        low=_more(bound, target, max(0.0, seen - spread)),
        high=_more(bound, target, min(1.0, seen + spread)),
        error_rate=share,
        standard_error=spread,
    )


def _more(bound: PacMdlBound, target: float, rate: float) -> int | None:
    if bound.bound_rate <= target:
        return 0
    total = bound.m + bound.n
    low, high = bound.m + 1, total - 1
    # coarse to fine: the first grid point that reaches the target brackets the answer
    while low <= high:
        grid = np.unique(np.linspace(low, high, 512).astype(np.int64))
        reached = _rates(grid, total, rate, bound) <= target
        if not reached.any():
            return None
        first = int(np.argmax(reached))
        if first == 0 or grid[first] == grid[first - 1] + 1:
            return int(grid[first]) - bound.m
        low, high = int(grid[first - 1]) + 1, int(grid[first])
    return None


def _rates(m: Any, total: int, rate: float, bound: PacMdlBound) -> Any:
    n = total - m
    errors = np.ceil(m * rate - 1e-9).astype(np.int64)
    levels = _levels(bound.delta, bound.bits)
    return b_max(m, n, errors, log_delta=levels) / n
