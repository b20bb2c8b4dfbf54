"""Estimates from pairs are covered by their intervals; more clusters than accumulators hold."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import silhouette_score

import sortal

RANKS = ["aucc", "baker_hubert_gamma"]
SUMS = ["average_within_cluster_scatter", "between_within_ratio", "c_index", "point_biserial_index"]


@pytest.mark.parametrize("keys", [RANKS, SUMS], ids=["ranks", "sums"])
def test_intervals_from_pairs_cover_the_exact_value(keys):
    X, labels = make_blobs(1200, 3, centers=4, cluster_std=3.0, random_state=3)
    exact = sortal.evaluate(X, labels, measures=keys).table.to_numpy()
    hits = np.zeros(exact.shape)
    for seed in range(8):
        scores = sortal.evaluate(X, labels, measures=keys, precision=0.02, random_state=seed)
        errors = scores.standard_errors.to_numpy()
        assert (errors > 0).all()
        assert scores.sample_size["pairs"] < 1200 * 1199 / 2
        hits += np.abs(scores.table.to_numpy() - exact) <= 1.96 * errors
    # 95 % of 8 is 7.6; below 5 has probability 0.0004
    assert hits.min() >= 5


def test_thousands_of_clusters_are_judged_like_a_few():
    X = np.random.default_rng(0).normal(size=(2400, 2))
    labels = np.arange(2400) % 2200
    scores = sortal.evaluate(X, {"many": labels, "few": labels % 3}, measures=["silhouette"])
    assert scores["silhouette"]["many"] == pytest.approx(silhouette_score(X, labels), rel=1e-9)
    assert scores["silhouette"]["few"] == pytest.approx(silhouette_score(X, labels % 3), rel=1e-9)
