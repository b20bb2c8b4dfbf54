"""Verdicts on all properties of one measure: of the catalogue, or of your own."""

from __future__ import annotations

import inspect
import json
import lzma
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO, cast

from sortal import StorageError
from sortal.measures.properties import Properties, Verdict, stored_verdicts
from sortal_lab.axioms.search import PROPERTIES, Property, search
from sortal_lab.axioms.valuation import Valuation

if TYPE_CHECKING:
    from pathlib import Path

    from sortal.measures import Measure
    from sortal.typing import MeasureKind, Takes
    from sortal_lab.axioms.valuation import MeasureLike


def properties(
    measure: MeasureLike,
    *,
    kind: MeasureKind | None = None,
    takes: Takes = "features",
    greater_is_better: bool = True,
    names: str | Iterable[str] | None = None,
    random_state: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Properties:
    """Properties of a measure, with counterexamples to those that it lacks.

    Parameters
    ----------
    measure : str, Measure or callable
        A catalogue key, a record (:class:`sortal.measures.Measure`, as :mod:`sortal.testing` takes
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
    *holds* means that no counterexample was found in so many cases, not that there is none. A
    measure takes about ten seconds. :func:`sortal.properties` reads what is stored of sortal's own.

    Examples
    --------
    >>> import sortal
    >>> from sortal_lab.axioms import properties
    >>> def pairs_found(labels_true, labels_pred):
    ...     return sortal.pair_counts(labels_true, labels_pred).both
    >>> own = properties(pairs_found, names=["symmetry", "maximal_agreement"])
    >>> own.table["outcome"].to_dict()
    {'symmetry': 'holds', 'maximal_agreement': 'violated'}
    """
    if kind is None:
        external = callable(measure) and "labels_true" in inspect.signature(measure).parameters
        kind = "external" if external else "internal"
    judge = Valuation.of(measure, kind=kind, takes=takes, greater_is_better=greater_is_better)
    verdicts = []
    for property in _asked(judge.measure, names):
        verdicts.append(search(property, judge, random_state=random_state))
        if progress is not None:
            progress(str(verdicts[-1]))
    return Properties(judge.measure.key, tuple(verdicts))


def known(
    key: str,
    *,
    names: str | Iterable[str] | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
) -> Properties:
    """Verdicts on a measure of the catalogue: those that sortal stores, and a search for others.

    Parameters
    ----------
    names : iterable of str, optional
        Keys of the properties; by default all that speak of measures of its kind.
    random_state : int, default 0
        The stored ones were found with 0.
    storage : path, optional
        JSON lines of verdicts, to which new ones are appended; compressed if the name ends in
        ``.xz``. The file of the package is ``verdicts.jsonl.xz``: where the definition of a measure
        changed, delete its lines there.
    """
    judge = Valuation.of(key)
    stored: dict[str, Verdict] = {}
    if random_state == 0:
        stored = {v.property: v for v in stored_verdicts() if v.measure == key}
    rows = {} if storage is None else _read_rows(Path(storage))
    verdicts = []
    for property in _asked(judge.measure, names):
        name = f"{key} {property.key} {random_state}"
        if name in rows:
            verdict = Verdict.from_dict(rows[name])
        else:
            verdict = stored.get(property.key) or search(property, judge, random_state=random_state)
            if storage is not None:
                line = json.dumps({"key": name, "row": verdict.to_dict()})
                with _opened(Path(storage), "at") as file:
                    file.write(f"{line}\n")
        verdicts.append(verdict)
    return Properties(key, tuple(verdicts))


def _opened(path: Path, mode: Literal["rt", "at"]) -> TextIO:
    """A file of lines, compressed if its name says so; what is appended is a stream of its own."""
    opens = lzma.open if path.suffix == ".xz" else open
    return cast(TextIO, opens(path, mode, encoding="utf-8"))


def _read_rows(path: Path) -> dict[str, dict[str, Any]]:
    """Verdicts in a file of JSON lines by their names; none where there is no file."""
    rows = {}
    lines: list[str] = []
    if path.exists():
        with _opened(path, "rt") as file:
            lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
            rows[record["key"]] = record["row"]
        except (ValueError, KeyError, TypeError):
            raise StorageError(
                f"{path}, line {number} is no verdict; delete the line, or name another file"
            ) from None
    return rows


def _asked(measure: Measure, names: str | Iterable[str] | None) -> list[Property]:
    """Properties to test on a measure."""
    if names is None:
        return [p for p in PROPERTIES.values() if p.kind == measure.kind]
    return [PROPERTIES[name] for name in ([names] if isinstance(names, str) else names)]
