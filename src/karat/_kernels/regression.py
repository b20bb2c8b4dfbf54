"""Extremely randomised regression trees on columns of small whole numbers."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def _next(state):
    """The next of a sequence of random whole numbers (splitmix64, Steele et al. 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True)
def _split(B, y, w, rows, start, end, least, tried, columns, state):
    """The best of one random threshold in each of ``tried`` columns: column, threshold, gain."""
    total, weight = 0.0, 0.0
    for r in rows[start:end]:
        total += w[r] * y[r]
        weight += w[r]
    best_column, best_threshold, best_gain = -1, 0, 1e-12 * weight
    n_columns, seen, at = len(columns), 0, 0
    while at < n_columns and seen < tried:
        pick = at + int(_next(state) % np.uint64(n_columns - at))
        column = columns[pick]
        columns[pick] = columns[at]
        columns[at] = column
        at += 1
        values = B[column]
        low, high = 255, 0
        for r in rows[start:end]:
            value = values[r]
            if value < low:
                low = value
            if value > high:
                high = value
        if low == high:
            continue
        seen += 1
        threshold = low + int(_next(state) % np.uint64(high - low))
        count, left, part = 0, 0.0, 0.0
        for r in rows[start:end]:
            if values[r] <= threshold:
                count += 1
                part += w[r]
                left += w[r] * y[r]
        if count < least or end - start - count < least:
            continue
        right = total - left
        gain = left * left / part + right * right / (weight - part) - total * total / weight
        if gain > best_gain:
            best_column, best_threshold, best_gain = column, threshold, gain
    return best_column, best_threshold, best_gain


@njit(cache=True, nogil=True)
def grow(B, y, w, leaves, least, tried, seed):
    """Grow one tree, the node that gains most first.

    ``B`` (columns, n) are bins, ``y`` the target, ``w`` positive weights. Returns for each node
    its column (-1 at a leaf), the greatest bin that goes left, its left child (the right one is
    next to it) and the mean of the target.
    """
    n = B.shape[1]
    size = 2 * leaves - 1
    column = np.full(size, -1, dtype=np.int16)
    threshold = np.zeros(size, dtype=np.int16)
    child = np.zeros(size, dtype=np.int32)
    value = np.zeros(size)
    gain = np.full(size, -1.0)
    starts = np.zeros(size, dtype=np.int64)
    ends = np.zeros(size, dtype=np.int64)
    ends[0] = n
    rows = np.arange(n, dtype=np.int32)
    apart = np.empty(n, dtype=np.int32)
    columns = np.arange(len(B))
    state = np.array([seed], dtype=np.uint64)
    nodes, first = 1, 0
    while True:
        for node in range(first, nodes):
            start, end = starts[node], ends[node]
            total, weight = 0.0, 0.0
            for r in rows[start:end]:
                total += w[r] * y[r]
                weight += w[r]
            value[node] = total / weight
            if end - start >= 2 * least:
                c, t, g = _split(B, y, w, rows, start, end, least, tried, columns, state)
                if c >= 0:
                    column[node], threshold[node], gain[node] = c, t, g
        first = nodes
        if nodes + 2 > size:
            break
        node = int(np.argmax(gain[:nodes]))
        if gain[node] < 0.0:
            break
        gain[node] = -1.0
        start, end = starts[node], ends[node]
        left, right = start, 0
        for at in range(start, end):
            r = rows[at]
            if B[column[node], r] <= threshold[node]:
                rows[left] = r
                left += 1
            else:
                apart[right] = r
                right += 1
        rows[left:end] = apart[:right]
        child[node] = nodes
        starts[nodes], ends[nodes] = start, left
        starts[nodes + 1], ends[nodes + 1] = left, end
        nodes += 2
    for node in range(nodes):
        if child[node] == 0:
            column[node] = -1
    return column[:nodes], threshold[:nodes], child[:nodes], value[:nodes]
