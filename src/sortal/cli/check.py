"""``sortal check``: show how a file's columns are understood, and what looks wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from sortal.cli._groups import takes_groups
from sortal.cli._input import LabelledInputOptions, print_findings, read_dataset
from sortal.cli._options import JsonOption
from sortal.cli._output import LAYOUT, print_json, print_notes, printable, show_table
from sortal.runtime.numerals import percent_digits

if TYPE_CHECKING:
    from sortal.datasets import Dataset
    from sortal.datasets.partitioned.sampled_tables import WholeTable


@takes_groups
def check(reading: LabelledInputOptions, json: JsonOption = False) -> None:
    """Show how each column of a file is read, and what looks wrong, without clustering.

    Findings marked ! change the answer; each ends with the options that change what was assumed.
    The exit code is 4 where sortal run would stop and ask.

    For example:

    sortal check customers.csv
    """
    from sortal.datasets import weighted

    dataset = weighted(read_dataset(reading, stop=False, whole=False), reading.column_weights)
    if json:
        data = {
            "name": dataset.name,
            "n_objects": dataset.n_objects,
            "n_features": dataset.n_features,
            "notes": list(dataset.notes),
        }
        plan = None if dataset.plan is None else dataset.plan.to_dict()
        findings = [finding.to_dict() for finding in dataset.findings]
        parts = {} if dataset.whole is None else {"parts": _part_records(dataset.whole)}
        print_json({"data": data, "plan": plan, "findings": findings, **parts})
    else:
        _print_columns(dataset)
    if any(finding.stops for finding in dataset.findings):
        raise typer.Exit(4)


def _print_columns(dataset: Dataset) -> None:
    """Print the columns, findings and notes of a data set."""
    typer.echo(printable(f"{dataset.name}: {dataset.kind}"))
    if dataset.plan is not None:
        rows = [
            (
                column.name, column.kind, column.role,
                f"{column.missing:,}" if column.missing else "", f"{column.n_values:,}",
                "" if column.spread is None else f"{column.spread:.3g}",
                "" if column.weight is None else f"{column.weight:.2g}",
            )
            for column in dataset.plan.columns[:LAYOUT.columns]
        ]  # fmt: skip
        heads = ("column", "understood as", "role", "missing", "values", "spread", "weight")
        show_table(heads, rows, numbers=range(3, 7))
        more = len(dataset.plan.columns) - LAYOUT.columns
        if more > 0:
            typer.echo(f"... and {more:,} more column{'s' * (more > 1)} (--json has all)")
    if dataset.whole is not None and len(dataset.whole.parts) > 1:
        _print_parts(dataset.whole)
    print_findings(dataset.findings)
    if not dataset.findings:
        typer.echo("Nothing looks wrong.")
    print_notes(dataset.notes, err=False)


def _print_parts(whole: WholeTable) -> None:
    """Print rows and missing values of each part, and what is unlike the other parts."""
    from sortal.datasets.values.findings import difference_words

    unlike: dict[str, list[str]] = {summary.name: [] for summary in whole.parts}
    for difference in whole.differences:
        unlike[difference.part].append(difference_words(vars(difference)))
    listed = sorted(whole.parts, key=lambda summary: not unlike[summary.name])[: LAYOUT.parts]
    rows = [
        (
            summary.name, f"{summary.n_rows:,}",
            percent_digits(summary.missing_share, 2) if summary.missing_share else "",
            "; ".join(unlike[summary.name]),
        )
        for summary in sorted(listed, key=whole.parts.index)
    ]  # fmt: skip
    typer.echo("")
    show_table(("part", "rows", "missing", "unlike the other parts"), rows, numbers=(1, 2))
    more = len(whole.parts) - len(listed)
    if more > 0:
        typer.echo(f"... and {more:,} more part{'s' * (more > 1)} (--json has all)")
    most = max(summary.n_sampled for summary in whole.parts)
    typer.echo(
        f"Rows and missing values are of all {whole.n_rows:,} rows. Medians and spreads of a part "
        f"are of up to {most:,} of its rows."
    )


def _part_records(whole: WholeTable) -> list[dict[str, Any]]:
    """What each part is like, and unlike, for JSON."""
    unlike = [vars(difference) for difference in whole.differences]
    return [
        summary.to_dict()
        | {"unlike": [record for record in unlike if record["part"] == summary.name]}
        for summary in whole.parts
    ]
