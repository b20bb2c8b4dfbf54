"""Other ways to divide the objects, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.study.wording.phrases import FEW, agreement, clusters, counted, listed, span

if TYPE_CHECKING:
    from karat.study.divisions import Alternative, AlternativesFacts
    from karat.study.views import DataView

TITLE = "Another honest way to divide them"
#: why there is none
REASONS = {
    "structure": "No natural groups were found, so there is no other way to divide them either.",
    "graph": "Other ways to divide the objects of a graph are not looked for.",
    "objects": "There are too few objects to look for other ways to divide them.",
    "equal": "All objects are equal.",
    "candidates": "No clustering of two clusters or more can be judged.",
}


def name_of(k: int, view: DataView, feature_names: Sequence[str]) -> str:
    """What a clustering beyond the sweep is called."""
    return f"k-means k={k} on {seen_in(view, feature_names)}"


def seen_in(view: DataView, feature_names: Sequence[str]) -> str:
    """What was looked at."""
    if view.kind == "all":
        return "all features"
    if view.kind == "features":
        names = [str(feature_names[j]) for j in view.features]
        if len(names) > FEW:
            names[FEW - 1 :] = [f"{len(names) - FEW + 1} more"]
        return listed(names)
    if view.kind == "directions":
        return "directions from the origin"
    names_without = listed(view.without)
    return (
        f"components of {names_without}"
        if view.kind == "components"
        else f"what {names_without} leaves"
    )


def about(one: Alternative) -> str:
    """What it divides by."""
    if not one.carried_by:
        return "no single feature"
    return listed(f"{name} ({100 * share:.0f} %)" for name, share in one.carried_by)


def sentences(found: AlternativesFacts) -> list[str]:
    """What was found, and what it rests on."""
    if not found.items:
        return [REASONS[found.reason or "candidates"]]
    where = (
        f"in {counted(found.searched)} other views" if found.searched else "among the candidates"
    )
    if len(found) == 1:
        return [f"One way to divide them was found; {where}, none is as good and really different."]
    told = [
        f"There are {counted(len(found))} ways to divide them: "
        + "; ".join(f"{_letter(i)} by {about(one)}" for i, one in enumerate(found))
        + ". In brackets: how much of the feature's variance lies between the clusters."
    ]
    if found.crossed is not None:
        told.append(f"The clusters of {found.crossed} are those of these ways crossed.")
    most = max(one.agreement for one in found)
    told.append(
        f"Knowing the cluster in one tells {100 * most:.0f} % of that in another at most, after "
        f"correction for chance ({100 * found.alike:.0f} % is allowed)."
    )
    return told


def rows(found: AlternativesFacts) -> list[tuple[str, str, str, str, str]]:
    """A row for each: letter, name, clusters, expected agreement, what it divides by."""
    return [
        (
            _letter(i), one.name, clusters(one.n_clusters),
            _worth(one), about(one),
        )
        for i, one in enumerate(found)
    ]  # fmt: skip


def _worth(one: Alternative) -> str:
    if one.expected is None:
        return "not judged"
    return f"{agreement(one.expected)} ({span(one.expected.low, one.expected.high)})"


HEADS = ("", "clustering", "clusters", "expected agreement", "divides by")


def _letter(i: int) -> str:
    return chr(ord("A") + i) if i < 26 else str(i + 1)
