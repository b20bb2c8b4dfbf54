"""``sortal assign``: assign further rows to a study's clusters."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sortal.cli import _assignments
from sortal.cli._input import DataArgument, EncodingOption, HeaderOption
from sortal.cli._options import DaskOption, ForceOption, QuietOption
from sortal.cli._output import print_notes, printable, show_table
from sortal.cli._stopping import stopped_by_signals
from sortal.runtime.numerals import percent
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from sortal.model import AssignedRows, Model


def assign(
    data: DataArgument,
    model: Annotated[
        Path,
        typer.Option(
            help="Model (sortal run --save-model, Answer.save) or study file (--storage)."
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="PATH",
            help="CSV, Parquet or XLSX file to write; a folder or address for a table in parts, "
            "with a file of labels for each part.",
        ),
    ],
    append: Annotated[
        bool,
        typer.Option("--append", help="Keep the labels in the folder, and add those of new parts."),
    ] = False,
    id_column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The column that names the rows of a table in parts."),
    ] = None,
    dask: DaskOption = None,
    force: ForceOption = False,
    header: HeaderOption = None,
    encoding: EncodingOption = "utf-8",
    quiet: QuietOption = False,
) -> None:  # fmt: skip
    """Give each row of a file its cluster, with the confidence and the distance to the centre.

    Columns are matched by name, and prepared as those of the data were. Tables in parts, text and
    Parquet files may have any number of rows.

    For example:

    sortal assign new.csv --model segments.sortal-model -o clusters.csv

    sortal assign s3://bucket/rows --model segments.sortal-model -o s3://bucket/clusters --append
    """
    from sortal.model import assign_rows
    from sortal.runtime.output import OutputPlan
    from sortal.study.wording import all_rows

    plan = OutputPlan({"DATA": data, "--model": model})
    folder = _assignments.plan_labels(
        plan, output, "--output", force=force, append=append,
        remedy=", or keep them and add the labels of further files (--append)",
    )  # fmt: skip
    if folder is None and append:
        raise InputError("--append adds parts to a folder; name one with --output")
    source = _assignments.load_any_model(model)
    if folder is None:
        _assign_file(data, source, Path(output), header, encoding, quiet=quiet, force=force)
        return
    with stopped_by_signals():
        try:
            assigned: AssignedRows = assign_rows(
                source, data, folder, id_column=id_column, header=header, encoding=encoding,
                executor=dask, progress=False if quiet else None,
            )  # fmt: skip
        except KeyboardInterrupt:
            _assignments.print_stopped(folder)
            raise typer.Exit(130) from None
    show_table(all_rows.HEADS, all_rows.rows(assigned), numbers=(0, 2, 3, 4))
    for sentence in all_rows.sentences(assigned):
        typer.echo(printable(sentence))
    typer.echo(f"Labels: {output}")
    if assigned.left:
        _assignments.print_rest(assigned, data, model, output)
        raise typer.Exit(130)


def _assign_file(
    data: str,
    source: Model,
    output: Path,
    header: bool | None,
    encoding: str,
    *,
    quiet: bool,
    force: bool,
) -> None:
    """Write the rows of a file with their clusters to another."""
    from sortal.datasets.row_blocks import object_blocks
    from sortal.runtime.progress import progress_bar

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
            f"{unsure:,} rows have a confidence below {percent(_assignments.MIN_SURE_CONFIDENCE)}."
        )
    print_notes(notes, err=True)
