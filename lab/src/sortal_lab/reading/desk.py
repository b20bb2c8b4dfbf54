"""A person who reads: the question on the screen, the answers so far, and the progress."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from sortal import InputError, StorageError
from sortal.labeling import AnswerFile, LabelAnswer, Shown, check_name
from sortal_lab.reading.answers import MAX_LINE, NONE
from sortal_lab.reading.display import as_line
from sortal_lab.reading.question import Question

if TYPE_CHECKING:
    from sortal_lab.reading.intruders import IntruderRound
    from sortal_lab.reading.rounds import Round

#: keys of the options; q, u, s and d have other meanings
KEYS = "123456789abcefghijklmnoprtvwxyz"


class ReadingDesk:
    """One reader's answers to a round, in a file that several readers may share.

    Parameters
    ----------
    path : str or path
        The file of answers (:class:`sortal.labeling.AnswerFile`); an existing one is resumed.
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

    #: labels of the page's controls
    words: ClassVar = {"title": "sortal clarity", "other": "Name: line", "unknown": "none of these"}

    #: answers that the page may send
    kinds: ClassVar = ("label", "unknown", "skip", "undo", "stop")

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
        """Collect the valid answers of all readers from the file."""
        self._all: dict[str, dict[int, Any]] = {}
        self._own: list[int] = []
        self._later: list[int] = []
        for answer in self.file.answers:
            answers = self._all.setdefault(answer.by, {})
            if answer.kind == "undo":
                answers.pop(answer.row, None)
            elif answer.kind == "unknown":
                answers[answer.row] = NONE if answer.row >= self.questions.n_names else ""
            elif answer.kind == "label":
                is_name = answer.row < self.questions.n_names
                answers[answer.row] = answer.label if is_name else int(answer.label) - 1
            if answer.by == self.by:
                self._own = [row for row in self._own if row != answer.row]
                if answer.kind in ("label", "unknown"):
                    self._own.append(answer.row)
                elif answer.kind == "skip":
                    self._later = [*(row for row in self._later if row != answer.row), answer.row]

    @property
    def said(self) -> dict[int, Any]:
        """The reader's answers by the number of the question."""
        return self._all.get(self.by, {})

    @property
    def readers(self) -> dict[str, dict[int, Any]]:
        """The answers of all who assigned an object or looked for an intruder."""
        first = self.questions.n_names
        return {by: said for by, said in self._all.items() if any(at >= first for at in said)}

    @property
    def at(self) -> int | None:
        """The number of the question to answer; None after the last."""
        for stage in (range(self.questions.n_names), range(len(self))):
            unanswered = [at for at in stage if at not in self.said]
            if unanswered:
                turn = {at: number for number, at in enumerate(self._later, 1)}
                return min(unanswered, key=lambda at: (turn.get(at, 0), at))
        return None

    @property
    def question(self) -> Question | None:
        """The current question."""
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
            label = check_name(label)[:MAX_LINE]
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        self.file.add([LabelAnswer(now, self.by, at, kind, label, self._lines[at])])
        self._replay()

    # -- for the page of sortal label ------------------------------------------------------------

    def objects(self, at: int) -> Shown:
        """The object, or the group of objects, in a question."""
        return self.questions.question(at, self.said).shown

    @property
    def names(self) -> list[str]:
        """The current options."""
        question = self.question
        return [] if question is None else list(question.options)

    @property
    def fixed(self) -> list[str] | None:
        """The options, None where the question asks for a name."""
        return self.names or None

    @property
    def keys(self) -> dict[str, str]:
        """The options by key."""
        return dict(zip(KEYS, self.names, strict=False))

    def variant(self, name: str) -> Literal[None]:
        """Return None: similar names stay as they are."""

    def beside(self, at: int) -> dict[str, Any]:
        """Nothing: the page shows only the question."""
        return {}

    @property
    def status(self) -> str:
        """The progress, and the current question."""
        question = self.question
        progress = f"{len(self.said)} of {len(self)} answered"
        return f"{progress}." if question is None else f"{progress}. {question.ask}"

    @property
    def ending(self) -> str:
        """The closing sentence."""
        return f"{self.status} They are in {self.file.path}; sortal clarity says what they come to."
