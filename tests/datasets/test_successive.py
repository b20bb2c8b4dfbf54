"""Rows that are like the next one: series are found, and tables that are sorted are none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.signal import lfilter
from sklearn.cluster import KMeans

import karat
from karat.datasets import from_array, from_table
from karat.datasets.data_checks import successive
from karat.study.wording import screen


def walk(seed, n=400, d=3):
    return np.cumsum(np.random.default_rng(seed).normal(size=(n, d)), axis=0)


def parts(X, k):
    return KMeans(k, n_init=1, random_state=0).fit_predict(X)


@pytest.mark.parametrize("k", [2, 4, 8])
@pytest.mark.parametrize("seed", range(3))
def test_random_walks_are_series_until_they_are_shuffled(seed, k):
    X = walk(seed)
    (finding,) = successive(from_array(X), parts(X, k))
    assert (finding.key, finding.stops) == ("successive", False)
    assert finding.facts["share"] >= 0.9
    order = np.random.default_rng(seed).permutation(len(X))
    assert not successive(from_array(X[order]), parts(X, k)[order])
    assert successive(from_array(X[::-1]), parts(X, k)[::-1])


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("seed", range(5))
def test_independent_rows_are_none_however_they_are_sorted(seed, k):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, 300)
    X = rng.standard_t(3, size=(300, 4)) + 5 * y[:, None]
    for order in (np.arange(300), np.argsort(y, kind="stable"), np.argsort(X[:, 0])):
        labels = parts(X, k)[order] if k != 3 else y[order]
        assert not successive(from_array(X[order]), labels)
    column = np.sort(X[:, :1], axis=0)
    assert not successive(from_array(column), parts(column, k))
    flags = (X > 0).astype(float)  # most rows have equals
    assert not successive(from_array(flags), parts(X, k))


def test_half_of_independent_rows_are_nearer_to_the_next(monkeypatch):
    monkeypatch.setattr("karat.datasets.data_checks.MIN_ALIKE", 0.0)
    X = np.random.default_rng(0).normal(size=(4000, 2))
    shares = [
        successive(from_array(data), np.arange(4000) % 2000 // 1000)[0].facts["share"]
        for data in (X, np.zeros((4000, 2)), sparse.csr_array(X))
    ]
    assert shares[0] == shares[2]
    assert shares[0] == pytest.approx(0.5, abs=0.04)
    assert shares[1] == 0.5


def test_outliers_pairs_and_few_rows_are_not_compared():
    X = walk(0)
    assert not successive(from_array(X), np.full(400, -1))
    assert not successive(from_array(X), np.arange(400) // 2)
    assert not successive(from_array(X[:50]), np.zeros(50, dtype=int))
    assert successive(from_array(X[:51]), np.zeros(51, dtype=int))
    with_outliers = np.where(np.arange(400) % 10 == 0, -1, 0)
    assert successive(from_array(X), with_outliers)


def test_the_other_row_is_of_the_cluster_and_neither_of_the_two(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "karat.datasets.data_checks._squared_distances",
        lambda A, B: seen.append((A[:, 0], B[:, 0])) or np.zeros(len(A)),
    )
    rows = np.random.default_rng(0).permutation(300).astype(float)
    labels = np.arange(300) // 3  # two are successive, so the other is the third
    successive(from_array(np.column_stack([rows, rows])), labels)
    (first, following), (_, others) = seen
    cluster = dict(zip(rows, labels, strict=True))
    assert len(first) == 200
    for one, two, other in zip(first, following, others, strict=True):
        assert len({one, two, other}) == 3
        assert cluster[one] == cluster[two] == cluster[other]


def test_the_first_line_names_the_condition(tmp_path):
    table = pd.DataFrame(walk(1, 120), columns=list("abc")).round(3)
    table.insert(0, "day", pd.date_range("2024-01-01", periods=120).astype(str))
    path = tmp_path / "prices.csv"
    table.to_csv(path, index=False)
    told = []
    for options in ({}, {"accept": "successive"}):
        study = karat.Study(karat.datasets.read(path, **options))
        study.add({"mine": parts(table[list("abc")].to_numpy(), 3)})
        told.append(study.best())
    assert [f.key for f in told[0].findings].count("successive") == 1
    assert "if the rows are independent" in screen.headline(told[0])
    assert dict(screen.lines(told[0]))["Assumed"].startswith("rows are independent, though")
    assert "successive" not in [f.key for f in told[1].findings]
    assert "independent" not in screen.headline(told[1])
    shuffled = from_table(table.sample(frac=1, random_state=0))
    assert not successive(shuffled, told[0].labels)


def test_rows_of_a_sample_are_not_next_to_each_other():
    data = from_array(walk(2))
    labels = np.zeros(400, dtype=int)
    assert successive(data, labels)
    assert not successive(replace(data, rows=np.arange(400) * 3), labels)


def test_tests_of_differences_name_the_condition():
    draws = np.random.default_rng(0).normal(size=(200, 3))
    X = lfilter([1], [1, -0.97], draws, axis=0)
    study = karat.Study(X)
    study.sweep(["kmeans"], k=[2], n_init=1, workers=1, progress=False)
    premises = study.differences().premises
    assert any("as in a series" in premise for premise in premises)
