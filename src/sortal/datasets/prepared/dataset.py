"""Data sets: objects, their features and keys, and how they were read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sortal.datasets.partitioned.partitions import reading_sizes
from sortal.datasets.values import names_and_ids
from sortal.datasets.values.limits import LIMITS
from sortal.labelings import row_join
from sortal.labelings.row_values import HEAD_ROWS

if TYPE_CHECKING:
    import pandas as pd

    from sortal.datasets.partitioned.sampled_tables import WholeTable
    from sortal.datasets.prepared.preparation import Preparation
    from sortal.datasets.tables.reading_plan import ReadingPlan
    from sortal.datasets.values.findings import Finding
    from sortal.datasets.values.names_and_ids import Ids
    from sortal.typing import Bools, Floats, Ints, Rows


@dataclass(frozen=True)
class Weighing:
    """Weight of each column of a data set, and how it was decided.

    Attributes
    ----------
    weights : mapping of str to float
        Differences in a column are multiplied by its weight; columns of weight 0 are excluded.
    by : {"dependence", "user"}
    independent, repeated : tuple of str
        Columns without weight because they depend on no other, or repeat one.
    sampled : str
        What part of the data the decision is based on; "" for all.
    """

    weights: Mapping[str, float]
    by: Literal["dependence", "user"] = "dependence"
    independent: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    sampled: str = ""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Objects to cluster, with the facts that reports show about them.

    Attributes
    ----------
    X : ndarray (float64 or float32, C-contiguous) or csr_array, shape (n, d)
        Objects in rows, features in columns; finite.
    name : str
        Stem of the file, or name of the packaged set.
    feature_names : tuple of str, length d
        One name per column of ``X``; a one-hot column is called ``column=value``.
    ids : ndarray of object or int, shape (n,)
        Unique: the id column as written, else 0 to n - 1.
    y : ndarray of object, shape (n,), or None
        Class of each object, None where unknown.
    truth_name : str or None
        Column with the classes.
    notes : tuple of str
        Sentences on what was dropped, encoded, imputed and scaled.
    rows : ndarray of int, shape (n,), or None
        Row of the source of each object, from 0; None without a source.
    center, scale : ndarray, shape (d,), or None
        Undo the scaling: original = ``X * scale + center``.
    source : str or None
        Path or name of the source.
    options : mapping
        Options that reproduce the data set.
    texts : tuple of str, or None
        Documents behind ``X``.
    metric : str
        Distance that suits the data, ``"cosine"`` for terms of documents. With
        ``"precomputed"``, ``X`` holds the (n, n) distances; with ``"graph"``, the (n, n)
        affinities of a graph. Neither has features.
    findings : tuple of Finding
        Suspicious or assumed properties of the data, the most harmful first.
    plan : ReadingPlan or None
        Interpretation of a table's columns.
    preparation : Preparation or None
        Preparation of further objects in the same way.
    weighing : Weighing or None
        Weights of the columns, where ``X`` is weighted; see :func:`sortal.datasets.weighted`.
    variables : DataFrame or None
        What describes the clusters if ``X`` is a representation of it: genes of cells.
    whole : WholeTable or None
        The table that the objects are a uniform sample of, with exact sums over all its rows.
    gaps : ndarray of bool, shape (n, d), or None
        Values that were missing and are imputed; None where none were.
    keys : RowKeys or None
        Columns with another value for each object, as written: other inputs about the same objects
        are joined by them, whatever else they are.
    """

    X: Rows
    name: str
    feature_names: tuple[str, ...]
    ids: NDArray[Any]
    y: NDArray[np.object_] | None = None
    truth_name: str | None = None
    notes: tuple[str, ...] = ()
    rows: NDArray[np.intp] | None = None
    center: Floats | None = None
    scale: Floats | None = None
    source: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    texts: tuple[str, ...] | None = None
    metric: str = "euclidean"
    findings: tuple[Finding, ...] = ()
    plan: ReadingPlan | None = None
    preparation: Preparation | None = None
    weighing: Weighing | None = None
    variables: pd.DataFrame | None = None
    whole: WholeTable | None = None
    gaps: Bools | None = None
    keys: RowKeys | None = None

    @property
    def n_objects(self) -> int:
        """Number of objects, n."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features, d; 0 for distances and graphs."""
        return 0 if self.metric in ("precomputed", "graph") else int(self.X.shape[1])

    @property
    def inputs(self) -> dict[str, Any]:
        """Paths and addresses of the inputs by their option; no output goes there."""
        data = self.source if self.whole is None else self.whole.partitions.inputs
        names = {"y": "the classes", "terms": "the terms"}
        files = {text: self.options.get(name) for name, text in names.items()}
        paths = {text: path for text, path in files.items() if isinstance(path, (str, os.PathLike))}
        return {"the data": data, **paths}

    @property
    def column_weights(self) -> dict[str, float]:
        """Weight of each column; empty where the columns are not weighed."""
        return {} if self.weighing is None else dict(self.weighing.weights)

    @property
    def of_documents(self) -> bool:
        """Whether the features are weighted terms of documents."""
        return self.metric == "cosine" and not isinstance(self.X, np.ndarray)

    @property
    def kind(self) -> str:
        """Number of objects, and of their features, nodes or edges, in words."""
        n = f"{self.n_objects:,}"
        if self.metric == "precomputed":
            return f"distances of {n} objects"
        if self.metric == "graph":
            return f"a graph of {n} nodes and {self.X.nnz // 2:,} edges"  # type: ignore[union-attr]
        sparse = "" if isinstance(self.X, np.ndarray) else "sparse "
        return f"{n} objects, {self.n_features:,} {sparse}features"

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of ``X`` (shape, dtype, values, sparse structure), in hexadecimal.

        Classes, names and ids are ignored. O(n d), computed once.
        """
        X = self.X
        digest = hashlib.sha256(f"{X.shape} {X.dtype.str}".encode())
        arrays = [X]
        if not isinstance(X, np.ndarray):
            arrays = [X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data]
        for array in arrays:
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def _repr_html_(self) -> str:
        """HTML for notebooks: a summary, and the findings, most harmful first."""
        from html import escape

        from sortal.datasets.values.findings import sentence

        summary, *notes = str(self).split("\n")
        sentences = [sentence(text) for text in self.findings] + [note.strip() for note in notes]
        items = "".join(f"<li>{escape(text)}</li>" for text in sentences)
        return f"<p><b>{escape(summary)}</b></p><ul>{items}</ul>"

    def __str__(self) -> str:
        text = f"{self.name}: {self.kind}"
        if self.y is not None:
            classes = [value for value in self.y if value is not None]
            text += f", {len(set(classes))} classes in {self.truth_name or 'truth'}"
            if len(classes) < self.n_objects:
                text += f" ({len(classes):,} objects labelled)"
        return "\n".join([text, *(f"  {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return f"<Dataset {self.name!r}, {self.n_objects} × {self.n_features}>"


#: limit of cost: columns that a data set remembers for later joins
MAX_COLUMNS = 8


@dataclass(frozen=True)
class RowKeys:
    """Columns of a source with a different value in nearly every object's row, as written."""

    columns: Mapping[str, Any] = field(default_factory=dict)  # values of the objects
    #: values in the rows of the source that are no objects
    aside: Mapping[str, Any] = field(default_factory=dict)
    n_source: int | None = None  # rows of the source


def possible_keys(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    """Columns of a table that may have a different value in every row; bounded in memory."""
    columns: dict[str, pa.ChunkedArray] = {}
    n_bytes = 0
    for name in table.column_names:
        column = table.column(name)
        if len(columns) == MAX_COLUMNS:
            break
        if not _may_differ(column) or n_bytes + column.nbytes > reading_sizes.max_bytes:
            continue
        n_bytes += column.nbytes
        columns[name] = column
    return columns


def _may_differ(column: pa.ChunkedArray) -> bool:
    """Whether few of the first values repeat; numbers with decimals are measured."""
    if pa.types.is_nested(column.type) or pa.types.is_boolean(column.type):
        return False
    head = _countable(column.slice(0, HEAD_ROWS)).drop_null()
    if pa.types.is_floating(head.type):
        head = head.filter(pc.is_finite(head))
        if not pc.all(pc.equal(pc.floor(head), head)).as_py():
            return False
    return len(head) > 0 and 2 * pc.count_distinct(head).as_py() > len(head)


def _countable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column as a type whose values Arrow can count."""
    dtype = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_floating(dtype):
        dtype = pa.float64()
    elif pa.types.is_string_view(dtype) or pa.types.is_binary_view(dtype):
        dtype = pa.large_string() if pa.types.is_string_view(dtype) else pa.large_binary()
    return column.cast(dtype)


def row_keys(
    columns: Mapping[str, pa.ChunkedArray], rows: NDArray[np.intp] | None, n_source: int
) -> RowKeys:
    """The keys among the columns of a source, of whose rows some are objects."""
    aside_rows = None if rows is None else np.setdiff1d(np.arange(n_source), rows)
    keys, aside = {}, {}
    for name, column in columns.items():
        values = column if rows is None else column.take(pa.array(rows))
        # one that would be a key but for a few repeats has to be refused by name
        if pc.count_distinct(_countable(values)).as_py() < LIMITS.min_key_share * len(values):
            continue
        keys[name] = values
        if aside_rows is not None and len(aside_rows):
            aside[name] = column.take(pa.array(aside_rows)).drop_null()
    return RowKeys(keys, aside, n_source)


def rows_of(objects: Dataset | row_join.Rows | Ids, *, key: str | None = None) -> row_join.Rows:
    """The rows of a data set, or of objects with ids called ``key``, as a join takes them."""
    if isinstance(objects, row_join.Rows):
        return objects
    if not hasattr(objects, "fingerprint"):
        return row_join.Rows(
            "the data",
            len(objects),
            _named_ids({}, objects, key, has_ids=not names_and_ids.are_positions(objects)),
        )
    dataset: Any = objects
    keys = dataset.keys or RowKeys()
    has_ids = not (
        names_and_ids.are_positions(dataset.ids) or np.array_equal(dataset.ids, dataset.rows)
    )
    return row_join.Rows(
        dataset.name,
        dataset.n_objects,
        _named_ids(dict(keys.columns), dataset.ids, key, has_ids=has_ids),
        index=dataset.ids if has_ids else None,
        numbers=dataset.rows,
        n_source=keys.n_source,
        aside=keys.aside,
        is_data=True,
    )


def _named_ids(
    columns: dict[str, Any], ids: Ids, key: str | None, *, has_ids: bool
) -> dict[str, Any]:
    """Columns with the ids among them, unless they only number the rows."""
    if key is not None:
        return columns if key in columns else {**columns, key: ids}
    return columns if "id" in columns or not has_ids else {**columns, "id": ids}


def original_units(data: Dataset, rows: Ints | None = None) -> Any:
    """Return the features in original units, dates as dates.

    Parameters
    ----------
    data : Dataset
    rows : ndarray of int, optional
        Positions of the objects; all by default.

    Returns
    -------
    DataFrame or csr_array
        Sparse where the data are.
    """
    import pandas as pd
    from scipy import sparse

    X: Any = data.X if rows is None or len(rows) == data.n_objects else data.X[rows]
    if not isinstance(X, np.ndarray):
        return X if data.scale is None else sparse.csr_array(X @ sparse.diags_array(data.scale))
    X = X.astype(np.float64)
    if data.scale is not None and data.center is not None:
        X = X * data.scale + data.center
        round_columns(X, digits=12)
    table = pd.DataFrame(X, columns=list(data.feature_names))
    for column in () if data.plan is None else data.plan.columns:
        if column.kind == "date" and column.use == "feature" and column.name in table:
            table[column.name] = pd.to_datetime(table[column.name], unit="D")
    return table


def round_columns(X: Floats, digits: int) -> Floats:
    """Round the values to so many digits of the largest of their column, in place."""
    largest = np.maximum(np.abs(X).max(axis=0), np.finfo(np.float64).tiny)
    for j, decimals in enumerate(digits - np.ceil(np.log10(largest)).astype(int)):
        X[:, j] = np.round(X[:, j], min(int(decimals), 300))
    return X
