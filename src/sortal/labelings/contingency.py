"""The contingency table of two clusterings: how many objects each pair of clusters shares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.labelings.cells import (
    DENSE_CELLS,
    Cells,
    add_up,
    as_counts,
    cells_of,
    count,
    count_whole,
    given_names,
    integer_pairs,
    settle_noise,
    used,
    weigh,
)  # fmt: skip
from sortal.labelings.indexes import in_order_of
from sortal.labelings.labels import NOISE, NOISE_POLICIES, Encoded, NoisePolicy, as_names, encode
from sortal.labelings.matching import heaviest_matching
from sortal.labelings.partitions import Labelings
from sortal.runtime.threads import in_threads
from sortal.runtime.validation import InputError, check_choice, check_sample_weight

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import ArrayLike, Floats, Labels


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

    Notes
    -----
    O(n) for integer labels; other labels cost one ``pandas.factorize`` of each side. Counts are
    64-bit integers and everything made of pairs is a Python integer, so nothing overflows.

    Examples
    --------
    >>> from sortal import ContingencyTable
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
        labels_true: Labels,
        labels_pred: Labels,
        *,
        noise: NoisePolicy = "error",
        sample_weight: npt.ArrayLike | None = None,
    ) -> None:
        check_choice(noise, NOISE_POLICIES, "noise")
        labels_pred = in_order_of(
            labels_true, labels_pred, name="labels_true", other_name="labels_pred"
        )
        whole_cells = None if sample_weight is not None else count_whole(labels_true, labels_pred)
        if whole_cells is not None:
            self._fill(*whole_cells, noise)
            return
        true = encode(labels_true, name="labels_true")
        pred = encode(labels_pred, name="labels_pred")
        n = len(true.codes)
        if n != len(pred.codes):
            raise InputError(
                f"labels_true has {n} labels and labels_pred {len(pred.codes)}; "
                "both must name the same objects in the same order"
            )
        weights = None if sample_weight is None else check_sample_weight(sample_weight, n)
        if weights is not None and not weights.all():
            raise InputError("sample_weight must be positive here; exclude objects of weight 0")
        self._count(true, pred, weights, noise)

    def _count(
        self, true: Encoded, pred: Encoded, weights: NDArray[np.float64] | None, noise: NoisePolicy
    ) -> None:
        """Fill the table from two encoded labelings."""
        names = true.names, pred.names
        if weights is None:
            self._fill(count(true, pred), names, noise)
        else:
            cells, self_pairs = weigh(true, pred, weights)
            self._fill(cells, names, noise, self_pairs)

    def _fill(
        self,
        cells: Cells,
        names: tuple[NDArray[np.object_], NDArray[np.object_]],
        noise: NoisePolicy,
        self_pairs: Floats | None = None,
    ) -> None:
        """Take cells in row-major order, with outliers in a row and a column -1."""
        total = cells[2].sum()
        has_noise = min(cells[0].min(), cells[1].min()) < 0
        if self_pairs is not None and noise == "singletons" and has_noise:
            raise InputError('noise="singletons" needs counted objects, not weights')
        (rows, columns, counts), names, origin = settle_noise(cells, names, noise)
        if len(counts) == 0:
            raise InputError("no object is left: every one is an outlier on one side")
        rows, self.row_names = used(rows, names[0])
        columns, self.column_names = used(columns, names[1])
        order = np.lexsort((columns, rows))
        self.rows, self.columns, self.counts = rows[order], columns[order], counts[order]
        self.coverage = float(counts.sum() / total)
        # twice the pairs of objects with themselves, within cells, classes, clusters, the whole
        self._squares: tuple[float, float, float, float] | None = None
        if self_pairs is not None:
            self._squares = (float(self_pairs[origin].sum()),) * 4

    @classmethod
    def of_codes(
        cls, true: Encoded, pred: Encoded, weights: NDArray[np.float64] | None = None
    ) -> ContingencyTable | None:
        """Table of two encoded labelings without the outliers of either; None where none is left.

        ``coverage`` is the share of what ``true`` knows.
        """
        has_class = true.codes != NOISE
        judged = has_class & (pred.codes != NOISE)
        if not judged.any():
            return None
        table = cls.__new__(cls)
        table._count(true, pred, weights, "drop")
        class_weights = None if weights is None else weights[has_class]
        table.coverage = float(np.average(judged[has_class], weights=class_weights))
        return table

    @classmethod
    def from_counts(
        cls,
        counts: ArrayLike,
        labels_true: Labels | None = None,
        labels_pred: Labels | None = None,
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

        Examples
        --------
        >>> from sortal import ContingencyTable
        >>> ContingencyTable.from_counts([[5, 1], [0, 4]])
        ContingencyTable(2 classes × 2 clusters, 10 objects)
        >>> ContingencyTable.from_counts([5, 1, 4], ["a", "a", "b"], ["x", "y", "y"]).to_array()
        array([[5, 1],
               [0, 4]])
        """
        from scipy import sparse

        check_choice(noise, NOISE_POLICIES, "noise")
        matrix: Any = counts
        if hasattr(matrix, "index") and hasattr(matrix, "columns"):
            labels_true = matrix.index.to_numpy() if labels_true is None else labels_true
            labels_pred = matrix.columns.to_numpy() if labels_pred is None else labels_pred
        matrix = matrix if sparse.issparse(matrix) else np.asarray(matrix)
        if matrix.ndim == 1:
            if labels_true is None or labels_pred is None:
                raise InputError("counts of groups need labels_true and labels_pred of each group")
            sizes = as_counts(matrix)
            true, pred = encode(labels_true, name="labels_true"), encode(labels_pred)
            if not len(sizes) == len(true.codes) == len(pred.codes):
                raise InputError(
                    f"there are {len(sizes)} counts, {len(true.codes)} labels_true and "
                    f"{len(pred.codes)} labels_pred; each group needs one of each"
                )
            rows, columns = true.codes, pred.codes
        elif matrix.ndim == 2:
            triples = sparse.coo_array(matrix if sparse.issparse(matrix) else as_counts(matrix))
            sizes = as_counts(triples.data)
            true = given_names(labels_true, matrix.shape[0], "labels_true")
            pred = given_names(labels_pred, matrix.shape[1], "labels_pred")
            rows, columns = true.codes[triples.row], pred.codes[triples.col]
        else:
            raise InputError(f"counts must have one or two dimensions; the shape is {matrix.shape}")
        table = cls.__new__(cls)
        table._fill(add_up(rows, columns, sizes), (true.names, pred.names), noise)
        return table

    @classmethod
    def of_cells(
        cls,
        cells: Cells,
        names: tuple[NDArray[np.object_], NDArray[np.object_]],
        *,
        coverage: float = 1.0,
        squares: tuple[float, float, float, float] | None = None,
    ) -> ContingencyTable:
        """Table of cells in row-major order, without outliers; for inner code."""
        table = cls.__new__(cls)
        table.rows, table.row_names = used(cells[0], names[0])
        table.columns, table.column_names = used(cells[1], names[1])
        table.counts = cells[2]
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
        return ContingencyTable.of_cells(
            (self.columns[order], self.rows[order], self.counts[order]),
            (self.column_names, self.row_names),
            coverage=self.coverage,
            squares=None if s is None else (s[0], s[2], s[1], s[3]),
        )

    @cached_property
    def pair_counts(self) -> PairCounts:
        """Pairs of objects by whether the two sides put them together; exact integers."""
        levels: list[Any] = [self.counts, self.row_sums, self.column_sums, np.array([self.n])]
        pairs: list[Any]
        if self._squares is None:
            pairs = [integer_pairs(counts) for counts in levels]
        else:
            pairs = [
                max(0.0, (float(np.dot(counts, counts)) - squares) / 2)
                for counts, squares in zip(levels, self._squares, strict=True)
            ]
        both, true, pred, total = pairs
        return PairCounts(both, pred - both, true - both, total - true - pred + both)

    def matching(self) -> NDArray[np.intp]:
        """Cluster of each class in the best one-to-one matching, -1 where it has none.

        Notes
        -----
        The Hungarian method on the dense table, O(min(k, t)² max(k, t)); on a sparse bipartite
        graph where the table is large. A class is never matched with a cluster that shares no
        object with it.

        Examples
        --------
        >>> from sortal import ContingencyTable
        >>> ContingencyTable(["a", "a", "b"], [1, 1, 0]).matching()
        array([1, 0])
        """
        return heaviest_matching(self.rows, self.columns, self.counts, self.shape)

    def by_cluster(self) -> pd.DataFrame:
        """Purity, largest class and match of each cluster, one row per cluster.

        Returns
        -------
        DataFrame
            Its columns:

            - ``size``; the most frequent ``class``, and ``purity``, its share of the cluster
            - ``entropy`` of the classes (nats over log of the number of classes)
            - ``matched_class`` of the best one-to-one matching, with ``precision``, ``recall``,
              ``f1``

        Examples
        --------
        >>> from sortal import ContingencyTable
        >>> ContingencyTable(["a", "a", "b"], [0, 1, 1]).by_cluster()[["size", "purity"]]
           size  purity
        0     1     1.0
        1     2     0.5
        """
        return _view(self.transposed, "class", "purity", ("precision", "recall"))

    def by_class(self) -> pd.DataFrame:
        """Largest cluster, split and match of each class, one row per class.

        Returns
        -------
        DataFrame
            Its columns:

            - ``size``; ``cluster``, the one with the largest part, and ``largest_share``, that part
            - ``entropy`` over the clusters (nats over log of their number)
            - ``matched_cluster`` of the best one-to-one matching, with ``recall``, ``precision``,
              ``f1``

        Examples
        --------
        >>> from sortal import ContingencyTable
        >>> ContingencyTable(["a", "a", "b"], [0, 1, 1]).by_class()[["size", "largest_share"]]
           size  largest_share
        a     2            0.5
        b     1            1.0
        """
        return _view(self, "cluster", "largest_share", ("recall", "precision"))

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

    def __repr__(self) -> str:
        classes, clusters = self.shape
        size = f"{self.n} objects" if self.is_counted else f"total weight {self.n:g}"
        return f"ContingencyTable({classes} classes × {clusters} clusters, {size})"


def tables_against(
    true: Encoded, batch: Labelings, weights: NDArray[np.float64] | None = None
) -> Iterator[ContingencyTable | None]:
    """Tables of one clustering with each of a batch; None where they share no object."""
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
    """Tables of a slice of the batch, counted into one dense array."""
    from sortal._kernels.contingency import count_many

    codes, k_pred = batch.codes[rows], batch.n_clusters[rows]
    ends = np.cumsum(true.n_clusters * k_pred)
    offsets = ends - true.n_clusters * k_pred
    tables = np.zeros(int(ends[-1]), dtype=np.int64)

    def count(piece: NDArray[np.intp]) -> None:
        block = slice(int(piece[0]), int(piece[-1]) + 1)
        count_many(true.codes, codes[block], k_pred[block], offsets[block], tables)

    # few objects are counted sooner than a thread is started
    parts = 1 if codes.size < 1 << 20 else min(len(codes), 16)
    in_threads(count, np.array_split(np.arange(len(codes)), parts))
    n_known = int(np.count_nonzero(true.codes != NOISE))
    for begin, end, names in zip(offsets, ends, batch.cluster_names[rows], strict=True):
        if begin == end or not (dense := tables[begin:end].reshape(true.n_clusters, -1)).any():
            yield None
            continue
        share = float(dense.sum()) / n_known
        yield ContingencyTable.of_cells(cells_of(dense), (true.names, names), coverage=share)


def _sums(index: NDArray[np.intp], counts: NDArray[Any], size: int) -> NDArray[Any]:
    """Sums of the cells by row or column."""
    sums = np.zeros(size, dtype=counts.dtype)
    np.add.at(sums, index, counts)
    return sums


def _view(
    table: ContingencyTable, partner_name: str, share_name: str, ways: tuple[str, str]
) -> pd.DataFrame:
    """Each row's largest cell, entropy and match, whose shares of row and column are ``ways``."""
    import pandas as pd

    sizes = table.row_sums
    # cells are in row-major order: the first of the largest ones of each row
    order = np.lexsort((table.columns, -table.counts, table.rows))
    first = order[np.unique(table.rows[order], return_index=True)[1]]
    share = table.counts / sizes[table.rows]
    entropy = np.bincount(table.rows, weights=-share * np.log(share), minlength=len(sizes))
    scale = np.log(table.shape[1]) if table.shape[1] > 1 else 1.0
    matched = table.matching()
    is_matched = matched >= 0
    in_common = np.zeros(len(sizes))
    at = matched[table.rows] == table.columns
    in_common[table.rows[at]] = table.counts[at]
    matched_sizes = np.where(is_matched, table.column_sums[matched], 0)
    of_match = np.divide(in_common, matched_sizes, where=is_matched, out=np.zeros(len(sizes)))
    partner = as_names(table.column_names[m] if m >= 0 else None for m in matched)
    # names keep their type: pandas would make text columns of them, and NaN of None
    index = pd.Index(table.row_names, tupleize_cols=False)
    columns: dict[str, Any] = {
        "size": sizes,
        partner_name: pd.Series(table.column_names[table.columns[first]], index, dtype=object),
        share_name: share[first],
        "entropy": np.maximum(entropy, 0.0) / scale,
        f"matched_{partner_name}": pd.Series(partner, index, dtype=object),
        ways[0]: in_common / sizes,
        ways[1]: of_match,
        "f1": 2 * in_common / (sizes + matched_sizes),
    }
    return pd.DataFrame(columns, index=index)
