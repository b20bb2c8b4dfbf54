"""sortal sample and sortal bound, from a data file to a guarantee."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sortal
from sortal import InputError
from sortal.cli import app

run = CliRunner().invoke


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    pd.DataFrame({"x": truth + rng.normal(0, 0.1, 500)}).to_csv(tmp_path / "data.csv", index=False)
    columns = {"row": range(500), "good": truth, "one": 0, "noise": rng.integers(0, 4, 500)}
    pd.DataFrame(columns).to_csv(tmp_path / "labels.csv", index=False)
    pd.Series(truth).to_csv(tmp_path / "truth.csv", index=False)
    return tmp_path


def labelled(files: Path) -> Path:
    few = files / "few.csv"
    result = run(
        app, ["sample", str(files / "data.csv"), "-n", "60", "--seed", "1", "-o", str(few)]
    )
    assert result.exit_code == 0, result.output
    table = pd.read_csv(few)
    assert list(table.columns) == ["draw", "row", "label", "check", "x"]
    truth = pd.read_csv(files / "truth.csv").iloc[:, 0]
    table["label"] = ["spam" if truth[row] else "ham" for row in table["row"]]
    table.to_csv(few, index=False)
    return few


def test_from_data_to_guarantee(files: Path) -> None:
    few = labelled(files)
    out = files / "predicted.csv"
    arguments = ["bound", str(files / "labels.csv"), str(few), "--delta", "0.05", "--once"]
    result = run(app, [*arguments, "--target", "0.03", "--predict", str(out)])
    assert result.exit_code == 0, result.output
    assert "Of twenty random draws like yours, at most one" in result.output
    assert "one of 3 compared" in result.output
    assert "Forecast" in result.output
    predicted = pd.read_csv(out, index_col="row")["class"]
    truth = pd.read_csv(files / "truth.csv").iloc[:, 0]
    assert (predicted == np.where(truth, "spam", "ham")).all()
    answer = json.loads(run(app, [*arguments, "--json", "--target", "0.03"]).output)
    assert answer["best"] == "good"
    y = np.full(500, None, dtype=object)
    table = pd.read_csv(few)
    y[table["row"]] = table["label"]
    same = sortal.guarantee(
        pd.read_csv(files / "labels.csv").drop(columns="row"), y, 0.05, order=table["row"]
    )
    assert answer["bound"] == same.bound
    assert min(answer["parts"].values()) == answer["bound_rate"]
    assert len(answer["table"]) == 3
    assert answer["forecast"]["more"] > 0
    copy = files / "copy.csv"
    copy.write_bytes(few.read_bytes())
    arguments[2] = str(copy)
    refused = run(app, [*arguments, "--json", "-c", "one"]).exception
    assert "have answered 1 other question" in str(refused)  # a copy has the same labels


def test_one_label_an_object_with_gaps(files: Path) -> None:
    few = labelled(files)
    table = pd.read_csv(few)
    column = pd.Series([None] * 500, dtype=object)
    column[table["row"]] = table["label"].to_numpy()
    whole = files / "whole.csv"
    column.to_frame("label").to_csv(whole, index=False)
    answers = [
        json.loads(run(app, ["bound", str(files / "labels.csv"), str(f), "--json"]).output)
        for f in (few, whole)
    ]
    assert [answer["anytime"] for answer in answers] == [True, False]
    assert [answer["best"] for answer in answers] == ["good", "good"]
    assert answers[0]["labels_read"] == answers[1]["labels_read"]


def test_sample_prints_rows(files: Path) -> None:
    data = str(files / "data.csv")
    rows = json.loads(run(app, ["sample", data, "-n", "5", "--seed", "3", "--json"]).output)
    assert rows["of"] == 500
    assert rows["rows"] == sortal.bounds.sample(500, 5, random_state=3).tolist()
    printed = run(app, ["sample", data, "-n", "5", "--seed", "3"]).output.splitlines()
    assert printed[0] == "draw,row,label,check,x"
    assert [int(line.split(",")[1]) for line in printed[1:]] == rows["rows"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("row,label\n500,b\n", "names its rows by 'row' ('500')"),
        ("row,label\n7,a\n7,b\n", "'row' must differ from row to row"),
        ("row,label\nx,a\n", "names its rows by 'row' ('x')"),
        ("label\na\nb\n", "2 rows for the 500 objects"),
        ("row,class,colour\n1,a,b\n", "none is called 'label'"),
    ],
)
def test_label_files_that_cannot_be_used(files: Path, text: str, message: str) -> None:
    (files / "bad.csv").write_text(text)
    result = run(app, ["bound", str(files / "labels.csv"), str(files / "bad.csv")])
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)


def test_files_and_columns_that_are_not_there(files: Path) -> None:
    few = str(labelled(files))
    for arguments, message in [
        (["bound", str(files / "nothing.csv"), few], "there is no file"),
        (["bound", str(files / "labels.csv"), few, "-c", "bad"], "no column is called 'bad'"),
        (["bound", str(files / "labels.csv"), few, "--noise", "maybe"], "--noise must be"),
        (["sample", str(files / "data.csv"), "-n", "501"], "cannot draw 501"),
    ]:
        result = run(app, arguments)
        assert isinstance(result.exception, InputError)
        assert message in str(result.exception)


def test_outliers_are_excluded_on_request(tmp_path: Path) -> None:
    rows = np.arange(200)
    clusters = np.where(rows % 7, rows % 2, -1)
    pd.DataFrame({"row": rows, "k": clusters}).to_csv(tmp_path / "labels.csv", index=False)
    drawn = sortal.bounds.sample(200, 60, random_state=0)
    few = {"draw": range(1, 61), "row": drawn, "label": np.array(["a", "b"])[drawn % 2]}
    pd.DataFrame(few).to_csv(tmp_path / "few.csv", index=False)
    arguments = ["bound", str(tmp_path / "labels.csv"), str(tmp_path / "few.csv")]
    assert "as outliers" in str(run(app, arguments).exception)
    result = run(app, [*arguments, "--noise", "drop"])
    assert result.exit_code == 0, result.output
    unlabelled = int((clusters >= 0).sum() - (clusters[drawn] >= 0).sum())
    assert f"of the {unlabelled} unlabelled rows" in result.output
