"""Nearest neighbours of every object, found once and shared by all who judge the data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.distances import as_distances, check_points, distances_of_parts
from karat.runtime.executors import Workers
from karat.runtime.threads import available_cores, in_strips
from karat.runtime.validation import Data, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.distances import Distances

_TREE_DIMENSIONS = 8
_FEW_OBJECTS = 1000
_SPARE_CANDIDATES = 3
_BLOCK_ROWS = 128
_SCAN_ROWS = 2**17
_TILE_ROWS = 512
PARTS = 32  # of the objects on an executor, whatever the number of its workers


class NeighborLists(NamedTuple):
    """The nearest other objects of each object, nearest first.

    Attributes
    ----------
    indices : ndarray of int32, shape (n, n_neighbors)
    distances : ndarray of float64, shape (n, n_neighbors)
    """

    indices: NDArray[np.int32]
    distances: NDArray[np.float64]

    @property
    def n_neighbors(self) -> int:
        """Length of each list."""
        return self.indices.shape[1]


def neighbor_lists(
    X: Any, n_neighbors: int, *, metric: Any = "euclidean", executor: Any = None
) -> NeighborLists:
    """The nearest other objects of every object.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the distances with ``metric="precomputed"``.
    n_neighbors : int
        Length of the lists; where there are fewer other objects, all of them.
    metric : str or callable
        A name in :data:`karat.distances.METRICS`, or a function of two rows.
    executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
        Where the search runs, some of the objects at a time; by default threads of this process.
        The lists do not depend on it.

    Returns
    -------
    NeighborLists
        Objects at equal distance come in the order of their indices, also at the end of the
        list. Euclidean distances of dense data are sums of squared differences, so ties of integer
        data are kept.

    Raises
    ------
    InputError
        For data, a number or a metric that cannot be used.

    Notes
    -----
    Exact: O(n² d) time and O(n · n_neighbors) memory, on all cores; a tree for Euclidean distances
    in up to 8 dimensions.

    Examples
    --------
    >>> from karat.distances.neighbors import neighbor_lists
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
    size = -(-n // PARTS)
    parts = [range(i, min(i + size, n)) for i in range(0, n, size)]
    lists = workers.map(partial(_lists, k, metric), (data,), parts)
    indices, distances = zip(*lists, strict=True)
    return NeighborLists(np.concatenate(indices), np.concatenate(distances))


def _lists(k: int, metric: Any, X: Any, objects: range) -> NeighborLists:
    """Neighbours of a range of the objects."""
    asked = np.array(objects)
    if metric != "euclidean" or not isinstance(X, np.ndarray):
        return _scan(X, asked, k, metric)
    values, scale = _in_range(X)
    n, d = values.shape
    search = _products if d > _TREE_DIMENSIONS else _tree
    found = (_scan if n <= _FEW_OBJECTS else search)(values, asked, k)
    return NeighborLists(found.indices, found.distances * scale)


def neighbors_of_some(
    X: Data,
    objects: NDArray[np.integer[Any]],
    n_neighbors: int,
    *,
    metric: Any = "euclidean",
    among: NDArray[np.bool_] | None = None,
) -> NDArray[np.int32]:
    """The nearest other objects of some of the objects.

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, d)
        Checked data, or distances with ``metric="precomputed"``.
    objects : ndarray of int, shape (s,)
    n_neighbors : int
        At most the number of other objects.
    metric : str or callable
    among : ndarray of bool, shape (n,), optional
        Which objects may be neighbours; by default all.

    Returns
    -------
    ndarray of int32, shape (s, n_neighbors)
        Nearest first; of equal distances the lower number first.

    Notes
    -----
    O(n s d) time on all cores. The rows are gone through in blocks: large data are not copied.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.distances.neighbors import neighbors_of_some
    >>> neighbors_of_some(np.array([[0.0], [1.0], [3.0], [3.5]]), np.array([2]), 2)
    array([[3, 1]], dtype=int32)
    """
    return _scan(X, objects, n_neighbors, metric, among).indices


def _scan(
    X: Data,
    objects: NDArray[np.integer[Any]],
    k: int,
    metric: Any = "euclidean",
    among: NDArray[np.bool_] | None = None,
) -> NeighborLists:
    """By the distances of the objects to all others, a tile at a time."""
    from karat._kernels.neighbors import add_nearest

    s, n = len(objects), X.shape[0]
    distances = distances_of_parts(X, metric, exact=True)
    nearest, indices = np.full((s, k), np.inf), np.full((s, k), -1, dtype=np.int32)
    for start in range(0, n, _SCAN_ROWS):
        rows = np.arange(start, min(start + _SCAN_ROWS, n))
        rows = rows if among is None else rows[among[rows]]
        both = distances.take(np.concatenate([objects, rows]))

        def work(
            first: int, last: int, rows: NDArray[np.int64] = rows, both: Distances = both
        ) -> None:
            for q in range(first, last, _BLOCK_ROWS):
                end = min(q + _BLOCK_ROWS, last)
                strip, own = both.strip(q, end), slice(q, end)
                tile = np.empty((_TILE_ROWS, end - q))
                for at in range(0, len(rows), _TILE_ROWS):
                    others = rows[at : at + _TILE_ROWS]
                    a, b = s + at, s + at + len(others)
                    both.tile(a, b, q, end, strip, tile[: b - a])
                    add_nearest(tile, others, objects[own], nearest[own], indices[own])

        if both.uses_blas:
            work(0, s)
        else:
            in_strips(work, s, least=64)
        squared = both.squared
    if (indices < 0).any():
        raise InputError(f"metric {metric!r} gives distances that are not finite")
    return NeighborLists(indices, np.sqrt(nearest) if squared else nearest)


def _in_range(X: NDArray[np.floating[Any]]) -> tuple[NDArray[np.float64], float]:
    """X over a power of two where squares would overflow or vanish; neighbours do not change."""
    values = np.ascontiguousarray(X, dtype=np.float64)
    largest = float(np.abs(values).max())
    if largest == 0 or 1e-100 < largest < 1e100:
        return values, 1.0
    scale = float(2.0 ** np.floor(np.log2(largest)))
    return values / scale, scale


def _tree(X: NDArray[np.float64], asked: NDArray[np.intp], k: int) -> NeighborLists:
    from scipy.spatial import cKDTree

    # self, k neighbours and one more, which shows whether the list ends within a tie
    ask = min(k + 2, len(X))
    distances, indices = cKDTree(X).query(X[asked], k=ask, workers=available_cores())
    own = indices == asked[:, None]
    distances[own] = -1.0
    order = np.lexsort((indices, distances), axis=1)
    distances = np.take_along_axis(distances, order, axis=1)
    indices = np.take_along_axis(indices, order, axis=1).astype(np.int32)
    doubtful = ~own.any(axis=1)
    if ask > k + 1:
        doubtful |= distances[:, k] >= distances[:, k + 1]
    found = NeighborLists(indices[:, 1 : k + 1].copy(), distances[:, 1 : k + 1].copy())
    return _again(X, asked, found, doubtful)


def _products(X: NDArray[np.float64], asked: NDArray[np.intp], k: int) -> NeighborLists:
    """Candidates from matrix products, which round; order and doubtful rows from differences."""
    from sklearn.neighbors import NearestNeighbors

    n, d = X.shape
    ask = min(k + 1 + _SPARE_CANDIDATES, n)
    centred = X - X.mean(axis=0)
    search = NearestNeighbors(n_neighbors=ask, algorithm="brute").fit(centred)
    rough, candidates = search.kneighbors(centred[asked])
    # an object that is no candidate is at least so far, less what the products may have lost
    lost = 8 * (d + 4) * np.finfo(np.float64).eps * float((centred**2).sum(axis=1).max())
    unseen = rough[:, -1] ** 2 - lost if ask < n else np.full(len(asked), np.inf)
    squares = np.empty(candidates.shape)

    def work(start: int, stop: int) -> None:
        for first in range(start, stop, _BLOCK_ROWS):
            rows = slice(first, min(first + _BLOCK_ROWS, stop))
            apart = X[candidates[rows]] - X[asked[rows], None]
            squares[rows] = np.einsum("ijf,ijf->ij", apart, apart)

    in_strips(work, len(asked))
    squares[candidates == asked[:, None]] = np.inf
    order = np.lexsort((candidates, squares), axis=1)[:, :k]
    indices = np.take_along_axis(candidates, order, axis=1).astype(np.int32)
    squares = np.take_along_axis(squares, order, axis=1)
    return _again(X, asked, NeighborLists(indices, np.sqrt(squares)), ~(squares[:, -1] < unseen))


def _again(
    X: NDArray[np.float64],
    asked: NDArray[np.intp],
    found: NeighborLists,
    doubtful: NDArray[np.bool_],
) -> NeighborLists:
    """The lists, those that are in doubt from the distances to all objects."""
    rows = np.flatnonzero(doubtful)
    if len(rows):
        again = _scan(X, asked[rows], found.n_neighbors)
        found.indices[rows], found.distances[rows] = again
    return found


def nearest_among(
    X: Data, among: NDArray[np.integer[Any]], objects: NDArray[np.integer[Any]], metric: Any
) -> NDArray[np.int32]:
    """Position in ``among`` of the object there that is nearest to each of ``objects``.

    A tie goes to the one that comes first. O(s · rows · d) time on all cores; nothing of that
    size is held.
    """
    nearest = np.empty(len(objects), dtype=np.int32)

    def keep(first: int, last: int, tile: NDArray[np.float64]) -> None:
        nearest[first:last] = tile.argmin(axis=1)

    _in_tiles(X, among, objects, metric, keep)
    return nearest


def nearest_of_groups(
    X: Data,
    among: NDArray[np.integer[Any]],
    objects: NDArray[np.integer[Any]],
    metric: Any,
    groups: NDArray[np.integer[Any]],
    own: NDArray[np.integer[Any]] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """As :func:`nearest_among`, and how far the nearest object of each group is.

    Parameters
    ----------
    X, among, objects, metric
        As there.
    groups : ndarray of int, shape (s,)
        The group, from 0, of each object of ``among``; every group has one.
    own : ndarray of int, shape (m,), optional
        Position in ``among`` of each of ``objects`` itself, -1 where it is not there: its
        distance to itself does not count for its group.

    Returns
    -------
    nearest : ndarray of int32, shape (m,)
    distances : ndarray of float64, shape (m, g)
        Infinite where a group has no other object.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [4.0]])
    >>> nearest_of_groups(X, np.arange(3), np.array([3]), "euclidean", np.array([0, 0, 1]))
    (array([2], dtype=int32), array([[3., 1.]]))
    """
    nearest = np.empty(len(objects), dtype=np.int32)
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    distances = np.empty((len(objects), len(starts)))

    def keep(first: int, last: int, tile: NDArray[np.float64]) -> None:
        nearest[first:last] = tile.argmin(axis=1)
        if own is not None:
            here = np.flatnonzero(own[first:last] >= 0)
            tile[here, own[first:last][here]] = np.inf
        distances[first:last] = np.minimum.reduceat(tile[:, order], starts, axis=1)

    if _in_tiles(X, among, objects, metric, keep):
        np.sqrt(np.maximum(distances, 0.0, out=distances), out=distances)
    return nearest, distances


def _in_tiles(
    X: Data,
    among: NDArray[np.integer[Any]],
    objects: NDArray[np.integer[Any]],
    metric: Any,
    keep: Callable[[int, int, NDArray[np.float64]], None],
) -> bool:
    """Distances from some objects to those ``among``, a few rows at a time; whether squared."""
    s, rows = len(among), 32
    distances = as_distances(X, metric).take(np.concatenate([among, objects]))
    strip = distances.strip(0, s)

    def work(start: int, stop: int) -> None:
        out = np.empty((rows, s))
        for first in range(start, stop, rows):
            last = min(first + rows, stop)
            distances.tile(s + first, s + last, 0, s, strip, out)
            keep(first, last, out[: last - first])

    if distances.uses_blas:  # its matrix products use all cores by themselves
        work(0, len(objects))
    else:
        in_strips(work, len(objects))
    return distances.squared
