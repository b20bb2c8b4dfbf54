"""Workers against clients that are made up, draws, and files that fail half-way."""

from __future__ import annotations

from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sortal import StorageError
from sortal.extension import draw_rows
from sortal.runtime import LostWorkersError, Workers, as_executor, output


def test_drawn_rows_ascend_and_are_different() -> None:
    rows = np.array([5, 3, 9], dtype=np.int32)
    assert draw_rows(rows, 3, 0).tolist() == [5, 3, 9]
    whole = np.arange(4)
    assert draw_rows(whole, 4, 0) is whole
    for seed in range(9):
        drawn = draw_rows(np.arange(0, 12, 2), 5, seed)
        assert sorted(set(drawn.tolist())) == drawn.tolist()
        assert len(drawn) == 5


class Remote:
    """A job of a made-up client."""

    def __init__(self, result: Any = None, done: bool = False) -> None:
        self.value, self.is_done, self.cancelled = result, done, False

    def add_done_callback(self, function: Any) -> None:
        self.callback = function

    def result(self) -> Any:
        if isinstance(self.value, BaseException):
            raise self.value
        return self.value

    def done(self) -> bool:
        return self.is_done

    def cancel(self) -> None:
        self.cancelled = True

    def end(self, value: Any) -> None:
        self.value, self.is_done = value, True
        self.callback(self)


class Client:
    """A made-up client of Dask."""

    status = "running"

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.remote = Remote()

    def get_executor(self) -> None:
        """What tells a client from others."""

    def scatter(self, value: object, **options: object) -> tuple[str, object]:
        self.calls.append(("scatter", value, options))
        return "sent", value

    def submit(self, *arguments: object, **options: object) -> Remote:
        self.calls.append(("submit", arguments, options))
        return self.remote


def test_jobs_of_a_client_end_as_its_own_do() -> None:
    client = Client()
    jobs, send = as_executor(client)
    assert send([1]) == ("sent", [1])
    assert client.calls.pop() == (
        "scatter",
        [1],
        {"broadcast": True, "hash": False, "timeout": 60.0},
    )
    future = jobs.submit(max, 1, 2)
    assert client.calls.pop() == ("submit", (max, 1, 2), {"pure": False})
    client.remote.end(7)
    assert future.result(1) == 7
    assert not client.remote.cancelled
    client.remote = Remote()
    future = jobs.submit(max, 1, 2)
    client.remote.end(ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        future.result(1)
    client.remote = Remote()
    future = jobs.submit(max, 1, 2)
    client.remote.end(CancelledError())
    with pytest.raises(CancelledError):
        future.result(1)
    for done, cancelled in ((False, True), (True, False)):
        client.remote = Remote(done=done)
        future = jobs.submit(max, 1, 2)
        assert future.cancel()
        assert client.remote.cancelled is cancelled
        client.remote.end(3)  # too late
        assert future.cancelled()
    wrapped = SimpleNamespace(_client=client, _kwargs={"priority": 2})
    as_executor(wrapped)[0].submit(min, 3)
    assert client.calls.pop() == ("submit", (min, 3), {"priority": 2, "pure": False})


def test_values_are_sent_once_and_lost_ones_are_told() -> None:
    client = Client()
    workers = Workers(client)
    values = [object() for _ in range(5)]
    for value in [values[0], values[0], *values[1:-1]]:
        assert workers.send(value) == ("sent", value)
    assert len(client.calls) == 4
    workers.send(values[0])  # used again, so it is kept and the second one goes
    workers.send(values[-1])
    assert len(client.calls) == 5
    workers.send(values[0])
    assert len(client.calls) == 5
    workers.send(values[1])
    assert len(client.calls) == 6
    assert workers.send(None) is None
    workers.check()
    client.status = "closed"
    with pytest.raises(LostWorkersError, match="no longer answers"):
        workers.check()
    Workers().check()


def test_an_error_of_a_job_cancels_the_waiting_ones() -> None:
    cancelled: list[int] = []

    class Job(Future[Any]):
        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

        def cancel(self) -> bool:
            cancelled.append(self.number)
            return True

    class Jobs(ThreadPoolExecutor):
        numbers = count()

        def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Any:
            job = Job(next(self.numbers))
            job.set_exception(KeyError("odd")) if job.number == 1 else job.set_result([job.number])
            return job

    found = Workers(Jobs(1)).map(abs, (), range(4))
    assert next(found) == 0
    with pytest.raises(KeyError, match="odd"):
        next(found)
    assert cancelled == [2, 3]


def _write_and_raise(path: Path, error: Exception) -> None:
    """Begin a file and fail."""
    with output.draft(path) as file:
        file.write(b"x")
        raise error


def test_an_unfinished_file_is_removed(tmp_path: Path) -> None:
    for error, raised in (
        (KeyError("a"), KeyError),
        (OSError(28, "full"), StorageError),
    ):
        with pytest.raises(raised):
            _write_and_raise(tmp_path / "a", error)
        assert not list(tmp_path.iterdir())
