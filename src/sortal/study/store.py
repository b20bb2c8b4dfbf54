"""The store of a study in a file or in memory, and the contract that it obeys."""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.labelings.partitions import canonical_codes, first_places
from sortal.runtime.kept_file import STUDY, EntryFile
from sortal.runtime.validation import StorageError

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: fields of a candidate when it is planned, and when it is finished
_PLAN = ("clusterer", "parameter", "value", "start", "seed")
_OUTCOME = ("status", "reason", "n_clusters", "n_noise", "seconds", "fitted_on", "partition")
#: keys of blobs, before the name of a candidate
_CLUSTERS, _MEMBERSHIPS = "clusters of ", "memberships of "


@dataclass(frozen=True)
class Planned:
    """A candidate before its fit.

    Attributes
    ----------
    name, clusterer : str
    parameter : str or None
        What the clusterer is swept by; None for a clustering made elsewhere.
    value : float or None
        The value of the parameter.
    start : int
        Which of several starts.
    seed : int or None
    """

    name: str
    clusterer: str
    parameter: str | None
    value: float | None
    start: int
    seed: int | None


def planned(candidate: Mapping[str, Any]) -> Planned:
    """The plan of a candidate that a store returned."""
    return Planned(**{field.name: candidate[field.name] for field in fields(Planned)})


@dataclass(frozen=True)
class Finished:
    """The outcome of a candidate; never changed once stored.

    Attributes
    ----------
    name : str
    status : {"ok", "flagged", "failed", "excluded"}
        Flagged ones are usable with a caveat, failed ones have no clustering, and excluded ones a
        clusterer that does not support the distance.
    reason : str or None
        What explains the status.
    labels : ndarray of int32, shape (n,), or None
    seconds : float
    cluster_names : tuple of str or None
        By the numbers in ``labels``.
    fitted_on : int or None
        The size of the sample, if there was one.
    memberships : ndarray, shape (n, k), or None
        float32 for a soft clustering, bool for an overlapping one. Column c belongs to code c.
    """

    name: str
    status: str
    reason: str | None
    labels: NDArray[np.int32] | None
    seconds: float
    cluster_names: tuple[str, ...] | None = None
    fitted_on: int | None = None
    memberships: NDArray[Any] | None = None


@dataclass(frozen=True)
class Score:
    """One value, or the reason why there is none.

    Attributes
    ----------
    partition, measure : str
    value : float
        NaN where it is undefined.
    reason : str or None
        Why it is.
    error : float or None
        The standard error of an estimate.
    """

    partition: str
    measure: str
    value: float
    reason: str | None
    error: float | None = None


def partition_hash(canonical: NDArray[np.int32]) -> str:
    """Equal for equal partitions; ``canonical`` comes from :func:`canonical_codes`."""
    return hashlib.sha256(np.ascontiguousarray(canonical, dtype="<i4").tobytes()).hexdigest()[:32]


class Store:
    """The store of one study: one SQLite file with a write-ahead log, or memory.

    **Who modifies what.** Only the study that opened a store writes to it. A candidate is
    *planned*, then *finished* once; a finished one is never changed or deleted. Calls, blobs and
    scores are only added; the first score of a measure stays. Notes may be replaced. What a method
    returns belongs to the caller; arrays may be read-only.

    **Partitions.** Labels are stored as canonical codes: 0..k−1 by first appearance, −1 for
    outliers. Equal partitions are stored once, and share their scores.

    **Atomicity.** A write happens completely or not at all, even if it raises, the disk is full, or
    the process is killed. ``finish`` of ten candidates stores ten or none. After a kill, the file
    has everything from calls that returned. After a loss of power the last calls may be missing,
    each completely.

    **Threads and processes.** Methods may be called from any thread, one at a time. One process
    at a time has the store open; a second one gets a StorageError at once, not at its first write.

    **Trust.** A file that is no study, is damaged, or belongs to other data gives a StorageError
    before anything is written. What is read is verified where bits can flip; a value that was
    changed is an error or is missing, never read wrongly.

    Parameters
    ----------
    path : path or None
        None for memory.
    identity : dict or None
        The description of the data (``fingerprint``, ``n_objects``, ``source``, ``options``, and
        what else is worth storing): a new file gets it, an existing one must have the same
        fingerprint. None opens an existing file whatever its data.

    Attributes
    ----------
    path : Path or None
        Where the study outlasts the process; None for memory.
    changes : Counter
        How often ``"calls"``, ``"candidates"``, ``"scores"`` and ``"notes"`` were changed since the
        store was opened: what was derived from them is out of date once the number differs.
    """

    def __init__(self, path: str | Path | None, identity: dict[str, Any] | None) -> None:
        self.path = None if path is None else Path(path)
        self.changes: Counter[str] = Counter()
        self._file = EntryFile(self.path, STUDY, identity)
        try:
            self._check_data(identity)
        except BaseException:
            self.close()
            raise

    def _check_data(self, identity: dict[str, Any] | None) -> None:
        """Raise a StorageError if the store belongs to other data."""
        meta = self.meta
        if not {"fingerprint", "n_objects", "source", "options"} <= meta.keys():
            raise self.damaged("its description of the data")
        if identity is not None and meta["fingerprint"] != identity["fingerprint"]:
            raise StorageError(
                f"{self.path} belongs to other data: its {meta['n_objects']} objects have the "
                f"fingerprint {meta['fingerprint'][:12]}, these {identity['n_objects']} have "
                f"{identity['fingerprint'][:12]} (other scaling, weights, dropped columns and "
                "imputation make other data). Choose another storage file, or delete this one"
            )

    def damaged(self, content: str) -> StorageError:
        """The error for a part that is not as it was written."""
        return self._file.damaged(content)

    def close(self) -> None:
        """Release the store for other processes; what was written stays."""
        self._file.close()

    def copy_to(self, path: str | Path) -> None:
        """Write everything to a new study file."""
        self._file.copy_to(Path(path))

    @contextmanager
    def _transaction(self, changed: str = "") -> Iterator[None]:
        """Write all or nothing, and count the change where there is one."""
        before = self._file.n_changes
        with self._file.transaction():
            yield
        self.changes[changed] += self._file.n_changes != before

    # -- what was decided ---------------------------------------------------------------------

    def record(self, call: str, content: dict[str, Any]) -> None:
        """Append to what was decided and done, unless it equals the last call of its kind."""
        if self.calls(call)[-1:] == [(call, content)]:
            return
        with self._transaction("calls"):
            self._file.put("call", {str(len(self.calls())): [call, content]})

    def calls(self, wanted: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        """Pairs of a kind and its content: what was decided and done, in order."""
        calls = self._file.values("call").values()
        return [(call, content) for call, content in calls if wanted in (None, call)]

    @property
    def meta(self) -> dict[str, Any]:
        """The description of the data, and the notes."""
        return self._file.values("meta")

    def set_meta(self, entries: dict[str, Any]) -> None:
        """Store notes about the study, as JSON has them, in place of earlier ones."""
        meta = self.meta
        changed = {k: v for k, v in entries.items() if k not in meta or meta[k] != v}
        if changed:
            with self._transaction("notes"):
                self._file.put("meta", changed, replace=True)

    def add_blob(self, key: str, content: bytes) -> None:
        """Store bytes under a key, unless there are some."""
        with self._transaction():
            self._file.put("blob", {key: content})

    def blob(self, key: str) -> bytes | None:
        """The bytes under a key, None where there are none."""
        return self._file.contents("blob", key).get(key)

    # -- what was tried -----------------------------------------------------------------------

    def plan(self, candidates: Iterable[Planned]) -> int:
        """Store plans and return how many are new; a planned candidate stays as it is."""
        before = self._file.n_changes
        with self._transaction("candidates"):
            plans = {c.name: [getattr(c, field) for field in _PLAN] for c in candidates}
            self._file.put("plan", plans)
        return self._file.n_changes - before

    def finish(self, outcomes: Iterable[Finished]) -> None:
        """Store the outcomes of planned candidates: all of them, or none where one is invalid."""
        rows: list[tuple[str, list[Any]]] = []
        blobs: dict[str, bytes] = {}
        for outcome in outcomes:
            partition = n_clusters = n_noise = None
            if outcome.labels is not None:
                codes = canonical_codes(outcome.labels)
                partition = partition_hash(codes)
                n_clusters, n_noise = int(codes.max()) + 1, int((codes < 0).sum())
                blobs[f"partition {partition}"] = packed(codes)
                if outcome.cluster_names is not None:
                    # the names belong to the labels as given; store them in the canonical order
                    labels = outcome.labels[first_places(codes + 1, n_clusters + 1)[1:]]
                    names = [outcome.cluster_names[label] for label in labels.tolist()]
                    blobs[_CLUSTERS + outcome.name] = json.dumps(names).encode()
                if outcome.memberships is not None:
                    blobs[_MEMBERSHIPS + outcome.name] = packed(outcome.memberships)
            row: list[Any] = [outcome.status, outcome.reason, n_clusters, n_noise]
            row += [outcome.seconds, outcome.fitted_on, partition]
            rows.append((outcome.name, row))
        with self._transaction("candidates"):
            for name, row in rows:
                assert self._file.contents("plan", name), f"{name} was never planned"
                assert not self._file.contents("outcome", name), f"{name} was finished before"
                self._file.put("outcome", {name: row})
            self._file.put("blob", blobs)

    def candidates(self) -> list[dict[str, Any]]:
        """All candidates in the order of their planning, with plan and outcome of each."""
        outcomes = self._file.values("outcome")
        unfinished = ["planned", *[None] * (len(_OUTCOME) - 1)]
        return [
            {
                "name": name,
                **dict(zip(_PLAN, plan, strict=True)),
                **dict(zip(_OUTCOME, outcomes.get(name, unfinished), strict=True)),
            }
            for name, plan in self._file.values("plan").items()
        ]

    def candidate(self, name: str) -> dict[str, Any]:
        """Plan and outcome of one candidate."""
        return {c["name"]: c for c in self.candidates()}[name]

    def planned(self) -> set[str]:
        """Names of the candidates that are not finished."""
        return {c["name"] for c in self.candidates() if c["status"] == "planned"}

    def partitions(self) -> list[str]:
        """Hashes of the distinct partitions, by their first candidate."""
        hashes = (c["partition"] for c in self.candidates())
        return list(dict.fromkeys(partition for partition in hashes if partition is not None))

    def labels(self, partitions: Sequence[str]) -> list[NDArray[np.int32]]:
        """Canonical codes of each partition."""
        labels = []
        for partition in partitions:
            content = self.blob(f"partition {partition}")
            if content is None:
                raise self.damaged(f"labels of {partition}")
            labels.append(unpacked(content))
        return labels

    def cluster_names(self, name: str) -> list[str] | None:
        """The user's names of a candidate's clusters by their codes, where it has any."""
        content = self.blob(_CLUSTERS + name)
        return None if content is None else list(json.loads(content))

    def memberships(self, name: str) -> NDArray[Any] | None:
        """Memberships of a candidate as they were given, None where it has none."""
        content = self.blob(_MEMBERSHIPS + name)
        return None if content is None else unpacked(content)

    # -- how it was judged --------------------------------------------------------------------

    def add_scores(self, context: str, scores: Iterable[Score]) -> None:
        """Store scores, all of them at once; a stored score stays."""
        rows = {
            f"{s.measure} {s.partition}": [
                s.partition, s.measure, _or_null(s.value), s.reason, _or_null(s.error),
            ]
            for s in scores
        }  # fmt: skip
        with self._transaction("scores"):
            self._file.put(f"scores {context}", rows)

    def scores(self, context: str) -> Iterator[Score]:
        """All scores in a context: what they depend on, beside data and partition."""
        for partition, measure, value, *details in self._file.values(f"scores {context}").values():
            yield Score(partition, measure, math.nan if value is None else value, *details)


def _or_null(value: float | None) -> float | None:
    """A number as JSON takes it: None in place of NaN."""
    return None if value is None or math.isnan(value) else value


def packed(array: NDArray[Any]) -> bytes:
    """An array as compressed bytes."""
    content = BytesIO()
    np.save(content, array, allow_pickle=False)
    return zlib.compress(content.getvalue(), 1)


def unpacked(content: bytes) -> NDArray[Any]:
    """Inverse of :func:`packed`."""
    array: NDArray[Any] = np.load(BytesIO(zlib.decompress(content)), allow_pickle=False)
    return array
