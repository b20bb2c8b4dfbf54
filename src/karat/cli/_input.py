"""The options of every command that reads a data file, and the one way to read it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from karat.datasets import Dataset

PANEL = "Reading the data"


class Scale(StrEnum):
    """Choices of ``--scale``."""

    none = "none"
    standard = "standard"
    robust = "robust"
    minmax = "minmax"


class Impute(StrEnum):
    """Choices of ``--impute``."""

    median = "median"
    mean = "mean"
    most_frequent = "most-frequent"
    drop = "drop"


DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A data file (CSV, TSV, Parquet, NPY, NPZ, Matrix Market), or a packaged set: iris, "
        "wine.",
    ),
]
LabelColumn = Annotated[
    str | None,
    typer.Option(
        "--label-column",
        metavar="NAME",
        help="The column with the class of each object; blank where it is not known.",
        rich_help_panel=PANEL,
    ),
]
IdColumn = Annotated[
    str | None,
    typer.Option(
        "--id-column",
        metavar="NAME",
        help="The column that names the objects.",
        rich_help_panel=PANEL,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="NAME",
        help="A column to exclude; may be given more than once, or several names separated by "
        "commas.",
        rich_help_panel=PANEL,
    ),
]
ScaleOption = Annotated[
    Scale,
    typer.Option("--scale", help="How to scale the features.", rich_help_panel=PANEL),
]
ImputeOption = Annotated[
    Impute | None,
    typer.Option(
        "--impute",
        help="How to replace missing and infinite values, or drop those objects.",
        rich_help_panel=PANEL,
    ),
]
Truth = Annotated[
    str | None,
    typer.Option(
        "--truth",
        metavar="FILE",
        help="A file with the class of each object, one per line, where no column has it.",
        rich_help_panel=PANEL,
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether a text file's first line names the columns; detected if not given.",
        rich_help_panel=PANEL,
    ),
]
Encoding = Annotated[
    str,
    typer.Option("--encoding", help="Encoding of a text file.", rich_help_panel=PANEL),
]


def read_dataset(
    data: str,
    *,
    label_column: str | None = None,
    id_column: str | None = None,
    drop: list[str] | None = None,
    scale: Scale = Scale.none,
    impute: Impute | None = None,
    truth: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
) -> Dataset:
    """Read what the options of a command name; see :func:`karat.datasets.read`."""
    from karat import datasets

    return datasets.read(
        data,
        label_column=label_column,
        id_column=id_column,
        drop=split_names(drop),
        scale=scale.value,
        impute=None if impute is None else impute.value,
        truth=truth,
        header=header,
        encoding=encoding,
    )


def split_names(given: list[str] | None) -> tuple[str, ...]:
    """``--drop a,b --drop c`` as names; quoted names may hold commas.

    >>> split_names(["a,b", '"c, d"'])
    ('a', 'b', 'c, d')
    """
    import csv

    rows = csv.reader(given or [], skipinitialspace=True)
    return tuple(dict.fromkeys(name.strip() for row in rows for name in row if name.strip()))
