"""Columns by which other inputs about the same objects are joined to a data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets.values import object_ids
from karat.labelings.row_join import Rows
from karat.labelings.row_values import HEAD_ROWS

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from karat.datasets.prepared.dataset import Dataset
    from karat.datasets.values.object_ids import Ids

#: columns that a data set remembers, and their bytes in all
MAX_COLUMNS, MAX_BYTES = 8, 256 << 20
#: least share of different values
MIN_DISTINCT = 0.9


@dataclass(frozen=True)
class RowKeys:
    """Columns of a source with a different value in nearly every object's row, as written.

    Attributes
    ----------
    columns : mapping of str to Arrow array
        Values of the objects.
    aside : mapping of str to Arrow array
        Values in the rows of the source that are no objects.
    n_source : int or None
        Rows of the source.
    """

    columns: Mapping[str, Any] = field(default_factory=dict)
    aside: Mapping[str, Any] = field(default_factory=dict)
    n_source: int | None = None


def possible_keys(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    """Columns of a table that may have a different value in every row; bounded in memory."""
    columns: dict[str, pa.ChunkedArray] = {}
    n_bytes = 0
    for name in table.column_names:
        column = table.column(name)
        if len(columns) == MAX_COLUMNS:
            break
        if not _may_differ(column) or n_bytes + column.nbytes > MAX_BYTES:
            continue
        n_bytes += column.nbytes
        columns[name] = column
    return columns


def _may_differ(column: pa.ChunkedArray) -> bool:
    """Whether few of the first values repeat; numbers with decimals are measured."""
    import pyarrow as pa
    import pyarrow.compute as pc

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
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_floating(kind):
        kind = pa.float64()
    elif pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        kind = pa.large_string() if pa.types.is_string_view(kind) else pa.large_binary()
    return column.cast(kind)


def row_keys(
    columns: Mapping[str, pa.ChunkedArray], rows: NDArray[np.intp] | None, n_source: int
) -> RowKeys:
    """The keys among the columns of a source, of whose rows some are objects."""
    import pyarrow as pa
    import pyarrow.compute as pc

    aside_rows = None if rows is None else np.setdiff1d(np.arange(n_source), rows)
    keys, aside = {}, {}
    for name, column in columns.items():
        values = column if rows is None else column.take(pa.array(rows))
        # one that would be a key but for a few repeats has to be refused by name
        if pc.count_distinct(_countable(values)).as_py() < MIN_DISTINCT * len(values):
            continue
        keys[name] = values
        if aside_rows is not None and len(aside_rows):
            aside[name] = column.take(pa.array(aside_rows)).drop_null()
    return RowKeys(keys, aside, n_source)


def rows_of(objects: Dataset | Rows | Ids, *, key: str | None = None) -> Rows:
    """The rows of a data set, or of objects with these ids, as a join takes them.

    Ids without a name are called ``key``.
    """
    if isinstance(objects, Rows):
        return objects
    if not hasattr(objects, "fingerprint"):
        return Rows(
            "the data",
            len(objects),
            _named_ids({}, objects, key, has_ids=not object_ids.are_positions(objects)),
        )
    dataset: Any = objects
    keys = dataset.keys or RowKeys()
    has_ids = not (
        object_ids.are_positions(dataset.ids) or np.array_equal(dataset.ids, dataset.rows)
    )
    return Rows(
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
