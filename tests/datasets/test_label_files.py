"""Labels in files are counted alike in memory and by DuckDB, which is not needed."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import karat
from karat.cli import app
from karat.datasets import contingency_of_file, label_files
from karat.runtime.validation import InputError

COMPARE = {
    "lone columns": ["t.csv", "p.csv"],
    "two columns": ["both.csv", "--columns", "t,p"],
    "compressed": ["both.csv.bz2", "--columns", "t,p"],
    "parquet": ["both.parquet", "--columns", "t,p"],
    "joined": ["t-id.csv", "p-id.parquet"],
    "arrays": ["t.npy", "p.csv"],
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    names = np.array(["a", " a", "ü", "7", "x y"])
    table = pd.DataFrame({"t": rng.integers(0, 4, 200), "p": names[rng.integers(0, 5, 200)]})
    table["t"].to_csv(tmp_path / "t.csv", index=False)
    np.save(tmp_path / "t.npy", table["t"])
    table["p"].to_csv(tmp_path / "p.csv", index=False)
    for name in ("both.csv", "both.csv.bz2"):
        table.to_csv(tmp_path / name, index=False)
    table.astype({"p": "category"}).to_parquet(tmp_path / "both.parquet")
    table["id"] = np.arange(200) + 5
    table[["id", "t"]].sample(frac=0.9, random_state=0).to_csv(tmp_path / "t-id.csv", index=False)
    table[["id", "p"]].sample(frac=0.9, random_state=1).to_parquet("p-id.parquet", index=False)
    return table


@pytest.fixture
def without_duckdb(monkeypatch):
    find = label_files.find_spec
    for module in ("karat.datasets.label_files", "karat.runtime.extras"):
        monkeypatch.setattr(f"{module}.find_spec", lambda n: None if n == "duckdb" else find(n))
    monkeypatch.setitem(sys.modules, "duckdb", None)


def compared(given):
    done = CliRunner().invoke(app, ["compare", *given, "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    return json.loads(done.stdout)


@pytest.mark.parametrize("way", COMPARE)
def test_both_ways_count_the_same(files, way, monkeypatch):
    in_memory = compared(COMPARE[way])
    calls = []
    monkeypatch.setattr(label_files, "SMALL", -1)
    monkeypatch.setattr(label_files, "_group_in_memory", lambda *given: calls.append(given))
    by_duckdb = compared(COMPARE[way])
    assert not calls
    for key in ("by_cluster", "by_class"):
        for side in (in_memory, by_duckdb):
            side[key].sort(key=str)
    assert in_memory == by_duckdb
    if way != "joined":
        table = pd.crosstab(files["t"], files["p"].str.strip())
        assert in_memory["clusters"] == table.shape[1]
        assert in_memory["objects"] == 200
    else:
        assert set(in_memory["left_out"].values()) - {0}


@pytest.mark.usefixtures("files", "without_duckdb")
def test_small_files_need_no_duckdb(monkeypatch):
    for given in COMPARE.values():
        assert compared(given)["measures"]
    table = contingency_of_file(["both.csv", "both.csv"], "t", "p")
    assert table.n == 400
    with pytest.raises(InputError, match=r"memory limit needs duckdb.*karat\[sql\]"):
        contingency_of_file("both.csv", "t", "p", memory_limit="1GB")
    monkeypatch.setattr(label_files, "SMALL", -1)
    assert contingency_of_file("both.parquet", "t", "p").n == 200
    monkeypatch.setattr("karat.runtime.resources.available_memory", lambda: 10)
    with pytest.raises(InputError, match=r"karat\[sql\]"):
        contingency_of_file("both.parquet", "t", "p")


@pytest.mark.usefixtures("files")
def test_missing_labels_and_ids_are_rejected_in_both_ways(monkeypatch):
    pd.DataFrame({"t": [0, None, 1], "p": list("aab")}).to_parquet("gap.parquet")
    pd.DataFrame({"id": [1, 1, 2], "t": [0, 1, 1]}).to_csv("twice.csv", index=False)
    for size in (label_files.SMALL, -1):
        monkeypatch.setattr(label_files, "SMALL", size)
        with pytest.raises(InputError, match="column 't' has 1 missing label"):
            karat.datasets.contingency_of_file("gap.parquet", "t", "p")
        done = CliRunner().invoke(
            app, ["compare", "twice.csv", "p-id.parquet", "--id-column", "id", "--columns", "t,p"]
        )
        assert "repeat or lack their 'id'" in str(done.exception)
