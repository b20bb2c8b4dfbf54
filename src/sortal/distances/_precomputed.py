"""User-supplied matrices of distances and graphs: validation and rounding."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.runtime.array_files import load_array, load_sparse
from sortal.runtime.validation import InputError, as_numbers, check_data, largest_value, on_host

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from sortal.typing import ArrayLike

    Matrix = NDArray[np.floating[Any]]

#: derived: share of the largest distance up to which an error is rounding, of some 5,000 terms
ROUNDING = 1e-12
#: limit of cost: rows with distances to all objects in memory at a time
ROWS_TO_ALL = 256


def as_square(X: ArrayLike | Path, *, symmetric: bool = False) -> Matrix:
    """Validated matrix (n, n) of distances.

    Parameters
    ----------
    X : array-like, shape (n, n) or (n(n-1)/2,), or path of an ``.npy`` file
        All distances, or those above the diagonal in the order of
        :func:`scipy.spatial.distance.pdist`.
    symmetric : bool
        Reject distances that depend on the direction.

    Returns
    -------
    ndarray, shape (n, n)
        X itself if there is nothing to correct. Otherwise a copy without errors of at most
        1e-12 of the largest distance: a diagonal of 0, nothing negative, symmetric.
    """
    if hasattr(X, "toarray"):
        raise InputError(
            "a sparse matrix of distances has no value for missing entries; "
            "give all of them as a dense array, or the data and a metric"
        )
    if isinstance(X, (str, Path)):
        X = load_array(Path(X), mmap_mode="r")
    X = on_host(X)
    if np.ndim(X) == 1:
        X = _from_condensed(np.asarray(X))
    _check_names(X)
    D: Any = as_numbers(X, name="the matrix of distances")
    if D.shape[0] != D.shape[1]:
        raise InputError(
            'metric="precomputed" takes the n×n matrix of distances, or the n(n-1)/2 above its '
            f"diagonal; X has shape {D.shape}. For data in rows name a metric, e.g. euclidean"
        )
    least, largest = float(D.min()), float(D.max())
    if not (np.isfinite(least) and np.isfinite(largest)):
        strange = ~np.isfinite(D)
        i, j = map(int, np.argwhere(strange)[0])
        raise InputError(
            f"{int(strange.sum()):,} of the distances are not finite; that of {i} and {j} is "
            f"{D[i, j]}. Exclude objects without distances; for objects that nothing connects, "
            'give the graph (metric="graph"), or a distance above all others'
        )
    if largest > largest_value(D.dtype):
        check_data(D, name="the matrix of distances")  # raises the right error
    rounding = ROUNDING * largest
    if least < -rounding:
        i, j = divmod(int(np.argmin(D)), len(D))
        raise InputError(
            f"distances must not be negative; that of {i} and {j} is {D[i, j]:g}. "
            "Turn similarities into distances first"
        )
    diagonal = np.abs(np.diagonal(D))
    if (diagonal > rounding).any():
        i = int(np.argmax(diagonal))
        raise InputError(
            f"an object's distance to itself must be 0; that of object {i} is {D[i, i]:g}. "
            "Turn similarities into distances first"
        )
    error, i, j = asymmetry(D)
    if symmetric and error > max(rounding, 1e-9 * abs(float(D[i, j]))):
        raise InputError(
            f"the matrix of distances is not symmetric: from {i} to {j} it has {D[i, j]:g}, from "
            f"{j} to {i} {D[j, i]:g}. Clusterers need one distance for a pair: give (D + D.T)/2, "
            "or the larger or the smaller of the two"
        )
    if least >= 0 and not diagonal.any() and not 0 < error <= rounding:
        return D
    D = np.array(D)
    if error <= rounding:
        D = (D + D.T) / 2
    np.maximum(D, 0, out=D)
    np.fill_diagonal(D, 0)
    return D


def _check_names(X: Any) -> None:
    """Check that the rows and columns of a table of distances are in the same order."""
    if not hasattr(X, "columns") or not hasattr(X, "index") or len(X.index) != len(X.columns):
        return
    rows, columns, positions = list(X.index), list(X.columns), list(range(len(X.index)))
    if rows == columns or positions in (rows, columns):
        return
    i = next(i for i, (a, b) in enumerate(zip(rows, columns, strict=True)) if a != b)
    difference = "in another order" if set(rows) == set(columns) else "others"
    raise InputError(
        f"the rows and columns of the table of distances are {difference}: row {i} is "
        f"{rows[i]!r}, column {i} {columns[i]!r}; use D.loc[names, names]"
    )


def as_graph(A: ArrayLike | Path) -> csr_array:
    """Validated symmetric affinities of a graph as a CSR array, without loops.

    Parameters
    ----------
    A : array-like or sparse, shape (n, n), or path of an ``.npz`` file
    """
    from scipy import sparse

    if isinstance(A, (str, Path)):
        A = load_sparse(Path(A))
    matrix: Any = check_data(A, name="the graph")
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"a graph is a square matrix of affinities; its shape is {matrix.shape}")
    if sparse.issparse(matrix) and not matrix.diagonal().any() and (matrix.data != 0).all():
        matrix = sparse.csr_array(matrix)
    else:
        matrix = sparse.csr_array(matrix, copy=True)
        matrix.setdiag(0)
        matrix.eliminate_zeros()
    if matrix.nnz == 0:
        raise InputError("the graph has no edge, so there is nothing to cluster by")
    if matrix.data.min() < 0:
        raise InputError("affinities must not be negative; exclude edges that push apart")
    if abs(matrix - matrix.T).max() > 1e-9 * matrix.data.max():
        raise InputError(
            "the affinities must be the same in both directions; of a directed graph, or one of "
            "nearest neighbours, give (A + A.T) / 2"
        )
    return matrix


def _from_condensed(values: NDArray[Any]) -> NDArray[Any]:
    """Matrix (n, n) from the distances above its diagonal."""
    from scipy.spatial.distance import squareform

    n = (1 + math.isqrt(1 + 8 * len(values))) // 2
    if n * (n - 1) // 2 != len(values) or n < 2:
        raise InputError(
            f"{len(values):,} distances are those of no number of objects: n objects have "
            f"n(n-1)/2 pairs, and {n:,} objects have {n * (n - 1) // 2:,}"
        )
    return squareform(values)


def asymmetry(D: Matrix) -> tuple[float, int, int]:
    """Largest difference of d(i, j) and d(j, i), with i and j."""
    worst = (0.0, 0, 0)
    for a, b, upper, lower in _mirrored(D):
        if np.array_equal(upper, lower):
            continue
        differences = np.abs(upper - lower)
        i, j = divmod(int(np.argmax(differences)), differences.shape[1])
        if differences[i, j] > worst[0]:
            worst = (float(differences[i, j]), a + i, b + j)
    return worst


def is_symmetric(D: Matrix) -> bool:
    """Whether d(i, j) = d(j, i) to nine digits."""
    return all(
        np.array_equal(upper, lower) or np.allclose(upper, lower, rtol=1e-9, atol=0)
        for _, _, upper, lower in _mirrored(D)
    )


def _mirrored(D: Matrix) -> Iterator[tuple[int, int, Matrix, Matrix]]:
    """First row and column of each block on or above the diagonal, the block, its mirror image."""
    starts = range(0, len(D), ROWS_TO_ALL)
    for a in starts:
        for b in starts[a // ROWS_TO_ALL :]:
            rows, columns = slice(a, a + ROWS_TO_ALL), slice(b, b + ROWS_TO_ALL)
            yield a, b, D[rows, columns], D[columns, rows].T


def triangle_violations(D: Matrix) -> float:
    """Share of 10,000 random triples of objects with d(i, k) > d(i, j) + d(j, k), rounding aside.

    Examples
    --------
    >>> import numpy as np
    >>> D = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [5.0, 1.0, 0.0]])
    >>> triangle_violations(D) > 0
    True
    """
    n = len(D)
    if n < 3:
        return 0.0
    triples = np.random.default_rng(0).integers(n, size=(3, 10_000))
    sides = np.sort([D[triples[a], triples[b]] for a, b in ((0, 1), (1, 2), (0, 2))], axis=0)
    return float((sides[2] > (sides[0] + sides[1]) * (1 + 1e-9)).mean())
