"""Local workers by their contract: stopped, replaced, lost, and ended with the sweep."""

from __future__ import annotations

import threading
from concurrent.futures import BrokenExecutor, Future
from typing import Any

import numpy as np
import pytest

from sortal.clusterers import catalogue
from sortal.study import execution
from sortal.study.jobs import Job
from sortal.study.store import Finished, Planned


class Pool:
    """A worker in a thread, which knows whether it was ended."""

    made: list[Pool]

    def __init__(self) -> None:
        self.ended = False
        Pool.made.append(self)

    def submit(self, function: Any, *arguments: Any) -> Any:
        future: Future[Any] = Future()

        def work() -> None:
            try:
                future.set_result(function(*arguments))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=work, daemon=True).start()
        return future

    def shutdown(self, *, wait: bool, kill_workers: bool) -> None:
        self.ended = kill_workers and not wait


def run(monkeypatch: pytest.MonkeyPatch, fit: Any, n_jobs: int, **limits: float) -> list[Finished]:
    """Outcomes of jobs that do what ``fit`` says, on two workers."""
    Pool.made = []
    monkeypatch.setattr(execution, "_new_pool", Pool)
    monkeypatch.setattr(execution, "run_job", lambda _, job: fit(job))
    jobs = [
        Job(catalogue["ward"], (Planned(f"{i}", "ward", "n_clusters", i, 0, 0),))
        for i in range(n_jobs)
    ]
    given = {"deadline": np.inf, "share": np.inf} | limits
    outcomes = execution._run_locally(np.zeros((3, 1)), jobs, 2, **given)
    found = [one for group in outcomes for one in group]
    lost = sum("worker process died" in str(one.reason) for one in found)
    assert sum(not pool.ended for pool in Pool.made) == lost  # these have ended by themselves
    return found


def done(job: Job) -> list[Finished]:
    return [Finished(one.name, "ok", None, None, 0.0) for one in job.candidates]


def test_each_job_ends_once_and_all_workers_with_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(monkeypatch, done, 5)
    assert sorted(one.name for one in found) == list("01234")
    assert {one.status for one in found} == {"ok"}
    assert len(Pool.made) == 2
    assert len(run(monkeypatch, done, 1)) == len(Pool.made) == 1


def test_a_job_that_takes_too_long_is_stopped_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    never = threading.Event()
    found = run(
        monkeypatch,
        lambda job: never.wait(60) or done(job) if job.candidates[0].name == "1" else done(job),
        4,
        share=0.3,
    )
    never.set()
    assert {one.name: one.status for one in found} == {
        "0": "ok",
        "1": "stopped",
        "2": "ok",
        "3": "ok",
    }
    assert len(Pool.made) == 3


def test_nothing_is_waited_for_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    never = threading.Event()
    assert run(monkeypatch, lambda job: never.wait(60), 3, deadline=0.0) == []
    never.set()


def test_a_lost_worker_and_a_failed_job_are_outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = {"0": BrokenExecutor("SIGSEGV(-11)"), "1": ValueError("odd")}

    def fit(job: Job) -> list[Finished]:
        if job.candidates[0].name in errors:
            raise errors[job.candidates[0].name]
        return done(job)

    found = {one.name: one.reason for one in run(monkeypatch, fit, 3)}
    assert found == {
        "0": "the worker process died of SIGSEGV: a crash in compiled code",
        "1": "ValueError: odd",
        "2": None,
    }
    assert len(Pool.made) == 3
