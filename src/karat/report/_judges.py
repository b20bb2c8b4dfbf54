"""The sections of the judges with a method of their own: the guarantee, and clarity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat import plot
from karat.labelings.labels import NOISE
from karat.report._page import Picture, Section, plain
from karat.study.base import points_of

if TYPE_CHECKING:
    from karat.report._facts import Facts

MOST_FOR_CLARITY = 20_000
MOST_PAIRS = 5
MOST_CLUSTERS_DRAWN = 100


def judgement(facts: Facts) -> Section | None:
    """What the learned judge expects of the choice, and why."""
    from karat.study.deciders import JUDGE
    from karat.study.judging import draw_labels

    if facts.chosen is None or facts.decided_by != JUDGE:
        return None
    found = facts.study.judged()
    if found is None:
        return None
    name = facts.chosen.choice.name
    expected, said = found.expected(name), found.judgement
    evidence = "is enough" if said.has_structure else "is not enough"
    sentences = [
        "Expected agreement with the structure that experts would name: ARI "
        f"{expected['predicted']:.2f} ({max(expected['low'], 0):.2f}–{expected['high']:.2f}, "
        f"80 % interval), by {found.judge.name}, which was trained on data sets whose classes are "
        "known.",
        f"Evidence that there are clusters at all: {said.structure:.2f}, which {evidence} "
        f"({found.judge.limit:.2f} is needed).",
    ]
    k = facts.distinct["n_clusters"].astype(int)
    places = {other: i for i, other in enumerate(facts.table["name"])}
    rows = []
    for other, use in found.shortlist:
        about = found.expected(other)
        about["low"] = max(about["low"], 0.0)
        agreement = facts.table["sample_agreement"][places[other]]
        rows.append(
            {"name": other, "use": use, "k": int(k[other]), "agreement": agreement, **about}
        )
    values: dict[str, Any] = {
        "sentences": sentences,
        "average": said.average,
        "contributions": [
            (kind, f"{part:+.2f}") for kind, part in found.contributions(name).items()
        ],
        "shortlist": rows,
        "sampled": facts.fitted_on is not None,
    }
    gain = found.judge.gain(expected["predicted"])
    if gain is not None:
        values["gain"] = (
            f"With 10, 20 and 40 random labels the choice was better by {gain[0]:.2f}, "
            f"{gain[1]:.2f} and {gain[2]:.2f} on data judged like these. To draw the objects to "
            "label:"
        )
        values["command"] = draw_labels(facts.study)
    return Section("judgement", "What the judge expects", "Judgement", "judgement.html", values)


def guarantee(facts: Facts) -> Section | None:
    """What the known labels guarantee about the others."""
    choice = None if facts.chosen is None else facts.chosen.choice
    if choice is None or choice.bound is None:
        return None
    from karat.bounds import Guarantee, forecast_labels, percent_up
    from karat.study.deciders import against_classifier

    own = choice.bound
    # all of what is drawn holds together with the bound that is told
    beside = ""
    if isinstance(own, Guarantee) or choice.decided_by == "judge-and-labels":
        tightest = facts.study.guarantee()
        table, beside = tightest.table, f", by PAC-MDL, but {tightest.name} by the guarantee"
    else:
        table = facts.study.bounds().table
    sentences = [own.sentence, own.reason]
    if own.bound_rate >= own.constant_bound_rate:
        sentences.append(
            "That is no better than always guessing the largest class: with these labels the "
            "clustering guarantees nothing of its own."
        )
    if told := against_classifier(facts.study, own):
        sentences.append(told)
    if own.n and own.m:
        target = float(f"{own.bound_rate / 2:.2g}")
        sentences.append(str(forecast_labels(own, target)))
    sentences.append(
        "The guarantee is about labels that were drawn at random from all objects (karat sample "
        "draws them), and covers every clustering of this study at once."
    )
    sentences += [f"Warning: {warning}." for warning in own.warnings]
    table = table.assign(clusterer=facts.scores["clusterer"])
    figure = plot.bound_by_k(table, chosen=own.name)
    picture = Picture(
        "bound",
        figure,
        f"Guaranteed error rate against the number of clusters: the choice has at most "
        f"{percent_up(own.bound_rate)} at {own.n_clusters} clusters, always guessing the largest "
        f"class {percent_up(own.constant_bound_rate)}.",
        f"Lower is better. One line for each clusterer: its best bound at each number of clusters, "
        f"out of {len(table):,} candidates{beside}. All of them hold at once. The level is that of "
        "the constant classifier.",
    )
    return plain("guarantee", "The guarantee", "Guarantee", sentences, picture)


def clarity(facts: Facts) -> Section | None:
    """Which clusters a classifier can recognise, and which it takes for each other."""
    if facts.chosen is None or facts.study.metric == "graph":
        return None
    chosen = facts.chosen
    if facts.study.n_objects > MOST_FOR_CLARITY or len(chosen.clusters) < 2:
        return None
    from karat.measures.clarity import assess

    X, metric = points_of(facts.study)

    names = np.array([*chosen.names, NOISE], dtype=object)
    found = assess(
        X,
        {"chosen": names[chosen.labels]},
        metric=metric,
        noise="drop",
        random_state=0,
    )
    row = found.table.iloc[0]
    sentences = [
        "Five nearest neighbours, trained on all other objects, put "
        f"{row['accuracy']:.1%} of the objects into the cluster that they are in. Informativeness "
        f"is {row['informativeness']:.3f} ± {row['standard_error']:.3f}: 1 where everybody could "
        "learn the clusters, 0 where none can."
    ]
    pairs = found.confused_pairs(0).head(MOST_PAIRS)
    if len(pairs):
        told = [f"{pair.a} and {pair.b} ({pair.confusion:.1%})" for pair in pairs.itertuples()]
        sentences.append(f"Hardest to tell apart: {', '.join(told)}.")
    pictures = [
        Picture(
            "clarity",
            plot.cluster_clarity(found),
            f"Share of each of the {len(chosen.clusters)} clusters' objects that is recognised.",
            "The share of a cluster's objects that a classifier puts into it.",
        )
    ]
    if len(pairs) and len(chosen.clusters) <= MOST_CLUSTERS_DRAWN:
        pictures.append(
            Picture(
                "confusion",
                plot.cluster_confusion(found),
                "Heat map: objects of each cluster by the cluster they are predicted to be in.",
                "Rows: the clusters; columns: what their objects are taken for.",
            )
        )
    return plain("clarity", "Can the clusters be learnt?", "Clarity", sentences, *pictures)


MOST_CHANGING = 12


def stability(facts: Facts) -> Section | None:
    """Whether the clusters and their number would be found again, where the study was asked."""
    if facts.chosen is None:
        return None
    chosen, ids = facts.chosen, facts.study.dataset.ids
    found = facts.study.kept_stability(chosen.choice.name)
    if found is None:
        return None
    pictures = []
    if found.curve is not None:
        beside = ""
        if found.n_references:
            beside = (
                f" Grey: {found.n_references} data sets each of one Gaussian and one uniform box "
                "with the principal axes of the data, of which the more stable kind is drawn."
            )
            if found.curve.table["null"].isna().any():
                beside += " It is left out where it could not change the answer."
        pictures.append(
            Picture(
                "stability",
                plot.stability_by_k(found.curve),
                f"Stability against the number of clusters. {found.number}",
                f"Of the objects in a cluster of {found.clusterer} on half of the data, the share "
                "that one cluster on another half holds, for the worst cluster, over the objects "
                f"in both, with twice its error.{beside}",
            )
        )
    if len(found.shown):
        pictures.append(
            Picture(
                "consensus",
                plot.consensus(found),
                f"Heat map: how often {len(found.shown)} objects share a cluster in subsamples.",
                f"{len(found.shown):,} of {len(chosen.labels):,} objects in the order of the "
                "dendrogram of average linkage. Such a map looks crisp on data without clusters, "
                "too; compare the curve with its null.",
            )
        )
    at = {int(row): i for i, row in enumerate(found.rows)}
    changing = [
        {
            "id": str(ids[row]),
            "cluster": chosen.names[chosen.labels[row]],
            "stays": float(found.clusters.objects[at[int(row)]]),
        }
        for row in found.changing[:MOST_CHANGING]
    ]
    clusters = [
        {"name": chosen.names[cluster], **row}
        for cluster, row in zip(
            found.clusters.table.index.tolist(),
            found.clusters.table.to_dict("records"),
            strict=True,
        )
    ]
    sentences = [*found.told(len(chosen.labels))]
    if len(found.changing):
        sentences.append(
            f"{len(found.changing):,} of {len(found.rows):,} objects are outside of their cluster "
            "in most resamples."
        )
    return Section(
        "stability",
        "Would the clusters be found again?",
        "Stability",
        "stability.html",
        {"sentences": sentences, "clusters": clusters, "changing": changing},
        tuple(pictures),
    )
