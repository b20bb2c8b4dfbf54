"""Internal measures corrected for chance: the expectation for random clusterings."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sortal.labelings.labels import NOISE, NoisePolicy
from sortal.labelings.partitions import Labelings
from sortal.measures.catalogue import catalogue
from sortal.measures.docstrings import cite
from sortal.measures.external.chance import ChanceCorrectedResult, corrected
from sortal.measures.internal.batch import inputs_of_one
from sortal.measures.internal.variance import sums_of_squares
from sortal.measures.passes.statistics import Statistics
from sortal.runtime.validation import InputError, UndefinedMeasureError, check_random_state
from sortal.typing import ArrayLike, Labels, Metric, RandomState

__all__ = ["chance_corrected_internal"]


@cite("whissell2012 4.4")
def chance_corrected_internal(
    measure: str,
    X: ArrayLike,
    labels: Labels,
    *,
    optimum: float | None = None,
    metric: Metric = "euclidean",
    noise: NoisePolicy = "error",
    n_permutations: int = 1000,
    random_state: RandomState = 0,
) -> ChanceCorrectedResult:
    """An internal measure, corrected for its expectation under permuted labels.

    Parameters
    ----------
    measure : str
        Catalogue key of an internal measure.
    optimum : float, optional
        The best value; by default the measure's optimum, if finite.
    n_permutations : int
        Number of permutations, for measures without a closed form of the expectation. One pass
        judges all of them.
    random_state : int, Generator or None, default 0
        Randomness of the permutations.

    Returns
    -------
    ChanceCorrectedResult
        Its ``standard_error`` and ``n_permutations`` are 0 if E has a closed form.

    Notes
    -----
    A random labeling with the same sizes puts every pair of objects within a cluster with the same
    probability, and every object into a cluster in proportion to its size. So the expectation has
    an exact closed form, without permutations, for

    - sums and means of pairs: WCS, WWCS1, WWCS2, aWCS, BCS, aBCS, Ratio-Cut of 1/d², C-Index;
    - sums of squares: within sum of squares, pooled variance, Ball–Hall, and R², whose correction
      is the *adjusted* R², 1 − (1 − R²)(n − 1)/(n − k);
    - AUCC (1/2), Kendall's tau and point-biserial correlation (0).

    The corrected C-Index equals WCS corrected with ``optimum`` S_min, the sum of as many smallest
    distances. C-Index with the mean in place of S_min equals WCS corrected with ``optimum`` S_max
    (whissell2012, section 4.8). The proof is in the documentation of internal measures.

    Examples
    --------
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> labels = [0, 0, 1, 1]
    >>> corrected = chance_corrected_internal("average_within_cluster_scatter", X, labels)
    >>> round(corrected.value, 6)
    0.857143
    """
    record = catalogue[measure]
    if record.kind != "internal" or record.compute is None:
        raise InputError(f"{measure} cannot be corrected here: it is not a batch internal measure")
    best = record.optimum if optimum is None else optimum
    if not math.isfinite(best):
        raise InputError(f"{record.title} has no finite optimum; give the best value with optimum=")
    inputs = inputs_of_one(X, labels, metric=metric, noise=noise)
    closed = _CLOSED.get(measure)
    batch = inputs.labelings
    if closed is None:
        if n_permutations < 2:
            raise InputError(f"n_permutations must be at least 2; got {n_permutations}")
        batch = _permuted(batch, n_permutations, check_random_state(random_state))
    stats = Statistics(inputs.X, batch, record.needs, metric=inputs.metric)
    stats.raise_failed()
    values, why = record.judge(stats)
    if 0 in why:
        raise UndefinedMeasureError(f"{record.title} is undefined: {why[0]}")
    chance = values[1:] if closed is None else np.array([closed(stats)])
    if not np.isfinite(chance).all():
        reason = next(iter(why.values()), "it is infinite")
        raise UndefinedMeasureError(
            f"{record.title} of permuted labels has no finite value: {reason}"
        )
    if math.isclose(best, float(chance.mean()), rel_tol=1e-12, abs_tol=1e-300):
        raise UndefinedMeasureError(f"{record.title}: the expectation by chance is the best value")
    return corrected(float(values[0]), chance, best)


def _permuted(labelings: Labelings, number: int, rng: np.random.Generator) -> Labelings:
    """A clustering and ``number`` permutations of it; excluded objects stay excluded."""
    codes = np.repeat(labelings.codes, number + 1, axis=0)
    judged = np.flatnonzero(codes[0] != NOISE)
    for row in codes[1:]:
        row[judged] = rng.permutation(row[judged])
    return Labelings(
        codes,
        tuple(map(str, range(number + 1))),
        np.repeat(labelings.n_clusters, number + 1),
        labelings.cluster_names * (number + 1),
    )


def _mean_distance(stats: Statistics) -> float:
    """Mean distance of all pairs."""
    total = float(stats.within_sums[0].sum()) + float(stats.between_sums[0].sum()) / 2
    return total / (stats.pairs_within(0) + stats.pairs_between(0))


def _c_index(stats: Statistics) -> float:
    """Expected C-Index."""
    low, high = float(stats.smallest_sums[0]), float(stats.largest_sums[0])
    mean = float(stats.totals[0]) / (stats.pairs_within(0) + stats.pairs_between(0))
    return (stats.pairs_within(0) * mean - low) / (high - low)


def _ratio_cut(stats: Statistics) -> float:
    """Expected Ratio-Cut of 1/d²."""
    inverse = float(stats.within_inverse[0].sum()) + float(stats.between_inverse[0].sum()) / 2
    between = stats.pairs_between(0)
    mean = inverse / (stats.pairs_within(0) + between)
    return between * mean * float((1 / stats.sizes[0]).sum())


def _variance(stats: Statistics) -> float:
    """Expected sum of squares within a cluster per degree of freedom: T/(n − 1)."""
    return sum(sums_of_squares(stats, 0)) / (float(stats.sizes[0].sum()) - 1)


#: key -> expectation over permutations, from the statistics of the measure
_CLOSED: dict[str, Callable[[Statistics], float]] = {
    "within_cluster_scatter": lambda s: s.pairs_within(0) * _mean_distance(s),
    "weighted_within_cluster_scatter_1": lambda s: (
        float((s.sizes[0] - 1).sum()) / 2 * _mean_distance(s)
    ),
    "weighted_within_cluster_scatter_2": lambda s: (
        float((s.sizes[0] > 1).sum()) / 2 * _mean_distance(s)
    ),
    "average_within_cluster_scatter": _mean_distance,
    "between_cluster_scatter": lambda s: s.pairs_between(0) * _mean_distance(s),
    "average_between_cluster_scatter": _mean_distance,
    "c_index": _c_index,
    "ratio_cut": _ratio_cut,
    "aucc": lambda s: 0.5,
    "kendall_tau_index": lambda s: 0.0,
    "point_biserial_index": lambda s: 0.0,
    "within_sum_of_squares": lambda s: s.freedom(0) * _variance(s),
    "pooled_variance": _variance,
    "ball_hall_index": lambda s: float((1 - 1 / s.sizes[0]).mean()) * _variance(s),
    "r_squared": lambda s: (len(s.sizes[0]) - 1) / (float(s.sizes[0].sum()) - 1),
}
