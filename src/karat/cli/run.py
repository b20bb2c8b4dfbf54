"""``karat run``: from a data file to the clustering to use."""

from __future__ import annotations

import json as jsonlib
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli._input import (
    ClassesOption,
    DataArgument,
    Drop,
    Encoding,
    Header,
    IdColumn,
    ImputeOption,
    LabelColumn,
    MaxDf,
    Messages,
    MinDf,
    Scale,
    ScaleOption,
    Stemmer,
    Terms,
    TextColumn,
    Truth,
    WeightOption,
    parse_classes,
    read_dataset,
    vectorizer_options,
)
from karat.cli._output import check_target, to_csv

if TYPE_CHECKING:
    from rich.console import Console

    from karat.datasets import Dataset
    from karat.study import Choice, Study


def run(
    data: DataArgument,
    label_column: LabelColumn = None,
    id_column: IdColumn = None,
    drop: Drop = None,
    scale: ScaleOption = Scale.none,
    impute: ImputeOption = None,
    truth: Truth = None,
    header: Header = None,
    encoding: Encoding = "utf-8",
    text_column: TextColumn = None,
    messages: Messages = None,
    terms: Terms = None,
    weight: WeightOption = None,
    min_df: MinDf = None,
    max_df: MaxDf = None,
    stemmer: Stemmer = None,
    k: Annotated[
        str, typer.Option("-k", help="Numbers of clusters: 2:10 (both ends), 2:20:2 or 3,5,8.")
    ] = "2:10",
    clusterer: Annotated[
        list[str] | None,
        typer.Option(
            "--clusterer", "-c", help="Clusterer by name, repeatable; 'all' for every clusterer."
        ),
    ] = None,
    n_init: Annotated[
        int, typer.Option(help="Starts for each k of a clusterer that depends on a seed.")
    ] = 5,
    labelings: Annotated[
        Path | None,
        typer.Option(
            help="Table of your own clusterings to judge with the others, one per column."
        ),
    ] = None,
    only_labelings: Annotated[
        bool, typer.Option(help="Judge the clusterings of --labelings alone; fit nothing.")
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(
            help="Measure that decides (see karat measures), consensus or pac_mdl_bound.",
            show_default="what suits the labels",
        ),
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            help="What outliers are to measures: drop, cluster, singletons, error.",
            show_default="drop",
        ),
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(
            help="With some labels: allowed chance that the guarantee fails.", show_default="0.1"
        ),
    ] = None,
    classes: ClassesOption = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Sample nothing: fit and judge on all objects, however many there are.",
        ),
    ] = False,
    budget: Annotated[
        str | None,
        typer.Option(help="Time for the fits, e.g. 90s, 2m, 1h; what is not done by then is left."),
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="Memory that may be used, e.g. 4G; less than needed ends.")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only print what would be done, and how long it takes.")
    ] = False,
    stability: Annotated[
        bool,
        typer.Option(
            "--stability",
            help="Look for the chosen clusters, and their number, in resamples: takes some hundred "
            "fits for each k, and therefore only when asked.",
        ),
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report to this file.")] = None,
    force: Annotated[
        bool, typer.Option(help="Replace the report and the labels if they exist.")
    ] = False,
    labels: Annotated[
        Path | None, typer.Option(help="Write the chosen labels to this CSV or Parquet file.")
    ] = None,
    storage: Annotated[
        Path | None,
        typer.Option(help="Keep every finished fit and score in this file; resume from it."),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            help="Distance that clusters and judges: euclidean, cosine, cityblock, minkowski:3, "
            "...; precomputed where DATA is the matrix of distances, graph where it is one of "
            "affinities.",
            show_default="cosine for documents, else euclidean",
        ),
    ] = None,
    distances: Annotated[
        Path | None,
        typer.Option(
            help="NPY file with the distances between the objects of DATA, in the same order."
        ),
    ] = None,
    graph: Annotated[
        Path | None,
        typer.Option(help="NPZ file with the graph of the objects of DATA, in the same order."),
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            help="Values of another parameter, repeatable: eps=0.1:2:0.1 (both ends) or "
            "min_samples=5,10."
        ),
    ] = None,
    update: Annotated[
        bool,
        typer.Option(help="Judge a stored study by other labels, --noise or --delta from now on."),
    ] = False,
    workers: Annotated[
        int | None, typer.Option(help="Local processes; one for each core by default.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="All seeds follow from it.", show_default="0")
    ] = None,
    quiet: Annotated[bool, typer.Option(help="Show no progress.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Try many clusterings of a data file, judge them all, and say which one to use and why.

    For example:

    karat run wine --scale standard --report wine.html

    karat run customers.csv --id-column id --drop name -k 2:20

    karat run customers.csv --labelings mine.csv --only-labelings
    karat run news.jsonl --text-column text --report news.html
    """
    from karat.study import Study
    from karat.validation import InputError, NothingToRankError

    check_target(report, "--report", force)
    check_target(labels, "--labels", force)
    listed = parse_classes(classes)
    if isinstance(listed, list) and -1 in listed:
        raise InputError(
            "--classes: -1 marks unknown classes in files; write that class as another name"
        )
    if only_labelings and labelings is None:
        raise InputError("--only-labelings needs --labelings FILE")
    dataset = read_dataset(
        data,
        label_column=label_column,
        id_column=id_column,
        drop=drop,
        scale=scale,
        impute=impute,
        truth=truth,
        header=header,
        encoding=encoding,
        text_column=text_column,
        messages=messages,
        terms=terms,
        vectorizer=vectorizer_options(weight, min_df, max_df, stemmer),
    )
    dataset = _related(dataset, distances, graph)
    numbers = parse_counts(k)
    values = parse_grid(grid or [])
    progress = False if quiet else None
    with Study(
        dataset,
        metric=metric,
        storage=storage,
        noise=noise,  # type: ignore[arg-type]
        delta=delta,
        classes=listed,
        exact=exact or None,
        random_state=seed,
        by=by,
        update=update,
    ) as study:
        study.command = shlex.join(["karat", *sys.argv[1:]])
        try:
            if labelings is not None:
                from karat.datasets import read_labelings

                own = read_labelings(labelings, id_column=id_column, ids=dataset.ids)
                for note in own.notes:
                    typer.echo(f"Note: {labelings}: {note}", err=True)
                study.add(own)
            if not only_labelings:
                names = _names(clusterer or list(study.default_clusterers))
                _sweep(
                    study, names, numbers, values, n_init, workers, budget, memory, plan, json,
                    progress,
                )  # fmt: skip
            study.evaluate(progress=progress)
        except KeyboardInterrupt:
            typer.echo(_interrupted(study), err=True)
            raise typer.Exit(130) from None
        try:
            choice = study.best()
        except NothingToRankError as error:
            raise NothingToRankError("\n".join([str(error), *dataset.notes])) from None
        if stability:
            choice = _judge_stability(study, choice, progress)
        if labels is not None:
            _write_labels(study, choice, labels)
        if report is not None:
            study.report(report, overwrite=force)
        if json:
            typer.echo(jsonlib.dumps(as_json(study, choice)))
        else:
            show(study, choice)
            for path, what in ((report, "Report"), (labels, "Labels"), (storage, "Study")):
                if path is not None:
                    typer.echo(f"{what}: {path}")


def _sweep(
    study: Study,
    names: list[str],
    numbers: list[int],
    grid: dict[str, list[float]],
    n_init: int,
    workers: int | None,
    budget: str | None,
    memory: str | None,
    plan: bool,
    quiet: bool,
    progress: bool | None,
) -> None:
    """Plan, then fit; on large data what scales comes first, with an answer of its own."""
    import time

    from karat.clusterers import catalogue
    from karat.resources import available_cores
    from karat.study.plan import check_memory, parse_bytes, parse_duration

    seconds = None if budget is None else parse_duration(budget)
    if memory is not None:
        check_memory(study, workers or available_cores(), parse_bytes(memory))
    large = any(study.fits_sample(catalogue[name]) for name in names)
    if plan or (large and not quiet):
        expected = study.plan(names, k=numbers, n_init=n_init, workers=workers)
        typer.echo(str(expected), err=not plan)
        if plan:
            raise typer.Exit(0)
    deadline = None if seconds is None else time.monotonic() + seconds

    def sweep(some: list[str]) -> None:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        study.sweep(
            some, k=numbers, grid=grid, n_init=n_init, workers=workers, budget=left,
            progress=progress,
        )  # fmt: skip

    first = [name for name in names if not study.fits_sample(catalogue[name])]
    if large and first and not quiet and not grid:
        sweep(first)
        if not study.candidates.empty:
            choice = study.best()
            typer.echo(f"So far, from {', '.join(first)}: {choice.reasons[0]}", err=True)
        names = [name for name in names if name not in first]
    sweep(names)


def _related(dataset: Dataset, distances: Path | None, graph: Path | None) -> Dataset:
    """The objects of the data file, related by another file."""
    from karat.datasets import with_relation
    from karat.validation import InputError

    if distances is not None and graph is not None:
        raise InputError("give --distances or --graph, not both: one of them clusters and judges")
    if distances is not None:
        return with_relation(dataset, distances, "precomputed")
    return dataset if graph is None else with_relation(dataset, graph, "graph")


def parse_grid(texts: list[str]) -> dict[str, list[float]]:
    """``eps=0.1:2:0.1`` (both ends) or ``min_samples=5,10`` as values by parameter.

    >>> parse_grid(["eps=0.1:0.3:0.1", "min_samples=5,10"])
    {'eps': [0.1, 0.2, 0.3], 'min_samples': [5, 10]}
    """
    from karat.validation import InputError

    grid: dict[str, list[float]] = {}
    for text in texts:
        name, _, given = text.partition("=")
        try:
            values: list[float] = []
            for part in given.split(","):
                first, *rest = (float(piece) for piece in part.split(":"))
                if len(rest) not in (0, 2) or (rest and not rest[1] > 0):
                    raise ValueError
                count = int((rest[0] - first) / rest[1] + 1e-9) + 1 if rest else 1
                step = rest[1] if rest else 0.0
                values += [float(f"{first + i * step:.12g}") for i in range(count)]
        except ValueError:
            values = []
        if not name or not values:
            raise InputError(f"--grid takes name=0.1:2:0.1 or name=5,10; got {text!r}")
        grid[name] = [int(value) if value == int(value) else value for value in values]
    return grid


def _judge_stability(study: Study, choice: Choice, progress: bool | None) -> Choice:
    """The choice again, its reasons with what resampling says."""
    from karat.validation import InputError

    try:
        study.stability(choice.name, progress=progress)
    except InputError as error:
        typer.echo(f"karat: stability was not judged: {error}", err=True)
    except KeyboardInterrupt:
        typer.echo(_interrupted(study), err=True)
        raise typer.Exit(130) from None
    return study.best()


def parse_counts(text: str) -> list[int]:
    """``2:10`` (both ends), ``2:20:2`` or ``3,5,8`` as numbers of clusters."""
    from karat.validation import InputError

    numbers: list[int] = []
    try:
        for part in text.split(","):
            first, *rest = (int(piece) for piece in part.split(":"))
            if len(rest) > 2:
                raise ValueError
            step = rest[1] if len(rest) == 2 else 1
            numbers += range(first, (rest[0] if rest else first) + 1, step)
    except ValueError:
        raise InputError(f"-k takes 2:10, 2:20:2 or 3,5,8; got {text!r}") from None
    if not numbers:
        raise InputError(f"-k {text} names no number of clusters; write the smaller one first")
    return list(dict.fromkeys(numbers))


def _names(names: list[str]) -> list[str]:
    from karat.clusterers import catalogue
    from karat.validation import unknown_name

    for name in names:
        if name != "all" and name not in catalogue:
            raise unknown_name(name, [*catalogue, "all"], "clusterer")
    return list(catalogue) if "all" in names else list(dict.fromkeys(names))


def _interrupted(study: Study) -> str:
    table = study.candidates
    if table.empty:
        return "karat: interrupted before anything was finished"
    storage = study.storage
    if storage is None:
        storage = _free_name(Path(f"{study.dataset.name}.karat"))
        study.save(storage)
    again = f"add --storage {storage}" if study.storage is None else "run the same command again"
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


def _write_labels(study: Study, choice: Choice, path: Path) -> None:
    import numpy as np
    import pandas as pd

    dataset = study.dataset
    rows = np.arange(study.n_objects) if dataset.rows is None else dataset.rows
    table = pd.DataFrame({"row": rows, "id": dataset.ids, "cluster": choice.labels})
    if path.suffix.lower() in (".parquet", ".pq"):
        table.to_parquet(path, index=False)
    else:
        path.write_text(to_csv(table), encoding="utf-8")


def as_json(study: Study, choice: Choice, top: int = 10) -> dict[str, Any]:
    """What machines read: the choice, the best candidates, what failed."""
    from karat.cli.stability import as_json as stability_as_json
    from karat.study.deciders import JUDGE
    from karat.study.judging import details_of

    ranked = study.rank()
    scores = study.scores()
    found = study.judged() if choice.decided_by == JUDGE else None
    resampled = study.kept_stability(choice.name)
    return {
        "data": {
            "name": study.dataset.name,
            "n_objects": study.n_objects,
            "n_features": study.dataset.n_features,
            "notes": list(study.dataset.notes),
        },
        "best": {
            "name": choice.name,
            "clusterer": choice.clusterer,
            "n_clusters": choice.n_clusters,
            "decided_by": choice.decided_by,
            "runner_up": choice.runner_up,
            "reasons": list(choice.reasons),
            "bound": None if choice.bound is None else choice.bound.bound_rate,
            "judge": details_of(found) if found is not None else None,
            "stability": None if resampled is None else stability_as_json(resampled),
        },
        "ranking": jsonlib.loads(
            ranked.head(top).reset_index().to_json(orient="records", double_precision=15)
        ),
        "scores": jsonlib.loads(
            scores.reset_index().to_json(orient="records", double_precision=15)
        ),
    }


WIDE = 100  # characters of a terminal with room for every column


def _expected(row: dict[str, Any]) -> str:
    return f"{row['predicted']:.2f} ({max(row['low'], 0):.2f}–{row['high']:.2f})"


def _show_shortlist(study: Study, console: Console) -> None:
    from rich.table import Table

    found = study.judged()
    if found is None or len(found.shortlist) < 2:
        return
    table = Table(title="Really different and nearly as good", box=None, pad_edge=False)
    for title in ("candidate", "expected ARI", "good for"):
        table.add_column(title)
    for name, use in found.shortlist:
        table.add_row(name, _expected(found.expected(name)), use)
    console.print(table)


def show(study: Study, choice: Choice, top: int = 8) -> None:
    """The answer for a person: the choice, the best candidates, what to mind."""
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    from karat.measures import catalogue
    from karat.study.deciders import against_classifier, as_decider

    console = Console()
    first, *others = choice.reasons
    told = Text(first, style="bold").append("\n" + "\n".join(others), style="not bold")
    console.print(Panel(told, title=study.dataset.name, title_align="left"))
    ranked = study.rank()
    measures = study.scores()
    decider = as_decider(choice.decided_by)
    judged = "predicted" in ranked
    usual = ["silhouette", "informativeness", "adjusted_rand_index"]
    if console.width < WIDE:
        usual.remove("informativeness")
    shown = [m for m in usual if m in measures and m != choice.decided_by]
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    table.add_column("candidate", no_wrap=True)
    titles = [catalogue[m].title.partition(" (")[0] for m in shown]
    for title in ("k", "expected ARI" if judged else decider.title, *titles, "times"):
        table.add_column(title, justify="right")
    values: dict[str, dict[str, float]] = measures[shown].to_dict("index")  # type: ignore[assignment]
    rows: list[dict[str, Any]] = ranked.to_dict("records")  # type: ignore[assignment]
    for name, row in zip(map(str, ranked.index[:top]), rows, strict=False):
        table.add_row(
            str(row["rank"]),
            name,
            str(row["n_clusters"]),
            f"{row['predicted']:.2f}" if judged else decider.text(row["score"]),
            *(f"{values[name][m]:.3f}" for m in shown),
            str(row["reached_by"]),
        )
    console.print(table)
    if judged:
        _show_shortlist(study, console)
    more = len(ranked) - top
    if more > 0:
        console.print(f"... and {more} more distinct clusterings", style="dim")
    if study.n_unfinished:
        console.print(
            f"{study.n_unfinished} candidates were not finished within the budget; the same "
            "command with --storage FILE, or a larger --budget, fits them too",
            markup=False,
        )
    if choice.bound is not None and (yardstick := against_classifier(study, choice.bound)):
        console.print(yardstick, markup=False)
    counts = study.candidates["status"].value_counts()
    for status in ("excluded", "failed", "flagged"):
        if counts.get(status, 0):
            these = study.candidates.query(f"status == '{status}'")
            reason = str(these["reason"].iloc[0])
            console.print(
                f"{counts[status]} {status}, e.g. {these.index[0]!s}: {reason}", markup=False
            )
    if choice.bound is not None:
        console.print(choice.bound.conditions, markup=False, highlight=False)
        for doubt in choice.bound.warnings:
            console.print(f"Warning: {doubt}.", markup=False)
    for note in study.dataset.notes:
        console.print(f"Note: {note}", markup=False)
