"""``karat measures``: what can be computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli._options import Json

if TYPE_CHECKING:
    from karat.measures.catalogue import Measure


def measures(
    key: Annotated[
        str | None, typer.Argument(help="A measure to explain; lists all measures if omitted.")
    ] = None,
    json: Json = False,
) -> None:
    """List every measure with its direction and range, or explain one."""
    import json as jsonlib

    from karat.measures import catalogue

    chosen = [catalogue[key]] if key else list(catalogue.values())
    if json:
        typer.echo(jsonlib.dumps([_as_json(measure) for measure in chosen]))
    elif key:
        _explain(chosen[0])
    else:
        _list(chosen)


def _as_json(measure: Measure) -> dict[str, Any]:
    return {
        "key": measure.key,
        "title": measure.title,
        "kind": measure.kind,
        "family": measure.family,
        "greater_is_better": measure.greater_is_better,
        "range": [str(v) if abs(v) == float("inf") else v for v in measure.range],
        "source": measure.source,
        "cost": measure.cost,
        "summary": measure.summary,
    }


def _explain(measure: Measure) -> None:
    from rich.console import Console

    console = Console()
    console.print(f"[bold]{measure.title}[/bold] ({measure.key}), {measure.kind}, {measure.family}")
    console.print((measure.function.__doc__ or "").strip(), markup=False)


def _list(measures: list[Measure]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    for kind in ("external", "internal"):
        table = Table(title=f"{kind.capitalize()} measures", title_justify="left", box=None)
        table.add_column("measure", no_wrap=True)
        table.add_column("better", no_wrap=True)
        table.add_column("range", no_wrap=True)
        table.add_column("family")
        for m in measures:
            if m.kind == kind:
                better = "greater" if m.greater_is_better else "lower"
                table.add_row(m.key, better, f"{m.range[0]:g} to {m.range[1]:g}", m.family)
        console.print(table)
    console.print("[dim]karat measures KEY explains one measure[/dim]")
