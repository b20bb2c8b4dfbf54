"""``karat bench``: methods on many data sets, compared with statistics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli._options import Json
from karat.cli._output import Force, check_target

if TYPE_CHECKING:
    from karat.bench import Comparison


def bench(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A folder for each data set, with truth.csv (or labels0.csv, labels1.csv, ...) "
            "and method.csv, or method.1.csv, method.2.csv for each try of a method."
        ),
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            help="An external measure, see karat measures; adjusted_rand_index by default. May be "
            "repeated: the first decides, and the page says whether the others agree.",
        ),
    ] = None,
    best_of: Annotated[
        int | None,
        typer.Option(
            "--best-of",
            min=1,
            help="Score the expected best of so many tries, the same for all methods; by default "
            "the mean over the tries.",
        ),
    ] = None,
    failed: Annotated[
        float | None,
        typer.Option(
            help="What a fit that failed, or a missing file, counts as; by default an error."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of all randomness.")] = 0,
    report: Annotated[
        list[Path] | None,
        typer.Option(
            help="Write to this file: .html, a page; .tex, tables and a diagram, with all tries in "
            "a .csv beside it; .csv, all tries. May be repeated."
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Compare methods over many data sets: ranks, tests, and what they allow one to say.

    Outliers (-1) count as clusters of one. For example:

    karat bench results --report appendix.html --report tables.tex
    """
    import json as jsonlib

    from karat.bench import Benchmark
    from karat.bench.page import tries_of

    for target in report or ():
        check_target(target, "--report", force)
    measures = measure or ["adjusted_rand_index"]
    race = Benchmark.from_folder(folder, measures, random_state=seed)
    counted = "mean" if best_of is None else best_of
    options: dict[str, Any] = {
        "measure": measures[0],
        "tries": counted,
        "failed": failed,
    }
    found = race.compare(**options)
    if json:
        typer.echo(jsonlib.dumps(_as_json(found, measures[0])))
    else:
        typer.echo(str(found))
        typer.echo(tries_of(race, counted))
    for target in report or ():
        race.report(target, overwrite=force, **options)
        typer.echo(f"Report: {target}", err=json)


def _as_json(found: Comparison, measure: str) -> dict[str, Any]:
    """Without infinities and missing values, which JSON does not have."""
    import math

    critical, pairs = found.critical_difference, found.pairs
    return {
        "measure": measure,
        "ranks": found.ranks.to_dict(),
        "scores": found.scores.to_dict(orient="index"),
        "friedman_p": found.friedman.p_value,
        "friedman_method": found.friedman.method,
        "friedman_least_p": found.friedman.least,
        "critical_difference": None if math.isinf(critical) else critical,
        "pairs": pairs.astype(object).where(pairs.notna(), None).to_dict(orient="records"),
        "words": list(found.words),
    }
