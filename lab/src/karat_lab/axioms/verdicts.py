"""All properties of one measure, from the search or from what is stored."""

from __future__ import annotations

import hashlib
import html
import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.runtime.journal import KeptLines
from karat.runtime.validation import InputError
from karat_lab.axioms.cases import Case
from karat_lab.axioms.point_sets import is_metric
from karat_lab.axioms.search import PROPERTIES, Counterexample, Property, Verdict, search
from karat_lab.axioms.small_metrics import small
from karat_lab.axioms.valuation import Judge

if TYPE_CHECKING:
    import pandas as pd

    from karat.measures import Measure

#: the verdicts on karat's own measures
STORED = "verdicts.jsonl"


@dataclass(frozen=True)
class Properties:
    """What a measure can be trusted to do.

    Attributes
    ----------
    measure : str
        Its key.
    verdicts : tuple of Verdict
        One for each property of measures of its kind.
    """

    measure: str
    verdicts: tuple[Verdict, ...]

    def __getitem__(self, property: str) -> Verdict:
        """The verdict on one property."""
        for verdict in self.verdicts:
            if verdict.property == property:
                return verdict
        raise InputError(
            f"there is no verdict on {property!r}; there are: "
            f"{', '.join(verdict.property for verdict in self.verdicts)}"
        )

    @property
    def counterexamples(self) -> dict[str, Counterexample]:
        """Property -> the counterexample, where there is one."""
        return {v.property: v.counterexample for v in self.verdicts if v.counterexample}

    @property
    def table(self) -> pd.DataFrame:
        """A row for each property: outcome, numbers of cases, and the reason."""
        import pandas as pd

        rows = {
            v.property: {
                "property": PROPERTIES[v.property].name,
                "outcome": v.outcome,
                "cases": v.n_cases,
                "undefined": v.undefined,
                "exhaustive to": v.exhaustive_to,
                "reason": v.reason,
            }
            for v in self.verdicts
        }
        return pd.DataFrame.from_dict(rows, orient="index").astype({"exhaustive to": "Int64"})

    def to_frame(self) -> pd.DataFrame:
        """The same as ``table``."""
        return self.table

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it."""
        return {"measure": self.measure, "verdicts": [v.to_dict() for v in self.verdicts]}

    def __str__(self) -> str:
        names = [PROPERTIES[v.property].name for v in self.verdicts]
        width = max(map(len, names), default=0)
        lines = [
            f"{name.ljust(width)}  {v.outcome.ljust(14)}  {v.reason}"
            for name, v in zip(names, self.verdicts, strict=True)
        ]
        examples = [f"\n{example}" for example in self.counterexamples.values()]
        return "\n".join([self.measure, *lines, *examples])

    def _repr_html_(self) -> str:
        return f"<h4>{html.escape(self.measure)}</h4>{self.table.to_html()}"


def properties(
    measure: Any,
    *,
    kind: str | None = None,
    takes: str = "features",
    greater_is_better: bool = True,
    names: Any = None,
    random_state: int = 0,
    storage: Any = None,
    progress: Callable[[str], None] | None = None,
) -> Properties:
    """Which properties a measure has, and a counterexample to each that it lacks.

    Parameters
    ----------
    measure : str, Measure or callable
        A catalogue key, a record (:class:`karat.measures.Measure`, as :mod:`karat.testing` takes
        it), or a function ``(X, labels)`` or ``(labels_true, labels_pred)``.
    kind : {"internal", "external"}, optional
        Of a function: by default external if a parameter is named ``labels_true``.
    takes : {"features", "distances"}, default "features"
        Of an internal function: whether ``X`` are points or a matrix of distances.
    greater_is_better : bool, default True
        Of a function.
    names : iterable of str, optional
        Keys of the properties; by default all that speak of measures of its kind.
    random_state : int, default 0
        Seed of the random cases.
    storage : path, optional
        Text file that keeps verdicts until the code of the measure or of the search changes.
    progress : callable, optional
        Called with a line of text after each property.

    Returns
    -------
    Properties
        Print it; ``.table`` has a row for each property.

    Raises
    ------
    InputError
        For what is no measure, or no property.

    Notes
    -----
    *holds* means that no counterexample was found in so many cases, not that there is none.
    Verdicts on karat's own measures at ``random_state=0`` are stored in the package, and looked up
    as long as the code is the code that they were found with; otherwise a measure takes about ten
    seconds.

    Examples
    --------
    >>> import karat
    >>> found = karat.properties("silhouette", names=["scale_invariance", "improving_between"])
    >>> found.table["outcome"].to_dict()
    {'scale_invariance': 'holds', 'improving_between': 'violated'}
    >>> print(found.counterexamples["improving_between"])
    Improving between (strict): silhouette (greater is better)
    <BLANKLINE>
    before            after
    A 0  1  1  1      A 0  2* 1  1
    B 1  0  1  1      B 2* 0  1  1
    A 1  1  0  1      A 1  1  0  1
    C 1  1  1  0      C 1  1  1  0
    <BLANKLINE>
    silhouette = 0    silhouette = 0
    """
    if kind is None:
        external = callable(measure) and "labels_true" in inspect.signature(measure).parameters
        kind = "external" if external else "internal"
    judge = Judge.of(measure, kind=kind, takes=takes, greater_is_better=greater_is_better)
    chosen = [p for p in PROPERTIES.values() if p.kind == judge.measure.kind]
    if names is not None:
        chosen = [PROPERTIES[name] for name in ([names] if isinstance(names, str) else names)]
    kept = KeptLines(storage)
    verdicts = []
    for property in chosen:
        key = stored_key(property, judge.measure, random_state)
        known = kept.get(key) or (_stored().get(key) if key else None)
        if known is not None:
            verdict = Verdict.from_dict(known)
        else:
            verdict = search(property, judge, random_state=random_state)
        if key and kept.get(key) is None:
            kept.put(key, verdict.to_dict())
        verdicts.append(verdict)
        if progress is not None:
            progress(str(verdict))
    return Properties(judge.measure.key, tuple(verdicts))


def stored_verdicts() -> list[Verdict]:
    """The verdicts on karat's own measures that the package brings.

    Examples
    --------
    >>> from karat_lab.axioms import stored_verdicts
    >>> all(v.counterexample for v in stored_verdicts() if v.outcome == "violated")
    True
    """
    last = {(row["measure"], row["property"]): row for row in _stored().values()}
    return [Verdict.from_dict(row) for row in last.values()]


@cache
def _stored() -> dict[str, Any]:
    file = files("karat.measures") / STORED
    if not file.is_file():
        return {}
    lines = file.read_text(encoding="utf-8").splitlines()
    return {entry["key"]: entry["row"] for entry in map(json.loads, lines)}


def stored_key(property: Property, measure: Measure, random_state: int) -> str:
    """Names a verdict by the code that finds it; empty where the code cannot be read."""
    code = hashlib.sha256()
    functions = [measure.function, measure.compute, property.trials, property.margin]
    engine = (search, Judge, Case, is_metric, small)
    paths = sorted({path for each in (*functions, *engine) for path in _sources(each)})
    if any(not path for path in paths):
        return ""
    for path in paths:
        code.update(_digest(path))
    return f"{measure.key} {property.key} {random_state} {code.hexdigest()[:16]}"


def _sources(function: Any) -> Iterator[str]:
    """The file of a function, and of those that a partial one holds."""
    if function is None:
        return
    while isinstance(function, partial):
        for value in function.keywords.values():
            if callable(value):
                yield from _sources(value)
        function = function.func
    try:
        yield inspect.getsourcefile(inspect.unwrap(function)) or ""
    except TypeError:
        yield ""


@cache
def _digest(path: str) -> bytes:
    file = Path(path)
    return hashlib.sha256(file.read_bytes()).digest() if file.is_file() else path.encode()
