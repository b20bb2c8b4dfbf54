"""Disks that are full and folders that cannot be written: a clear error, nothing destroyed."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import karat
from karat.runtime.validation import InputError, StorageError


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 256 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs Linux and the right to mount")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_disk_that_fills_up_during_a_sweep(small_disk):
    X = np.random.default_rng(0).normal(size=(3000, 2))
    path = small_disk / "s.karat"
    with karat.Study(X, storage=path) as study, pytest.raises(StorageError, match="no space"):
        study.sweep("kmeans", k=range(2, 60), n_init=3, workers=1)
    with karat.Study(X, storage=path) as study:
        kept = study.candidates
        assert len(kept) > 5
        reference = karat.Study(X)
        reference.sweep("kmeans", k=range(2, 4), n_init=3, workers=1)
        for name in reference.candidates.index.intersection(kept.index):
            np.testing.assert_array_equal(study.labels(name), reference.labels(name))


def test_a_disk_too_full_for_the_report(small_disk):
    study = karat.Study(np.repeat([0.0, 5.0, 9.0], 8)[:, None] + np.arange(24)[:, None] / 100)
    study.sweep("average", k=[2, 3], workers=1)
    (small_disk / "filler").write_bytes(b"x" * 200_000)
    with pytest.raises(InputError, match=r"r\.html"):
        karat.write_report(study, small_disk / "r.html")
    assert [p.name for p in small_disk.iterdir()] == ["filler"]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is a folder that nobody can write")
def test_a_folder_that_cannot_be_written(tmp_path):
    X = np.arange(12.0)[:, None]
    with pytest.raises(StorageError, match="cannot be written"):
        karat.Study(X, storage="/proc/s.karat")
    study = karat.Study(X)
    study.sweep("average", k=[2, 3], workers=1)
    with pytest.raises(InputError, match=r"r\.html"):
        karat.write_report(study, "/proc/r.html")


def test_a_full_disk_on_the_command_line(small_disk):
    X = np.random.default_rng(0).normal(size=(3000, 2))
    pd.DataFrame(X).to_csv(small_disk.parent / "x.csv", index=False)
    result = subprocess.run(
        [sys.executable, "-m", "karat", "run", "../x.csv", "-c", "kmeans", "-k", "2:60",
         "--workers", "1", "--storage", "s.karat"],
        cwd=small_disk, capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == 3, result.stderr
    assert "karat: no space is left to write s.karat" in result.stderr
