"""Every measured figure of README and docs is read from a stored result."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import karat
from karat.study.answer import GRADES as GRADES_OF_CODE

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def _loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


measured, claims = _loaded("measured"), _loaded("claims")
PAGES = [
    ROOT / "README.md",
    *(p for p in sorted(DOCS.glob("*.rst")) if p.stem not in claims.WRITTEN),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_no_figure_without_a_source(page: Path) -> None:
    found = claims.typed(page.stem, page.read_text("utf-8"))
    assert not found, f"say where these are stored (docs/measured.py): {found}"


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        ("measured on 1,562 tasks", "1,562 tasks"),
        ("right on 41 of 47 draws", "41 of 47"),
        ("25.3 ± .4", "25.3"),
        ("it covers .95 of them", ".95"),
        ("it takes 12 s", "12 s"),
        ("8 × faster", "8 ×"),
        ("19 of the 20 groups", "19 of the 20"),
        ("12\u00a0% lower", "12\u00a0%"),
    ],
)
def test_a_figure_that_is_typed_is_seen(said: str, seen: str) -> None:
    assert seen in claims.typed("page", f"Of the corpus, {said}.\n")


def test_levels_names_and_literals_are_no_figures() -> None:
    text = (
        "At 95 %, see table 5.3 and section 6.3.5, with ``alpha=0.05``; :math:`0.2`; Python 3.11."
    )
    assert claims.typed("page", text) == []


def test_the_build_warns_of_a_figure_that_is_typed(caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("sphinx")
    claims._read(None, "page", ["It reaches 0.73."])
    assert "no source is named for '0.73'" in caplog.text


def test_the_page_of_studies_names_the_grades() -> None:
    said = re.search(claims.GRADES, (DOCS / "study.rst").read_text("utf-8")).groups()
    assert dict(zip(said[1::2], map(float, said[::2]), strict=True)) == GRADES_OF_CODE


def test_the_page_of_stability_counts_what_its_table_has() -> None:
    rows = [row for _, row in measured._rows("structure")]

    def some(row: dict[str, Any]) -> int:
        return round(row["sets"] * row["yes"])

    none = [row for row in rows if not row["data"].startswith(("mixture", "shapes", "real"))]
    shuffled = next(row for row in rows if "shuffled" in row["data"])
    said = re.search(claims.STRUCTURE, (DOCS / "stability.rst").read_text("utf-8"))
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
    sentence = "choice_table: …of training with all its tasks"
    assert measured.figure(f"{sentence} / generated") == "564"
    for column in ("silhouette / no such family", "…of training with all its tasks / folds"):
        with pytest.raises(KeyError, match="no row"):
            measured.figure(f"choice_table: {column}")


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
