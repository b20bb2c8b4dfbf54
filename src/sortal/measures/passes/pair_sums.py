"""Sums over pairs from a sample of pairs, with errors by a grouped jackknife.

Each statistic is a sum of terms of single pairs, so a sample estimates it without bias. The terms
are distances by cluster, squares, and distances beyond a quantile. A measure is computed from the
estimates, and again without each of some groups of pairs.

Distances have no bound of their own, so a far pair may be unseen. The error is therefore at least
the effect of a pair at an upper bound of all distances, with the largest share that an unseen pair
may have. The bound is four times the farthest distance from any object. It holds for distances
that obey the triangle inequality, and for their squares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sortal.distances import SCAN_ROWS, Distances
from sortal.measures.tuning import TUNING

if TYPE_CHECKING:
    from sortal.measures.catalogue import Measure
    from sortal.measures.passes.statistics import Statistics
    from sortal.typing import Floats, Ints

#: statistics with estimates from here
SUMS = frozenset({"pair_sums", "distance_squares", "extreme_sums"})
#: derived: a value unseen in m draws has, with probability 0.95, a share below 3/m (the rule of
#: three); errors are 1/1.96 of the half width of such an interval
RULE_OF_THREE = 3 / 1.96


class DrawnPairs:
    """Distances of pairs within clusters, or between, and sums of them by group of pairs.

    Parameters
    ----------
    population : int
        Number of all pairs of this sort.
    k : int
        Number of clusters.
    between : bool
        Whether a pair counts for the clusters of both objects.
    """

    def __init__(
        self, population: int, k: int, *, between: bool, groups: int = TUNING.jackknife_groups
    ) -> None:
        self.population, self.between, self.groups = population, between, groups
        self.distances: Floats = np.empty(0)
        self.by_first, self.by_second = np.zeros((2, groups, k))
        self.squares = np.zeros(groups)

    @property
    def is_complete(self) -> bool:
        """Whether all pairs were taken."""
        return len(self.distances) == self.population

    def reserve(self, number: int) -> Floats:
        """Room for the distances of so many more pairs."""
        n_sampled = len(self.distances)
        room = np.empty(n_sampled + number)
        room[:n_sampled] = self.distances
        self.distances = room
        return room[n_sampled:]

    def add(self, start: int, distances: Floats, first: Ints, second: Ints) -> None:
        """Add pairs to the sums, from number ``start``, by the clusters of their objects."""
        from sortal._kernels.drawn_pairs import add_pairs

        add_pairs(distances, first, second, start, self.by_first, self.by_second, self.squares)

    def totals(self, ends: Floats) -> Totals:
        """Totals by group, with the excess below and above two distances."""
        from sortal._kernels.drawn_pairs import sum_excess

        excess = np.zeros((2, self.groups))
        sum_excess(self.distances, ends[0], ends[1], *excess)
        terms = np.stack(Terms(self.squares, *excess), axis=1)
        full, left = divmod(len(self.distances), self.groups)
        counts = full + (np.arange(self.groups) < left).astype(np.float64)
        by_cluster = self.by_first + self.by_second if self.between else self.by_first
        return Totals(by_cluster, terms, counts)


class Terms(NamedTuple):
    """Terms of pairs that no cluster shares: squares, and excess below and above two quantiles."""

    squares: Any
    below: Any
    above: Any


class Totals(NamedTuple):
    """Sums over pairs, by group of pairs (G, …), and numbers of pairs (G,).

    ``by_cluster`` are sums of distances; ``terms`` has a column for each of :class:`Terms`.
    """

    by_cluster: Floats
    terms: Floats
    counts: Floats

    def without(self, g: int, summed: Totals) -> Totals:
        """Totals of all pairs but those of one group, as one group."""
        return Totals(*(total - values[g] for total, values in zip(summed, self, strict=True)))

    def summed(self) -> Totals:
        """Totals of all pairs, as one group."""
        return Totals(*(values.sum(axis=0) for values in self))


def farthest(distances: Distances) -> float:
    """An upper bound of all distances, from those of the first object."""
    n, largest = distances.n, 0.0
    for start in range(0, n, SCAN_ROWS):
        row = distances.block(slice(0, 1), slice(start, min(start + SCAN_ROWS, n)))
        largest = max(largest, float(row.max()))
    return 4 * largest


class PairSums:
    """Estimates of measures of one clustering from its drawn pairs within and between."""

    def __init__(
        self, stats: Statistics, sides: tuple[DrawnPairs, DrawnPairs], bound: float
    ) -> None:
        self.stats, self.sides, self.bound = stats, sides, bound
        self.ends = _extreme_distances(sides)
        by_group = [pairs.totals(self.ends) for pairs in sides]
        self.all = [totals.summed() for totals in by_group]
        self.without = [
            [self._with(side, totals.without(g, self.all[side])) for g in range(sides[side].groups)]
            for side, totals in enumerate(by_group)
        ]

    def judge(self, measure: Measure) -> tuple[float, float, str | None]:
        """Value, standard error, and the reason of a missing value."""
        value, why = self._value(measure, self.all)
        if why is not None:
            return value, 0.0, why
        variance, floor = 0.0, 0.0
        for side, pairs in enumerate(self.sides):
            if pairs.is_complete:
                continue
            without = [self._value(measure, totals)[0] for totals in self.without[side]]
            variance += float(np.var(without)) * (pairs.groups - 1)
            moved = (self._value(measure, self._unseen(side, d))[0] for d in (0.0, self.bound))
            floor = max(floor, *(abs(after - value) for after in moved))
        return value, max(float(np.sqrt(variance)), floor), None

    def _with(self, side: int, totals: Totals) -> list[Totals]:
        """All totals, those of one side replaced."""
        return [totals if i == side else old for i, old in enumerate(self.all)]

    def _unseen(self, side: int, distance: float) -> list[Totals]:
        """All totals with a pair of the smallest clusters, of as large a share as may be unseen."""
        sizes, totals = self.stats.sizes[0], self.all[side]
        ends = np.argsort(np.where(sizes > 1 - side, sizes, np.inf), kind="stable")[: 1 + side]
        by_cluster = totals.by_cluster.copy()
        by_cluster[ends] += RULE_OF_THREE * distance
        low, high = self.ends
        terms = Terms(distance**2, max(low - distance, 0.0), max(distance - high, 0.0))
        more = Totals(
            by_cluster,
            totals.terms + RULE_OF_THREE * np.array(terms),
            totals.counts + RULE_OF_THREE,
        )
        return self._with(side, more)

    def _value(self, measure: Measure, totals: list[Totals]) -> tuple[float, str | None]:
        """The measure of these totals, and the reason of a missing value."""
        scales = [
            side.population / max(float(total.counts), 1.0)
            for side, total in zip(self.sides, totals, strict=True)
        ]
        stats, within = self.stats, self.sides[0].population
        stats.within_sums = [scales[0] * totals[0].by_cluster]
        stats.between_sums = [scales[1] * totals[1].by_cluster]
        terms = Terms(*(scales[0] * totals[0].terms + scales[1] * totals[1].terms))
        stats.distance_squares = np.array([terms.squares])
        stats.smallest_sums = np.array([within * self.ends[0] - terms.below])
        stats.largest_sums = np.array([within * self.ends[1] + terms.above])
        stats.totals_within = np.array([stats.within_sums[0].sum()])
        values, reasons = measure.judge(stats)
        return float(values[0]), reasons.get(0)


def _extreme_distances(sides: tuple[DrawnPairs, DrawnPairs]) -> Floats:
    """The distances below which, and above which, as many pairs are as there are within.

    The sum of the l smallest of N values is the largest l·ξ − Σ max(ξ − value, 0) over ξ, which
    this quantile attains. So its own error changes the sum only in the second order.
    """
    from sortal._kernels.drawn_pairs import weighted_quantile

    first, second = (side.distances.view(np.int64) for side in sides)
    weights = np.array([side.population / max(len(side.distances), 1) for side in sides])
    at = [weighted_quantile(first, second, weights, float(side.population)) for side in sides]
    return np.array(at, dtype=np.int64).view(np.float64)
