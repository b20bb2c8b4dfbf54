"""Delimited text (CSV, TSV) as Arrow tables, and what is wrong with its lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.datasets._layout import (
    DECOMPRESSORS,
    MISSING_CELLS,
    TextLayout,
    cells_of,
    encoding_error,
    open_binary,
)
from karat.datasets.problems import RepairableError
from karat.runtime import resources
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


def read_rows(
    path: Path,
    layout: TextLayout,
    columns: list[str],
    *,
    as_text: set[str],
    encoding: str,
    skip: bool = False,
) -> tuple[pa.Table, NDArray[np.bool_] | None]:
    """Read ``columns``, and say which rows have no values because they were skipped, if any.

    Columns in ``as_text`` keep the characters they are written with, and only the empty cell is
    missing; elsewhere all of :data:`MISSING_CELLS` are.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    text = dict.fromkeys(as_text, pa.string())
    # a column whose type is known needs half the memory: its text is not kept to be read again
    sure = {name: pa.float64() for name in layout.numeric if name not in as_text}
    missing = ("",) if as_text.issuperset(columns) else MISSING_CELLS
    ragged: list[Ragged] = []

    def parsed(names: list[str], types: dict[str, Any], missing: tuple[str, ...]) -> pa.Table:
        how = _options(layout, names, types, encoding, missing, skip=bool(ragged))
        return arrow_csv.read_csv(_source(path, layout), **how)

    try:
        table = parsed(columns, {**sure, **text}, missing)
    except (pa.ArrowInvalid, UnicodeError):
        try:
            table = parsed(columns, text, missing)
        except (pa.ArrowInvalid, UnicodeError) as error:
            why = _text_error(path, encoding, error)
            ragged += [] if why else ragged_lines(path, layout, encoding)
            if not ragged:
                raise why or InputError(f"{path} cannot be read: {error}") from None
            if not skip:
                raise _ragged_error(path, layout, ragged) from None
            table = parsed(columns, text, missing)
    if any(pa.types.is_binary(field.type) for field in table.schema):
        raise _text_error(path, encoding, None) or InputError(f"{path} is not text in {encoding}")
    if table.num_rows == 0:
        raise InputError(f"{path} has a header line and no rows")
    doubtful = [name for name in columns if name in as_text and table.column(name).null_count]
    if doubtful and missing is MISSING_CELLS:
        literal = parsed(doubtful, text, ("",))
        for name in doubtful:
            table = table.set_column(columns.index(name), name, literal.column(name))
    return with_gaps(table, [one.row for one in ragged]) if ragged else (table, None)


def open_rows(path: Path, layout: TextLayout, encoding: str) -> Any:
    """A reader of batches of rows, all cells as text."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    types = dict.fromkeys(layout.names, pa.string())
    how = _options(layout, list(layout.names), types, encoding, ("",))
    return arrow_csv.open_csv(_source(path, layout), **how)


def _options(
    layout: TextLayout,
    columns: list[str],
    types: dict[str, Any],
    encoding: str,
    missing: tuple[str, ...],
    *,
    skip: bool = False,
) -> dict[str, Any]:
    """How Arrow reads a file of this layout."""
    from pyarrow import csv as arrow_csv

    return {
        "read_options": arrow_csv.ReadOptions(
            column_names=list(layout.names),
            skip_rows=layout.skip,
            encoding=encoding,
            block_size=layout.block_size,
        ),
        "parse_options": arrow_csv.ParseOptions(
            delimiter="\t" if layout.delimiter == " " else layout.delimiter,
            newlines_in_values=True,
            ignore_empty_lines=len(layout.names) > 1,
            invalid_row_handler=(lambda row: "skip") if skip else None,
        ),
        "convert_options": arrow_csv.ConvertOptions(
            include_columns=columns,
            column_types=types,
            null_values=list(missing),
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            decimal_point=layout.decimal,
        ),
    }


def _text_error(path: Path, encoding: str, error: Exception | None) -> InputError | None:
    """Why Arrow could not read the file, unless its lines are to blame."""
    if "Empty CSV file" in str(error):
        return InputError(f"{path} has a header line and no rows")
    return encoding_error(path, encoding)


def require_memory(path: Path, layout: TextLayout, n_columns: int) -> None:
    """Raise before a file is read that does not fit."""
    resources.require_memory(
        layout.estimated_rows * n_columns * 16,  # the table as read and the array made of it
        f"{path} (about {layout.estimated_rows:,} rows × {n_columns:,} columns)",
        "exclude columns with drop (--drop), or give a sample of its rows",
    )


def _source(path: Path, layout: TextLayout) -> Any:
    """What Arrow reads: the file itself where it can, which is faster."""
    if layout.delimiter != " ":
        return open_binary(path) if path.suffix.lower() in DECOMPRESSORS else str(path)
    with open_binary(path) as stream:
        return io.BytesIO(b"".join(b"\t".join(line.split()) + b"\n" for line in stream))


def _lines(path: Path, encoding: str) -> Iterator[str]:
    with io.TextIOWrapper(open_binary(path), encoding=encoding, newline="") as stream:
        yield from stream


@dataclass(frozen=True)
class Ragged:
    """A line with too few or too many cells, and which row it would be."""

    line: int
    row: int
    cells: list[str]


def ragged_lines(path: Path, layout: TextLayout, encoding: str) -> list[Ragged]:
    """The lines whose number of cells is not the first line's."""
    want, found, row = len(layout.names), [], 0
    reader = cells_of(_lines(path, encoding), layout.delimiter)
    try:
        for cells in reader:
            if reader.line_num > layout.skip and (cells or want == 1):
                if cells and len(cells) != want:
                    found.append(Ragged(reader.line_num, row, cells))
                row += 1
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}") from None
    return found


def _ragged_error(path: Path, layout: TextLayout, ragged: list[Ragged]) -> RepairableError:
    shown = [layout.delimiter.join(one.cells) for one in ragged[:3]]
    shown = [text if len(text) <= 60 else text[:57] + "..." for text in shown]
    places = "; ".join(
        f"line {one.line}: {_cells(len(one.cells))}, {text!r}"
        for one, text in zip(ragged, shown, strict=False)
    )
    many = f"{len(ragged):,} lines do" if len(ragged) > 1 else "a line does"
    return RepairableError(
        f"{path}: {many} not have the {_cells(len(layout.names))} of the first (delimiter "
        f"{layout.delimiter!r}): {places}{'; ...' if len(ragged) > 3 else ''}. Fix "
        f"{'them' if len(ragged) > 1 else 'it'}, or put quotes around a cell that holds the "
        "delimiter; or exclude such lines with impute='drop' (--impute drop)",
        impute="drop",
    )


def with_gaps(table: pa.Table, at: list[int]) -> tuple[pa.Table, NDArray[np.bool_]]:
    """The table with rows of nothing where lines were skipped, and which rows these are."""
    import numpy as np
    import pyarrow as pa

    gaps = np.zeros(table.num_rows + len(at), dtype=bool)
    gaps[at] = True
    rows = np.cumsum(~gaps) - 1
    return table.take(pa.array(rows, mask=gaps)), gaps


def _cells(n: int) -> str:
    return "1 cell" if n == 1 else f"{n} cells"
