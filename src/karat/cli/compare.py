"""``karat compare``: a clustering with a gold standard, or with another clustering."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli._output import Force, check_target

if TYPE_CHECKING:
    import pandas as pd

    from karat.contingency import ContingencyTable

SHOWN = 20


def compare(
    true: Annotated[
        Path,
        typer.Argument(
            metavar="TRUE",
            help="Labels of the gold standard, CSV or Parquet; or one file with both, see "
            "--columns.",
        ),
    ],
    pred: Annotated[
        Path | None, typer.Argument(metavar="PRED", help="Labels of the clustering.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="TRUE,PRED",
            help="The label columns: both in the one file, or one in each of the two.",
        ),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option(
            "--id-column",
            metavar="NAME",
            help="Join the two files by this column; otherwise row by row.",
        ),
    ] = None,
    noise: Annotated[
        str,
        typer.Option(
            "--noise", help="How outliers (-1) are treated: error, cluster, singletons, drop."
        ),
    ] = "error",
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether a text file's first line names the columns; detected if not given.",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw the table to this HTML file."),
    ] = None,
    force: Force = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Compare a clustering with a gold standard by every external measure.

    The files may be larger than memory. Objects that only one of two joined files has are
    excluded and counted.
    """
    import json as jsonlib

    from karat.contingency import ContingencyTable
    from karat.validation import check_choice

    check_target(picture, "--picture", force)
    check_choice(noise, ("error", "cluster", "singletons", "drop"), "--noise")
    groups, left_out = _read(true, pred, columns, id_column, header)
    policy: Any = noise
    table = ContingencyTable.from_counts(*groups, noise=policy)
    measures = _judge(table)
    if picture is not None:
        from karat.plot import contingency

        contingency(table).write_html(picture, include_plotlyjs=True)
    if json:
        answer = {
            "objects": table.n,
            "classes": table.shape[0],
            "clusters": table.shape[1],
            "coverage": table.coverage,
            "left_out": left_out,
            "measures": measures,
            "by_cluster": _records(table.by_cluster(), "cluster"),
            "by_class": _records(table.by_class(), "class"),
        }
        typer.echo(jsonlib.dumps(answer, allow_nan=False))
        return
    _print(table, measures, left_out)


def _read(
    true: Path, pred: Path | None, columns: str | None, id_column: str | None, header: bool | None
) -> tuple[Any, dict[str, int]]:
    """Groups with their counts, and how many objects of either file have no partner."""
    import csv

    from karat.datasets.label_files import (
        LabelFile,
        connect,
        count_columns,
        count_joined,
        count_rows,
    )
    from karat.validation import InputError

    names = next(csv.reader([columns])) if columns else None
    if names is not None and len(names) != 2:
        raise InputError(f"--columns takes two names separated by a comma; got {columns!r}")
    connection = connect()
    gold = LabelFile(connection, true, header=header)
    if pred is None:
        if names is None:
            raise InputError(
                "one file needs --columns TRUE,PRED; it has "
                f"{', '.join(map(repr, gold.columns))}. Or give a second file"
            )
        if id_column is not None:
            gold.check_ids(id_column)
        return count_columns(gold, names[0], names[1]), {}
    found = LabelFile(connection, pred, view="found", header=header)
    if names is None:
        names = [gold.only_column(id_column), found.only_column(id_column)]
    if id_column is None:
        return count_rows(gold, found, names[0], names[1]), {}
    groups, sizes = count_joined(gold, found, names[0], names[1], id_column)
    both = int(groups[0].sum())
    return groups, {str(true): sizes[0] - both, str(pred): sizes[1] - both}


def _judge(table: ContingencyTable) -> list[dict[str, Any]]:
    from karat.measures import catalogue
    from karat.validation import UndefinedMeasureError

    records = []
    for measure in catalogue.select(kind="external"):
        value, reason = math.nan, None
        try:
            value = (measure.compute or measure.function)(table)
        except UndefinedMeasureError as error:
            reason = str(error)
        records.append(
            {
                "key": measure.key,
                "title": measure.title,
                "family": measure.family,
                "value": value if math.isfinite(value) else None,
                "better": "greater" if measure.greater_is_better else "lower",
                "range": [v if math.isfinite(v) else str(v) for v in measure.range],
                "reason": reason,
            }
        )
    return records


def _records(frame: pd.DataFrame, name: str) -> list[dict[str, Any]]:
    """Rows with names as text, as JSON has no other keys."""
    rows = []
    for label, row in zip(frame.index, frame.to_dict("records"), strict=True):
        plain = {
            str(k): v if isinstance(v, (int, float)) or v is None else str(v)
            for k, v in row.items()
        }
        rows.append({name: str(label), **plain})
    return rows


def _print(
    table: ContingencyTable, measures: list[dict[str, Any]], left_out: dict[str, int]
) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    classes, clusters = table.shape
    console.print(f"{table.n:,} objects, {classes:,} classes, {clusters:,} clusters")
    if table.coverage < 1:
        console.print(f"outliers excluded: {1 - table.coverage:.1%} of the objects")
    for path, count in left_out.items():
        if count:
            console.print(f"excluded: {count:,} objects that only {path} has", markup=False)
    shown = Table("measure", "value", "better", "range", "family")
    for m in measures:
        low, high = (f"{float(v):g}" for v in m["range"])
        value = "undefined" if m["value"] is None else f"{m['value']:.6g}"
        shown.add_row(m["title"], value, m["better"], f"{low} to {high}", m["family"])
    console.print(shown)
    for m in measures:
        if m["reason"]:
            console.print(f"{m['title']}: {m['reason']}", markup=False, highlight=False)
    _print_view(console, table.by_cluster(), "cluster")
    _print_view(console, table.by_class(), "class")


def _print_view(console: Any, frame: pd.DataFrame, name: str) -> None:
    from rich.markup import escape
    from rich.table import Table

    shown = Table(name, *(str(column).replace("_", " ") for column in frame.columns))
    for label, row in frame.nlargest(SHOWN, "size").iterrows():
        cells = [f"{v:.3f}" if isinstance(v, float) else escape(str(v)) for v in row]
        shown.add_row(escape(str(label)), *cells)
    console.print(shown)
    if len(frame) > SHOWN:
        console.print(f"the {SHOWN} largest of {len(frame):,}; --json has all")
