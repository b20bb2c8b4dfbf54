"""Minimum spanning trees, core distances and separations of clusters, for DBCV."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sortal.distances import ROWS_TO_ALL, Distances
from sortal.typing import Floats


def spanning_tree(
    distances: Distances, core: Floats | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Edges (ends and lengths) in a minimum spanning tree of mutual reachability.

    The length of an edge is the largest of the distance and the core distances of its ends, or
    the distance if ``core`` is None. Prim's algorithm: O(n² d) time, O(n d) memory.
    """
    from sortal._kernels.ranks import take_roots
    from sortal._kernels.spanning_trees import grow

    n = distances.n
    depth = np.zeros(n) if core is None else core
    edges, lengths = np.zeros(max(n - 1, 0), dtype=np.int64), np.zeros(max(n - 1, 0))
    reached, edge, row = np.full(n, np.inf), np.zeros(n, dtype=np.int64), np.empty((1, n))
    strip, at = distances.strip(0, n), 0
    for step in range(n - 1):
        reached[at] = -1.0
        distances.tile(at, at + 1, 0, n, strip, row)
        if distances.squared:
            take_roots(row)
        at = int(grow(row[0], at, depth, reached, edge))
        edges[step], lengths[step] = edge[at], reached[at]
    return *np.divmod(edges, n), lengths


def _blocks(distances: Distances) -> Iterator[tuple[slice, Floats]]:
    """Slices of rows, with their distances to all objects."""
    for start in range(0, distances.n, ROWS_TO_ALL):
        rows = slice(start, min(start + ROWS_TO_ALL, distances.n))
        yield rows, distances.block(rows, slice(0, distances.n))


def core_distances(distances: Distances, dimension: int) -> Floats:
    """Core distances (mean of d^-dimension over other objects)^(-1/dimension); 0 if n is 1."""
    out = np.zeros(distances.n)
    for rows, D in _blocks(distances) if distances.n > 1 else ():
        D[np.arange(len(D)), np.arange(rows.start, rows.stop)] = np.inf
        nearest = D.min(axis=1)
        # relative to the nearest object, so that no power leaves the range of floats
        with np.errstate(invalid="ignore"):
            mean = ((nearest[:, None] / D) ** dimension).sum(axis=1) / (distances.n - 1)
        out[rows] = np.where(nearest > 0, nearest * mean ** (-1 / dimension), 0.0)
    return out


def separations(distances: Distances, core: Floats, clusters: NDArray[np.intp], k: int) -> Floats:
    """Smallest mutual reachability distance of each cluster's objects to another cluster's."""
    nearest = np.full(k, np.inf)
    for rows, D in _blocks(distances):
        reach = np.maximum(np.maximum(D, core), core[rows, None])
        reach[clusters[rows, None] == clusters] = np.inf
        np.minimum.at(nearest, clusters[rows], reach.min(axis=1))
    return nearest
