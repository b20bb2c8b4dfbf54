"""``karat reproduce``: published experiments by name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli._options import Json


def reproduce(
    name: Annotated[
        str | None, typer.Argument(help="The experiment; lists all experiments if omitted.")
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples", min=1, help="Scale the experiment down to this many repetitions."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of all randomness.")] = 0,
    storage: Annotated[
        Path | None, typer.Option("--storage", help="Keep finished work here and resume from it.")
    ] = None,
    json: Json = False,
) -> None:
    """Run a published experiment and print its figures beside the published ones."""
    import json as jsonlib

    from karat_lab import EXPERIMENTS, run

    if name is None:
        if json:
            listing = [
                {"name": e.name, "title": e.title, "source": e.source} for e in EXPERIMENTS.values()
            ]
            typer.echo(jsonlib.dumps(listing))
            return
        from rich.console import Console
        from rich.table import Table

        table = Table("experiment", "what", "source")
        for experiment in EXPERIMENTS.values():
            table.add_row(experiment.name, experiment.title, experiment.source)
        Console().print(table)
        return
    result = run(
        name,
        samples=samples,
        random_state=seed,
        storage=storage,
        progress=lambda line: typer.echo(line, err=True),
    )
    if json:
        rows = jsonlib.loads(result.table.reset_index().to_json(orient="records"))
        typer.echo(jsonlib.dumps({"name": result.name, "table": rows, "notes": result.notes}))
    else:
        typer.echo(str(result))
