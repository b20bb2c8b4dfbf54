"""``karat sample``: draw the objects to label."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli._input import DataArgument, Encoding, Header, TextColumn
from karat.cli._output import Force, check_target, to_csv, write_csv


def sample(
    data: DataArgument,
    size: Annotated[int, typer.Option("-n", "--size", min=1, help="How many to draw.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the draw.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here instead of printing.")
    ] = None,
    force: Force = False,
    header: Header = None,
    encoding: Encoding = "utf-8",
    text_column: TextColumn = None,
    json: Annotated[bool, typer.Option("--json", help="Print only the row numbers, as JSON.")] = (
        False
    ),
) -> None:
    """Draw the objects to label at random, as a table with an empty label column.

    Rows are counted from 0, as `karat run` reads them. Label from the top and skip none. `karat
    bound` and `karat run --truth` read the filled-in table; `karat bound` may be asked after every
    label, and you may stop as soon as its bound is low enough.
    """
    import json as jsonlib

    from karat.bounds import sample as draw
    from karat.datasets import read_cells

    check_target(output, "--output", force)
    table, notes = read_cells(data, header=header, encoding=encoding, text_column=text_column)
    rows = draw(len(table), size, random_state=seed)
    if json:
        answer = {"rows": rows.tolist(), "of": len(table), "seed": seed, "notes": list(notes)}
        typer.echo(jsonlib.dumps(answer))
        return
    drawn = table.iloc[rows].rename(columns={"row": "row (data)", "label": "label (data)"})
    drawn.insert(0, "row", rows)
    drawn.insert(1, "label", "")
    for note in notes:
        typer.echo(f"Note: {note}", err=True)
    if output is None:
        typer.echo(to_csv(drawn), nl=False)
    else:
        write_csv(drawn, output)
        typer.echo(f"{size} of {len(table)} objects are in {output}; fill in the column 'label'")
