"""Readers of each file format, which return :class:`RawData`; and files at an address."""

from __future__ import annotations

import contextlib
import csv
import difflib
import json
import os
import time
import urllib.parse
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from io import BufferedIOBase
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sortal.datasets.formats import delimited
from sortal.datasets.formats.annotated_matrices import ANNDATA_SUFFIXES, read_annotated
from sortal.datasets.values.column_arrays import to_arrow
from sortal.datasets.values.drafts import RawData
from sortal.datasets.values.names_and_ids import quoted
from sortal.datasets.values.reading_options import ReadingOptions
from sortal.runtime import resources
from sortal.runtime.array_files import explained_arrays, load_array, load_sparse
from sortal.runtime.extras import require
from sortal.runtime.output import new_file, temporary_folder
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.lib.npyio import NpzFile
    from numpy.typing import NDArray

TEXT_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".data", ".dat", "")
PARQUET_SUFFIXES = (".parquet", ".pq")
SPREADSHEET_SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
FORMATS = (
    "CSV (.csv, .tsv, .txt, .data), Parquet (.parquet), JSON (.json, .jsonl), NumPy (.npy, .npz), "
    "Excel (.xlsx, .xls, .ods), SQLite (.sqlite, .db), DuckDB (.duckdb), AnnData (.h5ad), "
    "Matrix Market (.mtx), "
    "GraphML (.graphml); text compressed by .gz, .bz2, .xz, .mtx by .gz, .bz2"
)
#: derived: NAME_MAX of the file systems in use
MAX_NAME_BYTES = 255
_SIZE_HINT = "exclude columns with drop (--drop), or give a sample of its rows"


def read_raw(path: Path, options: ReadingOptions, *, literal: bool = False) -> RawData:
    """Read ``path`` in the format of its suffix; text cells stay as written if ``literal``."""
    path, member = split_part(path)
    check_file(path)
    name, suffix = split_name(path)
    with explained(path):
        if suffix in TEXT_SUFFIXES:
            raw = _text(path, suffix, options, literal)
        elif suffix in PARQUET_SUFFIXES:
            raw = _parquet(path, options)
        elif suffix in SPREADSHEET_SUFFIXES:
            raw = _spreadsheet(path, member, options.header)
        elif suffix in DATABASE_SUFFIXES:
            raw = read_database(path, suffix, member)
        elif suffix in (JSON_SUFFIX, *JSON_LINE_SUFFIXES):
            records = read_records(path, suffix)
            raw = RawData("", None, records, tuple(records.column_names))
        elif suffix == ".npy":
            raw = _npy(path)
        elif suffix == ".npz":
            raw = _npz(path)
        elif suffix in ANNDATA_SUFFIXES:
            raw = read_annotated(path, member)
        elif suffix == ".mtx":
            raw = RawData("", None, _matrix_market(path), owned=True)
        else:
            raise InputError(f"{path}: the format {suffix!r} is not known; there are {FORMATS}")
    raw.name, raw.source = member or name, str(path) if member is None else f"{path}#{member}"
    return raw


def split_part(path: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """Split ``shop.xlsx#orders`` into the file and its sheet, table or representation."""
    file = Path(path)
    if not file.exists() and "#" in file.name:
        name, _, member = str(path).rpartition("#")
        return Path(name), member
    return file, None


def split_name(path: Path) -> tuple[str, str]:
    """Name of the data set, and the lower-case suffix without that of the compression."""
    inner = Path(path.stem) if path.suffix.lower() in delimited.DECOMPRESSORS else path
    return inner.stem or inner.name, inner.suffix.lower()


def check_file(path: Path, also: Iterable[str] = ()) -> None:
    """Raise unless ``path`` is a regular, non-empty file; suggest similar names."""
    check_name(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it")
    if not path.exists():
        packaged = list(also)
        similar = near_files(path) + difflib.get_close_matches(str(path), packaged, n=1)
        hint = f"; did you mean {' or '.join(map(repr, similar))}?" if similar else ""
        if not similar and packaged and path.name == str(path) and not path.suffix:
            hint = f"; the packaged sets are {', '.join(packaged)}"
        raise InputError(f"there is no file {str(path)!r}{hint}")
    if not path.is_file():
        raise InputError(
            f"{path} is a pipe or a device, which cannot be read twice; copy it to a file first"
        )
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty")


def check_name(path: Path) -> None:
    """Raise for a name that no file can have."""
    if any(len(os.fsencode(component)) > MAX_NAME_BYTES for component in path.parts):
        raise InputError(f"there is no file {str(path)[:60] + '...'!r}: the name is too long")
    if "\0" in str(path):
        raise InputError(f"there is no file {str(path)!r}: a name cannot contain a zero byte")


def near_files(path: Path) -> list[str]:
    """Files in the same folder with similar names."""
    try:
        beside = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        return []
    matches = difflib.get_close_matches(path.name, beside, n=3, cutoff=0.6)
    return [str(path.parent / name) for name in matches]


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn the libraries' errors for broken files into one sentence."""
    import lzma
    import zlib

    try:
        yield
    except InputError:
        raise
    except PermissionError:
        raise InputError(f"{path} cannot be read: permission denied") from None
    except csv.Error as error:
        reason = f"{error}; end its lines by a line feed, not a carriage return"
        if "field limit" in str(error):
            reason = "a cell has more than 131,072 characters; is a quote not closed?"
        raise InputError(f"{path} cannot be read as a table: {reason}") from None
    # zipfile raises RuntimeError for unknown versions, encryption and compression
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError) as error:
        raise InputError(f"{path} is damaged or truncated: {error}") from None
    except (pa.ArrowException, OSError, ValueError, OverflowError, TokenError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        if "temporarily unavailable" in reason:  # no thread can be started
            reason = f"out of memory or threads; {_SIZE_HINT}"
        raise InputError(f"{path} cannot be read: {reason}") from None
    except MemoryError:
        raise InputError(f"{path} does not fit into memory; {_SIZE_HINT}") from None


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    r"""Read the lines of a small text file.

    Parameters
    ----------
    path : str or path
        UTF-8; decompressed where its name ends in .gz, .bz2 or .xz.

    Returns
    -------
    list of str
        Lines without their end characters.

    Raises
    ------
    InputError
        For a file that cannot be read, is damaged, or is not UTF-8.

    Examples
    --------
    >>> import pathlib, tempfile, sortal.datasets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "terms.txt")
    ...     _ = path.write_text("tea\nrain\n")
    ...     sortal.datasets.read_lines(path)
    ['tea', 'rain']
    """
    path = Path(path)
    check_file(path)
    with explained(path), delimited.open_binary(path) as stream:
        data = stream.read()
    try:
        lines = data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError(str(delimited.encoding_error(path, "utf-8"))) from None
    return [line.rstrip("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]


def _text(path: Path, suffix: str, options: ReadingOptions, literal: bool) -> RawData:
    """Read delimited text."""
    layout = delimited.detect_layout(
        path, suffix, header=options.header, encoding=options.encoding, wanted=options.columns(),
        decimal=options.decimal,
    )  # fmt: skip
    options.check_columns(layout.names)
    columns = [name for name in layout.names if name not in options.drop]
    delimited.require_memory(path, layout, len(columns))
    named_columns = {name for name in (options.label_column, options.id_column) if name is not None}
    notes = list(layout.notes)
    table, ragged = delimited.read_rows(
        path,
        layout,
        columns,
        as_text=set(columns) if literal else named_columns,
        encoding=options.encoding,
        skip=options.impute == "drop",
        notes=None if options.strict else notes,
    )
    decimal = layout.decimal
    return RawData("", None, table, layout.names, notes=notes, ragged=ragged, decimal=decimal)


def _parquet(path: Path, options: ReadingOptions) -> RawData:
    """Read a Parquet file, without the columns to drop."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        if not names:
            raise InputError(f"{path} has no columns; write the table with its columns again")
        options.check_columns(names)
        columns = [name for name in names if name not in options.drop]
        rows, groups = file.metadata.num_rows, file.metadata.num_row_groups
        chunks = [
            group.column(c)
            for group in map(file.metadata.row_group, range(groups))
            for c in range(group.num_columns)
            if group.column(c).path_in_schema.partition(".")[0] in columns
        ]
        size = sum(max(chunk.total_uncompressed_size, 8 * chunk.num_values) for chunk in chunks)
        resources.require_memory(
            size + 8 * rows * len(columns),
            f"{path} ({rows:,} rows × {len(columns):,} columns)",
            _SIZE_HINT,
        )
        return RawData("", None, file.read(columns), tuple(names))


def _spreadsheet(path: Path, sheet: str | None, header: bool | None) -> RawData:
    """Read the named sheet, or the first one that is not empty."""
    import pandas as pd

    require("python-calamine", f"{path} is a spreadsheet, which", "save it as CSV")
    try:
        with pd.ExcelFile(path, engine="calamine") as book:
            names = [str(name) for name in book.sheet_names]
            if sheet is not None and sheet not in names:
                raise InputError(f"{path} has no sheet {sheet!r}; there are {quoted(names)}")
            hidden = _hidden_sheets(book)
            visible_names = [name for name in names if name not in hidden] or names
            for name in visible_names if sheet is None else [sheet]:
                frame, n_title = _sheet(book, name, header)
                if frame.size:
                    break
            else:
                raise InputError(f"{path} has no sheet with anything in it")
    except InputError:
        raise
    except Exception as error:  # calamine raises errors of its own for every kind of damage
        raise InputError(f"{path} cannot be read as a spreadsheet: {error}") from None
    if header is False:
        frame.columns = [f"x{j + 1}" for j in range(frame.shape[1])]
    frame = frame.dropna(how="all").dropna(axis=1, how="all").reset_index(drop=True)
    notes = []
    if sheet is None and len(names) > 1:
        skipped = [name for name in names if name in hidden and hidden != set(names)]
        are = f" {quoted(skipped)} {'is' if len(skipped) == 1 else 'are'} hidden." * bool(skipped)
        notes.append(f"Read from the sheet {name!r}; {path.name}#NAME reads another one.{are}")
    if n_title:
        notes.append(f"Skipped {n_title} row{'s' * (n_title > 1)} above the table.")
    table = to_arrow(frame)
    return RawData("", None, table, tuple(table.column_names), notes=notes)


def _hidden_sheets(book: Any) -> set[str]:
    """Names of the hidden sheets of a workbook."""
    metadata = getattr(book.book, "sheets_metadata", ())
    return {str(sheet.name) for sheet in metadata if not str(sheet.visible).endswith("Visible")}


def _sheet(book: Any, name: str, header: bool | None) -> tuple[Any, int]:
    """Data frame of a sheet, and the number of title rows above its header."""
    import pandas as pd

    options: dict[str, Any] = {"keep_default_na": False, "na_values": [""], "sheet_name": name}
    frame = pd.read_excel(book, header=None if header is False else 0, **options)
    unnamed = [str(column).startswith("Unnamed:") for column in frame.columns]
    if header is False or sum(unnamed) < max(1, 0.5 * len(unnamed)):
        return frame, 0
    head = pd.read_excel(book, header=None, nrows=12, **options)
    filled = head.notna().sum(axis=1).to_numpy()
    n_title = int(np.argmax(filled >= 0.8 * filled.max()))
    if n_title == 0 or 2 * filled[:n_title].max() > filled.max() + 1:
        return frame, 0
    return pd.read_excel(book, header=n_title, **options), n_title


def _npy(path: Path) -> RawData:
    """Read an array; large arrays of floats are memory-mapped."""
    # a private map: accidental writes do not reach the file
    array = load_array(path, mmap_mode="c")
    is_float = array.dtype in (np.float32, np.float64) and array.dtype.isnative
    if array.ndim == 2 and is_float and array.flags.c_contiguous and resources.is_large(array):
        return RawData("", None, np.asarray(array))
    size = array.nbytes if is_float else array.nbytes + 8 * array.size
    shape = " × ".join(map(str, array.shape))
    resources.require_memory(size, f"{path} (an array of {shape})", _SIZE_HINT)
    return _array(np.array(array), {}, path)


def _array(array: NDArray[Any], beside: dict[str, NDArray[Any]], path: Path) -> RawData:
    """Raw data of an array: a structured one as a table, else objects by features."""
    if array.dtype.names:
        native = array.astype(array.dtype.newbyteorder("="))
        return RawData("", None, to_arrow({name: native[name] for name in array.dtype.names}))
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.ndim != 2:
        raise InputError(
            f"{path} holds an array of shape {array.shape}; expected objects × features"
        )
    if 0 in array.shape:
        raise InputError(f"{path} holds an array of shape {array.shape}: there are no values in it")
    return RawData("", None, array, beside=beside, owned=True)


def _npz(path: Path) -> RawData:
    """Read a SciPy sparse matrix, or the data and its companions among NumPy arrays."""
    with zipfile.ZipFile(path) as archive:
        n_bytes = sum(info.file_size for info in archive.infolist())
    resources.require_memory(2 * n_bytes, str(path), _SIZE_HINT)
    with load_array(path, archive=True) as file:
        if {"format", "shape", "data"} <= set(file.files):
            return RawData("", None, load_sparse(path), owned=True)
        arrays = members(file, path)
    tables = [name for name, array in arrays.items() if array.ndim == 2]
    data_name = "X" if "X" in tables else tables[0] if len(tables) == 1 else None
    if data_name is None and not tables and len(arrays) == 1:
        data_name = next(iter(arrays))
    if data_name is None:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise InputError(
            f"{path} holds {shapes}; the data must be the only two-dimensional array or be called X"
        )
    beside = {name: a for name, a in arrays.items() if a.ndim == 1 and name != data_name}
    return _array(arrays[data_name], beside, path)


def members(file: NpzFile, path: Path) -> dict[str, Any]:
    """Arrays of an open NPZ file by name."""
    if not file.files:
        raise InputError(f"{path} holds no array")
    with explained_arrays(path):
        arrays = {name: file[name] for name in file.files}
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise InputError(f"{path}: {name!r} is not an array; write the file with numpy.savez")
    return arrays


def _matrix_market(path: Path) -> Any:
    """Read a Matrix Market file."""
    from scipy import io as scipy_io
    from scipy import sparse

    with delimited.open_binary(path) as stream:
        if stream.read(14) != b"%%MatrixMarket":
            raise InputError(
                f"{path} is not a Matrix Market file: it does not begin %%MatrixMarket"
            )
        # SciPy's reader crashes the process on a zero byte, and on an open file
        if any(b"\0" in block for block in iter(lambda: stream.read(1 << 20), b"")):
            raise InputError(f"{path} is damaged: it has a zero byte")
    rows, columns, stored, *_ = scipy_io.mminfo(path)
    resources.require_memory(
        32 * stored + 16 * rows, f"{path} ({rows:,} × {columns:,}, {stored:,} stored)", _SIZE_HINT
    )
    if rows == 0 or columns == 0:
        raise InputError(f"{path} holds a matrix of {rows} × {columns}: there is nothing in it")
    matrix = scipy_io.mmread(path, spmatrix=False)
    return sparse.csr_array(matrix) if sparse.issparse(matrix) else matrix


_ADDRESSES = ("http://", "https://")
#: limit of cost: seconds of a download
_MAX_SECONDS = 1800.0
#: limit of cost: bytes of a download
_MAX_DOWNLOAD_BYTES = 2**32


@contextmanager
def local(path: str | os.PathLike[str]) -> Iterator[tuple[str | os.PathLike[str], tuple[str, ...]]]:
    """Yield a path on this machine for as long as the block runs, and notes on a download."""
    if not (isinstance(path, str) and path.lower().startswith(_ADDRESSES)):
        yield path, ()
        return
    parts = urllib.parse.urlsplit(path)
    with temporary_folder() as folder:
        file = Path(folder, Path(urllib.parse.unquote(parts.path)).name or "data.csv")
        _download(path, file)
        note = f"Downloaded {file.stat().st_size:,} bytes from {path}."
        yield f"{file}#{parts.fragment}" if parts.fragment else file, (note,)


def _too_large(address: str) -> InputError:
    """Error for a file that is too large to be downloaded on the way."""
    limit = f"{_MAX_DOWNLOAD_BYTES / 2**30:.3g} GiB"
    return InputError(f"{address} is larger than {limit}; download it to a file first")


def _copy(response: BufferedIOBase, file: Path, address: str) -> None:
    """Copy what a server sends, up to the limits of size and time, whatever it announced."""
    size, end = 0, time.monotonic() + _MAX_SECONDS
    with new_file(file) as out:
        while chunk := response.read1(1 << 20):
            size += len(chunk)
            if size > _MAX_DOWNLOAD_BYTES:
                raise _too_large(address)
            if time.monotonic() > end:
                raise InputError(
                    f"{address} takes longer than {_MAX_SECONDS / 60:.3g} minutes; download it to "
                    "a file first"
                )
            out.write(chunk)


def _download(address: str, file: Path) -> None:
    """Download an address to a file; raise for large files and failures."""
    import urllib.request

    try:
        with urllib.request.urlopen(address, timeout=30.0) as response:
            if int(response.headers.get("Content-Length") or 0) > _MAX_DOWNLOAD_BYTES:
                raise _too_large(address)
            _copy(response, file, address)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # URLError is an OSError
        reason = getattr(error, "reason", error)
        raise InputError(f"{address} cannot be downloaded: {reason}") from None


SQLITE_SUFFIXES = (".sqlite", ".sqlite3", ".db")
DATABASE_SUFFIXES = (*SQLITE_SUFFIXES, ".duckdb")


def read_database(path: Path, suffix: str, table: str | None) -> RawData:
    """Read the named table of a database, or its only one."""
    name, content = (_sqlite if suffix in SQLITE_SUFFIXES else _duckdb)(path, table)
    notes = [f"Read from the table {name!r}."]
    return RawData("", None, content, tuple(content.column_names), notes=notes)


def _sqlite(path: Path, table: str | None) -> tuple[str, Any]:
    """Name and content of a table of an SQLite database."""
    import sqlite3

    import pandas as pd

    address = f"file:{urllib.parse.quote(str(path.absolute()))}?mode=ro"
    query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            names = [row[0] for row in connection.execute(query) if row[0][:7] != "sqlite_"]
            name = _chosen(path, table, names)
            return name, to_arrow(pd.read_sql_query(_all_of(name), connection))
    except (sqlite3.Error, pd.errors.DatabaseError) as error:
        raise InputError(f"{path} cannot be read as an SQLite database: {error}") from None


def _duckdb(path: Path, table: str | None) -> tuple[str, Any]:
    """Name and content of a table of a DuckDB database."""
    require("duckdb", f"{path}, a DuckDB database,")
    import duckdb

    query = "SELECT table_name FROM information_schema.tables ORDER BY table_name"
    try:
        # a view of somebody else's file must not read other files of this machine
        config: dict[str, Any] = {
            "enable_external_access": "false",
            "autoload_known_extensions": "false",
        }
        with duckdb.connect(str(path), read_only=True, config=config) as connection:
            names = [row[0] for row in connection.execute(query).fetchall()]
            name = _chosen(path, table, names)
            return name, connection.sql(_all_of(name)).to_arrow_table()
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
    raise InputError(f"{path} cannot be read as a DuckDB database: {reason}")


def _chosen(path: Path, table: str | None, names: list[str]) -> str:
    """Name of the table to read; raise unless it is named or the only one."""
    if table is None and len(names) == 1:
        return names[0]
    if table is None or table not in names:
        raise InputError(
            f"{path} has the tables {quoted(names)}: name one as {path.name}#TABLE"
            if names
            else f"{path} has no table"
        )
    return table


def _all_of(table: str) -> str:
    """SQL query for all rows of a table."""
    return 'SELECT * FROM "' + table.replace('"', '""') + '"'


JSON_SUFFIX = ".json"
JSON_LINE_SUFFIXES = (".jsonl", ".ndjson")


def has_records_without_text(path: Path, suffix: str, text_column: str | None) -> bool:
    """Whether a JSON lines file has records of values instead of documents."""
    if suffix not in JSON_LINE_SUFFIXES or text_column is not None or not path.is_file():
        return False
    with delimited.open_binary(path) as stream:
        first = next((line for line in stream if line.strip()), b"")[: 1 << 16]
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    if isinstance(record, list):
        return True
    values = record.values() if isinstance(record, dict) and "text" not in record else ()
    return any(isinstance(value, (int, float)) for value in values)


def read_records(path: Path, suffix: str) -> pa.Table:
    """Table of the records of a file; fields of nested records are called ``outer.inner``."""
    import pandas as pd

    with delimited.open_binary(path) as stream:
        content = stream.read()
    try:
        if suffix == JSON_SUFFIX:
            document = json.loads(content)
            records = _records_of(document)
        else:
            records = [json.loads(line) for line in content.splitlines() if line.strip()]
    except RecursionError:
        raise InputError(f"{path} is nested too deeply") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not JSON in UTF-8: {error}") from None
    if suffix == JSON_SUFFIX:
        _check_no_graph(document, path)
    if records and all(isinstance(record, list) for record in records):
        width = max(map(len, records))
        if any(len(record) != width for record in records):
            raise InputError(f"{path}: its lists of values differ in length")
        return to_arrow({f"x{j + 1}": [record[j] for record in records] for j in range(width)})
    if not records or not all(isinstance(record, dict) for record in records):
        raise InputError(f"{path} is not a list of records; expected [{{...}}, {{...}}, ...]")
    return to_arrow(pd.json_normalize(records))


def _check_no_graph(document: Any, path: Path) -> None:
    """Raise for a graph in node-link form, as networkx and D3 write it."""
    if _has(document, "nodes") and (_has(document, "links") or _has(document, "edges")):
        raise InputError(
            f"{path} is a graph in node-link form, which is not read yet. Write its links to a CSV "
            "file, one a line, and read that with kind='graph' (--as graph), or write GraphML"
        )


def _has(document: Any, key: str) -> bool:
    """Whether a JSON document has a list under this key."""
    return isinstance(document, dict) and isinstance(document.get(key), list)


def _records_of(content: Any) -> list[Any]:
    """Records in a JSON document: itself, its only list, its columns, or its values by id."""
    if isinstance(content, list):
        return content
    values = list(content.values()) if isinstance(content, dict) else []
    lists = [value for value in values if isinstance(value, list)]
    of_records = [items for items in lists if items and isinstance(items[0], (dict, list))]
    if len(of_records) == 1:
        return of_records[0]
    # pandas writes columns as {"0": first value, "1": second value, ...}
    columns: list[Any] = [value for value in values if value and isinstance(value, (dict, list))]
    for j, column in enumerate(columns):
        if list(column) == list(map(str, range(len(column)))) and isinstance(column, dict):
            columns[j] = list(column.values())
    if columns and len(columns) == len(values) == sum(isinstance(c, list) for c in columns):
        if len({*map(len, columns)}) == 1:
            return [dict(zip(content, row, strict=True)) for row in zip(*columns, strict=True)]
    elif columns and len(columns) == len(values) and all(isinstance(c, dict) for c in columns):
        return [{"id": key, **record} for key, record in content.items()]
    return []
