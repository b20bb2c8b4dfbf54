"""Minimum spanning trees within clusters, in compiled code where distances are of coordinates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from karat.distances import Direct, Distances, Product
from karat.measures.passes.tiles import WIDTH
from karat.runtime.threads import in_order, in_strips

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def coordinates(distances: Distances) -> tuple[int, Floats] | None:
    """Kind of difference and coordinates, where distances are made of them."""
    from karat._kernels.distances import SQUARED

    if isinstance(distances, Direct):
        return distances.kind, distances.Z
    return (SQUARED, distances.Z) if isinstance(distances, Product) else None


def spanning_tree(distances: Distances, core: Floats | None = None) -> tuple[Ints, Ints, Floats]:
    """Ends and lengths of the edges of the minimum spanning tree of mutual reachability.

    The length of an edge is the larger of the distance and of the core distances of its ends;
    without ``core`` the distance. O(n² d) time, O(n d) memory.
    """
    from karat._kernels import trees

    n = distances.n
    depth = np.zeros(n) if core is None else core
    edges, lengths = np.zeros(max(n - 1, 0), dtype=np.int64), np.zeros(max(n - 1, 0))
    if n < 2:
        return edges, edges, lengths
    if (given := coordinates(distances)) is not None:
        kind, Z = given
        trees.spanning_tree(kind, Z, depth**2 if distances.squared else depth, edges, lengths)
        lengths = np.sqrt(lengths) if distances.squared else lengths
    else:
        index, at = np.arange(n), 0
        reached, edge = np.full(n, np.inf), np.zeros(n, dtype=np.int64)
        for step in range(n - 1):
            reached[at] = -1.0
            row = distances.block(slice(at, at + 1), slice(0, n))[0]
            at = int(trees.grow(row, index, at, depth, reached, edge))
            edges[step], lengths[step] = edge[at], reached[at]
    return *np.divmod(edges, n), lengths


def core_distances(distances: Distances, dimension: int) -> Floats:
    """(mean of d^-dimension over the others)^(-1/dimension) of each object; 0 for one alone."""
    from karat._kernels import trees

    n = distances.n
    out = np.zeros(n)
    if n == 1:
        return out
    if (given := coordinates(distances)) is not None:
        kind, Z = given

        def work(start: int, stop: int) -> None:
            trees.core_distances(kind, distances.squared, Z, dimension, start, stop, out)

        in_strips(work, n)
        return out
    for start in range(0, n, 256):
        stop = min(start + 256, n)
        D = distances.block(slice(start, stop), slice(0, n))
        with np.errstate(divide="ignore"):
            logs = -dimension * np.log(D)
        logs[np.arange(stop - start), np.arange(start, stop)] = -np.inf
        top = logs.max(axis=1)
        with np.errstate(invalid="ignore"):
            total = top + np.log(np.exp(logs - top[:, None]).sum(axis=1))
        total[np.isposinf(top)] = np.inf
        out[start:stop] = np.exp(-(total - math.log(n - 1)) / dimension)
    return out


def separations(distances: Distances, core: Floats, own: NDArray[np.intp], k: int) -> Floats:
    """Smallest mutual reachability distance of each cluster's objects to another cluster's."""
    from karat._kernels import trees

    n = distances.n
    if (given := coordinates(distances)) is not None:
        kind, Z = given
        depth = core**2 if distances.squared else core

        def work(j0: int) -> Floats:
            nearest = np.full(k, np.inf)
            strip = np.ascontiguousarray(Z[j0 : j0 + WIDTH].T)
            trees.separations(kind, Z, depth, own, j0, strip, nearest)
            return nearest

        found = np.min(list(in_order(work, range(0, n, WIDTH))), axis=0)
        return np.sqrt(found) if distances.squared else found
    nearest = np.full(k, np.inf)
    for start in range(0, n, 256):
        rows = slice(start, min(start + 256, n))
        reach = np.maximum(distances.block(rows, slice(0, n)), core)
        reach = np.maximum(reach, core[rows, None])
        reach[own[rows, None] == own] = np.inf
        np.minimum.at(nearest, own[rows], reach.min(axis=1))
    return nearest
