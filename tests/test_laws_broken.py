"""Each law of measures and clusterers, broken alone, is noticed with its reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sortal import InputError, clusterers, testing
from sortal.clusterers import Clusterer
from sortal.measures import catalogue

TRUTH = np.repeat(np.arange(3), 4)


def measure(**changes: Any) -> Any:
    return replace(catalogue["adjusted_rand_index"], key="m", compute=None, **changes)


def test_values_may_leave_the_range_by_rounding_alone() -> None:
    low, high = measure().range
    for value in (low, high, low - 1e-13, high + 1e-13):
        testing._check_range(measure(), {"right": value})
    for value in (low - 1e-9, high + 1e-9, np.nan):
        with pytest.raises(AssertionError, match="for right labels is outside"):
            testing._check_range(measure(), {"right": value})
    with pytest.raises(AssertionError, match="for merged labels"):
        testing._check_range(measure(), {"right": high, "merged": high + 1})


def test_a_table_that_differs_for_one_labeling_is_noticed() -> None:
    labelings = {"right": TRUTH, "merged": np.minimum(TRUTH, 1)}
    alone = {
        name: testing._value(measure(), None, TRUTH, labels) for name, labels in labelings.items()
    }
    testing._check_batch(measure(), None, TRUTH, labelings, alone)
    for name in alone:
        with pytest.raises(AssertionError, match="judging many together"):
            testing._check_batch(
                measure(), None, TRUTH, labelings, {**alone, name: alone[name] + 1e-6}
            )


@pytest.mark.parametrize("odd", ["one cluster", "all singletons"])
def test_an_undefined_value_needs_a_reason_and_an_error(
    monkeypatch: pytest.MonkeyPatch, odd: str
) -> None:
    class Table(dict[str, Any]):
        reasons: Any = None

    def table(reason: str, value: float = np.nan) -> Any:
        import pandas as pd

        values = {"one cluster": 0.0, "all singletons": 0.0, odd: value}
        made = Table({"m": pd.Series(values)})
        made.reasons = {odd: {"m": reason}} if reason else {}
        return lambda *_: made

    def undefined(truth: Any, labels: Any) -> float:
        if (len(set(labels)) == 1) == (odd == "one cluster"):
            raise InputError("undefined")
        return 0.0

    monkeypatch.setattr(testing, "_table", table("no pairs"))
    testing._check_undefined(measure(function=undefined), None, TRUTH)
    with pytest.raises(AssertionError, match=f"for {odd}, but NaN in a table"):
        testing._check_undefined(measure(function=lambda *_: 0.0), None, TRUTH)
    monkeypatch.setattr(testing, "_table", table(""))
    with pytest.raises(AssertionError, match=f"NaN for {odd} without a reason"):
        testing._check_undefined(measure(function=undefined), None, TRUTH)
    monkeypatch.setattr(testing, "_table", table("", 0.5))
    with pytest.raises(AssertionError, match=f"{odd} differs in a table"):
        testing._check_undefined(measure(function=lambda *_: 0.0), None, TRUTH)


class Fit:
    """A fit whose labels depend on the seed and the data in a chosen way."""

    def __init__(self, labels: Any, k: float, seed: int) -> None:
        self.labels, self.k, self.seed = labels, k, seed

    def fit_predict(self, X: Any) -> Any:
        assert not X.flags.writeable or X.max() <= 1, "the input may be changed"
        return self.labels(X, self.k, self.seed)


def clusterer(labels: Any, **options: Any) -> Clusterer:
    return Clusterer(key="c", title="C", make=Maker(labels), **options)


class Maker:
    """Makes fits; it can be pickled where its function can."""

    def __init__(self, labels: Any) -> None:
        self.labels = labels

    def __call__(self, value: float, seed: int) -> Fit:
        return Fit(self.labels, value, seed)


def nearest_axis(X: Any, k: float, seed: int) -> Any:
    return X.argmax(axis=1) if X.shape[1] == 3 else (X[:, 0] > 0.5).astype(int)


def short(X: Any, k: float, seed: int) -> Any:
    return nearest_axis(X, k, seed)[:-1]


def merged(X: Any, k: float, seed: int) -> Any:
    return np.minimum(nearest_axis(X, k, seed), 1)


def other_at_1(X: Any, k: float, seed: int) -> Any:
    return nearest_axis(X, k, seed) if seed != 1 or X.shape[1] == 3 else np.arange(len(X)) % 2


def other_at_9(X: Any, k: float, seed: int) -> Any:
    return nearest_axis(X, k, seed) if seed != 9 or X.shape[1] == 3 else np.arange(len(X)) % 2


def other_at_10(X: Any, k: float, seed: int) -> Any:
    return nearest_axis(X, k, seed) if seed != 10 or X.shape[1] == 3 else np.arange(len(X)) % 2


CALLS: list[int] = []


def other_each_time(X: Any, k: float, seed: int) -> Any:
    CALLS.append(1)
    return (nearest_axis(X, k, seed) + len(CALLS) * (np.arange(len(X)) == 0)) % 3


@pytest.mark.parametrize(
    ("labels", "options", "law"),
    [
        (nearest_axis, {}, None),
        (nearest_axis, {"seeded": True}, "say seeded=False"),
        (short, {}, "59 labels for 60 objects"),
        (merged, {}, "does not find clusters far apart"),
        (other_at_1, {}, "say seeded=True"),
        (other_at_9, {}, "say seeded=True"),
        (other_at_10, {}, None),
        (other_at_1, {"seeded": True}, None),
        (other_at_9, {"seeded": True}, None),
        (other_at_10, {"seeded": True}, "say seeded=False"),
        (other_each_time, {}, "the same seed gives other labels"),
    ],
)
def test_a_broken_clusterer_is_noticed(labels: Any, options: Any, law: str | None) -> None:
    if law is None:
        testing.check_clusterer(clusterer(labels, **options))
    else:
        with pytest.raises(AssertionError, match=law):
            testing.check_clusterer(clusterer(labels, **options))


def test_a_tree_that_gives_another_number_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    ward = clusterers.catalogue["ward"]
    cut = clusterers.LinkageClustering.cut
    for wrong in (1, 60):
        monkeypatch.setattr(
            clusterers.LinkageClustering, "cut",
            lambda self, k, wrong=wrong: cut(self, 2 if k == wrong else k),
        )  # fmt: skip
        with pytest.raises(AssertionError, match="does not give k clusters"):
            testing.check_clusterer(ward)


def test_inputs_of_laws_cannot_be_written_to() -> None:
    graph = testing._graph_of(np.arange(8.0).reshape(4, 2))
    assert not any(array.flags.writeable for array in (graph.data, graph.indices, graph.indptr))
