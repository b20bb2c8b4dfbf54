"""A bound on the errors of a clustering, in words."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.bounds._bound import PacMdlBound
    from karat.bounds._guarantee import Guarantee


def sentence_of(bound: PacMdlBound | Guarantee) -> str:
    """What is guaranteed."""
    if bound.n == 0:
        return "Every object is labelled: nothing is left to predict."
    return (
        f"With probability {1 - bound.delta:.10g} at most {percent_up(bound.bound_rate)} of the "
        f"{bound.n:,} unlabelled objects are mislabelled ({bound.bound:,}); always guessing the "
        f"largest class ({bound.constant_class}): at most "
        f"{percent_up(bound.constant_bound_rate)}."
    )


def conditions_of(bound: PacMdlBound | Guarantee) -> str:
    """What was read and what the guarantee rests on."""
    return f"Read: {bound.labels_read}. Premises: {'; '.join(bound.premises)}."


def text_of(bound: PacMdlBound | Guarantee) -> str:
    """All that there is to say, a line each."""
    doubts = [f"Warning: {warning}." for warning in bound.warnings]
    return "\n".join([bound.sentence, bound.reason, bound.conditions, *doubts])


def html_of(bound: PacMdlBound | Guarantee) -> str:
    """The same for notebooks."""
    doubts = "".join(f"<p><strong>Warning:</strong> {html.escape(w)}.</p>" for w in bound.warnings)
    return (
        f"<p><strong>{html.escape(bound.sentence)}</strong></p>"
        f"<p>{html.escape(bound.reason)}</p><p>{html.escape(bound.conditions)}</p>{doubts}"
    )


def percent_up(rate: float) -> str:
    """Rounded up: a guarantee is never printed tighter than it is."""
    return f"{math.ceil(rate * 1000 - 1e-9) / 10:.1f} %"
