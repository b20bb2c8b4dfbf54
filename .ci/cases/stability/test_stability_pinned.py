"""What resampling gives for small groups, so that no value, sentence or branch changes unseen."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pinning import Pins
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.neighbors import KNeighborsClassifier

import sortal.stability as st
from sortal.clusterers import catalogue
from sortal.stability import (
    _agreement,
    assessment,
    calibrated,
    clusterwise,
    consensus,
    curves,
    engine,
    method,
    number,
    progress,
    result,
)


class Signs(ClusterMixin, BaseEstimator):
    """Two clusters by the sign of the first feature; its largest value is an outlier."""

    def __init__(self, n_clusters: int = 2, random_state: int = 0) -> None:
        self.n_clusters, self.random_state = n_clusters, random_state

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        labels = (X[:, 0] > np.median(X[:, 0])).astype(int)
        labels[np.argmax(X[:, 0])] = -1
        return labels


class Drift(Signs):
    """Another seed moves the limit."""

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        return (X[:, 0] > np.quantile(X[:, 0], 0.2 + self.random_state % 5 / 10)).astype(int)


def gap_asked() -> Any:
    """What the estimators by the gap statistic ask for, and what one of their fits gives."""
    asked: list[Any] = []

    def gap_statistic(X: Any, run: Any, **options: Any) -> Any:
        asked.append((options, np.bincount(run(X, 3, 5)).tolist()))
        return Some(first_k=options["k"][-1])

    data = np.arange(12.0)[:, None] ** 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sortal.measures.internal.gap.gap_statistic", gap_statistic)
        for name in ("gap", "gap-pca"):
            asked.append(number.ESTIMATORS[name][0](data, "ward", [1, 2, 4], 7))
    return asked


@cache
def names() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = rng.normal(size=(30, 3)) + 5.0 * np.eye(3)[y]
    D = np.abs(X[:, None] - X).sum(axis=2)
    table = pd.DataFrame({"size": [9, 8, 7], "jaccard": [0.9, 0.75, 0.4], "standard_error": [0.01] * 3,
                          "recovered": [1.0, 0.6, 0.1], "dissolved": [0.0, 0.1, 0.7]}, index=list("abc"))  # fmt: skip
    clusters = result.ClusterStability(
        table, y[:24], np.linspace(0, 1, 24), 20, np.array([3, 3, 4])
    )
    curve = result.StabilityCurve("It", pd.DataFrame({"value": [0.9, 0.95], "null": [0.5, 0.6], "ratio": [0.2, 0.125]}, index=[2, 3]),
                                  {2: np.ones(2), 3: np.ones(2)}, True, 3, "the rule", 24)  # fmt: skip
    whole = assessment.Assessment(
        "ward", curve, clusters, 3.0, np.arange(24) * 2, np.arange(3), np.eye(3), 5
    )
    return {
        "gap_asked": gap_asked, "halves2": np.random.default_rng(4).normal(size=(80, 2)) + np.arange(80)[:, None] % 2 * 50.0, "progress": progress,
        **{module.__name__.rpartition(".")[2].lstrip("_"): module for module in (
            _agreement, assessment, calibrated, clusterwise, consensus, curves, engine, method, number,
            result, sys.modules["sortal.stability.subsampling"])},
        "st": st, "np": np, "pd": pd, "sparse": sparse, "Some": Some, "replace": replace, "X": X, "y": y, "D": D, "W": whole, "clusters": clusters, "curve": curve,
        "Signs": Signs(), "Drift": Drift(), "near": KNeighborsClassifier(1), "catalogue": catalogue, "S": sparse.csr_array(np.maximum(X, 0)), "rng": np.random.default_rng,
        "c": lambda text: np.array([int(x) if x != "-" else -1 for x in text], dtype=np.int32), "cloud": rng.normal(size=(40, 2)),
        "E": lambda X_=X, clusterer="ward", **options: engine.prepare(X_, clusterer, **options), "P": pd.DataFrame, "six": np.concatenate([X, X + 90]),
    }  # fmt: skip


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
