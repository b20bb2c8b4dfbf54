"""Every measured figure of README and docs is read from a stored result."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

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
    ROOT / "lab" / "README.md",
    ROOT / "paper" / "paper.md",
    *sorted(DOCS.glob("*.rst")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_a_page_has_no_figure_without_a_source(page: Path) -> None:
    name = "lab" if page.parent.name == "lab" else page.stem
    found = claims.typed(name, page.read_text("utf-8"))
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
        ("12 million triples", "12 million"),
        ("right on nine of ten", "nine of ten"),
        ("right on three of the four", "three of the four"),
        ("better in ninety-five out of a hundred", "ninety-five out of a hundred"),
        ("wrong on one in twenty", "one in twenty"),
        ("better on all but two of eleven", "all but two"),
        ("better on all but two\nof them", "all but two"),
        ("measured on twelve tasks", "twelve tasks"),
        ("measured on sixteen small benchmark sets", "sixteen small benchmark sets"),
        ("measured on hundreds of seeds", "hundreds of seeds"),
        ("measured on 67 small tasks", "67 small tasks"),
        ("right on half of the draws", "half of the draws"),
        ("right half of the time", "half of the time"),
        ("three times as fast", "three times as"),
        ("twice as fast", "twice as"),
        ("ten times faster", "ten times faster"),
        ("in half the time", "half the time"),
        ("it takes two hours", "two hours"),
        ("it takes half an hour", "half an hour"),
        ("it takes a minute", "a minute"),
        ("it runs in minutes", "in minutes"),
        ("it takes about a second", "about a second"),
    ],
)
def test_a_figure_that_is_typed_is_seen(said: str, seen: str) -> None:
    found = claims.typed("page", f"Of the corpus, {said}.\n")
    assert " ".join(seen.split()) in [" ".join(one.split()) for one in found]


@pytest.mark.parametrize(
    "text",
    [
        "At 95 %, see table 5.3 and section 6.3.5, with ``alpha=0.05``; :math:`0.2`; Python 3.11.",
        "Two methods, three commands, one cluster and two of its neighbours; all but the last.",
        "A second sample is drawn, half of the labels teach, and twice the third is asked.",
        "The four are named; in ten dimensions a tenth of the objects is held out.",
    ],
)
def test_levels_names_literals_and_definitions_are_no_figures(text: str) -> None:
    assert claims.typed("page", text) == []


def test_the_build_warns_of_a_figure_that_is_typed(caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("sphinx")
    claims._read(None, "page", ["It reaches 0.73."])
    assert "no source is named for '0.73'" in caplog.text


@pytest.mark.parametrize("page", [measured.README, measured.PAPER], ids=lambda page: page.stem)
def test_markdown_says_what_is_stored(page: Path) -> None:
    text = page.read_text("utf-8")
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
        assert measured.figure(source)


def directives(name: str) -> list[tuple[str, dict[str, str]]]:
    """Arguments and options of a directive on all pages."""
    return [
        (argument, dict(re.findall(r"^ +:(\w+): (.+)$", options, re.M)))
        for page in PAGES
        for argument, options in re.findall(
            rf"^\.\. {name}:: (\S+)\n((?: +:.+\n)*)", page.read_text("utf-8"), re.M
        )
    ]


def test_every_table_of_a_page_is_stored() -> None:
    asked = directives("measured-table")
    assert len(asked) >= 5
    for name, options in asked:
        heads, *rows = measured.table(name, **options)
        assert rows
        assert all(len(row) == len(heads) for row in rows)


def test_paired_tests_of_a_page_are_those_of_scipy() -> None:
    from scipy.stats import wilcoxon

    pages = directives("measured-pairs")
    assert pages
    for name, options in pages:
        _, *rows = measured.pairs(name, **options)
        stored = {next(iter(row.values())): row for _, row in measured._rows(name)}
        without = {next(iter(stored[options["first"]])), *measured._listed(options["without"])}
        p_values = []
        for rival, difference, _, p, corrected in rows:
            pairs = [
                (float(stored[options["first"]][column]), float(stored[rival][column]))
                for column in stored[rival]
                if column not in without
            ]
            gaps = [round(one - other, 9) for one, other in pairs]
            assert float(difference) == pytest.approx(sum(gaps) / len(gaps), abs=6e-4)
            if len({abs(gap) for gap in gaps}) == len(gaps) and 0 not in gaps:  # scipy has no ties
                assert float(p) == pytest.approx(wilcoxon(gaps).pvalue, abs=6e-4)
            p_values.append((float(p), float(corrected)))
        assert all(p <= corrected <= min(1, len(rows) * p + 0.01) for p, corrected in p_values)
        assert min(p for p, _ in p_values) * len(rows) == pytest.approx(
            min(corrected for _, corrected in p_values), abs=5e-3
        )


def test_counts_of_a_page_are_those_of_the_rows() -> None:
    pages = directives("measured-counts")
    assert pages
    for name, options in pages:
        heads, *rows = measured.counts(name, **options)
        values = {row[options["of"]] for _, row in measured._rows(name)}
        assert values <= {*heads[1:], "unexplained"}, "a kind of row is not shown"
        counted = sum(int(cell) for row in rows for cell in row[1:])
        assert counted == len(measured._rows(name))


def test_every_list_of_notes_of_a_page_is_stored() -> None:
    asked = [
        name
        for page in PAGES
        for name in re.findall(r"^\.\. measured-notes:: (\S+)$", page.read_text("utf-8"), re.M)
    ]
    assert asked
    assert all(measured.notes(name) for name in asked)


def test_what_the_page_says_of_refuted_cells() -> None:
    rows = [row for _, row in measured._rows("whissell2012-table4.1")]
    refuted = {(row["measure"], row["column"]) for row in rows if row["verdict"] == "refuted"}
    strict = {pair for pair in refuted if pair[1] == "Fullness, every change"}
    assert refuted - strict == {
        ("C-Index", "Improving within"),
        ("Silhouette", "Improving between"),
        ("Rel. Margin", "Weakly locally consistent (section 4.2)"),
        ("EQ", "Fullness"),
        ("NMI 2", "Fullness"),
        ("EQ", "Asymptotic random chance, with"),
    }
    full = {
        row["measure"] for row in rows if row["column"] == "Fullness" and row["published"] == "yes"
    }
    assert {measure for measure, _ in strict} == full


#: names of which nothing is stored yet, at quick scale and as published
NOT_STORED = {
    "quick": {"alternatives", "choice-ablations", "choice-expected", "clarity-intervals",
              "constants", "large-tables", "peer-times", "rubbish-columns", "splits",
              "tables-with-classes"},
    "": {"abul2003", "choice-ablations", "map-of-measures", "measure-times", "splits", "steadiness",
         "whissell2012-chapter5-fresh",
         "whissell2012-figure7.2", "whissell2012-figure7.4", "whissell2012-section6.3.5",
         "whissell2012-table6.1", "whissell2012-table6.2", "whissell2012-table7.2",
         "whissell2012-table7.3", "whissell2012-table7.4", "whissell2012-table7.5"},
}  # fmt: skip


@pytest.mark.parametrize("folder", NOT_STORED)
def test_stored_are_the_names_of_the_code(folder: str) -> None:
    experiments = pytest.importorskip("sortal_lab").EXPERIMENTS
    found = {path.stem for path in (measured.RESULTS / folder).glob("*.json")}
    assert not found - set(experiments), "no experiment has these names"
    assert set(experiments) - found <= NOT_STORED[folder], "these results are gone"


def test_stored_results_have_one_schema() -> None:
    results = pytest.importorskip("sortal_lab.results")
    keys = list(results.result_of("whissell2012-equation2.7"))
    # what was stored before the time of the processor was measured has none
    shorter = [key for key in keys if key != "processor_seconds"]
    for folder, scale in (("quick", "quick"), ("", "paper")):
        for path in (measured.RESULTS / folder).glob("*.json"):
            stored = json.loads(path.read_text("utf-8"))
            assert list(stored) in (keys, shorter), path
            assert (stored["name"], stored["scale"]) == (path.stem, scale), path
            assert stored["schema"] == results.SCHEMA, path
            assert stored["simulated"] == [], path
            assert stored["table"], path


def test_a_name_that_was_not_run_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    results = measured._results("", "all")
    monkeypatch.setattr(measured, "_results", lambda folder, _: {} if folder else results)
    rows = {row[0]: row for row in measured.names()}
    some = next(iter(results))
    assert rows[some][1] == measured.NOT_RUN
    assert rows[some][3].startswith(("all", str(results[some]["samples"])))
    results.pop(some)
    assert {row[0]: row for row in measured.names()}[some][3:] == [measured.NOT_RUN, "", ""]


def test_every_name_is_shown_and_every_difference_explained() -> None:
    heads, *rows = measured.names()
    assert [row[0] for row in rows[:-1]] == sorted(pytest.importorskip("sortal_lab").EXPERIMENTS)
    assert all(len(row) == len(heads) for row in rows)
    columns = [[row[i].replace(",", "") for row in rows] for i in (1, 4)]
    for *each, total in columns:
        known = sum(int(one) for one in each if one.isdigit())
        assert abs(known - int(total)) <= len(each) / 2  # seconds are rounded
    heads, *rows = measured.differences()
    assert all(all(row) for row in rows), [row[:2] for row in rows if not all(row)]


def test_a_figure_that_is_not_there_is_an_error() -> None:
    assert measured.figure("choice: silhouette / benchmark sets | first").startswith("0.")
    sentence = "choice: …so it has seen none of them"
    assert measured.figure(f"{sentence} / tasks of") == "88"
    with pytest.raises(KeyError, match="several rows"):
        measured.figure("inference-levels: uniform, d = 2 thinning / rejected | .2f")
    for column in ("silhouette / no such family", "…so it has seen none of them / folds"):
        with pytest.raises(KeyError, match="no row"):
            measured.figure(f"choice: {column}")


QUICK = ("manning2008-table16.2", "manning2008-exercise", "whissell2012-figure6.1",
         "whissell2012-equation2.7")  # fmt: skip


@pytest.mark.parametrize("name", QUICK)
def test_stored_results_are_those_of_the_code(name: str) -> None:
    results = pytest.importorskip("sortal_lab.results")
    stored = json.loads((measured.RESULTS / f"{name}.json").read_text("utf-8"))
    found = results.result_of(name, scale="paper")
    assert found["verdict"] == stored["verdict"]
    for one, other in zip(found["table"], stored["table"], strict=True):
        assert one.keys() == other.keys()
        for column, value in one.items():
            close = isinstance(value, float)
            assert value == (pytest.approx(other[column], rel=1e-9) if close else other[column])
