"""``karat assign``: further rows into the clusters that were found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from karat.cli import _assigned
from karat.cli._input import DataArgument, Encoding, Header
from karat.cli._options import Force, Quiet
from karat.cli._output import check_target, printable, tell_notes
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
    force: Force = False,
    header: Header = None,
    encoding: Encoding = "utf-8",
    quiet: Quiet = False,
) -> None:
    """Give each row of a file its cluster, with the confidence and the distance to the centre.

    Columns are matched by name, and prepared as those of the data were. Text and Parquet files may
    have any number of rows.

    For example:

    karat assign new.csv --model segments.karat-model -o clusters.csv
    """
    from karat.datasets.row_blocks import row_blocks
    from karat.runtime.progress import progress_bar

    check_target(output, "--output", force)
    _assigned.check_ending(output, "--output")
    used = _assigned.load(model)
    prepared = used.preparation
    blocks = row_blocks(
        data, wanted=prepared.needed, header=header, encoding=encoding,
        text_column=prepared.text_column,
    )  # fmt: skip
    counts: Counter[str] = Counter()
    notes: dict[str, None] = {}
    n = unlike = unsure = done = 0
    size = Path(data).stat().st_size if Path(data).is_file() else 0
    with (
        progress_bar("Assigning", size, show=False if quiet else None) as advance,
        _assigned.row_writer(output, overwrite=force) as write,
    ):
        for block in blocks:
            found = used.predict(block.features)
            rows = range(n, n + len(found))
            write(_assigned.beside(block.cells.to_pandas(), found, rows))
            n += len(found)
            counts.update(found.names.tolist())
            unlike += int(found.unlike.sum())
            unsure += int((found.confidence < _assigned.UNSURE).sum())
            notes |= dict.fromkeys(found.notes)
            # about what rows of text take in their file: a delimiter for each offset of Arrow
            cells = block.cells
            step = min(int(cells.nbytes) - 3 * cells.num_rows * cells.num_columns, size - done)
            done += step
            advance(step)
        if n == 0:
            raise InputError(f"{data} has no rows")
    for name in (*used.names, "outlier"):
        if counts[name]:
            typer.echo(f"{counts[name]:>12,}  {printable(name)}")
    typer.echo(f"{n:>12,}  rows in all: {output}")
    if unlike:
        typer.echo(f"{unlike:,} rows are unlike anything in the data (column 'unlike').")
    if unsure:
        typer.echo(f"{unsure:,} rows have a confidence below {_assigned.UNSURE:.0%}.")
    tell_notes(notes)
