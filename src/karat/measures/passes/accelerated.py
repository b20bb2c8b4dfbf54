"""The pass over all distances on a GPU: tiles of single precision, sums of double precision.

Written for any library that follows the array API standard. A tile comes from one product of
matrices, ∣x∣² + ∣y∣² − 2 x·y, of objects relative to the mean of the tile's columns, which are
sorted by label and so lie close together. Where little is left of the subtraction, it is
computed again: from a product of double precision where that concerns much of a tile, and from
differences of coordinates what even this does not tell from 0. Coincident objects are at
distance 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.distances import FORMS, Direct, Distances, Product
from karat.measures.passes.tiles import Columns, Known, R, Tiles
from karat.runtime.accelerators import Accelerator
from karat.runtime.validation import on_host

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: largest relative error of a distance; a squared one has twice that
ERROR = 1e-5
ROWS, WIDTH = 4096, 4096  # of a tile
HELD = 2**24  # numbers of an accumulator of one strip
GATHERED = 2**24  # coordinates that are gathered at a time
FEATURES = 256  # of one product: rounding grows with their number
UNIT = 2.0**-24  # half the distance from 1 to the next number of single precision
MANY = 1 / 16  # share of a tile that is worth a product of double precision
LOST = 1e-7  # share of |x|² + |y|² that is left of a product of double precision, at the least
TINY = 2.0**-60  # below it, squares of single precision may underflow


def is_accelerated(distances: Distances) -> bool:
    """Whether these are Euclidean distances of dense rows."""
    from karat._kernels.distances import SQUARED

    return isinstance(distances, Product) or (
        isinstance(distances, Direct) and distances.kind == SQUARED
    )


def error_of(metric: Any, *, sparse: bool) -> float:
    """Largest relative error of the distances of a pass on a GPU; 0 where it makes none."""
    if sparse or not isinstance(metric, str) or metric not in FORMS:
        return 0.0
    return ERROR if metric in ("euclidean", "seuclidean", "mahalanobis") else 2 * ERROR


def cancelled(d: int) -> float:
    """Below this share of |a|² + |b|² a square from a product in single precision is too inexact.

    A sum of f rounded products is taken to err by 3 √f units of |a||b| ≤ (|a|² + |b|²)/2 at most:
    the errors grow as √f where they are independent (Higham and Mary, 2019), and are much smaller
    as a rule. They are not where all coordinates are equal and added strictly in order; up to
    ``FEATURES`` of them stay below the error here all the same. Four more units come from the
    lengths and the subtraction, and √2 units of the root of |a|² + |b|² from the coordinates: less
    than a tenth of the error.
    """
    products = 3 * math.sqrt(min(d, FEATURES)) + 3 * math.sqrt(math.ceil(d / FEATURES))
    return (products + 4) * UNIT / (2 * 0.9 * ERROR)


class _Strip(NamedTuple):
    """The columns of tiles, relative to their mean: in double and single precision, |b|²."""

    start: int
    mean: Any
    exact: Any
    rounded: Any
    lengths: Any


class AcceleratedTiles(Tiles):
    """The distances of sorted objects, added up by column and cluster on a GPU."""

    def __init__(self, distances: Any, known: Known, on: Accelerator) -> None:
        super().__init__(distances, known)
        xp = self.xp = on.xp
        self.device, self.are_roots = on.device, distances.squared
        self.labels, self.starts = known.labels, known.starts
        self.width = min(WIDTH, max(HELD // max(self.clusters, 1), 256))
        Z = self._put(distances.Z)
        largest = float(xp.max(xp.abs(Z - xp.mean(Z, axis=0))))
        #: a power of 2, so that nothing is rounded
        self.scale = 2.0 ** math.frexp(largest)[1] if largest > 0 else 1.0
        self.Z = Z / self.scale
        self.cancelled = cancelled(Z.shape[1])
        self.codes = self._put(np.ascontiguousarray(known.labels.T))
        self.weights = None if (known.weights == 1).all() else self._put(known.weights)

    def _put(self, values: NDArray[Any]) -> Any:
        return self.xp.asarray(np.ascontiguousarray(values), device=self.device)

    def better_mirrored(self, held: int = 0) -> bool:
        """Never: what half of the distances saves, turning tiles over costs."""
        return False

    def each(self, work: Callable[[int], R], items: Iterable[int]) -> Iterator[R]:
        """One strip after the other: each keeps the device busy."""
        return map(work, items)

    def add(self, r0: int, r1: int, into: Columns, mirror: Columns | None = None) -> None:
        """The distances of rows r0..r1 to columns."""
        strip = self._strip(into.start, into.stop)
        found: list[Any] = [None, None, None, None]
        for a in range(r0, r1, ROWS):
            self._add(a, min(a + ROWS, r1), into.start, into.stop, strip, found)
        sums, minima, maxima, inverses = (
            None if one is None else np.asarray(on_host(one), dtype=np.float64) for one in found
        )
        unit, power = (self.scale, 1) if self.are_roots else (self.scale**2, 2)
        if sums is not None:
            into.arrays[0][:] += sums * unit
        if minima is not None:
            np.minimum(into.arrays[1], minima**power * unit, out=into.arrays[1])
        if maxima is not None:
            np.maximum(into.arrays[2], maxima**power * unit, out=into.arrays[2])
        if inverses is not None:
            into.arrays[3][:] += inverses / unit**2

    def _strip(self, j0: int, j1: int) -> _Strip:
        xp = self.xp
        mean = xp.mean(self.Z[j0:j1, :], axis=0)
        exact = self.Z[j0:j1, :] - mean
        rounded = xp.astype(exact, xp.float32)
        return _Strip(j0, mean, exact, rounded, self._lengths(rounded))

    def _lengths(self, rows: Any) -> Any:
        xp = self.xp
        double = xp.astype(rows, xp.float64)
        return xp.astype(xp.sum(double * double, axis=1), rows.dtype)

    def tile(self, r0: int, r1: int, strip: _Strip) -> Any:
        """Distances from the strip's objects (columns) to r0..r1 (rows), in single precision.

        Never squared ones, which might underflow.
        """
        xp = self.xp
        exact = self.Z[r0:r1, :] - strip.mean
        rounded = xp.astype(exact, xp.float32)
        both = self._lengths(rounded)[:, None] + strip.lengths[None, :]
        out = both - 2.0 * self._products(rounded, strip.rounded)
        near = out < self.cancelled * both + TINY
        out = self._roots(out)
        count = self._count(near)
        if count > MANY * out.shape[0] * out.shape[1]:
            both = self._lengths(exact)[:, None] + self._lengths(strip.exact)[None, :]
            fine = both - 2.0 * xp.matmul(exact, xp.matrix_transpose(strip.exact))
            out = xp.where(near, xp.astype(self._roots(fine), xp.float32), out)
            near = near & (fine < LOST * both)
            count = self._count(near)
        if count > 0:
            out[near] = self._differences(near, r0, strip.start)
        return out

    def _count(self, where: Any) -> int:
        return int(self.xp.sum(self.xp.astype(where, self.xp.int64)))

    def _roots(self, squares: Any) -> Any:
        xp = self.xp
        return xp.sqrt(xp.where(squares > 0, squares, xp.zeros_like(squares)))

    def _products(self, A: Any, B: Any) -> Any:
        xp = self.xp
        B = xp.matrix_transpose(B)
        total, d = None, A.shape[1]
        for f in range(0, d, FEATURES):
            end = min(f + FEATURES, d)
            product = xp.matmul(A[:, f:end], B[f:end, :])
            total = product if total is None else total + product
        return total

    def _differences(self, where: Any, r0: int, j0: int) -> Any:
        """Distances of some pairs of a tile that begins with the objects r0 and j0."""
        xp, Z = self.xp, self.Z
        rows, columns = xp.nonzero(where)
        step = max(GATHERED // Z.shape[1], 1)
        found = []
        for a in range(0, rows.shape[0], step):
            some = slice(a, min(a + step, rows.shape[0]))
            apart = xp.take(Z, rows[some] + r0, axis=0) - xp.take(Z, columns[some] + j0, axis=0)
            found.append(self._roots(xp.sum(apart * apart, axis=1)))
        return xp.astype(xp.concat(found), xp.float32)

    def _add(self, r0: int, r1: int, j0: int, j1: int, strip: _Strip, found: list[Any]) -> None:
        xp, wanted = self.xp, self.wanted
        tile = self.tile(r0, r1, strip)
        itself = None
        if r0 < j1 and j0 < r1:
            rows = xp.arange(r0, r1, device=self.device)
            itself = rows[:, None] == xp.arange(j0, j1, device=self.device)[None, :]
            tile = xp.where(itself, xp.zeros_like(tile), tile)
        members = self._members(r0, r1) if wanted[0] or wanted[3] else None
        if wanted[0]:
            sums = xp.matmul(members, self._double(tile))
            found[0] = sums if found[0] is None else found[0] + sums
        if wanted[2]:
            found[2] = self._extremes(tile, r0, r1, found[2], least=False)
        if itself is not None and (wanted[1] or wanted[3]):
            tile = xp.where(itself, xp.full_like(tile, math.inf), tile)
        if wanted[1]:
            found[1] = self._extremes(tile, r0, r1, found[1], least=True)
        if wanted[3]:
            inverses = self._inverses(tile, members)
            found[3] = inverses if found[3] is None else found[3] + inverses

    def _double(self, tile: Any) -> Any:
        """The distances that are asked for, in double precision."""
        tile = self.xp.astype(tile, self.xp.float64)
        return tile if self.are_roots else tile * tile

    def _members(self, r0: int, r1: int) -> Any:
        """Weights of the objects r0..r1 in each cluster of each clustering, shape (Σk, rows)."""
        xp = self.xp
        parts = []
        for m in range(len(self.starts) - 1):
            codes = self.codes[m, r0:r1]
            k = int(self.starts[m + 1] - self.starts[m])
            clusters = xp.arange(k, dtype=codes.dtype, device=self.device)
            parts.append(xp.astype(codes[None, :] == clusters[:, None], xp.float64))
        members = xp.concat(parts)
        return members if self.weights is None else members * self.weights[None, r0:r1]

    def _extremes(self, tile: Any, r0: int, r1: int, found: Any, *, least: bool) -> Any:
        """Smallest or largest distance of each column to each cluster."""
        xp = self.xp
        if found is None:
            shape = (self.clusters, tile.shape[1])
            start = math.inf if least else 0.0
            found = xp.full(shape, start, dtype=xp.float32, device=self.device)
        of, better = (xp.min, xp.minimum) if least else (xp.max, xp.maximum)
        for m, start in enumerate(self.starts[:-1].tolist()):
            codes = self.labels[r0:r1, m]
            order = np.argsort(codes, kind="stable")
            together = tile
            if (codes[1:] < codes[:-1]).any():
                together = xp.take(tile, self._put(order), axis=0)
            clusters, first = np.unique(codes[order], return_index=True)
            ends = [*first[1:].tolist(), r1 - r0]
            for c, a, b in zip(clusters.tolist(), first.tolist(), ends, strict=True):
                if c >= 0:
                    own = of(together[a:b, :], axis=0)
                    found[start + c, :] = better(found[start + c, :], own)
        return found

    def _inverses(self, tile: Any, members: Any) -> Any:
        """Sums of 1/d²: infinite where two coincide."""
        xp = self.xp
        tile = self._double(tile)
        zero = tile == 0
        safe = xp.where(zero, xp.ones_like(tile), tile)
        inverses = xp.where(zero, xp.zeros_like(tile), 1 / (safe * safe))
        sums = xp.matmul(members, inverses)
        if self._count(zero):
            coincident = xp.matmul(members, xp.astype(zero, xp.float64)) > 0
            sums = xp.where(coincident, xp.full_like(sums, math.inf), sums)
        return sums
