"""Plan for reading a table: whether it holds features, what each column means, and findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sortal.datasets.tables import long_tables
from sortal.datasets.values import column_arrays
from sortal.datasets.values.column_arrays import Categories
from sortal.datasets.values.column_contradictions import exclusive_sets, unit_changes
from sortal.datasets.values.column_kinds import Column, ColumnKind, interpret_column
from sortal.datasets.values.findings import Finding
from sortal.datasets.values.limits import LIMITS
from sortal.datasets.values.names_and_ids import quoted
from sortal.datasets.values.number_readings import LONE_READING, MISSING_MARKS, numbers_of
from sortal.datasets.values.reading_options import RepairableError
from sortal.labelings.row_values import is_typical_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.datasets.values.reading_options import ReadingOptions
    from sortal.typing import Rows


@dataclass(frozen=True)
class ReadingPlan:
    """Interpretation of a table's columns, and the assumptions behind it.

    Attributes
    ----------
    columns : tuple of Column
        In the order of the table, without the label and id columns and those to drop.
    scale : str
        Scaling of the numbers: none, standard, robust or minmax.
    impute : str or None
        How missing values were replaced, None where nothing was missing.
    """

    columns: tuple[Column, ...] = ()
    scale: str = "none"
    impute: str | None = None

    def without(self, names: Iterable[str], kind: ColumnKind | None = None) -> ReadingPlan:
        """Plan in which further columns are excluded, as a ``kind`` if one is named."""
        excluded = set(names)
        columns = tuple(
            replace(column, use="excluded", kind=kind or column.kind)
            if column.name in excluded
            else column
            for column in self.columns
        )
        return replace(self, columns=columns)

    def to_dict(self) -> dict[str, Any]:
        """Plan as JSON takes it."""
        return {
            "scale": self.scale,
            "impute": self.impute,
            "columns": [
                {name: value for name, value in vars(column).items() if name != "facts"}
                | {"role": column.role}
                for column in self.columns
            ],
        }


@dataclass
class InterpretedTable:
    """Parts of a table by its plan: features, ids, and further columns of ids."""

    features: dict[str, Any]
    plan: ReadingPlan
    findings: list[Finding]
    ids: NDArray[Any] | None
    other_ids: dict[str, NDArray[Any]]


def interpret_table(
    table: pa.Table, options: ReadingOptions, decimal: str = "."
) -> InterpretedTable:
    """Interpret every column of a table, whose source has a decimal mark."""
    may_assume = options.kind is None and not options.strict
    relation = relation_of(table) or long_tables.several_rows(table) if may_assume else None
    findings = [] if relation is None or relation.key in options.accept else [relation]
    columns: list[Column] = []
    features: dict[str, Any] = {}
    id_columns: dict[str, NDArray[Any]] = {}
    for name in table.column_names:
        column, values = interpret_column(table.column(name), name, options, decimal)
        is_mostly_missing = column.missing > LIMITS.max_missing_share * table.num_rows
        if column.use == "feature" and is_mostly_missing and not options.accepts("sparse"):
            column = replace(column, use="excluded", facts={"sparse": True})
        if column.use != "excluded":
            (features if column.use == "feature" else id_columns)[name] = values
        columns.append(column)
    if options.strict:
        _reject_assumptions(columns, table)
    # a column called id takes precedence over one whose values are merely unique
    id_names = sorted(id_columns, key=lambda n: (n.lower() != "id", not is_typical_name(n)))
    id_column = id_names[0] if id_names and options.id_column is None else None
    ids = None if id_column is None else id_columns.pop(id_column)
    columns = [
        replace(column, use="excluded")
        if column.use == "name" and column.name != id_column
        else column
        for column in columns
    ]
    if not options.strict:
        columns, more = _across_columns(columns, features, options)
        findings += more + _column_findings(columns, id_column, options)
        if not findings or findings[0].key not in ("distances", "edges"):
            findings += _missing_header(table, options)
    return InterpretedTable(features, ReadingPlan(tuple(columns)), findings, ids, id_columns)


def _across_columns(
    columns: list[Column], features: dict[str, Any], options: ReadingOptions
) -> tuple[list[Column], list[Finding]]:
    """Columns read in the light of others; changes the values in ``features``."""
    findings: list[Finding] = []
    numeric = {
        column.name: features[column.name]
        for column in columns
        if column.kind == "number" and column.use == "feature"
    }
    categories = {n: v for n, v in features.items() if isinstance(v, Categories)}
    changes = {} if options.accepts("unit-change") else unit_changes(numeric, categories)
    if changes:
        features |= {name: change.values for name, change in changes.items()}
        places = {name: (change.where, change.words) for name, change in changes.items()}
        accept = {"accept": ("unit-change",)}
        facts = {"changes": places}
        findings.append(Finding("unit-change", "harmful", facts, tuple(changes), accept))
    sets = [] if options.accepts("exclusive") else exclusive_sets(numeric)
    if sets:
        set_of = {name: names[0] for names in sets for name in names}
        columns = [
            replace(
                column, kind="category", facts={**column.facts, "indicator": set_of[column.name]}
            )
            if column.name in set_of
            else column
            for column in columns
        ]
        accept = {"accept": ("exclusive",)}
        findings += [Finding("exclusive", "notable", {}, names, accept) for names in sets]
    return columns, findings


def _reject_assumptions(columns: list[Column], table: pa.Table) -> None:
    """Raise for columns that could only be used with an assumption."""
    problem_of = {column.name: _problem(column, table.column(column.name)) for column in columns}
    problems = {name: messages for name, messages in problem_of.items() if messages}
    if problems:
        messages, more = list(problems.values())[:8], len(problems) - 8
        if more > 0:
            messages[-1] += f"; and so on, in {more} more columns"
        raise RepairableError(*messages, drop=tuple(problems))


def _problem(column: Column, values: pa.ChunkedArray) -> str:
    """Assumption that a column would need, and the options that settle it; "" if none."""
    name, facts = column.name, column.facts
    exclude = f"exclude it with drop={name!r} (--drop {name!r})"
    if column.kind == "date":
        value = next(v for v in values.to_pylist() if v is not None)
        return (
            f"column {name!r} holds dates or times (e.g. {value}); they have no unit to measure a "
            f"distance in: turn them into a number first (days since a date, say), or {exclude}"
        )
    if column.kind == "text" and not column.n_values:
        return (
            f"column {name!r} holds {values.type}, which is neither numeric nor categorical; "
            f"{exclude}"
        )
    if column.kind == "text":
        return (
            f"column {name!r} is text with {column.n_values:,} different values in {len(values):,} "
            f"rows (e.g. {quoted(facts['examples'])}); at most {LIMITS.max_categories} values, "
            "most of which occur more than once, are encoded. "
            f"{exclude.capitalize()}, or let it name the objects with id_column={name!r} "
            f"(--id-column {name!r})"
        )
    if "not_numbers" in facts:
        places = (f"row {row + 1} ({values[row].as_py()!r})" for row in facts["rows"])
        count = facts["not_numbers"]
        noun = "values that are not numbers" if count > 1 else "value that is not a number"
        return (
            f"column {name!r} has numbers and {count:,} {noun}: {', '.join(places)}"
            f"{', ...' * (count > 3)}; fix them, leave them blank and impute, or {exclude}. Rows "
            "are counted from 1, without the header"
        )
    if "form" in facts:
        return (
            f"column {name!r} has numbers written with {facts['form']} (e.g. "
            f"{values[0].as_py()!r}); write them plainly, or {exclude}"
        )
    return ""


def _missing_header(table: pa.Table, options: ReadingOptions) -> list[Finding]:
    """Finding that the names of the columns look like values, so the header was data."""
    names = [name for name in table.column_names if name]
    value_like = [
        name
        for name in names
        if name.lower() in MISSING_MARKS or np.isfinite(numbers_of([name], LONE_READING).values[0])
    ]
    counting = [str(j + start) for start in (0, 1) for j in range(len(names))]
    years = all(name.isdigit() and 1800 <= int(name) <= 2100 for name in value_like)
    if "header" in options.accept or not value_like or set(names) <= set(counting) or years:
        return []
    if 2 * len(value_like) < len(names):
        return []
    facts, option = {"found": "swallowed"}, {"header": False}
    return [
        Finding("header", "harmful", facts, tuple(dict.fromkeys(value_like)), option, assumed=False)
    ]


def _column_findings(
    columns: list[Column], id_column: str | None, options: ReadingOptions
) -> list[Finding]:
    """Findings about single columns, one per kind."""
    findings: list[Finding] = []

    def add(key: str, selected: Iterable[Column], facts: dict[str, Any], **details: Any) -> None:
        names = tuple(column.name for column in selected)
        if names:
            details = {"severity": "notable", "option": {"accept": (key,)}} | details
            findings.append(Finding(key, facts=facts, columns=names, **details))

    def of_kind(kind: str) -> list[Column]:
        return [column for column in columns if column.kind == kind]

    def facts_of(fact: str, selected: Iterable[Column], default: str = "") -> dict[str, Any]:
        return {column.name: column.facts.get(fact, default) for column in selected}

    outcomes = [column for column in of_kind("label") if column.facts.get("outcome")]
    add("outcome", outcomes, {}, severity="harmful")
    labels = [column for column in of_kind("label") if column not in outcomes]
    option: dict[str, Any] = {"accept": ("label",)}
    if labels and options.label_column is None and options.y is None:
        option = {"label_column": labels[0].name}
    add("label", labels, {}, severity="harmful", option=option)
    with_sentinels = [column for column in columns if "sentinels" in column.facts]
    values = facts_of("sentinels", with_sentinels)
    count = sum(column.facts["n_sentinels"] for column in with_sentinels)
    add("sentinel", with_sentinels, {"values": values, "count": count}, severity="harmful")
    add("header", [column for column in columns if column.facts.get("header")], {"found": "second"})
    lone = [column for column in columns if "lone" in column.facts]
    places = {column.name: (column.facts["lone"], column.facts["usual"]) for column in lone}
    add("lone", lone, {"cells": places}, severity="harmful")
    doubtful = [column for column in columns if "doubtful" in column.facts]
    cells = [cell for column in doubtful for cell in column.facts["doubtful"]]
    settled: dict[str, Any] = {"option": {"decimal": "."}, "assumed": False, "severity": "harmful"}
    add("decimal-mark", doubtful, {"cells": cells}, **settled)
    add("weight", of_kind("weight"), {})
    not_numeric = [column for column in columns if column.facts.get("header") is False]
    count = sum(column.facts["not_numbers"] for column in not_numeric)
    examples = [example for column in not_numeric for example in column.facts["examples"]]
    strict: dict[str, Any] = {"option": {"strict": True}}
    add("not-numbers", not_numeric, {"count": count, "examples": examples}, **strict)
    codes, dates = of_kind("code"), of_kind("date")
    add("code", codes, {"excluded": any(column.use == "excluded" for column in codes)})
    add("date", dates, {"forms": facts_of("form", dates, "date")})
    add(
        "id",
        sorted(of_kind("id"), key=lambda column: column.name != id_column),
        {"names": id_column},
    )
    add("text", of_kind("text"), {}, **strict)
    add("sparse", [column for column in columns if column.facts.get("sparse")], {})
    formatted = [column for column in of_kind("number") if "form" in column.facts]
    add("format", formatted, {"forms": facts_of("form", formatted)}, **strict)
    return findings


#: limit of cost: objects of a matrix that is checked
MAX_MATRIX_OBJECTS = 20_000
EDGE_COLUMN_NAMES = (
    ("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"), ("node1", "node2"),
    ("i", "j"), ("start", "end"), ("head", "tail"), ("node_1", "node_2"),
)  # fmt: skip


def relation_of(table: pa.Table) -> Finding | None:
    """Finding that a table is a matrix of distances or a list of edges, if it looks so."""
    edges, square = _edges_finding(table), square_of(table)
    if edges is None and square is not None and looks_like_distances(square[0]):
        return distances_finding(table.num_rows)
    return edges or _transposed_finding(table)


def _transposed_finding(table: pa.Table) -> Finding | None:
    """Finding that few rows have names and very many columns: the columns are the objects."""
    n, d = table.num_rows, table.num_columns - 1
    if (
        n > LIMITS.max_transposed
        or d < 10 * max(n, 2)
        or not column_arrays.is_text(table.column(0).type)
    ):
        return None
    names = table.column(0).to_pylist()
    is_numeric = [column_arrays.is_number(column.type) for column in table.columns[1:]]
    if None in names or len(set(names)) < n or sum(is_numeric) < 0.9 * d:
        return None
    option = {"accept": ("transposed",)}
    return Finding("transposed", "harmful", {"n": n, "d": d}, (), option, assumed=False)


def looks_like_distances(X: Rows) -> bool:
    """Whether a square matrix is symmetric, non-negative and 0 on the diagonal."""
    n = X.shape[0]
    if not isinstance(X, np.ndarray) or X.shape != (n, n) or not 3 <= n <= MAX_MATRIX_OBJECTS:
        return False
    if np.any(np.diagonal(X) != 0) or not np.isfinite(X).all():
        return False
    largest = X.max()
    return bool(X.min() >= 0 and largest > 0 and np.abs(X - X.T).max() <= 1e-8 * largest)


def distances_finding(n: int) -> Finding:
    """Finding that a matrix looks like distances."""
    return Finding("distances", "harmful", {"n": n}, (), {"kind": "distances"}, assumed=False)


def square_of(table: pa.Table) -> tuple[NDArray[Any], NDArray[Any] | None] | None:
    """Numbers of a square table, and the names in its first column; None for other tables."""
    n = table.num_rows
    ids = None
    if table.num_columns == n + 1 and n > 1:
        ids = column_arrays.objects(table.column(0), table.column_names[0])
        table = table.remove_column(0)
    if table.num_columns != n or not 2 <= n <= MAX_MATRIX_OBJECTS:
        return None
    if not all(column_arrays.is_number(table.column(j).type) for j in range(n)):
        return None
    return np.column_stack([column_arrays.floats(table.column(j)) for j in range(n)]), ids


def ends_of(table: pa.Table) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None] | None:
    """Ends of each edge and the weights; None for tables with other columns."""
    if table.num_columns not in (2, 3):
        return None
    ends = [_node_column(table.column(j), table.column_names[j]) for j in range(2)]
    if ends[0] is None or ends[1] is None or ends[0].dtype.kind != ends[1].dtype.kind:
        return None
    u, v = ends[0], ends[1]
    if table.num_columns == 2:
        return u, v, None
    if not column_arrays.is_number(table.column(2).type):
        return None
    return u, v, column_arrays.floats(table.column(2))


def _node_column(column: pa.ChunkedArray, name: str) -> NDArray[Any] | None:
    """Column of nodes, as whole numbers or text; None for other columns."""
    if column.null_count or len(column) == 0:
        return None
    if column_arrays.is_text(column.type):
        nodes = column_arrays.objects(column, name)
        kinds = set(map(type, nodes))
        if type(None) in kinds:
            return None
        # -1 among names is a name, too
        return nodes.astype(np.int64) if kinds == {int} else nodes.astype(str).astype(object)
    if not column_arrays.is_number(column.type):
        return None
    values = column_arrays.floats(column)
    is_whole = np.isfinite(values).all() and (values == np.floor(values)).all()
    return values.astype(np.int64) if is_whole and np.abs(values).max() < 2**53 else None


def _edges_finding(table: pa.Table) -> Finding | None:
    """Finding that two columns name the same things in pairs, as edges do.

    Points with whole coordinates hit the diagonal now and then and lie on both sides of it; edges
    have no loops, or all of them name the smaller node first.
    """
    ends = ends_of(table)
    if ends is None or table.num_rows < 5:
        return None
    u, v, _ = ends
    nodes, inverse = np.unique(np.concatenate([u, v]), return_inverse=True)
    m = len(u)
    a, b = inverse[:m], inverse[m:]
    overlap = np.intersect1d(a, b).size / min(np.unique(a).size, np.unique(b).size)
    names = tuple(name.lower() for name in table.column_names[:2])
    is_named = names in EDGE_COLUMN_NAMES
    loops = int((a == b).sum())
    if not is_named:
        if overlap < 0.3 or loops > 0.01 * m:
            return None
        if u.dtype.kind in "iu" and (nodes[0] < 0 or len(nodes) < 0.5 * (nodes[-1] - nodes[0] + 1)):
            return None
        size = len(nodes)
        chance = float((np.bincount(a, minlength=size) / m * np.bincount(b, minlength=size)).sum())
        is_one_sided = bool((a < b).all() or (a > b).all()) and m >= 10
        if loops and chance < 4 * loops:
            return None
        if chance < LIMITS.min_chance_loops and not (is_one_sided and overlap > 0.5):
            return None
    elif overlap == 0:
        return None
    return Finding(
        "edges",
        "harmful",
        {"nodes": len(nodes), "edges": m},
        tuple(table.column_names[:2]),
        {"kind": "graph"},
        assumed=False,
    )
