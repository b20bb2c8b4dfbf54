"""Tables of JSON records: one list of them, or one on each line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortal.datasets.formats import text_layout
from sortal.datasets.values.column_arrays import to_arrow
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pyarrow as pa

JSON_SUFFIX = ".json"
JSON_LINE_SUFFIXES = (".jsonl", ".ndjson")
MAX_PEEKED_BYTES = 1 << 16


def has_records_without_text(path: Path, suffix: str, text_column: str | None) -> bool:
    """Whether a JSON lines file has records of values instead of documents."""
    if suffix not in JSON_LINE_SUFFIXES or text_column is not None or not path.is_file():
        return False
    with text_layout.open_binary(path) as stream:
        first = next((line for line in stream if line.strip()), b"")[:MAX_PEEKED_BYTES]
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

    with text_layout.open_binary(path) as stream:
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
