"""Distances of sorted objects by tiles, added up by column and cluster.

Compiled code releases the GIL; results do not depend on the number of threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sortal.distances import TILE_ROWS, TILE_WIDTH, Direct, Distances, Precomputed, Product
from sortal.runtime.threads import threads
from sortal.typing import Bools, Floats

#: limit of cost: mean columns of a run from which a tile is added up by rows, not turned
LONG_RUN = 16
#: limit of cost: rows of a tile of a stored matrix, read row by row
MATRIX_TILE_ROWS = 2**14
#: limit of cost: memory for accumulators of all objects; above, tiles are not mirrored
MAX_ACCUMULATOR_BYTES = 128 * 2**20


def block_size(n: int) -> int:
    """Number of objects in a block of n objects."""
    return min(max(n // 16 // TILE_WIDTH, 1), 8) * TILE_WIDTH


def rounds(count: int) -> Iterator[list[tuple[int, int]]]:
    """All pairs of ``count`` items, in rounds of disjoint pairs."""
    ring = list(range(count + count % 2))
    for _ in range(len(ring) - 1):
        pairs = zip(ring[: len(ring) // 2], reversed(ring), strict=False)
        yield [(max(pair), min(pair)) for pair in pairs if max(pair) < count]
        ring[1:] = [ring[-1], *ring[1:-1]]


class Accumulators(NamedTuple):
    """Accumulators of the objects start..stop: sums, minima, maxima and sums of 1/d²."""

    start: int
    stop: int
    arrays: tuple[Floats, ...]


class SortedObjects(NamedTuple):
    """Sorted objects for the kernel, and flags of the wanted accumulators.

    ``run`` numbers groups of adjacent objects with equal labels; ``labels`` are (n, M).
    """

    run: NDArray[np.int32]
    weights: Floats
    labels: NDArray[np.int32]
    starts: NDArray[np.int64]
    wanted: Bools

    def empty(self, start: int, stop: int) -> Accumulators:
        """Empty accumulators of some objects; those not wanted have no rows."""
        arrays = (
            np.full((self.starts[-1] if want else 0, stop - start), fill)
            for want, fill in zip(self.wanted, (0.0, np.inf, 0.0, 0.0), strict=True)
        )
        return Accumulators(start, stop, tuple(arrays))


def pays_mirrored(distances: Distances, objects: SortedObjects) -> bool:
    """Whether computing half of the distances saves more than accumulators of all objects cost.

    Measured: moving an accumulator through memory takes some 16 ns; omitting a distance saves
    0.1 ns, and 1 ns more for every 32 features.
    """
    numbers = int(objects.wanted.sum() * objects.starts[-1])
    if isinstance(distances, Precomputed) or numbers * distances.n * 8 > MAX_ACCUMULATOR_BYTES:
        return False
    if not isinstance(distances, (Direct, Product)):
        return distances.symmetric
    return 16 * numbers <= distances.n * (distances.Z.shape[1] / 32 + 0.1)


def mirrored(distances: Distances, objects: SortedObjects) -> Iterator[Accumulators]:
    """Accumulators of all objects from half of their symmetric distances.

    In each round of pairs of blocks, no two threads write to the same block.
    """
    n, width = distances.n, block_size(distances.n)
    accumulators = [objects.empty(start, min(start + width, n)) for start in range(0, n, width)]

    def work(pair: tuple[int, int]) -> None:
        rows, columns = (accumulators[block] for block in pair)
        add_distances(distances, objects, rows.start, rows.stop, columns, rows)

    with threads(one_blas_thread=distances.uses_blas) as each:
        deque(each(work, ((block, block) for block in range(len(accumulators)))), maxlen=0)
        for pairs in rounds(len(accumulators)):
            deque(each(work, pairs), maxlen=0)
    yield from accumulators


def add_distances(
    distances: Distances,
    objects: SortedObjects,
    r0: int,
    r1: int,
    into: Accumulators,
    mirror: Accumulators | None = None,
) -> None:
    """Add the distances of rows r0..r1 to columns, and transposed to ``mirror``.

    A square on the diagonal contains both directions.
    """
    from sortal._kernels.pairs import accumulate, accumulate_rows, turn

    rows = min(MATRIX_TILE_ROWS if isinstance(distances, Precomputed) else TILE_ROWS, r1 - r0)
    room, turned_room = np.empty(rows * TILE_WIDTH), np.empty(rows * TILE_WIDTH if mirror else 0)
    for j0 in range(into.start, into.stop, TILE_WIDTH):
        j1 = min(j0 + TILE_WIDTH, into.stop)
        strip = distances.strip(j0, j1)
        runs = objects.run[j1 - 1] - objects.run[j0] + 1
        a = j0 if mirror is into else r0
        while a < r1:
            b = min(a + (rows if mirror is None or a != j0 else TILE_WIDTH), r1)
            tile = room[: (b - a) * (j1 - j0)].reshape(b - a, j1 - j0)
            distances.tile(a, b, j0, j1, strip, tile)
            accumulate(tile, distances.squared, a, j0, tuple(objects), into.arrays, j0 - into.start)
            if mirror is not None and a != j0 and runs * LONG_RUN <= j1 - j0:
                accumulate_rows(tile, j0, tuple(objects), mirror.arrays, a - mirror.start)
            elif mirror is not None and a != j0:
                turned = turned_room[: tile.size].reshape(tile.T.shape)
                turn(tile, turned)
                accumulate(turned, False, j0, a, tuple(objects), mirror.arrays, a - mirror.start)
            a = b
