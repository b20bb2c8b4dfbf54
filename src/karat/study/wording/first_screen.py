"""What a reader is told who has never heard of an index: found, trust, next; and the cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.bounds import percent_up
from karat.study.wording.story import draw_labels

if TYPE_CHECKING:
    from karat.study.answer import Answer, Expected

NUMERALS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
#: how well groups match those of an expert, from which expected agreement on
MATCHES = {0.75: "closely", 0.45: "largely", 0.25: "partly", 0.1: "loosely", -1.0: "hardly"}
#: from which expected agreement on groups can be used as they are
USABLE = 0.45
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


def heading(answer: Answer) -> str:
    """The finding in two or three words."""
    groups = _groups(answer.n_clusters)
    if _decision(answer) == "no":
        return "No natural groups"
    mark = "?" if _decision(answer) == "unclear" else ""
    return f"{groups[0].upper()}{groups[1:]}{mark}"


def three_sentences(
    answer: Answer, *, noun: str = "objects", edge: float | None = None
) -> tuple[str, str, str]:
    """What was found, how far to trust it, what to do next.

    Parameters
    ----------
    answer : Answer
    noun : str, default "objects"
        What is grouped, in the plural.
    edge : float, optional
        Share of them whose nearest neighbours are mostly in other groups.
    """
    return found(answer, noun), trust(answer, noun, edge), following(answer, noun)


def found(answer: Answer, noun: str) -> str:
    """What was found."""
    n, groups, decision = (
        f"{answer.n_objects:,} {noun}",
        _groups(answer.n_clusters),
        _decision(answer),
    )
    beside = ""
    if answer.outliers:
        beside = f"; {answer.outliers:,} fit none of them"
    if decision == "no":
        return (
            f"No natural groups were found: the {n} can be split into {groups}, but so can data "
            "that have none."
        )
    if decision == "unclear":
        return (
            f"The {n} may fall into {groups}, but data without groups can look like this{beside}."
        )
    if decision == "yes":
        return f"The {n} fall into {groups}{beside}."
    if answer.tried.distinct == 1:
        return f"The {n} are in {groups}{beside}; there was nothing to compare them with."
    return (
        f"The {n} can be put into {groups}{beside}: the best of {answer.tried.distinct:,} ways "
        "that were compared."
    )


def trust(answer: Answer, noun: str, edge: float | None) -> str:
    """How far to trust it."""
    told = _guaranteed(answer, noun) or _expected(answer) or _likely(answer) or _again(answer, noun)
    if edge is not None and _decision(answer) != "no":
        told += f"; {_edge(edge, noun)}"
    return f"{told}."


def following(answer: Answer, noun: str) -> str:
    """What to do next."""
    decision, expected = _decision(answer), answer.expected
    ten = f"Next: label ten {noun} and run karat again"
    if decision == "no":
        return (
            "Next: treat the split as a convenience, not as a discovery; other columns, or more "
            f"{noun}, may show groups."
        )
    weak = expected is not None and expected.value < USABLE
    if answer.guarantee is not None and _guaranteed(answer, noun) is None:
        return f"Next: label more {noun}, so that a maximum error can be guaranteed."
    if answer.gains and (decision == "unclear" or weak):
        return f"{ten}; that settles more than anything else ({draw_labels(answer)} picks them)."
    if answer.gains and answer.guarantee is None:
        return (
            "Next: read the cards; if the groups make sense to you, use them. Ten labelled "
            f"{noun} would give you a guarantee ({draw_labels(answer)} picks them)."
        )
    return "Next: read the cards; if the groups make sense to you, use them."


def certainty(edge: float | None, noun: str, again: float | None = None) -> tuple[str, str]:
    """Whether a group is clear: a word, and why.

    Parameters
    ----------
    edge : float or None
        Share of its objects on the edge.
    noun : str
    again : float, optional
        Share of resamples in which it is found again.
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


def _groups(k: int) -> str:
    count = NUMERALS[k] if k < len(NUMERALS) else f"{k:,}"
    return f"{count} group{'s' * (k != 1)}"


def _decision(answer: Answer) -> str | None:
    return None if answer.structure is None else answer.structure.decision


def _guaranteed(answer: Answer, noun: str) -> str | None:
    """The guarantee, where it says more than always naming the largest class would."""
    own = answer.guarantee
    if own is None or own.bound_rate >= own.constant_error_rate:
        return None
    return (
        f"Your labels guarantee that at most {percent_up(own.bound_rate)} of the {noun} without a "
        f"label are given a wrong class (with {100 * (1 - own.delta):.0f} % certainty)"
    )


def _expected(answer: Answer) -> str | None:
    said = answer.expected
    if said is None:
        return None
    low, high = (100 * max(0.0, min(1.0, bound)) for bound in said.interval)
    return (
        f"Expect them to {_match(said)} match the groups that an expert would name: about "
        f"{100 * max(0.0, said.value):.0f} on a scale from 0 (chance) to 100 (the same groups), "
        f"likely {low:.0f} to {high:.0f}"
    )


def _likely(answer: Answer) -> str | None:
    """What the labels make of it among the candidates."""
    said = answer.labelled
    if said is None:
        return None
    return (
        f"Going by your {said.n_labels:,} labels, it or one that hardly differs is the best of "
        f"those compared with a probability of {_share(said.alike)}"
    )


def _match(said: Expected) -> str:
    return next(word for least, word in MATCHES.items() if said.value >= least)


def _again(answer: Answer, noun: str) -> str:
    stable = answer.stability
    if stable is None:
        return "How good they are is not known: the ways were only compared with one another"
    if stable.n_stable == answer.n_clusters:
        return f"Every group is found again when part of the {noun} is left out"
    return (
        f"{stable.n_stable} of {answer.n_clusters} groups are found again when part of the {noun} "
        "is left out"
    )


def _edge(share: float, noun: str) -> str:
    many = f"{_share(share)} of the {noun} lie" if share else "none lies"
    return f"{many} on the edge between two groups"


def _share(value: float) -> str:
    """A share in whole per cent."""
    return "under 1\u00a0%" if 0 < value < 0.005 else f"{100 * value:.0f}\u00a0%"
