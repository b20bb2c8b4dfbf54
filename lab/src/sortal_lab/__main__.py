"""``sortal reproduce``, ``sortal lab`` and ``python -m sortal_lab``."""

from __future__ import annotations

import json as jsonlib
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from sortal import InputError
from sortal.runtime.output import check_output, write_output
from sortal_lab import EXPERIMENTS, as_name
from sortal_lab.data import data_folder, data_in, index
from sortal_lab.scale import Scale, quick_of

reproduce = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
lab = typer.Typer(add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)
FOLDER = Annotated[
    Path | None,
    typer.Option(
        "--data", help="The folder of the data sets; by default SORTAL_DATA or the user's cache."
    ),
]


@lab.callback()
def _laboratory() -> None:
    """The laboratory: published experiments, their data, and a challenge for ways of choosing."""


@reproduce.command()
def run_experiment(
    name: Annotated[
        str | None, typer.Argument(help="The experiment; lists all experiments if omitted.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All experiments.")] = False,
    scale: Annotated[
        str,
        typer.Option(
            "--scale",
            help="paper: as published. quick: smaller, says what it leaves out, and simulates "
            "data sets that are not there.",
        ),
    ] = "paper",
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples",
            min=1,
            help="Another number of repetitions than that of the scale; of what, the list of the "
            "experiments says.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of all randomness.")] = 0,
    storage: Annotated[
        Path | None,
        typer.Option(
            "--storage",
            help="Keep finished work here and resume from it: a file, or a folder with --all, "
            "with --scale quick, and for the experiments on choices.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="Write the results as one HTML page.")
    ] = None,
    data: FOLDER = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run published experiments and print their figures beside the published ones."""
    from sortal_lab import results

    at = _checked(scale)
    if output is not None:
        check_output(output, overwrite=True, option="--output")
    names = list(EXPERIMENTS) if everything else [as_name(name)] if name is not None else []
    if not names:
        _list(json)
        return
    finished, failed = [], {}
    with tempfile.TemporaryDirectory() as drawn:
        for number, experiment in enumerate(names, 1):
            start = f"{number} of {len(names)}, {experiment}" if everything else experiment
            typer.echo(f"{start}: {EXPERIMENTS[experiment].title}", err=True)
            try:
                result = results.result_of(
                    experiment,
                    scale=at,
                    samples=samples,
                    seed=seed,
                    **_places(storage, Path(drawn), many=everything, quick=at == "quick"),
                    data=data,
                    simulated=Path(drawn),
                    progress=lambda line: typer.echo(line, err=True),
                )
            except Exception as error:  # the others are to run all the same
                if not everything:
                    raise
                expected = isinstance(error, InputError)
                failed[experiment] = str(error) if expected else f"{type(error).__name__}: {error}"
            else:
                finished.append(result)
                if not json:
                    typer.echo(result["verdict"] if everything else results.as_text(result))
            if output is not None:
                write_output(output, results.page(finished, failed), overwrite=True)
    if json:
        typer.echo(jsonlib.dumps(finished if everything else finished[0]))
    if failed:
        raise InputError("\n".join(f"{experiment}: {why}" for experiment, why in failed.items()))


def _list(json: bool) -> None:
    """Print the experiments."""
    if json:
        listing = [
            {"name": e.name, "title": e.title, "source": e.source, "repeats": e.repeats}
            for e in EXPERIMENTS.values()
        ]
        typer.echo(jsonlib.dumps(listing))
        return
    from rich.console import Console
    from rich.table import Column, Table

    name = Column("experiment", no_wrap=True)  # it is typed
    table = Table(name, "what", "source", "--samples of, in full")
    for experiment in EXPERIMENTS.values():
        table.add_row(experiment.name, experiment.title, experiment.source, experiment.repeats)
    Console().print(table)


@lab.command("fetch")
def fetch_sets(
    names: Annotated[
        list[str] | None, typer.Argument(help="Data sets; see sortal lab data.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All data sets.")] = False,
    data: FOLDER = None,
) -> None:
    """Download data sets from their public sources and verify them."""
    from sortal_lab.fetch import fetch

    wanted = list(index()) if everything else names or []
    if not wanted:
        raise InputError("name data sets, or ask for --all; sortal lab data lists them")
    failures = []
    with data_in(data):
        for name in wanted:
            try:
                outcome = fetch(name, progress=lambda line: typer.echo(line, err=True))
            except InputError as error:
                failures.append(str(error))
                outcome = "not fetched"
            typer.echo(f"{name}: {outcome}")
    if failures:
        raise InputError("\n".join(failures))


@lab.command("data")
def list_data(
    data: FOLDER = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the data sets of the experiments, and which are there."""
    from sortal_lab.fetch import state

    with data_in(data):
        rows = [
            {
                "name": name,
                "state": state(name),
                **{key: entry.get(key) for key in ("kind", "n", "d", "licence", "citation")},
                "bytes": sum(entry["bytes"].values()),
            }
            for name, entry in index().items()
        ]
        where = data_folder().absolute()
    if json:
        typer.echo(jsonlib.dumps(rows))
        return
    for row in rows:
        typer.echo(f"{row['state']:8} {row['name']:24} {row['kind']:12} {row['bytes']:>10,} bytes")
    typer.echo(f"in {where}; sortal lab fetch NAME or --all")


@lab.command("challenge")
def challenge_rivals(
    methods: Annotated[
        list[Path],
        typer.Argument(help="Python files, each with choose(X, labelings) or cluster(X)."),
    ],
    scale: Annotated[
        str, typer.Option("--scale", help="paper: all tasks. quick: a few small data sets.")
    ] = "paper",
    storage: Annotated[
        Path | None,
        typer.Option(
            "--storage", help="The folder of sortal reproduce choice, which has the candidates."
        ),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option("--samples", min=0, help="Sub-tasks of each real table; 0 for none."),
    ] = None,
    data: FOLDER = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Let ways of choosing of your own choose, with the rivals' scores beside them."""
    from sortal_lab.challenge import challenge, load_method

    loaded = {path.stem: load_method(path) for path in methods}
    quick = quick_of("choice") if _checked(scale) == "quick" else None
    with data_in(data, only=quick.sets if quick else ()):
        result = challenge(
            loaded,
            samples=quick.samples if quick and samples is None else samples,
            storage=storage,
            progress=lambda line: typer.echo(line, err=True),
        )
    if json:
        rows = jsonlib.loads(result.table.reset_index().to_json(orient="records"))
        typer.echo(jsonlib.dumps({"name": result.name, "table": rows, "notes": result.notes}))
    else:
        typer.echo(str(result))


def _places(storage: Path | None, drawn: Path, *, many: bool, quick: bool) -> dict[str, Any]:
    """Storage of each experiment; of several experiments, or quick looks, a folder."""
    if many:
        return {"folder": storage or drawn / "work"}
    return {"folder" if quick else "storage": storage}


def _checked(scale: str) -> Scale:
    """Validated scale."""
    if scale not in ("quick", "paper"):
        raise InputError(f"--scale is quick or paper; got {scale!r}")
    return cast(Scale, scale)


lab.command("reproduce")(run_experiment)


def main() -> None:
    """Run the command; errors that a user can fix come without a traceback."""
    try:
        lab()
    except InputError as error:
        typer.echo(f"sortal: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
