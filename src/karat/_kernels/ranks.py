"""Order statistics of all pair distances without holding them.

Every pair i > j is visited once: a tile has the distances of columns j0..j0+B to rows r0.., only
entries below the diagonal count.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from karat._kernels.distances import direct_tile, roots


@njit(cache=True, nogil=True, error_model="numpy")
def largest(tile, r0, R, j0):
    """The largest distance below the diagonal."""
    top = 0.0
    for r in range(R):
        for j in range(min(tile.shape[1], r0 + r - j0)):
            top = max(top, tile[r, j])
    return top


@njit(cache=True, nogil=True, error_model="numpy")
def histogram(tile, r0, R, j0, low, scale, counts, sums):
    """Count and sum the distances per bin ``int((d − low) · scale)``, which is monotone in d.

    Bin 0 also takes all below, the last bin all above.
    """
    last = len(counts) - 1
    for r in range(R):
        row = tile[r]
        for j in range(max(0, min(tile.shape[1], r0 + r - j0))):
            value = row[j]
            b = int(min(max((value - low) * scale, 0.0), last))
            counts[b] += 1
            sums[b] += value


@njit(cache=True, nogil=True, error_model="numpy")
def collect(tile, r0, R, j0, low, scale, slot, out, filled):
    """Append the distances whose bin b has ``slot[b]`` > 0 to row ``slot[b] - 1`` of ``out``."""
    last = len(slot) - 1
    for r in range(R):
        row = tile[r]
        stop = max(0, min(tile.shape[1], r0 + r - j0))
        # without a branch, and most rows of a tile have nothing
        met = 0
        for j in range(stop):
            met += slot[int(min(max((row[j] - low) * scale, 0.0), last))]
        if met == 0:
            continue
        for j in range(stop):
            s = slot[int(min(max((row[j] - low) * scale, 0.0), last))] - 1
            if s >= 0:
                out[s, filled[s]] = row[j]
                filled[s] += 1


@njit(cache=True, nogil=True, error_model="numpy")
def collect_pairs(tile, r0, R, j0, squared, low, high, values, pairs, filled):
    """Append the distances in [low, high), and row · 2³² + column, from position ``filled``.

    The tile holds squared distances if ``squared``.
    """
    least, most = low, high
    if squared:
        # a root and a square later a number is within three parts in 2^53 of itself
        least, most = low * abs(low) * (1 - 1e-15), high * high * (1 + 1e-15)
    candidates = np.empty(tile.shape[1], dtype=np.int64)
    for r in range(R):
        row = tile[r]
        found = 0
        for j in range(max(0, min(tile.shape[1], r0 + r - j0))):
            candidates[found] = j
            found += int((row[j] >= least) & (row[j] <= most))
        for t in range(found):
            j = candidates[t]
            value = np.sqrt(row[j]) if squared else row[j]
            if value >= low and value < high:
                values[filled] = value
                pairs[filled] = (np.int64(r0 + r) << 32) + (j0 + j)
                filled += 1
    return filled


@njit(cache=True, nogil=True, error_model="numpy")
def least(tile, r0, R, j0, low, high):
    """The smallest distance in [low, high), and how often it is there."""
    value, count = np.inf, 0
    for r in range(R):
        row = tile[r]
        for j in range(max(0, min(tile.shape[1], r0 + r - j0))):
            if row[j] >= low and row[j] < high and row[j] <= value:
                count = 1 if row[j] < value else count + 1
                value = row[j]
    return value, count


@njit(cache=True, nogil=True, error_model="numpy")
def count_within(tile, r0, R, j0, value, labels, within):
    """Add, for each clustering, the number of pairs within clusters at one distance."""
    for r in range(R):
        row = tile[r]
        for j in range(max(0, min(tile.shape[1], r0 + r - j0))):
            if row[j] == value:
                x, y = labels[r0 + r], labels[j0 + j]
                for m in range(len(x)):
                    within[m] += np.int64(x[m] == y[m])


@njit(cache=True, nogil=True, error_model="numpy")
def histogram_direct(kind, squared, Z, strip, tile, j0, low, scale, counts, sums):
    """:func:`histogram` of one strip, with tiles from differences of coordinates."""
    n, R = len(Z), len(tile)
    for r0 in range(j0, n, R):
        r1 = min(r0 + R, n)
        direct_tile(kind, Z, r0, r1, strip, tile)
        if squared:
            roots(tile, r1 - r0)
        histogram(tile, r0, r1 - r0, j0, low, scale, counts, sums)


@njit(cache=True, nogil=True, error_model="numpy")
def _meets(row, lows, highs):
    """Whether any value is in one of the intervals."""
    met = 0
    for s in range(len(lows)):
        low, high = lows[s], highs[s]
        for j in range(len(row)):
            met += int((row[j] >= low) & (row[j] <= high))
    return met > 0


@njit(cache=True, nogil=True, error_model="numpy")
def collect_direct(
    kind, squared, Z, strip, tile, j0, low, scale, slot, lows, highs, out, filled
):  # fmt: skip
    """:func:`collect` of one strip, with tiles from differences of coordinates.

    Where ``lows`` and ``highs`` are given, only rows of a tile are looked at that have a value,
    squared if ``squared``, in one of these intervals.
    """
    n, R = len(Z), len(tile)
    for r0 in range(j0, n, R):
        r1 = min(r0 + R, n)
        direct_tile(kind, Z, r0, r1, strip, tile)
        for r in range(r1 - r0):
            if len(lows) == 0 or _meets(tile[r], lows, highs):
                if squared:
                    roots(tile[r : r + 1], 1)
                collect(tile[r : r + 1], r0 + r, 1, j0, low, scale, slot, out, filled)


@njit(cache=True, nogil=True, error_model="numpy")
def collect_pairs_direct(
    kind, squared, Z, strip, tile, j0, low, high, values, pairs, filled
):  # fmt: skip
    """:func:`collect_pairs` of one strip, with tiles from differences of coordinates."""
    n, R = len(Z), len(tile)
    for r0 in range(j0, n, R):
        r1 = min(r0 + R, n)
        direct_tile(kind, Z, r0, r1, strip, tile)
        filled = collect_pairs(tile, r0, r1 - r0, j0, squared, low, high, values, pairs, filled)
    return filled


@njit(cache=True, nogil=True, error_model="numpy")
def _insert(values, pairs, a, b):
    for i in range(a + 1, b):
        value, pair = values[i], pairs[i]
        at = i
        while at > a and values[at - 1] > value:
            values[at], pairs[at] = values[at - 1], pairs[at - 1]
            at -= 1
        values[at], pairs[at] = value, pair


@njit(cache=True, nogil=True, error_model="numpy")
def _into_buckets(values, pairs, a, b, low, high, number, ends):
    """Move values[a:b] into equal bins of [low, high] in place; ``ends`` takes their ends."""
    scale = number / (high - low)
    heads = np.zeros(number, dtype=np.int64)
    for i in range(a, b):
        heads[min(int((values[i] - low) * scale), number - 1)] += 1
    at = a
    for bucket in range(number):
        size = heads[bucket]
        heads[bucket] = at
        at += size
        ends[bucket] = at
    for bucket in range(number):
        while heads[bucket] < ends[bucket]:
            # carry one value to its bucket, the one that lay there to its own, and so on
            i = heads[bucket]
            value, pair = values[i], pairs[i]
            own = min(int((value - low) * scale), number - 1)
            while own != bucket:
                i = heads[own]
                heads[own] += 1
                value, values[i] = values[i], value
                pair, pairs[i] = pairs[i], pair
                own = min(int((value - low) * scale), number - 1)
            i = heads[bucket]
            heads[bucket] += 1
            values[i], pairs[i] = value, pair


@njit(cache=True, nogil=True, error_model="numpy")
def _through_buckets(values, pairs, a, b, low, high, number, ends, spare, spare_pairs):
    """As :func:`_into_buckets`, faster, by way of ``spare`` room for all of values[a:b]."""
    scale = number / (high - low)
    ends[:number] = 0
    for i in range(a, b):
        ends[min(int((values[i] - low) * scale), number - 1)] += 1
    at = 0
    for bucket in range(number):
        size = ends[bucket]
        ends[bucket] = at
        at += size
    for i in range(a, b):
        own = min(int((values[i] - low) * scale), number - 1)
        spare[ends[own]] = values[i]
        spare_pairs[ends[own]] = pairs[i]
        ends[own] += 1
    values[a:b] = spare[: b - a]
    pairs[a:b] = spare_pairs[: b - a]
    ends[:number] += a


SMALL = 2**14  # values, that stay in the second cache together with as much spare room
FEW = 24  # values, that are sorted by insertion


@njit(cache=True, nogil=True, error_model="numpy")
def sort_pairs(values, pairs):
    """Sort ``values``, and ``pairs`` with them, with next to no memory.

    By equal bins, and bins of those, down to a few values: O(N) for distances, which have no
    jumps of density. Where bins hardly divide, by comparison.
    """
    spare, spare_pairs = np.empty(SMALL), np.empty(SMALL, dtype=np.int64)
    ends = np.empty(SMALL, dtype=np.int64)
    todo = [(0, len(values), 0)]
    while len(todo) > 0:
        a, b, depth = todo.pop()
        if a == b:
            continue
        low, high = values[a], values[a]
        for i in range(a + 1, b):
            low, high = min(low, values[i]), max(high, values[i])
        if low == high:
            continue
        small = b - a <= SMALL
        number = max((b - a) // 2, 2) if small else min((b - a) // 2048, SMALL)
        if depth > 6 or not np.isfinite(number / (high - low)):
            order = np.argsort(values[a:b])
            values[a:b] = values[a:b][order]
            pairs[a:b] = pairs[a:b][order]
            continue
        if small:
            _through_buckets(
                values, pairs, a, b, low, high, number, ends, spare, spare_pairs
            )  # fmt: skip
        else:
            _into_buckets(values, pairs, a, b, low, high, number, ends)
        start = a
        for bucket in range(number):
            if ends[bucket] - start <= FEW:
                _insert(values, pairs, start, ends[bucket])
            else:
                todo.append((start, ends[bucket], depth + 1))
            start = ends[bucket]


@njit(cache=True, nogil=True, error_model="numpy")
def rank_sums(values, pairs, labels):
    """Rank sums of the pairs within clusters, and ties, for each clustering.

    ``values`` are sorted. Returns, for each clustering, the number of pairs within, the sum of
    their twofold mid-ranks (first rank 1) among all, and Σ over groups of equal distances of
    (pairs within) · (pairs between).
    """
    N, M = len(values), labels.shape[1]
    counts = np.zeros(M, dtype=np.int64)
    ranks = np.zeros(M, dtype=np.int64)
    ties = np.zeros(M, dtype=np.int64)
    group = np.zeros(M, dtype=np.int64)
    a = 0
    while a < N:
        value = values[a]
        b = a + 1
        while b < N and values[b] == value:
            b += 1
        twice = a + b + 1
        if b == a + 1:
            x, y = labels[pairs[a] >> 32], labels[pairs[a] & 0xFFFFFFFF]
            for m in range(M):
                same = np.int64(x[m] == y[m])
                counts[m] += same
                ranks[m] += same * twice
        else:
            group[:] = 0
            for t in range(a, b):
                x, y = labels[pairs[t] >> 32], labels[pairs[t] & 0xFFFFFFFF]
                for m in range(M):
                    group[m] += np.int64(x[m] == y[m])
            for m in range(M):
                counts[m] += group[m]
                ranks[m] += group[m] * twice
                ties[m] += group[m] * (b - a - group[m])
        a = b
    return counts, ranks, ties
