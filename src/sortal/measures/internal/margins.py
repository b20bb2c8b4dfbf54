"""Margins of representative sets, which contain one object of each cluster."""

from __future__ import annotations

import itertools
import math
from typing import Literal

import numpy as np

from sortal.distances import TILE_ROWS, TILE_WIDTH, Distances, as_distances
from sortal.labelings.labels import NoisePolicy
from sortal.measures.catalogue import define
from sortal.measures.internal.batch import SINGLETONS_ONLY, inputs_of_one
from sortal.measures.internal.pairs import average_within_cluster_scatter
from sortal.measures.tuning import TUNING, MeasureSettings
from sortal.runtime.threads import in_order
from sortal.runtime.validation import UndefinedMeasureError, check_random_state
from sortal.typing import ArrayLike, Floats, Ints, Labels, Metric, RandomState

__all__ = ["MarginResult", "additive_margin", "relative_margin"]

#: limit of cost: scores of an exhaustive search
EXACT_WORK = 2 * 10**7
#: limit of cost: pairs of objects in the first sweeps of all starts of a local search, as many
SEARCH_WORK = EXACT_WORK
#: limit of cost: fewest and most starts of a local search
MIN_STARTS, MAX_STARTS = 32, 256


class MarginResult(float):
    """A margin: a float that also reports how it was computed.

    Attributes
    ----------
    exact : bool
        Whether all representative sets were tried. Otherwise the value is from a local search,
        and a better set may exist.
    representatives : ndarray of int
        Positions of the best representatives, one of each cluster.
    """

    exact: bool
    representatives: Ints

    def __new__(cls, value: float, exact: bool, representatives: Ints) -> MarginResult:
        """A float with two attributes."""
        self = super().__new__(cls, value)
        self.exact, self.representatives = exact, representatives
        return self

    def __repr__(self) -> str:
        how = "exact" if self.exact else "local search"
        return f"{float(self)!r} ({how})"


def relative_margin(
    X: ArrayLike,
    labels: Labels,
    *,
    metric: Metric = "euclidean",
    noise: NoisePolicy = "error",
    random_state: RandomState = 0,
) -> MarginResult:
    """Relative margin: distance to the nearest representative over that to the second nearest.

    R is a set with one object from each cluster. The value is the minimum over all R of the mean of
    (distance to the nearest)/(distance to the second nearest of R), over the objects outside R.
    Between 0 and 1, lower is better. With too many sets a local search gives an upper bound, and
    ``.exact`` is False.

    Parameters
    ----------
    random_state : None, int or Generator
        Randomness of the starts of the local search. It starts from the medoids, then at random:
        at least 32 starts, until eight have reached the best value, at most 256. Fewer for more
        than 279 objects, and the medoids alone for more than 3,162.

    Returns
    -------
    MarginResult
        A float; ``.exact`` is True if all sets were tried, ``.representatives`` is the best set.

    Notes
    -----
    Ackerman & Ben-David 2008; whissell2012 equation 3.18, which divides by k instead of the
    number of objects outside R. The ratio is 1 for an object that coincides with two
    representatives. All sets: O(n^k n k); a sweep of the local search:
    O(n² d).

    Examples
    --------
    >>> relative_margin([[0.0], [1.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.1388888888888889 (exact)
    """
    return _margin(X, labels, metric, noise, "relative", random_state)


def additive_margin(
    X: ArrayLike,
    labels: Labels,
    *,
    metric: Metric = "euclidean",
    noise: NoisePolicy = "error",
    random_state: RandomState = 0,
) -> MarginResult:
    """Additive margin: second nearest minus nearest representative, over the mean distance within.

    R is a set with one object from each cluster. The value is the maximum over all R of the mean of
    (distance to the second nearest − to the nearest of R), over the other objects. It is divided by
    the mean distance within clusters. Not negative, greater is better. A lower bound if ``.exact``
    is False.

    Parameters, result and errors are those of :func:`relative_margin`; it is also undefined
    if all distances within clusters are 0.

    Notes
    -----
    Ackerman & Ben-David 2008.

    Examples
    --------
    >>> additive_margin([[0.0], [1.0], [10.0], [12.0]], [0, 0, 1, 1])
    6.0 (exact)
    """
    margin = _margin(X, labels, metric, noise, "additive", random_state)
    within = average_within_cluster_scatter(X, labels, metric=metric, noise=noise)
    if within == 0:
        raise UndefinedMeasureError(
            "Additive margin is undefined: all distances within clusters are 0"
        )
    return MarginResult(float(margin) / within, margin.exact, margin.representatives)


def _margin(
    X: ArrayLike,
    labels: Labels,
    metric: Metric,
    noise: NoisePolicy,
    form: Literal["relative", "additive"],
    random_state: RandomState,
) -> MarginResult:
    """A margin of one clustering, exhaustive or by local search."""
    inputs = inputs_of_one(X, labels, metric=metric, noise=noise)
    codes = inputs.labelings.codes[0]
    judged = np.flatnonzero(codes >= 0)
    codes = codes[judged]
    groups: list[Ints] = [np.flatnonzero(codes == c) for c in range(codes.max(initial=-1) + 1)]
    if len(groups) < 2:
        raise UndefinedMeasureError(
            f"A margin is undefined: the clustering has {len(groups)} cluster; it needs at least 2"
        )
    if len(groups) == len(judged):
        raise UndefinedMeasureError(f"A margin is undefined: {SINGLETONS_ONLY}")
    distances = as_distances(inputs.X, inputs.metric).take(judged)
    work = math.prod(len(g) for g in groups) * len(judged)
    exact = work <= EXACT_WORK and len(judged) <= 4096
    if exact:
        value, best = _all_sets(distances, groups, form)
    else:
        value, best = _local_search(distances, groups, form, check_random_state(random_state))
    sign = 1 if form == "relative" else -1
    return MarginResult(sign * value, exact, judged[best])


def _score(first: Floats, second: Floats, form: str) -> Floats:
    """Score to minimise: the ratio, or nearest minus second nearest."""
    if form == "additive":
        return first - second
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(second > 0, first / second, 1.0)


def _all_sets(distances: Distances, groups: list[Ints], form: str) -> tuple[float, Ints]:
    """Least mean score over all representative sets, and the best set."""
    n = distances.n
    D = distances.block(slice(0, n), slice(0, n))
    best, chosen = math.inf, np.zeros(len(groups), dtype=np.intp)
    # the last cluster's candidates are tried together
    last = groups[-1]
    for others in itertools.product(*groups[:-1]):
        near = np.sort(D[list(others)], axis=0)[:2]
        first = np.minimum(near[0], D[last])
        second = np.maximum(near[0], D[last])
        if len(others) > 1:
            second = np.minimum(second, near[1])
        score = _score(first, second, form)
        score[:, list(others)] = 0.0
        score[np.arange(len(last)), last] = 0.0
        means = score.sum(axis=1) / (n - len(groups))
        at = int(np.argmin(means))
        if means[at] < best:
            best, chosen = float(means[at]), np.array([*others, last[at]])
    return best, chosen


def _local_search(
    distances: Distances,
    groups: list[Ints],
    form: str,
    rng: np.random.Generator,
    tuning: MeasureSettings = TUNING,
) -> tuple[float, Ints]:
    """Best set of a search that replaces one representative at a time by the best one."""
    max_starts = min(max(SEARCH_WORK // distances.n**2, 1), MAX_STARTS)
    best, chosen, hits = math.inf, np.zeros(len(groups), dtype=np.intp), 0
    for start in range(max_starts):
        if start == 0:
            current = np.array([_medoid(distances, g) for g in groups])
        else:
            current = np.array([rng.choice(g) for g in groups])
        value, unchanged, c = math.inf, len(groups), 0
        while unchanged:
            changed, candidate = _best_of_cluster(distances, groups[c], np.delete(current, c), form)
            if not math.isfinite(value) or changed < value - 1e-12 * abs(value):
                value, current[c], unchanged = changed, candidate, len(groups)
            unchanged -= 1
            c = (c + 1) % len(groups)
        if not math.isfinite(best) or value < best - 1e-12 * abs(best):
            best, chosen, hits = value, current.copy(), 0
        hits += value <= best + 1e-12 * abs(best)
        if start + 1 >= MIN_STARTS and hits >= tuning.enough_hits:
            break
    return best, chosen


def _medoid(distances: Distances, group: Ints) -> int:
    """Medoid of a group."""
    inside = distances.take(group)

    def sums(start: int) -> Floats:
        block = inside.block(slice(start, start + 256), slice(0, len(group)))
        return np.asarray(block.sum(axis=1))

    starts = range(0, len(group), 256)
    totals = (
        map(sums, starts)
        if len(group) < 512
        else in_order(sums, starts, one_blas_thread=inside.uses_blas)
    )
    return int(group[np.argmin(np.concatenate(list(totals)))])


def _best_of_cluster(
    distances: Distances, group: Ints, others: Ints, form: str
) -> tuple[float, int]:
    """Least mean score of a set of ``others`` and one object of the group, and that object."""
    from sortal._kernels.pairs import add_scores

    n = distances.n
    rows = [distances.block(slice(i, i + 1), slice(0, n)) for i in others.tolist()]
    near = np.sort(np.concatenate(rows), axis=0)[:2]
    first, second = near[0], near[1] if len(near) > 1 else np.full(n, np.inf)
    first[others] = -1.0
    relative = form == "relative"

    def scores(start: int) -> Floats:
        candidates = group[start : start + TILE_WIDTH]
        total = np.zeros(len(candidates))
        moved = distances.take(np.concatenate([candidates, np.arange(n)]))
        for r0 in range(0, n, TILE_ROWS):
            block = slice(r0, min(r0 + TILE_ROWS, n))
            columns = slice(len(candidates) + block.start, len(candidates) + block.stop)
            tile = np.ascontiguousarray(moved.block(slice(0, len(candidates)), columns).T)
            add_scores(tile, first[block], second[block], relative, total)
        return total - scores_of_selves(candidates)

    def scores_of_selves(candidates: Ints) -> Floats:
        if relative:
            return (first[candidates] == 0).astype(np.float64)
        return -first[candidates]

    starts = range(0, len(group), TILE_WIDTH)
    # starting a pool of threads takes longer than little work
    each = map(scores, starts) if n * len(group) < 2**18 else in_order(scores, starts)
    totals = np.concatenate(list(each))
    at = int(np.argmin(totals))
    return float(totals[at]) / (n - len(others) - 1), int(group[at])


define(
    relative_margin,
    "Relative margin",
    family="margin",
    references=["ackerman2008", "whissell2012 3.18"],
    greater_is_better=False,
    cost="O(n^k n), or O(n² d) for each sweep of a local search",
    default=False,
)
define(
    additive_margin,
    "Additive margin",
    family="margin",
    references=["ackerman2008"],
    range=(0.0, math.inf),
    cost="O(n^k n), or O(n² d) for each sweep of a local search",
    default=False,
)
