"""Passes over data in parts: on threads, processes and other machines the same results."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import reduce
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loky import get_reusable_executor
from scipy import sparse

import sortal
from scattering import Scattering
from sortal import InputError
from sortal.distances.neighbors import neighbor_lists
from sortal.extension import available_cores
from sortal.measures import catalogue
from sortal.measures.clarity import assess
from sortal.measures.passes import centroids, pairs, ranks
from sortal.measures.passes.over_pairs import OverPairs
from sortal.measures.passes.plan import GIVES
from sortal.measures.passes.statistics import Statistics
from sortal.runtime import Workers, as_executor, tree_sum
from sortal.runtime.output import check_output, write_output

#: what order of sums may change: each of n² terms at most its last digit
SUMS = 1e-11


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=40))
def test_a_tree_adds_everything_in_order(values):
    parts = [str(value) + "," for value in values]
    assert tree_sum(parts, str.__add__) == reduce(str.__add__, parts)


def test_a_tree_is_shallow():
    depths = [(1, 0)] * 1000
    count, depth = tree_sum(depths, lambda a, b: (a[0] + b[0], max(a[1], b[1]) + 1))
    assert (count, depth) == (1000, 10)


def where_it_runs(item):
    return available_cores()


@pytest.mark.parametrize("count", [0, 1, 5, 1000])
def test_items_come_back_in_order_from_few_jobs(count):
    there = Scattering()
    workers = Workers(there)
    assert list(workers.map(pow, [3], range(count))) == [3**i for i in range(count)]
    assert there.jobs <= 128
    assert list(Workers().map(pow, [3], range(count))) == [3**i for i in range(count)]


def test_a_job_takes_one_core():
    assert list(Workers(Scattering()).map(where_it_runs, [], [0])) == [1]
    assert list(Workers().map(where_it_runs, [], [0])) == [available_cores()]


def some_data(n: int = 700, d: int = 3, seed: int = 0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    X = 4.0 * np.eye(4, d)[truth] + rng.normal(size=(n, d))
    X[5] = X[6]
    noisy = truth.copy()
    noisy[::7] = -1
    return X, {"truth": truth, "noisy": noisy, "random": rng.integers(0, 9, n), "all": 0 * truth}


INTERNAL = [m for m in catalogue.values() if m.kind == "internal" and m.takes != "graph"]
OF_PASSES = [m.key for m in INTERNAL if m.needs or m.key.startswith("informativeness")]


def judged(X, labelings, executor=None, **options):
    options.setdefault("measures", OF_PASSES)
    scores = sortal.evaluate(X, labelings, noise="drop", executor=executor, **options)
    return scores.table, scores.reasons


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "sqeuclidean"])
def test_every_pass_in_parts_gives_what_one_pass_gives(metric, monkeypatch):
    monkeypatch.setattr(centroids, "CENTROID_ROWS", 128)
    X, labelings = some_data()
    if metric != "euclidean":
        options = {"measures": [m.key for m in INTERNAL if m.default and m.takes == "distances"]}
    else:
        options = {}
    here, why = judged(X, labelings, metric=metric, **options)
    there, why_there = judged(X, labelings, Scattering(), metric=metric, **options)
    pd.testing.assert_frame_equal(there, here, rtol=SUMS, atol=SUMS)
    assert why_there == why


@pytest.mark.parametrize("kind", ["weights", "sparse", "single", "precomputed", "callable"])
def test_whatever_the_data_are(kind, monkeypatch):
    monkeypatch.setattr(centroids, "CENTROID_ROWS", 128)
    X, labelings = some_data(300)
    keys = [m.key for m in INTERNAL if m.default]
    options = {"measures": keys}
    if kind == "weights":
        options["sample_weight"] = np.random.default_rng(1).integers(0, 4, len(X))
        options["measures"] = [k for k in keys if catalogue[k].needs]
    elif kind == "sparse":
        X = sparse.csr_array(np.where(X > 1, X, 0))
    elif kind == "single":
        X = X.astype(np.float32)
    else:
        options["measures"] = [k for k in keys if catalogue[k].takes == "distances"]
        options["metric"] = "precomputed" if kind == "precomputed" else chebyshev
        if kind == "precomputed":
            X = np.abs(X[:, None] - X).max(axis=2)
    here, why = judged(X, labelings, **options)
    there, why_there = judged(X, labelings, Scattering(), **options)
    pd.testing.assert_frame_equal(there, here, rtol=SUMS, atol=SUMS)
    assert why_there == why


def chebyshev(x, y):
    return np.abs(x - y).max()


def test_passes_of_sums_are_the_same_bit_by_bit(monkeypatch):
    monkeypatch.setattr(centroids, "CENTROID_ROWS", 100)
    X, labelings = some_data()
    keys = [
        m.key
        for m in INTERNAL
        if m.needs
        and m.needs
        <= {
            "centroids",
            "squared_silhouettes",
            "simplified_silhouettes",
            "total_spreads",
            "cross_spreads",
            "determinants",
        }
    ] + ["informativeness"]
    here, _ = judged(X, labelings, measures=keys)
    for executor in (Scattering(), ThreadPoolExecutor(3)):
        there, _ = judged(X, labelings, executor, measures=keys)
        pd.testing.assert_frame_equal(there, here, rtol=0, atol=0)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "precomputed"])
def test_ranks_are_the_same_bit_by_bit(metric, monkeypatch):
    monkeypatch.setattr(ranks, "MAX_PAIRS_IN_MEMORY", 2**12)
    X, labelings = some_data(500)
    X[::5] = np.round(X[::5])  # ties
    if metric == "precomputed":
        X = np.abs(X[:, None] - X).max(axis=2)
    batch = sortal.labelings.as_labelings(labelings, noise="drop")
    needs = ["extreme_sums", "concordance", "distance_squares"]
    here = Statistics(X, batch, needs, metric=metric)
    for executor in (Scattering(), ThreadPoolExecutor(3)):
        there = Statistics(X, batch, needs, metric=metric, workers=Workers(executor))
        assert here.failed == there.failed == {}
        for name in (name for need in needs for name in GIVES[need]):
            assert np.array_equal(getattr(there, name), getattr(here, name), equal_nan=True), name


def test_passes_over_pairs_are_jobs(monkeypatch):
    X, labelings = some_data(500)
    batch = sortal.labelings.as_labelings(labelings["truth"])
    monkeypatch.setattr("sortal.measures.passes.over_pairs.in_order", None)
    for need in ("extreme_sums", "concordance"):
        there = Scattering()
        assert not Statistics(X, batch, [need], workers=Workers(there)).failed
        assert there.jobs >= 4


def test_estimates_from_pairs_are_the_same_bit_by_bit():
    X, labelings = some_data(1500)
    options = {"measures": ["baker_hubert_gamma", "aucc"], "precision": 0.01, "noise": "drop"}
    there = Scattering()
    found = sortal.evaluate(X, labelings, executor=there, **options)
    here = sortal.evaluate(X, labelings, **options)
    assert there.jobs == len(labelings)
    assert there.largest < X.nbytes
    pd.testing.assert_frame_equal(found.table, here.table, rtol=0, atol=0)
    pd.testing.assert_frame_equal(found.standard_errors, here.standard_errors, rtol=0, atol=0)
    assert found.reasons == here.reasons


def test_the_number_of_workers_changes_nothing():
    X, labelings = some_data(1000)
    one, _ = judged(X, labelings, Scattering())
    for count in (1, 3):
        with ThreadPoolExecutor(count) as pool:
            there, _ = judged(X, labelings, pool)
            pd.testing.assert_frame_equal(there, one, rtol=0, atol=0)


def test_other_processes_give_the_same():
    X, labelings = some_data(600)
    here, _ = judged(X, labelings, Scattering(), measures=["silhouette", "informativeness"])
    there, _ = judged(
        X, labelings, get_reusable_executor(1), measures=["silhouette", "informativeness"]
    )
    pd.testing.assert_frame_equal(there, here, rtol=0, atol=0)


def test_local_processes_read_values_once():
    X, _ = some_data()
    with ProcessPoolExecutor(1) as pool:
        _, send = as_executor(pool)
        there = send(X)
        sent, path = pickle.dumps(there), Path(there.path)
        assert len(sent) < 500
        assert path.exists()
        assert np.array_equal(pickle.loads(sent), X)
        assert pickle.loads(sent) is pickle.loads(sent)
        # what one process writes to its own stays there
        pickle.loads(sent)[0] = 0.0
        assert np.array_equal(np.asarray(joblib.load(path)), X)
        folder = path.parent
        del there
        assert not path.exists()
        del send
        assert not folder.exists()


def test_blocks_of_rows_change_the_order_of_sums_alone(monkeypatch):
    X, labelings = some_data()
    keys = [m.key for m in INTERNAL if m.needs and "centroids" in m.needs]
    whole, _ = judged(X, labelings, measures=keys)
    monkeypatch.setattr(centroids, "CENTROID_ROWS", 64)
    blocks, _ = judged(X, labelings, measures=keys)
    assert not blocks.equals(whole)
    pd.testing.assert_frame_equal(blocks, whole, rtol=SUMS, atol=SUMS)


@pytest.mark.parametrize("precision", [None, 0.02])
def test_data_are_sent_once_and_not_with_jobs(precision):
    X, labelings = some_data(4000, 8)
    there = Scattering()
    sortal.evaluate(
        X, labelings["truth"], measures=["silhouette", "informativeness", "davies_bouldin_index"],
        executor=there, precision=precision,
    )  # fmt: skip
    assert there.largest < X.nbytes / 10
    assert (
        sum(isinstance(value, np.ndarray) and value.shape == X.shape for value in there.held) == 1
    )


@pytest.mark.parametrize(
    ("d", "metric", "dense"),
    [(2, "euclidean", True), (12, "euclidean", True), (4, "cityblock", True), (6, "cosine", False)],
)
def test_neighbours_in_parts_are_the_neighbours(d, metric, dense):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (1300, d)).astype(np.float64)  # with many ties
    X = X if dense else sparse.csr_array(X + np.eye(1, d))
    here = neighbor_lists(X, 7, metric=metric)
    there = neighbor_lists(X, 7, metric=metric, executor=Scattering())
    assert np.array_equal(there.indices, here.indices)
    assert np.array_equal(there.distances, here.distances)


def test_classifiers_learn_elsewhere():
    X, labelings = some_data(120)
    labelings = {name: labelings[name] for name in ("truth", "random")}
    here = assess(X, labelings, classifiers=["5nn", "tree"], cv=3)
    there = Scattering()
    found = assess(X, labelings, classifiers=["5nn", "tree"], cv=3, executor=there)
    assert np.array_equal(found.predictions, here.predictions)
    assert there.largest < X.nbytes


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("d", [3, 70])
def test_parts_of_the_pass_over_pairs_give_the_whole(d, weighted, monkeypatch):
    X, labelings = some_data(900, d)
    batch = sortal.labelings.as_labelings(labelings, noise="drop")
    weights = np.random.default_rng(1).integers(1, 4, 900) + 0.0 if weighted else None
    wanted = {"sums": True, "minima": True, "inverses": True, "matrices": True, "objects": True}
    with ThreadPoolExecutor(3) as pool:
        here, there, again = (
            pairs.pair_pass(
                OverPairs(X, "euclidean", Workers(executor), False, weights), batch, **wanted
            )
            for executor in (None, Scattering(), pool)
        )
    close = {"rtol": SUMS, "atol": SUMS}
    assert set(there.objects) == set(here.objects)
    for name, values in there.objects.items():
        np.testing.assert_allclose(values, here.objects[name], err_msg=name, **close)
        assert np.array_equal(again.objects[name], values, equal_nan=True)
    assert set(there.totals) == set(here.totals)
    for name, totals in there.totals.items():
        for mine, same, wanted_ in zip(totals, again.totals[name], here.totals[name], strict=True):
            np.testing.assert_allclose(mine, wanted_, err_msg=name, **close)
            assert np.array_equal(mine, same)


def test_every_sum_around_centroids_is_that_of_the_whole(monkeypatch):
    X, labelings = some_data()
    batch = sortal.labelings.as_labelings(labelings, noise="drop")
    needs = ["centroids", "squared_silhouettes", "simplified_silhouettes", "cross_spreads"]
    whole = Statistics(X, batch, needs)
    monkeypatch.setattr(centroids, "CENTROID_ROWS", 64)
    blocks = Statistics(X, batch, needs, workers=Workers(Scattering()))
    for name in (name for need in needs for name in GIVES[need]):
        for one, other in zip(getattr(blocks, name), getattr(whole, name), strict=True):
            np.testing.assert_allclose(one, other, rtol=SUMS, atol=SUMS, err_msg=name)


def test_a_file_that_is_there_is_not_replaced_unasked(tmp_path):
    write_output(tmp_path / "a", "")
    with pytest.raises(InputError, match="exists already"):
        check_output(tmp_path / "a")
    assert check_output(tmp_path / "a", overwrite=True).name == "a"
