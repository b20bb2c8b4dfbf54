"""How sure: another sample, and resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.study.wording.phrases import clusters, percent

if TYPE_CHECKING:
    from karat.study.answer import Answer, FoundAgain

#: share of the objects from which on one clustering is said to divide another
NESTS = 0.9


def sample(answer: Answer) -> list[str]:
    """What the agreement of two samples says."""
    part = answer.sample
    if part is None or part.agreement is None:
        return []
    told = "other clusters: do not rely on these, or fit to all objects (exact=True, --exact)"
    if part.agreement >= 0.95:
        told = "nearly the same clusters"
    elif part.agreement >= 0.75:
        told = "similar clusters"
    return [
        f"Fitted to {part.fitted_on:,} other objects it finds {told} (adjusted Rand index "
        f"{part.agreement:.2f} on all objects)."
    ]


def stability(answer: Answer) -> list[str]:
    """Whether the number of clusters, and the clusters, would be found again."""
    found = answer.stability
    if found is None:
        return []
    told = [_number(answer, found)]
    if found.n_stable == answer.n_clusters:
        told.append("Every cluster is found again in the resamples (mean Jaccard at least 0.75).")
    else:
        told.append(
            f"{found.n_stable} of {answer.n_clusters} clusters are found again; cluster "
            f"{found.worst} dissolves in {100 * found.dissolved:.0f} % of the resamples."
        )
    if found.n_judged < answer.n_objects:
        told.append(f"Stability was judged on {found.n_judged:,} of the objects, drawn at random.")
    return told


def _number(answer: Answer, found: FoundAgain) -> str:
    """What resampling says of the number of clusters, reconciled with that of the answer."""
    k = answer.n_clusters
    if not found.numbers:
        return _own_number(k, found)
    if found.selected is None:
        return (
            "There is no null reference beside the curve of stability, and small numbers of "
            "clusters are stable whatever the data: it does not decide between them."
        )
    if found.selected == 1:
        span = f"{found.numbers[0]} to {found.numbers[-1]}"
        told = (
            f"No number of clusters from {span} is found again far better than in null references: "
            "the data may be one cluster, whose parts can be found again, too, or have clusters "
            "without gaps between them"
        )
        if answer.structure is not None and answer.structure.decision == "yes":
            told += f". The judge's evidence speaks for the second, with {clusters(k)}"
        return f"{told}."
    share = (
        f"{percent(found.kept)} of the objects of the worst of them stay together in another half, "
        f"against {percent(found.null)} in null references"
    )
    if found.selected == k:
        return f"Resampling confirms {clusters(k)}: {share}."
    return f"By resampling alone {clusters(found.selected)} stand out: {share}. {_levels(answer)}"


def _levels(answer: Answer) -> str:
    """How another number of clusters that stands out goes with that of the answer."""
    k, found = answer.n_clusters, answer.stability
    assert found is not None
    level = found.level
    if level is None:
        return f"No candidate has as many; the best of those tried has {k}."
    beside = ""
    if answer.expected is not None and level.expected is not None:
        beside = (
            f"{level.name} has expected ARI {level.expected.value:.2f}, this answer "
            f"{answer.expected.value:.2f}"
        )
    if found.nested is None or found.nested < NESTS:
        return f"That is another division: {beside or level.name}."
    fine, coarse = max(k, level.n_clusters), min(k, level.n_clusters)
    told = f"That is no contradiction: the {fine} clusters divide the {coarse}"
    if found.nested < 1:
        told += f" (but for {percent(1 - found.nested)} of the objects)"
    return f"{told}{'; ' * bool(beside)}{beside}."


def _own_number(k: int, found: FoundAgain) -> str:
    counts = np.array(found.found)
    told = (
        f"{found.clusterer} finds the number of clusters itself: {k}, and as many in "
        f"{np.count_nonzero(counts == k)} of {len(counts)} resamples "
        f"({counts.min()} to {counts.max()} in all)"
    )
    if not found.found_in_null:
        return f"{told}."
    several = sum(count > 1 for count in found.found_in_null)
    return (
        f"{told}; in {several} of {len(found.found_in_null)} null references it finds two or more."
    )
