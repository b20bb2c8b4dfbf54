"""Options of the commands; those of reading data are in ``_input``, of writing in ``_output``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

# -- of several commands -----------------------------------------------------------------------

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Quiet = Annotated[bool, typer.Option(help="Show no progress.")]
Delta = Annotated[
    float, typer.Option("--delta", help="Allowed probability that the guarantee fails.")
]
Outliers = Annotated[
    str,
    typer.Option(
        "--noise", help="How outliers (-1) are treated: error, cluster, singletons, drop."
    ),
]

# -- of karat run ------------------------------------------------------------------------------

Counts = Annotated[
    str, typer.Option("-k", help="Numbers of clusters: 2:10 (both ends), 2:20:2 or 3,5,8.")
]
Clusterers = Annotated[
    list[str] | None,
    typer.Option(
        "--clusterer", "-c", help="Clusterer by name, repeatable; 'all' for every clusterer."
    ),
]
Starts = Annotated[
    int, typer.Option(help="Starts for each k of a clusterer that depends on a seed.")
]
Labelings = Annotated[
    Path | None,
    typer.Option(help="Table of your own clusterings to judge with the others, one per column."),
]
OnlyLabelings = Annotated[
    bool, typer.Option(help="Choose among the clusterings of --labelings alone.")
]
Reference = Annotated[
    bool | None,
    typer.Option(
        "--reference/--no-reference",
        help="With --only-labelings: let karat look for clusterings of its own to compare with.",
        show_default="--reference",
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        help="What decides: judge, consensus, guarantee, judge-and-labels, or a measure (see "
        "karat measures).",
        show_default="judge; with some labels judge-and-labels, with all of them "
        "adjusted_rand_index",
    ),
]
Noise = Annotated[
    str | None,
    typer.Option(
        help="What outliers are to measures: drop, cluster, singletons, error.",
        show_default="drop",
    ),
]
SomeDelta = Annotated[
    float | None,
    typer.Option(
        help="With some labels: allowed chance that the guarantee fails.", show_default="0.1"
    ),
]
Exact = Annotated[
    bool,
    typer.Option(
        "--exact",
        help="Sample nothing: fit and judge on all objects, however many there are.",
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(help="Time for the fits, e.g. 90s, 2m, 1h; what is not done by then is left."),
]
Stability = Annotated[
    bool | None,
    typer.Option(
        "--stability/--no-stability",
        help="Look for the chosen clusters, and their number, in resamples.",
        show_default="where it takes at most as many fits as the sweep, and without --budget",
    ),
]
Differences = Annotated[
    str | None,
    typer.Option(
        metavar="KIND[:SCALE]",
        help="Test which clusters differ, valid for the whole sweep and choice, by how values vary "
        "about their means: gaussian:VARIANCE (one, or one for each column: 0.2,1.5), gaussian, "
        "gaussian:mixture, poisson, negative-binomial:SIZE or binomial:TRIALS.",
    ),
]
Report = Annotated[Path | None, typer.Option(help="Write an HTML report to this file.")]
ForceBoth = Annotated[bool, typer.Option(help="Replace the report and the labels if they exist.")]
ChosenLabels = Annotated[
    Path | None,
    typer.Option(
        help="Write the rows of DATA with their clusters to this CSV, Parquet or XLSX file."
    ),
]
Against = Annotated[
    Path | None,
    typer.Option(
        help="An older model (--save-model) or study: tell which of its clusters came back, grew, "
        "split or vanished, and whether that is more than chance."
    ),
]
SaveModel = Annotated[
    Path | None,
    typer.Option(help="Write what karat assign needs to put further rows into the clusters."),
]
Storage = Annotated[
    Path | None,
    typer.Option(help="Keep every finished fit and score in this file; resume from it."),
]
Metric = Annotated[
    str | None,
    typer.Option(
        help="Distance that clusters and judges: euclidean, cosine, cityblock, minkowski:3, "
        "...; precomputed where DATA is the matrix of distances, graph where it is one of "
        "affinities.",
        show_default="cosine for documents, else euclidean",
    ),
]
Distances = Annotated[
    Path | None,
    typer.Option(
        help="NPY file with the distances between the objects of DATA, in the same order."
    ),
]
Graph = Annotated[
    Path | None,
    typer.Option(help="NPZ file with the graph of the objects of DATA, in the same order."),
]
Grid = Annotated[
    list[str] | None,
    typer.Option(
        help="Values of what a clusterer without a number of clusters is swept by, repeatable: "
        "eps=0.1:2:0.1 (both ends) or min_cluster_size=5,10."
    ),
]
Alternatives = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Look for up to N really different ways to divide the objects that are each good.",
    ),
]
Constraints = Annotated[
    Path | None,
    typer.Option(
        help="Table of pairs of objects that are known to be together or apart: id,id,must|cannot."
    ),
]
Update = Annotated[
    bool,
    typer.Option(help="Judge a stored study by other labels, --noise or --delta from now on."),
]
LocalProcesses = Annotated[
    int | None, typer.Option(help="Local processes; one for each core by default.")
]
Dask = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Fit and judge on the workers of this Dask scheduler, e.g. tcp://host:8786.",
    ),
]
Seed = Annotated[int | None, typer.Option(help="All seeds follow from it.", show_default="0")]
