"""Clusterings with very many clusters: other ways through the pairs, the same values."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

import sortal
from sortal import InputError
from sortal.labelings import as_labelings
from sortal.measures import catalogue
from sortal.measures.internal.nearest import centroid_pairs
from sortal.measures.passes import STATISTICS, pairs
from sortal.measures.passes.pairs import sampled_silhouettes
from sortal.runtime.executors import Workers

OF_PAIRS = [
    key
    for key, measure in catalogue.items()
    if measure.needs and measure.takes == "distances" and "concordance" not in measure.needs
]


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3)) + 4 * rng.normal(size=(30, 3))[np.arange(400) % 30]
    many = rng.integers(0, 90, 400)
    many[:90], many[100:108] = range(90), -1
    return X, {"many": many, "few": np.arange(400) % 4, "more": rng.permutation(400) // 5}


@pytest.mark.parametrize("weighted", [False, True])
def test_some_clusters_at_a_time_give_the_same(data, weighted, monkeypatch):
    X, labelings = data
    chosen = [
        key
        for key in OF_PAIRS
        if not weighted
        or {STATISTICS[need][0] for need in catalogue[key].needs} <= {"pairs", "centroids"}
    ]
    options = {"measures": chosen, "noise": "drop"}
    if weighted:
        options["sample_weight"] = np.random.default_rng(0).integers(1, 4, len(X))
    together = sortal.evaluate(X, labelings, **options)
    monkeypatch.setattr(pairs, "MANY_CLUSTERS", 50)
    monkeypatch.setattr(pairs, "CLUSTERS_AT_ONCE", 7)
    apart = sortal.evaluate(X, labelings, **options)
    assert together.table.notna().to_numpy().all()
    assert_allclose(apart.table, together.table, rtol=1e-12)


def test_values_of_objects_and_of_a_sample_are_the_same(data, monkeypatch):
    X, labelings = data
    batch = as_labelings(labelings, noise="drop")
    sample = np.random.default_rng(1).permutation(400)[:150]
    exact = np.stack([sortal.silhouette_samples(X, row, noise="drop") for row in batch.codes])
    monkeypatch.setattr(pairs, "MANY_CLUSTERS", 50)
    monkeypatch.setattr(pairs, "CLUSTERS_AT_ONCE", 7)
    apart = np.stack([sortal.silhouette_samples(X, row, noise="drop") for row in batch.codes])
    assert_allclose(apart, exact, rtol=1e-12)
    of_sample = sampled_silhouettes(X, "euclidean", batch, sample, Workers())
    assert_allclose(of_sample, exact[:, sample], rtol=1e-12)


@pytest.mark.parametrize(("k", "d"), [(2, 1), (31, 3), (300, 2), (520, 9)])
def test_distances_of_centroids(k, d):
    rng = np.random.default_rng(k)
    C, spreads = rng.normal(size=(k, d)), rng.random(k)
    D, of_centroids = cdist(C, C), centroid_pairs(C, spreads)
    assert_allclose(of_centroids.sums, D.sum(axis=1))
    assert_allclose(of_centroids.farthest, D.max())
    np.fill_diagonal(D, np.inf)
    assert_allclose(of_centroids.nearest, D.min())
    assert_allclose(of_centroids.worst, ((spreads[:, None] + spreads) / D).max(axis=1))


def test_matrices_of_clusters_that_do_not_fit_are_rejected(monkeypatch):
    monkeypatch.setattr("sortal.runtime.resources.available_memory", lambda: 10_000)
    X, labels = np.arange(40.0)[:, None], np.arange(40) // 2
    with pytest.raises(InputError, match=r"20 clusters needs about 32 kB.*merge clusters"):
        sortal.dunn_index(X, labels, separation="average")
    with pytest.raises(MemoryError, match="S_Dbw of 20 clusters"):
        sortal.s_dbw_index(X, labels)
