"""Informativeness from a sample of test objects, against the exact leave-one-out."""

from __future__ import annotations

import numpy as np
import pytest

from sortal.distances import neighbor_lists, neighbors, neighbors_of_some
from sortal.labelings import as_labelings
from sortal.measures.clarity import assess, sampled
from sortal.measures.passes import samples


def data(n: int = 1500, seed: int = 0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, n)
    X = 2.0 * rng.normal(size=(5, 3))[truth] + rng.normal(size=(n, 3))
    half = np.where(rng.random(n) < 0.3, rng.integers(0, 5, n), truth)
    noisy = np.where(rng.random(n) < 0.6, -1, truth)
    return X, {"truth": truth, "half": half, "noisy": noisy}


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "cityblock", "precomputed"])
def test_neighbours_of_some_are_theirs_among_all(metric, monkeypatch):
    monkeypatch.setattr(neighbors, "SCAN_ROWS", 300)
    monkeypatch.setattr(neighbors, "TILE_ROWS", 70)
    X, _ = data(700)
    X = np.round(X, 1)  # ties
    if metric == "precomputed":
        X = np.abs(X[:, None] - X).sum(axis=2)
    some = np.array([5, 699, 300, 0])
    expected = neighbor_lists(X, 8, metric=metric).indices[some]
    np.testing.assert_array_equal(neighbors_of_some(X, some, 8, metric=metric), expected)


@pytest.mark.parametrize("spare", [0, 15])
def test_a_sample_of_everything_is_exact(monkeypatch, spare):
    monkeypatch.setattr(samples, "FIRST_OBJECTS", 10**9)
    monkeypatch.setattr(sampled, "SPARE_NEIGHBORS", spare)  # with none, lists are searched again
    X, labelings = data(400)
    batch = as_labelings(labelings, noise="drop")
    rng = np.random.default_rng(0)
    values, errors, reasons, drawn = sampled.estimate_informativeness(
        X, batch, precision=0.1, metric="euclidean", rng=rng
    )
    exact = assess(X, labelings, noise="drop").values()
    np.testing.assert_allclose(values, exact, rtol=1e-12)
    assert (errors == 0).all()
    assert drawn == 400
    assert not reasons


def test_the_interval_covers_and_is_as_narrow_as_asked():
    X, labelings = data()
    exact = assess(X, labelings, noise="drop").values()
    inside, spread, told = [], [], []
    for seed in range(20):
        values, errors, _, drawn = sampled.estimate_informativeness(
            X, as_labelings(labelings, noise="drop"), precision=0.03, metric="euclidean",
            rng=np.random.default_rng(seed),
        )  # fmt: skip
        assert (errors <= 0.03).all()
        assert drawn < len(X)
        inside.append(np.abs(values - exact) <= 1.96 * errors)
        spread.append(values - exact)
        told.append(errors)
    assert np.mean(inside) > 0.9
    actual = np.sqrt(np.mean(np.square(spread), axis=0))
    np.testing.assert_allclose(np.mean(told, axis=0), actual, rtol=0.35)


def test_a_tiny_cluster_is_always_in_the_sample():
    X, _ = data()
    tiny = np.zeros(1500, dtype=int)
    tiny[:12] = 1
    X[:12] += 40  # apart, so that all twelve are recognised
    values, errors, _, _ = sampled.estimate_informativeness(
        X, as_labelings({"tiny": tiny}), precision=0.05, metric="euclidean",
        rng=np.random.default_rng(0),
    )  # fmt: skip
    assert values[0] == 1
    assert errors[0] > 0
