"""Workers that run out of memory or die at any step: their candidates fail, the others do not."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

import sortal
from command_line import sortal_command
from failing_clusterers import DiesAt, Fails
from sortal.bench import Benchmark
from sortal.extension import KeptValues
from sortal.study import load_study


def test_memory_that_runs_out_in_this_process():
    study = sortal.Study(np.arange(12.0)[:, None])
    study.sweep({"memory": Fails(how="memory"), "ward": "ward"}, k=[2, 3], workers=1)
    told = study.candidates.loc["memory k=2"]
    assert told["status"] == "failed"
    assert "allocate" in told["reason"]
    assert study.best().name.startswith("ward")


@pytest.mark.long
@pytest.mark.posix
def test_workers_without_memory_and_workers_that_die():
    study = sortal.Study(np.arange(12.0)[:, None])
    clusterers = {step: DiesAt(step=step) for step in ("arrival", "fit", "answer")}
    study.sweep({**clusterers, "memory": Fails(how="memory"), "ward": "ward"}, k=[2], workers=2)
    reasons = study.candidates["reason"]
    for step in clusterers:
        assert reasons[f"{step} k=2"].startswith("the worker process died"), step
    assert "allocate" in reasons["memory k=2"]
    assert study.candidates.loc["ward k=2", "status"] == "ok"


def test_two_races_on_one_file_lose_nothing(tmp_path):
    X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 6, axis=0) + np.eye(18)[:, :2]
    sets = {"a": (X, np.repeat([0, 1, 2], 6))}
    path = tmp_path / "race.sortal"
    one = Benchmark(sets, ["ward"], n_init=1, storage=path)
    other = Benchmark(sets, ["average"], n_init=1, storage=path)
    one.run()
    other.run()
    again = Benchmark(sets, ["ward", "average"], n_init=1, storage=path).run()
    assert len(again.table) == 2
    assert len(KeptValues(path)._values) == 2


def swept_in_two_calls(path):
    X = np.random.default_rng(0).normal(size=(20, 2))
    for n in range(2):
        with sortal.Study(X, storage=path) as study:
            study.sweep(["kmeans", "average"], k=[2, 3 + n], n_init=1, workers=1)
            found = study.scores().drop(columns="seconds")
    return found


def test_a_clock_that_is_set_back_changes_nothing(tmp_path, monkeypatch):
    whole = swept_in_two_calls(tmp_path / "whole.sortal")
    now = iter(range(10**9, 0, -86_400))
    with monkeypatch.context() as clock:
        clock.setattr(time, "time", lambda: float(next(now)))
        found = swept_in_two_calls(tmp_path / "back.sortal")
    pd.testing.assert_frame_equal(found, whole, check_exact=True)


def test_a_second_command_on_one_study_is_refused_and_the_first_goes_on(tmp_path):
    table, path = tmp_path / "x.csv", tmp_path / "s.sortal"
    np.savetxt(table, np.random.default_rng(0).normal(size=(20, 2)), delimiter=",", header="a,b")
    words = ["run", table, "-c", "average", "-k", "2:4", "--workers", "1", "--storage", path]
    assert sortal_command(*words).returncode == 0
    with load_study(path) as study:
        second = sortal_command(*words)
        assert second.returncode == 3
        assert "in use by another process" in second.stderr
        study.sweep("ward", k=[2], workers=1)
        assert "ward k=2" in study.candidates.index
    assert sortal_command(*words).returncode == 0
