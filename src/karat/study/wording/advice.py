"""What labels would bring, what to mind, and who decided."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karat.study.answer import Answer


def findings(found: Iterable[Any]) -> list[str]:
    """What to know of the data before the answer, the most harmful first."""
    return [str(one.to_dict()["sentence"]) for one in found]


def remarks(answer: Answer) -> tuple[str, ...]:
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


def footer(answer: Answer) -> str:
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
