"""``sortal assign``: assign further rows to a study's clusters."""

from __future__ import annotations

from collections.abc import Iterator
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
    import pandas as pd

    from sortal.datasets.prepared.preparation import Preparation
    from sortal.datasets.row_blocks import RowBlock
    from sortal.model.all_rows import AssignedBlocks


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
    from sortal.model.all_rows import AssignedBlocks
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
    try:
        with stopped_by_signals():
            if folder is None:
                show = False if quiet else None
                blocks = _file_blocks(data, source.preparation, header, encoding, show)
                _write_file(AssignedBlocks(source, blocks), data, Path(output), force=force)
                return
            assigned = assign_rows(
                source, data, folder, id_column=id_column, header=header, encoding=encoding,
                executor=dask, progress=False if quiet else None,
            )  # fmt: skip
            show_table(all_rows.HEADS, all_rows.rows(assigned), numbers=(0, 2, 3, 4))
            for sentence in all_rows.sentences(assigned):
                typer.echo(printable(sentence))
            typer.echo(f"Labels: {output}")
    except KeyboardInterrupt:
        if folder is None:
            raise
        _assignments.print_stopped(folder)
        raise typer.Exit(130) from None
    if assigned.left:
        _assignments.print_rest(assigned, data, model, output)
        raise typer.Exit(130)


def _file_blocks(
    data: str, preparation: Preparation, header: bool | None, encoding: str, show: bool | None
) -> Iterator[RowBlock]:
    """The rows of a file in blocks, with a bar of the bytes that were read."""
    from sortal.datasets.row_blocks import object_blocks
    from sortal.runtime.progress import progress_bar

    size = Path(data).stat().st_size if Path(data).is_file() else 0
    done = 0
    with progress_bar("Assigning", size, show=show) as advance:
        for block in object_blocks(
            data, preparation, header=header, encoding=encoding,
            text_column=preparation.text_column,
        ):  # fmt: skip
            yield block
            # approximate size of the rows in a text file: a delimiter for each Arrow offset
            cells = block.cells
            step = min(int(cells.nbytes) - 3 * cells.num_rows * cells.num_columns, size - done)
            done += step
            advance(step)


def _write_file(assigned: AssignedBlocks, data: str, output: Path, *, force: bool) -> None:
    """Write the rows of a file with their clusters to another, and print their numbers."""
    from sortal.model.tuned import TUNED

    notes: dict[str, None] = {}

    def tables() -> Iterator[pd.DataFrame]:
        for block, assignment, first in assigned:
            notes.update(dict.fromkeys(assignment.notes))
            rows = range(first, first + len(assignment))
            yield _assignments.assignment_table(block.cells.to_pandas(), assignment, rows)
        if assigned.sums is None:
            raise InputError(f"{data} has no rows")

    _assignments.write_rows(output, tables(), overwrite=force)
    sums = assigned.sums
    assert sums is not None
    n_outliers = sums.n_rows - int(sums.counts.sum())
    names = (*assigned.model.names, "outlier")
    for name, count in zip(names, (*sums.counts.tolist(), n_outliers), strict=True):
        if count:
            typer.echo(f"{count:>12,}  {printable(name)}")
    typer.echo(f"{sums.n_rows:>12,}  rows in all: {output}")
    n_unlike = int(sums.unlike.sum()) + sums.unlike_outliers
    if n_unlike:
        typer.echo(f"{n_unlike:,} rows are unlike anything in the data (column 'unlike').")
    if sums.unsure:
        typer.echo(f"{sums.unsure:,} rows have a confidence below {percent(TUNED.sure)}.")
    print_notes(notes, err=True)
