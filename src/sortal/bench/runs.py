"""The runs of a benchmark: clusterers, objects, and the outcome of each try."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sortal.bench.collection import Entry
from sortal.clusterers import Clusterer, ExcludedError, as_clusterer, under
from sortal.runtime.validation import InputError
from sortal.study.execution import run_jobs
from sortal.study.jobs import Job
from sortal.study.store import Finished, Planned

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sortal.typing import Estimator, Metric, Rows

    #: a clusterer's name, its record, or an estimator
    Method: TypeAlias = str | Clusterer | Estimator
    Methods: TypeAlias = str | Iterable[Method] | Mapping[str, Method]


@dataclass(frozen=True)
class Rules:
    """The procedure of a benchmark: numbers of clusters, tries, and the draw of objects."""

    k: str | tuple[int, ...]
    n_init: int
    draw: str | None
    random_state: int

    def check(self) -> None:
        """Raise InputError for invalid or contradictory settings."""
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
class Subset:
    """Objects of a set that are clustered together: row numbers, or None for all."""

    rows: NDArray[np.intp] | None
    tries: tuple[int, ...]
    ks: tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """A single fit: a method, the number of its try, and k."""

    method: str
    number: int
    k: int

    @property
    def name(self) -> str:
        """Name that is unique within a subset."""
        return json.dumps([self.method, self.number, self.k])


def as_methods(clusterers: Methods) -> dict[str, Clusterer]:
    """Clusterers by name; raises for one without a number of clusters."""
    if isinstance(clusterers, Mapping):
        methods = {str(name): as_clusterer(clusterer) for name, clusterer in clusterers.items()}
    else:
        records = [
            as_clusterer(clusterer)
            for clusterer in ([clusterers] if isinstance(clusterers, str) else clusterers)
        ]
        methods = {record.key: record for record in records}
    for name, clusterer in methods.items():
        if clusterer.parameter != "n_clusters":
            raise InputError(
                f"{name} takes no number of clusters, it has {clusterer.parameter}; run it "
                "yourself and compare files of labels (Benchmark.from_folder)"
            )
    return methods


def subsets(entry: Entry, rules: Rules) -> Iterator[Subset]:
    """Objects of each try, the same for every method."""
    first = next(iter(entry.references.values()))
    classes = sorted({value for value in first if value is not None}, key=str)
    ks = (len(classes),) if rules.k == "classes" else tuple(int(k) for k in rules.k)
    if rules.draw is None:
        yield Subset(None, tuple(range(rules.n_init)), ks)
        return
    for number in range(rules.n_init):
        for k in ks:
            if k <= len(classes):
                rng = np.random.default_rng([rules.random_state, number, k])
                drawn = {classes[i] for i in rng.choice(len(classes), k, replace=False)}
                rows = np.flatnonzero([value in drawn for value in first])
                yield Subset(rows, (number,), (k,))


def cells(methods: dict[str, Clusterer], subset: Subset) -> list[Cell]:
    """The fits of a subset; a clusterer that does not depend on a seed has a single try."""
    return [
        Cell(method, number, k)
        for method, clusterer in methods.items()
        for number in (subset.tries if clusterer.depends_on_seed else subset.tries[:1])
        for k in subset.ks
    ]


def fit(
    X: Rows,
    wanted: Sequence[Cell],
    methods: dict[str, Clusterer],
    metric: Metric,
    rules: Rules,
    *,
    workers: int,
    executor: Any,
    limit: float,
) -> Iterator[tuple[Cell, Finished]]:
    """Each cell with its outcome, as soon as it ends."""
    by_name = {cell.name: cell for cell in wanted}
    jobs = []
    for method, clusterer in methods.items():
        planned = [
            Planned(cell.name, method, "n_clusters", cell.k, cell.number,
                    rules.random_state + cell.number)
            for cell in wanted
            if cell.method == method
        ]  # fmt: skip
        try:
            fitted = under(clusterer, metric)
        except ExcludedError as error:
            for plan in planned:
                yield by_name[plan.name], Finished(plan.name, "excluded", str(error), None, 0.0)
            continue
        # one tree serves every number of clusters
        groups = [planned] if fitted.every_k else [[plan] for plan in planned]
        jobs += [Job(fitted, tuple(group)) for group in groups if group]
    for outcomes in run_jobs(X, jobs, workers=workers, executor=executor, share=limit):
        for outcome in outcomes:
            yield by_name[outcome.name], outcome
