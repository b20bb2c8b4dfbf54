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
    cells = true.n_clusters * batch.n_clusters
    start = 0
    while start < len(batch):
        if weights is not None or cells[start] > 2 * DENSE_CELLS:
            pred = Encoded(batch.codes[start], batch.cluster_names[start])
            yield ContingencyTable.of_codes(true, pred, weights)
            start += 1
            continue
        fits = np.cumsum(cells[start:]) <= 2 * DENSE_CELLS
        stop = start + (len(fits) if fits.all() else int(np.argmin(fits)))
        yield from _together(true, batch, slice(start, stop))
        start = stop


def _together(true: Encoded, batch: Labelings, rows: slice) -> Iterator[ContingencyTable | None]:
    """Tables of some of the batch, dense ones one behind the other."""
    from karat._kernels.contingency import count_many

    codes, k_pred = batch.codes[rows], batch.n_clusters[rows]
    ends = np.cumsum(true.n_clusters * k_pred)
    offsets = ends - true.n_clusters * k_pred
    tables = np.zeros(int(ends[-1]), dtype=np.int64)

    def count(piece: NDArray[np.intp]) -> None:
        part = slice(int(piece[0]), int(piece[-1]) + 1)
        count_many(true.codes, codes[part], k_pred[part], offsets[part], tables)

    # few objects are counted sooner than a thread is started
    parts = 1 if codes.size < 1 << 20 else min(len(codes), 16)
    in_threads(count, np.array_split(np.arange(len(codes)), parts))
    known = int(np.count_nonzero(true.codes != NOISE))
    for begin, end, names in zip(offsets, ends, batch.cluster_names[rows], strict=True):
        if begin == end or not (dense := tables[begin:end].reshape(true.n_clusters, -1)).any():
            yield None
            continue
        share = float(dense.sum()) / known
        yield ContingencyTable.of_cells(cells_of(dense), (true.names, names), coverage=share)
