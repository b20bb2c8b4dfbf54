"""WCNN, DuNN-OWA and R² against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.datasets import load_iris

import karat
import naive_internal as naive
from karat.runtime.validation import InputError, UndefinedMeasureError

X_IRIS, Y_IRIS = load_iris(return_X_y=True)
AVERAGES = ["mean", "min", "max", "const", "smin:2", "smax:2", "smin:30"]


def naive_average(owa, values):
    if owa == "const":
        return 1.0
    if owa in ("mean", "min", "max"):
        return {"mean": np.mean, "min": min, "max": max}[owa](values)
    delta = int(owa[5:])
    some = sorted(values, reverse=owa.startswith("smax"))[: 3 * delta]
    weights = [math.exp(-0.5 * ((u + 1 - 1) / delta) ** 2) for u in range(len(some))]
    return sum(w * x for w, x in zip(weights, some, strict=True)) / sum(weights)


def neighbours(D, labels, number):
    same, other = [], []
    for i in range(len(D)):
        order = sorted((j for j in range(len(D)) if j != i), key=lambda j: (D[i, j], j))
        for j in order[:number]:
            (same if labels[i] == labels[j] else other).append(D[i, j])
    return same, other


def case(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(30, 3)), np.concatenate(
        [np.repeat([0, 1, 2], 6), rng.integers(0, 3, 12)]
    )


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("seed", range(6))
def test_neighbours_within_and_between(seed, metric):
    X, labels = case(seed)
    D = naive.matrix(X, metric)
    for number in (1, 4):
        same, other = neighbours(D, labels, number)
        options = {"n_neighbors": number, "metric": metric}
        share = len(same) / (len(same) + len(other))
        assert karat.wcnn_index(X, labels, **options) == pytest.approx(share)
        for above in AVERAGES:
            for below in AVERAGES:
                expected = naive_average(above, other) / naive_average(below, same)
                found = karat.dunn_owa_index(
                    X, labels, separation=above, compactness=below, **options
                )
                assert found == pytest.approx(expected, rel=1e-9)


def test_genieclust_agrees_on_iris():
    genie = pytest.importorskip("genieclust.cluster_validity", reason="genieclust is not there")
    for number in (5, 25):
        assert karat.wcnn_index(X_IRIS, Y_IRIS, n_neighbors=number) == pytest.approx(
            genie.wcnn_index(X_IRIS, Y_IRIS, number)
        )
        for owas in (("Min", "Max"), ("SMin:5", "Max"), ("Mean", "Mean"), ("SMin:5", "SMax:5")):
            above, below = (owa.lower() for owa in owas)
            found = karat.dunn_owa_index(
                X_IRIS, Y_IRIS, n_neighbors=number, separation=above, compactness=below
            )
            assert found == pytest.approx(genie.dunnowa_index(X_IRIS, Y_IRIS, number, *owas))


def test_what_has_no_value():
    X, labels = case(0)
    with pytest.raises(UndefinedMeasureError, match="a cluster has"):
        karat.wcnn_index(X, labels, n_neighbors=20)
    with pytest.raises(InputError, match="no average"):
        karat.dunn_owa_index(X, labels, separation="median")
    with pytest.raises(InputError, match="no average"):
        karat.dunn_owa_index(X, labels, compactness="smin:0")
    with pytest.raises(InputError, match="n_neighbors"):
        karat.dunn_owa_index(X, labels, n_neighbors=0)
    far = X + 100 * labels[:, None]
    assert karat.dunn_owa_index(far, labels) == math.inf
    assert karat.wcnn_index(far, labels) == 1
    pairs = np.repeat(np.arange(6.0), 2)[:, None]
    with pytest.raises(UndefinedMeasureError, match="own cluster"):
        karat.dunn_owa_index(pairs, np.arange(12) % 2, n_neighbors=1)


@pytest.mark.parametrize("seed", range(5))
def test_r_squared(seed):
    X, labels = case(seed)
    total = ((X - X.mean(axis=0)) ** 2).sum()
    within = sum(((X[g] - X[g].mean(axis=0)) ** 2).sum() for g in naive.clusters(labels))
    assert karat.r_squared(X, labels) == pytest.approx(1 - within / total)
    k, n = 3, len(X)
    f = karat.calinski_harabasz_index(X, labels)
    assert karat.r_squared(X, labels) == pytest.approx(f * (k - 1) / (f * (k - 1) + n - k))
