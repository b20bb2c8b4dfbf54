"""One clustering against many, and many against each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.cells import DENSE_CELLS, cells_of
from karat.labelings.contingency import ContingencyTable
from karat.labelings.labels import NOISE, Encoded, NoisePolicy
from karat.labelings.partitions import Labelings, as_labelings
from karat.measures.catalogue import catalogue
from karat.runtime.threads import in_threads
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["compare_labelings"]


def compare_labelings(
    labelings: Any, measure: str = "adjusted_rand_index", *, noise: NoisePolicy = "error"
) -> pd.DataFrame:
    """Agreement of every two of many clusterings of the same objects.

    Parameters
    ----------
    labelings : array-like (M, n), mapping, DataFrame
        The clusterings, see :func:`karat.labelings.as_labelings`.
    measure : str
        Key of an external measure.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means; ``"drop"`` leaves an object out of the pairs of clusterings
        where either marks it.

    Returns
    -------
    DataFrame, shape (M, M)
        Row: the clustering taken as the gold standard; column: the one judged by it. NaN where
        two clusterings share no object.

    Raises
    ------
    InputError
        For clusterings of different lengths, or a measure that is not external.

    Notes
    -----
    O(M² n). Counting runs on all processors.

    Examples
    --------
    >>> from karat import compare_labelings
    >>> compare_labelings({"a": [0, 0, 1, 1], "b": [1, 1, 0, 0], "c": [0, 1, 0, 1]})
         a    b    c
    a  1.0  1.0 -0.5
    b  1.0  1.0 -0.5
    c -0.5 -0.5  1.0
    """
    import pandas as pd

    record = catalogue[measure]
    if record.kind != "external":
        raise InputError(
            f"{measure!r} judges data, not pairs of labelings; give the key of an external measure"
        )
    compute = record.compute or record.function
    batch = as_labelings(labelings, noise=noise)
    values = np.full((len(batch), len(batch)), np.nan)
    for i in range(len(batch)):
        one = Encoded(batch.codes[i], batch.cluster_names[i])
        for j, table in enumerate(tables_against(one, batch.select(range(i, len(batch)))), start=i):
            if table is None:
                continue
            values[i, j] = compute(table)
            if record.symmetric:
                values[j, i] = values[i, j]
            elif j > i:
                values[j, i] = compute(table.transposed)
    return pd.DataFrame(values, index=list(batch.names), columns=list(batch.names))


def tables_against(
    true: Encoded, batch: Labelings, weights: NDArray[np.float64] | None = None
) -> Iterator[ContingencyTable | None]:
    """Tables of one clustering with each of a batch; None where they share no object.

    Codes of -1 on either side are excluded. Many tables are counted in one call, as many as fit.
    An object of weight w stands for w that coincide, so whole weights give counts.
    """
    if weights is not None:
        yield from (_sparse(true, batch, m, weights) for m in range(len(batch)))
        return
    k_true = true.n_clusters
    known = int(np.count_nonzero(true.codes != NOISE))
    start = 0
    while start < len(batch):
        stop, cells = start, 0
        while stop < len(batch) and (
            cells + k_true * int(batch.n_clusters[stop]) <= 2 * DENSE_CELLS or stop == start
        ):
            cells += k_true * int(batch.n_clusters[stop])
            stop += 1
        if cells > 2 * DENSE_CELLS:
            yield _sparse(true, batch, start)
        else:
            for m, dense in enumerate(_dense(true, batch, start, stop), start=start):
                yield _of_dense(dense, true.names, batch.cluster_names[m], known)
        start = stop


def _dense(true: Encoded, batch: Labelings, start: int, stop: int) -> list[NDArray[np.int64]]:
    from karat._kernels.contingency import count_many

    k_true = true.n_clusters
    k_pred = batch.n_clusters[start:stop]
    ends = np.cumsum(k_true * k_pred)
    offsets = ends - k_true * k_pred
    tables = np.zeros(int(ends[-1]), dtype=np.int64)

    def count(piece: NDArray[np.intp]) -> None:
        rows = slice(start + int(piece[0]), start + int(piece[-1]) + 1)
        count_many(true.codes, batch.codes[rows], k_pred[piece], offsets[piece], tables)

    # few objects are counted sooner than a thread is started
    parts = 1 if batch.n_objects * (stop - start) < 1 << 20 else min(stop - start, 16)
    in_threads(count, np.array_split(np.arange(stop - start), parts))
    return [
        tables[begin:end].reshape(k_true, int(k))
        for begin, end, k in zip(offsets, ends, k_pred, strict=True)
    ]


def _of_dense(
    dense: NDArray[np.int64], row_names: Any, column_names: Any, known: int
) -> ContingencyTable | None:
    for axis in (1, 0):
        used = dense.any(axis=axis)
        if not used.all():
            dense = dense[used] if axis == 1 else dense[:, used]
            if axis == 1:
                row_names = row_names[used]
            else:
                column_names = column_names[used]
    if dense.size == 0:
        return None
    rows, columns, counts = cells_of(dense)
    return ContingencyTable._of_cells(
        rows, columns, counts, row_names, column_names, coverage=float(counts.sum()) / known
    )


def _sparse(
    true: Encoded, batch: Labelings, m: int, weights: NDArray[np.float64] | None = None
) -> ContingencyTable | None:
    kept = (true.codes != NOISE) & (batch.codes[m] != NOISE)
    if not kept.any():
        return None
    given = None if weights is None else weights[kept]
    table = ContingencyTable(true.codes[kept], batch.codes[m][kept], sample_weight=given)
    table.row_names = true.names[table.row_names.astype(np.intp)]
    table.column_names = batch.cluster_names[m][table.column_names.astype(np.intp)]
    known = true.codes != NOISE
    judged, of = (kept, known) if weights is None else (weights[kept], weights[known])
    table.coverage = float(judged.sum() / of.sum())
    return table
