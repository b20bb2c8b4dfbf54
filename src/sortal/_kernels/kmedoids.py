"""FasterPAM: swaps of medoids, each candidate tried against all medoids at once."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _two_nearest(D, medoids, nearest, second, o):
    """Find the two nearest medoids of object o; returns their distances."""
    nearest[o] = second[o] = -1
    least = next_least = np.inf
    for i in range(len(medoids)):
        d = D[medoids[i], o]
        if d < least:
            second[o], next_least = nearest[o], least
            nearest[o], least = i, d
        elif d < next_least:
            second[o], next_least = i, d
    return least, next_least


@njit(cache=True, nogil=True)
def swap(D, medoids, max_iter):
    """Improve ``medoids`` in place until no swap lowers the sum of distances.

    Returns the nearest medoid of each object (its number), the passes over all candidates, and
    whether it settled.
    """
    n, k = len(D), len(medoids)
    nearest = np.empty(n, dtype=np.int64)
    second = np.empty(n, dtype=np.int64)
    d1, d2 = np.empty(n), np.empty(n)
    is_medoid = np.zeros(n, dtype=np.bool_)
    for i in range(k):
        is_medoid[medoids[i]] = True
    removal = np.zeros(k)
    for o in range(n):
        d1[o], d2[o] = _two_nearest(D, medoids, nearest, second, o)
        removal[nearest[o]] += d2[o] - d1[o]
    change = np.empty(k)
    n_checked = 0
    settled = n <= k
    for iteration in range(max_iter):
        if settled:
            return nearest, iteration, True
        for c in range(n):
            # all n candidates since the last swap: nothing is left to gain
            if n_checked == n:
                settled = True
                break
            n_checked += 1
            if is_medoid[c]:
                continue
            row = D[c]
            for j in range(len(change)):  # assigning an array takes seconds to compile
                change[j] = removal[j]
            gain = 0.0
            for o in range(n):
                d = row[o]
                if d < d2[o]:
                    if d < d1[o]:
                        gain += d - d1[o]
                        change[nearest[o]] += d1[o] - d2[o]
                    else:
                        change[nearest[o]] += d - d2[o]
            i = int(np.argmin(change))
            # what rounding alone may show is no gain
            if change[i] + gain >= -1e-12 * (abs(gain) + abs(removal[i])):
                continue
            is_medoid[medoids[i]] = False
            is_medoid[c] = True
            medoids[i] = c
            n_checked = 0
            removal[:] = 0.0
            for o in range(n):
                d = row[o]
                if nearest[o] == i or second[o] == i:
                    d1[o], d2[o] = _two_nearest(D, medoids, nearest, second, o)
                elif d < d1[o]:
                    second[o], d2[o] = nearest[o], d1[o]
                    nearest[o], d1[o] = i, d
                elif d < d2[o]:
                    second[o], d2[o] = i, d
                removal[nearest[o]] += d2[o] - d1[o]
    return nearest, max_iter, settled
