"""``sortal measures``: list, explain or recommend measures."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from sortal.cli._options import JsonOption
from sortal.cli._output import print_json, show_table


def measures(
    key: Annotated[
        str | None, typer.Argument(help="A measure to explain; lists all measures if omitted.")
    ] = None,
    for_: Annotated[
        str | None,
        typer.Option(
            "--for", help="Say which to report for data of a kind: shapes, tables or texts."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """List every measure with its direction and range, explain one, or recommend three.

    For example:

    sortal measures silhouette

    sortal measures --for texts
    """
    if for_ is not None:
        import sortal
        from sortal.study.wording import span

        advice = sortal.recommend(kind=for_)
        advised = advice.rename_axis("key").reset_index().to_dict("records")
        if json:
            print_json(advised)
        else:
            rows = [
                (row["key"], f"{row['rho']:.2f}", span(row["low"], row["high"]), row["instead_of"])
                for row in advised
            ]
            heads = ("measure", "ρ", "95 % interval", "instead of")
            title = f"For {for_}, one of each family, by its rank correlation with the truth"
            show_table(heads, rows, title=title, whole=1)
        return
    from sortal.measures import catalogue

    chosen = [catalogue[key]] if key else list(catalogue.values())
    if json:
        names = ["key", "title", "kind", "family", "greater_is_better", "source", "cost", "summary"]
        print_json([
            {name: getattr(m, name) for name in names}
            | {"range": [str(v) if abs(v) == float("inf") else v for v in m.range]}
            for m in chosen
        ])  # fmt: skip
    elif key:
        (row,) = chosen
        typer.echo(f"{row.title} ({row.key}), {row.kind}, {row.family}")
        text = re.sub(r":\w+:`~?([^`]*)`|``([^`]*)``", r"\1\2", row.function.__doc__ or "")
        typer.echo(text.strip())
    else:
        for family in ("external", "internal"):
            rows = [
                (
                    m.key, "greater" if m.greater_is_better else "lower",
                    f"{m.range[0]:g} to {m.range[1]:g}", m.family,
                )
                for m in chosen if m.kind == family
            ]  # fmt: skip
            heads = ("measure", "better", "range", "family")
            show_table(heads, rows, title=f"{family.capitalize()} measures", whole=3)
        typer.echo("sortal measures KEY explains one measure; --for tables says which to report")
