"""Which measures have estimates, when the samples stop growing, and what is said of them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import sortal
from sortal import InputError
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


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("dunn_index", "largest distance within.*omit precision"),
        ("ratio_cut", "sums of 1/d² within and between"),
        ("dbcv", "no function of means of bounded terms"),
    ],
)
def test_what_has_no_estimate_is_rejected_where_it_is_asked_for(key, why):
    with pytest.raises(InputError, match=f"{key} has no estimate.*{why}"):
        sortal.evaluate(X, LABELS, measures=["silhouette", key], precision=0.1)


def test_what_has_no_estimate_is_left_out_otherwise():
    scores = sortal.evaluate(X, LABELS, precision=0.1, random_state=0)
    assert "dunn_index" not in scores.table
    assert "davies_bouldin_index" in scores.table
    assert "davies_bouldin_index" not in scores.standard_errors
    assert "silhouette" in scores.standard_errors
    assert set(scores.sample_size) == {"objects", "pairs", "test objects"}


@pytest.mark.parametrize("precision", [0, 1, 2.0, -0.1, np.nan])
@pytest.mark.parametrize("key", ["silhouette", "aucc"])
def test_precision_is_between_0_and_1(key, precision):
    with pytest.raises(InputError, match="precision"):
        sortal.evaluate(X, LABELS, measures=[key], precision=precision)


def test_the_sample_grows_to_the_precision():
    Y, labels = make_blobs(6000, 8, centers=5, cluster_std=5.0, random_state=3)
    keys = ["silhouette", "aucc"]
    sizes: list[dict[str, int]] = []
    for precision in (0.05, 0.003, 0.0015, 0.0006):
        scores = sortal.evaluate(Y, labels, measures=keys, precision=precision, random_state=0)
        errors = scores.standard_errors.iloc[0]
        assert errors["aucc"] > 0
        assert (errors <= precision).all()
        sizes.append(scores.sample_size)
    assert sizes[0]["objects"] < sizes[1]["objects"] < sizes[2]["objects"] < 6000
    assert sizes[3] == {"objects": 6000, "pairs": sizes[3]["pairs"]}
    assert sizes[0]["pairs"] <= sizes[2]["pairs"] < sizes[3]["pairs"] < 6000 * 2999


def test_the_same_seed_gives_the_same_estimate():
    keys = ["silhouette", "aucc"]
    Y, labels = make_blobs(5000, 3, centers=3, cluster_std=3.0, random_state=0)
    one, same, other = (
        sortal.evaluate(Y, labels, measures=keys, precision=0.05, random_state=seed).table
        for seed in (1, 1, 2)
    )
    assert one.equals(same)
    assert (one != other).all().all()


def test_a_precision_beyond_the_pairs_that_are_held_is_rejected(monkeypatch):
    monkeypatch.setattr(samples, "MAX_PAIRS", 100_000)
    Y, labels = make_blobs(3000, 3, centers=2, cluster_std=8.0, random_state=0)
    keys = ["aucc", "g_plus_index", "silhouette"]
    scores = sortal.evaluate(Y, labels, measures=keys, precision=0.0008, random_state=0)
    assert np.isnan(scores["aucc"]).all()
    assert "100,000 pairs" in scores.reasons["0"]["aucc"]
    assert "larger precision" in scores.reasons["0"]["aucc"]
    assert np.isfinite(scores.table[["g_plus_index", "silhouette"]]).all().all()


def test_where_there_is_no_value_there_is_no_error():
    labelings = {"none": np.full(1000, -1), "alone": np.arange(1000), "two": np.arange(1000) % 2}
    keys = ["silhouette", "aucc", "baker_hubert_gamma"]
    options: dict = {"measures": keys, "noise": "drop", "precision": 0.1, "random_state": 0}
    scores = sortal.evaluate(X, labelings, **options)
    errors, reasons = scores.standard_errors, scores.reasons
    assert (errors.isna() == scores.table.isna()).all().all()
    assert set(reasons["none"]) == set(keys)
    assert set(reasons["alone"]) == set(keys[1:])
    assert "two" not in reasons
