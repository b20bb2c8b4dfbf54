"""Mutual information less what it costs to say the table: it does not reward many clusters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.contingency import ContingencyTable
from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.external.table import as_table, need_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["normalized_reduced_mutual_information", "reduced_mutual_information"]

TITLE = "Reduced mutual information"


def reduced_mutual_information(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Reduced mutual information: what the clustering saves in describing the gold standard.

    Returns
    -------
    float
        Nats for each object, greater is better; below 0 where the table costs more than it saves.

    Raises
    ------
    UndefinedMeasureError
        For weights or memberships.

    Notes
    -----
    [ln(n! Π n_ij!/(Π a_i! Π b_j!)) − ln Ω(a, b)]/n, where Ω counts the tables with these margins.
    Ω is not computed but estimated (ln Ω is 1.65 where it should be 1.79 for the margins 5, 5 and
    5, 5) by the effective-columns estimate of Jerdee, Kirkley & Newman with the longer margin as
    rows (the mean of both ways where they are equally long); Newman, Cantwell & Young have another
    estimate. The package clustering-mi has this in bits and not for each object, as
    ``reduced_flat``, with the gold standard's margin as columns. O(n + cells).

    Examples
    --------
    >>> from karat import reduced_mutual_information
    >>> round(reduced_mutual_information([0, 0, 1, 1] * 5, [0, 0, 1, 1] * 5), 6)
    0.494149
    """
    return _reduced(as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight))


def normalized_reduced_mutual_information(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Reduced mutual information over the mean of what each side has with itself.

    Returns
    -------
    float
        At most 1, greater is better; below 0 where the table costs more than it saves. Where
        neither side says anything of itself (one cluster, or singletons), 1 if they are the same
        and 0 if not.

    Raises
    ------
    UndefinedMeasureError
        For weights or memberships.

    Notes
    -----
    Newman, Cantwell & Young, equation 25. O(n + cells).

    Examples
    --------
    >>> from karat import normalized_reduced_mutual_information
    >>> round(normalized_reduced_mutual_information([0, 0, 1, 1] * 5, [0, 1, 1, 1] * 5), 6)
    0.250616
    """
    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    need_counts(table, TITLE)
    both = sum(_with_itself(sizes) for sizes in (table.row_sums, table.column_sums)) / 2
    if both <= 1e-12:  # neither says anything of itself
        return float(len(table.counts) == table.shape[0] == table.shape[1])
    return _reduced(table) / both


def _reduced(table: ContingencyTable) -> float:
    need_counts(table, TITLE)
    return _information(table.counts, table.row_sums, table.column_sums)


def _with_itself(sizes: NDArray[np.int64]) -> float:
    return _information(sizes, sizes, sizes)


def _information(cells: Any, a: Any, b: Any) -> float:
    from scipy.special import gammaln

    n = float(a.sum())
    saved = gammaln(n + 1) + gammaln(cells + 1.0).sum()
    saved -= gammaln(a + 1.0).sum() + gammaln(b + 1.0).sum()
    return float(saved - log_number_of_tables(a, b)) / n


def log_number_of_tables(a: Any, b: Any) -> float:
    """Logarithm of the number of tables of whole numbers with these margins, estimated."""
    rows, columns = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if len(rows) != len(columns):
        return _effective_columns(*sorted((rows, columns), key=len, reverse=True))
    return (_effective_columns(rows, columns) + _effective_columns(columns, rows)) / 2


def _effective_columns(rows: NDArray[np.float64], columns: NDArray[np.float64]) -> float:
    from scipy.special import gammaln

    def log_ways(total: Any, parts: Any) -> Any:
        """Ln of the binomial (total + parts − 1) over (parts − 1)."""
        return gammaln(total + parts) - gammaln(parts) - gammaln(total + 1.0)

    n, m = float(rows.sum()), len(rows)
    squares = float((columns**2).sum())
    if squares == n:  # columns of one object each: counted exactly
        return float(gammaln(n + 1) - gammaln(rows + 1).sum())
    effective = (n * n - n + (n * n - squares) / m) / (squares - n)
    value = log_ways(columns, m).sum() + log_ways(rows, effective).sum()
    return float(value - log_ways(n, m * effective))


define(
    reduced_mutual_information,
    TITLE,
    family="information",
    references=[Reference("newman2020"), Reference("jerdee2024")],
    range=(-math.inf, math.inf),
    symmetric=True,
)
define(
    normalized_reduced_mutual_information,
    "Normalised reduced mutual information",
    family="information",
    references=[Reference("newman2020", "25"), Reference("jerdee2024")],
    range=(-math.inf, 1.0),
    symmetric=True,
)
