"""Studies on other executors: the same results, data sent once, dead workers survived."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sortal
from sortal.runtime.executors import _connect
from sortal.study import samples


def blobs(n: int = 300, seed: int = 0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    return 6.0 * np.eye(3)[truth] + rng.normal(size=(n, 3)), truth


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


@pytest.mark.quick(1)
@pytest.mark.parametrize("way", ["client", "executor", "address"])
def test_dask_gives_what_one_machine_gives(client, way, monkeypatch):
    X, _ = blobs(1500)
    if way == "executor":  # estimates too
        monkeypatch.setattr(samples, "MAX_EXACT", 200)
    given = {
        "client": client,
        "executor": client.get_executor(),
        "address": client.scheduler.address,
    }
    table = tried_and_judged(X, given[way])
    pd.testing.assert_frame_equal(table, tried_and_judged(X), rtol=1e-9)
    if way == "address":
        _connect(given[way]).close()
