"""The table of estimators: small, on planted data in place of the real sets."""

from __future__ import annotations

import numpy as np
import pytest

from sortal import InputError
from sortal_lab import number_of_clusters, run
from sortal_lab.number_of_clusters import wilson


@pytest.fixture
def planted(monkeypatch):
    def read(name):
        if name not in ("breast_w", "fcps_atom"):
            raise InputError(name)
        k = 2 if name == "breast_w" else 3
        rng = np.random.default_rng(k)
        X = np.concatenate([rng.normal(6 * c, 1, (25, 2)) for c in range(k)])
        return X, np.repeat(np.arange(k), 25)[None]

    monkeypatch.setattr(number_of_clusters, "read", read)
    monkeypatch.setattr(number_of_clusters, "NUMBERS", range(1, 5))


def test_every_estimator_is_in_the_table_and_answers_are_kept(planted, tmp_path, monkeypatch):
    path = tmp_path / "kept.sortal"
    found = run("number-of-clusters", samples=2, storage=path)
    table = found.table.set_index("estimator")
    assert set(table.index) == set(number_of_clusters.ESTIMATORS)
    assert (
        table.loc[["stability", "prediction-strength", "silhouette"], "right"].tolist() == [1.0] * 3
    )
    assert (table["sets"] == 2).all()
    assert any(": dermatology, fcps_chainlink" in note for note in found.notes)
    for key in number_of_clusters.ESTIMATORS:  # none is asked again
        monkeypatch.setitem(number_of_clusters.ESTIMATORS, key, (None, True))
    assert run("number-of-clusters", samples=2, storage=path).table.equals(found.table)


def test_interval_is_that_of_wilson():
    low, high = wilson(8, 10)
    assert (round(low, 3), round(high, 3)) == (0.49, 0.943)
    assert wilson(0, 10)[0] == pytest.approx(0, abs=1e-12)
