"""What a spreadsheet, a copy and a second question do to a guarantee: nothing without a word."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.command_line import sortal_command

import sortal
from sortal import InputError, StorageError
from sortal.bounds import Ledger, classifiers, sample
from sortal.cli._input import LabelledInputOptions
from sortal.cli._questions import apart_from_draw, count_questions

N = 300


@pytest.fixture(autouse=True)
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is counted are questions: a small forest is enough."""
    monkeypatch.setattr(classifiers, "TREES", 5)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Clusterings, and 50 labels in the order of the draw."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], N // 3)
    noisy = {f"k{k}": np.where(rng.random(N) < 0.15, rng.integers(0, 3, N), truth % k)
             for k in (3, 2, 4)}  # fmt: skip
    pd.DataFrame({"row": range(N), **noisy}).to_csv(tmp_path / "k.csv", index=False)
    rows = sample(N, 50, random_state=1)
    few = {"draw": range(1, 51), "row": rows, "label": truth[rows]}
    pd.DataFrame(few).to_csv(tmp_path / "few.csv", index=False)
    return tmp_path


def ask(folder: Path, few: str = "few.csv", *more: object) -> dict:
    done = sortal_command("bound", folder / "k.csv", folder / few, "--json", *more)
    if done.returncode:
        raise InputError(done.stderr)
    return json.loads(done.stdout)


def test_the_column_draw_outlives_a_sort(files: Path) -> None:
    first = ask(files)
    assert (first["look"], first["anytime"]) == (1, True)
    table = pd.read_csv(files / "few.csv")
    for by in ("row", "label"):
        table.sort_values(by, kind="stable").to_csv(files / f"by-{by}.csv", index=False)
        again = ask(files, f"by-{by}.csv")
        # the notes name the file
        assert {**again, "notes": []} == {**first, "notes": []}


@pytest.mark.parametrize("by", ["row", "label"])
def test_sorted_without_the_column_is_a_number_fixed_beforehand(files: Path, by: str) -> None:
    table = pd.read_csv(files / "few.csv").drop(columns="draw").sort_values(by, kind="stable")
    table.to_csv(files / "sorted.csv", index=False)
    answer = ask(files, "sorted.csv")
    assert not answer["anytime"]
    assert f"sorted by '{by}'" in " ".join(answer["notes"])
    assert "the number of labels was fixed beforehand" in answer["sentence"]


def test_copies_and_other_folders_have_one_count(files: Path, tmp_path: Path) -> None:
    assert ask(files)["look"] == 1
    shutil.copy(files / "few.csv", files / "few2.csv")
    assert ask(files, "few2.csv", "--target", 0.2)["look"] == 2
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("k.csv", "few.csv"):
        shutil.copy(files / name, elsewhere / name)
    assert ask(elsewhere, "few.csv", "--target", 0.3)["look"] == 3
    # the same labels in Python
    table, labelings = pd.read_csv(files / "few.csv"), pd.read_csv(files / "k.csv", index_col="row")
    y = np.full(N, None, dtype=object)
    y[table["row"]] = table["label"]
    guarantee = sortal.guarantee(labelings, y, ledger=files, classes=3)
    assert "Question 4" in str(guarantee)
    assert guarantee.delta == 0.1
    assert sortal.guarantee(labelings, y, classes=3).question == ""


def test_once_after_a_question_is_answered_as_what_it_is(files: Path) -> None:
    first, late = ask(files), ask(files, "few.csv", "--once")
    assert late["bound"] == first["bound"]
    assert "--once came too late" in late["question"]
    with pytest.raises(InputError, match="nothing of delta is left"):
        ask(files, "few.csv", "--once", "-c", "k2")


def test_other_labels_have_their_own_count(files: Path) -> None:
    ask(files)
    table = pd.read_csv(files / "few.csv")
    table["row"] = sample(N, 50, random_state=2)
    table["label"] = np.repeat([0, 1, 2], N // 3)[table["row"]]
    table.to_csv(files / "new.csv", index=False)
    assert ask(files, "new.csv")["look"] == 1


def test_a_count_that_cannot_be_written_is_an_error(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    asked = Ledger().ask("q", [(i, "a") for i in range(9)], ordered=True)
    with pytest.raises(StorageError, match="cannot be counted"):
        asked.keep()


def test_numbers_of_the_draw(tmp_path: Path) -> None:
    read = sortal.datasets.read_labels
    few = tmp_path / "few.csv"
    few.write_text("draw,row,label\n2,0,a\n,1,b\n1,5,c\n3,4,\n")
    labels = read(few, 6)
    assert (labels.order, labels.taught) == ((5, 0), (1,))
    few.write_text("row,label,draw\n0,a,2.0\n5,c,1.0\n1,b,\n")
    assert read(few, 6).order == (5, 0)
    for text, message in (("1,0,a\n1,1,b\n", "2 objects with draw 1"), ("x,0,a\n", "draw x is")):
        few.write_text(f"draw,row,label\n{text}")
        with pytest.raises(InputError, match=message):
            read(few, 6)


@pytest.mark.long
def test_a_study_counts_with_the_command(files: Path) -> None:
    table, truth = pd.read_csv(files / "few.csv"), np.repeat([0, 1, 2], N // 3)
    X = np.random.default_rng(0).normal(truth[:, None] * 6.0, 1.0, (N, 2))

    def study(m: int, *ks: int) -> sortal.Study:
        y = np.full(N, None, dtype=object)
        y[table["row"][:m]] = table["label"][:m]
        tried = sortal.Study(X, y=y)
        tried.add({f"k{k}": np.minimum(truth, k - 1) for k in ks}, reference=False)
        return tried

    alone = study(30, 2, 3).guarantee()
    assert alone.question == ""
    assert "the number of labels was fixed beforehand" in alone.sentence
    first = study(30, 2, 3).guarantee(ledger=files)
    assert "Question 1" in first.question
    assert first.bound >= alone.bound
    # what is asked after more labels depends on the first answer
    more = study(50, 2, 3).guarantee(ledger=files)
    assert "Question 2" in more.question
    assert more.anytime
    assert "fixed beforehand" not in more.sentence
    assert ask(files)["look"] == 3
    rows = table["row"].tolist()
    assert study(50, 1, 2, 3).guarantee(ledger=files, order=rows).anytime


@pytest.fixture
def label(files: Path):
    """A function that labels some objects in the order of the draw; the command's output."""
    pd.DataFrame({"x": np.repeat([0, 1, 2], N // 3)}).to_csv(files / "x.csv", index=False)
    truth = np.repeat(["a", "b", "c"], N // 3)
    options = ["-o", files / "a.jsonl", "--teach", 0, "--by", "me"]

    def run(count: int, *more: object) -> str:
        start = len(json_lines(files / "a.jsonl"))
        rows = sample(N, N, random_state=0)[start : start + count]
        answers = "".join(f"{truth[i]}\n" for i in rows) + ":q\n"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdin", io.StringIO(answers))
            done = sortal_command("label", files / "x.csv", *options, *more)
        return done.stdout + done.stderr

    return run


def test_labelling_for_another_target_is_counted(files: Path, label) -> None:
    own = ("--labelings", files / "k.csv")
    assert "Question 1" in label(12, *own, "--target", 0.05)
    again = label(2, *own, "--target", 0.05)
    assert "Question 1" in again
    assert "Question 2" not in again
    assert "Question 2" in label(1, *own, "--target", 0.02)
    assert "Question 3" in label(1, *own, "--target", 0.02, "--classes", "a,b,c")


def test_pairs_that_come_after_labels_are_refused_and_before_them_counted(
    files: Path, label
) -> None:
    pairs = files / "pairs.csv"
    pairs.write_text("0,1,must\n0,150,cannot\n")
    own = ("--labelings", files / "k.csv", "--target", 0.05)
    assert "Question 1" in label(8, *own)
    assert "has labels already" in label(1, *own, "--constraints", pairs)
    assert len(json_lines(files / "a.jsonl")) == 8
    (files / "a.jsonl").unlink()
    label(8, *own, "--constraints", pairs, "--seed", 1)  # another draw, so other labels
    again = label(1, *own, "--constraints", pairs, "--seed", 1)
    assert "Question 1" in again
    # the same labels without the pairs are another question
    assert "Question 2" in label(1, *own, "--seed", 1)


def test_a_run_after_more_labels_is_another_question(files: Path) -> None:
    truth = np.repeat([0, 1, 2], N // 3)
    X = np.random.default_rng(0).normal(truth[:, None] * 6.0, 1.0, (N, 2))
    table = pd.read_csv(files / "few.csv")

    def run(m: int, few: str, *dropped: str) -> str:
        drawn = table[:m].sort_values("row").drop(columns=list(dropped))
        drawn.to_csv(files / few, index=False)
        pd.DataFrame(X, columns=["a", "b"]).to_csv(files / "x.csv", index=False)
        options = ["--labelings", files / "k.csv", "--only-labelings", "--no-reference"]
        done = sortal_command("run", files / "x.csv", "--truth", files / few, *options, "--why")
        assert done.returncode == 0, done.stderr
        return " ".join((done.stdout + done.stderr).replace("\u2502", "").split())

    first = run(30, "few.csv", "draw")
    assert "the number of labels was fixed beforehand" in first
    more = run(50, "few.csv", "draw")
    assert "fixed beforehand" not in more
    questions = json_questions(files)
    assert [line["anytime"] for line in questions] == [False, True]
    # a copy with the order of the draw asks the third question, and holds at every number
    assert "the order is that of the draw" in run(50, "copy.csv")
    assert len(json_questions(files)) == 3


def test_a_part_of_the_draw_is_said(files: Path) -> None:
    truth = np.repeat([0, 1, 2], N // 3)
    X = np.random.default_rng(0).normal(truth[:, None] * 6.0, 1.0, (N, 2))
    few = pd.read_csv(files / "few.csv")
    data = pd.DataFrame(X, columns=["a", "b"]).assign(draw=np.nan, label=None)
    data.loc[few["row"], ["draw", "label"]] = few[["draw", "label"]].to_numpy()
    reading = LabelledInputOptions(data=str(files / "x.csv"), label_column="label")
    for missing in (0, 5):
        data["draw"] = data["draw"].where(data["draw"] > missing)
        data.to_csv(files / "x.csv", index=False)
        dropped, numbers = apart_from_draw(reading)
        assert dropped.drop == ["draw"]
        study = sortal.Study(
            sortal.datasets.read(files / "x.csv", label_column="label", drop=["draw"])
        )
        study.add({"k3": truth, "k2": truth > 0}, reference=False)
        count_questions(study, reading, numbers)
        guarantee = study.guarantee()
        assert guarantee.anytime == (not missing)
        assert (f"{missing} labelled rows without a number" in guarantee.sentence) == bool(missing)
    data["draw"] = 1  # a feature of this name
    data.to_csv(files / "x.csv", index=False)
    assert apart_from_draw(reading) == (reading, None)


def json_questions(folder: Path) -> list[dict]:
    """The stored questions, each as it was stored last."""
    lines = (folder / "sortal-questions.jsonl").read_text().splitlines()
    return list({line["id"]: line for line in map(json.loads, lines)}.values())


def json_lines(path: Path) -> list[dict]:
    """The labels in a file of answers."""
    lines = path.read_text().splitlines()[1:] if path.exists() else []
    return [line for line in map(json.loads, lines) if line["kind"] == "label"]
