"""``karat run``: from a data file to the clustering to use."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from karat.cli._answer import as_json, show
from karat.cli._assigned import changes_of, check_ending, load, write_labels
from karat.cli._groups import takes_groups
from karat.cli._input import Documents, LabelledReading, parse_classes, read_dataset
from karat.cli._numbers import parse_clusterers, parse_family
from karat.cli._output import check_target, printable, tell_json
from karat.cli._run_options import Judging, Output, Relations, Sweep
from karat.runtime.validation import InputError, NothingToRankError

if TYPE_CHECKING:
    from karat.datasets import Dataset
    from karat.model import Model
    from karat.study import Answer, Study


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
    from karat.datasets.object_files import OBJECT_FILES
    from karat.study import Study, thinned_parts
    from karat.study.constraints import constraints_among

    sweep, old, classes = _checked(reading, sweep, judging, output)
    varying = None if judging.differences is None else parse_family(judging.differences)
    dataset = _related(read_dataset(reading, documents, metric=relations.metric), relations)
    pairs = judging.constraints and constraints_among(dataset, judging.constraints)
    with Study(
        dataset, metric=None if relations.metric in OBJECT_FILES else relations.metric,
        storage=output.storage, noise=judging.noise, delta=judging.delta,  # type: ignore[arg-type]
        classes=classes, exact=judging.exact or None, random_state=judging.seed, by=judging.by,
        update=judging.update,
    ) as study:  # fmt: skip
        study.command = shlex.join(["karat", *sys.argv[1:]])
        if pairs is not None:
            study.constrain(pairs)
        if varying is not None:
            thinned_parts(
                study.tried, varying[0], scale=varying[1]
            )  # mistakes are told before the sweep
        with _kept_if_interrupted(study):
            if sweep.labelings is not None:
                _add(study, sweep.labelings, sweep.reference, reading.id_column)
            if not sweep.only_labelings:
                names = sweep.clusterer or list(study.tried.fits.default_clusterers)
                study.sweep(parse_clusterers(names), **sweep.tried, **sweep.working)
            study.evaluate(**sweep.working)
        answer = _choose(study, sweep, judging.stability)
        if varying is not None:
            study.differences(varying[0], scale=varying[1])
        _write(study, answer, output, reading)
        _tell(study, answer, sweep.json, judging.alternatives, output, old, reading)


def _checked(
    reading: LabelledReading, sweep: Sweep, judging: Judging, output: Output
) -> tuple[Sweep, Model | None, Any]:
    """The sweep, the older model and the classes, once no option can be found wrong later."""
    from karat.datasets.annotated_matrices import has_clusterings

    for path, option in (
        (output.report, "--report"),
        (output.labels, "--labels"),
        (output.save_model, "--save-model"),
    ):
        check_target(path, option, output.force)
    check_ending(output.labels, "--labels")
    old = None if output.against is None else load(output.against)
    classes = parse_classes(judging.classes)
    if isinstance(classes, list) and -1 in classes:
        raise InputError(
            "--classes: -1 marks unknown classes in files; write that class as another name"
        )
    if sweep.labelings is None and has_clusterings(reading.data):
        sweep = replace(sweep, labelings=Path(reading.data.partition("#")[0]))
    if judging.differences is not None and sweep.labelings is not None:
        raise InputError(
            "--differences makes all clusterings again with a part of the values, which those of "
            "--labelings cannot be"
        )
    if sweep.only_labelings and sweep.labelings is None:
        raise InputError("--only-labelings needs --labelings FILE")
    sweep.tried  # noqa: B018  mistakes are told before anything is read
    return sweep, old, classes


def _related(dataset: Dataset, relations: Relations) -> Dataset:
    """The objects of the data file, with what other files say of them."""
    from karat.datasets import with_relation

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
        table = study.candidates
        told = "interrupted before anything was finished"
        if not table.empty:
            storage, again = study.tried.storage.path, "run the same command again"
            if storage is None:
                storage, i = Path(f"{study.dataset.name}.karat"), 1
                while storage.exists():
                    i += 1
                    storage = storage.with_name(f"{study.dataset.name}-{i}.karat")
                study.save(storage)
                again = f"add --storage {storage}"
            told = f"interrupted; {len(table)} finished candidates are kept in {storage}; "
            told += f"{again} to resume"
        typer.echo(f"karat: {told}", err=True)
        raise typer.Exit(130) from None


def _add(study: Study, path: Path, reference: bool | None, id_column: str | None) -> None:
    from karat.datasets import read_labelings

    own = read_labelings(path, id_column=id_column, ids=study.dataset.ids)
    own.pop(study.dataset.truth_name or "", None)
    for note in own.notes:
        typer.echo(f"Note: {path}: {note}", err=True)
    if own:
        study.add(own, reference=reference)


def _choose(study: Study, sweep: Sweep, stability: bool | None) -> Answer:
    """The answer with all that is known of it, or with why its stability was not judged."""
    in_time = sweep.budget is not None and stability is None
    try:
        study.rank()
    except NothingToRankError as error:
        raise NothingToRankError("\n".join([str(error), *study.dataset.notes])) from None
    if stability is not None:
        with _kept_if_interrupted(study):
            return study.best(stability=stability, **sweep.working)
    try:
        answer = study.best(stability=False if in_time else None, **sweep.working)
    except KeyboardInterrupt:
        # nobody asked for what was interrupted: the answer is there without it
        answer = study.best(stability=False, second_sample=False)
        return replace(answer, stability_skipped="interrupted; --stability judges it")
    if in_time:
        skipped = "--budget was given; --stability judges it"
        answer = replace(answer, stability_skipped=skipped)
    return answer


def _write(study: Study, answer: Answer, output: Output, reading: LabelledReading) -> None:
    from karat.report import write_report

    if output.labels is not None:
        write_labels(study, answer, output.labels, reading)
    if output.save_model is not None:
        answer.save(output.save_model, overwrite=output.force)
    if output.report is not None:
        write_report(study, output.report, overwrite=output.force)


def _tell(
    study: Study,
    answer: Answer,
    json: bool,
    ways: int | None,
    output: Output,
    old: Model | None,
    reading: LabelledReading,
) -> None:
    """The answer, what became of an older one, and where the files are."""
    changes = None if old is None else changes_of(study, answer, old, reading)
    if json:
        told = as_json(study, answer)
        if changes is not None:
            told["changes"] = changes.to_dict()
        if ways is not None:
            told["alternatives"] = study.alternatives(ways).to_dict()
        tell_json(told)
        return
    show(study, answer, ways=ways)
    if changes is not None:
        typer.echo(f"\nAgainst {output.against}:")
        for sentence in changes.sentences:
            typer.echo(f"  {printable(sentence)}")
    for what, path in (
        ("Report", output.report),
        ("Labels", output.labels),
        ("Model", output.save_model),
        ("Study", output.storage),
    ):
        if path is not None:
            typer.echo(f"{what}: {path}")
