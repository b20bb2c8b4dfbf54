"""The pass over all distances for all clusterings: strips of columns, on all cores.

Threads run compiled code that releases the GIL; strips are added up in their order, so that results
do not depend on the number of threads.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from karat.distances import Direct, Distances, Precomputed, Product, distances_of_parts
from karat.executors import as_executor
from karat.partition import Labelings
from karat.resources import available_cores
from karat.validation import Data

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

T = TypeVar("T")
R = TypeVar("R")

WIDTH = 128  # columns of a strip
PRODUCT_ROWS = 512  # long enough for a matrix product to run at full speed
PART = WIDTH  # of a sample that one job of an executor takes
BLOCK_ROWS = 2**19  # objects whose distances to a sample are taken at a time
HELD = 128 * 2**20  # bytes of accumulators of all objects, above which tiles are not mirrored


@contextmanager
def threads(*, one_blas_thread: bool = False) -> Iterator[Callable[..., Iterator[Any]]]:
    """A ``map`` on all cores, with few results held at a time."""
    cores = available_cores()
    limit: AbstractContextManager[Any] = nullcontext()
    if one_blas_thread:
        from threadpoolctl import threadpool_limits

        limit = threadpool_limits(1, "blas")
    with limit:
        if cores == 1:
            yield map
            return
        with ThreadPoolExecutor(cores) as pool:

            def each(work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
                waiting: deque[Future[R]] = deque()
                try:
                    for item in items:
                        waiting.append(pool.submit(work, item))
                        if len(waiting) > 2 * cores:
                            yield waiting.popleft().result()
                    while waiting:
                        yield waiting.popleft().result()
                finally:
                    for future in waiting:
                        future.cancel()

            yield each


def in_order(
    work: Callable[[T], R], items: Iterable[T], *, one_blas_thread: bool = False
) -> Iterator[R]:
    """``map(work, items)`` on all cores."""
    with threads(one_blas_thread=one_blas_thread) as each:
        yield from each(work, items)


def rounds(count: int) -> Iterator[list[tuple[int, int]]]:
    """All pairs of ``count`` things, in rounds in which each has at most one other."""
    ring = list(range(count + count % 2))
    for _ in range(len(ring) - 1):
        pairs = zip(ring[: len(ring) // 2], reversed(ring), strict=False)
        yield [(max(pair), min(pair)) for pair in pairs if max(pair) < count]
        ring[1:] = [ring[-1], *ring[1:-1]]


class _Columns(NamedTuple):
    """Accumulators of the objects start..stop: sums, minima, maxima and sums of 1/d²."""

    start: int
    stop: int
    arrays: tuple[Floats, ...]

    def part(self, start: int, stop: int) -> _Columns:
        """Those of some of the objects."""
        window = slice(start - self.start, stop - self.start)
        return _Columns(start, stop, tuple(np.ascontiguousarray(x[:, window]) for x in self.arrays))


class _Tiles:
    """The distances of sorted objects, added up by column and cluster."""

    def __init__(
        self,
        distances: Distances,
        run: NDArray[np.int32],
        weights: Floats,
        labels: NDArray[np.int32],
        starts: NDArray[np.int64],
        wanted: NDArray[np.bool_],
    ) -> None:
        self.distances = distances
        self.known = (run, weights, labels, starts, wanted)
        self.clusters, self.wanted = int(starts[-1]), wanted

    def better_mirrored(self) -> bool:
        """Whether half of the distances costs less than the accumulators of all objects.

        Measured: an accumulator's way through memory takes some 16 ns, and a distance less saves
        0.1 ns and 1 ns more for every 32 features.
        """
        distances = self.distances
        numbers = int(self.wanted.sum()) * self.clusters
        if isinstance(distances, Precomputed):  # there is nothing to compute
            return False
        if not distances.symmetric or numbers * distances.n * 8 > HELD:
            return False
        if not isinstance(distances, (Direct, Product)):
            return True
        return 16 * numbers <= distances.n * (distances.Z.shape[1] / 32 + 0.1)

    def empty(self, start: int, stop: int) -> _Columns:
        """Accumulators of no distances yet, and of no clusters for what is not wanted."""
        arrays = (
            np.full((self.clusters if want else 0, stop - start), fill)
            for want, fill in zip(self.wanted, (0.0, np.inf, 0.0, 0.0), strict=True)
        )
        return _Columns(start, stop, tuple(arrays))

    def strips(self, until: int) -> Iterator[_Columns]:
        """The accumulators of the objects before ``until``, strip by strip."""
        width = WIDTH if self.clusters <= 512 else WIDTH // 2

        def work(j0: int) -> _Columns:
            into = self.empty(j0, min(j0 + width, until))
            self._add(0, self.distances.n, into)
            return into

        yield from in_order(work, range(0, until, width), one_blas_thread=self.distances.uses_blas)

    def mirrored(self) -> Iterator[_Columns]:
        """As :meth:`strips` of all objects, from half of the distances, for symmetric ones.

        Holds the accumulators of all objects, and goes through the pairs of blocks of objects in
        rounds in which no two threads write to the same block.
        """
        n = self.distances.n
        side = min(max(n // 16 // WIDTH, 2), 8) * WIDTH
        held: dict[int, _Columns] = {}

        def begin(block: int) -> None:
            start = block * side
            held[block] = columns = self.empty(start, min(start + side, n))
            self._add(start, columns.stop, columns, columns)

        def work(pair: tuple[int, int]) -> None:
            rows, columns = (held[block] for block in pair)
            self._add(rows.start, rows.stop, columns, rows)

        def part(start: int) -> _Columns:
            return held[start // side].part(start, min(start + WIDTH, n))

        blocks = -(-n // side)
        with threads(one_blas_thread=self.distances.uses_blas) as each:
            deque(each(begin, range(blocks)), maxlen=0)
            for pairs in rounds(blocks):
                deque(each(work, pairs), maxlen=0)
            yield from each(part, range(0, n, WIDTH))

    def _add(self, r0: int, r1: int, into: _Columns, mirror: _Columns | None = None) -> None:
        """The distances of rows r0..r1 to columns; ``mirror`` takes those of the rows."""
        from karat._kernels import pairs

        distances, rows = self.distances, mirror or into
        if isinstance(distances, Direct):
            strip = distances.strip(into.start, into.stop)
            pairs.accumulate_direct(
                distances.kind, distances.Z, r0, r1, strip, distances.squared, *self.known,
                into.arrays, into.start, mirror is not None, rows.arrays, rows.start,
            )  # fmt: skip
            return
        if isinstance(distances, Precomputed) and mirror is None:
            pairs.accumulate_gathered(
                distances.D, distances.order, r0, r1, into.stop - into.start, *self.known,
                into.arrays, into.start,
            )  # fmt: skip
            return
        for j0 in range(into.start, into.stop, WIDTH):
            j1 = min(j0 + WIDTH, into.stop)
            strip, tile = distances.strip(j0, j1), np.empty((PRODUCT_ROWS, j1 - j0))
            start = r0 if mirror is not into else j0
            for a in range(start, r1, PRODUCT_ROWS):
                b = min(a + PRODUCT_ROWS, r1)
                distances.tile(a, b, j0, j1, strip, tile)
                pairs.accumulate(
                    tile, a, b - a, j0, distances.squared, *self.known,
                    into.arrays, into.start, mirror is not None, rows.arrays, rows.start,
                )  # fmt: skip


@dataclass
class PairResults:
    """What one pass found; per cluster, those of clustering m at ``starts[m]:starts[m + 1]``."""

    starts: NDArray[np.int64]
    per_cluster: Floats
    matrix_starts: NDArray[np.int64]
    sums: Floats
    minima: Floats
    maxima: Floats
    farthest: Floats
    objects: Floats | None


def sort_by_labels(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """An order in which objects of equal label tuples stand together, and the tuple's number."""
    n = codes.shape[1]
    rank = np.zeros(n, dtype=np.int64)
    for row in codes:
        # pairs of (tuple so far, label) renumbered: never larger than n
        keys = rank * (int(row.max(initial=0)) + 2) + row + 1
        _, rank = np.unique(keys, return_inverse=True)
    order = np.argsort(rank, kind="stable")
    return order, rank[order].astype(np.int32)


def pair_pass(
    distances: Distances,
    labelings: Labelings,
    weights: Floats | None = None,
    *,
    sums: bool = False,
    minima: bool = False,
    maxima: bool = False,
    inverses: bool = False,
    matrices: bool = False,
    objects: bool = False,
) -> PairResults:
    """All that is asked for, from one pass.

    Parameters
    ----------
    weights : ndarray of float64, shape (n,), optional
        Positive; how many coincident objects each stands for.
    sums, minima, maxima, inverses : bool
        Of distances (inverses: of 1/d²), from each object to each cluster, summed up for each
        cluster.
    matrices : bool
        Also for each pair of clusters.
    objects : bool
        Also keep the values of each object.

    Notes
    -----
    O(n² (d + runs per row · M)) time, where rows of equal label tuples are one run;
    O(n d + B Σk + M n) memory.
    """
    from karat._kernels import pairs

    codes = labelings.codes
    M, n = codes.shape
    starts = np.concatenate([[0], np.cumsum(labelings.n_clusters)]).astype(np.int64)
    K = int(starts[-1])
    order, run = sort_by_labels(codes)
    distances = distances.take(order)
    labels = np.ascontiguousarray(codes[:, order].T)
    sizes = np.concatenate([labelings.sizes(m, weights) for m in range(M)]).astype(np.float64)
    weights = np.ones(n) if weights is None else weights[order]
    wanted = np.array([sums, minima, maxima, inverses])
    if matrices:
        wanted[:3] = True
    tiles = _Tiles(distances, run, weights, labels, starts, wanted)
    strips = tiles.mirrored() if tiles.better_mirrored() else tiles.strips(n)
    per_cluster = np.zeros((K, 9))
    per_cluster[:, [pairs.NEAREST_WITHIN, pairs.NEAREST_BETWEEN]] = np.inf
    squares = labelings.n_clusters**2 if matrices else np.zeros(M, dtype=np.int64)
    matrix_starts = np.concatenate([[0], np.cumsum(squares)]).astype(np.int64)
    total = int(matrix_starts[-1])
    result = PairResults(
        starts, per_cluster, matrix_starts, np.zeros(total), np.full(total, np.inf),
        np.zeros(total), np.zeros(total), np.full((M, n, 8), np.nan) if objects else None,
    )  # fmt: skip
    nothing = np.empty((0, 0, 8))
    for j0, j1, found in strips:
        rows = np.full((M, j1 - j0, 8), np.nan) if objects else nothing
        pairs.fold(  # type: ignore[call-arg]
            labels[j0:j1], weights[j0:j1], starts, sizes, wanted, *found, result.per_cluster,
            matrix_starts, matrices, result.sums, result.minima, result.maxima,
            result.farthest, objects, rows,
        )  # fmt: skip
        if result.objects is not None:
            result.objects[:, order[j0:j1]] = rows
    per_cluster[:, [pairs.WITHIN_SUM, pairs.WITHIN_INVERSE]] /= 2
    return result


def sampled_pass(
    distances: Distances,
    labelings: Labelings,
    sample: NDArray[np.integer[Any]],
    *,
    sums: bool,
    minima: bool,
    inverses: bool,
) -> Floats:
    """What :func:`pair_pass` keeps of each object, of a sample: its distances to all objects.

    Parameters
    ----------
    distances : Distances
        Of all objects; :func:`karat.distances.distances_of_parts` copies no more than a block.
    sample : ndarray of int, shape (s,)
    sums, minima, inverses : bool
        As in :func:`pair_pass`.

    Returns
    -------
    ndarray of float64, shape (M, s, 8)

    Notes
    -----
    O(n s (d + M)) time. The objects are gone through in blocks, of which each thread adds the
    distances to some of the sample: O(block · d + s Σk + M n) memory.
    """
    from karat._kernels import pairs

    codes = labelings.codes
    M, n = codes.shape
    starts = np.concatenate([[0], np.cumsum(labelings.n_clusters)]).astype(np.int64)
    sizes = np.concatenate([labelings.sizes(m) for m in range(M)]).astype(np.float64)
    wanted = np.array([sums, minima, False, inverses])
    rest = np.ones(n, dtype=bool)
    rest[sample] = False
    place = sort_by_labels(codes[:, sample])[0]
    sample, s = sample[place], len(sample)
    held: dict[int, _Columns] = {}
    labels = np.empty((0, M), dtype=np.int32)
    # the sample among itself, then with the others, block by block
    for rows in itertools.chain([sample[:0]], _blocks_of(rest)):
        both = np.concatenate([sample, rows[sort_by_labels(codes[:, rows])[0]]])
        labels = np.ascontiguousarray(codes[:, both].T)
        tiles = _Tiles(
            distances.take(both), _runs(labels), np.ones(len(both)), labels, starts, wanted
        )
        first = s if len(rows) else 0

        def add(j0: int, tiles: _Tiles = tiles, first: int = first) -> None:
            into = held.get(j0)
            if into is None:
                into = held[j0] = tiles.empty(j0, min(j0 + WIDTH, s))
            tiles._add(first, tiles.distances.n, into)

        deque(
            in_order(add, range(0, s, WIDTH), one_blas_thread=tiles.distances.uses_blas), maxlen=0
        )
    found = np.full((M, s, 8), np.nan)
    nothing = np.zeros(0)
    for j0, (_, j1, arrays) in sorted(held.items()):
        part = np.full((M, j1 - j0, 8), np.nan)
        pairs.fold(  # type: ignore[call-arg]
            labels[j0:j1], np.ones(j1 - j0), starts, sizes, wanted, *arrays,
            np.zeros((int(starts[-1]), 9)), np.zeros(M + 1, dtype=np.int64), False,
            nothing, nothing, nothing, nothing, True, part,
        )  # fmt: skip
        found[:, place[j0:j1]] = part
    return found


class Distributed:
    """:func:`sampled_pass` on an executor: each job takes some of the sample.

    The data and the labels are sent once. What comes back is put together in order, and differs
    from one machine's only by the order of the sums.
    """

    def __init__(self, executor: Any, X: Data, metric: Any, labelings: Labelings) -> None:
        self.executor, send = as_executor(executor)
        self.X, self.labelings, self.metric = send(X), send(labelings), metric

    def __call__(
        self, distances: Distances, labelings: Labelings, sample: NDArray[Any], **wanted: bool
    ) -> Floats:
        """Parameters and result are those of :func:`sampled_pass`."""
        parts = [sample[i : i + PART] for i in range(0, len(sample), PART)]
        futures = [
            self.executor.submit(_sampled_part, self.X, self.metric, self.labelings, part, wanted)
            for part in parts
        ]
        return np.concatenate([future.result() for future in futures], axis=1)


def _sampled_part(
    X: Data, metric: Any, labelings: Labelings, part: NDArray[Any], wanted: dict[str, bool]
) -> Floats:
    return sampled_pass(distances_of_parts(X, metric), labelings, part, **wanted)


def _blocks_of(wanted: NDArray[np.bool_]) -> Iterator[NDArray[np.intp]]:
    """Numbers of the wanted objects, of a block of all objects at a time."""
    for start in range(0, len(wanted), BLOCK_ROWS):
        rows = np.flatnonzero(wanted[start : start + BLOCK_ROWS])
        if len(rows):
            yield start + rows


def _runs(labels: NDArray[np.int32]) -> NDArray[np.int32]:
    """Numbers that change where the labels of one row to the next do."""
    changes = (labels[1:] != labels[:-1]).any(axis=1)
    return np.concatenate([[0], np.cumsum(changes)]).astype(np.int32)


def split(values: NDArray[Any], starts: NDArray[np.int64]) -> list[NDArray[Any]]:
    """The part of each clustering."""
    return [values[a:b] for a, b in itertools.pairwise(starts)]
