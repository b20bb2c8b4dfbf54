"""What was done to the data is done to further objects in the same way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortal import InputError
from sortal.datasets import from_array, from_table, read


def shop(n: int = 60, *, gaps: bool = True) -> pd.DataFrame:
    """Numbers, categories, codes, dates, flags, and cells that are missing."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({
        "customer": [f"c{i}" for i in range(n)],
        "income": np.where(rng.random(n) < 0.5, 2e4, 6e4) + rng.normal(0, 3e3, n),
        "plan": rng.choice(["monthly", "yearly", "none yet"], n),
        "region_code": rng.choice([101, 205, 309], n),
        "since": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        "paid": [f"{value:.2f} €".replace(".", ",") for value in rng.uniform(1, 90, n)],
        "active": rng.random(n) < 0.5,
        "age": rng.integers(18, 80, n).astype(float),
    })  # fmt: skip
    if gaps:
        table.loc[[3, 9, 20], "age"] = np.nan
        table.loc[[5, 6], "plan"] = None
    return table


def round_trip(preparation: Any) -> Any:
    facts, arrays = preparation.to_parts()
    return preparation.from_parts(json.loads(json.dumps(facts)), arrays)


@pytest.mark.parametrize("impute", [None, "median"])
def test_the_same_rows_become_the_same_features(impute: str | None) -> None:
    table = shop()
    dataset = from_table(table, impute=impute)  # type: ignore[arg-type]
    assert dataset.plan is not None
    assert {column.kind for column in dataset.plan.columns if column.use == "feature"} >= {
        "number", "category", "code", "date",
    }  # fmt: skip
    preparation = round_trip(dataset.preparation)  # type: ignore[arg-type]
    mixed = table[sorted(table.columns, reverse=True)]
    prepared = preparation.apply(mixed)
    np.testing.assert_allclose(prepared.X, dataset.X, rtol=0, atol=1e-12)
    assert (prepared.filled > 0).sum() == 5
    row = preparation.apply(mixed.iloc[[9]])
    np.testing.assert_allclose(row.X, dataset.X[[9]], rtol=0, atol=1e-12)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_read_again_is_the_same(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"shop.{ending}"
    table = shop()
    table.to_csv(path, index=False) if ending == "csv" else table.to_parquet(path)
    dataset = read(path)
    text = table.astype({"region_code": float}).map(lambda v: None if pd.isna(v) else str(v))
    prepared = round_trip(dataset.preparation).apply(text)  # type: ignore[arg-type]
    np.testing.assert_allclose(prepared.X, dataset.X, rtol=0, atol=1e-12)


def test_columns_are_matched_by_name() -> None:
    preparation = from_table(shop()).preparation
    assert preparation is not None
    with pytest.raises(InputError, match=r"'income'.*near to it: 'incomes'"):
        preparation.apply(shop().rename(columns={"income": "incomes"}))
    with pytest.raises(InputError, match="'income', 'age'"):
        preparation.apply(shop().drop(columns=["income", "age"]))
    prepared = preparation.apply(shop().assign(weather="fine"))
    assert any("'weather'" in note for note in prepared.notes)
    assert not any("customer" in note for note in prepared.notes)


def test_categories_that_the_data_did_not_have() -> None:
    dataset = from_table(shop(gaps=False))
    assert dataset.preparation is not None
    table = shop(gaps=False)
    table.loc[0, "plan"] = "weekly"
    prepared = dataset.preparation.apply(table)
    of_plan = [j for j, name in enumerate(dataset.feature_names) if name.startswith("plan=")]
    assert (prepared.X[0, of_plan] == 0).all()  # type: ignore[call-overload, index]
    np.testing.assert_allclose(prepared.X[1:], dataset.X[1:], atol=1e-12)  # type: ignore[index]
    assert any("'weekly'" in note for note in prepared.notes)


def test_numbers_are_read_as_they_were() -> None:
    table = pd.DataFrame({"price": ["1,5", "2,25", "3,125", "9,75"] * 5, "n": range(20)})
    preparation = from_table(table, scale="none").preparation
    assert preparation is not None
    # alone, 3,125 would be three thousand
    prepared = preparation.apply(pd.DataFrame({"price": ["3,125"], "n": [1]}))
    assert prepared.X[0, 0] == 3.125  # type: ignore[index]


def test_a_missing_value_where_there_was_none() -> None:
    dataset = from_table(shop(gaps=False))
    assert dataset.preparation is not None
    with pytest.raises(InputError, match="missing"):
        dataset.preparation.apply(shop())


def test_arrays_are_taken_by_position() -> None:
    X = np.random.default_rng(0).normal(size=(20, 3)) * [1, 10, 100]
    dataset = from_array(X, scale="standard")
    preparation = round_trip(dataset.preparation)  # type: ignore[arg-type]
    np.testing.assert_allclose(preparation.apply(X).X, dataset.X, atol=1e-12)
    with pytest.raises(InputError, match="2 features, but the data have 3"):
        preparation.apply(X[:, :2])


def test_a_frame_of_numbers_is_matched_by_name() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=list("abc"))
    dataset = from_array(frame)
    assert dataset.feature_names == ("a", "b", "c")
    assert dataset.preparation is not None
    np.testing.assert_array_equal(dataset.preparation.apply(frame[["c", "a", "b"]]).X, dataset.X)


def test_texts(tmp_path: Path) -> None:
    texts = ["Dogs bark.", "The dog barks!", "Stars shine", "A star, shining"] * 3
    path = tmp_path / "t.csv"
    pd.DataFrame({"body": texts, "n": range(12)}).to_csv(path, index=False)
    dataset = read(path, text_column="body")
    preparation = round_trip(dataset.preparation)  # type: ignore[arg-type]
    for given_texts in (texts, pd.DataFrame({"body": texts})):
        prepared = preparation.apply(given_texts)
        assert abs(prepared.X - dataset.X).max() == 0
    with pytest.raises(InputError, match="'body'"):
        preparation.apply(pd.DataFrame({"text": texts}))


@given(st.data())
def test_parts_of_a_table_are_prepared_as_the_whole(data: st.DataObject) -> None:
    table = shop()
    dataset = from_table(table)
    rows = data.draw(st.lists(st.integers(0, len(table) - 1), min_size=1, unique=True))
    assert dataset.preparation is not None
    prepared = dataset.preparation.apply(table.iloc[rows])
    np.testing.assert_allclose(prepared.X, dataset.X[rows], atol=1e-12)  # type: ignore[index]
