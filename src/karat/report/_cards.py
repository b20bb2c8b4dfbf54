"""The clusters of the choice as cards: how large, what sets each apart, how clear it is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.plot.style import color, symbol
from karat.study.wording import first_screen

if TYPE_CHECKING:
    from karat.datasets import Dataset
    from karat.report._facts import Chosen, Facts

#: cards at most, and features on each
MOST_CARDS, TOLD = 60, 3
#: difference from the other objects, in standard deviations, that fills half of a bar
FULL = 1.5


def object_titles(data: Dataset) -> Any:
    """What a reader sees of an object where he points: its name, and how its text begins."""
    from karat.report._facts import snippet

    if data.texts is None:
        return data.ids
    return [f"{i}: {snippet(text, 90)}" for i, text in zip(data.ids, data.texts, strict=True)]


def cards(facts: Facts) -> list[dict[str, Any]]:
    """What the template draws: each cluster of the choice, the largest first."""
    chosen = facts.choice
    truth, again = facts.study.y, _found_again(chosen)
    shares, titles = chosen.map.edge_shares(chosen.labels), object_titles(chosen.study.dataset)
    found = sorted(
        chosen.study.describe(chosen.answer.name), key=lambda one: (-one.size, one.cluster)
    )
    out = []
    for one in found[:MOST_CARDS]:
        c = one.cluster
        badge, why = first_screen.certainty(shares.get(c), chosen.noun, again.get(c))
        out.append(
            {
                "cluster": c,
                "label": chosen.short_names[c],
                "about": one,
                "name": "" if one.name == str(c) else one.name,
                "telling": [
                    (tell, tell.within if chosen.terms is not None else strength(tell.effect))
                    for tell in one.telling[:TOLD]
                ],
                "central": titles[one.central[0]] if one.central else "",
                "color": color(c),
                "symbol": symbol(c),
                "badge": badge,
                "why": why,
                "classes": _classes([] if truth is None else truth[chosen.labels == c]),
            }
        )
    return out


def strength(effect: float) -> float:
    """The length of a bar, from -1 to 1."""
    return float(np.clip(effect / FULL, -1, 1))


def _found_again(chosen: Chosen) -> dict[int, float]:
    """In which share of the resamples each cluster is found again, where that was asked."""
    from karat.study import kept_assessment

    found = kept_assessment(chosen.study.tried, chosen.answer.name)
    if found is None or len(found.clusters.table) != len(chosen.clusters):
        return {}
    shares = found.clusters.table["recovered"]
    return dict(zip(chosen.clusters, map(float, shares), strict=True))


def _classes(values: Any, most: int = 3) -> list[tuple[str, float]]:
    known = [str(value) for value in values if value is not None]
    return [(name, count / len(known)) for name, count in Counter(sorted(known)).most_common(most)]
