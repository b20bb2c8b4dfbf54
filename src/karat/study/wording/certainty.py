"""Sentences on certainty: the number of clusters, another sample, and resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.stability.assessment import own_number
from karat.study.facts import NESTS
from karat.study.wording.phrases import (
    FEW,
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

#: numbers are named until they reach this probability together, each with at least the second
ENOUGH, LEAST = 0.8, 0.05
#: least probability of a number that is not called uncertain
CERTAIN = 0.5


def sample(answer: AnswerFacts) -> list[str]:
    """Sentence on the agreement of clusterings fitted to two samples."""
    loss = answer.sample
    if loss is None or loss.agreement is None:
        return []
    verdict = "other clusters: do not rely on these, or fit to all objects (exact=True, --exact)"
    if loss.agreement >= 0.95:
        verdict = "nearly the same clusters"
    elif loss.agreement >= 0.75:
        verdict = "similar clusters"
    return [
        f"Fitted to {loss.fitted_on:,} other objects it finds {verdict} (adjusted Rand index "
        f"{loss.agreement:.2f} on all objects)."
    ]


def how_many(answer: AnswerFacts) -> list[str]:
    """One sentence on the number of clusters, from its probability and from resampling."""
    clauses = [*_likely(answer), *_resampled(answer)]
    if not clauses:
        return []
    sentence = "; ".join(clauses)
    return [f"{sentence[0].upper()}{sentence[1:]}."]


def _likely(answer: AnswerFacts) -> list[str]:
    """Clauses on the likely numbers of clusters and how their clusterings are related."""
    named: list[Number] = []
    for number in answer.numbers[:FEW]:
        total = sum(earlier.probability for earlier in named)
        if named and (total >= ENOUGH or number.probability < LEAST):
            break
        named.append(number)
    if not named:
        return []
    likely = [
        f"{number.k} ({percent(number.probability, 0)}){_relation(named[0], number)}"
        for number in named
    ]
    start = "" if named[0].probability >= CERTAIN else "uncertain, most likely "
    clause = f"the number of clusters is {start}{', or '.join(likely)}"
    if not natural(answer):
        clause = f"if there are clusters at all, {clause}"
    unnamed = [
        number for number in answer.numbers if number.k == answer.n_clusters and number not in named
    ]
    if not unnamed and answer.n_clusters == named[0].k:
        return [clause]
    reason = f"this clustering has {answer.n_clusters}"
    return [clause, reason + "".join(f" ({percent(number.probability, 0)})" for number in unnamed)]


def _relation(first: Number, number: Number) -> str:
    """Relation of the clustering with another number to the most likely one: what is united."""
    if first.name is None:  # clusters that the reader has not seen
        return ""
    united = [(whole, parts) for whole, parts in number.united if len(parts) > 1]
    alone = [parts[0] for _, parts in number.united if len(parts) == 1]
    if not united or not number.is_nested:
        return ", another division" if number.united else ""
    if number.k > first.k:
        return f", which divides {_named(whole for whole, _ in united)}"
    if len(united) == 1 and len(alone) == 1:
        return f", where {_named(alone)} stands apart from the other {counted(len(united[0][1]))}"
    return f", where {', and '.join(f'{_named(parts)} are one' for _, parts in united)}"


def _named(names: Iterable[str]) -> str:
    """Names of clusters in a sentence; numbered clusters as "clusters 1 and 2"."""
    cluster_names = list(names)
    if all(name.isdecimal() for name in cluster_names):
        return f"cluster{'s' * (len(cluster_names) > 1)} {listed(cluster_names)}"
    return listed(cluster_names)


def stability(answer: AnswerFacts) -> list[str]:
    """Sentences on how many clusters recur in resamples."""
    facts = answer.stability
    if facts is None:
        return []
    sentences = []
    if facts.n_stable == answer.n_clusters:
        sentences.append(
            "Every cluster is found again in the resamples (mean Jaccard at least 0.75)."
        )
    else:
        sentences.append(
            f"{facts.n_stable} of {answer.n_clusters} clusters are found again; cluster "
            f"{facts.worst} dissolves in {100 * facts.dissolved:.0f} % of the resamples."
        )
    if facts.n_judged < answer.n_objects:
        sentences.append(
            f"Stability was judged on {facts.n_judged:,} of the objects, drawn at random."
        )
    return sentences


def _resampled(answer: AnswerFacts) -> list[str]:
    """Clauses on the number of clusters by resampling, compared with that of the answer."""
    k, facts = answer.n_clusters, answer.stability
    if facts is None:
        return []
    if not facts.numbers:
        return [own_number(facts.clusterer, k, facts.found, facts.found_in_null)]
    if facts.selected is None:
        return [
            "resampling has no null reference here, and small numbers of clusters are stable "
            "whatever the data, so it does not decide between them"
        ]
    if facts.selected == 1:
        clause = (
            f"resampling finds none from {facts.numbers[0]} to {facts.numbers[-1]} again far "
            "better than in null references, as for one cluster, or for clusters without gaps "
            "between them"
        )
        if answer.structure is not None and answer.structure.decision == "yes":
            clause += f", and the other evidence speaks for the second, with {clusters(k)}"
        return [clause]
    share = (
        f"{percent(facts.kept)} of the objects of the worst of them stay together in another half, "
        f"against {percent(facts.null)} in null references"
    )
    if facts.selected == k:
        return [f"resampling agrees on {clusters(k)}: {share}"]
    return [
        f"resampling is surest of {clusters(facts.selected)} ({share}), {_levels(answer, facts)}"
    ]


def _levels(answer: AnswerFacts, facts: StabilityFacts) -> str:
    """Clause that compares the number of clusters by resampling with that of the answer."""
    k, level = answer.n_clusters, facts.level
    if level is None:
        return f"but no candidate has as many: the best of those tried has {k}"
    comparison = ""
    if answer.expected is not None and level.expected is not None:
        comparison = (
            f": expected ARI {agreement(level.expected)} ({level.name}), against "
            f"{agreement(answer.expected)} here"
        )
    if facts.nested is None or facts.nested < NESTS:
        return f"which is another division{comparison}"
    fine, coarse = max(k, level.n_clusters), min(k, level.n_clusters)
    clause = f"which is no contradiction: the {fine} clusters divide the {coarse}"
    if facts.nested < 1:
        clause += f" (but for {percent(1 - facts.nested)} of the objects)"
    return clause + comparison
