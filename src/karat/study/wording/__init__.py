"""Sentences about the answer of a study, made from its facts.

Terminal, report, JSON and notebook all show the sentences that these functions return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.study.wording.certainty import how_many, sample, stability
from karat.study.wording.grounds import (
    guarantee,
    judgement,
    labelled,
    measured,
    paired,
    rivals,
    vote,
)
from karat.study.wording.phrases import NO_RULE, interval, span
from karat.study.wording.recommendation import (
    findings,
    fitted,
    footer,
    lead,
    memberships,
    remarks,
    singles,
)
from karat.study.wording.story import draw_labels, story
from karat.study.wording.tested import tested, untested

if TYPE_CHECKING:
    from karat.study.facts import AnswerFacts

__all__ = [
    "NO_RULE",
    "THEMES",
    "draw_labels",
    "findings",
    "footer",
    "interval",
    "remarks",
    "sentences",
    "span",
    "stability",
    "story",
    "tested",
    "untested",
]

#: functions that make the sentences, in order: for everybody first, then for specialists
THEMES = (
    story, lead, how_many, singles, fitted, memberships, judgement, vote, measured, labelled,
    paired, guarantee, rivals, sample, stability,
)  # fmt: skip


def sentences(answer: AnswerFacts) -> tuple[str, ...]:
    """All sentences about an answer, the most important first."""
    return tuple(sentence for theme in THEMES for sentence in theme(answer))
