"""Delimited text (CSV, TSV) as Arrow tables, and its malformed lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortal.datasets.formats.text_layout import (
    DECOMPRESSORS,
    TextLayout,
    cells_of,
    encoding_error,
    open_binary,
)
from sortal.datasets.values.names_and_ids import visible
from sortal.datasets.values.number_readings import MISSING_CELLS
from sortal.datasets.values.reading_options import RepairableError
from sortal.runtime import resources
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from sortal.runtime.types import Bools

MAX_FOOTNOTES = 10


def read_rows(
    path: Path,
    layout: TextLayout,
    columns: list[str],
    *,
    as_text: set[str],
    encoding: str,
    skip: bool = False,
    notes: list[str] | None = None,
) -> tuple[pa.Table, Bools | None]:
    """Read ``columns``; also return which rows were skipped and have no values, if any.

    Lines below the table with fewer cells are skipped with a note where ``notes`` takes it.
    Columns in ``as_text`` keep their characters, and only the empty cell is missing. In other
    columns all of :data:`MISSING_CELLS` are.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    text = dict.fromkeys({*as_text, *layout.codes} & {*columns}, pa.string())
    # a column whose type is known needs half the memory: its text is not kept to be read again
    numeric_types = {name: pa.float64() for name in layout.numeric if name not in as_text}
    missing = ("",) if as_text.issuperset(columns) else MISSING_CELLS
    ragged: list[Ragged] = []

    def parse(names: list[str], types: dict[str, Any], missing: tuple[str, ...]) -> pa.Table:
        of_arrow = arrow_options(layout, names, types, encoding, missing, skip=bool(ragged))
        return arrow_csv.read_csv(_source(path, layout), **of_arrow)

    try:
        table = parse(columns, {**numeric_types, **text}, missing)
    except (pa.ArrowInvalid, UnicodeError):
        try:
            table = parse(columns, text, missing)
        except (pa.ArrowInvalid, UnicodeError) as error:
            reason = _text_error(path, encoding, error)
            ragged += [] if reason else ragged_lines(path, layout, encoding)
            if not ragged:
                raise reason or InputError(f"{path} cannot be read: {error}") from None
            footnotes = [] if notes is None else _footnotes(path, layout, encoding, ragged)
            if not skip and not footnotes:
                raise _ragged_error(path, layout, ragged) from None
            table = parse(columns, text, missing)
            if notes is not None and footnotes:
                shown = " / ".join(layout.delimiter.join(line.cells) for line in ragged)
                notes.append(f"Skipped lines below the table: {visible(shown)[:80]!r}.")
                ragged = []
    if any(pa.types.is_binary(field.type) for field in table.schema):
        raise _text_error(path, encoding, None) or InputError(f"{path} is not text in {encoding}")
    if table.num_rows == 0:
        raise InputError(f"{path} has a header line and no rows")
    doubtful = [name for name in columns if name in as_text and table.column(name).null_count]
    if doubtful and missing is MISSING_CELLS:
        literal = parse(doubtful, text, ("",))
        for name in doubtful:
            table = table.set_column(columns.index(name), name, literal.column(name))
    return with_gaps(table, [line.row for line in ragged]) if ragged else (table, None)


def open_rows(path: Path, layout: TextLayout, encoding: str) -> Any:
    """Reader of batches of rows, all cells as text."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    types = dict.fromkeys(layout.names, pa.string())
    of_arrow = arrow_options(layout, list(layout.names), types, encoding, ("",))
    return arrow_csv.open_csv(_source(path, layout), **of_arrow)


def arrow_options(
    layout: TextLayout,
    columns: list[str],
    types: dict[str, Any],
    encoding: str,
    missing: tuple[str, ...],
    *,
    skip: bool = False,
) -> dict[str, Any]:
    """Arrow's options for a file of this layout."""
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
    """Error that explains why Arrow could not read the text; None if its lines are ragged."""
    if "Empty CSV file" in str(error):
        return InputError(f"{path} has a header line and no rows")
    return encoding_error(path, encoding)


def require_memory(path: Path, layout: TextLayout, n_columns: int) -> None:
    """Raise before reading a file that does not fit into memory."""
    resources.require_memory(
        layout.estimated_rows * n_columns * 16,  # the table as read and the array made of it
        f"{path} (about {layout.estimated_rows:,} rows × {n_columns:,} columns)",
        "exclude columns with drop (--drop), or give a sample of its rows",
    )


def _source(path: Path, layout: TextLayout) -> Any:
    """Input for Arrow: the path where possible, which is faster, or an open stream."""
    if layout.delimiter != " ":
        return open_binary(path) if path.suffix.lower() in DECOMPRESSORS else str(path)
    with open_binary(path) as stream:
        return io.BytesIO(b"".join(b"\t".join(line.split()) + b"\n" for line in stream))


def _lines(path: Path, encoding: str) -> Iterator[str]:
    """Decoded lines of a file."""
    with io.TextIOWrapper(open_binary(path), encoding=encoding, newline="") as stream:
        yield from stream


@dataclass(frozen=True)
class Ragged:
    """Line with too few or too many cells, and the row that it would be."""

    line: int
    row: int
    cells: list[str]


def ragged_lines(path: Path, layout: TextLayout, encoding: str) -> list[Ragged]:
    """Lines whose number of cells differs from the first line's."""
    width, ragged, row = len(layout.names), [], 0
    reader = cells_of(_lines(path, encoding), layout.delimiter)
    try:
        for cells in reader:
            if reader.line_num > layout.skip and (cells or width == 1):
                if cells and len(cells) != width:
                    ragged.append(Ragged(reader.line_num, row, cells))
                row += 1
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}") from None
    return ragged


def _footnotes(path: Path, layout: TextLayout, encoding: str, ragged: list[Ragged]) -> list[Ragged]:
    """Ragged lines if all of them stand below the table and have few cells, else none."""
    width = len(layout.names)
    with_few_cells = all(2 * sum(map(bool, line.cells)) <= width + 1 for line in ragged)
    if len(ragged) > MAX_FOOTNOTES or width < 2 or not with_few_cells:
        return []
    reader = cells_of(_lines(path, encoding), layout.delimiter)
    below = [row for row in reader if reader.line_num >= ragged[0].line and row]
    return ragged if len(below) == len(ragged) else []


def _ragged_error(path: Path, layout: TextLayout, ragged: list[Ragged]) -> RepairableError:
    """Error that lists the first ragged lines."""
    shown = [layout.delimiter.join(line.cells) for line in ragged[:3]]
    shown = [text if len(text) <= 60 else text[:57] + "..." for text in shown]
    places = "; ".join(
        f"line {line.line}: {_cells(len(line.cells))}, {text!r}"
        for line, text in zip(ragged, shown, strict=False)
    )
    count = f"{len(ragged):,} lines do" if len(ragged) > 1 else "a line does"
    return RepairableError(
        f"{path}: {count} not have the {_cells(len(layout.names))} of the first (delimiter "
        f"{layout.delimiter!r}): {places}{'; ...' if len(ragged) > 3 else ''}. Fix "
        f"{'them' if len(ragged) > 1 else 'it'}, or put quotes around a cell that holds the "
        "delimiter; or exclude such lines with impute='drop' (--impute drop)",
        impute="drop",
    )


def with_gaps(table: pa.Table, positions: list[int]) -> tuple[pa.Table, Bools]:
    """Table with empty rows at skipped lines, and a mask of these rows."""
    import numpy as np
    import pyarrow as pa

    gaps = np.zeros(table.num_rows + len(positions), dtype=bool)
    gaps[positions] = True
    rows = np.cumsum(~gaps) - 1
    return table.take(pa.array(rows, mask=gaps)), gaps


def _cells(n: int) -> str:
    """Number of cells in words."""
    return "1 cell" if n == 1 else f"{n} cells"
