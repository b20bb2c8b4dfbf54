"""``sortal bench``: compare methods over many data sets."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from sortal.cli._groups import takes_groups
from sortal.cli._options import ForceOption, JsonOption, SeedOption
from sortal.cli._output import print_json

if TYPE_CHECKING:
    from sortal.bench import Comparison


@dataclass(frozen=True, kw_only=True)
class BenchOptions:
    """The methods and data sets to compare, and how.

    folder: A folder for each data set, with truth.csv (or labels0.csv, labels1.csv, ...) and
        method.csv, or method.1.csv, method.2.csv for each try of a method; or SET.labels0.gz files
        beside a folder for each method with SET.gz or SET.result3.gz. Either in folders of
        batteries.
    measure: An external measure, see sortal measures; adjusted_rand_index by default. May be
        repeated: the first decides, and the page says whether the others agree.
    best_of: Score the expected best of this many tries, for every method; by default the mean of
        the tries.
    id_column: Join the files of a data set by this column. By default by every column that both
        have, and that differs from row to row.
    failed: Score of a failed fit or a missing file; by default an error.
    report: Write a page (.html), tables and diagram with a .csv of all tries (.tex), or all
        tries (.csv, .parquet). May be repeated.
    """

    folder: Annotated[Path, Argument()]
    measure: list[str] | None = None
    best_of: Annotated[int | None, Option(min=1)] = None
    failed: float | None = None
    id_column: Annotated[str | None, Option(metavar="NAME")] = None
    seed: SeedOption = 0
    report: list[Path] | None = None
    force: ForceOption = False


@takes_groups
def bench(options: BenchOptions, json: JsonOption = False) -> None:
    """Compare methods over many data sets: ranks, tests, and a conclusion in words.

    Outliers (-1) count as clusters of one.

    For example:

    sortal bench results --report appendix.html --report tables.tex
    """
    from sortal.bench import Benchmark
    from sortal.bench.benchmark import files_of
    from sortal.bench.page import tries_of
    from sortal.runtime.output import OutputPlan

    plan = OutputPlan({"FOLDER": options.folder})
    for target in options.report or ():
        for file in files_of(target):
            plan.file(file, option="--report", overwrite=options.force)
    measures = options.measure or ["adjusted_rand_index"]
    race = Benchmark.from_folder(
        options.folder, measures, id_column=options.id_column, random_state=options.seed
    )
    tries = options.best_of or "mean"
    comparing: dict[str, Any] = {"measure": measures[0], "tries": tries, "failed": options.failed}
    comparison = race.compare(**comparing)
    if json:
        print_json(_as_json(comparison, measures[0]))
    else:
        typer.echo(str(comparison))
        typer.echo(tries_of(race, tries))
    for target in options.report or ():
        race.report(target, overwrite=options.force, **comparing)
        typer.echo(f"Report: {target}", err=json)


def _as_json(comparison: Comparison, measure: str) -> dict[str, Any]:
    """The comparison as JSON, without infinities and missing values."""
    critical, pairs = comparison.critical_difference, comparison.pairs
    return {
        "measure": measure,
        "ranks": comparison.ranks.to_dict(),
        "scores": comparison.scores.to_dict(orient="index"),
        "friedman_p": comparison.friedman.p_value,
        "friedman_method": comparison.friedman.method,
        "friedman_least_p": comparison.friedman.least,
        "critical_difference": None if isinf(critical) else critical,
        "pairs": pairs.astype(object).where(pairs.notna(), None).to_dict(orient="records"),
        "groups": comparison.groups.to_dict(orient="records"),
        "words": list(comparison.words),
    }
