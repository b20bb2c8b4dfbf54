"""The published side of every table in one form, and the page of all."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from sortal import InputError
from sortal.cli import app
from sortal_lab import (
    EXPERIMENTS,
    ExperimentResult,
    as_name,
    results,
    run,
    whissell2012_chapter7,
)
from sortal_lab.comparison import (
    AGREES,
    BOTH_ZERO,
    DIFFERS,
    LEVEL,
    NO_EFFECT,
    NO_ERROR,
    OTHER_DATA,
    REPEATED,
    SAME_DATA,
    PublishedComparison,
    comparisons,
    same_chance,
)
from sortal_lab.explanations import (
    CONTRADICTED,
    SHOWN,
    STATUSES,
    SUPPOSED,
    UNKNOWN,
    Reason,
    explanations,
    reason,
    reasons,
    statuses,
)
from sortal_lab.scale import QUICK, WHOLE, quick_of


@pytest.mark.parametrize(
    ("ours", "published", "low", "high", "verdict"),
    [
        (0.3646, 0.36, math.nan, math.nan, AGREES),
        (0.3646, 0.37, math.nan, math.nan, NO_ERROR),
        (0.963216456624, 0.963216456624, math.nan, math.nan, AGREES),
        (0.5, 0.6, 0.3, 0.7, AGREES),
        (0.5, 0.6, 0.45, 0.55, DIFFERS),
        (math.nan, 0.6, math.nan, math.nan, "no value"),
        ("confirmed", "no", math.nan, math.nan, AGREES),
        ("refuted", "yes", math.nan, math.nan, DIFFERS),
        ("not refuted in 10 cases", "yes", math.nan, math.nan, "not refuted in 10 cases"),
        (">>", ">", math.nan, math.nan, DIFFERS),
    ],
)
def test_verdicts(ours, published, low, high, verdict) -> None:
    assert PublishedComparison("x", ours, published, low, high).verdict == verdict


def test_equal_figures_without_an_interval_decide_nothing_where_ours_is_random() -> None:
    equal = PublishedComparison("x", 3.0, 3.0)
    assert equal.verdict == AGREES
    assert replace(equal, is_random=True).verdict == NO_ERROR
    table = pd.DataFrame({"sortal": [1.0], "published": [1.0]})
    assert [c.verdict for c in comparisons(table, is_random=True)] == [NO_ERROR]


def test_a_ranking_is_one_figure() -> None:
    table = pd.DataFrame(
        {"measure": ["NMI", "FQ"], "ours": ["a 1.0, b 2.0"] * 2, "published": ["b, a", "a, b"],
         "tau": [-1.0, 1.0], "low": [-1.0, 0.0], "high": [0.0, 1.0], "p": [0.01, 1.0]}
    )  # fmt: skip
    found = [(c.quantity, c.verdict) for c in comparisons(table, is_random=True)]
    assert found == [("NMI", DIFFERS), ("FQ", AGREES)]


def test_half_widths_and_standard_errors() -> None:
    table = pd.DataFrame({"which": ["a", "b"], "bound": [2.0, 3], "±": [0.5, math.nan],
                          "published": [2.4, math.nan]})  # fmt: skip
    (found,) = comparisons(table)
    assert (found.quantity, found.low, found.high) == ("a", 1.5, 2.5)
    assert found.difference == pytest.approx(-0.4)
    table = pd.DataFrame({"sortal": [2.0], "error": [0.5], "published": [2.4]})
    assert comparisons(table)[0].high == pytest.approx(2 + 1.96 * 0.5)


def test_one_draw_is_compared_with_the_interval_of_one() -> None:
    table = pd.DataFrame({"bound": [2.0], "±": [0.1], "one draw ±": [0.5], "published": [2.4]})
    assert comparisons(table)[0].verdict == AGREES


STORED = Path(__file__).resolve().parents[1] / "results"


def differing(folder: Path = STORED) -> list[tuple[str, str]]:
    """Experiments and figures of the stored results outside our intervals."""
    stored = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]
    return [(one["name"], quantity) for one in stored for quantity in results._differing(one)]


def test_every_reason_says_how_sure_it_is() -> None:
    for each in reasons():
        assert each.status in STATUSES, each
        assert each.name in EXPERIMENTS, each
        assert each.why.endswith("."), each
        # what a stored result has names it
        assert (each.status in (SHOWN, CONTRADICTED)) == bool(each.run), each
        assert not each.run or (STORED / f"{each.run}.json").is_file(), each
    assert str(reason("whissell2012-table4.1", "VI, Fullness, every change")).startswith(
        "Shown (whissell2012-table4.1): As definition 9"
    )
    assert str(reason("manning2008-table16.2", "purity")) == "Unknown."
    assert explanations("whissell2012-table7.3", ["trec07p", "other"]) == "Unknown."


def test_every_contradicted_reading_has_its_citation() -> None:
    place = re.compile(r"\b([Ss]ection|[Tt]ables?|[Ff]igures?) \d")
    for each in reasons():
        assert (each.status == CONTRADICTED) == bool(each.against), each
        assert not each.counterexample or each.status == CONTRADICTED, each
        if each.status == CONTRADICTED:
            assert place.search(each.against), each
            assert each.against.endswith("."), each
            # the words of the text, or a figure of ours against another printed one
            assert '"' in each.against or "equation" in each.against or each.counterexample, each
    for name, quantity in differing():
        each = reason(name, quantity)
        assert each.status != CONTRADICTED or f"Against it: {each.against}" in str(each)


def test_a_counterexample_does_not_have_the_published_figure() -> None:
    rows = [each.counterexample for each in reasons() if each.counterexample]
    for row in rows:
        name, _, quantity = row.partition(": ")
        cell = stored(name)[quantity]
        assert not cell["low"] <= cell["published"] <= cell["high"], row
    assert len(rows) > 10


def test_statuses_are_counted_from_the_stored_figures() -> None:
    by_hand = Counter(reason(*figure).status for figure in differing())
    names = {name for name, _ in differing()}
    counted = Counter[str]()
    for name in names:
        counted += statuses(name, (quantity for of, quantity in differing() if of == name))
    assert counted == by_hand
    assert set(counted) == set(STATUSES)
    assert counted.total() == len(differing())


def test_an_interval_that_holds_zero_is_no_agreeing_effect() -> None:
    for folder in (STORED, STORED / "quick"):
        for path in sorted(folder.glob("*.json")):
            for each in json.loads(path.read_text("utf-8"))["comparisons"]:
                holds_zero = each["low"] is not None and each["low"] <= 0 <= each["high"]
                assert not (holds_zero and each["verdict"] == AGREES), (path, each["quantity"])


def stored(name: str) -> dict[str, dict]:
    """Comparisons of a stored result by their quantity."""
    result = json.loads((STORED / f"{name}.json").read_text("utf-8"))
    return {each["quantity"]: each for each in result["comparisons"]}


def part_of(part: str | float, ranking: str | float) -> str | float:
    """A published ranking without the members that a part of it leaves out; others unchanged."""
    if isinstance(part, float) or ":" in part:
        return ranking
    return ", ".join(name for name in str(ranking).split(", ") if name in part.split(", "))


def test_what_is_shown_has_the_published_figure_in_a_stored_interval() -> None:
    for name, quantity in differing():
        each = reason(name, quantity)
        if each.status not in (SHOWN, CONTRADICTED):
            assert not each.proof, each
            continue
        cell = stored(name)[quantity]
        if isinstance(cell["published"], str) and cell["p"] is None:
            continue  # a property: the stored search is the proof
        proof = stored(each.run)[each.row(quantity)]
        assert proof["published"] == part_of(proof["published"], cell["published"]), quantity
        if cell["p"] is not None:
            assert proof["p"] >= LEVEL, quantity
        else:
            assert proof["low"] <= cell["published"] <= proof["high"], quantity
            # a wide interval is no proof: ours is nearer than without the reason
            away = [abs(each["ours"] - each["published"]) for each in (proof, cell)]
            assert away[0] < away[1], quantity


def test_a_reason_belongs_to_a_small_group_of_figures() -> None:
    number = Counter(reason(*figure) for figure in differing())
    written = {each: number[each] for each in reasons()}
    assert all(0 < count <= 22 for count in written.values()), written


def test_a_reason_that_cannot_apply_is_not_attached() -> None:
    causes = [each for each in reasons() if each.status != UNKNOWN]
    for each in causes:
        assert each.supposes == "classifier" or "classifier" not in each.why, each
    assert {each.supposes for each in reasons()} == {"", *SUPPOSED}
    votes = Reason("table", "", "likely", "", "", "classifier", "Other classifiers.")
    assert votes.applies("table", "inf-ARI, RINGS")
    assert not votes.applies("table", "Silhouette, RINGS")
    assert not votes.applies("another", "inf-ARI, RINGS")


@pytest.mark.parametrize("folder", ["", "quick"])
def test_stored_reasons_are_those_of_the_code(folder: str) -> None:
    for path in sorted((STORED / folder).glob("*.json")):
        stored = json.loads(path.read_text("utf-8"))
        found = explanations(stored["name"], results._differing(stored))
        assert stored["explanation"] == found, path


def test_pairs_of_columns() -> None:
    table = pd.DataFrame({"collection": ["re0"], "NMI": [1.0], "NMI ±": [0.2],
                          "NMI published": [1.1], "FQ": [1.0], "FQ published": [2.0]})  # fmt: skip
    first, second = comparisons(table)
    assert (first.quantity, first.verdict) == ("re0, NMI", AGREES)
    assert (second.quantity, second.verdict) == ("re0, FQ", NO_ERROR)


def test_columns_by_data_set_and_rows_of_counts() -> None:
    columns = pd.MultiIndex.from_product([["IRIS"], ["published", "sortal", "error"]])
    table = pd.DataFrame([[0.3, 0.5, 0.05]], index=["Silhouette"], columns=columns)
    (found,) = comparisons(table)
    assert (found.quantity, found.verdict) == ("Silhouette, IRIS", DIFFERS)
    index = pd.MultiIndex.from_product([["CUBE"], ["Silhouette"], ["published", "sortal", "error"]])
    table = pd.DataFrame([[0, 50], [1, 1], [0, 0]], index=index, columns=["2", "3"])
    # a row of counts is one figure: one of two samples, where none of 50 is published
    (row,) = comparisons(table)
    assert (row.quantity, row.ours, row.published) == ("CUBE Silhouette", "2: 1, 3: 1", "3: 50")
    assert row.verdict == DIFFERS
    # one of fifty is no surprise then
    table = pd.DataFrame([[0, 50], [1, 49], [0, 0]], index=index, columns=["2", "3"])
    assert comparisons(table)[0].verdict == AGREES


def test_the_chance_of_a_row_of_counts_is_that_of_fisher() -> None:
    from scipy.stats import chi2_contingency, fisher_exact

    # with two columns Pearson's order of the tables is Fisher's here
    ours, published = np.array([3, 17]), np.array([20, 30])
    exact = fisher_exact([ours, published]).pvalue
    assert same_chance(ours, published) == pytest.approx(exact, abs=0.02)
    ours, published = np.array([30, 40, 50]), np.array([60, 40, 30])
    chance = chi2_contingency([ours, published]).pvalue
    assert same_chance(ours, published) == pytest.approx(chance, abs=0.005)


def test_what_is_no_evidence_counts_nowhere() -> None:
    change = PublishedComparison("K-means", 1.0, 2.0, -1.0, 3.0, is_effect=True)
    assert change.verdict == NO_EFFECT
    assert replace(change, is_effect=False).verdict == AGREES
    assert replace(change, published=4.0).verdict == DIFFERS
    assert PublishedComparison("k = 3", 0.0, 0.0, -0.1, 0.1).verdict == BOTH_ZERO
    table = pd.DataFrame(
        {"algorithm": ["a", "a", "b"], "sets": [7, 5, 5], "change": [2.0, 1.0, 2.0],
         "±": [1.0, 1.0, 3.0], "published": [2.5, 2.5, 2.5]}
    )  # fmt: skip
    verdicts = [comparison.verdict for comparison in comparisons(table)]
    assert verdicts == [AGREES, REPEATED, NO_EFFECT]
    said = results.verdict_of([*verdicts, BOTH_ZERO], simulated=False)
    assert said == (
        "1 of 3 published figures agree with ours, 1 cannot be told from no effect, 1 is 0 in both."
    )


def test_changes_and_correlations_are_effects_in_every_form_of_table() -> None:
    table = pd.DataFrame({"collection": ["overall"], "NMI change": [1.0], "NMI change ±": [2.0],
                          "NMI change published": [1.1]})  # fmt: skip
    assert [c.verdict for c in comparisons(table)] == [NO_EFFECT]
    assert comparisons(table.assign(**{"NMI change ±": 0.5}))[0].verdict == AGREES
    columns = pd.MultiIndex.from_product([["WINE"], ["published", "sortal", "error"]])
    table = pd.DataFrame([[0.1, 0.1, 0.1]], index=["Silhouette"], columns=columns)
    assert [c.verdict for c in comparisons(table)] == [NO_EFFECT]


def test_sizes_of_data_sets_count_neither_for_nor_against() -> None:
    table = pd.DataFrame({"data": ["iris", "isolet"], "figure": "objects", "size": [150, 1560],
                          "published": [150, 2398]})  # fmt: skip
    verdicts = [c.verdict for c in comparisons(table)]
    assert verdicts == [SAME_DATA, OTHER_DATA]
    said = results.verdict_of(verdicts, simulated=False)
    assert said == "1 of 2 published sizes are those of our data."
    assert SAME_DATA in results.NOT_COUNTED


def test_a_table_of_repeated_figures_has_none_that_agree() -> None:
    said = results.verdict_of([REPEATED] * 28, simulated=False)
    assert said == "The published figures, 28, repeat others, which are counted instead."


def test_an_average_repeats_what_it_is_made_of() -> None:
    columns = [(which, part) for which in ("iris", "average") for part in ("sortal", "published")]
    table = pd.DataFrame([[0.5, 0.9, 0.5, 0.9]], ["B/W"], pd.MultiIndex.from_tuples(columns))
    for which in ("iris", "average"):
        table[which, "error"] = 0.1
    assert [c.verdict for c in comparisons(table)] == [DIFFERS, REPEATED]


def test_words_in_rows_of_two_levels_are_no_counts() -> None:
    rows = pd.MultiIndex.from_tuples([("mixtures", "first"), ("mixtures", "second")])
    assert comparisons(pd.DataFrame({"chosen": ["inf-ARI", "C-Index"]}, rows)) == []


def test_published_figures_of_other_data_decide_nothing() -> None:
    table = pd.DataFrame(
        {"collection": ["a"], "sortal": [0.5], "±": [0.1], "published": [0.9], "corpus": ["b"]}
    )
    (found,) = comparisons(table)
    assert (found.verdict, found.high) == ("other data", pytest.approx(0.6))
    assert "of other data" in results.verdict_of([found.verdict], simulated=False)


def test_a_table_without_a_published_side_has_no_comparisons() -> None:
    assert comparisons(pd.DataFrame({"measure": ["a"], "tau": [0.3]})) == []


def test_the_full_numbers_are_those_that_quick_looks_name() -> None:
    for name, experiment in EXPERIMENTS.items():
        full = re.findall(r"\d[\d,]*", experiment.repeats)
        named = re.findall(r"instead of (\d[\d,]*\d)", quick_of(name).leaves_out)
        assert not full or not named or set(full) & set(named), name


def test_every_experiment_has_a_quick_look() -> None:
    for name in EXPERIMENTS:
        assert name.startswith((*QUICK, *WHOLE)), "how is its quick look smaller?"
    assert all(any(name.startswith(prefix) for name in EXPERIMENTS) for prefix in QUICK)
    assert quick_of("doe2026-table1").samples == 1


def test_printed_signs_are_those_of_the_measures() -> None:
    pairs = math.comb(len(whissell2012_chapter7.MEASURES), 2)
    for signs in whissell2012_chapter7.PUBLISHED_SIGNS.values():
        assert all(len(row.split()) == pairs for row in signs.values())


def test_a_result_is_stored_and_read_again(tmp_path: Path, monkeypatch) -> None:
    first = results.result_of("manning2008-table16.2", folder=tmp_path)
    assert first["verdict"] == "11 of 11 published figures agree with ours."
    assert json.loads((tmp_path / "results/manning2008-table16.2.json").read_text()) == first
    monkeypatch.setattr(results, "run", None)
    assert results.result_of("manning2008-table16.2", folder=tmp_path) == first
    with pytest.raises(TypeError):
        results.result_of("manning2008-table16.2", folder=tmp_path, scale="paper")


def test_simulated_data_are_said_first(tmp_path: Path, monkeypatch) -> None:
    from sortal_lab import data

    def run(name, **given):
        assert given["samples"] == quick_of(name).samples
        assert len(data.points("zoo")[0]) == 101
        return ExperimentResult(name, pd.DataFrame({"sortal": [1.0], "published": [1.0]}), ("n",))

    monkeypatch.setattr(results, "run", run)
    found = results.result_of("abul2003", data=tmp_path / "empty")
    assert found["simulated"] == ["zoo"]
    assert results.as_text(found).startswith("Simulated data, no result: zoo.\n")
    assert "says nothing of the publication" in found["verdict"]
    with pytest.raises(data.InputError, match="sortal lab fetch zoo"):
        results.result_of("abul2003", data=tmp_path / "empty", samples=1, scale="paper")


def test_work_on_simulated_data_is_kept_apart(tmp_path: Path, monkeypatch) -> None:
    """The second experiment finds the first one's work, and says that it was simulated."""
    from sortal_lab import data

    kept = []

    def run(name, *, storage, **given):
        kept.append(storage)
        if not storage.is_file():
            data.points("zoo")
            storage.write_text("work")
        return ExperimentResult(name, pd.DataFrame({"sortal": [1.0], "published": [1.0]}))

    monkeypatch.setattr(results, "run", run)
    names = ("whissell2012-table7.2", "whissell2012-table7.3")
    for name in names:
        found = results.result_of(name, folder=tmp_path / "work", data=tmp_path)
        assert found["simulated"] == ["zoo"]
    assert kept[0] == kept[1]
    (tmp_path / "points").mkdir()
    (tmp_path / "points" / "zoo.csv.gz").write_bytes(b"")
    monkeypatch.setattr(data, "points", lambda name: None)
    assert results.result_of(names[0], folder=tmp_path / "work", data=tmp_path)["simulated"] == []
    assert kept[2] != kept[0]


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.classes: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attrs) -> None:
        self.classes.append(dict(attrs).get("class") or "")

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_green_where_the_figures_agree() -> None:
    one = results.result_of("manning2008-table16.2")
    two = one | {
        "name": "other<",
        "comparisons": [one["comparisons"][0] | {"verdict": DIFFERS}],
        "explanation": "Unknown.",
    }
    seen = Seen()
    seen.feed(results.page([one, two], {"third": "no data"}))
    rows = [each for each in seen.classes if each in ("agrees", "differs")]
    # the legend, the rows of both, and what stopped
    assert rows.count("agrees") == 1 + 11
    assert rows.count("differs") == 1 + 1 + 1
    assert "Of 12 published figures 11 agree with ours, 1 differ" in seen.text
    assert (
        "1 differ (0 shown, 0 fits a reading that the text excludes, 0 likely, 1 unknown)"
    ) in seen.text
    assert "Of those that can be decided 92% agree or have a shown reason." in seen.text
    assert "third stopped: no data" in seen.text
    assert "Unknown." in seen.text


def test_simulated_data_count_nowhere_on_the_page() -> None:
    one = results.result_of("manning2008-table16.2")
    seen = Seen()
    seen.feed(results.page([one, one | {"name": "other", "simulated": ["zoo"]}], {}))
    assert "Of 11 published figures 11 agree" in seen.text
    assert "1 of them ran on simulated data, because the real ones are not there" in seen.text
    assert [each for each in seen.classes if each == "agrees"] == ["agrees"] * 12


def test_what_is_smaller_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pd.DataFrame({"sortal": [1.0], "published": [1.0]})
    monkeypatch.setattr(results, "run", lambda name, **_: ExperimentResult(name, table))
    few = results.result_of("whissell2012-table7.2", samples=3, scale="paper")
    assert results.result_of("manning2008-exercise", samples=3)["leaves_out"] == ""
    assert results.result_of("whissell2012-table7.2", scale="paper")["leaves_out"] == ""
    assert results.result_of("whissell2012-table7.2", samples=20)["leaves_out"] == ""
    assert results.result_of("banerjee2004-figure3", samples=20)["leaves_out"] != ""
    told = "Smaller than the full experiment: --samples 3; in full 20 samples of each collection."
    assert told in results.as_text(few)
    seen = Seen()
    seen.feed(results.page([few | {"comparisons": [], "simulated": ["zoo"]}], {}))
    assert told in seen.text
    assert "on simulated data; --samples 3" in seen.text
    assert "agrees" not in seen.text.partition("Without a published figure")[2]


def test_verdicts_in_words() -> None:
    found = results.verdict_of([AGREES, DIFFERS, NO_ERROR], simulated=False)
    assert found == (
        "1 of 3 published figures agree with ours, 1 differs, "
        "of 1 no error is known or no case decides."
    )


def test_all_of_them_become_a_page(tmp_path: Path, monkeypatch) -> None:
    from sortal_lab import __main__

    few = {name: EXPERIMENTS[name] for name in ("manning2008-table16.2", "manning2008-exercise")}
    monkeypatch.setattr(__main__, "EXPERIMENTS", few)
    output = tmp_path / "all.html"
    asked = ["reproduce", "--all", "--scale", "quick", "--output", str(output)]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 0
    assert "2 of 2, manning2008-exercise" in told.stderr
    assert "11 of 11 published figures agree with ours." in told.stdout
    assert "manning2008-exercise" in output.read_text(encoding="utf-8")
    monkeypatch.setattr(results, "result_of", _broken)
    told = CliRunner().invoke(app, asked)
    assert "manning2008-exercise: ZeroDivisionError: twice" in str(told.exception)
    assert "manning2008-exercise stopped: ZeroDivisionError" in output.read_text(encoding="utf-8")
    told = CliRunner().invoke(app, ["reproduce", "manning2008-exercise", "--scale", "small"])
    assert "--scale is quick or paper" in str(told.exception)


def _broken(name: str, **_: object) -> dict:
    raise ZeroDivisionError("twice")


def test_an_experiment_is_found_by_what_its_source_calls_it() -> None:
    assert as_name("Table 16.2") == "manning2008-table16.2"
    assert as_name("table 6.1") == as_name("6.1") == "whissell2012-table6.1"
    assert as_name("figure 3") == "banerjee2004-figure3"
    assert as_name("structure") == "structure"
    assert run("table 16.2").name == "manning2008-table16.2"
    assert as_name("7.2") == "whissell2012-table7.2"
    # what an experiment has beside the figure in its name
    assert as_name("figure 7.2") == as_name("Figure 7.3") == "whissell2012-figure7.2"
    with pytest.raises(InputError, match="no experiment is called"):
        as_name("table 9.9")
