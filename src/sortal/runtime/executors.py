"""Workers for parts of a computation: the cores of this process, or an executor."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4
from weakref import finalize

import numpy as np

from sortal.runtime.extras import require
from sortal.runtime.output import new_file, remove_file, temporary_folder
from sortal.runtime.threads import in_order, one_core, thread_pools
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import distributed

T = TypeVar("T")
R = TypeVar("R")

#: limit of cost: seconds without an answer before the scheduler is checked
PATIENCE = 5.0
#: derived: values that workers store for later passes: data, labels, weights, another
KEPT_VALUES = 4
TIMEOUT = "10s"  # for a scheduler to answer


class LostWorkersError(InputError):
    """No workers are left to compute; the message says why and what to do."""


def as_executor(executor: object) -> tuple[Executor, Callable[[Any], Any]]:
    """An executor, and a function that places a value where its jobs find it.

    Parameters
    ----------
    executor : concurrent.futures.Executor, dask.distributed.Client or str
        A Dask client or its ``get_executor()``, or the address of a scheduler
        (``"tcp://host:8786"``). Local processes read values from files, once each. Another
        executor may have a method ``scatter(value)`` whose result its ``submit`` turns into the
        value; one without gets the value with each job.

    Returns
    -------
    executor : concurrent.futures.Executor
    send : callable
        ``send(value)`` goes to ``submit`` in place of the value.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor() as pool:
    ...     executor, send = as_executor(pool)
    ...     executor.submit(sum, send([1, 2])).result()
    3
    """
    if isinstance(executor, str):
        executor = _connect(executor)
    client = executor if hasattr(executor, "get_executor") else getattr(executor, "_client", None)
    if client is not None and hasattr(client, "scatter"):
        jobs = _OfDask(client, getattr(executor, "_kwargs", {}))
        # to every worker, so that the loss of one loses no data
        # the first worker may take a minute to come
        return jobs, partial(client.scatter, broadcast=True, hash=False, timeout=60.0)
    if not isinstance(executor, Executor):
        raise InputError(
            "executor must be a concurrent.futures.Executor, a dask.distributed.Client or the "
            f"address of a scheduler (tcp://host:8786); got {executor!r}"
        )
    if any(type_name.__name__ == "ProcessPoolExecutor" for type_name in type(executor).__mro__):
        return executor, _Files()
    return executor, getattr(executor, "scatter", _itself)


class Workers:
    """The parts of a pass over data, computed on all cores of this process or by an executor.

    Parameters
    ----------
    executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
        See :func:`as_executor`; None is this process.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     list(Workers(pool).map(max, [3], [1, 5, 2]))
    [3, 5, 3]
    """

    def __init__(self, executor: object = None) -> None:
        self.elsewhere = None if executor is None else as_executor(executor)
        #: values that were sent, and their handles, the last used at the end
        self._sent: list[tuple[Any, Any]] = []

    @classmethod
    def of(cls, executor: object) -> Workers:
        """The given workers themselves, or those of an executor."""
        return executor if isinstance(executor, Workers) else cls(executor)

    def send(self, value: object) -> Any:
        """Handle that stands for a value in jobs; the value must not change afterwards."""
        if self.elsewhere is None or value is None:
            return value
        handle = next((handle for stored, handle in self._sent if stored is value), None)
        if handle is None:
            try:
                handle = self.elsewhere[1](value)
            except (OSError, TimeoutError) as error:
                raise LostWorkersError(
                    f"no worker takes the data ({error}); start some with dask worker "
                    "tcp://host:8786, and call again"
                ) from None
        older = [entry for entry in self._sent if entry[0] is not value]
        self._sent = [*older[1 - KEPT_VALUES :], (value, handle)]
        return handle

    def map(
        self,
        function: Callable[..., R],
        data: Sequence[Any],
        items: Iterable[Any],
        *,
        one_blas_thread: bool = False,
    ) -> Iterator[R]:
        """``function(*data, item)`` of each item, in order.

        An executor gets the data once, where it can keep them. Its jobs have several items, each
        for one core. ``one_blas_thread`` is for this process.
        """
        if self.elsewhere is None:
            yield from in_order(partial(function, *data), items, one_blas_thread=one_blas_thread)
            return
        pending = list(items)
        size = max(-(-len(pending) // 128), 1)  # 128 jobs, whatever the number of workers
        work = partial(_on_one_core, function)
        parts = [pending[i : i + size] for i in range(0, len(pending), size)]
        waiting = deque(self.submit(work, data, batch) for batch in parts)
        try:
            while waiting:
                while not wait([waiting[0]], PATIENCE).done:
                    self.check()
                try:
                    results = waiting.popleft().result()
                except (CancelledError, Exception) as error:
                    self.check()
                    raise (lost(error) or error) from None
                yield from results
        finally:
            for future in waiting:
                future.cancel()

    def submit(
        self, function: Callable[..., R], data: Sequence[Any], *arguments: object
    ) -> Future[R]:
        """``function(*data, *arguments)`` as a job of the executor."""
        assert self.elsewhere is not None
        handles = [self.send(value) for value in data]
        return self.elsewhere[0].submit(function, *handles, *arguments)

    def check(self) -> None:
        """Raise where a Dask scheduler no longer answers: its jobs may never end."""
        client = None if self.elsewhere is None else getattr(self.elsewhere[0], "_client", None)
        if client is not None and client.status != "running":
            raise LostWorkersError(
                "the Dask scheduler no longer answers; finished work is kept, and the same call "
                "resumes from it once a scheduler runs"
            )


def lost(error: BaseException) -> LostWorkersError | None:
    """The error to raise where workers died of a job, or with the data; None for another error."""
    if isinstance(error, CancelledError):
        return LostWorkersError(
            "the workers died, and the data with them, most likely out of memory; give each more, "
            "or start more of them. Finished work is kept, and the same call resumes from it"
        )
    if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
        return LostWorkersError(
            "the worker processes died, most likely out of memory "
            f"({type(error).__name__}); give each more, or use fewer at a time"
        )
    return None


def _on_one_core(function: Callable[..., R], *data_and_items: Any) -> list[R]:
    """Results of a job of several items, computed on one core."""
    *data, items = data_and_items
    with one_core(), thread_pools().limit(limits=1):
        return [function(*data, item) for item in items]


def tree_sum(parts: Iterable[T], add: Callable[[T, T], T]) -> T:
    """Sum of all parts, neighbours first: the order depends on their number alone.

    Only a few partial sums are in memory: the logarithm of the number of parts.

    >>> tree_sum("abcde", lambda x, y: f"({x}{y})")
    '(((ab)(cd))e)'
    """
    sums: list[T] = []
    for number, item in enumerate(parts, 1):
        while number % 2 == 0:
            item = add(sums.pop(), item)
            number //= 2
        sums.append(item)
    total = sums.pop()
    while sums:
        total = add(sums.pop(), total)
    return total


class OnDisk:
    """A value in a file of a folder; sent to a process of this machine, it arrives as the value.

    Each process reads the file once, and maps its arrays, which all processes share.
    """

    def __init__(self, value: object, folder: Path) -> None:
        import joblib

        self.path = str(folder / f"{uuid4().hex}.joblib")
        with new_file(self.path) as file:
            joblib.dump(value, file)
        finalize(self, remove_file, self.path)

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (self.path,)


@lru_cache(maxsize=KEPT_VALUES)
def _loaded(path: str) -> Any:
    """The value in a file, its arrays mapped copy-on-write."""
    import joblib

    # copy-on-write: each process has its own copy of pages that it changes
    value = joblib.load(path, mmap_mode="c")
    return np.asarray(value) if isinstance(value, np.ndarray) else value


class _Files:
    """Sends values to local processes as files, which live as long as they are wanted."""

    def __init__(self) -> None:
        self._folder = temporary_folder()

    def __call__(self, value: object) -> OnDisk:
        return OnDisk(value, Path(self._folder.name))


class _OfDask(Executor):
    """Jobs of a Dask client.

    The client's own executor is not used: its futures never end where a worker dies with a result
    that was not fetched yet.
    """

    def __init__(self, client: distributed.Client, options: dict[str, Any]) -> None:
        self._client, self._options = client, {**options, "pure": False}

    def submit(self, function: Callable[..., R], /, *args: object, **kwargs: object) -> Future[R]:
        """Submit a job to the client; its result arrives in a future of this process."""
        import asyncio

        remote = self._client.submit(function, *args, **kwargs, **self._options)
        future: Future[R] = Future()

        def take_back(future: Future[R]) -> None:
            if future.cancelled() and not remote.done():
                remote.cancel()

        def fetch(remote: distributed.Future) -> None:
            try:
                result = remote.result()
            except (CancelledError, asyncio.CancelledError):
                future.cancel()
                future.set_running_or_notify_cancel()
            except Exception as error:
                future.set_exception(error)
            else:
                if not future.cancelled():
                    future.set_result(result)

        future.add_done_callback(take_back)
        remote.add_done_callback(fetch)
        return future


@lru_cache
def _connect(address: str) -> Any:
    """Dask client of the scheduler at an address."""
    require("distributed", "a Dask cluster")
    import distributed

    client: Any = distributed.Client
    try:
        return client(address, timeout=TIMEOUT)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler answers at {address!r} ({error}); start one with dask scheduler, "
            "and workers with dask worker tcp://host:8786"
        ) from None


def _itself(value: object) -> Any:
    """The value unchanged, for executors that carry it with each job."""
    return value
