"""Internal measures corrected for chance: what random clusterings of the same sizes would get."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bibliography import Reference, cite
from karat.distances import check_metric, check_points
from karat.measures.catalogue import Measure, catalogue
from karat.measures.external.chance import ChanceCorrectedResult
from karat.measures.passes.statistics import Statistics
from karat.partition import NOISE, Labelings, NoisePolicy, as_labelings
from karat.validation import InputError, UndefinedMeasureError, check_random_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["chance_corrected_internal"]


@cite(Reference("whissell2012", "4.4"))
def chance_corrected_internal(
    measure: str,
    X: Any,
    labels: Any,
    *,
    optimum: float | None = None,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    n_permutations: int = 1000,
    random_state: Any = 0,
) -> ChanceCorrectedResult:
    """An internal measure, corrected for what permuted labels would get.

    Parameters
    ----------
    measure : str
        Catalogue key of an internal measure.
    X : array-like or sparse, shape (n, d), or (n, n) with ``metric="precomputed"``
    labels : array-like, shape (n,)
    optimum : float, optional
        The best value; by default the measure's optimum, if finite.
    metric : str or callable
    noise : {"error", "cluster", "singletons", "drop"}
    n_permutations : int
        Where there is no closed form for the expectation. All permutations are judged together,
        in one pass.
    random_state : int, Generator or None, default 0
        For the permutations.

    Returns
    -------
    ChanceCorrectedResult
        Its ``standard_error`` and ``n_permutations`` are 0 where a closed form gave E.

    Raises
    ------
    UndefinedMeasureError
        Where the measure, or its value by chance, has none, or chance gets the best value.
    InputError
        For a measure without finite optimum and without ``optimum``.

    Notes
    -----
    Every pair is within a cluster with the same probability, so sums
    and means of pairs have closed forms: WCS, WWCS1, WWCS2, aWCS, BCS, aBCS.

    Examples
    --------
    >>> from karat import chance_corrected_internal
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> labels = [0, 0, 1, 1]
    >>> found = chance_corrected_internal("average_within_cluster_scatter", X, labels)
    >>> round(found.value, 6)
    0.857143
    """
    record = catalogue[measure]
    if record.kind != "internal" or record.compute is None:
        raise InputError(f"{measure} cannot be corrected here: it is no batch internal measure")
    best = record.optimum if optimum is None else optimum
    if not math.isfinite(best):
        raise InputError(f"{record.title} has no finite optimum; say what is best with optimum=")
    metric = check_metric(metric)
    data = check_points(X, metric)
    labelings = as_labelings({"labels": labels}, n_objects=data.shape[0], noise=noise)
    closed = _CLOSED.get(measure)
    if closed is not None:
        stats = Statistics(data, labelings, {*record.needs, "pair_sums"}, metric=metric)
        stats.raise_failed()
        measured, error = _first(record, *record.judge(stats)), 0.0
        pairs = stats.pairs_within(0) + stats.pairs_between(0)
        total = float(stats.within_sums[0].sum()) + float(stats.between_sums[0].sum()) / 2
        expected = closed(stats) * total / pairs
    else:
        if n_permutations < 2:
            raise InputError(f"n_permutations must be at least 2; got {n_permutations}")
        rng = check_random_state(random_state)
        batch = _permuted(labelings, n_permutations, rng)
        stats = Statistics(data, batch, record.needs, metric=metric)
        stats.raise_failed()
        values, why = record.judge(stats)
        measured = _first(record, values, why)
        if not np.isfinite(values[1:]).all():
            raise UndefinedMeasureError(
                f"{record.title} of permuted labels has no finite value: "
                f"{next(iter(why.values()), 'it is infinite')}"
            )
        expected = float(values[1:].mean())
        error = float(values[1:].std(ddof=1)) / math.sqrt(n_permutations)
    if math.isclose(best, expected, rel_tol=1e-12, abs_tol=1e-300):
        raise UndefinedMeasureError(f"{record.title}: chance gets the best value already")
    return ChanceCorrectedResult(
        value=(measured - expected) / (best - expected),
        standard_error=abs((measured - best) / (best - expected) ** 2) * error,
        uncorrected=measured,
        expected=expected,
        n_permutations=0 if closed is not None else n_permutations,
    )


def _first(record: Measure, values: Floats, why: dict[int, str]) -> float:
    if 0 in why:
        raise UndefinedMeasureError(f"{record.title} is undefined: {why[0]}")
    return float(values[0])


def _permuted(labelings: Labelings, number: int, rng: np.random.Generator) -> Labelings:
    """The clustering and ``number`` permutations of it; excluded objects stay excluded."""
    codes = np.repeat(labelings.codes, number + 1, axis=0)
    kept = np.flatnonzero(codes[0] != NOISE)
    for row in codes[1:]:
        row[kept] = rng.permutation(row[kept])
    return Labelings(
        codes,
        tuple(map(str, range(number + 1))),
        np.repeat(labelings.n_clusters, number + 1),
        labelings.cluster_names * (number + 1),
    )


#: key -> the expectation over permutations, in units of the mean distance of all pairs
_CLOSED: dict[str, Callable[[Statistics], float]] = {
    "within_cluster_scatter": lambda stats: stats.pairs_within(0),
    "weighted_within_cluster_scatter_1": lambda stats: float((stats.sizes[0] - 1).sum()) / 2,
    "weighted_within_cluster_scatter_2": lambda stats: float((stats.sizes[0] > 1).sum()) / 2,
    "average_within_cluster_scatter": lambda stats: 1,
    "between_cluster_scatter": lambda stats: stats.pairs_between(0),
    "average_between_cluster_scatter": lambda stats: 1,
}
