"""A reader that is a function: asked again where it fails, never twice for one prompt, counted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from karat.runtime.kept_file import KeptValues
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from karat.labeling.reading.intruders import IntruderRound
    from karat.labeling.reading.rounds import Round

Reader = Callable[[str], str]
T = TypeVar("T")

#: how often a question is put to a reader that fails or cannot be understood
ATTEMPTS = 3
AGAIN = "\n\nYour last answer could not be understood: {answer}\nAnswer as asked, and no more."


@dataclass(frozen=True)
class Cost:
    """What a reader was asked.

    Attributes
    ----------
    calls, remembered : int
        Prompts that it was given, and those whose answers were known from before.
    sent, received : int
        Characters of prompts and answers, without the remembered ones.
    failed, unreadable : int
        Calls that raised or gave no text, and answers that could not be understood.
    last_failure : str
        What the last failed call said.
    """

    calls: int = 0
    remembered: int = 0
    sent: int = 0
    received: int = 0
    failed: int = 0
    unreadable: int = 0
    last_failure: str = ""

    def __str__(self) -> str:
        told = f"{self.calls:,} calls, {self.sent:,} characters sent, {self.received:,} received"
        more = {"known from before": self.remembered, "failed": self.failed,
                "unreadable": self.unreadable}  # fmt: skip
        return ", ".join([told, *(f"{count:,} {what}" for what, count in more.items() if count)])


class Interview:
    """The questions put to one reader.

    Parameters
    ----------
    reader : callable
        From a prompt to an answer, both text.
    name : str
        Whose answers they are: those of another name are not taken for them.
    answers : path or Study, optional
        Where answers are kept, under a digest of name and prompt, as soon as they are there.
    max_calls : int, optional
        Further questions stay without an answer.
    """

    def __init__(
        self, reader: Reader, name: str, answers: Any = None, max_calls: int | None = None
    ) -> None:
        if not callable(reader):
            raise InputError(f"reader must be callable; got {type(reader).__name__}")
        self._reader, self.name, self._most = reader, name, max_calls
        in_study = hasattr(answers, "tried")
        self._kept: Any = StudyAnswers(answers) if in_study else KeptValues(answers)
        self.cost = Cost()

    def ask(self, prompt: str, parse: Callable[[str], T | None]) -> T | None:
        """What is answered; None where the reader fails, is not understood, or is not asked."""
        asked = prompt
        for _ in range(ATTEMPTS):
            answer = self._answer(asked)
            if answer is None:
                continue
            found = parse(answer)
            if found is not None:
                return found
            self._count(unreadable=1)
            asked = prompt + AGAIN.format(answer=json.dumps(answer[:200]))
        return None

    def go_through(self, questions: Round | IntruderRound) -> dict[int, Any]:
        """The answers to all questions of a round, None where there is none.

        Raises
        ------
        InputError
            If none of the names that it starts with, or no answer at all, could be used.
        """
        said: dict[int, Any] = {}
        for at in range(len(questions)):
            asked = questions.question(at, said)
            said[at] = self.ask(asked.prompt, asked.parse)
            if at + 1 in (questions.n_names, len(questions)) and set(said.values()) == {None}:
                why = self.cost.last_failure or "none could be understood, or max_calls was reached"
                raise InputError(
                    f"{self.name} gave no answer that can be used to {len(said)} questions: "
                    f"{self.cost}; {why}"
                )
        return said

    def _answer(self, prompt: str) -> str | None:
        key = hashlib.sha256(json.dumps([self.name, prompt]).encode()).hexdigest()
        known = self._kept.get(key)
        if known is not None:
            self._count(remembered=1)
            return str(known)
        if self._most is not None and self.cost.calls >= self._most:
            return None
        self._count(calls=1, sent=len(prompt))
        try:
            answer: Any = self._reader(prompt)
            told = f"it returned {type(answer).__name__} instead of text"
        except Exception as error:
            answer, told = None, f"{type(error).__name__}: {error}"
        if not isinstance(answer, str):
            self._count(failed=1)
            self.cost = replace(self.cost, last_failure=told)
            return None
        self._count(received=len(answer))
        self._kept.put(key, answer)
        return answer

    def _count(self, **more: int) -> None:
        now = {name: getattr(self.cost, name) + count for name, count in more.items()}
        self.cost = replace(self.cost, **now)


class StudyAnswers:
    """Answers kept in a study's storage."""

    def __init__(self, study: Any) -> None:
        self._store = study.tried.storage

    def get(self, key: str) -> str | None:
        """The answer, None if there is none."""
        found = self._store.blob(f"answer {key}")
        return None if found is None else found.decode("utf-8", "surrogatepass")

    def put(self, key: str, value: str) -> None:
        """Store an answer."""
        self._store.add_blob(f"answer {key}", value.encode("utf-8", "surrogatepass"))


def name_of(reader: Any) -> str:
    """What to call a reader that nobody named."""
    kind = reader if hasattr(reader, "__qualname__") else type(reader)
    return f"{kind.__module__}.{kind.__qualname__}"
