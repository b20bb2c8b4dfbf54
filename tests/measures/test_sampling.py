"""Which measures have estimates, when the samples stop growing, and what is said of them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import sortal
from sortal import InputError

X, LABELS = make_blobs(1000, 4, centers=3, cluster_std=3.0, random_state=0)


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
