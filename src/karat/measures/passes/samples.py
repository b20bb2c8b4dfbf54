"""Samples of objects and of pairs, from which means of bounded terms are estimated.

Objects are drawn at random, and ten of each cluster (or all) in any case; they are in each cluster
a simple random sample, so that totals are unbiased. Pairs are drawn independently, as many within
the clusters as between them: the shares of concordant and discordant combinations are two-sample
U-statistics, for a given sample size unbiased, with the placements of DeLong et al. (1988) as
terms. Terms without bounds have no estimate: a few of them may make up a sum, and a sample that
misses these looks as if it could be trusted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.distances import Direct, Distances, OfRows
from karat.labelings.labels import NOISE
from karat.labelings.partitions import Labelings
from karat.measures.catalogue import Measure
from karat.measures.passes.statistics import Statistics
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    #: values and standard errors (M, measures), and why (clustering, measure) has no value
    EstimatedValues = tuple[Floats, Floats, dict[tuple[int, int], str]]

#: objects, or pairs of each kind, that a sample begins with
LEAST_OBJECTS, LEAST_PAIRS = 512, 2**16
#: a cluster's spread from fewer objects is too rough where its vote counts as much as a large one's
OF_EACH = 10
#: pairs within, and pairs between, that are held at most
MOST_PAIRS = 2**24
#: unseen in m draws, something has with probability 0.95 a share below 3/m (the rule of three)
RULE_OF_THREE = 3 / 1.96
#: pairs whose rows are copied at a time, and for which a block of all distances is computed
OF_ROWS, OF_BLOCK = 2**13, 4


def shuffled(objects: NDArray[np.integer[Any]], rng: np.random.Generator) -> NDArray[Any]:
    """The objects in random order, as numbers of four bytes where those do."""
    order = objects.astype(np.int32 if objects.max(initial=0) < 2**31 else np.int64)
    rng.shuffle(order)
    return order


def first_of_each(
    number: int, codes: NDArray[np.int32], order: NDArray[np.integer[Any]]
) -> NDArray[np.bool_]:
    """Which places of ``order`` have one of the first ``number`` objects of their cluster."""
    chosen = np.zeros(len(order), dtype=bool)
    left = np.minimum(number, np.bincount(codes[codes != NOISE]))
    start, size = 0, 2**12
    while left.any() and start < len(order):
        part = codes[order[start : start + size]]
        lacking = np.flatnonzero((part != NOISE) & (left[part] > 0))
        by_cluster = lacking[np.argsort(part[lacking], kind="stable")]
        counts = np.bincount(part[by_cluster], minlength=len(left))
        rank = np.arange(len(by_cluster)) - np.repeat(np.cumsum(counts) - counts, counts)
        chosen[start + by_cluster] = rank < left[part[by_cluster]]
        left = np.maximum(left - counts, 0)
        start, size = start + size, min(2 * size, 2**20)
    return chosen


class ObjectSample:
    """Objects drawn so far; ``values_of`` gives (M, objects) bounded values of some objects."""

    largest = math.inf

    def __init__(
        self,
        labelings: Labelings,
        rng: np.random.Generator,
        values_of: Callable[[Ints], Floats],
    ) -> None:
        self.codes, self.values_of = labelings.codes, values_of
        self.order = shuffled(np.flatnonzero((self.codes != NOISE).any(axis=0)), rng)
        self.of_each = np.stack([first_of_each(OF_EACH, row, self.order) for row in self.codes])
        #: places in ``order``, and the values of the objects there
        self.places = np.empty(0, dtype=np.int64)
        self.values = np.empty((len(self.codes), 0))
        self.size, self.least = 0, LEAST_OBJECTS

    @property
    def n_drawn(self) -> int:
        """How many objects were drawn."""
        return len(self.places)

    @property
    def exhausted(self) -> bool:
        """Whether all objects were drawn."""
        return self.n_drawn == len(self.order)

    def grow(self, size: int) -> None:
        """Draw until there are ``size`` objects, and some of each cluster."""
        self.size = min(size, len(self.order))
        wanted: Any = self.of_each.any(axis=0)
        wanted[: self.size] = True
        wanted[self.places] = False
        new = np.flatnonzero(wanted)
        self.places = np.concatenate([self.places, new])
        found = self.values_of(self.order[new].astype(np.int64))
        self.values = np.concatenate([self.values, found], axis=1)

    def judged_by(self, m: int) -> tuple[NDArray[np.int32], Floats]:
        """Clusters and values of the objects that clustering m is judged by."""
        own = self.codes[m, self.order[self.places]]
        judged = (self.places < self.size) | self.of_each[m, self.places]
        judged &= own != NOISE
        return own[judged], self.values[m, judged]


class SilhouetteSample(ObjectSample):
    """Objects with their silhouettes, for measures of totals of these over the clusters."""

    def __init__(
        self,
        X: Any,
        labelings: Labelings,
        measures: Sequence[Measure],
        rng: np.random.Generator,
        values_of: Callable[[Ints], Floats],
    ) -> None:
        super().__init__(labelings, rng, values_of)
        self.measures, self.stats = measures, Statistics(X, labelings, ())

    def estimates(self) -> EstimatedValues:
        """Values and standard errors, these by the changes of measures with single totals."""
        stats, variances = self.stats, []
        stats.silhouette_sums = []
        for m, sizes in enumerate(stats.sizes):
            own, values = self.judged_by(m)
            k = len(sizes)
            drawn = np.bincount(own, minlength=k)
            means = np.bincount(own, values, k) / drawn
            squares = np.bincount(own, (values - means[own]) ** 2, k) / np.maximum(drawn - 1, 1)
            stats.silhouette_sums.append(sizes * means)
            variances.append(sizes * np.maximum(sizes - drawn, 0) * squares / drawn)
        found, reasons = self._values()
        if self.exhausted:
            return found, np.zeros_like(found), reasons
        squared = np.zeros_like(found)
        totals = stats.silhouette_sums
        for c in range(max(map(len, totals), default=0)):
            steps = [1e-3 * sizes * (np.arange(len(sizes)) == c) for sizes in stats.sizes]
            stats.silhouette_sums = [t + step for t, step in zip(totals, steps, strict=True)]
            here = [
                v[c] / s[c] ** 2 if c < len(v) else 0.0
                for v, s in zip(variances, steps, strict=True)
            ]
            squared += (self._values()[0] - found) ** 2 * np.array(here)[:, None]
        stats.silhouette_sums = totals
        # a mean of values between two bounds has at least the error of a share 3/m of the objects,
        # which no drawn one may have shown, at the farther bound
        low, high = np.array([measure.range for measure in self.measures]).T
        unseen = (1 - self.size / len(self.order)) / self.size
        least = RULE_OF_THREE * np.maximum(found - low, high - found) * unseen
        return found, np.maximum(np.sqrt(squared), least), reasons

    def _values(self) -> tuple[Floats, dict[tuple[int, int], str]]:
        found = [measure.judge(self.stats) for measure in self.measures]
        reasons = {(m, i): why for i, (_, all_) in enumerate(found) for m, why in all_.items()}
        return np.stack([values for values, _ in found], axis=1), reasons


class Sides(NamedTuple):
    """Something for the pairs within and for the pairs between."""

    within: Floats
    between: Floats


class PairSample:
    """Sorted distances of the pairs drawn so far for one clustering.

    Pairs within (or between) of which the sample would be half or more are all taken.
    """

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
        self.stats = Statistics(X, labelings, ())
        codes = labelings.codes[0]
        self.order = np.argsort(codes, kind="stable")[int((codes == NOISE).sum()) :]
        self.sizes = self.stats.sizes[0]
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.population = (self.stats.pairs_within(0), self.stats.pairs_between(0))
        self.sides = Sides(np.empty(0), np.empty(0))
        self.least, self.size, self.n_drawn = LEAST_PAIRS, 0, 0

    @property
    def complete(self) -> list[bool]:
        """Whether all pairs within, and all between, were taken."""
        return [len(d) == all_ for d, all_ in zip(self.sides, self.population, strict=True)]

    @property
    def largest(self) -> float:
        """The largest size that it can grow to."""
        return MOST_PAIRS if max(self.population) > 2 * MOST_PAIRS else math.inf

    @property
    def exhausted(self) -> bool:
        """Whether all pairs were taken, or there is nothing to estimate."""
        return all(self.complete) or 0 in self.population

    def grow(self, size: int) -> None:
        """Draw until there are ``size`` pairs within and ``size`` between."""
        self.size = size
        if 0 in self.population:
            return
        grown = []
        for side, (held, all_) in enumerate(zip(self.sides, self.population, strict=True)):
            if len(held) < all_ and 2 * size >= all_:
                held = self._distances(*self._all(side))
            elif len(held) < all_:
                new = self._distances(*self._draw(side, size - len(held)))
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

    def _draw(self, side: int, number: int) -> tuple[Ints, Ints]:
        """Pairs within, or between, at random with replacement, as positions in ``order``."""
        n, sizes, rng = len(self.order), self.sizes, self.rng
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

    def estimates(self) -> EstimatedValues:
        """Values and standard errors of one clustering."""
        values, reasons = np.empty((1, len(self.measures))), {}
        errors = np.zeros_like(values)
        shares, terms = self._linearised()
        for i, measure in enumerate(self.measures):
            values[0, i], why = self._value(measure, shares)
            if why:
                reasons[0, i] = why[0]
            elif not self.exhausted:
                errors[0, i] = self._error(measure, shares, terms)
        return values, errors, reasons

    def _linearised(self) -> tuple[Floats, list[Floats]]:
        """The shares of concordant and of discordant combinations, and each pair's part of them.

        So that no error is 0 because all that was drawn is alike, the terms (not the shares) are
        also given for two pairs at each end of the distances seen, as Agresti & Coull (1998) add
        two successes and two failures.
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
        """The measure of these shares, and why it has none."""
        stats, both = self.stats, float(self.population[0] * self.population[1])
        plus, minus = shares.tolist()
        counts: Any = [[plus * both], [minus * both], [(1 - plus - minus) * both]]
        stats.concordant, stats.discordant, stats.tied = counts
        values, why = measure.judge(stats)
        return float(values[0]), why

    def _error(self, measure: Measure, shares: Floats, terms: list[Floats]) -> float:
        here, gradient, step = self._value(measure, shares)[0], np.zeros(2), 1e-5
        for j in range(2):  # to the side where it changes more: the other may be its limit
            moved = step * np.eye(2)[j]
            there, back = (self._value(measure, shares + by)[0] for by in (moved, -moved))
            gradient[j] = max((there - here) / step, (here - back) / step, key=abs)
        variance = sum(
            float((of @ gradient).var(ddof=1)) / len(d)
            for d, of, complete in zip(self.sides, terms, self.complete, strict=True)
            if not complete
        )
        w, b = self.sides
        unseen = 0.0
        if min(w[0], b[0]) == max(w[-1], b[-1]) and gradient.any():  # all drawn are the same
            low, high = measure.range
            unseen = RULE_OF_THREE * (high - low) / min(len(w), len(b))
        return max(math.sqrt(variance), unseen)


def _placements(d: Floats, sample: Floats) -> tuple[Floats, Floats]:
    """For each of ``d`` the shares of the sorted sample that are smaller and that are larger."""
    smaller = np.searchsorted(sample, d, side="left") / len(sample)
    return smaller, 1 - np.searchsorted(sample, d, side="right") / len(sample)


def pair_distances(distances: Distances, first: Ints, second: Ints) -> Floats:
    """Distances of the objects ``first[e]`` and ``second[e]``, prepared as exact."""
    out = np.empty(len(first))
    size = OF_ROWS if isinstance(distances, (OfRows, Direct)) else OF_BLOCK
    for start in range(0, len(out), size):
        i, j = first[start : start + size], second[start : start + size]
        taken = distances.take(np.concatenate([i, j]))
        if isinstance(distances, OfRows):
            found = pair_distances(taken, np.arange(len(i)), np.arange(len(i), 2 * len(i)))
        elif isinstance(taken, Direct):
            found = _of_rows(taken, len(i))
        else:
            found = np.diagonal(taken.block(slice(0, len(i)), slice(len(i), 2 * len(i))))
        out[start : start + size] = found
    return out


def _of_rows(distances: Direct, half: int) -> Floats:
    """Distances of the first rows and the others, features strictly in order, as in tiles."""
    from karat._kernels.distances import CHEBYSHEV, CITYBLOCK

    apart = np.abs(distances.Z[:half] - distances.Z[half:])
    if distances.kind == CHEBYSHEV:
        return np.asarray(apart.max(axis=1))
    found = np.cumsum(apart if distances.kind == CITYBLOCK else apart**2, axis=1)[:, -1]
    return np.sqrt(found) if distances.squared else found
