"""Delimited text (CSV, TSV): its layout, its rows as Arrow tables, and its malformed lines."""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sortal.datasets.values.limits import LIMITS
from sortal.datasets.values.names_and_ids import visible
from sortal.datasets.values.number_readings import (
    MISSING_CELLS,
    are_padded,
    may_have_groups,
    uses_decimal_comma,
)
from sortal.datasets.values.reading_options import RepairableError
from sortal.runtime import resources
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from sortal.typing import Bools


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
    """Read ``columns``, with a mask of rows that were skipped; notes on lines below the table."""
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
                skipped = " / ".join(layout.delimiter.join(line.cells) for line in ragged)
                notes.append(f"Skipped lines below the table: {visible(skipped)[:80]!r}.")
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
    if len(ragged) > LIMITS.max_lines_aside or width < 2 or not with_few_cells:
        return []
    reader = cells_of(_lines(path, encoding), layout.delimiter)
    below = [row for row in reader if reader.line_num >= ragged[0].line and row]
    return ragged if len(below) == len(ragged) else []


def _ragged_error(path: Path, layout: TextLayout, ragged: list[Ragged]) -> RepairableError:
    """Error that lists the first ragged lines."""
    texts = [layout.delimiter.join(line.cells) for line in ragged[:3]]
    texts = [text if len(text) <= 60 else text[:57] + "..." for text in texts]
    places = "; ".join(
        f"line {line.line}: {_cells(len(line.cells))}, {text!r}"
        for line, text in zip(ragged, texts, strict=False)
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

    gaps = np.zeros(table.num_rows + len(positions), dtype=bool)
    gaps[positions] = True
    rows = np.cumsum(~gaps) - 1
    return table.take(pa.array(rows, mask=gaps)), gaps


def _cells(n: int) -> str:
    """Number of cells in words."""
    return "1 cell" if n == 1 else f"{n} cells"


NUMBER_PATTERN = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
#: opener of compressed files by suffix
DECOMPRESSORS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_DELIMITERS = "\t;,|"
#: limit of cost: bytes of a file in which its layout is sought, and its lines
HEAD_BYTES = 1 << 20
#: limit of cost: lines in which the layout is sought
MAX_SAMPLED_LINES = 50


@dataclass(frozen=True)
class TextLayout:
    """Layout of a delimited text file."""

    names: tuple[str, ...]  # the columns, ``x1 .. xd`` where the file has no header line
    has_header: bool  # whether the file has a header line
    guessed: bool  # whether this is a guess
    delimiter: str  # one character; a blank stands for any number of blanks
    decimal: str
    skip: int  # lines before the first row
    #: from the file's size and the length of its first lines; exact for small files
    estimated_rows: int
    block_size: int  # bytes to parse at a time: many lines that fit into the cache
    #: columns with only numbers in the first lines, and those whose digits may be more than that
    numeric: frozenset[str]
    codes: frozenset[str]
    notes: tuple[str, ...]  # decisions that a user should know


def open_binary(path: Path) -> Any:
    """Open the bytes of a file, decompressed by its suffix."""
    return DECOMPRESSORS.get(path.suffix.lower(), open)(path, "rb")


def detect_layout(
    path: Path,
    suffix: str,
    *,
    header: bool | None,
    encoding: str,
    delimiter: str | None = None,
    wanted: Iterable[str] = (),
    decimal: str | None = None,
) -> TextLayout:
    """Detect the layout from the first lines; ``wanted`` columns in the first mark a header.

    The first line is a header unless one of its cells is a number, or each of its cells occurs
    again below in its column. Numbers that count three or more columns (0, 1, 2, ... or 1, 2, 3,
    ...) are a header too. A note reports a guess. The delimiter is the first of tab, semicolon,
    comma, bar that splits all lines into equally many cells, else blanks.
    """
    text, n_bytes, complete = _first_text(path, encoding)
    lines = io.StringIO(text).readlines()
    if not complete and len(lines) > 1:
        lines.pop()
    if not any(line.strip() for line in lines):
        raise InputError(f"{path} is empty")
    if delimiter is None:
        delimiter = "\t" if suffix in (".tsv", ".tab") else _delimiter(lines)
    are_named = _are_rows_named(lines, delimiter)
    n_title = 0 if are_named else _title_lines(lines, delimiter)
    first_cells, skip = _first_cells(lines[n_title:], delimiter)
    skip += n_title
    if are_named:
        first_cells = ["", *first_cells]
    cells = [
        row
        for row in cells_of(lines[skip:][:MAX_SAMPLED_LINES], delimiter)
        if len(row) == len(first_cells)
    ]
    has_names, reason = (
        _header(first_cells, cells, wanted) if header is None else (header, "as requested")
    )
    notes: list[str] = []
    if n_title:
        title = " / ".join(line.strip() for line in lines[:n_title] if line.strip())
        notes.append(f"Skipped lines above the table: {visible(title)[:80]!r}.")
    if has_names:
        names = _names(first_cells, notes)
        if header is None and reason:
            notes.append(f"The first line was taken for a header line ({reason}).")
    else:
        names, skip = _numbered(len(first_cells), reason, notes), n_title
    body = lines[skip:]
    if decimal is None or delimiter == decimal:
        rows = cells_of(body[:MAX_SAMPLED_LINES], delimiter)
        decimal = "," if delimiter in ";\t" and uses_decimal_comma(rows) else "."
    if decimal == ",":
        notes.append("Numbers are written with a decimal comma.")
    block_size = max(HEAD_BYTES, 64 * max(map(len, lines)))
    n_rows = _estimated_rows(path, body, n_bytes)
    numeric, codes = _numeric(names, body[:MAX_SAMPLED_LINES], delimiter, decimal)
    guessed = header is None and reason != ""
    return TextLayout(
        names, has_names, guessed, delimiter, decimal, skip, n_rows, block_size, numeric, codes,
        tuple(notes),
    )  # fmt: skip


def _first_text(path: Path, encoding: str) -> tuple[str, int, bool]:
    """Decoded head of a file, its length in bytes, and whether it is the whole file."""
    try:
        decoder = codecs.getincrementaldecoder("utf-8-sig" if _is_utf8(encoding) else encoding)()
    except LookupError:
        raise InputError(
            f"there is no encoding called {encoding!r}; try utf-8, latin-1 or cp1252"
        ) from None
    with open_binary(path) as stream:
        sample = stream.read(HEAD_BYTES)
        complete = not stream.read(1)
    if sample[:2] in (b"\xff\xfe", b"\xfe\xff") and "16" not in encoding:
        raise RepairableError(
            f"{path} is written in UTF-16; save it as UTF-8, or name that encoding (utf-16) where "
            "data are read",
            encoding="utf-16",
        )
    if b"\0" in sample and "16" not in encoding and "32" not in encoding:
        raise InputError(f"{path} is not text: it holds zero bytes")
    try:
        return decoder.decode(sample, final=complete), len(sample), complete
    except UnicodeError:
        raise encoding_error(path, encoding) or InputError(
            f"{path} is not written in {encoding}"
        ) from None


def _title_lines(lines: list[str], delimiter: str) -> int:
    """Number of lines above the table: titles and comments, with fewer cells than its rows."""
    rows = list(cells_of(lines[:MAX_SAMPLED_LINES], delimiter))
    if len(rows) < len(lines[:MAX_SAMPLED_LINES]):  # cells with line breaks
        return 0
    widths = [len(row) for row in rows if row]
    width = max(set(widths), key=widths.count) if widths else 1
    if width < 2 or widths.count(width) < LIMITS.min_regular_share * len(widths):
        return 0
    first = next(i for i, row in enumerate(rows) if len(row) == width)
    above = [row for row in rows[:first] if any(cell.strip() for cell in row)]
    is_title = all(2 * sum(map(bool, row)) <= width + 1 or row[0][:1] == "#" for row in above)
    return first if above and is_title and len(above) <= LIMITS.max_lines_aside else 0


def _are_rows_named(lines: list[str], delimiter: str) -> bool:
    """Whether the header has no cell for the names of the rows, as write.table of R writes it."""
    rows = [row for row in cells_of(lines[:MAX_SAMPLED_LINES], delimiter) if row]
    if len(rows) < 3 or len(rows[0]) < 2:
        return False
    header, body = rows[0], rows[1:]
    if any(len(row) != len(header) + 1 for row in body):
        return False
    names = {row[0] for row in body}
    has_numbers = any(not cell or NUMBER_PATTERN.fullmatch(cell) for cell in header)
    return not has_numbers and len(names) == len(body) and any(row[-1].strip() for row in body)


def _delimiter(lines: list[str]) -> str:
    """First of tab, semicolon, comma, bar that splits all lines alike, but for titles."""
    sample = [line for line in lines[:MAX_SAMPLED_LINES] if line.strip()]
    chosen = _delimiter_of(sample)
    if chosen is not None:
        return chosen
    for delimiter in (*_DELIMITERS, " "):
        if _are_rows_named(sample, delimiter):
            return delimiter
    for delimiter in _DELIMITERS:
        n_title = _title_lines(lines, delimiter)
        if n_title:
            return delimiter
    counts = {delimiter: sample[0].count(delimiter) for delimiter in ",;\t|"}
    return max(counts, key=counts.__getitem__)


def _delimiter_of(sample: list[str]) -> str | None:
    """Delimiter that splits every line into as many cells; None if there is none."""
    n_rows_split = {}
    for delimiter in _DELIMITERS:
        widths = [len(row) for row in csv.reader(sample, delimiter=delimiter) if row]
        if len(set(widths)) == 1 and widths[0] > 1:
            n_rows_split[delimiter] = len(widths)
    if n_rows_split:
        # a wrong delimiter may open a quote that swallows lines
        return max(n_rows_split, key=n_rows_split.__getitem__)
    return " " if _is_separated_by_blanks(sample) else None


def _is_separated_by_blanks(sample: list[str]) -> bool:
    """Whether all lines have equally many words, and numbers after the first line."""
    words = [line.split() for line in sample]
    return (
        len(words[0]) > 1
        and all(len(row) == len(words[0]) for row in words)
        and all(any(NUMBER_PATTERN.fullmatch(word) for word in row) for row in words[1:] or words)
    )


def cells_of(lines: Iterable[str], delimiter: str) -> Any:
    """CSV reader of the cells of each line."""
    if delimiter == " ":
        return csv.reader(("\t".join(line.split()) + "\n" for line in lines), delimiter="\t")
    return csv.reader(lines, delimiter=delimiter)


def _first_cells(lines: list[str], delimiter: str) -> tuple[list[str], int]:
    """Cells of the first line with content, and how many lines end with it."""
    reader = cells_of(lines, delimiter)
    for row in reader:
        if any(cell.strip() for cell in row):
            return row, reader.line_num
    raise InputError("no line has a cell with anything in it")


def _header(line: list[str], rows: list[list[str]], wanted: Iterable[str]) -> tuple[bool, str]:
    """Whether the first line names the columns, and the reason if guessed, else ""."""
    cells = [cell.strip() for cell in line]
    if set(wanted) & set(cells):
        return True, ""
    numbers = [cell for cell in cells if NUMBER_PATTERN.fullmatch(cell)]
    if numbers:
        counts = [[str(j + start) for j in range(len(numbers))] for start in (0, 1)]
        if len(numbers) > 2 and numbers in counts:
            return True, "it counts the columns; --no-header if it is data"
        return False, "its first line has numbers in it; --header if they are names"
    if not rows or not cells[0]:
        return True, ""
    columns = [[cell.strip() for cell in column] for column in zip(*rows, strict=True)]
    for name, column in zip(cells, columns, strict=True):
        # the names may come again where files were joined
        filled = [cell for cell in column if cell not in MISSING_CELLS and cell != name]
        if filled and all(NUMBER_PATTERN.fullmatch(cell.replace(",", ".")) for cell in filled):
            return True, ""
    if len(set(cells)) < len(cells):
        return False, "its first line has a cell twice; --header if it has the names"
    if all(cell in column for cell, column in zip(cells, columns, strict=True)):
        return False, "its first line is like those below; --header if it has the names"
    return True, "all cells are text, so nothing proves it; --no-header if it is data"


def _numbered(d: int, reason: str, notes: list[str]) -> tuple[str, ...]:
    """Names of the columns of a file without a header line."""
    names = "its column is called x1" if d == 1 else f"its columns are called x1 to x{d}"
    notes.append(f"The file has no header line ({reason}): {names}.")
    return tuple(f"x{j + 1}" for j in range(d))


def _names(cells: list[str], notes: list[str]) -> tuple[str, ...]:
    """Unique name of each column; a repeated name gets the number of its column."""
    names = [
        visible(cell.strip()) or (f"column{j + 1}" if j else "") for j, cell in enumerate(cells)
    ]
    first_position: dict[str, int] = {}
    for j, name in enumerate(names):
        if first_position.setdefault(name, j) == j:
            continue
        unique_name = f"{name} ({j + 1})"
        while unique_name in names:
            unique_name += "'"
        names[j] = unique_name
        notes.append(
            f"Columns {first_position[name] + 1} and {j + 1} are both called {name!r}; the later "
            f"one is called {unique_name!r} here. If the first line is data and not names: "
            "--no-header."
        )
    return tuple(names)


def _numeric(
    names: tuple[str, ...], lines: list[str], delimiter: str, decimal: str
) -> tuple[frozenset[str], frozenset[str]]:
    """Columns with only numbers in the given lines, and those whose digits are kept as text."""
    rows = [row for row in cells_of(lines, delimiter) if len(row) == len(names)]
    cells_of_name = dict(zip(names, zip(*rows, strict=True), strict=False))
    codes = frozenset(
        name for name, cells in cells_of_name.items() if are_padded(cells) or may_have_groups(cells)
    )
    swapped = str.maketrans(",.", ".,") if decimal == "," else {}
    return frozenset(
        name
        for name, cells in cells_of_name.items()
        if all(NUMBER_PATTERN.fullmatch(cell.translate(swapped)) for cell in cells)
    ) - codes, codes


def _estimated_rows(path: Path, body: list[str], n_bytes: int) -> int:
    """Estimated number of rows, from the length of the first lines and the file's size."""
    if n_bytes < HEAD_BYTES:
        return len(body)
    return max(len(body), round(len(body) * _text_size(path) / n_bytes))


def _text_size(path: Path) -> float:
    """Estimated size of the decompressed file in bytes."""
    size, suffix = path.stat().st_size, path.suffix.lower()
    if suffix not in DECOMPRESSORS:
        return size
    with path.open("rb") as raw, DECOMPRESSORS[suffix](raw, "rb") as stream:
        n_bytes = 0
        while n_bytes < 16 * HEAD_BYTES and (block := stream.read(HEAD_BYTES)):
            n_bytes += len(block)
        return n_bytes * size / max(1, min(size, raw.tell()))


def _is_utf8(encoding: str) -> bool:
    """Whether an encoding is UTF-8."""
    return encoding.lower().replace("_", "-") in ("utf-8", "utf8")


def encoding_error(path: Path, encoding: str) -> InputError | None:
    """Error that names the first byte that is invalid in ``encoding``, if any."""
    decoder = codecs.getincrementaldecoder(encoding)()
    position, line = 0, 1
    with open_binary(path) as stream:
        chunk = b"more"
        while chunk:
            chunk = stream.read(HEAD_BYTES)
            pending = decoder.getstate()[0]
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeError as error:
                start = getattr(error, "start", 0)
                offset = position - len(pending) + start
                line += (pending + chunk)[:start].count(b"\n")
                byte = (pending + chunk)[start]
                next_guess = {"cp1252": "latin-1"}.get(encoding.lower(), "utf-8")
                suggestion = "cp1252" if _is_utf8(encoding) else next_guess
                return RepairableError(
                    f"{path} is not written in {encoding.upper()}: byte {offset} (line {line}) is "
                    f"0x{byte:02x}; name its encoding, perhaps {suggestion}, or save it as UTF-8",
                    encoding=suggestion,
                )
            position += len(chunk)
            line += chunk.count(b"\n")
    return None
