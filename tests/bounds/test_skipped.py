"""Objects of a draw without a label: they count as errors, so no deletion makes a bound false."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from tests.command_line import sortal_command

import sortal
from sortal import InputError
from sortal.bounds import sample
from sortal.datasets import table_of_draw

N, M = 200, 50


@pytest.fixture(autouse=True)
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    forest = sklearn.ensemble.ExtraTreesClassifier
    monkeypatch.setattr(
        sklearn.ensemble, "ExtraTreesClassifier", lambda _, **options: forest(5, **options)
    )


def population(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Classes, clusters of which three in ten are wrong, and rows in the order of a draw."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, N)
    return truth, truth ^ (rng.random(N) < 0.3), sample(N, M, random_state=rng)


def without(rows: np.ndarray, gone: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The other rows in their order, and how many were skipped before each."""
    return rows[~gone], np.cumsum(gone)[~gone]


def answer(truth: np.ndarray, cluster: np.ndarray, rows: np.ndarray, **options: object):
    y = np.full(N, None, dtype=object)
    y[rows] = truth[rows]
    return sortal.guarantee(cluster, y, 0.1, order=rows, **options)


def errors_of(guarantee, truth: np.ndarray) -> int:
    hidden = ~guarantee.row_classes.labelled
    return int((guarantee.labels[hidden] != truth[hidden]).sum())


@pytest.mark.quick(1)
@pytest.mark.parametrize("anytime", [True, 0.2, False])
def test_deleted_errors_make_no_bound_false(anytime: bool | float) -> None:
    false = {"counted": 0, "ignored": 0}
    for seed in range(8):
        truth, cluster, drawn = population(seed)
        rows, skipped = without(drawn, truth[drawn] != cluster[drawn])
        counted = answer(truth, cluster, rows, skipped=skipped, anytime=anytime)
        ignored = answer(truth, cluster, rows, anytime=anytime)
        assert counted.skipped == skipped[-1] > 0
        assert counted.n == ignored.n == N - len(rows)
        assert counted.bound >= skipped[-1]
        false["counted"] += errors_of(counted, truth) > counted.bound
        false["ignored"] += errors_of(ignored, truth) > ignored.bound
        assert counted.if_right is not None
        assert counted.if_right <= counted.bound_rate
    assert false == {"counted": 0, "ignored": 8}


@pytest.mark.parametrize("anytime", [True, False])
def test_no_bound_is_below_the_one_that_all_labels_give(anytime: bool) -> None:
    """For one cluster, whose class does not depend on the labels that are missing."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        truth = (rng.random(N) < 0.2).astype(int)
        drawn = sample(N, M, random_state=rng)
        gone = (truth[drawn] == 1) & (rng.random(M) < 0.6)
        gone[-1] = False
        rows, skipped = without(drawn, gone)
        one = np.zeros(N, dtype=int)
        stated = answer(truth, one, rows, skipped=skipped, anytime=anytime)
        full = answer(truth, one, drawn, anytime=anytime)
        assert stated.bound >= full.bound + int(truth[drawn[gone]].sum())


def test_nothing_skipped_changes_nothing() -> None:
    truth, cluster, rows = population(3)
    plain = answer(truth, cluster, rows, anytime=True)
    assert str(plain) == str(answer(truth, cluster, rows, skipped=[0] * M, anytime=True))
    assert "no label was skipped" in plain.sentence
    assert plain.if_right is None


def test_the_sentence_says_what_counts() -> None:
    truth, cluster, drawn = population(4)
    rows, skipped = without(drawn, np.isin(np.arange(M), [7, 9]))
    text = answer(truth, cluster, rows, skipped=skipped, anytime=True).sentence
    assert "2 drawn rows before the last label have no label and count as errors" in text
    assert "Labelled and right, they would give at most" in text
    assert "no label was skipped" not in text


@pytest.mark.parametrize("skipped", [[1], [0.5] * M, [2, *[1] * (M - 1)], [-1, *[0] * (M - 1)]])
def test_skipped_objects_are_validated(skipped: list[float]) -> None:
    truth, cluster, rows = population(0)
    with pytest.raises(InputError, match="skipped"):
        answer(truth, cluster, rows, skipped=skipped)


# -- the commands ----------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> Path:
    truth, cluster, rows = population(1)
    data = pd.DataFrame({"x": truth + np.arange(N) / 1000, "ticket": [f"T{i}" for i in range(N)]})
    data.to_csv(tmp_path / "data.csv", index=False)
    pd.DataFrame({"row": range(N), "k": cluster}).to_csv(tmp_path / "k.csv", index=False)
    table = table_of_draw(data.iloc[rows].reset_index(drop=True), rows, ["ticket"])
    table["label"] = np.where(truth[rows] == 1, "spam", "ham")
    table.to_csv(tmp_path / "few.csv", index=False)
    return tmp_path


def bound(folder: Path, table: pd.DataFrame | None, *options: object) -> dict:
    if table is not None:
        table.to_csv(folder / "now.csv", index=False)
    few = folder / ("few.csv" if table is None else "now.csv")
    done = sortal_command("bound", folder / "k.csv", few, "--json", *options)
    if done.returncode:
        raise InputError(done.stderr)
    return json.loads(done.stdout)


def test_bound_counts_skipped_rows_and_excuses_unreadable_ones(files: Path) -> None:
    few = pd.read_csv(files / "few.csv")
    assert bound(files, None)["skipped"] == 0
    blank = few.assign(label=few["label"].where(~few.index.isin([4, 8, 40]), ""))
    answer = bound(files, blank)
    assert answer["skipped"] == 3
    assert answer["if_right"] < answer["bound_rate"]
    assert answer["next_rows"] == few["row"][[4, 8, 40]].tolist()
    assert answer["outlook"] == []
    excused = bound(files, blank, "--unreadable", "5, 9,41")
    assert excused["skipped"] == 0
    assert "3 drawn rows cannot be read" in excused["sentence"]
    deleted = bound(files, few.drop([4, 8, 40]))
    assert (deleted["skipped"], deleted["next_rows"]) == (3, [])
    assert bound(files, few.iloc[:30])["skipped"] == 0
    with pytest.raises(InputError, match="--unreadable takes numbers"):
        bound(files, blank, "--unreadable", "five")


def test_a_number_fixed_beforehand_has_all_its_rows(files: Path) -> None:
    few = pd.read_csv(files / "few.csv")
    with pytest.raises(InputError, match="2 of the 50 drawn rows are not in"):
        bound(files, few.iloc[:48], "--once")


def test_run_verifies_the_data_and_counts_skipped_rows(files: Path) -> None:
    few = pd.read_csv(files / "few.csv").drop([4, 8])
    few.to_csv(files / "now.csv", index=False)
    options = ("--truth", files / "now.csv", "-c", "kmeans", "-k", "2", "--n-init", "1")
    done = sortal_command("run", files / "data.csv", "--drop", "ticket", *options)
    assert done.returncode == 0, done.stderr
    assert "48 drawn rows are unchanged in the data" in " ".join(done.stderr.split())
    assert "2 drawn rows before the last label have no label" in " ".join(done.stdout.split())
    data = pd.read_csv(files / "data.csv")
    data.loc[few["row"][0], "x"] = 7.5
    data.to_csv(files / "data.csv", index=False)
    done = sortal_command("run", files / "data.csv", "--drop", "ticket", *options)
    assert done.returncode != 0
    assert "1 of 48 drawn rows were changed" in " ".join(done.stderr.split())
