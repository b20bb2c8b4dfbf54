"""Order statistics of all pair distances without holding them.

Every pair i > j is met once: a tile holds the distances of columns j0..j0+B to rows r0.., and only
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
    """Count and sum the distances per bin ``int((d - low) * scale)``, which is monotone in d.

    Bin 0 also takes all below, the last bin all above.
    """
    last = len(counts) - 1
    for r in range(R):
        row = tile[r]
        for j in range(max(0, min(tile.shape[1], r0 + r - j0))):
            value = row[j]
            at = (value - low) * scale
            b = 0 if at < 1.0 else (last if at >= last else int(at))
            counts[b] += 1
            sums[b] += value


@njit(cache=True, nogil=True, error_model="numpy")
def collect(tile, r0, R, j0, low, scale, slot, out, filled):
    """Append the distances whose bin b has ``slot[b]`` ≥ 0 to row ``slot[b]`` of ``out``."""
    last = len(slot) - 1
    for r in range(R):
        row = tile[r]
        for j in range(max(0, min(tile.shape[1], r0 + r - j0))):
            at = (row[j] - low) * scale
            b = 0 if at < 1.0 else (last if at >= last else int(at))
            s = slot[b]
            if s >= 0:
                out[s, filled[s]] = row[j]
                filled[s] += 1


@njit(cache=True, nogil=True, error_model="numpy")
def collect_pairs(tile, r0, R, j0, low, high, values, rows, columns, filled):
    """Append the distances in [low, high), and their objects, from position ``filled``."""
    for r in range(R):
        row = tile[r]
        for j in range(max(0, min(tile.shape[1], r0 + r - j0))):
            if row[j] >= low and row[j] < high:
                values[filled] = row[j]
                rows[filled] = r0 + r
                columns[filled] = j0 + j
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
    met = np.int64(0)
    for s in range(len(lows)):
        low, high = lows[s], highs[s]
        for j in range(len(row)):
            met += np.int64((row[j] >= low) & (row[j] <= high))
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
    kind, squared, Z, strip, tile, j0, low, high, values, rows, columns, filled
):  # fmt: skip
    """:func:`collect_pairs` of one strip, with tiles from differences of coordinates."""
    n, R = len(Z), len(tile)
    for r0 in range(j0, n, R):
        r1 = min(r0 + R, n)
        direct_tile(kind, Z, r0, r1, strip, tile)
        if squared:
            roots(tile, r1 - r0)
        filled = collect_pairs(tile, r0, r1 - r0, j0, low, high, values, rows, columns, filled)
    return filled


@njit(cache=True, nogil=True, error_model="numpy")
def rank_sums(order, values, rows, columns, labels):
    """Rank sums of the pairs within clusters, and ties, for each clustering.

    ``order`` sorts ``values``. Returns, for each clustering, the number of pairs within, the sum
    of their twofold mid-ranks (first rank 1) among all, and Σ over groups of equal distances of
    (pairs within) · (pairs between).
    """
    N, M = len(order), labels.shape[1]
    counts = np.zeros(M, dtype=np.int64)
    ranks = np.zeros(M, dtype=np.int64)
    ties = np.zeros(M, dtype=np.int64)
    group = np.zeros(M, dtype=np.int64)
    a = 0
    while a < N:
        e = order[a]
        value = values[e]
        b = a + 1
        while b < N and values[order[b]] == value:
            b += 1
        twice = a + b + 1
        if b == a + 1:
            x, y = labels[rows[e]], labels[columns[e]]
            for m in range(M):
                same = np.int64(x[m] == y[m])
                counts[m] += same
                ranks[m] += same * twice
        else:
            group[:] = 0
            for t in range(a, b):
                e = order[t]
                x, y = labels[rows[e]], labels[columns[e]]
                for m in range(M):
                    group[m] += np.int64(x[m] == y[m])
            for m in range(M):
                counts[m] += group[m]
                ranks[m] += group[m] * twice
                ties[m] += group[m] * (b - a - group[m])
        a = b
    return counts, ranks, ties
