"""Sentences about the answer of a study, made from its facts.

:mod:`~karat.study.wording.screen` is what everybody reads first, :mod:`~karat.study.wording.why`
the reasons. Terminal, report, JSON and notebook all show the sentences of these functions.
"""

from karat.study.wording.phrases import span
from karat.study.wording.screen import data_line, headline, lines, sentences
from karat.study.wording.tested import tested
from karat.study.wording.why import findings, reasons

__all__ = [
    "data_line",
    "findings",
    "headline",
    "lines",
    "reasons",
    "sentences",
    "span",
    "tested",
]
