"""Which measures have estimates, when the samples stop growing, and what is said of them."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_blobs

import sortal
from sortal.measures import catalogue
from sortal.measures.passes import samples
from sortal.measures.passes.estimates import sampled_by
from sortal.measures.passes.pair_sums import SUMS

X, LABELS = make_blobs(1000, 4, centers=3, cluster_std=3.0, random_state=0)


RANKS = {"baker_hubert_gamma", "aucc", "g_plus_index", "kendall_tau_index"}


def test_what_is_sampled_follows_from_what_is_needed():
    ways = {m.key: sampled_by(m) for m in catalogue.values() if m.kind == "internal"}
    sums = {key for key in ways if catalogue[key].needs and catalogue[key].needs <= SUMS}
    assert {key for key, way in ways.items() if way == "pairs"} == RANKS | sums
    assert {"c_index", "within_cluster_scatter", "point_biserial_index"} <= sums
    assert ways["silhouette"] == ways["informativeness"] == "objects"
    for key in ("dunn_index", "ratio_cut", "dbcv"):
        assert ways[key] == ""
    assert ways["davies_bouldin_index"] == ways["log_determinant_ratio"] == "exact"
    silhouette = catalogue["silhouette"]
    assert sampled_by(silhouette, "sqeuclidean") == "exact"
    assert sampled_by(silhouette, "sqeuclidean", sparse=True) == "objects"
    scores = sortal.evaluate(
        X, LABELS, measures=["silhouette"], metric="sqeuclidean", precision=0.1, random_state=0
    )
    assert scores.standard_errors.empty
    assert scores.table.iloc[0, 0] == sortal.squared_euclidean_silhouette(X, LABELS)


def test_a_precision_beyond_the_pairs_that_are_held_is_rejected(monkeypatch):
    monkeypatch.setattr(samples, "MAX_PAIRS", 100_000)
    Y, labels = make_blobs(3000, 3, centers=2, cluster_std=8.0, random_state=0)
    keys = ["aucc", "g_plus_index", "silhouette"]
    scores = sortal.evaluate(Y, labels, measures=keys, precision=0.0008, random_state=0)
    assert np.isnan(scores["aucc"]).all()
    assert "100,000 pairs" in scores.reasons["0"]["aucc"]
    assert "larger precision" in scores.reasons["0"]["aucc"]
    assert np.isfinite(scores.table[["g_plus_index", "silhouette"]]).all().all()
