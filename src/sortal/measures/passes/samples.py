"""Samples of objects and of pairs, from which means of bounded terms are estimated.

Objects are drawn at random, with at least ten of each cluster (or all). In each cluster they are a
simple random sample, so totals are unbiased. Pairs are drawn independently, as many within the
clusters as between them. The shares of concordant and discordant combinations are two-sample
U-statistics, unbiased for a fixed sample size, with the placements of DeLong et al. (1988) as
terms. Sums of distances are in :mod:`sortal.measures.passes.pair_sums`. Other unbounded terms
have no estimate: a few of them may dominate a sum, and a sample without them would look reliable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sortal.distances import Distances, pair_distances
from sortal.labelings.labels import NOISE
from sortal.labelings.partitions import Labelings
from sortal.measures.catalogue import Measure
from sortal.measures.passes.pair_sums import RULE_OF_THREE, SUMS, DrawnPairs, PairSums, farthest
from sortal.measures.passes.ranks import check_finite, check_symmetric
from sortal.measures.passes.statistics import Statistics
from sortal.measures.tuning import TUNING, MeasureSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Bools, Floats, Ints, Rows

    #: values and standard errors (M, measures), and reasons of missing values
    EstimatedValues = tuple[Floats, Floats, dict[tuple[int, int], str]]

#: limit of cost: size of the first sample: objects, or pairs within and as many between
FIRST_OBJECTS, FIRST_PAIRS = 512, 2**16
#: limit of cost: largest number of pairs within, and of pairs between, in memory
MAX_PAIRS = 2**24
#: limit of cost: pairs drawn at a time
BLOCK = 2**18


def shuffled(objects: NDArray[np.integer[Any]], rng: np.random.Generator) -> NDArray[Any]:
    """The objects in random order, as 32-bit integers if possible."""
    order = objects.astype(np.int32 if objects.max(initial=0) < 2**31 else np.int64)
    rng.shuffle(order)
    return order


def first_of_each(number: int, codes: NDArray[np.int32], order: NDArray[np.integer[Any]]) -> Bools:
    """Mask of ``order``: the first ``number`` objects of each cluster."""
    chosen = np.zeros(len(order), dtype=bool)
    left = np.minimum(number, np.bincount(codes[codes != NOISE]))
    start, size = 0, 2**12
    while left.any() and start < len(order):
        clusters = codes[order[start : start + size]]
        lacking = np.flatnonzero((clusters != NOISE) & (left[clusters] > 0))
        by_cluster = lacking[np.argsort(clusters[lacking], kind="stable")]
        counts = np.bincount(clusters[by_cluster], minlength=len(left))
        rank = np.arange(len(by_cluster)) - np.repeat(np.cumsum(counts) - counts, counts)
        chosen[start + by_cluster] = rank < left[clusters[by_cluster]]
        left = np.maximum(left - counts, 0)
        start, size = start + size, min(2 * size, 2**20)
    return chosen


class GrowingSample:
    """A growing sample of objects; ``values_of`` gives their bounded values (M, objects)."""

    max_size = math.inf

    def __init__(
        self,
        labelings: Labelings,
        rng: np.random.Generator,
        values_of: Callable[[Ints], Floats],
        tuning: MeasureSettings = TUNING,
    ) -> None:
        self.codes, self.values_of = labelings.codes, values_of
        self.order = shuffled(np.flatnonzero((self.codes != NOISE).any(axis=0)), rng)
        self.required = np.stack(
            [first_of_each(tuning.min_per_cluster, row, self.order) for row in self.codes]
        )
        #: positions of the drawn objects in ``order``, and their values
        self.places = np.empty(0, dtype=np.int64)
        self.values = np.empty((len(self.codes), 0))
        self.size, self.first_size = 0, FIRST_OBJECTS

    @property
    def n_drawn(self) -> int:
        """Number of drawn objects."""
        return len(self.places)

    @property
    def exhausted(self) -> bool:
        """Whether all objects were drawn."""
        return self.n_drawn == len(self.order)

    def grow(self, size: int) -> None:
        """Draw until there are ``size`` objects, and some of each cluster."""
        self.size = min(size, len(self.order))
        wanted: Any = self.required.any(axis=0)
        wanted[: self.size] = True
        wanted[self.places] = False
        new = np.flatnonzero(wanted)
        self.places = np.concatenate([self.places, new])
        new_values = self.values_of(self.order[new].astype(np.int64))
        self.values = np.concatenate([self.values, new_values], axis=1)

    def judged_by(self, m: int) -> tuple[NDArray[np.int32], Floats]:
        """Clusters and values of the sampled objects that clustering m judges."""
        clusters = self.codes[m, self.order[self.places]]
        judged = (self.places < self.size) | self.required[m, self.places]
        judged &= clusters != NOISE
        return clusters[judged], self.values[m, judged]


class SilhouetteSample(GrowingSample):
    """A sample of objects, for measures by the clusters' total silhouettes."""

    def __init__(
        self,
        X: Rows,
        labelings: Labelings,
        measures: Sequence[Measure],
        rng: np.random.Generator,
        values_of: Callable[[Ints], Floats],
    ) -> None:
        super().__init__(labelings, rng, values_of)
        self.measures, self.stats = measures, Statistics(X, labelings, ())

    def estimates(self) -> EstimatedValues:
        """Values and standard errors, by error propagation through the totals of clusters."""
        stats, variances = self.stats, []
        stats.silhouette_sums = []
        for m, sizes in enumerate(stats.sizes):
            clusters, values = self.judged_by(m)
            k = len(sizes)
            n_sampled = np.bincount(clusters, minlength=k)
            means = np.bincount(clusters, values, k) / n_sampled
            squares = np.bincount(clusters, (values - means[clusters]) ** 2, k) / np.maximum(
                n_sampled - 1, 1
            )
            stats.silhouette_sums.append(sizes * means)
            variances.append(sizes * np.maximum(sizes - n_sampled, 0) * squares / n_sampled)
        estimates, reasons = self._values()
        if self.exhausted:
            return estimates, np.zeros_like(estimates), reasons
        squared = np.zeros_like(estimates)
        totals = stats.silhouette_sums
        for c in range(max(map(len, totals), default=0)):
            steps = [1e-3 * sizes * (np.arange(len(sizes)) == c) for sizes in stats.sizes]
            stats.silhouette_sums = [
                total + step for total, step in zip(totals, steps, strict=True)
            ]
            variances_of_step = [
                v[c] / s[c] ** 2 if c < len(v) else 0.0
                for v, s in zip(variances, steps, strict=True)
            ]
            squared += (self._values()[0] - estimates) ** 2 * np.array(variances_of_step)[:, None]
        stats.silhouette_sums = totals
        # the error of a mean of bounded values is at least that of an undrawn share 3/m of the
        # objects at the farther bound
        low, high = np.array([measure.range for measure in self.measures]).T
        unseen = (1 - self.size / len(self.order)) / self.size
        least = RULE_OF_THREE * np.maximum(estimates - low, high - estimates) * unseen
        return estimates, np.maximum(np.sqrt(squared), least), reasons

    def _values(self) -> tuple[Floats, dict[tuple[int, int], str]]:
        """Values of the measures from the current totals, and reasons of missing ones."""
        judgments = [measure.judge(self.stats) for measure in self.measures]
        reasons = {
            (m, i): why
            for i, (_, reasons_of_measure) in enumerate(judgments)
            for m, why in reasons_of_measure.items()
        }
        return np.stack([values for values, _ in judgments], axis=1), reasons


class Sides(NamedTuple):
    """Values for the pairs within and for the pairs between."""

    within: Floats
    between: Floats


class PairSample:
    """A growing sample of pairs of one clustering, with sorted distances.

    If the sample would contain half or more of the pairs within (or between), it takes them all.
    """

    def __init__(
        self,
        X: Rows,
        distances: Distances,
        labelings: Labelings,
        measures: Sequence[Measure],
        rng: np.random.Generator,
    ) -> None:
        check_symmetric(distances)
        self.distances, self.measures, self.rng = distances, measures, rng
        self.stats = Statistics(X, labelings, ())
        codes = labelings.codes[0]
        self.order = np.argsort(codes, kind="stable")[int((codes == NOISE).sum()) :]
        self.sizes = self.stats.sizes[0]
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.population = (self.stats.pairs_within(0), self.stats.pairs_between(0))
        self.sides = Sides(np.empty(0), np.empty(0))
        self.of_sums = any(measure.needs <= SUMS for measure in measures)
        self.clusters = codes[self.order]
        self.pairs = [self._none(side) for side in (0, 1)]
        self.first_size, self.size, self.n_drawn = FIRST_PAIRS, 0, 0

    @property
    def complete(self) -> list[bool]:
        """Whether all pairs within, and all between, were taken."""
        return [pairs.is_complete for pairs in self.pairs]

    @property
    def max_size(self) -> float:
        """Largest possible size."""
        return MAX_PAIRS if max(self.population) > 2 * MAX_PAIRS else math.inf

    @property
    def exhausted(self) -> bool:
        """Whether all pairs were taken, or one kind of pairs does not exist."""
        return all(self.complete) or (0 in self.population and not self.of_sums)

    def grow(self, size: int) -> None:
        """Draw until there are ``size`` pairs within and ``size`` between."""
        self.size = size
        if self.exhausted:
            return
        for side, pairs in enumerate(self.pairs):
            if pairs.is_complete:
                continue
            if 2 * size >= pairs.population:
                self.pairs[side] = self._none(side)
                self._take(side, pairs.population, self._all(side))
            else:
                number = size - len(pairs.distances)
                self._take(side, number, self._draw(side, number))
        if any("concordance" in measure.needs for measure in self.measures):
            self.sides = Sides(*(np.sort(pairs.distances) for pairs in self.pairs))

    def _none(self, side: int) -> DrawnPairs:
        """No pairs yet, within clusters or between."""
        return DrawnPairs(self.population[side], len(self.sizes), between=side == 1)

    def _take(self, side: int, number: int, pairs: Iterator[tuple[Ints, Ints]]) -> None:
        """Add so many pairs of positions in ``order``, which come in blocks."""
        sampled = self.pairs[side]
        start = len(sampled.distances)
        room = sampled.reserve(number)
        done = 0
        for first, second in pairs:
            values = self._distances(first, second)
            room[done : done + len(values)] = values
            sampled.add(start + done, values, self.clusters[first], self.clusters[second])
            done += len(values)

    def _all(self, side: int) -> Iterator[tuple[Ints, Ints]]:
        """All pairs within, or between, as positions in ``order``."""
        n = len(self.order)
        first, ends = np.arange(n), np.repeat(self.starts + self.sizes, self.sizes)
        begin, end = (first + 1, ends) if side == 0 else (ends, np.full(n, n))
        counts = end - begin
        last = np.cumsum(counts)
        for start in range(0, int(last[-1]), BLOCK):
            pair = np.arange(start, min(start + BLOCK, int(last[-1])))
            i = np.searchsorted(last, pair, side="right")
            yield i, begin[i] + pair - (last[i] - counts[i])

    def _draw(self, side: int, number: int) -> Iterator[tuple[Ints, Ints]]:
        """Pairs within, or between, at random with replacement, as positions in ``order``."""
        n, sizes, rng = len(self.order), self.sizes, self.rng
        others = sizes - 1 if side == 0 else n - sizes
        last = np.cumsum(sizes * others)
        blocks = [slice(at, min(at + BLOCK, number)) for at in range(0, number, BLOCK)]
        cluster, first = np.empty((2, number), dtype=np.int32)
        for block in blocks:
            pair_numbers = rng.integers(0, last[-1], block.stop - block.start)
            cluster[block] = np.searchsorted(last, pair_numbers, side="right")
        for block in blocks:
            c = cluster[block]
            first[block] = self.starts[c] + rng.integers(0, sizes[c])
        for block in blocks:
            c = cluster[block]
            second = rng.integers(0, others[c])
            if side == 0:
                second += self.starts[c]
                second += second >= first[block]
            else:
                second += sizes[c] * (second >= self.starts[c])
            yield first[block].astype(np.int64), second

    def _distances(self, first: Ints, second: Ints) -> Floats:
        """Distances of pairs of positions in ``order``; they count as drawn."""
        self.n_drawn += len(first)
        values = pair_distances(self.distances, self.order[first], self.order[second])
        check_finite(values)
        return values

    def estimates(self) -> EstimatedValues:
        """Values and standard errors of one clustering."""
        values, reasons = np.empty((1, len(self.measures))), {}
        errors = np.zeros_like(values)
        shares, terms = self._linearised()
        sums = (
            PairSums(self.stats, (self.pairs[0], self.pairs[1]), self.bound)
            if self.of_sums
            else None
        )
        for i, measure in enumerate(self.measures):
            if sums is not None and measure.needs <= SUMS:
                values[0, i], errors[0, i], reason = sums.judge(measure)
                if reason is not None:
                    reasons[0, i] = reason
                continue
            values[0, i], why = self._value(measure, shares)
            if why:
                reasons[0, i] = why[0]
            elif not self.exhausted:
                errors[0, i] = self._error(measure, shares, terms)
        return values, errors, reasons

    @cached_property
    def bound(self) -> float:
        """An upper bound of the distances of the judged objects."""
        bound = farthest(self.distances.take(self.order))
        check_finite(bound)
        return bound

    def _linearised(self) -> tuple[Floats, list[Floats]]:
        """Shares of concordant and of discordant combinations, and the terms of each pair.

        The terms (not the shares) include two additional pairs at each end of the drawn
        distances, like the two successes and failures of Agresti & Coull (1998). So no error is
        0 only because all drawn pairs are alike.
        """
        w, b = self.sides
        if not len(w) or not len(b):
            return np.zeros(2), []
        ends = np.repeat([min(w[0], b[0]), max(w[-1], b[-1])], 2)
        below, above = _placements(np.append(w, ends), b)
        of_between = np.stack(_placements(np.append(b, ends), w), axis=1)
        terms = [np.stack([above, below], axis=1), of_between]
        return terms[0][: len(w)].mean(axis=0), terms

    def _value(self, measure: Measure, shares: Floats) -> tuple[float, dict[int, str]]:
        """The measure of these shares, and the reason of a missing value."""
        stats, combinations = self.stats, float(self.population[0] * self.population[1])
        plus, minus = shares.tolist()
        counts: Any = [
            [plus * combinations],
            [minus * combinations],
            [(1 - plus - minus) * combinations],
        ]
        stats.concordant, stats.discordant, stats.tied = counts
        values, why = measure.judge(stats)
        return float(values[0]), why

    def _error(self, measure: Measure, shares: Floats, terms: list[Floats]) -> float:
        """Standard error of a measure, by linearisation in the two shares."""
        value, gradient, step = self._value(measure, shares)[0], np.zeros(2), 1e-5
        for j in range(2):  # the steeper side: the other may be at a bound
            moved = step * np.eye(2)[j]
            after, before = (self._value(measure, shares + change)[0] for change in (moved, -moved))
            gradient[j] = max((after - value) / step, (value - before) / step, key=abs)
        variance = sum(
            float((term @ gradient).var(ddof=1)) / len(taken)
            for taken, term, complete in zip(self.sides, terms, self.complete, strict=True)
            if not complete
        )
        w, b = self.sides
        unseen = 0.0
        if min(w[0], b[0]) == max(w[-1], b[-1]) and gradient.any():  # all drawn distances are equal
            low, high = measure.range
            unseen = RULE_OF_THREE * (high - low) / min(len(w), len(b))
        return max(math.sqrt(variance), unseen)


def _placements(d: Floats, sample: Floats) -> tuple[Floats, Floats]:
    """Shares of the sorted sample that are smaller, and that are larger, than each of ``d``."""
    smaller = np.searchsorted(sample, d, side="left") / len(sample)
    return smaller, 1 - np.searchsorted(sample, d, side="right") / len(sample)
