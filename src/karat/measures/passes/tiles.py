"""Distances by strips of columns, on all cores, added up by column and cluster.

Threads run compiled code that releases the GIL; strips are added up in their order, so that results
do not depend on the number of threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from karat.distances import Direct, Distances, Precomputed, Product
from karat.runtime.threads import in_order, threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

R = TypeVar("R")

WIDTH = 128  # columns of a strip
PRODUCT_ROWS = 512  # long enough for a matrix product to run at full speed
HELD = 128 * 2**20  # bytes of accumulators of all objects, above which tiles are not mirrored


def rounds(count: int) -> Iterator[list[tuple[int, int]]]:
    """All pairs of ``count`` things, in rounds in which each has at most one other."""
    ring = list(range(count + count % 2))
    for _ in range(len(ring) - 1):
        pairs = zip(ring[: len(ring) // 2], reversed(ring), strict=False)
        yield [(max(pair), min(pair)) for pair in pairs if max(pair) < count]
        ring[1:] = [ring[-1], *ring[1:-1]]


class Columns(NamedTuple):
    """Accumulators of the objects start..stop: sums, minima, maxima and sums of 1/d²."""

    start: int
    stop: int
    arrays: tuple[Floats, ...]

    def part(self, start: int, stop: int) -> Columns:
        """Those of some of the objects."""
        window = slice(start - self.start, stop - self.start)
        return Columns(start, stop, tuple(np.ascontiguousarray(x[:, window]) for x in self.arrays))

    def strips(self) -> Iterator[Columns]:
        """Those of :data:`WIDTH` objects at a time."""
        for start in range(self.start, self.stop, WIDTH):
            yield self.part(start, min(start + WIDTH, self.stop))

    def add(self, other: Columns) -> Columns:
        """Those of the same objects from other distances, too."""
        ways = (np.add, np.minimum, np.maximum, np.add)
        found = (way(x, y) for way, x, y in zip(ways, self.arrays, other.arrays, strict=True))
        return Columns(self.start, self.stop, tuple(found))


class Known(NamedTuple):
    """What the kernels are told of sorted objects, and what is wanted of their distances."""

    run: NDArray[np.int32]
    weights: Floats
    labels: NDArray[np.int32]
    starts: NDArray[np.int64]
    wanted: NDArray[np.bool_]


class Tiles:
    """The distances of sorted objects, added up by column and cluster."""

    def __init__(self, distances: Distances, known: Known) -> None:
        self.distances, self.known = distances, known
        self.clusters, self.wanted = int(known.starts[-1]), known.wanted
        self.n, self.width = distances.n, WIDTH if self.clusters <= 512 else WIDTH // 2

    def better_mirrored(self, held: int = HELD) -> bool:
        """Whether half of the distances costs less than the accumulators of all objects.

        These may take ``held`` bytes.

        Measured: an accumulator's way through memory takes some 16 ns, and a distance less saves
        0.1 ns and 1 ns more for every 32 features.
        """
        distances = self.distances
        numbers = int(self.wanted.sum()) * self.clusters
        if isinstance(distances, Precomputed):  # there is nothing to compute
            return False
        if not distances.symmetric or numbers * distances.n * 8 > held:
            return False
        if not isinstance(distances, (Direct, Product)):
            return True
        return 16 * numbers <= distances.n * (distances.Z.shape[1] / 32 + 0.1)

    def empty(self, start: int, stop: int) -> Columns:
        """Accumulators of no distances yet, and of no clusters for what is not wanted."""
        arrays = (
            np.full((self.clusters if want else 0, stop - start), fill)
            for want, fill in zip(self.wanted, (0.0, np.inf, 0.0, 0.0), strict=True)
        )
        return Columns(start, stop, tuple(arrays))

    def strips(self, first: int, last: int) -> Iterator[Columns]:
        """The accumulators of the objects first..last, strip by strip."""

        def work(j0: int) -> Columns:
            into = self.empty(j0, min(j0 + self.width, last))
            self.add(0, self.n, into)
            return into

        yield from self.each(work, range(first, last, self.width))

    def each(self, work: Callable[[int], R], items: Iterable[int]) -> Iterator[R]:
        """``map(work, items)`` where the distances are computed."""
        return in_order(work, items, one_blas_thread=self.distances.uses_blas)

    def mirrored(self) -> Iterator[Columns]:
        """As :meth:`strips` of all objects, from half of the distances, for symmetric ones.

        Holds the accumulators of all objects, and goes through the pairs of blocks of objects in
        rounds in which no two threads write to the same block.
        """
        n = self.distances.n
        side = min(max(n // 16 // WIDTH, 2), 8) * WIDTH
        held: dict[int, Columns] = {}

        def begin(block: int) -> None:
            start = block * side
            held[block] = columns = self.empty(start, min(start + side, n))
            self.add(start, columns.stop, columns, columns)

        def work(pair: tuple[int, int]) -> None:
            rows, columns = (held[block] for block in pair)
            self.add(rows.start, rows.stop, columns, rows)

        def part(start: int) -> Columns:
            return held[start // side].part(start, min(start + WIDTH, n))

        blocks = -(-n // side)
        with threads(one_blas_thread=self.distances.uses_blas) as each:
            deque(each(begin, range(blocks)), maxlen=0)
            for pairs in rounds(blocks):
                deque(each(work, pairs), maxlen=0)
            yield from each(part, range(0, n, WIDTH))

    def add(self, r0: int, r1: int, into: Columns, mirror: Columns | None = None) -> None:
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
