"""``karat bound``: what a few labels guarantee about clusterings."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from karat.cli._groups import takes_groups
from karat.cli._input import Header, parse_classes
from karat.cli._options import Classes, Delta, Force, Json, Outliers
from karat.cli._output import check_target, records, show_table, tell_json, tell_notes, write_csv
from karat.runtime.validation import InputError, check_choice, unknown_name

if TYPE_CHECKING:
    from karat.bounds import Guarantee, LabelForecast


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of which labels.

    labels: CSV, Parquet or NumPy: one object a row, one clustering a column.
    few: Known classes: columns 'row' (from 0) and 'label', or a 'label' for each object, empty
        where it is not known.
    column: Clusterings to compare; all columns by default.
    target: Wanted bound: whether it is reached, else a forecast of how many more labels do.
    predict: Write the class of every object to this CSV file.
    once: You decided beforehand how many to label, and ask this one time.
    """

    labels: Annotated[Path, Argument()]
    few: Annotated[Path, Argument()]
    delta: Delta = 0.1
    column: Annotated[list[str] | None, Option("--column", "-c")] = None
    noise: Outliers = "error"
    target: float | None = None
    predict: Path | None = None
    force: Force = False
    classes: Classes = None
    once: Annotated[bool, Option("--once")] = False
    header: Header = None


@takes_groups
def bound(question: Question, json: Json = False) -> None:
    """Guarantee how many unlabelled objects a clustering can mislabel, from a few labels.

    The labelled objects must have been drawn at random, as `karat sample` does, and the
    clusterings made without looking at the labels. Choosing the best of several is paid for.
    The answer holds at every number of labels at once, where FEW lists the objects in the order of
    the draw, as `karat sample` does: label until it is low enough (--target), and stop. It is lower
    for a number of labels that was fixed beforehand (--once). Other clusterings or options are
    another question, which the same labels cannot answer with the same guarantee.
    """
    from karat.bounds import forecast_labels, guarantee
    from karat.datasets import read_labelings, read_labels

    check_choice(question.noise, ("error", "cluster", "singletons", "drop"), "--noise")
    check_target(question.predict, "--predict", question.force)
    clusterings = read_labelings(question.labels, header=question.header)
    for name in question.column or ():
        if name not in clusterings:
            raise InputError(f"{question.labels}: {unknown_name(name, clusterings, 'column')}")
    classes = parse_classes(question.classes)
    given = read_labels(
        question.few, len(next(iter(clusterings.values()))), rows=clusterings.rows,
        ids=clusterings.ids, classes=classes if isinstance(classes, list) else (),
    )  # fmt: skip
    policy: Any = question.noise
    best = guarantee(
        {name: clusterings[name] for name in question.column or clusterings},
        given.values,
        question.delta,
        False if question.once or given.order is None else question.target or True,
        order=given.order,
        classes=classes,
        noise=policy,
    )
    if best.refused:
        raise InputError(f"nothing is guaranteed: {best.refused}")
    best = replace(best, warnings=(*given.doubts, *best.warnings))
    forecast = forecast_labels(best, question.target) if best.n else None
    if question.predict is not None:
        _write_classes(best, clusterings.rows, question.predict)
    notes = [*clusterings.notes, *given.notes]
    if json:
        tell_json(_as_json(best, forecast, notes))
        return
    tell_notes(notes, err=False)
    if len(best.mdl) > 1:
        _show(best)
    typer.echo(str(best))
    typer.echo(_scope(best, question.once))
    if forecast is not None:
        typer.echo(str(forecast))


def _scope(best: Guarantee, once: bool) -> str:
    """What the guarantee is about, and what it is not."""
    if best.anytime:
        held = (
            "It holds at every number of labels at once: go on labelling from the top and ask "
            "again, and stop whenever you like."
        )
    elif once:
        held = "It is for a number of labels that was fixed beforehand (--once)."
    else:
        held = (
            "It is for a number of labels that was fixed beforehand, since this file does not say "
            "in which order the objects were drawn; a file of karat sample does."
        )
    return f"{held} Other clusterings or options are another question, which it does not cover."


def _write_classes(best: Guarantee, rows: Any, path: Path) -> None:
    import pandas as pd

    at = range(len(best.labels)) if rows is None else rows
    write_csv(pd.DataFrame({"row": at, "label": best.labels}), path)


def _as_json(best: Guarantee, forecast: LabelForecast | None, notes: list[str]) -> dict[str, Any]:
    named = ("delta", "bound", "bound_rate", "method", "carrier", "anytime", "sentence", "reason")
    answer: dict[str, Any] = {name: getattr(best, name) for name in named} | {
        "best": best.name,
        "labels_read": best.labels_read,
        "parts": {part.method: part.bound_rate for part in reversed(best.parts)},
        "warnings": list(best.warnings),
        "premises": list(best.premises),
        "notes": notes,
        "cluster_labels": {str(k): str(v) for k, v in best.cluster_labels.items()},
        "table": records(best.table.rename_axis("clustering")),
    }
    if forecast is not None:
        told = asdict(forecast)
        answer["forecast"] = {name: told[name] for name in ("target", "more", "low", "high")}
    return answer


def _show(best: Guarantee) -> None:
    from karat.bounds import percent_up

    table = best.table.sort_values(["bound_rate", "errors", "bits"]).head(30)
    rows = [
        (
            name, int(row["n_clusters"]), f"{int(row['errors'])} of {int(row['tested'])}",
            f"{row['bits']:.1f}", f"{int(row['bound']):,}", percent_up(row["bound_rate"]),
        )
        for name, row in table.iterrows()
    ]  # fmt: skip
    heads = ("clustering", "clusters", "errors", "bits", "bound", "at most")
    show_table(heads, rows, numbers=range(1, 6))
