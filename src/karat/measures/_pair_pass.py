"""The pass over all distances for all clusterings: strips of columns, on all cores.

Threads run compiled code that holds no lock; strips are added up in their order, so that results
do not depend on the number of threads.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from karat.distances import Direct, Distances
from karat.partition import Labelings
from karat.resources import available_cores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

T = TypeVar("T")
R = TypeVar("R")

TILE_ROWS = 32  # of 128 columns: a tile stays in the first cache
PRODUCT_ROWS = 512  # long enough for a matrix product to run at full speed


def in_order(
    work: Callable[[T], R], items: Iterable[T], *, one_blas_thread: bool = False
) -> Iterator[R]:
    """``map(work, items)`` on all cores, with few results held at a time."""
    cores = available_cores()
    limit: AbstractContextManager[Any] = nullcontext()
    if one_blas_thread:
        from threadpoolctl import threadpool_limits

        limit = threadpool_limits(1, "blas")
    with limit:
        if cores == 1:
            yield from map(work, items)
            return
        with ThreadPoolExecutor(cores) as pool:
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
    *,
    sums: bool = False,
    minima: bool = False,
    maxima: bool = False,
    inverses: bool = False,
    matrices: bool = False,
    objects: bool = False,
    sample: NDArray[np.integer[Any]] | None = None,
) -> PairResults:
    """All that is asked for, from one pass.

    Parameters
    ----------
    sums, minima, maxima, inverses : bool
        Of distances (inverses: of 1/d²), from each object to each cluster, summed up for each
        cluster.
    matrices : bool
        Also for each pair of clusters.
    objects : bool
        Also keep the values of each object.
    sample : ndarray of int, optional
        Only these objects' distances (to all objects) are looked at, and ``objects`` are theirs,
        in this order.

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
    looked_at, place = n, order
    if sample is not None:
        # first the objects of the sample, then the rest, each part sorted
        rest = np.ones(n, dtype=bool)
        rest[sample] = False
        parts = np.concatenate([np.flatnonzero(~rest[order]), np.flatnonzero(rest[order])])
        order, run = order[parts], run[parts]
        looked_at, place = len(sample), np.empty(n, dtype=np.int64)
        place[sample] = np.arange(looked_at)
        place = place[order[:looked_at]]
    distances = distances.take(order)
    labels = np.ascontiguousarray(codes[:, order].T)
    sizes = np.concatenate([labelings.sizes(m) for m in range(M)]).astype(np.float64)
    wanted = np.array([sums, minima, maxima, inverses])
    if matrices:
        wanted[:3] = True
    width = 128 if K <= 512 else 64

    def accumulators(B: int) -> list[Floats]:
        return [
            np.full((K if want else 0, B), fill)
            for want, fill in zip(wanted, (0.0, np.inf, 0.0, 0.0), strict=True)
        ]

    def work(j0: int) -> tuple[int, list[Floats]]:
        j1 = min(j0 + width, looked_at)
        strip = distances.strip(j0, j1)
        found = accumulators(j1 - j0)
        partial = np.zeros((4, j1 - j0))
        partial[1] = np.inf
        if isinstance(distances, Direct):
            tile = np.empty((TILE_ROWS, j1 - j0))
            pairs.accumulate_direct(
                distances.kind, distances.Z, strip, tile, j0, distances.squared,
                run, labels, starts, wanted, partial, *found,
            )  # fmt: skip
        else:
            tile = np.empty((PRODUCT_ROWS, j1 - j0))
            for r0 in range(0, n, PRODUCT_ROWS):
                r1 = min(r0 + PRODUCT_ROWS, n)
                distances.tile(r0, r1, j0, j1, strip, tile)
                pairs.accumulate(
                    tile, r0, r1 - r0, j0, distances.squared,
                    run, labels, starts, wanted, partial, *found,
                )  # fmt: skip
        pairs.finish(labels[n - 1], starts, distances.squared, wanted, partial, *found)
        return j0, found

    per_cluster = np.zeros((K, 9))
    per_cluster[:, [pairs.NEAREST_WITHIN, pairs.NEAREST_BETWEEN]] = np.inf
    squares = labelings.n_clusters**2 if matrices else np.zeros(M, dtype=np.int64)
    matrix_starts = np.concatenate([[0], np.cumsum(squares)]).astype(np.int64)
    total = int(matrix_starts[-1])
    result = PairResults(
        starts, per_cluster, matrix_starts, np.zeros(total), np.full(total, np.inf),
        np.zeros(total), np.zeros(total), np.full((M, looked_at, 8), np.nan) if objects else None,
    )  # fmt: skip
    nothing = np.empty((0, 0, 8))
    for j0, found in in_order(
        work, range(0, looked_at, width), one_blas_thread=distances.uses_blas
    ):
        j1 = min(j0 + width, looked_at)
        rows = np.full((M, j1 - j0, 8), np.nan) if objects else nothing
        pairs.fold(  # type: ignore[call-arg]
            labels[j0:j1], starts, sizes, wanted, *found, result.per_cluster,
            matrix_starts, matrices, result.sums, result.minima, result.maxima,
            result.farthest, objects, rows,
        )  # fmt: skip
        if result.objects is not None:
            result.objects[:, place[j0:j1]] = rows
    per_cluster[:, [pairs.WITHIN_SUM, pairs.WITHIN_INVERSE]] /= 2
    return result


def split(values: NDArray[Any], starts: NDArray[np.int64]) -> list[NDArray[Any]]:
    """The part of each clustering."""
    return [values[a:b] for a, b in itertools.pairwise(starts)]
