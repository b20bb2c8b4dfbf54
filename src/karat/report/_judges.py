"""The sections on the learned judge, the guarantee, clarity and stability."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np

from karat import plot
from karat.labelings.labels import NOISE
from karat.plot import style
from karat.plot.bound import bounds_figure
from karat.report._parts import Picture, Section, plain
from karat.runtime.csv_text import to_csv
from karat.study import wording
from karat.study.wording import page
from karat.study.wording.grounds import guarantee as guarantee_sentences
from karat.study.wording.grounds import more_labels

if TYPE_CHECKING:
    from karat.report._facts import Facts

MOST_FOR_CLARITY = 20_000
#: rows in a file that the page carries
MOST_DOWNLOADED = 20_000
MOST_CONFUSED = 5


def judgement(facts: Facts) -> Section | None:
    """The learned judge's expectation of the choice, and its reasons."""
    answer = facts.choice.answer
    if answer.expected is None:
        return None
    parts = [(part.kind, f"{part.value:+.2f}") for part in answer.contributions]
    values = {"average": answer.average, "contributions": parts}
    return Section("judgement", "What the judge expects", "judgement.html", values)


def guarantee(facts: Facts) -> Section | None:
    """The guarantee for the unlabelled objects."""
    answer = facts.choice.answer
    if answer.guarantee is None:
        return None
    statement = answer.guarantee
    sentences = [statement.sentence, *guarantee_sentences(answer), *more_labels(answer)]
    # all drawn bounds hold together with the guarantee
    table = statement.table.assign(clusterer=facts.scores["clusterer"])
    alt, caption = page.bound_figure(answer, len(table))
    # the ring is the guarantee itself, whatever bound the curves are of
    ring = style.ring([statement.n_clusters], [statement.bound_rate], "guaranteed")
    picture = Picture("bound", bounds_figure(table, ring), alt, caption)
    values = {"sentences": sentences, "classes": _classes_file(facts)}
    return Section("guarantee", "The guarantee", "guarantee.html", values, (picture,))


def _classes_file(facts: Facts) -> str:
    """The class of every row as CSV in base64; empty where none is guaranteed, or rows are many."""
    answer, data = facts.choice.answer, facts.study.dataset
    if answer.guarantee is None or answer.guarantee.refused or answer.n_objects > MOST_DOWNLOADED:
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
    if facts.study.metric == "graph" or n > MOST_FOR_CLARITY or len(chosen.clusters) < 2:
        return None
    from karat.measures.clarity import assess

    X, metric = facts.study.tried.objects.points
    names = np.array([*chosen.names, NOISE], dtype=object)
    labelings = {"chosen": names[chosen.labels]}
    result = assess(X, labelings, metric=metric, noise="drop", random_state=0)
    pairs = result.confused_pairs(0).head(MOST_CONFUSED)
    sentences = page.clarity(result.table.iloc[0], pairs)
    picture = Picture(
        "clarity",
        plot.cluster_clarity(result),
        f"Share of each of the {len(chosen.clusters)} clusters' objects that is recognised.",
        "The share of a cluster's objects that a classifier puts into it.",
    )
    return plain("clarity", "Can the clusters be learnt?", sentences, picture)


MOST_CHANGING = 12


def stability(facts: Facts) -> Section | None:
    """Whether the clusters and their number would be found again, where it was assessed."""
    from karat.study import kept_assessment

    chosen, ids = facts.choice, facts.study.dataset.ids
    answer = chosen.answer
    assessment = kept_assessment(facts.study.tried, answer.name)
    if assessment is None or answer.stability is None:
        return None
    sentences = wording.stability(answer)
    n, curve = assessment.n_references, assessment.curve
    somewhere = n > 0 and curve is not None and bool(curve.table["null"].isna().any())
    pictures = []
    if curve is not None:
        figure = plot.stability_by_k(curve)
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
        for row in assessment.changing[:MOST_CHANGING]
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
