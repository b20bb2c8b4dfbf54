"""Layout of a text file: header, delimiter, encoding, numbers."""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sortal.datasets.values.names_and_ids import visible
from sortal.datasets.values.number_readings import (
    MISSING_CELLS,
    are_padded,
    may_have_groups,
    uses_decimal_comma,
)
from sortal.datasets.values.reading_options import RepairableError
from sortal.runtime.validation import InputError

NUMBER_PATTERN = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
#: opener of compressed files by suffix
DECOMPRESSORS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_DELIMITERS = "\t;,|"
HEAD_BYTES = 1 << 20
MAX_SAMPLED_LINES = 50
MAX_TITLE_LINES = 10
MIN_REGULAR_SHARE = 0.7  # share of the first lines that have as many cells as the table


@dataclass(frozen=True)
class TextLayout:
    """Layout of a delimited text file.

    Attributes
    ----------
    names : tuple of str
        The columns, ``x1 .. xd`` where the file has no header line.
    has_header : bool
        Whether the file has a header line.
    guessed : bool
        Whether this is a guess.
    delimiter, decimal : str
        One character each; the delimiter ``" "`` stands for any number of blanks.
    skip : int
        Lines before the first row.
    estimated_rows : int
        From the file's size and the length of its first lines; exact for small files.
    block_size : int
        Bytes to parse at a time: many lines that fit into the cache.
    numeric, codes : frozenset of str
        Columns with only numbers in the first lines; whose digits may be more than a number.
    notes : tuple of str
        Decisions that a user should know.
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
    codes: frozenset[str]
    notes: tuple[str, ...]


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
    numeric, codes = _numeric(names, body[:50], delimiter, decimal)
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
    if width < 2 or widths.count(width) < MIN_REGULAR_SHARE * len(widths):
        return 0
    first = next(i for i, row in enumerate(rows) if len(row) == width)
    above = [row for row in rows[:first] if any(cell.strip() for cell in row)]
    is_title = all(2 * sum(map(bool, row)) <= width + 1 or row[0][:1] == "#" for row in above)
    return first if above and is_title and len(above) <= MAX_TITLE_LINES else 0


def _are_rows_named(lines: list[str], delimiter: str) -> bool:
    """Whether the header line has no cell for the first column, the names of the rows.

    So write.table of R writes a table.
    """
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
    """First of tab, semicolon, comma, bar that splits every line into as many cells.

    Few lines with fewer cells above or below the table are allowed where no delimiter splits all.
    """
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
        while n_bytes < 16 * HEAD_BYTES and (part := stream.read(HEAD_BYTES)):
            n_bytes += len(part)
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
