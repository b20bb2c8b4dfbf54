"""Tables in SQLite and DuckDB databases."""

from __future__ import annotations

import urllib.parse
from contextlib import closing
from pathlib import Path
from typing import Any

from sortal.datasets.values.column_arrays import to_arrow
from sortal.datasets.values.drafts import RawData
from sortal.datasets.values.names_and_ids import quoted
from sortal.runtime.extras import require
from sortal.runtime.validation import InputError

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
