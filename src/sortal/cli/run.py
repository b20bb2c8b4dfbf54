"""``sortal run``: find the clustering to use for a data file."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from sortal.cli._answer import as_json, show, show_all_rows
from sortal.cli._assignments import (
    LABELS_WRITTEN,
    check_form,
    cluster_changes,
    label_folder,
    load_any_model,
    plan_labels,
    print_rest,
    print_stopped,
    write_labels,
)
from sortal.cli._groups import takes_groups
from sortal.cli._input import (
    DocumentOptions,
    LabelledInputOptions,
    parse_classes,
    print_findings,
    read_dataset,
)
from sortal.cli._numbers import parse_clusterers, parse_family
from sortal.cli._output import print_json, printable
from sortal.cli._questions import apart_from_draw, count_questions
from sortal.cli._run_options import JudgingOptions, OutputOptions, RelationOptions, SweepOptions
from sortal.cli._stopping import (
    BudgetSpent,
    Terminated,
    keep,
    stopped_by_signals,
    unused,
    unwrapped,
    within,
)
from sortal.runtime.validation import InputError, NothingToRankError

if TYPE_CHECKING:
    from sortal.datasets import Dataset
    from sortal.datasets.partitioned.partitions import LabelFolder
    from sortal.model import AssignedRows, Changes, Model
    from sortal.study import Answer, Study

SO_FAR = "this is the best answer so far"


@takes_groups
def run(
    reading: LabelledInputOptions,
    documents: DocumentOptions,
    sweep: SweepOptions,
    judging: JudgingOptions,
    relations: RelationOptions,
    output: OutputOptions,
) -> None:
    """Try many clusterings of a data file, judge them all, and say which one to use and why.

    For example:

    sortal run wine --scale standard --report wine.html

    sortal run customers.csv --id-column id --drop name -k 2:20

    sortal run s3://bucket/customers --labels s3://bucket/customer-clusters

    sortal run customers.csv --labelings mine.csv --only-labelings

    sortal run news.jsonl --text-column text --report news.html

    sortal run today.csv --against last-month.sortal-model --labels today.xlsx
    """
    from sortal.datasets.readers import OBJECT_FILES
    from sortal.study import Study, thinned_parts
    from sortal.study.constraints import constraints_among
    from sortal.study.wording.screen import one_line

    start = perf_counter()
    folder = _planned(output, {
        **reading.inputs, "--terms": documents.terms, "--labelings": sweep.labelings,
        "--constraints": judging.constraints, "--distances": relations.distances,
        "--graph": relations.graph, "--against": output.against,
    })  # fmt: skip
    sweep, older_model, classes = _validated(reading, sweep, judging, output)
    reading, marks = apart_from_draw(reading)
    varying = None if judging.differences is None else parse_family(judging.differences)
    executor = sweep.execution["executor"]
    dataset = read_dataset(
        reading, documents, metric=relations.metric, whole=judging.exact, executor=executor
    )
    dataset = _with_relations(dataset, relations)
    check_form(dataset, output.labels, "--labels")
    pairs = judging.constraints and constraints_among(dataset, judging.constraints)
    with stopped_by_signals(), Study(
        dataset, metric=None if relations.metric in OBJECT_FILES else relations.metric,
        storage=output.storage, noise=judging.noise, delta=judging.delta,  # type: ignore[arg-type]
        classes=classes, exact=judging.exact or None, random_state=judging.seed, by=judging.by,
        update=judging.update, column_weights=reading.column_weights,
    ) as study:  # fmt: skip
        study.command = shlex.join(["sortal", *sys.argv[1:]])
        count_questions(study, reading, marks)
        if pairs is not None:
            study.constrain(pairs)
        if varying is not None:
            # fails before the sweep starts
            thinned_parts(study.state, varying[0], scale=varying[1])
        with within(sweep.arguments["budget"]):
            stop = _sweep(study, sweep, reading.id_column)
            study.state.stopped = isinstance(stop, Terminated)
            stop = _judge(study, sweep) or stop
        answer, stop = _choose(study, sweep, judging.stability, stop)
        if varying is not None and stop is None:
            study.differences(varying[0], scale=varying[1])
        is_ended = stop is not None and not isinstance(stop, BudgetSpent)
        assigned = None
        if not is_ended:
            assigned, was_stopped = _assign_all(study, answer, folder, output, sweep.execution)
            is_ended = was_stopped
        is_ended = _write_files(study, answer, output, reading, sweep) or is_ended
        changes = (
            None if older_model is None else cluster_changes(study, answer, older_model, reading)
        )
        try:
            if sweep.json:
                _print_json(study, answer, assigned, changes, judging.alternatives)
            elif sweep.quiet:
                print_findings((f for f in answer.findings if f.severity == "harmful"), err=True)
                typer.echo(printable(one_line(answer, anyway=output.anyway)))
            else:
                seconds = perf_counter() - start
                _print_answer(
                    study, answer, assigned, changes, judging.alternatives, output, seconds
                )
        except KeyboardInterrupt:
            if output.labels is None or (assigned is not None and assigned.left):
                raise
            typer.echo(LABELS_WRITTEN.format(output.labels), err=True)
            is_ended = True
        if is_ended or (assigned is not None and assigned.left):
            raise typer.Exit(130)


def _planned(output: OutputOptions, inputs: dict[str, Any]) -> LabelFolder | None:
    """Check all outputs before any work; the folder of the labels, if they go to one."""
    from sortal.runtime.output import OutputPlan

    plan = OutputPlan(inputs)
    plan.file(output.report, option="--report", overwrite=output.force)
    plan.file(output.save_model, option="--save-model", overwrite=output.force)
    # a file of classes is often given here
    is_file = output.labels is not None and Path(output.labels).is_file() and not output.force
    written = "--labels" + " writes the clusters, and --truth reads classes" * is_file
    folder = plan_labels(plan, output.labels, written, force=output.force)
    plan.addition(output.storage, option="--storage")
    return folder


def _validated(
    reading: LabelledInputOptions,
    sweep: SweepOptions,
    judging: JudgingOptions,
    output: OutputOptions,
) -> tuple[SweepOptions, Model | None, Any]:
    """The sweep, the older model and the classes; raises for any invalid option."""
    from sortal.datasets.formats.annotated_matrices import has_clusterings

    older_model = None if output.against is None else load_any_model(output.against)
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
    sweep.arguments  # noqa: B018  fails before anything is read
    return sweep, older_model, classes


def _with_relations(dataset: Dataset, relations: RelationOptions) -> Dataset:
    """The data set with the distances or the graph in another file."""
    from sortal.datasets import with_relation

    if relations.distances is not None and relations.graph is not None:
        raise InputError("give --distances or --graph, not both: one of them clusters and judges")
    if relations.distances is not None:
        dataset = with_relation(dataset, relations.distances, "precomputed")
    if relations.graph is not None:
        dataset = with_relation(dataset, relations.graph, "graph")
    return dataset


def _sweep(study: Study, sweep: SweepOptions, id_column: str | None) -> KeyboardInterrupt | None:
    """Make the candidates; what stopped that, if finished candidates can be judged."""
    arguments = dict(sweep.arguments)
    if arguments["budget"] is not None:
        arguments["budget"] *= 0.75  # the remainder is for judging
    try:
        if sweep.labelings is not None:
            _add_labelings(study, sweep.labelings, sweep.reference, id_column)
        if not sweep.only_labelings:
            names = sweep.clusterer or list(study.state.fits.default_clusterers)
            with unwrapped():
                study.sweep(parse_clusterers(names), **arguments, **sweep.execution)
    except KeyboardInterrupt as stop:
        keep(study, stop)
        table = study.candidates
        if table.empty or not table["status"].isin(["ok", "flagged"]).any():
            raise typer.Exit(130) from None
        if not isinstance(stop, BudgetSpent):
            typer.echo(f"sortal: {SO_FAR}; Ctrl-C again shortens the judging", err=True)
        return stop
    return None


def _judge(study: Study, sweep: SweepOptions) -> KeyboardInterrupt | None:
    """Judge the candidates; what stopped that, after which few are judged by little."""
    from sortal.study.decision import evaluate_needed

    try:
        with unwrapped():
            evaluate_needed(study.state, **sweep.execution)
            study.rank()
    except KeyboardInterrupt as stop:
        keep(study, stop)
        if not isinstance(stop, BudgetSpent):
            typer.echo(f"sortal: {SO_FAR}; Ctrl-C again ends at once", err=True)
        study.state.stopped = True
        return stop
    except NothingToRankError as error:
        raise NothingToRankError("\n".join([str(error), *study.dataset.notes])) from None
    return None


def _add_labelings(study: Study, path: Path, reference: bool | None, id_column: str | None) -> None:
    """Add the labelings of a file to the study's candidates."""
    from sortal.datasets import read_labelings

    labelings = read_labelings(path, id_column=id_column, ids=study.dataset)
    labelings.pop(study.dataset.truth_name or "", None)
    for note in labelings.notes:
        typer.echo(f"Note: {note if path.name in note else f'{path}: {note}'}", err=True)
    if not labelings:
        return
    study.add(labelings, reference=reference)
    excluded = [name for name, weight in study.dataset.column_weights.items() if weight == 0]
    if excluded:
        typer.echo(
            f"Note: columns of weight 0 ({', '.join(map(repr, excluded))}) do not count for your "
            "clusterings either; --weights equal counts them.",
            err=True,
        )


def _choose(
    study: Study, sweep: SweepOptions, stability: bool | None, stop: KeyboardInterrupt | None
) -> tuple[Answer, KeyboardInterrupt | None]:
    """The answer with its stability, or with the reason why it was not judged; what stopped it."""
    in_time = sweep.budget is not None and stability is None
    skipped = "--budget was given; --stability judges it" if in_time else None
    if stop is not None:
        skipped = "the run was stopped; --stability judges it"
    try:
        checked = False if skipped else stability
        with unwrapped():
            answer = study.best(stability=checked, second_sample=stop is None, **sweep.execution)
    except KeyboardInterrupt as interruption:
        if study.state.stopped and not isinstance(stop, BudgetSpent):
            raise  # the judging was stopped before
        # the stability is optional: the answer is complete without it
        typer.echo("sortal: interrupted; the answer is told without its stability", err=True)
        stop, skipped = interruption, "interrupted; --stability judges it"
        answer = study.best(stability=False, second_sample=False)
    return (answer if skipped is None else replace(answer, stability_skipped=skipped)), stop


def _assign_all(
    study: Study,
    answer: Answer,
    folder: LabelFolder | None,
    output: OutputOptions,
    execution: dict[str, Any],
) -> tuple[AssignedRows | None, bool]:
    """All rows of a table in parts in the answer's clusters, and whether that was stopped.

    None for other data.
    """
    table = study.dataset.whole
    if table is None or (folder is None and table.n_rows == study.n_objects):
        return None, False
    try:
        assigned = answer.assign_all(folder, **execution)
    except KeyboardInterrupt:
        print_stopped(folder)
        return None, True
    if assigned.left and folder is not None:
        model = output.save_model
        if model is None:
            model = unused(study.dataset.name, ".sortal-model")
            answer.model.save(model)
        print_rest(assigned, table.partitions.source, model, folder.target)
    return assigned, False


def _write_files(
    study: Study,
    answer: Answer,
    output: OutputOptions,
    reading: LabelledInputOptions,
    sweep: SweepOptions,
) -> bool:
    """Write the labels, the model and the report, as far as wanted; whether that was stopped."""
    from sortal.report import write_report

    was_stopped = False
    if output.labels is not None and label_folder(output.labels, force=False) is None:
        write_labels(study, answer, Path(output.labels), reading, force=output.force)
    if output.save_model is not None:
        answer.save(output.save_model, overwrite=output.force)
    if sweep.json or output.all or output.report is not None:
        # the tables that these show have all measures; the decision needed few
        try:
            with unwrapped():
                study.evaluate(**sweep.execution)
        except KeyboardInterrupt:
            typer.echo("sortal: interrupted; tables have the measures so far", err=True)
            was_stopped = True
    if output.report is not None:
        write_report(study, output.report, overwrite=output.force)
    return was_stopped


def _print_json(
    study: Study,
    answer: Answer,
    assigned: AssignedRows | None,
    changes: Changes | None,
    ways: int | None,
) -> None:
    """Print the answer, the changes of an older one, and alternatives, as JSON."""
    record = as_json(study, answer)
    if changes is not None:
        record["changes"] = changes.to_dict()
    if ways is not None:
        record["alternatives"] = study.alternatives(ways).to_dict()
    if assigned is not None:
        record["all_rows"] = assigned.to_dict()
    print_json(record)


def _print_answer(
    study: Study,
    answer: Answer,
    assigned: AssignedRows | None,
    changes: Changes | None,
    ways: int | None,
    output: OutputOptions,
    seconds: float,
) -> None:
    """Print the answer with its files, and the changes of an older one."""
    files = [
        (title, str(path))
        for title, path in (
            ("Report", output.report),
            ("Labels", output.labels),
            ("Model", output.save_model),
            ("Study", output.storage),
        )
        if path is not None
    ]
    show(study, answer, output, seconds=seconds, ways=ways, files=files)
    if assigned is not None:
        show_all_rows(study, answer, assigned)
    if changes is not None:
        typer.echo(f"\nAgainst {output.against}:")
        for sentence in changes.sentences:
            typer.echo(f"  {printable(sentence)}")
