"""What to use, and what must be known before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.study.wording.phrases import clusters, is_own, listed

if TYPE_CHECKING:
    from karat.study.answer import Answer

MOST_SIZES = 8


def lead(answer: Answer) -> list[str]:
    """What to use; before it what must be known first."""
    what = clusters(answer.n_clusters)
    if answer.outliers:
        share = 100 * answer.outliers / answer.n_objects
        what += f" and {share:.1f} % of the objects excluded as outliers"
    if answer.reached_by > 1:
        what += f", on which {answer.reached_by} candidates agree"
    said = answer.structure
    # labels and measures that decide need no structure
    if answer.expected is not None and said is not None and said.decision != "yes":
        anyway = "The best of them is" if is_own(answer) else "If you split the data anyway:"
        return [*_no_structure(answer), f"{anyway} {answer.name}, {what}."]
    n = answer.tried.distinct
    if n == 1 and answer.guarantee is None:
        return [f"There is only one clustering, {answer.name} ({what}): nothing was compared."]
    if n == 2 and answer.votes is not None:
        if answer.tied:
            return [f"The vote does not separate {answer.name} ({what}) from {answer.tied[0]}."]
        whose = "your two" if answer.tried.own == n else "two"
        return [f"Of {whose} clusterings, {answer.name} ({what}) is the better one by a vote."]
    return [f"Use {answer.name}: {what}."]


def _no_structure(answer: Answer) -> list[str]:
    said = answer.structure
    assert said is not None
    unclear = said.decision == "unclear"
    if not is_own(answer):
        if unclear:
            return [
                "It cannot be told from these clusterings whether the data have clusters: there is "
                "some evidence, but data without clusters may look like these."
            ]
        return ["No cluster structure found: to the judge these data look like data without any."]
    n = f"your {answer.tried.distinct} clusterings"
    told = f"None of {n} shows cluster structure: data without clusters can be divided as well."
    if unclear:
        told = (
            f"It cannot be told whether {n} show cluster structure: there is some evidence, but "
            "data without clusters may be divided like these."
        )
    return [told, "This says nothing of other clusters that the data may have."]


def fitted(answer: Answer) -> list[str]:
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


def sizes(answer: Answer) -> list[str]:
    """How large the clusters are."""
    counts = answer.sizes
    if len(counts) < 2:
        return []
    if len(counts) <= MOST_SIZES:
        told = f"Its clusters have {listed(f'{size:,}' for size in counts)} objects"
    else:
        told = (
            f"Its clusters have from {counts[-1]:,} to {counts[0]:,} objects, half of them "
            f"{int(np.median(counts)):,} or more"
        )
    single = counts.count(1)
    if single:
        told += (
            f". Warning: {single:,} of them {'is' if single == 1 else 'are'} a single object, "
            "which is an outlier rather than a cluster"
        )
    return [told + "."]


def memberships(answer: Answer) -> list[str]:
    """How far hard labels stand for a soft or overlapping clustering."""
    return [] if answer.memberships is None else [str(answer.memberships)]
