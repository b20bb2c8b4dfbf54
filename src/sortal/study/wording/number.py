"""The number of groups in words, as the tree of splits has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sortal.runtime.numerals import certain_percent
from sortal.study.facts import HALF
from sortal.study.numbers import LEAST_LIKELY
from sortal.study.wording.phrases import LIMITS, named_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sortal.study.facts import AnswerFacts, SplitFacts


def number_phrase(answer: AnswerFacts, noun: str = "groups") -> str:
    """The number of groups for a headline: a range where one number is less likely than not.

    Where the tree of splits has another number, that of the answer, and they are called groups.
    """
    k, likely = answer.n_clusters, answer.number_range
    if answer.splits is not None and answer.splits.k != k:
        return f"{k} group{'s' * (k > 1)}"
    if likely is None or not answer.numbers or _probability(answer) >= HALF:
        return f"{k} {noun.removesuffix('s') if k == 1 else noun}"
    return f"{likely[0]} to {likely[1]} {noun}"


def _probability(answer: AnswerFacts) -> float:
    """Probability of the answer's number of groups."""
    return sum(number.probability for number in answer.numbers if number.k == answer.n_clusters)


def how_many(answer: AnswerFacts) -> str:
    """How likely the number of groups is, and which groups may divide or be one.

    Groups that overlap have no exact number, so the tree does not decide it.
    """
    if not answer.numbers or answer.splits is None or answer.tried.distinct == 1:
        return ""
    k, likely = answer.n_clusters, answer.number_range
    if answer.splits.kind == "overlapping" and answer.splits.divides:
        low, high = likely or (k, k)
        between = f"{low} to {high}" if low < high else str(low)
        return f"kinds that overlap have no exact number; the splits found allow {between}"
    text = f"{k} ({certain_percent(_probability(answer))})"
    if likely is not None and likely[0] < likely[1] and _probability(answer) < HALF:
        low, high = likely
        total = sum(n.probability for n in answer.numbers if low <= n.k <= high)
        text = f"{low} to {high} ({certain_percent(total)})"
    is_shown = 1 < answer.splits.k == k
    doubts = sorted(_doubts(answer.splits), reverse=True) if is_shown else []
    named = [doubt for share, doubt in doubts if share >= LEAST_LIKELY]
    if named:
        text += f"; {', '.join(named[: LIMITS.few])}"
    if answer.splits.k != k:
        text += f"; this clustering has {k}"
    if answer.open_above is not None:
        text += f"; more than {answer.open_above} not tried (-k)"
    return text


def _doubts(node: SplitFacts, *, is_root: bool = True) -> Iterator[tuple[float, str]]:
    """Doubts about the splits and groups that have names: their probability, and their words."""
    if node.groups and not node.divides:
        name = named_groups(node.groups)
        yield node.probability, f"{name} may divide ({certain_percent(node.probability)})"
    if not node.divides:
        return
    if node.groups and not is_root:
        doubt = 1 - node.probability
        yield doubt, f"{named_groups(node.groups)} may be one ({certain_percent(doubt)})"
    for child in node.children:
        yield from _doubts(child, is_root=False)
