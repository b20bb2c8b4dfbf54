"""Parts of the evidence by their definitions, and a judge's file that would run code."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kurtosis

from sortal import InputError
from sortal.judge import columns, gather, load_judge


class Unpickled:
    """Writes to a file when it is read from a pickle."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_evidence_of_the_data_by_its_definition():
    rng = np.random.default_rng(1)
    X = rng.standard_t(4, size=(120, 5)) * [3, 3, 2, 2, 1]
    said = columns(gather(X, (X[:, 0] > 0).astype(np.int32)[None]))
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    assert said["data first components"][0] == pytest.approx((s[:2] ** 2).sum() / (s**2).sum())
    axes = U[:, s**2 > 0.02 * (s**2).sum()]
    tails = np.mean([np.clip(kurtosis(axis), -2, 20) for axis in axes.T])
    assert said["data tails"][0] == pytest.approx(tails)
    assert tails > 0.5


def test_a_file_of_a_judge_runs_no_code(tmp_path):
    load_judge().save(tmp_path / "packaged.npz")
    with np.load(tmp_path / "packaged.npz") as file:
        arrays = {name: file[name] for name in file.files}
    path, written = tmp_path / "judge.npz", tmp_path / "written"
    np.savez(path, **arrays | {"columns": np.array([Unpickled(written)], dtype=object)})
    with pytest.raises(InputError, match="is not a judge"):
        load_judge(path)
    assert not written.exists()


def test_equal_objects_are_no_evidence():
    with pytest.raises(InputError, match="all objects are equal"):
        gather(np.ones((20, 3)), (np.arange(20) % 2).astype(np.int32)[None])
