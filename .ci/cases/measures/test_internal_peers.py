"""Criteria of scatter matrices, spread and gaps that other packages have made known."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import sortal
from sortal import InputError
from sortal.measures.passes import scatter as _scatter_pass

X_IRIS, Y_IRIS = load_iris(return_X_y=True)


OF_SCATTER = [
    "banfield_raftery_index",
    "cubic_clustering_criterion",
    "log_determinant_ratio",
    "pooled_variance",
]


OF_SPREAD = ["sd_scattering", "sd_separation", "wemmert_gancarski_index"]


OF_PAIRS = ["point_biserial_index"]


def random_case(seed, integers=False):
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(1, 5)), int(rng.integers(2, 5))
    n = k * (d + 3) + int(rng.integers(0, 12))
    X = rng.integers(0, 5, (n, d)).astype(float) if integers else rng.gamma(1.0, 1.0, (n, d))
    # d + 2 objects at least in each cluster, so that no scatter matrix is singular
    labels = np.concatenate([np.repeat(np.arange(k), d + 2), rng.integers(0, k, n - k * (d + 2))])
    return X, rng.permutation(labels)


def check(found, expected, rel=1e-9):
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, rel=rel, abs=1e-12, nan_ok=True), key


def test_blocks_of_rows_give_the_same(monkeypatch):
    X, labels = random_case(5)
    whole = sortal.evaluate(X, labels, measures=OF_SCATTER).table.iloc[0]
    monkeypatch.setattr(_scatter_pass, "SCATTER_NUMBERS", 2 * X.shape[1])
    check(sortal.evaluate(X, labels, measures=OF_SCATTER).table.iloc[0], whole, 1e-12)


def test_number_of_threads_changes_nothing(monkeypatch):
    rng = np.random.default_rng(4)
    X, labels = rng.normal(size=(900, 5)), rng.integers(0, 7, (3, 900))
    keys = [*OF_SCATTER, *OF_SPREAD, *OF_PAIRS]
    tables = []
    for cores in (1, 3):
        monkeypatch.setattr("sortal.runtime.threads.available_cores", lambda c=cores: c)
        tables.append(sortal.evaluate(X, labels, measures=keys).table.to_numpy())
    np.testing.assert_array_equal(*tables)


def test_matrices_that_do_not_fit_are_rejected(monkeypatch):
    monkeypatch.setattr("sortal.runtime.resources.available_memory", lambda: 100)
    with pytest.raises(InputError, match="scatter matrices of 4 features"):
        sortal.log_determinant_ratio(X_IRIS, Y_IRIS)
    scores = sortal.evaluate(X_IRIS, Y_IRIS, measures=["log_determinant_ratio", "silhouette"])
    assert np.isnan(scores.table.loc["0", "log_determinant_ratio"])
    assert "principal components" in scores.reasons["0"]["log_determinant_ratio"]
    assert scores.table.loc["0", "silhouette"] > 0
