"""How sure: the number of clusters, another sample, and resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.stability.assessment import own_number
from karat.study.wording.phrases import (
    FEW,
    NESTS,
    agreement,
    clusters,
    counted,
    listed,
    natural,
    percent,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from karat.study.facts import AnswerFacts, Number, StabilityFacts

#: numbers that are named: until they have so much of the probability together, and so much each
ENOUGH, LEAST = 0.8, 0.05
#: from which probability on a number is not called uncertain
CERTAIN = 0.5


def sample(answer: AnswerFacts) -> list[str]:
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


def how_many(answer: AnswerFacts) -> list[str]:
    """The number of clusters by everything that speaks to it, in one sentence."""
    told = [*_likely(answer), *_resampled(answer)]
    if not told:
        return []
    sentence = "; ".join(told)
    return [f"{sentence[0].upper()}{sentence[1:]}."]


def _likely(answer: AnswerFacts) -> list[str]:
    """The likely numbers, and how they go together."""
    named: list[Number] = []
    for one in answer.numbers[:FEW]:
        if named and (sum(o.probability for o in named) >= ENOUGH or one.probability < LEAST):
            break
        named.append(one)
    if not named:
        return []
    likely = [f"{one.k} ({percent(one.probability, 0)}){_relation(named[0], one)}" for one in named]
    start = "" if named[0].probability >= CERTAIN else "uncertain, most likely "
    told = f"the number of clusters is {start}{', or '.join(likely)}"
    if not natural(answer):
        told = f"if there are clusters at all, {told}"
    mine = [one for one in answer.numbers if one.k == answer.n_clusters and one not in named]
    if not mine and answer.n_clusters == named[0].k:
        return [told]
    why = f"this clustering has {answer.n_clusters}"
    return [told, why + "".join(f" ({percent(one.probability, 0)})" for one in mine)]


def _relation(first: Number, other: Number) -> str:
    """How clusterings with another number go with the most likely one: which are united."""
    if first.name is None:  # clusters that the reader has not seen
        return ""
    united = [(whole, parts) for whole, parts in other.united if len(parts) > 1]
    alone = [parts[0] for _, parts in other.united if len(parts) == 1]
    if not united or not other.is_nested:
        return ", another division" if other.united else ""
    if other.k > first.k:
        return f", which divides {_named(whole for whole, _ in united)}"
    if len(united) == 1 and len(alone) == 1:
        return f", where {_named(alone)} stands apart from the other {counted(len(united[0][1]))}"
    return f", where {', and '.join(f'{_named(parts)} are one' for _, parts in united)}"


def _named(names: Iterable[str]) -> str:
    """Clusters by their names, or as numbered ones."""
    known = list(names)
    if all(name.isdecimal() for name in known):
        return f"cluster{'s' * (len(known) > 1)} {listed(known)}"
    return listed(known)


def stability(answer: AnswerFacts) -> list[str]:
    """Whether the clusters would be found again."""
    found = answer.stability
    if found is None:
        return []
    told = []
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


def _resampled(answer: AnswerFacts) -> list[str]:
    """What resampling says of the number of clusters, reconciled with that of the answer."""
    k, found = answer.n_clusters, answer.stability
    if found is None:
        return []
    if not found.numbers:
        return [own_number(found.clusterer, k, found.found, found.found_in_null)]
    if found.selected is None:
        return [
            "resampling has no null reference here, and small numbers of clusters are stable "
            "whatever the data, so it does not decide between them"
        ]
    if found.selected == 1:
        told = (
            f"resampling finds none from {found.numbers[0]} to {found.numbers[-1]} again far "
            "better than in null references, as for one cluster, or for clusters without gaps "
            "between them"
        )
        if answer.structure is not None and answer.structure.decision == "yes":
            told += f", and the other evidence speaks for the second, with {clusters(k)}"
        return [told]
    share = (
        f"{percent(found.kept)} of the objects of the worst of them stay together in another half, "
        f"against {percent(found.null)} in null references"
    )
    if found.selected == k:
        return [f"resampling agrees on {clusters(k)}: {share}"]
    return [
        f"resampling is surest of {clusters(found.selected)} ({share}), {_levels(answer, found)}"
    ]


def _levels(answer: AnswerFacts, found: StabilityFacts) -> str:
    """How another number of clusters that stands out goes with that of the answer."""
    k, level = answer.n_clusters, found.level
    if level is None:
        return f"but no candidate has as many: the best of those tried has {k}"
    beside = ""
    if answer.expected is not None and level.expected is not None:
        beside = (
            f": expected ARI {agreement(level.expected)} ({level.name}), against "
            f"{agreement(answer.expected)} here"
        )
    if found.nested is None or found.nested < NESTS:
        return f"which is another division{beside}"
    fine, coarse = max(k, level.n_clusters), min(k, level.n_clusters)
    told = f"which is no contradiction: the {fine} clusters divide the {coarse}"
    if found.nested < 1:
        told += f" (but for {percent(1 - found.nested)} of the objects)"
    return told + beside
