"""Delimited text (CSV, TSV): header, delimiter, encoding, ragged lines."""

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
from typing import TYPE_CHECKING, Any, BinaryIO

from karat import resources
from karat.validation import InputError

if TYPE_CHECKING:
    import pyarrow as pa

#: What an unquoted cell may say instead of a value.
MISSING = ("", "?", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None")
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d+,\d+\s*")
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_DELIMITERS = "\t;,|"
_SAMPLE = 1 << 20


@dataclass(frozen=True)
class Layout:
    """How a text file is laid out.

    Attributes
    ----------
    names : tuple of str
        The columns, ``x1 .. xd`` where the file has no header line.
    has_header : bool
        Whether the file names them.
    guessed : bool
        Whether nothing proves that.
    delimiter, decimal : str
        One character each; the delimiter ``" "`` stands for blanks of any number.
    skip : int
        Lines before the first row.
    estimated_rows : int
        From the file's size and the length of its first lines; exact for small files.
    block_size : int
        Bytes to parse at a time: many lines, and few enough for the cache.
    numeric : frozenset of str
        Columns with nothing but numbers in the first lines.
    notes : tuple of str
        What was decided that a reader should know.
    """

    names: tuple[str, ...]
    has_header: bool
    guessed: bool
    delimiter: str
    decimal: str
    skip: int
    estimated_rows: int
    block_size: int
    numeric: frozenset[str]
    notes: tuple[str, ...]


def open_binary(path: Path) -> Any:
    """The file's bytes, decompressed when its name ends in .gz, .bz2, .xz or .zst."""
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return gzip.open(path, "rb")
    if suffix == ".bz2":
        return bz2.open(path, "rb")
    if suffix == ".xz":
        return lzma.open(path, "rb")
    return decompressed(path.open("rb"), suffix)


def decompressed(raw: BinaryIO, suffix: str) -> Any:
    """``raw`` through the decompressor for ``suffix``."""
    if suffix not in COMPRESSED:
        return raw
    if suffix == ".zst":
        import pyarrow as pa

        return pa.CompressedInputStream(pa.PythonFile(raw, "r"), "zstd")
    if suffix == ".gz":
        return gzip.GzipFile(fileobj=raw)
    return bz2.BZ2File(raw) if suffix == ".bz2" else lzma.LZMAFile(raw)


def look(
    path: Path,
    suffix: str,
    *,
    header: bool | None,
    encoding: str,
    delimiter: str | None = None,
    wanted: Iterable[str] = (),
) -> Layout:
    """Decide the layout from the first lines; ``wanted`` columns in the first are a header.

    The first line is a header unless one of its cells is a number, or each of its cells comes
    again below in its column; a first line whose numbers count the columns (0, 1, 2, ... or 1, 2,
    3, ..., three or more) is a header too. A note says so where nothing proves it. Cells are
    separated by the first of tab, semicolon, comma, bar that splits all lines into equally many,
    or by blanks.
    """
    text, n_bytes, complete = _first_text(path, encoding)
    lines = io.StringIO(text).readlines()
    if not complete and len(lines) > 1:
        lines.pop()
    if not any(line.strip() for line in lines):
        raise InputError(f"{path} is empty")
    if delimiter is None:
        delimiter = "\t" if suffix in (".tsv", ".tab") else _delimiter(lines)
    first, skip = _first_cells(lines, delimiter)
    cells = [row for row in _cells_of(lines[skip:][:50], delimiter) if len(row) == len(first)]
    has_names, why = _header(first, cells, wanted) if header is None else (header, "as told")
    notes = []
    if has_names:
        names = _names(first, path)
        if header is None and why:
            notes.append(f"The first line was taken for a header line ({why}).")
    else:
        names, skip = tuple(f"x{j + 1}" for j in range(len(first))), 0
        which = (
            "its column is called x1"
            if len(names) == 1
            else (f"its columns are called x1 to x{len(names)}")
        )
        notes.append(f"The file has no header line ({why}): {which}.")
    body = lines[skip:]
    decimal = "," if delimiter in ";\t" and _uses_decimal_comma(body, delimiter) else "."
    if decimal == ",":
        notes.append("Numbers are written with a decimal comma.")
    block_size = max(_SAMPLE, 64 * max(map(len, lines)))
    rows = _rows(path, body, n_bytes)
    numeric = _numeric(names, body[:50], delimiter, decimal)
    guessed = header is None and why != ""
    return Layout(
        names, has_names, guessed, delimiter, decimal, skip, rows, block_size, numeric, tuple(notes)
    )


def read_table(
    path: Path,
    layout: Layout,
    columns: list[str],
    *,
    as_text: set[str],
    encoding: str,
) -> pa.Table:
    """Read ``columns``; those in ``as_text`` keep the characters they are written with.

    There only the empty cell is missing; elsewhere all of :data:`MISSING` are.
    """
    import pyarrow as pa

    types = dict.fromkeys(as_text, pa.string())
    # a column whose type is known needs half the memory: its text is not kept to be read again
    sure = {name: pa.float64() for name in layout.numeric if name not in as_text}
    missing = ("",) if as_text.issuperset(columns) else MISSING
    try:
        table = _arrow_table(path, layout, columns, {**sure, **types}, encoding, missing)
    except (pa.ArrowInvalid, UnicodeError):
        try:
            table = _arrow_table(path, layout, columns, types, encoding, missing)
        except (pa.ArrowInvalid, UnicodeError) as error:
            raise _text_error(path, layout, encoding, error) from None
    if any(pa.types.is_binary(field.type) for field in table.schema):
        raise _text_error(path, layout, encoding, None)
    if table.num_rows == 0:
        raise InputError(f"{path} has a header line and no rows")
    doubtful = [name for name in columns if name in as_text and table.column(name).null_count]
    if doubtful and missing is MISSING:
        literal = _arrow_table(path, layout, doubtful, types, encoding, ("",))
        for name in doubtful:
            table = table.set_column(columns.index(name), name, literal.column(name))
    return table


def _arrow_table(
    path: Path,
    layout: Layout,
    columns: list[str],
    types: dict[str, Any],
    encoding: str,
    missing: tuple[str, ...],
) -> pa.Table:
    from pyarrow import csv as arrow_csv

    return arrow_csv.read_csv(
        _source(path, layout),
        read_options=arrow_csv.ReadOptions(
            column_names=list(layout.names),
            skip_rows=layout.skip,
            encoding=encoding,
            block_size=layout.block_size,
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter="\t" if layout.delimiter == " " else layout.delimiter,
            newlines_in_values=True,
            ignore_empty_lines=len(layout.names) > 1,
        ),
        convert_options=arrow_csv.ConvertOptions(
            include_columns=columns,
            column_types=types,
            null_values=list(missing),
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            decimal_point=layout.decimal,
        ),
    )


def _text_error(path: Path, layout: Layout, encoding: str, error: Exception | None) -> InputError:
    """Why Arrow could not read the file, with the place; it is looked for line by line."""
    if "Empty CSV file" in str(error):
        return InputError(f"{path} has a header line and no rows")
    return (
        _encoding_error(path, encoding)
        or _ragged_error(path, layout, encoding)
        or InputError(f"{path} cannot be read: {error or 'it is not text in ' + encoding}")
    )


def memory_needed(layout: Layout, n_columns: int) -> int:
    """Bytes for the table as read and the array made of it."""
    return layout.estimated_rows * n_columns * 16


def require_memory(path: Path, layout: Layout, n_columns: int) -> None:
    """Raise before a file is read that does not fit."""
    resources.require_memory(
        memory_needed(layout, n_columns),
        f"{path} (about {layout.estimated_rows:,} rows × {n_columns:,} columns)",
        "exclude columns with drop (--drop), or give a sample of its rows",
    )


def _first_text(path: Path, encoding: str) -> tuple[str, int, bool]:
    """The first text, the file's bytes that hold it, and whether this is all of it."""
    try:
        decoder = codecs.getincrementaldecoder("utf-8-sig" if _is_utf8(encoding) else encoding)()
    except LookupError:
        raise InputError(
            f"there is no encoding called {encoding!r}; try utf-8, latin-1 or cp1252"
        ) from None
    with open_binary(path) as stream:
        sample = stream.read(_SAMPLE)
        complete = not stream.read(1)
    if sample[:2] in (b"\xff\xfe", b"\xfe\xff") and "16" not in encoding:
        raise InputError(
            f"{path} is written in UTF-16; read it with encoding='utf-16' (--encoding utf-16)"
        )
    if b"\0" in sample and "16" not in encoding and "32" not in encoding:
        raise InputError(f"{path} is not text: it holds zero bytes")
    try:
        return decoder.decode(sample, final=complete), len(sample), complete
    except UnicodeError:
        raise _encoding_error(path, encoding) or InputError(
            f"{path} is not written in {encoding}"
        ) from None


def _delimiter(lines: list[str]) -> str:
    """The first of tab, semicolon, comma, bar that cuts every line into as many cells."""
    sample = [line for line in lines[:50] if line.strip()]
    even = {}
    for delimiter in _DELIMITERS:
        widths = [len(row) for row in csv.reader(sample, delimiter=delimiter) if row]
        if len(set(widths)) == 1 and widths[0] > 1:
            even[delimiter] = len(widths)
    if even:
        # a wrong delimiter may open a quote that swallows lines
        return max(even, key=even.__getitem__)
    if _parted_by_blanks(sample):
        return " "
    counts = {delimiter: sample[0].count(delimiter) for delimiter in ",;\t|"}
    return max(counts, key=counts.__getitem__)


def _parted_by_blanks(sample: list[str]) -> bool:
    """Whether every line has as many words, more than one, and numbers after the first line."""
    words = [line.split() for line in sample]
    return (
        len(words[0]) > 1
        and all(len(row) == len(words[0]) for row in words)
        and all(any(NUMBER.fullmatch(word) for word in row) for row in words[1:] or words)
    )


def _source(path: Path, layout: Layout) -> Any:
    """What Arrow reads: the file itself where it can, which is faster."""
    if layout.delimiter != " ":
        return open_binary(path) if path.suffix.lower() in COMPRESSED else str(path)
    with open_binary(path) as stream:
        return io.BytesIO(b"".join(b"\t".join(line.split()) + b"\n" for line in stream))


def _cells_of(lines: Iterable[str], delimiter: str) -> Any:
    if delimiter == " ":
        return csv.reader(("\t".join(line.split()) + "\n" for line in lines), delimiter="\t")
    return csv.reader(lines, delimiter=delimiter)


def _first_cells(lines: list[str], delimiter: str) -> tuple[list[str], int]:
    reader = _cells_of(lines, delimiter)
    for row in reader:
        if any(cell.strip() for cell in row):
            return row, reader.line_num
    raise InputError("no line has a cell with anything in it")


def _header(first: list[str], rows: list[list[str]], wanted: Iterable[str]) -> tuple[bool, str]:
    """Whether the first line names the columns, and how that was guessed; "" where it is sure."""
    cells = [cell.strip() for cell in first]
    if set(wanted) & set(cells):
        return True, ""
    numbers = [cell for cell in cells if NUMBER.fullmatch(cell)]
    if numbers:
        counts = [[str(j + start) for j in range(len(numbers))] for start in (0, 1)]
        if len(numbers) > 2 and numbers in counts:
            return True, "it counts the columns; --no-header if it is data"
        return False, "its first line has numbers in it; --header if they are names"
    if not rows or not cells[0]:
        return True, ""
    columns = [[cell.strip() for cell in column] for column in zip(*rows, strict=True)]
    for column in columns:
        given = [cell for cell in column if cell not in MISSING]
        if given and all(NUMBER.fullmatch(cell.replace(",", ".")) for cell in given):
            return True, ""
    if all(cell in column for cell, column in zip(cells, columns, strict=True)):
        return False, "its first line is like those below; --header if it has the names"
    return True, "all cells are text, so nothing proves it; --no-header if it is data"


def _names(cells: list[str], path: Path) -> tuple[str, ...]:
    names = [cell.strip() or (f"column{j + 1}" if j else "") for j, cell in enumerate(cells)]
    twice = (
        sorted({name for name in names if names.count(name) > 1})
        if len(set(names)) < len(names)
        else []
    )
    if twice:
        raise InputError(
            f"{path}: two columns are called {twice[0]!r}; rename one, or, if the first line is "
            "data and not names, say header=False (--no-header)"
        )
    return tuple(names)


def _uses_decimal_comma(lines: list[str], delimiter: str) -> bool:
    cells = [cell for row in csv.reader(lines[:50], delimiter=delimiter) for cell in row]
    with_comma = any(_COMMA_NUMBER.fullmatch(cell) for cell in cells)
    return with_comma and not any("." in c and NUMBER.fullmatch(c) for c in cells)


def _numeric(
    names: tuple[str, ...], lines: list[str], delimiter: str, decimal: str
) -> frozenset[str]:
    rows = [row for row in _cells_of(lines, delimiter) if len(row) == len(names)]
    return frozenset(
        name
        for name, cells in zip(names, zip(*rows, strict=True), strict=False)
        if all(NUMBER.fullmatch(cell.replace(decimal, ".")) for cell in cells)
    )


def _rows(path: Path, body: list[str], n_bytes: int) -> int:
    """Rows, from the length of the first lines and the size of the file."""
    if n_bytes < _SAMPLE:
        return len(body)
    return max(len(body), round(len(body) * _text_size(path) / n_bytes))


def _text_size(path: Path) -> float:
    """Bytes of text in the file, by how far its first part is compressed."""
    size, suffix = path.stat().st_size, path.suffix.lower()
    if suffix not in COMPRESSED:
        return size
    with path.open("rb") as raw, decompressed(raw, suffix) as stream:
        n_bytes = 0
        while n_bytes < 16 * _SAMPLE and (part := stream.read(_SAMPLE)):
            n_bytes += len(part)
        return n_bytes * size / max(1, min(size, raw.tell()))


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("_", "-") in ("utf-8", "utf8")


def _lines(path: Path, encoding: str) -> Iterator[str]:
    with io.TextIOWrapper(open_binary(path), encoding=encoding, newline="") as stream:
        yield from stream


def _ragged_error(path: Path, layout: Layout, encoding: str) -> InputError | None:
    """Find the first line whose number of cells is not the first line's."""
    want = len(layout.names)
    reader = _cells_of(_lines(path, encoding), layout.delimiter)
    try:
        for row in reader:
            if row and len(row) != want:
                shown = layout.delimiter.join(row)
                shown = shown if len(shown) <= 60 else shown[:57] + "..."
                return InputError(
                    f"{path}, line {reader.line_num}: {_cells(len(row))}, but the first line has "
                    f"{_cells(want)} (delimiter {layout.delimiter!r}): {shown!r}; fix that line, "
                    "or put quotes around a cell that holds the delimiter"
                )
    except csv.Error as error:
        return InputError(f"{path}, line {reader.line_num}: {error}")
    return None


def _cells(n: int) -> str:
    return "1 cell" if n == 1 else f"{n} cells"


def _encoding_error(path: Path, encoding: str) -> InputError | None:
    """Find the first byte that is not text in ``encoding``."""
    decoder = codecs.getincrementaldecoder(encoding)()
    position, line = 0, 1
    with open_binary(path) as stream:
        for chunk in iter(lambda: stream.read(_SAMPLE), b""):
            pending = decoder.getstate()[0]
            try:
                decoder.decode(chunk)
            except UnicodeError as error:
                start = getattr(error, "start", 0)
                at = position - len(pending) + start
                line += (pending + chunk)[:start].count(b"\n")
                byte = (pending + chunk)[start]
                return InputError(
                    f"{path} is not written in {encoding.upper()}: byte {at} (line {line}) is "
                    f"0x{byte:02x}; say how it is written, e.g. encoding='latin-1' "
                    "(--encoding latin-1), or save it as UTF-8"
                )
            position += len(chunk)
            line += chunk.count(b"\n")
    return None
