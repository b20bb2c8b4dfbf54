"""Sections on the chosen clusters: how well objects fit, features, classes and topics."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat import plot
from karat.labelings.contingency import ContingencyTable
from karat.labelings.labels import NOISE
from karat.plot.style import color, symbol
from karat.report._facts import Chosen, Facts, snippet
from karat.report._parts import Picture, Section, plain
from karat.runtime.numerals import percent
from karat.runtime.validation import InputError
from karat.text import topic_quality

#: topics at most, and documents of each
MOST_TOPICS, READ = 60, 3


def fit(facts: Facts) -> Section | None:
    """Silhouettes of the objects, and the objects that fit worst."""
    chosen, data = facts.choice, facts.study.dataset
    silhouettes, why = chosen.silhouettes
    if silhouettes is None:
        return plain("fit", "How well objects fit", [f"There is no silhouette profile: {why}."])
    codes = chosen.labels[chosen.sampled]
    below = float(np.nanmean(silhouettes < 0))
    drawn, n = len(chosen.sampled), len(chosen.labels)
    note = f" Taken within a random sample of {drawn:,} of the {n:,} objects." if drawn < n else ""
    worst = np.argsort(np.where(np.isnan(silhouettes), np.inf, silhouettes), kind="stable")[:12]
    misfits = [
        {
            "id": str(data.ids[chosen.sampled[i]]),
            "cluster": chosen.names[codes[i]],
            "value": float(silhouettes[i]),
        }
        for i in worst
        if silhouettes[i] < 0
    ]
    picture = Picture(
        "silhouettes",
        plot.silhouette_profile(silhouettes, codes, names=chosen.names),
        f"Silhouette plot: mean {np.nanmean(silhouettes):.3f}, {percent(below)} of the objects "
        "below 0; the table of clusters has the mean of each.",
        "The silhouette plot, a line for each object. 1: far from every other cluster; 0: between "
        "two; below 0: nearer to another cluster than to its own. The broken line is the mean of "
        "all objects." + note,
    )
    values = {"below": below, "mean": float(np.nanmean(silhouettes)), "misfits": misfits}
    return Section("fit", "How well objects fit", "fit.html", values, (picture,))


def features(facts: Facts) -> Section | None:
    """The features of the clusters, unless the data are documents."""
    data = facts.study.dataset
    if data.of_documents or not data.n_features:
        return None
    chosen = facts.choice
    profile = chosen.profile
    if not (profile.explained > 0).any():
        return None
    shown = min(20, int((profile.explained > 0).sum()))
    total = facts.study.X.shape[1]
    which = f"The {shown} of {total:,} features that differ most between the clusters"
    if shown == total:
        which = "All features"
    strongest = int(np.argmax(profile.explained))
    names = {c: chosen.names[c] for c in chosen.clusters}
    picture = Picture(
        "features",
        plot.feature_profile(profile, n_features=shown, names=chosen.names),
        f"Heat map of the means of {shown} features in {len(names)} clusters; the feature that "
        f"tells them apart best is {profile.names[strongest]}. A table of the values follows.",
        f"{which}, by the share of their variance that lies between clusters (η²), largest "
        "first. Numbers are means in original units; blue is above, "
        "orange below the mean of all objects.",
        min_width=min(900, 260 + 64 * len(names)) if len(names) > 2 else 0,
    )
    order = np.argsort(-profile.explained, kind="stable")[:shown]
    rows = [
        {
            "name": profile.names[j],
            "explained": float(profile.explained[j]),
            "overall": float(profile.overall[j]),
            "means": [float(v) for v in profile.means[:, j]],
        }
        for j in order
    ]
    values = {"rows": rows if len(names) <= 12 else [], "clusters": list(names.values())}
    return Section("features", "What sets them apart", "features.html", values, (picture,))


def differences(facts: Facts) -> Section | None:
    """Tests of differences between clusters, where the study has them."""
    from karat.study import kept_differences, why_untested
    from karat.study.wording import tested, untested

    if facts.chosen is None:
        return None
    chosen, title = facts.chosen, "Do they differ?"
    tests = kept_differences(facts.study.tried)
    if tests is None:
        return plain("differences", title, [untested(why_untested(facts.study.tried))])
    summary = tested(tests, chosen.labels, chosen.short_names)
    return Section("differences", title, "differences.html", {"summary": summary})


def classes(facts: Facts) -> Section | None:
    """The clusters compared with the known classes."""
    truth = facts.study.y
    if truth is None:
        return None
    chosen, data, title = facts.choice, facts.study.dataset, "Against the known classes"
    is_known = np.array([value is not None for value in truth])
    kept = is_known & (chosen.labels != NOISE)
    if not kept.any():
        return plain("classes", title, ["No object with a known class is in a cluster."])
    names = np.array(chosen.names, dtype=object)
    table = ContingencyTable(truth[kept], names[chosen.labels[kept]], noise="cluster")
    sentences = [f"Of {len(truth):,} objects the class of {int(is_known.sum()):,} is known."]
    if kept.sum() < is_known.sum():
        sentences[0] += f" {int((is_known & ~kept).sum()):,} of these are outliers and not counted."
    try:
        figure = plot.contingency(table, row_title=data.truth_name or "Class")
    except InputError as error:
        return plain("classes", title, [*sentences, f"No picture: {error}."])
    picture = Picture(
        "contingency",
        figure,
        f"Heat map of counts: {table.shape[0]} classes by {table.shape[1]} clusters.",
        "Objects of each class in each cluster; shading is the share of the cluster. Clusters are "
        "ordered to put the best match of each class on the diagonal.",
        min_width=min(1100, 160 + 44 * table.shape[1]) if table.shape[1] > 6 else 0,
    )
    rows = None
    if table.to_array().size <= 600:
        rows = [
            (str(name), line)
            for name, line in zip(table.row_names, table.to_array().tolist(), strict=True)
        ]
    values = {"sentences": sentences, "rows": rows, "columns": list(map(str, table.column_names))}
    return Section("classes", title, "classes.html", values, (picture,))


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
        {"cards": cards[:MOST_TOPICS], "hidden": max(0, len(cards) - MOST_TOPICS), **mean},
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
        if len(documents) == READ:
            break
    return list(documents.values())
