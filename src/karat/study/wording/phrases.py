"""Phrases that several sentences share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.runtime import numerals

if TYPE_CHECKING:
    from collections.abc import Iterable

    from karat.study.facts import AnswerFacts, Candidate, Expected, ReferenceClustering

#: of what there may be many, how many are named
FEW = 3
#: share of the objects from which on one clustering is said to divide another
NESTS = 0.9
#: said of clusters without one
NO_RULE = "No rule tells these clusters apart."
#: probability from which on groups are likely where it cannot be told with certainty
PROBABLE = 0.6


def listed(names: Iterable[str]) -> str:
    """Names in a sentence."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def share(value: float) -> str:
    """A probability in per cent, to a tenth below ten."""
    return numerals.percent(value)


def certain(value: float) -> str:
    """A probability that is never said to be 0 or 1."""
    if value > 0.99:
        return "over 0.99"
    return "below 0.01" if value < 0.01 else f"{value:.2f}"


def decision(answer: AnswerFacts) -> str | None:
    """Whether the data have clusters: yes, no, unclear; None where it is not known."""
    return None if answer.structure is None else answer.structure.decision


def probably(answer: AnswerFacts) -> bool:
    """Whether groups are likely, though the evidence is less than some data without them have."""
    said = answer.structure
    return said is not None and decision(answer) == "unclear" and said.probability >= PROBABLE


def natural(answer: AnswerFacts) -> bool:
    """Whether nothing speaks against groups that are there, however they are divided."""
    return decision(answer) in (None, "yes") or probably(answer)


def clusters(k: int) -> str:
    """A number of clusters."""
    return f"{k} cluster{'s' * (k != 1)}"


def groups(k: int) -> str:
    """A number of clusters for who does not know the word."""
    return f"{k} group{'s' * (k != 1)}"


def counted(n: int) -> str:
    """A small number in words.

    >>> counted(3), counted(13)
    ('three', '13')
    """
    return numerals.number_word(n)


def percent(value: float | None, decimals: int = 1) -> str:
    """A share in per cent."""
    assert value is not None
    return numerals.percent(value, decimals)


def interval(one: AnswerFacts | Candidate | ReferenceClustering) -> str:
    """An expected agreement with its interval."""
    found = one.expected
    assert found is not None
    return f"{agreement(found)} ({span(found.low, found.high)}, 80 % interval)"


def agreement(expected: Expected) -> str:
    """An expected agreement; below 0 there is as little of it as at 0."""
    return f"{max(expected.value, 0):.2f}"


def span(low: float, high: float) -> str:
    """The limits of an agreement."""
    return f"{max(low, 0):.2f}–{max(high, 0):.2f}"


def is_own(answer: AnswerFacts) -> bool:
    """Whether the user supplied all candidates."""
    return answer.tried.own == answer.tried.distinct
