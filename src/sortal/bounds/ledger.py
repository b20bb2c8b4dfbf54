"""The count of questions about a set of labels, which share the allowed chance to fail."""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds import wording
from sortal.bounds.tuned import TUNED
from sortal.runtime.output import append_line
from sortal.runtime.user_folder import state_folder
from sortal.runtime.validation import InputError, StorageError

if TYPE_CHECKING:
    import numpy.typing as npt

    from sortal.bounds.population import LabelledPopulation
    from sortal.labelings.partitions import Labelings

#: the file of questions, in the folder of the labels and in the user's folder
FILE_NAME = "sortal-questions.jsonl"
#: first bytes of a line
_BEGINS = b'{"id"'


def share_of(number: int) -> float:
    """Share of delta for a question by its number; the shares sum to 1."""
    return 0.8 if number == 1 else 0.2 / (number * (number - 1))


def question_of(batch: Labelings, **options: object) -> str:
    """Digest of a question: the clusterings as a set, and what else the answer depends on."""
    from sortal._kernels.pac_mdl import rows_by_first_appearance

    codes = np.ascontiguousarray(batch.codes.copy())
    rows_by_first_appearance(codes, batch.n_clusters)
    digests = sorted(hashlib.sha256(row.astype("<i8").tobytes()).hexdigest() for row in codes)
    stated = sorted((name, repr(value)) for name, value in options.items() if value is not None)
    return hashlib.sha256(json.dumps([digests, stated]).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class LedgerEntry:
    """A question and the labels that answered it, as hashes in the order of the draw.

    ``ordered`` says whether the order is known, ``once`` whether it had all of delta, and
    ``anytime`` whether the answer holds at every number of labels.
    """

    id: str
    at: str
    question: str
    pairs: tuple[str, ...]
    ordered: bool
    once: bool
    anytime: bool

    def is_about(self, pairs: Sequence[str]) -> bool:
        """Whether the question is about these labels, fewer of them, more, or some corrected."""
        mine, yours = set(self.pairs), set(pairs)
        shared, smaller = len(mine & yours), min(len(mine), len(yours))
        return mine == yours or (shared >= TUNED.fewest_shared and shared >= TUNED.alike * smaller)

    def covers(self, question: str, pairs: Sequence[str], *, ordered: bool) -> bool:
        """Whether the answer to the question, about these labels, needs no further share."""
        if question != self.question or ordered != self.ordered:
            return False
        if not ordered or self.once:
            return set(self.pairs) == set(pairs)
        common = min(len(pairs), len(self.pairs))
        return tuple(pairs[:common]) == self.pairs[:common]


@dataclass(frozen=True)
class Asked:
    """A counted question: its share of delta, how it is answered, and a sentence on it.

    ``number`` is None where the question has all of delta; ``anytime`` says that its answer must
    hold at every number of labels at once.
    """

    entry: LedgerEntry
    number: int | None
    sentence: str
    files: tuple[Path, ...] = field(repr=False)
    #: whether the same question was asked before, and whether there is anything new to store
    again: bool = False
    is_new: bool = True
    #: what was stored last
    _stored: list[LedgerEntry] = field(default_factory=list, repr=False, compare=False)

    @property
    def share(self) -> float:
        """Share of delta for the answer."""
        return 1.0 if self.number is None else share_of(self.number)

    @property
    def anytime(self) -> bool:
        """Whether the answer must hold at every number of labels at once."""
        return self.entry.anytime

    def keep(self, labels: Iterable[tuple[int, Any]] | None = None) -> None:
        """Store the question, with the labels so far; call it before the answer is shown."""
        entry = self.entry
        if labels is not None:
            entry = replace(entry, pairs=hashes(labels))
        elif not self.is_new:
            return
        if entry in self._stored:
            return
        line = json.dumps(vars(entry)) + "\n"
        self._stored[:] = [entry]
        failures = [
            error for path in self.files if (error := append_line(path, line.encode())) is not None
        ]
        if len(failures) == len(self.files):
            raise StorageError(
                f"the question cannot be counted: {failures[0]}; the guarantee of the labels needs "
                "its count"
            )


class Ledger:
    """Questions about labels, whatever the name, folder or row order of their file.

    Parameters
    ----------
    folder : path, optional
        The folder of the labels, or their file; the questions are also in the user's folder.

    Notes
    -----
    Labels are recognised by the hashes of their pairs of row and class. So a copy, a file saved
    under another name, a sorted one, one with more labels, and the same labels in Python have one
    count. The hashes are in a file beside the labels, which is copied with its folder. They are
    also in a file of the user, which knows copies elsewhere. They are not in the labels' own file:
    a program that has it open, and formats that sortal only reads, would lose them.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        files = [state_folder() / FILE_NAME]
        if folder is not None:
            path = Path(folder).resolve()
            files.insert(0, (path if path.is_dir() else path.parent) / FILE_NAME)
        self.files = tuple(dict.fromkeys(files))

    def about(self, labels: Iterable[tuple[int, Any]]) -> list[LedgerEntry]:
        """Questions about these labels so far, the first one first."""
        pairs = hashes(labels)
        latest: dict[str, LedgerEntry] = {}
        for path in self.files:
            for entry in _read(path):
                previous = latest.get(entry.id)
                if previous is None or len(previous.pairs) <= len(entry.pairs):
                    latest[entry.id] = entry
        return sorted((e for e in latest.values() if e.is_about(pairs)), key=lambda e: e.at)

    def ask(
        self,
        question: str,
        labels: Sequence[tuple[int, Any]],
        *,
        ordered: bool,
        once: bool = False,
    ) -> Asked:
        """Count a question about labels; with ``ordered`` they are in the order of the draw.

        Raises
        ------
        InputError
            If all of delta is spent.
        """
        pairs, earlier = hashes(labels), self.about(labels)
        number = next(
            (i for i, e in enumerate(earlier, 1) if e.covers(question, pairs, ordered=ordered)),
            None,
        )
        if number is not None:
            entry = earlier[number - 1]
            grown = replace(entry, pairs=pairs if len(pairs) > len(entry.pairs) else entry.pairs)
            sentence = wording.question(None if entry.once else number, ordered, entry.anytime)
            if once and not entry.once:
                sentence = wording.once_too_late(number, share_of(number)) + " " + sentence
            asked_as = None if entry.once else number
            return Asked(grown, asked_as, sentence, self.files, True, grown != entry)
        if earlier and (once or any(e.once for e in earlier)):
            raise InputError(wording.spent(len(earlier), once))
        number = None if once else len(earlier) + 1
        grew = any(set(e.pairs) != set(pairs) for e in earlier)
        anytime = not once and (ordered or grew)
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        entry = LedgerEntry(secrets.token_hex(8), now, question, pairs, ordered, once, anytime)
        return Asked(entry, number, wording.question(number, ordered, anytime), self.files)


def ask_about(
    labelled: LabelledPopulation,
    order: npt.ArrayLike | None,
    ledger: str | Path,
    options: dict[str, Any],
) -> Asked:
    """Count a question about the labels of objects, by their positions."""
    classes = labelled.of_all(labelled.truth.codes)
    rows = np.flatnonzero(labelled.is_labelled) if order is None else np.asarray(order)
    pairs = [(i, classes[i]) for i in rows.tolist()]
    question = question_of(labelled.population.all_objects, **options)
    return Ledger(ledger).ask(question, pairs, ordered=order is not None)


def hashes(labels: Iterable[tuple[int, Any]]) -> tuple[str, ...]:
    """Hash of each pair of a row and a class."""
    return tuple(
        hashlib.sha256(f"{int(row)}\0{_plain(label)}".encode("utf-8", "surrogatepass")).hexdigest()[
            :8
        ]
        for row, label in labels
    )


def _plain(label: Any) -> str:
    """A class as text: 1, 1.0 and "1" are the same."""
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        label = int(label)
    return str(label)


def _read(path: Path) -> list[LedgerEntry]:
    """Stored questions, without a last line that a killed process left unfinished."""
    text = b""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        try:
            text = path.read_bytes()
        except PermissionError as error:
            raise StorageError(f"{path} cannot be read: {error.strerror}") from None
    entries = []
    *lines, unfinished = text.split(b"\n")
    if not unfinished.startswith(_BEGINS[: len(unfinished)]):
        raise _foreign(path)
    for line in lines:
        try:
            record = json.loads(line)
            entry = LedgerEntry(**{**record, "pairs": tuple(record["pairs"])})
            if not isinstance(entry.at, str) or not all(isinstance(p, str) for p in entry.pairs):
                raise ValueError
        except (ValueError, TypeError, KeyError):
            raise _foreign(path) from None
        entries.append(entry)
    return entries


def _foreign(path: Path) -> InputError:
    """Error for a file with a line that is no question."""
    return InputError(
        f"{path} does not count questions as sortal writes them; the guarantees of labels need it. "
        "Restore it, or delete its line that is not JSON"
    )
