"""Labelings in files, compared on the command line."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import karat
from karat.cli import app

COMPARE = {
    "lone columns": ["t.csv", "p.csv"],
    "a file as gold standard": ["p.csv", "--truth", "t.csv"],
    "two columns": ["both.csv", "--columns", "t,p"],
    "a column as gold standard": ["both.csv", "--truth", "t"],
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
    table["t"].to_csv("t.csv", index=False)
    np.save("t.npy", table["t"])
    table["p"].to_csv("p.csv", index=False)
    for name in ("both.csv", "both.csv.bz2"):
        table.to_csv(name, index=False)
    table.astype({"p": "category"}).to_parquet("both.parquet")
    table["id"] = np.arange(200) + 5
    table[["id", "t"]].sample(frac=0.9, random_state=0).to_csv("t-id.csv", index=False)
    table[["id", "p"]].sample(frac=0.9, random_state=1).to_parquet("p-id.parquet", index=False)
    return table


def compared(given):
    done = CliRunner().invoke(app, ["compare", *given, "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    return json.loads(done.stdout)


@pytest.mark.parametrize("way", COMPARE)
def test_every_way_gives_the_same_values(files, way):
    answer = compared(COMPARE[way])
    gold = answer["truth"]
    (other,) = set(answer["labelings"]) - {gold}
    found = {m["key"]: m["values"][gold][other] for m in answer["measures"]}
    if way == "joined":
        in_t = set(pd.read_csv("t-id.csv")["id"])
        files = files[files["id"].isin(in_t & set(pd.read_parquet("p-id.parquet")["id"]))]
        assert set(answer["left_out"].values()) - {0}
    want = karat.adjusted_rand_index(files["t"], files["p"].str.strip())
    assert answer["objects"] == len(files)
    assert found["adjusted_rand_index"] == pytest.approx(want, abs=1e-12)
    assert sum(row["size"] for row in answer["by_cluster"]) == len(files)


@pytest.mark.usefixtures("files")
def test_what_cannot_be_compared_is_rejected():
    pd.DataFrame({"t": [0, None, 1], "p": list("aab")}).to_parquet("gap.parquet")
    pd.DataFrame({"id": [1, 1, 2], "t": [0, 1, 1]}).to_csv("twice.csv", index=False)
    for given, told in (
        (["gap.parquet"], "'t' has no label in 1 of 3"),
        (["twice.csv", "p-id.parquet", "--id-column", "id"], "id 1 occurs 2 times"),
        (["both.csv", "--columns", "t,q"], "no column, or file is called 'q'"),
        (["t.csv"], "there is one labeling"),
        (["t.csv", "p-id.parquet"], "not all files do so"),
    ):
        done = CliRunner().invoke(app, ["compare", *given])
        assert told in str(done.exception), done.exception
