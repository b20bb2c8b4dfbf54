"""Data that are mapped from files give what data in memory give; the threshold is lowered here."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sortal
from sortal.datasets import read
from sortal.runtime import resources


@pytest.fixture
def low(monkeypatch):
    monkeypatch.setattr(resources, "LARGE", 1000)
    monkeypatch.setattr(resources, "BLOCK_VALUES", 64)


def test_data_beyond_memory_are_clustered_by_a_sample(tmp_path, monkeypatch, low):
    from sortal.study import objects, samples

    monkeypatch.setattr(samples, "MAX_FITTED", 100)
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 400)
    np.save(tmp_path / "X.npy", 9.0 * np.eye(3)[truth] + rng.normal(size=(400, 3)))
    fitted = []
    for memory in (10**9, 30_000):
        monkeypatch.setattr(objects, "total_memory", lambda memory=memory: memory)
        study = sortal.Study(read(tmp_path / "X.npy"))
        study.sweep(["kmeans"], k=[3], n_init=1, workers=1)
        fitted += study.candidates["fitted_on"].tolist()
        assert sortal.adjusted_rand_index(truth, study.labels("kmeans k=3 start=0")) == 1
    assert pd.isna(fitted[0])
    assert fitted[1] == 100
