"""The plan by which a table is read: how each column is understood, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import joining, table_kinds
from karat.datasets._columns import MAX_CATEGORIES
from karat.datasets._work import quoted
from karat.datasets.column_kinds import MOST_MISSING, Column, understand
from karat.datasets.findings import Finding
from karat.datasets.number_formats import MARKS, numbers
from karat.datasets.problems import RepairableError

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from karat.datasets._dataset import Dataset
    from karat.datasets._work import Options, Work

#: largest spread by the lower quartile of spreads, from which on columns are in different units
UNITS = 5.0
#: below it squares of differences, and sums of them, lose digits or vanish
SMALLEST_SPREAD = 1e-140
COORDINATES = frozenset((
    "x", "y", "z", "lon", "long", "longitude", "lat", "latitude", "lng", "easting", "northing",
))  # fmt: skip
REPRODUCED = 0.98  # share of the objects whose value tells their cluster
MOST_TOLD = 8  # columns in a message
AT_LEAST = 0.01  # share of repeated rows that is told


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
class Reading:
    """A table taken apart by its plan: its features, ids, and other columns of ids."""

    features: dict[str, Any]
    plan: ReadingPlan
    findings: list[Finding]
    ids: NDArray[Any] | None
    other_ids: dict[str, NDArray[Any]]


def understood(table: pa.Table, options: Options) -> Reading:
    """Understand every column."""
    ask = options.kind is None and not options.strict
    related = table_kinds.relation_of(table) if ask else None
    findings = [] if related is None or related.key in options.accept else [related]
    columns: list[Column] = []
    features: dict[str, Any] = {}
    named: dict[str, NDArray[Any]] = {}
    for name in table.column_names:
        column, values = understand(table.column(name), name, options)
        mostly = column.missing > MOST_MISSING * table.num_rows
        if column.use == "feature" and mostly and not options.accepts("sparse"):
            column = replace(column, use="excluded", facts={"sparse": True})
        if column.use != "excluded":
            (features if column.use == "feature" else named)[name] = values
        columns.append(column)
    if options.strict:
        _reject(columns, table)
    # what is called id names the objects before what only differs in each row
    names = sorted(named, key=lambda name: (name.lower() != "id", not joining.is_id_name(name)))
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
    return Reading(features, ReadingPlan(tuple(columns)), findings, ids, named)


def _reject(columns: list[Column], table: pa.Table) -> None:
    """Raise for columns of which something would have to be assumed."""
    found = {one.name: _problem(one, table.column(one.name)) for one in columns}
    problems = {name: told for name, told in found.items() if told}
    if problems:
        told = list(problems.values())[:MOST_TOLD]
        if len(problems) > MOST_TOLD:
            told[-1] += f"; and so on, in {len(problems) - MOST_TOLD} more columns"
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


def _swallowed(table: pa.Table, options: Options) -> list[Finding]:
    """Names of columns that are values: the header line was data."""
    names = [name for name in table.column_names if name]
    like = [name for name in names if name.lower() in MARKS or np.isfinite(numbers([name])[0][0])]
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


def _of_columns(columns: list[Column], id_column: str | None, options: Options) -> list[Finding]:
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


def missing_found(plan: ReadingPlan, n: int, options: Options) -> list[Finding]:
    """What is missing in the features."""
    gaps = [one for one in plan.columns if one.use == "feature" and one.missing]
    if not gaps or options.impute is not None:
        return []
    count = sum(one.missing for one in gaps)
    features = sum(one.use == "feature" for one in plan.columns)
    marks = {mark for one in gaps for mark in one.facts.get("marks", ())}
    facts = {
        "count": count,
        "share": count / (n * features),
        "impute": "neighbors",
        "marks": sorted(marks),
    }
    names = tuple(one.name for one in sorted(gaps, key=lambda one: -one.missing))
    return [Finding("missing", "notable", facts, names, {"impute": "drop"})]


def chosen_scale(
    work: Work, spread: NDArray[np.float64], options: Options
) -> tuple[str, Finding | None]:
    """What the numbers are scaled to, and the finding that says so, if any.

    The spreads of the columns decide: where the largest is :data:`UNITS` times the lower quartile,
    the units differ.
    """
    finding = None
    numeric = np.flatnonzero((spread > 0) & ~work.categorical)
    if len(numeric) and "units" not in options.accept:
        order = numeric[np.argsort(spread[numeric], kind="stable")]
        largest, low = order[-1], order[(len(order) - 1) // 4]
        ratio = float(spread[largest] / spread[low])
        plain = options.scale == "none"
        if spread[largest] < SMALLEST_SPREAD:
            facts = {"spread": float(spread[largest])}
            names: tuple[str, ...] = (work.names[largest],)
            finding = Finding("magnitude", "notable", facts, names, {"scale": "none"})
        elif ratio > UNITS and not {name.lower() for name in work.names} <= COORDINATES:
            named = {"ratio": ratio, "scale": "none" if plain else "standard"}
            names = (work.names[largest], work.names[low])
            option = {"scale": "standard" if plain else "none"}
            finding = Finding("units", "notable", named, names, option)
        elif work.categorical.any():
            names = tuple(dict.fromkeys(work.columns[j] for j in work.origin[work.categorical]))
            option = {"scale": "none"}
            finding = Finding("mixed", "notable", {"numeric": len(numeric)}, names, option)
    if options.scale == "auto":
        return "none" if finding is None else "standard", finding
    return options.scale, finding if options.scale == "none" else None


def repeats(work: Work) -> list[Finding]:
    """Rows that repeat others though numbers hardly meet, and columns that repeat others."""
    return [*_repeated_rows(work), *_repeated_columns(work)]


def _repeated_rows(work: Work) -> list[Finding]:
    X = work.X
    n, d = X.shape
    if d < 2 or n < 20 or X.size > 2e7:
        return []
    fine = [j for j in range(d) if not work.categorical[j]]
    if not any(len(np.unique(X[:, j])) > n / 4 for j in fine[:50]):
        # grids and categories repeat rows by their nature
        return []
    rows = np.ascontiguousarray(X + 0.0).view(np.dtype((np.void, X.itemsize * d))).ravel()
    count = n - len(np.unique(rows))
    if count < max(2, AT_LEAST * n):
        return []
    return [
        Finding(
            "duplicate-rows", "notable", {"count": count, "n": n},
            option={"accept": ("duplicate-rows",)},
        )
    ]  # fmt: skip


def _repeated_columns(work: Work) -> list[Finding]:
    X = work.X
    if X.shape[0] < 5 or X.size > 2e7:
        return []
    first: dict[bytes, int] = {}
    pairs: list[tuple[str, str]] = []
    for j in range(X.shape[1]):
        if work.categorical[j]:
            continue
        x = np.asarray(X[:, j], dtype=np.float64)
        power = np.frexp(np.abs(x).max())[1]
        x = np.ldexp(x, -power)
        spread = x.std()
        if spread == 0:
            continue
        z = (x - x.mean()) / spread
        z *= np.sign(z[np.argmax(np.abs(z) > 1e-6)])
        key = (np.round(z, 5) + 0.0).tobytes()
        if key in first:
            pairs.append((work.names[j], work.names[first[key]]))
        first.setdefault(key, j)
    two_valued = len(pairs) > 0 and all(
        len(np.unique(X[:, work.names.index(name)])) <= 2 for name, _ in pairs
    )
    if not pairs or (two_valued and X.shape[0] < 100):
        return []
    names = tuple(name for name, _ in pairs)
    facts = {"pairs": pairs}
    return [Finding("duplicate-columns", "notable", facts, names, {"drop": names})]


def sorted_labels(work: Work, truth: NDArray[Any]) -> list[Finding]:
    """Classes of the first rows alone, where the rows are in the order of a column."""
    known = np.array([value is not None for value in truth], dtype=bool)
    m = int(known.sum())
    if not 0 < m < len(known) or not known[:m].all() or work.sparse or len(known) < 20:
        return []
    for j in range(min(work.X.shape[1], 1000)):
        steps = np.diff(work.X[:, j])
        if ((steps >= 0).all() or (steps <= 0).all()) and (steps != 0).sum() >= 10:
            name = (work.names[j],)
            option = {"accept": ("order",)}
            return [Finding("order", "harmful", {"labelled": m}, name, option)]
    return []


def reproduced(dataset: Dataset, labels: Any) -> list[Finding]:
    """The columns of few values that alone give the clusters, value for cluster."""
    if dataset.plan is None or not isinstance(dataset.X, np.ndarray):
        return []
    labels = np.asarray(labels)
    clusters, of_object = np.unique(labels, return_inverse=True)
    k = int((clusters >= 0).sum())
    found = []
    for column in dataset.plan.columns:
        if column.use != "feature" or column.n_values not in (k, k + 1) or k < 2:
            continue
        at = [
            j for j, name in enumerate(dataset.feature_names)
            if name == column.name or name.startswith(f"{column.name}=")
        ]  # fmt: skip
        values, code = np.unique(dataset.X[:, at], axis=0, return_inverse=True)
        table = np.zeros((len(values), len(clusters)), dtype=np.int64)
        np.add.at(table, (code.ravel(), of_object), 1)
        share = min(table.max(axis=0).sum(), table.max(axis=1).sum()) / len(labels)
        if share >= REPRODUCED:
            option = {"drop": (column.name,)}
            facts = {"share": float(share)}
            found.append(Finding("reproduced", "harmful", facts, (column.name,), option))
    return found
