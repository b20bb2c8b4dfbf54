"""The map of measures from made-up studies whose answer is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from sortal.measures import catalogue
from sortal.measures.measure_map import load_map, rank_correlation
from sortal_lab.map_of_measures import map_of, notes_on, table_of
from sortal_lab.map_trials import (
    Corpus,
    best_cut,
    interval,
    voted,
    weights,
)
from sortal_lab.measure_values import TOO_COSTLY, MeasuredTask
from sortal_lab.rivals import MEASURES

#: one measure follows the truth, one its reverse, the others are noise of their own
RIGHT, WRONG = "silhouette", "davies_bouldin_index"


def tasks(collections=6, each=3, m=30, seed=0):
    rng = np.random.default_rng(seed)
    out = []
    for i in range(collections * each):
        truth = rng.normal(size=m)
        values = {key: rng.normal(size=m) for key in MEASURES}
        values[RIGHT] = truth + 0.2 * rng.normal(size=m)
        values[WRONG] = -truth + 0.2 * rng.normal(size=m)
        values["dunn_index"] = np.exp(values["point_wise_margin"])
        if i < collections:
            values["dbcv"] = values[RIGHT] ** 3
        group = ("shapes", "whole tables", "texts")[i % collections % 3]
        name = f"collection {i % collections}"
        out.append(MeasuredTask(f"{name}/{i}", group, name, values, truth, np.ones(m)))
    return out


@pytest.fixture(scope="module")
def found():
    return map_of(tasks(), say=lambda line: None)


def test_correlation_with_the_truth(found):
    near = found.agreement["shapes"]
    assert near["rho"].idxmax() in (RIGHT, "dbcv")
    assert near["rho"].idxmin() == WRONG
    assert near.loc[RIGHT, "low"] > 0.9
    assert near.loc[WRONG, "high"] < -0.9
    assert abs(near.loc["c_index", "rho"]) < 0.4
    assert near.loc[RIGHT, "first"] > 1.5


def test_means_over_tasks_then_collections(found):
    several = tasks()
    a, b = "c_index", "silhouette"
    by: dict[str, list[float]] = {}
    for task in several:
        value = spearmanr(task.values[a], task.values[b]).statistic
        by.setdefault(task.collection, []).append(value)
    expected = np.mean([np.mean(values) for values in by.values()])
    assert found.rho.loc[a, b] == pytest.approx(expected)


def test_same_order_is_said_and_is_one_family(found):
    assert {"dunn_index", "point_wise_margin"} <= set(found.same()[0])
    assert {"silhouette", "dbcv"} in [set(group) for group in found.same()]
    assert found.together.loc["dunn_index", "point_wise_margin"] == 1
    assert found.studies["dbcv"] == 6
    assert found.studies["silhouette"] == 18


def test_what_is_told(found):
    text = "\n".join(notes_on(found))
    assert "The same (ρ > 0.98): " in text
    assert "families of the map" in text
    table = table_of(found)
    assert set(table.index) == set(found.keys)
    assert table.loc["within_sum_of_squares", "family"] == "improves with k"


def test_excluded_collections_do_not_choose():
    """Two measures that are right on one collection alone do not help there."""
    corpus = Corpus(tasks(), [RIGHT, WRONG, "c_index"])
    near = corpus.nearness.copy()
    inside = corpus.collection == "collection 0"
    near[inside] = -9
    np.testing.assert_array_equal(
        corpus.mean(near, without="collection 0"),
        corpus.mean(corpus.nearness, without="collection 0"),
    )


def test_consensus_is_that_of_a_study():
    keys = ["silhouette", "dunn_index", "point_wise_margin", "c_index"]
    task = tasks(1, 1)[0]
    corpus = Corpus([task], keys)
    W = weights([0, 1, 1, 2])
    np.testing.assert_allclose(W, [1 / 3, 1 / 6, 1 / 6, 1 / 3])
    given = [rankdata(task.values[key]) for key in keys]
    score = (given[0] + (given[1] + given[2]) / 2 + given[3]) / 3
    assert voted(corpus, W[:, None])[0, 0] == task.truth[score.argmax()]


def test_the_best_cut_is_found():
    """Ten copies of noise outvote the right measure unless they are one family."""
    rng = np.random.default_rng(5)
    several = []
    for task in tasks(seed=3):
        noise = rng.normal(size=len(task.truth))
        copies = [key for key in MEASURES if catalogue[key].compares_k][:10]
        values = {key: noise + 0.5 * rng.normal(size=len(noise)) for key in copies}
        values |= {"c_index": task.truth, "s_dbw_index": task.truth + 1e-3 * noise}
        several.append(
            MeasuredTask(task.name, task.group, task.collection, values, task.truth, task.coverage)
        )
    corpus = Corpus(several, list(several[0].values))
    R = corpus.mean(corpus.correlation)
    assert R[0, 1] == pytest.approx(0.78, abs=0.1)
    assert best_cut(corpus) >= 0.3


def test_penalised_by_what_is_excluded():
    task = tasks(1, 1)[0]
    half = MeasuredTask(
        "half", "shapes", "one", {"silhouette": np.array([0.5, 0.6])}, task.truth[:2],
        np.array([1.0, 0.5]),
    )  # fmt: skip
    assert Corpus([half], ["silhouette"]).penalised[0][:, 0].tolist() == [1, 0]
    assert Corpus([half], ["silhouette"]).places[0][:, 0].tolist() == [0, 1]


def test_interval_of_a_constant():
    assert interval(np.array([0.5, 0.5, np.nan])) == (0.5, 0.5, 0.5)


def test_a_measure_that_is_constant_has_no_correlation():
    assert np.isnan(rank_correlation(np.array([[1.0, 2.0], [1.0, 3.0]]))[0]).all()


def test_measures_of_some_tasks_are_brought_to_one_level():
    """As good as another on the harder third of the tasks is as good overall."""
    several = tasks()
    partly = []
    for i, task in enumerate(several):
        values = {"silhouette": task.values["silhouette"], "c_index": task.values["c_index"]}
        values["dbcv"] = values["silhouette"] if i < 6 else np.full(len(task.truth), np.nan)
        partly.append(replace(task, values=values))
    corpus = Corpus(partly, ["silhouette", "c_index", "dbcv"])
    assert corpus.partly.tolist() == [False, False, True]
    near = np.where(corpus.present, corpus.nearness, np.nan)
    near[:, :2] -= np.where(corpus.complete, 0.5, 0.0)[:, None]
    near[:, 2] -= 0.5
    level = corpus.levelled(near).mean(axis=0)
    plain = corpus.by_collection(near).mean(axis=0)
    assert level[2] == pytest.approx(level[0], abs=0.15)
    assert plain[2] < plain[0] - 0.25
    np.testing.assert_array_equal(level[:2], plain[:2])


def test_the_packaged_map_has_none_that_are_too_costly():
    assert not set(TOO_COSTLY) & set(load_map().keys)
