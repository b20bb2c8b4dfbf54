"""Other readings of tables 6.1, 6.2 and 6.4."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import sortal_lab
from sortal_lab import whissell2012_chapter6_readings as readings
from sortal_lab import whissell2012_chapter6_samples as samples
from sortal_lab.whissell2012_sets import make_whissell2012


def test_a_pair_within_counts_twice_in_the_sum() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 2))
    labels = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    pairs = list(itertools.combinations(range(9), 2))
    distances = [float(np.linalg.norm(X[i] - X[j])) for i, j in pairs]
    within = [d for d, (i, j) in zip(distances, pairs, strict=True) if labels[i] == labels[j]]
    least, most = (
        sum(sorted(distances, reverse=reverse)[: len(within)]) for reverse in (False, True)
    )
    [value] = readings.twice_in_the_sum(X, {"one": labels})
    assert value == pytest.approx((2 * sum(within) - least) / (most - least))


def test_scatter_is_the_variance_and_distances_are_squared() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 3))
    labels = np.array([0, 0, 0, 2, 2, 2, 2, 5])
    clusters = [X[labels == cluster] for cluster in (0, 2, 5)]
    # half the mean squared distance of two objects of a cluster; none in a cluster of one
    scatter = [
        np.mean([((a - b) ** 2).sum() / 2 for a, b in itertools.combinations(rows, 2)])
        if len(rows) > 1
        else 0.0
        for rows in clusters
    ]
    ratios = [
        max(
            (scatter[i] + scatter[j]) / ((clusters[i].mean(0) - clusters[j].mean(0)) ** 2).sum()
            for j in range(3)
            if j != i
        )
        for i in range(3)
    ]
    [value] = readings.of_squared_distances(X, {"one": labels})
    assert value == pytest.approx(np.mean(ratios))


def test_a_tenth_of_the_noise() -> None:
    X, _ = make_whissell2012("ELONGATED", random_state=0)
    less = readings.with_less_noise(X)
    off = [
        float((points[:, 1] - np.tile(np.linspace(-0.5, 0.5, 300), 3)).std())
        for points in (X, less)
    ]
    assert off[0] == pytest.approx(10 * off[1])
    assert 0.008 < off[0] < 0.012


def test_rows_name_the_figures_of_the_tables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(samples, "K", range(2, 4))
    for reading in (readings.TWICE, readings.SQUARED):
        monkeypatch.setitem(readings.SETS, reading, ("ELONGATED", "IRIS"))
    name = "whissell2012-chapter6-readings"
    found = sortal_lab.run(name, samples=2, storage=tmp_path / "kept.db")
    table = found.table.set_index(["figure", "reading"])
    assert len(table) == 2 * (5 + 1 + 1) + 1 + 1
    assert table.loc["C-Index, IRIS", "pairs twice"]["published"] == -0.238
    assert table.loc["Davies–Bouldin, IRIS", "squared distances"]["published"] == 0.401
    silhouette = table.loc["Silhouette, ELONGATED", "less noise"]
    assert silhouette["published"] == 0.599
    assert silhouette["low"] < silhouette["ours"] < silhouette["high"]
    chosen = table.loc["ELONGATED C-Index", "pairs twice"]
    assert chosen["published"] == "11+: 50"
    assert 0 < chosen["p"] <= 1
    again = sortal_lab.run(name, samples=2, storage=tmp_path / "kept.db")
    assert again.table.equals(found.table)
