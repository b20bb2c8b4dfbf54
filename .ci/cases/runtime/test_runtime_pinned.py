"""What validation says of bad input, and what small helpers give, so that none changes unseen."""

from __future__ import annotations

import concurrent.futures as futures
import errno
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from pinning import Pins, fails
from scipy import sparse

import sortal
from sortal.labelings import indexes
from sortal.runtime import (
    array_files,
    csv_text,
    draws,
    executors,
    extras,
    kept_file,
    numerals,
    output,
    registry,
    resources,
    synonyms,
    threads,
    user_folder,
    validation,
)


def within(work: Callable[[Path], Any]) -> Any:
    """What happens in an empty folder, whose name is left out."""
    with tempfile.TemporaryDirectory() as folder:
        result = work(Path(folder))
        text = isinstance(result, str)
        told = [result] if text else result
        told = [one.replace(folder, "HERE") if isinstance(one, str) else one for one in told]
        return told[0] if text else told


def damaged(change: Callable[[bytearray], Any], kind: Any = kept_file.STUDY) -> str:
    """What is said of a file whose bytes were changed."""

    def work(folder: Path) -> str:
        path = folder / "a.sortal"
        with closing(kept_file.EntryFile(path, kept_file.STUDY, {"a": 1})):
            pass
        content = bytearray(path.read_bytes())
        changed = change(content)
        path.write_bytes(content if changed is None else changed)
        return fails(kept_file.EntryFile, path, kind, {})

    return within(work)


def entries(work: Callable[[Any], Any]) -> Any:
    with closing(kept_file.EntryFile(None, kept_file.STUDY, {"a": 1})) as file:
        return work(file)


def put(file: Any, *rows: Any, replace: bool = False) -> Any:
    with file.transaction():
        for kind, contents in rows:
            file.put(kind, contents, replace=replace)
    return file


def system_error(number: int) -> OSError:
    return OSError(number, f"error {errno.errorcode[number]}")


class Recorded(futures.Executor):
    """An executor that runs at once and remembers how many items each job has."""

    def __init__(self, scatters: bool = False) -> None:
        self.sent: list[Any] = []
        if scatters:
            self.scatter = lambda value: self.sent.append(value) or value

    def submit(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        self.sent.append(len(args))
        future: futures.Future[Any] = futures.Future()
        future.set_result(function(*args))
        return future


def csr(
    data: Any, indices: Any, indptr: Any, shape: Any = (2, 3), kind: Any = sparse.csr_array
) -> Any:
    made = kind(shape)
    made.data, made.indices, made.indptr = map(np.array, (data, indices, indptr))
    return made


class Torch:
    """A tensor that is none: half as many digits come as floats."""

    __module__ = "torch.odd"

    def __init__(self, dtype: str, broken: bool = False) -> None:
        self.dtype, self.broken = dtype, broken

    def detach(self) -> Torch:
        return self

    cpu = detach

    def float(self) -> Any:
        return Some(numpy=lambda: np.array([[1.5, 2]]))

    def numpy(self) -> Any:
        if self.broken:
            raise TypeError("no numbers")
        return np.array([[3.0, 4]])


def state(**variables: str) -> str:
    with (
        mock.patch.dict("os.environ", variables, clear=True),
        mock.patch.object(Path, "home", return_value=Path("/home/me")),
    ):
        return user_folder.state_folder().as_posix()


def plugged(loaded: Any) -> list[str]:
    point = Some(load=lambda: loaded)
    with mock.patch("importlib.metadata.entry_points", return_value=[point]):
        return list(registry.Registry("thing", "some.group", [Some(key="own")]))


@cache
def names() -> dict[str, Any]:
    return {
        **{module.__name__.rpartition(".")[2]: module for module in (
            array_files, csv_text, draws, executors, extras, kept_file, numerals, output, registry, resources,
            synonyms, threads, user_folder, validation)},
        "np": np, "pd": pd, "sparse": sparse, "sortal": sortal, "Some": Some, "within": within, "damaged": damaged,
        "entries": entries, "put": put, "Path": Path, "errno": errno, "OS": system_error, "sqlite3": sqlite3, "csr": csr,
        "S": pd.Series, "T": pd.DataFrame, "Recorded": Recorded, "futures": futures, "Torch": Torch, "state": state, "plugged": plugged,
        "C": validation.check_data, "W": validation.check_sample_weight,
        "O": lambda a, b: indexes.in_order_of(a, b, name="X", other_name="y"),
    }  # fmt: skip


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
