"""``sortal watch``: tell when the clusters of a model change."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sortal.cli._assignments import load_any_model
from sortal.cli._input import DataArgument, EncodingOption, HeaderOption
from sortal.cli._options import DaskOption, ForceOption, JsonOption, QuietOption
from sortal.cli._output import print_json, printable


def watch(
    model: Annotated[
        Path, typer.Argument(help="Model (--save-model of sortal run) or study file (--storage).")
    ],
    data: DataArgument,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column with the period; times become days. By default each file is a period.",
        ),
    ] = None,
    reference: Annotated[
        int, typer.Option(min=1, help="Number of first periods to compare with.")
    ] = 7,
    alpha: Annotated[
        float, typer.Option(help="Allowed chance of any false alarm in any number of looks.")
    ] = 0.05,
    report: Annotated[
        Path | None, typer.Option(help="Write a page of pictures here (HTML).")
    ] = None,
    dask: DaskOption = None,
    force: ForceOption = False,
    header: HeaderOption = None,
    encoding: EncodingOption = "utf-8",
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Raise an alarm when shares, distances to clusters or unlike rows leave their normal range.

    The first periods are the reference. Ask again after every period: the chance of a false alarm
    holds for all looks together.

    For example:

    sortal watch segments.sortal-model s3://bucket/rows --by day --report watch.html
    """
    from sortal.model.watch import watch as watch_model
    from sortal.report.watched import write_watch
    from sortal.runtime.output import OutputPlan

    plan = OutputPlan({"MODEL": model, "DATA": data})
    plan.file(report, option="--report", overwrite=force)
    watched = watch_model(
        load_any_model(model), data, by=by, n_reference=reference, alpha=alpha, header=header,
        encoding=encoding, executor=dask, progress=False if quiet or json else None,
    )  # fmt: skip
    if report is not None:
        write_watch(watched, report, overwrite=force)
    if json:
        print_json(watched.to_dict())
        return
    typer.echo(printable(watched.headline))
    for sentence in watched.sentences:
        typer.echo(f"  {printable(sentence)}")
    if report is not None:
        typer.echo(f"Report: {report}")
