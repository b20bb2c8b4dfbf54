"""``sortal compare``: clusterings with a gold standard, or with each other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from sortal.cli._groups import takes_groups
from sortal.cli._input import HeaderOption
from sortal.cli._label_files import count_pairs, label_facts, read_files, split_columns
from sortal.cli._options import JsonOption, NoiseOption, OnOption
from sortal.cli._output import LAYOUT, print_json, printable, show_table
from sortal.runtime.numerals import percent
from sortal.runtime.validation import InputError, UndefinedMeasureError, check_choice, unknown_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pandas as pd

    from sortal.labelings.contingency import ContingencyTable
    from sortal.measures.catalogue import Measure

MUTUAL = (
    "adjusted_rand_index", "normalized_mutual_information", "adjusted_mutual_information",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """The labelings to compare, and how.

    files: Labels: CSV, TSV, Parquet, .npy or .npz, a clustering per column or array. Two files of
        one column each are the gold standard and a clustering. Two columns of a folder, pattern or
        address of files in parts may have any number of rows.
    truth: The gold standard; without it, more than two labelings are compared with each other.
    columns: The label columns, separated by commas; two names are the gold standard and a
        clustering.
    id_column: Join the files by this column. By default by every column that both have, and that
        differs from row to row; row by row only where there is none.
    measure: An external measure, see sortal measures; may be given more than once. By default all
        of them, and with more than two labelings without --truth the adjusted Rand index, NMI and
        AMI.
    interval: Print the 95 % interval of every value, by the jackknife, for other objects of the
        same kind.
    """

    files: Annotated[list[str], Argument(metavar="FILES")]
    truth: Annotated[str | None, Option(metavar="COLUMN|FILE")] = None
    columns: Annotated[str | None, Option(metavar="NAMES")] = None
    id_column: Annotated[str | None, Option(metavar="NAME")] = None
    on: OnOption = "same"
    noise: NoiseOption = "error"
    measure: Annotated[list[str] | None, Option(metavar="KEY")] = None
    interval: bool = False
    header: HeaderOption = None


@takes_groups
def compare(options: CompareOptions, json: JsonOption = False) -> None:
    """Compare clusterings with a gold standard, or with each other, by external measures.

    Files with different objects are an error; --on inner compares the common ones and counts the
    others.

    For example:

    sortal compare labelings.csv --truth class
    """
    check_choice(options.noise, ("error", "cluster", "singletons", "drop"), "--noise")
    compared = _of_counts(options) or _of_labelings(options)
    truth, names = compared.truth, compared.names
    chosen = _chosen_measures(options.measure or (None if truth else MUTUAL))
    measures = [_measure_record(measure) for measure in chosen]
    tables: list[ContingencyTable | None] = []
    for gold, gold_tables in compared.tables():
        tables = gold_tables
        for measure, record in zip(chosen, measures, strict=True):
            record["values"][gold] = {}
            for name, table in zip(names, tables, strict=True):
                record["values"][gold][name], reason = _value(measure, table)
                if options.interval and table is not None and reason is None:
                    interval, reason = _interval(measure, table)
                    record["intervals"].setdefault(gold, {})[name] = interval
                if reason is not None:
                    record["reasons"].setdefault(reason, []).append(f"{gold} | {name}")
    views = {}
    if truth is not None and len(names) == 1 and tables[0] is not None:
        views = {"cluster": tables[0].by_cluster(), "class": tables[0].by_class()}
    answer: dict[str, Any] = {
        "objects": compared.n_objects, "truth": truth, "labelings": compared.facts,
        "left_out": compared.excluded, "notes": compared.notes, "measures": measures,
        **{f"by_{name}": _records(view, name) for name, view in views.items()},
    }  # fmt: skip
    if json:
        print_json(answer)
    else:
        _print_answer(answer, names, views)


@dataclass(frozen=True)
class ComparedLabelings:
    """Labelings to compare, and their contingency tables with each gold standard."""

    n_objects: int
    truth: str | None
    #: the labelings that are not the gold standard
    names: list[str]
    #: numbers of clusters and coverage
    facts: dict[str, dict[str, Any]]
    tables: Callable[[], Iterable[tuple[str, list[ContingencyTable | None]]]]
    excluded: dict[str, int]
    notes: list[str]


def _of_counts(options: CompareOptions) -> ComparedLabelings | None:
    """Two columns of a table in parts, or two tables, counted batch by batch; None for others."""
    from sortal.labelings.contingency import ContingencyTable

    names = split_columns(options.columns)
    plain = options.truth is None and options.id_column is None
    if not plain or (names is not None and (len(set(names)) != 2 or len(names) != 2)):
        return None
    counted = count_pairs(options.files, names)
    if counted is None:
        return None
    policy: Any = options.noise
    counts, sides, names, notes = counted
    table = ContingencyTable.from_counts(counts, *sides, noise=policy)
    facts = {n: label_facts(side, counts, policy) for n, side in zip(names, sides, strict=True)}
    return ComparedLabelings(
        int(counts.sum()), names[0], names[1:], facts, lambda: [(names[0], [table])], {}, notes
    )


def _of_labelings(options: CompareOptions) -> ComparedLabelings:
    """Labelings of files, in memory."""
    from sortal.labelings.contingency import tables_against
    from sortal.labelings.labels import Encoded
    from sortal.labelings.partitions import as_labelings

    labelings, truth, excluded, notes = read_files(
        [Path(file) for file in options.files],
        split_columns(options.columns),
        options.truth,
        options.id_column,
        options.header,
        options.on,
    )
    policy: Any = options.noise
    batch = as_labelings(labelings, noise=policy)
    others = [m for m, name in enumerate(batch.names) if name != truth]
    facts = {
        name: {"clusters": int(k), "coverage": float(share)}
        for name, k, share in zip(batch.names, batch.n_clusters, batch.coverage, strict=True)
    }

    def tables() -> Iterator[tuple[str, list[ContingencyTable | None]]]:
        for gold in batch.names if truth is None else [truth]:
            g = batch.names.index(gold)
            encoded = Encoded(batch.codes[g], batch.cluster_names[g])
            yield gold, list(tables_against(encoded, batch.select(others)))

    names = [batch.names[m] for m in others]
    return ComparedLabelings(batch.n_objects, truth, names, facts, tables, excluded, notes)


def _chosen_measures(keys: Sequence[str] | None) -> list[Measure]:
    """External measures by key, or all of them."""
    from sortal.measures import catalogue

    external = {m.key: m for m in catalogue.select(kind="external")}
    for key in keys or ():
        if key not in external:
            raise unknown_name(key, external, "external measure")
    return [external[key] for key in keys or external]


def _measure_record(measure: Measure) -> dict[str, Any]:
    """A measure's title, direction and range as JSON, with empty values."""
    normalizer = signature(measure.function).parameters.get("normalizer")
    normaliser = "" if normalizer is None else f" (normaliser {normalizer.default})"
    return {
        "key": measure.key,
        "title": f"{measure.title}{normaliser}",
        "family": measure.family,
        "better": "greater" if measure.greater_is_better else "lower",
        "range": [v if math.isfinite(v) else str(v) for v in measure.range],
        "values": {},
        "intervals": {},
        "reasons": {},
    }


def _value(measure: Measure, table: ContingencyTable | None) -> tuple[float | None, str | None]:
    """The measure's value, or None and the reason."""
    if table is None:
        return None, "no object is in a cluster of both"
    try:
        value = (measure.compute or measure.function)(table)
    except UndefinedMeasureError as error:
        return None, str(error)
    return (value, None) if math.isfinite(value) else (None, f"it is {value}")


def _interval(
    measure: Measure, table: ContingencyTable
) -> tuple[tuple[float, float] | None, str | None]:
    """The measure's jackknife interval, or None and the reason."""
    from sortal.measures import jackknife_interval

    try:
        return jackknife_interval(measure.key, table).interval, None
    except (InputError, UndefinedMeasureError) as error:
        return None, f"no interval: {error}"


def _records(frame: pd.DataFrame, name: str) -> list[dict[str, Any]]:
    """Rows of a table as JSON, with their labels under ``name``."""
    return [
        {name: str(label)}
        | {str(k): v if isinstance(v, int | float | None) else str(v) for k, v in row.items()}
        for label, row in zip(frame.index, frame.to_dict("records"), strict=True)
    ]


def _print_answer(
    answer: dict[str, Any], columns: list[str], views: dict[str, pd.DataFrame]
) -> None:
    """Print the labelings, the measures and the tables of clusters and classes."""
    labeling_facts, truth, measures = answer["labelings"], answer["truth"], answer["measures"]
    lines = [f"{answer['objects']:,} objects, {len(labeling_facts):,} labelings"]
    for name, labeling in labeling_facts.items():
        coverage = labeling["coverage"]
        outliers = f", outliers excluded: {percent(1 - coverage, 1)}" if coverage < 1 else ""
        role = " (gold standard)" if name == truth else ""
        lines.append(f"{name}{role}: {labeling['clusters']:,} clusters{outliers}")
    lines += answer["notes"]
    for path, count in answer["left_out"].items():
        if count:
            lines.append(f"excluded: {count:,} objects of {path} that not all files have")
    typer.echo(printable("\n".join(lines)))
    for block in (columns[i : i + LAYOUT.block] for i in range(0, len(columns), LAYOUT.block)):
        numbers = range(1, 1 + len(block))
        if truth is not None:
            rows = [
                (m["title"], *(_cell(m, truth, name) for name in block), m["better"])
                for m in measures
            ]
            show_table(("measure", *block, "better"), rows, numbers=numbers)
            continue
        for m in measures:
            title = f"{m['title']}, {m['better']} is better; rows as gold standard"
            rows = [(gold, *(_cell(m, gold, name) for name in block)) for gold in m["values"]]
            show_table(("", *block), rows, title=title, numbers=numbers)
    for m in measures:
        for reason, pairs in m["reasons"].items():
            listed = ", ".join(pairs[:3]) + (", ..." if len(pairs) > 3 else "")
            typer.echo(printable(f"{m['title']} of {listed}: {reason}"))
    for name, frame in views.items():
        heads = [name, *(str(column).replace("_", " ") for column in frame.columns)]
        rows = [
            (label, *(f"{v:.3f}" if isinstance(v, float) else v for v in row))
            for label, row in frame.nlargest(LAYOUT.clusters, "size").iterrows()
        ]
        show_table(heads, rows)
        if len(frame) > LAYOUT.clusters:
            typer.echo(f"the {LAYOUT.clusters} largest of {len(frame):,}; --json has all")


def _cell(record: dict[str, Any], gold: str, name: str) -> str:
    """A value, and its interval if there is one, as text in a table."""
    value, interval = record["values"][gold][name], record["intervals"].get(gold, {}).get(name)
    if value is None:
        return "undefined"
    text = f"{0.0 if abs(value) < 1e-12 else value:.6g}"  # what rounding left of 0
    return text if interval is None else f"{text} ({interval[0]:.3g}–{interval[1]:.3g})"
