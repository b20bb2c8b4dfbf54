"""Every sentence about the answer of a study, made of its facts.

Terminal, report, JSON and notebook show what these functions return, and ask nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.study.wording.advice import (
    draw_labels,
    findings,
    footer,
    more_candidates,
    more_labels,
    remarks,
)
from karat.study.wording.certainty import sample, stability
from karat.study.wording.grounds import (
    GOOD_FOR,
    guarantee,
    judgement,
    labelled,
    measured,
    rivals,
    vote,
)
from karat.study.wording.phrases import interval, span
from karat.study.wording.recommendation import fitted, lead, memberships, sizes

if TYPE_CHECKING:
    from karat.study.answer import Answer

__all__ = [
    "GOOD_FOR",
    "THEMES",
    "draw_labels",
    "findings",
    "footer",
    "interval",
    "remarks",
    "sentences",
    "span",
    "stability",
]

#: what is said, in this order
THEMES = (
    lead, fitted, sizes, memberships, judgement, vote, measured, labelled, guarantee, rivals,
    sample, stability, more_candidates, more_labels,
)  # fmt: skip


def sentences(answer: Answer) -> tuple[str, ...]:
    """The answer, the most important first."""
    return tuple(sentence for theme in THEMES for sentence in theme(answer))
