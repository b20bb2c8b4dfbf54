"""A step of Prim's algorithm for the minimum spanning tree of mutual reachability."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def grow(row, at, core, reached, edge):
    """Shorten the paths to all objects outside the tree by paths from ``at``.

    ``row`` are distances from ``at``; the length of an edge is the larger of the distance and its
    ends' core distances. ``reached`` is the length of the shortest edge to each object, below 0 in
    the tree. ``edge`` is its number u · n + v for u < v. Among equal lengths the lower number
    counts: the tree is unique. Returns the next object.
    """
    n = len(row)
    best, where = np.inf, -1
    for i in range(n):
        if reached[i] < 0.0:
            continue
        length = max(max(row[i], core[at]), core[i])
        if length <= reached[i]:
            name = min(i, at) * n + max(i, at)
            if length < reached[i] or name < edge[i]:
                reached[i] = length
                edge[i] = name
        if reached[i] < best or where < 0 or (reached[i] == best and edge[i] < edge[where]):
            best, where = reached[i], i
    return where
