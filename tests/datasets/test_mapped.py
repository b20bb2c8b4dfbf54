"""Data that are mapped from files give what data in memory give; the threshold is lowered here."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sortal
from sortal.datasets import from_array, read
from sortal.runtime import resources


@pytest.fixture
def low(monkeypatch):
    monkeypatch.setattr(resources, "LARGE", 1000)
    monkeypatch.setattr(resources, "BLOCK_VALUES", 64)


def numbers(n: int = 300, d: int = 4, seed: int = 0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * [1, 1e-3, 1e4, 1] + [0, 5, 1e6, 0]


def is_mapped(X) -> bool:
    while X is not None:
        if isinstance(X, np.memmap):
            return True
        X = getattr(X, "base", None)
    return False


def twice(monkeypatch, make):
    """What ``make()`` gives of data in memory and of mapped data."""
    plain = make()
    monkeypatch.setattr(resources, "LARGE", 1000)
    monkeypatch.setattr(resources, "BLOCK_VALUES", 64)
    return plain, make()


@pytest.mark.parametrize("how", ["float64", "float32"])
def test_arrays_are_mapped(tmp_path, low, how):
    X = numbers().astype(how)
    np.save(tmp_path / "X.npy", X)
    data = read(tmp_path / "X.npy")
    assert is_mapped(data.X)
    np.testing.assert_array_equal(data.X, X)
    data.X[:] = 0  # whoever writes to it does not write to the file
    np.testing.assert_array_equal(np.load(tmp_path / "X.npy"), X)


@pytest.mark.parametrize("how", ["int32", ">f8", "fortran"])
def test_arrays_of_another_layout_are_read(tmp_path, low, how):
    X = np.asfortranarray(numbers()) if how == "fortran" else numbers().astype(how)
    np.save(tmp_path / "X.npy", X)
    np.testing.assert_array_equal(read(tmp_path / "X.npy").X, X.astype(float))


def test_estimates_of_mapped_data_are_those_of_memory(tmp_path, monkeypatch):
    from sortal.measures.passes import pairs

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 3000)
    X = 3.0 * np.eye(4)[truth] + rng.normal(size=(3000, 4))
    np.save(tmp_path / "X.npy", X)
    mine = {"mine": truth, "other": rng.integers(0, 3, 3000)}
    results = twice(
        monkeypatch,
        lambda: sortal.evaluate(read(tmp_path / "X.npy").X, mine, precision=0.02).table,
    )
    monkeypatch.setattr(pairs, "SAMPLE_BLOCK_ROWS", 500)
    third = sortal.evaluate(read(tmp_path / "X.npy").X, mine, precision=0.02).table
    pd.testing.assert_frame_equal(*results, rtol=1e-9)
    pd.testing.assert_frame_equal(results[0], third, rtol=1e-9)


def test_a_study_of_mapped_data_is_that_of_memory(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 400)
    np.save(tmp_path / "X.npy", 9.0 * np.eye(3)[truth] + rng.normal(size=(400, 3)))

    workers = iter([1, 2])  # other processes read the mapped file

    def make():
        study = sortal.Study(read(tmp_path / "X.npy"))
        clusterers = ["kmeans", "ward", "average"]
        study.sweep(clusterers, k=[2, 3], n_init=1, workers=next(workers))
        return study.scores().drop(columns="seconds")

    pd.testing.assert_frame_equal(*twice(monkeypatch, make), rtol=1e-9)


def test_numbered_objects_need_no_names():
    assert from_array([[0.0], [1.0], [3.0]]).ids.tolist() == [0, 1, 2]


def test_labels_are_written_as_parquet(tmp_path):
    from typer.testing import CliRunner

    from sortal.cli import app

    rng = np.random.default_rng(0)
    np.save(
        tmp_path / "X.npy", np.concatenate([rng.normal(size=(30, 2)), 9 + rng.normal(size=(30, 2))])
    )
    out = tmp_path / "labels.parquet"
    arguments = ["run", str(tmp_path / "X.npy"), "-c", "kmeans", "-k", "2:3", "--n-init", "1",
                 "--labels", str(out), "--by", "silhouette", "--quiet"]  # fmt: skip
    assert CliRunner().invoke(app, arguments).exit_code == 0
    table = pd.read_parquet(out)
    assert tuple(table.columns[:3]) == ("row", "id", "cluster")
    assert table["cluster"].nunique() == 2
