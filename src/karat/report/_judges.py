"""The sections of the judges with a method of their own: the guarantee, and clarity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat import plot
from karat.labelings.labels import NOISE
from karat.report._page import Picture, Section, plain
from karat.study import wording
from karat.study.wording import page
from karat.study.wording.grounds import guarantee as told_by

if TYPE_CHECKING:
    from karat.report._facts import Facts

MOST_FOR_CLARITY = 20_000
MOST_PAIRS = 5


def judgement(facts: Facts) -> Section | None:
    """What the learned judge expects of the choice, and why."""
    answer = facts.choice.answer
    if answer.expected is None:
        return None
    parts = [(part.kind, f"{part.value:+.2f}") for part in answer.contributions]
    values = {"average": answer.average, "contributions": parts}
    return Section("judgement", "What the judge expects", "judgement.html", values)


def guarantee(facts: Facts) -> Section | None:
    """What the known labels guarantee about the others."""
    answer = facts.choice.answer
    if answer.guarantee is None:
        return None
    from karat.bounds import Guarantee, forecast_labels

    own = answer.guarantee
    # all of what is drawn holds together with the bound that is told
    beside = None
    if isinstance(own, Guarantee) or answer.labelled is not None:
        tightest = facts.study.guarantee()
        table, beside = tightest.table, tightest.name
    else:
        table = facts.study.bounds().table
    sentences = [own.sentence, *told_by(answer)]
    if own.n and own.m:
        sentences.append(str(forecast_labels(own)))
    table = table.assign(clusterer=facts.scores["clusterer"])
    alt, caption = page.bound_figure(answer, len(table), beside)
    figure = plot.bound_by_k(table, chosen=own.name)
    # the ring is the guarantee that is told, whatever bound the curves are of
    figure.data[-1].update(x=[own.n_clusters], y=[own.bound_rate], name="guaranteed")
    picture = Picture("bound", figure, alt, caption)
    return plain("guarantee", "The guarantee", sentences, picture)


def clarity(facts: Facts) -> Section | None:
    """Which clusters a classifier can recognise, and which it takes for each other."""
    chosen, n = facts.choice, facts.study.n_objects
    if facts.study.metric == "graph" or n > MOST_FOR_CLARITY or len(chosen.clusters) < 2:
        return None
    from karat.measures.clarity import assess

    X, metric = facts.study.tried.objects.points
    names = np.array([*chosen.names, NOISE], dtype=object)
    labelings = {"chosen": names[chosen.labels]}
    found = assess(X, labelings, metric=metric, noise="drop", random_state=0)
    pairs = found.confused_pairs(0).head(MOST_PAIRS)
    sentences = page.clarity(found.table.iloc[0], pairs)
    picture = Picture(
        "clarity",
        plot.cluster_clarity(found),
        f"Share of each of the {len(chosen.clusters)} clusters' objects that is recognised.",
        "The share of a cluster's objects that a classifier puts into it.",
    )
    return plain("clarity", "Can the clusters be learnt?", sentences, picture)


MOST_CHANGING = 12


def stability(facts: Facts) -> Section | None:
    """Whether the clusters and their number would be found again, where the study was asked."""
    from karat.study import kept_assessment

    chosen, ids = facts.choice, facts.study.dataset.ids
    answer = chosen.answer
    found = kept_assessment(facts.study.tried, answer.name)
    if found is None or answer.stability is None:
        return None
    sentences = wording.stability(answer)
    n, curve = found.n_references, found.curve
    somewhere = n > 0 and curve is not None and bool(curve.table["null"].isna().any())
    pictures = []
    if curve is not None:
        figure = plot.stability_by_k(curve)
        alt = f"Stability against the number of clusters. {sentences[0]}"
        caption = page.stability_figure(answer, n, somewhere)
        pictures.append(Picture("stability", figure, alt, caption))
    at = {int(row): i for i, row in enumerate(found.rows)}
    changing = [
        {
            "id": str(ids[row]),
            "cluster": chosen.names[chosen.labels[row]],
            "stays": float(found.clusters.objects[at[int(row)]]),
        }
        for row in found.changing[:MOST_CHANGING]
    ]
    table = found.clusters.table
    clusters = [
        {"name": chosen.names[cluster], **row}
        for cluster, row in zip(table.index.tolist(), table.to_dict("records"), strict=True)
    ]
    if len(found.changing):
        sentences.append(page.changing(len(found.changing), len(found.rows)))
    values = {"sentences": sentences, "clusters": clusters, "changing": changing}
    title = "Would the clusters be found again?"
    return Section("stability", title, "stability.html", values, tuple(pictures))
