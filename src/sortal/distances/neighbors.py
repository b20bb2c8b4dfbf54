"""Nearest neighbours of objects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sortal.distances._metrics import as_distances, check_points, distances_of_parts
from sortal.distances._tiles import TILE_ROWS, TILE_WIDTH
from sortal.runtime.executors import Workers
from sortal.runtime.threads import available_cores, in_strips
from sortal.runtime.validation import InputError
from sortal.typing import Rows

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from distributed import Client
    from numpy.typing import NDArray

    from sortal.distances._tiles import Distances
    from sortal.typing import ArrayLike, Bools, Floats, Ints, Metric

#: limit of cost: features up to which a k-d tree is faster than matrix products
_TREE_DIMENSIONS = 8
#: limit of cost: objects up to which a scan of all distances is fastest
_FEW_OBJECTS = 1000
#: limit of cost: further candidates, so that few lists end within a tie
_SPARE_CANDIDATES = 3
#: limit of cost: objects with distances to others in memory at a time
SCAN_ROWS = 2**17
#: limit of cost: parts of a pass on an executor, for any number of threads or workers
PASS_PARTS = 32


class NeighborLists(NamedTuple):
    """The nearest other objects of each object, nearest first.

    Attributes
    ----------
    indices : ndarray of int32, shape (n, n_neighbors)
    distances : ndarray of float64, shape (n, n_neighbors)
    """

    indices: NDArray[np.int32]
    distances: Floats

    @property
    def n_neighbors(self) -> int:
        """Length of each list."""
        return self.indices.shape[1]


def neighbor_lists(
    X: ArrayLike,
    n_neighbors: int,
    *,
    metric: Metric = "euclidean",
    executor: Executor | Client | Workers | str | None = None,
) -> NeighborLists:
    """The nearest other objects of every object.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the distances with ``metric="precomputed"``.
    n_neighbors : int
        Length of the lists, at most the number of other objects.
    metric : str or callable
        A name in :data:`sortal.distances.METRICS`, or a function of two rows.
    executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
        Executor of the search, in parts; by default threads of this process.
        The lists do not depend on it.

    Returns
    -------
    NeighborLists
        Objects at equal distance are in the order of their indices, also at the end of the
        list. Euclidean distances of dense data are sums of squared differences, which preserve
        ties of integer data.

    Notes
    -----
    Exact: O(n² d) time and O(n · n_neighbors) memory, on all cores; a tree for Euclidean distances
    in up to 8 dimensions.

    Examples
    --------
    >>> from sortal.distances import neighbor_lists
    >>> neighbor_lists([[0.0], [1.0], [3.0], [3.5]], 2).indices
    array([[1, 2],
           [0, 2],
           [3, 1],
           [2, 1]], dtype=int32)
    """
    if n_neighbors < 1:
        raise InputError(f"n_neighbors must be at least 1; got {n_neighbors}")
    data: Any = check_points(X, metric)
    n = data.shape[0]
    if n < 2:
        raise InputError("X has one object, which has no neighbour; give at least two")
    k = min(int(n_neighbors), n - 1)
    workers = Workers.of(executor)
    if workers.elsewhere is None:
        return _lists(k, metric, data, range(n))
    size = -(-n // PASS_PARTS)
    parts = [range(i, min(i + size, n)) for i in range(0, n, size)]
    lists = workers.map(partial(_lists, k, metric), (data,), parts)
    indices, distances = zip(*lists, strict=True)
    return NeighborLists(np.concatenate(indices), np.concatenate(distances))


def _lists(k: int, metric: Metric, X: Rows, objects: range) -> NeighborLists:
    """Neighbours of a range of the objects."""
    queries = np.array(objects)
    if metric != "euclidean" or not isinstance(X, np.ndarray):
        return _scan(X, queries, k, metric)
    values, scale = _in_range(X)
    n, d = values.shape
    search = _products if d > _TREE_DIMENSIONS else _tree
    lists = (_scan if n <= _FEW_OBJECTS else search)(values, queries, k)
    return NeighborLists(lists.indices, lists.distances * scale)


def neighbors_of_some(
    X: Rows,
    objects: Ints,
    n_neighbors: int,
    *,
    metric: Metric = "euclidean",
    among: Bools | None = None,
) -> NDArray[np.int32]:
    """The nearest other objects of a subset, nearest first, ties in the order of the indices.

    ``among`` marks the objects that may be neighbours. O(n s d) time on all cores. The rows are
    processed in blocks: large data are not copied.

    >>> import numpy as np
    >>> neighbors_of_some(np.array([[0.0], [1.0], [3.0], [3.5]]), np.array([2]), 2)
    array([[3, 1]], dtype=int32)
    """
    return _scan(X, objects, n_neighbors, metric, among).indices


def _scan(
    X: Rows, objects: Ints, k: int, metric: Metric = "euclidean", among: Bools | None = None
) -> NeighborLists:
    """Neighbours by the distances of the objects to all others, a tile at a time."""
    from sortal._kernels.neighbors import add_nearest

    s, n = len(objects), X.shape[0]
    distances = distances_of_parts(X, metric, exact=True)
    nearest, indices = np.full((s, k), np.inf), np.full((s, k), -1, dtype=np.int32)
    for start in range(0, n, SCAN_ROWS):
        rows = np.arange(start, min(start + SCAN_ROWS, n))
        rows = rows if among is None else rows[among[rows]]
        both = distances.take(np.concatenate([objects, rows]))

        def work(
            first: int, last: int, rows: NDArray[np.int64] = rows, both: Distances = both
        ) -> None:
            for q in range(first, last, TILE_WIDTH):
                end = min(q + TILE_WIDTH, last)
                strip, block = both.strip(q, end), slice(q, end)
                tile = np.empty((TILE_ROWS, end - q))
                for offset in range(0, len(rows), TILE_ROWS):
                    others = rows[offset : offset + TILE_ROWS]
                    a, b = s + offset, s + offset + len(others)
                    both.tile(a, b, q, end, strip, tile[: b - a])
                    add_nearest(tile, others, objects[block], nearest[block], indices[block])

        in_strips(work, s, least=64)
        squared = both.squared
    if (indices < 0).any():
        raise InputError(f"metric {metric!r} gives distances that are not finite")
    return NeighborLists(indices, np.sqrt(nearest) if squared else nearest)


def _in_range(X: NDArray[np.floating[Any]]) -> tuple[Floats, float]:
    """X divided by a power of two, so that squares neither overflow nor vanish; the divisor."""
    values = np.ascontiguousarray(X, dtype=np.float64)
    largest = float(np.abs(values).max())
    if largest == 0 or 1e-100 < largest < 1e100:
        return values, 1.0
    scale = float(2.0 ** np.floor(np.log2(largest)))
    return values / scale, scale


def _tree(X: Floats, queries: Ints, k: int) -> NeighborLists:
    """Neighbours by a k-d tree."""
    from scipy.spatial import cKDTree

    # the object, k neighbours and another, which shows whether the list ends within a tie
    n_candidates = min(k + 2, len(X))
    distances, indices = cKDTree(X).query(X[queries], k=n_candidates, workers=available_cores())
    is_query = indices == queries[:, None]
    distances[is_query] = -1.0
    order = np.lexsort((indices, distances), axis=1)
    distances = np.take_along_axis(distances, order, axis=1)
    indices = np.take_along_axis(indices, order, axis=1).astype(np.int32)
    doubtful = ~is_query.any(axis=1)
    if n_candidates > k + 1:
        doubtful |= distances[:, k] >= distances[:, k + 1]
    lists = NeighborLists(indices[:, 1 : k + 1].copy(), distances[:, 1 : k + 1].copy())
    return _rescanned(X, queries, lists, doubtful)


def _products(X: Floats, queries: Ints, k: int) -> NeighborLists:
    """Candidates from matrix products, which round; order and doubtful rows from differences."""
    from sklearn.neighbors import NearestNeighbors

    n, d = X.shape
    n_candidates = min(k + 1 + _SPARE_CANDIDATES, n)
    centred = X - X.mean(axis=0)
    search = NearestNeighbors(n_neighbors=n_candidates, algorithm="brute").fit(centred)
    rough, candidates = search.kneighbors(centred[queries])
    # an object that is no candidate is at least this far, less the rounding of the products
    rounding = 8 * (d + 4) * np.finfo(np.float64).eps * float((centred**2).sum(axis=1).max())
    excluded = np.full(len(queries), np.inf)
    if n_candidates < n:
        excluded = rough[:, -1] ** 2 - rounding
    squares = np.empty(candidates.shape)

    def work(start: int, stop: int) -> None:
        for first in range(start, stop, TILE_WIDTH):
            rows = slice(first, min(first + TILE_WIDTH, stop))
            differences = X[candidates[rows]] - X[queries[rows], None]
            squares[rows] = np.einsum("ijf,ijf->ij", differences, differences)

    in_strips(work, len(queries))
    squares[candidates == queries[:, None]] = np.inf
    order = np.lexsort((candidates, squares), axis=1)[:, :k]
    indices = np.take_along_axis(candidates, order, axis=1).astype(np.int32)
    squares = np.take_along_axis(squares, order, axis=1)
    doubtful = ~(squares[:, -1] < excluded)
    return _rescanned(X, queries, NeighborLists(indices, np.sqrt(squares)), doubtful)


def _rescanned(X: Floats, queries: Ints, lists: NeighborLists, doubtful: Bools) -> NeighborLists:
    """Lists in which doubtful rows are replaced by those from the distances to all objects."""
    rows = np.flatnonzero(doubtful)
    if len(rows):
        rescanned = _scan(X, queries[rows], lists.n_neighbors)
        lists.indices[rows], lists.distances[rows] = rescanned
    return lists


def nearest_among(X: Rows, among: Ints, objects: Ints, metric: Metric) -> NDArray[np.int32]:
    """Position in ``among`` of the nearest object to each of ``objects``.

    Ties go to the first. O(s · rows · d) time on all cores; nothing of that size is stored.
    """
    nearest = np.empty(len(objects), dtype=np.int32)

    def keep(first: int, last: int, tile: Floats) -> None:
        nearest[first:last] = tile.argmin(axis=1)

    _in_tiles(X, among, objects, metric, keep)
    return nearest


def nearest_of_groups(
    X: Rows, among: Ints, objects: Ints, metric: Metric, groups: Ints, positions: Ints | None = None
) -> tuple[NDArray[np.int32], Floats]:
    """Results of :func:`nearest_among`, and the distance to the nearest object of each group.

    ``groups`` has the group, from 0, of each object of ``among``, and no group is empty.
    ``positions`` has the place in ``among`` of each of ``objects``, or -1: its distance to itself
    does not count. A distance is infinite where a group has no other object.

    >>> X = np.array([[0.0], [1.0], [5.0], [4.0]])
    >>> nearest_of_groups(X, np.arange(3), np.array([3]), "euclidean", np.array([0, 0, 1]))
    (array([2], dtype=int32), array([[3., 1.]]))
    """
    nearest = np.empty(len(objects), dtype=np.int32)
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    distances = np.empty((len(objects), len(starts)))

    def keep(first: int, last: int, tile: Floats) -> None:
        nearest[first:last] = tile.argmin(axis=1)
        if positions is not None:
            in_among = np.flatnonzero(positions[first:last] >= 0)
            tile[in_among, positions[first:last][in_among]] = np.inf
        distances[first:last] = np.minimum.reduceat(tile[:, order], starts, axis=1)

    if _in_tiles(X, among, objects, metric, keep):
        np.sqrt(distances, out=distances)
    return nearest, distances


def _in_tiles(
    X: Rows, among: Ints, objects: Ints, metric: Metric, keep: Callable[[int, int, Floats], None]
) -> bool:
    """Pass tiles of distances from ``objects`` to ``among`` to ``keep``; whether squared."""
    s, rows = len(among), 32
    distances = as_distances(X, metric).take(np.concatenate([among, objects]))
    strip = distances.strip(0, s)

    def work(start: int, stop: int) -> None:
        out = np.empty((rows, s))
        for first in range(start, stop, rows):
            last = min(first + rows, stop)
            tile = out[: last - first]
            distances.tile(s + first, s + last, 0, s, strip, tile)
            keep(first, last, tile)

    if distances.uses_blas:  # matrix products use all cores already
        work(0, len(objects))
    else:
        in_strips(work, len(objects))
    return distances.squared
