"""Words of the report's first screen: its heading, cards, map and opened candidates."""

from __future__ import annotations

#: largest share of a group's objects on the edge for a clear and for a mostly clear group
CLEAR, MOSTLY = 0.05, 0.2
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
    word = "clear" if edge <= CLEAR else "mostly clear" if edge <= MOSTLY else "blurred"
    reason = f"{_share(edge)} of its {noun} on the edge"
    if edge == 0:
        reason = f"none of its {noun} on the edge"
    if again is None:
        return word, reason
    if again < 0.5:
        word = "unsure"
    share = _share(again)
    return word, f"{reason}; found again in {share} of the repeats with part of the data"


def caption(noun: str, *, kept: float | None, drawn: int, of: int, pale: bool) -> str:
    """Caption of the map: what a mark is, and what the map loses."""
    sentences = f"Each mark is one of the {noun}; those that are alike lie together."
    if pale:
        sentences += (
            " Pale ones lie on the edge: most of their nearest neighbours are in other groups."
        )
    if kept is not None:
        sentences += f" The map keeps {_share(kept)} of each one's ten nearest neighbours."
    if drawn < of:
        sentences += f" A random sample of {drawn:,} of the {of:,} is drawn."
    return sentences


def _share(value: float) -> str:
    """A share in whole per cent, with a non-breaking space."""
    return "under 1\u00a0%" if 0 < value < 0.005 else f"{100 * value:.0f}\u00a0%"
