"""Parts of the evidence by their definitions, and a judge's file that would run code."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kurtosis

from sortal import InputError
from sortal.judge import load_judge
from sortal.judge.evidence import DATA_NAMES, _k_means, data_evidence, look_at
from sortal.judge.judgements import PACKAGED


class Unpickled:
    """Writes to a file when it is read from a pickle."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_k_means_begins_at_the_means_of_a_partition():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 20)
    Z = 5.0 * np.eye(3)[truth] + rng.normal(size=(60, 3))
    nearly = truth.copy()
    nearly[[0, 25, 50]] = [1, 2, 0]
    np.testing.assert_array_equal(_k_means(Z, nearly.astype(np.int32)), truth)


def test_evidence_of_the_data_by_its_definition():
    rng = np.random.default_rng(1)
    X = rng.standard_t(4, size=(120, 5)) * [3, 3, 2, 2, 1]
    view = look_at(X)
    said = dict(zip(DATA_NAMES, data_evidence(X, view), strict=True))
    U, s, _ = np.linalg.svd(view.Z - view.Z.mean(axis=0), full_matrices=False)
    assert said["first components"] == pytest.approx((s[:2] ** 2).sum() / (s**2).sum())
    axes = U[:, s**2 > 0.02 * (s**2).sum()]
    tails = np.mean([np.clip(kurtosis(axis), -2, 20) for axis in axes.T])
    assert said["tails"] == pytest.approx(tails)
    assert tails > 0.5


def test_a_file_of_a_judge_runs_no_code(tmp_path):
    with np.load(PACKAGED) as file:
        arrays = {name: file[name] for name in file.files}
    path, written = tmp_path / "judge.npz", tmp_path / "written"
    np.savez(path, **arrays | {"columns": np.array([Unpickled(written)], dtype=object)})
    with pytest.raises(InputError, match="is not a judge"):
        load_judge(path)
    assert not written.exists()
