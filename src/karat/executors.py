"""Executors, and data that are sent to their workers once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from functools import lru_cache, partial
from typing import Any

from karat.validation import InputError


def as_executor(given: Any) -> tuple[Executor, Callable[[Any], Any]]:
    """An executor, and what puts a value where its jobs find it without carrying it.

    Parameters
    ----------
    given : concurrent.futures.Executor, dask.distributed.Client or str
        A Dask client or its ``get_executor()``, or the address of a scheduler
        (``"tcp://host:8786"``). Another executor may have a method ``scatter(value)`` whose result
        its ``submit`` turns into the value; one without gets the value with each job.

    Returns
    -------
    executor : concurrent.futures.Executor
    send : callable
        ``send(value)`` is to be given to ``submit`` in place of the value.

    Raises
    ------
    InputError
        For something else, an address where no scheduler answers, or a missing extra.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor() as pool:
    ...     executor, send = as_executor(pool)
    ...     executor.submit(sum, send([1, 2])).result()
    3
    """
    if isinstance(given, str):
        given = _connect(given)
    client = given if hasattr(given, "get_executor") else getattr(given, "_client", None)
    if client is not None and hasattr(client, "scatter"):
        executor = given if isinstance(given, Executor) else client.get_executor(pure=False)
        # to every worker, so that the loss of one loses no data
        return executor, partial(client.scatter, broadcast=True, hash=False)
    if not isinstance(given, Executor):
        raise InputError(
            "executor must be a concurrent.futures.Executor, a dask.distributed.Client or the "
            f"address of a scheduler (tcp://host:8786); got {given!r}"
        )
    return given, getattr(given, "scatter", _itself)


@lru_cache
def _connect(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise InputError('a Dask cluster needs distributed: pip install "karat[dask]"') from None
    try:
        return Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler answers at {address!r} ({error}); start one with dask scheduler, "
            "and workers with dask worker tcp://host:8786"
        ) from None


def _itself(value: Any) -> Any:
    return value
