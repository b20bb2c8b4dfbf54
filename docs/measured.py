"""Figures of the pages, read from stored results: none of them is typed.

A source is ``NAME: ROW / COLUMN``, with ``| FORMAT`` after it where the figure is a number to be
rounded or the first of a cell. NAME is a file of ``lab/results`` (written by ``karat reproduce NAME
--json``), or a table that the documentation includes: ``choice_table``. ROW is the beginning of a
row, or of a sentence below the table; of a sentence COLUMN counts the numbers, from 1.

On a page of reStructuredText the role says the figure; in Markdown it stands between two comments::

    :measured:`choice_table: the judge / real tables | first`
    <!--choice_table: the judge / real tables | first-->0.525<!--/-->

A whole stored table, or some of its rows (those that begin with some words) and columns::

    .. measured-table:: guarantee-tightness
       :rows: tables
       :columns: method; 20 labels | .3f; broken | .3f = share broken

``COLUMN | FORMAT = HEADING``; a column ``X error`` stands behind X as ``a ± b``. Without
``:columns:`` all are shown. ``.. measured-names:: FOLDER`` lists the results in a folder of
``lab/results``.

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
        return dict(_rows(name)), result["notes"]
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


def table(name: str, rows: str = "", columns: str = "") -> list[list[str]]:
    """Headings and cells of a stored table."""
    chosen = [row for title, row in _rows(name) if title.startswith(rows)]
    if not chosen:
        raise KeyError(f"no row {rows!r} in {name}")
    asked = [c.strip() for c in columns.split(";")] if columns else [
        c for c in chosen[0] if not c.endswith(" error")]  # fmt: skip
    heads, sources = [], []
    for one in asked:
        source, _, head = (part.strip() for part in one.partition("="))
        column, _, form = (part.strip() for part in source.partition("|"))
        heads.append(head or column)
        sources.append((column, form))
    return [heads, *([_cell(row, *source) for source in sources] for row in chosen)]


def _cell(row: dict[str, Any], column: str, form: str) -> str:
    value, error = row[column], row.get(f"{column} error")
    if value is None:
        return ""
    if isinstance(value, float) and not form:
        form = ".3g"
    told = _formed(value, form)
    return f"{told} ± {error:{form}}" if error is not None else told


def names(folder: str) -> list[list[str]]:
    """The results in a folder: their names, seconds and verdicts."""
    found = [json.loads(p.read_text("utf-8")) for p in sorted((RESULTS / folder).glob("*.json"))]
    cells = [[r["name"], f"{r['processor_seconds']:.0f}", r["verdict"]] for r in found]
    return [["Name", "Processor seconds", "Verdict"], *cells]


def _rows(name: str) -> list[tuple[str, dict[str, Any]]]:
    result = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    return [(" ".join(v for v in r.values() if isinstance(v, str)), r) for r in result["table"]]


def _directive(made: Any, options: tuple[str, ...]) -> Any:
    """A directive that shows cells as a table; an error names what is not there."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives

    class Stored(Directive):
        required_arguments = 1
        option_spec = dict.fromkeys(options, directives.unchanged)

        def run(self) -> list[Any]:
            try:
                cells = made(self.arguments[0], **self.options)
            except (KeyError, OSError) as error:
                raise self.error(f"no table of {self.arguments[0]}: {error}") from error
            shown = nodes.table("")
            group = nodes.tgroup(cols=len(cells[0]))
            group += [nodes.colspec(colwidth=1) for _ in cells[0]]
            lines = [nodes.row("", *(_entry(c) for c in row)) for row in cells]
            group += [nodes.thead("", lines[0]), nodes.tbody("", *lines[1:])]
            shown += group
            return [shown]

    def _entry(text: str) -> Any:
        return nodes.entry("", nodes.paragraph("", text))

    return Stored


def setup(app: Any) -> dict[str, bool]:
    app.add_role("measured", _role)
    app.add_directive("measured-table", _directive(table, ("rows", "columns")))
    app.add_directive("measured-names", _directive(names, ()))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    README.write_text(brought_up_to_date(README.read_text("utf-8")), encoding="utf-8")
