"""Cards of the chosen clusters: size, distinguishing features, and clarity."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.plot.style import color, symbol
from sortal.report._parts import LIMITS
from sortal.study.wording import first_screen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sortal.datasets import Dataset
    from sortal.report._facts import Chosen, Facts


def object_titles(data: Dataset) -> Any:
    """Title of each object on the map: its name, and the beginning of its text."""
    from sortal.report._facts import snippet

    if data.texts is None:
        return data.ids
    return [f"{i}: {snippet(text, 90)}" for i, text in zip(data.ids, data.texts, strict=True)]


def cards(facts: Facts) -> list[dict[str, Any]]:
    """Values of the cards for the template: each cluster of the choice, the largest first."""
    chosen = facts.choice
    truth, again = facts.study.y, _found_again(chosen)
    shares, titles = chosen.map.edge_shares(chosen.labels), object_titles(chosen.study.dataset)
    clusters = sorted(
        chosen.study.describe(chosen.answer.name),
        key=lambda cluster: (-cluster.size, cluster.cluster),
    )
    out, of_terms = [], chosen.terms is not None
    for cluster in clusters[: LIMITS.cards]:
        c = cluster.cluster
        badge, why = first_screen.certainty(shares.get(c), chosen.answer.noun, again.get(c))
        out.append(
            {
                "cluster": c,
                "label": chosen.short_names[c],
                "about": cluster,
                "name": "" if cluster.name == str(c) else cluster.name,
                "telling": [
                    (feature, feature.within if of_terms else strength(feature.effect))
                    for feature in cluster.telling[: LIMITS.few]
                ],
                "central": titles[cluster.central[0]] if cluster.central else "",
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
    return float(np.clip(effect / LIMITS.full, -1, 1))


def _found_again(chosen: Chosen) -> dict[int, float]:
    """Share of the resamples in which each cluster is found again, where it was assessed."""
    from sortal.study import kept_assessment

    assessment = kept_assessment(chosen.study.state, chosen.answer.name)
    if assessment is None or len(assessment.clusters.table) != len(chosen.clusters):
        return {}
    shares = assessment.clusters.table["recovered"]
    return dict(zip(chosen.clusters, map(float, shares), strict=True))


def _classes(values: Iterable[object]) -> list[tuple[str, float]]:
    """The most frequent classes of some objects, with their shares."""
    names = sorted(str(value) for value in values if value is not None)
    return [(name, count / len(names)) for name, count in Counter(names).most_common(LIMITS.few)]
