"""What keeps a study, and the contract that every way of keeping one obeys."""

from __future__ import annotations

import hashlib
import json
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.partitions import canonical_codes, first_places
from karat.runtime.validation import StorageError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Planned:
    """A candidate before its fit."""

    name: str
    clusterer: str
    parameter: str | None
    value: float | None
    start: int
    seed: int | None


def planned(candidate: Mapping[str, Any]) -> Planned:
    """A candidate of a store before its fit."""
    return Planned(**{one.name: candidate[one.name] for one in fields(Planned)})


@dataclass(frozen=True)
class Finished:
    """What became of a candidate; never changed once stored.

    ``status`` is ``"ok"``, ``"flagged"`` (usable, but ``reason`` says what to mind) or
    ``"failed"`` (no clustering; ``reason`` says why); ``"excluded"`` stands for a clusterer that
    cannot take the study's distance. ``fitted_on`` is the number of objects that it was fitted to,
    where that is a sample. ``memberships`` (n, k) are float32 of a soft clustering, bool of an
    overlapping one; column c is that of cluster c of the canonical codes.
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
    """One value, or the reason why there is none; an estimate has a standard error."""

    partition: str
    measure: str
    value: float
    reason: str | None
    error: float | None = None


def partition_hash(canonical: NDArray[np.int32]) -> str:
    """Equal for equal partitions; ``canonical`` comes from :func:`canonical_codes`."""
    return hashlib.sha256(np.ascontiguousarray(canonical, dtype="<i4").tobytes()).hexdigest()[:32]


class Store(ABC):
    """What keeps one study. :func:`karat.testing.check_storage` holds a subclass to the contract.

    **Who modifies what.** Only the study that opened a store writes to it. A candidate is
    *planned*, then *finished* once; a finished one is never changed or deleted. Calls, blobs and
    scores are only added; the first score of a measure stays. Notes may be replaced. What a method
    returns belongs to the caller; arrays may be read-only.

    **Partitions.** Labels are kept as canonical codes (0..k−1 by first appearance, −1 for
    outliers), once for equal partitions; scores belong to partitions, because equal partitions of
    the same data have equal scores.

    **Atomicity.** A method that writes happens whole or not at all, whether it raises, the disk
    is full, or the process is killed: ``finish`` of ten candidates keeps ten or none. After a kill
    everything is there that was written by a call that returned; after a loss of power the last
    such calls may be missing, each of them whole.

    **Threads and processes.** Methods may be called from any thread, one at a time. One process
    at a time has the store open; a second one gets a StorageError at once, not at its first write.

    **Trust.** What is no study, is damaged, or belongs to other data gives a StorageError before
    anything is written. What is read is verified where bits can flip; a value that was changed
    is an error or is missing, never read wrongly.

    Attributes
    ----------
    path : Path or None
        Where the study outlasts the process; None for memory.
    changes : Counter
        How often ``"calls"``, ``"candidates"``, ``"scores"`` and ``"notes"`` were changed since the
        store was opened: what was derived from them is out of date once the number differs.
    """

    path: Path | None

    def __init__(self) -> None:
        self.changes: Counter[str] = Counter()

    def damaged(self, what: str) -> StorageError:
        """The error for something that is not as it was written."""
        return StorageError(
            f"{self.path} is damaged ({what} was changed); restore it from a copy, or choose "
            "another file"
        )

    @abstractmethod
    def close(self) -> None:
        """Release the store for other processes; what was written stays."""

    @abstractmethod
    def copy_to(self, path: str | Path) -> None:
        """Write everything to a new study file."""

    # -- what was decided ---------------------------------------------------------------------

    @abstractmethod
    def record(self, kind: str, content: dict[str, Any]) -> None:
        """Append to what was decided and done, unless it is what came last of its kind."""

    @abstractmethod
    def calls(self, kind: str | None = None) -> list[tuple[str, dict[str, Any]]]:
        """What was decided and done, in order: pairs of a kind and its content."""

    @property
    @abstractmethod
    def meta(self) -> dict[str, Any]:
        """The description of the data, and the notes."""

    @abstractmethod
    def set_meta(self, entries: dict[str, Any]) -> None:
        """Keep notes about the study, as JSON has them, in place of earlier ones."""

    @abstractmethod
    def add_blob(self, key: str, content: bytes) -> None:
        """Keep bytes under a key, unless there are some."""

    @abstractmethod
    def blob(self, key: str) -> bytes | None:
        """The bytes under a key, None where there are none."""

    # -- what was tried -----------------------------------------------------------------------

    @abstractmethod
    def plan(self, candidates: Iterable[Planned]) -> int:
        """Note what will be tried and return how many are new; a known one stays as it is."""

    def finish(self, outcomes: Iterable[Finished]) -> None:
        """Keep what became of planned candidates, all of it at once."""
        rows, blobs = [], {}
        for one in outcomes:
            partition = n_clusters = n_noise = None
            if one.labels is not None:
                codes = canonical_codes(one.labels)
                partition = partition_hash(codes)
                n_clusters, n_noise = int(codes.max()) + 1, int((codes < 0).sum())
                blobs[f"partition {partition}"] = packed(codes)
                if one.cluster_names is not None:
                    # the names belong to the labels as given; keep them in the canonical order
                    given = one.labels[first_places(codes + 1, n_clusters + 1)[1:]]
                    names = [one.cluster_names[code] for code in given.tolist()]
                    blobs[_CLUSTERS + one.name] = json.dumps(names).encode()
                if one.memberships is not None:
                    blobs[_MEMBERSHIPS + one.name] = packed(one.memberships)
            came = (n_clusters, n_noise, one.seconds, one.fitted_on, partition)
            rows.append((one.name, one.status, one.reason, *came))
        self._finish(rows, blobs)

    @abstractmethod
    def _finish(self, rows: list[tuple[Any, ...]], blobs: dict[str, bytes]) -> None:
        """Keep rows of :meth:`finish` and blobs: all or, where one is not planned, none."""

    @abstractmethod
    def candidates(self) -> list[dict[str, Any]]:
        """All candidates in the order of their planning, with all that is known of each."""

    def candidate(self, name: str) -> dict[str, Any]:
        """All that is known of one candidate."""
        return {c["name"]: c for c in self.candidates()}[name]

    def planned(self) -> set[str]:
        """Names of the candidates that are not finished."""
        return {c["name"] for c in self.candidates() if c["status"] == "planned"}

    def partitions(self) -> list[str]:
        """Hashes of the distinct partitions, by their first candidate."""
        found = (c["partition"] for c in self.candidates())
        return list(dict.fromkeys(partition for partition in found if partition is not None))

    def labels(self, partitions: Sequence[str]) -> list[NDArray[np.int32]]:
        """Canonical codes of each partition."""
        out = []
        for partition in partitions:
            content = self.blob(f"partition {partition}")
            if content is None:
                raise self.damaged(f"labels of {partition}")
            out.append(unpacked(content))
        return out

    def cluster_names(self, name: str) -> list[str] | None:
        """The user's names of a candidate's clusters by their codes, where it has any."""
        content = self.blob(_CLUSTERS + name)
        return None if content is None else list(json.loads(content))

    def memberships(self, name: str) -> NDArray[Any] | None:
        """Memberships of a candidate as they were given, None where it has none."""
        content = self.blob(_MEMBERSHIPS + name)
        return None if content is None else unpacked(content)

    # -- how it was judged --------------------------------------------------------------------

    @abstractmethod
    def add_scores(self, context: str, scores: Iterable[Score]) -> None:
        """Keep scores, all of them at once; a score that is there stays."""

    @abstractmethod
    def scores(self, context: str) -> Iterator[Score]:
        """All scores in a context: what they depend on, beside data and partition."""


_CLUSTERS, _MEMBERSHIPS = "clusters of ", "memberships of "


def packed(array: NDArray[Any]) -> bytes:
    """An array as compressed bytes."""
    content = BytesIO()
    np.save(content, array, allow_pickle=False)
    return zlib.compress(content.getvalue(), 1)


def unpacked(content: bytes) -> NDArray[Any]:
    """Inverse of :func:`packed`."""
    found: NDArray[Any] = np.load(BytesIO(zlib.decompress(content)), allow_pickle=False)
    return found
