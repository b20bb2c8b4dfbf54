"""``karat check``: how the columns of a file are understood, and what looks wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from karat.cli._groups import takes_groups
from karat.cli._input import LabelledReading, read_dataset, tell_findings
from karat.cli._options import Json
from karat.cli._output import printable, show_table, tell_json, tell_notes

if TYPE_CHECKING:
    from karat.datasets import Dataset

SHOWN = 60  # columns in a table for people


@takes_groups
def check(reading: LabelledReading, json: Json = False) -> None:
    """Say how every column of a file is understood and what looks wrong, and cluster nothing.

    Findings marked ! change the answer; each ends with the options that change what was assumed.
    The exit code is 4 where karat run would stop and ask.

    karat check customers.csv
    """
    dataset = read_dataset(reading, stop=False)
    if json:
        about = {
            "name": dataset.name,
            "n_objects": dataset.n_objects,
            "n_features": dataset.n_features,
            "notes": list(dataset.notes),
        }
        plan = None if dataset.plan is None else dataset.plan.to_dict()
        findings = [one.to_dict() for one in dataset.findings]
        tell_json({"data": about, "plan": plan, "findings": findings})
    else:
        _show(dataset)
    if any(one.stops for one in dataset.findings):
        raise typer.Exit(4)


def _show(dataset: Dataset) -> None:
    typer.echo(printable(f"{dataset.name}: {dataset.kind}"))
    if dataset.plan is not None:
        rows = [
            (
                one.name, one.kind, one.role, f"{one.missing:,}" if one.missing else "",
                f"{one.n_values:,}", "" if one.spread is None else f"{one.spread:.3g}",
            )
            for one in dataset.plan.columns[:SHOWN]
        ]  # fmt: skip
        heads = ("column", "understood as", "role", "missing", "values", "spread")
        show_table(heads, rows, numbers=range(3, 6))
        more = len(dataset.plan.columns) - SHOWN
        if more > 0:
            typer.echo(f"... and {more:,} more columns (--json has them)")
    tell_findings(dataset.findings)
    if not dataset.findings:
        typer.echo("Nothing looks wrong.")
    tell_notes(dataset.notes, err=False)
