"""Several rows per object: recognized, and made one row each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import faulty_kinds
from command_line import sortal_command
from sortal import InputError
from sortal.datasets import from_table, object_blocks, read


def visits(n: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = [
        {
            "customer": f"c{i}", "date": f"2024-0{j + 1}-11", "amount": float(i + 10 * j),
            "plan": "plus" if j else "basic", "sex": "fm"[i % 2], "extra": rng.normal(),
        }
        for i in range(n)
        for j in range(2 + i % 2)
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("kind", "key", "option"),
    [
        ("long_format", "long-format", {"pivot": "variable:value"}),
        ("three_visits", "repeated-ids", {"one_row_per": "customer"}),
        ("meters", "series", {"series": True}),
    ],
)
def test_rows_that_are_no_objects_stop(kind, key, option, tmp_path):
    faulty = faulty_kinds.plant(kind, 1, tmp_path)
    (finding,) = [finding for finding in read(faulty.path).findings if finding.stops]
    assert (finding.key, finding.option) == (key, option)
    data = read(faulty.path, **option)
    assert not any(finding.stops for finding in data.findings)
    assert data.n_objects == (60 if kind == "meters" else len(faulty.classes))
    done = sortal_command("check", faulty.path)
    assert done.returncode == 4
    flag = next(iter(option)).replace("_", "-")
    assert f"--{flag}" in done.stdout


def test_one_row_per_customer_has_means_last_values_shares_and_counts(tmp_path):
    table = visits().sample(frac=1, random_state=3)
    table.to_csv(tmp_path / "x.csv", index=False)
    data = read(tmp_path / "x.csv", one_row_per="customer", scale="none")
    assert set(data.feature_names) == {
        "count", "amount (mean)", "amount (last)", "plan=basic (share)", "sex=f", "sex=m",
        "extra (mean)", "extra (last)",
    }  # fmt: skip
    of = {name: dict(zip(data.ids, data.X[:, j], strict=True)) for j, name in
          enumerate(data.feature_names)}  # fmt: skip
    assert of["amount (mean)"]["c3"] == pytest.approx(13)
    assert of["amount (last)"]["c3"] == pytest.approx(23)
    assert of["plan=basic (share)"]["c3"] == pytest.approx(1 / 3)
    assert of["count"]["c4"] == 2
    assert data.rows is not None
    assert [table["customer"].iloc[row] for row in data.rows] == data.ids.tolist()


def test_labels_of_the_rows_follow_the_objects(tmp_path):
    table = visits()
    y = [f"k{int(name[1:]) % 3}" for name in table["customer"]]
    table.assign(kind=y).to_csv(tmp_path / "x.csv", index=False)
    data = read(tmp_path / "x.csv", one_row_per="customer", label_column="kind")
    assert [f"k{int(name[1:]) % 3}" for name in data.ids] == data.y.tolist()


def test_series_of_different_lengths_are_resampled(tmp_path):
    rows = [(f"m{i}", t, np.sin(t / (20 + i))) for i in range(6) for t in range(100 + i)]
    pd.DataFrame(rows, columns=["meter", "time", "kW"]).to_csv(tmp_path / "x.csv", index=False)
    data = read(tmp_path / "x.csv", series=True)
    assert data.X.shape == (6, 48)
    assert data.ids.tolist() == [f"m{i}" for i in range(6)]


def test_foreign_keys_and_ordinary_tables_do_not_stop():
    rng = np.random.default_rng(0)
    orders = pd.DataFrame({
        "order_id": np.arange(300), "customer": rng.integers(0, 90, 300).astype(str),
        "amount": rng.normal(size=300), "size": rng.normal(size=300),
    })  # fmt: skip
    crossed = pd.DataFrame({
        "block": np.repeat(np.arange(6), 4), "treatment": list("abcd") * 6,
        "yield": rng.normal(size=24),
    })  # fmt: skip
    days = pd.DataFrame({
        "date": pd.date_range("2024-01-01", periods=200).astype(str),
        "shop": rng.choice(["a", "b"], 200), "sold": rng.normal(size=200),
    })  # fmt: skip
    for table in (orders, crossed, days):
        assert not [finding.key for finding in from_table(table).findings if finding.stops]


def test_wrong_options_say_what_there_is(tmp_path):
    visits().to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(InputError, match="VARIABLE:VALUE"):
        read(tmp_path / "x.csv", pivot="plan")
    with pytest.raises(InputError, match="choose one"):
        read(tmp_path / "x.csv", pivot="plan:amount", series=True)
    with pytest.raises(InputError, match="custom"):
        read(tmp_path / "x.csv", one_row_per="custom")


@pytest.mark.parametrize(
    ("kind", "options", "n_clusters"),
    [
        ("long_format", ("--pivot", "variable:value"), 3),
        ("three_visits", ("--one-row-per", "customer"), 3),
        ("meters", ("--series",), 3),
    ],
)
def test_a_model_of_reshaped_rows_takes_raw_rows(kind, options, n_clusters, tmp_path):
    path = faulty_kinds.plant(kind, 2, tmp_path).path
    model, labels, again = tmp_path / "m.sortal-model", tmp_path / "l.csv", tmp_path / "a.csv"
    done = sortal_command(
        "run", path, *options, "-k", str(n_clusters), "-c", "kmeans", "--n-init", "1", "--quiet",
        "--no-stability", "--save-model", model, "--labels", labels,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    written = pd.read_csv(labels)
    raw = pd.read_csv(path)
    assert written["id"].tolist() == list(dict.fromkeys(raw.iloc[:, 0]))
    assert set(written.columns) & set(raw.columns) == set()
    done = sortal_command("assign", path, "--model", model, "-o", again, "--quiet")
    assert done.returncode == 0, done.stderr
    assigned = pd.read_csv(again)
    assert assigned.iloc[:, -1].tolist() == written["id"].tolist()
    assert assigned["cluster"].tolist() == written["cluster"].tolist()
    done = sortal_command("assign", labels, "--model", model, "-o", again, "--force")
    assert done.returncode == 2
    assert "column" in done.stderr


def test_a_model_of_aggregated_rows_takes_fewer_categories_and_rows(tmp_path):
    table = visits(80)
    table.to_csv(tmp_path / "x.csv", index=False)
    data = read(tmp_path / "x.csv", one_row_per="customer")
    few = table[(table["plan"] == "basic") & (table["sex"] == "f")].head(9)
    few.assign(plan="other").to_csv(tmp_path / "few.csv", index=False)
    (block,) = object_blocks(tmp_path / "few.csv", data.preparation)
    X = data.preparation.apply(block.features).X
    assert X.shape == (few["customer"].nunique(), data.n_features)
    assert block.features.column("plan=basic (share)").to_pylist() == [0.0] * len(X)
    (block,) = object_blocks(tmp_path / "x.csv", data.preparation)
    np.testing.assert_allclose(data.preparation.apply(block.features).X, data.X)


def test_series_at_other_times_than_those_of_the_model_are_rejected(tmp_path):
    path = faulty_kinds.plant("meters", 2, tmp_path).path
    preparation = read(path, series=True).preparation
    table = pd.read_csv(path)
    table[table["time"] < "2024-01-01 12"].to_csv(tmp_path / "half.csv", index=False)
    with pytest.raises(InputError, match="12 times, but those of the model 24"):
        list(object_blocks(tmp_path / "half.csv", preparation))
    assert preparation.from_parts(*preparation.to_parts()).reshaping == preparation.reshaping
