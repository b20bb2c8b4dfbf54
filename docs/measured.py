"""Figures of the pages, read from stored results: none of them is typed.

A source is ``NAME: ROW / COLUMN``, with ``| FORMAT`` after it where the figure is a number to be
rounded or the first of a cell. NAME is a file of ``lab/results`` (written by ``karat reproduce NAME
--json``), or a table that the documentation includes: ``choice_table``. ROW is the beginning of a
row, or of a sentence below the table; of a sentence COLUMN counts the numbers, from 1.

On a page of reStructuredText the role says the figure; in Markdown it stands between two comments::

    :measured:`choice_table: the judge / real tables | first`
    <!--choice_table: the judge / real tables | first-->0.525<!--/-->

``python docs/measured.py`` brings the Markdown up to date.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "lab" / "results"
README = HERE.parent / "README.md"
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
MARKED = re.compile(r"<!--([^>]*?)-->(.*?)<!--/-->", re.S)


def figure(source: str) -> str:
    """What a source says; a KeyError names what is not there."""
    place, _, form = (part.strip() for part in source.partition("|"))
    name, _, where = (part.strip() for part in place.partition(":"))
    row, _, column = (part.strip() for part in where.rpartition("/"))
    rows, sentences = _stored(name)
    for title, cells in rows.items():
        if title.startswith(row) and column in cells:
            return _formed(cells[column], form)
    for sentence in sentences:
        if sentence.startswith(row) or (row.startswith("…") and row[1:] in sentence):
            return NUMBER.findall(sentence)[int(column) - 1]
    raise KeyError(f"no row {row!r} with {column!r} in {name}")


def _formed(value: Any, form: str) -> str:
    if form == "first":
        return str(value).split()[0]
    return f"{value:{form}}" if form else str(value)


@cache
def _stored(name: str) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Rows, by what they begin with, and sentences."""
    if (RESULTS / f"{name}.json").is_file():
        result = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
        rows = {" ".join(v for v in r.values() if isinstance(v, str)): r for r in result["table"]}
        return rows, result["notes"]
    return _table((HERE / f"{name}.rst").read_text("utf-8"))


def _table(text: str) -> tuple[dict[str, dict[str, str]], list[str]]:
    """The first list-table of a page, and the items of the list after it."""
    table, _, after = text.partition("\n\n- ")
    lines = [re.match(r"\s+(\* -|  -) (.*)", line) for line in table.splitlines()]
    rows: list[list[str]] = []
    for found in filter(None, lines):
        if found[1] == "* -":
            rows.append([])
        rows[-1].append(found[2].strip("*` "))
    heads, *rest = rows
    sentences = [item.replace("\n  ", " ") for item in after.split("\n- ")]
    return {row[0]: dict(zip(heads, row, strict=True)) for row in rest}, sentences


def brought_up_to_date(text: str) -> str:
    """Markdown with the figures that its sources say."""
    return MARKED.sub(lambda m: f"<!--{m[1]}-->{figure(m[1])}<!--/-->", text)


def _role(name: str, raw: str, source: str, line: int, inliner: Any, *_: Any) -> Any:
    from docutils import nodes

    try:
        return [nodes.Text(figure(source))], []
    except (KeyError, OSError, ValueError, IndexError) as error:
        message = inliner.reporter.error(f"no figure for {source!r}: {error}", line=line)
        return [inliner.problematic(raw, raw, message)], [message]


def setup(app: Any) -> dict[str, bool]:
    app.add_role("measured", _role)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    README.write_text(brought_up_to_date(README.read_text("utf-8")), encoding="utf-8")
