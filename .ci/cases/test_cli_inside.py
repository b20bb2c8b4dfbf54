"""Small parts of the command line: answers to questions, errors, settings, repaired commands."""

from __future__ import annotations

import importlib
import sys
import time
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any, cast, get_args, get_type_hints

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import typer

from command_line import sortal_command
from sortal import InputError
from sortal.cli import _assignments, _input, _label_files, _questions, _run_options, _stopping
from sortal.cli._input import InputOptions, LabelledInputOptions, read_dataset, split_names
from sortal.cli._output import LAYOUT, show_table
from sortal.datasets import KnownLabels, LabelColumns
from sortal.datasets.partitioned import sampled_tables

#: the package has commands of these names
label, bound, compare, run, sample = (
    import_module(f"sortal.cli.{name}") for name in ("label", "bound", "compare", "run", "sample")
)
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 3, 240)
TABLE = pd.DataFrame(9.0 * np.eye(3)[TRUTH] + RNG.normal(size=(240, 3)), columns=list("abc"))
GOOD = "name,x,y,colour,class\n" + "".join(
    f"p{i},{i % 5},{i * 3 % 7},{'red' if i % 2 else 'blue'},{'ab'[i % 2] if i % 3 else ''}\n"
    for i in range(12)
)
MEMORY = "raise the limit (ulimit -v)"


@pytest.mark.parametrize(
    ("answer", "is_same"),
    [(None, False), ("", False), ("n", False), ("y", True), ("Yes", True), ("no y", False)],
)
def test_two_spellings_are_one_class_on_yes_alone(
    monkeypatch: pytest.MonkeyPatch, answer: str | None, is_same: bool
) -> None:
    monkeypatch.setattr(label, "ask", lambda _: answer)
    assert label._is_same_class("a", "A") is is_same


def test_options_become_arguments() -> None:
    usual = _run_options.SweepOptions().arguments
    assert (usual["k"], usual["budget"], usual["workers"]) == (None, None, None)
    given = _run_options.SweepOptions(k="2:4", budget="2m", workers=3).arguments
    assert [*given["k"]] == [2, 3, 4]
    assert (given["budget"], given["workers"]) == (120.0, 3)
    weighed = [_input.LabelledInputOptions(data="t.csv", weights=w) for w in ("auto", "equal")]
    assert [one.column_weights for one in weighed] == [None, "equal"]
    assert "weights" not in weighed[0].settings()
    with pytest.raises(TypeError):
        bound.BoundOptions("labels.csv", "few.csv")  # type: ignore[misc, call-arg, arg-type]
    with pytest.raises(TypeError):
        compare.CompareOptions(["labels.csv"])


@pytest.mark.parametrize(
    ("words", "options", "repairs", "command"),
    [
        ("run t.csv", {}, {"impute": "median"}, "sortal run t.csv --impute median"),
        ("run t.csv --drop a", {"drop": ["a"], "accept": []}, {"drop": ["a", "b"]},
         "sortal run t.csv --drop a --drop b"),
        ("run t.csv --accept x", {"drop": [], "accept": ["x"]}, {"accept": ["x", "y"]},
         "sortal run t.csv --accept x --accept y"),
        ("run t.csv --id-column a -k 3", {}, {"id_column": "b"},
         "sortal run t.csv -k 3 --id-column b"),
        ("run t.csv --id-column=a -k 3", {}, {"id_column": "b"},
         "sortal run t.csv -k 3 --id-column b"),
    ],
)  # fmt: skip
def test_a_command_is_repeated_with_its_repairs(
    monkeypatch: pytest.MonkeyPatch, words: str, options: Any, repairs: Any, command: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["sortal", *words.split()])
    assert _input._repeated_command("t.csv", options, repairs) == command


def test_findings_go_where_they_are_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(typer, "echo", lambda text, err=False: told.append((text[:1], err)))
    from sortal.datasets import Finding

    findings = [Finding("exclusive", severity, {}, ("u", "v"), {"accept": ("exclusive",)})
                for severity in ("harmful", "notable")]  # fmt: skip
    for err in (True, False):
        _input.print_findings(findings, err=err)
    assert told == [("!", True), ("-", True), ("!", False), ("-", False)]


def test_findings_of_objects_to_label_are_not_on_standard_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[Any] = []

    def see(dataset: Any, reading: Any, rows: Any) -> None:
        told.append(rows.tolist())
        raise InputError("seen")

    data = Some(X=np.zeros((3, 2)), rows=None, findings=["odd"], notes=())
    monkeypatch.setattr(label, "read_dataset", lambda reading: data)
    monkeypatch.setattr(label, "print_findings", lambda found, err: told.append((found, err)))
    monkeypatch.setattr(label, "_objects", see)
    assert sortal_command("label", "t.csv").stderr == "sortal: seen\n"
    assert told == [(["odd"], True), [0, 1, 2]]


def test_objects_are_shown_as_they_are_in_the_file() -> None:
    cells = pd.DataFrame({"a": list("wxyz"), "b": range(4)})
    reading: Any = Some(cells=lambda: cells, data="t.csv")
    shown = label._objects(cast("Any", Some(texts=None)), reading, np.array([3, 1]))
    assert shown.lines() == ["z, 3", "x, 1"]


@pytest.mark.parametrize(("delta", "valid"), [(0.0, False), (0.1, True), (1.0, True), (2.0, False)])
def test_a_guarantee_fails_with_a_chance_above_0(delta: float, valid: bool) -> None:
    aim = label.AimOptions(classes="a,b", delta=delta)
    if valid:
        assert label._class_names(aim) == ["a", "b"]
    else:
        with pytest.raises(InputError, match="--delta must be in"):
            label._class_names(aim)


def test_pairs_are_part_of_a_question_about_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def see(_: Any, **options: Any) -> str:
        asked.append(options["constraints"])
        return "question"

    monkeypatch.setattr("sortal.bounds.question_of", see)
    monkeypatch.setattr("sortal.labeling.drawn_labels", lambda _: [])
    session: Any = type("Session", (), {"__len__": lambda _: 0})()
    session.file = Some(path=tmp_path / "labels.jsonl")
    (tmp_path / "pairs.csv").write_bytes(b"0,1,must\n")
    for pairs in (None, tmp_path / "pairs.csv"):
        candidates = label.CandidateOptions(constraints=pairs)
        label._asked(session, {"a": [0, 1]}, label.AimOptions(), candidates, False)
    assert asked == [None, b"0,1,must\n"]


@pytest.mark.parametrize(
    ("terminal", "answer", "kind"),
    [(True, "u", ("undo", "")), (True, ":u", ("label", "other")), (False, ":u", ("undo", "")),
     (False, "u", ("label", "u")), (False, None, ("stop", ""))],
)  # fmt: skip
def test_a_key_on_a_terminal_is_a_line_with_a_colon_elsewhere(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, answer: str | None, kind: tuple[str, str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Some(isatty=lambda: terminal))
    answers = iter([answer])
    monkeypatch.setattr(label, "ask", lambda *_, **__: next(answers))
    desk: Any = Some(at=None, keys={":u": "other"}, fixed=None, variant=lambda _: None)
    assert label._answer(desk) == kind


@pytest.mark.parametrize(
    ("order", "once", "target"), [((1, 0), False, 0.2), ((1, 0), True, None), (None, False, None)]
)
def test_a_target_is_part_of_a_question_where_the_order_of_the_draw_counts(
    monkeypatch: pytest.MonkeyPatch, order: Any, once: bool, target: float | None
) -> None:
    asked: list[Any] = []

    def see(_: Any, **options: Any) -> str:
        asked.append(options["target"])
        raise InputError("seen")

    monkeypatch.setattr("sortal.bounds.question_of", see)
    options = bound.BoundOptions(labels=Path("l.csv"), few=Path("f.csv"), target=0.2, once=once)
    known = KnownLabels(np.array(["a", "b", None], dtype=object), order=order)
    with pytest.raises(InputError, match="seen"):
        bound._answer(options, LabelColumns(one=np.array([0, 1, 1])), known, None)
    assert asked == [target]


def test_what_changed_and_notes_of_labelings_are_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "show", lambda *_, **__: None)
    output = Some(
        report=None, labels=None, save_model=None, storage=None, against="old.sortal-model"
    )
    changes = Some(sentences=["a grew", "b is new"])
    run._print_answer(None, None, None, changes, None, output, 0.0)
    assert capsys.readouterr().out == "\nAgainst old.sortal-model:\n  a grew\n  b is new\n"
    labelings = LabelColumns()
    labelings.notes = ("odd", "own.csv is odd")
    monkeypatch.setattr("sortal.datasets.read_labelings", lambda *_, **__: labelings)
    study = Some(dataset=Some(whole=None, ids=None, truth_name=None))
    run._add_labelings(study, Path("own.csv"), None, None)
    assert capsys.readouterr().err == "Note: own.csv: odd\nNote: own.csv is odd\n"


@pytest.mark.parametrize(
    ("cells", "columns"),
    [(pd.DataFrame({"a": range(4)}), {"a": [1, 3]}), (pd.DataFrame(index=range(2)), {})],
)
def test_rows_that_were_clustered_are_written_with_their_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells: pd.DataFrame, columns: dict[str, Any]
) -> None:
    assignment = Some(table=pd.DataFrame({"cluster": [1, 0]}))
    monkeypatch.setattr(_assignments, "source_cells", lambda *_: cells)
    monkeypatch.setattr(_assignments, "_training_assignment", lambda *_: assignment)
    study: Any = Some(dataset=Some(rows=np.array([1, 3]), ids=None), n_objects=2)
    answer: Any = Some(guarantee=None)
    _assignments.write_labels(study, answer, tmp_path / "l.csv", cast("Any", None), force=False)
    written = pd.read_csv(tmp_path / "l.csv").to_dict("list")
    assert written == {"row": [1, 3], "cluster": [1, 0], **columns}


@pytest.mark.parametrize(
    ("is_in_parts", "rows", "seen"),
    [(True, [0, 2], "drawn"), (True, None, [5, 6, 7]), (False, [0, 2], [5, 7]),
     (False, None, [5, 6, 7])],
)  # fmt: skip
def test_clusters_change_in_the_rows_that_were_studied(
    monkeypatch: pytest.MonkeyPatch, is_in_parts: bool, rows: list[int] | None, seen: Any
) -> None:
    block = Some(X=np.array([5, 6, 7]), filled=np.zeros(3), notes=())
    monkeypatch.setattr("sortal.datasets.row_blocks.object_blocks",
                        lambda *_, **__: [Some(features=block)])  # fmt: skip
    whole = Some(partitions=Some(drawn=lambda _: Some(X=np.array("drawn"))))
    drawn = None if rows is None else np.array(rows)
    study: Any = Some(dataset=Some(whole=whole if is_in_parts else None, rows=drawn))
    answer: Any = Some(against=lambda old, new: new.X.tolist())
    old: Any = Some(prepare=lambda features: features, preparation=Some(reshaping=()))
    reading: Any = Some(data="t.csv", layout={})
    assert _assignments.cluster_changes(study, answer, old, reading) == seen


@pytest.mark.parametrize(
    ("numbers", "order", "undrawn"), [([2, 1, np.nan], (1, 0), 0), ([2, np.nan, np.nan], None, 1)]
)
def test_the_order_of_the_draw_is_known_where_every_label_has_a_number(
    tmp_path: Path, numbers: list[float], order: Any, undrawn: int
) -> None:
    study: Any = Some(state=Some(objects=Some(is_partly_labelled=True), dataset=Some(rows=None),
                                 y=np.array(["a", "b", None], dtype=object)))  # fmt: skip
    reading: Any = Some(data=str(tmp_path / "t.csv"), truth=None)
    places = {i: number for i, number in enumerate(numbers) if np.isfinite(number)}
    draw = Some(numbers=places, skipped=lambda *_, **__: (), unreadable=(),
                verified_in=lambda *_: ())  # fmt: skip
    marked: Any = Some(draw=lambda _: draw, cells=None)
    _questions.count_questions(study, reading, marked)
    assert (study.state.draw, study.state.undrawn) == (order, undrawn)


def test_an_id_that_is_no_number_is_missing() -> None:
    assert [len(column) for column in sample._ids(pd.DataFrame({"id": [1.0, 2.0]}), "id")] == [2]
    with pytest.raises(InputError, match="'id' is empty in some rows"):
        next(sample._ids(pd.DataFrame({"id": [1.0, np.nan]}), "id"))


def test_pairs_of_labels_are_in_the_same_order_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    threads, concatenate = [], pa.concat_tables

    class Watched:
        def __init__(self, *tables: Any, **options: Any) -> None:
            self.table = concatenate(*tables, **options)

        def group_by(self, keys: list[str], *, use_threads: bool) -> Any:
            threads.append(use_threads)
            return self.table.group_by(keys, use_threads=use_threads)

    monkeypatch.setattr(pa, "concat_tables", Watched)
    counted = _label_files._grouped([pa.table({"true": [2, 1, 2], "pred": [0, 0, 0]})])
    assert counted.to_pydict() == {"true": [2, 1], "pred": [0, 0], "n": [2, 1]}
    assert threads == [False]


def test_options_beside_groups_keep_their_help() -> None:
    for command in (compare.compare, bound.bound):
        (option,) = command.__annotations__["json"].__metadata__
        assert "JSON" in option.help


def test_undefined_values_of_a_comparison_have_their_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measure = {
        "title": "Purity", "better": "greater", "range": (0, 1), "family": "sets", "values": {},
        "intervals": {}, "reasons": {"no objects": ["a | b", "a | c", "b | c", "b | d"]},
    }  # fmt: skip
    answer = {
        "objects": 3, "truth": None, "labelings": {}, "left_out": {}, "notes": [],
        "measures": [measure],
    }  # fmt: skip
    compare._print_answer(answer, [], {})
    assert "Purity of a | b, a | c, b | c, ...: no objects" in capsys.readouterr().out


@pytest.mark.parametrize("more", [0, 1, 2])
def test_the_number_of_columns_that_are_not_listed_is_told(
    capsys: pytest.CaptureFixture[str], more: int
) -> None:
    from sortal.datasets import from_table

    check = importlib.import_module("sortal.cli.check")
    columns = {f"c{i}": [1.5, 2.5, i + 0.5] for i in range(LAYOUT.columns + more)}
    check._print_columns(from_table(pd.DataFrame(columns)))
    told = capsys.readouterr().out
    assert (f"... and {more} more column{'s' * (more > 1)} (" in told) == (more > 0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The table in three files, of which a sample is studied."""
    (tmp_path / "rows").mkdir()
    for i in range(3):
        TABLE[80 * i : 80 * i + 80].to_parquet(tmp_path / "rows" / f"{i}.parquet")
    monkeypatch.setattr(sampled_tables, "MAX_WHOLE", 200)
    monkeypatch.setattr(sampled_tables, "SAMPLE_ROWS", 120)
    return tmp_path


def test_options_reach_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(GOOD.replace("p3,3", "p3,"))
    reading = LabelledInputOptions(
        data=str(path),
        label_column="class",
        id_column="name",
        drop=["colour"],
        scale="robust",
        impute="median",
    )
    dataset = read_dataset(reading)
    assert dataset.feature_names == ("x", "y")
    assert dataset.ids[3] == "p3"
    assert dataset.options == {
        "label_column": "class",
        "id_column": "name",
        "drop": ("colour",),
        "scale": "robust",
        "impute": "median",
    }


def test_choices_are_those_of_the_reader() -> None:
    from sortal.datasets.values.reading_options import IMPUTES, SCALES

    hints = get_type_hints(InputOptions)
    assert set(get_args(hints["scale"])) == set(SCALES)
    assert set(get_args(get_args(hints["impute"])[0])) == set(IMPUTES)


def test_several_names_in_one_option() -> None:
    assert split_names(None) == ()
    assert split_names(["a, b", "c", "a"]) == ("a", "b", "c")
    assert split_names(['"x, y",z']) == ("x, y", "z")


def test_a_command_reads_all_rows_unless_it_asks_for_a_sample(folder: Path) -> None:
    reading = InputOptions(data=str(folder / "rows"))
    assert read_dataset(reading).X.shape == (240, 3)
    assert read_dataset(reading, whole=False).X.shape == (120, 3)


@pytest.mark.posix
def test_a_stop_inside_compiled_code_is_a_stop():
    def compiled():
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as stop:
            raise SystemError("a result with an exception set") from stop

    with pytest.raises(KeyboardInterrupt), _stopping.unwrapped():
        compiled()
    with pytest.raises(SystemError, match="other"), _stopping.unwrapped():
        raise SystemError("other")


def test_a_budget_of_time_stops_what_runs() -> None:
    with pytest.raises(_stopping.BudgetSpent), _stopping.within(0.05):
        time.sleep(60)
    with _stopping.within(0.05):
        pass
    time.sleep(0.1)


def test_tables_break_texts_between_words(monkeypatch, capsys):

    texts = "Standardised mutual information", "information and entropy"
    for width in range(40, 70):
        monkeypatch.setenv("COLUMNS", str(width))
        rows = [(texts[0], "0.123456", "0.123457", texts[1])]
        show_table(("measure", "one", "other", "family"), rows, numbers=[1, 2])
        shown = capsys.readouterr().out
        assert set(" ".join(texts).split()) <= set(shown.replace(",", " ").split()), width
