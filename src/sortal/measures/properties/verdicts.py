"""Stored verdicts on the properties of each measure, with counterexamples.

sortal-lab defines the properties in a form that a machine can check, and searches counterexamples.
Its results for sortal's measures are stored here, in ``verdicts.jsonl.xz`` and ``properties.json``.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from sortal.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import Bools, Floats, Ints

__all__ = [
    "Case",
    "Counterexample",
    "Outcome",
    "Properties",
    "Property",
    "PropertyForm",
    "Situation",
    "SituationMetric",
    "Verdict",
    "cluster_name",
    "definitions",
    "properties",
    "stored_verdicts",
]

#: how the data of a situation give distances
SituationMetric: TypeAlias = Literal["euclidean", "precomputed"]
#: result of a search for counterexamples
Outcome: TypeAlias = Literal["holds", "violated", "undecided", "not applicable"]
#: form of a property, empty if it has one only
PropertyForm: TypeAlias = Literal["", "weak", "strict"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, kw_only=True)
class Property:
    """A property that a measure has or lacks.

    Attributes
    ----------
    key : str
    name : str
        Name in prose.
    kind : {"internal", "external"}
        Measures to which the property applies.
    definition : str
        Exact definition.
    reference : str
        Source of the definition, and differences from it.
    form : {"", "weak", "strict"}
        Form of the property, if it has two.
    scope : str
        Cases of the exhaustive part of the search, in words.
    """

    key: str
    name: str
    kind: Literal["internal", "external"]
    definition: str
    reference: str
    form: PropertyForm = ""
    scope: str = ""


@dataclass(frozen=True, eq=False)
class Situation:
    """A clustering to judge, with data or (for external measures) classes.

    For internal measures ``data`` are points (n, d), or distances (n, n).
    """

    labels: NDArray[np.int64]
    truth: NDArray[np.int64] | None = None
    data: Floats | None = None
    metric: SituationMetric = "euclidean"

    @property
    def n(self) -> int:
        """Number of objects."""
        return len(self.labels)

    @property
    def distances(self) -> Floats:
        """Distances (n, n) of the objects."""
        assert self.data is not None
        if self.metric == "precomputed":
            return self.data
        difference = self.data[:, None] - self.data[None]
        return np.asarray(np.sqrt((difference**2).sum(axis=2)))

    def take(self, objects: Ints | Bools) -> Situation:
        """The situation restricted to some objects."""
        data = self.data
        if data is not None:
            square = self.metric == "precomputed"
            data = data[np.ix_(objects, objects)] if square else data[objects]
        truth = None if self.truth is None else self.truth[objects]
        return Situation(self.labels[objects], truth, data, self.metric)


@dataclass(frozen=True, eq=False)
class Case:
    """Situations that a property compares, with further facts."""

    situations: tuple[Situation, ...]
    names: tuple[str, ...] = ("before", "after")
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of objects of the first situation."""
        return self.situations[0].n


@dataclass(frozen=True)
class Counterexample:
    """A case in which a measure violates a property, with the value of each situation."""

    property: str
    measure: str
    case: Case
    values: tuple[float, ...]
    greater_is_better: bool = True

    def to_dict(self) -> dict[str, Any]:
        """JSON-serializable contents."""
        situations = []
        for situation in self.case.situations:
            stored: dict[str, Any] = {"labels": situation.labels.tolist()}
            if situation.truth is not None:
                stored["truth"] = situation.truth.tolist()
            if situation.data is not None:
                stored |= {"data": situation.data.tolist(), "metric": situation.metric}
            situations.append(stored)
        return {
            "property": self.property,
            "measure": self.measure,
            "greater_is_better": self.greater_is_better,
            "values": [float(value) for value in self.values],
            "situations": situations,
            "names": list(self.case.names),
            "facts": dict(self.case.facts),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Counterexample:
        """An object from the output of :meth:`to_dict`."""
        kinds: dict[str, Any] = {"labels": np.int64, "truth": np.int64, "data": np.float64}
        fields: list[dict[str, Any]] = [
            {k: np.asarray(v, kinds[k]) if k in kinds else v for k, v in situation.items()}
            for situation in stored["situations"]
        ]
        situations = tuple(Situation(**facts) for facts in fields)
        case = Case(situations, tuple(stored["names"]), dict(stored["facts"]))
        values = tuple(map(float, stored["values"]))
        return cls(stored["property"], stored["measure"], case, values, stored["greater_is_better"])

    def __str__(self) -> str:
        better = "greater" if self.greater_is_better else "lower"
        first = self.case.situations[0]
        blocks = [
            [name, *_table(situation, first), "", f"{self.measure} = {value:.6g}"]
            for name, situation, value in zip(
                self.case.names, self.case.situations, self.values, strict=True
            )
        ]
        widths = [max(map(len, block)) for block in blocks]
        lines = [
            "    ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in zip_longest(*blocks, fillvalue="")
        ]
        facts = [
            f"{name}: {value:.6g}" if isinstance(value, float) else f"{name}: {value}"
            for name, value in self.case.facts.items()
        ]
        head = f"{_name(self.property)}: {self.measure} ({better} is better)"
        return "\n".join([head, *facts, "", *lines])


@dataclass(frozen=True)
class Verdict:
    """Whether a measure has a property.

    Attributes
    ----------
    property, measure : str
        Keys.
    outcome : {"holds", "violated", "undecided", "not applicable"}
        *holds*: in every tried case; *undecided*: a case that should exist was not found, or the
        measure was undefined in every case.
    reason : str
        One sentence.
    n_cases : int
        Cases tried in which every value was defined.
    undefined : int
        Cases in which a value was undefined.
    exhaustive_to : int, optional
        The search covered all cases of up to so many objects, see ``Property.scope``.
    counterexample : Counterexample, optional
    """

    property: str
    measure: str
    outcome: Outcome
    reason: str
    n_cases: int = 0
    undefined: int = 0
    exhaustive_to: int | None = None
    counterexample: Counterexample | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-serializable contents."""
        stored = {key: value for key, value in self.__dict__.items() if key != "counterexample"}
        counterexample = None if self.counterexample is None else self.counterexample.to_dict()
        if counterexample is not None:  # the verdict says of which measure and property it is
            counterexample = {
                key: value for key, value in counterexample.items() if key not in stored
            }
        return stored | {"counterexample": counterexample}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Verdict:
        """An object from the output of :meth:`to_dict`."""
        counterexample = stored["counterexample"]
        if counterexample is not None:
            counterexample = Counterexample.from_dict({**stored, **counterexample})
        return cls(**{**stored, "counterexample": counterexample})

    def __str__(self) -> str:
        return f"{self.measure}, {_name(self.property)}: {self.outcome}. {self.reason}"


@dataclass(frozen=True)
class Properties:
    """Verdicts on the properties of one measure.

    Attributes
    ----------
    measure : str
        Key of the measure.
    verdicts : tuple of Verdict
        One for each property of measures of its kind.
    """

    measure: str
    verdicts: tuple[Verdict, ...]

    def __getitem__(self, property: str) -> Verdict:
        """The verdict on one property."""
        verdicts = {verdict.property: verdict for verdict in self.verdicts}
        if property not in verdicts:
            raise unknown_name(property, verdicts, "property")
        return verdicts[property]

    @property
    def counterexamples(self) -> dict[str, Counterexample]:
        """Counterexamples by property, for the violated ones."""
        return {v.property: v.counterexample for v in self.verdicts if v.counterexample}

    @property
    def table(self) -> pd.DataFrame:
        """A row for each property: outcome, numbers of cases, and the reason."""
        import pandas as pd

        rows = {
            v.property: {
                "property": _name(v.property),
                "outcome": v.outcome,
                "cases": v.n_cases,
                "undefined": v.undefined,
                "exhaustive to": v.exhaustive_to,
                "reason": v.reason,
            }
            for v in self.verdicts
        }
        return pd.DataFrame.from_dict(rows, orient="index").astype({"exhaustive to": "Int64"})

    def to_dict(self) -> dict[str, Any]:
        """JSON-serializable contents."""
        return {"measure": self.measure, "verdicts": [v.to_dict() for v in self.verdicts]}

    def __str__(self) -> str:
        names = [_name(v.property) for v in self.verdicts]
        width = max(map(len, names), default=0)
        lines = [
            f"{name.ljust(width)}  {v.outcome.ljust(14)}  {v.reason}"
            for name, v in zip(names, self.verdicts, strict=True)
        ]
        examples = [f"\n{example}" for example in self.counterexamples.values()]
        return "\n".join([self.measure, *lines, *examples])


def properties(key: str) -> Properties:
    """Verdicts on the properties of a measure, with counterexamples.

    Parameters
    ----------
    key : str
        A measure of the catalogue.

    Returns
    -------
    Properties
        Print it; ``.table`` has a row for each property.

    Notes
    -----
    *holds* means that the search found no counterexample, not that none exists. For your own
    measure, ``sortal_lab.axioms.properties`` of sortal-lab searches counterexamples.

    Examples
    --------
    >>> import sortal
    >>> silhouette = sortal.properties("silhouette")
    >>> silhouette["scale_invariance"].outcome
    'holds'
    >>> print(silhouette.counterexamples["improving_between"])
    Improving between (strict): silhouette (greater is better)
    <BLANKLINE>
    before               after
    A  0   1   1   1     A  0   2*  1   1
    B  1   0   1   1     B  2*  0   1   1
    A  1   1   0   1     A  1   1   0   1
    C  1   1   1   0     C  1   1   1   0
    <BLANKLINE>
    silhouette = 0       silhouette = 0
    """
    from sortal.measures.catalogue import catalogue

    measure = catalogue[key]
    verdicts = tuple(verdict for verdict in stored_verdicts() if verdict.measure == measure.key)
    if not verdicts:
        raise InputError(
            f"no verdicts on the properties of {key!r} are stored; "
            f"sortal_lab.axioms.properties({key!r}), of sortal-lab, seeks counterexamples"
        )
    return Properties(measure.key, verdicts)


def stored_verdicts() -> list[Verdict]:
    """The verdicts on sortal's own measures.

    Examples
    --------
    >>> from sortal.measures.properties import stored_verdicts
    >>> all(v.counterexample for v in stored_verdicts() if v.outcome == "violated")
    True
    """
    return list(_stored())


@cache
def _stored() -> tuple[Verdict, ...]:
    """The stored verdicts, in the order of the measures and properties."""
    stored = files("sortal.measures").joinpath("verdicts.jsonl.xz").read_bytes()
    rows = [json.loads(line)["row"] for line in lzma.decompress(stored).splitlines()]
    order = {key: place for place, key in enumerate(definitions())}
    last = {(row["measure"], row["property"]): Verdict.from_dict(row) for row in rows}
    return tuple(sorted(last.values(), key=lambda v: (v.measure, order[v.property])))


@cache
def definitions() -> Mapping[str, Property]:
    """The properties by key, as sortal-lab defines them."""
    stored = json.loads(files("sortal.measures").joinpath("properties.json").read_text("utf-8"))
    return {facts["key"]: Property(**facts) for facts in stored}


def _name(property: str) -> str:
    """Name of a property in prose, or its key if it is not defined."""
    definition = definitions().get(property)
    return property if definition is None else definition.name


# -- a situation as text -----------------------------------------------------------------------


def cluster_name(code: int) -> str:
    """A letter for each of the first 26 clusters, then the number."""
    return LETTERS[code] if 0 <= code < len(LETTERS) else str(code)


def _table(situation: Situation, first: Situation) -> list[str]:
    """Lines of a table, a row for each object or class; a star marks changes to the first."""
    import pandas as pd

    names = [cluster_name(int(code)) for code in situation.labels]
    data = situation.data
    if data is None:
        assert situation.truth is not None
        counts = pd.crosstab(situation.truth, np.array(names))
        counts = counts.rename_axis(index=None, columns=None).astype(object)
        return counts.where(counts > 0, ".").to_string().splitlines()
    reference = data if first.data is None or first.data.shape != data.shape else first.data
    cells = [
        [f"{value:.5g}{'*' if value != was else ' '}" for value, was in zip(*rows, strict=True)]
        for rows in zip(data, reference, strict=True)
    ]
    return pd.DataFrame(cells, names).to_string(header=False).splitlines()
