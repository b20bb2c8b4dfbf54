"""External measures of shuffled labels: permutation tests and corrections for chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sortal.labelings.cells import cells_of
from sortal.labelings.contingency import ContingencyTable
from sortal.labelings.labels import NoisePolicy
from sortal.measures.catalogue import Measure, catalogue
from sortal.measures.docstrings import cite
from sortal.measures.external.table import as_table, need_counts
from sortal.runtime.validation import InputError, UndefinedMeasureError, check_random_state

if TYPE_CHECKING:
    from sortal.measures.external.soft import ClusteringLike
    from sortal.measures.external.table import LabelsOrTable
    from sortal.typing import Floats, RandomState

__all__ = ["ChanceCorrectedResult", "PermutationResult", "chance_corrected", "permutation_test"]

#: derived: products of two counts in SciPy's sampler must fit in 64 bits
MAX_SHUFFLED = 2**31

MeasureLike: TypeAlias = "str | Callable[[ContingencyTable], float]"


@dataclass(frozen=True)
class PermutationResult:
    """A value compared with the values of shuffled labels.

    Attributes
    ----------
    value : float
        The measure of the table.
    p_value : float
        Probability that shuffled labels are at least as good: (1 + as good ones) / (1 + shuffles).
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
        (M − E) / (optimum − E): 1 at the optimum, 0 at the expectation.
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


@cite("patefield1981")
def permutation_test(
    measure: MeasureLike,
    labels_true: LabelsOrTable,
    labels_pred: ClusteringLike | None = None,
    *,
    n_permutations: int = 1000,
    noise: NoisePolicy = "error",
    random_state: RandomState = 0,
) -> PermutationResult:
    """Test whether a clustering agrees with a gold standard better than shuffled labels.

    Parameters
    ----------
    measure : str or callable
        Key of an external measure, or a function of a :class:`~sortal.ContingencyTable` with
        greater values better.
    n_permutations : int
        Number of shuffles; the least p-value is 1/(n_permutations + 1).
    random_state : int, Generator or None, default 0
        Randomness of the shuffles.

    Notes
    -----
    Shuffled labels make a random table with the same margins, drawn directly:
    the cost depends on the table, not on n.

    Examples
    --------
    >>> permutation_test("purity", [0, 0, 0, 1, 1, 1] * 5, [0, 0, 1, 1, 1, 1] * 5,
    ...     random_state=0).p_value < 0.01
    True
    """
    function, record = resolve(measure)
    clusterings = (labels_true, labels_pred, noise)
    value, values = _beside_chance(
        "The permutation test", function, clusterings, n_permutations, random_state
    )
    sign = 1 if record is None else record.sign
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


@cite("whissell2012 3.39")
def chance_corrected(
    measure: MeasureLike,
    labels_true: LabelsOrTable,
    labels_pred: ClusteringLike | None = None,
    *,
    optimum: float | None = None,
    n_permutations: int = 1000,
    noise: NoisePolicy = "error",
    random_state: RandomState = 0,
) -> ChanceCorrectedResult:
    """Any measure, corrected for chance: (M − E[M]) / (optimum − E[M]).

    Parameters
    ----------
    measure : str or callable
        As in :func:`permutation_test`.
    optimum : float, optional
        The best value of the measure; by default from the catalogue.
    n_permutations : int
        Number of shuffles that estimate the expectation.
    random_state : int, Generator or None, default 0
        Randomness of the shuffles.

    Returns
    -------
    ChanceCorrectedResult
        1 at the optimum, about 0 under chance, with the Monte Carlo standard error. 1 if every
        shuffle is optimal.

    Notes
    -----
    The Rand index and mutual information have exact corrections:
    :func:`adjusted_rand_index`, :func:`adjusted_mutual_information`.

    Examples
    --------
    >>> chance_corrected("purity", [0, 0, 1, 1] * 9, [1, 1, 0, 0] * 9, random_state=0).value
    1.0
    """
    function, record = resolve(measure)
    if optimum is None:
        optimum = math.nan if record is None else record.optimum
    if not math.isfinite(optimum):
        raise InputError(f"{measure!r} has no finite optimum; give optimum=")
    clusterings = (labels_true, labels_pred, noise)
    value, values = _beside_chance(
        "The correction for chance", function, clusterings, n_permutations, random_state
    )
    return corrected(value, values, optimum)


def corrected(value: float, chance: Floats, optimum: float) -> ChanceCorrectedResult:
    """A value corrected by a sample of values under chance, or by their exact expectation."""
    expected, n = float(chance.mean()), len(chance)
    margin = optimum - expected
    error = float(chance.std(ddof=1)) / math.sqrt(n) if n > 1 else 0.0
    return ChanceCorrectedResult(
        value=(value - expected) / margin if margin else 1.0,
        standard_error=abs(value - optimum) / margin**2 * error if margin else 0.0,
        uncorrected=value,
        expected=expected,
        n_permutations=n if n > 1 else 0,
    )


def resolve(measure: MeasureLike) -> tuple[Callable[[ContingencyTable], float], Measure | None]:
    """The function of a table, and the record of the measure if it has one."""
    if not isinstance(measure, str):
        return measure, None
    record = catalogue[measure]
    if record.kind != "external":
        raise InputError(
            f"{measure!r} judges data, not labels; give the key of an external measure"
        )
    return record.compute or record.function, record


def _beside_chance(
    title: str,
    function: Callable[[ContingencyTable], float],
    clusterings: tuple[LabelsOrTable, ClusteringLike | None, NoisePolicy],
    times: int,
    random_state: RandomState,
) -> tuple[float, Floats]:
    """The value of a table, and the values of shuffled tables."""
    labels_true, labels_pred, noise = clusterings
    table = as_table(labels_true, labels_pred, noise=noise)
    need_counts(table, title)
    if times < 2:
        raise InputError(f"n_permutations must be at least 2; got {times}")
    shuffled = _shuffled(table, times, random_state)
    return function(table), np.array([function(shuffled_table) for shuffled_table in shuffled])


def _shuffled(
    table: ContingencyTable, times: int, random_state: RandomState
) -> Iterator[ContingencyTable]:
    """Random tables with the margins of shuffled labels (Patefield 1981)."""
    from scipy.stats import random_table

    rows, columns = table.row_sums, table.column_sums
    if len(rows) * len(columns) > 1 << 24:
        raise UndefinedMeasureError(
            f"a shuffled table of {len(rows)} × {len(columns)} cells does not fit in memory"
        )
    if table.n >= MAX_SHUFFLED:
        raise UndefinedMeasureError(
            f"labels of {table.n:,} objects cannot be shuffled, {MAX_SHUFFLED:,} at most; "
            "take a sample of the objects"
        )
    rng, names = check_random_state(random_state), (table.row_names, table.column_names)
    # SciPy 1.17 returns a negative count for one row with two columns
    alone = len(rows) == 1 or len(columns) == 1
    margins = None if alone else random_table(rows, columns)
    for _ in range(times):
        dense = (
            np.outer(rows, columns) // table.n
            if margins is None
            else np.asarray(margins.rvs(method="patefield", random_state=rng)).astype(np.int64)
        )
        yield ContingencyTable.of_cells(cells_of(dense), names)
