"""The runs of a benchmark: which clusterers on which objects, and what became of each try."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.bench.collection import Entry
from karat.clusterers import Clusterer, ExcludedError, as_clusterer, under
from karat.runtime.validation import InputError
from karat.study.execution import run_jobs
from karat.study.jobs import Job
from karat.study.store import Finished, Planned


@dataclass(frozen=True)
class Rules:
    """The procedure: numbers of clusters, tries, and what is drawn."""

    k: str | tuple[int, ...]
    n_init: int
    draw: str | None
    random_state: int

    def check(self) -> None:
        """Raise InputError for what cannot work."""
        if self.k != "classes" and not (
            self.k and all(int(value) == value and value >= 1 for value in self.k)
        ):
            raise InputError(f'k must be "classes" or whole numbers from 1; got {self.k!r}')
        if self.draw == "classes" and self.k == "classes":
            raise InputError('draw="classes" needs the numbers of classes to draw: k=range(2, 11)')
        if self.n_init < 1:
            raise InputError(f"n_init must be at least 1; got {self.n_init}")
        if self.draw not in (None, "classes"):
            raise InputError(f'draw must be "classes" or None; got {self.draw!r}')


@dataclass(frozen=True)
class Part:
    """Objects of a set that are clustered together; None for all."""

    rows: NDArray[np.intp] | None
    tries: tuple[int, ...]
    ks: tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """One fit: a method, the number of its try, and k."""

    method: str
    number: int
    k: int

    @property
    def name(self) -> str:
        """Unique within a part."""
        return json.dumps([self.method, self.number, self.k])


def as_methods(given: Any) -> dict[str, Clusterer]:
    """Clusterers by name."""
    if isinstance(given, Mapping):
        found = {str(name): as_clusterer(one) for name, one in given.items()}
    else:
        records = [as_clusterer(one) for one in ([given] if isinstance(given, str) else given)]
        found = {record.key: record for record in records}
    for name, clusterer in found.items():
        if clusterer.parameter != "n_clusters":
            raise InputError(
                f"{name} takes no number of clusters, it has {clusterer.parameter}; run it "
                "yourself and compare files of labels (Benchmark.from_folder)"
            )
    return found


def parts(entry: Entry, rules: Rules) -> Iterator[Part]:
    """Which objects are clustered by which tries, the same for every method."""
    first = next(iter(entry.references.values()))
    classes = sorted({value for value in first if value is not None}, key=str)
    ks = (len(classes),) if rules.k == "classes" else tuple(int(k) for k in rules.k)
    if rules.draw is None:
        yield Part(None, tuple(range(rules.n_init)), ks)
        return
    for number in range(rules.n_init):
        for k in ks:
            if k <= len(classes):
                rng = np.random.default_rng([rules.random_state, number, k])
                drawn = {classes[i] for i in rng.choice(len(classes), k, replace=False)}
                rows = np.flatnonzero([value in drawn for value in first])
                yield Part(rows, (number,), (k,))


def cells(methods: dict[str, Clusterer], part: Part) -> list[Cell]:
    """What is to be fitted; one try where nothing depends on a seed."""
    return [
        Cell(method, number, k)
        for method, clusterer in methods.items()
        for number in (part.tries if clusterer.depends_on_seed else part.tries[:1])
        for k in part.ks
    ]


def fit(
    X: Any,
    wanted: Sequence[Cell],
    methods: dict[str, Clusterer],
    metric: Any,
    rules: Rules,
    *,
    workers: int = 1,
    executor: Any = None,
    limit: float = math.inf,
) -> Iterator[tuple[Cell, Finished]]:
    """What became of each cell, as it ends."""
    by_name = {cell.name: cell for cell in wanted}
    jobs = []
    for method, clusterer in methods.items():
        own = [
            Planned(cell.name, method, "n_clusters", cell.k, cell.number,
                    rules.random_state + cell.number)
            for cell in wanted
            if cell.method == method
        ]  # fmt: skip
        try:
            fitted = under(clusterer, metric)
        except ExcludedError as error:
            for one in own:
                yield by_name[one.name], Finished(one.name, "excluded", str(error), None, 0.0)
            continue
        # one tree serves every number of clusters
        groups = [own] if fitted.every_k else [[one] for one in own]
        jobs += [Job(fitted, tuple(group)) for group in groups if group]
    for outcomes in run_jobs(X, jobs, workers=workers, executor=executor, share=limit):
        for outcome in outcomes:
            yield by_name[outcome.name], outcome
