"""``karat bench``: methods on many data sets, compared with statistics."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from karat.cli._groups import takes_groups
from karat.cli._options import Force, Json, Seed
from karat.cli._output import check_target, tell_json

if TYPE_CHECKING:
    from karat.bench import Comparison


@dataclass(frozen=True, kw_only=True)
class Race:
    """What is compared, and how.

    folder: A folder for each data set, with truth.csv (or labels0.csv, labels1.csv, ...) and
        method.csv, or method.1.csv, method.2.csv for each try of a method; or SET.labels0.gz files
        beside a folder for each method with SET.gz or SET.result3.gz. Either in folders of
        batteries.
    measure: An external measure, see karat measures; adjusted_rand_index by default. May be
        repeated: the first decides, and the page says whether the others agree.
    best_of: Score the expected best of so many tries, the same for all methods; by default the
        mean over the tries.
    failed: What a fit that failed, or a missing file, counts as; by default an error.
    report: Write to this file: .html, a page; .tex, tables and a diagram, with all tries in a .csv
        beside it; .pdf, the diagram; .csv or .parquet, all tries. May be repeated.
    """

    folder: Annotated[Path, Argument()]
    measure: list[str] | None = None
    best_of: Annotated[int | None, Option(min=1)] = None
    failed: float | None = None
    seed: Seed = 0
    report: list[Path] | None = None
    force: Force = False


@takes_groups
def bench(given: Race, json: Json = False) -> None:
    """Compare methods over many data sets: ranks, tests, and what they allow one to say.

    Outliers (-1) count as clusters of one. For example:

    karat bench results --report appendix.html --report tables.tex
    """
    from karat.bench import Benchmark
    from karat.bench.page import tries_of

    for target in given.report or ():
        check_target(target, "--report", given.force)
    measures = given.measure or ["adjusted_rand_index"]
    race = Benchmark.from_folder(given.folder, measures, random_state=given.seed)
    counted = given.best_of or "mean"
    options: dict[str, Any] = {"measure": measures[0], "tries": counted, "failed": given.failed}
    found = race.compare(**options)
    if json:
        tell_json(_as_json(found, measures[0]))
    else:
        typer.echo(str(found))
        typer.echo(tries_of(race, counted))
    for target in given.report or ():
        race.report(target, overwrite=given.force, **options)
        typer.echo(f"Report: {target}", err=json)


def _as_json(found: Comparison, measure: str) -> dict[str, Any]:
    """Without infinities and missing values, which JSON does not have."""
    critical, pairs = found.critical_difference, found.pairs
    return {
        "measure": measure,
        "ranks": found.ranks.to_dict(),
        "scores": found.scores.to_dict(orient="index"),
        "friedman_p": found.friedman.p_value,
        "friedman_method": found.friedman.method,
        "friedman_least_p": found.friedman.least,
        "critical_difference": None if isinf(critical) else critical,
        "pairs": pairs.astype(object).where(pairs.notna(), None).to_dict(orient="records"),
        "groups": found.groups.to_dict(orient="records"),
        "words": list(found.words),
    }
