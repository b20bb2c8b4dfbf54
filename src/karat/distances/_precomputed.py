"""A user-supplied matrix of distances: its form, its faults, its rounding."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.runtime.validation import InputError, as_numbers, check_data, largest_value, on_host

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Floats = NDArray[np.floating[Any]]

#: share of the largest distance up to which an error is rounding
ROUNDING = 1e-12
_ROWS = 256


def as_square(X: Any, *, symmetric: bool = False) -> Floats:
    """The (n, n) distances, checked.

    Parameters
    ----------
    X : array-like, shape (n, n) or (n(n-1)/2,), or path of an ``.npy`` file
        All distances, or those above the diagonal as :func:`scipy.spatial.distance.pdist` has
        them.
    symmetric : bool
        Refuse distances that depend on the direction.

    Returns
    -------
    ndarray, shape (n, n)
        X itself where there is nothing to correct. Otherwise a copy, in which errors of at most
        1e-12 of the largest distance are gone: a diagonal of 0, nothing negative, symmetric.

    Raises
    ------
    InputError
        For any other diagonal, negative or missing distances, a shape that fits no matrix of
        distances, or a sparse matrix.
    """
    if hasattr(X, "toarray"):
        raise InputError(
            "a sparse matrix of distances has no value for missing entries; "
            "give all of them as a dense array, or the data and a metric"
        )
    if isinstance(X, (str, Path)):
        X = _read(Path(X))
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
    if not np.isfinite(largest - least):  # so there is one that is not
        strange = ~np.isfinite(D)
        i, j = map(int, np.argwhere(strange)[0])
        raise InputError(
            f"{int(strange.sum()):,} of the distances are not finite; that of {i} and {j} is "
            f"{D[i, j]}. Exclude objects without distances; for objects that nothing connects, "
            'give the graph (metric="graph"), or a distance above all others'
        )
    if largest > largest_value(D.dtype):
        check_data(D, name="the matrix of distances")  # says what is wrong with it
    rounding = ROUNDING * largest
    if least < -rounding:
        i, j = divmod(int(np.argmin(D)), len(D))
        raise InputError(
            f"distances must not be negative; that of {i} and {j} is {D[i, j]:g}. "
            "Turn similarities into distances first"
        )
    diagonal = np.abs(np.diagonal(D))
    if (diagonal > rounding).any():
        own = int(np.argmax(diagonal))
        raise InputError(
            f"an object's distance to itself must be 0; that of object {own} is {D[own, own]:g}. "
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
    """A table of distances must have its objects in one order, down and across."""
    if not hasattr(X, "columns") or not hasattr(X, "index") or len(X.index) != len(X.columns):
        return
    down, across = list(X.index), list(X.columns)
    if down == across or down == list(range(len(down))) or across == list(range(len(across))):
        return
    place = next(i for i, (a, b) in enumerate(zip(down, across, strict=True)) if a != b)
    what = "in another order" if set(down) == set(across) else "others"
    raise InputError(
        f"the rows and columns of the table of distances are {what}: row {place} is "
        f"{down[place]!r}, column {place} {across[place]!r}; use D.loc[names, names]"
    )


def as_graph(A: Any) -> csr_array:
    """The symmetric affinities of a graph as a CSR array, checked; loops are taken out.

    Parameters
    ----------
    A : array-like or sparse, shape (n, n), or path of an ``.npz`` file

    Raises
    ------
    InputError
        For a matrix that is not square, not symmetric or negative, or has no edge.
    """
    from scipy import sparse

    if isinstance(A, (str, Path)):
        try:
            A = sparse.load_npz(A)
        except (OSError, ValueError) as error:
            raise InputError(
                f"{A} is not a sparse matrix in .npz form ({error}); write one with "
                "scipy.sparse.save_npz(path, A)"
            ) from None
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


def _read(path: Path) -> Any:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise InputError(
            f"{path} is not an .npy file of numbers; write one with numpy.save(path, D)"
        ) from None


def _from_condensed(values: NDArray[Any]) -> NDArray[Any]:
    from scipy.spatial.distance import squareform

    n = (1 + math.isqrt(1 + 8 * len(values))) // 2
    if n * (n - 1) // 2 != len(values) or n < 2:
        raise InputError(
            f"{len(values):,} distances are those of no number of objects: n objects have "
            f"n(n-1)/2 pairs, and {n:,} objects have {n * (n - 1) // 2:,}"
        )
    return squareform(values, checks=False)


def asymmetry(D: Floats) -> tuple[float, int, int]:
    """The largest difference of d(i, j) and d(j, i), and where it is."""
    worst = (0.0, 0, 0)
    for a, b, there, back in _mirrored(D):
        if np.array_equal(there, back):
            continue
        apart = np.abs(there - back)
        i, j = divmod(int(np.argmax(apart)), apart.shape[1])
        if apart[i, j] > worst[0]:
            worst = (float(apart[i, j]), a + i, b + j)
    return worst


def is_symmetric(D: Floats) -> bool:
    """Whether d(i, j) = d(j, i) to nine digits."""
    return all(
        np.array_equal(there, back) or np.allclose(there, back, rtol=1e-9, atol=0)
        for _, _, there, back in _mirrored(D)
    )


def _mirrored(D: Floats) -> Iterator[tuple[int, int, Floats, Floats]]:
    """Blocks on and above the diagonal, where they begin, and the same the other way."""
    for a in range(0, len(D), _ROWS):
        for b in range(a, len(D), _ROWS):
            there, back = D[a : a + _ROWS, b : b + _ROWS], D[b : b + _ROWS, a : a + _ROWS].T
            yield a, b, there, back


def triangle_violations(D: Floats) -> float:
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
    drawn = np.random.default_rng(0).integers(n, size=(3, 10_000))
    sides = np.sort([D[drawn[a], drawn[b]] for a, b in ((0, 1), (1, 2), (0, 2))], axis=0)
    return float((sides[2] > (sides[0] + sides[1]) * (1 + 1e-9)).mean())
