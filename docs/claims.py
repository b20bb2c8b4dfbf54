"""Figures that a page says without a source: the build of the documentation warns of each.

Decimals, shares, counts out of some, numbers of tasks, draws or seeds, multiples, times and sizes
are figures, in digits or in words; levels, numbers of tables, versions, code and literals are not.
"""

from __future__ import annotations

import re
from typing import Any

from measured import MARKED

#: what tests compare: the 0.9 of both front pages in test_readme.py
ELSEWHERE = {
    "README": r"adjusted\s+Rand index of 0\.9",
    "index": r"Rand index of 0\.9",
}
#: what is no result: how an answer is worded, what is defined, set or asked for
EXAMPLES: dict[str, str] = {}
#: what is no measurement: levels, numbers of tables and versions, options of directives
NAMES = re.compile(
    r"95 %|\b80 %\s+interval\b|\b80 of 100\b|\bPython 3\.\d+|^ +:\w+:.*$"
    r"|\b(?:tables?|figures?|sections?|equations?|definitions?|exercises?)\s+\d+(?:\.\d+)+"
    r"(?:(?:,| to| and)\s+\d+(?:\.\d+)+)*",
    re.I | re.M,
)
#: numbers in words
WORD = (
    r"(?:(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-[a-z]+)?"
    r"|(?:a|one|two|three|four|five|six|seven|eight|nine|ten)\s+(?:dozen|hundred|thousand|million)"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]{3,5}teen)"
)
NUMBER = rf"(?<![\w.,-])(?:\d[\d,]*|{WORD})"
#: what is counted, with what may stand before it
TRIED = (
    r"(?:\s+(?!(?:on|in|that|which|and|or|to|for|by)\s)[a-z][a-z-]*){0,2}?"
    r"\s+(?:tasks|collections|(?:data\s+)?sets|tables|draws|seeds|designs)\b"
)
OF = r"(?:(?:out\s+)?of|in)\s+(?:(?:the|all|every|a|its|their)\s+)?"
SHARE = r"half|a\s+third|two\s+thirds|three\s+quarters|a\s+(?:quarter|fifth|tenth)"
FIGURES = (
    r"(?<![\w.§])\d+\.\d+(?!\.\d)[×\w]*",
    r"(?<![\w).])\.\d+(?!\w)",
    r"\d+(?:\.\d+)?\s?%(?!\})",
    # counts out of some, and what was tried
    rf"{NUMBER}\s+{OF}(?:\d[\d,]*|{WORD}|hundred)\b",
    rf"\ball\s+but\s+{WORD}\b(?!-)",
    rf"(?:{NUMBER}|\b(?:dozens|hundreds)\s+of){TRIED}",
    rf"\b(?:{SHARE})\s+of\s+(?:the|all){TRIED}",
    r"(?<![\w.])\d[\d.,]*\s+(?:thousand|million|billion)\b",
    # multiples, sizes and times
    rf"(?:\b(?:twice|half)|{NUMBER}\s+times)\s+(?:as|their|(?:of\s+)?the\s+(?:time|memory))\b",
    rf"{NUMBER}\s+times\s+(?:faster|slower|more|less)\b",
    r"(?<![\w.])\d[\d,]* ?(?:×(?!\s*\d)|[KMG]iB)",
    r"(?<![\w.])\d+ (?:s|ms)\b",
    rf"(?:\b(?:half\s+an?|an?|some|few|several|in|or)|{NUMBER})\s+(?:seconds|minutes?|hours?|days?)\b",
    r"\b(?:about|takes?|than|within|under)\s+a\s+second\b",
)
FIGURE = re.compile("|".join(FIGURES), re.I)


def prose(text: str) -> str:
    """A page without code, examples, literals and what a source says."""
    text = MARKED.sub("", text)
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(r"^ *>>> (?:.+\n)+", "", text, flags=re.M)
    text = re.sub(
        r"^( *)\.\. (?:code-block|console-session|math|toctree)::.*\n(?:\1 +.*\n|\n)+",
        "",
        text,
        flags=re.M,
    )
    text = re.sub(r"::\n\n(?: +.*\n|\n)+", "", text)
    text = re.sub(r":\w+:`[^`]*`", "", text)
    return re.sub(r"``[^`]*``|`[^`]*`", "", text)


def typed(page: str, text: str) -> list[str]:
    """Figures of a page that have no source, and what it was to say and does not any more."""
    gone = []
    for known in (ELSEWHERE, EXAMPLES):
        if page in known:
            text, found = re.subn(known[page], "", text, flags=re.M)
            gone += [] if found else [known[page]]
    return gone + FIGURE.findall(NAMES.sub("", prose(text)))


def _read(app: Any, page: str, content: list[str]) -> None:
    from sphinx.util.logging import getLogger

    if "/" in page:
        return
    for figure in typed(page, content[0]):
        getLogger(__name__).warning("no source is named for %r (docs/measured.py)", figure,
                                    location=page)  # fmt: skip


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
