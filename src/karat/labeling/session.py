"""Labels given one at a time in the order of a draw, saved after each, and what they guarantee."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds import b_always, guarantee, percent_up
from karat.runtime.validation import InputError, StorageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.bounds import Guarantee
    from karat.bounds.classes import Classes

_COLUMNS = ["row", "label", "object"]
#: share of delta that the labeller's own errors get, where an expert's labels are there
NOISE_SHARE = 0.2


class LabelSession:
    """The labels of the first objects of a drawn order, in a file that is complete after each.

    Parameters
    ----------
    path : str or path
        CSV file with the columns ``row``, ``label`` and ``object``; it is made with the first
        label, and resumed where it exists.
    order : array-like of int, shape (n,)
        Positions of all objects in the order of the draw (:func:`karat.bounds.sample`).
    objects : sequence of str
        A line about each object, by which a resumed file is known to be about the same data.
    rows : array-like of int, shape (n,), optional
        The row of each object in the data file; its position by default.

    Attributes
    ----------
    labels : list of str
        Of the first objects of the order.

    Raises
    ------
    StorageError
        If the file is not such a file, or of another order or other data.

    Examples
    --------
    >>> import karat.labeling, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     session = karat.labeling.LabelSession(f"{folder}/labels.csv", [2, 0, 1], list("abc"))
    ...     session.add("ham")
    ...     again = karat.labeling.LabelSession(f"{folder}/labels.csv", [2, 0, 1], list("abc"))
    >>> again.labels, again.next
    (['ham'], 0)
    """

    def __init__(self, path: Any, order: Any, objects: Sequence[str], rows: Any = None) -> None:
        self.path = Path(path)
        self.order = np.asarray(order, dtype=np.intp)
        if sorted(self.order.tolist()) != list(range(len(objects))):
            raise InputError(
                f"order must have each of the {len(objects)} objects once, in the order of the draw"
            )
        self._objects = [_line(text) for text in objects]
        self._rows = np.arange(len(objects)) if rows is None else np.asarray(rows)
        self.labels: list[str] = self._read() if self.path.exists() else []

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def next(self) -> int | None:
        """Position of the object to label now; None once all are labelled."""
        return int(self.order[len(self)]) if len(self) < len(self.order) else None

    @property
    def labelled(self) -> NDArray[np.intp]:
        """Positions of the labelled objects, in the order of the draw."""
        return self.order[: len(self)]

    @property
    def y(self) -> NDArray[np.object_]:
        """The label of every object, None where there is none yet."""
        values = np.full(len(self.order), None, dtype=object)
        values[self.labelled] = self.labels
        return values

    def add(self, label: str) -> None:
        """Label the next object, and save.

        Raises
        ------
        InputError
            For an empty name, one that a spreadsheet would run, or if all objects are labelled.
        """
        label = label.strip()
        if not label or (label[0] in "=+-@" and not label[1:].isdigit()):
            raise InputError(f"{label!r} cannot be the name of a class; begin it with a letter")
        if self.next is None:
            raise InputError("all objects are labelled")
        self.labels.append(label)
        self._save()

    def undo(self) -> int | None:
        """Take the last label back, and save; its object's position, None if there is none."""
        if not self.labels:
            return None
        self.labels.pop()
        self._save()
        return self.next

    def _save(self) -> None:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for at, label in zip(self.labelled, self.labels, strict=True):
            writer.writerow([self._rows[at], label, self._objects[at]])
        beside = self.path.with_name(f".{self.path.name}.part")
        try:
            with beside.open("w", encoding="utf-8") as file:
                file.write(text.getvalue())
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self.path)
        except OSError as error:
            beside.unlink(missing_ok=True)
            kept = max(len(self) - 1, 0)
            raise StorageError(
                f"{self.path} cannot be written: {error.strerror}; it has the first {kept} labels"
            ) from None

    def _read(self) -> list[str]:
        try:
            with self.path.open(encoding="utf-8", newline="") as file:
                header, *lines = csv.reader(file)
            if header != _COLUMNS or any(len(line) != 3 for line in lines):
                raise ValueError
            found = [(int(row), label, shown) for row, label, shown in lines]
        except (ValueError, csv.Error, UnicodeDecodeError):
            raise StorageError(
                f"{self.path} has no labels as karat label writes them (columns row, label, "
                "object); give --output another name"
            ) from None
        except OSError as error:
            raise StorageError(f"{self.path} cannot be read: {error.strerror}") from None
        if len(found) > len(self.order):
            raise StorageError(f"{self.path} has more labels than there are objects")
        for number, (row, _, shown) in enumerate(found):
            at = self.order[number]
            if row != self._rows[at] or shown != self._objects[at]:
                raise StorageError(
                    f"{self.path}, label {number + 1} is of row {row}, but the draw has row "
                    f"{self._rows[at]} there: it was made with another --seed or other data. Use "
                    "those, or give --output another name"
                )
        return [label for _, label, _ in found]


def _line(text: str, most: int = 80) -> str:
    """The beginning of a text in one line, which no spreadsheet runs."""
    line = " ".join(text.split())[:most]
    return f"'{line}" if line[:1] in ("=", "+", "-", "@") else line


@dataclass(frozen=True)
class Standing:
    """What the labels of a session guarantee so far.

    Attributes
    ----------
    found : Guarantee
        It holds at every number of labels at once.
    noise : int
        Bound on the labeller's own errors among the other objects; 0 without an expert.
    common, differ : int
        Objects that the expert labelled too, and how many of them differently.
    """

    found: Guarantee
    noise: int = 0
    common: int = 0
    differ: int = 0

    @property
    def bound(self) -> int:
        """Of the unlabelled objects so many are mislabelled at most."""
        return min(self.found.bound + self.noise, self.found.n)

    @property
    def bound_rate(self) -> float:
        """The bound as a share of the unlabelled objects."""
        return self.bound / self.found.n if self.found.n else 0.0

    @property
    def delta(self) -> float:
        """The chance that it fails."""
        return self.found.delta / (1 - NOISE_SHARE) if self.common else self.found.delta

    @property
    def sentence(self) -> str:
        """The guarantee in words."""
        if not self.common:
            return self.found.sentence
        return (
            f"With probability {1 - self.delta:.10g} at most {percent_up(self.bound_rate)} of the "
            f"{self.found.n:,} unlabelled objects are mislabelled ({self.bound:,}): "
            f"{self.found.bound:,} by the clustering, and {self.noise:,} by the labels, of which "
            f"{self.differ:,} of {self.common:,} are not the expert's."
        )


def standing(
    session: LabelSession,
    labelings: Any,
    delta: float = 0.1,
    *,
    classes: Classes = None,
    prior: Any = None,
    expert: Any = None,
    noise: Any = "cluster",
) -> Standing | None:
    """What the labels of a session guarantee so far; you may stop by what it says.

    Parameters
    ----------
    session : LabelSession
    labelings : array-like (n,) or (M, n), mapping, DataFrame
        The clusterings; made without the labels.
    delta : float, default 0.1
        Allowed chance that the guarantee fails.
    classes, prior, noise
        As for :func:`karat.guarantee`; ``classes`` is ``"open"`` by default.
    expert : array-like, shape (n,), optional
        Labels of somebody who is right, missing elsewhere, for objects that were drawn at random
        too. The guarantee is then about the expert's classes: the labeller's own errors are
        bounded from the objects that both labelled, and added.

    Returns
    -------
    Standing or None
        None before the first label, or before the first object that the expert labelled too.

    Notes
    -----
    The predictions differ from the expert's classes at most where they differ from the labeller's
    or where those differ from the expert's. Each part holds at every number of labels at once,
    the second at 0.2 delta (:func:`karat.bounds.b_always`).
    """
    if not len(session):
        return None
    share = delta
    m = e = b = 0
    if expert is not None:
        told = np.asarray([None if v is None else str(v) for v in expert], dtype=object)
        both = [(told[i], label) for i, label in zip(session.labelled, session.labels, strict=True)]
        both = [pair for pair in both if pair[0] is not None]
        m, e = len(both), sum(one != other for one, other in both)
        if not m:
            return None
        b = int(b_always(m, len(session.order) - m, e, NOISE_SHARE * delta))
        share = (1 - NOISE_SHARE) * delta
    found = guarantee(
        labelings,
        session.y,
        share,
        True,
        order=session.labelled,
        classes=classes,
        prior=prior,
        noise=noise,
    )
    return Standing(found, b, m, e)


@dataclass(frozen=True)
class Agreement:
    """How far two labellers agree about the objects that both labelled.

    Attributes
    ----------
    common, same : int
        Objects with both labels, and with the same.
    agreement : float
        Share of the same, in [0, 1].
    kappa : float
        Cohen's kappa: (agreement − chance)/(1 − chance), 1 where chance alone would agree.
    """

    common: int
    same: int
    agreement: float
    kappa: float

    def __str__(self) -> str:
        return (
            f"{self.same:,} of {self.common:,} objects have the same label from both (agreement "
            f"{self.agreement:.3f}, kappa {self.kappa:.3f})."
        )


def agreement(one: Iterable[Any], other: Iterable[Any]) -> Agreement:
    """Agreement of two labellers, with Cohen's kappa.

    Parameters
    ----------
    one, other : array-like, shape (n,)
        Their labels; None where one gave none.

    Returns
    -------
    Agreement

    Raises
    ------
    InputError
        If no object has both labels.

    Notes
    -----
    Cohen (1960), a coefficient of agreement for nominal scales. Greater is better.

    Examples
    --------
    >>> from karat.labeling import agreement
    >>> print(agreement(["a", "a", "b", "b", None], ["a", "b", "b", "b", "a"]))
    3 of 4 objects have the same label from both (agreement 0.750, kappa 0.500).
    """
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    if not pairs:
        raise InputError("no object has a label from both")
    n = len(pairs)
    same = sum(a == b for a, b in pairs)
    names = {name for pair in pairs for name in pair}
    chance = sum(
        sum(a == name for a, _ in pairs) * sum(b == name for _, b in pairs) for name in names
    ) / (n * n)
    kappa = 1.0 if chance == 1 else (same / n - chance) / (1 - chance)
    return Agreement(n, same, same / n, kappa)
