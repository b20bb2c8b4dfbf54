"""Three sentences for who has never heard of an index: what was found, how sure, what next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import numpy as np

from karat.bounds import wording as bounds_wording
from karat.study.wording.phrases import (
    agreement,
    counted,
    decision,
    groups,
    is_own,
    listed,
    natural,
    percent,
    probably,
    span,
)

if TYPE_CHECKING:
    from karat.study.facts import AnswerFacts, Expected, ReferenceClustering

#: sizes of more groups are not listed
MOST_SIZES = 8
#: from which agreement on two clusterings are much the same
SAME = 0.8
#: rows to label first
TO_DRAW = 20
#: by how much karat's own must be better for it to be recommended
BETTER = 0.05
#: what an expected agreement is called
GRADES = {
    "good": "good agreement", "fair": "some agreement", "weak": "little agreement",
    "random": "no more agreement than chance",
}  # fmt: skip


def story(answer: AnswerFacts) -> list[str]:
    """What was found, how far to trust it, what to do next; each in one sentence."""
    return [found(answer), trust(answer), then(answer)]


# -- what was found --------------------------------------------------------------------------


def found(answer: AnswerFacts) -> str:
    """The groups, and whether there are any."""
    if is_own(answer):
        return f"{_own(answer)}."
    k, said = groups(answer.n_clusters), decision(answer)
    if said == "yes":
        told = f"These data have groups: karat finds {answer.n_clusters}{sizes(answer)}"
    elif said == "unclear" and probably(answer):
        told = f"These data probably have groups: karat finds {answer.n_clusters}{sizes(answer)}"
    elif said == "unclear":
        told = (
            "It cannot be told from these data whether they have natural groups; the best way "
            f"found to split them has {k}{sizes(answer)}"
        )
    elif said == "no":
        told = (
            "No natural groups were found: you can split these data, and the best way found has "
            f"{k}{sizes(answer)}"
        )
    else:
        told = f"The best of {_compared(answer)} has {k}{sizes(answer)}"
    return told + "."


def _own(answer: AnswerFacts) -> str:
    """What the user's own clusterings are worth, beside what karat finds itself."""
    n, k = answer.tried.distinct, groups(answer.n_clusters)
    yours = "Your clustering" if n == 1 else f"The best of your {counted(n)} clusterings"
    if answer.expected is None:
        if n == 1:
            told = (
                f"There is only your clustering{sizes(answer, k)}, and nothing to compare it with"
            )
        elif answer.tied:
            told = f"A vote does not separate {answer.name} from {answer.tied[0]}"
        else:
            told = f"{yours} is {answer.name}{sizes(answer, k)}"
        return told
    grade = answer.expected.grade
    if grade in ("random", "weak"):
        much = "" if grade == "random" else "much "
        subject = (
            "Your clustering is not" if n == 1 else f"None of your {counted(n)} clusterings is"
        )
        told = f"{subject} {much}better than random groups"
    else:
        which = "" if n == 1 else f", {answer.name},"
        word = "good" if grade == "good" else "of middling quality"
        told = f"{yours}{which} is {word}{sizes(answer, k)}"
    return f"{told}; {_data(answer)}{_beside(answer)}"


def _data(answer: AnswerFacts) -> str:
    """Whether the data have groups, after what was said of a clustering."""
    if probably(answer):
        return "the data probably have groups"
    return {
        "yes": "the data do have groups",
        "no": "no natural groups were found in the data",
        "unclear": "whether the data have natural groups cannot be told",
        None: "whether the data have groups is not known",
    }[decision(answer)]


def _beside(answer: AnswerFacts) -> str:
    """What karat's own sweep finds."""
    other, mine = answer.reference, answer.expected
    if other is None or mine is None:
        return ""
    if decision(answer) == "no":
        return ""
    told = f": karat's own sweep finds {groups(other.n_clusters)}"
    worth = f"expected agreement {agreement(other.expected)}"
    if other.agreement == 1:
        return f"{told}, the same ones"
    if other.agreement >= SAME:
        return f"{told}, much the same ones ({worth})"
    if not _is_better(other, mine):
        return f"{told}, no better ones ({worth})"
    return f"{told} ({worth})"


# -- how far to trust it ---------------------------------------------------------------------


def trust(answer: AnswerFacts) -> str:
    """What it is worth on a scale that does not depend on the other candidates."""
    certain = answer.guarantee
    if certain is not None:
        return certain.sentence
    expected, one = answer.expected, answer.measured
    if expected is not None:
        start = "Expect" if natural(answer) else "Were there groups all the same, expect"
        told = (
            f"{start} {GRADES[expected.grade]} with the groups that an expert would name: "
            f"{agreement(expected)}, where 1 is perfect and 0 is chance (80 % interval "
            f"{span(expected.low, expected.high)})"
        )
        if answer.near_best is not None and natural(answer):
            told += f"; with probability {percent(answer.near_best, 0)} it is nearly the best here"
        return told + "."
    if one is not None and one.n_known:
        return (
            f"It is the nearest to your labels of {one.n_known:,} objects: {one.title} "
            f"{one.value:.2f}."
        )
    if one is not None:
        return (
            f"It was chosen by one measure alone ({one.title}: {one.value:.4g}), which says "
            "nothing of whether the groups are natural."
        )
    told = "How good it is"
    if answer.votes:
        told = "A vote orders candidates; how good the first is"
    if answer.reference_skipped is not None:
        told += ", and whether the data have better groups"
    return f"{told}, is not known."


# -- what to do next -------------------------------------------------------------------------


def then(answer: AnswerFacts) -> str:
    """What brings most from here."""
    other, mine = answer.reference, answer.expected
    sweep = "omit --only-labelings (in Python: study.sweep())"
    more = "widen -k or --clusterer (in Python: study.sweep())."
    if decision(answer) == "no":
        return "Next, look for features that tell objects apart before anything rests on groups."
    if is_own(answer):
        if other is not None and _is_better(other, mine):
            return f"Next, let karat choose among clusterings of its own, too: {sweep}."
        if answer.reference_skipped == "asked":
            return (
                "Next, compare with karat's own: omit --no-reference (in Python: reference=True)."
            )
        if mine is None:
            return f"Next, compare with karat's own clusterings: {sweep}."
    elif other is not None and _is_better(other, mine):
        return f"Next, compare more{_beside(answer)}; {more}"
    if answer.tried.unfinished:
        return (
            f"Next, let the other {answer.tried.unfinished:,} candidates finish: the same command "
            "with --storage FILE, or a larger --budget."
        )
    if answer.guarantee is not None:
        return outlook(answer)
    if answer.expected is not None:
        return (
            f"Next, label {TO_DRAW} rows drawn at random ({draw_labels(answer)}): they give every "
            "row a class, with a guaranteed maximum error."
        )
    if answer.tried.distinct <= 2:
        return f"Next, compare more: {more}"
    return "Next, look at the groups, and at the objects between them, before you use them."


def outlook(answer: AnswerFacts) -> str:
    """What more labels would buy."""
    more, found = answer.more_labels, answer.guarantee
    assert found is not None
    if found.refused:
        return f"Next, draw the rows to label at random: {draw_labels(answer)}."
    if more is None or not more.outlook:
        return "Next, use the classes; few rows are left to label."
    told = bounds_wording.outlook(more.labelled, found.bound_rate, more.outlook)
    return f"Next, label more rows: {told}."


def draw_labels(answer: AnswerFacts) -> str:
    """What draws objects to label."""
    size = min(TO_DRAW, answer.n_objects)
    if answer.source is None:
        return f"karat.bounds.sample({answer.n_objects}, {size})"
    return f"karat sample {shlex.quote(answer.source)} -n {size}"


def _is_better(other: ReferenceClustering, mine: Expected | None) -> bool:
    """Whether karat's own clustering is another one, and expected to be better."""
    ahead = mine is None or other.expected.value >= mine.value + BETTER
    return ahead and other.agreement < SAME


# -- phrases ---------------------------------------------------------------------------------


def _compared(answer: AnswerFacts) -> str:
    n = answer.tried.distinct
    return "one clustering" if n == 1 else f"{n:,} different clusterings"


def sizes(answer: AnswerFacts, k: str = "") -> str:
    """How large the groups are, in brackets where they were not counted before."""
    counts = answer.sizes
    told = [k] if k else []
    if 1 < len(counts) <= MOST_SIZES:
        told.append(f"of {listed(f'{size:,}' for size in counts)} objects")
    elif len(counts) > 1 and counts[0] == counts[-1]:
        told.append(f"of {counts[0]:,} object{'s' * (counts[0] > 1)} each")
    elif len(counts) > 1:
        told.append(
            f"of {counts[-1]:,} to {counts[0]:,} objects, half of them of "
            f"{int(np.median(counts)):,} or more"
        )
    if answer.outliers:
        share = percent(answer.outliers / answer.n_objects)
        told.append(f"with {share} of the objects in none")
    if not told:
        return ""
    return f" ({', '.join(told)})" if k else f", {', '.join(told)}"
