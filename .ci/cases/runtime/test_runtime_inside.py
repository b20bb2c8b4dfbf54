"""Parts of the runtime against systems, clocks, clients and files that are made up."""

from __future__ import annotations

import pickle
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
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

from sortal import InputError, StorageError
from sortal.extension import KeptValues
from sortal.runtime import executors, numerals, progress, resources, threads, validation
from sortal.runtime.kept_file import FINISHED_WORK, EntryFile, _explain


def put_and_read(path, key, value):
    KeptValues(path).put(key, value)
    return KeptValues(path).get(key)


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
            assert seconds == 30
            may_report.wait(9)
            return next(turns) > 1

        def set(self) -> None:
            """Nothing to be done."""

    clock = iter([10.0, 135.4, 3699.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(
        progress, "threading", SimpleNamespace(Event=Finished, Thread=threading.Thread)
    )
    with progress._lines("Fitting", 5000, 30) as advance:
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

    def __init__(self, name: str, description: str, total: int, every: float = 0) -> None:
        self.name = name

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to be done."""

    def __call__(self, steps: int) -> None:
        """Nothing to be done."""


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


def test_available_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = resources.available_memory()
    assert real is None or real > 1_000_000
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9000 kB\nMemAvailable: 5000 kB\n")
    monkeypatch.setattr(resources, "_PROC", meminfo)
    monkeypatch.setattr(resources, "_CGROUP", tmp_path)
    assert resources.available_memory() == 5000 * 1024
    (tmp_path / "memory.max").write_text("max")
    assert resources.available_memory() == 5000 * 1024
    (tmp_path / "memory.max").write_text("3000000")
    (tmp_path / "memory.current").write_text("2500000")
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 1000000\n")
    assert resources.available_memory() == 1_500_000
    monkeypatch.setattr(resources, "_PROC", tmp_path / "nothing")
    assert resources.available_memory() == 1_500_000


def test_another_format_is_rejected(tmp_path):
    path = tmp_path / "kept.sortal"
    KeptValues(path)
    with closing(EntryFile(path, FINISHED_WORK, None)) as file, file.transaction():
        file.put("meta", {"format": 99}, replace=True)
    with pytest.raises(StorageError, match="format 99"):
        KeptValues(path)


@pytest.mark.posix
def test_a_kill_in_the_middle_of_a_write_leaves_the_file_whole(tmp_path):
    path = tmp_path / "kept.sortal"
    KeptValues(path).put("a", "old")
    code = f"""
import os, pathlib, signal
from sortal.runtime.kept_file import FINISHED_WORK, EntryFile
path = pathlib.Path({str(path)!r})
file = EntryFile(path, FINISHED_WORK, None, exclusive=False)
file._db.execute("PRAGMA cache_size = 5")
with file.transaction():
    file.put("value", {{"a": "new"}}, replace=True)
    file.put("value", {{str(i): "x" * 3000 for i in range(200)}})
    print(path.stat().st_size, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert int(done.stdout) > 100_000, "nothing was written before the kill"
    assert path.with_name("kept.sortal-journal").exists()
    kept = KeptValues(path)
    assert [kept.get("a"), kept.get("0")] == ["old", None]
    assert put_and_read(path, "a", "new") == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_in_exclusive_use_is_named(tmp_path, monkeypatch):
    path = tmp_path / "kept.sortal"
    kept = KeptValues(path)
    monkeypatch.setattr("sortal.runtime.kept_file._SHARED_WAIT", 0.1)
    with (
        closing(EntryFile(path, FINISHED_WORK, None)),
        pytest.raises(StorageError, match="in use by another process"),
    ):
        kept.put("a", 1)
    assert kept.get("a") is None
    kept.put("a", 1)
    assert KeptValues(path).get("a") == 1


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (sqlite3.DatabaseError("checksum mismatch"), "is damaged"),
        (sqlite3.OperationalError("no such table: entries"), "is damaged"),
        (sqlite3.OperationalError("interrupted"), "kept.sortal: interrupted"),
    ],
)
def test_errors_of_the_database_are_explained(error, words):
    assert words in _explain(error, Path("kept.sortal"))
