"""The reasons behind an answer, for ``--why``, the report, notebooks and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds.wording import premises
from sortal.runtime.numerals import percent, percent_down, percent_up
from sortal.stability.assessment import own_number
from sortal.study.wording.phrases import (
    LIMITS,
    agreement,
    clusters,
    is_supplied,
    listed,
    span,
)
from sortal.study.wording.screen import difference

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sortal.bounds import Guarantee
    from sortal.study.facts import AnswerFacts, LabelEvidence, PairEvidence

#: why the judge did not decide, by reason
SKIPPED = {
    "graph": "The learned judge needs distances, and a graph has only edges",
    "objects": "There are too few objects for the learned judge",
    "equal": "All objects are equal",
    "candidates": "No clustering has two clusters for the learned judge to see",
}


def reasons(answer: AnswerFacts) -> tuple[str, ...]:
    """What the first screen leaves out: reasons, rivals, resamples, and what failed."""
    themes = (
        missed, recovery, beside, vote, measured, labelled, paired, guarantee, rivals, level,
        memberships, sample, stability, remarks,
    )  # fmt: skip
    return tuple(sentence for theme in themes for sentence in theme(answer))


def missed(answer: AnswerFacts) -> list[str]:
    """Sentence on the size of the groups that the test of structure can miss."""
    evidence = answer.structure
    if evidence is None or evidence.decision == "yes":
        return []  # what is separate is large enough
    return [f"A group of fewer than {evidence.smallest:,} objects can be missed."]


def recovery(answer: AnswerFacts) -> list[str]:
    """Sentences on the recovery and its interval, and on what the judge saw."""
    worth = answer.recovery
    if worth is None:
        return []
    sentences = [
        "If groups made these data, the expected adjusted Rand index with them (the recovery) is "
        f"{agreement(worth)}, with the 80 % interval {span(*worth.interval)}.",
        "1 is perfect, 0 is chance. Classes that somebody has in mind can be others; labels of "
        "some rows show it.",
    ]
    if answer.near_best is not None:
        chance = percent(answer.near_best, 0)
        sentences.append(f"The chance that no candidate is clearly better is {chance}.")
    if answer.judge is not None and answer.judge.weighed is not None:
        sentences.append(f"The judge saw a sample of {answer.judge.weighed:,} objects.")
    return sentences


def beside(answer: AnswerFacts) -> list[str]:
    """Sentence on the best clustering of sortal's own sweep."""
    reference = answer.reference
    if reference is None:
        return []
    where = "" if reference.fitted_on is None else f" on {reference.fitted_on:,} of the objects"
    return [
        f"The best of sortal's own {reference.tried} clusterings{where} is {reference.name} "
        f"({clusters(reference.n_clusters)}, recovery {agreement(reference.recovery)}); its "
        f"adjusted Rand index with this one is {reference.agreement:.2f}."
    ]


def vote(answer: AnswerFacts) -> list[str]:
    """Sentences on the votes of the families of measures."""
    votes, skipped = answer.votes, answer.judge_skipped
    if not votes:
        return [] if skipped is None else [f"{SKIPPED[skipped]}.", *_inside(answer)]
    sentences = [] if skipped is None else [f"{SKIPPED[skipped]}, so the consensus decided."]
    first = [family.name for family in votes if family.first]
    prefers = [f"{family.name} prefers {family.prefers}" for family in votes if not family.first]
    if len(prefers) > LIMITS.few:
        prefers[2:] = [f"{len(prefers) - 2} more prefer others"]
    if len(votes) == 1:
        sentences.append(f"One family of internal measures, {votes[0].name}, decided.")
    else:
        place = "None puts it first, but its average rank is the best."
        if not prefers:
            place = "All of them put it first."
        elif first:
            place = f"{listed(first)} put{'s' * (len(first) == 1)} it first."
        sentences.append(f"{len(votes)} families of internal measures voted. {place}")
        sentences += [f"{listed(prefers)}."] if prefers else []
    return [*sentences, *_inside(answer)]


def _inside(answer: AnswerFacts) -> list[str]:
    """Sentence on the mean silhouette, if few clusterings were compared."""
    mean = answer.silhouette
    if mean is None or answer.tried.distinct > LIMITS.few:
        return []
    side = "1 at best"
    if mean < 0:
        side = "below 0, so on average objects are closer to another cluster than to their own"
    return [f"Its mean silhouette is {mean:.2f} ({side})."]


def measured(answer: AnswerFacts) -> list[str]:
    """Sentences on the measure that decided."""
    measure = answer.measured
    if measure is None or answer.tried.distinct == 1:
        return []
    basis = ""
    if measure.n_known:
        basis = f" against the {measure.n_known:,} known labels of {answer.n_objects:,} objects"
    direction = "highest" if measure.greater_is_better else "lowest"
    sentences = [f"It has the {direction} {measure.title}{basis}: {measure.value:.4g}."]
    if not measure.n_known:
        sentences.append("One measure alone does not show whether the groups are natural.")
    if measure.inside_error:
        sentences.append(
            f"The sample cannot separate it from {listed(measure.inside_error[: LIMITS.few])}: the "
            "difference is within the error."
        )
    return sentences


def labelled(answer: AnswerFacts) -> list[str]:
    """Sentence on the probability of the clustering by the labels."""
    evidence = answer.labelled
    if evidence is None:
        return []
    return [
        f"With the {evidence.n_labels:,} labels its probability is {percent(evidence.after)}"
        f"{_alike(evidence)}. This ranks the candidates and guarantees nothing."
    ]


def paired(answer: AnswerFacts) -> list[str]:
    """Sentence on the known pairs that the clustering keeps."""
    evidence = answer.pairs
    if evidence is None:
        return []
    n, n_kept = evidence.n_must + evidence.n_cannot, evidence.kept_must + evidence.kept_cannot
    sentence = (
        f"It keeps {n_kept:,} of the {n:,} known pairs: {evidence.kept_must:,} of "
        f"{evidence.n_must:,} that must be together, {evidence.kept_cannot:,} of "
        f"{evidence.n_cannot:,} that cannot."
    )
    if np.isnan(evidence.after):
        return [sentence]
    return [sentence, f"Its probability is {percent(evidence.after)}{_alike(evidence)}."]


def _alike(evidence: LabelEvidence | PairEvidence) -> str:
    """Clauses on the probability before, and on that with near copies where it is larger."""
    alike = percent(evidence.alike)
    copies = "" if alike == percent(evidence.after) else f", and {alike} with its near copies"
    return f" ({percent(evidence.before)} without them){copies}"


def guarantee(answer: AnswerFacts) -> list[str]:
    """Sentences on the guarantee: its composition, limits by class, and warnings."""
    best = answer.guarantee
    if best is None:
        return []
    sentences = [best.reason]
    if not best.refused and best.n:
        sentences += [premises(best.premises), *_of_each_class(best)]
    by_clusters = answer.by_clusters
    if by_clusters is not None and not best.refused:
        sentences.append(
            f"If all rows of a cluster of {by_clusters.name} had one class, at most "
            f"{percent_up(by_clusters.rate)} would be wrong; both hold together."
        )
    return [*sentences, *(f"Warning: {warning}." for warning in best.warnings), best.conditions]


def _of_each_class(best: Guarantee) -> list[str]:
    """Sentence on the guarantee for the rows of each class."""
    limits = list(best.row_classes.by_class.items())
    if len(limits) < 2:
        return []
    shares = [f"{percent_down(limit)} of {name}" for name, limit in limits[: LIMITS.listed]]
    return [
        f"In the unlabelled rows of each class, at least these shares are right: {listed(shares)} "
        "(`class_guaranteed`)."
    ]


def rivals(answer: AnswerFacts) -> list[str]:
    """Sentence on the ties, or on the runner-up."""
    second = answer.runner_up
    if answer.tied and not (answer.votes and answer.tried.distinct == 2):
        return [f"It ties with {listed(answer.tied[: LIMITS.few])}."]
    if second is None or answer.tied or (answer.own and is_supplied(answer)):
        return []
    details = [clusters(second.n_clusters)]
    if second.recovery is not None:
        details.append(f"recovery {agreement(second.recovery)}")
    elif answer.labelled is not None and second.score is not None:
        details.append(f"probability {percent(second.score)}")
    elif answer.measured is not None and second.score is not None:
        details.append(f"{second.score:.4g}")
    elif answer.decided_by == "guarantee" and second.score is not None:
        details.append(f"guaranteed maximum error {percent_up(second.score)}")
    return [f"The runner-up is {second.name} ({', '.join(details)})."]


def level(answer: AnswerFacts) -> list[str]:
    """Sentences on the candidates that are about as good, and on the tree of numbers."""
    sentences = [
        f"About as good: {candidate.name} ({clusters(candidate.n_clusters)}, recovery "
        f"{agreement(candidate.recovery)}, adjusted Rand index {candidate.agreement:.2f} with it; "
        f"{difference(answer, candidate)})."
        for candidate in answer.level
    ]
    if len(answer.granularities) > 1:
        numbers = listed(f"{g.k} ({percent(g.probability, 0)})" for g in answer.granularities)
        sentences.append(
            f"{numbers} clusters form a tree: larger numbers split smaller. The percentages are "
            "probabilities of as many groups or more."
        )
    return sentences


def memberships(answer: AnswerFacts) -> list[str]:
    """Sentence on how well hard labels represent a soft or overlapping clustering."""
    return [] if answer.memberships is None else [str(answer.memberships)]


def sample(answer: AnswerFacts) -> list[str]:
    """Sentences on the sample that the clustering was fitted to."""
    sample = answer.sample
    if sample is None:
        return []
    n = answer.n_objects
    sentence = "Each of the other objects takes the label of the nearest fitted one."
    if sample.of_cells:
        sentence = "It was fitted to cells: each has its nearest objects, which are its weight."
    # with probability 0.95, a cluster that s draws miss has a share below 3/s
    missed = int(3 * n / sample.fitted_on)
    sentences = [sentence, f"The sample may miss clusters of fewer than {missed:,} objects."]
    if sample.reason is not None:
        sentences.append(f"The loss by sampling was not measured: {sample.reason}.")
    return sentences


def stability(answer: AnswerFacts) -> list[str]:
    """Sentences on the clusters, and their number, that recur in resamples."""
    facts = answer.stability
    if facts is None:
        why = answer.stability_skipped
        return [] if why is None else [f"Stability was not checked: {why}."]
    recur = f"{facts.n_stable} of {answer.n_clusters} clusters recur"
    if facts.n_stable == answer.n_clusters:
        recur = "All clusters recur"
    worst = ""
    if facts.n_stable < answer.n_clusters:
        worst = f" Cluster {facts.worst} dissolves in {percent(facts.dissolved, 0)} of them."
    sentences = [f"{recur} in resamples (mean Jaccard at least 0.75).{worst}", *_number(answer)]
    if facts.n_judged < answer.n_objects:
        sentences.append(f"Stability was judged on a sample of {facts.n_judged:,} objects.")
    return sentences


def _number(answer: AnswerFacts) -> list[str]:
    """Sentences on the number of clusters by resampling, compared with that of the answer."""
    k, facts = answer.n_clusters, answer.stability
    assert facts is not None
    if not facts.numbers:
        return [f"{own_number(facts.clusterer, k, facts.found, facts.found_in_null)}."]
    if facts.selected is None:
        return ["Resampling has no null reference here, so it does not decide between numbers."]
    if facts.selected == 1:
        return [
            f"Resampling finds no number from {facts.numbers[0]} to {facts.numbers[-1]} far more "
            "stable than null references: the data may be one cluster, or clusters without gaps."
        ]
    assert facts.kept is not None
    assert facts.null is not None
    stays = (
        f"{percent(facts.kept, 1)} of its worst cluster stay together, against "
        f"{percent(facts.null, 1)} in null references"
    )
    if facts.selected == k:
        return [f"Resampling also prefers {clusters(k)}: {stays}."]
    return [f"Resampling prefers {clusters(facts.selected)}: {stays}."]


def remarks(answer: AnswerFacts) -> list[str]:
    """Remarks on failed candidates, on the data, and on who decided."""
    sentences = []
    for trouble in answer.tried.troubles:
        status = "skipped" if trouble.status == "excluded" else trouble.status
        sentences.append(f"{trouble.count} {status}, e.g. {trouble.name}: {trouble.reason}.")
    return [*sentences, *(f"Note: {note}" for note in answer.notes), f"{_decided_by(answer)}."]


def _decided_by(answer: AnswerFacts) -> str:
    """Phrase on what decided: a judge, labels, pairs, a vote or a measure."""
    judge = "" if answer.judge is None else f"judge {answer.judge.version}"
    if answer.tried.distinct == 1 and answer.guarantee is None:
        return f"Judged by {judge}" if judge else "There was nothing to decide"
    if answer.labelled is not None:
        n = answer.labelled.n_labels
        who = f"{judge} and {n:,} labels" if judge else "the labels"
    elif answer.pairs is not None and answer.decided_by == "judge-and-pairs":
        n = answer.pairs.n_must + answer.pairs.n_cannot
        who = f"{judge} and {n:,} pairs" if judge else "the pairs"
    elif answer.votes:
        who = f"a vote of {sum(len(family.measures) for family in answer.votes)} measures"
    else:
        who = judge or (answer.measured.title if answer.measured else answer.decided_by)
    return f"Decided by {who}"


def findings(warnings: Iterable[Any]) -> list[str]:
    """Sentences on problems of the data, the most harmful first."""
    return [str(finding.to_dict()["sentence"]) for finding in warnings]
