"""Rows of a file of any size, in blocks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sortal.datasets.formats import data_files, delimited
from sortal.datasets.formats.data_files import has_records_without_text
from sortal.datasets.formats.delimited import open_rows
from sortal.datasets.formats.document_files import DOCUMENT_SUFFIXES, documents_of
from sortal.datasets.readers import read_cells
from sortal.datasets.tables.long_tables import reshaped
from sortal.datasets.values import column_arrays
from sortal.datasets.values.names_and_ids import with_visible_names
from sortal.datasets.values.reading_options import ReadingOptions
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from sortal.datasets.prepared.preparation import Preparation

#: limit of cost: rows of a block
ROWS_PER_BLOCK = 2**15


@dataclass(frozen=True)
class RowBlock:
    """Consecutive rows of a file."""

    cells: pa.Table  # cells as written; of text files text
    features: pa.Table  # the same with decimal points in numbers


def row_blocks(
    path: str | os.PathLike[str],
    *,
    wanted: Iterable[str] = (),
    header: bool | None = None,
    encoding: str = "utf-8",
    text_column: str | None = None,
) -> Iterator[RowBlock]:
    """Rows of a data file in blocks; ``wanted`` columns mark a header line.

    Text (also compressed) and Parquet are read block by block, other formats as a whole.
    """
    file = Path(path)
    options = ReadingOptions(header=header, encoding=encoding, text_column=text_column)
    suffix = data_files.split_name(file)[1]
    has_records = has_records_without_text(file, suffix, text_column)
    if file.is_dir() or (suffix in DOCUMENT_SUFFIXES and not has_records):
        documents = documents_of(file, options)
        columns = {
            name: np.asarray(values, dtype=object) for name, values in documents.fields.items()
        }
        yield from _table_blocks(
            column_arrays.to_arrow({**columns, text_column or "text": documents.texts})
        )
        return
    if not file.exists():  # packaged, an address, a part of a file, or missing
        cells, _ = read_cells(path, header=header, encoding=encoding)
        yield from _table_blocks(column_arrays.to_arrow(dict(cells)))
        return
    data_files.check_file(file)
    with data_files.explained(file):
        if suffix in data_files.TEXT_SUFFIXES:
            yield from _text_blocks(file, suffix, list(wanted), header, encoding)
        elif suffix in data_files.PARQUET_SUFFIXES:
            import pyarrow.parquet as pq

            with pq.ParquetFile(file) as opened:
                for batch in opened.iter_batches(batch_size=ROWS_PER_BLOCK):
                    yield from _table_blocks(pa.Table.from_batches([batch]))
        else:
            yield from _table_blocks(_table(file, options))


def object_blocks(
    path: str | os.PathLike[str],
    preparation: Preparation,
    *,
    header: bool | None = None,
    encoding: str = "utf-8",
    text_column: str | None = None,
) -> Iterator[RowBlock]:
    """Iterate over the further objects of a prepared data set in a file, in blocks.

    Parameters
    ----------
    path, header, encoding, text_column
        As for :func:`sortal.datasets.read`.
    preparation : Preparation
        That of the data set, :attr:`Dataset.preparation`. Several rows become one object as there;
        then there is one block, whose cells are the ids.

    Yields
    ------
    RowBlock
        The ``cells`` as written, and as ``features`` what ``preparation.apply`` takes.

    Raises
    ------
    InputError
        If the file cannot be read, or lacks columns.
    """
    blocks = row_blocks(
        path, wanted=preparation.needed, header=header, encoding=encoding, text_column=text_column
    )
    if not preparation.reshaping:
        yield from blocks
        return
    options = ReadingOptions(**preparation.reshaping)
    parts = list(blocks)
    if not parts:
        return
    table = pa.concat_tables([block.features for block in parts], promote_options="permissive")
    options.check_columns(table.column_names)
    one_each = reshaped(column_arrays.plain_columns(table), options, preparation.needed)
    assert one_each is not None
    yield RowBlock(column_arrays.to_arrow({one_each.id_name: one_each.ids}), one_each.table)


def _text_blocks(
    path: Path, suffix: str, wanted: list[str], header: bool | None, encoding: str
) -> Iterator[RowBlock]:
    """Blocks of rows of delimited text."""
    layout = delimited.detect_layout(path, suffix, header=header, encoding=encoding, wanted=wanted)
    with open_rows(path, layout, encoding) as reader:
        for batch in reader:
            cells = pa.Table.from_batches([batch])
            features = cells
            if layout.decimal == ",":
                for name in layout.numeric:
                    points = pc.replace_substring(cells.column(name), ",", ".")
                    features = features.set_column(cells.column_names.index(name), name, points)
            yield RowBlock(cells, with_visible_names(features))


def _table(file: Path, options: ReadingOptions) -> Any:
    """Arrow table of a file that is read as a whole."""
    raw = data_files.read_raw(file, options)
    if hasattr(raw.content, "column_names"):
        return raw.content
    if not isinstance(raw.content, np.ndarray):
        raise InputError(f"{file} is a sparse matrix, whose rows cannot be written back")
    names = raw.names or [f"x{j + 1}" for j in range(raw.content.shape[1])]
    return column_arrays.to_arrow(dict(zip(names, raw.content.T, strict=True)))


def _table_blocks(table: pa.Table) -> Iterator[RowBlock]:
    """Blocks of rows of a table."""
    for start in range(0, table.num_rows, ROWS_PER_BLOCK):
        block = table.slice(start, ROWS_PER_BLOCK)
        yield RowBlock(block, with_visible_names(block))
