"""Measures from sums per cluster that SQL adds up, against the same from the rows."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import pytest

import karat
from karat.runtime.validation import InputError

FEATURES = ["a", "b", "c"]


def table_of(n: int = 400, far: float = 0.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3)) * [1, 5, 0.1] + far
    frame = pd.DataFrame(X, columns=FEATURES)
    frame["fine"] = rng.integers(0, 7, n)
    frame["named"] = rng.choice(["it's", "x y", "z"], n)
    frame["alone"] = np.arange(n) == 3  # a cluster of one object
    return frame


def sums_of(frame, clusterings, around=None):
    points = duckdb.from_df(frame)  # noqa: F841  (found by name)
    first = duckdb.sql(karat.moments_sql("points", FEATURES, clusterings, around=around)).df()
    second = duckdb.sql(karat.moments_sql("points", FEATURES, clusterings, around=first)).df()
    return first, second


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_the_second_statement_gives_what_the_rows_give(metric):
    frame = table_of(far=1e5)
    clusterings = ["fine", "named", "alone"]
    sums = sums_of(frame, clusterings)[1]
    again = sums_of(frame, clusterings, around=sums)[1]
    found = karat.evaluate_from_moments(again, metric=metric)
    exact = karat.evaluate(frame[FEATURES], frame[clusterings], measures=list(found), metric=metric)
    assert {"calinski_harabasz_index", "davies_bouldin_index", "pbm_index", "xie_beni_index",
            "simplified_silhouette", "squared_euclidean_silhouette"} <= set(found)  # fmt: skip
    assert ("mcclain_rao_index" in found) == ("silhouette" in found) == (metric != "euclidean")
    pd.testing.assert_frame_equal(found.table, exact.table, rtol=1e-9)


def test_the_first_statement_gives_what_needs_no_distances():
    frame = table_of()
    found = karat.evaluate_from_moments(sums_of(frame, ["fine"])[0])
    exact = karat.evaluate(frame[FEATURES], frame[["fine"]], measures=list(found))
    assert "calinski_harabasz_index" in found
    assert "davies_bouldin_index" not in found
    pd.testing.assert_frame_equal(found.table, exact.table, rtol=1e-10)
    with pytest.raises(InputError, match="second statement"):
        karat.evaluate_from_moments(sums_of(frame, ["fine"])[0], measures=["davies_bouldin_index"])


def test_parts_of_a_table_add_up():
    frame = table_of()
    whole = sums_of(frame, ["fine"])[0]
    parts = [sums_of(part, ["fine"])[0] for part in (frame[:150], frame[150:])]
    found = karat.evaluate_from_moments(pd.concat(parts))
    expected = karat.evaluate_from_moments(whole)
    pd.testing.assert_frame_equal(found.table, expected.table, rtol=1e-12)


@pytest.mark.parametrize("noise", ["drop", "cluster"])
def test_outliers_are_what_is_said(noise):
    frame = table_of()
    frame.loc[:40, "fine"] = -1
    first, second = sums_of(frame, ["fine"])
    with pytest.raises(InputError, match="41 of 400"):
        karat.evaluate_from_moments(first)
    for sums in (first, second):
        found = karat.evaluate_from_moments(sums, noise=noise)
        exact = karat.evaluate(frame[FEATURES], frame[["fine"]], measures=list(found), noise=noise)
        pd.testing.assert_frame_equal(found.table, exact.table, rtol=1e-9)
        assert "simplified_silhouette" not in found or noise == "drop"
        assert found.coverage.item() == exact.coverage.item()


def test_what_is_no_function_of_sums_says_so():
    sums = sums_of(table_of(), ["fine"])[1]
    with pytest.raises(InputError, match="dunn_index is no function of the clusters' sums"):
        karat.evaluate_from_moments(sums, measures=["dunn_index"])
    with pytest.raises(InputError, match="lack the column square_1"):
        karat.evaluate_from_moments(sums.drop(columns="square_1"))
    with pytest.raises(InputError, match="plain name"):
        karat.moments_sql("points", ["a b"], ["fine"])
    with pytest.raises(InputError, match="no label"):
        karat.evaluate_from_moments(sums.assign(cluster=None))


def test_the_text_has_nothing_that_one_engine_alone_reads():
    frame = table_of()
    first, _ = sums_of(frame, ["fine"])
    for text in (
        karat.moments_sql("points", FEATURES, ["fine", "named"]),
        karat.moments_sql("points", FEATURES, ["fine"], around=first),
    ):
        # Spark reads "x" as text, :: not at all, and 0.5 as a decimal number
        assert '"' not in text
        assert "::" not in text
        assert not __import__("re").search(r"\d\.\d+(?![\de])", text)
