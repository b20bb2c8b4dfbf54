"""What ``karat run`` is told beside how to read: what is tried, what decides, what is written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli._numbers import parse_counts, parse_duration, parse_grid
from karat.cli._options import Classes, Clusterers, Constraints, Counts, Json, Quiet

if TYPE_CHECKING:
    from karat.runtime.executors import Workers


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """What is tried and where, and what is told meanwhile."""

    k: Counts = "2:10"
    clusterer: Clusterers = None
    n_init: Annotated[
        int, typer.Option(help="Starts for each k of a clusterer that depends on a seed.")
    ] = 5
    grid: Annotated[
        list[str] | None,
        typer.Option(
            help="Values of another parameter, repeatable: eps=0.1:2:0.1 (both ends) or "
            "min_samples=5,10."
        ),
    ] = None
    labelings: Annotated[
        Path | None,
        typer.Option(
            help="Table of your own clusterings to judge with the others, one per column."
        ),
    ] = None
    only_labelings: Annotated[
        bool, typer.Option(help="Choose among the clusterings of --labelings alone.")
    ] = False
    reference: Annotated[
        bool | None,
        typer.Option(
            "--reference/--no-reference",
            help="With --only-labelings: let karat look for clusterings of its own to compare "
            "with.",
            show_default="--reference",
        ),
    ] = None
    budget: Annotated[
        str | None,
        typer.Option(help="Time for the fits, e.g. 90s, 2m, 1h; what is not done by then is left."),
    ] = None
    workers: Annotated[
        int | None, typer.Option(help="Local processes; one for each core by default.")
    ] = None
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Fit and judge on the workers of this Dask scheduler, e.g. tcp://host:8786.",
        ),
    ] = None
    quiet: Quiet = False
    json: Json = False

    @cached_property
    def tried(self) -> dict[str, Any]:
        """What :meth:`karat.Study.sweep` is given; mistakes are told before anything is read."""
        return {
            "k": parse_counts(self.k),
            "grid": parse_grid(self.grid or []),
            "n_init": self.n_init,
            "workers": self.workers,
            "budget": None if self.budget is None else parse_duration(self.budget),
        }

    @cached_property
    def working(self) -> dict[str, Any]:
        """Who works, and whether bars are shown: where a terminal decides, None."""
        executor = None if self.dask is None else _workers_at(self.dask)
        return {"executor": executor, "progress": False if self.quiet else None}


@dataclass(frozen=True, kw_only=True)
class Judging:
    """What decides."""

    by: Annotated[
        str | None,
        typer.Option(
            help="What decides: judge, consensus, guarantee, judge-and-labels, or a measure (see "
            "karat measures).",
            show_default="judge; with some labels judge-and-labels, with all of them "
            "adjusted_rand_index",
        ),
    ] = None
    noise: Annotated[
        str | None,
        typer.Option(
            help="What outliers are to measures: drop, cluster, singletons, error.",
            show_default="drop",
        ),
    ] = None
    delta: Annotated[
        float | None,
        typer.Option(
            help="With some labels: allowed chance that the guarantee fails.", show_default="0.1"
        ),
    ] = None
    classes: Classes = None
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Sample nothing: fit and judge on all objects, however many there are.",
        ),
    ] = False
    stability: Annotated[
        bool | None,
        typer.Option(
            "--stability/--no-stability",
            help="Look for the chosen clusters, and their number, in resamples.",
            show_default="where it takes at most as many fits as the sweep, and without --budget",
        ),
    ] = None
    differences: Annotated[
        str | None,
        typer.Option(
            metavar="KIND[:SCALE]",
            help="Test which clusters differ, valid for the whole sweep and choice, by how values "
            "vary about their means: gaussian:VARIANCE (one, or one for each column: 0.2,1.5), "
            "gaussian, gaussian:mixture, poisson, negative-binomial:SIZE or binomial:TRIALS.",
        ),
    ] = None
    alternatives: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Look for up to N really different ways to divide the objects that are each good.",
        ),
    ] = None
    constraints: Constraints = None
    update: Annotated[
        bool,
        typer.Option(help="Judge a stored study by other labels, --noise or --delta from now on."),
    ] = False
    seed: Annotated[
        int | None, typer.Option(help="All seeds follow from it.", show_default="0")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Relations:
    """What else is known of the objects: their distance, a graph, embeddings."""

    metric: Annotated[
        str | None,
        typer.Option(
            help="Distance that clusters and judges: euclidean, cosine, cityblock, minkowski:3, "
            "...; precomputed where DATA is the matrix of distances, graph where it is one of "
            "affinities.",
            show_default="cosine for documents, else euclidean",
        ),
    ] = None
    distances: Annotated[
        Path | None,
        typer.Option(
            help="NPY file with the distances between the objects of DATA, in the same order."
        ),
    ] = None
    graph: Annotated[
        Path | None,
        typer.Option(help="NPZ file with the graph of the objects of DATA, in the same order."),
    ] = None
    embeddings: Annotated[
        Path | None,
        typer.Option(
            help="NPY file with an embedding of each document, in the same order, or NPZ with "
            "embeddings and ids. Clusterers are fitted to the terms and to the embeddings, all "
            "judged by both."
        ),
    ] = None
    representations: Annotated[
        bool,
        typer.Option(
            "--representations",
            help="Of documents: which weighting of the terms (and --embeddings, which imply it) "
            "brings like ones together.",
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class Output:
    """What is written."""

    report: Annotated[Path | None, typer.Option(help="Write an HTML report to this file.")] = None
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Write the rows of DATA with their clusters to this CSV, Parquet or XLSX file."
        ),
    ] = None
    save_model: Annotated[
        Path | None,
        typer.Option(help="Write what karat assign needs to put further rows into the clusters."),
    ] = None
    against: Annotated[
        Path | None,
        typer.Option(
            help="An older model (--save-model) or study: tell which of its clusters came back, "
            "grew, split or vanished, and whether that is more than chance."
        ),
    ] = None
    storage: Annotated[
        Path | None,
        typer.Option(help="Keep every finished fit and score in this file; resume from it."),
    ] = None
    force: Annotated[bool, typer.Option(help="Replace the files if they exist.")] = False


def _workers_at(address: str) -> Workers:
    """Those of a Dask scheduler, without what its libraries log: what goes wrong is told here."""
    import logging

    from karat.runtime.executors import Workers

    workers = Workers(address)
    for name in ("distributed", "distributed.client", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return workers
