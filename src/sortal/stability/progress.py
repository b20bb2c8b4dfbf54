"""Threads that report their progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from sortal.runtime.progress import progress_bar
from sortal.runtime.threads import available_cores


class CountingPool:
    """A pool whose ``map`` advances a bar with each result."""

    def __init__(self, pool: Executor, advance: Callable[[int], None]) -> None:
        self._pool, self._advance = pool, advance

    def map(self, fn: Callable[..., Any], *iterables: Iterable[Any], **options: Any) -> Any:
        """Results of the pool's ``map``; each advances the bar."""
        for result in self._pool.map(fn, *iterables, **options):
            self._advance(1)
            yield result


@contextmanager
def counted(description: str, total: int, *, show: bool | None = None) -> Iterator[CountingPool]:
    """A pool of threads that advances a bar with each item of ``map``.

    Parameters
    ----------
    description : str
    total : int
        Items to come.
    show : bool, optional
        As for :func:`sortal.runtime.progress.progress_bar`.
    """
    from threadpoolctl import threadpool_limits

    with (
        progress_bar(description, total, show=show) as advance,
        threadpool_limits(1),
        ThreadPoolExecutor(available_cores()) as pool,
    ):
        try:
            yield CountingPool(pool, advance)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
