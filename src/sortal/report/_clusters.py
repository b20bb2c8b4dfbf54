"""Sections on the chosen clusters: tests of differences, classes and topics."""

from __future__ import annotations

from typing import Any

import numpy as np

from sortal.labelings.contingency import ContingencyTable
from sortal.labelings.labels import NOISE
from sortal.plot.results import in_matching_order, texts_of
from sortal.plot.style import color, symbol
from sortal.report._facts import Chosen, Facts, snippet
from sortal.report._parts import LIMITS, Picture, Section, heat, plain
from sortal.text import topic_quality


def differences(facts: Facts) -> Section | None:
    """Tests of differences between clusters, where the study has them."""
    from sortal.study import kept_differences
    from sortal.study.wording import tested

    tests = kept_differences(facts.study.state)
    if tests is None:
        return None
    summary = tested(tests, facts.choice.labels, facts.choice.short_names)
    return Section("differences", "Do they differ?", "differences.html", {"summary": summary})


def classes(facts: Facts) -> Section | None:
    """The clusters compared with the known classes."""
    truth = facts.study.y
    if truth is None:
        return None
    chosen, data, title = facts.choice, facts.study.dataset, "Against the known classes"
    is_known = np.array([value is not None for value in truth])
    inside = is_known & (chosen.labels != NOISE)
    if not inside.any():
        return plain("classes", title, ["No object with a known class is in a cluster."])
    names = np.array(chosen.names, dtype=object)
    table = ContingencyTable(truth[inside], names[chosen.labels[inside]], noise="cluster")
    sentences = [f"Of {len(truth):,} objects the class of {int(is_known.sum()):,} is known."]
    if is_known.all():
        sentences = [f"The class of all {len(truth):,} objects is known."]
    if inside.sum() < is_known.sum():
        sentences[0] += (
            f" {int((is_known & ~inside).sum()):,} of these are outliers and not counted."
        )
    counts = table.to_array()
    if counts.size > LIMITS.cells:
        return plain("classes", title, sentences)
    order = in_matching_order(counts)
    drawing = heat(
        (counts / counts.sum(axis=0))[:, order], list(map(str, table.row_names)),
        [str(table.column_names[j]) for j in order],
        text=texts_of(counts[:, order]),
        x="Cluster", y=data.truth_name or "Class",
    )  # fmt: skip
    picture = Picture(
        "contingency",
        drawing,
        f"Counts of {table.shape[0]} classes in {table.shape[1]} clusters.",
        "Objects of each class in each cluster, shaded by their share of the cluster.",
    )
    return plain("classes", title, sentences, picture)


def topics(facts: Facts) -> Section | None:
    """Characteristic terms, central documents and quality of each cluster of texts."""
    data = facts.study.dataset
    chosen, terms = facts.choice, facts.choice.terms
    if terms is None:
        return None
    quality = topic_quality(data.X, chosen.labels)
    qualities: dict[int, dict[str, float]] = quality.to_dict("index")  # type: ignore[assignment]
    top = terms.groupby("cluster")
    cards: list[dict[str, Any]] = []
    for cluster in chosen.clusters:
        cluster_terms = top.get_group(cluster) if cluster in top.groups else terms[:0]
        cards.append(
            {
                "name": chosen.names[cluster],
                "color": color(cluster),
                "symbol": symbol(cluster),
                "size": int((chosen.labels == cluster).sum()),
                "terms": cluster_terms.to_dict("records"),
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
        {"cards": cards[: LIMITS.cards], "hidden": max(0, len(cards) - LIMITS.cards), **mean},
    )


def _central(chosen: Chosen, cluster: int) -> list[dict[str, str]]:
    """The documents nearest to the cluster's direction, without copies."""
    data = chosen.study.dataset
    members = np.flatnonzero(chosen.labels == cluster)
    rows = data.X[members]
    center = np.asarray(rows.sum(axis=0)).ravel()
    documents: dict[str, dict[str, str]] = {}
    for i in members[np.argsort(-(rows @ center), kind="stable")]:
        name, text = str(data.ids[i]), "" if data.texts is None else snippet(data.texts[i])
        documents.setdefault(text or name, {"id": name, "text": text})
        if len(documents) == LIMITS.few:
            break
    return list(documents.values())
