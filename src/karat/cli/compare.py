"""``karat compare``: clusterings with a gold standard, or with each other."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli._label_files import lone_columns, read_many, read_two, shared_id, split_columns
from karat.cli._options import Json, Outliers
from karat.cli._output import Force, check_target

if TYPE_CHECKING:
    import pandas as pd

    from karat.labelings.contingency import ContingencyTable
    from karat.measures.catalogue import Measure

SHOWN = 20
ABREAST = 6
NORMALIZERS = ("geometric", "arithmetic", "max", "min")
NORMALIZED = ("normalized_mutual_information", "adjusted_mutual_information")
MUTUAL = ("adjusted_rand_index", *NORMALIZED)


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
            "clustering, both in the one file or one in each of the two.",
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
    normalizer: Annotated[
        str | None,
        typer.Option(
            "--normalizer",
            help="What normalises mutual information (NMI and AMI): geometric, arithmetic, max or "
            "min of the two entropies. By default geometric for NMI, max for AMI.",
        ),
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether a text file's first line names the columns; detected if not given.",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture", metavar="FILE", help="Draw the table of two labelings to this HTML file."
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Compare clusterings with a gold standard, or with each other, by external measures.

    Two files of one column each may be larger than memory. Objects that only some of the joined
    files have are excluded and counted.
    """
    from karat.runtime.validation import InputError, check_choice

    check_target(picture, "--picture", force)
    check_choice(noise, ("error", "cluster", "singletons", "drop"), "--noise")
    if normalizer is not None:
        check_choice(normalizer, NORMALIZERS, "--normalizer")
    names = split_columns(columns)
    told: list[str] = []
    if id_column is None:
        gold = [Path(truth)] if truth is not None and Path(truth).is_file() else []
        id_column, told = shared_id([*gold, *files], header)
    if truth is not None and names is None and len(files) == 1 and Path(truth).is_file():
        files, truth = [Path(truth), *files], None
        names = lone_columns(files, id_column, header)
        if names is None:
            files, truth = files[1:], str(files[0])
    elif truth is None and names is None and len(files) == 2:
        names = lone_columns(files, id_column, header)
    if truth is None and names is not None and len(names) == 2 and len(files) <= 2:
        table, left_out, notes = read_two(files, names, id_column, header, noise)
        _tell_two(table, left_out, [*told, *notes], _measures(measure), normalizer, picture, json)
        return
    if picture is not None:
        raise InputError("--picture draws the table of two labelings; name them with --columns")
    labelings, gold_name, left_out, notes = read_many(files, names, truth, id_column, header)
    chosen = _measures(measure, None if gold_name else MUTUAL)
    notes = [*told, *notes]
    _tell_many(labelings, gold_name, left_out, notes, noise, chosen, normalizer, json)


def _measures(keys: list[str] | None, default: tuple[str, ...] | None = None) -> list[Measure]:
    from karat.measures import catalogue
    from karat.runtime.validation import unknown_name

    known = {m.key: m for m in catalogue.select(kind="external")}
    chosen = keys or default or known
    for key in chosen:
        if key not in known:
            raise unknown_name(key, known, "external measure")
    return [known[key] for key in chosen]


def _title(measure: Measure, normalizer: str | None) -> str:
    """The measure's title with what normalises it."""
    import inspect

    options = inspect.signature(measure.function).parameters
    if "normalizer" not in options:
        return measure.title
    used = normalizer if normalizer and measure.key in NORMALIZED else options["normalizer"].default
    return f"{measure.title} (normaliser {used})"


def _options(measure: Measure, normalizer: str | None) -> dict[str, str]:
    return {"normalizer": normalizer} if normalizer and measure.key in NORMALIZED else {}


def _described(measure: Measure, normalizer: str | None) -> dict[str, Any]:
    return {
        "key": measure.key,
        "title": _title(measure, normalizer),
        "family": measure.family,
        "better": "greater" if measure.greater_is_better else "lower",
        "range": [v if math.isfinite(v) else str(v) for v in measure.range],
    }


def _value(
    measure: Measure, table: ContingencyTable | None, normalizer: str | None
) -> tuple[float | None, str | None]:
    """The measure's value, or why there is none."""
    from karat.runtime.validation import UndefinedMeasureError

    if table is None:
        return None, "no object is in a cluster of both"
    options = _options(measure, normalizer)
    try:
        compute = measure.compute if measure.compute and not options else measure.function
        value = compute(table, **options)
    except UndefinedMeasureError as error:
        return None, str(error)
    return (value, None) if math.isfinite(value) else (None, f"it is {value}")


def _tell_two(
    table: ContingencyTable,
    left_out: dict[str, int],
    notes: list[str],
    chosen: list[Measure],
    normalizer: str | None,
    picture: Path | None,
    json: bool,
) -> None:
    import json as jsonlib

    measures = []
    for measure in chosen:
        value, reason = _value(measure, table, normalizer)
        measures.append({**_described(measure, normalizer), "value": value, "reason": reason})
    if picture is not None:
        from karat.plot import contingency

        contingency(table).write_html(picture, include_plotlyjs=True)
    if json:
        answer = {
            "objects": table.n,
            "classes": table.shape[0],
            "clusters": table.shape[1],
            "coverage": table.coverage,
            "left_out": left_out,
            "notes": notes,
            "measures": measures,
            "by_cluster": _records(table.by_cluster(), "cluster"),
            "by_class": _records(table.by_class(), "class"),
        }
        typer.echo(jsonlib.dumps(answer, allow_nan=False))
        return
    _print(table, measures, left_out, notes)


def _tell_many(
    labelings: dict[str, Any],
    truth: str | None,
    left_out: dict[str, int],
    notes: list[str],
    noise: Any,
    chosen: list[Measure],
    normalizer: str | None,
    json: bool,
) -> None:
    import json as jsonlib

    from karat.labelings.labels import Encoded
    from karat.labelings.partitions import as_labelings
    from karat.measures.external.agreement import tables_against

    batch = as_labelings(labelings, noise=noise)
    golds = list(batch.names) if truth is None else [truth]
    others = [m for m, name in enumerate(batch.names) if name != truth]
    columns = [batch.names[m] for m in others]
    measures = [{**_described(m, normalizer), "values": {}, "reasons": {}} for m in chosen]
    for gold in golds:
        g = batch.names.index(gold)
        encoded = Encoded(batch.codes[g], batch.cluster_names[g])
        tables = list(tables_against(encoded, batch.select(others)))
        for measure, record in zip(chosen, measures, strict=True):
            told = {n: _value(measure, t, normalizer) for n, t in zip(columns, tables, strict=True)}
            record["values"][gold] = {name: value for name, (value, _) in told.items()}
            for name, (_, reason) in told.items():
                if reason is not None:
                    record["reasons"].setdefault(reason, []).append(f"{gold} | {name}")
    about = {
        name: {"clusters": int(k), "coverage": float(share)}
        for name, k, share in zip(batch.names, batch.n_clusters, batch.coverage, strict=True)
    }
    if json:
        answer = {
            "objects": batch.n_objects,
            "truth": truth,
            "labelings": about,
            "left_out": left_out,
            "notes": notes,
            "measures": measures,
        }
        typer.echo(jsonlib.dumps(answer, allow_nan=False))
        return
    _print_many(batch.n_objects, truth, columns, about, measures, left_out, notes)


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


def _print(
    table: ContingencyTable,
    measures: list[dict[str, Any]],
    left_out: dict[str, int],
    notes: list[str],
) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    classes, clusters = table.shape
    console.print(f"{table.n:,} objects, {classes:,} classes, {clusters:,} clusters")
    if table.coverage < 1:
        console.print(f"outliers excluded: {1 - table.coverage:.1%} of the objects")
    _print_reading(console, left_out, notes)
    shown = Table("measure", "value", "better", "range", "family")
    for m in measures:
        shown.add_row(m["title"], _cell(m["value"]), m["better"], _range(m), m["family"])
    console.print(shown)
    for m in measures:
        if m["reason"]:
            console.print(f"{m['title']}: {m['reason']}", markup=False, highlight=False)
    _print_view(console, table.by_cluster(), "cluster")
    _print_view(console, table.by_class(), "class")


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


def _range(measure: dict[str, Any]) -> str:
    low, high = (f"{float(v):g}" for v in measure["range"])
    return f"{low} to {high}"


def _print_reading(console: Any, left_out: dict[str, int], notes: list[str]) -> None:
    for note in notes:
        console.print(note, markup=False, highlight=False)
    for path, count in left_out.items():
        if count:
            console.print(
                f"excluded: {count:,} objects of {path} that not all files have", markup=False
            )


def _print_many(
    n: int,
    truth: str | None,
    columns: list[str],
    about: dict[str, Any],
    measures: list[dict[str, Any]],
    left_out: dict[str, int],
    notes: list[str],
) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    console.print(f"{n:,} objects, {len(about):,} labelings")
    for name, one in about.items():
        outliers = f", outliers excluded: {1 - one['coverage']:.1%}" if one["coverage"] < 1 else ""
        role = " (gold standard)" if name == truth else ""
        console.print(f"{name}{role}: {one['clusters']:,} clusters{outliers}", markup=False)
    _print_reading(console, left_out, notes)
    blocks = [columns[start : start + ABREAST] for start in range(0, len(columns), ABREAST)]
    for block in blocks:
        if truth is not None:
            shown = Table("measure", *map(escape, block), "better", "range")
            for m in measures:
                values = [_cell(m["values"][truth][name]) for name in block]
                shown.add_row(m["title"], *values, m["better"], _range(m))
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
