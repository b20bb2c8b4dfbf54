"""The store of a study in SQLite: a file, or memory."""

from __future__ import annotations

import json
import math
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from karat.runtime.validation import StorageError
from karat.study.store import Planned, Score, Store

APPLICATION_ID = 0x4B415254  # "KART"
FORMAT = 6
_HEADER = b"SQLite format 3\x00"
#: ``kind`` is meta, call, plan, outcome, blob, or scores of a context; ``content`` is JSON, but of
#: a blob; ``checksum`` is that of the content, ``head`` that of the rest
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
#: what is known of a candidate when it is planned, and when it is finished
_PLAN = ("clusterer", "parameter", "value", "start", "seed")
_OUTCOME = ("status", "reason", "n_clusters", "n_noise", "seconds", "fitted_on", "partition")


class SqliteStore(Store):
    """A study in one SQLite file with a write-ahead log (``path``), or in memory (None).

    ``identity`` is what the data is (``fingerprint``, ``n_objects``, and what else is worth
    keeping): a new file gets it, an existing one must have the same fingerprint; None opens an
    existing file whatever its data.
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
            self._db.execute(_TABLE)
            self._put("meta", {"format": FORMAT, **identity})
        self._db.execute("COMMIT")
        check = self._db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if check != "ok":
            raise StorageError(f"{self.path} is damaged ({check}); restore it, or choose another")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        named = self._db.execute(
            "SELECT position, kind, key, checksum, head FROM entries"
        ).fetchall()
        if any(head != _checksum(*names) for *names, head in named):
            raise self.damaged("the name of an entry")
        there = self.meta
        if there.get("format") != FORMAT:
            raise StorageError(
                f"{self.path} was written in format {there.get('format')}, and this karat reads "
                f"format {FORMAT}; use the karat that wrote it, or choose another file"
            )
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
        return self._all("meta")

    def set_meta(self, entries: dict[str, Any]) -> None:
        known = self.meta
        changed = {k: v for k, v in entries.items() if k not in known or known[k] != v}
        if changed:
            with self._transaction("notes"):
                self._put("meta", changed, replace=True)

    def record(self, kind: str, content: dict[str, Any]) -> None:
        if self.calls(kind)[-1:] == [(kind, content)]:
            return
        with self._transaction("calls"):
            self._put("call", {str(len(self.calls())): [kind, content]})

    def calls(self, kind: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        return [(k, content) for k, content in self._all("call").values() if kind in (None, k)]

    def plan(self, candidates: Iterable[Planned]) -> int:
        before = self._db.total_changes
        with self._transaction("candidates"):
            self._put("plan", {c.name: [getattr(c, one) for one in _PLAN] for c in candidates})
        return self._db.total_changes - before

    def _finish(self, rows: list[tuple[Any, ...]], blobs: dict[str, bytes]) -> None:
        with self._transaction("candidates"):
            for name, *came in rows:
                assert self._contents("plan", name), f"{name} was never planned"
                assert not self._contents("outcome", name), f"{name} was finished before"
                self._put("outcome", {name: came})
            self._put("blob", blobs)

    def candidates(self) -> list[dict[str, Any]]:
        outcomes, none = self._all("outcome"), ["planned", *[None] * (len(_OUTCOME) - 1)]
        return [
            {
                "name": name,
                **dict(zip(_PLAN, plan, strict=True)),
                **dict(zip(_OUTCOME, outcomes.get(name, none), strict=True)),
            }
            for name, plan in self._all("plan").items()
        ]

    def add_blob(self, key: str, content: bytes) -> None:
        with self._transaction():
            self._put("blob", {key: content})

    def blob(self, key: str) -> bytes | None:
        return self._contents("blob", key).get(key)

    def add_scores(self, context: str, scores: Iterable[Score]) -> None:
        with self._transaction("scores"):
            self._put(
                f"scores {context}",
                {
                    f"{s.measure} {s.partition}": [
                        s.partition, s.measure, _or_null(s.value), s.reason, _or_null(s.error),
                    ]
                    for s in scores
                },
            )  # fmt: skip

    def scores(self, context: str) -> Iterator[Score]:
        for partition, measure, value, *why in self._all(f"scores {context}").values():
            yield Score(partition, measure, math.nan if value is None else value, *why)

    def _put(self, kind: str, contents: Mapping[str, Any], *, replace: bool = False) -> None:
        rows = []
        last = self._db.execute("SELECT coalesce(max(position), 0) FROM entries").fetchone()[0]
        for position, (key, content) in enumerate(contents.items(), last + 1):
            packed = content if kind == "blob" else json.dumps(content, default=_plain).encode()
            names = position, kind, key, zlib.crc32(packed)
            rows.append((*names, _checksum(*names), packed))
        self._db.executemany(
            f"INSERT OR {'REPLACE' if replace else 'IGNORE'} INTO entries"
            " (position, kind, key, checksum, head, content) VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )

    def _contents(self, kind: str, key: str | None = None) -> dict[str, bytes]:
        """What is kept of a kind, in order."""
        query = "SELECT position, key, checksum, head, content FROM entries WHERE kind = ?"
        asked = [kind] if key is None else [kind, key]
        query += " ORDER BY position" if key is None else " AND key = ?"
        with self._errors():
            rows = self._db.execute(query, asked).fetchall()
        for position, name, checksum, head, content in rows:
            whole = isinstance(content, bytes) and zlib.crc32(content) == checksum
            if not whole or _checksum(position, kind, name, checksum) != head:
                raise self.damaged(f"{kind} {name}")
        return {name: content for _, name, _, _, content in rows}

    def _all(self, kind: str) -> dict[str, Any]:
        return {name: json.loads(content) for name, content in self._contents(kind).items()}

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


def _plain(value: Any) -> Any:
    """A number of NumPy as JSON takes it."""
    return value.item()


def _checksum(*names: Any) -> int:
    return zlib.crc32(repr(names).encode("utf-8", "surrogatepass"))


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
    if "closed" in text:
        return f"the study {path} is closed; open it again (karat.load_study)"
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
