"""Fits, wherever they run: in this process, in local processes, or on any executor."""

from __future__ import annotations

import hashlib
import math
import os
import re
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    wait,
)
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import configured, memberships_of
from karat.executors import as_executor
from karat.partition import SoftPartition, encode
from karat.structures import as_kept
from karat.study.scratch import scratch_folder
from karat.study.store import Finished, Planned
from karat.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.clusterers import Clusterer
    from karat.validation import Data


def derived_seed(root: int, name: str) -> int:
    """A seed for one candidate that depends on the study's seed and its name alone."""
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), dtype=np.uint32)
    return int(np.random.SeedSequence([root, *words.tolist()]).generate_state(1)[0])


@dataclass(frozen=True)
class Job:
    """Fits of one clusterer that belong together: one, or all cuts of one tree."""

    clusterer: Clusterer
    candidates: tuple[Planned, ...]
    #: where the data are means of cells: how many objects each has
    sizes: NDArray[np.int64] | None = None


def jobs_for(clusterer: Clusterer, candidates: Sequence[Planned]) -> list[Job]:
    """The work that the candidates of one clusterer make."""
    if clusterer.every_k:
        return [Job(clusterer, tuple(candidates))] if candidates else []
    return [Job(clusterer, (candidate,)) for candidate in candidates]


# a fit may call sys.exit, or raise KeyboardInterrupt without anybody having pressed Ctrl-C
FROM_A_FIT = (Exception, SystemExit, KeyboardInterrupt)
_asked_to_stop = threading.Event()


def _unless_asked_to_stop(error: BaseException) -> None:
    if _asked_to_stop.is_set() and not isinstance(error, Exception):
        raise error


@contextmanager
def _stops_noted() -> Iterator[None]:
    """Tell Ctrl-C and SIGTERM from what a fit raises, and let SIGTERM end tidily."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    asked: list[int] = []

    def stop(number: int, frame: Any) -> None:
        _asked_to_stop.set()
        asked.append(number)
        earlier = before[signal.Signals(number)]
        if callable(earlier):
            earlier(number, frame)
        else:
            raise SystemExit(128 + number)

    for number, handler in before.items():
        if handler not in (signal.SIG_IGN, None):
            signal.signal(number, stop)
    try:
        yield
        if asked:  # raised where exceptions are ignored: in a callback of C, or a finalizer
            stop(asked[-1], None)
    finally:
        _asked_to_stop.clear()
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)


def _lent(X: Data, clusterer: Clusterer) -> Data:
    """The data as a clusterer gets them: one that is not ours cannot write to them."""
    maker = getattr(clusterer.make, "func", clusterer.make)
    if getattr(maker, "__module__", "").startswith("karat.") and maker is not configured:
        return X
    if isinstance(X, np.ndarray):
        lent = X.view()
        lent.flags.writeable = False
        return lent
    parts = [part.view() for part in (X.data, X.indices, X.indptr)]
    for part in parts:
        part.flags.writeable = False
    return type(X)(tuple(parts), shape=X.shape, copy=False)


def run_job(X: Data, job: Job) -> list[Finished]:
    """Fit, and never raise for what a clusterer does."""
    n = X.shape[0]
    if job.clusterer.parameter == "n_clusters":
        too_many = [c for c in job.candidates if (c.value or 0) > n]
        if too_many:
            rejected = [
                Finished(c.name, "failed", f"{c.value} clusters of {n} objects", None, 0.0)
                for c in too_many
            ]
            fine = tuple(c for c in job.candidates if c not in too_many)
            return rejected + (run_job(X, replace(job, candidates=fine)) if fine else [])
    with _one_thread():
        if job.clusterer.every_k:
            return _cut_tree(X, job)
        return [_fit(X, job.clusterer, candidate) for candidate in job.candidates]


@lru_cache(maxsize=1)
def _thread_pools() -> Any:
    import sklearn.cluster  # noqa: F401  its thread pools must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _one_thread() -> AbstractContextManager[Any]:
    # the candidates are what runs side by side; sums inside a fit also stay in one order
    return _thread_pools().limit(limits=1)


def _fit(X: Data, clusterer: Clusterer, candidate: Planned) -> Finished:
    assert candidate.value is not None
    value, seed = candidate.value, candidate.seed or 0
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            estimator, lent = clusterer.make(value, seed), _lent(X, clusterer)
            labels = estimator.fit_predict(lent)
            memberships = memberships_of(estimator, lent, labels)
        except FROM_A_FIT as error:
            _unless_asked_to_stop(error)
            seconds = time.perf_counter() - began
            return Finished(candidate.name, "failed", _one_line(error), None, seconds)
    seconds = time.perf_counter() - began
    outcome = _outcome(clusterer, candidate, labels, X.shape[0], seconds, caught)
    if memberships is None or outcome.labels is None:
        return outcome
    return replace(outcome, memberships=as_kept(SoftPartition(memberships)))


def _cut_tree(X: Data, job: Job) -> list[Finished]:
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model, lent = job.clusterer.make(1, 0), _lent(X, job.clusterer)
            tree = model.fit(lent) if job.sizes is None else model.fit_cells(lent, job.sizes)
        except FROM_A_FIT as error:
            _unless_asked_to_stop(error)
            share = (time.perf_counter() - began) / len(job.candidates)
            return _all_failed(job, _one_line(error), share)
    share = (time.perf_counter() - began) / len(job.candidates)
    outcomes = []
    for candidate in job.candidates:
        began = time.perf_counter()
        try:
            labels = tree.cut(candidate.value)
        except FROM_A_FIT as error:
            _unless_asked_to_stop(error)
            outcomes.append(Finished(candidate.name, "failed", _one_line(error), None, share))
            continue
        seconds = share + time.perf_counter() - began
        outcomes.append(
            _outcome(job.clusterer, candidate, labels, X.shape[0], seconds, caught, job.sizes)
        )
    return outcomes


def _all_failed(job: Job, reason: str, seconds: float = 0.0) -> list[Finished]:
    return [Finished(c.name, "failed", reason, None, seconds) for c in job.candidates]


def _outcome(
    clusterer: Clusterer,
    candidate: Planned,
    labels: Any,
    n: int,
    seconds: float,
    caught: Sequence[warnings.WarningMessage],
    sizes: NDArray[np.int64] | None = None,
) -> Finished:
    try:
        encoded = encode(labels)
    except InputError as error:
        return Finished(candidate.name, "failed", _one_line(error), None, seconds)
    if len(encoded.codes) != n:
        reason = f"it gave {len(encoded.codes):,} labels for {n:,} objects"
        return Finished(candidate.name, "failed", reason, None, seconds)
    if encoded.n_clusters == 0:
        reason = "every object is an outlier"
        return Finished(candidate.name, "failed", reason, None, seconds)
    flags = []
    if clusterer.parameter == "n_clusters" and encoded.n_clusters != candidate.value:
        flags.append(f"{encoded.n_clusters} clusters where {candidate.value} were asked for")
    flags += lopsided(encoded.codes, sizes)
    flags += dict.fromkeys(_one_line(w.message) for w in caught if _matters(w))
    status = "flagged" if flags else "ok"
    return Finished(candidate.name, status, "; ".join(flags) or None, encoded.codes, seconds)


def lopsided(codes: NDArray[np.int32], each: NDArray[np.int64] | None = None) -> list[str]:
    """The flag of a clustering that only splits off single objects, if it is one.

    ``each`` is how many objects a code stands for, by default one.
    """
    kept = codes >= 0
    weights = None if each is None else each[kept]
    sizes = np.sort(np.bincount(codes[kept], weights).astype(np.int64))
    if len(sizes) < 2 or sizes[-2] > 1 or sizes[-1] < 0.9 * sizes.sum():
        return []
    apart = "1 object" if len(sizes) == 2 else f"{len(sizes) - 1:,} single objects"
    return [f"it only sets {apart} apart from {sizes[-1]:,} others"]


def _matters(warning: warnings.WarningMessage) -> bool:
    from sklearn.exceptions import ConvergenceWarning

    if issubclass(warning.category, (DeprecationWarning, FutureWarning)):
        return False
    return issubclass(warning.category, (ConvergenceWarning, UserWarning, RuntimeWarning))


def _one_line(error: Any) -> str:
    text = " ".join(str(error).split()) or "no message"
    kind = "" if isinstance(error, (InputError, Warning)) else f"{type(error).__name__}: "
    return kind + (text if len(text) <= 300 else text[:297] + "...")


# -- local processes -------------------------------------------------------------------------


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
    _thread_pools()
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
                with _stops_noted():
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

    with _stops_noted(), scratch_folder() as folder:
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
                        outcomes = _all_failed(ran, _why_broken(error)) if ran else []
                        start()
                    except Exception as error:
                        outcomes = _all_failed(ran, _one_line(error)) if ran else []
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
            yield _all_failed(todo.pop(0), _why_broken(error))


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
                    outcomes = _all_failed(job, _one_line(error))
                yield job, outcomes
    finally:
        if cancel:
            for future in running:
                future.cancel()
