"""Cells of a contingency table: counted from labels, added up, outliers settled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.labels import (
    NOISE,
    NoisePolicy,
    as_names,
    encode,
    encode_integers,
    name_order,
    noise_position,
)
from karat.runtime.threads import available_cores, in_threads
from karat.runtime.validation import InputError, check_sample_weight

if TYPE_CHECKING:
    from numpy.typing import NDArray

# tables up to so many cells are counted as a dense array
DENSE_CELLS = 1 << 21


class Outlier:
    """The name of a cluster that holds one outlier alone; equal to no other."""

    def __repr__(self) -> str:
        return "outlier"


Cells = tuple[
    "NDArray[np.intp]", "NDArray[np.intp]", "NDArray[Any]", "NDArray[np.object_]",
    "NDArray[np.object_]",
]  # fmt: skip


def count(true: Any, row_names: Any, pred: Any, column_names: Any) -> Cells:
    """Cells of two raw labelings: labels that lie close together need no codes."""
    from karat._kernels.contingency import count_sparse

    (low_true, high_true), (low_pred, high_pred) = _likely_extent(true), _likely_extent(pred)
    for attempt in (0, 1):
        shape = (high_true - low_true + 1, high_pred - low_pred + 1)
        table = _dense(true, low_true, pred, low_pred, shape)
        if table is not None:
            table, row_names = _used(table, low_true, row_names)
            table, column_names = _used(table.T, low_pred, column_names)
            return *cells_of(table.T), row_names, column_names
        if attempt == 0:
            (low_true, high_true), (low_pred, high_pred) = _extent(true), _extent(pred)
    true, row_names = _codes(true, row_names)
    pred, column_names = _codes(pred, column_names)
    shape = (len(row_names), len(column_names))
    table = _dense(true, 0, pred, 0, shape)
    if table is not None:
        return *cells_of(table), row_names, column_names
    return *count_sparse(true, shape[0], pred, shape[1]), row_names, column_names


def _extent(labels: NDArray[np.integer[Any]]) -> tuple[int, int]:
    from karat._kernels.contingency import extent

    low, high = extent(labels)
    return int(low), int(high)


def _likely_extent(labels: NDArray[np.integer[Any]]) -> tuple[int, int]:
    """Of a sample: the count itself notices a label outside, and saves a pass where none is."""
    return _extent(labels[:: max(len(labels) >> 12, 1)].copy())


def _dense(
    true: Any, low_true: int, pred: Any, low_pred: int, shape: tuple[int, int]
) -> NDArray[np.int64] | None:
    """The dense table, or None where it is too large or a label lies outside of it."""
    from karat._kernels.contingency import count_dense

    if shape[0] * shape[1] > DENSE_CELLS:
        return None
    parts = min(available_cores(), max(len(true) // max(1 << 18, shape[0] * shape[1]), 1))
    tables = np.zeros((parts, *shape), dtype=np.int64)
    bounds = np.linspace(0, len(true), parts + 1).astype(np.intp)

    def count(part: int) -> bool:
        piece = slice(bounds[part], bounds[part + 1])
        return count_dense(true[piece], low_true, pred[piece], low_pred, tables[part])

    return tables.sum(axis=0) if all(in_threads(count, range(parts))) else None


def _used(table: NDArray[np.int64], low: int, names: Any) -> tuple[NDArray[np.int64], Any]:
    """The rows that hold objects, and their labels."""
    used = np.flatnonzero(table.any(axis=1))
    if len(used) < len(table):
        table = table[used]
    return table, as_names((used + low).tolist()) if names is None else names[used]


def cells_of(
    dense: NDArray[Any],
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
    """Row, column and content of the cells that are not empty, in row-major order."""
    flat = dense.ravel()
    cells = np.flatnonzero(flat)
    rows, columns = np.divmod(cells, dense.shape[1])
    return rows, columns, flat[cells]


def _codes(raw: Any, names: Any) -> tuple[NDArray[np.int32], NDArray[np.object_]]:
    if names is not None:
        return raw.astype(np.int32, copy=False), names
    codes, values = encode_integers(raw)
    return codes, as_names(values.tolist())


def weigh(
    true: Any, row_names: Any, pred: Any, column_names: Any, sample_weight: Any
) -> tuple[Cells, NDArray[np.float64] | None]:
    """Cells of weighted objects, and in each the sum of w·min(w, 1).

    That is twice what an object's own weight takes from the W²/2 pairs of a cell of weight W: an
    object of weight w ≥ 1 stands for w objects, a lighter one for a part of one, which makes no
    pair with itself. Whole weights give counts, and no such sums.
    """
    weight = check_sample_weight(sample_weight, len(true))
    if not weight.all():
        raise InputError("sample_weight must be positive here; exclude objects of weight 0")
    true, row_names = _codes(true, row_names)
    pred, column_names = _codes(pred, column_names)
    cells, place = np.unique(true * np.int64(len(column_names)) + pred, return_inverse=True)
    rows, columns = np.divmod(cells.astype(np.intp), len(column_names))
    counts = np.bincount(place, weights=weight)
    if (weight == np.floor(weight)).all() and weight.sum() < 2**53:
        return (rows, columns, counts.astype(np.int64), row_names, column_names), None
    own = np.bincount(place, weights=weight * np.minimum(weight, 1)).astype(np.float64)
    return (rows, columns, counts, row_names, column_names), own


def whole(counts: Any) -> NDArray[np.int64]:
    """The counts as 64-bit integers, or why they are none."""
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
    if int(counts.max()) > np.iinfo(np.int64).max:
        raise InputError("a count is above 2^63 - 1")
    return counts.astype(np.int64)


def given_names(labels: Any, size: int, name: str) -> NDArray[np.object_]:
    """Names of the rows or columns of given counts; numbers where there are none."""
    if labels is None:
        return as_names(range(size))
    encoded = encode(labels, name=name)
    if len(encoded.codes) != size:
        raise InputError(f"{name} has {len(encoded.codes)} names, but counts has {size} of them")
    if len(np.unique(encoded.codes)) < size:
        raise InputError(
            f"{name} has a duplicate name; the names of rows and of columns must be unique"
        )
    return np.append(encoded.names, as_names([NOISE]))[encoded.codes]


def add_up(
    rows: NDArray[Any], columns: NDArray[Any], counts: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
    """Cells in row-major order, equal ones added and empty ones excluded."""
    kept = counts > 0
    rows, columns, counts = rows[kept], columns[kept], counts[kept]
    order = np.lexsort((columns, rows))
    rows, columns, counts = (
        rows[order].astype(np.intp),
        columns[order].astype(np.intp),
        counts[order],
    )
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (np.diff(rows) != 0) | (np.diff(columns) != 0)
    return rows[new], columns[new], np.add.reduceat(counts, np.flatnonzero(new))


def settle_noise(
    rows: NDArray[np.intp],
    row_names: NDArray[np.object_],
    columns: NDArray[np.intp],
    column_names: NDArray[np.object_],
    counts: NDArray[Any],
    squares: NDArray[np.float64] | None,
    noise: NoisePolicy,
) -> Any:
    """Turn the class and the cluster called -1 into what ``noise`` says."""
    row, column = noise_position(row_names), noise_position(column_names)
    outlier = np.zeros(len(counts), dtype=bool)
    for index, position, side in ((rows, row, "labels_true"), (columns, column, "labels_pred")):
        if position is None:
            continue
        outlier |= index == position
        if noise == "error":
            count = counts[index == position].sum()
            raise InputError(
                f"{side} marks {count} of {counts.sum()} objects as outliers (-1); say what they "
                'are: noise="cluster" (one ordinary cluster), "singletons" (each its own cluster) '
                'or "drop" (exclude them); noise="error" is the default'
            )
    if noise == "cluster" or not outlier.any():
        return rows, row_names, columns, column_names, counts, squares
    if noise == "drop":
        kept = ~outlier
        squares = None if squares is None else squares[kept]
        return rows[kept], row_names, columns[kept], column_names, counts[kept], squares
    if squares is not None:
        raise InputError('noise="singletons" needs counted objects; it has no meaning for weights')
    repeats = np.where(outlier, counts, 1)
    rows, columns = np.repeat(rows, repeats), np.repeat(columns, repeats)
    counts = np.repeat(np.where(outlier, 1, counts), repeats)
    rows, row_names = _alone(rows, row_names, row)
    columns, column_names = _alone(columns, column_names, column)
    return rows, row_names, columns, column_names, counts, squares


def _alone(
    index: NDArray[np.intp], names: NDArray[np.object_], position: int | None
) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
    """A cluster of its own for each cell of the one at ``position``."""
    at = np.flatnonzero(index == (-1 if position is None else position))
    index = index.copy()
    index[at] = len(names) + np.arange(len(at))
    return index, np.concatenate([names, as_names([Outlier() for _ in at])])


def ranked(
    index: NDArray[np.intp], names: NDArray[np.object_]
) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
    """Positions among the sorted names that occur; outliers' own clusters come last."""
    used = np.flatnonzero(np.bincount(index, minlength=len(names)))
    ordinary = [i for i in used if not isinstance(names[i], Outlier)]
    alone = [i for i in used if isinstance(names[i], Outlier)]
    order = np.array(ordinary, dtype=np.intp)[name_order(names[ordinary])]
    order = np.concatenate([order, np.array(alone, dtype=np.intp)])
    rank = np.zeros(len(names), dtype=np.intp)
    rank[order] = np.arange(len(order))
    if np.array_equal(order, np.arange(len(names))):
        return index, names
    return rank[index], names[order]
