"""Where a study is kept: one SQLite file, or memory.

Contract
--------
- A candidate is *planned*, then *finished* once; a finished one is never changed or deleted.
  One that was *stopped* is still planned, and keeps the reason until it is finished.
- Each call that writes is one transaction: after a crash it has happened whole or not at all.
- One process at a time holds the file; a second one is rejected at once.
- A file that is not a study, or a study of other data, is rejected before anything is written.
- What is read is verified: labels against their hash, every other row against a checksum.
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

from karat.labelings.partitions import canonical_codes, first_places
from karat.runtime.validation import StorageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNFINISHED = ("planned", "stopped")
APPLICATION_ID = 0x4B415254  # "KART"
FORMAT = 4
_HEADER = b"SQLite format 3\x00"
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL)
WITHOUT ROWID;
CREATE TABLE calls (
    position INTEGER PRIMARY KEY, kind TEXT NOT NULL, content TEXT NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE TABLE truths (
    fingerprint TEXT PRIMARY KEY, codes BLOB NOT NULL, classes TEXT NOT NULL,
    checksum INTEGER NOT NULL
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
    fitted_on INTEGER,
    partition TEXT REFERENCES partitions,
    checksum INTEGER NOT NULL
);
CREATE TABLE partitions (hash TEXT PRIMARY KEY, labels BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE cluster_names (
    name TEXT PRIMARY KEY REFERENCES candidates (name), names TEXT NOT NULL,
    checksum INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE memberships (
    name TEXT PRIMARY KEY REFERENCES candidates (name), dtype TEXT NOT NULL, shape TEXT NOT NULL,
    content_checksum INTEGER NOT NULL, checksum INTEGER NOT NULL, content BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE matrices (key TEXT PRIMARY KEY, content BLOB NOT NULL, checksum INTEGER NOT NULL)
WITHOUT ROWID;
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
    cannot take the study's distance, ``"stopped"`` for a fit that took more than its share of the
    time and may be fitted again. ``fitted_on`` is the number of objects that it was fitted to,
    where that is a sample. ``memberships`` (n, k) are float32 of a soft clustering, bool of an
    overlapping one; column c is that of cluster c of the canonical codes. ``memory`` is what
    ``runtime.resources.added_memory`` tells of the fit, in bytes, where its job asked for it;
    it is not stored.
    """

    name: str
    status: str
    reason: str | None
    labels: NDArray[np.int32] | None
    seconds: float
    cluster_names: tuple[str, ...] | None = None
    fitted_on: int | None = None
    memberships: NDArray[Any] | None = None
    memory: int | None = None


@dataclass(frozen=True)
class Score:
    """One value, or the reason why there is none; an estimate has a standard error."""

    partition: str
    measure: str
    value: float
    reason: str | None
    error: float | None = None


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
        written = self._db.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
        if written is None or written[0] != str(FORMAT):
            raise StorageError(
                f"{self.path} was written in format {written and written[0]}, and this karat reads "
                f"format {FORMAT}; use the karat that wrote it, or choose another file"
            )
        there = self.meta
        if not {"fingerprint", "n_objects", "source", "options"} <= there.keys():
            raise self._damaged("its description of the data")
        if identity is not None and there["fingerprint"] != identity["fingerprint"]:
            raise StorageError(
                f"{self.path} belongs to other data: its {there['n_objects']} objects have the "
                f"fingerprint {there['fingerprint'][:12]}, these {identity['n_objects']} have "
                f"{identity['fingerprint'][:12]} (other scaling, dropped columns and imputation "
                "make other data). Choose another storage file, or delete this one"
            )

    def close(self) -> None:
        """Close the file; what was written stays."""
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
        return {k: self._json(v) for k, v in self._rows("SELECT key, value, checksum FROM meta")}

    def set_meta(self, entries: dict[str, Any]) -> None:
        """Keep something about the study; what is there already is not written again."""
        known = self.meta
        changed = {k: v for k, v in entries.items() if k not in known or known[k] != v}
        if changed:
            with self._transaction():
                self._set_meta(changed)

    def _set_meta(self, entries: dict[str, Any]) -> None:
        rows = [(key, json.dumps(value)) for key, value in entries.items()]
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", _summed(rows))

    def record(self, kind: str, content: dict[str, Any]) -> None:
        """Append to what was decided and done, unless it is what came last of its kind."""
        if self.calls(kind)[-1:] == [(kind, content)]:
            return
        with self._transaction():
            self._db.executemany(
                "INSERT INTO calls (kind, content, checksum) VALUES (?, ?, ?)",
                _summed([(kind, json.dumps(content))]),
            )

    def calls(self, kind: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        """What was decided and done, in order: pairs of a kind and its content."""
        rows = self._rows("SELECT kind, content, checksum FROM calls ORDER BY position")
        return [(k, self._json(content)) for k, content in rows if kind in (None, k)]

    def add_truth(self, fingerprint: str, codes: NDArray[np.int32], classes: list[Any]) -> None:
        """Keep the classes that the study is judged against."""
        blob = zlib.compress(codes.astype("<i4").tobytes(), 1)
        with self._transaction():
            self._db.executemany(
                "INSERT OR IGNORE INTO truths VALUES (?, ?, ?, ?)",
                _summed([(fingerprint, blob, json.dumps(classes))]),
            )

    def truth(self, fingerprint: str) -> tuple[NDArray[np.int32], list[Any]]:
        """Codes (-1 where the class is not known) and the classes they stand for."""
        _, codes, classes = self._row("SELECT * FROM truths WHERE fingerprint = ?", fingerprint)
        return np.frombuffer(zlib.decompress(codes), dtype="<i4"), self._json(classes)

    def plan(self, candidates: Iterable[Planned]) -> int:
        """Note what will be tried and return how many are new; a known one stays as it is."""
        before = self._db.total_changes
        with self._transaction():
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
                given = outcome.labels[first_places(codes + 1, n_clusters + 1)[1:]]
                names = [outcome.cluster_names[code] for code in given.tolist()]
                self._db.executemany(
                    "INSERT OR REPLACE INTO cluster_names VALUES (?, ?, ?)",
                    _summed([(outcome.name, json.dumps(names))]),
                )
            if outcome.memberships is not None:
                self._add_memberships(outcome.name, outcome.memberships)
            self._db.execute(
                "INSERT OR IGNORE INTO partitions VALUES (?, ?)",
                (partition, zlib.compress(codes.astype("<i4").tobytes(), 1)),
            )
        plan = self._db.execute(
            "SELECT name, clusterer, parameter, value, start, seed FROM candidates WHERE name = ?"
            " AND status IN ('planned', 'stopped')",
            (outcome.name,),
        ).fetchone()
        assert plan is not None, f"{outcome.name} was finished before, or never planned"
        came = (
            outcome.status,
            outcome.reason,
            n_clusters,
            n_noise,
            outcome.seconds,
            outcome.fitted_on,
            partition,
        )
        self._db.execute(
            "UPDATE candidates SET status = ?, reason = ?, n_clusters = ?, n_noise = ?,"
            " seconds = ?, fitted_on = ?, partition = ?, checksum = ? WHERE name = ?",
            (*came, _checksum((*plan, *came)), outcome.name),
        )

    def _add_memberships(self, name: str, memberships: NDArray[Any]) -> None:
        kind = "<f4" if memberships.dtype.kind == "f" else "|b1"
        blob = zlib.compress(memberships.astype(kind).tobytes(), 1)
        row = (name, kind, json.dumps(memberships.shape), zlib.crc32(blob))
        self._db.execute(
            "INSERT OR REPLACE INTO memberships VALUES (?, ?, ?, ?, ?, ?)",
            (*row, _checksum(row), blob),
        )

    def memberships(self, name: str) -> NDArray[Any] | None:
        """Memberships of a candidate as they were stored, None where it has none."""
        found = self._memberships().get(name)
        if found is None:
            return None
        dtype, shape, checksum = found
        with self._errors():
            row = self._db.execute("SELECT content FROM memberships WHERE name = ?", (name,))
            content = row.fetchone()[0]
        if zlib.crc32(content) != checksum:
            raise self._damaged(f"memberships of {name}")
        return np.frombuffer(zlib.decompress(content), dtype).reshape(self._json(shape))

    def with_memberships(self) -> list[str]:
        """Names of the candidates that have memberships, in the order of their planning."""
        there = self._memberships()
        return [c["name"] for c in self.candidates() if c["name"] in there]

    def _memberships(self) -> dict[str, tuple[Any, ...]]:
        query = "SELECT name, dtype, shape, content_checksum, checksum FROM memberships"
        return {row[0]: row[1:] for row in self._rows(query)}

    def has_matrix(self, key: str) -> bool:
        """Whether distances are kept under this key."""
        with self._errors():
            row = self._db.execute("SELECT 1 FROM matrices WHERE key = ?", (key,)).fetchone()
        return row is not None

    def add_matrix(self, key: str, condensed: NDArray[np.float64]) -> None:
        """Keep distances between all objects, those above the diagonal."""
        content = np.ascontiguousarray(condensed, "<f8").tobytes()
        with self._transaction():
            self._db.execute(
                "INSERT OR REPLACE INTO matrices VALUES (?, ?, ?)",
                (key, content, zlib.crc32(content)),
            )

    def matrix(self, key: str) -> NDArray[np.float64] | None:
        """The distances that were kept under this key, None where there are none."""
        with self._errors():
            row = self._db.execute(
                "SELECT content, checksum FROM matrices WHERE key = ?", (key,)
            ).fetchone()
        if row is None:
            return None
        if zlib.crc32(row[0]) != row[1]:
            raise self._damaged("a matrix of distances")
        return np.frombuffer(row[0], "<f8")

    def add_scores(self, context: str, scores: Iterable[Score]) -> None:
        """Store scores, in one transaction; a score that is there stays."""
        rows = [
            (context, s.partition, s.measure, _or_null(s.value), _or_null(s.error), s.reason)
            for s in scores
        ]
        with self._transaction():
            self._db.executemany(
                "INSERT OR IGNORE INTO scores VALUES (?, ?, ?, ?, ?, ?, ?)", _summed(rows)
            )

    def candidates(self) -> list[dict[str, Any]]:
        """All candidates in the order of their planning, with all that is known of each."""
        names = (
            "name", "clusterer", "parameter", "value", "start", "seed", "status", "reason",
            "n_clusters", "n_noise", "seconds", "fitted_on", "partition",
        )  # fmt: skip
        rows = self._rows(f"SELECT {', '.join(names)}, checksum FROM candidates ORDER BY position")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def planned(self) -> set[str]:
        """Names of the candidates that are not finished."""
        return {c["name"] for c in self.candidates() if c["status"] in UNFINISHED}

    def partitions(self) -> list[str]:
        """Hashes of the distinct partitions, by their first candidate."""
        found = (c["partition"] for c in self.candidates())
        return list(dict.fromkeys(partition for partition in found if partition is not None))

    def labels(self, partitions: Sequence[str]) -> list[NDArray[np.int32]]:
        """Canonical codes of each partition."""
        out = []
        for partition in partitions:
            with self._errors():
                row = self._db.execute(
                    "SELECT labels FROM partitions WHERE hash = ?", (partition,)
                ).fetchone()
            try:
                codes = np.frombuffer(zlib.decompress(row[0]), dtype="<i4")
            except (TypeError, ValueError, zlib.error):
                raise self._damaged(f"labels of {partition}") from None
            if partition_hash(codes) != partition:
                raise self._damaged(f"labels of {partition}")
            out.append(codes)
        return out

    def cluster_names(self, name: str) -> list[str] | None:
        """The user's names of a candidate's clusters, where it has any."""
        # all of them, so that a name that was changed is not taken for none
        rows = dict(self._rows("SELECT * FROM cluster_names"))
        return self._json(rows[name]) if name in rows else None

    def scores(self, context: str) -> Iterator[Score]:
        """All scores in a context."""
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
                raise self._damaged(f"an entry of {query.split(' FROM ')[1].split()[0]}")
        return [tuple(row[:-1]) for row in rows]

    def _row(self, query: str, *parameters: str) -> tuple[Any, ...]:
        rows = self._rows(query, *parameters)
        if not rows:
            raise self._damaged(f"an entry of {query.split(' FROM ')[1].split()[0]} is missing")
        return rows[0]

    def _json(self, text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError:
            raise self._damaged("a record") from None

    def _damaged(self, what: str) -> StorageError:
        return StorageError(
            f"{self.path} is damaged ({what} was changed); restore it from a copy, or choose "
            "another file"
        )

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
