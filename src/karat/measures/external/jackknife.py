"""Intervals from leaving out one object at a time, all at once for the objects of a cell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.contingency import ContingencyTable
from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.docstrings import cite
from karat.measures.external.chance import MeasureLike, resolve, trimmed
from karat.measures.external.table import as_table, need_counts
from karat.runtime.validation import InputError, UndefinedMeasureError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["JackknifeResult", "jackknife_interval"]


@dataclass(frozen=True)
class JackknifeResult:
    """A value with its uncertainty, from leaving out one object at a time.

    Attributes
    ----------
    value : float
        The measure of the table itself.
    standard_error : float
    interval : tuple of float
        Confidence interval around the value less its bias.
    confidence_level : float
    bias : float
        How much the value is too high, to the order of 1/n.
    """

    value: float
    standard_error: float
    interval: tuple[float, float]
    confidence_level: float
    bias: float

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.value:.6g} ± {self.standard_error:.2g} "
            f"({self.confidence_level:.0%} interval {low:.6g} to {high:.6g})"
        )


@cite(Reference("efron1981"))
def jackknife_interval(
    measure: MeasureLike,
    labels_true: Any,
    labels_pred: Any = None,
    *,
    confidence_level: float = 0.95,
    noise: NoisePolicy = "error",
) -> JackknifeResult:
    """Standard error and confidence interval of a measure, without drawing at random.

    Parameters
    ----------
    measure : str or callable
        Key of an external measure, or a function of a :class:`~karat.ContingencyTable`.
    confidence_level : float
        Coverage of the interval.

    Returns
    -------
    JackknifeResult

    Raises
    ------
    InputError
        For labels that cannot be compared, or fewer than three objects.
    UndefinedMeasureError
        For weights or memberships, and where the measure has no value without some object.

    Notes
    -----
    All objects of a cell are alike, so one table for each cell is enough: O(cells) tables. The
    interval is the value less its bias ± a quantile of Student's t times the standard error, within
    the range of the measure. For smooth measures, such as those of pairs; one that changes in steps
    (the best matching, the largest cell) needs :func:`bootstrap_interval`. The clustering is held
    fixed. Beside the bootstrap: ``python -m benchmarks.external intervals``.

    Examples
    --------
    >>> from karat import jackknife_interval
    >>> true, pred = [0, 0, 0, 1, 1, 1] * 20, [0, 0, 1, 1, 1, 1] * 20
    >>> print(jackknife_interval("rand_index", true, pred))
    0.719888 ± 0.046 (95% interval 0.628163 to 0.811612)
    """
    from scipy.stats import t

    table = as_table(labels_true, labels_pred, noise=noise)
    need_counts(table, "The jackknife")
    function, (low, high), _ = resolve(measure)
    if not 0 < confidence_level < 1:
        raise InputError(f"confidence_level must lie between 0 and 1; got {confidence_level}")
    n = table.n
    if n < 3:
        raise InputError(f"the jackknife needs at least 3 objects; there are {n}")
    value = function(table)
    without = np.array([_without(function, table, cell) for cell in range(len(table.counts))])
    shares = table.counts / n
    mean = float(shares @ without)
    bias = (n - 1) * (mean - value)
    error = math.sqrt((n - 1) * float(shares @ (without - mean) ** 2))
    reach = float(t.ppf((1 + confidence_level) / 2, n - 1)) * error
    ends = (value - bias - reach, value - bias + reach)
    below, above = (min(max(end, low), high) for end in ends)
    return JackknifeResult(value, error, (below, above), confidence_level, bias)


def _without(
    function: Callable[[ContingencyTable], float], table: ContingencyTable, cell: int
) -> float:
    """The measure with one object less in a cell."""
    counts: NDArray[Any] = table.counts.copy()
    counts[cell] -= 1
    kept = counts > 0
    value = float(function(trimmed(table, table.rows[kept], table.columns[kept], counts[kept])))
    if not math.isfinite(value):
        raise UndefinedMeasureError("The jackknife has no value: without one object it is infinite")
    return value
