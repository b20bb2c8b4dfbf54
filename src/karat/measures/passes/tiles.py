"""Distances of sorted objects by tiles, added up by column and cluster.

Compiled code releases the GIL; results do not depend on the number of threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from karat.distances import Direct, Distances, Precomputed, Product
from karat.runtime.threads import threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

WIDTH = 128  # columns of a tile
ROWS = 512  # of a tile, long enough for a matrix product to run at full speed
ROWS_OF_MATRIX = 2**14  # of which a line is read from end to end
HELD = 128 * 2**20  # bytes of accumulators of all objects, above which tiles are not mirrored


def side(n: int) -> int:
    """How many of n objects are one block."""
    return min(max(n // 16 // WIDTH, 1), 8) * WIDTH


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


class Known(NamedTuple):
    """What the kernel is told of sorted objects, and what is wanted of their distances.

    ``run`` numbers objects of equal labels, which stand together; ``labels`` are (n, M).
    """

    run: NDArray[np.int32]
    weights: Floats
    labels: NDArray[np.int32]
    starts: NDArray[np.int64]
    wanted: NDArray[np.bool_]

    def empty(self, start: int, stop: int) -> Columns:
        """Accumulators of no distances yet, and of no clusters for what is not wanted."""
        arrays = (
            np.full((self.starts[-1] if want else 0, stop - start), fill)
            for want, fill in zip(self.wanted, (0.0, np.inf, 0.0, 0.0), strict=True)
        )
        return Columns(start, stop, tuple(arrays))


def pays_mirrored(distances: Distances, known: Known) -> bool:
    """Whether half of the distances costs less than the accumulators of all objects.

    Measured: an accumulator's way through memory takes some 16 ns, and a distance less saves
    0.1 ns and 1 ns more for every 32 features.
    """
    numbers = int(known.wanted.sum() * known.starts[-1])
    if isinstance(distances, Precomputed) or numbers * distances.n * 8 > HELD:
        return False
    if not isinstance(distances, (Direct, Product)):
        return distances.symmetric
    return 16 * numbers <= distances.n * (distances.Z.shape[1] / 32 + 0.1)


def mirrored(distances: Distances, known: Known) -> Iterator[Columns]:
    """The accumulators of all objects, from half of their distances, which are symmetric.

    Goes through the pairs of blocks of objects in rounds in which no two threads write to the same
    block.
    """
    n, width = distances.n, side(distances.n)
    held = [known.empty(start, min(start + width, n)) for start in range(0, n, width)]

    def work(pair: tuple[int, int]) -> None:
        rows, columns = (held[block] for block in pair)
        add(distances, known, rows.start, rows.stop, columns, rows)

    with threads(one_blas_thread=distances.uses_blas) as each:
        deque(each(work, ((block, block) for block in range(len(held)))), maxlen=0)
        for pairs in rounds(len(held)):
            deque(each(work, pairs), maxlen=0)
    yield from held


def add(
    distances: Distances,
    known: Known,
    r0: int,
    r1: int,
    into: Columns,
    mirror: Columns | None = None,
) -> None:
    """Add the distances of rows r0..r1 to columns; ``mirror`` takes those of the rows.

    A square on the diagonal has both ways by itself.
    """
    from karat._kernels.pairs import accumulate, turn

    rows = min(ROWS_OF_MATRIX if isinstance(distances, Precomputed) else ROWS, r1 - r0)
    room, turned_room = np.empty(rows * WIDTH), np.empty(rows * WIDTH if mirror else 0)
    for j0 in range(into.start, into.stop, WIDTH):
        j1 = min(j0 + WIDTH, into.stop)
        strip = distances.strip(j0, j1)
        a = j0 if mirror is into else r0
        while a < r1:
            b = min(a + (rows if mirror is None or a != j0 else WIDTH), r1)
            tile = room[: (b - a) * (j1 - j0)].reshape(b - a, j1 - j0)
            distances.tile(a, b, j0, j1, strip, tile)
            accumulate(tile, distances.squared, a, j0, tuple(known), into.arrays, j0 - into.start)
            if mirror is not None and a != j0:
                turned = turned_room[: tile.size].reshape(tile.T.shape)
                turn(tile, turned)
                accumulate(turned, False, j0, a, tuple(known), mirror.arrays, a - mirror.start)
            a = b
