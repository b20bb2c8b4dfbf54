"""Sentences and table rows on alternative ways to divide the objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sortal.nulls.structure import ONE_CLOUD
from sortal.runtime.numerals import number_word, percent
from sortal.study.wording.phrases import LIMITS, agreement, clusters, listed, span

if TYPE_CHECKING:
    from sortal.study.divisions import Alternative, AlternativesFacts
    from sortal.study.views import DataView

TITLE = "Other ways to group them"
#: sentences on why there is no alternative
REASONS = {
    "structure": f"{ONE_CLOUD} Other ways to group them were not sought.",
    "graph": "For graphs, sortal does not look for other ways to group the objects.",
    "objects": "There are too few objects to look for other ways to group them.",
    "equal": "All objects are equal.",
    "candidates": "No clustering of two clusters or more can be judged.",
}


def name_of(k: int, view: DataView, feature_names: Sequence[str]) -> str:
    """Name of a clustering that was not part of the sweep."""
    return f"{k} clusters on {seen_in(view, feature_names)}"


def seen_in(view: DataView, feature_names: Sequence[str]) -> str:
    """Description of a view of the data, by its features or components."""
    if view.kind == "all":
        return "all features"
    if view.kind == "features":
        names = [str(feature_names[j]) for j in view.features]
        if len(names) > LIMITS.few:
            names[LIMITS.few - 1 :] = [f"{len(names) - LIMITS.few + 1} more"]
        return listed(names)
    if view.kind == "directions":
        return "directions from the origin"
    names_without = listed(view.without)
    return (
        f"components of {names_without}"
        if view.kind == "components"
        else f"what {names_without} leaves"
    )


def about(alternative: Alternative) -> str:
    """The features that an alternative divides the objects by."""
    if not alternative.carried_by:
        return "no single feature"
    return listed(f"{name} ({percent(share, 0)})" for name, share in alternative.carried_by)


def sentences(alternatives: AlternativesFacts) -> list[str]:
    """Sentences on the alternatives: how many, by which features, and how different."""
    if not alternatives.items:
        return [REASONS[alternatives.reason or "candidates"]]
    where = "among the candidates"
    if alternatives.searched:
        where = f"in {number_word(alternatives.searched)} other views"
    if len(alternatives) == 1:
        return [f"There is one way to group them. None {where} is as good and very different."]
    ways = "; ".join(
        f"{_letter(i)} by {about(alternative)}" for i, alternative in enumerate(alternatives)
    )
    lines = [
        f"There are {number_word(len(alternatives))} ways to group them: {ways}. In brackets: the "
        "share of the feature's variance between the clusters."
    ]
    if alternatives.crossed is not None:
        lines.append(f"The clusters of {alternatives.crossed} are the combinations of these.")
    highest = max(alternative.agreement for alternative in alternatives)
    lines.append(
        f"Two of them share at most {percent(highest, 0)} of their information, adjusted for "
        f"chance ({percent(alternatives.alike, 0)} is allowed)."
    )
    return lines


def rows(alternatives: AlternativesFacts) -> list[tuple[str, str, str, str, str]]:
    """Table rows: letter, name, clusters, recovery and features of each alternative."""
    return [
        (
            _letter(i), alternative.name, clusters(alternative.n_clusters),
            _worth(alternative), about(alternative),
        )
        for i, alternative in enumerate(alternatives)
    ]  # fmt: skip


def _worth(alternative: Alternative) -> str:
    """Recovery of an alternative with its interval."""
    recovery = alternative.recovery
    if recovery is None:
        return "not judged"
    return f"{agreement(recovery)} ({span(*recovery.interval)})"


HEADS = ("", "clustering", "clusters", "recovery", "divides by")


def _letter(i: int) -> str:
    """The i-th capital letter; a number after Z."""
    return chr(ord("A") + i) if i < 26 else str(i + 1)
