"""The clustering to use, with the reasons."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from karat.bounds import PacMdlBound
    from karat.study.ranking import Consensus


@dataclass(frozen=True)
class Choice:
    """The clustering to use, and why.

    Attributes
    ----------
    name : str
        The candidate; ``study.labels(choice.name)`` are its labels.
    clusterer : str
    k : int or None
        The number of clusters asked for, where one was.
    n_clusters : int
        The number of clusters it has, outliers not counted.
    labels : ndarray of int32, shape (n,)
        ``-1`` for outliers.
    decided_by : str
        ``"consensus"``, or the key of the measure that decided.
    reasons : tuple of str
        Sentences.
    runner_up : str or None
    confidence : float or None
        For a consensus: share of resamplings of the families of measures in which it stays first.
    k_confidence : float or None
        The same for its number of clusters.
    bound : PacMdlBound or None
        Where the class of some objects is known: what is guaranteed about the others.
    """

    name: str
    clusterer: str
    k: int | None
    n_clusters: int
    labels: NDArray[np.int32]
    decided_by: str
    reasons: tuple[str, ...]
    runner_up: str | None
    confidence: float | None
    k_confidence: float | None
    bound: PacMdlBound | None = None

    def __str__(self) -> str:
        return " ".join(self.reasons)

    def _repr_html_(self) -> str:
        first, *rest = (html.escape(reason) for reason in self.reasons)
        return f"<p><strong>{first}</strong> {' '.join(rest)}</p>"


def tied_with_first(ranked: pd.DataFrame) -> list[str]:
    """The other clusterings of the first rank."""
    return [str(name) for name in ranked.index[1:] if ranked.at[name, "rank"] == 1]


def what_it_is(row: pd.Series[Any]) -> str:
    """The first sentence: use this."""
    k = int(row["n_clusters"])
    clusters = f"{k} cluster{'s' * (k != 1)}"
    if row["noise_share"] > 0:
        clusters += f" and {100 * row['noise_share']:.1f} % of the objects excluded as outliers"
    again = int(row["reached_by"])
    reached = f", on which {again} candidates agree" if again > 1 else ""
    return f"Use {row.name}: {clusters}{reached}."


def why_by_consensus(ranked: pd.DataFrame, votes: Consensus, tied: list[str]) -> list[str]:
    """Sentences for a choice without labels."""
    best = str(ranked.index[0])
    family_points = votes.families
    families = [str(family) for family in family_points]
    first = [f for f in families if family_points.at[best, f] >= family_points[f].max()]
    others = [f for f in families if f not in first]
    prefers = [f"{f} prefers {family_points[f].idxmax()}" for f in others]
    if len(prefers) > 3:
        prefers[2:] = [f"{len(prefers) - 2} more prefer others"]
    if len(families) == 1:
        sentences = [
            f"No labels were given, so one family of internal measures, {first[0]}, decided."
        ]
    else:
        voted = f"No labels were given, so {len(families)} families of internal measures voted"
        if not others:
            place = "all of them put it first"
        elif first:
            place = f"{_listed(first)} put{'s' * (len(first) == 1)} it first, while "
        else:
            place = "none puts it first, but its average rank is the best; "
        sentences = [f"{voted}, one vote each: {place}{'; '.join(prefers)}."]
    if tied:
        sentences.append(f"It ties with {_listed(tied[:3])}: the votes do not separate them.")
    elif len(ranked) > 1:
        runner = ranked.iloc[1]
        sentences.append(
            f"The runner-up is {runner.name} ({int(runner['n_clusters'])} clusters, score "
            f"{runner['score']:.2f} against {ranked['score'].iloc[0]:.2f})."
        )
    if votes.confidence is not None and votes.group_confidence is not None:
        k = int(ranked["n_clusters"].iloc[0])
        of_k, of_it = 100 * votes.group_confidence, 100 * votes.confidence
        sentences.append(
            f"{_how_sure(votes.group_confidence)}: in 1,000 resamplings of the families {k} "
            f"clusters win {of_k:.0f} % of the time and this clustering {of_it:.0f} %; the "
            f"families' rankings agree with Kendall's W = {votes.agreement:.2f}."
        )
    return sentences


def why_by_measure(ranked: pd.DataFrame, title: str, known: int, n: int, up: bool) -> list[str]:
    """Sentences for a choice by one measure."""
    score = ranked["score"].iloc[0]
    direction = "highest" if up else "lowest"
    basis = f" against the {known:,} known labels of {n:,} objects" if known else ""
    sentences = [f"It has the {direction} {title}{basis}: {score:.4g}."]
    tied = [str(name) for name in ranked.index[1:][ranked["score"].iloc[1:] == score]]
    if tied:
        sentences.append(f"It ties with {_listed(tied[:3])}.")
    elif len(ranked) > 1:
        runner = ranked.iloc[1]
        sentences.append(
            f"The runner-up is {runner.name} with {runner['score']:.4g} "
            f"({int(runner['n_clusters'])} clusters)."
        )
    return sentences


def why_by_bound(ranked: pd.DataFrame, bound: PacMdlBound, tied: list[str]) -> list[str]:
    """Sentences for a choice by the guarantee."""
    sentences = [
        bound.sentence,
        f"It misclassifies {bound.errors:,} of the {bound.m:,} labelled objects; choosing it from "
        f"everything that was tried costs {bound.choice_bits:.1f} bits.",
    ]
    if tied:
        sentences.append(
            f"{_listed(tied[:3])} {'has' if len(tied) == 1 else 'have'} the same bound."
        )
    elif len(ranked) > 1:
        runner = ranked.iloc[1]
        sentences.append(
            f"The runner-up is {runner.name} ({int(runner['n_clusters'])} clusters) with a bound "
            f"of {100 * runner['score']:.1f} %."
        )
    sentences += [f"Warning: {warning}." for warning in bound.warnings]
    return sentences


def _how_sure(confidence: float) -> str:
    if confidence >= 0.9:
        return "The number of clusters is certain"
    if confidence >= 0.6:
        return "The number of clusters is fairly certain"
    return "The number of clusters is uncertain, so look at the runner-up too"


def _listed(names: list[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]
