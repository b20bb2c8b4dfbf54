"""Findings about data that look wrong or needed an assumption: facts, and one sentence each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sortal.datasets.values.names_and_ids import quoted
from sortal.labelings.row_join import MAX_EXAMPLES
from sortal.runtime.json_values import json_value
from sortal.runtime.numerals import percent_digits

Severity = Literal["harmful", "notable"]


@dataclass(frozen=True)
class Finding:
    """Property of the data that changes what an answer means.

    Attributes
    ----------
    key : str
        Kind of finding; ``accept=(key,)`` (``--accept KEY``) uses the data as written.
    severity : {"harmful", "notable"}
        Harmful findings make an answer different or meaningless if overlooked.
    facts : mapping
        Numbers and names for the sentence.
    columns : tuple of str
        Columns concerned.
    option : mapping
        Options of :func:`sortal.datasets.read` that settle it.
    assumed : bool
        Whether an assumption settles it; an unsettled harmful finding stops ``sortal run``.
    """

    key: str
    severity: Severity
    facts: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    option: Mapping[str, Any] = field(default_factory=dict)
    assumed: bool = True

    @property
    def stops(self) -> bool:
        """Whether an answer would be meaningless until the user settles the finding."""
        return self.severity == "harmful" and not self.assumed

    def to_dict(self) -> dict[str, Any]:
        """Facts and sentence of the finding for JSON."""
        facts = {name: value for name, value in vars(self).items() if name != "assumed"}
        return json_value(facts) | {"stops": self.stops, "sentence": sentence(self)}


def sentence(finding: Finding) -> str:
    """Sentence about a finding for terminal, report, JSON and notebook alike."""
    template = SENTENCES[finding.key]
    if callable(template):
        return template(finding)
    is_single = len(finding.columns) == 1
    return template.format(
        names=quoted(finding.columns),
        few=quoted(finding.columns, MAX_EXAMPLES),
        first=next(iter(finding.columns), None),
        second=next(iter(finding.columns[1:]), None),
        count_of_columns=len(finding.columns),
        are="is" if is_single else "are",
        have="has" if is_single else "have",
        percent=100 * finding.facts.get("share", 0),
        cases=quoted(finding.facts.get("examples", finding.facts.get("cells", ())), MAX_EXAMPLES),
        **finding.facts,
    )


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings that stop first, then harmful ones, then by kind."""
    place = {key: i for i, key in enumerate(SENTENCES)}
    return tuple(
        sorted(findings, key=lambda f: (not f.stops, f.severity != "harmful", place[f.key]))
    )


def _header(f: Finding) -> str:
    """Sentence about a header that is data, or data that are a header."""
    names = quoted(f.columns, MAX_EXAMPLES)
    if f.facts["found"] == "swallowed":
        return f"The first line was taken for the columns' names, but reads like data ({names})."
    return (
        f"Row 1 has text where the rest of {names} is numbers: a second header line? Its cells are "
        "treated as missing."
    )


def _lone(f: Finding) -> str:
    """Sentence about lone cells far from all others."""
    places = [
        f"{name!r} is {value:,.10g} in row {row + 1:,}, else from {low:,.6g} to {high:,.6g}"
        for name, (cells, (low, high)) in f.facts["cells"].items()
        for row, value in cells.items()
    ]
    listed = "; ".join(places[:MAX_EXAMPLES])
    more = f"; and {len(places) - MAX_EXAMPLES} more" if len(places) > MAX_EXAMPLES else ""
    return f"A typing error? {listed}{more}. Read as missing."


def _unit_change(f: Finding) -> str:
    """Sentence about columns whose unit changes within the file."""
    places = [
        f"{name!r} is in {words} {where}" for name, (where, words) in f.facts["changes"].items()
    ]
    return f"The unit changes within the file: {'; '.join(places)}, it seems. Converted."


def _unlike_part(f: Finding) -> str:
    """Sentence about parts of a table that are unlike the others."""
    places = [f"part {d['part']!r}: {difference_words(d)}" for d in f.facts["differences"]]
    more = len(places) - MAX_EXAMPLES
    listed = "; ".join(places[:MAX_EXAMPLES]) + (f"; and {more:,} more" if more > 0 else "")
    return (
        f"Parts are unlike the others (another unit, or damaged?). {listed[0].upper()}{listed[1:]}."
    )


def difference_words(difference: Mapping[str, Any]) -> str:
    """How a column of a part differs from that of the others, in a few words."""
    name, value, usual = (difference[key] for key in ("column", "value", "usual"))
    if difference["aspect"] == "missing":
        return (
            f"{name!r} is missing in {percent_digits(value, 3)} of its rows (others: "
            f"{percent_digits(usual, 3)})"
        )
    if difference["aspect"] == "median":
        return f"the median of {name!r} is {value:,.4g} (others: {usual:,.4g})"
    size = difference["size"]
    times = f"{float(f'{size:.3g}'):,.10g}" if size > 1 else f"1/{float(f'{1 / size:.3g}'):,.10g}"
    return f"{name!r} spreads {times} times as much"


def _rows_aside(f: Finding) -> str:
    """Sentence about rows that are no objects."""
    words = {
        "header": "the header again", "units": "units", "blank": "blank", "total": "a total",
        "note": "a note",
    }  # fmt: skip
    parts = [
        f"row{'s' * (len(rows) > 1)} {', '.join(f'{row + 1:,}' for row in rows[:MAX_EXAMPLES])}"
        f"{', ...' * (len(rows) > MAX_EXAMPLES)} ({words[row_type]})"
        for row_type, rows in f.facts["rows"].items()
    ]
    return f"Some rows are no objects and are excluded: {'; '.join(parts)}."


def _sentinel(f: Finding) -> str:
    """Sentence about far repeated values."""
    places = [
        f"{', '.join(f'{value:g}' for value in values)} in {name!r}"
        for name, values in f.facts["values"].items()
    ]
    listed = places[:MAX_EXAMPLES]
    more = f" and in {len(places) - len(listed)} more" if len(places) > len(listed) else ""
    return (
        f"A value far from all others is repeated exactly: {'; '.join(listed)}{more} "
        f"({f.facts['count']:,} cells). It is read as a missing value."
    )


def _units(f: Finding) -> str:
    """Sentence about columns in different units."""
    large, small = f.columns[:2]
    ratio = float(f"{f.facts['ratio']:.3g}")
    start = (
        f"The columns are in different units: {large!r} spreads {ratio:,.10g} times as "
        f"much as {small!r}"
    )
    if f.facts["scale"] == "none":
        return f"{start}, so distances hardly depend on the others. Not scaled, as requested."
    return f"{start}. Every numeric column is scaled to standard deviation 1."


def _date(f: Finding) -> str:
    """Sentence about columns of dates."""
    written = {
        "yyyymmdd": "numbers such as 20200131",
        "seconds": "seconds since 1970",
        "milliseconds": "milliseconds since 1970",
        "text": "text",
        "date": "dates",
        "time": "times",
    }
    forms = sorted({written[form] for form in f.facts["forms"].values()})
    hold = "holds" if len(f.columns) == 1 else "hold"
    return (
        f"{quoted(f.columns)} {hold} dates or times, written as {' and '.join(forms)}: read as "
        "days."
    )


def _code(f: Finding) -> str:
    """Sentence about columns of codes."""
    have = "has" if len(f.columns) == 1 else "have"
    exclusion = ", or excluded where there are many" if f.facts["excluded"] else ""
    return (
        f"{quoted(f.columns)} {have} whole numbers that look like codes, whose differences mean "
        f"nothing: read as categories{exclusion}."
    )


def _id(f: Finding) -> str:
    """Sentence about columns of ids."""
    if f.facts.get("names"):
        others = f.columns[1:]
        are = "is" if len(others) == 1 else "are"
        more = f" {quoted(others)} {are} excluded." if others else ""
        return f"{f.columns[0]!r} names the objects and is not a feature.{more}"
    predicate = (
        "names things and is not a feature"
        if len(f.columns) == 1
        else "name things and are not features"
    )
    return f"{quoted(f.columns)} {predicate}: excluded."


def _missing(f: Finding) -> str:
    """Sentence about missing values."""
    marks = f.facts.get("marks") or ()
    written = f" (written also as {quoted(marks)})" if marks else ""
    return (
        f"{f.facts['count']:,} values ({percent_digits(f.facts['share'], 2)}) are missing in "
        f"{quoted(f.columns, MAX_EXAMPLES)}{written}: replaced by those of the nearest objects."
    )


def _format(f: Finding) -> str:
    """Sentence about formatted numbers."""
    forms = " and ".join(sorted(set(f.facts["forms"].values())))
    are = "is" if len(f.columns) == 1 else "are"
    return f"{quoted(f.columns)} {are} read as numbers written with {forms}."


def _duplicate_columns(f: Finding) -> str:
    """Sentence about repeated columns."""
    pairs = ", ".join(f"{a!r} = {b!r}" for a, b in f.facts["pairs"][:MAX_EXAMPLES])
    repeat = "column repeats another" if len(f.columns) == 1 else "columns repeat others"
    more = ", ..." if len(f.facts["pairs"]) > MAX_EXAMPLES else ""
    return f"{len(f.columns)} {repeat} up to the unit ({pairs}{more}): only one of them counts."


def _without_weight(f: Finding) -> str:
    """Sentence about columns without weight, and why."""
    reasons = {
        "independent": ("depends on no other column", "depend on no other column"),
        "repeated": ("repeats another column up to the unit", "repeat others up to the unit"),
    }
    singular, plural = reasons[f.key]
    basis = f", judged on {f.facts['sampled']}" if f.facts["sampled"] else ""
    if len(f.columns) == 1:
        return f"{f.columns[0]!r} {singular} and was given no weight{basis}."
    names = quoted(f.columns, MAX_EXAMPLES)
    return f"{len(f.columns):,} columns {plural} and were given no weight{basis}: {names}."


#: sentence of each kind in order of harm, as a function or for :meth:`str.format`
SENTENCES: dict[str, str | Callable[[Finding], str]] = {
    "distances": "The table is {n:,} × {n:,}, symmetric, and 0 on the diagonal: these look like "
    "distances between the objects, not features.",
    "edges": "{first!r} and {second!r} name the same {nodes:,} things in {edges:,} rows: this "
    "looks like the edges of a graph, not points with coordinates.",
    "transposed": "The table has {n:,} rows, {d:,} columns, and a name for each row: the columns "
    "seem to be the objects. If so, transpose it.",
    "long-format": "{first!r} and {second!r} name {objects:,} things and {variables:,} variables: "
    "a table in long format, whose rows are no objects.",
    "series": "The rows are times ({time!r}) of {objects:,} things ({first!r}), about {rows:,} "
    "each: series in long format, not objects.",
    "repeated-ids": "{first!r} names {objects:,} things in {n:,} rows: several rows belong to one "
    "object, and clusters of rows are not clusters of objects.",
    "stacked": "Row {row:,} looks like another header line ({cells}): several tables in one file, "
    "of which the first is wanted?",
    "unlike-part": _unlike_part,
    "decimal-mark": "The marks in {few} can be read in two ways (e.g. {cases}): is the point the "
    "decimal mark?",
    "header": _header,
    "unit-change": _unit_change,
    "shifted": "The cells of {count:,} rows are shifted by one column (e.g. row {row:,}): moved "
    "back.",
    "lone": _lone,
    "rows": _rows_aside,
    "outcome": "{names} {are} an outcome by name, or the classes again: excluded, so that the "
    "groups are not found by what they may explain.",
    "label": "{names} {are} named like classes and {have} few values: excluded, because a "
    "clustering of the classes themselves says nothing.",
    "reproduced": "The chosen clusters are the values of the column {first!r} alone (in "
    "{percent:.4g} % of the objects). If it is a class, or was made from one, the answer only "
    "repeats it.",
    "successive": "{percent:.0f} % of the rows are nearer to the next row than to the tenth below, "
    "as in a series. What is said of chances holds for independent rows.",
    "sentinel": _sentinel,
    "order": "The rows are sorted by {first!r}, and only the first {labelled:,} have a class: "
    "they are not a random sample and say nothing about the others.",
    "magnitude": "The largest spread is {spread:.3g}, whose square is 0 to a computer: the "
    "columns are scaled to standard deviation 1.",
    "units": _units,
    "mixed": "{numeric} numeric columns and {count_of_columns} categories: numbers are scaled to "
    "standard deviation 1, categories become columns of 0 and 1.",
    "code": _code,
    "date": _date,
    "id": _id,
    "text": "{names} {are} text with many different values: excluded.",
    "sparse": "{names} {are} mostly missing: excluded.",
    "not-numbers": "{count:,} cells of {few} are not numbers (e.g. {cases}): read as missing.",
    "missing": _missing,
    "format": _format,
    "duplicate-rows": "{count:,} of {n:,} objects repeat another one exactly. They count as often "
    "as they occur; if that is a mistake of the export, make the rows unique.",
    "duplicate-columns": _duplicate_columns,
    "exclusive": "{few} are 0 or 1, and exactly one of them is 1 in each row: read as one "
    "category.",
    "weight": "{names} {are} named like the weight of a row: excluded.",
    "independent": _without_weight,
    "repeated": _without_weight,
}
