"""``karat run``: from a data file to the clustering to use."""

from __future__ import annotations

import json as jsonlib
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from karat.cli import _options as options
from karat.cli._answer import as_json, show
from karat.cli._assigned import changes_of, check_ending, load, write_labels
from karat.cli._groups import takes_groups
from karat.cli._input import (
    ClassesOption,
    Documents,
    LabelledReading,
    parse_classes,
    read_dataset,
    workers_at,
)
from karat.cli._numbers import (
    parse_clusterers,
    parse_counts,
    parse_duration,
    parse_family,
    parse_grid,
)
from karat.cli._output import check_target, printable

if TYPE_CHECKING:
    from karat.datasets import Dataset
    from karat.model import Changes
    from karat.runtime.executors import Workers
    from karat.study import Answer, Study


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """What is tried and where, and what is told meanwhile."""

    k: options.Counts = "2:10"
    clusterer: options.Clusterers = None
    n_init: options.Starts = 5
    grid: options.Grid = None
    labelings: options.Labelings = None
    only_labelings: options.OnlyLabelings = False
    reference: options.Reference = None
    budget: options.Budget = None
    workers: options.LocalProcesses = None
    dask: options.Dask = None
    quiet: options.Quiet = False
    json: options.Json = False

    @cached_property
    def numbers(self) -> list[int]:
        """Numbers of clusters."""
        return parse_counts(self.k)

    @cached_property
    def values(self) -> dict[str, list[float]]:
        """Values of other parameters."""
        return parse_grid(self.grid or [])

    @cached_property
    def executor(self) -> Workers | None:
        """The workers of a Dask scheduler."""
        return None if self.dask is None else workers_at(self.dask)

    @property
    def progress(self) -> bool | None:
        """Whether bars are shown; None where a terminal decides."""
        return False if self.quiet else None


@dataclass(frozen=True, kw_only=True)
class Judging:
    """What decides."""

    by: options.By = None
    noise: options.Noise = None
    delta: options.SomeDelta = None
    classes: ClassesOption = None
    exact: options.Exact = False
    stability: options.Stability = None
    differences: options.Differences = None
    alternatives: options.Alternatives = None
    constraints: options.Constraints = None
    update: options.Update = False
    seed: options.Seed = None


@dataclass(frozen=True, kw_only=True)
class Relations:
    """What else is known of the objects: their distance, a graph."""

    metric: options.Metric = None
    distances: options.Distances = None
    graph: options.Graph = None


@dataclass(frozen=True, kw_only=True)
class Output:
    """What is written."""

    report: options.Report = None
    labels: options.ChosenLabels = None
    save_model: options.SaveModel = None
    against: options.Against = None
    storage: options.Storage = None
    force: options.ForceBoth = False


@takes_groups
def run(
    reading: LabelledReading,
    documents: Documents,
    sweep: Sweep,
    judging: Judging,
    relations: Relations,
    output: Output,
) -> None:
    """Try many clusterings of a data file, judge them all, and say which one to use and why.

    For example:

    karat run wine --scale standard --report wine.html

    karat run customers.csv --id-column id --drop name -k 2:20

    karat run customers.csv --labelings mine.csv --only-labelings

    karat run news.jsonl --text-column text --report news.html

    karat run today.csv --against last-month.karat-model --labels today.xlsx
    """
    from karat.datasets.annotated_matrices import clusterings_in
    from karat.datasets.object_files import OBJECT_FILES
    from karat.report import write_report
    from karat.runtime.validation import InputError
    from karat.study import Study, study_parts
    from karat.study.constraints import constraints_among
    from karat.study.first_run import compile_ahead

    check_target(output.report, "--report", output.force)
    check_target(output.labels, "--labels", output.force)
    check_ending(output.labels, "--labels")
    check_target(output.save_model, "--save-model", output.force)
    old = None if output.against is None else load(output.against)
    listed = _listed(judging.classes)
    if sweep.labelings is None and clusterings_in(reading.data):
        sweep = replace(sweep, labelings=Path(reading.data.partition("#")[0]))
    if judging.differences is not None and sweep.labelings is not None:
        raise InputError(
            "--differences makes all clusterings again with a part of the values, which those of "
            "--labelings cannot be"
        )
    if sweep.only_labelings and sweep.labelings is None:
        raise InputError("--only-labelings needs --labelings FILE")
    sweep.numbers, sweep.values  # noqa: B018  mistakes are told before anything is read
    varying = None if judging.differences is None else parse_family(judging.differences)
    if compile_ahead():
        typer.echo("Compiling for this machine; only the first run takes so long", err=True)
    dataset = _related(read_dataset(reading, documents, metric=relations.metric), relations)
    pairs = judging.constraints and constraints_among(dataset, judging.constraints)
    with Study(
        dataset, metric=None if relations.metric in OBJECT_FILES else relations.metric,
        storage=output.storage, noise=judging.noise, delta=judging.delta,  # type: ignore[arg-type]
        classes=listed, exact=judging.exact or None, random_state=judging.seed, by=judging.by,
        update=judging.update,
    ) as study:  # fmt: skip
        study.command = shlex.join(["karat", *sys.argv[1:]])
        if pairs is not None:
            study.constrain(pairs)
        if varying is not None:
            study_parts(study, varying[0], scale=varying[1])  # mistakes are told before the sweep
        with _kept_if_interrupted(study):
            if sweep.labelings is not None:
                _add(study, sweep, reading.id_column)
            if not sweep.only_labelings:
                _sweep(study, sweep)
            study.evaluate(executor=sweep.executor, progress=sweep.progress)
        answer = _choose(study, sweep, judging.stability)
        if varying is not None:
            study.differences(varying[0], scale=varying[1])
        if output.labels is not None:
            write_labels(study, answer, output.labels, reading)
        if output.save_model is not None:
            answer.save(output.save_model, overwrite=output.force)
        if output.report is not None:
            write_report(study, output.report, overwrite=output.force)
        changes = None if old is None else changes_of(study, answer, old, reading)
        told = {} if changes is None else {"changes": changes.to_dict()}
        if judging.alternatives is not None:
            told["alternatives"] = study.alternatives(judging.alternatives).to_dict()
        if sweep.json:
            typer.echo(jsonlib.dumps({**as_json(study, answer), **told}))
        else:
            show(study, answer, ways=judging.alternatives)
            _tell(output, changes)


def _listed(classes: str | None) -> Any:
    from karat.runtime.validation import InputError

    listed = parse_classes(classes)
    if isinstance(listed, list) and -1 in listed:
        raise InputError(
            "--classes: -1 marks unknown classes in files; write that class as another name"
        )
    return listed


def _related(dataset: Dataset, relations: Relations) -> Dataset:
    """The objects of the data file, with what other files say of them."""
    from karat.datasets import with_relation
    from karat.runtime.validation import InputError

    if relations.distances is not None and relations.graph is not None:
        raise InputError("give --distances or --graph, not both: one of them clusters and judges")
    if relations.distances is not None:
        dataset = with_relation(dataset, relations.distances, "precomputed")
    if relations.graph is not None:
        dataset = with_relation(dataset, relations.graph, "graph")
    return dataset


@contextmanager
def _kept_if_interrupted(study: Study) -> Iterator[None]:
    """On Ctrl-C, end with what is finished in a file and with how to resume."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(_interrupted(study), err=True)
        raise typer.Exit(130) from None


def _add(study: Study, sweep: Sweep, id_column: str | None) -> None:
    from karat.datasets import read_labelings

    path = sweep.labelings
    assert path is not None
    own = read_labelings(path, id_column=id_column, ids=study.dataset.ids)
    own.pop(study.dataset.truth_name or "", None)
    for note in own.notes:
        typer.echo(f"Note: {path}: {note}", err=True)
    if own:
        study.add(own, reference=sweep.reference)


def _sweep(study: Study, sweep: Sweep) -> None:
    study.sweep(
        parse_clusterers(sweep.clusterer or list(study.fits.default_clusterers)),
        k=sweep.numbers,
        grid=sweep.values,
        n_init=sweep.n_init,
        workers=sweep.workers,
        executor=sweep.executor,
        budget=None if sweep.budget is None else parse_duration(sweep.budget),
        progress=sweep.progress,
    )


def _choose(study: Study, sweep: Sweep, stability: bool | None) -> Answer:
    """The answer with all that is known of it, or with why its stability was not judged."""
    from karat.runtime.validation import NothingToRankError

    in_time = sweep.budget is not None and stability is None
    options: dict[str, Any] = {
        "executor": sweep.executor, "progress": sweep.progress,
    }  # fmt: skip
    try:
        study.rank()
    except NothingToRankError as error:
        raise NothingToRankError("\n".join([str(error), *study.dataset.notes])) from None
    try:
        answer = study.best(stability=False if in_time else stability, **options)
    except KeyboardInterrupt:
        if stability is not None:
            typer.echo(_interrupted(study), err=True)
            raise typer.Exit(130) from None
        # nobody asked for what was interrupted: the answer is there without it
        answer = study.best(stability=False, second_sample=False)
        return replace(answer, stability_skipped="interrupted; --stability judges it")
    if in_time:
        skipped = "--budget was given; --stability judges it"
        answer = replace(answer, stability_skipped=skipped)
    return answer


def _tell(output: Output, changes: Changes | None) -> None:
    if changes is not None:
        typer.echo(f"\nAgainst {output.against}:")
        for sentence in changes.sentences:
            typer.echo(f"  {printable(sentence)}")
    written = {
        "Report": output.report,
        "Labels": output.labels,
        "Model": output.save_model,
        "Study": output.storage,
    }
    for what, path in written.items():
        if path is not None:
            typer.echo(f"{what}: {path}")


def _interrupted(study: Study) -> str:
    table = study.candidates
    if table.empty:
        return "karat: interrupted before anything was finished"
    storage, again = study.storage.path, "run the same command again"
    if storage is None:
        storage = _free_name(Path(f"{study.dataset.name}.karat"))
        study.save(storage)
        again = f"add --storage {storage}"
    return (
        f"karat: interrupted; {len(table)} finished candidates are kept in {storage}; "
        f"{again} to resume"
    )


def _free_name(path: Path) -> Path:
    free, i = path, 1
    while free.exists():
        i += 1
        free = path.with_name(f"{path.stem}-{i}{path.suffix}")
    return free
