"""Cells of a contingency table, counted from codes or supplied, with outliers settled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from sortal.labelings.labels import NOISE, Encoded, NoisePolicy, as_names, encode, outliers_error
from sortal.runtime.threads import available_cores, in_threads
from sortal.runtime.validation import InputError
from sortal.typing import Ints, Labels

#: rows and columns, -1 for outliers, and the contents
Cells: TypeAlias = "tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]"
#: limit of cost: cells of a table that is counted as a dense array
DENSE_CELLS = 1 << 21


def count(true: Encoded, pred: Encoded) -> Cells:
    """Cells of two labelings, outliers in a row and a column -1, in row-major order."""
    from sortal._kernels.contingency import count_sparse

    shape = true.n_clusters + 1, pred.n_clusters + 1
    cells = _count_dense(true.codes, pred.codes, shape)
    if cells is None:
        cells = count_sparse(true.codes + 1, shape[0], pred.codes + 1, shape[1])
    return cells[0] - 1, cells[1] - 1, cells[2]


def count_whole(true: object, pred: object) -> tuple[Cells, tuple[Any, Any]] | None:
    """Cells and names of two arrays of small whole numbers, which need no codes; else None."""
    if type(true) is not np.ndarray or type(pred) is not np.ndarray or true.shape != pred.shape:
        return None
    for side in (true, pred):
        if side.dtype not in (np.int32, np.int64) or side.ndim != 1 or not side.size:
            return None
    step = max(len(true) >> 12, 1)
    high = int(true[::step].max()), int(pred[::step].max())
    cells = None if min(high) < 0 else _count_dense(true, pred, (high[0] + 2, high[1] + 2))
    if cells is None:
        return None
    names = as_names(range(high[0] + 1)), as_names(range(high[1] + 1))
    return (cells[0] - 1, cells[1] - 1, cells[2]), names


def _count_dense(true: Ints, pred: Ints, shape: tuple[int, int]) -> Cells | None:
    """Cells by a table with labels from -1; None where that is too large, or one is outside."""
    from sortal._kernels.contingency import count_dense

    n, size = len(true), shape[0] * shape[1]
    if size > DENSE_CELLS:
        return None
    parts = min(available_cores(), max(n // max(1 << 18, size), 1))
    tables = np.zeros((parts, *shape), dtype=np.int64)
    bounds = np.linspace(0, n, parts + 1).astype(np.intp)

    def add(number: int) -> bool:
        piece = slice(bounds[number], bounds[number + 1])
        return count_dense(true[piece], pred[piece], tables[number])

    return cells_of(tables.sum(axis=0)) if all(in_threads(add, range(parts))) else None


def cells_of(dense: NDArray[Any]) -> Cells:
    """Row, column and content of the non-empty cells, in row-major order."""
    flat = dense.ravel()
    cells = np.flatnonzero(flat)
    rows, columns = np.divmod(cells, dense.shape[1])
    return rows, columns, flat[cells]


def integer_pairs(counts: NDArray[np.int64] | Sequence[int]) -> int:
    """Σ c(c−1)/2: in 64 bits where the square of the sum fits, else in Python's integers."""
    counts = np.asarray(counts, dtype=np.int64)
    if int(counts.sum()) < 3_000_000_000:
        return int((counts * (counts - 1)).sum()) // 2
    return sum(c * (c - 1) for c in counts.tolist()) // 2


def weigh(
    true: Encoded, pred: Encoded, weights: NDArray[np.float64]
) -> tuple[Cells, NDArray[np.float64] | None]:
    """Weighted cells of objects of positive weight, and in each the sum of w·min(w, 1).

    A cell of weight W has W²/2 pairs, less half of this sum. An object of weight w ≥ 1 stands for w
    objects; a lighter one is part of an object and makes no pair with itself. Whole weights give
    counts, and no such sums.
    """
    width = pred.n_clusters + 1
    at = (true.codes + np.int64(1)) * width + pred.codes + 1
    cells, place = np.unique(at, return_inverse=True)
    rows, columns = np.divmod(cells.astype(np.intp), width)
    counts = np.bincount(place, weights=weights)
    if (weights == np.floor(weights)).all() and weights.sum() < 2**53:
        return (rows - 1, columns - 1, counts.astype(np.int64)), None
    self_pairs = np.bincount(place, weights=weights * np.minimum(weights, 1)).astype(np.float64)
    return (rows - 1, columns - 1, counts), self_pairs


# -- given counts ----------------------------------------------------------------------------------


def as_counts(counts: npt.ArrayLike) -> NDArray[np.int64]:
    """The counts as 64-bit integers; InputError where they are not whole."""
    counts = np.asarray(counts)
    numbers = counts.astype(np.float64) if counts.dtype.kind in "iufO" else None
    if numbers is None or not (np.isfinite(numbers) & (numbers == np.floor(numbers))).all():
        raise InputError(
            "counts must be whole numbers of objects; for weights give the labels and "
            "sample_weight to ContingencyTable"
        )
    if (counts < 0).any():
        raise InputError(f"counts must not be negative; the smallest is {counts.min()}")
    if not (counts > 0).any():
        raise InputError("every count is 0; a table needs at least one object")
    if sum(counts.ravel().tolist()) > np.iinfo(np.int64).max:
        raise InputError("the counts add up to more than 2^63 - 1 objects")
    return counts.astype(np.int64)


def given_names(labels: Labels | None, size: int, name: str) -> Encoded:
    """Names of the rows or columns of given counts, by default their numbers."""
    encoded = encode(range(size) if labels is None else labels, name=name)
    if len(encoded.codes) != size:
        raise InputError(f"{name} has {len(encoded.codes)} names, but counts has {size} of them")
    if len(np.unique(encoded.codes)) < size:
        raise InputError(
            f"{name} has a duplicate name; the names of rows and of columns must be unique"
        )
    return encoded


def add_up(rows: NDArray[Any], columns: NDArray[Any], counts: NDArray[np.int64]) -> Cells:
    """Cells in row-major order, equal ones added and empty ones excluded."""
    from scipy import sparse

    table = sparse.coo_array((counts, (rows + 1, columns + 1))).tocsr()
    table.eliminate_zeros()
    table.sort_indices()
    triples = table.tocoo()
    return triples.row.astype(np.intp) - 1, triples.col.astype(np.intp) - 1, triples.data


# -- outliers --------------------------------------------------------------------------------------


def settle_noise(
    cells: Cells, names: tuple[Any, Any], noise: NoisePolicy
) -> tuple[Cells, tuple[Any, Any], NDArray[np.intp]]:
    """Cells and names after the noise policy, and the original cell of each."""
    rows, columns, counts = cells
    sides = {"labels_true": rows, "labels_pred": columns}
    was = np.arange(len(counts))
    outlier = (rows < 0) | (columns < 0)
    if not outlier.any():
        return cells, names, was
    if noise == "error":
        name, side = next((name, side) for name, side in sides.items() if (side < 0).any())
        raise outliers_error(name, counts[side < 0].sum(), counts.sum())
    if noise == "drop":
        was = was[~outlier]
        return (rows[was], columns[was], counts[was]), names, was
    if noise == "singletons":
        was = np.repeat(was, np.where(outlier, counts, 1))
        counts = np.where(outlier[was], 1, counts[was])
    rows, row_names = _named(rows[was], names[0], alone=noise == "singletons")
    columns, column_names = _named(columns[was], names[1], alone=noise == "singletons")
    return (rows, columns, counts), (row_names, column_names), was


def _named(
    index: NDArray[np.intp], names: NDArray[np.object_], *, alone: bool
) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
    """Outliers as a cluster called -1, in the order of the names, or each as one of its own."""
    at = np.flatnonzero(index < 0)
    index = index.copy()
    if alone:
        index[at] = len(names) + np.arange(len(at))
        return index, np.append(names, as_names(f"outlier {i}" for i in range(len(at))))
    if len(at) == 0:
        return index, names
    names = np.append(as_names([NOISE]), names)
    try:
        order = np.array(sorted(range(len(names)), key=names.__getitem__))
    except TypeError:
        return index + 1, names
    return np.argsort(order)[index + 1], names[order]


def used(
    index: NDArray[np.intp], names: NDArray[np.object_]
) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
    """Positions among the names that occur, and those names."""
    occurs = np.bincount(index, minlength=len(names)) > 0
    return (index, names) if occurs.all() else ((np.cumsum(occurs) - 1)[index], names[occurs])
