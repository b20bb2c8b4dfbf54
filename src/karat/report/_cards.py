"""The clusters of the choice as cards: how large, what sets each apart, how clear it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.plot.style import color, number, percent, symbol
from karat.study.wording import first_screen

if TYPE_CHECKING:
    from karat.datasets import Dataset
    from karat.report._facts import Chosen, Facts

#: cards at most, and features on each
MOST_CARDS, TOLD = 60, 3
#: deviation from the mean of all objects, in standard deviations, that fills half of a bar
FULL = 1.5


@dataclass(frozen=True)
class Telling:
    """A feature that sets a cluster apart: its value within and elsewhere, in original units.

    ``strength`` is from -1 to 1, the length of its bar.
    """

    feature: str
    inside: str
    elsewhere: str
    strength: float


@dataclass(frozen=True)
class Card:
    """What is told of a cluster.

    Attributes
    ----------
    cluster : int
    name : str
        Proposed from what sets it apart; empty where nothing does.
    size, share : int, float
    telling : tuple of Telling
    central : tuple of str
        Its most central objects.
    edge : float or None
        Share of its objects whose nearest neighbours are mostly in other clusters.
    rule : str or None
    accuracy : float or None
        Of the rule on held-out objects.
    named_by : str or None
        Who gave the name, where somebody did.
    """

    cluster: int
    name: str
    size: int
    share: float
    telling: tuple[Telling, ...]
    central: tuple[str, ...]
    edge: float | None
    rule: str | None = None
    accuracy: float | None = None
    named_by: str | None = None


def describe(chosen: Chosen) -> tuple[Card, ...]:
    """Each cluster of the choice, the largest first."""
    shares = chosen.map.edge_shares(chosen.labels)
    titles = object_titles(chosen.study.dataset)
    meant = {one.cluster: one for one in chosen.study.describe(chosen.answer.name)}
    found = []
    for cluster in chosen.clusters:
        one = meant[cluster]
        size = int((chosen.labels == cluster).sum())
        telling = _telling(chosen, cluster)
        found.append(
            Card(
                cluster=cluster,
                name="" if one.name == str(cluster) else one.name,
                size=size,
                share=size / len(chosen.labels),
                telling=telling,
                central=(str(titles[chosen.typical[cluster]]),),
                edge=shares.get(cluster),
                rule=None if one.rule is None else str(one.rule),
                accuracy=one.accuracy,
                named_by=one.named_by,
            )
        )
    return tuple(sorted(found, key=lambda one: (-one.size, one.cluster)))


def _telling(chosen: Chosen, cluster: int) -> tuple[Telling, ...]:
    if chosen.terms is not None:
        own: Any = chosen.terms[chosen.terms["cluster"] == cluster].head(TOLD)
        return tuple(
            Telling(t.term, percent(t.share), percent(t.rest), float(t.share))
            for t in own.itertuples()
        )
    if not chosen.study.dataset.n_features:
        return ()
    profile = chosen.profile
    c = profile.clusters.index(cluster)
    return tuple(
        Telling(
            profile.names[j],
            number(float(profile.means[c, j]), 3),
            number(float(profile.overall[j]), 3),
            float(np.clip(profile.deviation[c, j] / FULL, -1, 1)),
        )
        for j in profile.most_telling(cluster, TOLD)
    )


def object_titles(data: Dataset) -> Any:
    """What a reader sees of an object where he points: its name, and how its text begins."""
    from karat.report._facts import snippet

    if data.texts is None:
        return data.ids
    return [f"{i}: {snippet(text, 90)}" for i, text in zip(data.ids, data.texts, strict=True)]


def cards(facts: Facts) -> list[dict[str, Any]]:
    """What the template draws."""
    chosen = facts.chosen
    assert chosen is not None
    truth, again = facts.study.truth, _found_again(chosen)
    out = []
    for one in describe(chosen)[:MOST_CARDS]:
        badge, why = first_screen.certainty(one.edge, chosen.noun, again.get(one.cluster))
        classes = [] if truth is None else truth[chosen.labels == one.cluster]
        out.append(
            {
                "cluster": one.cluster,
                "label": chosen.short_names[one.cluster],
                "about": one,
                "color": color(one.cluster),
                "symbol": symbol(one.cluster),
                "badge": badge,
                "why": why,
                "classes": _classes(classes),
                "stays": _stays(chosen, one.cluster),
            }
        )
    return out


def _found_again(chosen: Chosen) -> dict[int, float]:
    """In which share of the resamples each cluster is found again, where that was asked."""
    from karat.study import kept_assessment

    found = kept_assessment(chosen.study, chosen.answer.name)
    if found is None or len(found.clusters.table) != len(chosen.clusters):
        return {}
    shares = found.clusters.table["recovered"]
    return dict(zip(chosen.clusters, map(float, shares), strict=True))


def _stays(chosen: Chosen, cluster: int) -> float | None:
    """Of a graph, the share of the weight of its nodes' edges that ends in the cluster."""
    if chosen.study.metric != "graph":
        return None
    own = np.flatnonzero(chosen.labels == cluster)
    edges = chosen.study.X[own]
    return float(edges[:, own].sum() / (edges.sum() or 1.0))


def _classes(values: Any, most: int = 3) -> list[tuple[str, float]]:
    known = [str(value) for value in values if value is not None]
    return [(name, count / len(known)) for name, count in Counter(sorted(known)).most_common(most)]
