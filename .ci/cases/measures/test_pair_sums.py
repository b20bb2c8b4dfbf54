"""Sums over pairs from samples of pairs: right on average, and with honest errors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs

import sortal
from sortal.measures import catalogue
from sortal.measures.passes import pair_sums, samples
from sortal.measures.passes.pair_sums import SUMS

KEYS = [key for key, measure in catalogue.items() if measure.needs and measure.needs <= SUMS]


@pytest.fixture(scope="module")
def data():
    X, labels = make_blobs(400, 3, centers=4, cluster_std=3.0, random_state=0)
    labels[:20], labels[20:26] = 0, -1
    exact = sortal.evaluate(X, labels, measures=KEYS, noise="drop")
    return X, labels, exact.table.iloc[0]


def estimated(X, labels, **options):
    return sortal.evaluate(X, labels, measures=KEYS, noise="drop", **options)


def test_all_pairs_give_the_exact_values(data):
    X, labels, exact = data
    scores = estimated(X, labels, precision=1e-9)
    assert_allclose(scores.table.iloc[0], exact, rtol=1e-9)
    assert (scores.standard_errors == 0).all().all()


@pytest.mark.parametrize(
    ("draws", "bias", "spread"),
    [(16, 0.8, (0.6, 1.5)), pytest.param(50, 0.45, (0.75, 1.3), marks=pytest.mark.long)],
)
def test_intervals_cover_the_exact_values_as_often_as_stated(
    data, monkeypatch, draws, bias, spread
):
    X, labels, exact = data
    monkeypatch.setattr(samples, "FIRST_PAIRS", 600)
    # without what guards against unseen pairs, so that the jackknife alone is judged
    monkeypatch.setattr(pair_sums, "RULE_OF_THREE", 0.0)
    z = []
    for seed in range(draws):
        scores = estimated(X, labels, precision=0.9, random_state=seed)
        z.append(((scores.table - exact) / scores.standard_errors).iloc[0])
    z = np.array(z)
    assert np.abs(z.mean(axis=0)).max() < bias
    assert (z.std(axis=0) > spread[0]).all()
    assert (z.std(axis=0) < spread[1]).all()
    assert (np.abs(z) < 1.96).mean() > 0.9 + draws / 2500


def test_precision_is_relative_for_sums(data, monkeypatch):
    X, labels, exact = data
    monkeypatch.setattr(samples, "FIRST_PAIRS", 500)
    scores = estimated(X, labels, precision=0.04, random_state=1)
    errors, values = scores.standard_errors.iloc[0], scores.table.iloc[0]
    assert scores.sample_size["pairs"] > 1000
    for key in KEYS:
        unit = 1.0 if np.isfinite(catalogue[key].range).all() else values[key]
        assert errors[key] <= 0.04 * unit
        assert abs(values[key] - exact[key]) < 4 * max(errors[key], 1e-12)
    multiple = estimated(1000 * X, labels, precision=0.04, random_state=1).table.iloc[0]
    assert_allclose(multiple["within_cluster_scatter"], 1000 * values["within_cluster_scatter"])


def test_an_outlier_that_is_not_drawn_is_in_the_error(data, monkeypatch):
    X, labels, _ = data
    X = X.copy()
    X[50] += 1e7
    monkeypatch.setattr(samples, "FIRST_PAIRS", 60)
    exact = sortal.evaluate(X, labels, measures=["average_between_cluster_scatter"], noise="drop")
    for seed in range(5):
        scores = sortal.evaluate(
            X, labels, measures=["average_between_cluster_scatter"], noise="drop",
            precision=0.99, random_state=seed,
        )  # fmt: skip
        error = scores.standard_errors.iloc[0, 0]
        assert abs(scores.table.iloc[0, 0] - exact.table.iloc[0, 0]) <= 4 * error


@pytest.mark.parametrize("k", [1, 400])
def test_one_kind_of_pairs(data, k):
    X, _, _ = data
    labels = np.arange(400) % k
    exact = sortal.evaluate(X, {"a": labels}, measures=KEYS)
    scores = sortal.evaluate(X, {"a": labels}, measures=KEYS, precision=0.1)
    assert scores.reasons == exact.reasons
    assert_allclose(scores.table, exact.table, rtol=0.3)
