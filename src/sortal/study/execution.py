"""Execution of jobs: in this process, in local processes, or on any executor."""

from __future__ import annotations

import math
import os
import re
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.runtime.executors import PATIENCE, OnDisk, Workers, lost
from sortal.runtime.output import temporary_folder
from sortal.runtime.worker import start_worker
from sortal.study.jobs import (
    Job,
    all_failed,
    is_own,
    one_line,
    run_in_thread,
    run_job,
    shared_threads,
    stops_noted,
)
from sortal.study.store import Finished

if TYPE_CHECKING:
    from sortal.typing import Rows

#: limit of cost: bytes of dense data that are fitted in threads by clusterers that can be: a fit,
#: which nothing can stop there, takes seconds at most
IN_THREADS = 2**24
#: limit of cost: objects and bytes of dense data up to which all fits of a sweep take less time
#: than processes that start: half of it on 2,000 × 10, a quarter on 150 × 4
HERE = 2_000, 2**18


KILLED = "the worker process died, most likely out of memory"


def run_jobs(
    X: Rows,
    jobs: Sequence[Job],
    *,
    workers: int = 1,
    executor: object = None,
    deadline: float = math.inf,
    share: float = math.inf,
) -> Generator[list[Finished], None, None]:
    """Run jobs, and yield the outcomes of each as it ends.

    ``workers`` are local processes, or threads where these do; 1 runs everything here. ``executor``
    is as for :func:`sortal.runtime.executors.as_executor`. A job that runs at the ``deadline`` (of
    :func:`time.monotonic`) has no outcome. A local job of more than ``share`` seconds is stopped,
    and its candidates are ``"stopped"``. An estimator of a user that may crash has a process of its
    own, with several ``workers``.
    """
    try:
        if executor is not None:
            remote = Workers.of(executor)
            submit = partial(remote.submit, run_job, [X])
            yield from _drain(submit, jobs, ahead=64, deadline=deadline, workers=remote)
        elif min(deadline, share) < math.inf:
            yield from _run_locally(X, jobs, workers, deadline, share)
        elif workers == 1 or (len(jobs) < 2 and all(is_own(job.clusterer) for job in jobs)):
            yield from _run_here(X, jobs)
        elif jobs:
            light = [job for job in jobs if _fits_in_thread(X, job)]
            heavy = [job for job in jobs if not _fits_in_thread(X, job)]
            if light:
                yield from _run_in_threads(X, light, workers)
            yield from _run_here(X, [job for job in heavy if _fits_here(X, job)])
            heavy = [job for job in heavy if not _fits_here(X, job)]
            if heavy:
                yield from _run_locally(X, heavy, workers, deadline, share)
    except _DeadlineError:
        return
    except BrokenExecutor as error:  # not one of our own, which are made anew
        raise (lost(error) or error) from None


class _DeadlineError(Exception):
    """The deadline has passed."""


def _fits_in_thread(X: Rows, job: Job) -> bool:
    """Whether a fit is short enough to run in a thread, where nothing can stop it."""
    few = isinstance(X, np.ndarray) and X.nbytes <= IN_THREADS
    return few and job.clusterer.threads


def _fits_here(X: Rows, job: Job) -> bool:
    """Whether a fit costs less than starting a process for it."""
    objects, size = HERE
    few = isinstance(X, np.ndarray) and len(X) <= objects and X.nbytes <= size
    return few and is_own(job.clusterer)


def _run_here(X: Rows, jobs: Iterable[Job]) -> Iterator[list[Finished]]:
    """Run jobs one after the other in this thread."""
    for job in jobs:
        with stops_noted():
            outcomes = run_job(X, job)
        yield outcomes


def _run_in_threads(X: Rows, jobs: Sequence[Job], workers: int) -> Iterator[list[Finished]]:
    """Run jobs in threads: no process has to start, and no data have to be sent."""
    with stops_noted(), shared_threads():
        pool = ThreadPoolExecutor(workers)
        try:
            yield from _drain(
                lambda job: pool.submit(run_in_thread, X, job), jobs, ahead=2 * workers
            )
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _run_locally(
    X: Rows, jobs: Sequence[Job], workers: int, deadline: float, share: float
) -> Iterator[list[Finished]]:
    """Run jobs in local processes, each a pool by itself, so that stopping one leaves the rest."""
    waiting = deque(jobs)
    #: what runs, where, and until when; no job is a process that starts
    running: dict[Future[Any], tuple[Executor, Job | None, float]] = {}
    idle: list[Executor] = []

    def start() -> None:
        pool = _new_pool()
        running[pool.submit(int)] = (pool, None, math.inf)

    with stops_noted(), temporary_folder() as folder:
        handle = OnDisk(X, Path(folder))
        try:
            for _ in range(min(workers, len(jobs))):
                start()
            while waiting or any(job for _, job, _ in running.values()):
                while waiting and idle:
                    pool, job = idle.pop(), waiting[0]
                    try:
                        future = pool.submit(run_job, handle, job)
                    except BrokenExecutor:  # it died while it had nothing to do
                        start()
                        continue
                    running[future] = (pool, waiting.popleft(), time.monotonic() + share)
                until = min(deadline, *(ends for _, _, ends in running.values()))
                left = None if until == math.inf else max(0.0, until - time.monotonic())
                done, _ = wait(running, left, FIRST_COMPLETED)
                for future in done:
                    pool, ran, _ = running.pop(future)
                    outcomes: list[Finished] = []
                    try:
                        result = future.result()
                        outcomes = result if ran else []
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


def _new_pool() -> Executor:
    """A pool of one process."""
    from loky import ProcessPoolExecutor

    return ProcessPoolExecutor(
        max_workers=1, initializer=start_worker, initargs=(os.getpid(), __name__)
    )


def _kill(pool: Any) -> None:
    """End a pool's process at once."""
    pool.shutdown(wait=False, kill_workers=True)


def _stopped(job: Job, share: float) -> list[Finished]:
    """The outcomes of a job that took too long."""
    reason = f"stopped after {share:.0f} s, all that one fit may take"
    return [Finished(c.name, "stopped", reason, None, share) for c in job.candidates]


def _why_broken(error: BrokenExecutor) -> str:
    """Why a worker process died, in words."""
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
    return KILLED


def _drain(
    submit: Callable[[Job], Future[list[Finished]]],
    jobs: Iterable[Job],
    *,
    ahead: int,
    deadline: float = math.inf,
    workers: Workers | None = None,
) -> Iterator[list[Finished]]:
    """Outcomes as they come, with at most ``ahead`` jobs submitted at a time.

    Waiting jobs are cancelled when the caller stops.
    """
    waiting = deque(jobs)
    running: dict[Future[list[Finished]], Job] = {}
    try:
        while True:
            while waiting and len(running) < ahead:
                job = waiting.popleft()
                running[submit(job)] = job
            if not running:
                return
            left = None if deadline == math.inf else max(0.0, deadline - time.monotonic())
            if workers is not None:
                left = PATIENCE if left is None else min(left, PATIENCE)
            done, _ = wait(running, left, FIRST_COMPLETED)
            if not done and time.monotonic() >= deadline:
                raise _DeadlineError
            if not done and workers is not None:
                workers.check()
            # those that were cancelled last, for they may end it
            for future in sorted(done, key=Future.cancelled):
                job = running.pop(future)
                try:
                    outcomes = future.result()
                except BrokenExecutor:
                    raise
                except CancelledError as error:
                    if workers is not None:
                        workers.check()
                    raise (lost(error) or error) from None
                except Exception as error:
                    # the job could not be sent or its result not be read
                    outcomes = all_failed(job, str(lost(error) or one_line(error)))
                yield outcomes
    finally:
        for future in running:
            future.cancel()
