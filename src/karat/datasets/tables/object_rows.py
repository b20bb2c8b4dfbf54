"""Rows of a table that are its objects: without notes and totals, one for each object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets.tables.odd_rows import without_odd_rows
from karat.datasets.tables.reshaped_tables import reshaped
from karat.datasets.values import column_arrays
from karat.datasets.values.names_and_ids import quoted

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from karat.datasets.values.drafts import RawData
    from karat.datasets.values.findings import Finding
    from karat.datasets.values.reading_options import ReadingOptions


@dataclass
class ObjectRows:
    """Table with one row per object, and what belongs to its rows.

    Attributes
    ----------
    table : Arrow table
        Without label and id columns, those to drop, and columns that number the rows.
    columns_aside : dict of str to ndarray
        Values of the label and id columns.
    rows : ndarray of int, or None
        Row of the source of each object; None where they are all rows in order.
    ids : ndarray of object, or None
        Ids of objects that several rows were made of.
    findings : list of Finding
    notes : list of str
    """

    table: pa.Table
    columns_aside: dict[str, NDArray[Any]]
    rows: NDArray[np.intp] | None
    ids: NDArray[Any] | None
    findings: list[Finding]
    notes: list[str]

    def keep(self, rows: NDArray[np.intp]) -> None:
        """Keep the facts of some rows; the table has to be set apart."""
        self.columns_aside = {name: values[rows] for name, values in self.columns_aside.items()}
        self.rows = rows if self.rows is None else self.rows[rows]


def object_rows(table: pa.Table, raw: RawData, options: ReadingOptions) -> ObjectRows:
    """Rows of a table that are objects, as its content and the options say."""
    import pyarrow as pa

    named = [name for name in (options.label_column, options.id_column) if name is not None]
    aside = {name: column_arrays.objects(table.column(name), name) for name in named}
    excluded = {*aside, *options.drop} - ({options.id_column} if options.reshapes else set())
    table = table.drop_columns([name for name in table.column_names if name in excluded])
    objects = ObjectRows(table, aside, None, None, [], [])
    if raw.ragged is not None and options.reshapes:
        kept = np.flatnonzero(~raw.ragged)
        objects.table, raw.ragged = table.take(pa.array(kept)), None
        objects.keep(kept)
    is_checked = options.kind is None and not options.strict and raw.ragged is None
    if is_checked:
        cleaned = without_odd_rows(objects.table, options.accept)
        objects.table, objects.findings = cleaned.table, cleaned.findings
        if cleaned.kept is not None:
            objects.keep(cleaned.kept)
    objects.table, index = column_arrays.without_index(objects.table)
    if index:
        objects.notes.append(f"Excluded the index column that pandas wrote: {quoted(index)}.")
    objects.table = column_arrays.without_row_numbers(objects.table, objects.notes)
    one_each = reshaped(objects.table, options)
    if one_each is not None:
        objects.table, objects.ids = one_each.table, one_each.ids
        objects.notes.append(one_each.note)
        objects.keep(one_each.first_rows)
    return objects
