"""``sortal sample``: draw the objects to label."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sortal.cli._input import DataArgument, EncodingOption, HeaderOption, TextColumnOption
from sortal.cli._options import ForceOption, SeedOption
from sortal.cli._output import print_json, print_notes, to_csv, write_csv
from sortal.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from sortal.datasets.partitioned.partitions import Partitions
    from sortal.typing import Ints


def sample(
    data: DataArgument,
    size: Annotated[int, typer.Option("-n", "--size", min=1, help="How many to draw.")] = 100,
    seed: SeedOption = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here instead of printing.")
    ] = None,
    force: ForceOption = False,
    header: HeaderOption = None,
    encoding: EncodingOption = "utf-8",
    text_column: TextColumnOption = None,
    id_column: Annotated[
        str | None, typer.Option(metavar="NAME", help="Draw by this column, not by row number.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print only the row numbers, as JSON.")] = (
        False
    ),
) -> None:
    """Draw the objects to label at random, as a table with an empty label column.

    Rows are counted from 0, as `sortal run` reads them. Label in the order of the column `draw` and
    skip none: a row that is skipped or deleted counts as an error. The label `unreadable` excuses
    a row for a reason that has nothing to do with its class. You may sort the table, also in a
    spreadsheet; leave the column `check` as it is, which shows what was changed. With --id-column
    the draw depends on the ids alone, whatever the order of the rows. `sortal bound` and
    `sortal run --truth` read the filled-in table. Ask `sortal bound` after every label if you
    like, and stop when its bound is low enough.

    For example:

    sortal sample customers.csv -n 60 -o labels.csv
    """
    from sortal.bounds import sample as draw
    from sortal.datasets import read_cells
    from sortal.datasets.labels.drawn_rows import table_of_draw
    from sortal.datasets.partitioned.partitions import open_partitions
    from sortal.datasets.partitioned.sampled_tables import rows_by_key
    from sortal.runtime.output import OutputPlan

    OutputPlan({"DATA": data}).file(output, option="--output", overwrite=force)
    parts = None if text_column else open_partitions(data, header=header, encoding=encoding)
    notes: tuple[str, ...] = ()
    if parts is None:
        table, notes = read_cells(data, header=header, encoding=encoding, text_column=text_column)
    n = len(table) if parts is None else parts.n_rows
    rows: Ints = draw(n, size, random_state=seed)
    if id_column is not None:
        rows = rows_by_key(_ids(table if parts is None else parts, id_column), size, seed)
    if json:
        print_json({"rows": rows.tolist(), "of": n, "seed": seed, "notes": list(notes)})
        return
    cells = table.iloc[rows] if parts is None else parts.drawn(rows).to_pandas()
    keys = _key_columns(cells, table if parts is None else parts, id_column)
    positions = table_of_draw(cells.reset_index(drop=True), rows, keys)
    print_notes(notes, err=True)
    if output is None:
        typer.echo(to_csv(positions), nl=False)
    else:
        write_csv(positions, output, force=force)
        typer.echo(f"{size} of {n} objects are in {output}; fill in the column 'label'")


def _key_columns(
    cells: pd.DataFrame, table: pd.DataFrame | Partitions, id_column: str | None
) -> list[str]:
    """Columns that name a row: the one given, else those of a table in memory that are unique."""
    import pandas as pd

    from sortal.datasets.labels.drawn_rows import key_columns

    if id_column is not None:
        return [id_column]
    names = key_columns(cells, map(str, cells.columns)) if cells.columns.is_unique else []
    if not isinstance(table, pd.DataFrame):
        return (
            names  # unique among the drawn rows; a digest of a column that is no key does no harm
        )
    return [name for name in names if key_columns(table, [name])]


def _ids(table: pd.DataFrame | Partitions, name: str) -> Iterator[pa.ChunkedArray]:
    """The ids of the rows, in batches; none is missing."""
    import pyarrow as pa

    from sortal.datasets.partitioned.partitions import Partitions

    if name not in table.columns:
        raise unknown_name(name, table.columns, "column")
    batches = table.tables([name]) if isinstance(table, Partitions) else [table]
    for batch in batches:
        column = batch[name]
        if not isinstance(column, pa.ChunkedArray):
            column = pa.chunked_array([pa.array(column, from_pandas=True)])
        if column.null_count:
            raise InputError(f"{name!r} is empty in some rows, so that these cannot be drawn by it")
        yield column
