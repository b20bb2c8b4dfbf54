"""``karat compare``: files of labels to every external measure."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import karat
from karat.cli import app
from karat.measures import catalogue
from karat.validation import InputError

TRUE = list("xxxxxoxoooo◇xx◇◇◇")
PRED = [1] * 6 + [2] * 6 + [3] * 5


def run(*args):
    result = CliRunner().invoke(app, ["compare", *map(str, args)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def judged(*args):
    return json.loads(run(*args, "--json"))


@pytest.fixture
def files(tmp_path):
    frame = pd.DataFrame({"id": range(17), "class": TRUE, "cluster": PRED})
    frame.to_csv(tmp_path / "both.csv", index=False)
    frame[["class"]].to_csv(tmp_path / "true.csv", index=False)
    frame[["cluster"]].to_csv(tmp_path / "pred.csv", index=False)
    frame[["cluster"]].to_csv(tmp_path / "bare.txt", index=False, header=False)
    frame[["class"]].to_csv(tmp_path / "names.csv", index=False, header=False)
    frame[["class"]].to_parquet(tmp_path / "true.parquet")
    shuffled = frame.sample(frac=1, random_state=0)
    shuffled[["id", "cluster"]].to_csv(tmp_path / "ids.tsv", index=False, sep="\t")
    frame[["id", "class"]].to_parquet(tmp_path / "ids.parquet")
    return tmp_path


@pytest.mark.parametrize(
    "args",
    [
        ("true.csv", "pred.csv"),
        ("true.csv", "bare.txt"),
        ("names.csv", "pred.csv"),
        ("true.parquet", "pred.csv"),
        ("both.csv", "--columns", "class,cluster"),
        ("both.csv", "both.csv", "--columns", "class,cluster"),
        ("ids.parquet", "ids.tsv", "--id-column", "id"),
        ("both.csv", "ids.tsv", "--id-column", "id", "--columns", "class,cluster"),
        ("both.csv", "--columns", "class,cluster", "--id-column", "id"),
    ],
    ids=" ".join,
)
def test_every_way_to_name_two_labelings(files, args):
    answer = judged(*(files / a if "." in a else a for a in args))
    assert (answer["objects"], answer["classes"], answer["clusters"]) == (17, 3, 3)
    values = {m["key"]: m["value"] for m in answer["measures"]}
    assert list(values) == [m.key for m in catalogue.select(kind="external")]
    for key, value in values.items():
        assert value == pytest.approx(catalogue[key].function(TRUE, PRED), rel=1e-12)
    assert {c["cluster"]: c["class"] for c in answer["by_cluster"]} == {
        "1": "x", "2": "o", "3": "◇",
    }  # fmt: skip
    assert len(answer["by_class"]) == 3


def test_text_for_people(files):
    output = run(files / "true.csv", files / "pred.csv")
    assert "17 objects, 3 classes, 3 clusters" in output
    assert "0.705882" in output
    assert "lower" in output
    assert "◇" in output


def test_picture(files):
    run(files / "true.csv", files / "pred.csv", "--picture", files / "table.html")
    assert "plotly" in (files / "table.html").read_text()[:100_000].lower()


def test_outliers(tmp_path):
    (tmp_path / "t.csv").write_text("t\na\na\nb\nb\n")
    (tmp_path / "c.csv").write_text("c\n0\n-1\n1\n1\n")
    with pytest.raises(InputError, match="marks 1 of 4"):
        run(tmp_path / "t.csv", tmp_path / "c.csv")
    answer = judged(tmp_path / "t.csv", tmp_path / "c.csv", "--noise", "drop")
    assert answer["coverage"] == 0.75
    assert "25.0%" in run(tmp_path / "t.csv", tmp_path / "c.csv", "--noise", "drop")
    with pytest.raises(InputError, match="--noise"):
        run(tmp_path / "t.csv", tmp_path / "c.csv", "--noise", "keep")


def test_join_says_what_is_left_out(tmp_path):
    (tmp_path / "t.csv").write_text("id,t\n1,a\n2,a\n3,b\n")
    (tmp_path / "c.csv").write_text("id,c\n3,0\n2,1\n8,1\n9,1\n")
    answer = judged(tmp_path / "t.csv", tmp_path / "c.csv", "--id-column", "id")
    assert answer["objects"] == 2
    assert list(answer["left_out"].values()) == [1, 2]
    shown = " ".join(run(tmp_path / "t.csv", tmp_path / "c.csv", "--id-column", "id").split())
    assert "excluded: 2 objects that only" in shown


@pytest.mark.parametrize(
    ("true", "pred", "options", "message"),
    [
        ("id,t\n1,a\n", "id,c\nx1,0\n", ["--id-column", "id"], "share no 'id'.*'1' and 'x1'"),
        ("id,t\n1,a\n1,b\n", "id,c\n1,0\n", ["--id-column", "id"], "1 of 2 rows repeat"),
        ("id,t\n1,a\n,b\n", "id,c\n1,0\n", ["--id-column", "id"], "repeat or lack"),
        ("id,t\n1,a\n", "c\n0\n", ["--id-column", "id"], "no column is called 'id'"),
        ("id,t\n1,a\n", "c\n0\n", [], "2 columns that may hold"),
        ("t\na\nb\nb\n", "c\n0\n", [], "has 3 labels"),
        ("t\na\n\"\"\n\"\"\n", "c\n0\n1\n2\n", [], "2 missing labels"),
        ("t\na\n", "c\n0\n", ["--columns", "t"], "two names"),
    ],
)  # fmt: skip
def test_errors(tmp_path, true, pred, options, message):
    (tmp_path / "t.csv").write_text(true)
    (tmp_path / "c.csv").write_text(pred)
    with pytest.raises(InputError, match=message):
        run(tmp_path / "t.csv", tmp_path / "c.csv", *options)


def test_files_that_are_not_there(tmp_path):
    (tmp_path / "t.csv").write_text("t\na\nb\n")
    with pytest.raises(InputError, match="there is no file"):
        run(tmp_path / "none.csv", tmp_path / "t.csv")
    with pytest.raises(InputError, match="--columns"):
        run(tmp_path / "t.csv")
    (tmp_path / "t.xlsx").write_text("t")
    with pytest.raises(InputError, match="labels are read from CSV"):
        run(tmp_path / "t.xlsx", tmp_path / "t.csv")


def test_real_labels(shared_data):
    truth = shared_data / "benchmarks" / "fcps_target.labels0.csv.gz"
    other = shared_data / "benchmarks" / "fcps_target.labels1.csv.gz"
    answer = judged(truth, other, "--noise", "cluster")
    one, two = (pd.read_csv(path)["label"].to_numpy() for path in (truth, other))
    values = {m["key"]: m["value"] for m in answer["measures"]}
    ari = karat.adjusted_rand_index(one, two, noise="cluster")
    assert values["adjusted_rand_index"] == pytest.approx(ari)
    assert answer["objects"] == len(one)
    assert np.isfinite([v for v in values.values() if v is not None]).all()
