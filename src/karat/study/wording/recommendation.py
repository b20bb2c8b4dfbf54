"""Which clustering it is, and how it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.study.wording.phrases import clusters, is_own, natural
from karat.study.wording.story import sizes

if TYPE_CHECKING:
    from karat.study.answer import Answer


def lead(answer: Answer) -> list[str]:
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


def singles(answer: Answer) -> list[str]:
    """Clusters of one object."""
    single = answer.sizes.count(1)
    if not single or len(answer.sizes) < 2:
        return []
    which = "is a single object" if single == 1 else "are single objects"
    return [
        f"Warning: {single:,} of its clusters {which}, which is an outlier rather than a cluster."
    ]


def memberships(answer: Answer) -> list[str]:
    """How far hard labels stand for a soft or overlapping clustering."""
    return [] if answer.memberships is None else [str(answer.memberships)]
