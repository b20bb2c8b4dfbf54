"""Why this one: what the judge, the measures and the labels say, and what comes next."""

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

#: kinds of evidence that are named for it and against it, and from which contribution on
NAMED = 2
WORTH_NAMING = 0.01
#: classes that are named
MOST_CLASSES = 8
NOT_THE_CLUSTERS = (
    "The number is about the column `class` (--labels, in Python answer.classes), and says nothing "
    "about the column `cluster`."
)
#: why the judge did not decide
SKIPPED = {
    "graph": "The learned judge needs distances, and a graph has edges alone",
    "objects": "There are too few objects for the learned judge",
    "equal": "All objects are equal",
    "candidates": "No clustering has two clusters for the learned judge to see",
}


def judgement(answer: AnswerFacts) -> list[str]:
    """What the judge expects, and what speaks for and against it."""
    return [*structure(answer), *expected(answer), *beside(answer), *contributions(answer)]


def structure(answer: AnswerFacts) -> list[str]:
    """How likely it is that the data have clusters."""
    said = answer.structure
    if said is None:
        return []
    told = f"The probability that these data have clusters is {certain(said.probability)}"
    if said.decision == "no":
        told += ": you can split these data, but the groups are not natural"
    return [f"{told}."]


def expected(answer: AnswerFacts) -> list[str]:
    """The expected agreement with experts."""
    if answer.expected is None:
        return []
    what = "Expected agreement with the structure that experts would name"
    if not natural(answer):
        what = "Should experts name classes anyway, the expected agreement with these"
    told = [f"{what}: ARI {interval(answer)}."]
    if answer.judge is not None and answer.judge.weighed is not None:
        told.append(f"The judge weighed {answer.judge.weighed:,} of the objects.")
    return told


def beside(answer: AnswerFacts) -> list[str]:
    """What karat found itself, beside clusterings that were made elsewhere."""
    other = answer.reference
    if other is None:
        return []
    where = "" if other.fitted_on is None else f" on {other.fitted_on:,} of the objects"
    return [
        f"The best of the {other.tried} clusterings of karat's own sweep{where} is {other.name} "
        f"({clusters(other.n_clusters)}): expected agreement ARI {interval(other)}, adjusted Rand "
        f"index {other.agreement:.2f} with this one."
    ]


def contributions(answer: AnswerFacts) -> list[str]:
    """The kinds of evidence that matter most."""
    parts = answer.contributions
    up = [f"{p.kind} ({p.value:+.2f})" for p in parts if p.value > WORTH_NAMING][:NAMED]
    down = [f"{p.kind} ({p.value:+.2f})" for p in parts if p.value < -WORTH_NAMING][:NAMED]
    told = [f"For it: {', '.join(up)}."] if up else []
    return [*told, f"Against it: {', '.join(down)}."] if down else told


def vote(answer: AnswerFacts) -> list[str]:
    """How the families of measures voted, and what that does not say."""
    votes, skipped = answer.votes, answer.judge_skipped
    if not votes:
        return [] if skipped is None else [f"{SKIPPED[skipped]}.", *_inside(answer)]
    told = [] if skipped is None else [f"{SKIPPED[skipped]}, so the consensus decided."]
    first = [family.name for family in votes if family.first]
    prefers = [f"{f.name} prefers {f.prefers}" for f in votes if not f.first]
    if len(prefers) > FEW:
        prefers[2:] = [f"{len(prefers) - 2} more prefer others"]
    n = len(votes)
    if n == 1:
        name = votes[0].name
        told.append(f"One family of internal measures, {name}, decided.")
    else:
        place = "none puts it first, but its average rank is the best; "
        if not prefers:
            place = "all of them put it first"
        elif first:
            place = f"{listed(first)} put{'s' * (len(first) == 1)} it first, while "
        told.append(
            f"{n} families of internal measures voted, one vote each: {place}{'; '.join(prefers)}."
        )
    return [*told, *_inside(answer)]


def _inside(answer: AnswerFacts) -> list[str]:
    """The mean silhouette, where little was compared."""
    mean = answer.silhouette
    if mean is None or answer.tried.distinct > FEW:
        return []
    near = "closer to another cluster than to their own"
    side = f"below 0, so on average objects are {near}" if mean < 0 else "1 at best"
    return [f"Its mean silhouette is {mean:.2f} ({side})."]


def measured(answer: AnswerFacts) -> list[str]:
    """The measure that decided."""
    one = answer.measured
    if one is None or answer.tried.distinct == 1:
        return []
    basis = ""
    if one.n_known:
        basis = f" against the {one.n_known:,} known labels of {answer.n_objects:,} objects"
    direction = "highest" if one.greater_is_better else "lowest"
    told = [f"It has the {direction} {one.title}{basis}: {one.value:.4g}."]
    if one.inside_error:
        told.append(
            f"The sample does not tell {listed(one.inside_error[:FEW])} from it: the "
            "difference is within the error of the estimates."
        )
    return told


def labelled(answer: AnswerFacts) -> list[str]:
    """What the labels made of its probability."""
    said = answer.labelled
    if said is None:
        return []
    before, after = share(said.before), share(said.after)
    verb = "raise" if said.after > said.before else "lower"
    change = f"{verb} its probability from {before} to {after}"
    if before == after:
        change = f"leave its probability at {after}"
    even = "" if answer.judge is not None else " (without them each has the same)"
    return [
        f"The {said.n_labels:,} labels {change}{even}{_alike(said)}: a ranking of the candidates, "
        "and no guarantee that it is the best."
    ]


def paired(answer: AnswerFacts) -> list[str]:
    """How many known pairs it keeps, and what they made of its probability."""
    said = answer.pairs
    if said is None:
        return []
    n, kept = said.n_must + said.n_cannot, said.kept_must + said.kept_cannot
    told = (
        f"It keeps {kept:,} of the {n:,} known pairs: {said.kept_must:,} of {said.n_must:,} that "
        f"must be together, {said.kept_cannot:,} of {said.n_cannot:,} that cannot."
    )
    if np.isnan(said.after):
        return [told]
    return [
        f"{told} By them its probability among the candidates goes from {share(said.before)} to "
        f"{share(said.after)}{_alike(said)}."
    ]


def _alike(said: LabelEvidence | PairEvidence) -> str:
    """The probability of those that hardly differ from it, where it is another one."""
    alike = share(said.alike)
    if alike == share(said.after):
        return ""
    return f"; it and those that hardly differ from it have {alike}"


def guarantee(answer: AnswerFacts) -> list[str]:
    """What the labels guarantee, how, and what else does."""
    found = answer.guarantee
    if found is None:
        return []
    told = [found.reason]
    if not found.refused and found.n:
        told.append(NOT_THE_CLUSTERS)
        told += _of_each_class(found)
    if found.bound_rate >= found.constant_error_rate:
        told.append(
            "That is no better than always guessing the largest class: with these labels the "
            "clustering guarantees nothing of its own."
        )
    other = answer.by_clusters
    if other is not None and not found.refused:
        told.append(
            f"If all rows of a cluster of {other.name} had one class, at most "
            f"{percent_up(other.rate)} would be wrong; both hold together."
        )
    return [*told, *(f"Warning: {warning}." for warning in found.warnings)]


def _of_each_class(found: Guarantee) -> list[str]:
    """What is guaranteed of the rows of each class."""
    limits = list(found.row_classes.by_class.items())
    if len(limits) < 2:
        return []
    shown = [f"{percent_down(limit)} of {name}" for name, limit in limits[:MOST_CLASSES]]
    return [
        f"Of the unlabelled rows of each class, at least so many are right: {listed(shown)} "
        "(`class_guaranteed`; these hold together, with a chance to fail of their own)."
    ]


def more_labels(answer: AnswerFacts) -> list[str]:
    """Which rows to label next, and why these."""
    more = answer.more_labels
    if more is None:
        return []
    told = [next_rows(more.rows)]
    if len(more.rows) > MOST_ROWS:
        told.append("The column `label_next` (--labels) has the order of more rows.")
    return told


def rivals(answer: AnswerFacts) -> list[str]:
    """Ties, the runner-up, and what is different and nearly as good."""
    told = []
    second = answer.runner_up
    if answer.tied and not (answer.votes and answer.tried.distinct == 2):
        told.append(f"It ties with {listed(answer.tied[:FEW])}.")
    elif second is not None and not answer.tied:
        about = [clusters(second.n_clusters)]
        if second.expected is not None:
            about.append(f"expected ARI {agreement(second.expected)}")
        elif answer.labelled is not None and second.score is not None:
            about.append(f"probability {share(second.score)}")
        elif answer.measured is not None and second.score is not None:
            about.append(f"{second.score:.4g}")
        elif answer.decided_by == "guarantee" and second.score is not None:
            about.append(f"guaranteed maximum error {percent_up(second.score)}")
        told.append(f"The runner-up is {second.name} ({', '.join(about)}).")
    return told
