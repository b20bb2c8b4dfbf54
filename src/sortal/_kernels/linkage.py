"""Ward's agglomeration of weighted cells by chains of nearest neighbours."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _at(s, i, j):
    """Place of a pair in a condensed matrix of distances of ``s`` cells."""
    low, high = min(i, j), max(i, j)
    return low * (2 * s - low - 1) // 2 + high - low - 1


@njit(cache=True, nogil=True)
def merge_cells(D, sizes):
    """All s − 1 merges (first, second, height), unordered; a merged cell keeps the first name.

    ``D`` has twice the increase of the sum of squares by each merge, of the pairs (0, 1), (0, 2),
    …, (1, 2), … of cells: SciPy's condensed form. It is overwritten. Lance & Williams 1967 with
    the cells' sizes; Murtagh 1983 for the chain.
    """
    s = len(sizes)
    size = sizes.astype(np.float64)
    alive = np.ones(s, np.bool_)
    merges = np.empty((s - 1, 3))
    chain = np.empty(s, np.int64)
    length = 0
    for step in range(s - 1):
        if length == 0:
            first = 0
            while not alive[first]:
                first += 1
            chain[0] = first
            length = 1
        while True:
            a = chain[length - 1]
            best, b = np.inf, -1
            if length > 1:  # of equal ones the one before, or the chain would not end
                b = chain[length - 2]
                best = D[_at(s, a, b)]
            for c in range(s):
                if alive[c] and c != a and D[_at(s, a, c)] < best:
                    best, b = D[_at(s, a, c)], c
            if length > 1 and b == chain[length - 2]:
                break
            chain[length] = b
            length += 1
        length -= 2
        low, high = min(a, b), max(a, b)
        merges[step, 0], merges[step, 1], merges[step, 2] = low, high, best
        alive[high] = False
        p, q = size[low], size[high]
        for c in range(s):
            if alive[c] and c != low:
                r = size[c]
                near, far = _at(s, low, c), _at(s, high, c)
                D[near] = ((p + r) * D[near] + (q + r) * D[far] - r * best) / (p + q + r)
        size[low] = p + q
    return merges
