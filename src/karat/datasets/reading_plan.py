"""The plan by which a table is read: how each column is understood, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import object_ids, table_kinds
from karat.datasets._columns import MAX_CATEGORIES
from karat.datasets._names import quoted
from karat.datasets.column_kinds import MAX_MISSING_SHARE, Column, understand
from karat.datasets.findings import Finding
from karat.datasets.number_formats import MISSING_MARKS, numbers
from karat.datasets.problems import RepairableError

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from karat.datasets._options import ReadingOptions

MAX_SHOWN_PROBLEMS = 8  # columns in a message


@dataclass(frozen=True)
class ReadingPlan:
    """What was understood and assumed when a table was read.

    Attributes
    ----------
    columns : tuple of Column
        In the order of the table, without those that were named as label, id or to be dropped.
    scale : str
        What the numbers were scaled to: none, standard, robust or minmax.
    impute : str or None
        How missing values were replaced, None where nothing was missing.
    """

    columns: tuple[Column, ...] = ()
    scale: str = "none"
    impute: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "scale": self.scale,
            "impute": self.impute,
            "columns": [
                {name: value for name, value in vars(one).items() if name != "facts"}
                for one in self.columns
            ],
        }


@dataclass
class InterpretedTable:
    """A table taken apart by its plan: its features, ids, and other columns of ids."""

    features: dict[str, Any]
    plan: ReadingPlan
    findings: list[Finding]
    ids: NDArray[Any] | None
    other_ids: dict[str, NDArray[Any]]


def interpret_table(table: pa.Table, options: ReadingOptions) -> InterpretedTable:
    """Understand every column."""
    ask = options.kind is None and not options.strict
    related = table_kinds.relation_of(table) if ask else None
    findings = [] if related is None or related.key in options.accept else [related]
    columns: list[Column] = []
    features: dict[str, Any] = {}
    named: dict[str, NDArray[Any]] = {}
    for name in table.column_names:
        column, values = understand(table.column(name), name, options)
        mostly = column.missing > MAX_MISSING_SHARE * table.num_rows
        if column.use == "feature" and mostly and not options.accepts("sparse"):
            column = replace(column, use="excluded", facts={"sparse": True})
        if column.use != "excluded":
            (features if column.use == "feature" else named)[name] = values
        columns.append(column)
    if options.strict:
        _reject(columns, table)
    # what is called id names the objects before what only differs in each row
    names = sorted(named, key=lambda name: (name.lower() != "id", not object_ids.is_id_name(name)))
    id_column = names[0] if names and options.id_column is None else None
    ids = None if id_column is None else named.pop(id_column)
    columns = [
        replace(one, use="excluded") if one.use == "name" and one.name != id_column else one
        for one in columns
    ]
    if not options.strict:
        findings += _of_columns(columns, id_column, options)
        if not findings or findings[0].key not in ("distances", "edges"):
            findings += _swallowed(table, options)
    return InterpretedTable(features, ReadingPlan(tuple(columns)), findings, ids, named)


def _reject(columns: list[Column], table: pa.Table) -> None:
    """Raise for columns of which something would have to be assumed."""
    found = {one.name: _problem(one, table.column(one.name)) for one in columns}
    problems = {name: told for name, told in found.items() if told}
    if problems:
        told = list(problems.values())[:MAX_SHOWN_PROBLEMS]
        if len(problems) > MAX_SHOWN_PROBLEMS:
            told[-1] += f"; and so on, in {len(problems) - MAX_SHOWN_PROBLEMS} more columns"
        raise RepairableError(*told, drop=tuple(problems))


def _problem(one: Column, values: pa.ChunkedArray) -> str:
    """What would have to be assumed about a column, and the options that settle it."""
    name, facts = one.name, one.facts
    drop = f"exclude it with drop={name!r} (--drop {name!r})"
    if one.kind == "date":
        value = next(v for v in values.to_pylist() if v is not None)
        return (
            f"column {name!r} holds dates or times (e.g. {value}); they have no unit to measure a "
            f"distance in: turn them into a number first (days since a date, say), or {drop}"
        )
    if one.kind == "text" and not one.n_values:
        return (
            f"column {name!r} holds {values.type}, which is neither numeric nor categorical; {drop}"
        )
    if one.kind == "text":
        return (
            f"column {name!r} is text with {one.n_values:,} different values in {len(values):,} "
            f"rows (e.g. {quoted(facts['examples'])}); at most {MAX_CATEGORIES} values, most of "
            f"which occur more than once, are encoded. {drop.capitalize()}, or let it name the "
            f"objects with id_column={name!r} (--id-column {name!r})"
        )
    if "not_numbers" in facts:
        places = (f"row {row + 1} ({values[row].as_py()!r})" for row in facts["rows"])
        count = facts["not_numbers"]
        what = "values that are not numbers" if count > 1 else "value that is not a number"
        return (
            f"column {name!r} has numbers and {count:,} {what}: {', '.join(places)}"
            f"{', ...' * (count > 3)}; fix them, leave them blank and impute, or {drop}. Rows are "
            "counted from 1, without the header"
        )
    if "form" in facts:
        return (
            f"column {name!r} has numbers written with {facts['form']} (e.g. "
            f"{values[0].as_py()!r}); write them plainly, or {drop}"
        )
    return ""


def _swallowed(table: pa.Table, options: ReadingOptions) -> list[Finding]:
    """Names of columns that are values: the header line was data."""
    names = [name for name in table.column_names if name]
    like = [
        name
        for name in names
        if name.lower() in MISSING_MARKS or np.isfinite(numbers([name])[0][0])
    ]
    values = dict.fromkeys(like)
    counting = [str(j + start) for start in (0, 1) for j in range(len(names))]
    years = all(name.isdigit() and 1800 <= int(name) <= 2100 for name in like)
    if "header" in options.accept or not like or set(names) <= set(counting) or years:
        return []
    if 2 * len(like) < len(names):
        return []
    return [
        Finding(
            "header", "harmful", {"found": "swallowed"}, tuple(values), {"header": False}, False
        )
    ]


def _of_columns(
    columns: list[Column], id_column: str | None, options: ReadingOptions
) -> list[Finding]:
    """The findings of single columns, those of one kind together."""
    found: list[Finding] = []

    def add(key: str, these: Iterable[Column], facts: dict[str, Any], **more: Any) -> None:
        names = tuple(one.name for one in these)
        if names:
            more = {"severity": "notable", "option": {"accept": (key,)}} | more
            found.append(Finding(key, facts=facts, columns=names, **more))

    def of(kind: str) -> list[Column]:
        return [one for one in columns if one.kind == kind]

    labels, asked = of("label"), options.label_column is not None or options.truth is not None
    option: dict[str, Any] = {"accept": ("label",)}
    if labels and not asked:
        option = {"label_column": labels[0].name}
    add("label", labels, {}, severity="harmful", option=option)
    far = [one for one in columns if "sentinels" in one.facts]
    values = {one.name: one.facts["sentinels"] for one in far}
    count = sum(one.facts["n_sentinels"] for one in far)
    add("sentinel", far, {"values": values, "count": count}, severity="harmful")
    add("header", [one for one in columns if one.facts.get("header")], {"found": "second"})
    odd = [one for one in columns if one.facts.get("header") is False]
    count = sum(one.facts["not_numbers"] for one in odd)
    examples = [example for one in odd for example in one.facts["examples"]]
    strict: dict[str, Any] = {"option": {"strict": True}}
    add("not-numbers", odd, {"count": count, "examples": examples}, **strict)
    codes, dates = of("code"), of("date")
    add("code", codes, {"excluded": any(one.use == "excluded" for one in codes)})
    add("date", dates, {"forms": {one.name: one.facts.get("form", "date") for one in dates}})
    add("id", sorted(of("id"), key=lambda one: one.name != id_column), {"names": id_column})
    add("text", of("text"), {}, **strict)
    add("sparse", [one for one in columns if one.facts.get("sparse")], {})
    written = [one for one in of("number") if "form" in one.facts]
    add("format", written, {"forms": {one.name: one.facts["form"] for one in written}}, **strict)
    return found
