"""Options shared by several commands; the options of reading data are in ``_input``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

#: the option ``--json``
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
QuietOption = Annotated[bool, typer.Option(help="Print one line, without progress.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace unchanged earlier outputs.")]
OnOption = Annotated[
    Literal["same", "inner"],
    typer.Option(
        "--on", help="Whether the files must have the same objects, or the common ones are taken."
    ),
]
DaskOption = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Work on the workers of this Dask scheduler.")
]
#: the option ``--seed``
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of the draw.")]
DeltaOption = Annotated[
    float, typer.Option("--delta", help="Allowed probability that the guarantee fails.")
]
NoiseOption = Annotated[
    str,
    typer.Option(
        "--noise", help="How outliers (-1) are treated: error, cluster, singletons, drop."
    ),
]
ClustererOption = Annotated[
    list[str] | None,
    typer.Option(
        "--clusterer", "-c", help="Clusterer by name, repeatable; 'all' for every clusterer."
    ),
]
ClassesOption = Annotated[
    str | None,
    typer.Option(
        "--classes",
        metavar="LIST",
        help="With some labels: all possible classes (a,b,c), or their number (3). The guarantee "
        "then assumes this; by default it assumes nothing.",
    ),
]
ConstraintsOption = Annotated[
    Path | None,
    typer.Option(
        help="Table of pairs of objects that are known to be together or apart: id,id,must|cannot."
    ),
]
