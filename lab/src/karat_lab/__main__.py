"""``karat reproduce`` and ``python -m karat_lab``."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from karat import InputError
from karat_lab import EXPERIMENTS, run

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
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
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="The folder of the data sets; KARAT_DATA or the user's cache otherwise."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run a published experiment and print its figures beside the published ones."""
    if name is None:
        _list(json)
        return
    result = run(
        name,
        samples=samples,
        random_state=seed,
        storage=storage,
        progress=lambda line: typer.echo(line, err=True),
        data=data,
    )
    if json:
        rows = jsonlib.loads(result.table.reset_index().to_json(orient="records"))
        typer.echo(jsonlib.dumps({"name": result.name, "table": rows, "notes": result.notes}))
    else:
        typer.echo(str(result))


def _list(json: bool) -> None:
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


def main() -> None:
    """Run the command; errors that a user can fix come without a traceback."""
    try:
        app()
    except InputError as error:
        typer.echo(f"karat: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
