"""Labels that once attached to the wrong objects, vanished, or made a false guarantee."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sortal
from sortal import InputError
from sortal.bounds import sample
from sortal.bounds.ledger import share_of
from sortal.cli import app
from sortal.datasets import read, read_cells, read_labelings, read_labels


def invoke(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def rejected(*parts: str):
    return pytest.raises(
        InputError, match="(?s)" + "".join(f"(?=.*{re.escape(part)})" for part in parts)
    )


def blobs(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    return rng.normal(truth[:, None] * 8.0, 1.0, (n, 2)), truth


# -- one reader ------------------------------------------------------------------------------


@pytest.mark.parametrize("header", [True, False])
def test_sample_run_bound_through_the_command_line(header: bool, tmp_path: Path) -> None:
    X, truth = blobs()
    data, few, labels = (tmp_path / name for name in ("obj.csv", "few.csv", "labels.csv"))
    pd.DataFrame(X, columns=["a", "b"]).to_csv(data, index=False, header=header)
    invoke("sample", data, "-n", 60, "--seed", 1, "-o", few)
    filled = pd.read_csv(few)
    assert list(filled.columns[:4]) == ["draw", "row", "label", "check"]
    np.testing.assert_allclose(filled.iloc[:, 4:], X[filled["row"]])
    filled["label"] = np.where(truth[filled["row"]] == 1, "None", "NA")
    filled.to_csv(few, index=False)
    out = invoke(
        "run", data, "--truth", few, "-c", "kmeans", "-k", "2", "--n-init", "1", "--workers", "1",
        "--labels", labels,
    )  # fmt: skip
    assert "60 labels of 2 classes" in " ".join(out.split())
    with rejected("--once", "answered 1 other question"):  # of sortal run
        invoke("bound", labels, few, "--once")
    answer = json.loads(invoke("bound", labels, few, "--json"))
    assert (answer["best"], answer["look"]) == ("cluster", 2)
    assert len(answer["table"]) == 1
    assert "60 labels of 2 classes" in answer["labels_read"]
    y = np.full(300, None, dtype=object)
    y[filled["row"]] = filled["label"]
    level = 0.1 * share_of(2)
    found = sortal.guarantee(
        read_labelings(labels)["cluster"], y, level, anytime=True, order=filled["row"]
    )
    assert (answer["bound"], answer["method"], found.errors) == (found.bound, found.method, 0)
    predicted = tmp_path / "predicted.csv"
    invoke("bound", labels, few, "--predict", predicted)
    named = pd.read_csv(predicted, keep_default_na=False)
    assert (named["class"] == np.where(truth == 1, "None", "NA")).all()
    assert named["row"].tolist() == list(range(300))


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n5,7\n",
        "1,2\n\n3,4\n5,7",
        "a,b\n1,2\n3,4\n5,7\n",
        "u,v\nv,u\nu,u\nv,v\n",
        "\n\nx y\n1 2\n3 4\n",
    ],
)
def test_sample_counts_the_rows_that_run_reads(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    cells, _ = read_cells(path)
    assert len(cells) == read(path).n_objects


def test_a_guessed_header_is_said_aloud(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("colour,size\nblue,small\nred,small\nblue,big\n")
    assert any("--no-header" in note for note in read(path).notes)
    path.write_text("red,big\nblue,small\nred,small\nblue,big\nred,big\n")
    dataset = read(path)
    assert dataset.n_objects == 5
    assert any("--header" in note for note in dataset.notes)
    labels = tmp_path / "labels.txt"
    labels.write_text("earn\nacq\ncrude\n")
    assert any("header" in note for note in read_labelings(labels).notes)
    assert len(read_labelings(labels, header=False)["labels"]) == 3
    # with as many lines as objects nothing is guessed
    for n in (3, 2):
        notes = read_labelings(labels, ids=range(n)).notes
        assert not any("--header" in note or "--no-header" in note for note in notes)


def test_names_are_no_patterns(tmp_path: Path) -> None:
    (tmp_path / "lab1.csv").write_text("t,c\na,0\na,1\nb,1\nb,1\n")
    (tmp_path / "lab[1].csv").write_text("t,c\na,0\nb,1\n")
    answer = json.loads(invoke("compare", tmp_path / "lab[1].csv", "--columns", "t,c", "--json"))
    assert answer["objects"] == 2
    # a pattern names tables in parts, unless a file has this very name
    answer = json.loads(invoke("compare", tmp_path / "lab*.csv", "--columns", "t,c", "--json"))
    assert answer["objects"] == 6
    (tmp_path / "lab*.csv").write_text("t,c\na,0\na,0\nb,1\n")
    answer = json.loads(invoke("compare", tmp_path / "lab*.csv", "--columns", "t,c", "--json"))
    assert answer["objects"] == 3
    with rejected("no file of a table"):
        invoke("compare", tmp_path / "x*.csv", "--columns", "t,c")


@pytest.mark.posix
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for command in (
        ["run", pipe],
        ["sample", pipe],
        ["bound", pipe, pipe],
        ["compare", pipe, pipe],
    ):
        with rejected("pipe"):
            invoke(*command)


# -- labels as they are written --------------------------------------------------------------


def test_classes_called_none_or_na_are_classes(tmp_path: Path) -> None:
    names = ["None", "NA", "NaN", "null", "n/a", "nan", "NULL", "N/A", "?", "#N/A"]
    few = tmp_path / "few.csv"
    few.write_text(
        "row,label\n" + "".join(f"{i},{name}\n" for i, name in enumerate(names)) + "10,\n"
    )
    known = [None if name in ("NaN", "nan") else name for name in names]
    assert read_labels(few, 11).values.tolist() == [*known, None]
    data = tmp_path / "data.csv"
    data.write_text("x,class\n" + "".join(f"{i},{name}\n" for i, name in enumerate([*names, ""])))
    assert read(data, label_column="class").y.tolist() == [*known, None]
    assert read(data, drop="class", y=few).y.tolist() == [*known, None]
    (tmp_path / "k.csv").write_text("t,c\n" + "".join(f"{n},{n}\n" for n in names))
    answer = json.loads(invoke("compare", tmp_path / "k.csv", "--columns", "t,c", "--json"))
    assert answer["labelings"]["t"]["clusters"] == len(names)


def test_two_marks_for_unknown_are_an_error_that_names_both(tmp_path: Path) -> None:
    for labels in (
        [1, -1, None, 1],
        [1.0, -1.0, np.nan, 1.0],
        np.ma.masked_array([1, -1, 0], [0, 0, 1]),
    ):
        with rejected("no label", "-1", "two ways", "classes"):
            sortal.pac_mdl_bound([0] * len(labels), labels)
    few = tmp_path / "few.csv"
    few.write_text("label\n-1\n1\n\n1\n")
    (tmp_path / "k.csv").write_text("a\n0\n1\n1\n0\n")
    with rejected("few.csv", "two ways"):
        invoke("bound", tmp_path / "k.csv", few)
    # listed, -1 is a class
    found = sortal.pac_mdl_bound([0] * 20, [1, -1, 1, -1, -1] + [None] * 15, classes=[-1, 1])
    assert found.m == 5
    assert "'-1'" in repr(found.constant_class)


def test_what_was_read_is_always_stated(tmp_path: Path) -> None:
    X, truth = blobs(40)
    y = np.where(np.arange(40) % 2 == 0, np.where(truth == 1, "spam", "ham"), None)
    found = sortal.pac_mdl_bound(truth, y)
    assert re.search(r"20 labels of 2 classes: .*20 objects is unknown", str(found))
    dataset = sortal.datasets.from_array(X, y=y)
    assert any("20 labels of 2 classes" in note for note in dataset.notes)


def test_integer_classes_stay_integers() -> None:
    y = [1.0, 2.0, np.nan, 1.0, 1.0] * 20
    assert sortal.pac_mdl_bound([0] * 100, y).constant_class == 1
    assert "Always saying 1 would" in sortal.pac_mdl_bound([0] * 100, y).reason


def test_names_that_differ_by_blanks_are_told(tmp_path: Path) -> None:
    y = ["cls1", "cls1 ", "cls2", None] * 10
    assert any("'cls1 '" in warning for warning in sortal.pac_mdl_bound([0] * 40, y).warnings)
    few = tmp_path / "few.csv"
    few.write_text("row,label\n0,cls1\n1,cls1 \n2,cls2\n")
    read_it = read_labels(few, 5)
    assert read_it.values.tolist() == ["cls1", "cls1", "cls2", None, None]
    assert any("'cls1 '" in note for note in read_it.notes)


def test_skipped_objects_are_counted(tmp_path: Path) -> None:
    few = tmp_path / "few.csv"
    few.write_text("row,label\n7,a\n3,\n9,b\n1,a\n5,\n")
    assert read_labels(few, 10).skipped == (0, 1, 1)
    few.write_text("row,label\n7,a\n3,b\n9,b\n1,\n5,\n")
    assert read_labels(few, 10).skipped == ()


@pytest.mark.parametrize("text", ["-1.000000000000000000e+00", "-1.0", "-1"])
def test_minus_one_however_written_is_the_mark(text: str, tmp_path: Path) -> None:
    zero, one = (text.replace("-1", digit) for digit in ("0", "1"))
    path = tmp_path / "k.csv"
    path.write_text("\n".join([zero, text, one, one]) + "\n")
    assert read_labelings(path, ids=range(4))["k"].tolist() == [0, -1, 1, 1]
    path.write_text("\n".join(["a", text, "b", "b"]) + "\n")
    assert read_labelings(path, ids=range(4))["k"].tolist() == ["a", -1, "b", "b"]
    clusterings = sortal.labelings.as_labelings(read_labelings(path, ids=range(4)), noise="drop")
    assert clusterings.codes.tolist() == [[0, -1, 1, 1]]


# -- the guarantee ---------------------------------------------------------------------------


def test_one_label_of_a_thousand_classes_guarantees_nothing() -> None:
    """Every object has a class of its own: any bound below 999 of 999 is false."""
    truth = [f"class {i}" for i in range(1000)]
    for seed in range(30):
        y = [None] * 1000
        for i in sample(1000, 1, random_state=seed):
            y[i] = truth[i]
        found = sortal.pac_mdl_bound([0] * 1000, y)
        wrong = sum(
            p != t for p, t, known in zip(found.predicted, truth, y, strict=True) if known is None
        )
        assert wrong <= found.bound


def test_open_lists_of_classes_are_covered() -> None:
    """Four even classes and two labels: those seen, uncharged, would be violated in a quarter."""
    truth = np.repeat(np.arange(4), 50)
    broken = {"open": 0, "known": 0}
    for seed in range(300):
        y = np.full(200, None, dtype=object)
        rows = sample(200, 2, random_state=seed)
        y[rows] = truth[rows]
        if len(set(truth[rows])) == 2:
            continue
        for name, classes in (("open", "open"), ("known", 4)):
            found = sortal.pac_mdl_bound(np.zeros(200, int), y, classes=classes)
            broken[name] += (found.predicted != truth)[pd.isna(y)].sum() > found.bound
    assert max(broken.values()) <= 30


def test_the_premise_about_classes_is_printed_where_they_are_given() -> None:
    y = ["a", "b", "a", "a", None, None]
    assert "list of classes" in str(sortal.pac_mdl_bound([0] * 6, y, classes=["a", "b", "c"]))
    assert "list of classes" in str(sortal.pac_mdl_bound([0] * 6, y, classes=3))
    for classes in ("open", None):
        assert "list of classes" not in str(sortal.pac_mdl_bound([0] * 6, y, classes=classes))
    by_list = sortal.pac_mdl_bound([0] * 6, y, classes=["a", "b", "c"])
    assert sortal.pac_mdl_bound([0] * 6, y, classes=3).bits == by_list.bits
    with rejected("2 classes", "says 1"):
        sortal.pac_mdl_bound([0] * 6, y, classes=1)
    with rejected("'yes'"):
        sortal.pac_mdl_bound([0] * 6, y, classes="yes")


def test_the_number_of_classes_counts_through_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "k.csv").write_text("a\n" + "0\n1\n" * 50)
    few = tmp_path / "few.csv"
    few.write_text("row,label\n" + "".join(f"{i},{i % 2}\n" for i in range(20)))
    bounds = [
        json.loads(
            invoke("bound", tmp_path / "k.csv", few, "--json", "--classes", classes, "--in-order")
        )["bound"]
        for classes in ("0,1", "2", "50", "open")
    ]
    assert bounds[0] < bounds[2]
    with rejected("not among the classes"):
        invoke("bound", tmp_path / "k.csv", few, "--classes", "1,2", "--in-order")


def test_shares_of_open_lists_sum_to_at_most_one() -> None:
    """All lists of classes of some objects, each with the share it is charged at most."""
    from itertools import combinations

    from sortal.bounds.classes import naming_bits

    truth = ["a"] * 3 + ["b"] * 2 + ["c"]
    sizes = {t: truth.count(t) for t in truth}
    total = 0.0
    for length in (1, 2, 3):
        for some in combinations(sizes, length):
            total += 2 ** -naming_bits(len(truth), np.array([sizes[t] for t in some]))
    assert total <= 1


def test_labelling_until_the_target_is_met_keeps_delta() -> None:
    """By twenties until the bound is at most 0.3, each question counted as the command does."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    labels = np.where(rng.random(400) < 0.28, 1 - truth, truth)
    broken = 0
    for seed in range(30):
        rows = sample(400, 200, random_state=seed)
        for look in range(1, 11):
            y = np.full(400, None, dtype=object)
            y[rows[: 20 * look]] = truth[rows[: 20 * look]]
            level = 0.1 * share_of(look)
            found = sortal.pac_mdl_bound({"k": labels}, y, level, classes=[0, 1]).best
            if found.bound_rate <= 0.3:
                broken += (found.predicted != truth)[pd.isna(y)].sum() > found.bound
                break
    assert broken <= 3


def test_the_command_counts_its_looks(tmp_path: Path) -> None:
    (tmp_path / "k.csv").write_text("a,b\n" + "0,0\n1,0\n" * 100)
    few = tmp_path / "few.csv"

    def ask(m: int, *more: str) -> dict:
        rows = "".join(f"{i + 1},{i},{i % 2}\n" for i in range(m))
        few.write_text(f"draw,row,label\n{rows}")
        return json.loads(invoke("bound", tmp_path / "k.csv", few, "--in-order", "--json", *more))

    first, again, second = ask(20), ask(20), ask(30)
    assert first == again
    # more labels in the order of the draw are the same question, and its answers hold together
    assert [a["look"] for a in (first, second)] == [1, 1]
    assert second["anytime"]
    assert ask(30, "-c", "a")["look"] == 2  # to choose one after a look is another question
    assert ask(40)["look"] == 1
    # other targets plan other tests: the lowest of their answers would not hold
    assert [ask(40, "--target", t)["look"] for t in ("0.2", "0.3", "0.2")] == [3, 4, 3]
    few.write_text(few.read_text().replace("1,0,0", "1,0,1", 1))
    changed = json.loads(invoke("bound", tmp_path / "k.csv", few, "--in-order", "--json"))
    assert changed["look"] == 5
    with rejected("--once", "delta is left"):
        ask(40, "-c", "b", "--once")
    late = ask(40, "--once")
    assert late["look"] == 1
    assert "--once came too late" in late["question"]


def test_rubbish_is_no_count_and_what_is_rejected_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / "k.csv").write_text("a,b\n" + "0,0\n1,0\n" * 100)
    few = tmp_path / "few.csv"

    def ask(m: int, *more: str) -> dict:
        rows = "".join(f"{i + 1},{i},{i % 2}\n" for i in range(m))
        few.write_text(f"draw,row,label\n{rows}")
        return json.loads(invoke("bound", tmp_path / "k.csv", few, "--in-order", "--json", *more))

    count = tmp_path / "sortal-questions.jsonl"
    count.write_text("rubbish\n")
    with rejected("sortal-questions.jsonl"):
        ask(50)
    count.unlink()
    for wrong in (("--delta", "1.5"), ("--classes", "0"), ("--target", "2")):
        with rejected(wrong[0][2:]):
            ask(20, *wrong)
    assert not count.exists()
    assert ask(60, "--once")["look"] is None
    assert ask(60, "--once")["table"][0]["choice_bits"] == 1
    with rejected("delta is left"):
        ask(70)


def test_without_an_order_more_labels_are_another_question(tmp_path: Path) -> None:
    (tmp_path / "k.csv").write_text("a,b\n" + "0,0\n1,0\n" * 100)
    whole = tmp_path / "whole.csv"
    # the first for a number fixed beforehand, the second at every number
    for m, look, anytime in ((30, 1, False), (40, 2, True), (30, 1, False), (40, 2, True)):
        column = [str(i % 2) if i < m else None for i in range(200)]
        pd.DataFrame({"label": column}).to_csv(whole, index=False)
        answer = json.loads(invoke("bound", tmp_path / "k.csv", whole, "--json"))
        assert (answer["look"], answer["anytime"]) == (look, anytime)


@pytest.mark.parametrize("look", [1, 2, 3, 50])
def test_the_shares_of_all_questions_sum_to_one(look: int) -> None:
    rest = 1 - sum(share_of(j) for j in range(1, look + 1))
    assert rest == pytest.approx(0.2 / look, abs=1e-12)


# -- files that exist ------------------------------------------------------------------------


def test_no_command_overwrites_without_force(tmp_path: Path) -> None:
    data, few = tmp_path / "data.csv", tmp_path / "few.csv"
    data.write_text("t,c\n" + "a,0\nb,1\n" * 20)
    few.write_text("row,label\n0,a\n1,b\n2,a\n")
    before = data.read_bytes()
    for command in (
        ["sample", data, "-n", 5, "-o", data],
        ["bound", data, few, "--predict", data],
    ):
        with rejected("an input is never replaced"):
            invoke(*command)
        assert data.read_bytes() == before
        with rejected("an input is never replaced"):
            invoke(*command, "--force")
        assert data.read_bytes() == before


def test_cells_are_no_formulas(tmp_path: Path) -> None:
    data, few = tmp_path / "data.csv", tmp_path / "few.csv"
    data.write_text("=a,b\n=1+1,-3\n@x,+4\n=1+1,-5\n@x,6\n")
    invoke("sample", data, "-n", 4, "-o", few)
    table = pd.read_csv(few)
    assert table.columns[4] == "'=a"
    assert set(table.iloc[:, 4]) == {"'=1+1", "'@x"}
    assert sorted(table["b"]) == [-5, -3, 4, 6]


def test_a_study_knows_the_classes_and_says_its_premises(tmp_path: Path) -> None:
    X, truth = blobs(120)
    y = np.full(120, None, dtype=object)
    rows = sample(120, 30, random_state=0)
    y[rows] = truth[rows]
    bounds = {}
    for classes in (None, [0, 1], 9, "open"):
        study = sortal.Study(X, y=y, classes=classes, storage=tmp_path / f"{classes}.sortal")
        study.add({"k": truth})
        bounds[str(classes)] = study.bounds().best.bound
        study.close()
        again = sortal.Study(X, storage=tmp_path / f"{classes}.sortal")
        assert again.bounds().best.bound == bounds[str(classes)]
        again.close()
    assert bounds["[0, 1]"] <= bounds["9"]
    assert bounds["[0, 1]"] < bounds["None"] == bounds["open"]
    data, few = tmp_path / "data.csv", tmp_path / "few.csv"
    pd.DataFrame(X, columns=["a", "b"]).to_csv(data, index=False)
    pd.DataFrame({"row": rows, "label": truth[rows]}).to_csv(few, index=False)
    arguments = ["run", data, "--truth", few, "-c", "kmeans", "-k", "2", "--workers", "1"]
    said = " ".join(invoke(*arguments, "--why").split())
    assert "if your 30 labels of 2 classes are a random draw" in said
    assert "drawn uniformly at random" in said
    assert "list of classes" not in said


def test_labels_of_objects_that_were_dropped_are_told(tmp_path: Path) -> None:
    X, truth = blobs(100)
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame.loc[::10, "a"] = np.nan
    frame.insert(0, "customer", np.arange(100)[::-1])
    data, few, labels = (tmp_path / name for name in ("d.csv", "few.csv", "labels.csv"))
    frame.to_csv(data, index=False)
    rows = sample(100, 40, random_state=0)
    pd.DataFrame({"row": rows, "label": truth[rows]}).to_csv(few, index=False)
    invoke(
        "run", data, "--id-column", "customer", "--impute", "drop", "-c", "kmeans", "-k", "2",
        "--workers", "1", "--labels", labels,
    )  # fmt: skip
    answer = json.loads(invoke("bound", labels, few, "--json", "--once", "--on", "inner"))
    assert any("Ignored" in note for note in answer["notes"])
    assert answer["table"][0]["labelled"] == np.sum(rows % 10 != 0)
    assert answer["table"][0]["errors"] == 0
