"""Finished work in SQLite files, from which a killed run resumes."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sortal.runtime.json_values import json_value
from sortal.runtime.output import create_private, remove_file
from sortal.runtime.validation import StorageError


@dataclass(frozen=True)
class FileType:
    """What a file contains: its name in messages, and the marks by which it is recognized."""

    name: str
    application_id: int
    format: int


STUDY = FileType("study", 0x5352544C, 1)  # "SRTL"
FINISHED_WORK = FileType("record of finished work", 0x53525457, 1)  # "SRTW"
#: derived: marks of files from before the package was renamed ("KART", "KARW")
_FORMER_IDS = (0x4B415254, 0x4B415257)
_HEADER = b"SQLite format 3\x00"
#: limit of cost: seconds to wait for another process; a study has its file locked while it is open
_EXCLUSIVE_WAIT, _SHARED_WAIT = 0.2, 60.0
#: ``kind`` groups entries; ``meta`` describes the file. ``content`` is bytes, often of JSON.
#: ``checksum`` is that of the content, ``head`` that of the rest
_TABLE = """
CREATE TABLE entries (
    position INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    content BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    head INTEGER NOT NULL,
    UNIQUE (kind, key)
)
"""


class EmptyFileError(StorageError):
    """A file that a process left before it wrote anything."""


class EntryFile:
    """Entries in one SQLite file, or in memory: each has a kind, a key and a content.

    A transaction is written whole or not at all, whether it raises, the disk is full or the
    process is killed. A foreign or damaged file is a StorageError, and is left as it is.

    Parameters
    ----------
    path : Path or None
        None for memory.
    file_type : FileType
    meta : dict or None
        Entries of the kind ``meta`` for a new file; None opens an existing file only.
    exclusive : bool, default True
        Whether other processes are rejected until the file is closed. Otherwise they may write
        between two transactions, and a transaction is on disk when it ends.
    verify : bool, default True
        Whether to check all of the file before use.
    """

    def __init__(
        self,
        path: Path | None,
        file_type: FileType,
        meta: dict[str, Any] | None,
        *,
        exclusive: bool = True,
        verify: bool = True,
    ) -> None:
        self.path = path
        if path is not None:
            _check_header(path, file_type, must_exist=meta is None)
            if meta is not None:
                create_private(path)  # journals get its mode
        with self._errors():
            self._db = sqlite3.connect(
                ":memory:" if path is None else path,
                isolation_level=None,
                timeout=_EXCLUSIVE_WAIT if exclusive else _SHARED_WAIT,
                check_same_thread=False,
            )
        try:
            with self._errors():
                self._open(file_type, meta, exclusive=exclusive, verify=verify)
        except BaseException:
            self.close()
            raise

    def _open(
        self, file_type: FileType, meta: dict[str, Any] | None, *, exclusive: bool, verify: bool
    ) -> None:
        """Lock the file where it is exclusive, write what a new one starts with, and check it."""
        if exclusive:
            # held until close, so that a second process is rejected at once, not at its first write
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        if exclusive or self._is_new():
            with self.transaction("EXCLUSIVE"):
                if self._is_new():
                    if meta is None:
                        raise EmptyFileError(f"{self.path} is empty; it holds no {file_type.name}")
                    self._db.execute(f"PRAGMA application_id = {file_type.application_id}")
                    self._db.execute(_TABLE)
                    self.put("meta", {"format": file_type.format, **meta})
        if verify:
            check = self._db.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if check != "ok":
                raise StorageError(
                    f"{self.path} is damaged ({check}); restore it, or choose another"
                )
        if exclusive:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
        if verify:
            self._check_names()
            stored_format = self.values("meta").get("format")
            if stored_format != file_type.format:
                raise StorageError(
                    f"{self.path} was written in format {stored_format}, and this sortal reads "
                    f"format {file_type.format}; use the sortal that wrote it, or choose another "
                    "file"
                )

    def _is_new(self) -> bool:
        """Whether nothing was ever written."""
        return not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]

    def _check_names(self) -> None:
        """Raise a StorageError if the name of an entry is not as it was written."""
        names = self._db.execute("SELECT position, kind, key, checksum, head FROM entries")
        if any(head != _checksum(*name) for *name, head in names.fetchall()):
            raise self.damaged("the name of an entry")

    def damaged(self, part: str) -> StorageError:
        """The error for a part that is not as it was written."""
        return StorageError(
            f"{self.path} is damaged ({part} was changed); restore it from a copy, or choose "
            "another file"
        )

    def close(self) -> None:
        """Release the file for other processes."""
        self._db.close()

    def copy_to(self, path: Path) -> None:
        """Write all entries to a new file."""
        if path.exists():
            raise StorageError(f"{path} already exists; choose another name")
        create_private(path)
        try:
            with self._errors(), closing(sqlite3.connect(path)) as target:
                self._db.backup(target)
        except BaseException:
            remove_file(path)
            raise

    @property
    def n_changes(self) -> int:
        """Number of entries written since the file was opened."""
        return self._db.total_changes

    @contextmanager
    def transaction(self, lock: str = "IMMEDIATE") -> Iterator[None]:
        """Write everything that is put within it, or nothing."""
        with self._errors():
            self._db.execute(f"BEGIN {lock}")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def put(self, kind: str, contents: Mapping[str, object], *, replace: bool = False) -> None:
        """Add entries, in a transaction: bytes as they are, other contents as JSON.

        An entry of the same kind and key stays, unless it is to be replaced.
        """
        rows = []
        last = self._db.execute("SELECT coalesce(max(position), 0) FROM entries").fetchone()[0]
        for position, (key, content) in enumerate(contents.items(), last + 1):
            if not isinstance(content, bytes):
                content = json.dumps(content, default=json_value).encode()
            name = position, kind, key, zlib.crc32(content)
            rows.append((*name, _checksum(*name), content))
        self._db.executemany(
            f"INSERT OR {'REPLACE' if replace else 'IGNORE'} INTO entries"
            " (position, kind, key, checksum, head, content) VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )

    def contents(self, entry_type: str, key: str | None = None) -> dict[str, bytes]:
        """Contents of a kind by key in the order of writing, or the content of one key."""
        query = "SELECT position, key, checksum, head, content FROM entries WHERE kind = ?"
        query += " ORDER BY position" if key is None else " AND key = ?"
        with self._errors():
            rows = self._db.execute(
                query, [entry_type] if key is None else [entry_type, key]
            ).fetchall()
        for position, name, checksum, head, content in rows:
            intact = isinstance(content, bytes) and zlib.crc32(content) == checksum
            if not intact or _checksum(position, entry_type, name, checksum) != head:
                raise self.damaged(f"{entry_type} {name}")
        return {name: content for _, name, _, _, content in rows}

    def values(self, kind: str) -> dict[str, Any]:
        """Contents of a kind that were written as JSON."""
        return {key: json.loads(content) for key, content in self.contents(kind).items()}

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Explain the errors of SQLite."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise StorageError(_explain(error, self.path)) from error


class KeptValues:
    """Values by key, each stored as soon as it is put; without a path, in memory alone.

    Several processes may put values into one file; each reads those that were there when it
    opened the file. A value that was put under a key before is replaced.
    """

    def __init__(self, path: str | Path | None) -> None:
        self._path = None if path is None else Path(path)
        self._values: dict[str, Any] = {}
        if self._path is not None:
            with closing(EntryFile(self._path, FINISHED_WORK, {}, exclusive=False)) as file:
                self._values = file.values("value")

    def get(self, key: str) -> Any:
        """The value, None if there is none."""
        return self._values.get(key)

    def put(self, key: str, value: object) -> None:
        """Store a value that JSON can express; StorageError where the file cannot be written."""
        if self._path is not None:
            file = EntryFile(self._path, FINISHED_WORK, {}, exclusive=False, verify=False)
            with closing(file), file.transaction():
                file.put("value", {key: value}, replace=True)
        self._values[key] = value


def _checksum(*name: object) -> int:
    """Checksum of the name of an entry."""
    return zlib.crc32(repr(name).encode("utf-8", "surrogatepass"))


def _explain(error: Exception, path: Path | None) -> str:
    """What an error of SQLite means for a file, and how to fix it."""
    text = str(error)
    if "locked" in text:
        return f"{path} is in use by another process; wait until it ends, or choose another storage"
    if "full" in text:
        return (
            f"no space is left to write {path}; what was finished before is kept. Free some space "
            "and run the same again"
        )
    if "disk I/O" in text:
        folder = "memory" if path is None else path.absolute().parent
        return (
            f"the disk that has {folder} reported an error while {path} was read or written; what "
            "was finished before is kept in it. Look at the disk (its cables, its quota, the "
            "network it hangs on), then run the same again, or copy the file to another disk first"
        )
    if "readonly" in text or "unable to open" in text:
        return f"{path} cannot be written ({text}); choose a storage file in a folder that can"
    if "closed" in text:
        return f"the study {path} is closed; open it again (sortal.load_study)"
    operational = isinstance(error, sqlite3.OperationalError)
    if not operational or "decode" in text or "no such" in text or "malformed" in text:
        return f"{path} is damaged ({text}); restore it from a copy, or choose another file"
    return f"{path}: {text}"


def _check_header(path: Path, file_type: FileType, *, must_exist: bool) -> None:
    """Reject a foreign or truncated file by its first bytes, before SQLite may touch it."""
    name = file_type.name
    if not path.exists():
        if must_exist:
            raise StorageError(f"there is no {name} file {path}")
        if not path.parent.is_dir():
            raise StorageError(f"there is no folder {path.parent} to keep the {name} in")
        return
    if path.is_dir():
        raise StorageError(f"{path} is a folder; name a file to keep the {name} in")
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise StorageError(f"{path} cannot be read ({error.strerror})") from error
    if not head:
        return
    if head[:16] != _HEADER or len(head) < 100:
        raise StorageError(
            f"{path} is not a {name}, which is an SQLite file; choose another storage file"
        )
    application_id = int.from_bytes(head[68:72], "big")
    if application_id in _FORMER_IDS:
        raise StorageError(
            f"{path} was written by karat, the former name of sortal, and cannot be read; choose "
            "another file, and run the same again"
        )
    if application_id != file_type.application_id:
        owners = {
            stored_type.application_id: f"a {stored_type.name}"
            for stored_type in (STUDY, FINISHED_WORK)
        }
        owner = owners.get(application_id, "an SQLite database of another program")
        raise StorageError(f"{path} is {owner}, not a {name}; choose another storage file")
    # while there is a log, the file alone may be shorter than it says
    if not any(path.with_name(path.name + log).exists() for log in ("-wal", "-journal")):
        n_pages, page_size = int.from_bytes(head[28:32], "big"), int.from_bytes(head[16:18], "big")
        size, stated = path.stat().st_size, n_pages * (page_size or 65536)
        if size < stated:
            raise StorageError(
                f"{path} is truncated ({size} of {stated} bytes); restore it from a copy, or "
                "choose another file"
            )
