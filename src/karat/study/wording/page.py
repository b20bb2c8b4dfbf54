"""Descriptions and captions of the report's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.bounds import percent_up
from karat.study.wording.phrases import clusters

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from karat.study.facts import AnswerFacts


def bound_figure(answer: AnswerFacts, n: int, beside: str | None) -> tuple[str, str]:
    """Description and caption of the curve of the bound."""
    guarantee = answer.guarantee
    assert guarantee is not None
    comparison = "" if beside is None else f", by PAC-MDL, but {beside} by the guarantee"
    return (
        "Guaranteed maximum error rate against the number of clusters: the choice has "
        f"{percent_up(guarantee.bound_rate)} at {clusters(guarantee.n_clusters)}; always guessing "
        f"the largest class is wrong for {percent_up(guarantee.constant_error_rate)} of the "
        "labelled objects.",
        "Lower is better. One line for each clusterer: its best bound at each number of clusters, "
        f"out of {n:,} candidates{comparison}. All of them hold at once. The level is that of the "
        "constant classifier.",
    )


def stability_figure(answer: AnswerFacts, references: int, somewhere: bool) -> str:
    """Caption of the curve of stability."""
    assert answer.stability is not None
    beside = ""
    if references:
        beside = (
            f" Grey: {references} null references each of one Gaussian and one uniform box with "
            "the principal axes of the data, of which the more stable kind is drawn."
        )
        if somewhere:
            beside += " It is omitted where it could not change the answer."
    return (
        f"Of the objects in a cluster of {answer.stability.clusterer} on half of the data, the "
        "share that one cluster on another half holds, for the worst cluster, over the objects in "
        f"both, with twice its error.{beside}"
    )


def consensus(shown: int, n: int) -> tuple[str, str]:
    """Description and caption of the consensus matrix."""
    return (
        f"Heat map: how often each two of {shown:,} objects share a cluster in subsamples.",
        f"Dark blocks are groups that subsamples of the data agree on; {shown:,} of {n:,} objects, "
        "in the order of a tree of average linkage. Such a map looks crisp for data without "
        "clusters, too: whether there are any, the curve of stability tells.",
    )


def elbow(table: pd.DataFrame, first: int, chosen: int, n: int, of: int) -> tuple[str, str]:
    """Description and caption of the elbow."""
    sample = "" if n == of else f" Both are of a random sample of {n:,} of {of:,} objects."
    verdict = "says the same" if first == chosen else f"says {first:,}"
    return (
        f"Within-cluster sum of squares of k-means for 1 to {len(table)} clusters, from "
        f"{table['within'].iloc[0]:,.4g} down to {table['within'].iloc[-1]:,.4g}, and the gap "
        f"statistic, whose rule stops at {clusters(first)}.",
        "Left, what varies within the clusters of k-means: it falls with every further cluster, "
        "in data spread evenly, too, which the grey line is. Right, the gap between the two "
        f"lines, with the ring at the clustering to use, of {clusters(chosen)}. The gap's own rule "
        f"(the first that the next one does not beat by more than its error) {verdict} and did "
        f"not decide.{sample}",
    )


def parallel_coordinates(shown: int, of: int, n_clusters: int) -> tuple[str, str]:
    """Description and caption of the parallel coordinates."""
    which = f"{shown} features" if shown < of else f"all {of} features"
    best = " These are the ones that differ most between the clusters." if shown < of else ""
    return (
        f"Parallel coordinates: the objects and the means of {clusters(n_clusters)} across "
        f"{which}. The heat map above has the means.",
        "A thin line is an object, a thick one the mean of a cluster; 0 is the mean of all "
        f"objects. Where thick lines part, the feature tells the clusters apart.{best}",
    )


def pairs(names: list[str], of: int) -> tuple[str, str]:
    """Description and caption of the scatter plots of pairs of features."""
    best = " the features that differ most between the clusters" if len(names) < of else ""
    return (
        f"Scatter plots of each two of {', '.join(names)}; a point is an object, its colour its "
        "cluster.",
        f"The objects by each two of{best or ' the features'}, in original units. Colours are "
        "those of the map.",
    )


def dendrogram(name: str, k: int, span: Sequence[float], *, chosen: bool) -> tuple[str, str]:
    """Description and caption of the dendrogram."""
    which = "the clustering to use" if chosen else "the best clustering that is cut from a tree"
    heights = ""
    if np.isfinite(span).all():
        heights = f", anywhere between the heights {span[0]:.3g} and {span[1]:.3g}"
    return (
        f"Dendrogram of {name} with the cut into {clusters(k)}{heights}.",
        f"The tree of {name}, {which}: groups merge from the bottom up, and the higher, the less "
        f"alike they are. The dashed line cuts it into {clusters(k)}{heights}; the longer the "
        "lines that it crosses, the clearer the cut. A number in brackets is a branch of so many "
        "objects. Its colours are its own, not those of the map.",
    )


def changing(n: int, of: int) -> str:
    """Sentence on how many objects change their cluster in most resamples."""
    return f"{n:,} of {of:,} objects are outside of their cluster in most resamples."


def clarity(row: pd.Series[float], pairs: pd.DataFrame) -> list[str]:
    """Sentences on how well a classifier learns the clusters."""
    sentences = [
        "Five nearest neighbours, trained on all other objects, put "
        f"{row['accuracy']:.1%} of the objects into the cluster that they are in. Informativeness "
        f"is {row['informativeness']:.3f} ± {row['standard_error']:.3f}: 1 where everybody could "
        "learn the clusters, 0 where none can."
    ]
    if len(pairs):
        hard = ", ".join(
            f"{pair.a} and {pair.b} ({pair.confusion:.1%})" for pair in pairs.itertuples()
        )
        sentences.append(f"Hardest to tell apart: {hard}.")
    return sentences
