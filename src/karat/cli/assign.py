"""``karat assign``: assign further rows to a study's clusters."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from karat.cli import _assignments
from karat.cli._input import DataArgument, EncodingOption, HeaderOption
from karat.cli._options import ForceOption, QuietOption
from karat.cli._output import check_target, print_notes, printable
from karat.runtime.validation import InputError


def assign(
    data: DataArgument,
    model: Annotated[
        Path,
        typer.Option(
            help="What karat run --save-model (or Answer.save) wrote, or a study file (--storage)."
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="CSV, Parquet or XLSX file to write.")
    ],
    force: ForceOption = False,
    header: HeaderOption = None,
    encoding: EncodingOption = "utf-8",
    quiet: QuietOption = False,
) -> None:
    """Give each row of a file its cluster, with the confidence and the distance to the centre.

    Columns are matched by name, and prepared as those of the data were. Text and Parquet files may
    have any number of rows.

    For example:

    karat assign new.csv --model segments.karat-model -o clusters.csv
    """
    from karat.datasets.row_blocks import object_blocks
    from karat.runtime.progress import progress_bar

    check_target(output, "--output", force)
    _assignments.check_suffix(output, "--output")
    source = _assignments.load_any_model(model)
    prepared = source.preparation
    blocks = object_blocks(
        data, prepared, header=header, encoding=encoding, text_column=prepared.text_column
    )
    counts: Counter[str] = Counter()
    notes: dict[str, None] = {}
    n = unlike = unsure = done = 0
    size = Path(data).stat().st_size if Path(data).is_file() else 0
    with (
        progress_bar("Assigning", size, show=False if quiet else None) as advance,
        _assignments.row_writer(output, overwrite=force) as write,
    ):
        for block in blocks:
            assignment = source.predict(block.features)
            rows = range(n, n + len(assignment))
            write(_assignments.assignment_table(block.cells.to_pandas(), assignment, rows))
            n += len(assignment)
            counts.update(assignment.names.tolist())
            unlike += int(assignment.unlike.sum())
            unsure += int((assignment.confidence < _assignments.MIN_SURE_CONFIDENCE).sum())
            notes |= dict.fromkeys(assignment.notes)
            # approximate size of the rows in a text file: a delimiter for each Arrow offset
            cells = block.cells
            step = min(int(cells.nbytes) - 3 * cells.num_rows * cells.num_columns, size - done)
            done += step
            advance(step)
        if n == 0:
            raise InputError(f"{data} has no rows")
    for name in (*source.names, "outlier"):
        if counts[name]:
            typer.echo(f"{counts[name]:>12,}  {printable(name)}")
    typer.echo(f"{n:>12,}  rows in all: {output}")
    if unlike:
        typer.echo(f"{unlike:,} rows are unlike anything in the data (column 'unlike').")
    if unsure:
        typer.echo(
            f"{unsure:,} rows have a confidence below {_assignments.MIN_SURE_CONFIDENCE:.0%}."
        )
    print_notes(notes)
