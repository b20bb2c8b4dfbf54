"""The contingency table of two clusterings: how many objects each pair of clusters shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.partition import NOISE, NoisePolicy, apply_noise_policy, encode
from karat.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


class ContingencyTable:
    """Counts ``n_ij`` of objects in class i and cluster j, kept sparse and exact.

    Parameters
    ----------
    labels_true, labels_pred : array-like, shape (n,)
        Labels of any hashable type: names, so ``"1"`` and ``1`` may stand for the same class.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means; ``"drop"`` leaves out objects that either side marks.

    Attributes
    ----------
    rows, columns : ndarray of intp, shape (cells,)
        Class and cluster of each non-empty cell, in row-major order.
    counts : ndarray of int64, shape (cells,)
        Objects in each of these cells.
    row_names, column_names : ndarray of object
        The labels.
    coverage : float
        Share of the objects that the table counts; below 1 only with ``noise="drop"``.

    Examples
    --------
    >>> from karat import ContingencyTable
    >>> table = ContingencyTable(["a", "a", "b"], [0, 1, 1])
    >>> table.to_array()
    array([[1, 1],
           [0, 1]])
    """

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    counts: NDArray[np.int64]
    row_names: NDArray[np.object_]
    column_names: NDArray[np.object_]
    coverage: float

    def __init__(self, labels_true: Any, labels_pred: Any, *, noise: NoisePolicy = "error") -> None:
        true = encode(labels_true, name="labels_true")
        pred = encode(labels_pred, name="labels_pred")
        if len(true.codes) != len(pred.codes):
            raise InputError(
                f"labels_true has {len(true.codes)} labels and labels_pred {len(pred.codes)}; "
                "both must name the same objects in the same order"
            )
        true = apply_noise_policy(true, noise, name="labels_true")
        pred = apply_noise_policy(pred, noise, name="labels_pred")
        kept = (true.codes != NOISE) & (pred.codes != NOISE)
        cells = true.codes[kept].astype(np.int64) * pred.n_clusters + pred.codes[kept]
        values, counts = np.unique(cells, return_counts=True)
        self.rows, self.columns = np.divmod(values, max(pred.n_clusters, 1))
        self.counts = counts.astype(np.int64)
        self.row_names, self.column_names = true.names, pred.names
        self.coverage = float(kept.mean())
        if not kept.any():
            raise InputError("no object is left: one side marks every object as an outlier")

    @property
    def n(self) -> int:
        """Number of objects counted."""
        return int(self.counts.sum())

    @property
    def shape(self) -> tuple[int, int]:
        """Number of classes and of clusters."""
        return len(self.row_names), len(self.column_names)

    @property
    def row_sums(self) -> NDArray[np.int64]:
        """Objects in each class."""
        return _sums(self.rows, self.counts, self.shape[0])

    @property
    def column_sums(self) -> NDArray[np.int64]:
        """Objects in each cluster."""
        return _sums(self.columns, self.counts, self.shape[1])

    def to_array(self) -> NDArray[np.int64]:
        """The dense table, shape (classes, clusters)."""
        dense = np.zeros(self.shape, dtype=np.int64)
        dense[self.rows, self.columns] = self.counts
        return dense

    def to_frame(self) -> pd.DataFrame:
        """The dense table with the labels as index and columns."""
        import pandas as pd

        return pd.DataFrame(self.to_array(), index=self.row_names, columns=self.column_names)

    def __repr__(self) -> str:
        classes, clusters = self.shape
        return f"ContingencyTable({classes} classes × {clusters} clusters, {self.n} objects)"


def _sums(index: NDArray[np.intp], counts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, index, counts)
    return sums
