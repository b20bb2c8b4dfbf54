"""Studies on other executors: the same results, data sent once, dead workers survived."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import karat
from failing_clusterers import KillsOnce
from karat.executors import _connect, as_executor
from karat.measures.passes import pairs
from karat.study import large
from karat.validation import InputError


def blobs(n: int = 300, seed: int = 0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    return 6.0 * np.eye(3)[truth] + rng.normal(size=(n, 3)), truth


class Handle:
    def __init__(self, name: int) -> None:
        self.name = name


class Scattering(Executor):
    """An executor with a place for values; what is submitted is pickled, as for another machine."""

    def __init__(self) -> None:
        self.held: list[object] = []
        self.largest = 0

    def scatter(self, value):
        self.held.append(pickle.loads(pickle.dumps(value)))
        return Handle(len(self.held) - 1)

    def submit(self, function, /, *args, **options):
        sent = pickle.dumps((function, args, options))
        self.largest = max(self.largest, len(sent))
        function, args, options = pickle.loads(sent)
        args = [self.held[a.name] if isinstance(a, Handle) else a for a in args]
        future: Future = Future()
        try:
            future.set_result(function(*args, **options))
        except Exception as error:
            future.set_exception(error)
        return future


def test_data_are_sent_once_where_the_executor_can():
    X, _ = blobs(3000)
    there = Scattering()
    with karat.Study(X) as study:
        study.sweep(["kmeans", "ward"], k=[2, 3, 4], n_init=2, executor=there)
        here = study.scores()["partition"]
    assert len(there.held) == 1
    assert there.largest < X.nbytes / 10
    with karat.Study(X) as study:
        study.sweep(["kmeans", "ward"], k=[2, 3, 4], n_init=2, workers=1)
        pd.testing.assert_series_equal(study.scores()["partition"], here)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_judging_in_parts_is_judging_at_once(monkeypatch, metric):
    monkeypatch.setattr(pairs, "PART", 100)
    X, truth = blobs(2000)
    mine = {"truth": truth, "other": np.random.default_rng(1).integers(0, 4, 2000)}
    options = {"precision": 0.02, "metric": metric}
    here = karat.evaluate(X, mine, **options)
    for executor in (Scattering(), ThreadPoolExecutor(2)):
        there = karat.evaluate(X, mine, executor=executor, **options)
        pd.testing.assert_frame_equal(there.table, here.table, rtol=1e-9)
        pd.testing.assert_frame_equal(there.standard_errors, here.standard_errors, rtol=1e-6)


@pytest.mark.parametrize("given", [3, "tcp://127.0.0.1:9"])
def test_what_is_no_executor_says_so(given):
    if isinstance(given, str):
        pytest.importorskip("distributed", reason="the extra dask is not installed")
    with pytest.raises(InputError, match=r"executor must be|no Dask scheduler answers"):
        as_executor(given)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"karat\[dask\]"):
        as_executor("tcp://127.0.0.1:1")


# -- Dask ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    from distributed import Client

    with Client(cluster) as client:
        yield client


def test_dask_gives_what_one_machine_gives(client, monkeypatch):
    monkeypatch.setattr(large, "JUDGE_EXACTLY", 200)
    X, _ = blobs(2000)
    tables = []
    for executor in (None, client, client.get_executor(), client.scheduler.address):
        with karat.Study(X) as study:
            study.sweep(["kmeans", "ward"], k=[2, 3], n_init=1, workers=1, executor=executor)
            study.evaluate(executor=executor)
            tables.append(study.scores().drop(columns="seconds"))
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0], rtol=1e-9)
    _connect(client.scheduler.address).close()


def test_a_dead_worker_loses_only_its_jobs(client, tmp_path):
    X, _ = blobs()
    killer = KillsOnce(marker=str(tmp_path / "killed"))
    with karat.Study(X) as study:
        clusterers = {"killer": killer, "kmeans": "kmeans"}
        study.sweep(clusterers, k=[2, 3], n_init=2, executor=client)
        assert (tmp_path / "killed").exists(), study.candidates["reason"].tolist()
        assert study.candidates["status"].tolist() == ["ok"] * 8
