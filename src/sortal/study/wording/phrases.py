"""Phrases that several sentences share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sortal.study.facts import AnswerFacts, Recovery


@dataclass(frozen=True)
class WordingLimits:
    """How much sentences and tables name, and where words change; all tuned by eye."""

    #: items that a list in a sentence names
    few: int = 3
    #: groups, words of a topic and classes that are listed
    listed: int = 8
    #: groups up to which each has its name and its rule
    detailed: int = 4
    #: rows to label next, and features in which a cluster differs
    examples: int = 5
    #: pairs of clusters in a table of tests
    pairs: int = 40
    #: characters from which on further assumptions are counted, not named
    length: int = 150
    #: least probability of what is called almost certain, and likely
    certain: float = 0.9
    likely: float = 0.6
    #: least agreement of clusterings that are much the same, and least advantage that is one
    same: float = 0.8
    better: float = 0.05
    #: largest share of a group's objects on the edge for a clear and for a mostly clear group
    clear: float = 0.05
    mostly_clear: float = 0.2


LIMITS = WordingLimits()


def lower_first(sentence: str) -> str:
    """A sentence as a clause: its first letter lower, without the full stop.

    >>> lower_first("Gaps are uncertain.")
    'gaps are uncertain'
    """
    return sentence[0].lower() + sentence[1:].removesuffix(".")


def listed(names: Iterable[str]) -> str:
    """Names joined by commas, with "and" before the last."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def kind_of_groups(answer: AnswerFacts) -> str | None:
    """The answer on the data: "separate", "overlapping" or "one cloud"; None if not judged."""
    return None if answer.structure is None else answer.structure.answer


def natural(answer: AnswerFacts) -> bool:
    """Whether groups are likely or not judged, so that nothing speaks against them."""
    return kind_of_groups(answer) != "one cloud"


def clusters(k: int) -> str:
    """A number of clusters, such as "3 clusters"."""
    return f"{k} cluster{'s' * (k != 1)}"


def groups(k: int) -> str:
    """A number of groups, the word for readers new to clustering."""
    return f"{k} group{'s' * (k != 1)}"


def named_groups(names: Sequence[str]) -> str:
    """Names of groups in a sentence; of many, how many they are.

    >>> named_groups(["1", "2"]), named_groups(["low age"]), named_groups(list("abcdef"))
    ('groups 1 and 2', 'low age', '6 groups')
    """
    if len(names) > LIMITS.few:
        return groups(len(names))
    if all(name.isdecimal() for name in names):
        return f"group{'s' * (len(names) > 1)} {listed(names)}"
    return listed(names)


def agreement(recovery: Recovery) -> str:
    """A recovery to two decimals; negative values are shown as 0."""
    return f"{max(recovery.value, 0):.2f}"


def recovered(recovery: Recovery) -> str:
    """Clause on how near a clustering is to groups that made the data, for the first screen."""
    value, low, high = map(_tenths, (recovery.value, *recovery.interval))
    return f"If groups made these data, these match them about {value} ({low} to {high})"


def _tenths(value: float) -> str:
    """An agreement to one decimal; negative values are shown as 0.

    >>> _tenths(0.72), _tenths(0.97), _tenths(-0.1)
    ('0.7', '1', '0')
    """
    return f"{max(value, 0):.1f}".removesuffix(".0")


def span(low: float, high: float) -> str:
    """The limits of an interval of agreement; negative ones are shown as 0."""
    return f"{max(low, 0):.2f}–{max(high, 0):.2f}"


def is_supplied(answer: AnswerFacts) -> bool:
    """Whether the user supplied all candidates."""
    return answer.tried.own == answer.tried.distinct
