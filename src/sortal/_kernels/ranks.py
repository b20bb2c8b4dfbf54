"""Order statistics of all pair distances without storing them.

Every pair i > j is visited once: a tile has the distances of the columns from j0 to the rows from
r0; only entries below the diagonal count.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def largest(tile, r0, j0):
    """The largest distance below the diagonal."""
    top = 0.0
    for r in range(len(tile)):
        for j in range(min(tile.shape[1], r0 + r - j0)):
            top = max(top, tile[r, j])
    return top


@njit(cache=True, nogil=True, error_model="numpy")
def take_roots(tile):
    """Replace squared distances by their roots, twice as fast as NumPy."""
    for r in range(len(tile)):
        row = tile[r]
        for j in range(len(row)):
            row[j] = np.sqrt(row[j])


@njit(cache=True, nogil=True, error_model="numpy")
def find_bins(row, stop, low, scale, last, where):
    """Write the bin ``int((d − low) · scale)`` of the first ``stop`` distances to ``where``.

    It is monotone in d. Bin 0 also takes all below, bin ``last`` all above. A loop of its own takes
    several distances at once.
    """
    for j in range(stop):
        where[j] = np.int32(min(max((row[j] - low) * scale, 0.0), last))


@njit(cache=True, nogil=True, error_model="numpy")
def histogram(tile, r0, j0, low, scale, bins):
    """Count and sum the distances per bin; see :func:`find_bins`.

    ``bins`` has a row for each, number and sum side by side, which are added to at once.
    """
    where = np.empty(tile.shape[1], dtype=np.int32)
    for r in range(len(tile)):
        row = tile[r]
        stop = max(0, min(tile.shape[1], r0 + r - j0))
        find_bins(row, stop, low, scale, float(len(bins) - 1), where)
        for j in range(stop):
            bins[where[j], 0] += 1.0
            bins[where[j], 1] += row[j]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "nsz"})
def add_within(tile, r0, j0, codes, within):
    """Add, for each clustering (a row of ``codes``), the distances of the pairs within clusters."""
    for m in range(len(codes)):
        of_columns, of_tile = codes[m, j0:], 0.0
        for r in range(len(tile)):
            row, own, total = tile[r], codes[m, r0 + r], 0.0
            for j in range(max(0, min(tile.shape[1], r0 + r - j0))):
                total += row[j] if of_columns[j] == own else 0.0
            of_tile += total
        within[m] += of_tile


@njit(cache=True, nogil=True, error_model="numpy")
def collect(tile, r0, j0, low, scale, chosen, out):
    """Write the distances of the ``chosen`` bins to ``out``, longer than the tile; their number.

    Without a branch, since the bins change from distance to distance.
    """
    where = np.empty(tile.shape[1], dtype=np.int32)
    filled = 0
    for r in range(len(tile)):
        row = tile[r]
        stop = max(0, min(tile.shape[1], r0 + r - j0))
        find_bins(row, stop, low, scale, float(len(chosen) - 1), where)
        for j in range(stop):
            out[filled] = row[j]
            filled += int(chosen[where[j]])
    return filled


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "nsz"})
def _add_below(row, stop, limit, below):
    """Add the number and the sum of the distances below a limit."""
    number, total = 0, 0.0
    for j in range(stop):
        number += int(row[j] < limit)
        total += row[j] if row[j] < limit else 0.0
    below[0] += number
    below[1] += total


@njit(cache=True, nogil=True, error_model="numpy")
def _mark(row, stop, low, high, marks):
    """Mark the distances in [low, high)."""
    for j in range(stop):
        marks[j] |= (row[j] >= low) & (row[j] < high)


@njit(cache=True, nogil=True, error_model="numpy")
def collect_brackets(tile, r0, j0, brackets, below, out):
    """Write the distances in any bracket [low, high) to ``out``, longer than the tile.

    Returns their number. ``below`` has a row for each bracket, the number and the sum of the
    distances below it, and a last row for all distances. They are added to. Eight marks are looked
    at at once.
    """
    filled, last = 0, len(brackets)
    of_tile = np.zeros_like(below)  # sums of sums, so that no digits are lost
    marks = np.empty((tile.shape[1] + 7) // 8 * 8, dtype=np.bool_)
    eights = marks.view(np.int64)
    for r in range(len(tile)):
        row = tile[r]
        stop = max(0, min(tile.shape[1], r0 + r - j0))
        marks[:] = False
        for b in range(last):
            _add_below(row, stop, brackets[b, 0], of_tile[b])
            _mark(row, stop, brackets[b, 0], brackets[b, 1], marks)
        _add_below(row, stop, np.inf, of_tile[last])
        for e in range(len(eights)):
            if eights[e] != 0:
                for j in range(8 * e, min(8 * e + 8, stop)):
                    out[filled] = row[j]
                    filled += int(marks[j])
    below += of_tile
    return filled


@njit(cache=True, nogil=True, error_model="numpy")
def collect_pairs(tile, r0, j0, low, high, values, pairs, filled):
    """Append the distances in [low, high), and row · 2³² + column, from position ``filled``."""
    candidates = np.empty(tile.shape[1], dtype=np.int64)
    for r in range(len(tile)):
        row = tile[r]
        count = 0
        for j in range(max(0, min(tile.shape[1], r0 + r - j0))):
            candidates[count] = j
            count += int((row[j] >= low) & (row[j] < high))
        for t in range(count):
            j = candidates[t]
            values[filled] = row[j]
            pairs[filled] = (np.int64(r0 + r) << 32) + (j0 + j)
            filled += 1
    return filled


@njit(cache=True, nogil=True, error_model="numpy")
def collect_sides(tile, r0, j0, low, high, labels, values, within, between):
    """Collect distances in [low, high): those within clusters from the front, others from the end.

    ``within`` is their number so far, and ``between`` where the others begin.
    """
    candidates = np.empty(tile.shape[1], dtype=np.int64)
    for r in range(len(tile)):
        row = tile[r]
        count = 0
        for j in range(max(0, min(tile.shape[1], r0 + r - j0))):
            candidates[count] = j
            count += int((row[j] >= low) & (row[j] < high))
        for t in range(count):
            j = candidates[t]
            if labels[j0 + j] == labels[r0 + r]:
                values[within] = row[j]
                within += 1
            else:
                between -= 1
                values[between] = row[j]
    return within, between


@njit(cache=True, nogil=True, error_model="numpy")
def merged_rank_sum(within, between):
    """Twofold rank sum of the sorted distances within, and ties, as :func:`rank_sums`."""
    ranks, ties = 0, 0
    i, j = 0, 0
    while i < len(within):
        value, a, b = within[i], i, j
        while i < len(within) and within[i] == value:
            i += 1
        while b < len(between) and between[b] < value:
            b += 1
        j = b
        while j < len(between) and between[j] == value:
            j += 1
        ranks += (i - a) * (a + b + i + j + 1)
        ties += (i - a) * (j - b)
    return ranks, ties


@njit(cache=True, nogil=True, error_model="numpy")
def least(tile, r0, j0, low, high):
    """The smallest distance in [low, high), and its frequency."""
    value, count = np.inf, 0
    for r in range(len(tile)):
        row = tile[r]
        for j in range(max(0, min(tile.shape[1], r0 + r - j0))):
            if row[j] >= low and row[j] < high and row[j] <= value:
                count = 1 if row[j] < value else count + 1
                value = row[j]
    return value, count


@njit(cache=True, nogil=True, error_model="numpy")
def count_within(tile, r0, j0, value, labels, within):
    """Add, for each clustering, the number of pairs within clusters at one distance."""
    for r in range(len(tile)):
        row = tile[r]
        for j in range(max(0, min(tile.shape[1], r0 + r - j0))):
            if row[j] == value:
                x, y = labels[r0 + r], labels[j0 + j]
                for m in range(len(x)):
                    within[m] += np.int64(x[m] == y[m])


#: limit of cost: values of a bin that are sorted by insertion
FEW = 24


@njit(cache=True, nogil=True, error_model="numpy")
def into_bins(values, pairs, low, scale, ends, sorted_values, sorted_pairs):
    """Sort ``values`` by equal bins, and ``pairs`` with them, into the last two arrays.

    A bin's values come in order where they are at most :data:`FEW`; ``ends``, of zeros, takes the
    ends of the bins.
    """
    last = len(ends) - 1
    for i in range(len(values)):
        ends[min(int((values[i] - low) * scale), last)] += 1
    start = 0
    for b in range(len(ends)):
        ends[b], start = start, start + ends[b]
    for i in range(len(values)):
        b = min(int((values[i] - low) * scale), last)
        sorted_values[ends[b]], sorted_pairs[ends[b]] = values[i], pairs[i]
        ends[b] += 1
    start = 0
    for b in range(len(ends)):
        for i in range(start + 1, ends[b] if ends[b] - start <= FEW else start):
            value, pair, at = sorted_values[i], sorted_pairs[i], i
            while at > start and sorted_values[at - 1] > value:
                sorted_values[at], sorted_pairs[at] = sorted_values[at - 1], sorted_pairs[at - 1]
                at -= 1
            sorted_values[at], sorted_pairs[at] = value, pair
        start = ends[b]


@njit(cache=True, nogil=True, error_model="numpy")
def rank_sums(values, pairs, labels):
    """Rank sums of the pairs within clusters, and ties, for each clustering.

    ``values`` are sorted. For each clustering: the number of pairs within, the sum of their twofold
    mid-ranks (first rank 1), and Σ (pairs within) · (pairs between) over groups of equal distances.
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
