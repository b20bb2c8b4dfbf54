"""``karat bound``: what a few labels guarantee about clusterings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli._input import ClassesOption, Header, parse_classes
from karat.cli._options import Delta, Json, Outliers
from karat.cli._output import Force, check_target, write_csv

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.bounds import Guarantee, LabelForecast
    from karat.datasets import KnownLabels


def bound(
    labels: Annotated[
        Path,
        typer.Argument(help="CSV, Parquet or NumPy: one object a row, one clustering a column."),
    ],
    few: Annotated[
        Path,
        typer.Argument(
            help="Known classes: columns 'row' (from 0) and 'label', or a 'label' for each "
            "object, empty where it is not known."
        ),
    ],
    delta: Delta = 0.1,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", "-c", help="Clusterings to compare; all columns by default."),
    ] = None,
    noise: Outliers = "error",
    target: Annotated[
        float | None,
        typer.Option(
            "--target",
            help="Wanted bound: whether it is reached, else a forecast of how many more labels do.",
        ),
    ] = None,
    predict: Annotated[
        Path | None,
        typer.Option("--predict", help="Write the class of every object to this CSV file."),
    ] = None,
    force: Force = False,
    classes: ClassesOption = None,
    once: Annotated[
        bool,
        typer.Option(
            "--once",
            help="You decided beforehand how many to label and ask this one time; otherwise part "
            "of delta is kept for further looks.",
        ),
    ] = False,
    header: Header = None,
    json: Json = False,
) -> None:
    """Guarantee how many unlabelled objects a clustering can mislabel, from a few labels.

    The labelled objects must have been drawn at random, as `karat sample` does, and the
    clusterings made without looking at the labels. Choosing the best of several is paid for.
    The answer holds at every number of labels at once, where FEW lists the objects in the order of
    the draw, as `karat sample` does: label until it is low enough (--target), and stop. Other
    clusterings or options are another question: FEW.looks beside the labels counts them, and they
    share delta. --once gives all of delta to one question, for a number of labels that was fixed
    beforehand, which is lower.
    """
    import json as jsonlib

    from karat.bounds import forecast_labels, guarantee
    from karat.cli._query_count import share_of
    from karat.datasets import read_labelings, read_labels
    from karat.runtime.validation import InputError, check_choice

    check_choice(noise, ("error", "cluster", "singletons", "drop"), "--noise")
    check_target(predict, "--predict", force)
    clusterings = read_labelings(labels, header=header).hardened()
    for name in column or ():
        if name not in clusterings:
            raise InputError(f"{labels} has no column {name!r}; it has {', '.join(clusterings)}")
    rows, n = clusterings.rows, len(next(iter(clusterings.values())))
    chosen = {name: clusterings[name] for name in column or clusterings}
    listed = parse_classes(classes)
    among = listed if isinstance(listed, list) else ()
    given = read_labels(few, n, rows=rows, ids=clusterings.ids, classes=among)
    look, told = _look(few, given, [chosen, delta, noise, classes], once)
    policy: Any = noise
    best = guarantee(
        chosen,
        given.values,
        delta if look is None else delta * share_of(look),
        False if look is None or given.order is None else target or True,
        order=given.order,
        classes=listed,
        noise=policy,
    )
    if best.refused:
        raise InputError(f"nothing is guaranteed: {best.refused}")
    best = replace(best, delta=delta, warnings=(*given.doubts, *best.warnings))
    forecast = forecast_labels(best, target) if best.n else None
    if predict is not None:
        _write_classes(best, n, rows, predict)
    notes = [*clusterings.notes, *given.notes]
    if json:
        typer.echo(jsonlib.dumps(_as_json(best, forecast, notes, look)))
    else:
        _tell(best, forecast, notes, told)


def _look(few: Path, given: KnownLabels, question: list[Any], once: bool) -> tuple[int | None, str]:
    """Which look at the labels this is, if it is not the only one, and what to say of that."""
    from karat.cli._query_count import count_look

    labelled = [i for i, value in enumerate(given.values) if value is not None]
    order = labelled if given.order is None else given.order
    pairs = [(int(i), given.values[i]) for i in order]
    return count_look(few, question, pairs, given.order is not None, once)


def _write_classes(best: Guarantee, n: int, rows: NDArray[Any] | None, path: Path) -> None:
    import numpy as np
    import pandas as pd

    table = pd.DataFrame({"row": np.arange(n) if rows is None else rows, "label": best.labels})
    write_csv(table, path)


def _as_json(
    best: Guarantee, forecast: LabelForecast | None, notes: list[str], look: int | None
) -> dict[str, Any]:
    import json as jsonlib

    records = best.table.rename_axis("clustering").reset_index()
    answer: dict[str, Any] = {
        "best": best.name,
        "delta": best.delta,
        "bound": best.bound,
        "bound_rate": best.bound_rate,
        "method": best.method,
        "carrier": best.carrier,
        "anytime": best.anytime,
        "parts": {part.method: part.bound_rate for part in reversed(best.parts)},
        "sentence": best.sentence,
        "reason": best.reason,
        "warnings": list(best.warnings),
        "premises": list(best.premises),
        "labels_read": best.labels_read,
        "notes": notes,
        "look": look,
        "cluster_labels": {str(k): str(v) for k, v in best.cluster_labels.items()},
        "table": jsonlib.loads(records.to_json(orient="records", double_precision=15)),
    }
    if forecast is not None:
        answer["forecast"] = {
            "target": forecast.target,
            "more": forecast.more,
            "low": forecast.low,
            "high": forecast.high,
        }
    return answer


def _tell(best: Guarantee, forecast: LabelForecast | None, notes: list[str], told: str) -> None:
    for note in notes:
        typer.echo(f"Note: {note}")
    if len(best.mdl) > 1:
        _print_table(best.table)
    typer.echo(str(best))
    typer.echo(told)
    if forecast is not None:
        typer.echo(str(forecast))


def _print_table(table: pd.DataFrame) -> None:
    from rich.console import Console
    from rich.table import Table

    from karat.bounds import percent_up

    shown = Table("clustering", "clusters", "errors", "bits", "bound", "at most")
    for name, row in table.sort_values(["bound_rate", "errors", "bits"]).head(30).iterrows():
        shown.add_row(
            str(name),
            f"{int(row['n_clusters'])}",
            f"{int(row['errors'])} of {int(row['tested'])}",
            f"{row['bits']:.1f}",
            f"{int(row['bound']):,}",
            percent_up(row["bound_rate"]),
        )
    Console().print(shown)
