"""Estimates from a sample of the pairs of objects, for measures of the order of the distances.

Pairs are drawn at random, independently, as many within the clusters as between them. The shares of
combinations of a pair within and a pair between that are concordant and discordant are two-sample
U-statistics: for a given sample size unbiased, and so are AUCC, G+ and tau, and Gamma where there
are no ties. Sums of the smallest and largest distances come from the quantiles of the two samples
put together by their known shares of all pairs; they, and so C-Index, are consistent, and the
sample grows until it has a hundred pairs in those tails. Standard errors are of the linearised
measure: the placements of DeLong et al. (1988), and the tails of Rockafellar & Uryasev (2000,
theorem 1), where the quantile's own error has no effect.

Pairs within (or between) of which the sample would be half or more are all taken, without error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.distances import Direct, Distances, OfRows, Product
from karat.labelings.labels import NOISE
from karat.labelings.partitions import Labelings
from karat.measures.catalogue import Measure
from karat.measures.passes.sampled_objects import HEAVY, HEAVY_TAIL, RULE_OF_THREE, tail_index
from karat.measures.passes.statistics import Statistics
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

PAIRWISE = {"concordance", "extreme_sums", "pair_sums"}
#: statistics whose terms are shares, so that they have a variance whatever their tail looks like
BOUNDED = {"concordance"}
#: pairs within, and pairs between, that are held at most
MOST = 2**24
#: C-Index needs at least so many pairs in each tail, or it is a matter of extremes
TAIL = 100
BLOCK = 4
#: pairs whose rows are copied at a time, of large data
OF_ROWS = 2**16


class Sides(NamedTuple):
    """Something for the pairs within and for the pairs between."""

    within: Floats
    between: Floats


class PairSample:
    """Pairs of objects drawn so far for one clustering, and their distances.

    As of objects, a pilot sample of its own decides whether a tail is too heavy.
    """

    least = 2**16

    def __init__(
        self,
        X: Any,
        distances: Distances,
        labelings: Labelings,
        measures: Sequence[Measure],
        rng: np.random.Generator,
    ) -> None:
        if not distances.symmetric:
            raise InputError(
                "ranks of distances need a symmetric distance; for kl there is symmetric_kl"
            )
        self.distances, self.measures, self.rng = distances, measures, rng
        self.needs = frozenset().union(*(measure.needs for measure in measures))
        self.stats = Statistics(X, labelings, ())
        codes = labelings.codes[0]
        self.order = np.argsort(codes, kind="stable")[int((codes == NOISE).sum()) :]
        self.sizes = self.stats.sizes[0]
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.population = (self.stats.pairs_within(0), self.stats.pairs_between(0))
        self.sides = self.pilot = Sides(np.empty(0), np.empty(0))
        self.size = 0
        self.n_drawn = 0

    @property
    def complete(self) -> list[bool]:
        """Whether all pairs within, and all between, were taken."""
        return [len(d) == all_ for d, all_ in zip(self.sides, self.population, strict=True)]

    @property
    def largest(self) -> float:
        """The largest size that it can grow to."""
        return MOST if max(self.population) > 2 * MOST else math.inf

    @property
    def exhausted(self) -> bool:
        """Whether all pairs were taken, or there is nothing to estimate."""
        return all(self.complete) or 0 in self.population

    def grow(self, size: int) -> None:
        """Draw until there are ``size`` pairs within and ``size`` between."""
        self.size = size
        if 0 in self.population:
            return
        sampled = 2 * size < max(self.population) and not self.needs <= BOUNDED
        if sampled and not len(self.pilot.within):
            (rng,) = self.rng.spawn(1)
            drawn = (self._draw(side, self.least, rng) for side in (0, 1))
            self.pilot = Sides(*(np.sort(self._distances(*pairs)) for pairs in drawn))
        grown = []
        for side, all_ in enumerate(self.population):
            held = self.sides[side]
            if len(held) < all_:
                if 2 * size >= all_:
                    held = self._distances(*self._all(side))
                else:
                    new = self._distances(*self._draw(side, size - len(held), self.rng))
                    held = np.concatenate([held, new])
            grown.append(np.sort(held))
        self.sides = Sides(*grown)

    def _all(self, side: int) -> tuple[Ints, Ints]:
        """All pairs within, or between, as positions in ``order``."""
        n = len(self.order)
        first, ends = np.arange(n), np.repeat(self.starts + self.sizes, self.sizes)
        begin, end = (first + 1, ends) if side == 0 else (ends, np.full(n, n))
        counts = end - begin
        before = np.cumsum(counts) - counts
        partner = np.arange(int(counts.sum())) + np.repeat(begin - before, counts)
        return np.repeat(first, counts), partner

    def _draw(self, side: int, number: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Pairs within, or between, at random with replacement, as positions in ``order``."""
        n, sizes = len(self.order), self.sizes
        others = sizes - 1 if side == 0 else n - sizes
        last = np.cumsum(sizes * others)
        cluster = np.searchsorted(last, rng.integers(0, last[-1], number), side="right")
        start, size = self.starts[cluster], sizes[cluster]
        first = start + rng.integers(0, size)
        second = rng.integers(0, others[cluster])
        if side == 0:
            second += start
            second += second >= first
        else:
            second += size * (second >= start)
        return first, second

    def _distances(self, first: Ints, second: Ints) -> Floats:
        self.n_drawn += len(first)
        found = pair_distances(self.distances, self.order[first], self.order[second])
        if not np.isfinite(found).all():
            raise InputError("ranks of distances need finite distances; some are infinite")
        return found

    def estimates(
        self, decisive: NDArray[np.bool_] | None = None
    ) -> tuple[Floats, Floats, dict[tuple[int, int], str]]:
        """Values and standard errors (1, measures), and why (0, measure) has no value.

        Errors cost nothing here, so that all measures have theirs, whichever are ``decisive``.
        """
        values, reasons = np.empty((1, len(self.measures))), {}
        errors = np.zeros_like(values)
        means, terms = self._linearised(self.sides)
        others = self._linearised(self.pilot)[1]
        for i, measure in enumerate(self.measures):
            values[0, i], why = self._value(measure, means)
            if why:
                reasons[0, i] = why[0]
            elif not self.exhausted:
                gradient = self._gradient(measure, means)
                errors[0, i] = max(self._error(gradient, terms), self._unseen(measure, gradient))
                heaviest = -math.inf if measure.needs <= BOUNDED else self._tail(gradient, others)
                if "extreme_sums" in measure.needs and not self._reaches_tails():
                    errors[0, i] = math.inf
                elif heaviest > HEAVY:
                    values[0, i], reasons[0, i] = np.nan, HEAVY_TAIL.format("pairs", heaviest)
        return values, errors, reasons

    def _reaches_tails(self) -> bool:
        """Whether enough pairs are among as many smallest or largest as there are within."""
        larger = int(np.argmax(self.population))
        share = min(self.population) / sum(self.population)
        return self.complete[larger] or share * len(self.sides[larger]) >= TAIL

    def _linearised(self, sides: Sides) -> tuple[Floats, list[Floats]]:
        """The means that measures are functions of, and what each pair adds to them.

        Shares of concordant and of discordant combinations; mean of the distances within, of as
        many smallest, of as many largest.

        So that no error is 0 because all that was drawn is alike, the terms (not the means) are
        also given for two pairs at each end of the distances seen, as Agresti & Coull (1998) add
        two successes and two failures.
        """
        w, b = sides
        means = np.zeros(5)
        if not len(w) or not len(b):
            return means, []
        ends = np.repeat([min(w[0], b[0]), max(w[-1], b[-1])], 2)
        added = Sides(np.append(w, ends), np.append(b, ends))
        terms = [np.zeros((len(d), 5)) for d in added]
        if "concordance" in self.needs:
            below, above = _placements(added.within, b)
            terms[0][:, 0], terms[0][:, 1] = above, below
            means[:2] = above[: len(w)].mean(), below[: len(w)].mean()
            terms[1][:, 0], terms[1][:, 1] = _placements(added.between, w)
        if self.needs & {"extreme_sums", "pair_sums"}:
            n_within, n_between = self.population
            ratio = n_between / n_within
            low, high = _quantiles(sides, self.population)
            terms[0][:, 2] = added.within
            for d, of, scale in zip(added, terms, (1.0, ratio), strict=True):
                of[:, 3] = -scale * np.maximum(low - d, 0)
                of[:, 4] = scale * np.maximum(d - high, 0)
            means[2] = w.mean()
            for column, at in ((3, low), (4, high)):
                means[column] = at + sum(
                    of[: len(d), column].mean() for d, of in zip(sides, terms, strict=True)
                )
        return means, terms

    def _value(self, measure: Measure, means: Floats) -> tuple[float, dict[int, str]]:
        """The measure of these means, and why it has none."""
        n_within, n_between = self.population
        stats, plus, minus = self.stats, float(means[0]), float(means[1])
        both: Any = float(n_within * n_between)
        stats.concordant, stats.discordant = [plus * both], [minus * both]
        stats.tied = [(1 - plus - minus) * both]
        stats.within_sums = [means[2:3] * n_within]
        stats.smallest_sums, stats.largest_sums = means[3:4] * n_within, means[4:5] * n_within
        values, why = measure.judge(stats)
        return float(values[0]), why

    def _gradient(self, measure: Measure, means: Floats) -> Floats:
        """By differences to the side where the measure changes more: the other may be its limit."""
        here, gradient = self._value(measure, means)[0], np.zeros(5)
        steps = 1e-5 * np.where([True, True, False, False, False], 1.0, means[4] - means[3])
        for j in np.flatnonzero(steps > 0):
            changes = []
            for step in (steps[j], -steps[j]):
                moved = means.copy()
                moved[j] += step
                changes.append((self._value(measure, moved)[0] - here) / step)
            gradient[j] = max(changes, key=abs)
        return gradient

    def _error(self, gradient: Floats, terms: list[Floats]) -> float:
        variance = 0.0
        for d, of, complete in zip(self.sides, terms, self.complete, strict=True):
            if not complete:
                variance += float((of @ gradient).var(ddof=1)) / len(d)
        return math.sqrt(variance)

    def _tail(self, gradient: Floats, terms: list[Floats]) -> float:
        """The tail index of what the pilot's pairs add to the measure."""
        heaviest = -math.inf
        for d, of, complete in zip(self.pilot, terms, self.complete, strict=False):
            if not complete:
                each = (of @ gradient)[: len(d)]
                heaviest = max(heaviest, tail_index(np.abs(each - each.mean())))
        return heaviest

    def _unseen(self, measure: Measure, gradient: Floats) -> float:
        """The least standard error where all distances drawn are the same (rule of three)."""
        w, b = self.sides
        if min(w[0], b[0]) < max(w[-1], b[-1]) or not gradient.any():
            return 0.0
        low, high = measure.range
        return RULE_OF_THREE * (high - low) / min(len(w), len(b))


def _placements(d: Floats, sample: Floats) -> tuple[Floats, Floats]:
    """For each of ``d`` the shares of the sorted sample that are smaller and that are larger."""
    smaller = np.searchsorted(sample, d, side="left") / len(sample)
    return smaller, 1 - np.searchsorted(sample, d, side="right") / len(sample)


def _quantiles(sides: Sides, population: tuple[int, int]) -> tuple[float, float]:
    """The distances below and above which as many pairs lie as there are within, of all pairs."""
    both = np.concatenate(sides)
    order = np.argsort(both, kind="stable")
    share = population[0] / sum(population)
    each = [all_ / sum(population) / len(d) for d, all_ in zip(sides, population, strict=True)]
    below = np.cumsum(np.repeat(each, [len(d) for d in sides])[order])
    low, high = np.searchsorted(below, [share, 1 - share]).clip(max=len(both) - 1)
    return float(both[order[low]]), float(both[order[high]])


def pair_distances(distances: Distances, first: Ints, second: Ints) -> Floats:
    """Distances of the objects ``first[e]`` and ``second[e]``."""
    from karat._kernels import sampled_pairs
    from karat._kernels.distances import SQUARED

    out = np.empty(len(first))
    if isinstance(distances, OfRows):
        for start in range(0, len(out), OF_ROWS):
            part = slice(start, start + OF_ROWS)
            rows = np.concatenate([first[part], second[part]])
            at, half = np.arange(len(rows)), len(rows) // 2
            out[part] = pair_distances(distances.take(rows), at[:half], at[half:])
        return out
    if isinstance(distances, (Direct, Product)):
        kind = distances.kind if isinstance(distances, Direct) else SQUARED
        sampled_pairs.pair_distances(kind, distances.squared, distances.Z, first, second, out)
        return out
    for start in range(0, len(out), BLOCK):
        part = slice(start, start + BLOCK)
        i, j = first[part], second[part]
        both = distances.take(np.concatenate([i, j]))
        block = both.block(slice(0, len(i)), slice(len(i), 2 * len(i)))
        out[part] = np.diagonal(block)
    return out
