"""The figures of banerjee2004 on a small collection: cells by hand, resuming, the listing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from karat.bounds import b_max
from karat_lab import EXPERIMENTS, banerjee2004
from karat_lab.banerjee2004_collections import Collection


@pytest.fixture
def small(monkeypatch):
    made = []

    def collection(name, rng):
        made.append(name)
        draw = np.random.default_rng(0)
        truth = np.repeat([0, 1, 2], 20)
        topics = draw.dirichlet(np.full(30, 0.2), size=3)
        X = np.array([draw.multinomial(30, topics[t]) for t in truth], dtype=float)
        rows = sparse.csr_array(X / np.linalg.norm(X, axis=1, keepdims=True))
        return Collection(name, rows, sparse.csr_array(X), truth)

    monkeypatch.setattr(banerjee2004, "collection", collection)
    monkeypatch.setattr(banerjee2004, "COLLECTIONS", ("yahoo",))
    monkeypatch.setitem(banerjee2004.FIGURES, "banerjee2004-figure4", ("yahoo", "cmu-same-100"))
    monkeypatch.setattr(banerjee2004, "SPLITS", (50, 90))
    monkeypatch.setattr(banerjee2004, "DRAWS", 3)
    monkeypatch.setattr(
        banerjee2004, "CLUSTERERS", {"SPKMeans": "spherical-kmeans", "KMeans": "kmeans"}
    )
    return made


def test_best_bounds_and_resuming(small, tmp_path):
    kept = tmp_path / "kept.karat"
    first = banerjee2004.run(name="banerjee2004-figure4", samples=2, storage=kept)
    assert first.table["collection"].tolist() == ["yahoo", "yahoo", "cmu-same-100", "cmu-same-100"]
    assert (first.table["bound"] < 60).all()
    assert first.table["published"].iloc[0] == 73.84
    fitted = kept.read_bytes()
    again = banerjee2004.run(name="banerjee2004-figure4", samples=2, storage=kept)
    assert kept.read_bytes() == fitted
    assert again.table.equals(first.table)


def test_a_cell_by_hand(small):
    table = banerjee2004.run(name="banerjee2004-figure1", samples=2).table
    data = banerjee2004.collection("any", None)
    bounds = []
    for draw in range(3):
        train = np.random.default_rng([0, 50, draw]).permutation(60)[:30]
        labels = banerjee2004._fit("spherical-kmeans", data.X, 3, 0)
        wrong = sum(
            np.count_nonzero(own) - np.bincount(data.truth[train][own]).max()
            for own in (labels[train] == c for c in range(3))
            if own.any()
        )
        bounds.append(100 * b_max(30, 30, int(wrong), 0.1 / 3**3) / 30)
    row = table.query("clusterer == 'SPKMeans' and what == 'start 1, k = 3'").iloc[0]
    assert row["bound"] == pytest.approx(np.mean(bounds))


def test_six_figures_are_listed():
    assert {f"banerjee2004-figure{i}" for i in range(1, 7)} <= set(EXPERIMENTS)
