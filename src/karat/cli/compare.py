"""``karat compare``: clusterings with a gold standard, or with each other."""

from __future__ import annotations

import json as jsonlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli._input import Header
from karat.cli._label_files import read_files, split_columns
from karat.cli._options import Json, Outliers

if TYPE_CHECKING:
    import pandas as pd

    from karat.labelings.contingency import ContingencyTable
    from karat.measures.catalogue import Measure

SHOWN = 20
ABREAST = 6
MUTUAL = (
    "adjusted_rand_index", "normalized_mutual_information", "adjusted_mutual_information",
)  # fmt: skip


def compare(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES",
            help="Labels: CSV, TSV, Parquet, .npy or .npz, a clustering per column or array. Two "
            "files of one column each are the gold standard and a clustering.",
        ),
    ],
    truth: Annotated[
        str | None,
        typer.Option(
            "--truth",
            metavar="COLUMN|FILE",
            help="The gold standard; without it, more than two labelings are compared with each "
            "other.",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="NAMES",
            help="The label columns, separated by commas; two names are the gold standard and a "
            "clustering.",
        ),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option(
            "--id-column",
            metavar="NAME",
            help="Join the files by this column; otherwise row by row.",
        ),
    ] = None,
    noise: Outliers = "error",
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            metavar="KEY",
            help="An external measure, see karat measures; may be given more than once. By default "
            "all of them, and with more than two labelings without --truth the adjusted Rand "
            "index, NMI and AMI.",
        ),
    ] = None,
    header: Header = None,
    json: Json = False,
) -> None:
    """Compare clusterings with a gold standard, or with each other, by external measures.

    Objects that only some of the joined files have are excluded and counted.
    """
    from karat.labelings.contingency import tables_against
    from karat.labelings.labels import Encoded
    from karat.labelings.partitions import as_labelings
    from karat.runtime.validation import check_choice

    check_choice(noise, ("error", "cluster", "singletons", "drop"), "--noise")
    labelings, truth, left_out, notes = read_files(
        files, split_columns(columns), truth, id_column, header
    )
    chosen = _measures(measure or (None if truth else MUTUAL))
    policy: Any = noise
    batch = as_labelings(labelings, noise=policy)
    others = [m for m, name in enumerate(batch.names) if name != truth]
    names = [batch.names[m] for m in others]
    measures = [{**_described(one), "values": {}, "reasons": {}} for one in chosen]
    tables: list[ContingencyTable | None] = []
    for gold in batch.names if truth is None else [truth]:
        g = batch.names.index(gold)
        encoded = Encoded(batch.codes[g], batch.cluster_names[g])
        tables = list(tables_against(encoded, batch.select(others)))
        for one, record in zip(chosen, measures, strict=True):
            told = {name: _value(one, t) for name, t in zip(names, tables, strict=True)}
            record["values"][gold] = {name: value for name, (value, _) in told.items()}
            for name, (_, reason) in told.items():
                if reason is not None:
                    record["reasons"].setdefault(reason, []).append(f"{gold} | {name}")
    about = {
        name: {"clusters": int(k), "coverage": float(share)}
        for name, k, share in zip(batch.names, batch.n_clusters, batch.coverage, strict=True)
    }
    answer: dict[str, Any] = {
        "objects": batch.n_objects, "truth": truth, "labelings": about, "left_out": left_out,
        "notes": notes, "measures": measures,
    }  # fmt: skip
    pair = tables[0] if truth is not None and len(names) == 1 else None
    if json:
        if pair is not None:
            answer["by_cluster"] = _records(pair.by_cluster(), "cluster")
            answer["by_class"] = _records(pair.by_class(), "class")
        typer.echo(jsonlib.dumps(answer, allow_nan=False))
    else:
        _print(answer, names, pair)


def _measures(keys: Any) -> list[Measure]:
    from karat.measures import catalogue
    from karat.runtime.validation import unknown_name

    known = {m.key: m for m in catalogue.select(kind="external")}
    for key in keys or ():
        if key not in known:
            raise unknown_name(key, known, "external measure")
    return [known[key] for key in keys or known]


def _described(measure: Measure) -> dict[str, Any]:
    """What a measure is, and by what it is normalised."""
    import inspect

    normalizer = inspect.signature(measure.function).parameters.get("normalizer")
    told = "" if normalizer is None else f" (normaliser {normalizer.default})"
    return {
        "key": measure.key,
        "title": f"{measure.title}{told}",
        "family": measure.family,
        "better": "greater" if measure.greater_is_better else "lower",
        "range": [v if math.isfinite(v) else str(v) for v in measure.range],
    }


def _value(measure: Measure, table: ContingencyTable | None) -> tuple[float | None, str | None]:
    """The measure's value, or why there is none."""
    from karat.runtime.validation import UndefinedMeasureError

    if table is None:
        return None, "no object is in a cluster of both"
    try:
        value = (measure.compute or measure.function)(table)
    except UndefinedMeasureError as error:
        return None, str(error)
    return (value, None) if math.isfinite(value) else (None, f"it is {value}")


def _records(frame: pd.DataFrame, name: str) -> list[dict[str, Any]]:
    """Rows with names as text, as JSON has no other keys."""
    rows = []
    for label, row in zip(frame.index, frame.to_dict("records"), strict=True):
        plain = {
            str(k): v if isinstance(v, (int, float)) or v is None else str(v)
            for k, v in row.items()
        }
        rows.append({name: str(label), **plain})
    return rows


def _print(answer: dict[str, Any], columns: list[str], pair: ContingencyTable | None) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    about, truth, measures = answer["labelings"], answer["truth"], answer["measures"]
    console.print(f"{answer['objects']:,} objects, {len(about):,} labelings")
    for name, one in about.items():
        outliers = f", outliers excluded: {1 - one['coverage']:.1%}" if one["coverage"] < 1 else ""
        role = " (gold standard)" if name == truth else ""
        console.print(f"{name}{role}: {one['clusters']:,} clusters{outliers}", markup=False)
    for note in answer["notes"]:
        console.print(note, markup=False, highlight=False)
    for path, count in answer["left_out"].items():
        if count:
            told = f"excluded: {count:,} objects of {path} that not all files have"
            console.print(told, markup=False)
    for block in (columns[i : i + ABREAST] for i in range(0, len(columns), ABREAST)):
        if truth is not None:
            shown = Table("measure", *map(escape, block), "better", "range", "family")
            for m in measures:
                values = [_cell(m["values"][truth][name]) for name in block]
                reach = " to ".join(f"{float(v):g}" for v in m["range"])
                shown.add_row(m["title"], *values, m["better"], reach, m["family"])
            console.print(shown)
            continue
        for m in measures:
            console.print(f"{m['title']}, {m['better']} is better; rows as gold standard")
            shown = Table("", *map(escape, block))
            for gold, row in m["values"].items():
                shown.add_row(escape(gold), *(_cell(row[name]) for name in block))
            console.print(shown)
    for m in measures:
        for reason, pairs in m["reasons"].items():
            listed = ", ".join(pairs[:3]) + (", ..." if len(pairs) > 3 else "")
            console.print(f"{m['title']} of {listed}: {reason}", markup=False, highlight=False)
    if pair is not None:
        _print_view(console, pair.by_cluster(), "cluster")
        _print_view(console, pair.by_class(), "class")


def _print_view(console: Any, frame: pd.DataFrame, name: str) -> None:
    from rich.markup import escape
    from rich.table import Table

    shown = Table(name, *(str(column).replace("_", " ") for column in frame.columns))
    for label, row in frame.nlargest(SHOWN, "size").iterrows():
        cells = [f"{v:.3f}" if isinstance(v, float) else escape(str(v)) for v in row]
        shown.add_row(escape(str(label)), *cells)
    console.print(shown)
    if len(frame) > SHOWN:
        console.print(f"the {SHOWN} largest of {len(frame):,}; --json has all")


def _cell(value: float | None) -> str:
    if value is None:
        return "undefined"
    return f"{0.0 if abs(value) < 1e-12 else value:.6g}"  # what rounding left of 0
