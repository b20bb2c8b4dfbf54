"""Sentences about the answer of a study, made from its facts.

:mod:`~sortal.study.wording.screen` is what everybody reads first, :mod:`~sortal.study.wording.why`
the reasons. Terminal, report, JSON and notebook all show the sentences of these functions.
"""

from sortal.study.wording.phrases import span
from sortal.study.wording.screen import data_line, headline, lines, sentences
from sortal.study.wording.tested import tested
from sortal.study.wording.why import findings, reasons

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
