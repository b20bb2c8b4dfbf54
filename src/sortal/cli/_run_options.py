"""Options of ``sortal run`` for the sweep, the decision, the distance and the output."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from sortal.cli._numbers import parse_counts, parse_duration, parse_grid
from sortal.cli._options import (
    ClassesOption,
    ClustererOption,
    ConstraintsOption,
    JsonOption,
    QuietOption,
)

if TYPE_CHECKING:
    from sortal.runtime.executors import Workers


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """The clusterings to try, where to run them, and progress.

    k: Numbers of clusters: 2:10 (both ends), 2:20:2 or 3,5,8.
    n_init: Starts for each k, for clusterers that depend on a seed.
    grid: Values of a parameter, for clusterers without a number of clusters: eps=0.1:2:0.1 (both
        ends) or min_cluster_size=5,10. Repeatable.
    labelings: Table of your own clusterings to judge with the others, one per column.
    only_labelings: Choose among the clusterings of --labelings alone.
    reference: With --only-labelings: compare with sortal's clusterings.
    budget: Time limit for fits and judging, e.g. 90s, 2m, 1h. The answer says what was not
        finished.
    workers: Local processes; one for each core by default.
    dask: Fit and judge on the workers of this Dask scheduler, e.g. tcp://host:8786.
    """

    k: Annotated[
        str | None, Option("-k", show_default="2:10, and near a larger number that is seen")
    ] = None
    clusterer: ClustererOption = None
    n_init: int = 5
    grid: list[str] | None = None
    labelings: Path | None = None
    only_labelings: bool = False
    reference: Annotated[
        bool | None, Option("--reference/--no-reference", show_default="--reference")
    ] = None
    budget: str | None = None
    workers: int | None = None
    dask: Annotated[str | None, Option(metavar="ADDRESS")] = None
    quiet: QuietOption = False
    json: JsonOption = False

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """Arguments of :meth:`sortal.Study.sweep`; raises for invalid options."""
        return {
            "k": None if self.k is None else parse_counts(self.k),
            "grid": parse_grid(self.grid or []),
            "n_init": self.n_init,
            "workers": self.workers,
            "budget": None if self.budget is None else parse_duration(self.budget),
        }

    @cached_property
    def execution(self) -> dict[str, Any]:
        """The executor, and whether to show progress bars; None leaves it to the terminal."""
        executor = None if self.dask is None else _dask_workers(self.dask)
        return {"executor": executor, "progress": False if self.quiet else None}


@dataclass(frozen=True, kw_only=True)
class JudgingOptions:
    """How the clustering is chosen.

    by: What decides: judge, consensus, guarantee, judge-and-labels, judge-and-pairs, or a measure
        (see sortal measures).
    noise: How measures treat outliers: drop, cluster, singletons, error.
    delta: With some labels: allowed chance that the guarantee fails.
    exact: Fit and judge on all objects, without samples.
    stability: Look for the chosen clusters, and their number, in resamples.
    differences: Test which clusters differ, valid for the whole sweep and choice. Say how values
        vary: gaussian:VARIANCE (or one for each column: 0.2,1.5), gaussian, gaussian:mixture,
        poisson, negative-binomial:SIZE or binomial:TRIALS.
    alternatives: Look for up to N good and very different clusterings.
    update: Judge a stored study by new labels, --noise or --delta.
    seed: Seed; all other seeds follow from it.
    """

    by: Annotated[
        str | None,
        Option(
            show_default="judge; with some labels judge-and-labels, with all of them "
            "adjusted_rand_index, with --constraints judge-and-pairs"
        ),
    ] = None
    noise: Annotated[str | None, Option(show_default="drop")] = None
    delta: Annotated[float | None, Option(show_default="0.1")] = None
    classes: ClassesOption = None
    exact: Annotated[bool, Option("--exact")] = False
    stability: Annotated[
        bool | None,
        Option(
            "--stability/--no-stability",
            show_default="where it takes at most as many fits as the sweep, and without --budget",
        ),
    ] = None
    differences: Annotated[str | None, Option(metavar="KIND[:SCALE]")] = None
    alternatives: Annotated[int | None, Option(metavar="N", min=1)] = None
    constraints: ConstraintsOption = None
    update: bool = False
    seed: Annotated[int | None, Option(show_default="0")] = None


@dataclass(frozen=True, kw_only=True)
class RelationOptions:
    """Relations between the objects: a metric, distances or a graph.

    metric: Distance for clustering and judging: euclidean, cosine, cityblock, minkowski:3, ... Use
        precomputed if DATA has distances, graph if it has affinities.
    distances: Distances between the objects of DATA: a table whose first column names them, or NPY
        in the same order.
    graph: Graph of the objects of DATA: edges between their names, or NPZ in the same order.
    """

    metric: Annotated[str | None, Option(show_default="cosine for documents, else euclidean")] = (
        None
    )
    distances: Path | None = None
    graph: Path | None = None


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """What to print, and the files to write.

    why: Also print the reasons.
    all: Also print every candidate.
    anyway: Show the best split even if no gaps between groups were found.
    report: Write an HTML report to this file.
    labels: Write the rows of DATA with their clusters to this CSV, Parquet or XLSX file. For a
        table in parts: a folder or address, with a Parquet file for each part.
    save_model: Write a model to this file, for sortal assign.
    against: An older model (--save-model) or study: say which of its clusters came back, grew,
        split or vanished, and whether that is more than chance.
    storage: Keep every finished fit and score in this file; resume from it.
    force: Replace unchanged earlier outputs.
    """

    why: Annotated[bool, Option("--why")] = False
    all: Annotated[bool, Option("--all")] = False
    anyway: Annotated[bool, Option("--anyway")] = False
    report: Path | None = None
    labels: Annotated[str | None, Option(metavar="PATH")] = None
    save_model: Path | None = None
    against: Path | None = None
    storage: Path | None = None
    force: bool = False


def _dask_workers(address: str) -> Workers:
    """Workers of a Dask scheduler, without its libraries' log; sortal reports the errors."""
    import logging

    from sortal.runtime.executors import Workers

    workers = Workers(address)
    for name in ("distributed", "distributed.client", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return workers
