"""Documents in files: JSON lines, a column of a table, folders."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortal.runtime.output import without_outputs
from sortal.runtime.validation import InputError, unknown_name
from sortal.text import _messages

JSON_LINES = (".jsonl", ".ndjson")
_TABULAR = (".csv", ".tsv", ".tab", ".data", ".dat", ".parquet", ".npy", ".npz", ".mtx", ".xlsx")


@dataclass(frozen=True)
class Documents:
    """Texts with their fields."""

    texts: list[str]
    #: the other columns; for a folder ``file`` and, if there are subfolders, ``folder``
    fields: Mapping[str, NDArray[np.object_]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def json_lines(path: Path, text_column: str | None, opened: Callable[[Path], Any]) -> Documents:
    """Read one JSON object per line; ``text_column`` names the field with the text."""
    records = []
    with opened(path) as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                records.append(_record(line, f"{path}, line {number}"))
    if not records:
        raise InputError(f"{path} has no line with a document")
    names = list(dict.fromkeys(name for record in records for name in record))
    column = _text_column(text_column, names, records, path)
    fields = {
        name: _objects([record.get(name) for record in records]) for name in names if name != column
    }
    notes = () if text_column else (f"The texts are those of the field {column!r}.",)
    return Documents([_as_text(record.get(column)) for record in records], fields, notes)


def _record(line: bytes, where: str) -> dict[str, Any]:
    """The record on a line of JSON."""
    try:
        record = json.loads(line)
    except RecursionError:
        raise InputError(f"{where} is nested too deeply") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"{where} is not JSON in UTF-8: {error}") from None
    if not isinstance(record, dict):
        raise InputError(f"{where} is {line[:40]!r}; expected one JSON object per line")
    return record


def _text_column(
    text_column: str | None, names: list[str], records: list[dict[str, Any]], path: Path
) -> str:
    """The field with the text: the named one, or "text"."""
    if text_column is not None:
        if text_column not in names:
            raise unknown_name(text_column, names, "column")
        return text_column
    if "text" in names and all(isinstance(r.get("text"), str | None) for r in records):
        return "text"
    raise InputError(
        f"{path} holds JSON records with {', '.join(map(repr, names[:12]))}; name the one with "
        "the text: text_column (--text-column)"
    )


def folder(path: Path) -> Documents:
    """Read every file below a folder as a document, with its subfolder as a field."""
    names, notes = without_outputs(
        file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()
    )
    candidates = sorted(
        path / name for name in names if not any(p.startswith(".") for p in Path(name).parts)
    )
    inside = path.resolve()
    files = [file for file in candidates if file.resolve().is_relative_to(inside)]
    if len(files) < len(candidates):
        outside = next(file for file in candidates if not file.resolve().is_relative_to(inside))
        notes += (
            f"{len(candidates) - len(files):,} links that lead out of the folder were not followed "
            f"({outside.relative_to(path).as_posix()!r}).",
        )
    if not files:
        raise InputError(
            f"{path} is a folder without files; name one that has texts or files of a table"
        )
    if all(file.suffix.lower() in _TABULAR for file in files):
        raise InputError(f"{path} is a folder of data files, not of texts; name a file in it")
    texts, ids = [], []
    for file in files:
        name = file.relative_to(path).as_posix()
        texts.append(_decoded(file, name))
        ids.append(name)
    fields = {"file": _objects(ids)}
    folders = [name.rpartition("/")[0] for name in ids]
    if len(set(folders)) > 1:
        fields["folder"] = _objects([name or None for name in folders])
    return Documents(texts, fields, notes)


def _decoded(file: Path, name: str) -> str:
    """The text of a file: UTF-8, or else Latin-1."""
    data = file.read_bytes()
    if b"\0" in data[:8192]:
        raise InputError(f"{name} is not text: it has zero bytes; keep other files elsewhere")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def bodies(documents: Documents, messages: bool | None) -> Documents:
    """Messages without headers, which reveal their groups; with None they are detected."""
    if messages is None:
        messages = _messages.are_messages(documents.texts[:2000])
        if not messages:
            return documents
    elif not messages:
        return documents
    note = (
        "The texts are messages: only their bodies are used, because headers tell where a message "
        "comes from (messages=False, or --no-messages, keeps them)."
    )
    texts = [_messages.body(text) for text in documents.texts]
    return Documents(texts, documents.fields, (*documents.notes, note))


def _objects(values: list[Any]) -> NDArray[np.object_]:
    """Values as an array of objects, lists and mappings as JSON."""
    array = np.empty(len(values), dtype=object)
    plain = (str, int, float, bool, type(None))
    array[:] = [v if isinstance(v, plain) else json.dumps(v, ensure_ascii=False) for v in values]
    return array


def _as_text(value: object) -> str:
    """A value as text, a list with one line per entry."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(map(_as_text, value))
    return value if isinstance(value, str) else str(value)
