"""The data sets of a benchmark: objects, references, and clusterings that were made elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.runtime.validation import InputError, check_data

#: the representation of a set that is given as one matrix
ONLY = "data"


@dataclass
class Entry:
    """One data set.

    Attributes
    ----------
    references : dict of str to ndarray
        The classes, by the reference's name; None where an object counts for no reference.
    tries : dict of str to dict of int to labels
        The clusterings, by the method's name and the number of the try.
    data : dict of str to ndarray
        The objects, by the name of the representation.
    ids : ndarray, or None
        The names of the objects, where the references have them.
    by_row : list of str
        Files without ids beside references that have them, taken in the references' order.
    """

    references: dict[str, NDArray[np.object_]] = field(default_factory=dict)
    tries: dict[str, dict[int, Any]] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    ids: NDArray[Any] | None = None
    by_row: list[str] = field(default_factory=list)


def as_entry(name: str, given: Any) -> Entry:
    """A data set with its representations and references; see :class:`karat.Benchmark`."""
    if hasattr(given, "truth") and hasattr(given, "X"):
        X, truth = given.X, given.truth
        if truth is None:
            raise InputError(f"the data set {name!r} has no classes")
    else:
        X, truth = given
    representations = X if isinstance(X, Mapping) else {ONLY: X}
    references = truth if isinstance(truth, Mapping) else {"truth": truth}
    entry = Entry()
    for key, matrix in representations.items():
        entry.data[str(key)] = check_data(matrix, name=f"{key} of {name}")
    for key, labels in references.items():
        values = np.empty(len(labels), dtype=object)
        values[:] = np.asarray(labels).tolist()
        entry.references[str(key)] = values
        for own, matrix in entry.data.items():
            if len(values) != matrix.shape[0]:
                told = name if own == ONLY else f"{own} of {name}"
                raise InputError(
                    f"{told!r} has {matrix.shape[0]} objects and {len(values)} classes"
                )
    return entry
