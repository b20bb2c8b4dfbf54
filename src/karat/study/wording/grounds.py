"""Reasons for the choice: what the judge, the measures, the labels and the rivals say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.bounds import percent_up
from karat.bounds.wording import MOST_ROWS, next_rows, percent_down
from karat.study.wording.phrases import (
    FEW,
    agreement,
    certain,
    clusters,
    interval,
    listed,
    natural,
    share,
)

if TYPE_CHECKING:
    from karat.bounds import Guarantee
    from karat.study.facts import AnswerFacts, LabelEvidence, PairEvidence

#: most kinds of evidence named for the clustering, and against it
NAMED = 2
#: least contribution that is named
WORTH_NAMING = 0.01
#: classes that are named
MOST_CLASSES = 8
NOT_THE_CLUSTERS = (
    "The number is about the column `class` (--labels, in Python answer.classes), and says nothing "
    "about the column `cluster`."
)
#: why the judge did not decide, by reason
SKIPPED = {
    "graph": "The learned judge needs distances, and a graph has edges alone",
    "objects": "There are too few objects for the learned judge",
    "equal": "All objects are equal",
    "candidates": "No clustering has two clusters for the learned judge to see",
}


def judgement(answer: AnswerFacts) -> list[str]:
    """Sentences on the learned judge: what it expects, and its evidence for and against."""
    return [*structure(answer), *expected(answer), *beside(answer), *contributions(answer)]


def structure(answer: AnswerFacts) -> list[str]:
    """Sentence on the probability that the data have clusters."""
    evidence = answer.structure
    if evidence is None:
        return []
    sentence = f"The probability that these data have clusters is {certain(evidence.probability)}"
    if evidence.decision == "no":
        sentence += ": you can split these data, but the groups are not natural"
    if evidence.decision == "yes":
        return [f"{sentence}."]
    return [f"{sentence}.", f"A group of fewer than {evidence.smallest:,} objects can be missed."]


def expected(answer: AnswerFacts) -> list[str]:
    """Sentences on the expected agreement with an expert's groups."""
    if answer.expected is None:
        return []
    subject = "Expected agreement with the structure that experts would name"
    if not natural(answer):
        subject = "Should experts name classes anyway, the expected agreement with these"
    sentences = [f"{subject}: ARI {interval(answer)}."]
    if answer.judge is not None and answer.judge.weighed is not None:
        sentences.append(f"The judge weighed {answer.judge.weighed:,} of the objects.")
    return sentences


def beside(answer: AnswerFacts) -> list[str]:
    """Sentence that compares the user's clustering with karat's own sweep."""
    reference = answer.reference
    if reference is None:
        return []
    where = "" if reference.fitted_on is None else f" on {reference.fitted_on:,} of the objects"
    return [
        f"The best of the {reference.tried} clusterings of karat's own sweep{where} is "
        f"{reference.name} ({clusters(reference.n_clusters)}): expected agreement ARI "
        f"{interval(reference)}, adjusted Rand index {reference.agreement:.2f} with this one."
    ]


def contributions(answer: AnswerFacts) -> list[str]:
    """Sentences on the kinds of evidence that contribute most to the judge's opinion."""
    parts = answer.contributions
    up = [f"{p.kind} ({p.value:+.2f})" for p in parts if p.value > WORTH_NAMING][:NAMED]
    down = [f"{p.kind} ({p.value:+.2f})" for p in parts if p.value < -WORTH_NAMING][:NAMED]
    sentences = [f"For it: {', '.join(up)}."] if up else []
    return [*sentences, f"Against it: {', '.join(down)}."] if down else sentences


def vote(answer: AnswerFacts) -> list[str]:
    """Sentences on the votes of the families of measures."""
    votes, skipped = answer.votes, answer.judge_skipped
    if not votes:
        return [] if skipped is None else [f"{SKIPPED[skipped]}.", *_inside(answer)]
    sentences = [] if skipped is None else [f"{SKIPPED[skipped]}, so the consensus decided."]
    first = [family.name for family in votes if family.first]
    prefers = [f"{f.name} prefers {f.prefers}" for f in votes if not f.first]
    if len(prefers) > FEW:
        prefers[2:] = [f"{len(prefers) - 2} more prefer others"]
    n = len(votes)
    if n == 1:
        name = votes[0].name
        sentences.append(f"One family of internal measures, {name}, decided.")
    else:
        place = "none puts it first, but its average rank is the best; "
        if not prefers:
            place = "all of them put it first"
        elif first:
            place = f"{listed(first)} put{'s' * (len(first) == 1)} it first, while "
        sentences.append(
            f"{n} families of internal measures voted, one vote each: {place}{'; '.join(prefers)}."
        )
    return [*sentences, *_inside(answer)]


def _inside(answer: AnswerFacts) -> list[str]:
    """Sentence on the mean silhouette, if few clusterings were compared."""
    mean = answer.silhouette
    if mean is None or answer.tried.distinct > FEW:
        return []
    near = "closer to another cluster than to their own"
    side = f"below 0, so on average objects are {near}" if mean < 0 else "1 at best"
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
    if measure.inside_error:
        sentences.append(
            f"The sample does not tell {listed(measure.inside_error[:FEW])} from it: the "
            "difference is within the error of the estimates."
        )
    return sentences


def labelled(answer: AnswerFacts) -> list[str]:
    """Sentence on how the labels change the clustering's probability."""
    evidence = answer.labelled
    if evidence is None:
        return []
    before, after = share(evidence.before), share(evidence.after)
    verb = "raise" if evidence.after > evidence.before else "lower"
    change = f"{verb} its probability from {before} to {after}"
    if before == after:
        change = f"leave its probability at {after}"
    even = "" if answer.judge is not None else " (without them each has the same)"
    return [
        f"The {evidence.n_labels:,} labels {change}{even}{_alike(evidence)}: a ranking of the "
        "candidates, and no guarantee that it is the best."
    ]


def paired(answer: AnswerFacts) -> list[str]:
    """Sentence on the known pairs: how many are kept, and how they change the probability."""
    evidence = answer.pairs
    if evidence is None:
        return []
    n, kept = evidence.n_must + evidence.n_cannot, evidence.kept_must + evidence.kept_cannot
    sentence = (
        f"It keeps {kept:,} of the {n:,} known pairs: {evidence.kept_must:,} of "
        f"{evidence.n_must:,} that must be together, {evidence.kept_cannot:,} of "
        f"{evidence.n_cannot:,} that cannot."
    )
    if np.isnan(evidence.after):
        return [sentence]
    return [
        f"{sentence} By them its probability among the candidates goes from "
        f"{share(evidence.before)} to {share(evidence.after)}{_alike(evidence)}."
    ]


def _alike(evidence: LabelEvidence | PairEvidence) -> str:
    """Clause on the probability of the clustering and its near copies, where that is larger."""
    alike = share(evidence.alike)
    if alike == share(evidence.after):
        return ""
    return f"; it and those that hardly differ from it have {alike}"


def guarantee(answer: AnswerFacts) -> list[str]:
    """Sentences on the guaranteed maximum error: its reason, a tighter bound and warnings."""
    best = answer.guarantee
    if best is None:
        return []
    sentences = [best.reason]
    if not best.refused and best.n:
        sentences += [NOT_THE_CLUSTERS, *_of_each_class(best)]
    if best.bound_rate >= best.constant_error_rate:
        sentences.append(
            "That is no better than always guessing the largest class: with these labels the "
            "clustering guarantees nothing of its own."
        )
    by_clusters = answer.by_clusters
    if by_clusters is not None and not best.refused:
        sentences.append(
            f"If all rows of a cluster of {by_clusters.name} had one class, at most "
            f"{percent_up(by_clusters.rate)} would be wrong; both hold together."
        )
    return [*sentences, *(f"Warning: {warning}." for warning in best.warnings)]


def _of_each_class(best: Guarantee) -> list[str]:
    """Sentence on what is guaranteed of the rows of each class."""
    limits = list(best.row_classes.by_class.items())
    if len(limits) < 2:
        return []
    shown = [f"{percent_down(limit)} of {name}" for name, limit in limits[:MOST_CLASSES]]
    return [
        f"Of the unlabelled rows of each class, at least so many are right: {listed(shown)} "
        "(`class_guaranteed`; these hold together, with a chance to fail of their own)."
    ]


def more_labels(answer: AnswerFacts) -> list[str]:
    """Sentences on the rows to label next, and why these."""
    more = answer.more_labels
    if more is None:
        return []
    sentences = [next_rows(more.rows)]
    if len(more.rows) > MOST_ROWS:
        sentences.append("The column `label_next` (--labels) has the order of more rows.")
    return sentences


def rivals(answer: AnswerFacts) -> list[str]:
    """Sentence on the ties, or on the runner-up."""
    sentences = []
    second = answer.runner_up
    if answer.tied and not (answer.votes and answer.tried.distinct == 2):
        sentences.append(f"It ties with {listed(answer.tied[:FEW])}.")
    elif second is not None and not answer.tied:
        details = [clusters(second.n_clusters)]
        if second.expected is not None:
            details.append(f"expected ARI {agreement(second.expected)}")
        elif answer.labelled is not None and second.score is not None:
            details.append(f"probability {share(second.score)}")
        elif answer.measured is not None and second.score is not None:
            details.append(f"{second.score:.4g}")
        elif answer.decided_by == "guarantee" and second.score is not None:
            details.append(f"guaranteed maximum error {percent_up(second.score)}")
        sentences.append(f"The runner-up is {second.name} ({', '.join(details)}).")
    return sentences
