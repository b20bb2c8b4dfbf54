"""The sections of the judges with a method of their own: the guarantee, and clarity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat import plot
from karat.partition import NOISE
from karat.report._parts import Picture, Section, plain

if TYPE_CHECKING:
    from karat.bounds import PacMdlBound
    from karat.report._facts import Facts

MOST_FOR_CLARITY = 20_000
MOST_PAIRS = 5
MOST_CLUSTERS_DRAWN = 100


def guarantee(facts: Facts) -> Section | None:
    """What the known labels guarantee about the others."""
    if facts.chosen is None or facts.chosen.choice.bound is None:
        return None
    from karat.bounds import forecast_labels

    bounds, own = facts.study.bounds(), facts.chosen.choice.bound
    sentences = [own.sentence, own.reason]
    if own.bound_rate >= own.constant_bound_rate:
        sentences.append(
            "That is no better than always guessing the largest class: with these labels the "
            "clustering guarantees nothing of its own."
        )
    sentences += _yardstick(facts, own)
    target = own.bound_rate / 2
    if own.n and own.m:
        sentences.append(str(forecast_labels(own, target)))
    sentences.append(
        "The guarantee is about labels that were drawn at random from all objects (karat sample "
        "draws them), and covers every clustering of this study at once."
    )
    sentences += [f"Warning: {warning}." for warning in own.warnings]
    table = bounds.table.assign(clusterer=facts.scores["clusterer"])
    figure = plot.bound_by_k(table, chosen=own.name)
    picture = Picture(
        "bound",
        figure,
        f"Guaranteed error rate against the number of clusters; the lowest is "
        f"{own.bound_rate:.1%} at {own.n_clusters} clusters, always guessing the largest class "
        f"has {own.constant_bound_rate:.1%}.",
        f"Lower is better. One line for each clusterer: its best bound at each number of clusters, "
        f"out of {len(bounds):,} candidates. The level is that of the constant classifier.",
    )
    return plain("guarantee", "The guarantee", "Guarantee", sentences, picture)


def _yardstick(facts: Facts, own: PacMdlBound) -> list[str]:
    """What a classifier trained on half of the same labels guarantees."""
    from karat.bounds import supervised_yardstick

    study = facts.study
    if study.n_objects > MOST_FOR_CLARITY or own.m < 4 or own.n == 0:
        return []
    table = supervised_yardstick(study.X, study.truth, own.delta, random_state=study.random_state)
    best = table["bound_rate"].astype(float).idxmin()
    rate = float(table["bound_rate"].min())
    told = f"{100 * rate:.1f} % ({str(best).replace('-', ' ')})"
    if rate < own.bound_rate:
        return [
            "A classifier trained on half of the labels and tested on the rest guarantees more: "
            f"{told}. To predict the classes, use that; to see the structure, the clustering."
        ]
    return [
        "The clustering guarantees more than a classifier trained on half of the labels and "
        f"tested on the rest, whose bound is {told}."
    ]


def clarity(facts: Facts) -> Section | None:
    """Which clusters a classifier can recognise, and which it takes for each other."""
    if facts.chosen is None:
        return None
    chosen, X = facts.chosen, facts.study.X
    if X.shape[0] > MOST_FOR_CLARITY or len(chosen.clusters) < 2:
        return None
    from karat.clarity import assess

    names = np.array([*chosen.names, NOISE], dtype=object)
    found = assess(
        X,
        {"chosen": names[chosen.labels]},
        metric=facts.study.metric,
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
