"""``karat run``: from a data file to the clustering to use."""

from __future__ import annotations

import json as jsonlib
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli._answer import as_json, show
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
    workers_at,
)
from karat.cli._numbers import parse_clusterers, parse_counts, parse_grid
from karat.cli._output import check_target, to_csv

#: seconds that the fits to a sample must take for an answer to be worked out before them
SOON = 30.0

if TYPE_CHECKING:
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
            help="Measure that decides (see karat measures), consensus or guarantee.",
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
        bool | None,
        typer.Option(
            "--stability/--no-stability",
            help="Look for the chosen clusters, and their number, in resamples.",
            show_default="where it takes at most as many fits as the sweep, and without --budget",
        ),
    ] = None,
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
    embeddings: Annotated[
        Path | None,
        typer.Option(
            help="NPY file with an embedding of each document, in the same order, or NPZ with "
            "embeddings and ids. Clusterers are fitted to the terms and to the embeddings, all "
            "judged by both."
        ),
    ] = None,
    representations: Annotated[
        bool,
        typer.Option(
            "--representations",
            help="Of documents: which weighting of the terms (and --embeddings, which imply it) "
            "brings like ones together.",
        ),
    ] = False,
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
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Fit and judge on the workers of this Dask scheduler, e.g. tcp://host:8786.",
        ),
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
    if embeddings is not None:
        from karat.datasets import with_embeddings

        dataset = with_embeddings(dataset, embeddings)
    if representations and dataset.metric != "cosine":
        raise InputError(
            "--representations compares weightings of the terms of documents; name their texts "
            "with --text-column"
        )
    numbers = parse_counts(k)
    values = parse_grid(grid or [])
    progress = False if quiet else None
    executor = None if dask is None else workers_at(dask)
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
                _add(study, labelings, id_column)
            if not only_labelings:
                names = parse_clusterers(clusterer or list(study.default_clusterers))
                _sweep(
                    study, names, numbers, values, n_init, workers, executor, budget, memory, plan,
                    json, progress,
                )  # fmt: skip
            study.evaluate(executor=executor, progress=progress)
        except KeyboardInterrupt:
            typer.echo(_interrupted(study), err=True)
            raise typer.Exit(130) from None
        try:
            choice = study.best()
        except NothingToRankError as error:
            raise NothingToRankError("\n".join([str(error), *dataset.notes])) from None
        choice = _judge_loss(study, choice, budget, workers, executor, progress)
        choice, skipped = _judge_stability(study, choice, stability, budget, executor, progress)
        if representations or embeddings is not None:
            study.representations()
        if labels is not None:
            _write_labels(study, choice, labels)
        if report is not None:
            study.report(report, overwrite=force)
        if json:
            typer.echo(jsonlib.dumps(as_json(study, choice, skipped=skipped)))
        else:
            show(study, choice)
            if skipped is not None:
                typer.echo(f"Stability was not judged: {skipped}")
            for path, what in ((report, "Report"), (labels, "Labels"), (storage, "Study")):
                if path is not None:
                    typer.echo(f"{what}: {path}")


def _add(study: Study, path: Path, id_column: str | None) -> None:
    from karat.datasets import read_labelings
    from karat.resources import release_memory

    own = read_labelings(path, id_column=id_column, ids=study.dataset.ids)
    for note in own.notes:
        typer.echo(f"Note: {path}: {note}", err=True)
    study.add(own)
    del own
    release_memory()


def _sweep(
    study: Study,
    names: list[str],
    numbers: list[int],
    grid: dict[str, list[float]],
    n_init: int,
    workers: int | None,
    executor: Any,
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
    rest = 0.0
    if plan or (large and not quiet):
        expected = study.plan(names, k=numbers, grid=grid, n_init=n_init, workers=workers)
        typer.echo(str(expected), err=not plan)
        if plan:
            raise typer.Exit(0)
        of_sample = expected.table["on"] < study.n_objects
        rest = float(expected.table["seconds"][of_sample].sum()) / expected.workers
    deadline = None if seconds is None else time.monotonic() + seconds

    def sweep(some: list[str], of: int) -> None:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        left = None if left is None else left * len(some) / of
        study.sweep(
            some, k=numbers, grid=grid, n_init=n_init, workers=workers, executor=executor,
            budget=left, progress=progress,
        )  # fmt: skip

    first = [name for name in names if not study.fits_sample(catalogue[name])]
    if large and not quiet and not grid:
        _first_answer(study, names, numbers)
        if first and rest > SOON:
            sweep(first, len(names))
            if study.candidates["n_clusters"].notna().any():
                study.evaluate(executor=executor, progress=progress)
                choice = study.best()
                typer.echo(f"So far, from {', '.join(first)}: {choice.reasons[0]}", err=True)
            if not study.n_unfinished:
                names = [name for name in names if name not in first]
    if names:
        sweep(names, len(names))


def _first_answer(study: Study, names: list[str], numbers: list[int]) -> None:
    """What a part of the data says, within seconds."""
    from karat.datasets import RELATIONS
    from karat.study import Study
    from karat.study.large import part_of
    from karat.validation import InputError

    quick = [name for name in names if name in ("kmeans", "ward", "spherical-kmeans-refined")]
    if not quick or callable(study.metric) or study.metric in RELATIONS:
        return
    rows = study.sample_rows
    with Study(part_of(study.X, rows, study.metric), metric=study.metric) as part:
        try:
            part.sweep(quick, k=numbers, n_init=1, workers=1, progress=False)
            part.evaluate(progress=False)
            first = part.best().reasons[0]
        except InputError:
            return
    typer.echo(f"First, from {len(rows):,} of the objects: {first}", err=True)


def _related(dataset: Dataset, distances: Path | None, graph: Path | None) -> Dataset:
    """The objects of the data file, related by another file."""
    from karat.datasets import with_relation
    from karat.validation import InputError

    if distances is not None and graph is not None:
        raise InputError("give --distances or --graph, not both: one of them clusters and judges")
    if distances is not None:
        return with_relation(dataset, distances, "precomputed")
    return dataset if graph is None else with_relation(dataset, graph, "graph")


def _judge_loss(
    study: Study,
    choice: Choice,
    budget: str | None,
    workers: int | None,
    executor: Any,
    progress: bool | None,
) -> Choice:
    """The choice again, its reasons with what fitting to a sample loses."""
    from karat.study.loss import SHARE

    share = SHARE if budget is None else 0.0
    try:
        study.sample_agreements(share=share, workers=workers, executor=executor, progress=progress)
    except KeyboardInterrupt:
        typer.echo(_interrupted(study), err=True)
        raise typer.Exit(130) from None
    why = study.reasons().get(choice.name, {}).get("sample_agreement")
    if why is not None:
        typer.echo(f"karat: what the sample loses was not measured: {why}", err=True)
    return study.best()


def _judge_stability(
    study: Study,
    choice: Choice,
    asked: bool | None,
    budget: str | None,
    executor: Any,
    progress: bool | None,
) -> tuple[Choice, str | None]:
    """The choice, its reasons with what resampling says; or why that was not judged."""
    from karat.study.stability import why_not
    from karat.validation import InputError

    if asked is False:
        return choice, None
    try:
        if asked is None:
            skipped = "--budget was given; --stability judges it" if budget else None
            skipped = skipped or why_not(study, choice.name)
            if skipped is not None:
                return choice, skipped
        study.stability(choice.name, executor=executor, progress=progress)
    except InputError as error:
        return choice, str(error)
    except KeyboardInterrupt:
        if asked is None:  # nobody asked for it: the answer is there without it
            return choice, "interrupted; --stability judges it"
        typer.echo(_interrupted(study), err=True)
        raise typer.Exit(130) from None
    except Exception as error:
        if asked:
            raise
        # a clusterer that fits all objects may fail on a part of them
        return choice, f"{type(error).__name__}: {error}"
    return study.best(), None


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
