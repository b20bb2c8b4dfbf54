"""Every measured figure of README and docs is read from a stored result."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.study.answer import GRADES as GRADES_OF_CODE

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
_spec = importlib.util.spec_from_file_location("measured", DOCS / "measured.py")
measured = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(measured)

GRADES = r"from ([\d.]+) on is called (\w+), from ([\d.]+) (\w+), from ([\d.]+) (\w+);"
STRUCTURE = (
    r"Of the (\d+) data sets without clusters (\d+) are said to have some, both of (\d+)"
    r" objects[^.]*\. Shuffled features keep their own gaps, and (\d+) of (\d+) tables"
)
#: what is compared elsewhere: the 0.91 of both front pages in test_readme.py, the others below
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
    r"(?<![\w.§])\d+\.\d+(?!\.\d)[×\w]*|(?<![\w).])\.\d+(?!\w)|\d+(?:\.\d+)? ?%(?!\})"
    r"|(?<![\w.])\d[\d,]*\s+(?:out\s+)?of\s+(?:the\s+)?\d[\d,]*"
    r"|(?<![\w.,])\d[\d,]*\s+(?:other\s+)?(?:tasks|collections|data\s+sets|draws|seeds|designs)\b"
    r"|(?<![\w.])\d[\d,]* ?(?:×(?!\s*\w)|times\s+(?:as|faster|slower)"
    r"|seconds|minutes|hours|[KMG]iB)"
)


def prose(text: str) -> str:
    """A page without code, examples, literals and what a source says."""
    text = measured.MARKED.sub("", text)
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(r"^ *>>> (?:.+\n)+", "", text, flags=re.M)
    text = re.sub(
        r"^( *)\.\. (?:code-block|math|toctree)::.*\n(?:\1 +.*\n|\n)+", "", text, flags=re.M
    )
    text = re.sub(r"::\n\n(?: +.*\n|\n)+", "", text)
    text = re.sub(r":\w+:`[^`]*`", "", text)
    return re.sub(r"``[^`]*``|`[^`]*`", "", text)


def typed(page: Path) -> list[str]:
    text = page.read_text("utf-8")
    for known in (ELSEWHERE, EXAMPLES):
        if page.stem in known:
            text, found = re.subn(known[page.stem], "", text, flags=re.M)
            assert found, f"{page.name} does not say this any more: {known[page.stem]}"
    return FIGURE.findall(NAMES.sub("", prose(text)))


PAGES = [ROOT / "README.md", *(p for p in sorted(DOCS.glob("*.rst")) if p.stem not in WRITTEN)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_no_figure_without_a_source(page: Path) -> None:
    found = typed(page)
    assert not found, f"say where these are stored (docs/measured.py): {found}"


def test_the_page_of_studies_names_the_grades() -> None:
    said = re.search(GRADES, (DOCS / "study.rst").read_text("utf-8")).groups()
    assert dict(zip(said[1::2], map(float, said[::2]), strict=True)) == GRADES_OF_CODE


def test_the_page_of_stability_counts_what_its_table_has() -> None:
    rows = [row for _, row in measured._rows("structure")]

    def some(row: dict[str, Any]) -> int:
        return round(row["sets"] * row["yes"])

    none = [row for row in rows if not row["data"].startswith(("mixture", "shapes", "real"))]
    shuffled = next(row for row in rows if "shuffled" in row["data"])
    said = re.search(STRUCTURE, (DOCS / "stability.rst").read_text("utf-8"))
    assert [*map(int, said.groups())] == [
        sum(row["sets"] for row in none),
        sum(map(some, none)),
        max(int(row["n"]) for row in none if some(row)),
        some(shuffled),
        shuffled["sets"],
    ]


def test_counterexamples_have_the_values_that_are_told() -> None:
    assert karat.rand_index(list("00000"), list("00001")) == 0.6
    before, after = (
        karat.adjusted_mutual_information(list("00112"), list(C)) for C in ("01101", "01121")
    )
    assert round(before - after, 3) == 0.027


def test_the_readme_says_what_is_stored() -> None:
    text = measured.README.read_text("utf-8")
    assert measured.MARKED.search(text)
    assert measured.brought_up_to_date(text) == text


def test_every_source_of_a_page_is_there() -> None:
    sources = [
        source
        for page in PAGES
        for source in re.findall(r":measured:`([^`]+)`", page.read_text("utf-8"))
    ]
    assert len(sources) > 20
    for source in sources:
        assert measured.figure(source.replace("\n", " "))


def test_every_table_of_a_page_is_stored() -> None:
    asked = [
        (name, dict(re.findall(r"^ +:(\w+): (.+)$", options, re.M)))
        for page in PAGES
        for name, options in re.findall(
            r"^\.\. measured-table:: (\S+)\n((?: +:.+\n)*)", page.read_text("utf-8"), re.M
        )
    ]
    assert len(asked) >= 5
    for name, options in asked:
        heads, *rows = measured.table(name, **options)
        assert rows
        assert all(len(row) == len(heads) for row in rows)


def test_the_table_of_choices_is_the_stored_one() -> None:
    rows, sentences = measured._stored("choice_table")
    stored = json.loads((measured.RESULTS / "choice.json").read_text("utf-8"))
    for row in stored["table"]:
        way = row.pop("way of choosing")
        shown = rows["the judge" if way == "judge" else way]
        assert {c: shown[c] for c in row} == {c: "–" if v is None else v for c, v in row.items()}
    for note in stored["notes"][:-1]:
        assert any(one.casefold() == note.casefold() for one in sentences), note


def test_every_name_is_stored_and_every_difference_explained() -> None:
    heads, *rows = measured.names()
    assert len(rows) > 50
    assert all(len(row) == len(heads) for row in rows)
    heads, *rows = measured.differences()
    assert all(all(row) for row in rows), [row[:2] for row in rows if not all(row)]


def test_a_figure_that_is_not_there_is_an_error() -> None:
    assert measured.figure("choice_table: silhouette / benchmark sets | first").startswith("0.")
    with pytest.raises(KeyError, match="no row"):
        measured.figure("choice_table: silhouette / no such family")


QUICK = ("manning2008-table16.2", "manning2008-exercise", "whissell2012-figure6.1",
         "whissell2012-equation2.7")  # fmt: skip


@pytest.mark.parametrize("name", QUICK)
def test_stored_results_are_those_of_the_code(name: str) -> None:
    results = pytest.importorskip("karat_lab.results")
    stored = json.loads((measured.RESULTS / f"{name}.json").read_text("utf-8"))
    found = results.result_of(name, scale="paper")
    assert found["verdict"] == stored["verdict"]
    for one, other in zip(found["table"], stored["table"], strict=True):
        assert one.keys() == other.keys()
        for column, value in one.items():
            close = isinstance(value, float)
            assert value == (pytest.approx(other[column], rel=1e-9) if close else other[column])
