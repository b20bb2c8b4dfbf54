"""The sections about the clusters of the choice: how well they fit, and what they are made of."""

from __future__ import annotations

import numpy as np

from karat import plot
from karat.labelings.contingency import ContingencyTable
from karat.labelings.labels import NOISE
from karat.plot.style import percent
from karat.report._facts import Facts
from karat.report._page import Picture, Section, plain
from karat.runtime.validation import InputError


def fit(facts: Facts) -> Section | None:
    """How well the objects fit their clusters."""
    chosen, data = facts.choice, facts.study.dataset
    values, why = chosen.silhouettes
    if values is None:
        return plain("fit", "How well objects fit", [f"There is no silhouette profile: {why}."])
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
        f"Silhouette plot: mean {np.nanmean(values):.3f}, {percent(below)} of the objects "
        "below 0; the table of clusters has the mean of each.",
        "The silhouette plot, a line for each object. 1: far from every other cluster; 0: between "
        "two; below 0: nearer to another cluster than to its own. The broken line is the mean of "
        "all objects." + note,
    )
    return Section(
        "fit",
        "How well objects fit",
        "fit.html",
        {"below": below, "mean": float(np.nanmean(values)), "misfits": misfits},
        (picture,),
    )


def features(facts: Facts) -> Section | None:
    """What the clusters are made of; of documents the topics say it."""
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
    few = len(names) <= 12
    return Section(
        "features",
        "What sets them apart",
        "features.html",
        {"rows": rows if few else [], "clusters": list(names.values())},
        (picture,),
    )


def differences(facts: Facts) -> Section | None:
    """Whether the clusters differ, where the study was asked and a valid test is known."""
    from karat.study import kept_differences, why_untested
    from karat.study.wording import tested, untested

    if facts.chosen is None:
        return None
    chosen, title = facts.chosen, "Do they differ?"
    found = kept_differences(facts.study)
    if found is None:
        return plain("differences", title, [untested(why_untested(facts.study))])
    told = tested(found, chosen.labels, chosen.short_names)
    return Section("differences", title, "differences.html", {"told": told})


def classes(facts: Facts) -> Section | None:
    """The clusters against the known classes."""
    truth = facts.study.truth
    if truth is None:
        return None
    chosen, data = facts.choice, facts.study.dataset
    known = np.array([value is not None for value in truth])
    kept = known & (chosen.labels != NOISE)
    if not kept.any():
        return plain(
            "classes",
            "Against the known classes",
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
        return plain("classes", "Against the known classes", [*sentences, f"No picture: {error}."])
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
        "classes.html",
        {"sentences": sentences, "rows": rows, "columns": [str(c) for c in table.column_names]},
        (picture,),
    )
