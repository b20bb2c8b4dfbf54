"""Which clustering it is, how it was made, what to mind, and who decided."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from karat.study.wording.phrases import clusters, is_own, natural
from karat.study.wording.story import sizes

if TYPE_CHECKING:
    from karat.study.facts import AnswerFacts


def lead(answer: AnswerFacts) -> list[str]:
    """Which clustering it is."""
    what = clusters(answer.n_clusters)
    if answer.outliers:
        share = 100 * answer.outliers / answer.n_objects
        what += f" and {share:.1f} % of the objects excluded as outliers"
    if answer.reached_by > 1:
        what += f", on which {answer.reached_by} candidates agree"
    poor = answer.expected is not None and answer.expected.grade in ("random", "weak")
    if is_own(answer) and (poor or answer.tried.distinct == 1):
        of = "The best of them is" if answer.tried.distinct > 1 else "It is"
        return [f"{of} {answer.name}: {what}{sizes(answer) * poor}."]
    # labels and measures that decide need no structure
    if answer.expected is not None and not natural(answer):
        return [f"If you split the data anyway: {answer.name}, {what}."]
    return [f"Use {answer.name}: {what}."]


def fitted(answer: AnswerFacts) -> list[str]:
    """To how many objects it was fitted."""
    part = answer.sample
    if part is None:
        return []
    n = answer.n_objects
    told = (
        f"It was fitted to {part.fitted_on:,} of {n:,} objects, drawn at random; each of the "
        "others takes the label of the nearest."
    )
    if part.of_cells:
        told = (
            f"It was fitted to {part.fitted_on:,} cells of the {n:,} objects: each has the objects "
            "that are nearest to one drawn at random, and their number as its weight."
        )
    # unseen in s draws, something has with probability 0.95 a share below 3/s
    missed = int(3 * n / part.fitted_on)
    return [told, f"Clusters of fewer than {missed:,} objects may be missed in this way."]


def singles(answer: AnswerFacts) -> list[str]:
    """Clusters of one object."""
    single = answer.sizes.count(1)
    if not single or len(answer.sizes) < 2:
        return []
    which = "is a single object, an outlier rather than a cluster"
    if single > 1:
        which = "are single objects, outliers rather than clusters"
    return [f"Warning: {single:,} of its clusters {which}."]


def memberships(answer: AnswerFacts) -> list[str]:
    """How far hard labels stand for a soft or overlapping clustering."""
    return [] if answer.memberships is None else [str(answer.memberships)]


def findings(found: Iterable[Any]) -> list[str]:
    """What to know of the data before the answer, the most harmful first."""
    return [str(one.to_dict()["sentence"]) for one in found]


def remarks(answer: AnswerFacts) -> tuple[str, ...]:
    """What to mind: of the data, of candidates that failed, of what the guarantee rests on."""
    tried = answer.tried
    told = []
    if tried.unfinished:
        told.append(
            f"{tried.unfinished} candidates were not finished within the budget; the same command "
            "with --storage FILE, or a larger --budget, fits them too"
        )
    for one in tried.troubles:
        status = "skipped" if one.status == "excluded" else one.status
        told.append(f"{one.count} {status}, e.g. {one.name}: {one.reason}")
    if answer.guarantee is not None:
        told.append(answer.guarantee.conditions)
    told += [f"Note: {note}" for note in answer.notes]
    if answer.sample is not None and answer.sample.reason is not None:
        told.append(f"What the sample loses was not measured: {answer.sample.reason}")
    if answer.stability_skipped is not None:
        told.append(f"Stability was not judged: {answer.stability_skipped}")
    return tuple(told)


def footer(answer: AnswerFacts) -> str:
    """Who decided."""
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
