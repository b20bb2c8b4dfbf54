"""What each command prints for small files, whole, so that none changes unseen. Runs have
too few rows for the learned judge.
"""

from __future__ import annotations

import io
import json
import logging
import re
import shlex
import tempfile
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa
from pinning import Pins, tried
from rich.console import Console
from typer import Exit

from command_line import sortal_command
from sortal.cli import _assignments, _label_files, _numbers, _output, _run_options
from sortal.cli._run_options import SweepOptions
from sortal.datasets import LabelColumns

run = import_module("sortal.cli.run")  # the package has a command of this name

FILES = {
    "own.csv": "three,two\n" + "\n".join(f"{i % 3},{i % 3 > 0:d}" for i in range(12)),
    "named.csv": "id,group\n" + "\n".join(f"r{i},{'abc'[i % 3]}" for i in range(12)),
    "other.csv": "id,cut\n" + "\n".join(f"r{11 - i},{i // 6}" for i in range(12)),
    "short.csv": "0\n1\n1\n", "a.labels": "0\n0\n1\n1\n-1\n2", "b.labels": "0\n0\n1\n2\n2\n2",
    "few.csv": "row,label\n" + "\n".join(f"{i},kind {i % 3}" for i in range(0, 12, 2)),
    "empty.csv": "", "texts.jsonl": "\n".join(json.dumps({"text": t}) for t in ("ship sea", "sea sail", "bread oven", "oven flour")),
    "pairs.csv": "0,3,must\n0,1,cannot\n",
    "far.csv": "a,b\n" + "\n".join(f"{i % 3 - (i % 5 == 4)},{i % 4 - (i == 3)}" for i in range(12)),
    "some.csv": "id,of\n" + "\n".join(f"r{i},{'xy'[i % 2]}" for i in range(3, 14)),
    "many.csv": ",".join("stuvwxyz") + "\n" + "\n".join(",".join(str(i // (j + 1) % 3) for j in range(8)) for i in range(12)),
    "tall.csv": "a,b\n" + "\n".join(f"{i % 21},{i % 22}" for i in range(44)),
    "drawn.csv": "draw,row,label\n" + "\n".join(f"{i + 1},{5 * i % 12},{'pq'[5 * i % 3 > 0]}" for i in range(6)),
    "b/s/truth.csv": "0\n0\n1\n1", "b/s/m.csv": "0\n0\n1\n1", "b/s/n.1.csv": "0\n1\n1\n1", "b/s/n.2.csv": "0\n1\n0\n1",
    "b/t/truth.csv": "0\n1\n1\n1", "b/t/m.csv": "0\n1\n1\n1", "b/t/n.1.csv": "0\n1\n0\n1", "b/t/n.2.csv": "0\n1\n1\n0",
    "b/u/truth.csv": "0\n1\n2", "b/u/m.csv": "0\n1\n1", "b/u/n.1.csv": "0\n0\n0", "b/u/n.2.csv": "0\n1\n2",
}  # fmt: skip


def said(line: str, typed: str = "", columns: int = 100) -> list[Any]:
    """Exit code and output of a command in a folder of small files, and the files it writes."""
    with (
        tempfile.TemporaryDirectory() as place,
        mock.patch.dict("os.environ", {
            "COLUMNS": str(columns), "XDG_STATE_HOME": place + "/state", "LOGNAME": "ann",
        }),
        mock.patch("sys.stdin", io.StringIO(typed.replace(" ", "\n"))),
    ):  # fmt: skip
        folder = Path(place, "here")
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text + "\n", "utf-8")
        X = (
            np.random.default_rng(0).normal(size=(12, 3)).round(2)
            + 7.0 * np.eye(3)[np.arange(12) % 3]
        )
        pd.DataFrame(X, columns=["age", "size", "len"]).assign(
            id=[f"r{i}" for i in range(12)]
        ).to_csv(folder / "x.csv", index=False)
        told: list[Any] = []
        for words in line.split(" && "):
            done = sortal_command(*shlex.split(words), cwd=folder)
            told += [done.returncode, still(done.stdout, place), still(done.stderr, place)]
        given = {*FILES, "x.csv", "b"}
        new = sorted(path for path in folder.iterdir() if path.name not in given)
        told.append({path.name: still(written(path), place) for path in new})
        return told


def written(path: Path) -> str | None:
    """The table or text in a file."""
    if path.suffix in (".parquet", ".pq"):
        return pd.read_parquet(path).to_csv()
    if path.suffix in (".csv", ".tsv", ".txt", ".tex"):
        return path.read_text("utf-8")
    return None


def out(work: Callable[..., Any], *arguments: Any, **options: Any) -> list[Any]:
    """What a call gives, and what it prints on both outputs."""
    told = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict("os.environ", {"COLUMNS": "100"}), redirect_stdout(told[0]),
        redirect_stderr(told[1]),
    ):  # fmt: skip
        try:
            given = tried(work, *arguments, **options)
        except Exit as end:
            given = f"exit {end.exit_code}"
    return [given, *(one.getvalue() for one in told)]


def within(work: Callable[[], Any]) -> Any:
    """What some work gives in an empty folder, and the files it leaves there."""
    with tempfile.TemporaryDirectory() as place, chdir(place):
        given = work()
        return [given, {path.name: written(path) for path in sorted(Path().iterdir())}]


def still(text: str | None, place: str) -> str | None:
    """A text without clock, folder, version, machine, and digits that processors differ in."""
    if text is None:
        return None
    text = re.sub(r"\x1b\[[\d;]*m", "", text.replace(place, "PLACE"))
    if "Usage:" in text:  # by the name of the program, in a box as wide as the terminal
        text = re.sub(r"[\s╭╮╰╯│─]+", " ", text.partition("Error")[2])
    text = re.sub(r"machine: [^;]*", "machine: MACHINE", text)
    text = re.sub(r"\d+\.\d{7,}", lambda number: f"{float(number[0]):.6f}", text)
    text = re.sub(r'"(seconds|digest|partition|version)": [^,}]*', r'"\1": 0', text)
    return re.sub(r"\b(in )?\d+ s\b|\d+\.\d+\.\d+[\w.]*|#[0-9a-f]{8}", "TIME", text)


def write_rows(name: str) -> None:
    """Write two blocks of rows to a file."""
    blocks = [
        pd.DataFrame({"a": [1, 2], "b": ["=x", "y,\tz"]}), pd.DataFrame({"a": [3], "b": ["w"]}),
    ]  # fmt: skip
    _assignments.write_rows(Path(name), blocks, overwrite=True)


def made(stop: Any, statuses: list[str]) -> Any:
    """A study whose candidates have these statuses, and whose work is stopped."""

    def work(*arguments: Any, **options: Any) -> None:
        print(*arguments, options)
        if stop is not None:
            raise stop

    table = pd.DataFrame({"status": statuses}, index=range(len(statuses)))
    return Some(candidates=table, sweep=work, evaluate=work, rank=work, save=print,
                state=Some(fits=Some(default_clusterers=("ward",)), storage=Some(path="s.sortal"),
                           stopped=False), dataset=Some(name="data", notes=("a note",)))  # fmt: skip


@dataclass
class Told:
    stability_skipped: str | None = None


def chosen(stop: Any, budget: str | None, stability: bool | None, inner: Any) -> Any:
    """The answer of a study whose first attempt may be stopped, and what was asked for."""
    stops = [inner] if inner else []

    def best(**options: Any) -> Told:
        print(options)
        if stops:
            raise stops.pop()
        return Told()

    study: Any = Some(best=best, state=Some(stopped=False))
    return out(lambda: run._choose(study, SweepOptions(budget=budget), stability, stop))


def labelled(labels: dict[str, Any], rows: Any) -> LabelColumns:
    """Labelings of a file."""
    columns = LabelColumns({name: np.array(one) for name, one in labels.items()})
    columns.rows = rows
    return columns


def workers_of(address: str) -> Any:
    """What the workers of a Dask scheduler are made of."""
    with mock.patch("sortal.runtime.executors.Workers", lambda *given: given):
        return _run_options._dask_workers(address)


@cache
def names() -> dict[str, Any]:
    shared = {"said": said, "out": out, "within": within, "Some": Some, "Path": Path, "pa": pa,
              "write_rows": write_rows, "workers_of": workers_of, "logging": logging, "made": made, "chosen": chosen, "labelled": labelled,
              "console": lambda width: Console(width=width)}  # fmt: skip
    return shared | {"numbers": _numbers, "output": _output, "files": _label_files}


test_the_answer_is_the_pinned_one = Pins(__file__, names, "cli").test()
