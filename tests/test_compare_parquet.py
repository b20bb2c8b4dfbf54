"""Two columns of a Parquet file, counted batch by batch, as if read at once."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sortal
from command_line import sortal_command
from sortal.cli import _label_files
from sortal.datasets import reading_sizes

RNG = np.random.default_rng(0)
TRUE, PRED = RNG.integers(-1, 4, 1000), RNG.integers(0, 6, 1000)
FORMS: dict[str, Any] = {
    "whole": lambda labels: labels,
    "texts": lambda labels: [f" c{label} " if label >= 0 else "-1" for label in labels],
    "floats": lambda labels: labels.astype(np.float64),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("noise", ["drop", "cluster", "singletons", "error"])
def test_counted_columns_are_those_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, noise: str
) -> None:
    table = pa.table({"x": PRED, "a": FORMS[form](TRUE), "b": FORMS[form](PRED)})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=300)
    arguments = ("compare", tmp_path / "t.parquet", "--columns", "a,b", "--noise", noise, "--json")
    monkeypatch.setattr(reading_sizes, "batch_rows", 64)
    monkeypatch.setattr(_label_files, "_TABLES_AT_ONCE", 3)
    counted = sortal_command(*arguments)
    with monkeypatch.context() as patched:
        patched.setattr(sys.modules["sortal.cli.compare"], "count_pairs", lambda *_: None)
        whole = sortal_command(*arguments)
    assert counted.returncode == whole.returncode == (2 if noise == "error" else 0)
    if noise == "error":
        assert "-1" in counted.stderr
        return
    found, expected = json.loads(counted.stdout), json.loads(whole.stdout)
    for record, other in zip(found.pop("measures"), expected.pop("measures"), strict=True):
        value = record.pop("values")["a"]["b"]
        assert value == pytest.approx(other.pop("values")["a"]["b"], nan_ok=True)
        assert record == other
    assert sorted(found.pop("notes")) == sorted(expected.pop("notes"))
    for view in ("by_cluster", "by_class"):
        rows, others = found.pop(view), expected.pop(view)
        key = view.removeprefix("by_")
        assert len(rows) == len(others)
        if noise == "singletons":  # outliers are numbered in the order of the rows
            continue
        by_name = {row[key]: row for row in others}
        assert all(row == pytest.approx(by_name[row[key]]) for row in rows)
    for facts in (found, expected):
        for labeling in facts["labelings"].values():
            labeling["coverage"] = pytest.approx(labeling["coverage"])
    assert found["objects"] == expected["objects"]
    assert list(found["labelings"]) == list(expected["labelings"])
    for name, facts in found["labelings"].items():
        assert facts["clusters"] == expected["labelings"][name]["clusters"]


def test_missing_labels_are_counted(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, None, 2], "b": [1, 2, 2]}), tmp_path / "t.parquet")
    done = sortal_command("compare", tmp_path / "t.parquet", "--columns", "a,b")
    assert done.returncode == 2
    assert "'a' has no label in 1 of 3 objects" in done.stderr
    pq.write_table(pa.table({"a": [1, 1, 2], "b": [1, 2, 2]}), tmp_path / "t.parquet")
    done = sortal_command("compare", tmp_path / "t.parquet", "--columns", "a,c")
    assert done.returncode == 2
    assert "'c'" in done.stderr


def test_two_files_and_two_columns_of_a_folder_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_sizes, "batch_rows", 64)
    pq.write_table(pa.table({"a": TRUE}), tmp_path / "a.parquet", row_group_size=300)
    pq.write_table(pa.table({"b": PRED}), tmp_path / "b.parquet", row_group_size=170)
    (tmp_path / "both").mkdir()
    for i, rows in enumerate((slice(0, 400), slice(400, 1000))):
        pq.write_table(
            pa.table({"a": TRUE[rows], "b": PRED[rows]}), tmp_path / "both" / f"{i}.parquet"
        )
    options = ("--noise", "cluster", "--json")
    two = sortal_command("compare", tmp_path / "a.parquet", tmp_path / "b.parquet", *options)
    one = sortal_command("compare", tmp_path / "both", "--columns", "a,b", *options)
    assert two.returncode == one.returncode == 0, (two.stderr, one.stderr)
    first, second = json.loads(two.stdout), json.loads(one.stdout)
    assert first["measures"] == second["measures"]
    expected = sortal.adjusted_rand_index(TRUE, PRED, noise="cluster")
    values = {record["key"]: record["values"] for record in first["measures"]}
    assert values["adjusted_rand_index"]["a"]["b"] == pytest.approx(expected)
