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
    once: You decided beforehand how many to label and ask this one time; otherwise part of delta is
        kept for further questions.
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
    the draw, as `karat sample` does: label until it is low enough (--target), and stop. Other
    clusterings or options are another question: FEW.looks beside the labels counts them, and they
    share delta. --once gives all of delta to one question, for a number of labels that was fixed
    beforehand, which is lower.
    """
    from karat.bounds import forecast_labels, guarantee
    from karat.cli._query_count import count_look, share_of
    from karat.datasets import read_labelings, read_labels

    check_choice(question.noise, ("error", "cluster", "singletons", "drop"), "--noise")
    check_target(question.predict, "--predict", question.force)
    if not 0 < question.delta <= 1:
        raise InputError(f"--delta must be in (0, 1]; got {question.delta}")
    clusterings = read_labelings(question.labels, header=question.header)
    for name in question.column or ():
        if name not in clusterings:
            raise InputError(f"{question.labels}: {unknown_name(name, clusterings, 'column')}")
    classes = parse_classes(question.classes)
    given = read_labels(
        question.few, len(next(iter(clusterings.values()))), rows=clusterings.rows,
        ids=clusterings.ids, classes=classes if isinstance(classes, list) else (),
    )  # fmt: skip
    chosen = {name: clusterings[name] for name in question.column or clusterings}
    labelled = [i for i, value in enumerate(given.values) if value is not None]
    in_order = given.order is not None and not question.once
    planned = [question.target] if question.target and in_order else []
    look, told, count = count_look(
        question.few,
        # the sequences that test follow from the target
        [chosen, question.delta, question.noise, question.classes, *planned],
        [(int(i), given.values[i]) for i in given.order or labelled],
        given.order is not None,
        question.once,
    )
    policy: Any = question.noise
    best = guarantee(
        chosen,
        given.values,
        question.delta if look is None else question.delta * share_of(look),
        False if look is None or given.order is None else question.target or True,
        order=given.order,
        classes=classes,
        noise=policy,
    )
    if best.refused:
        raise InputError(f"nothing is guaranteed: {best.refused}")
    count()
    best = replace(best, delta=question.delta, warnings=(*given.doubts, *best.warnings))
    forecast = forecast_labels(best, question.target) if best.n else None
    if question.predict is not None:
        _write_classes(best, clusterings.rows, question.predict)
    notes = [*clusterings.notes, *given.notes]
    if json:
        tell_json(_as_json(best, forecast, notes) | {"look": look})
        return
    tell_notes(notes, err=False)
    if len(best.mdl) > 1:
        _show(best)
    typer.echo(str(best))
    typer.echo(told)
    if forecast is not None:
        typer.echo(str(forecast))


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
