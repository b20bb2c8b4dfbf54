"""Exact statistics of the ranks of the pair distances for all clusterings; no n² memory.

Sums of the smallest and largest distances take one pass where a sample of pairs tells between which
limits the wanted ranks are. Otherwise the distances are counted in equal bins, and only the bins
with these ranks are revisited, crowded ones divided further. Rank sums collect and sort ranges of
distances of bounded size, one after the other.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sortal.distances import PASS_PARTS, TILE_ROWS, TILE_WIDTH, Direct, Distances, pair_distances
from sortal.labelings.labels import NOISE
from sortal.labelings.partitions import Labelings
from sortal.measures.passes.over_pairs import OverPairs
from sortal.runtime.threads import available_cores
from sortal.runtime.validation import InputError
from sortal.typing import Bools, Floats, Ints

#: limit of cost: distances with their pairs, of all threads together
MAX_PAIRS_IN_MEMORY = 12 * 2**20
#: limit of cost: pairs that tell where distances of some ranks are
SAMPLE = 2**17
#: limit of cost: brackets of ranks, whose pass is faster than two others
MOST_BRACKETS = 8

#: distances, first row and first column
Tile: TypeAlias = tuple[Floats, int, int]


def by_judged(labelings: Labelings) -> Iterator[tuple[NDArray[np.intp], list[int]]]:
    """Groups of clusterings that judge the same two or more objects: objects, clusterings."""
    masks: dict[bytes, list[int]] = {}
    for m, row in enumerate(labelings.codes):
        masks.setdefault(np.packbits(row != NOISE).tobytes(), []).append(m)
    for clusterings in masks.values():
        judged = np.flatnonzero(labelings.codes[clusterings[0]] != NOISE)
        if len(judged) > 1:
            yield judged, clusterings


def check_symmetric(distances: Distances) -> None:
    """Raise for a distance that is not symmetric."""
    if not distances.symmetric:
        raise InputError(
            "ranks of distances need a symmetric distance; for kl there is symmetric_kl"
        )


def check_finite(distances: float | Floats) -> None:
    """Raise for infinite distances."""
    if not np.isfinite(distances).all():
        raise InputError("ranks of distances need finite distances; some are infinite")


def _tiles(distances: Distances, starts: Iterable[int], roots: bool = True) -> Iterator[Tile]:
    """The tiles of strips from the diagonal down: distances, first row and first column.

    Without ``roots`` they are squared if ``distances`` are.
    """
    from sortal._kernels.ranks import take_roots

    room = np.empty(TILE_ROWS * TILE_WIDTH)
    for j0 in starts:
        j1 = min(j0 + TILE_WIDTH, distances.n)
        strip = distances.strip(j0, j1)
        for r0 in range(j0, distances.n, TILE_ROWS):
            r1 = min(r0 + TILE_ROWS, distances.n)
            tile = room[: (r1 - r0) * (j1 - j0)].reshape(r1 - r0, j1 - j0)
            distances.tile(r0, r1, j0, j1, strip, tile)
            if roots and distances.squared:
                take_roots(tile)
            yield tile, r0, j0


def _least_square(root: float) -> float:
    """The smallest number with at least this root."""
    square = root * abs(root)
    while 0 < root < math.inf and math.sqrt(square) >= root:
        square = math.nextafter(square, 0.0)
    while 0 < root < math.inf and math.sqrt(square) < root:
        square = math.nextafter(square, math.inf)
    return square


class _Bins:
    """Equal bins over [low, high]; the first includes all below, the last all above."""

    number = 2**15  # counts and sums of them stay in the second cache

    def __init__(self, low: float, high: float, finest: float = 0.0) -> None:
        self.finest = finest or high * 1e-17
        self.low = low
        scale = (self.number - 1) / (high - low) if high > low else 0.0
        self.scale = scale if math.isfinite(scale) else 0.0

    def edge(self, b: int) -> float:
        """The smallest distance that falls in bin ``b`` or above."""
        if b <= 0 or self.scale == 0:
            return -math.inf if b <= 0 else math.inf
        value = self.low + b / self.scale
        while (value - self.low) * self.scale >= b:
            value = math.nextafter(value, -math.inf)
        while (value - self.low) * self.scale < b:
            value = math.nextafter(value, math.inf)
        return value

    def is_point(self, b: int) -> bool:
        """Whether a bin is too narrow to separate distances by halving it."""
        top = self.low + (b + 1) / self.scale if self.scale else self.low
        return self.scale == 0 or 1 / self.scale <= max(4 * math.ulp(abs(top)), self.finest)

    def inside(self, b: int) -> _Bins:
        """Finer bins over bin ``b`` and a small margin."""
        width = 1 / self.scale
        low = self.low + b * width
        high = low + width * (1 + 1 / 64)
        return _Bins(low - width / 64, high, self.finest)


def _upper_bound(pairs: OverPairs) -> float:
    """An upper bound of all distances."""
    from sortal._kernels.distances import SQUARED

    distances = pairs.distances
    if isinstance(distances, Direct) and distances.kind == SQUARED:
        Z = distances.Z
        squared = float((((Z - Z.mean(axis=0)) ** 2).sum(axis=1)).max()) * 4
        return (np.sqrt(squared) if distances.squared else squared) * (1 + 1e-9)
    top = max(pairs.map(_largest_of_share, _strips(pairs.n)))
    check_finite(top)
    return top


def _largest_of_share(distances: Distances, share: range) -> float:
    """Largest distance in one share of the strips."""
    from sortal._kernels.ranks import largest

    return max(largest(*tile) for tile in _tiles(distances, share))


def _strips(n: int) -> list[range]:
    """Shares of the strips with about equal work."""
    starts = range(0, n, TILE_WIDTH)
    shares = min(PASS_PARTS, len(starts))
    return [starts[i::shares] for i in range(shares)]


def _histogram(
    pairs: OverPairs, bins: _Bins, codes: NDArray[np.int32] | None = None
) -> tuple[Ints, Floats, Floats]:
    """Numbers and sums of the distances in each bin; sums within the clusters of ``codes``."""
    codes = np.empty((0, pairs.n), dtype=np.int32) if codes is None else codes
    filled, within = np.zeros((bins.number, 2)), np.zeros(len(codes))
    for of_share, within_share in pairs.map(_histogram_of_share, _strips(pairs.n), bins, codes):
        filled += of_share
        within += within_share
    return filled[:, 0].astype(np.int64), filled[:, 1], within


def _histogram_of_share(
    distances: Distances, bins: _Bins, codes: NDArray[np.int32], share: range
) -> tuple[Floats, Floats]:
    """Numbers and sums of one share, side by side; sums within the clusters."""
    from sortal._kernels.ranks import add_within, histogram

    filled, within = np.zeros((bins.number, 2)), np.zeros(len(codes))
    for tile in _tiles(distances, share):
        histogram(*tile, bins.low, bins.scale, filled)
        add_within(*tile, codes, within)
    return filled, within


def _collect(pairs: OverPairs, bins: _Bins, chosen: Bools) -> Floats:
    """Sorted distances in the chosen bins."""
    shares = pairs.map(_collect_of_share, _strips(pairs.n), bins, chosen)
    return np.sort(np.concatenate(list(shares)))


def _collect_of_share(distances: Distances, bins: _Bins, chosen: Bools, share: range) -> Floats:
    """Distances of one share in the chosen bins."""
    from sortal._kernels.ranks import collect

    room = np.empty(TILE_ROWS * TILE_WIDTH + 1)
    return np.concatenate([
        room[: collect(*tile, bins.low, bins.scale, chosen, room)].copy()
        for tile in _tiles(distances, share)
    ])  # fmt: skip


def extreme_sums(
    pairs: OverPairs, labelings: Labelings, *, add_within: bool = True
) -> tuple[Floats, Floats, Floats, Floats]:
    """Sums of distances for each clustering: the ∣P_w∣ smallest, as many largest, within, all.

    Those within are 0 without ``add_within``.

    Exact. Two passes over the pairs, one for a few clusterings of many objects, and more if few
    bins hold most distances; O(n d) memory plus the collected distances.
    """
    smallest, largest, within, all_pairs = np.zeros((4, len(labelings)))
    for judged, clusterings in by_judged(labelings):
        number = len(judged) * (len(judged) - 1) // 2
        sizes = {m: labelings.sizes(m) for m in clusterings}
        numbers = {m: int((size * (size - 1) // 2).sum()) for m, size in sizes.items()}
        ranks = sorted({*numbers.values(), *(number - w for w in numbers.values())})
        added = clusterings if add_within else []
        codes = np.ascontiguousarray(labelings.codes[added][:, judged])
        sums, total, within[added] = _sums_of_smallest(pairs.take(judged), ranks, codes)
        all_pairs[clusterings] = total
        for m, w in numbers.items():
            smallest[m], largest[m] = sums[w], total - sums[number - w]
    return smallest, largest, within, all_pairs


def _sums_of_smallest(
    pairs: OverPairs, ranks: list[int], codes: NDArray[np.int32]
) -> tuple[dict[int, float], float, Floats]:
    """Sums of the l smallest distances for each rank l, of all distances, and of those within."""
    if (sums_and_total := _sums_by_brackets(pairs, ranks, codes)) is not None:
        return sums_and_total
    sums_by_rank: dict[int, float] = {}
    total, within = None, None
    todo = [(_Bins(0.0, _upper_bound(pairs)), ranks)]
    while todo:
        bins, wanted = todo.pop()
        counts, sums, within_here = _histogram(pairs, bins, codes if total is None else None)
        before = np.concatenate([[0], np.cumsum(counts)])
        summed = np.concatenate([[0.0], np.cumsum(sums)])
        if total is None:
            total, within = float(summed[-1]), within_here
        crowded: dict[int, list[int]] = {}
        inside: dict[int, int] = {}
        for rank in wanted:
            b = int(np.searchsorted(before, rank)) - 1
            if b < 0 or before[b + 1] == rank:
                sums_by_rank[rank] = float(summed[b + 1])
            elif bins.is_point(b):
                sums_by_rank[rank] = float(summed[b] + (rank - before[b]) * sums[b] / counts[b])
            elif counts[b] > MAX_PAIRS_IN_MEMORY // 32:
                crowded.setdefault(b, []).append(rank)
            else:
                inside[rank] = b
        chosen = np.zeros(bins.number, dtype=bool)
        chosen[list(inside.values())] = True
        values = _collect(pairs, bins, chosen) if inside else np.empty(0)
        starts = np.cumsum(counts * chosen) - counts * chosen
        for rank, b in inside.items():
            nearer = values[starts[b] : starts[b] + rank - before[b]]
            sums_by_rank[rank] = float(summed[b] + nearer.sum())
        todo += [(bins.inside(b), its_ranks) for b, its_ranks in crowded.items()]
    assert total is not None
    assert within is not None
    return sums_by_rank, total, within


def _sums_by_brackets(
    pairs: OverPairs, ranks: list[int], codes: NDArray[np.int32]
) -> tuple[dict[int, float], float, Floats] | None:
    """The same sums by one pass, for few ranks of many distances; otherwise None.

    A sample of pairs tells between which limits the distances of these ranks are.
    """
    limits_of_ranks = _brackets(pairs, ranks)
    if limits_of_ranks is None:
        return None
    brackets, of_rank = limits_of_ranks
    below, within, parts = np.zeros((len(brackets) + 1, 2)), np.zeros(len(codes)), []
    shares = pairs.map(_brackets_of_share, _strips(pairs.n), brackets, codes)
    for below_of_share, within_share, values_of_share in shares:
        below += below_of_share
        within += within_share
        parts.append(values_of_share)
    total = float(below[-1, 1])
    values = np.concatenate(parts)
    starts, ends = (
        np.array([np.count_nonzero(values < limit) for limit in limits])[of_rank]
        for limits in brackets.T
    )
    stops = starts + np.array(ranks) - below[of_rank, 0].astype(np.int64)
    if not math.isfinite(total) or (stops < starts).any() or (stops > ends).any():
        return None
    cuts = np.unique([starts, stops])
    values.partition(cuts[cuts < len(values)])
    sums = {
        rank: float(s + values[start:stop].sum())
        for rank, s, start, stop in zip(ranks, below[of_rank, 1], starts, stops, strict=True)
    }
    return sums, total, within


def _brackets(pairs: OverPairs, ranks: list[int]) -> tuple[Floats, Ints] | None:
    """Limits [low, high) of the distances of these ranks, and which limits a rank has.

    None if they are too many, or if too many distances are between them.
    """
    n, distances = pairs.n, pairs.distances
    number = n * (n - 1) // 2
    if number < 2**7 * SAMPLE or not isinstance(distances, Direct):
        return None
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, n, SAMPLE), rng.integers(0, n - 1, SAMPLE)
    sample = np.sort(pair_distances(distances, first, second + (second >= first)))
    shares = np.array(ranks) / number
    errors = 5 * np.sqrt((shares * (1 - shares) + 1 / SAMPLE) / SAMPLE)
    ends = np.concatenate([[0.0], sample, [math.inf]])
    low, high = (
        ends[np.clip((share * SAMPLE).astype(np.int64), 0, SAMPLE + 1)]
        for share in (shares - errors, shares + errors + 2 / SAMPLE)
    )
    # those that overlap become one
    begins = np.append(True, low[1:] > high[:-1])
    brackets = np.stack([low[begins], np.nextafter(high[np.roll(begins, -1)], math.inf)], axis=1)
    inside = np.diff(np.searchsorted(sample, brackets)).sum() / SAMPLE * number
    if len(brackets) > MOST_BRACKETS or inside > MAX_PAIRS_IN_MEMORY / 2:
        return None
    return brackets, np.cumsum(begins) - 1


def _brackets_of_share(
    distances: Distances, brackets: Floats, codes: NDArray[np.int32], share: range
) -> tuple[Floats, Floats, Floats]:
    """Numbers and sums of the distances of one share below each bracket, and of all.

    Then sums within clusters, and the distances in the brackets.
    """
    from sortal._kernels.ranks import add_within, collect_brackets

    below, within, parts = np.zeros((len(brackets) + 1, 2)), np.zeros(len(codes)), []
    room = np.empty(TILE_ROWS * TILE_WIDTH + 1)
    for tile in _tiles(distances, share):
        parts.append(room[: collect_brackets(*tile, brackets, below, room)].copy())
        add_within(*tile, codes, within)
    return below, within, np.concatenate(parts)


def concordance(pairs: OverPairs, labelings: Labelings) -> tuple[list[int], list[int], list[int]]:
    """Numbers of (pair within, pair between) with d_w < d_b, with d_w > d_b, and with ties.

    Exact, in integers. O(n² log n + n² M), and a pass of O(n² d) for every ``CAPACITY``
    pairs, divided by the number of threads.
    """
    check_symmetric(pairs.distances)
    M = len(labelings)
    concordant, discordant, tied = [0] * M, [0] * M, [0] * M
    for judged, clusterings in by_judged(labelings):
        labels = np.ascontiguousarray(labelings.codes[clusterings][:, judged].T)
        counts, ranks, ties = _rank_sums(pairs.take(judged), labels)
        number = len(judged) * (len(judged) - 1) // 2
        for i, m in enumerate(clusterings):
            w = counts[i]
            above = (ranks[i] - w * (w + 1) - ties[i]) // 2
            discordant[m], tied[m] = above, ties[i]
            concordant[m] = w * (number - w) - above - ties[i]
    return concordant, discordant, tied


def _rank_sums(
    pairs: OverPairs, labels: NDArray[np.int32]
) -> tuple[list[int], list[int], list[int]]:
    """Numbers of pairs within, twice their rank sums, and ties, of each clustering."""
    number = pairs.n * (pairs.n - 1) // 2
    # distances of a single clustering are sorted in place, without their pairs
    capacity = MAX_PAIRS_IN_MEMORY * (4 if labels.shape[1] == 1 else 1) // available_cores()
    if pairs.workers.elsewhere:  # memory is per worker, and every worker needs a range
        capacity = min(MAX_PAIRS_IN_MEMORY // 2, number // PASS_PARTS)
    capacity = max(capacity, 2**16)
    bins = _Bins(0.0, _upper_bound(pairs))
    ranges = list(_ranges(pairs, bins, -math.inf, math.inf, 0, number, capacity))
    M = labels.shape[1]
    counts, twice, ties = [0] * M, [0] * M, [0] * M
    sums = pairs.map(_rank_sums_of_range, ranges, labels, capacity)
    for (_, _, base, _), (c, r, t) in zip(ranges, sums, strict=True):
        for m in range(M):
            counts[m] += int(c[m])
            twice[m] += int(r[m]) + 2 * base * int(c[m])
            ties[m] += int(t[m])
    return counts, twice, ties


def _rank_sums_of_range(
    distances: Distances,
    labels: NDArray[np.int32],
    capacity: int,
    item: tuple[float, float, int, int],
) -> list[Ints]:
    """Counts, rank sums and ties of the pairs in one range of distances."""
    from sortal._kernels import ranks

    low, high, _, room = item
    if room > capacity:
        return _rank_sums_of_ties(distances, labels, low, room)
    if distances.squared:  # roots are taken of the few that are in the range
        low, high = _least_square(low), _least_square(high)
    tiles = _tiles(distances, range(0, distances.n, TILE_WIDTH), roots=False)
    values, within, between = np.empty(room), 0, room
    if labels.shape[1] > 1:
        pairs = np.empty(room, dtype=np.int64)
        for tile in tiles:
            within = ranks.collect_pairs(*tile, low, high, values, pairs, within)
        assert within == room
    else:
        # distances within and between are sorted by themselves
        labels_of_one = labels[:, 0].copy()
        for tile in tiles:
            within, between = ranks.collect_sides(
                *tile, low, high, labels_of_one, values, within, between
            )
        assert within == between
    if distances.squared:
        np.sqrt(values, out=values)
    if labels.shape[1] > 1:
        return list(ranks.rank_sums(*sort_pairs(values, pairs), labels))
    values[:within].sort()
    values[within:].sort()
    sums = ranks.merged_rank_sum(values[:within], values[within:])
    return [np.array([number]) for number in (within, *sums)]


def sort_pairs(values: Floats, pairs: Ints) -> tuple[Floats, Ints]:
    """Values and pairs in the order of the values, in O(N) for a density without jumps."""
    from sortal._kernels.ranks import FEW, into_bins

    low, high = float(values.min()), float(values.max())
    number = max(len(values) // 4, 1)
    if not math.isfinite(number / (high - low or math.nan)):
        order = np.argsort(values)
        return values[order], pairs[order]
    ends, sorted_values, sorted_pairs = (
        np.zeros(number, np.int64),
        np.empty_like(values),
        pairs.copy(),
    )
    into_bins(values, pairs, low, number / (high - low), ends, sorted_values, sorted_pairs)
    for b in np.flatnonzero(np.diff(ends, prepend=0) > FEW).tolist():
        bin_ = slice(int(ends[b - 1]) if b else 0, int(ends[b]))
        order = np.argsort(sorted_values[bin_])
        sorted_values[bin_], sorted_pairs[bin_] = (
            sorted_values[bin_][order],
            sorted_pairs[bin_][order],
        )
    return sorted_values, sorted_pairs


def _ranges(
    pairs: OverPairs, bins: _Bins, low: float, high: float, below: int, until: int, capacity: int
) -> Iterator[tuple[float, float, int, int]]:
    """Ranges [low, high) of at most ``capacity`` distances each, with the number below each.

    ``below`` and ``until`` are the numbers of distances below ``low`` and ``high``. A range with
    more than ``capacity`` distances contains one value only.
    """
    counts, _, _ = _histogram(pairs, bins)
    before = np.concatenate([[0], np.cumsum(counts)]).tolist()
    v, c = low, below
    while c < until:
        b = bisect_right(before, c + capacity) - 1
        if b >= bins.number or before[b] >= until:
            yield v, high, c, until - c
            return
        if before[b] > c:
            edge = bins.edge(b)
            yield v, edge, c, before[b] - c
            v, c = edge, before[b]
            continue
        last = before[b + 1] >= until
        edge, top = (high, until) if last else (bins.edge(b + 1), before[b + 1])
        value, count = _least(pairs, v, edge)
        if count > capacity or bins.is_point(b):
            yield value, math.nextafter(value, math.inf), c, count
            v, c = math.nextafter(value, math.inf), c + count
        else:
            yield from _ranges(pairs, bins.inside(b), v, edge, c, top, capacity)
            v, c = edge, top


def _least(pairs: OverPairs, low: float, high: float) -> tuple[float, int]:
    """The smallest distance in [low, high), and the number of its pairs."""
    least_of_shares = list(pairs.map(_least_of_share, _strips(pairs.n), low, high))
    value = min(least_of_shares)[0]
    return value, sum(count for v, count in least_of_shares if v == value)


def _least_of_share(
    distances: Distances, low: float, high: float, share: range
) -> tuple[float, int]:
    """Smallest distance of one share in [low, high), and the number of its pairs."""
    from sortal._kernels.ranks import least

    value, count = math.inf, 0
    for tile in _tiles(distances, share):
        v, c = least(*tile, low, high)
        count = c if v < value else count + c * (v == value)
        value = min(value, v)
    return value, count


def _rank_sums_of_ties(
    distances: Distances, labels: NDArray[np.int32], value: float, count: int
) -> list[Ints]:
    """Results of the kernel ``rank_sums`` for very many pairs of one distance."""
    from sortal._kernels.ranks import count_within

    within = np.zeros(labels.shape[1], dtype=np.int64)
    for tile in _tiles(distances, range(0, distances.n, TILE_WIDTH)):
        count_within(*tile, value, labels, within)
    return [within, within * (count + 1), within * (count - within)]
