"""The contingency table of two clusterings: how many objects each pair of clusters shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.cells import (
    add_up,
    count,
    given_names,
    ranked,
    settle_noise,
    weigh,
    whole,
)
from karat.labelings.labels import NOISE, NOISE_POLICIES, NoisePolicy, as_names, encode, raw_labels
from karat.labelings.matching import heaviest_matching
from karat.runtime.validation import InputError, check_choice, in_order_of

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

SHOWN = 20  # classes and clusters that a notebook shows


@dataclass(frozen=True)
class PairCounts:
    """Pairs of objects, by whether the two clusterings put them together.

    Attributes
    ----------
    both : int or float
        Together in both (TP, L).
    only_pred : int or float
        Together in the clustering, apart in the gold standard (FP, D).
    only_true : int or float
        Apart in the clustering, together in the gold standard (FN, D').
    neither : int or float
        Apart in both (TN, L').

    Notes
    -----
    Exact Python integers for counted objects, of any size; floats for weights and memberships.
    """

    both: Any
    only_pred: Any
    only_true: Any
    neither: Any

    @property
    def total(self) -> Any:
        """All pairs."""
        return self.both + self.only_pred + self.only_true + self.neither


class ContingencyTable:
    """Counts ``n_ij`` of objects in class i and cluster j, kept sparse and exact.

    Parameters
    ----------
    labels_true, labels_pred : array-like, shape (n,)
        Labels of any hashable type: names, so ``"1"`` and ``1`` may stand for the same class.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means; ``"drop"`` excludes objects that either side marks.
    sample_weight : array-like, shape (n,), optional
        Positive weight of each object: one of weight w stands for w of them, one of weight below
        1 for a part of one. Whole weights give counts.

    Attributes
    ----------
    rows, columns : ndarray of intp, shape (cells,)
        Class and cluster of each non-empty cell, in row-major order.
    counts : ndarray of int64 (float64 with weights that are not whole), shape (cells,)
        Objects in each of these cells.
    row_names, column_names : ndarray of object
        The labels, sorted where they can be sorted.
    coverage : float
        Share of the objects that the table counts; below 1 only with ``noise="drop"``.

    Raises
    ------
    InputError
        For different lengths, missing labels (counted), outliers that no policy explains,
        weights that are not positive.

    Notes
    -----
    O(n) for integer labels; other labels cost one ``pandas.factorize`` of each side. Counts are
    64-bit integers and everything made of pairs is a Python integer, so nothing overflows.

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
    counts: NDArray[Any]
    row_names: NDArray[np.object_]
    column_names: NDArray[np.object_]
    coverage: float

    def __init__(
        self,
        labels_true: Any,
        labels_pred: Any,
        *,
        noise: NoisePolicy = "error",
        sample_weight: Any = None,
    ) -> None:
        check_choice(noise, NOISE_POLICIES, "noise")
        labels_pred = in_order_of(
            labels_true, labels_pred, name="labels_true", other_name="labels_pred"
        )
        true, row_names = raw_labels(labels_true, name="labels_true")
        pred, column_names = raw_labels(labels_pred, name="labels_pred")
        if len(true) != len(pred):
            raise InputError(
                f"labels_true has {len(true)} labels and labels_pred {len(pred)}; "
                "both must name the same objects in the same order"
            )
        if sample_weight is None:
            cells = count(true, row_names, pred, column_names)
            self._fill(*cells, noise=noise)
        else:
            cells, squares = weigh(true, row_names, pred, column_names, sample_weight)
            self._fill(*cells, noise=noise, squares=squares)

    def _fill(
        self,
        rows: NDArray[np.intp],
        columns: NDArray[np.intp],
        counts: NDArray[Any],
        row_names: NDArray[np.object_],
        column_names: NDArray[np.object_],
        *,
        noise: NoisePolicy,
        squares: NDArray[np.float64] | None = None,
    ) -> None:
        """Take cells whose names may include the outlier label, in any order."""
        total = counts.sum()
        rows, row_names, columns, column_names, counts, squares = settle_noise(
            rows, row_names, columns, column_names, counts, squares, noise
        )
        if len(counts) == 0:
            raise InputError("no object is left: every one is an outlier on one side")
        self.coverage = float(counts.sum() / total)
        rows, self.row_names = ranked(rows, row_names)
        columns, self.column_names = ranked(columns, column_names)
        if np.any(np.diff(rows * len(self.column_names) + columns) <= 0):
            order = np.lexsort((columns, rows))
            rows, columns, counts = rows[order], columns[order], counts[order]
            squares = None if squares is None else squares[order]
        self.rows, self.columns, self.counts = rows, columns, counts
        # twice the pairs of objects with themselves, within cells, classes, clusters, the whole
        self._squares: tuple[float, float, float, float] | None = None
        if squares is not None:
            s = float(squares.sum())
            self._squares = (s, s, s, s)

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        labels_true: Any = None,
        labels_pred: Any = None,
        *,
        noise: NoisePolicy = "error",
    ) -> ContingencyTable:
        """Table from counts that something else made.

        Parameters
        ----------
        counts : array-like of int, shape (classes, clusters) or (groups,)
            The table itself (NumPy, SciPy sparse, a DataFrame such as ``pandas.crosstab``
            makes), or the sizes of the groups of an engine's ``GROUP BY``.
        labels_true, labels_pred : array-like, optional
            Names of the rows and columns (a DataFrame brings its own); or class and cluster of
            each group, where groups with the same names are added.
        noise : {"error", "cluster", "singletons", "drop"}
            What the label ``-1`` means.

        Returns
        -------
        ContingencyTable

        Raises
        ------
        InputError
            For counts that are negative, not whole, all 0, or in sum above 2^63 - 1.

        Examples
        --------
        >>> from karat import ContingencyTable
        >>> ContingencyTable.from_counts([[5, 1], [0, 4]])
        ContingencyTable(2 classes × 2 clusters, 10 objects)
        >>> ContingencyTable.from_counts([5, 1, 4], ["a", "a", "b"], ["x", "y", "y"]).to_array()
        array([[5, 1],
               [0, 4]])
        """
        from scipy import sparse

        check_choice(noise, NOISE_POLICIES, "noise")
        if hasattr(counts, "index") and hasattr(counts, "columns"):
            labels_true = counts.index.to_numpy() if labels_true is None else labels_true
            labels_pred = counts.columns.to_numpy() if labels_pred is None else labels_pred
        matrix = counts if sparse.issparse(counts) else np.asarray(counts)
        if matrix.ndim == 1:
            if labels_true is None or labels_pred is None:
                raise InputError("counts of groups need labels_true and labels_pred of each group")
            sizes = whole(matrix)
            true, pred = encode(labels_true, name="labels_true"), encode(labels_pred)
            if not len(sizes) == len(true.codes) == len(pred.codes):
                raise InputError(
                    f"there are {len(sizes)} counts, {len(true.codes)} labels_true and "
                    f"{len(pred.codes)} labels_pred; each group needs one of each"
                )
            rows, row_names = true.codes, true.names
            columns, column_names = pred.codes, pred.names
            if (rows < 0).any():
                rows, row_names = rows + 1, np.concatenate([as_names([NOISE]), row_names])
            if (columns < 0).any():
                columns = columns + 1
                column_names = np.concatenate([as_names([NOISE]), column_names])
        elif matrix.ndim == 2:
            if not sparse.issparse(matrix):
                matrix = whole(matrix.ravel()).reshape(matrix.shape)
            triples = sparse.coo_array(matrix)
            sizes, rows, columns = whole(triples.data), triples.row, triples.col
            row_names = given_names(labels_true, matrix.shape[0], "labels_true")
            column_names = given_names(labels_pred, matrix.shape[1], "labels_pred")
        else:
            raise InputError(f"counts must have one or two dimensions; the shape is {matrix.shape}")
        if sum(sizes.tolist()) > np.iinfo(np.int64).max:
            raise InputError("the counts add up to more than 2^63 - 1 objects")
        table = cls.__new__(cls)
        table._fill(*add_up(rows, columns, sizes), row_names, column_names, noise=noise)
        return table

    @classmethod
    def _of_cells(
        cls,
        rows: NDArray[np.intp],
        columns: NDArray[np.intp],
        counts: NDArray[Any],
        row_names: NDArray[np.object_],
        column_names: NDArray[np.object_],
        *,
        coverage: float = 1.0,
        squares: tuple[float, float, float, float] | None = None,
    ) -> ContingencyTable:
        """Table of cells in row-major order that need no more work; for inner code."""
        table = cls.__new__(cls)
        table.rows, table.columns, table.counts = rows, columns, counts
        table.row_names, table.column_names = row_names, column_names
        table.coverage, table._squares = coverage, squares
        return table

    @property
    def is_counted(self) -> bool:
        """True where cells hold whole objects, False for weights and memberships."""
        return self._squares is None

    @cached_property
    def n(self) -> Any:
        """Number of objects counted (their weight in sum, for weights)."""
        return int(self.counts.sum()) if self.is_counted else float(self.counts.sum())

    @property
    def shape(self) -> tuple[int, int]:
        """Number of classes and of clusters."""
        return len(self.row_names), len(self.column_names)

    @cached_property
    def row_sums(self) -> NDArray[Any]:
        """Objects in each class."""
        return _sums(self.rows, self.counts, self.shape[0])

    @cached_property
    def column_sums(self) -> NDArray[Any]:
        """Objects in each cluster."""
        return _sums(self.columns, self.counts, self.shape[1])

    @property
    def transposed(self) -> ContingencyTable:
        """The table with clusters as rows and classes as columns."""
        order = np.lexsort((self.rows, self.columns))
        s = self._squares
        return ContingencyTable._of_cells(
            self.columns[order],
            self.rows[order],
            self.counts[order],
            self.column_names,
            self.row_names,
            coverage=self.coverage,
            squares=None if s is None else (s[0], s[2], s[1], s[3]),
        )

    @cached_property
    def pair_counts(self) -> PairCounts:
        """Pairs of objects by whether the two sides put them together; exact integers."""
        levels: list[Any] = [self.counts, self.row_sums, self.column_sums, np.array([self.n])]
        both, true, pred, total = (
            [_integer_pairs(counts) for counts in levels]
            if self._squares is None
            else [
                max(0.0, (float(np.dot(counts, counts)) - squares) / 2)
                for counts, squares in zip(levels, self._squares, strict=True)
            ]
        )
        return PairCounts(both, pred - both, true - both, total - true - pred + both)

    def matching(self) -> NDArray[np.intp]:
        """Cluster of each class in the best one-to-one matching, -1 where it has none.

        Returns
        -------
        ndarray of intp, shape (classes,)

        Notes
        -----
        The Hungarian method on the dense table, O(min(k, t)² max(k, t)); on a sparse bipartite
        graph where the table is large. Of the clusters that share objects with one class alone
        only its largest can be matched, and the other way round: the others do not count in k and
        t. A class is never matched with a cluster that shares no object with it.

        Examples
        --------
        >>> from karat import ContingencyTable
        >>> ContingencyTable(["a", "a", "b"], [1, 1, 0]).matching()
        array([1, 0])
        """
        return heaviest_matching(self.rows, self.columns, self.counts, self.shape)

    def by_cluster(self) -> pd.DataFrame:
        """How pure each cluster is: one row per cluster.

        Returns
        -------
        DataFrame
            ``size``; ``class``, the most frequent one; ``purity``, its share of the cluster;
            ``entropy`` of the classes in it (nats over log of the number of classes);
            ``matched_class`` in the best one-to-one matching and ``precision``, ``recall``,
            ``f1`` for it.

        Examples
        --------
        >>> from karat import ContingencyTable
        >>> ContingencyTable(["a", "a", "b"], [0, 1, 1]).by_cluster()[["size", "purity"]]
           size  purity
        0     1     1.0
        1     2     0.5
        """
        return _view(self.transposed, {"other": "class", "share": "purity", "matched": "precision"})

    def by_class(self) -> pd.DataFrame:
        """How each class is split over the clusters: one row per class.

        Returns
        -------
        DataFrame
            ``size``; ``cluster``, the one that holds most of it; ``largest_share``, what that
            one holds; ``entropy`` over the clusters (nats over log of their number);
            ``matched_cluster`` in the best one-to-one matching and ``recall``, ``precision``,
            ``f1`` for it.

        Examples
        --------
        >>> from karat import ContingencyTable
        >>> ContingencyTable(["a", "a", "b"], [0, 1, 1]).by_class()[["size", "largest_share"]]
           size  largest_share
        a     2            0.5
        b     1            1.0
        """
        return _view(self, {"other": "cluster", "share": "largest_share", "matched": "recall"})

    def to_array(self) -> NDArray[Any]:
        """The dense table, shape (classes, clusters)."""
        dense = np.zeros(self.shape, dtype=self.counts.dtype)
        dense[self.rows, self.columns] = self.counts
        return dense

    def to_frame(self) -> pd.DataFrame:
        """The dense table with the labels as index and columns."""
        import pandas as pd

        return pd.DataFrame(
            self.to_array(),
            index=pd.Index(self.row_names, tupleize_cols=False),
            columns=pd.Index(self.column_names, tupleize_cols=False),
        )

    def _repr_html_(self) -> str:
        import pandas as pd

        rows, columns = (np.sort(np.argsort(-sums, kind="stable")[:SHOWN])
                         for sums in (self.row_sums, self.column_sums))  # fmt: skip
        here = np.isin(self.rows, rows) & np.isin(self.columns, columns)
        cells = np.zeros((len(rows), len(columns)), dtype=self.counts.dtype)
        at = np.searchsorted(rows, self.rows[here]), np.searchsorted(columns, self.columns[here])
        cells[at] = self.counts[here]
        index = pd.Index(self.row_names[rows], tupleize_cols=False)
        shown = pd.DataFrame(
            cells, index, pd.Index(self.column_names[columns], tupleize_cols=False)
        )
        part = f"; the {SHOWN} largest of each side" * (max(self.shape) > SHOWN)
        return f"<p>{escape(repr(self))}{part}</p>{shown.to_html(border=0)}"

    def __repr__(self) -> str:
        classes, clusters = self.shape
        size = f"{self.n} objects" if self.is_counted else f"total weight {self.n:g}"
        return f"ContingencyTable({classes} classes × {clusters} clusters, {size})"


def _sums(index: NDArray[np.intp], counts: NDArray[Any], size: int) -> NDArray[Any]:
    sums = np.zeros(size, dtype=counts.dtype)
    np.add.at(sums, index, counts)
    return sums


def _integer_pairs(counts: NDArray[np.int64] | Sequence[int]) -> int:
    """Σ c(c−1)/2: in 64 bits where the square of the sum fits, else in Python's integers."""
    counts = np.asarray(counts, dtype=np.int64)
    if int(counts.sum()) < 3_000_000_000:
        return int((counts * (counts - 1)).sum()) // 2
    return sum(c * (c - 1) for c in counts.tolist()) // 2


def _view(table: ContingencyTable, words: dict[str, str]) -> pd.DataFrame:
    """Each row's largest cell, entropy and match; ``words`` name what they are called."""
    import pandas as pd

    sizes = table.row_sums
    # cells are in row-major order: the first of the largest ones of each row
    order = np.lexsort((table.columns, -table.counts, table.rows))
    first = order[np.unique(table.rows[order], return_index=True)[1]]
    share = table.counts / sizes[table.rows]
    entropy = np.bincount(table.rows, weights=-share * np.log(share), minlength=len(sizes))
    scale = np.log(table.shape[1]) if table.shape[1] > 1 else 1.0
    matched = table.matching()
    has = matched >= 0
    in_common = np.zeros(len(sizes))
    cell = {(r, c): i for i, (r, c) in enumerate(zip(table.rows, table.columns, strict=True))}
    in_common[has] = [table.counts[cell[r, matched[r]]] for r in np.flatnonzero(has)]
    of_row = in_common / sizes
    of_match = np.divide(in_common, table.column_sums[matched], where=has, out=np.zeros(len(sizes)))
    other_share = "recall" if words["matched"] == "precision" else "precision"
    partner = np.array([table.column_names[m] if m >= 0 else None for m in matched], dtype=object)
    # names keep their type: pandas would make text columns of them, and NaN of None
    index = pd.Index(table.row_names, tupleize_cols=False)
    columns: dict[str, Any] = {
        "size": sizes,
        words["other"]: pd.Series(table.column_names[table.columns[first]], index, dtype=object),
        words["share"]: share[first],
        "entropy": np.maximum(entropy, 0.0) / scale,
        f"matched_{words['other']}": pd.Series(partner, index, dtype=object),
        words["matched"]: of_row,
        other_share: of_match,
        "f1": 2 * in_common / (sizes + np.where(has, table.column_sums[matched], 0)),
    }
    return pd.DataFrame(columns, index=index)
