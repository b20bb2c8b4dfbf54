"""Minimum spanning trees of mutual reachability, by Prim's algorithm, and what DBCV reads of them.

The length of an edge is the larger of the distance and its ends' core distances, which may be 0.
Edges of equal length count in the order of their objects, so that the tree is unique.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from karat._kernels.distances import direct_tile


@njit(cache=True, nogil=True, error_model="numpy")
def grow(row, index, at, core, reached, edge):
    """Shorten the ways to all that the tree does not hold by those from ``at``.

    ``row`` are distances from ``at`` to the objects ``index``; ``reached`` is the length of the
    shortest edge to each, below 0 in the tree, and ``edge`` its number u · n + v for u < v.
    Returns where in ``index`` the next object is.
    """
    n = len(core)
    best, where = np.inf, -1
    own = core[at]
    for j in range(len(index)):
        if reached[j] < 0.0:
            continue
        i = index[j]
        length = max(max(row[j], own), core[i])
        if length <= reached[j]:
            name = min(i, at) * n + max(i, at)
            if length < reached[j] or name < edge[j]:
                reached[j] = length
                edge[j] = name
        if reached[j] < best or where < 0 or (reached[j] == best and edge[j] < edge[where]):
            best, where = reached[j], j
    return where


@njit(cache=True, nogil=True, error_model="numpy")
def spanning_tree(kind, Z, core, edges, lengths):
    """Edges u · n + v and lengths in the order in which they are found, from object 0."""
    n = len(Z)
    index = np.arange(n)
    strip = np.ascontiguousarray(Z.T)
    reached = np.full(n, np.inf)
    edge = np.zeros(n, dtype=np.int64)
    reached[0] = -1.0
    at, left = 0, n - 1
    tile = np.empty((1, n))
    for step in range(n - 1):
        if 4 * left < 3 * len(index):
            kept = np.flatnonzero(reached >= 0.0)
            index, reached, edge = index[kept], reached[kept], edge[kept]
            strip = np.ascontiguousarray(strip[:, kept])
            tile = np.empty((1, len(kept)))
        direct_tile(kind, Z, at, at + 1, strip, tile)
        where = grow(tile[0], index, at, core, reached, edge)
        edges[step], lengths[step] = edge[where], reached[where]
        reached[where] = -1.0
        at = index[where]
        left -= 1


@njit(cache=True, nogil=True, error_model="numpy")
def core_distances(kind, squared, Z, dimension, first, last, out):
    """(mean of d^-dimension over the other objects)^(-1/dimension), of objects first..last.

    Relative to the nearest object, so that no power leaves the range of floats.
    """
    n = len(Z)
    strip = np.ascontiguousarray(Z.T)
    tile, total = np.empty((1, n)), np.empty(n)
    row = tile[0]
    for i in range(first, last):
        direct_tile(kind, Z, i, i + 1, strip, tile)
        row[i] = np.inf
        nearest = np.inf
        for j in range(n):
            nearest = min(nearest, row[j])
        if nearest == 0.0:
            out[i] = 0.0
            continue
        if squared:
            for j in range(n):
                row[j] = np.sqrt(nearest / row[j])
            nearest = np.sqrt(nearest)
        else:
            for j in range(n):
                row[j] = nearest / row[j]
        # powers by squaring, all objects at once
        total[:] = 1.0
        exponent = dimension
        while exponent > 0:
            if exponent & 1:
                for j in range(n):
                    total[j] *= row[j]
            for j in range(n):
                row[j] *= row[j]
            exponent >>= 1
        out[i] = nearest * (total.sum() / (n - 1)) ** (-1.0 / dimension)


@njit(cache=True, nogil=True, error_model="numpy")
def separations(kind, Z, core, own, j0, strip, nearest):
    """Shorten each cluster's reachability distance to another by pairs of columns and later rows.

    ``own`` is the cluster of each object, ``strip`` holds the coordinates of the columns from j0.
    """
    n, B = len(Z), strip.shape[1]
    tile = np.empty((32, B))
    for r0 in range(j0, n, 32):
        r1 = min(r0 + 32, n)
        direct_tile(kind, Z, r0, r1, strip, tile)
        for i in range(r0, r1):
            row, depth, c = tile[i - r0], core[i], own[i]
            least = nearest[c]
            for j in range(B):
                length = max(max(row[j], core[j0 + j]), depth)
                if own[j0 + j] != c:
                    least = min(least, length)
                    nearest[own[j0 + j]] = min(nearest[own[j0 + j]], length)
            nearest[c] = least
