"""Interview of a reader that is a function: repeated after failures, stored, and counted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from karat.runtime.kept_file import KeptValues
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from karat.labeling.reading.question import Questionnaire

Reader = Callable[[str], str]
#: where answers are stored: a file or a study
AnswerStore: TypeAlias = "str | PathLike[str] | StoringStudy | None"
T = TypeVar("T")

#: how often a question is put to a reader that fails or cannot be understood
ATTEMPTS = 3
AGAIN = "\n\nYour last answer could not be understood: {answer}\nAnswer as asked, and no more."


@dataclass(frozen=True)
class Cost:
    """Calls of a reader, their failures, and the characters sent and received.

    Attributes
    ----------
    calls, remembered : int
        Prompts sent to the reader, and prompts with an answer stored before.
    sent, received : int
        Characters of prompts and answers, without the remembered ones.
    failed, unreadable : int
        Calls that raised or gave no text, and answers that could not be understood.
    last_failure : str
        Message of the last failed call.
    """

    calls: int = 0
    remembered: int = 0
    sent: int = 0
    received: int = 0
    failed: int = 0
    unreadable: int = 0
    last_failure: str = ""

    def __str__(self) -> str:
        text = f"{self.calls:,} calls, {self.sent:,} characters sent, {self.received:,} received"
        counters = {"known from before": self.remembered, "failed": self.failed,
                "unreadable": self.unreadable}  # fmt: skip
        return ", ".join(
            [text, *(f"{count:,} {label}" for label, count in counters.items() if count)]
        )


class Interview:
    """The questions put to one reader.

    Parameters
    ----------
    reader : callable
        From a prompt to an answer, both text.
    name : str
        The reader's name; stored answers under another name are not used.
    answers : path or Study, optional
        Where every answer is stored at once, under a digest of name and prompt.
    max_calls : int, optional
        Further questions stay without an answer.
    """

    def __init__(
        self, reader: Reader, name: str, answers: AnswerStore = None, max_calls: int | None = None
    ) -> None:
        if not callable(reader):
            raise InputError(f"reader must be callable; got {type(reader).__name__}")
        self._reader, self.name, self._most = reader, name, max_calls
        self._kept: KeptValues | StudyAnswers
        if answers is None or isinstance(answers, str | PathLike):
            self._kept = KeptValues(None if answers is None else Path(answers))
        else:
            self._kept = StudyAnswers(answers)
        self.cost = Cost()

    def ask(self, prompt: str, parse: Callable[[str], T | None]) -> T | None:
        """The parsed answer; None if the reader fails, is not understood, or is not asked."""
        text = prompt
        for _ in range(ATTEMPTS):
            answer = self._answer(text)
            if answer is None:
                continue
            value = parse(answer)
            if value is not None:
                return value
            self._count(unreadable=1)
            text = prompt + AGAIN.format(answer=json.dumps(answer[:200]))
        return None

    def go_through(self, questions: Questionnaire) -> dict[int, Any]:
        """The answers to all questions of a round, None for those without one.

        Raises
        ------
        InputError
            If no name for a cluster, or no answer at all, could be used.
        """
        answers: dict[int, Any] = {}
        for at in range(len(questions)):
            question = questions.question(at, answers)
            answers[at] = self.ask(question.prompt, question.parse)
            if at + 1 in (questions.n_names, len(questions)) and set(answers.values()) == {None}:
                reason = (
                    self.cost.last_failure or "none could be understood, or max_calls was reached"
                )
                raise InputError(
                    f"{self.name} gave no answer that can be used to {len(answers)} questions: "
                    f"{self.cost}; {reason}"
                )
        return answers

    def _answer(self, prompt: str) -> str | None:
        """The reader's answer to a prompt, stored or new; None without one."""
        key = hashlib.sha256(json.dumps([self.name, prompt]).encode()).hexdigest()
        stored = self._kept.get(key)
        if stored is not None:
            self._count(remembered=1)
            return str(stored)
        if self._most is not None and self.cost.calls >= self._most:
            return None
        self._count(calls=1, sent=len(prompt))
        try:
            answer: Any = self._reader(prompt)
            failure = f"it returned {type(answer).__name__} instead of text"
        except Exception as error:
            answer, failure = None, f"{type(error).__name__}: {error}"
        if not isinstance(answer, str):
            self._count(failed=1)
            self.cost = replace(self.cost, last_failure=failure)
            return None
        self._count(received=len(answer))
        self._kept.put(key, answer)
        return answer

    def _count(self, **counts: int) -> None:
        """Add to the counters of the cost."""
        totals = {name: getattr(self.cost, name) + count for name, count in counts.items()}
        self.cost = replace(self.cost, **totals)


class StoringStudy(Protocol):
    """A study whose storage takes answers."""

    @property
    def tried(self) -> Any:
        """The state, whose ``storage`` keeps blobs by key."""


class StudyAnswers:
    """Answers kept in a study's storage."""

    def __init__(self, study: StoringStudy) -> None:
        self._store = study.tried.storage

    def get(self, key: str) -> str | None:
        """The answer, None without one."""
        blob = self._store.blob(f"answer {key}")
        return None if blob is None else blob.decode("utf-8", "surrogatepass")

    def put(self, key: str, value: str) -> None:
        """Store an answer."""
        self._store.add_blob(f"answer {key}", value.encode("utf-8", "surrogatepass"))


def name_of(reader: Reader) -> str:
    """The default name of a reader."""
    kind = reader if hasattr(reader, "__qualname__") else type(reader)
    return f"{kind.__module__}.{kind.__qualname__}"
