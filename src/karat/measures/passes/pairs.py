"""The pass over all distances for all clusterings, and over those of a sample."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import Distances, as_distances, distances_of_parts
from karat.labelings.partitions import Labelings
from karat.measures.passes.tiles import HELD, WIDTH, Columns, Known, Tiles
from karat.runtime.executors import Workers, tree_sum
from karat.runtime.validation import Data

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PARTS = 128  # of a pass on an executor, whatever the number of its workers
BLOCKS = 12  # of objects, each pair of which is a part where distances are not computed twice
#: of a sample; each sorts all objects first, which takes as long as 50 to 150 of the sample
SAMPLE_PARTS = 64
BLOCK_ROWS = 2**19  # objects whose distances to a sample are taken at a time


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

    def add(self, other: PairResults) -> PairResults:
        """What both found; the other has the objects that come next."""
        from karat._kernels import pairs

        mine, its = self.per_cluster, other.per_cluster
        total = mine + its
        for column in (pairs.NEAREST_WITHIN, pairs.NEAREST_BETWEEN):
            total[:, column] = np.minimum(mine[:, column], its[:, column])
        total[:, pairs.DIAMETER] = np.maximum(mine[:, pairs.DIAMETER], its[:, pairs.DIAMETER])
        objects = None
        if self.objects is not None and other.objects is not None:
            objects = np.concatenate([self.objects, other.objects], axis=1)
        return PairResults(
            self.starts,
            total,
            self.matrix_starts,
            self.sums + other.sums,
            np.minimum(self.minima, other.minima),
            np.maximum(self.maxima, other.maxima),
            np.maximum(self.farthest, other.farthest),
            objects,
        )


def sort_by_labels(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """An order in which objects of equal label tuples stand together, and the tuple's number."""
    rank = np.zeros(codes.shape[1], dtype=np.int64)
    largest = 0
    for row in codes:
        radix = int(row.max(initial=0)) + 2
        if (largest + 1) * radix > 2**62:
            # tuples so far renumbered: never more than objects
            _, rank = np.unique(rank, return_inverse=True)
            largest = len(rank)
        rank = rank * radix + row + 1
        largest = largest * radix + radix
    _, rank = np.unique(rank, return_inverse=True)
    order = np.argsort(rank, kind="stable")
    return order, rank[order].astype(np.int32)


@dataclass
class _Sorted:
    """Objects of equal label tuples side by side, and what is wanted of their distances."""

    order: NDArray[np.int64]
    run: NDArray[np.int32]
    #: of each object, its label in each clustering
    labels: NDArray[np.int32]
    weights: Floats
    starts: NDArray[np.int64]
    sizes: Floats
    wanted: NDArray[np.bool_]
    matrix_starts: NDArray[np.int64]
    matrices: bool
    objects: bool

    @classmethod
    def of(
        cls,
        labelings: Labelings,
        weights: Floats | None,
        *,
        sums: bool = False,
        minima: bool = False,
        maxima: bool = False,
        inverses: bool = False,
        matrices: bool = False,
        objects: bool = False,
    ) -> _Sorted:
        codes = labelings.codes
        M, n = codes.shape
        order, run = sort_by_labels(codes)
        squares = labelings.n_clusters**2 if matrices else np.zeros(M, dtype=np.int64)
        return cls(
            order,
            run,
            np.ascontiguousarray(codes[:, order].T),
            np.ones(n) if weights is None else weights[order],
            np.concatenate([[0], np.cumsum(labelings.n_clusters)]).astype(np.int64),
            np.concatenate([labelings.sizes(m, weights) for m in range(M)]).astype(np.float64),
            np.array([sums or matrices, minima or matrices, maxima or matrices, inverses]),
            np.concatenate([[0], np.cumsum(squares)]).astype(np.int64),
            matrices,
            objects,
        )

    def tiles(self, distances: Distances) -> Tiles:
        known = Known(self.run, self.weights, self.labels, self.starts, self.wanted)
        return Tiles(distances.take(self.order), known)

    def fold(self, strips: Iterable[Columns], first: int, last: int) -> PairResults:
        """What is left of the accumulators of the objects first..last."""
        from karat._kernels import pairs

        K, M, total = int(self.starts[-1]), len(self.starts) - 1, int(self.matrix_starts[-1])
        per_cluster = np.zeros((K, 9))
        per_cluster[:, [pairs.NEAREST_WITHIN, pairs.NEAREST_BETWEEN]] = np.inf
        result = PairResults(
            self.starts, per_cluster, self.matrix_starts, np.zeros(total), np.full(total, np.inf),
            np.zeros(total), np.zeros(total),
            np.full((M, last - first, 8), np.nan) if self.objects else None,
        )  # fmt: skip
        nothing = np.empty((0, 0, 8))
        for j0, j1, found in strips:
            rows = np.full((M, j1 - j0, 8), np.nan) if self.objects else nothing
            pairs.fold(  # type: ignore[call-arg]
                self.labels[j0:j1], self.weights[j0:j1], self.starts, self.sizes, self.wanted,
                *found, per_cluster, self.matrix_starts, self.matrices, result.sums,
                result.minima, result.maxima, result.farthest, self.objects, rows,
            )  # fmt: skip
            if result.objects is not None:
                result.objects[:, j0 - first : j1 - first] = rows
        return result

    def finish(self, result: PairResults) -> PairResults:
        """Each pair within counted once, and the objects in their own order."""
        from karat._kernels import pairs

        result.per_cluster[:, [pairs.WITHIN_SUM, pairs.WITHIN_INVERSE]] /= 2
        if result.objects is not None:
            place = np.empty_like(self.order)
            place[self.order] = np.arange(len(place))
            result.objects = result.objects[:, place]
        return result


def pair_pass(
    distances: Distances,
    labelings: Labelings,
    weights: Floats | None = None,
    **wanted: bool,
) -> PairResults:
    """All that is asked for, from one pass.

    Parameters
    ----------
    weights : ndarray of float64, shape (n,), optional
        Positive object weights (frequencies).
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
    n = distances.n
    asked = _Sorted.of(labelings, weights, **wanted)
    tiles = asked.tiles(distances)
    strips = tiles.mirrored() if tiles.better_mirrored() else tiles.strips(0, n)
    return asked.finish(asked.fold(strips, 0, n))


def distributed_pair_pass(
    workers: Workers,
    X: Data,
    metric: Any,
    labelings: Labelings,
    weights: Floats | None = None,
    **wanted: bool,
) -> PairResults:
    """:func:`pair_pass` in parts, which depend on the data and not on the workers.

    A part is of some of the objects and has their distances to all, each of which is so computed
    from both ends; what a part sends back does not grow with the number of its objects (but with
    ``objects``), and parts are added up in pairs of neighbours. Where distances cost more than
    accumulators, a part is of two blocks of objects, and sends back the accumulators of both,
    which are added up in order.
    """
    n = labelings.n_objects
    asked = _Sorted.of(labelings, weights, **wanted)
    data = (X, weights, asked)
    # all that are sent back take BLOCKS + 1 times as much
    if asked.tiles(as_distances(X, metric, weights=weights)).better_mirrored(HELD // 4):
        width = _width(n, BLOCKS)
        blocks = [(first, min(first + width, n)) for first in range(0, n, width)]
        pairs = itertools.combinations_with_replacement(reversed(blocks), 2)
        found = workers.map(partial(_block_pair, metric), data, pairs)
        return asked.finish(asked.fold(_added(found), 0, n))
    width = _width(n, PARTS)
    ranges = [(first, min(first + width, n)) for first in range(0, n, width)]
    parts = workers.map(partial(_part, metric), data, ranges)
    return asked.finish(tree_sum(parts, PairResults.add))


def _block_pair(
    metric: Any,
    X: Data,
    weights: Floats | None,
    asked: _Sorted,
    pair: tuple[tuple[int, int], tuple[int, int]],
) -> list[Columns]:
    tiles = asked.tiles(as_distances(X, metric, weights=weights))
    rows, columns = (tiles.empty(*block) for block in pair)
    if pair[0] == pair[1]:
        tiles.add(*pair[0], columns, columns)
        return [columns]
    tiles.add(*pair[0], columns, rows)
    return [rows, columns]


def _added(found: Iterable[list[Columns]]) -> Iterator[Columns]:
    """The accumulators of all blocks, strip by strip."""
    held: dict[int, Columns] = {}
    for part in found:
        for columns in part:
            known = held.get(columns.start)
            held[columns.start] = columns if known is None else known.add(columns)
    for _, columns in sorted(held.items()):
        yield from columns.strips()


def _part(
    metric: Any, X: Data, weights: Floats | None, asked: _Sorted, part: tuple[int, int]
) -> PairResults:
    tiles = asked.tiles(as_distances(X, metric, weights=weights))
    return asked.fold(tiles.strips(*part), *part)


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
    held: dict[int, Columns] = {}
    labels = np.empty((0, M), dtype=np.int32)
    # the sample among itself, then with the others, block by block
    for rows in itertools.chain([sample[:0]], _blocks_of(rest)):
        both = np.concatenate([sample, rows[sort_by_labels(codes[:, rows])[0]]])
        labels = np.ascontiguousarray(codes[:, both].T)
        known = Known(_runs(labels), np.ones(len(both)), labels, starts, wanted)
        tiles = Tiles(distances.take(both), known)
        first = s if len(rows) else 0

        def add(j0: int, tiles: Tiles = tiles, first: int = first) -> None:
            into = held.get(j0)
            if into is None:
                into = held[j0] = tiles.empty(j0, min(j0 + tiles.width, s))
            tiles.add(first, tiles.n, into)

        deque(tiles.each(add, range(0, s, tiles.width)), maxlen=0)
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


def distributed_sample(workers: Workers, X: Data, metric: Any) -> Callable[..., Floats]:
    """:func:`sampled_pass` in parts: of some of the sample, the distances to all objects.

    What comes back is put together in order, and differs from one process's only by the order of
    the sums.
    """

    def run(
        distances: Distances, labelings: Labelings, sample: NDArray[Any], **wanted: bool
    ) -> Floats:
        width = _width(len(sample), SAMPLE_PARTS)
        parts = [sample[i : i + width] for i in range(0, len(sample), width)]
        work = partial(_sampled_part, metric, wanted)
        return np.concatenate(list(workers.map(work, (X, labelings), parts)), axis=1)

    return run


def _sampled_part(
    metric: Any, wanted: dict[str, Any], X: Data, labelings: Labelings, part: NDArray[Any]
) -> Floats:
    return sampled_pass(distances_of_parts(X, metric), labelings, part, **wanted)


def _width(n: int, parts: int) -> int:
    """How many of n objects are a part, in whole strips."""
    return WIDTH * -(-n // (WIDTH * parts))


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
