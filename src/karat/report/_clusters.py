"""The sections about the clusters of the choice: what they are, and how well they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat import plot
from karat.labelings.contingency import ContingencyTable
from karat.labelings.labels import NOISE
from karat.plot.style import color, number, percent, symbol
from karat.report._facts import Chosen, Facts, snippet
from karat.report._page import Picture, Section, plain
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from karat.datasets import Dataset

MOST_CLUSTERS_LISTED = 100
#: share of the variance above which a plane is taken for the data
MOST_KEPT = 0.9


def clusters(facts: Facts) -> Section | None:
    """The clusters of the choice: sizes, typical objects, what sets them apart, the plane."""
    if facts.chosen is None:
        return None
    chosen, data = facts.chosen, facts.study.dataset
    shown = chosen.drawn
    drawing = plot.projection(
        shown.X,
        chosen.labels,
        ids=_titles(data),
        truth=facts.study.truth,
        names=chosen.names,
        feature_names=chosen.feature_names,
        center=shown.center,
        scale=shown.scale,
    )
    meta = drawing.layout.meta
    caption = "Each mark is one object; its name is shown where you point."
    if meta["explained"] is not None:
        kept = sum(meta["explained"])
        if kept <= MOST_KEPT:
            caption += (
                f" The plane of the first two principal components keeps {percent(kept)} of the "
                "variance: clusters that overlap here may be separate in the data."
            )
    if meta["drawn"] < meta["n"]:
        caption += f" A random sample of {meta['drawn']:,} of the {meta['n']:,} objects is drawn."
    where = Picture(
        "map",
        drawing,
        f"Scatter plot of {meta['drawn']:,} objects in two dimensions, coloured and marked by "
        f"their cluster, {len(chosen.clusters)} clusters in all; the table that follows has "
        "their sizes and features.",
        caption,
    )
    return Section(
        "clusters",
        "The clusters",
        "Clusters",
        "clusters.html",
        {
            "rows": _cluster_rows(facts, chosen)[:MOST_CLUSTERS_LISTED],
            "hidden": max(0, len(chosen.clusters) - MOST_CLUSTERS_LISTED),
            "truth": facts.study.truth is not None,
            "terms": chosen.terms is not None,
            "has_silhouettes": chosen.silhouettes[0] is not None,
            "has_features": data.n_features > 0,
            "is_graph": facts.study.metric == "graph",
        },
        (where,),
    )


def _titles(data: Dataset) -> Any:
    """What a reader sees of an object where he points: its name, and how its text begins."""
    if data.texts is None:
        return data.ids
    return [f"{i}: {snippet(text, 90)}" for i, text in zip(data.ids, data.texts, strict=True)]


def _cluster_rows(facts: Facts, chosen: Chosen) -> list[dict[str, Any]]:
    data, n = facts.study.dataset, len(chosen.labels)
    truth = facts.study.truth
    silhouettes, _ = chosen.silhouettes
    own_labels = chosen.labels[chosen.sampled]
    titles = _titles(data)
    largest = max((int((chosen.labels == c).sum()) for c in chosen.clusters), default=1)
    rows = []
    for cluster in [*chosen.clusters, *([NOISE] if (chosen.labels == NOISE).any() else [])]:
        own = np.flatnonzero(chosen.labels == cluster)
        row: dict[str, Any] = {
            "name": "outliers" if cluster == NOISE else chosen.names[cluster],
            "color": color(cluster),
            "symbol": symbol(cluster),
            "size": len(own),
            "share": len(own) / n,
            "bar": min(1.0, len(own) / largest),
            "silhouette": None,
            "typical": None,
            "features": [],
            "classes": [],
        }
        if cluster != NOISE:
            row["typical"] = str(titles[chosen.typical[cluster]])
            if data.n_features:
                row["features"] = _telling(chosen, cluster)
            if facts.study.metric == "graph":
                edges = facts.study.X[own]
                row["kept"] = float(edges[:, own].sum() / (edges.sum() or 1.0))
            if silhouettes is not None and (own_labels == cluster).any():
                values = silhouettes[own_labels == cluster]
                row["silhouette"] = float(np.mean(values))
                row["misfits"] = float(np.mean(values < 0))
        if truth is not None:
            row["classes"] = _classes(truth[own])
        rows.append(row)
    return rows


def _telling(chosen: Chosen, cluster: int, count: int = 3) -> list[dict[str, Any]]:
    if chosen.terms is not None:
        own: Any = chosen.terms[chosen.terms["cluster"] == cluster].head(count)
        return [
            {"name": t.term, "up": True, "mean": percent(t.share), "overall": percent(t.rest)}
            for t in own.itertuples()
        ]
    profile = chosen.profile
    c = profile.clusters.index(cluster)
    return [
        {
            "name": profile.names[j],
            "up": bool(profile.deviation[c, j] > 0),
            "mean": number(float(profile.means[c, j]), 3),
            "overall": number(float(profile.overall[j]), 3),
        }
        for j in profile.most_telling(cluster, count)
    ]


def _classes(values: Any, most: int = 3) -> list[tuple[str, float]]:
    known = [v for v in values if v is not None]
    if not known:
        return []
    names, counts = np.unique(np.array([str(v) for v in known], dtype=object), return_counts=True)
    order = np.argsort(-counts, kind="stable")[:most]
    return [(str(names[i]), float(counts[i] / len(known))) for i in order]


def fit(facts: Facts) -> Section | None:
    """How well the objects fit their clusters."""
    if facts.chosen is None:
        return None
    chosen, data = facts.chosen, facts.study.dataset
    values, why = chosen.silhouettes
    if values is None:
        return plain(
            "fit", "How well objects fit", "Fit", [f"There is no silhouette profile: {why}."]
        )
    own = chosen.labels[chosen.sampled]
    below = float(np.nanmean(values < 0))
    note = ""
    if len(chosen.sampled) < len(chosen.labels):
        note = (
            f" Taken within a random sample of {len(chosen.sampled):,} of the "
            f"{len(chosen.labels):,} objects."
        )
    figure = plot.silhouette_profile(values, own, names=chosen.names)
    worst = np.argsort(np.where(np.isnan(values), np.inf, values), kind="stable")[:12]
    misfits = [
        {
            "id": str(data.ids[chosen.sampled[i]]),
            "cluster": chosen.names[own[i]],
            "value": float(values[i]),
        }
        for i in worst
        if values[i] < 0
    ]
    picture = Picture(
        "silhouettes",
        figure,
        f"Silhouette profile: mean {np.nanmean(values):.3f}, {percent(below)} of the objects "
        "below 0; the table of clusters has the mean of each.",
        "1: far from every other cluster; 0: between two; below 0: nearer to another cluster than "
        "to its own. The broken line is the mean of all objects." + note,
    )
    return Section(
        "fit",
        "How well objects fit",
        "Fit",
        "fit.html",
        {"below": below, "mean": float(np.nanmean(values)), "misfits": misfits},
        (picture,),
    )


def features(facts: Facts) -> Section | None:
    """What the clusters are made of; of documents the topics say it."""
    data = facts.study.dataset
    if facts.chosen is None or data.of_documents or not data.n_features:
        return None
    chosen = facts.chosen
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
    few = len(names) <= 12
    return Section(
        "features",
        "What sets them apart",
        "Features",
        "features.html",
        {"rows": rows if few else [], "clusters": list(names.values())},
        (picture,),
    )


def classes(facts: Facts) -> Section | None:
    """The clusters against the known classes."""
    truth = facts.study.truth
    if facts.chosen is None or truth is None:
        return None
    chosen, data = facts.chosen, facts.study.dataset
    known = np.array([value is not None for value in truth])
    kept = known & (chosen.labels != NOISE)
    if not kept.any():
        return plain(
            "classes",
            "Against the known classes",
            "Classes",
            ["No object with a known class is in a cluster."],
        )
    names = np.array(chosen.names, dtype=object)
    table = ContingencyTable(truth[kept], names[chosen.labels[kept]], noise="cluster")
    sentences = [f"Of {len(truth):,} objects the class of {int(known.sum()):,} is known."]
    if kept.sum() < known.sum():
        sentences[0] += f" {int((known & ~kept).sum()):,} of these are outliers and not counted."
    class_title = "Class" if data.truth_name is None else data.truth_name
    try:
        figure = plot.contingency(table, row_title=class_title)
    except InputError as error:
        return plain(
            "classes", "Against the known classes", "Classes", [*sentences, f"No picture: {error}."]
        )
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
    return Section(
        "classes",
        "Against the known classes",
        "Classes",
        "classes.html",
        {"sentences": sentences, "rows": rows, "columns": [str(c) for c in table.column_names]},
        (picture,),
    )
