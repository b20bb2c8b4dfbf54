"""Parts of the runtime against systems, clocks and clients that are made up."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from itertools import count, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from sortal import InputError
from sortal.runtime import (
    draws,
    executors,
    numerals,
    output,
    progress,
    resources,
    threads,
    validation,
)


def test_memory_is_the_least_that_any_source_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {
        "memory.max": "9000\n", "memory.current": "7000\n",
        "memory.stat": "anon 5\ninactive_file 300\n",
        "meminfo": "MemTotal: 9 kB\nMemAvailable: 4 kB", "status": "VmPeak: 8 kB\nVmSize: 3 kB",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(resources, "_CGROUP", tmp_path)
    monkeypatch.setattr(resources, "_PROC", tmp_path / "meminfo")
    monkeypatch.setattr(resources, "_STATUS", tmp_path / "status")
    limit = {"value": 10_000}
    monkeypatch.setattr("resource.getrlimit", lambda _: (limit["value"], 99))
    assert resources._group() == 2300
    assert resources._machine() == 4096
    assert resources._address_space() == 10_000 - 3 * 1024
    assert resources.available_memory() == 2300
    limit["value"] = 5000
    assert resources.available_memory() == 5000 - 3 * 1024
    limit["value"] = 1000
    assert resources._address_space() == 0
    (tmp_path / "memory.current").write_text("9900")
    (tmp_path / "memory.stat").write_text("anon 5")
    assert resources._group() == 0
    (tmp_path / "memory.max").write_text("max")
    assert resources._group() is None
    (tmp_path / "status").unlink()
    assert resources._address_space() is None
    (tmp_path / "meminfo").write_text("MemFree: 4 kB")
    monkeypatch.setattr(
        "os.sysconf", {"SC_AVPHYS_PAGES": 7, "SC_PHYS_PAGES": 9, "SC_PAGE_SIZE": 64}.get
    )
    assert (resources._machine(), resources.total_memory()) == (448, 576)


def test_strips_and_items_on_three_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "available_cores", lambda: 3)
    for n, least, cuts in (
        (2000, 256, [0, 285, 571, 857, 1142, 1428, 1714, 2000]), (511, 256, [0, 511]),
        (512, 256, [0, 256, 512]), (99, 1, [99 * i // 12 for i in range(13)]), (0, 5, [0, 0]),
    ):  # fmt: skip
        found: list[tuple[int, int]] = []
        threads.in_strips(lambda start, stop, to=found: to.append((start, stop)), n, least=least)
        assert sorted(found) == list(pairwise(cuts))
    taken: list[int] = []

    def numbers() -> Any:
        for number in range(40):
            taken.append(number)
            yield number

    results = threads.in_order(lambda x: x * x, numbers())
    assert next(results) == 0
    assert len(taken) == 7  # twice the cores, and the one that was asked for
    assert list(results) == [x * x for x in range(1, 40)]
    me = threading.current_thread()
    assert threads.in_threads(lambda _: threading.current_thread(), [1]) == [me]
    assert me not in threads.in_threads(lambda _: threading.current_thread(), [1, 2])


def test_an_error_cancels_what_has_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    begun, gate = [], threading.Event()

    def work(number: int) -> int:
        begun.append(number)
        if number == 0:
            raise ValueError("zero")
        gate.wait(9)
        return number

    with threads.threads() as each:
        with pytest.raises(ValueError, match="zero"):
            list(each(work, range(5)))
        gate.set()
    assert len(begun) < 5


def test_matrix_products_are_limited_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[Any] = []
    monkeypatch.setattr(
        "threadpoolctl.threadpool_limits", lambda *a: (limits.append(a), ThreadPoolExecutor(1))[1]
    )
    assert list(threads.in_order(abs, [-1, 2])) == [1, 2]
    assert not limits
    assert list(threads.in_order(abs, [-1, 2], one_blas_thread=True)) == [1, 2]
    assert limits == [(1, "blas")]


def test_lines_of_progress_tell_time_and_activity(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = count()
    may_report = threading.Event()

    class Finished:
        def wait(self, seconds: float) -> bool:
            assert seconds == progress.EVERY
            may_report.wait(9)
            return next(turns) > 1

        def set(self) -> None:
            """Nothing to be done."""

    clock = iter([10.0, 135.4, 3699.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(
        progress, "threading", SimpleNamespace(Event=Finished, Thread=threading.Thread)
    )
    with progress._lines("Fitting", 5000) as advance:
        advance(1)
        advance(2)
        may_report.set()
    assert capsys.readouterr().err.splitlines() == [
        "sortal: fitting, 3 of 5,000 after 2:05",
        "sortal: fitting, 3 of 5,000 after 61:29",
    ]


def test_the_latest_activity_is_told() -> None:
    assert progress._now() == ""
    with progress.doing("cluster 2"):
        with progress.doing("cluster 3"):
            assert str(progress._LatestActivity()) == "(cluster 3)"
        assert progress._now() == "(cluster 2)"
    assert progress._now() == ""


def test_a_bar_for_terminals_and_lines_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_bar", "_lines"):
        monkeypatch.setattr(progress, name, partial(Named, name))
    for total, show, terminal, expected in (
        (0, True, True, None), (3, False, True, None), (3, None, False, "_lines"),
        (3, None, True, "_bar"), (3, True, False, "_bar"), (1, None, False, "_lines"),
    ):  # fmt: skip
        monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda yes=terminal: yes))
        with progress.progress_bar("Fit", total, show=show) as advance:
            assert (getattr(advance, "name", None), advance(1)) == (expected, None)


class Named:
    """A context that yields a function with a name."""

    def __init__(self, name: str, description: str, total: int) -> None:
        self.name = name

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to be done."""

    def __call__(self, steps: int) -> None:
        """Nothing to be done."""


def test_drawn_rows_ascend_and_are_different() -> None:
    rows = np.array([5, 3, 9], dtype=np.int32)
    assert draws.draw_rows(rows, 3, 0).tolist() == [5, 3, 9]
    whole = np.arange(4)
    assert draws.draw_rows(whole, 4, 0) is whole
    for seed in range(9):
        drawn = draws.draw_rows(np.arange(0, 12, 2), 5, seed)
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
    jobs, send = executors.as_executor(client)
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
    executors.as_executor(wrapped)[0].submit(min, 3)
    assert client.calls.pop() == ("submit", (min, 3), {"priority": 2, "pure": False})


def test_values_are_sent_once_and_lost_ones_are_told() -> None:
    client = Client()
    workers = executors.Workers(client)
    values = [object() for _ in range(executors.KEPT_VALUES + 1)]
    for value in [values[0], values[0], *values[1:-1]]:
        assert workers.send(value) == ("sent", value)
    assert len(client.calls) == executors.KEPT_VALUES
    workers.send(values[0])  # used again, so it is kept and the second one goes
    workers.send(values[-1])
    assert len(client.calls) == executors.KEPT_VALUES + 1
    workers.send(values[0])
    assert len(client.calls) == executors.KEPT_VALUES + 1
    workers.send(values[1])
    assert len(client.calls) == executors.KEPT_VALUES + 2
    assert workers.send(None) is None
    workers.check()
    client.status = "closed"
    with pytest.raises(executors.LostWorkersError, match="no longer answers"):
        workers.check()
    executors.Workers().check()


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

    found = executors.Workers(Jobs(1)).map(abs, (), range(4))
    assert next(found) == 0
    with pytest.raises(KeyError, match="odd"):
        next(found)
    assert cancelled == [2, 3]


def test_a_value_on_disk_arrives_as_it_was(tmp_path: Path) -> None:
    X = np.arange(6.0).reshape(2, 3)
    stored = executors.OnDisk(X, tmp_path)
    assert [path.suffix for path in tmp_path.iterdir()] == [".joblib"]
    arrived = pickle.loads(pickle.dumps(stored))
    assert type(arrived) is np.ndarray
    np.testing.assert_array_equal(arrived, X)
    arrived[0, 0] = 5
    assert pickle.loads(pickle.dumps(executors.OnDisk({"a": 1}, tmp_path))) == {"a": 1}
    del stored
    assert len(list(tmp_path.iterdir())) <= 1


def _write_and_raise(path: Path, error: Exception) -> None:
    """Begin a file and fail."""
    with output.draft(path) as file:
        file.write(b"x")
        raise error


def test_an_unfinished_file_is_removed(tmp_path: Path) -> None:
    for error, raised in (
        (KeyError("a"), KeyError),
        (OSError(28, "full"), validation.StorageError),
    ):
        with pytest.raises(raised):
            _write_and_raise(tmp_path / "a", error)
        assert not list(tmp_path.iterdir())


def test_values_at_the_limits_of_their_type_pass() -> None:
    for kind in (np.float32, np.float64):
        least, most = validation.smallest_value(kind), validation.largest_value(kind)
        for value in (least * 1.001, most * 0.999, 0.0):
            validation.check_data(np.full((2, 2), value, dtype=kind))
        for value in (least * 0.99, most * 1.01):
            with pytest.raises(InputError, match=r"X has (no value above|values up to)"):
                validation.check_data(np.full((2, 2), value, dtype=kind))
    most = validation.largest_value(np.float64)
    validation.check_data(np.full((2, 2), most))
    validation.check_data(np.full((2, 2), validation.smallest_value(np.float64)))


def test_tables_of_every_package_become_numbers() -> None:
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    expected = np.array([[1.0, 4], [np.nan, 5]])
    for table in (
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [4, 5]}),
        pd.DataFrame({"a": [1, None], "b": [4.0, 5]}),
        polars.DataFrame({"a": [1.0, float("nan")], "b": [4.0, 5]}),
        polars.LazyFrame({"a": [1.0, float("nan")], "b": [4.0, 5]}),
        pyarrow.table({"a": [1.0, float("nan")], "b": [4.0, 5]}),
        np.ma.masked_invalid(expected),
    ):
        found = validation._dense(table, "X")
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, expected)
    assert validation._dense(pd.Series(pd.array([1, 2], dtype="Int64")), "X").tolist() == [1, 2]
    assert validation._dense(pd.DataFrame({"a": ["x"]}), "X").dtype == object


def test_arrays_of_other_libraries_are_brought() -> None:
    class Tensor:
        def __init__(self, kind: str) -> None:
            self.dtype = kind

        def detach(self) -> Any:
            return self

        cpu = detach

        def float(self) -> Any:
            return Tensor("torch.float32 by conversion")

        def numpy(self) -> str:
            return self.dtype

    Tensor.__module__ = "torch.made_up"
    assert validation.on_host(Tensor("torch.float64")) == "torch.float64"
    assert validation.on_host(Tensor("torch.bfloat16")) == "torch.float32 by conversion"


def test_damaged_sparse_data_are_seen_before_an_estimator_follows_them() -> None:
    X = sparse.csr_array(np.eye(3))
    validation.validated(BaseEstimator(), X, accept_sparse="csr")
    X.indices = np.array([0, 1, 7], dtype=X.indices.dtype)
    with pytest.raises(InputError):
        validation.validated(BaseEstimator(), X, accept_sparse="csr")


def test_numbers_up_to_the_last_numeral_are_words() -> None:
    assert [numerals.number_word(n) for n in (0, 1, 12, 13, 1300)] == [
        numerals.NUMERALS[0], "one", "twelve", "13", "1,300",
    ]  # fmt: skip
