"""Parts of scorers, and shuffled tables with one row or column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin

import sortal
from sortal.measures import scorer as scorers
from sortal.measures.external import chance

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


class Predicting(Fitted):
    """A fit that predicts, too."""

    def predict(self, X: Any) -> Any:
        return self.again[: len(X)]


def labels(estimator: Any, rows: Any = X) -> Any:
    return sortal.scorer("silhouette")._labels(estimator, rows).tolist()


def test_labels_are_those_of_the_fit_where_it_was_to_these_objects() -> None:
    other = np.arange(6) % 2
    same = HALVES.tolist()
    # fits at random cannot be repeated
    assert labels(Fitted(other, random_state=None)) == same
    assert labels(Fitted(HALVES)) == same
    assert labels(Predicting(HALVES)) == same
    assert labels(Predicting(other)) == other.tolist()
    assert labels(Predicting(other), X[:4]) == other[:4].tolist()
    with pytest.raises(
        scorers.CrossValidationError, match="was fitted to objects other than the judged ones"
    ):
        labels(Fitted(other))
    with pytest.raises(
        scorers.CrossValidationError, match="was fitted to 6 objects and is judged on 4 others"
    ):
        labels(Fitted(other), X[:4])


def test_objects_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr(scorers, "_labels_again", lambda *_: calls.append(1) or HALVES)
    scorer = sortal.scorer("silhouette")
    for rows in (X, X, X + 1, X + 1):
        scorer._labels(Fitted(), rows)
    assert len(calls) == 2


@pytest.mark.parametrize(("a", "b"), [([0] * 6, HALVES), (HALVES, [0] * 6), ([0] * 6, [0] * 6)])
def test_a_table_of_one_row_stays_as_it_is(a: Any, b: Any) -> None:
    table = sortal.ContingencyTable(a, b)
    (shuffled,) = chance._shuffled(table, 1, 0)
    assert shuffled.row_sums.tolist() == table.row_sums.tolist()
    assert shuffled.column_sums.tolist() == table.column_sums.tolist()
    assert shuffled.n == 6
