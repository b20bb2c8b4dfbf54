"""Estimates from a sample of the objects, each with all its distances.

Of each drawn object the sums, silhouette and margin are exact; what is estimated are their totals
over the clusters, from which a measure is computed as from exact ones. Objects are drawn at random,
and ten of each cluster (or all) in any case, as are of many objects the 128 that are farthest out;
but for these they are in each cluster a simple random sample, so that totals are unbiased. Standard
errors come from the bootstrap of Rao, Wu & Yue (1992) within the clusters with the
finite-population correction, and hold for ratios and other smooth functions of the totals too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.distances import Precomputed
from karat.labelings.labels import NOISE
from karat.labelings.partitions import Labelings
from karat.measures.catalogue import Measure
from karat.measures.passes.pairs import sampled_pass
from karat.measures.passes.statistics import Statistics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.distances import Distances

    Floats = NDArray[np.float64]

REPLICATES = 200
#: so many of them are drawn at a time
AT_A_TIME = 25
#: a cluster's spread from fewer objects is too rough where its vote counts as much as a large one's
OF_EACH = 10
#: so many of all objects, those farthest from their clusters' means, are drawn in any case
FAR_OUT = 128
#: statistic -> the columns of an object's values that it is the total of
TOTALS = {"silhouettes": (0,), "margins": (1,), "pair_sums": (4, 5), "inverse_square_sums": (6, 7)}
#: column -> where its totals per cluster stand, and how often a total counts each pair
TARGETS = {
    0: ("silhouette_sums", 1),
    1: ("margin_sums", 1),
    4: ("within_sums", 2),
    5: ("between_sums", 1),
    6: ("within_inverse", 2),
    7: ("between_inverse", 1),
}
#: columns whose values are bounded, so that they have a variance whatever their tail looks like
BOUNDED = frozenset({0})
#: unseen in m draws, something has with probability 0.95 a share below 3/m (the rule of three)
RULE_OF_THREE = 3 / 1.96
#: objects that a sample begins with
LEAST = 512
#: objects of the pilot sample, which only decides whether a tail is heavy
PILOT = 1024
#: of a distribution whose tail index is above it, the variance is infinite
HEAVY = 0.5
HEAVY_TAIL = (
    "single {} make up the sum (tail index {:.2f}; above 0.5 the variance is infinite), so that a "
    "sample's standard error cannot be trusted; omit precision and compute it exactly"
)


def tail_index(values: Floats) -> float:
    """Moment estimate of the tail index γ: P(value > t) falls as t^(−1/γ); not above 0 if bounded.

    Dekkers, Einmahl & de Haan 1989, from the largest values, as many as PSIS takes (Vehtari et al.
    2024). Minus infinity where there are too few different ones.
    """
    if not len(values):
        return -math.inf
    # what is 0 but for rounding belongs to no tail
    top = np.sort(values[values > max(np.median(values), 1e-9 * values.max())])[::-1]
    few = int(min(0.2 * len(top), 3 * math.sqrt(len(top))))
    if few < 30:
        return -math.inf
    logs = np.log(top[:few] / top[few])
    first, second = float(logs.mean()), float((logs**2).mean())
    if second <= first**2 * (1 + 1e-12):
        return -math.inf
    return first + 1 - 0.5 / (1 - first**2 / second)


class ObjectSample:
    """Objects drawn so far, with their own exact sums.

    Whether a tail is too heavy is decided on a pilot sample, from the other end of the order: in
    the sample of the estimate itself, the tail looks light just where its largest values are
    missed, and the estimate with them.
    """

    largest = math.inf

    def __init__(
        self,
        X: Any,
        distances: Distances,
        labelings: Labelings,
        measures: Sequence[Measure],
        rng: np.random.Generator,
        run: Callable[..., Floats] = sampled_pass,
    ) -> None:
        self.X, self.distances, self.labelings, self.run = X, distances, labelings, run
        self.measures = measures
        self.needs = frozenset().union(*(measure.needs for measure in measures))
        self.order = shuffled(np.flatnonzero((labelings.codes != NOISE).any(axis=0)), rng)
        certain = far_out(X, labelings) if not isinstance(distances, Precomputed) else None
        n = len(self.order)
        #: where pilot and sample would be all objects, these are
        self.least = LEAST if n > LEAST + PILOT else n
        self.certain = np.zeros(n, dtype=bool)
        if certain is not None:
            self.certain = certain[self.order]
        self.of_each_cluster = np.stack(
            [
                first_of_each(
                    OF_EACH, row if certain is None else np.where(certain, NOISE, row), self.order
                )
                for row in labelings.codes
            ]
        )
        self.drawn = np.zeros(len(self.order), dtype=bool)
        self.size = 0
        self.coincident: list[tuple[NDArray[np.bool_], NDArray[np.bool_]]] = []
        if "inverse_square_sums" in self.needs:
            groups = coincident_groups(X, precomputed=isinstance(distances, Precomputed))
            several = np.flatnonzero((np.bincount(groups) > 1)[groups])
            groups = groups[several]
            self.coincident = [
                _with_coincident(groups, row[several], int(k))
                for row, k in zip(labelings.codes, labelings.n_clusters, strict=True)
            ]
        #: (M, n drawn, 8), parallel to the positions in ``order``
        self.positions = np.empty(0, dtype=np.int64)
        self.objects = np.empty((len(labelings), 0, 8))
        self.pilot: tuple[NDArray[np.int64], Floats] | None = None

    @property
    def n_drawn(self) -> int:
        """How many objects were drawn."""
        return len(self.positions)

    @property
    def exhausted(self) -> bool:
        """Whether all objects were drawn."""
        return self.n_drawn == len(self.order)

    def grow(self, size: int) -> None:
        """Draw until there are ``size`` objects, and some of each cluster."""
        self.size = min(size, len(self.order))
        wanted = self.of_each_cluster.any(axis=0) | self.certain
        wanted[: self.size] = True
        new = np.flatnonzero(wanted & ~self.drawn)
        self.drawn[new] = True
        self.positions = np.concatenate([self.positions, new])
        self.objects = np.concatenate([self.objects, self._found(new)], axis=1)
        self.stats = Statistics(self.X, self.labelings, ())
        self.strata = [self._stratum(m) for m in range(len(self.labelings))]

    def _found(self, positions: NDArray[np.int64]) -> Floats:
        """What is summed of the objects at these places of ``order``: (M, objects, 8)."""
        return self.run(
            self.distances,
            self.labelings,
            self.order[positions].astype(np.int64),
            sums=bool(self.needs & {"pair_sums", "silhouettes"}),
            minima="margins" in self.needs,
            inverses="inverse_square_sums" in self.needs,
        )

    def _stratum(self, m: int) -> _Strata:
        """The objects that clustering m is judged by."""
        own = self.labelings.codes[m, self.order[self.positions]]
        certain = self.certain[self.positions]
        judged = (self.positions < self.size) | self.of_each_cluster[m, self.positions] | certain
        judged &= own != NOISE
        k = len(self.stats.sizes[m])
        stratum = own + k * certain
        there = np.bincount(own[certain & judged], minlength=k)
        sizes = np.concatenate([self.stats.sizes[m] - there, there])
        used = np.flatnonzero(sizes)
        place = np.zeros(2 * k, dtype=np.int64)
        place[used] = np.arange(len(used))
        rows = np.flatnonzero(judged)
        which = place[stratum[rows]]
        by_stratum = np.argsort(which, kind="stable")
        rows, which = rows[by_stratum], which[by_stratum]
        counts = np.bincount(which, minlength=len(used))
        return _Strata(own[rows], self.objects[m, rows], which, counts, sizes[used])

    def estimates(
        self, decisive: NDArray[np.bool_] | None = None
    ) -> tuple[Floats, Floats, dict[tuple[int, int], str]]:
        """Values and standard errors (M, measures), and why (clustering, measure) has none.

        With ``decisive`` only those measures have errors.
        """
        stats = self.stats
        values, reasons = self._compute(_totals(self.strata, stats.sizes))
        for m, i, why in self._heavy(values):
            values[m, i] = np.nan
            reasons[m, i] = why
        if self.exhausted:
            return values, np.zeros_like(values), reasons
        which = np.arange(len(self.measures))
        if decisive is not None:
            which = which[decisive]
        least = self._unseen(values)
        rng = np.random.default_rng(0)
        replicates = []
        with np.errstate(invalid="ignore", over="ignore"):
            for _ in range(0, REPLICATES, AT_A_TIME):
                drawn = _totals(self.strata, stats.sizes, rng)
                for r in range(AT_A_TIME):
                    replicates.append(self._compute([rows[r : r + 1] for rows in drawn], which)[0])
            errors = np.zeros_like(values)
            errors[:, which] = np.std(replicates, axis=0, ddof=1)
        errors[:, which] = np.maximum(errors, least)[:, which]
        # one infinite term makes a total infinite, whatever the other objects have
        errors[np.isinf(values)] = 0.0
        return values, errors, reasons

    def _compute(
        self, totals: list[Floats], which: Sequence[int] | NDArray[np.int64] | None = None
    ) -> tuple[Floats, dict[tuple[int, int], str]]:
        """Measures from totals per cluster, (1, k, targets) of each clustering."""
        for t, name in enumerate(name for name, _ in TARGETS.values()):
            setattr(self.stats, name, [rows[0, :, t] for rows in totals])
        # a pair at distance 0 makes its sum of 1/d² infinite, whether it was drawn or not
        for m, (within, between) in enumerate(self.coincident):
            self.stats.within_inverse[m][within] = math.inf
            self.stats.between_inverse[m][between] = math.inf
        return self._values(which)

    def _values(
        self, which: Sequence[int] | NDArray[np.int64] | None = None
    ) -> tuple[Floats, dict[tuple[int, int], str]]:
        columns = []
        reasons: dict[tuple[int, int], str] = {}
        for i in range(len(self.measures)) if which is None else which:
            values, why = self.measures[i].judge(self.stats)
            columns.append(values)
            reasons |= {(m, int(i)): reason for m, reason in why.items()}
        shape = (len(self.labelings), 0)
        return (np.stack(columns, axis=1) if columns else np.empty(shape)), reasons

    def _heavy(self, values: Floats) -> Iterator[tuple[int, int, str]]:
        """Which estimates rest on totals that have no finite variance."""
        if self.exhausted:
            return
        columns = sorted({column for need in self.needs for column in TOTALS[need]} - BOUNDED)
        for column in columns:
            indices = [self._tail_index(m, column) for m in range(len(self.labelings))]
            heavy = np.array(indices) > HEAVY
            if heavy.any():
                matters = self._reads(column, values) & heavy[:, None] & np.isfinite(values)
                for m, i in np.argwhere(matters).tolist():
                    yield m, i, HEAVY_TAIL.format("objects", indices[m])

    def _reads(self, column: int, values: Floats) -> NDArray[np.bool_]:
        """Which values (M, measures) change with the totals of a column that are estimates."""
        totals = getattr(self.stats, TARGETS[column][0])
        held = list(totals)
        for m, strata in enumerate(self.strata):
            own = strata.own[np.cumsum(strata.counts) - strata.counts]
            estimated = np.isin(np.arange(len(held[m])), own[strata.sizes > strata.counts])
            more = np.where(held[m] == 0, 1.0, 1e-6 * np.abs(held[m]))
            totals[m] = held[m] + np.where(estimated, more, 0.0)
        changed = self._values()[0] != values
        totals[:] = held
        return changed

    def _tail_index(self, m: int, column: int) -> float:
        """That of the pilot's values, each as often as it counts, less its stratum's mean."""
        if self.pilot is None:
            chosen = np.flatnonzero(~self.certain)[-PILOT:]
            self.pilot = chosen, self._found(chosen)
        chosen, objects = self.pilot
        own = self.labelings.codes[m, self.order[chosen]]
        values, own = objects[m, own != NOISE, column], own[own != NOISE]
        if not np.isfinite(values).all():
            return -math.inf
        counts = np.maximum(np.bincount(own), 1)
        means = np.bincount(own, values) / counts
        return tail_index(np.abs(values - means[own]))

    def _unseen(self, values: Floats) -> Floats:
        """The least standard errors, for what no drawn object may have shown (rule of three).

        A mean of values between two bounds has at least that of a share 3/m of the objects at the
        farther bound. Without bounds, nothing is known of a measure all of whose objects in the
        sample are alike: its error is infinite, until one differs or all are drawn.
        """
        least = np.zeros_like(values)
        bounded = np.array([all(map(math.isfinite, m.range)) for m in self.measures])
        for i in np.flatnonzero(bounded).tolist():
            low, high = self.measures[i].range
            share = 1 - self.size / len(self.order)
            farthest = np.maximum(values[:, i] - low, high - values[:, i])
            least[:, i] = RULE_OF_THREE * farthest * share / self.size
        if bounded.all():
            return least
        reads, varies = np.zeros(values.shape, dtype=bool), np.zeros(values.shape, dtype=bool)
        for column in {column for need in self.needs for column in TOTALS[need]}:
            read = self._reads(column, values)
            differs = [strata.differ(column) for strata in self.strata]
            reads |= read
            varies |= read & np.array(differs)[:, None]
        least[~bounded & reads & ~varies] = math.inf
        return least


class _Strata(NamedTuple):
    """Objects that a clustering is judged by: simple random samples within strata.

    Clusters and values of the objects, stratum after stratum, their strata, and of each stratum
    how many objects were drawn and how many there are. Those far out, which are all drawn, are
    strata of their own.
    """

    own: NDArray[np.int32]
    objects: Floats
    which: NDArray[np.int64]
    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def differ(self, column: int) -> bool:
        """Whether two objects of a stratum that is not drawn whole have different values."""
        values, starts = self.objects[:, column], np.cumsum(self.counts) - self.counts
        lowest, highest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
        return bool(((highest > lowest) & (self.sizes > self.counts)).any())


def far_out(X: Any, labelings: Labelings) -> NDArray[np.bool_] | None:
    """The objects that are farthest from their clusters' means, relative to the others in these.

    A sample hardly ever has one of a dozen objects among many, and if they are far enough they
    make up the sum. None for few objects, and where there are no dense features.
    """
    if not isinstance(X, np.ndarray) or len(X) < 16 * FAR_OUT:
        return None
    from karat._kernels.rows import relative_spreads

    farthest = np.zeros(len(X), dtype=np.float32)
    for codes, k in zip(labelings.codes, labelings.n_clusters, strict=True):
        relative_spreads(X, codes, int(k), farthest)
    certain: NDArray[np.bool_] = farthest >= np.partition(farthest, -FAR_OUT)[-FAR_OUT]
    certain[np.flatnonzero(certain)[FAR_OUT:]] = False  # others that are as far
    return certain


def coincident_groups(X: Any, *, precomputed: bool = False) -> NDArray[np.int64]:
    """A number for each object, the same for those at distance 0 from each other: equal rows."""
    if precomputed:
        from scipy import sparse
        from scipy.sparse.csgraph import connected_components

        zeros = [np.argwhere(X[i : i + 512] == 0) + [i, 0] for i in range(0, len(X), 512)]
        i, j = np.concatenate(zeros).T
        graph = sparse.csr_array((np.ones(len(i)), (i, j)), shape=X.shape)
        return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
    if hasattr(X, "toarray"):
        rows = X.copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
        at: dict[tuple[bytes, bytes], int] = {}
        return np.array(
            [
                at.setdefault((rows.indices[a:b].tobytes(), rows.data[a:b].tobytes()), len(at))
                for a, b in itertools.pairwise(rows.indptr.tolist())
            ]
        )
    from karat._kernels.rows import equal_rows, hashes

    bits = np.ascontiguousarray(X).view(np.uint64 if X.dtype == np.float64 else np.uint32)
    keys = hashes(bits)
    return equal_rows(bits, keys, np.argsort(keys, kind="stable"))


def _with_coincident(
    groups: NDArray[np.int64], codes: NDArray[np.int32], k: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which clusters have two coincident objects, and which share a place with another cluster."""
    judged = codes != NOISE
    pairs, counts = np.unique(
        groups[judged] * k + codes[judged].astype(np.int64), return_counts=True
    )
    group, cluster = np.divmod(pairs, k)
    places = np.bincount(group)[group] > 1
    within, between = np.zeros(k, dtype=bool), np.zeros(k, dtype=bool)
    within[cluster[counts > 1]] = True
    between[cluster[places]] = True
    return within, between


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


def _totals(
    every: Sequence[_Strata],
    sizes: Sequence[NDArray[np.int64]],
    rng: np.random.Generator | None = None,
) -> list[Floats]:
    """Totals per cluster (1, k, targets) of each clustering, or of so many replicates."""
    found = []
    columns, times = list(TARGETS), [times for _, times in TARGETS.values()]
    for strata, own in zip(every, sizes, strict=True):
        values, starts = strata.objects[:, columns], np.cumsum(strata.counts) - strata.counts
        sums = np.add.reduceat(values, starts)[None]
        if rng is not None:
            sums = _rao_wu_sums(values, sums, strata.counts, strata.sizes, rng)
        totals = np.zeros((len(sums), len(own), len(columns)))
        weighted = sums * (strata.sizes / strata.counts)[:, None]
        np.add.at(totals.swapaxes(0, 1), strata.own[starts], weighted.swapaxes(0, 1))
        found.append(totals / times)
    return found


def _rao_wu_sums(
    values: Floats,
    sums: Floats,
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    rng: np.random.Generator,
) -> Floats:
    """Sums (replicates, strata, columns) of values whose weights are those of c−1 draws from c.

    The objects come stratum after stratum; ``sums`` are those with a weight of 1 each.
    """
    from karat._kernels.bootstrap import sums_of_draws

    drawn = np.zeros((AT_A_TIME, *sums.shape[1:]))
    sums_of_draws(rng.random((AT_A_TIME, len(values))), values, counts, drawn)
    # at most 1, so that no weight is negative
    scale = np.sqrt(1 - counts / sizes)
    more = scale * counts / np.maximum(counts - 1, 1)
    drawn[:, scale == 0] = 0.0  # even of infinite values
    return sums * (1 - scale)[:, None] + drawn * more[:, None]
