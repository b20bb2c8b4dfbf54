"""``sortal report``: write the page of a stored study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sortal.cli._options import ForceOption


def report(
    study_file: Annotated[Path, typer.Argument(help="Study file (--storage of sortal run).")],
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")] = Path(
        "report.html"
    ),
    data: Annotated[
        str | None, typer.Option(help="Where the data is now, if it has moved.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write the HTML report of a study file, without fitting anything again.

    For example:

    sortal report wine.sortal -o wine.html
    """
    from sortal.report import write_report
    from sortal.runtime.output import OutputPlan
    from sortal.study import load_study

    plan = OutputPlan({"STUDY_FILE": study_file, "--data": data})
    plan.file(output, option="--output", overwrite=force)
    with load_study(study_file, data) as study:
        write_report(study, output, overwrite=force)
    typer.echo(f"Report: {output}")
