"""Intervals of external measures, from leaving out one object at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortal.labelings.contingency import ContingencyTable
from sortal.labelings.labels import NoisePolicy
from sortal.measures.docstrings import cite
from sortal.measures.external.chance import MeasureLike, resolve
from sortal.measures.external.table import as_table, need_counts
from sortal.runtime.numerals import percent_digits
from sortal.runtime.validation import InputError, UndefinedMeasureError

if TYPE_CHECKING:
    from sortal.measures.external.soft import ClusteringLike
    from sortal.measures.external.table import LabelsOrTable

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
        level = percent_digits(self.confidence_level, 6)
        return (
            f"{self.value:.6g} ± {self.standard_error:.2g} ({level} interval {low:.6g}–{high:.6g})"
        )


@cite("efron1981")
def jackknife_interval(
    measure: MeasureLike,
    labels_true: LabelsOrTable,
    labels_pred: ClusteringLike | None = None,
    *,
    confidence_level: float = 0.95,
    noise: NoisePolicy = "error",
) -> JackknifeResult:
    """Standard error and confidence interval of an external measure.

    Parameters
    ----------
    measure : str or callable
        Key of an external measure, or a function of a :class:`~sortal.ContingencyTable`.
    confidence_level : float
        Coverage of the interval.

    Notes
    -----
    The objects are taken as a random sample, and the clustering as fixed. Objects of a cell are
    alike, so the cost is one table for each cell. The interval is the value less its bias ± a
    quantile of Student's t times the standard error, within the range of the measure. It suits
    smooth measures, such as those of pairs. Measures that change in steps, such as the best
    matching, may cover less; they have no interval (UndefinedMeasureError) where it would exclude
    the value.

    Examples
    --------
    >>> true, pred = [0, 0, 0, 1, 1, 1] * 20, [0, 0, 1, 1, 1, 1] * 20
    >>> print(jackknife_interval("rand_index", true, pred))
    0.719888 ± 0.046 (95 % interval 0.628163–0.811612)
    """
    from scipy.stats import t

    table = as_table(labels_true, labels_pred, noise=noise)
    need_counts(table, "The jackknife")
    function, record = resolve(measure)
    if not 0 < confidence_level < 1:
        raise InputError(f"confidence_level must lie between 0 and 1; got {confidence_level}")
    n = int(table.n)
    if n < 3:
        raise InputError(f"the jackknife needs at least 3 objects; there are {n}")
    value, shares = function(table), table.counts / n
    names = table.row_names[table.rows], table.column_names[table.columns]
    without = np.empty(len(shares))
    for cell in range(len(shares)):
        counts = table.counts.copy()
        counts[cell] -= 1
        without[cell] = function(ContingencyTable.from_counts(counts, *names, noise="cluster"))
    if not np.isfinite(without).all():
        raise UndefinedMeasureError("The jackknife has no value: without one object it is infinite")
    mean = float(shares @ without)
    bias = (n - 1) * (mean - value)
    error = math.sqrt((n - 1) * float(shares @ (without - mean) ** 2))
    reach = float(t.ppf((1 + confidence_level) / 2, n - 1)) * error
    if abs(bias) > reach + 1e-9:
        raise UndefinedMeasureError(
            f"The jackknife has no interval: its bias, {bias:.3g}, exceeds its error. Cells of "
            "equal counts tie, where the measure changes in steps, or the objects are too few"
        )
    low, high = (-math.inf, math.inf) if record is None else record.range
    ends = (value - bias - reach, value - bias + reach)
    below, above = (min(max(end, low), high) for end in ends)
    return JackknifeResult(value, error, (below, above), confidence_level, bias)
