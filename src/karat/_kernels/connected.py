"""How a spanning tree joins objects, and at which heights each object meets each cluster."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat._kernels.spanning import _root


@njit(cache=True, nogil=True)
def merges(u, v):
    """The two parts (n-1, 2) that each edge of a tree joins, the edges coming shortest first.

    Parts are objects 0..n-1, or n + s for what edge s made.
    """
    m = len(u)
    n = m + 1
    parent = np.arange(n + m)
    parts = np.empty((m, 2), dtype=np.int64)
    for s in range(m):
        a, b = _root(parent, u[s]), _root(parent, v[s])
        parts[s, 0], parts[s, 1] = a, b
        parent[a] = parent[b] = n + s
    return parts


@njit(cache=True, nogil=True)
def meetings(parts, heights, codes, first, last):
    """For each object and each cluster first..last: the sum and the least of their heights.

    The height of two objects is that of the edge that joins their parts; an object has none with
    itself. O(n (last - first)) time and memory, down the tree.
    """
    n, width = len(codes), last - first
    count = np.zeros((2 * n - 1, width))
    for i in range(n):
        if first <= codes[i] < last:
            count[i, codes[i] - first] = 1.0
    for s in range(n - 1):
        for c in range(width):
            count[n + s, c] = count[parts[s, 0], c] + count[parts[s, 1], c]
    total = np.zeros((2 * n - 1, width))
    least = np.full((2 * n - 1, width), np.inf)
    for s in range(n - 2, -1, -1):
        for side in range(2):
            part, other = parts[s, side], parts[s, 1 - side]
            for c in range(width):
                total[part, c] = total[n + s, c] + heights[s] * count[other, c]
                least[part, c] = heights[s] if count[other, c] > 0.0 else least[n + s, c]
    return total[:n], least[:n]
