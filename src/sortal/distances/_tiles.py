"""Tiles of distances: from differences, matrix products, blocks, or a matrix."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from sortal.distances._precomputed import is_symmetric
from sortal.typing import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from sortal.typing import Floats, Ints, Rows

#: limit of cost: columns of a tile, and rows with which a matrix product runs at full speed
TILE_WIDTH, TILE_ROWS = 128, 512

#: columns prepared by a class's ``strip`` for its ``tile``: an array, arrays, or None
Strip: TypeAlias = Any


class Distances:
    """Tiles of distances between n objects.

    Attributes
    ----------
    n : int
        Number of objects.
    squared : bool
        Whether tiles have squared distances.
    symmetric : bool
        Whether d(x, y) = d(y, x).
    """

    n: int
    squared: bool = False
    symmetric: bool = True
    uses_blas: ClassVar[bool] = False

    def take(self, order: Ints) -> Distances:
        """Distances between the objects ``order``, in that order."""
        raise NotImplementedError

    def strip(self, j0: int, j1: int) -> Strip:
        """Columns j0..j1, prepared for :meth:`tile`."""
        return None

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Strip, out: Floats) -> None:
        """Write the distances from objects j0..j1 (columns) to r0..r1 (rows) to ``out``.

        It has exactly as many rows and columns: kernels write to all of its rows unchecked.
        """
        raise NotImplementedError

    def block(self, rows: slice, columns: slice) -> Floats:
        """Distances, never squared, between two ranges of objects."""
        r0, r1, _ = rows.indices(self.n)
        j0, j1, _ = columns.indices(self.n)
        out = np.empty((r1 - r0, j1 - j0))
        self.tile(r0, r1, j0, j1, self.strip(j0, j1), out)
        same = np.arange(max(r0, j0), min(r1, j1))
        out[same - r0, same - j0] = 0.0
        return np.sqrt(out) if self.squared else out


class Direct(Distances):
    """Distances from differences of coordinates: exact for tight clusters far from the origin.

    With ``ordered`` features are added strictly in their order.
    """

    def __init__(self, Z: Floats, kind: int, *, squared: bool, ordered: bool = False) -> None:
        self.Z, self.kind, self.squared, self.n, self.ordered = Z, kind, squared, len(Z), ordered

    def take(self, order: Ints) -> Distances:
        """Distances between the objects ``order``."""
        Z = self.Z[order]
        return Direct(Z, self.kind, squared=self.squared, ordered=self.ordered)

    def strip(self, j0: int, j1: int) -> Floats:
        """Columns j0..j1, prepared for :meth:`tile`."""
        return np.ascontiguousarray(self.Z[j0:j1].T)

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Strip, out: Floats) -> None:
        """Write a tile of distances to ``out``."""
        from sortal._kernels.distances import direct_tile, exact_tile

        tile = exact_tile if self.ordered else direct_tile
        tile(self.kind, self.Z, r0, r1, strip, out)


class Product(Distances):
    """Squared Euclidean distances from matrix products; direct where those cancel."""

    uses_blas = True

    def __init__(self, Z: Floats, *, squared: bool, norms: Floats | None = None) -> None:
        self.squared, self.n = squared, len(Z)
        self.Z = Z - Z.mean(axis=0) if norms is None else Z
        self.norms = np.einsum("ij,ij->i", self.Z, self.Z) if norms is None else norms

    def take(self, order: Ints) -> Distances:
        """Distances between the objects ``order``."""
        return Product(self.Z[order], squared=self.squared, norms=self.norms[order])

    def strip(self, j0: int, j1: int) -> Floats:
        """Columns j0..j1, prepared for :meth:`tile`."""
        return np.ascontiguousarray(self.Z[j0:j1].T)

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Strip, out: Floats) -> None:
        """Write a tile of distances to ``out``."""
        from sortal._kernels.distances import squares_from_products

        np.dot(self.Z[r0:r1], strip, out=out)
        squares_from_products(out, r0, self.norms, j0, self.Z)


#: limit of cost: share of stored rows in the columns of a stored number below which lists of
#: them are faster
SPARSE = 0.25


class SparseProduct(Distances):
    """Like :class:`Product`, for CSR rows: with lists of the columns, or with dense columns."""

    def __init__(self, Z: csr_array, squared: bool) -> None:
        self.squared, self.n = squared, Z.shape[0]
        Z.sort_indices()
        self.Z = Z
        self.norms = np.asarray(Z.multiply(Z).sum(axis=1), dtype=np.float64).ravel()
        having = np.bincount(Z.indices, minlength=Z.shape[1]).astype(np.float64)
        self.lists = bool(having @ having <= SPARSE * Z.nnz * Z.shape[0])

    def take(self, order: Ints) -> Distances:
        """Distances between the objects ``order``."""
        return SparseProduct(self.Z[order], self.squared)

    def strip(self, j0: int, j1: int) -> Strip:
        """Columns j0..j1, prepared for :meth:`tile`."""
        rows = self.Z[j0:j1]
        if self.lists:
            columns = rows.tocsc()
            return columns.indptr, columns.indices, columns.data
        return np.ascontiguousarray(rows.toarray().T)

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Strip, out: Floats) -> None:
        """Write a tile of distances to ``out``."""
        from sortal._kernels.distances import (
            list_products,
            sparse_products,
            sparse_squares_from_products,
        )

        Z = self.Z
        if self.lists:
            starts, having, values = strip
            list_products(Z.indptr, Z.indices, Z.data, r0, r1, starts, having, values, out)
        else:
            sparse_products(Z.indptr, Z.indices, Z.data, r0, r1, strip, out)
        sparse_squares_from_products(out, r0, self.norms, j0, Z.indptr, Z.indices, Z.data)


class ExtendedJaccard(Distances):
    """1 − x·y/(∣x∣² + ∣y∣² − x·y), from squared Euclidean distances: s/(s + x·y)."""

    def __init__(self, squares: Distances, norms: Floats) -> None:
        self.squares, self.norms, self.n = squares, norms, squares.n

    def take(self, order: Ints) -> Distances:
        """Distances between the objects ``order``."""
        return ExtendedJaccard(self.squares.take(order), self.norms[order])

    def strip(self, j0: int, j1: int) -> Strip:
        """Columns j0..j1, prepared for :meth:`tile`."""
        return self.squares.strip(j0, j1)

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Strip, out: Floats) -> None:
        """Write a tile of distances to ``out``."""
        self.squares.tile(r0, r1, j0, j1, strip, out)
        product = (self.norms[r0:r1, None] + self.norms[j0:j1] - out) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            out /= out + product
        out[np.isnan(out)] = 0.0  # two rows of zeros


class Blocks(Distances):
    """Distances by a function of two blocks of rows."""

    def __init__(
        self, X: Rows, function: Callable[[Any, Any], Floats], *, symmetric: bool = True
    ) -> None:
        self.X, self.function, self.symmetric, self.n = X, function, symmetric, X.shape[0]

    def take(self, order: Ints) -> Distances:
        """Distances between the objects ``order``."""
        return Blocks(self.X[order], self.function, symmetric=self.symmetric)

    def strip(self, j0: int, j1: int) -> Strip:
        """Columns j0..j1, prepared for :meth:`tile`."""
        return dense(self.X[j0:j1])

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Strip, out: Floats) -> None:
        """Write a tile of distances to ``out``."""
        values = self.function(strip, dense(self.X[r0:r1])).T
        if not np.isfinite(values).all():
            values = np.where(np.isnan(values), 0.0, values) if self.symmetric else values
        out[:] = values


class Divergence(Distances):
    """Kullback–Leibler divergence of rows that sum to 1."""

    def __init__(self, P: Floats, *, symmetric: bool) -> None:
        self.P, self.symmetric, self.n = P, symmetric, len(P)

    def take(self, order: Ints) -> Distances:
        """Distances between the objects ``order``."""
        return Divergence(self.P[order], symmetric=self.symmetric)

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Strip, out: Floats) -> None:
        """Write a tile of distances to ``out``."""
        from sortal._kernels.distances import kullback_leibler_tile

        kullback_leibler_tile(self.P, r0, r1, j0, j1, self.symmetric, out)


class Precomputed(Distances):
    """Distances in a matrix, read in place."""

    def __init__(self, D: NDArray[Any], order: Ints | None = None) -> None:
        self.D = D
        self.order = np.arange(len(D)) if order is None else order
        self.n = len(self.order)

    @cached_property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Whether d(x, y) = d(y, x), to nine digits; computed on demand."""
        return is_symmetric(self.D)

    def take(self, order: Ints) -> Distances:
        """Distances between the objects ``order``."""
        taken = Precomputed(self.D, self.order[order])
        if "symmetric" in self.__dict__:
            taken.__dict__["symmetric"] = self.symmetric
        return taken

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Strip, out: Floats) -> None:
        """Write a tile of distances to ``out``."""
        from sortal._kernels.distances import gathered_tile

        gathered_tile(self.D, self.order, r0, r1, j0, j1, out)


def dense(rows: Rows) -> Any:
    """Rows as a dense array."""
    return rows.toarray() if hasattr(rows, "toarray") else rows


class StoredDistances:
    """A user-supplied distance function, with its values for all pairs of the rows of a data set.

    It can be used wherever the function can; the function is called for other rows alone.
    """

    def __init__(self, function: Callable[..., Any], X: Rows, D: Floats) -> None:
        self.function, self.D = function, D
        self.__qualname__ = getattr(function, "__qualname__", repr(function))
        #: position of each row of the data set, by its bytes
        self._positions = {row.tobytes(): i for i, row in enumerate(_plain(X))}

    def __call__(self, x: Floats, y: Floats) -> float:
        return float(self.between(x[None], y[None])[0, 0])

    def between(self, A: Floats, B: Floats) -> Floats:
        """Distances (a, b) between the rows of two dense arrays."""
        first, second = self._places(A), self._places(B)
        values: Floats = self.D[np.ix_(first, second)].astype(np.float64)
        for i, j in np.argwhere((first[:, None] < 0) | (second < 0)).tolist():
            values[i, j] = self.function(A[i], B[j])
        return values

    def _places(self, rows: Floats) -> np.ndarray[Any, np.dtype[np.intp]]:
        """Positions of rows in the data set, -1 for other rows."""
        return np.array([self._positions.get(row.tobytes(), -1) for row in _plain(rows)], np.intp)


def _plain(rows: Rows) -> Floats:
    """Dense rows of float64 without negative zeros, so that equal rows have equal bytes."""
    return np.ascontiguousarray(dense(rows), dtype=np.float64) + 0.0
