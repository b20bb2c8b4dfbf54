"""abul2003 by name: small, on planted data in place of the real sets, resumed from its file."""

from __future__ import annotations

import numpy as np
import pytest

from sortal import InputError
from sortal_lab import EXPERIMENTS, abul2003, run


@pytest.fixture
def planted(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.2, (20, 2)) for c in ((0, 0), (4, 0), (0, 4))])

    def data(file):
        if file != "iris":
            raise InputError(f"the data set {file} is not there")
        return X, np.repeat(["a", "b", "c"], 20).astype(object)

    monkeypatch.setattr(abul2003, "points", data)
    monkeypatch.setattr(abul2003, "CLUSTERERS", {"k-means": "kmeans"})


def test_methods_find_planted_clusters_and_say_what_is_absent(planted, tmp_path, monkeypatch):
    assert "abul2003" in EXPERIMENTS
    monkeypatch.setattr(abul2003, "METHODS", (1, 3))
    path = tmp_path / "kept.sortal"
    found = run("abul2003", samples=2, storage=path)
    table = found.table.set_index("method")
    assert (table["classes"] == 3).all()
    assert table.loc[1, "at classes"] == 1
    assert table.loc[3, "at classes"] > 0.5
    assert sum(note.startswith("Skipped") for note in found.notes) == 4
    assert any("did not survive" in note for note in found.notes)
    monkeypatch.setattr(abul2003, "subsampling", None)
    assert run("abul2003", samples=2, storage=path).table.equals(found.table)
