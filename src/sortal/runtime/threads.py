"""Threads: the cores available to this process, and a map over them.

Kernels release the interpreter lock, so that threads are enough wherever sortal computes by
itself. Results are in the order of the items and do not depend on the number of cores.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_one_core: ContextVar[bool] = ContextVar("one_core", default=False)


@contextmanager
def one_core() -> Iterator[None]:
    """Give the code in the block one core, because other work runs beside it."""
    token = _one_core.set(True)
    try:
        yield
    finally:
        _one_core.reset(token)


def available_cores() -> int:
    """Processors that this process may use, one within :func:`one_core`.

    The least of three numbers, as joblib counts: the processors that it is bound to, the quota of
    its control group (a container), and the environment variable ``LOKY_MAX_CPU_COUNT``.
    """
    if _one_core.get():
        return 1
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    return _core_count(bound, os.environ.get("LOKY_MAX_CPU_COUNT"))


@lru_cache(maxsize=8)
def _core_count(bound: int, limit: str | None) -> int:
    """The count for these processors and this limit; the files of the group are read once."""
    from joblib import cpu_count

    return int(cpu_count())


@lru_cache(maxsize=1)
def thread_pools() -> Any:
    """Controller of the thread pools of compiled libraries."""
    import sklearn.cluster  # noqa: F401  its thread pools must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def threads(
    *, one_blas_thread: bool = False
) -> Iterator[Callable[[Callable[[T], R], Iterable[T]], Iterator[R]]]:
    """A ``map`` on all cores, in order, with few results in memory at a time.

    The first error, or Ctrl-C, cancels the items that have not begun. ``one_blas_thread`` limits
    matrix products to one thread meanwhile.
    """
    n = available_cores()
    limit: AbstractContextManager[Any] = nullcontext()
    if one_blas_thread:
        from threadpoolctl import threadpool_limits

        limit = threadpool_limits(1, "blas")
    with limit:
        if n == 1:
            yield map
            return
        with ThreadPoolExecutor(n) as pool:

            def each(work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
                iterator = iter(items)
                first = list(islice(iterator, 2))
                if len(first) < 2:  # to start a thread takes longer than most single items
                    yield from map(work, first)
                    return
                waiting: deque[Future[R]] = deque()
                try:
                    for item in chain(first, iterator):
                        waiting.append(pool.submit(work, item))
                        if len(waiting) > 2 * n:
                            yield waiting.popleft().result()
                    while waiting:
                        yield waiting.popleft().result()
                finally:
                    for future in waiting:
                        future.cancel()

            yield each


def in_order(
    work: Callable[[T], R], items: Iterable[T], *, one_blas_thread: bool = False
) -> Iterator[R]:
    """``map(work, items)`` on all cores."""
    with threads(one_blas_thread=one_blas_thread) as each:
        yield from each(work, items)


def in_threads(work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """``[work(item) for item in items]`` on all cores; no thread is started for one item."""
    return list(in_order(work, items))


def in_strips(work: Callable[[int, int], None], n: int, *, least: int = 256) -> None:
    """Call ``work(start, stop)`` on strips of 0..n, side by side where that pays."""
    count = min(available_cores(), max(n // least, 1))
    if count == 1:
        work(0, n)
        return
    # more strips than threads, so that a slow one does not hold up the rest
    parts = min(4 * count, max(n // least, 1))
    cuts = [n * i // parts for i in range(parts + 1)]
    with threads() as each:
        for _ in each(lambda strip: work(*strip), pairwise(cuts)):
            pass
