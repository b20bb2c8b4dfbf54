"""``karat check``: how the columns of a file are understood, and what looks wrong."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING

import typer

from karat.cli._groups import takes_groups
from karat.cli._input import LabelledReading, read_dataset, tell_findings
from karat.cli._options import Json

if TYPE_CHECKING:
    from karat.datasets import Dataset

SHOWN = 60  # columns in a table for people


@takes_groups
def check(
    reading: LabelledReading,
    json: Json = False,
) -> None:
    """Say how every column of a file is understood and what looks wrong, and cluster nothing.

    Findings marked ! change the answer; each ends with the options that change what was assumed.
    The exit code is 4 where karat run would stop and ask.

    karat check customers.csv
    """
    dataset = read_dataset(reading, stop=False)
    if json:
        typer.echo(jsonlib.dumps(as_json(dataset)))
    else:
        _show(dataset)
    if any(one.stops for one in dataset.findings):
        raise typer.Exit(4)


def as_json(dataset: Dataset) -> dict[str, object]:
    """What machines read of a data set that was checked."""
    return {
        "data": {
            "name": dataset.name,
            "n_objects": dataset.n_objects,
            "n_features": dataset.n_features,
            "notes": list(dataset.notes),
        },
        "plan": None if dataset.plan is None else dataset.plan.to_dict(),
        "findings": [one.to_dict() for one in dataset.findings],
    }


def _show(dataset: Dataset) -> None:
    from rich.console import Console
    from rich.table import Table

    from karat.cli._output import printable

    typer.echo(printable(f"{dataset.name}: {dataset.kind}"))
    if dataset.plan is not None:
        table = Table(box=None, pad_edge=False)
        for title in ("column", "understood as", "use"):
            table.add_column(title, overflow="fold")
        for title in ("missing", "values", "spread"):
            table.add_column(title, justify="right")
        for one in dataset.plan.columns[:SHOWN]:
            table.add_row(
                _literal(one.name), one.kind, one.use, f"{one.missing:,}" if one.missing else "",
                f"{one.n_values:,}", "" if one.spread is None else f"{one.spread:.3g}",
            )  # fmt: skip
        Console().print(table)
        more = len(dataset.plan.columns) - SHOWN
        if more > 0:
            typer.echo(f"... and {more:,} more columns (--json has them)")
    tell_findings(dataset.findings)
    if not dataset.findings:
        typer.echo("Nothing looks wrong.")
    for note in dataset.notes:
        typer.echo(printable(f"Note: {note}"))


def _literal(name: str) -> str:
    """A name that neither the terminal nor rich takes for a command."""
    from rich.markup import escape

    from karat.cli._output import printable

    return escape(printable(name))
