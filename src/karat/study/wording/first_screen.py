"""The words of the first screen beside the story: its heading, cards, map and opened candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.study.wording.phrases import counted, decision, is_own

if TYPE_CHECKING:
    from karat.study.facts import AnswerFacts

#: share of a group on the edge up to which it is clear, and mostly clear
CLEAR, MOSTLY = 0.05, 0.2
#: what the page says where another candidate is opened; ``{}`` are filled in by its script
OPENED = {
    "other": "You are looking at {name}, not at the clustering to use.",
    "moved": "{n} of {of} {noun} are in another group than in the clustering to use.",
    "same": "No {noun} change group; only the groups' names differ.",
    "sampled": "Its cards rest on {n} {noun} drawn at random.",
    "flow": "From {a} to {b}: {n} {noun}",
    "better": "{title}: {own} against {other}",
    "nothing": "nothing that was measured",
}


def heading(answer: AnswerFacts) -> str:
    """The finding in two or three words."""
    k = answer.n_clusters
    if is_own(answer) and answer.expected is not None and answer.expected.grade == "random":
        return "No better than random groups"
    if decision(answer) == "no":
        return "No natural groups"
    mark = "?" if decision(answer) == "unclear" else ""
    return f"{counted(k).capitalize()} group{'s' * (k != 1)}{mark}"


def certainty(edge: float | None, noun: str, again: float | None = None) -> tuple[str, str]:
    """Whether a group is clear: a word, and why.

    ``edge`` is the share of its objects on the edge, ``again`` that of resamples that find it.
    """
    if edge is None:
        return "", ""
    word = "clear" if edge <= CLEAR else "mostly clear" if edge <= MOSTLY else "blurred"
    told = f"{_share(edge)} of its {noun} on the edge"
    if edge == 0:
        told = f"none of its {noun} on the edge"
    if again is None:
        return word, told
    if again < 0.5:
        word = "unsure"
    return word, f"{told}; found again in {_share(again)} of the repeats with part of the data"


def caption(noun: str, *, kept: float | None, drawn: int, of: int, pale: bool) -> str:
    """What the map shows, and what it does not."""
    told = f"Each mark is one of the {noun}; those that are alike lie together."
    if pale:
        told += " Pale ones lie on the edge: most of their nearest neighbours are in other groups."
    if kept is not None:
        told += f" The map keeps {_share(kept)} of each one's ten nearest neighbours."
    if drawn < of:
        told += f" A random sample of {drawn:,} of the {of:,} is drawn."
    return told


def _share(value: float) -> str:
    """A share in whole per cent."""
    return "under 1\u00a0%" if 0 < value < 0.005 else f"{100 * value:.0f}\u00a0%"
