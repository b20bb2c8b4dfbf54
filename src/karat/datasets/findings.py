"""What looks wrong with data, or had to be assumed about them: facts, and one sentence for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from karat.datasets._work import quoted

Severity = Literal["harmful", "notable"]
SHOWN = 3


@dataclass(frozen=True)
class Finding:
    """Something about the data that changes what an answer means.

    Attributes
    ----------
    key : str
        Which kind; ``accept=(key,)`` (``--accept KEY``) takes the data as they are written.
    severity : {"harmful", "notable"}
        Whether the answer would be another one, or meaningless, if it were overlooked.
    facts : mapping
        Numbers and names that the sentence is made of.
    columns : tuple of str
        The columns that it is about.
    option : mapping
        The options of :func:`karat.datasets.read` that settle it.
    assumed : bool
        Whether something was assumed that settles it; a harmful finding that was not settled
        stops ``karat run``.
    """

    key: str
    severity: Severity
    facts: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    option: Mapping[str, Any] = field(default_factory=dict)
    assumed: bool = True

    @property
    def stops(self) -> bool:
        """Whether an answer would be meaningless until somebody says what is meant."""
        return self.severity == "harmful" and not self.assumed

    def to_dict(self) -> dict[str, Any]:
        """Everything, and the sentence, for JSON."""
        return {
            "key": self.key,
            "severity": self.severity,
            "stops": self.stops,
            "columns": list(self.columns),
            "facts": _plain(self.facts),
            "option": _plain(self.option),
            "sentence": sentence(self),
        }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value.item() if hasattr(value, "item") else value


def sentence(finding: Finding) -> str:
    """What was found and what was assumed, for terminal, report, JSON and notebook alike."""
    return SENTENCES[finding.key](finding)


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those that stop first, then harmful ones, then by kind."""
    place = {key: i for i, key in enumerate(SENTENCES)}
    return tuple(
        sorted(findings, key=lambda f: (not f.stops, f.severity != "harmful", place[f.key]))
    )


def _are(finding: Finding, one: str, many: str) -> str:
    return one if len(finding.columns) == 1 else many


def _distances(f: Finding) -> str:
    told = (
        f"The table is {f.facts['n']:,} × {f.facts['n']:,}, symmetric, and 0 on the diagonal: "
        "these look like distances between the objects, not features."
    )
    return f"{told} They are taken for {f.facts['taken']}." if "taken" in f.facts else told


def _edges(f: Finding) -> str:
    u, v = f.columns[:2]
    return (
        f"{u!r} and {v!r} name the same {f.facts['nodes']:,} things in {f.facts['edges']:,} rows: "
        "this looks like the edges of a graph, not points with coordinates."
    )


def _header(f: Finding) -> str:
    if f.facts["found"] == "swallowed":
        return (
            f"The first line was taken for the columns' names, but reads like data "
            f"({quoted(f.columns, SHOWN)})."
        )
    return (
        f"Row 1 has text where the rest of {quoted(f.columns, SHOWN)} is numbers: a second header "
        "line? Its cells are treated as missing."
    )


def _label(f: Finding) -> str:
    return (
        f"{quoted(f.columns)} {_are(f, 'is', 'are')} named like classes and "
        f"{_are(f, 'has', 'have')} few values: set aside, because a clustering of the classes "
        "themselves says nothing."
    )


def _reproduced(f: Finding) -> str:
    return (
        f"The chosen clusters are the values of the column {f.columns[0]!r} alone (in "
        f"{100 * f.facts['share']:.4g} % of the objects). If it is a class, or was made from one, "
        "the answer only repeats it."
    )


def _sentinel(f: Finding) -> str:
    found = [
        f"{', '.join(f'{value:g}' for value in values)} in {name!r}"
        for name, values in f.facts["values"].items()
    ]
    more = f" and in {len(found) - SHOWN} more columns" if len(found) > SHOWN else ""
    return (
        f"A value far from all others is repeated exactly: {'; '.join(found[:SHOWN])}{more} "
        f"({f.facts['count']:,} cells). It is read as a missing value."
    )


def _units(f: Finding) -> str:
    large, small = f.columns[:2]
    ratio = float(f"{f.facts['ratio']:.3g}")
    told = (
        f"The columns are in different units: {large!r} spreads {ratio:,.10g} times as "
        f"much as {small!r}"
    )
    if f.facts["scale"] == "none":
        return f"{told}, so distances hardly depend on the others. Not scaled, as requested."
    return f"{told}. Every numeric column is scaled to standard deviation 1."


def _mixed(f: Finding) -> str:
    return (
        f"{f.facts['numeric']} numeric columns and {len(f.columns)} categories: numbers are "
        "scaled to standard deviation 1, categories become columns of 0 and 1."
    )


def _date(f: Finding) -> str:
    written = {
        "yyyymmdd": "numbers such as 20200131",
        "seconds": "seconds since 1970",
        "milliseconds": "milliseconds since 1970",
        "text": "text",
        "date": "dates",
        "time": "times",
    }
    forms = sorted({written[form] for form in f.facts["forms"].values()})
    return (
        f"{quoted(f.columns)} {_are(f, 'holds', 'hold')} dates or times, written as "
        f"{' and '.join(forms)}: read as days."
    )


def _code(f: Finding) -> str:
    return (
        f"{quoted(f.columns)} {_are(f, 'has', 'have')} whole numbers that look like codes, whose "
        "differences mean nothing: read as categories"
        + (", or set aside where there are many." if f.facts["excluded"] else ".")
    )


def _id(f: Finding) -> str:
    if f.facts.get("names"):
        others = len(f.columns) - 1
        more = f" {quoted(f.columns[1:])} {'is' if others == 1 else 'are'} set aside." * (
            others > 0
        )
        return f"{f.columns[0]!r} names the objects and is no feature.{more}"
    things = _are(f, "names things and is", "name things and are")
    return f"{quoted(f.columns)} {things} no feature: set aside."


def _text(f: Finding) -> str:
    return f"{quoted(f.columns)} {_are(f, 'is', 'are')} text with many different values: set aside."


def _sparse(f: Finding) -> str:
    return f"{quoted(f.columns)} {_are(f, 'is', 'are')} mostly missing: set aside."


def _missing(f: Finding) -> str:
    marks = f.facts.get("marks") or ()
    told = f" (written also as {quoted(marks)})" if marks else ""
    return (
        f"{f.facts['count']:,} values ({100 * f.facts['share']:.2g} %) are missing in "
        f"{quoted(f.columns, SHOWN)}{told}: replaced by those of the nearest objects."
    )


def _not_numbers(f: Finding) -> str:
    return (
        f"{f.facts['count']:,} cells of {quoted(f.columns, SHOWN)} are not numbers "
        f"(e.g. {quoted(f.facts['examples'], SHOWN)}): read as missing."
    )


def _format(f: Finding) -> str:
    forms = sorted(set(f.facts["forms"].values()))
    are = _are(f, "is", "are")
    return f"{quoted(f.columns)} {are} read as numbers written with {' and '.join(forms)}."


def _encoding(f: Finding) -> str:
    return f"The file is not UTF-8; it was read as {f.facts['encoding']}."


def _duplicate_rows(f: Finding) -> str:
    return (
        f"{f.facts['count']:,} of {f.facts['n']:,} objects repeat another one exactly. They count "
        "as often as they occur; if that is a mistake of the export, make the rows unique."
    )


def _duplicate_columns(f: Finding) -> str:
    pairs = [f"{a!r} = {b!r}" for a, b in f.facts["pairs"][:SHOWN]]
    return (
        f"{len(f.columns)} column{'s repeat others' if len(f.columns) > 1 else ' repeats another'} "
        f"up to the unit ({', '.join(pairs)}) and "
        f"{_are(f, 'counts', 'count')} twice."
    )


def _magnitude(f: Finding) -> str:
    return (
        f"The largest spread is {f.facts['spread']:.3g}, whose square is 0 to a computer: the "
        "columns are scaled to standard deviation 1."
    )


def _order(f: Finding) -> str:
    return (
        f"The rows are sorted by {f.columns[0]!r}, and only the first {f.facts['labelled']:,} have "
        "a class: these are no random sample, so nothing follows from them about the others."
    )


#: sentences by kind, in order of harm
SENTENCES: dict[str, Callable[[Finding], str]] = {
    "distances": _distances,
    "edges": _edges,
    "header": _header,
    "label": _label,
    "reproduced": _reproduced,
    "sentinel": _sentinel,
    "order": _order,
    "magnitude": _magnitude,
    "units": _units,
    "mixed": _mixed,
    "code": _code,
    "date": _date,
    "id": _id,
    "text": _text,
    "sparse": _sparse,
    "not-numbers": _not_numbers,
    "missing": _missing,
    "format": _format,
    "encoding": _encoding,
    "duplicate-rows": _duplicate_rows,
    "duplicate-columns": _duplicate_columns,
}
