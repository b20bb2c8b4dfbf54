"""The sections on the learned judge, the guarantee, clarity and stability."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.labelings.labels import NOISE
from sortal.report._parts import LIMITS, Picture, Section, bars, lines, plain, series
from sortal.runtime.csv_text import to_csv
from sortal.study.wording import page
from sortal.study.wording.why import guarantee as guarantee_sentences
from sortal.study.wording.why import stability as stability_sentences

if TYPE_CHECKING:
    from sortal.measures.clarity import Clarity
    from sortal.report._facts import Facts


def guarantee(facts: Facts) -> Section | None:
    """The guarantee for the unlabelled objects."""
    answer = facts.choice.answer
    if answer.guarantee is None:
        return None
    statement = answer.guarantee
    sentences = guarantee_sentences(answer)
    # all drawn bounds hold together with the guarantee
    table = statement.table.assign(clusterer=facts.scores["clusterer"])
    alt, caption = page.bound_figure(answer, len(table))
    curves = []
    for name, group in table.groupby("clusterer", sort=False):
        lowest = group.groupby("n_clusters")["bound_rate"].min()
        curves.append(series(str(name), lowest.index, lowest))
    ends = [int(table["n_clusters"].min()), int(table["n_clusters"].max())]
    level = [float(table["constant_error_rate"].median())] * 2
    curves.append(series("always the largest class", ends, level, grey=True))
    # the ring is the guarantee itself, whatever bound the curves are of
    ring = (statement.n_clusters, statement.bound_rate)
    drawing = lines(
        curves, "Number of clusters", "Guaranteed maximum error", ring=ring, percent=True
    )
    picture = Picture("bound", drawing, alt, caption)
    values = {"sentences": sentences, "classes": _classes_file(facts)}
    return Section("guarantee", "The guarantee", "guarantee.html", values, (picture,))


def _classes_file(facts: Facts) -> str:
    """The class of every row as CSV in base64; empty where none is guaranteed, or rows are many."""
    answer, data = facts.choice.answer, facts.study.dataset
    if answer.guarantee is None or answer.guarantee.refused or answer.n_objects > LIMITS.rows:
        return ""
    table = answer.classes
    table.insert(0, "row", np.arange(len(table)) if data.rows is None else data.rows)
    if data.ids is not None:
        table.insert(1, "id", data.ids)
    table["cluster"] = answer.labels
    return base64.b64encode(to_csv(table).encode()).decode()


def clarity(facts: Facts) -> Section | None:
    """The clusters that a classifier recognises, and those it confuses."""
    chosen, n = facts.choice, facts.study.n_objects
    if facts.study.metric == "graph" or n > LIMITS.rows or len(chosen.clusters) < 2:
        return None
    from sortal.measures.clarity import assess

    X, metric = facts.study.state.objects.points
    names = np.array([*chosen.names, NOISE], dtype=object)
    labelings = {"chosen": names[chosen.labels]}
    result = assess(X, labelings, metric=metric, noise="drop", random_state=0)
    pairs = result.confused_pairs(0).head(LIMITS.confused)
    sentences = page.clarity(result.table.iloc[0], pairs)
    picture = Picture(
        "clarity",
        _recognised(result),
        f"Share of each of the {len(chosen.clusters)} clusters' objects that is recognised.",
        "The share of a cluster's objects that a classifier puts into it.",
    )
    return plain("clarity", "Can the clusters be learnt?", sentences, picture)


def _recognised(result: Clarity) -> dict[str, Any]:
    """Bars of the objects that a classifier recognises, and takes for other clusters."""
    table = result.per_cluster(0).sort_values("recall", ascending=False, kind="stable")
    others = np.maximum(1 - table["recall"] - table["taken_for_share"], 0)
    parts = {
        "recognised": table["recall"],
        "taken for the next": table["taken_for_share"],
        "taken for others": others,
    }
    return bars(list(map(str, table.index)), parts)


def stability(facts: Facts) -> Section | None:
    """Whether the clusters and their number would be found again, where it was assessed."""
    from sortal.study import kept_assessment

    chosen, ids = facts.choice, facts.study.dataset.ids
    answer = chosen.answer
    assessment = kept_assessment(facts.study.state, answer.name)
    if assessment is None or answer.stability is None:
        return None
    sentences = stability_sentences(answer)
    n, curve = assessment.n_references, assessment.curve
    somewhere = n > 0 and curve is not None and bool(curve.table["null"].isna().any())
    pictures = []
    if curve is not None:
        numbers = curve.table.index.to_numpy()
        curves = [
            series("data", numbers, curve.table["value"], error=2 * curve.table["standard_error"])
        ]
        if "null" in curve.table:
            null, error = curve.table["null"], 2 * curve.table["null_error"]
            curves.append(series("without clusters", numbers, null, error=error, grey=True))
        figure = lines(curves, "Number of clusters", "Stability")
        alt = f"Stability against the number of clusters. {sentences[0]}"
        caption = page.stability_figure(answer, n, somewhere)
        pictures.append(Picture("stability", figure, alt, caption))
    positions = {int(row): i for i, row in enumerate(assessment.rows)}
    changing = [
        {
            "id": str(ids[row]),
            "cluster": chosen.names[chosen.labels[row]],
            "stays": float(assessment.clusters.objects[positions[int(row)]]),
        }
        for row in assessment.changing[: LIMITS.listed]
    ]
    table = assessment.clusters.table
    clusters = [
        {"name": chosen.names[cluster], **row}
        for cluster, row in zip(table.index.tolist(), table.to_dict("records"), strict=True)
    ]
    if len(assessment.changing):
        sentences.append(page.changing(len(assessment.changing), len(assessment.rows)))
    values = {"sentences": sentences, "clusters": clusters, "changing": changing}
    title = "Would the clusters be found again?"
    return Section("stability", title, "stability.html", values, tuple(pictures))
