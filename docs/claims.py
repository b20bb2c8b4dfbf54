"""Figures that a page says without a source: the build of the documentation warns of each.

Decimals, shares, counts out of some, numbers of tasks, draws or seeds, multiples, times and sizes
are figures; levels, numbers of tables, versions, code and literals are not. A number in words is
not seen.
"""

from __future__ import annotations

import re
from typing import Any

from measured import MARKED

GRADES = r"from ([\d.]+) on is called (\w+), from ([\d.]+) (\w+), from ([\d.]+) (\w+);"
STRUCTURE = (
    r"Of the (\d+) data sets without clusters (\d+) are said to have some, both of (\d+)"
    r" objects[^.]*\. Shuffled features keep their own gaps, and (\d+) of (\d+) tables"
)
#: what tests compare: the 0.91 of both front pages in test_readme.py, the others below
ELSEWHERE = {"README": r"adjusted\s+Rand index of 0\.91", "index": r"Rand index of 0\.91",
             "study": GRADES, "axioms_external": r"from 1 to 0\.6|falls by 0\.027",
             "stability": STRUCTURE + r"|at least 11 of 12 seeds|takes 83 MiB"}  # fmt: skip
#: what is no result but shows how an answer is worded
EXAMPLES = {"study": r"\*3 \(70 %\), or 2 \(25 %\),"}
#: a table that is compared with the stored one
WRITTEN = {"choice_table"}
#: what is no measurement: levels, numbers of tables and versions, options of directives
NAMES = re.compile(
    r"95 %|\b80 of 100\b|\bPython 3\.\d+|^ +:\w+:.*$"
    r"|\b(?:tables?|figures?|sections?|equations?|definitions?|exercises?)\s+\d+(?:\.\d+)+"
    r"(?:(?:,| to| and)\s+\d+(?:\.\d+)+)*",
    re.I | re.M,
)
#: decimals, shares, counts out of some, what was tried, and what it took
FIGURE = re.compile(
    r"(?<![\w.§])\d+\.\d+(?!\.\d)[×\w]*|(?<![\w).])\.\d+(?!\w)|\d+(?:\.\d+)?\s?%(?!\})"
    r"|(?<![\w.])\d[\d,]*\s+(?:out\s+)?of\s+(?:the\s+)?\d[\d,]*"
    r"|(?<![\w.,])\d[\d,]*\s+(?:other\s+)?(?:tasks|collections|data\s+sets|draws|seeds|designs)\b"
    r"|(?<![\w.])\d[\d,]* ?(?:×(?!\s*\d)|times\s+(?:as|faster|slower)"
    r"|seconds|minutes|hours|[KMG]iB)|(?<![\w.])\d+ (?:s|ms)\b"
)


def prose(text: str) -> str:
    """A page without code, examples, literals and what a source says."""
    text = MARKED.sub("", text)
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(r"^ *>>> (?:.+\n)+", "", text, flags=re.M)
    text = re.sub(
        r"^( *)\.\. (?:code-block|math|toctree)::.*\n(?:\1 +.*\n|\n)+", "", text, flags=re.M
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

    if page in WRITTEN or "/" in page:
        return
    for figure in typed(page, content[0]):
        getLogger(__name__).warning("no source is named for %r (docs/measured.py)", figure,
                                    location=page)  # fmt: skip


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
