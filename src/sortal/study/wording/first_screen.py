"""Words of the report's first screen: its heading, cards, map and opened candidates."""

from __future__ import annotations

from sortal.runtime.numerals import whole_percent
from sortal.study.wording.phrases import LIMITS

#: sentences shown when another candidate is opened; the page's script fills in ``{}``
OPENED = {
    "other": "You are looking at {name}, not at the clustering to use.",
    "moved": "{n} of {of} {noun} are in another group than in the clustering to use.",
    "same": "No {noun} change group; only the groups' names differ.",
    "sampled": "Its cards rest on {n} {noun} drawn at random.",
    "flow": "From {a} to {b}: {n} {noun}",
    "better": "{title}: {own} against {other}",
    "nothing": "nothing that was measured",
}


def certainty(edge: float | None, noun: str, again: float | None = None) -> tuple[str, str]:
    """How clear a group is, as a word and a reason.

    ``edge`` is the share of its objects on the edge. ``again`` is the share of resamples in which
    the group recurs.
    """
    if edge is None:
        return "", ""
    word = "mostly clear" if edge <= LIMITS.mostly_clear else "blurred"
    word = "clear" if edge <= LIMITS.clear else word
    reason = f"{whole_percent(edge)} of its {noun} on the edge"
    if edge == 0:
        reason = f"none of its {noun} on the edge"
    if again is None:
        return word, reason
    if again < 0.5:
        word = "unsure"
    repeats = whole_percent(again)
    return word, f"{reason}; found again in {repeats} of the repeats with part of the data"


def caption(
    noun: str, *, share_kept: float | None, n_drawn: int, n_objects: int, has_pale: bool
) -> str:
    """Caption of the map: what a mark is, and what the map loses."""
    sentences = f"Each mark is one of the {noun}; those that are alike lie together."
    if has_pale:
        sentences += (
            " Pale ones lie on the edge: most of their nearest neighbours are in other groups."
        )
    if share_kept is not None:
        share = whole_percent(share_kept)
        sentences += f" The map keeps {share} of each one's ten nearest neighbours."
    if n_drawn < n_objects:
        sentences += f" A random sample of {n_drawn:,} of the {n_objects:,} is drawn."
    return sentences
