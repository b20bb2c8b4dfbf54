"""``karat measures``: what can be computed."""

from __future__ import annotations

from typing import Annotated

import typer

from karat.cli._options import Json
from karat.cli._output import show_table, tell_json


def measures(
    key: Annotated[
        str | None, typer.Argument(help="A measure to explain; lists all measures if omitted.")
    ] = None,
    json: Json = False,
) -> None:
    """List every measure with its direction and range, or explain one."""
    from karat.measures import catalogue

    chosen = [catalogue[key]] if key else list(catalogue.values())
    if json:
        names = ["key", "title", "kind", "family", "greater_is_better", "source", "cost", "summary"]
        tell_json([
            {name: getattr(m, name) for name in names}
            | {"range": [str(v) if abs(v) == float("inf") else v for v in m.range]}
            for m in chosen
        ])  # fmt: skip
    elif key:
        (one,) = chosen
        typer.echo(f"{one.title} ({one.key}), {one.kind}, {one.family}")
        typer.echo((one.function.__doc__ or "").strip())
    else:
        for kind in ("external", "internal"):
            rows = [
                (
                    m.key, "greater" if m.greater_is_better else "lower",
                    f"{m.range[0]:g} to {m.range[1]:g}", m.family,
                )
                for m in chosen if m.kind == kind
            ]  # fmt: skip
            heads = ("measure", "better", "range", "family")
            show_table(heads, rows, title=f"{kind.capitalize()} measures", whole=3)
        typer.echo("karat measures KEY explains one measure")
