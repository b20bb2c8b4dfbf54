"""One rule for where data lie, and readers that tell what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sortal import InputError
from sortal_lab import data
from sortal_lab.choice_tasks import read


def test_the_folder_is_that_of_the_option_else_of_the_variable_else_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(data.VARIABLE, raising=False)
    assert data.data_folder() == data.cache_folder()
    assert data.cache_folder().name == "sortal"
    monkeypatch.setenv(data.VARIABLE, str(tmp_path / "named"))
    assert data.data_folder() == tmp_path / "named"
    with data.data_in(tmp_path / "option"):
        assert data.data_folder() == tmp_path / "option"
        asked = "from sortal_lab.data import data_folder; print(data_folder())"
        told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
        assert told.stdout.strip() == str(tmp_path / "option")
    assert data.data_folder() == tmp_path / "named"
    with data.data_in(None):
        assert os.environ[data.VARIABLE] == str(tmp_path / "named")


@pytest.mark.parametrize("name", ["isolet_1560", "fcps_target", "k1a", "20newsgroups"])
def test_what_is_missing_is_named(name: str, tmp_path: Path) -> None:
    readers = {"fcps_target": data.benchmark, "k1a": data.term_counts, "20newsgroups": data.records}
    with data.data_in(tmp_path), pytest.raises(InputError) as told:
        readers.get(name, data.points)(name)
    for part in (name, str(tmp_path), *data.index()[name]["sha256"], "--data", "SORTAL_DATA"):
        assert part in str(told.value)


def test_packaged_sets_need_no_folder(tmp_path: Path) -> None:
    with data.data_in(tmp_path):
        for name, shape in (("iris", (150, 4)), ("wine", (178, 13))):
            X, classes = data.points(name)
            assert X.shape == shape
            assert len(set(classes)) == 3


def test_every_file_of_the_index_has_a_checksum_and_a_source() -> None:
    for entry in data.index().values():
        assert entry["sources"] or data.is_packaged(entry["name"])
        assert entry["licence"]
        assert entry["citation"]
        assert entry["done"]
        assert entry["path"] in entry["sha256"]
        assert all(len(digest) == 64 for digest in entry["sha256"].values())
        assert set(entry["sha256"]) == set(entry["content"]) == set(entry["bytes"])


def test_packaged_sets_are_those_of_the_collection(real_data: None) -> None:
    for name in ("iris", "wine"):
        X, classes = data.points(name)
        table = pd.read_csv(data.locate(name))
        np.testing.assert_array_equal(X, table.drop(columns="label").to_numpy(float))
        # tasks are drawn by the order of the classes
        order = np.unique(table["label"].astype(str), return_inverse=True)[1]
        np.testing.assert_array_equal(read(name)[1][0], order)
        np.testing.assert_array_equal(np.unique(classes, return_inverse=True)[1], order)
