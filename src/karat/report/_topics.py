"""The section for people who read: what each cluster of documents is about."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.plot.style import color, symbol
from karat.report._facts import Chosen, Facts, snippet
from karat.report._page import Section
from karat.text import topic_quality

MOST_CLUSTERS = 60
READ = 3


def topics(facts: Facts) -> Section | None:
    """Telling terms, central documents and quality of each cluster, where there are texts."""
    data = facts.study.dataset.without_embeddings()
    chosen, terms = facts.choice, facts.choice.terms
    if terms is None:
        return None
    quality = topic_quality(data.X, chosen.labels)
    qualities: dict[int, dict[str, float]] = quality.to_dict("index")  # type: ignore[assignment]
    top = terms.groupby("cluster")
    cards: list[dict[str, Any]] = []
    for cluster in chosen.clusters:
        own = top.get_group(cluster) if cluster in top.groups else terms[:0]
        cards.append(
            {
                "name": chosen.names[cluster],
                "color": color(cluster),
                "symbol": symbol(cluster),
                "size": int((chosen.labels == cluster).sum()),
                "terms": own.to_dict("records"),
                **qualities[cluster],
                "documents": _central(chosen, cluster),
            }
        )
    cards.sort(key=lambda card: -card["size"])
    mean: dict[str, float] = quality.mean().to_dict()  # type: ignore[assignment]
    return Section(
        "topics",
        "What the clusters are about",
        "topics.html",
        {"cards": cards[:MOST_CLUSTERS], "hidden": max(0, len(cards) - MOST_CLUSTERS), **mean},
    )


def _central(chosen: Chosen, cluster: int) -> list[dict[str, str]]:
    """The documents nearest to the direction of the cluster, of copies one, with beginnings."""
    data = chosen.study.dataset
    own = np.flatnonzero(chosen.labels == cluster)
    rows = data.X[own]
    center = np.asarray(rows.sum(axis=0)).ravel()
    found: dict[str, dict[str, str]] = {}
    for i in own[np.argsort(-(rows @ center), kind="stable")]:
        name, text = str(data.ids[i]), "" if data.texts is None else snippet(data.texts[i])
        found.setdefault(text or name, {"id": name, "text": text})
        if len(found) == READ:
            break
    return list(found.values())
