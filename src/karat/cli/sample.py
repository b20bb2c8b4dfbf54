"""``karat sample``: draw the objects to label."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def sample(
    data: Annotated[Path, typer.Argument(help="CSV or Parquet file, one object a row.")],
    size: Annotated[int, typer.Option("-n", "--size", min=1, help="How many to draw.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the draw.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here instead of printing.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print only the row numbers, as JSON.")] = (
        False
    ),
) -> None:
    """Draw the objects to label at random, as a table with an empty label column.

    Rows are counted from 0. Label from the top; you may stop anywhere. `karat bound` and
    `karat run` read the filled-in table.
    """
    import json as jsonlib

    from karat.bounds import sample as draw
    from karat.cli.bound import read_table

    table = read_table(data)
    rows = draw(len(table), size, random_state=seed)
    if json:
        typer.echo(jsonlib.dumps({"rows": rows.tolist(), "of": len(table), "seed": seed}))
        return
    drawn = table.iloc[rows].rename(columns={"row": "row (data)", "label": "label (data)"})
    drawn.insert(0, "row", rows)
    drawn.insert(1, "label", "")
    text = drawn.to_csv(index=False)
    if output is None:
        typer.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
        typer.echo(f"{size} of {len(table)} objects are in {output}; fill in the column 'label'")
