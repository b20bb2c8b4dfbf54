"""Where a study is kept: one SQLite file, or memory.

Contract
--------
- A candidate is *planned*, then *finished* once; a finished one is never changed or deleted.
- Each call that writes is one transaction: after a crash it has happened whole or not at all.
- One process at a time holds the file; a second one is rejected at once.
- A file that is not a study, or a study of other data, is rejected before anything is written.
- The clusterings are those of the candidates; scores belong to *partitions*, because equal
  partitions of the same data have equal scores.
"""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.partition import canonical_codes
from karat.validation import StorageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

APPLICATION_ID = 0x4B415254  # "KART"
FORMAT = 2
_HEADER = b"SQLite format 3\x00"
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE calls (position INTEGER PRIMARY KEY, kind TEXT NOT NULL, content TEXT NOT NULL);
CREATE TABLE truths (
    fingerprint TEXT PRIMARY KEY, codes BLOB NOT NULL, classes TEXT NOT NULL
) WITHOUT ROWID;
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
    partition TEXT REFERENCES partitions
);
CREATE TABLE partitions (hash TEXT PRIMARY KEY, labels BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE cluster_names (name TEXT PRIMARY KEY REFERENCES candidates (name), names TEXT NOT NULL)
WITHOUT ROWID;
CREATE TABLE scores (
    context TEXT NOT NULL,
    partition TEXT NOT NULL,
    measure TEXT NOT NULL,
    value REAL,
    reason TEXT,
    PRIMARY KEY (context, partition, measure)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Planned:
    """A candidate before its fit."""

    name: str
    clusterer: str
    parameter: str | None
    value: float | None
    start: int
    seed: int | None


@dataclass(frozen=True)
class Finished:
    """What became of a candidate; never changed once stored.

    ``status`` is ``"ok"``, ``"flagged"`` (usable, but ``reason`` says what to mind) or
    ``"failed"`` (no clustering; ``reason`` says why); ``"excluded"`` stands for a clusterer that
    cannot take the study's distance.
    """

    name: str
    status: str
    reason: str | None
    labels: NDArray[np.int32] | None
    seconds: float
    cluster_names: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Score:
    """One value, or the reason why there is none."""

    partition: str
    measure: str
    value: float
    reason: str | None


def partition_hash(canonical: NDArray[np.int32]) -> str:
    """Equal for equal partitions; ``canonical`` comes from :func:`canonical_codes`."""
    return hashlib.sha256(np.ascontiguousarray(canonical, dtype="<i4").tobytes()).hexdigest()[:32]


class Store:
    """A study on disk (``path``) or in memory (None).

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
        there = self.meta
        if there.get("format") != FORMAT:
            raise StorageError(
                f"{self.path} was written in format {there.get('format')}, and this karat reads "
                f"format {FORMAT}; use the karat that wrote it, or choose another file"
            )
        if identity is not None and there["fingerprint"] != identity["fingerprint"]:
            raise StorageError(
                f"{self.path} belongs to other data: its {there['n_objects']} objects have the "
                f"fingerprint {there['fingerprint'][:12]}, these {identity['n_objects']} have "
                f"{identity['fingerprint'][:12]} (other scaling, dropped columns and imputation "
                "make other data). Choose another storage file, or delete this one"
            )

    def close(self) -> None:
        """Let go of the file; what was written stays."""
        self._db.close()

    def copy_to(self, path: str | Path) -> None:
        """Write everything to a new file."""
        if Path(path).exists():
            raise StorageError(f"{path} already exists; choose another name")
        with self._errors(), sqlite3.connect(path) as target:
            self._db.backup(target)
        target.close()

    @property
    def meta(self) -> dict[str, Any]:
        """What was kept about the study."""
        rows = self._db.execute("SELECT key, value FROM meta")
        return {key: json.loads(value) for key, value in rows}

    def set_meta(self, entries: dict[str, Any]) -> None:
        """Keep something about the study; what is there already is not written again."""
        known = self.meta
        changed = {k: v for k, v in entries.items() if k not in known or known[k] != v}
        if changed:
            with self._transaction():
                self._set_meta(changed)

    def _set_meta(self, entries: dict[str, Any]) -> None:
        rows = [(key, json.dumps(value)) for key, value in entries.items()]
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def record(self, kind: str, content: dict[str, Any]) -> None:
        """Append to what was decided and done, unless it is what came last of its kind."""
        if self.calls(kind)[-1:] == [(kind, content)]:
            return
        with self._transaction():
            self._db.execute(
                "INSERT INTO calls (kind, content) VALUES (?, ?)", (kind, json.dumps(content))
            )

    def calls(self, kind: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        """What was decided and done, in order: pairs of a kind and its content."""
        rows = self._db.execute("SELECT kind, content FROM calls ORDER BY position")
        return [(k, json.loads(content)) for k, content in rows if kind in (None, k)]

    def add_truth(self, fingerprint: str, codes: NDArray[np.int32], classes: list[Any]) -> None:
        """Keep the classes that the study is judged against."""
        blob = zlib.compress(codes.astype("<i4").tobytes(), 1)
        with self._transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO truths VALUES (?, ?, ?)",
                (fingerprint, blob, json.dumps(classes)),
            )

    def truth(self, fingerprint: str) -> tuple[NDArray[np.int32], list[Any]]:
        """Codes (-1 where the class is not known) and the classes they stand for."""
        codes, classes = self._db.execute(
            "SELECT codes, classes FROM truths WHERE fingerprint = ?", (fingerprint,)
        ).fetchone()
        return np.frombuffer(zlib.decompress(codes), dtype="<i4"), json.loads(classes)

    def plan(self, candidates: Iterable[Planned]) -> int:
        """Note what will be tried and return how many are new; a known one stays as it is."""
        before = self._db.total_changes
        with self._transaction():
            self._db.executemany(
                "INSERT OR IGNORE INTO candidates"
                " (name, clusterer, parameter, value, start, seed) VALUES (?, ?, ?, ?, ?, ?)",
                [(c.name, c.clusterer, c.parameter, c.value, c.start, c.seed) for c in candidates],
            )
        return self._db.total_changes - before

    def finish(self, outcomes: Iterable[Finished]) -> None:
        """Store what became of planned candidates, in one transaction."""
        with self._transaction():
            for outcome in outcomes:
                self._finish(outcome)

    def _finish(self, outcome: Finished) -> None:
        partition = n_clusters = n_noise = None
        if outcome.labels is not None:
            codes = canonical_codes(outcome.labels)
            partition = partition_hash(codes)
            n_clusters, n_noise = int(codes.max()) + 1, int((codes < 0).sum())
            if outcome.cluster_names is not None:
                # the names belong to the labels as given; keep them in the canonical order
                first = {int(c): int(g) for c, g in zip(codes, outcome.labels, strict=True)}
                names = [outcome.cluster_names[first[c]] for c in range(n_clusters)]
                self._db.execute(
                    "INSERT OR REPLACE INTO cluster_names VALUES (?, ?)",
                    (outcome.name, json.dumps(names)),
                )
            self._db.execute(
                "INSERT OR IGNORE INTO partitions VALUES (?, ?)",
                (partition, zlib.compress(codes.astype("<i4").tobytes(), 1)),
            )
        done = self._db.execute(
            "UPDATE candidates SET status = ?, reason = ?, n_clusters = ?, n_noise = ?,"
            " seconds = ?, partition = ? WHERE name = ? AND status = 'planned'",
            (
                outcome.status,
                outcome.reason,
                n_clusters,
                n_noise,
                outcome.seconds,
                partition,
                outcome.name,
            ),
        )
        assert done.rowcount == 1, f"{outcome.name} was finished before, or never planned"

    def add_scores(self, context: str, scores: Iterable[Score]) -> None:
        """Store scores, in one transaction; a score that is there stays."""
        rows = [
            (context, s.partition, s.measure, None if math.isnan(s.value) else s.value, s.reason)
            for s in scores
        ]
        with self._transaction():
            self._db.executemany("INSERT OR IGNORE INTO scores VALUES (?, ?, ?, ?, ?)", rows)

    def candidates(self) -> list[dict[str, Any]]:
        """All candidates in the order of their planning, with all that is known of each."""
        cursor = self._db.execute("SELECT * FROM candidates ORDER BY position")
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def planned(self) -> set[str]:
        """Names of the candidates that are not finished."""
        return {
            name
            for (name,) in self._db.execute("SELECT name FROM candidates WHERE status = 'planned'")
        }

    def partitions(self) -> list[str]:
        """Hashes of the distinct partitions, by their first candidate."""
        rows = self._db.execute(
            "SELECT partition FROM candidates WHERE partition IS NOT NULL"
            " GROUP BY partition ORDER BY min(position)"
        )
        return [partition for (partition,) in rows]

    def labels(self, partitions: Sequence[str]) -> list[NDArray[np.int32]]:
        """Canonical codes of each partition."""
        out = []
        for partition in partitions:
            row = self._db.execute("SELECT labels FROM partitions WHERE hash = ?", (partition,))
            out.append(np.frombuffer(zlib.decompress(row.fetchone()[0]), dtype="<i4"))
        return out

    def cluster_names(self, name: str) -> list[str] | None:
        """The user's names of a candidate's clusters, where it has any."""
        row = self._db.execute("SELECT names FROM cluster_names WHERE name = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    def scores(self, context: str) -> Iterator[Score]:
        """All scores in a context."""
        rows = self._db.execute(
            "SELECT partition, measure, value, reason FROM scores WHERE context = ?", (context,)
        )
        for partition, measure, value, reason in rows:
            yield Score(partition, measure, math.nan if value is None else value, reason)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StorageError(_explain(error, self.path)) from error


def _explain(error: sqlite3.Error, path: Path | None) -> str:
    text = str(error)
    if "locked" in text:
        return f"{path} is in use by another process; wait until it ends, or choose another storage"
    if "full" in text:
        return (
            f"no space is left to write {path}; what was finished before is kept. Free some space "
            "and run the same again"
        )
    if "readonly" in text or "unable to open" in text:
        return f"{path} cannot be written ({text}); choose a storage file in a folder that can"
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
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
