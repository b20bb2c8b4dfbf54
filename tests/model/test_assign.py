"""``sortal assign``, and the rows that ``sortal run`` writes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sortal
from command_line import sortal_command
from sortal.datasets import ASSIGNED, from_table, read, read_labelings
from sortal.model import Model, load_model


def customers(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    segment = rng.integers(0, 3, n)
    return pd.DataFrame({
        "id": [f"c{seed}-{i}" for i in range(n)],
        "income": np.array([2e4, 5e4, 9e4])[segment] + rng.normal(0, 2e3, n),
        "age": np.array([20, 45, 70])[segment] + rng.normal(0, 2, n),
        "plan": np.array(["monthly", "yearly", "none yet"])[segment],
    })  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    folder = Path(tmp_path_factory.mktemp("assign"))
    table = customers(90)
    table.to_csv(folder / "old.csv", index=False)
    Model.of(from_table(table, id_column="id"), table["plan"]).save(folder / "m.sortal-model")
    new = customers(150, 1)
    new[["plan", "age", "income", "id"]].to_csv(folder / "new.csv", index=False)
    new.to_parquet(folder / "new.parquet")
    return folder


def run(folder: Path, *arguments: Any) -> Any:
    done = sortal_command(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.quick(3)
@pytest.mark.parametrize("source", ["new.csv", "new.parquet"])
@pytest.mark.parametrize("out", ["o.csv", "o.parquet", "o.xlsx", "o.tsv"])
def test_rows_get_their_clusters(folder: Path, source: str, out: str) -> None:
    out = f"{source}-{out}"
    result = run(folder, "assign", source, "--model", "m.sortal-model", "-o", out)
    assert "150  rows in all" in result.stdout
    path = folder / out
    readers = {
        ".csv": pd.read_csv, ".parquet": pd.read_parquet,
        ".xlsx": lambda p: pd.read_excel(p, engine="calamine"),
        ".tsv": lambda p: pd.read_csv(p, sep="\t"),
    }  # fmt: skip
    written = readers[path.suffix](path)  # type: ignore[operator]
    new = customers(150, 1)
    assert written["name"].tolist() == new["plan"].tolist()
    assert written["id"].tolist() == new["id"].tolist()
    expected = load_model(folder / "m.sortal-model").predict(new)
    np.testing.assert_allclose(written["confidence"], expected.confidence)
    np.testing.assert_allclose(written["distance"], expected.distances)
    np.testing.assert_allclose(written["income"].astype(float), new["income"])


def test_blocks_are_as_one_call(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(folder, "assign", "new.parquet", "--model", "m.sortal-model", "-o", "whole.csv")
    monkeypatch.setattr(row_blocks_module(), "ROWS_PER_BLOCK", 7)
    run(folder, "assign", "new.parquet", "--model", "m.sortal-model", "-o", "parts.csv")
    assert (folder / "parts.csv").read_text() == (folder / "whole.csv").read_text()


def row_blocks_module() -> Any:
    from importlib import import_module

    return import_module("sortal.datasets.row_blocks")


def test_text_is_read_in_blocks(tmp_path: Path) -> None:
    table = customers(40_000)
    table.to_csv(tmp_path / "big.csv.gz", index=False)
    blocks = list(row_blocks_module().row_blocks(tmp_path / "big.csv.gz"))
    assert len(blocks) > 1
    assert sum(block.cells.num_rows for block in blocks) == 40_000
    assert blocks[-1].cells.column("id")[-1].as_py() == "c0-39999"


def test_decimal_commas(tmp_path: Path, folder: Path) -> None:
    new = customers(20, 2)
    new.to_csv(tmp_path / "n.csv", index=False, sep=";", decimal=",")
    run(tmp_path, "assign", "n.csv", "--model", folder / "m.sortal-model", "-o", "o.csv")
    assert pd.read_csv(tmp_path / "o.csv")["name"].tolist() == new["plan"].tolist()


def test_points_between_thousands_beside_decimal_commas(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    amounts = np.where(np.arange(60) % 2, 950.125, 9400.0) + rng.integers(0, 40, 60)
    cells = [f"{x:,.0f}" if x > 1000 else f"{x:.3f}" for x in amounts]
    swapped = [cell.translate(str.maketrans(",.", ".,")) for cell in cells]
    rows = [f"{cell};{i % 7},25" for i, cell in enumerate(swapped)]
    (tmp_path / "n.csv").write_text("\n".join(["amount;other", *rows]) + "\n")
    few = ("-k", "2", "-c", "kmeans", "--n-init", "1", "--no-stability", "--quiet")
    run(tmp_path, "run", "n.csv", *few, "--labels", "l.csv", "--save-model", "m.sortal-model")
    run(tmp_path, "assign", "n.csv", "--model", "m.sortal-model", "-o", "o.csv")
    labels, assigned = (pd.read_csv(tmp_path / name)["cluster"] for name in ("l.csv", "o.csv"))
    assert (labels[1:] != labels[0]).sum() == 30
    assert assigned.tolist() == labels.tolist()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("old.csv", "--model", "none", "-o", "x.csv"), "there is no file 'none'"),
        (("old.csv", "--model", "old.csv", "-o", "x.csv"), "not a sortal model"),
        (("old.csv", "--model", "m.sortal-model", "-o", "x.doc"), "ends in none of .csv"),
        (("old.csv", "--model", "m.sortal-model", "-o", "old.csv"), "an input is never replaced"),
        (("short.csv", "--model", "m.sortal-model", "-o", "x.csv"), "'income'"),
        (("none.csv", "--model", "m.sortal-model", "-o", "x.csv"), "no rows"),
        (("iris", "--model", "m.sortal-model", "-o", "x.csv"), "'sepal_length_cm'"),
    ],
)
def test_errors_leave_nothing(folder: Path, arguments: Any, said: str) -> None:
    customers(5).drop(columns="income").to_csv(folder / "short.csv", index=False)
    customers(0).to_csv(folder / "none.csv", index=False)
    done = sortal_command("assign", *arguments, cwd=folder)
    assert done.returncode in (2, 3)
    assert said in done.stderr
    assert not list(folder.glob("x.*")) + list(folder.glob(".*part"))


def test_rows_that_fail_half_way_leave_nothing(folder: Path) -> None:
    rows = customers(25_000, 3).astype({"income": str})
    rows["income"] = np.where(np.arange(25_000) == 24_000, "1\n2", rows["income"])
    rows.to_csv(folder / "broken.csv", index=False)
    with (folder / "broken.csv").open("a") as file:
        file.write('"never closed, 1, 2\n')
    done = sortal_command("assign", "broken.csv", "--model", "m.sortal-model", "-o", "b.csv",
                         cwd=folder)  # fmt: skip
    if done.returncode:
        assert not (folder / "b.csv").exists()
        assert not list(folder.glob(".*part"))


@pytest.mark.posix
@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_killed_run_leaves_no_half_of_a_file(tmp_path: Path, folder: Path, number: int) -> None:
    customers(200_000, 4).to_csv(tmp_path / "big.csv", index=False)
    command = [sys.executable, "-m", "sortal", "assign", "big.csv", "--model",
               str(folder / "m.sortal-model"), "-o", "out.csv"]  # fmt: skip
    process = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.DEVNULL,
        # a shell's background job ignores interrupts, and so would its children
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    while process.poll() is None and not any(p.stat().st_size for p in tmp_path.glob(".*part")):
        time.sleep(0.05)
    os.kill(process.pid, number)
    process.wait()
    assert not (tmp_path / "out.csv").exists()
    if number == signal.SIGINT:
        assert not list(tmp_path.glob(".*part"))


# -- sortal run -----------------------------------------------------------------------------------

QUICK = ["-c", "kmeans", "-k", "2:4", "--n-init", "1", "--workers", "1", "--no-stability",
         "--quiet"]  # fmt: skip


def test_run_writes_rows_and_a_model(folder: Path) -> None:
    run(folder, "run", "old.csv", *QUICK, "--labels", "l.csv", "--save-model", "r.sortal-model",
        "--storage", "s.sortal")  # fmt: skip
    rows = pd.read_csv(folder / "l.csv")
    assert tuple(rows.columns[: len(ASSIGNED)]) == ASSIGNED
    table = customers(90)
    assert sortal.adjusted_rand_index(table["plan"], rows["cluster"]) == 1
    np.testing.assert_allclose(rows["income"], table["income"])
    assert rows["id (data)"].tolist() == table["id"].tolist()
    assert rows["confidence"].between(0, 1).all()
    assert not rows["unlike"].any()
    assert list(read_labelings(folder / "l.csv")) == ["cluster"]
    for model in ("r.sortal-model", "s.sortal"):
        run(folder, "assign", "old.csv", "--model", model, "-o", f"{model}.csv")
        again = pd.read_csv(folder / f"{model}.csv")
        assert again["cluster"].tolist() == rows["cluster"].tolist()
    *quick, quiet = QUICK
    against = ["run", "new.csv", *quick, "--against", "r.sortal-model"]
    assert run(folder, *against, quiet).stdout.count("\n") == 1
    output = run(folder, *against).stdout
    assert "Against r.sortal-model:" in output
    assert output.count("came back") == 3
    assert "do not differ" in output


def test_documents(tmp_path: Path) -> None:
    topics = [["dog", "cat", "bark", "fur"], ["star", "moon", "orbit", "sky"]]
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(topics[i % 2], 6)) for i in range(40)]
    pd.DataFrame({"body": texts}).to_csv(tmp_path / "t.csv", index=False)
    dataset = read(tmp_path / "t.csv", text_column="body")
    Model.of(dataset, np.arange(40) % 2).save(tmp_path / "m")
    new = pd.DataFrame({"n": [1, 2], "body": ["the moon in orbit", "cats and dogs"]})
    new.to_csv(tmp_path / "new.csv", index=False)
    run(tmp_path, "assign", "new.csv", "--model", "m", "-o", "o.csv")
    assert pd.read_csv(tmp_path / "o.csv")["cluster"].tolist() == [1, 0]


def test_clusters_are_called_as_in_the_answer() -> None:
    study = sortal.Study(from_table(customers(90), id_column="id"))
    study.sweep("ward", k=[3], workers=1, progress=False)
    described = [cluster.name for cluster in study.describe("ward k=3")]
    answer = study.best(stability=False)
    assert answer.model.names == tuple(described)
    assert set(answer.assignment.table["name"]) == set(described)
    study.name_clusters({0: "light"}, by="Ann")
    assert study.best(stability=False).model.names == ("light", *described[1:])
    study.name_clusters({0: "light", 1: "light"}, by="Ann")
    assert study.best(stability=False).model.names[:2] == ("light (0)", "light (1)")


def test_numbers_that_somebody_gave_are_kept() -> None:
    table = customers(90)
    study = sortal.Study(from_table(table, id_column="id"))
    study.add({"mine": table["plan"].map({"monthly": 7, "yearly": 3, "none yet": 5}).to_numpy()})
    assert sorted(study.best(stability=False).model.names) == ["3", "5", "7"]
