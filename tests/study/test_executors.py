"""Studies on other executors: the same results, data sent once, dead workers survived."""

from __future__ import annotations

import sys
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import sortal
from failing_clusterers import Dies, DistanceThatKillsOnce, KillsOnce
from scattering import Scattering
from sortal import InputError
from sortal.runtime import executors
from sortal.runtime.executors import LostWorkersError, as_executor


def blobs(n: int = 300, seed: int = 0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    return 6.0 * np.eye(3)[truth] + rng.normal(size=(n, 3)), truth


def test_data_are_sent_once_where_the_executor_can():
    X, _ = blobs(3000)
    there = Scattering()
    with sortal.Study(X) as study:
        study.sweep(["kmeans", "ward"], k=[2, 3, 4], n_init=2, executor=there)
        here = study.scores()["partition"]
    assert len(there.held) == 1
    assert there.largest < X.nbytes / 10
    with sortal.Study(X) as study:
        study.sweep(["kmeans", "ward"], k=[2, 3, 4], n_init=2, workers=1)
        pd.testing.assert_series_equal(study.scores()["partition"], here)


@pytest.mark.quick(1)
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_judging_in_parts_is_judging_at_once(metric):
    X, truth = blobs(2000)
    mine = {"truth": truth, "other": np.random.default_rng(1).integers(0, 4, 2000)}
    options = {"precision": 0.02, "metric": metric}
    here = sortal.evaluate(X, mine, **options)
    for executor in (Scattering(), ThreadPoolExecutor(2)):
        there = sortal.evaluate(X, mine, executor=executor, **options)
        pd.testing.assert_frame_equal(there.table, here.table, rtol=1e-9)
        pd.testing.assert_frame_equal(there.standard_errors, here.standard_errors, rtol=1e-6)


@pytest.mark.parametrize("given", [3, "tcp://127.0.0.1:9"])
def test_what_is_no_executor_says_so(given, monkeypatch):
    if isinstance(given, str):
        pytest.importorskip("distributed", reason="the extra dask is not installed")
        monkeypatch.setattr(executors, "TIMEOUT", "1s")
    with pytest.raises(InputError, match=r"executor must be|no Dask scheduler answers"):
        as_executor(given)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match="pip install distributed"):
        as_executor("tcp://127.0.0.1:1")


# -- Dask ------------------------------------------------------------------------------------


def cluster_of(n_workers: int, *, processes: bool = True):
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    return distributed.LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=processes,
        dashboard_address="127.0.0.1:0",
    )


@pytest.fixture(scope="module")
def client():
    with cluster_of(2, processes=False) as cluster, cluster.get_client() as client:
        yield client


def tried_and_judged(X, executor=None, clusterers=("kmeans", "ward"), **options):
    with sortal.Study(X) as study:
        study.sweep(clusterers, k=[2, 3, 4], n_init=2, workers=1, executor=executor, **options)
        study.evaluate(executor=executor)
        return study.scores().drop(columns="seconds")


@pytest.mark.long
def test_the_number_of_workers_changes_nothing():
    X, _ = blobs(3000)
    tables = []
    for count in (1, 2, 4):
        with cluster_of(count) as cluster, cluster.get_client() as client:
            tables.append(tried_and_judged(X, client))
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0], rtol=0, atol=0)
    pd.testing.assert_frame_equal(tried_and_judged(X), tables[0], rtol=1e-9)


@pytest.mark.long
def test_a_dead_worker_loses_only_its_jobs(tmp_path):
    X, _ = blobs()
    killer = KillsOnce(marker=str(tmp_path / "killed"))
    clusterers = {"killer": killer, "kmeans": "kmeans"}
    with (
        cluster_of(2) as cluster,
        cluster.get_client() as client,
        sortal.Study(X) as study,
    ):
        study.sweep(clusterers, k=[2, 3], n_init=2, executor=client)
        assert (tmp_path / "killed").exists(), study.candidates["reason"].tolist()
        assert study.candidates["status"].tolist() == ["ok"] * 8


@pytest.mark.long
def test_a_worker_that_dies_while_judging_loses_only_its_jobs(tmp_path):
    X, truth = blobs()
    deadly = DistanceThatKillsOnce(str(tmp_path / "killed"))
    keys = ["silhouette", "dunn_index"]
    with cluster_of(2) as cluster, cluster.get_client() as client:
        there = sortal.evaluate(X, truth, metric=deadly, measures=keys, executor=client)
    assert (tmp_path / "killed").exists()
    here = sortal.evaluate(X, truth, metric="cityblock", measures=keys)
    pd.testing.assert_frame_equal(there.table, here.table, rtol=1e-9)


class Lost(Scattering):
    """An executor that cancels its first jobs, as Dask does where the data are gone."""

    class Client:
        status = "running"

    def __init__(self, cancelled: int, status: str = "running") -> None:
        super().__init__()
        self.left = cancelled
        self._client = Lost.Client()
        self._client.status = status

    def submit(self, function, /, *args, **options):
        self.left -= 1
        if self.left >= 0:
            future: Future = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future
        return super().submit(function, *args, **options)


def test_lost_data_are_told_and_what_is_finished_is_kept():
    X, truth = blobs()
    with sortal.Study(X) as study:
        study.sweep("kmeans", k=[2], n_init=1, executor=Scattering())
        with pytest.raises(LostWorkersError, match="the data with them, most likely out of memory"):
            study.sweep("kmeans", k=[2, 3], n_init=2, executor=Lost(3))
        assert (study.candidates["status"] == "ok").sum() == 1
        study.sweep("kmeans", k=[2, 3], n_init=2, executor=Scattering())
        assert study.candidates["status"].tolist() == ["ok"] * 4
    for key in ("silhouette", "davies_bouldin_index", "informativeness"):
        with pytest.raises(LostWorkersError, match="most likely out of memory"):
            sortal.evaluate(X, truth, measures=[key], executor=Lost(1))


def test_fits_without_a_scheduler_stay_planned():
    X, truth = blobs()
    with sortal.Study(X) as study:
        with pytest.raises(LostWorkersError, match="no longer answers"):
            study.sweep("kmeans", k=[2, 3], n_init=2, executor=Lost(1, "connecting"))
        assert len(study.state.storage.planned()) == 1
        study.add({"truth": truth})
        with pytest.raises(LostWorkersError, match="no longer answers"):
            study.evaluate(["silhouette"], executor=Lost(1, "closed"))
        assert study.scores()["silhouette"].notna().all()


@pytest.mark.long
def test_a_fit_that_kills_every_worker_ends_the_sweep():
    X, _ = blobs()
    with cluster_of(1) as cluster, cluster.get_client() as client, sortal.Study(X) as study:
        with pytest.raises(LostWorkersError, match="most likely out of memory"):
            study.sweep({"deadly": Dies()}, k=[3], n_init=1, executor=client)
        assert len(study.state.storage.planned()) == 1
