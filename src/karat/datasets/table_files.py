"""Tables in spreadsheets and databases, and files at an address."""

from __future__ import annotations

import os
import shutil
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.datasets._work import quoted
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pyarrow as pa

SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
SQLITE = (".sqlite", ".sqlite3", ".db")
DUCKDB = (".duckdb",)
DATABASES = (*SQLITE, *DUCKDB)
ADDRESSES = ("http://", "https://")
TIMEOUT = 30.0  # seconds without an answer
LARGEST_DOWNLOAD = 2**32


def is_address(path: Any) -> bool:
    """Whether a path is the address of a file on the Web."""
    return isinstance(path, str) and path.lower().startswith(ADDRESSES)


@contextmanager
def downloaded(address: str) -> Iterator[tuple[Path, str]]:
    """A copy of the file at an address for as long as the block runs, and what to say of it."""
    name = Path(urllib.parse.unquote(urllib.parse.urlsplit(address).path)).name or "data.csv"
    with tempfile.TemporaryDirectory(prefix="karat-") as folder:
        file = Path(folder, name)
        try:
            with urllib.request.urlopen(address, timeout=TIMEOUT) as answer, file.open("wb") as out:
                if int(answer.headers.get("Content-Length") or 0) > LARGEST_DOWNLOAD:
                    raise InputError(f"{address} is larger than 4 GB; download it to a file first")
                shutil.copyfileobj(answer, out)
        except (urllib.error.URLError, OSError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            reason = getattr(error, "reason", error)
            raise InputError(f"{address} cannot be downloaded: {reason}") from None
        yield file, f"Downloaded {file.stat().st_size:,} bytes from {address}."


def split_table(path: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """``shop.db#orders`` as the file and the table (or sheet) in it."""
    file = Path(path)
    if not file.exists() and "#" in file.name:
        name, _, table = str(path).rpartition("#")
        return Path(name), table
    return file, None


def spreadsheet(path: Path, sheet: str | None, header: bool | None) -> tuple[pa.Table, list[str]]:
    """The sheet that was named, or the first one with anything in it."""
    import pandas as pd

    from karat.datasets._columns import to_arrow

    if find_spec("python_calamine") is None:
        raise InputError(
            f'{path} is a spreadsheet, which needs python-calamine: pip install "karat[excel]", or '
            "save it as CSV"
        )
    try:
        with pd.ExcelFile(path, engine="calamine") as book:
            names = [str(name) for name in book.sheet_names]
            if sheet is not None and sheet not in names:
                raise InputError(f"{path} has no sheet {sheet!r}; there are {quoted(names)}")
            for name in names if sheet is None else [sheet]:
                frame = pd.read_excel(
                        book, sheet_name=name, header=None if header is False else 0,
                    keep_default_na=False, na_values=[""],
                )  # fmt: skip
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
        notes.append(f"Read from the sheet {name!r}; {path.name}#NAME reads another one.")
    return to_arrow(frame), notes


def database(path: Path, table: str | None, suffix: str) -> tuple[pa.Table, list[str]]:
    """The table that was named, or the only one."""
    return _sqlite(path, table) if suffix in SQLITE else _duckdb(path, table)


def _chosen(path: Path, table: str | None, names: list[str]) -> str:
    if table is None and len(names) == 1:
        return names[0]
    if table not in names:
        raise InputError(
            f"{path} has the tables {quoted(names)}: name one as {path.name}#TABLE"
            if names
            else f"{path} has no table"
        )
    return table


def _quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _sqlite(path: Path, table: str | None) -> tuple[pa.Table, list[str]]:
    import sqlite3

    import pandas as pd

    from karat.datasets._columns import to_arrow

    address = f"file:{urllib.parse.quote(str(path.absolute()))}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            query = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
            names = [row[0] for row in connection.execute(query) if row[0][:7] != "sqlite_"]
            name = _chosen(path, table, names)
            frame = pd.read_sql_query(f"SELECT * FROM {_quoted_name(name)}", connection)
    except (sqlite3.Error, pd.errors.DatabaseError) as error:
        raise InputError(f"{path} cannot be read as an SQLite database: {error}") from None
    return to_arrow(frame), [f"Read from the table {name!r}."]


def _duckdb(path: Path, table: str | None) -> tuple[pa.Table, list[str]]:
    if find_spec("duckdb") is None:
        raise InputError(
            f'{path} is a DuckDB database, which needs duckdb: pip install "karat[sql]"'
        )
    import duckdb

    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            rows = connection.execute(
                "SELECT table_name FROM information_schema.tables ORDER BY table_name"
            ).fetchall()
            name = _chosen(path, table, [row[0] for row in rows])
            read = connection.sql(f"SELECT * FROM {_quoted_name(name)}").to_arrow_table()
    except duckdb.Error as error:
        raise InputError(
            f"{path} cannot be read as a DuckDB database: {str(error).splitlines()[0]}"
        ) from None
    return read, [f"Read from the table {name!r}."]
