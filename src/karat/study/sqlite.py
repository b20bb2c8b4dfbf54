"""The store of a study in SQLite: a file, or memory."""

from __future__ import annotations

import json
import math
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from karat.runtime.validation import StorageError
from karat.study.store import Planned, Score, Store

APPLICATION_ID = 0x4B415254  # "KART"
FORMAT = 5
_HEADER = b"SQLite format 3\x00"
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL)
WITHOUT ROWID;
CREATE TABLE calls (
    position INTEGER PRIMARY KEY, kind TEXT NOT NULL, content TEXT NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE TABLE candidates (
    position INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    clusterer TEXT NOT NULL,
    parameter TEXT,
    value NUMERIC,
    start INTEGER NOT NULL,
    seed INTEGER,
    status TEXT NOT NULL DEFAULT 'planned',
    reason TEXT,
    n_clusters INTEGER,
    n_noise INTEGER,
    seconds REAL,
    fitted_on INTEGER,
    partition TEXT,
    checksum INTEGER NOT NULL
);
CREATE TABLE blobs (
    key TEXT PRIMARY KEY, content_checksum INTEGER NOT NULL, checksum INTEGER NOT NULL,
    content BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE scores (
    context TEXT NOT NULL,
    partition TEXT NOT NULL,
    measure TEXT NOT NULL,
    value REAL,
    error REAL,
    reason TEXT,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (context, partition, measure)
) WITHOUT ROWID;
"""


class SqliteStore(Store):
    """A study in one SQLite file with a write-ahead log (``path``), or in memory (None).

    A kill leaves the file and its log, from which the next process to open it takes what was
    committed.

    Parameters
    ----------
    path : path-like or None
    identity : dict or None
        What the data is (``fingerprint``, ``n_objects``, and what else is worth keeping). A new
        file gets it; an existing one must have the same fingerprint. None opens an existing
        file whatever its data.

    Raises
    ------
    StorageError
        If the file is foreign, damaged, of other data, or in use by another process.
    """

    def __init__(self, path: str | Path | None, identity: dict[str, Any] | None) -> None:
        super().__init__()
        self.path = None if path is None else Path(path)
        if self.path is not None:
            _check_header(self.path, must_exist=identity is None)
        with self._errors():
            self._db = sqlite3.connect(
                ":memory:" if self.path is None else self.path,
                isolation_level=None,
                timeout=0.2,
                check_same_thread=False,
            )
        try:
            with self._errors():
                self._open(identity)
        except BaseException:
            self._db.close()
            raise

    def _open(self, identity: dict[str, Any] | None) -> None:
        # held until close, so that a second process is rejected at once, not at its first write
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("BEGIN EXCLUSIVE")
        if not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            if identity is None:
                raise StorageError(f"{self.path} is empty; it holds no study")
            self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            for statement in _SCHEMA.split(";"):
                self._db.execute(statement)
            self._set_meta({"format": FORMAT, **identity})
        self._db.execute("COMMIT")
        check = self._db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if check != "ok":
            raise StorageError(f"{self.path} is damaged ({check}); restore it, or choose another")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        written = self._db.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
        if written is None or written[0] != str(FORMAT):
            raise StorageError(
                f"{self.path} was written in format {written and written[0]}, and this karat reads "
                f"format {FORMAT}; use the karat that wrote it, or choose another file"
            )
        self.blobs()  # so that a key that was changed is not taken for none
        there = self.meta
        if not {"fingerprint", "n_objects", "source", "options"} <= there.keys():
            raise self.damaged("its description of the data")
        if identity is not None and there["fingerprint"] != identity["fingerprint"]:
            raise StorageError(
                f"{self.path} belongs to other data: its {there['n_objects']} objects have the "
                f"fingerprint {there['fingerprint'][:12]}, these {identity['n_objects']} have "
                f"{identity['fingerprint'][:12]} (other scaling, dropped columns and imputation "
                "make other data). Choose another storage file, or delete this one"
            )

    def close(self) -> None:
        self._db.close()

    def copy_to(self, path: str | Path) -> None:
        if Path(path).exists():
            raise StorageError(f"{path} already exists; choose another name")
        with self._errors(), sqlite3.connect(path) as target:
            self._db.backup(target)
        target.close()

    @property
    def meta(self) -> dict[str, Any]:
        return {k: self._json(v) for k, v in self._rows("SELECT key, value, checksum FROM meta")}

    def set_meta(self, entries: dict[str, Any]) -> None:
        known = self.meta
        changed = {k: v for k, v in entries.items() if k not in known or known[k] != v}
        if changed:
            with self._transaction("notes"):
                self._set_meta(changed)

    def _set_meta(self, entries: dict[str, Any]) -> None:
        rows = [(key, json.dumps(value)) for key, value in entries.items()]
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", _summed(rows))

    def record(self, kind: str, content: dict[str, Any]) -> None:
        if self.calls(kind)[-1:] == [(kind, content)]:
            return
        with self._transaction("calls"):
            self._db.executemany(
                "INSERT INTO calls (kind, content, checksum) VALUES (?, ?, ?)",
                _summed([(kind, json.dumps(content))]),
            )

    def calls(self, kind: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        rows = self._rows("SELECT kind, content, checksum FROM calls ORDER BY position")
        return [(k, self._json(content)) for k, content in rows if kind in (None, k)]

    def plan(self, candidates: Iterable[Planned]) -> int:
        before = self._db.total_changes
        with self._transaction("candidates"):
            self._db.executemany(
                "INSERT OR IGNORE INTO candidates"
                " (name, clusterer, parameter, value, start, seed, status, checksum)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (*fields, "planned", _checksum((*fields, "planned", *[None] * 6)))
                    for c in candidates
                    if (fields := (c.name, c.clusterer, c.parameter, c.value, c.start, c.seed))
                ],
            )
        return self._db.total_changes - before

    def _finish(self, rows: list[tuple[Any, ...]], blobs: dict[str, bytes]) -> None:
        with self._transaction("candidates"):
            for name, *came in rows:
                plan = self._db.execute(
                    "SELECT name, clusterer, parameter, value, start, seed FROM candidates"
                    " WHERE name = ? AND status IN ('planned', 'stopped')",
                    (name,),
                ).fetchone()
                assert plan is not None, f"{name} was finished before, or never planned"
                self._db.execute(
                    "UPDATE candidates SET status = ?, reason = ?, n_clusters = ?, n_noise = ?,"
                    " seconds = ?, fitted_on = ?, partition = ?, checksum = ? WHERE name = ?",
                    (*came, _checksum((*plan, *came)), name),
                )
            self._add_blobs(blobs)

    def add_blob(self, key: str, content: bytes) -> None:
        with self._transaction():
            self._add_blobs({key: content})

    def _add_blobs(self, blobs: dict[str, bytes]) -> None:
        heads = _summed((key, zlib.crc32(content)) for key, content in blobs.items())
        self._db.executemany(
            "INSERT OR IGNORE INTO blobs VALUES (?, ?, ?, ?)",
            [(*head, content) for head, content in zip(heads, blobs.values(), strict=True)],
        )

    def blob(self, key: str) -> bytes | None:
        with self._errors():
            query = "SELECT content, content_checksum FROM blobs WHERE key = ?"
            row = self._db.execute(query, (key,)).fetchone()
        if row is None:
            return None
        content: bytes = row[0]
        if zlib.crc32(content) != row[1]:
            raise self.damaged(key)
        return content

    def blobs(self) -> list[str]:
        return [key for key, _ in self._rows("SELECT key, content_checksum, checksum FROM blobs")]

    def add_scores(self, context: str, scores: Iterable[Score]) -> None:
        rows = [
            (context, s.partition, s.measure, _or_null(s.value), _or_null(s.error), s.reason)
            for s in scores
        ]
        with self._transaction("scores"):
            self._db.executemany(
                "INSERT OR IGNORE INTO scores VALUES (?, ?, ?, ?, ?, ?, ?)", _summed(rows)
            )

    def candidates(self) -> list[dict[str, Any]]:
        names = (
            "name", "clusterer", "parameter", "value", "start", "seed", "status", "reason",
            "n_clusters", "n_noise", "seconds", "fitted_on", "partition",
        )  # fmt: skip
        rows = self._rows(f"SELECT {', '.join(names)}, checksum FROM candidates ORDER BY position")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def scores(self, context: str) -> Iterator[Score]:
        for _, partition, measure, value, error, reason in self._rows(
            "SELECT * FROM scores WHERE context = ?", context
        ):
            yield Score(partition, measure, math.nan if value is None else value, reason, error)

    def _rows(self, query: str, *parameters: str) -> list[tuple[Any, ...]]:
        """Rows without their last column, a checksum of the others."""
        with self._errors():
            rows = self._db.execute(query, parameters).fetchall()
        for *fields, checksum in rows:
            if _checksum(fields) != checksum:
                raise self.damaged(f"an entry of {query.split(' FROM ')[1].split()[0]}")
        return [tuple(row[:-1]) for row in rows]

    def _json(self, text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError:
            raise self.damaged("a record") from None

    @contextmanager
    def _transaction(self, what: str = "") -> Iterator[None]:
        before = self._db.total_changes
        with self._errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
        self.changes[what] += self._db.total_changes != before

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise StorageError(_explain(error, self.path)) from error


def _or_null(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _checksum(fields: Iterable[Any]) -> int:
    """CRC-32 of a row; equal for numbers that SQLite takes for equal."""
    texts = [
        str(float(field)) if isinstance(field, (int, float)) else repr(field) for field in fields
    ]
    return zlib.crc32("\0".join(texts).encode("utf-8", "surrogatepass"))


def _summed(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(*row, _checksum(row)) for row in rows]


def _explain(error: Exception, path: Path | None) -> str:
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
    operational = isinstance(error, sqlite3.OperationalError)
    if not operational or "decode" in text or "no such" in text or "malformed" in text:
        return f"{path} is damaged ({text}); restore it from a copy, or choose another file"
    return f"{path}: {text}"


def _check_header(path: Path, *, must_exist: bool) -> None:
    """Refuse what is not a study from its first bytes, before SQLite may touch it."""
    if not path.exists():
        if must_exist:
            raise StorageError(f"there is no study file {path}")
        if not path.parent.is_dir():
            raise StorageError(f"there is no folder {path.parent} to keep the study in")
        return
    if path.is_dir():
        raise StorageError(f"{path} is a folder; name a file to keep the study in")
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise StorageError(f"{path} cannot be read ({error.strerror})") from error
    if not head:
        return
    if head[:16] != _HEADER or len(head) < 100:
        raise StorageError(f"{path} is not a study; choose another storage file")
    if int.from_bytes(head[68:72], "big") != APPLICATION_ID:
        raise StorageError(
            f"{path} is an SQLite database of another program; choose another storage file"
        )
    size = int.from_bytes(head[28:32], "big") * (int.from_bytes(head[16:18], "big") or 65536)
    if path.stat().st_size < size and not path.with_name(path.name + "-wal").exists():
        raise StorageError(
            f"{path} is truncated ({path.stat().st_size} of {size} bytes); restore it from a "
            "copy, or choose another file"
        )
