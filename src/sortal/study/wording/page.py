"""Descriptions and captions of the report's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sortal.runtime.numerals import percent, percent_up
from sortal.study.wording.phrases import clusters

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from sortal.study.facts import AnswerFacts


def bound_figure(answer: AnswerFacts, n: int) -> tuple[str, str]:
    """Description and caption of the curve of the bound."""
    guarantee = answer.guarantee
    assert guarantee is not None
    return (
        "Guaranteed maximum error rate against the number of clusters: the guarantee has "
        f"{percent_up(guarantee.bound_rate)} at {clusters(guarantee.n_clusters)}; always guessing "
        f"the largest class is wrong for {percent_up(guarantee.constant_error_rate)} of the "
        "labelled objects.",
        f"Lower is better. Each line has a clusterer's best PAC-MDL bounds, of {n:,} candidates in "
        f"all; the ring is {guarantee.name} by the guarantee. All hold at once.",
    )


def stability_figure(answer: AnswerFacts, references: int, somewhere: bool) -> str:
    """Caption of the curve of stability."""
    assert answer.stability is not None
    beside = ""
    if references:
        beside = f" Grey: the more stable of two kinds of null references ({references} each)."
        if somewhere:
            beside += " They are omitted where they cannot change the answer."
    return (
        f"The share of a cluster's objects that stay together when {answer.stability.clusterer} is "
        f"fitted to another half, for the worst cluster, with twice its error.{beside}"
    )


def consensus(n_shown: int, n: int) -> tuple[str, str]:
    """Description and caption of the consensus matrix."""
    return (
        f"Heat map: how often each two of {n_shown:,} objects share a cluster in subsamples.",
        f"Dark blocks are groups that subsamples agree on ({n_shown:,} of {n:,} objects). The map "
        "looks crisp even for data without clusters; the curve of stability tells them apart.",
    )


def elbow(
    within: pd.Series[float], first: int, chosen: int, n_sampled: int, n_objects: int
) -> tuple[str, str]:
    """Description and caption of the elbow."""
    sample = (
        ""
        if n_sampled == n_objects
        else f" Both use a random sample: {n_sampled:,} of {n_objects:,} objects."
    )
    verdict = "says the same" if first == chosen else f"says {first:,}"
    return (
        f"Within-cluster sum of squares of k-means for 1 to {len(within)} clusters, from "
        f"{within.iloc[0]:,.4g} down to {within.iloc[-1]:,.4g}, and the gap statistic, whose rule "
        f"stops at {clusters(first)}.",
        "The sum of squares falls with every further cluster, even in uniform data (grey). The gap "
        f"is the distance of the two lines. The ring marks the clustering to use, of "
        f"{clusters(chosen)}; the gap's own rule {verdict} and did not decide.{sample}",
    )


def dendrogram(name: str, k: int, span: Sequence[float], *, chosen: bool) -> tuple[str, str]:
    """Description and caption of the dendrogram."""
    which = "the clustering to use" if chosen else "the best clustering that is cut from a tree"
    heights = ""
    if np.isfinite(span).all():
        heights = f", anywhere between the heights {span[0]:.3g} and {span[1]:.3g}"
    return (
        f"Dendrogram of {name} with the cut into {clusters(k)}{heights}.",
        f"The tree of {name}, {which}. Groups merge from the bottom up; higher ones differ more. "
        f"The dashed line cuts it into {clusters(k)}{heights}. A number in brackets counts the "
        "objects of a branch. The colours differ from those of the map.",
    )


def changing(n: int, n_judged: int) -> str:
    """Sentence on how many objects change their cluster in most resamples."""
    return f"{n:,} of {n_judged:,} objects are outside of their cluster in most resamples."


def clarity(row: pd.Series[float], pairs: pd.DataFrame) -> list[str]:
    """Sentences on how well a classifier learns the clusters."""
    sentences = [
        "Five nearest neighbours, trained on all other objects, put "
        f"{percent(row['accuracy'], 1)} of the objects into the cluster that they are in. "
        f"Informativeness is {row['informativeness']:.3f} ± {row['standard_error']:.3f}: "
        "1 where everybody could learn the clusters, 0 where none can."
    ]
    if len(pairs):
        hard = ", ".join(
            f"{a} and {b} ({percent(share, 1)})"
            for a, b, share in zip(pairs["a"], pairs["b"], pairs["confusion"], strict=True)
        )
        sentences.append(f"Hardest to tell apart: {hard}.")
    return sentences
