"""Figures of the pages, read from stored results: none of them is typed.

A source is ``NAME: ROW / COLUMN``, with ``| FORMAT`` after it where the figure is a number to be
rounded or the first of a cell. NAME is a file of ``lab/results`` (written by
``sortal reproduce NAME --json``); those in ``past`` are of experiments that are no more. ROW is
the beginning of a row, or of a note; of a note COLUMN counts the numbers, from 1, or is what
follows the number.

On a page of reStructuredText the role says the figure; in Markdown it stands between two comments::

    :measured:`choice: judge / real tables | first`
    <!--choice: judge / real tables | first-->0.525<!--/-->

A whole stored table, or some of its rows (those that begin with some words, with ``;`` between
several) and columns::

    .. measured-table:: guarantee-tightness
       :rows: tables
       :columns: method; 20 labels | .3f; broken | .3f = share broken

``COLUMN | FORMAT = HEADING``; a column ``X error`` stands behind X as ``a ± b``. Without
``:columns:`` all are shown. ``.. measured-names:: all`` lists every name of the laboratory with
what came of it at quick scale and as published; ``.. measured-differences:: all`` the published
figures outside our interval and why they are, or those of the names that begin with some words;
``.. measured-reasons:: all`` counts them by how sure the reason is;
``.. measured-notes:: NAME`` the notes of a result: what was run, and what not; ``:with: WORDS``
those that have these words.
``.. measured-pairs:: NAME`` tests one row against others over the columns; ``measured-counts`` has
how often each value of one column goes with each of another.

``python docs/measured.py`` brings the Markdown up to date.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "lab" / "results"
README = HERE.parent / "README.md"
PAPER = HERE.parent / "paper" / "paper.md"
NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")
MARKED = re.compile(r"<!--([^>]+?:[^>]+?)-->(.*?)<!--/-->", re.S)


def figure(source: str) -> str:
    """What a source says; a KeyError names what is not there."""
    place, _, form = (part.strip() for part in " ".join(source.split()).partition("|"))
    name, _, where = (part.strip() for part in place.partition(":"))
    row, _, column = (part.strip() for part in where.rpartition("/"))
    rows, sentences = _rows(name), _stored(name)["notes"]
    for title, cells in rows:
        if title.startswith(row) and column in cells:
            if sum(title == other for other, _ in rows) > 1:
                raise KeyError(f"several rows {title!r} in {name}")
            return _formed(cells[column], form)
    for sentence in sentences:
        if sentence.startswith((row, row[:1].lower() + row[1:])) or (
            row.startswith("…") and row[1:] in sentence
        ):
            if column.isdigit():
                return NUMBER.findall(sentence)[int(column) - 1]
            before = re.search(rf"({NUMBER.pattern}) {re.escape(column)}\b", sentence)
            if before:
                return before[1]
    raise KeyError(f"no row {row!r} with {column!r} in {name}")


def _formed(value: Any, form: str) -> str:
    if form == "first":
        return str(value).split()[0]
    return f"{value:{form}}" if form else str(value)


@cache
def _stored(name: str) -> dict[str, Any]:
    """The stored result of a name."""
    result: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    return result


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
    beginnings = tuple(part.strip() for part in rows.split(";"))
    chosen = [row for title, row in _rows(name) if title.startswith(beginnings)]
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


def pairs(name: str, first: str, against: str, without: str = "") -> list[list[str]]:
    """Wilcoxon's signed-rank test of a row against others, over the columns of numbers.

    Exact, two-sided, corrected by Holm for the comparisons that are shown. ``without`` names
    columns that are no observations.
    """
    from sortal.bench import pairwise_wilcoxon
    from sortal.bounds import holm

    rows = {next(iter(row.values())): row for _, row in _rows(name)}
    title = next(iter(rows[first]))
    observed = [c for c in rows[first] if c not in (title, *_listed(without))]
    tests = [
        pairwise_wilcoxon({way: [float(rows[way][c]) for c in observed] for way in (first, rival)})
        for rival in _listed(against)
    ]
    corrected = holm(np.array([test["p"][0] for test in tests]))
    cells = [[f"{first} against", "difference", "better / worse", "p", "p, corrected by Holm"]]
    for test, p in zip(tests, corrected, strict=True):
        row = test.iloc[0]
        cells.append([row["other"], f"{row['difference']:+.3f}", f"{row['wins']} / {row['losses']}",
                      f"{row['p']:.3f}", f"{p:.3f}"])  # fmt: skip
    return cells


def counts(name: str, by: str, of: str, values: str) -> list[list[str]]:
    """How many rows have each of some values in one column, for each value of another."""
    rows = [row for _, row in _rows(name)]
    number = Counter((row[by], row[of]) for row in rows)
    cells = [[by, *_listed(values)]]
    for each in dict.fromkeys(row[by] for row in rows):
        cells.append([each, *(str(number[each, value]) for value in _listed(values))])
    return cells


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


def names(beginning: str = "all") -> list[list[str]]:
    """Every name: seconds, and published figures in our interval, outside, without an error."""
    from sortal_lab import EXPERIMENTS

    quick, paper = _results("quick", beginning), _results("", beginning)
    chosen = [n for n in sorted(EXPERIMENTS) if beginning == "all" or n.startswith(beginning)]
    cells = []
    for name in chosen:
        own = paper.get(name)
        samples = NOT_RUN if own is None else str(own["samples"] or "all")
        if samples not in (NOT_RUN, "all"):
            samples += f"; in full {EXPERIMENTS[name].repeats}"
        at_once = _counts([quick[name]]) if name in quick else [NOT_RUN, ""]
        cells.append([name, *at_once, samples, *(_counts([own]) if own else ["", ""])])
    together = _counts(list(quick.values())), _counts(list(paper.values()))
    cells.append([f"all {len(chosen)}", *together[0], f"{len(paper)} names", *together[1]])
    told = ["s", "in / out / no effect / open"]
    return [["Name", *(f"quick: {t}" for t in told), "samples", *told], *cells]


NOT_RUN = "not run"
#: verdicts on figures that count nowhere
NOT_COUNTED = ("repeats another figure", "0 in both", "same data")


def _counts(results: list[dict[str, Any]]) -> list[str]:
    """Seconds of processor time of some results, and how their comparisons came out."""
    seconds = sum(result.get("processor_seconds") or 0 for result in results)
    count = Counter(one["verdict"] for result in results for one in result["comparisons"])
    for verdict in NOT_COUNTED:
        del count[verdict]
    decided = [count[v] for v in ("agrees", "differs", "cannot be told from no effect")]
    told = " / ".join(map(str, [*decided, count.total() - sum(decided)])) if count else "–"
    return [f"{seconds:,.0f}" if seconds else "–", told]


def differences(beginning: str = "all") -> list[list[str]]:
    """The published figures outside our interval, with their explanation."""
    from sortal_lab.explanations import reason

    cells = [["Name", "Figure", "Ours", "Published", "Why"]]
    for name, result in _results("", beginning).items():
        for one in result["comparisons"]:
            if one["verdict"] == "differs":
                interval = _interval(one["low"], one["high"])
                ours = f"{_short(one['ours'])}{interval}"
                told = str(reason(name, one["quantity"]))
                cells.append([name, one["quantity"], ours, _short(one["published"]), told])
    return cells


def reasons(beginning: str = "all") -> list[list[str]]:
    """How many published figures are outside our interval, by how sure the reason is."""
    from sortal_lab.explanations import SHOWN, STATUSES, statuses

    count, inside = Counter[str](), 0
    for name, result in _results("", beginning).items():
        verdicts = [(one["verdict"], one["quantity"]) for one in result["comparisons"]]
        inside += sum(verdict == "agrees" for verdict, _ in verdicts)
        count += statuses(name, (each for verdict, each in verdicts if verdict == "differs"))
    rows = [("inside our interval", inside)]
    rows += [(f"outside, {words}", count[status]) for status, words in STATUSES.items()]
    rows.append(("inside or shown", inside + count[SHOWN]))
    total = inside + count.total()
    cells = [[row, str(number), f"{number / max(total, 1):.0%}"] for row, number in rows]
    return [["Published figure", "figures", "share"], *cells]


def notes(name: str) -> list[str]:
    """What the result of a name says of how it was got."""
    return [str(note) for note in _stored(name)["notes"]]


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({low:.3g} to {high:.3g})"


def _results(folder: str, beginning: str) -> dict[str, dict[str, Any]]:
    """The stored results of a folder, by name."""
    found = [json.loads(p.read_text("utf-8")) for p in sorted((RESULTS / folder).glob("*.json"))]
    return {r["name"]: r for r in found if beginning == "all" or r["name"].startswith(beginning)}


def _rows(name: str) -> list[tuple[str, dict[str, Any]]]:
    rows = _stored(name)["table"]
    return [(" ".join(v for v in row.values() if isinstance(v, str)), row) for row in rows]


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


def _list_of_notes() -> Any:
    """A directive that shows the notes of a result as a list."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives

    class Notes(Directive):
        required_arguments = 1
        option_spec = {"with": directives.unchanged}  # noqa: RUF012

        def run(self) -> list[Any]:
            words = self.options.get("with", "")
            try:
                told = [note for note in notes(self.arguments[0]) if words in note]
            except OSError as error:
                raise self.error(f"no result of {self.arguments[0]} is stored") from error
            return [
                nodes.bullet_list("", *(nodes.list_item("", nodes.paragraph("", t)) for t in told))
            ]

    return Notes


def setup(app: Any) -> dict[str, bool]:
    app.add_role("measured", _role)
    app.add_directive("measured-table", _directive(table, ("rows", "columns")))
    app.add_directive("measured-pairs", _directive(pairs, ("first", "against", "without")))
    app.add_directive("measured-counts", _directive(counts, ("by", "of", "values")))
    app.add_directive("measured-names", _directive(names, ()))
    app.add_directive("measured-differences", _directive(differences, ()))
    app.add_directive("measured-reasons", _directive(reasons, ()))
    app.add_directive("measured-notes", _list_of_notes())
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    for page in (README, PAPER):
        page.write_text(brought_up_to_date(page.read_text("utf-8")), encoding="utf-8")
