"""Minimum spanning trees, Genie's merges along one, and paths between neighbours."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def euclidean_tree(X, core):
    """Prim's tree of max(squared distance, core of both): edges (n-1, 2), weights (n-1,).

    Ties go to the lower object; O(n² d) time, O(n) memory.
    """
    n, d = X.shape
    edges = np.empty((n - 1, 2), dtype=np.int32)
    weights = np.empty(n - 1)
    reached = np.full(n, np.inf)
    source = np.zeros(n, dtype=np.int32)
    todo = np.ones(n, dtype=np.bool_)
    at = 0
    for e in range(n - 1):
        todo[at] = False
        best, nearest = np.inf, -1
        for j in range(n):
            if todo[j]:
                square = 0.0
                for f in range(d):
                    t = X[at, f] - X[j, f]
                    square += t * t
                square = max(square, core[at], core[j])
                if square < reached[j]:
                    reached[j] = square
                    source[j] = at
                if reached[j] < best or nearest < 0:
                    best, nearest = reached[j], j
        edges[e, 0], edges[e, 1] = source[nearest], nearest
        weights[e] = best
        at = nearest
    return edges, weights


@njit(cache=True, nogil=True)
def root(parent, i):
    """Root of i in a union-find forest, with path halving."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit(cache=True, nogil=True)
def _apart(how_many, sizes, n_sizes, size):
    """Sum of |a - size| over the sizes a of all clusters."""
    total = 0.0
    for s in range(n_sizes):
        total += how_many[sizes[s]] * abs(sizes[s] - size)
    return total


@njit(cache=True, nogil=True)
def genie_order(edges, threshold):
    """Order in which Genie takes the edges of a tree, which are sorted by length.

    While the Gini index of the clusters' sizes is above the threshold, the shortest edge that
    touches a cluster of the smallest size is taken instead of the shortest.
    """
    m = len(edges)
    n = m + 1
    parent, size = np.arange(n), np.ones(n, dtype=np.int64)
    how_many, sizes = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    how_many[1], sizes[0], n_sizes = n, 1, np.int64(1)  # the distinct sizes, unordered
    taken, order = np.zeros(m, dtype=np.bool_), np.empty(m, dtype=np.int64)
    differences = 0.0  # sum of |a - b| over the pairs of clusters
    first, scan, scan_size = 0, 0, 0
    for step in range(m):
        while taken[first]:
            first += 1
        e = first
        if differences / ((m - step) * float(n)) > threshold:  # their Gini index
            smallest = n
            for s in range(n_sizes):
                smallest = min(smallest, sizes[s])
            if smallest != scan_size:
                # edges passed by touched no cluster of this size; only another size looks again
                scan, scan_size = first, smallest
            e = max(scan, first)
            while (
                taken[e]
                or min(size[root(parent, edges[e, 0])], size[root(parent, edges[e, 1])]) != smallest
            ):
                e += 1
            scan = e
        taken[e] = True
        order[step] = e
        a, b = root(parent, edges[e, 0]), root(parent, edges[e, 1])
        size_a, size_b = size[a], size[b]
        union_size = size_a + size_b
        how_many[size_a] -= 1
        how_many[size_b] -= 1
        differences -= _apart(how_many, sizes, n_sizes, size_a) + abs(size_a - size_b)
        differences -= _apart(how_many, sizes, n_sizes, size_b)
        differences += _apart(how_many, sizes, n_sizes, union_size)
        how_many[union_size] += 1
        kept = 0
        for s in range(n_sizes):
            if how_many[sizes[s]] > 0 and sizes[s] != union_size:
                sizes[kept] = sizes[s]
                kept += 1
        sizes[kept] = union_size
        n_sizes = np.int64(kept + 1)
        parent[b] = a
        size[a] = union_size
    return order


@njit(cache=True, nogil=True)
def path_lengths(X, reach, start):
    """Length of the shortest path from an object to each; infinity where there is none.

    Two objects are neighbours within the squared distance that either of them reaches. Dijkstra
    (1959), O(n² d) time, O(n) memory.
    """
    n, d = X.shape
    out = np.full(n, np.inf)
    # objects without a path yet are at the front of these
    P, squared, place = X.copy(), reach.copy(), np.arange(n)
    length, x = np.full(n, np.inf), np.empty(d)
    at, least = start, 0.0
    for left in range(n - 1, -1, -1):
        if at < 0:
            break
        out[place[at]] = least
        path, own = least, squared[at]
        for f in range(d):
            x[f], P[at, f] = P[at, f], P[left, f]
        squared[at], place[at], length[at] = squared[left], place[left], length[left]
        at, least = -1, np.inf
        for j in range(left):
            square = 0.0
            for f in range(d):
                t = x[f] - P[j, f]
                square += t * t
            if square <= max(own, squared[j]):
                length[j] = min(length[j], path + np.sqrt(square))
            if length[j] < least:
                at, least = j, length[j]
    return out


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
