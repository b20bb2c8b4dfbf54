"""A person who reads: the question on the screen, the answers so far, and how far it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from karat.labeling.answers import Answer, AnswerFile, check_name, now
from karat.labeling.desk import Shown
from karat.labeling.reading.answers import MOST_LINE, NONE
from karat.labeling.reading.rounds import Question
from karat.labeling.reading.shown import as_line
from karat.runtime.validation import InputError, StorageError

if TYPE_CHECKING:
    from karat.labeling.reading.intruders import IntruderRound
    from karat.labeling.reading.rounds import Round

#: what is pressed for an option; q, u, s and d have a meaning of their own
KEYS = "123456789abcefghijklmnoprtvwxyz"


class ReadingDesk:
    """One reader's answers to a round, in a file that several readers may share.

    Parameters
    ----------
    path : str or path
        The file of answers (:class:`karat.labeling.AnswerFile`), resumed where it exists.
    questions : Round or IntruderRound
    by : str
        The reader.

    Attributes
    ----------
    file : AnswerFile
    said : dict of int
        The reader's answers by the number of the question: a name, the number of an option, or -1
        for none.

    Raises
    ------
    StorageError
        If the file is not such a file, or of another round.
    InputError
        If there are more options than keys.
    """

    #: what the page calls its parts
    words: ClassVar = {"title": "karat clarity", "other": "Name: line", "unknown": "none of these"}

    def __init__(self, path: str | Path, questions: Round | IntruderRound, by: str) -> None:
        if questions.n_names > len(KEYS):
            raise InputError(
                f"{questions.n_names} names are too many for a person to choose from; at most "
                f"{len(KEYS)}. Let a function read, or ask for fewer clusters"
            )
        self.questions, self.by = questions, check_name(by)
        lines = [as_line(questions.question(at, {}).shown) for at in range(len(questions))]
        self._lines = lines
        try:
            self.file = AnswerFile(path, np.asarray(questions.identity), lines)
        except StorageError as error:
            hint = "other labels, -n, --task or --seed make another round"
            raise StorageError(f"{error} ({hint})") from None
        self._replay()

    def __len__(self) -> int:
        return len(self.questions)

    def _replay(self) -> None:
        self._all: dict[str, dict[int, Any]] = {}
        self._own: list[int] = []
        self._later: list[int] = []
        for one in self.file.answers:
            said = self._all.setdefault(one.by, {})
            if one.kind == "undo":
                said.pop(one.row, None)
            elif one.kind == "unknown":
                said[one.row] = NONE if one.row >= self.questions.n_names else ""
            elif one.kind == "label":
                named = one.row < self.questions.n_names
                said[one.row] = one.label if named else int(one.label) - 1
            if one.by == self.by:
                self._own = [row for row in self._own if row != one.row]
                if one.kind in ("label", "unknown"):
                    self._own.append(one.row)
                elif one.kind == "skip":
                    self._later = [*(row for row in self._later if row != one.row), one.row]

    @property
    def said(self) -> dict[int, Any]:
        """The reader's answers."""
        return self._all.get(self.by, {})

    @property
    def readers(self) -> dict[str, dict[int, Any]]:
        """The answers of all who assigned an object, or found an intruder."""
        first = self.questions.n_names
        return {by: said for by, said in self._all.items() if any(at >= first for at in said)}

    @property
    def at(self) -> int | None:
        """The question to answer; None where none is left."""
        for stage in (range(self.questions.n_names), range(len(self))):
            left = [at for at in stage if at not in self.said]
            if left:
                return min(left, key=lambda at: (self._later.index(at) + 1 if at in self._later
                                                 else 0, at))  # fmt: skip
        return None

    @property
    def question(self) -> Question | None:
        """What is asked now."""
        at = self.at
        return None if at is None else self.questions.question(at, self.said)

    def give(self, kind: str, label: str = "", at: int | None = None) -> None:
        """Take an answer: ``label`` (a name, or an option as it is offered), ``unknown``, ``skip``
        or ``undo``, which takes the last answer back.
        """  # fmt: skip
        if kind == "undo":
            at = self._own[-1] if self._own else None
        if at is None:
            return
        if kind == "label" and at >= self.questions.n_names:
            offered = self.questions.question(at, self.said).options
            if label not in offered:
                raise InputError(f"{label!r} is none of {', '.join(map(repr, offered))}")
            label = str(offered.index(label) + 1)
        elif kind == "label":
            label = check_name(label)[:MOST_LINE]
        self.file.add([Answer(now(), self.by, at, kind, label, self._lines[at])])
        self._replay()

    # -- for the page of karat label ------------------------------------------------------------

    def objects(self, at: int) -> Shown:
        """What is shown."""
        return self.questions.question(at, self.said).shown

    @property
    def names(self) -> list[str]:
        """What may be chosen now."""
        asked = self.question
        return [] if asked is None else list(asked.options)

    @property
    def fixed(self) -> list[str] | None:
        """The options, None where a name is asked for."""
        return self.names or None

    @property
    def keys(self) -> dict[str, str]:
        """The options by key."""
        return dict(zip(KEYS, self.names, strict=False))

    def variant(self, name: str) -> Literal[None]:
        """Names that are nearly alike are left as they are."""

    @property
    def status(self) -> str:
        """What is asked, and how far it is."""
        asked = self.question
        told = f"{len(self.said)} of {len(self)} answered"
        return f"{told}." if asked is None else f"{told}. {asked.ask}"

    @property
    def ending(self) -> str:
        """What is said at the end."""
        return f"{self.status} They are in {self.file.path}; karat clarity says what they come to."
