"""Interview of a reader that is a function or a model: repeated, stored, and counted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from sortal import InputError
from sortal.extension import KeptValues
from sortal_lab.reading.chat import ChatModel, chat_model

if TYPE_CHECKING:
    from sortal_lab.reading.question import Question, Questionnaire

#: a function from a prompt to an answer
ReadingFunction: TypeAlias = Callable[[str], str]
#: a function, or the name of a model, openai:MODEL@URL
Reader: TypeAlias = ReadingFunction | str
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
    tokens_sent, tokens_received : int
        Tokens of prompts and answers, where the reader counts them (:class:`ChatModel`).
    price : float
        What they cost, where their prices are known.
    last_failure : str
        Message of the last failed call.
    """

    calls: int = 0
    remembered: int = 0
    sent: int = 0
    received: int = 0
    failed: int = 0
    unreadable: int = 0
    tokens_sent: int = 0
    tokens_received: int = 0
    price: float = 0.0
    last_failure: str = ""

    def __str__(self) -> str:
        text = f"{self.calls:,} calls, {self.sent:,} characters sent, {self.received:,} received"
        if self.tokens_sent or self.tokens_received:
            text += f", {self.tokens_sent:,} tokens sent, {self.tokens_received:,} received"
        if self.price:
            text += f", cost {self.price:.4f}"
        counters = {"known from before": self.remembered, "failed": self.failed,
                "unreadable": self.unreadable}  # fmt: skip
        return ", ".join(
            [text, *(f"{count:,} {label}" for label, count in counters.items() if count)]
        )


class Interview:
    """The questions put to one reader.

    Parameters
    ----------
    reader : callable or str
        From a prompt to an answer, both text; or a model, ``"openai:MODEL@URL"``.
    name : str, optional
        The reader's name; stored answers under another name are not used.
    answers : path or Study, optional
        Where every answer is stored at once, under a digest of name and prompt.
    max_calls : int, optional
        Further questions stay without an answer. Then one question is asked at a time.
    n_parallel : int, default 1
        Questions asked at a time. The reader must allow several calls at once.
    """

    def __init__(
        self,
        reader: Reader,
        name: str | None = None,
        answers: AnswerStore = None,
        max_calls: int | None = None,
        n_parallel: int = 1,
    ) -> None:
        if n_parallel < 1:
            raise InputError(f"n_parallel must be at least 1; got {n_parallel}")
        self._reader = reading_function(reader)
        self.name, self._most = name or name_of(self._reader), max_calls
        self._n_parallel = 1 if max_calls is not None else n_parallel
        self._lock = Lock()
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
            with self._lock:
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
        # names first: the other questions offer them
        stages = range(questions.n_names), range(questions.n_names, len(questions))
        for stage in stages:
            parsed = self._ask_all([questions.question(at, answers) for at in stage])
            answers |= zip(stage, parsed, strict=True)
            if answers and set(answers.values()) == {None}:
                reason = (
                    self.cost.last_failure or "none could be understood, or max_calls was reached"
                )
                raise InputError(
                    f"{self.name} gave no answer that can be used to {len(answers)} questions: "
                    f"{self.cost}; {reason}"
                )
        return answers

    def _ask_all(self, questions: Sequence[Question]) -> list[Any]:
        """The parsed answers to questions that do not depend on each other."""
        if self._n_parallel == 1 or len(questions) < 2:
            return [self.ask(question.prompt, question.parse) for question in questions]
        pool = ThreadPoolExecutor(self._n_parallel)
        try:
            return list(pool.map(lambda each: self.ask(each.prompt, each.parse), questions))
        finally:
            # after an error or Ctrl-C nothing more is asked
            pool.shutdown(wait=True, cancel_futures=True)

    def _answer(self, prompt: str) -> str | None:
        """The reader's answer to a prompt, stored or new; None without one."""
        key = hashlib.sha256(json.dumps([self.name, prompt]).encode()).hexdigest()
        with self._lock:
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
        except InputError:
            raise  # a wrong key or model: no question will have an answer
        except Exception as error:
            answer, failure = None, f"{type(error).__name__}: {error}"
        with self._lock:
            if not isinstance(answer, str):
                self._count(failed=1)
                self.cost = replace(self.cost, last_failure=failure)
                return None
            taken = ("tokens_sent", "tokens_received", "price")
            self._count(received=len(answer), **{name: getattr(answer, name, 0) for name in taken})
            self._kept.put(key, str(answer))
        return answer

    def _count(self, **counts: float) -> None:
        """Add to the counters of the cost, under the lock."""
        totals: dict[str, Any] = {n: getattr(self.cost, n) + count for n, count in counts.items()}
        self.cost = replace(self.cost, **totals)


class StoringStudy(Protocol):
    """A study whose storage takes answers."""

    @property
    def state(self) -> Any:
        """The state, whose ``storage`` keeps blobs by key."""


class StudyAnswers:
    """Answers kept in a study's storage."""

    def __init__(self, study: StoringStudy) -> None:
        self._store = study.state.storage

    def get(self, key: str) -> str | None:
        """The answer, None without one."""
        blob = self._store.blob(f"answer {key}")
        return None if blob is None else blob.decode("utf-8", "surrogatepass")

    def put(self, key: str, value: str) -> None:
        """Store an answer."""
        self._store.add_blob(f"answer {key}", value.encode("utf-8", "surrogatepass"))


def reading_function(reader: Reader) -> ReadingFunction:
    """The function that answers for a reader: itself, or the model that a name means."""
    model = chat_model(reader) if isinstance(reader, str) else None
    if model is not None:
        return model
    if not callable(reader):
        got = repr(reader) if isinstance(reader, str) else type(reader).__name__
        raise InputError(
            f"reader must be callable, or a model as 'openai:MODEL@URL' such as "
            f"'openai:llama3.2@http://localhost:11434/v1'; got {got}"
        )
    return reader


def name_of(reader: ReadingFunction) -> str:
    """The default name of a reader."""
    if isinstance(reader, ChatModel):
        return reader.name
    kind = reader if hasattr(reader, "__qualname__") else type(reader)
    return f"{kind.__module__}.{kind.__qualname__}"
