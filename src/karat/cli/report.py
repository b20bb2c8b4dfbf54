"""``karat report``: the page of a study that was kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    study_file: Annotated[Path, typer.Argument(help="Study file (--storage of karat run).")],
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")] = Path(
        "report.html"
    ),
    data: Annotated[
        str | None, typer.Option(help="Where the data is now, if it has moved.")
    ] = None,
    force: Annotated[bool, typer.Option(help="Replace the report if it exists.")] = False,
) -> None:
    """Write the HTML report of a study file, without fitting anything again."""
    from karat.datasets import read
    from karat.study import Study
    from karat.study.store import Store
    from karat.validation import InputError

    store = Store(study_file, None)
    try:
        meta = store.meta
    finally:
        store.close()
    source = data or meta["source"]
    if source is None:
        raise InputError(
            f"{study_file} does not know where its data came from; name it with --data"
        )
    dataset = read(source, **meta["options"])
    settings = meta["settings"]
    with Study(
        dataset,
        storage=study_file,
        metric=settings["metric"] or "euclidean",
        noise=settings["noise"],
        delta=settings["delta"],
        random_state=int(meta.get("random_state", 0)),
    ) as study:
        study.report(output, overwrite=force)
    typer.echo(f"Report: {output}")
