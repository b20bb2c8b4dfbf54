"""Lloyd's k-means from several starts, for thousands of calls on small resamples."""

from __future__ import annotations

import numpy as np
from numba import njit

#: limit of cost: number of objects whose distances stay in the CPU's first cache
CACHED_OBJECTS = 256


@njit(cache=True, nogil=True)
def _squares(XT, x, out):
    """Squared distances of every object to one point, features in their order."""
    d, n = XT.shape
    for first in range(0, n, CACHED_OBJECTS):
        last = min(first + CACHED_OBJECTS, n)
        part = out[first:last]
        part[:] = 0.0
        for f in range(d):
            row, value = XT[f, first:last], x[f]
            for i in range(len(part)):
                t = row[i] - value
                part[i] += t * t


@njit(cache=True, nogil=True)
def _nearest(XT, centers, assigned, nearest, scratch):
    """Find the nearest center of every object, ties to the first, and its squared distance."""
    d, n = XT.shape
    for first in range(0, n, CACHED_OBJECTS):
        last = min(first + CACHED_OBJECTS, n)
        m = last - first
        best, part_assigned, distance = nearest[first:last], assigned[first:last], scratch[:m]
        best[:] = np.inf
        for c in range(len(centers)):
            distance[:] = 0.0
            for f in range(d):
                row, value = XT[f, first:last], centers[c, f]
                for i in range(m):
                    t = row[i] - value
                    distance[i] += t * t
            for i in range(m):
                closer = distance[i] < best[i]
                part_assigned[i] = c if closer else part_assigned[i]
                best[i] = distance[i] if closer else best[i]


@njit(cache=True, nogil=True)
def _move(XT, assigned, labels, nearest, sums, sizes):
    """Update labels, sums and sizes; returns the number of moved objects."""
    d, n = XT.shape
    moved = 0
    for i in range(n):
        old, new = labels[i], assigned[i]
        if old != new:
            moved += 1
            labels[i] = new
            sizes[new] += 1
            for f in range(d):
                sums[new, f] += XT[f, i]
            if old >= 0:
                sizes[old] -= 1
                for f in range(d):
                    sums[old, f] -= XT[f, i]
    for c in range(len(sizes)):
        if sizes[c] == 0:  # an empty cluster takes the object farthest from its center
            far = -1
            for i in range(n):
                if sizes[labels[i]] > 1 and (far < 0 or nearest[i] > nearest[far]):
                    far = i
            sizes[labels[far]] -= 1
            for f in range(d):
                sums[labels[far], f] -= XT[f, far]
                sums[c, f] = XT[f, far]
            labels[far], sizes[c], nearest[far] = c, 1, 0.0
    return moved


@njit(cache=True, nogil=True)
def _take(XT, i, x):
    """Copy object i to x, element by element, because array assignments compile slowly."""
    for f in range(len(x)):
        x[f] = XT[f, i]


@njit(cache=True, nogil=True)
def _first_from(ascending, value):
    """First position with at least this value, or the last position."""
    low, high = 0, len(ascending) - 1
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def _spread_out(XT, uniforms, trials, centers):
    """Initial centers by greedy k-means++, the best of a few draws for each center."""
    n = XT.shape[1]
    closest, least, trial, summed = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    point = np.empty(XT.shape[0])
    _take(XT, min(int(uniforms[0] * n), n - 1), centers[0])
    _squares(XT, centers[0], closest)
    for c in range(1, len(centers)):
        total = 0.0
        for i in range(n):
            total += closest[i]
            summed[i] = total
        lowest, taken = np.inf, np.int64(0)
        for t in range(trials):
            at = uniforms[1 + (c - 1) * trials + t] * summed[n - 1]
            candidate = _first_from(summed, at)
            _take(XT, candidate, point)
            _squares(XT, point, trial)
            total = 0.0
            for i in range(n):
                trial[i] = min(trial[i], closest[i])
                total += trial[i]
            if total < lowest:
                lowest, taken = total, candidate
                for i in range(n):
                    least[i] = trial[i]
        _take(XT, taken, centers[c])
        for i in range(n):
            closest[i] = least[i]


@njit(cache=True, nogil=True)
def kmeans(XT, uniforms, rows, trials, max_iter, tolerance, out):
    """Write the labels of the best start to ``out``; returns its sum of squares.

    ``XT`` is (d, n). A start uses the objects ``rows[s]`` as centers or, where these are -1,
    k-means++ from ``uniforms[s]``. A start ends when the summed squared move of the centers is at
    most ``tolerance``.
    """
    d, n = XT.shape
    k = rows.shape[1]
    lowest = np.inf
    centers, sums = np.empty((k, d)), np.empty((k, d))
    labels, assigned = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    nearest, scratch, sizes = np.empty(n), np.empty(CACHED_OBJECTS), np.empty(k, dtype=np.int64)
    for s in range(len(rows)):
        if rows[s, 0] >= 0:
            for c in range(k):
                _take(XT, rows[s, c], centers[c])
        else:
            _spread_out(XT, uniforms[s], trials, centers)
        labels[:] = -1
        sums[:], sizes[:] = 0.0, 0
        for _ in range(max_iter):
            _nearest(XT, centers, assigned, nearest, scratch)
            if _move(XT, assigned, labels, nearest, sums, sizes) == 0:
                break
            moved = 0.0
            for c in range(k):
                for f in range(d):
                    mean = sums[c, f] / sizes[c]
                    moved += (mean - centers[c, f]) ** 2
                    centers[c, f] = mean
            if moved <= tolerance:
                _nearest(XT, centers, assigned, nearest, scratch)
                _move(XT, assigned, labels, nearest, sums, sizes)
                break
        total = 0.0
        for i in range(n):
            total += nearest[i]
        if total < lowest:
            lowest = total
            for i in range(n):
                out[i] = labels[i]
    return lowest
