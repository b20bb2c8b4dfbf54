"""Nearest neighbours of every object, found once and shared by all who judge the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from karat.distances import as_distances, check_points
from karat.runtime.executors import Workers
from karat.runtime.extras import require
from karat.runtime.threads import available_cores, in_strips
from karat.runtime.validation import Data, InputError, check_choice, check_random_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.distances import Distances

    Lists = tuple[NDArray[np.int32], NDArray[np.float64]]

Algorithm: TypeAlias = Literal["auto", "exact", "approximate"]

#: multiplications of an exact search above which ``"auto"`` prefers an approximate one
EXACT_WORK = 1e12
_TREE_DIMENSIONS = 8
_DIRECT_DIMENSIONS = 8
_SPARE_CANDIDATES = 3
_BLOCK_ROWS = 128
_RECALL_SAMPLE = 500
_SCAN_ROWS = 2**17
_TILE_ROWS = 512
PARTS = 32  # of the objects on an executor, whatever the number of its workers


@dataclass(frozen=True)
class NeighborLists:
    """The nearest other objects of each object, nearest first.

    Attributes
    ----------
    indices : ndarray of int32, shape (n, n_neighbors)
    distances : ndarray of float64, shape (n, n_neighbors)
    recall : float
        Share of the true neighbours found: 1 for an exact search, for an approximate one an
        estimate from 500 objects drawn at random.
    exact : bool
    """

    indices: NDArray[np.int32]
    distances: NDArray[np.float64]
    recall: float = 1.0
    exact: bool = True

    @property
    def n_neighbors(self) -> int:
        """Length of each list."""
        return self.indices.shape[1]


def neighbor_lists(
    X: Any,
    n_neighbors: int,
    *,
    metric: Any = "euclidean",
    algorithm: Algorithm = "auto",
    random_state: Any = 0,
    executor: Any = None,
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
    algorithm : {"auto", "exact", "approximate"}
        ``"approximate"`` is nearest-neighbour descent and needs the extra ``large``. ``"auto"``
        takes it where it is installed, X is dense, and an exact search would need more than
        10^12 multiplications (n = 10^5 in 100 dimensions); never in up to 8 dimensions with
        Euclidean distance, where a tree is fast.
    random_state : int, Generator or None, default 0
        For the approximate search and its recall.
    executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
        Where an exact search runs, some of the objects at a time; by default threads of this
        process. The lists do not depend on it.

    Returns
    -------
    NeighborLists
        Objects at equal distance come in the order of their indices, also at the end of the
        list, so an exact result does not depend on the algorithm. Euclidean distances of dense
        data are sums of squared differences, so ties of integer data are kept.

    Raises
    ------
    InputError
        For data, a number or a metric that cannot be used, or a missing extra.

    Notes
    -----
    O(n² d) time and O(n · n_neighbors) memory by brute force, on all cores.

    Examples
    --------
    >>> from karat.distances.neighbors import neighbor_lists
    >>> neighbor_lists([[0.0], [1.0], [3.0], [3.5]], 2).indices
    array([[1, 2],
           [0, 2],
           [3, 1],
           [2, 1]], dtype=int32)
    """
    check_choice(algorithm, ("auto", "exact", "approximate"), "algorithm")
    if n_neighbors < 1:
        raise InputError(f"n_neighbors must be at least 1; got {n_neighbors}")
    data: Any = check_points(X, metric)
    n, d = data.shape
    if n < 2:
        raise InputError("X has one object, which has no neighbour; give at least two")
    k = min(int(n_neighbors), n - 1)
    dense = isinstance(data, np.ndarray)
    euclidean = metric == "euclidean" and dense
    if algorithm == "auto":
        large = float(n) * n * d > EXACT_WORK and dense and metric != "precomputed"
        in_tree = euclidean and d <= _TREE_DIMENSIONS
        descend = large and not in_tree and find_spec("pynndescent") is not None
        algorithm = "approximate" if descend else "exact"
    if algorithm == "approximate":
        return _descent(data, k, metric, check_random_state(random_state))
    workers = Workers.of(executor)
    if workers.elsewhere is None:
        return NeighborLists(*_exact(data, k, metric, range(n)))
    size = -(-n // PARTS)
    parts = [range(i, min(i + size, n)) for i in range(0, n, size)]
    lists = workers.map(partial(_part, k, metric), (data,), parts)
    indices, distances = zip(*lists, strict=True)
    return NeighborLists(np.concatenate(indices), np.concatenate(distances))


def _part(k: int, metric: Any, X: Any, objects: range) -> Lists:
    return _exact(X, k, metric, objects)


def _exact(X: Any, k: int, metric: Any, objects: range) -> Lists:
    """Neighbours of a range of the objects, and how far they are."""
    if metric != "euclidean" or not isinstance(X, np.ndarray):
        return _by_rows(X, k, metric, objects)
    n, d = X.shape
    data = _in_range(X)
    if d <= _TREE_DIMENSIONS and n > 1000:
        indices, squares = _tree(data.values, k, objects)
    elif d <= _DIRECT_DIMENSIONS or n <= 1000:
        indices, squares = _brute(data.values, np.array(objects), k)
    else:
        indices, squares = _products(data.values, k, objects)
    return indices, np.sqrt(squares) * data.scale


def neighbors_of_some(
    X: Data,
    objects: NDArray[np.integer[Any]],
    n_neighbors: int,
    *,
    metric: Any = "euclidean",
    among: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """The nearest other objects of some of the objects, by an exact search.

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
    ndarray of int64, shape (s, n_neighbors)
        Nearest first; of equal distances the lower number first.

    Notes
    -----
    O(n s d) time on all cores. The rows are gone through in blocks: large data are not copied.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.distances.neighbors import neighbors_of_some
    >>> neighbors_of_some(np.array([[0.0], [1.0], [3.0], [3.5]]), np.array([2]), 2)
    array([[3, 1]])
    """
    from karat._kernels.neighbors import add_nearest
    from karat.distances import distances_of_parts

    s, n = len(objects), X.shape[0]
    distances = distances_of_parts(X, metric, exact=True)
    nearest = np.full((s, n_neighbors), np.inf)
    indices = np.full((s, n_neighbors), -1, dtype=np.int64)
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
    return indices


@dataclass(frozen=True)
class _Scaled:
    values: NDArray[np.float64]
    scale: float


def _in_range(X: NDArray[np.floating[Any]]) -> _Scaled:
    """X over a power of two where squares would overflow or vanish; neighbours do not change."""
    values = np.ascontiguousarray(X, dtype=np.float64)
    largest = float(np.abs(values).max())
    if largest == 0 or 1e-100 < largest < 1e100:
        return _Scaled(values, 1.0)
    scale = float(2.0 ** np.floor(np.log2(largest)))
    return _Scaled(values / scale, scale)


def _brute(
    X: NDArray[np.float64], queries: NDArray[np.intp], k: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    from karat._kernels.neighbors import nearest_euclidean

    XT = np.ascontiguousarray(X.T)
    indices = np.empty((len(queries), k), dtype=np.int32)
    distances = np.empty((len(queries), k))

    def work(start: int, stop: int) -> None:
        nearest_euclidean(X, XT, queries[start:stop], distances[start:stop], indices[start:stop])

    in_strips(work, len(queries), least=64)
    return indices, distances


def _tree(X: NDArray[np.float64], k: int, objects: range) -> Lists:
    from scipy.spatial import cKDTree

    n, asked = len(X), np.array(objects)
    # self, k neighbours and one more, which shows whether the list ends within a tie
    ask = min(k + 2, n)
    distances, indices = cKDTree(X).query(
        X[objects.start : objects.stop], k=ask, workers=available_cores()
    )
    own = indices == asked[:, None]
    distances[own] = -1.0
    order = np.lexsort((indices, distances), axis=1)
    distances = np.take_along_axis(distances, order, axis=1)
    indices = np.take_along_axis(indices, order, axis=1).astype(np.int32)
    doubtful = ~own.any(axis=1)
    if ask > k + 1:
        doubtful |= distances[:, k] >= distances[:, k + 1]
    indices, squares = indices[:, 1 : k + 1].copy(), distances[:, 1 : k + 1] ** 2
    again = np.flatnonzero(doubtful)
    if len(again):
        indices[again], squares[again] = _brute(X, asked[again], k)
    return indices, squares


def _products(X: NDArray[np.float64], k: int, objects: range) -> Lists:
    """Candidates from matrix products, which round; order and doubtful rows from differences."""
    from sklearn.neighbors import NearestNeighbors

    from karat._kernels.neighbors import rank_candidates

    n, d = X.shape
    asked = np.array(objects)
    ask = min(k + 1 + _SPARE_CANDIDATES, n)
    centred = X - X.mean(axis=0)
    search = NearestNeighbors(n_neighbors=ask, algorithm="brute").fit(centred)
    rough, candidates = search.kneighbors(centred[objects.start : objects.stop])
    count = len(objects)
    # an object that is no candidate is at least so far, less what the products may have lost
    lost = 8 * (d + 4) * np.finfo(np.float64).eps * float((centred**2).sum(axis=1).max())
    unseen = rough[:, -1] ** 2 - lost if ask < n else np.full(count, np.inf)
    indices = np.empty((count, k), dtype=np.int32)
    distances = np.empty((count, k))

    def work(start: int, stop: int) -> None:
        rank_candidates(X, objects.start, candidates, start, stop, distances, indices)

    in_strips(work, count)
    rows = np.flatnonzero(~(distances[:, -1] < unseen))
    if len(rows):
        indices[rows], distances[rows] = _brute(X, asked[rows], k)
    return indices, distances


def _by_rows(X: Any, k: int, metric: Any, objects: range) -> Lists:
    from karat._kernels.neighbors import nearest_in_rows

    indices = np.empty((len(objects), k), dtype=np.int32)
    distances = np.empty((len(objects), k))
    between = as_distances(X, metric, exact=True)
    # the objects of the columns are turned, or made dense: of sparse data, the few
    turned = between.symmetric and not isinstance(X, np.ndarray)

    def work(start: int, stop: int) -> None:
        for first in range(start, stop, _BLOCK_ROWS):
            own = slice(first, min(first + _BLOCK_ROWS, stop))
            rows = slice(objects.start + own.start, objects.start + own.stop)
            everyone = slice(0, X.shape[0])
            D = between.block(everyone, rows).T if turned else between.block(rows, everyone)
            D = np.ascontiguousarray(D, dtype=np.float64)
            if not np.isfinite(D).all():
                raise InputError(f"metric {metric!r} gives distances that are not finite")
            nearest_in_rows(D, rows.start, distances[own], indices[own])

    in_strips(work, len(objects))
    return indices, distances


def _descent(X: Any, k: int, metric: Any, rng: np.random.Generator) -> NeighborLists:
    require("pynndescent", "an approximate search of neighbours", 'use algorithm="exact"')
    if not isinstance(X, np.ndarray) or metric == "precomputed":
        raise InputError('approximate neighbours need dense data; use algorithm="exact"')
    from pynndescent import NNDescent

    n = len(X)
    seed = int(rng.integers(2**31 - 1))
    # longer lists than asked for: descent finds the near ones far more surely than the last one
    index = NNDescent(X, metric=metric, n_neighbors=min(max(k + 1, 15), n), random_state=seed)
    indices, distances = index.neighbor_graph
    others = indices != np.arange(n)[:, None]
    # where an object is not in its own list, the last entry goes instead
    others[others.all(axis=1), -1] = False
    width = indices.shape[1] - 1
    indices = indices[others].reshape(n, width)[:, :k].astype(np.int32)
    distances = distances[others].reshape(n, width)[:, :k].astype(np.float64)
    if (indices < 0).any():
        raise InputError('the approximate search left lists incomplete; use algorithm="exact"')
    sample = np.sort(rng.choice(n, size=min(_RECALL_SAMPLE, n), replace=False))
    return NeighborLists(indices, distances, _recall(X, metric, sample, indices[sample]), False)


def _recall(X: Any, metric: Any, sample: NDArray[np.intp], found: NDArray[np.int32]) -> float:
    k = found.shape[1]
    if metric == "euclidean":
        exact, _ = _brute(np.ascontiguousarray(X, dtype=np.float64), sample, k)
    else:
        from sklearn.metrics import pairwise_distances

        D = pairwise_distances(X[sample], X, metric=metric)
        D[np.arange(len(sample)), sample] = np.inf
        exact = np.argsort(D, axis=1, kind="stable")[:, :k].astype(np.int32)
    hits = sum(len(np.intersect1d(a, b)) for a, b in zip(exact, found, strict=True))
    return hits / exact.size


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
