"""The experiment on steadiness, on one small set."""

from __future__ import annotations

import numpy as np
import pytest

from sortal_lab import run, steadiness


def test_an_answer_on_clear_groups_holds_still(monkeypatch, tmp_path) -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.1, (15, 2)) for c in range(3)])

    def quick(study):
        study.sweep(["kmeans", "ward"], k=[2, 3, 4], n_init=1)
        return study.best(stability=False)

    monkeypatch.setattr(steadiness, "_generated", lambda draws, state: {"blobs": lambda: X})
    monkeypatch.setattr(steadiness, "_shared", dict)
    monkeypatch.setattr(steadiness, "_answer", quick)
    path = tmp_path / "journal"
    table = run("steadiness", samples=1, storage=path).table.set_index("change")
    same = ["another seed", "another order", "every row twice", "a jitter", "most rows"]
    assert (table.loc[same, "median"] == 1).all()
    assert (table.loc[["another order", "every row twice"], "flips"] == 0).all()
    assert table.loc["steadiness as stated", "median"] == 1
    assert table.loc["error of a score", "median"] < 0.2
    monkeypatch.setattr(steadiness, "_answer", None)  # finished sets are kept
    assert run("steadiness", samples=1, storage=path).table.set_index("change").equals(table)


def test_lowest_tenth() -> None:
    assert steadiness._spread([0.0, *[1.0] * 9])["lowest tenth"] == pytest.approx(0.9)
