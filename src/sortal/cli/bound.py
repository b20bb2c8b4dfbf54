"""``sortal bound``: guarantees about clusterings from a few labels."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from sortal.cli._groups import takes_groups
from sortal.cli._input import HeaderOption, parse_classes
from sortal.cli._options import (
    ClassesOption,
    DeltaOption,
    ForceOption,
    JsonOption,
    NoiseOption,
    OnOption,
)
from sortal.cli._output import (
    class_table,
    print_json,
    print_notes,
    records,
    show_table,
    write_csv,
)
from sortal.runtime.validation import InputError, check_choice, unknown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sortal.bounds import Guarantee, LabelForecast
    from sortal.bounds.forecast import BoundForecast
    from sortal.datasets import KnownLabels, LabelColumns
    from sortal.typing import Ints


@dataclass(frozen=True, kw_only=True)
class BoundOptions:
    """The clusterings, the known labels, and the wanted guarantee.

    labels: CSV, Parquet or NumPy: one object a row, one clustering a column.
    few: Known classes: columns 'draw', 'row' (from 0) and 'label', or a 'label' for each object,
        empty where it is not known.
    column: Clusterings to compare; all columns by default.
    target: Target for the bound: says whether it is reached, or forecasts the labels still needed.
    predict: Write every row's class to this CSV file. The guarantee is about `class`;
        `class_guaranteed` holds for each class, and `confidence` is an estimate.
    once: Ask only this question, with a number of labels fixed beforehand; by default part of delta
        is kept for further questions.
    unreadable: Numbers in the column 'draw' of rows that cannot be read, for a reason that cannot
        depend on their class, such as `3,17`. Other rows without a label count as errors.
    in_order: The rows of LABELS are those of the data, in their order. Needed if LABELS has neither
        the column 'row' nor one that names the objects.
    id_column: Join the files by this column. By default by every column that both have, and that
        differs from row to row; else by the column row, or row by row.
    """

    labels: Annotated[Path, Argument()]
    few: Annotated[Path, Argument()]
    delta: DeltaOption = 0.1
    column: Annotated[list[str] | None, Option("--column", "-c")] = None
    noise: NoiseOption = "error"
    target: float | None = None
    predict: Path | None = None
    force: ForceOption = False
    classes: ClassesOption = None
    once: Annotated[bool, Option("--once")] = False
    unreadable: str | None = None
    in_order: Annotated[bool, Option("--in-order")] = False
    header: HeaderOption = None
    id_column: Annotated[str | None, Option(metavar="NAME")] = None
    on: OnOption = "same"


@takes_groups
def bound(options: BoundOptions, json: JsonOption = False) -> None:
    """Guarantee how many unlabelled objects a clustering can mislabel, from a few labels.

    The labelled objects must have been drawn at random, as `sortal sample` does, and the
    clusterings made without looking at the labels. Choosing the best of several is paid for.
    If FEW has the column 'draw' of `sortal sample`, the answer holds at every number of labels:
    label until it is low enough (--target), and stop. Rows that were skipped, blanked or deleted
    count as errors. A row that was changed since the draw is rejected. Other clusterings or options
    are another question. sortal counts the questions, in copies of the file too, and they share
    delta. --once gives all of delta to one question, for a number of labels fixed beforehand.

    For example:

    sortal bound clusters.csv labels.csv --target 0.1
    """
    from sortal.bounds import forecast_bounds, forecast_labels
    from sortal.datasets import read_labelings
    from sortal.runtime.output import OutputPlan

    check_choice(options.noise, ("error", "cluster", "singletons", "drop"), "--noise")
    plan = OutputPlan({"LABELS": options.labels, "FEW": options.few})
    plan.file(options.predict, option="--predict", overwrite=options.force)
    if not 0 < options.delta <= 1:
        raise InputError(f"--delta must be in (0, 1]; got {options.delta}")
    clusterings = read_labelings(options.labels, id_column=options.id_column, header=options.header)
    for name in options.column or ():
        if name not in clusterings:
            raise InputError(f"{options.labels}: {unknown_name(name, clusterings, 'column')}")
    classes = parse_classes(options.classes)
    few_labels = clusterings.known(
        options.few, id_column=options.id_column, on=options.on,
        classes=classes if isinstance(classes, list) else (),
        unreadable=_numbers(options.unreadable), in_order=options.in_order,
    )  # fmt: skip
    if options.once and few_labels.draw.n_lost:
        raise InputError(
            "--once is for a number of labels that was fixed beforehand, and "
            f"{few_labels.draw.n_lost:,} of the {few_labels.draw.size:,} drawn rows are not in "
            f"{options.few} any more. Restore them, or ask without --once"
        )
    best, look = _answer(options, clusterings, few_labels, classes)
    forecast = forecast_labels(best, options.target) if best.n and not best.skipped else None
    outlook = () if best.skipped else forecast_bounds(best)
    coming = _to_label_next(few_labels, clusterings.rows)
    if options.predict is not None:
        table = class_table(best.row_classes.table, clusterings.rows, clusterings.ids)
        write_csv(table, options.predict, force=options.force)
    notes = [*clusterings.notes, *few_labels.notes, *few_labels.draw.notes]
    if json:
        print_json(_as_json(best, forecast, notes) | {
            "look": look, "question": best.question,
            "outlook": [asdict(future) for future in outlook], "next_rows": coming,
        })  # fmt: skip
        return
    print_notes(notes, err=False)
    _print(best, forecast if options.target is not None or not outlook else None, outlook, coming)


def _answer(
    options: BoundOptions, clusterings: LabelColumns, few_labels: KnownLabels, classes: Any
) -> tuple[Guarantee, int | None]:
    """The guarantee at the share of delta that is left for this question, and its number."""
    import numpy as np

    from sortal.bounds import Ledger, guarantee, question_of
    from sortal.labelings import as_labelings

    chosen = {name: clusterings[name] for name in options.column or clusterings}
    labelled = [i for i, value in enumerate(few_labels.values) if value is not None]
    positions = list(few_labels.order or labelled)
    in_order = few_labels.order is not None and not options.once
    policy: Any = options.noise
    batch = as_labelings(chosen, noise=policy)
    question = question_of(
        batch, delta=options.delta, noise=policy, classes=options.classes,
        # the test sequences depend on the target
        target=options.target if in_order else None,
    )  # fmt: skip
    rows = np.arange(batch.n_objects) if clusterings.rows is None else clusterings.rows
    counted = Ledger(options.few).ask(
        question,
        [(int(rows[i]), few_labels.values[i]) for i in positions],
        ordered=few_labels.order is not None,
        once=options.once,
    )
    best = guarantee(
        batch,
        few_labels,
        options.delta * counted.share,
        anytime=counted.anytime and (options.target or True),
        classes=classes,
        noise=policy,
    )
    if best.refused:
        raise InputError(f"nothing is guaranteed: {best.refused}")
    return best.counted(counted, options.delta), counted.number


def _numbers(unreadable: str | None) -> list[int]:
    """Numbers in ``--unreadable``."""
    texts = [] if unreadable is None else [text.strip() for text in unreadable.split(",")]
    if not all(text.isascii() and text.isdigit() for text in texts):
        raise InputError(
            f"--unreadable takes numbers of the column 'draw', such as 3,17; got {unreadable!r}"
        )
    return [int(text) for text in texts]


def _print(
    best: Guarantee,
    forecast: LabelForecast | None,
    outlook: Sequence[BoundForecast],
    coming: list[int],
) -> None:
    """Print the answer, what more labels would buy, and the rows to label next."""
    from sortal.bounds import wording

    if len(best.mdl) > 1:
        _print_table(best)
    typer.echo(str(best))
    if forecast is not None:
        typer.echo(str(forecast))
    if outlook:
        future = wording.outlook(best.m, best.bound_rate, outlook)
        typer.echo(f"What more labels would buy: {future}.")
    if coming:
        typer.echo(wording.next_rows(coming))


def _to_label_next(few: KnownLabels, rows: Ints | None) -> list[int]:
    """Rows to label next: those that the file lists without a label, else a further draw."""
    from sortal.bounds import sample_more
    from sortal.bounds.wording import MOST_ROWS

    labelled = [i for i, value in enumerate(few.values) if value is not None]
    if few.skipped and not few.unlabelled:
        return []  # deleted rows come first, and the file does not name them
    objects = few.unlabelled or sample_more(len(few.values), labelled, MOST_ROWS).tolist()
    return [int(i if rows is None else rows[i]) for i in objects[:MOST_ROWS]]


def _as_json(best: Guarantee, forecast: LabelForecast | None, notes: list[str]) -> dict[str, Any]:
    """The guarantee and the forecast as JSON."""
    fields = ("delta", "bound", "bound_rate", "method", "carrier", "anytime", "sentence", "reason")
    answer: dict[str, Any] = {name: getattr(best, name) for name in fields} | {
        "best": best.name,
        "labels_read": best.labels_read,
        "skipped": best.skipped,
        "if_right": best.if_right,
        "parts": {component.method: component.bound_rate for component in reversed(best.parts)},
        "warnings": list(best.warnings),
        "premises": list(best.premises),
        "notes": notes,
        "cluster_labels": {str(k): str(v) for k, v in best.cluster_labels.items()},
        "table": records(best.table.rename_axis("clustering")),
    }
    if forecast is not None:
        names = ("target", "more", "low", "high")
        answer["forecast"] = {name: getattr(forecast, name) for name in names}
    return answer


def _print_table(best: Guarantee) -> None:
    """Print the bounds of the 30 best clusterings."""
    from sortal.bounds import percent_up

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
