"""Parts of scorers, and shuffled tables with one row or column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin

import sortal

X = np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]])
HALVES = np.array([0, 0, 0, 1, 1, 1])


class Fitted(ClusterMixin, BaseEstimator):
    """A fit to these objects, which gives other labels when it is repeated."""

    def __init__(self, again: Any = None, random_state: int | None = 0) -> None:
        self.again, self.random_state = again, random_state
        self.labels_ = HALVES

    def fit(self, X: Any, y: Any = None) -> Any:
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        return self.again


def test_the_warning_of_a_missing_value_names_the_line_that_asked() -> None:
    one_cluster = Fitted(np.zeros(6, int))
    one_cluster.labels_ = np.zeros(6, int)
    with pytest.warns(UserWarning, match="the clustering has 1 cluster") as caught:
        value = sortal.scorer("silhouette")(one_cluster, X)
    assert np.isnan(value)
    assert caught[0].filename == __file__
