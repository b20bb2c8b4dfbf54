"""Three sentences for readers new to validity indices: the finding, its worth, the next step."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import numpy as np

from karat.study.wording.phrases import (
    agreement,
    counted,
    decision,
    groups,
    is_supplied,
    listed,
    natural,
    percent,
    probably,
    span,
)

if TYPE_CHECKING:
    from karat.study.facts import AnswerFacts, Expected, ReferenceClustering

#: most groups whose sizes are listed
MOST_SIZES = 8
#: least agreement of two clusterings that are much the same
SAME = 0.8
#: least advantage of karat's own clustering for it to be recommended
BETTER = 0.05
#: words for the grades of an expected agreement
GRADES = {
    "good": "good agreement", "fair": "some agreement", "weak": "little agreement",
    "random": "no more agreement than chance",
}  # fmt: skip


def story(answer: AnswerFacts) -> list[str]:
    """The finding, how far to trust it and what to do next; each in one sentence."""
    return [finding(answer), trust(answer), next_step(answer)]


# -- the finding -----------------------------------------------------------------------------


def finding(answer: AnswerFacts) -> str:
    """Sentence on the groups, and on whether the data have any."""
    if is_supplied(answer):
        return f"{_supplied(answer)}."
    n_groups, verdict = groups(answer.n_clusters), decision(answer)
    if verdict == "yes":
        sentence = f"These data have groups: karat finds {answer.n_clusters}{sizes(answer)}"
    elif verdict == "unclear" and probably(answer):
        number = f"{answer.n_clusters}{sizes(answer)}"
        sentence = f"These data probably have groups: karat finds {number}"
    elif verdict == "unclear":
        sentence = (
            "It cannot be told from these data whether they have natural groups; the best way "
            f"found to split them has {n_groups}{sizes(answer)}"
        )
    elif verdict == "no":
        sentence = (
            "No natural groups were found: you can split these data, and the best way found has "
            f"{n_groups}{sizes(answer)}"
        )
    else:
        sentence = f"The best of {_compared(answer)} has {n_groups}{sizes(answer)}"
    return sentence + "."


def _supplied(answer: AnswerFacts) -> str:
    """Clause on the worth of the user's clusterings, compared with karat's own sweep."""
    n, k = answer.tried.distinct, groups(answer.n_clusters)
    yours = "Your clustering" if n == 1 else f"The best of your {counted(n)} clusterings"
    if answer.expected is None:
        if n == 1:
            clause = (
                f"There is only your clustering{sizes(answer, k)}, and nothing to compare it with"
            )
        elif answer.tied:
            clause = f"A vote does not separate {answer.name} from {answer.tied[0]}"
        else:
            clause = f"{yours} is {answer.name}{sizes(answer, k)}"
        return clause
    grade = answer.expected.grade
    if grade in ("random", "weak"):
        adverb = "" if grade == "random" else "much "
        subject = (
            "Your clustering is not" if n == 1 else f"None of your {counted(n)} clusterings is"
        )
        clause = f"{subject} {adverb}better than random groups"
    else:
        which = "" if n == 1 else f", {answer.name},"
        word = "good" if grade == "good" else "of middling quality"
        clause = f"{yours}{which} is {word}{sizes(answer, k)}"
    return f"{clause}; {_data(answer)}{_beside(answer)}"


def _data(answer: AnswerFacts) -> str:
    """Clause on whether the data have groups."""
    if probably(answer):
        return "the data probably have groups"
    return {
        "yes": "the data do have groups",
        "no": "no natural groups were found in the data",
        "unclear": "whether the data have natural groups cannot be told",
        None: "whether the data have groups is not known",
    }[decision(answer)]


def _beside(answer: AnswerFacts) -> str:
    """Clause on the result of karat's own sweep."""
    reference, expected = answer.reference, answer.expected
    if reference is None or expected is None:
        return ""
    if decision(answer) == "no":
        return ""
    clause = f": karat's own sweep finds {groups(reference.n_clusters)}"
    worth = f"expected agreement {agreement(reference.expected)}"
    if reference.agreement == 1:
        return f"{clause}, the same ones"
    if reference.agreement >= SAME:
        return f"{clause}, much the same ones ({worth})"
    if not _is_better(reference, expected):
        return f"{clause}, no better ones ({worth})"
    return f"{clause} ({worth})"


# -- how far to trust it ---------------------------------------------------------------------


def trust(answer: AnswerFacts) -> str:
    """Sentence on the worth of the clustering, independent of the other candidates."""
    guarantee = answer.guarantee
    if guarantee is not None:
        return guarantee.sentence
    expected, measure = answer.expected, answer.measured
    if expected is not None:
        start = "Expect" if natural(answer) else "Were there groups all the same, expect"
        clause = (
            f"{start} {GRADES[expected.grade]} with the groups that an expert would name: "
            f"{agreement(expected)}, where 1 is perfect and 0 is chance (80 % interval "
            f"{span(expected.low, expected.high)})"
        )
        if answer.near_best is not None and natural(answer):
            share = percent(answer.near_best, 0)
            clause += f"; with probability {share} it is nearly the best here"
        return clause + "."
    if measure is not None and measure.n_known:
        return (
            f"It is the nearest to your labels of {measure.n_known:,} objects: {measure.title} "
            f"{measure.value:.2f}."
        )
    if measure is not None:
        return (
            f"It was chosen by one measure alone ({measure.title}: {measure.value:.4g}), which "
            "says nothing of whether the groups are natural."
        )
    clause = "How good it is"
    if answer.votes:
        clause = "A vote orders candidates; how good the first is"
    if answer.reference_skipped is not None:
        clause += ", and whether the data have better groups"
    return f"{clause}, is not known."


# -- what to do next -------------------------------------------------------------------------


def next_step(answer: AnswerFacts) -> str:
    """Sentence on the most useful next step."""
    reference, expected = answer.reference, answer.expected
    sweep = "omit --only-labelings (in Python: study.sweep())"
    more = "widen -k or --clusterer (in Python: study.sweep())."
    if decision(answer) == "no":
        return "Next, look for features that tell objects apart before anything rests on groups."
    if is_supplied(answer):
        if reference is not None and _is_better(reference, expected):
            return f"Next, let karat choose among clusterings of its own, too: {sweep}."
        if answer.reference_skipped == "asked":
            return (
                "Next, compare with karat's own: omit --no-reference (in Python: reference=True)."
            )
        if expected is None:
            return f"Next, compare with karat's own clusterings: {sweep}."
    elif reference is not None and _is_better(reference, expected):
        return f"Next, compare more{_beside(answer)}; {more}"
    if answer.tried.unfinished:
        return (
            f"Next, let the other {answer.tried.unfinished:,} candidates finish: the same command "
            "with --storage FILE, or a larger --budget."
        )
    if answer.guarantee is not None:
        return "Next, label more rows to lower the guaranteed maximum error (karat label)."
    if answer.gains:
        few = answer.gains[0]
        return (
            f"Next, label 10 rows, which typically improves agreement by {few:.2f}: "
            f"{draw_labels(answer)} draws them."
        )
    if answer.tried.distinct <= 2:
        return f"Next, compare more: {more}"
    return "Next, look at the groups, and at the objects between them, before you use them."


def draw_labels(answer: AnswerFacts) -> str:
    """The command that draws ten objects to label."""
    if answer.source is None:
        return f"karat.bounds.sample({answer.n_objects}, 10)"
    return f"karat sample {shlex.quote(answer.source)} -n 10"


def _is_better(reference: ReferenceClustering, expected: Expected | None) -> bool:
    """Whether karat's own clustering differs, and has a higher expected agreement."""
    ahead = expected is None or reference.expected.value >= expected.value + BETTER
    return ahead and reference.agreement < SAME


# -- phrases ---------------------------------------------------------------------------------


def _compared(answer: AnswerFacts) -> str:
    """The number of distinct clusterings in words."""
    n = answer.tried.distinct
    return "one clustering" if n == 1 else f"{n:,} different clusterings"


def sizes(answer: AnswerFacts, k: str = "") -> str:
    """Sizes of the groups; in brackets after their number ``k``."""
    counts = answer.sizes
    parts = [k] if k else []
    if 1 < len(counts) <= MOST_SIZES:
        parts.append(f"of {listed(f'{size:,}' for size in counts)} objects")
    elif len(counts) > 1 and counts[0] == counts[-1]:
        parts.append(f"of {counts[0]:,} object{'s' * (counts[0] > 1)} each")
    elif len(counts) > 1:
        parts.append(
            f"of {counts[-1]:,} to {counts[0]:,} objects, half of them of "
            f"{int(np.median(counts)):,} or more"
        )
    if answer.outliers:
        share = percent(answer.outliers / answer.n_objects)
        parts.append(f"with {share} of the objects in none")
    if not parts:
        return ""
    return f" ({', '.join(parts)})" if k else f", {', '.join(parts)}"
