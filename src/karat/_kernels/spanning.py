"""Minimum spanning trees, and Genie's merges along one."""

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
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit(cache=True, nogil=True)
def genie_order(edges, threshold):
    """The order in which Genie takes the edges of a tree, which come shortest first.

    While the Gini index of the clusters' sizes is above the threshold, the shortest edge that
    touches a cluster of the smallest size is taken instead of the shortest.
    """
    m = len(edges)
    n = m + 1
    parent = np.arange(n)
    size = np.ones(n, dtype=np.int64)
    how_many = np.zeros(n + 1, dtype=np.int64)
    how_many[1] = n
    sizes = np.zeros(n + 1, dtype=np.int64)  # the different sizes there are, in no order
    sizes[0] = 1
    n_sizes = 1
    taken = np.zeros(m, dtype=np.bool_)
    order = np.empty(m, dtype=np.int64)
    differences = 0.0  # sum of |a - b| over the pairs of clusters
    first, scan, scan_size = 0, 0, 0
    for step in range(m):
        n_clusters = n - step
        gini = differences / ((n_clusters - 1) * float(n)) if n_clusters > 1 else 0.0
        while taken[first]:
            first += 1
        e = first
        if gini > threshold:
            smallest = n
            for s in range(n_sizes):
                smallest = min(smallest, sizes[s])
            if smallest != scan_size:
                # edges passed by touched no cluster of this size; only another size looks again
                scan, scan_size = first, smallest
            e = max(scan, first)
            while (
                taken[e]
                or min(size[_root(parent, edges[e, 0])], size[_root(parent, edges[e, 1])])
                != smallest
            ):
                e += 1
            scan = e
        taken[e] = True
        order[step] = e
        a, b = _root(parent, edges[e, 0]), _root(parent, edges[e, 1])
        one, other = size[a], size[b]
        both = one + other
        for s in range(n_sizes):
            c = sizes[s]
            differences -= how_many[c] * float(abs(c - one) + abs(c - other))
        differences += abs(one - other)  # that pair was subtracted twice
        how_many[one] -= 1
        how_many[other] -= 1
        for s in range(n_sizes):
            c = sizes[s]
            differences += how_many[c] * float(abs(c - both))
        if how_many[both] == 0:
            sizes[n_sizes] = both
            n_sizes += 1
        how_many[both] += 1
        kept = 0
        for s in range(n_sizes):
            if how_many[sizes[s]] > 0:
                sizes[kept] = sizes[s]
                kept += 1
        n_sizes = kept
        parent[b] = a
        size[a] = both
    return order


@njit(cache=True, nogil=True)
def forest_labels(n, edges):
    """Components of a forest, numbered by first appearance."""
    parent = np.arange(n)
    for e in range(len(edges)):
        parent[_root(parent, edges[e, 1])] = _root(parent, edges[e, 0])
    labels = np.empty(n, dtype=np.int32)
    number = np.full(n, -1, dtype=np.int32)
    k = 0
    for i in range(n):
        root = _root(parent, i)
        if number[root] < 0:
            number[root] = k
            k += 1
        labels[i] = number[root]
    return labels
