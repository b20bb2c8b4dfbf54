"""What comparisons of methods give and say for small tables and folders."""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from pinning import Pins

import sortal
from sortal.bench import (
    Benchmark,
    agreement,
    benchmark,
    collection,
    comparison,
    diagram,
    folder,
    page,
    paper,
    permutation,
    rank_tests,
    results,
    runs,
    statistics,
)


def folder_of(files: dict[str, str]) -> Any:
    """The tables of a folder of label files, or what is wrong with it."""
    with tempfile.TemporaryDirectory() as place:
        for name, content in files.items():
            path = Path(place, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content.replace(" ", "\n"), "utf-8")
        try:
            race = Benchmark.from_folder(place, ["adjusted_rand_index", "purity"])
        except sortal.InputError as error:
            return str(error).replace(place, "HERE")
        entries = {key: [sorted(one.references), {m: sorted(t) for m, t in one.tries.items()}, one.rows is None,
                         [file.replace(place, "HERE") for file in one.by_row]] for key, one in race.sets.items()}  # fmt: skip
        return [entries, race.table, race.failures]


@cache
def race(**options: Any) -> Any:
    """A benchmark of two sets and three methods, one of which fails."""
    rng = np.random.default_rng(0)
    y = np.arange(18) % 3
    X = rng.normal(size=(18, 3)) + 2.5 * np.eye(3)[y]
    sets = {
        "a/one": (X, y),
        "a/two": (X * [1, 1, 0], {"true": y, "merged": y // 2}),
        "b/three": (X[:9], y[:9]),
    }
    return Benchmark(sets, ["ward", "average", "genie"], **options).run()


def told(sets: dict[str, Any]) -> list[str]:
    """What a benchmark says while it runs."""
    lines: list[str] = []
    Benchmark(sets, ["ward", "average"]).run(lines.append)
    return lines


def reported(name: str) -> list[Any]:
    """The files of a report, of CSV the first line."""
    with tempfile.TemporaryDirectory() as place:
        race().report(Path(place, name))
        return [
            [path.name, path.read_text("utf-8").split("\n")[0][:60]]
            for path in sorted(Path(place).iterdir())
        ]


def still(text: str) -> str:
    """A page without the machine that made it, and without seconds."""
    return re.sub(r"[\d.]+ s\b", "SECONDS", text.split("How this was made")[0])


def processors() -> list[str]:
    """The model where the system tells it, where it tells another, and where it tells none."""
    told = []
    for exists, text in ((True, "flags: a\nmodel name\t: Fast 9\n"), (True, "flags"), (False, "")):
        with (
            mock.patch("pathlib.Path.exists", lambda _, exists=exists: exists),
            mock.patch("pathlib.Path.read_text", lambda _, text=text, **options: text),
            mock.patch("platform.processor", return_value="odd"),
        ):
            told.append(page._processor())
    return told


@cache
def names() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    three = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.8, 0.9], "b": [0.8, 0.7, 0.7, 0.9, 0.4], "c": [0.1, 0.2, 0.1, 0.3, 0.2]},
                         index=["x/1", "x/2", "y/1", "y/2", "y/3"])  # fmt: skip
    return {
        **{module.__name__.rpartition(".")[2]: module for module in (
            agreement, benchmark, collection, comparison, diagram, folder, page, paper, permutation,
            rank_tests, results, runs, statistics)},
        "np": np, "pd": pd, "sortal": sortal, "Some": Some, "F": folder_of, "race": race, "still": still, "three": three,
        "C": lambda *a, **k: sortal.bench.compare_methods(*a, **k), "many": pd.DataFrame(rng.normal(size=(12, 4)), columns=list("pqrs")),
        "ties": pd.DataFrame({"a": [1, 1, 2.0], "b": [1, 1, 2.0], "c": [1, 1, 2.0]}), "big": pd.DataFrame(rng.normal(size=(90, 9))), "Benchmark": Benchmark,
        "processors": processors, "told": told, "reported": reported, "clear": pd.DataFrame({"a": np.arange(9) + 2.0, "b": np.arange(9) + 1.0, "c": np.arange(9) + 0.0}), "rng": np.random.default_rng,
    }  # fmt: skip


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
