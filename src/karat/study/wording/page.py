"""Sentences of the report alone: its sections on the judge, the guarantee and resampling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.bounds import percent_up
from karat.study.wording.phrases import clusters, interval

if TYPE_CHECKING:
    import pandas as pd

    from karat.study.answer import Answer


def judgement(answer: Answer) -> list[str]:
    """What the judge expects, and whether there is structure."""
    said = answer.structure
    assert said is not None
    return [
        f"Expected agreement with the structure that experts would name: ARI {interval(answer)}, "
        "by a judge that was trained on data sets whose classes are known.",
        f"Probability that there are clusters at all: {said.probability:.2f}.",
    ]


def gains(answer: Answer) -> str:
    """What labelling a few objects would bring."""
    few, some, many = answer.gains
    return (
        f"Labelling 10, 20 or 40 rows typically improves agreement by {few:.2f}, {some:.2f} or "
        f"{many:.2f} on data judged like these. To draw the objects to label:"
    )


def guarantee(answer: Answer) -> list[str]:
    """What the known labels guarantee, and what it is made of."""
    own = answer.guarantee
    assert own is not None
    told = [own.sentence, own.reason]
    if own.bound_rate >= own.constant_error_rate:
        told.append(
            "That is no better than always guessing the largest class: with these labels the "
            "clustering guarantees nothing of its own."
        )
    return told


def premises(answer: Answer) -> list[str]:
    """What the guarantee rests on."""
    own = answer.guarantee
    assert own is not None
    drawn = "It covers every clustering of this study at once."
    return [drawn, *(f"Warning: {warning}." for warning in own.warnings)]


def bound_figure(answer: Answer, n: int, beside: str | None) -> tuple[str, str]:
    """What the curve of the bound shows: for who cannot see it, and below it."""
    own = answer.guarantee
    assert own is not None
    other = "" if beside is None else f", by PAC-MDL, but {beside} by the guarantee"
    return (
        "Guaranteed maximum error rate against the number of clusters: the choice has "
        f"{percent_up(own.bound_rate)} at {clusters(own.n_clusters)}; always guessing the largest "
        f"class is wrong for {percent_up(own.constant_error_rate)} of the labelled objects.",
        "Lower is better. One line for each clusterer: its best bound at each number of clusters, "
        f"out of {n:,} candidates{other}. All of them hold at once. The level is that of the "
        "constant classifier.",
    )


def stability_figures(answer: Answer, references: int, somewhere: bool) -> tuple[str, str]:
    """Below the curve of stability, and below the consensus of pairs."""
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
        f"both, with twice its error.{beside}",
        f"of {answer.n_objects:,} objects in the order of the dendrogram of average linkage. Such "
        "a map looks crisp on null references, too; compare the curve with its null.",
    )


def changing(n: int, of: int) -> str:
    """How many objects change sides."""
    return f"{n:,} of {of:,} objects are outside of their cluster in most resamples."


def clarity(row: pd.Series[float], pairs: pd.DataFrame) -> list[str]:
    """Whether the clusters can be learned."""
    told = [
        "Five nearest neighbours, trained on all other objects, put "
        f"{row['accuracy']:.1%} of the objects into the cluster that they are in. Informativeness "
        f"is {row['informativeness']:.3f} ± {row['standard_error']:.3f}: 1 where everybody could "
        "learn the clusters, 0 where none can."
    ]
    if len(pairs):
        hard = ", ".join(
            f"{pair.a} and {pair.b} ({pair.confusion:.1%})" for pair in pairs.itertuples()
        )
        told.append(f"Hardest to tell apart: {hard}.")
    return told


def views(n_measures: int, independent: float) -> str:
    """As how many independent views the internal measures count."""
    repeat = "largely repeat each other" if independent < n_measures / 2 else "differ"
    return (
        f"The {n_measures} internal measures that may vote {repeat} on these clusterings (about "
        f"{independent:.1f} independent views, by their rank correlations)."
    )


def agreement(tau: pd.DataFrame, titles: dict[str, str]) -> str:
    """The strongest agreement and disagreement of measures."""
    values = tau.to_numpy(dtype=float)
    upper = [
        (values[i, j], i, j)
        for i in range(len(values))
        for j in range(i + 1, len(values))
        if not np.isnan(values[i, j])
    ]
    if not upper:
        return "No two of these measures tell enough clusterings apart to be compared."
    (low, a, b), (high, c, d) = min(upper), max(upper)
    name = [titles[key] for key in tau.index]
    middle = float(np.median([value for value, _, _ in upper]))
    text = f"The median τ of two measures is {_signed(middle)}. "
    text += f"Most alike are {name[c]} and {name[d]} (τ = {_signed(high)})"
    if (a, b) != (c, d):
        text += f"; least alike are {name[a]} and {name[b]} (τ = {_signed(low)})"
    return text + "."


def _signed(value: float) -> str:
    return f"{value:.2g}".replace("-", "−")
