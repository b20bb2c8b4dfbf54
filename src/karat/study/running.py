"""Where jobs run: in this process, in local processes, or on any executor."""

from __future__ import annotations

import math
import os
import re
import signal
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    wait,
)
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.executors import as_executor
from karat.study.scratch import scratch_folder
from karat.study.store import Finished
from karat.study.work import Job, all_failed, one_line, run_job, stops_noted, thread_pools

if TYPE_CHECKING:
    from karat.validation import Data


class _OnDisk:
    """The data as a file that local workers read once each."""

    def __init__(self, path: str) -> None:
        self.path = path

    def load(self) -> Data:
        return _loaded(self.path)


@lru_cache(maxsize=1)
def _loaded(path: str) -> Data:
    import joblib

    # mapped, so that the workers share one copy, and each has its own of what it writes to
    found = joblib.load(path, mmap_mode="c")
    return np.asarray(found) if isinstance(found, np.ndarray) else found


def _run_on_disk(handle: _OnDisk, job: Job) -> list[Finished]:
    return run_job(handle.load(), job)


def _start_worker(parent: int) -> None:
    """Run first in each worker."""
    import gc

    # Ctrl-C reaches every process of the terminal; the parent decides what happens
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def leave_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=leave_with_parent, daemon=True).start()
    # the pool collects garbage every second, which is slow over all that is imported
    thread_pools()
    gc.freeze()


@contextmanager
def _local_pool(workers: int) -> Iterator[Executor]:
    from loky import ProcessPoolExecutor

    pool = ProcessPoolExecutor(
        max_workers=workers, initializer=_start_worker, initargs=(os.getpid(),)
    )
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, kill_workers=True)
        raise
    pool.shutdown(wait=True)


def shared_pool(workers: int) -> Executor:
    """Local processes that stay for the jobs on other data; new ones where one of them died."""
    from loky import get_reusable_executor

    return get_reusable_executor(
        max_workers=workers, timeout=60, initializer=_start_worker, initargs=(os.getpid(),)
    )


def run_jobs(
    X: Data,
    jobs: Sequence[Job],
    *,
    workers: int,
    executor: Any,
    deadline: float = math.inf,
    share: float = math.inf,
) -> Generator[list[Finished], None, None]:
    """Run the jobs and give the outcomes of each as it ends.

    Parameters
    ----------
    X : ndarray or csr_array
    jobs : sequence of Job
    workers : int
        Local processes; 1 runs everything here.
    executor : Executor, Dask client, address or None
        See :func:`karat.executors.as_executor`; where it can, the data are sent once.
    deadline : float
        On the clock of :func:`time.monotonic`; what runs then is stopped and has no outcome.
    share : float
        Seconds that one job may hold a local process; then it is stopped, and its candidates are
        ``"stopped"``. Other executors cannot stop what runs.
    """
    try:
        if executor is not None:
            executor, send = as_executor(executor)
            handle = send(X) if jobs else None
            calls = [(run_job, handle, job) for job in jobs]
            for _, outcomes in _drain(executor, calls, ahead=64, cancel=True, deadline=deadline):
                yield outcomes
        elif min(deadline, share) < math.inf:
            yield from _run_within(X, jobs, workers, deadline, share)
        elif workers == 1 or len(jobs) < 2:
            for job in jobs:
                with stops_noted():
                    outcomes = run_job(X, job)
                yield outcomes
        elif jobs:
            yield from _run_locally(X, jobs, workers)
    except _DeadlineError:
        return


class _DeadlineError(Exception):
    """The time that was given is used up."""


@contextmanager
def _on_disk(X: Data) -> Iterator[_OnDisk]:
    import joblib

    with stops_noted(), scratch_folder() as folder:
        path = str(folder / "X.joblib")
        joblib.dump(X, path)
        yield _OnDisk(path)


def _run_locally(X: Data, jobs: Sequence[Job], workers: int) -> Iterator[list[Finished]]:
    with _on_disk(X) as handle:
        left = {id(job): job for job in jobs}
        try:
            with _local_pool(workers) as pool:
                calls = [(_run_on_disk, handle, job) for job in jobs]
                outcomes_of = _drain(pool, calls, ahead=4 * workers, cancel=False)
                for job, outcomes in outcomes_of:
                    del left[id(job)]
                    yield outcomes
        except BrokenExecutor:
            # a worker died; the rest goes one by one, so that the job that kills is found
            yield from _run_each_alone(handle, list(left.values()))


def _run_within(
    X: Data, jobs: Sequence[Job], workers: int, deadline: float, share: float
) -> Iterator[list[Finished]]:
    """Each worker a pool of its own, so that the fit that is stopped takes no other with it."""
    waiting = deque(jobs)
    #: what runs, where, and until when; no job is a process that starts
    running: dict[Future[Any], tuple[Executor, Job | None, float]] = {}
    idle: list[Executor] = []

    def start() -> None:
        pool = _own_pool()
        running[pool.submit(int)] = (pool, None, math.inf)

    with _on_disk(X) as handle:
        try:
            for _ in range(min(workers, len(jobs))):
                start()
            while waiting or any(job for _, job, _ in running.values()):
                while waiting and idle:
                    pool, job = idle.pop(), waiting.popleft()
                    ends = time.monotonic() + share
                    running[pool.submit(_run_on_disk, handle, job)] = (pool, job, ends)
                until = min(deadline, *(ends for _, _, ends in running.values()))
                left = None if until == math.inf else max(0.0, until - time.monotonic())
                done, _ = wait(running, left, FIRST_COMPLETED)
                for future in done:
                    pool, ran, _ = running.pop(future)
                    outcomes: list[Finished] = []
                    try:
                        found = future.result()
                        outcomes = found if ran else []
                        idle.append(pool)
                    except BrokenExecutor as error:
                        outcomes = all_failed(ran, _why_broken(error)) if ran else []
                        start()
                    except Exception as error:
                        outcomes = all_failed(ran, one_line(error)) if ran else []
                        idle.append(pool)
                    if outcomes:
                        yield outcomes
                now = time.monotonic()
                if now >= deadline:
                    return
                for future, (pool, ran, ends) in list(running.items()):
                    if ran and now >= ends and not future.done():
                        del running[future]
                        _kill(pool)
                        start()
                        yield _stopped(ran, share)
        finally:
            for pool in [*idle, *(pool for pool, _, _ in running.values())]:
                _kill(pool)


def _own_pool() -> Executor:
    from loky import ProcessPoolExecutor

    return ProcessPoolExecutor(max_workers=1, initializer=_start_worker, initargs=(os.getpid(),))


def _kill(pool: Any) -> None:
    pool.shutdown(wait=False, kill_workers=True)


def _stopped(job: Job, share: float) -> list[Finished]:
    reason = (
        f"stopped after {share:.0f} s, its share of the budget; the same call with a larger budget "
        "fits it"
    )
    return [Finished(c.name, "stopped", reason, None, share) for c in job.candidates]


def _run_each_alone(handle: _OnDisk, jobs: Sequence[Job]) -> Iterator[list[Finished]]:
    todo = list(jobs)
    while todo:
        try:
            with _local_pool(1) as pool:
                while todo:
                    outcomes = pool.submit(_run_on_disk, handle, todo[0]).result()
                    todo.pop(0)
                    yield outcomes
        except BrokenExecutor as error:
            yield all_failed(todo.pop(0), _why_broken(error))


def _why_broken(error: BrokenExecutor) -> str:
    if "un-serialize" in str(error):
        return (
            "a worker process could not read the clusterer; define it in a module that can be "
            "imported, or use workers=1"
        )
    codes = re.findall(r"(SIG[A-Z]+|EXIT)\((-?\d+)\)", str(error))
    for name, number in codes:
        if name in ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT"):
            return f"the worker process died of {name}: a crash in compiled code"
        if name == "EXIT":
            return f"the worker process died: the clusterer ended it with exit code {number}"
    return "the worker process died, most likely killed for want of memory"


def _drain(
    executor: Executor,
    calls: Iterable[tuple[Any, Any, Job]],
    *,
    ahead: int,
    cancel: bool,
    deadline: float = math.inf,
) -> Iterator[tuple[Job, list[Finished]]]:
    """Outcomes as they come, with at most ``ahead`` jobs handed out at a time.

    ``cancel`` takes back what is waiting when the caller stops; a pool of our own is killed
    instead, and must not find its futures cancelled.
    """
    waiting = iter(calls)
    running: dict[Future[list[Finished]], Job] = {}
    try:
        while True:
            for function, data, job in waiting:
                running[executor.submit(function, data, job)] = job
                if len(running) >= ahead:
                    break
            if not running:
                return
            left = None if deadline == math.inf else max(0.0, deadline - time.monotonic())
            done, _ = wait(running, left, FIRST_COMPLETED)
            if not done:
                raise _DeadlineError
            for future in done:
                job = running.pop(future)
                try:
                    outcomes = future.result()
                except BrokenExecutor:
                    raise
                except Exception as error:
                    # the job could not be sent or its result not be read
                    outcomes = all_failed(job, one_line(error))
                yield job, outcomes
    finally:
        if cancel:
            for future in running:
                future.cancel()
