"""The clustering to use, with the reasons."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.bounds import Guarantee, PacMdlBound
    from karat.study.ranking import Consensus
    from karat.study.study import Study

MOST_SIZES = 8


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
    bound : Guarantee, PacMdlBound or None
        Where the class of some objects is known: what is guaranteed about the others; a
        PAC-MDL bound where something else decided.
    """

    name: str
    clusterer: str
    k: int | None
    n_clusters: int
    labels: NDArray[np.int32]
    decided_by: str
    reasons: tuple[str, ...]
    runner_up: str | None
    bound: Guarantee | PacMdlBound | None = None

    def __str__(self) -> str:
        return " ".join(self.reasons)

    def _repr_html_(self) -> str:
        first, *rest = (html.escape(reason) for reason in self.reasons)
        return f"<p><strong>{first}</strong> {' '.join(rest)}</p>"


def study_html(study: Study, choice: Choice | None) -> str:
    """What a notebook shows of a study; nothing is computed for it."""
    data = study.dataset
    rows = [f"<strong>{html.escape(str(data.name))}</strong>: {study.n_objects:,} objects, "
            f"{data.X.shape[1]:,} features"]  # fmt: skip
    for clusterer, group in study.candidates.groupby("clusterer", sort=False):
        statuses = group["status"].value_counts(sort=False).items()
        told = ", ".join(f"{count:,} {status}" for status, count in statuses)
        rows.append(f"{html.escape(str(clusterer))}: {told}")
    if study.n_unfinished:
        rows.append(f"{study.n_unfinished:,} planned candidates are not finished")
    listed = "".join(f"<li>{row}</li>" for row in rows[1:]) or "<li>nothing was tried</li>"
    if choice is None:
        answer = "<p>Not judged yet: <code>best()</code> judges and chooses.</p>"
    else:
        answer = choice._repr_html_()
    return f"<p>{rows[0]}</p><ul>{listed}</ul>{answer}"


def tied_with_first(ranked: pd.DataFrame) -> list[str]:
    """The other clusterings of the first rank."""
    return [str(name) for name in ranked.index[1:] if ranked.at[name, "rank"] == 1]


def what_it_is(
    row: pd.Series[Any],
    labels: NDArray[np.int32],
    *,
    of_cells: bool = False,
    caveat: str | None = None,
) -> list[str]:
    """The first sentences: use this, and how large its clusters are; a caveat comes before all."""
    k = int(row["n_clusters"])
    clusters = f"{k} cluster{'s' * (k != 1)}"
    if row["noise_share"] > 0:
        clusters += f" and {100 * row['noise_share']:.1f} % of the objects excluded as outliers"
    again = int(row["reached_by"])
    reached = f", on which {again} candidates agree" if again > 1 else ""
    sentences = [f"Use {row.name}: {clusters}{reached}."]
    if caveat is not None:
        sentences = [caveat, f"To divide the data all the same: {row.name}, {clusters}{reached}."]
    if not row.isna()["fitted_on"] and of_cells:
        sentences.append(
            f"It was fitted to {int(row['fitted_on']):,} cells of the {len(labels):,} objects, "
            "which are near as many of them that were drawn at random, and weigh as many as they "
            "hold."
        )
    elif not row.isna()["fitted_on"]:
        sentences.append(
            f"It was fitted to {int(row['fitted_on']):,} of {len(labels):,} objects, drawn at "
            "random; each of the others takes the label of the nearest."
        )
    if not row.isna()["fitted_on"]:
        # unseen in s draws, something has with probability 0.95 a share below 3/s
        missed = int(3 * len(labels) / row["fitted_on"])
        sentences.append(
            f"Clusters of fewer than {missed:,} objects may be missed in this way: nothing is "
            "said of them."
        )
    return [*sentences, *_sizes(labels)]


def _sizes(labels: NDArray[np.int32]) -> list[str]:
    sizes = -np.sort(-np.bincount(labels[labels >= 0]))
    if len(sizes) < 2:
        return []
    if len(sizes) <= MOST_SIZES:
        told = f"Its clusters have {listed([f'{size:,}' for size in sizes])} objects"
    else:
        told = (
            f"Its clusters have from {sizes[-1]:,} to {sizes[0]:,} objects, half of them "
            f"{int(np.median(sizes)):,} or more"
        )
    single = int((sizes == 1).sum())
    if single:
        told += (
            f". Warning: {single:,} of them {'is' if single == 1 else 'are'} a single object, "
            "which is an outlier rather than a cluster"
        )
    return [told + "."]


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
            place = f"{listed(first)} put{'s' * (len(first) == 1)} it first, while "
        else:
            place = "none puts it first, but its average rank is the best; "
        sentences = [f"{voted}, one vote each: {place}{'; '.join(prefers)}."]
    if tied:
        sentences.append(f"It ties with {listed(tied[:3])}: the votes do not separate them.")
    elif len(ranked) > 1:
        runner = ranked.iloc[1]
        sentences.append(
            f"The runner-up is {runner.name} ({int(runner['n_clusters'])} clusters, score "
            f"{runner['score']:.2f} against {ranked['score'].iloc[0]:.2f})."
        )
    if votes.agreement is not None:
        sentences.append(
            f"The families' rankings agree with Kendall's W = {votes.agreement:.2f} (1 if all are "
            "the same, 0 if they have nothing in common). This does not say how the choice would "
            "vary on other data of this kind."
        )
        voters = sum(map(len, votes.members.values()))
        sentences.append(
            f"The votes of these {len(families)} families of {voters} measures come from "
            f"{votes.opinions:.1f} really different opinions on these clusterings (the effective "
            "number of independent votes, by their rank correlations)."
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
        sentences.append(f"It ties with {listed(tied[:3])}.")
    elif len(ranked) > 1:
        runner = ranked.iloc[1]
        sentences.append(
            f"The runner-up is {runner.name} with {runner['score']:.4g} "
            f"({int(runner['n_clusters'])} clusters)."
        )
    return sentences


def why_by_guarantee(ranked: pd.DataFrame, found: Guarantee) -> list[str]:
    """Sentences for a choice by the tightest guarantee."""
    sentences = [
        found.sentence,
        f"It misclassifies {found.errors:,} of the {found.tested:,} labelled objects that tested "
        f"it ({found.method}: {found.how}).",
    ]
    if len(ranked) > 1:
        runner = ranked.iloc[1]
        sentences.append(f"The runner-up is {runner.name} ({int(runner['n_clusters'])} clusters).")
    return [*sentences, *(f"Warning: {warning}." for warning in found.warnings)]


def why_by_bound(ranked: pd.DataFrame, bound: PacMdlBound, tied: list[str]) -> list[str]:
    """Sentences for a choice by the guarantee."""
    from karat.bounds import percent_up

    sentences = [
        bound.sentence,
        f"It misclassifies {bound.errors:,} of the {bound.m:,} labelled objects; choosing it from "
        f"everything that was tried costs {bound.choice_bits:.1f} bits.",
    ]
    if tied:
        sentences.append(
            f"{listed(tied[:3])} {'has' if len(tied) == 1 else 'have'} the same bound."
        )
    elif len(ranked) > 1:
        runner = ranked.iloc[1]
        sentences.append(
            f"The runner-up is {runner.name} ({int(runner['n_clusters'])} clusters) with a bound "
            f"of {percent_up(runner['score'])}."
        )
    sentences += [f"Warning: {warning}." for warning in bound.warnings]
    return sentences


def listed(names: list[str]) -> str:
    """Names in a sentence."""
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]
