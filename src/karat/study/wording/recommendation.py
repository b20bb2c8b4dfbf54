"""Sentences on the recommended clustering: how it was made, warnings, and what decided."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from karat.study.wording.phrases import clusters, is_supplied, natural
from karat.study.wording.story import sizes

if TYPE_CHECKING:
    from karat.study.facts import AnswerFacts


def lead(answer: AnswerFacts) -> list[str]:
    """Sentence that names the clustering to use."""
    description = clusters(answer.n_clusters)
    if answer.outliers:
        share = 100 * answer.outliers / answer.n_objects
        description += f" and {share:.1f} % of the objects excluded as outliers"
    if answer.reached_by > 1:
        description += f", on which {answer.reached_by} candidates agree"
    poor = answer.expected is not None and answer.expected.grade in ("random", "weak")
    if is_supplied(answer) and (poor or answer.tried.distinct == 1):
        of = "The best of them is" if answer.tried.distinct > 1 else "It is"
        return [f"{of} {answer.name}: {description}{sizes(answer) * poor}."]
    # labels and measures that decide need no structure
    if answer.expected is not None and not natural(answer):
        return [f"If you split the data anyway: {answer.name}, {description}."]
    return [f"Use {answer.name}: {description}."]


def fitted(answer: AnswerFacts) -> list[str]:
    """Sentences on the sample that the clustering was fitted to."""
    sample = answer.sample
    if sample is None:
        return []
    n = answer.n_objects
    sentence = (
        f"It was fitted to {sample.fitted_on:,} of {n:,} objects, drawn at random; each of the "
        "others takes the label of the nearest."
    )
    if sample.of_cells:
        sentence = (
            f"It was fitted to {sample.fitted_on:,} cells of the {n:,} objects: each has the "
            "objects that are nearest to one drawn at random, and their number as its weight."
        )
    # with probability 0.95, a cluster that s draws miss has a share below 3/s
    missed = int(3 * n / sample.fitted_on)
    return [sentence, f"Clusters of fewer than {missed:,} objects may be missed in this way."]


def singles(answer: AnswerFacts) -> list[str]:
    """Warning about clusters of a single object."""
    single = answer.sizes.count(1)
    if not single or len(answer.sizes) < 2:
        return []
    which = "is a single object, an outlier rather than a cluster"
    if single > 1:
        which = "are single objects, outliers rather than clusters"
    return [f"Warning: {single:,} of its clusters {which}."]


def memberships(answer: AnswerFacts) -> list[str]:
    """Sentence on how well hard labels represent a soft or overlapping clustering."""
    return [] if answer.memberships is None else [str(answer.memberships)]


def findings(warnings: Iterable[Any]) -> list[str]:
    """Sentences on problems of the data, the most harmful first."""
    return [str(finding.to_dict()["sentence"]) for finding in warnings]


def remarks(answer: AnswerFacts) -> tuple[str, ...]:
    """Remarks on unfinished and failed candidates, the guarantee's conditions and the data."""
    tried = answer.tried
    sentences = []
    if tried.unfinished:
        sentences.append(
            f"{tried.unfinished} candidates were not finished within the budget; the same command "
            "with --storage FILE, or a larger --budget, fits them too"
        )
    for trouble in tried.troubles:
        status = "skipped" if trouble.status == "excluded" else trouble.status
        sentences.append(f"{trouble.count} {status}, e.g. {trouble.name}: {trouble.reason}")
    if answer.guarantee is not None:
        sentences.append(answer.guarantee.conditions)
    sentences += [f"Note: {note}" for note in answer.notes]
    if answer.sample is not None and answer.sample.reason is not None:
        sentences.append(f"What the sample loses was not measured: {answer.sample.reason}")
    if answer.stability_skipped is not None:
        sentences.append(f"Stability was not judged: {answer.stability_skipped}")
    return tuple(sentences)


def footer(answer: AnswerFacts) -> str:
    """Sentence on what decided: a judge, labels, pairs, a vote or a measure."""
    judge = (
        "" if answer.judge is None else f"judge {answer.judge.version} ({answer.judge.digest[:8]})"
    )
    if answer.tried.distinct == 1 and answer.guarantee is None:
        return f"Judged by {judge}." if judge else "There was nothing to decide."
    if answer.labelled is not None:
        who = f"{judge} and {answer.labelled.n_labels:,} labels" if judge else "the labels"
    elif answer.pairs is not None and answer.decided_by == "judge-and-pairs":
        n = answer.pairs.n_must + answer.pairs.n_cannot
        who = f"{judge} and {n:,} pairs" if judge else "the pairs"
    elif answer.votes:
        n = sum(len(family.measures) for family in answer.votes)
        who = f"a vote of {n} measures"
    else:
        who = judge or (answer.measured.title if answer.measured else answer.decided_by)
    return f"Decided by {who}."
