"""Rows that are like the next one: series are found, and tables that are sorted are none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter
from sklearn.datasets import load_iris, load_wine

import sortal
from command_line import sortal_command
from sortal.datasets import from_array, from_table
from sortal.study.wording import screen


def successive(X):
    return [finding for finding in from_array(X).findings if finding.key == "successive"]


def autoregressive(seed, memory, n=400, d=3):
    draws = np.random.default_rng(seed).normal(size=(n, d))
    return lfilter([1], [1, -memory], draws, axis=0)


def walk(seed, n=400, d=3):
    return autoregressive(seed, 1.0, n, d)


@pytest.mark.parametrize("n", [60, 400, 5000])
@pytest.mark.parametrize("seed", range(3))
def test_random_walks_are_series_until_they_are_shuffled(seed, n):
    X = walk(seed, n)
    (finding,) = successive(X)
    assert (finding.key, finding.stops) == ("successive", False)
    assert finding.facts["share"] >= 0.85
    assert successive(X[::-1])
    assert not successive(np.random.default_rng(seed).permutation(X))


@pytest.mark.parametrize("seed", range(5))
def test_a_short_memory_is_no_series(seed):
    assert successive(autoregressive(seed, 0.95))
    assert not successive(autoregressive(seed, 0.5))


@pytest.mark.parametrize("k", [2, 4, 12])
@pytest.mark.parametrize("seed", range(5))
def test_independent_rows_are_none_however_they_are_sorted(seed, k):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, 300)
    X = rng.standard_t(3, size=(300, 4)) + 5 * y[:, None]
    for order in (np.arange(300), np.argsort(y, kind="stable"), np.argsort(-X[:, 0] + 5 * y)):
        assert not successive(X[order])
    assert not successive(np.sort(X[:, :1], axis=0))
    assert not successive((X > 0).astype(float))  # most rows have equals


def test_sets_that_are_sorted_by_their_classes_are_none():
    for load in (load_iris, load_wine):
        assert not successive(load().data)


def test_few_rows_and_distances_are_not_compared():
    X = walk(0)
    assert not successive(X[:59])
    assert successive(X[:60])
    assert not successive(X[:5])
    square = np.abs(X[:, :1] - X[:, 0])
    assert not sortal.datasets.from_distances(square).findings


def test_the_first_line_names_the_condition(tmp_path):
    table = pd.DataFrame(walk(1, 120), columns=list("abc")).round(3)
    table.insert(0, "day", pd.date_range("2024-01-01", periods=120).astype(str))
    path = tmp_path / "prices.csv"
    table.to_csv(path, index=False)
    groups, told = (table["a"] > table["a"].mean()).to_numpy(), []
    for options in ({}, {"accept": "successive"}):
        study = sortal.Study(sortal.datasets.read(path, **options))
        study.add({"mine": groups})
        told.append(study.best())
    assert [f.key for f in told[0].findings].count("successive") == 1
    assert "as in a series" in sortal_command("check", path).stdout
    assert "if the rows are independent" in screen.headline(told[0])
    assert dict(screen.lines(told[0]))["Assumed"].startswith("rows are independent, though")
    assert "successive" not in [f.key for f in told[1].findings]
    assert "independent" not in screen.headline(told[1])
    shuffled = table.sample(frac=1, random_state=0)
    assert "successive" not in [f.key for f in from_table(shuffled).findings]


def test_tests_of_differences_name_the_condition():
    study = sortal.Study(autoregressive(0, 0.97, 200))
    study.sweep(["kmeans"], k=[2], n_init=1, workers=1, progress=False)
    assert any("as in a series" in premise for premise in study.differences().premises)
