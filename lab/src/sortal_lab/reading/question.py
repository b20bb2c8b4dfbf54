"""A question to a reader, and what a set of questions has to offer to an interview."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from sortal.labeling import Shown

#: characters of a text among several
SHOWN_CHARACTERS = 600
_PROMPTS = Path(__file__).with_name("prompts")
NAME, ASSIGN, INTRUDER = "name_1", "assign_1", "intruder_1"


@cache
def prompt(name: str) -> str:
    """The text of a prompt; the number in its name rises with every change."""
    return (_PROMPTS / f"{name}.txt").read_text(encoding="utf-8").strip()


@dataclass(frozen=True)
class Question:
    """One question, for people and for functions.

    Attributes
    ----------
    ask : str
        The question to people.
    shown : Shown
    options : tuple of str
        The options; empty where the question asks for a name.
    prompt : str
        The question to functions.
    parse : callable
        Reads an answer: a name with its line, or the number of an option.
    """

    ask: str
    shown: Shown
    options: tuple[str, ...]
    prompt: str = field(repr=False)
    parse: Callable[[str], Any] = field(repr=False)


class Questionnaire(Protocol):
    """Questions in a fixed order; the first ``n_names`` ask for names."""

    @property
    def n_names(self) -> int:
        """Number of questions that ask for a name."""

    def __len__(self) -> int:
        """Number of questions."""

    def question(self, at: int, said: Mapping[int, Any]) -> Question:
        """The question at a position, given the answers before it."""
