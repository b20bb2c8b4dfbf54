"""Cuts of a dendrogram."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def cut(merges, rows, n, out):
    """Clusters after some merges, numbered by first appearance.

    Merge m joins the nodes ``merges[m]`` into node n + ``rows[m]``; children come before parents.
    """
    parent = np.arange(2 * n - 1)
    for m in range(len(merges)):
        node = n + rows[m]
        parent[merges[m, 0]] = node
        parent[merges[m, 1]] = node
    # children have lower numbers than their parents, so one downward sweep finds every root
    for node in range(2 * n - 2, -1, -1):
        parent[node] = parent[parent[node]]
    number = np.full(2 * n - 1, -1, dtype=np.int32)
    count = 0
    for i in range(n):
        root = parent[i]
        if number[root] < 0:
            number[root] = count
            count += 1
        out[i] = number[root]
