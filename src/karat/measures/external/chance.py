"""What chance does to a measure: resampled objects, shuffled labels; the table is all it takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.labelings.cells import cells_of
from karat.labelings.contingency import ContingencyTable
from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import catalogue
from karat.measures.docstrings import cite
from karat.measures.external.table import as_table, need_counts
from karat.runtime.validation import InputError, UndefinedMeasureError, check_random_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "BootstrapResult",
    "ChanceCorrectedResult",
    "PermutationResult",
    "bootstrap_interval",
    "chance_corrected",
    "permutation_test",
]

#: above so many objects the products in SciPy's sampler leave 64 bits
MOST_SHUFFLED = 2**31

MeasureLike: TypeAlias = "str | Callable[[ContingencyTable], float]"


@dataclass(frozen=True)
class BootstrapResult:
    """A value with its uncertainty under resampling of the objects.

    Attributes
    ----------
    value : float
        The measure of the table itself.
    standard_error : float
        Standard deviation over the resamples.
    interval : tuple of float
        Confidence interval.
    confidence_level : float
    bias : float
        Mean over the resamples less what the measure is for the table as a population: a measure
        that rewards noise is too high by about so much.
    n_resamples : int
    """

    value: float
    standard_error: float
    interval: tuple[float, float]
    confidence_level: float
    bias: float
    n_resamples: int

    def __str__(self) -> str:
        low, high = self.interval
        text = (
            f"{self.value:.6g} ± {self.standard_error:.2g} "
            f"({self.confidence_level:.0%} interval {low:.6g} to {high:.6g})"
        )
        if abs(self.bias) > self.standard_error / 2:
            text += f"; its bias of about {self.bias:.2g} is removed from the interval"
        return text


@dataclass(frozen=True)
class PermutationResult:
    """A value beside those of shuffled labels.

    Attributes
    ----------
    value : float
        The measure of the table itself.
    p_value : float
        Chance that shuffled labels do at least as well, (1 + how many did) / (1 + shuffles).
    mean, standard_deviation : float
        Over the shuffles.
    n_permutations : int
    """

    value: float
    p_value: float
    mean: float
    standard_deviation: float
    n_permutations: int

    def __str__(self) -> str:
        return (
            f"{self.value:.6g}, by chance {self.mean:.6g} ± {self.standard_deviation:.2g}; "
            f"p = {self.p_value:.2g} from {self.n_permutations} shuffles"
        )


@dataclass(frozen=True)
class ChanceCorrectedResult:
    """A measure corrected for chance, with the error of the estimated expectation.

    Attributes
    ----------
    value : float
        (M − E) / (optimum − E): 1 at the optimum, 0 at what chance gives.
    standard_error : float
        Monte Carlo standard error of ``value``.
    uncorrected, expected : float
        M and E.
    n_permutations : int
    """

    value: float
    standard_error: float
    uncorrected: float
    expected: float
    n_permutations: int

    def __str__(self) -> str:
        return (
            f"{self.value:.6g} ± {self.standard_error:.2g} "
            f"(uncorrected {self.uncorrected:.6g}, by chance {self.expected:.6g})"
        )


def bootstrap_interval(
    measure: MeasureLike,
    labels_true: Any,
    labels_pred: Any = None,
    *,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    noise: NoisePolicy = "error",
    random_state: Any = 0,
) -> BootstrapResult:
    """Standard error and confidence interval of a measure under resampling of objects.

    Parameters
    ----------
    measure : str or callable
        Key of an external measure, or a function of a :class:`~karat.ContingencyTable`.
    labels_true, labels_pred : array-like, shape (n,)
        The gold standard and the clustering; or one :class:`~karat.ContingencyTable` as
        ``labels_true`` alone.
    n_resamples : int
        Number of resampled tables.
    confidence_level : float
        Coverage of the interval.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means.
    random_state : int, Generator or None, default 0
        Source of the resamples.

    Returns
    -------
    BootstrapResult

    Raises
    ------
    InputError
        For labels that cannot be compared, or fewer than 2 resamples.
    UndefinedMeasureError
        For weights or memberships.

    Notes
    -----
    Objects drawn with replacement make a multinomial table, so the objects themselves are not
    needed and the cost does not depend on n: O(n_resamples × cells). The interval is the
    *basic* one: the quantiles of (resampled value − value of the table as a population) are
    taken from the measure, within its range. It takes out the bias of a measure that rewards
    noise, which the interval between plain percentiles doubles. The clustering is held fixed:
    what a new run of the clusterer would change is not in it.

    Examples
    --------
    >>> from karat import bootstrap_interval
    >>> true, pred = [0, 0, 0, 1, 1, 1] * 20, [0, 0, 1, 1, 1, 1] * 20
    >>> print(bootstrap_interval("purity", true, pred, random_state=0))
    0.833333 ± 0.033 (95% interval 0.766667 to 0.900208)
    """
    table = as_table(labels_true, labels_pred, noise=noise)
    need_counts(table, "The bootstrap")
    function, (low, high), _ = resolve(measure)
    optimum = catalogue[measure].optimum if isinstance(measure, str) else 0.0
    if n_resamples < 2:
        raise InputError(f"n_resamples must be at least 2; got {n_resamples}")
    if not 0 < confidence_level < 1:
        raise InputError(f"confidence_level must lie between 0 and 1; got {confidence_level}")
    value = function(table)
    values = np.array([function(t) for t in _resampled(table, n_resamples, random_state)])
    centre = _of_population(function, table, value) if math.isfinite(optimum) else value
    tail = (1 - confidence_level) / 2
    below, above = np.quantile(values - centre, [tail, 1 - tail])
    return BootstrapResult(
        value=value,
        standard_error=float(values.std(ddof=1)),
        interval=(
            min(max(value - float(above), low), high),
            max(min(value - float(below), high), low),
        ),
        confidence_level=confidence_level,
        bias=float(values.mean()) - centre,
        n_resamples=n_resamples,
    )


def _of_population(
    function: Callable[[ContingencyTable], float], table: ContingencyTable, value: float
) -> float:
    """What the measure would be if the table were the population that resamples come from.

    For most measures the value of the table itself. Those that allow for chance allow for less
    the more objects there are: the limit for many copies of every object.
    """
    many = [
        function(
            ContingencyTable._of_cells(
                table.rows,
                table.columns,
                table.counts * copies,
                table.row_names,
                table.column_names,
            )
        )
        for copies in (1000, 2000)
        if table.n * copies < 1 << 62
    ]
    settled = len(many) == 2 and abs(many[1] - many[0]) <= 1e-2 * max(abs(many[1]), 1e-3)
    return many[1] if settled else value


@cite(Reference("patefield1981"))
def permutation_test(
    measure: MeasureLike,
    labels_true: Any,
    labels_pred: Any = None,
    *,
    n_permutations: int = 1000,
    noise: NoisePolicy = "error",
    random_state: Any = 0,
) -> PermutationResult:
    """Whether a clustering agrees with a gold standard better than shuffled labels do.

    Parameters
    ----------
    measure, labels_true, labels_pred, noise, random_state
        As in :func:`bootstrap_interval`. Of a callable, greater values are better.
    n_permutations : int
        Number of shuffles; the least p-value is 1/(n_permutations + 1).

    Returns
    -------
    PermutationResult

    Raises
    ------
    InputError
        For labels that cannot be compared, or fewer than 2 shuffles.
    UndefinedMeasureError
        For weights or memberships.

    Notes
    -----
    Shuffled labels make a random table with the same margins, drawn directly:
    the cost depends on the table, not on n.

    Examples
    --------
    >>> from karat import permutation_test
    >>> permutation_test("purity", [0, 0, 0, 1, 1, 1] * 5, [0, 0, 1, 1, 1, 1] * 5,
    ...     random_state=0).p_value < 0.01
    True
    """
    table = as_table(labels_true, labels_pred, noise=noise)
    need_counts(table, "The permutation test")
    function, _, sign = resolve(measure)
    value = function(table)
    values = _under_chance(function, table, n_permutations, random_state)
    # values equal in exact arithmetic may differ in the last bits
    slack = 1e-12 * max(abs(value), 1.0)
    as_good = int((sign * values >= sign * value - slack).sum())
    return PermutationResult(
        value=value,
        p_value=(1 + as_good) / (1 + n_permutations),
        mean=float(values.mean()),
        standard_deviation=float(values.std(ddof=1)),
        n_permutations=n_permutations,
    )


@cite(Reference("whissell2012", "3.39"))
def chance_corrected(
    measure: MeasureLike,
    labels_true: Any,
    labels_pred: Any = None,
    *,
    optimum: float | None = None,
    n_permutations: int = 1000,
    noise: NoisePolicy = "error",
    random_state: Any = 0,
) -> ChanceCorrectedResult:
    """Any measure, corrected for chance: (M − E[M]) / (optimum − E[M]).

    Parameters
    ----------
    measure, labels_true, labels_pred, noise, random_state
        As in :func:`bootstrap_interval`.
    optimum : float, optional
        The best value of the measure; by default what the catalogue says.
    n_permutations : int
        Shuffles that estimate the expectation.

    Returns
    -------
    ChanceCorrectedResult
        1 at the optimum, about 0 under chance, with the Monte Carlo standard error. 1 where
        chance is always optimal.

    Raises
    ------
    InputError
        If the optimum is neither known nor given.

    Notes
    -----
    The Rand index and mutual information have exact corrections:
    :func:`adjusted_rand_index`, :func:`adjusted_mutual_information`.

    Examples
    --------
    >>> from karat import chance_corrected
    >>> chance_corrected("purity", [0, 0, 1, 1] * 9, [1, 1, 0, 0] * 9, random_state=0).value
    1.0
    """
    table = as_table(labels_true, labels_pred, noise=noise)
    need_counts(table, "The correction for chance")
    function, _, _ = resolve(measure)
    if optimum is None:
        optimum = catalogue[measure].optimum if isinstance(measure, str) else math.nan
    if not math.isfinite(optimum):
        raise InputError(f"{measure!r} has no optimum of its own; give optimum=")
    value = function(table)
    values = _under_chance(function, table, n_permutations, random_state)
    expected = float(values.mean())
    room = optimum - expected
    error = float(values.std(ddof=1)) / math.sqrt(n_permutations)
    return ChanceCorrectedResult(
        value=(value - expected) / room if room else 1.0,
        standard_error=abs(value - optimum) / room**2 * error if room else 0.0,
        uncorrected=value,
        expected=expected,
        n_permutations=n_permutations,
    )


def resolve(
    measure: MeasureLike,
) -> tuple[Callable[[ContingencyTable], float], tuple[float, float], int]:
    """Function of a table, range and sign."""
    if not isinstance(measure, str):
        return measure, (-math.inf, math.inf), 1
    record = catalogue[measure]
    if record.kind != "external":
        raise InputError(
            f"{measure!r} judges data, not labels; give the key of an external measure"
        )
    return record.compute or record.function, record.range, record.sign


def _resampled(
    table: ContingencyTable, times: int, random_state: Any
) -> Iterator[ContingencyTable]:
    rng = check_random_state(random_state)
    shares = table.counts / table.n
    for _ in range(times):
        counts = rng.multinomial(table.n, shares)
        kept = counts > 0
        yield trimmed(table, table.rows[kept], table.columns[kept], counts[kept])


def _under_chance(
    function: Callable[[ContingencyTable], float],
    table: ContingencyTable,
    times: int,
    random_state: Any,
) -> NDArray[np.float64]:
    if times < 2:
        raise InputError(f"n_permutations must be at least 2; got {times}")
    return np.array([function(t) for t in _shuffled(table, times, random_state)])


def _shuffled(table: ContingencyTable, times: int, random_state: Any) -> Iterator[ContingencyTable]:
    """Tables with these margins, as likely as shuffled labels make them (Patefield 1981)."""
    from scipy.stats import random_table

    rows, columns = table.row_sums, table.column_sums
    if len(rows) * len(columns) > 1 << 24:
        raise UndefinedMeasureError(
            f"a shuffled table of {len(rows)} × {len(columns)} cells does not fit in memory"
        )
    if table.n >= MOST_SHUFFLED:
        raise UndefinedMeasureError(
            f"labels of {table.n:,} objects cannot be shuffled, {MOST_SHUFFLED:,} at most; "
            "take a sample of the objects"
        )
    rng = check_random_state(random_state)
    # SciPy 1.17 makes a negative count of one row with two columns
    alone = len(rows) == 1 or len(columns) == 1
    margins = None if alone else random_table(rows, columns)
    for _ in range(times):
        dense = (
            np.outer(rows, columns) // table.n
            if margins is None
            else np.asarray(margins.rvs(method="patefield", random_state=rng)).astype(np.int64)
        )
        yield ContingencyTable._of_cells(*cells_of(dense), table.row_names, table.column_names)


def trimmed(
    table: ContingencyTable, rows: NDArray[Any], columns: NDArray[Any], counts: NDArray[Any]
) -> ContingencyTable:
    """Without the classes and clusters that a resample does not have."""
    used_rows, rows = np.unique(rows, return_inverse=True)
    used_columns, columns = np.unique(columns, return_inverse=True)
    return ContingencyTable._of_cells(
        rows, columns, counts, table.row_names[used_rows], table.column_names[used_columns]
    )
