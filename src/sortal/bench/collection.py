"""The data sets of a benchmark: objects, references, and clusterings made elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sortal.labelings.row_join import Rows as RowNames
from sortal.runtime.validation import InputError, check_data

if TYPE_CHECKING:
    from sortal.datasets import Dataset
    from sortal.typing import ArrayLike, Labels, Rows

    #: classes of the objects by the reference's name, None for no class
    References: TypeAlias = Mapping[str, NDArray[np.object_]]
    #: objects and classes, each one array or several by name
    DataSet: TypeAlias = (
        Dataset | tuple[ArrayLike | Mapping[str, ArrayLike], Labels | Mapping[str, Labels]]
    )

#: the representation of a set whose objects are one matrix
ONLY_REPRESENTATION = "data"


@dataclass
class Entry:
    """One data set of a benchmark.

    Attributes
    ----------
    references : dict of str to ndarray
        The classes, by the reference's name; None for an object without a class.
    tries : dict of str to dict of int to labels
        The clusterings, by the method's name and the number of the try. Labels of a try are an
        array, or a dict of arrays by number of clusters.
    data : dict of str to ndarray
        The objects, by the name of the representation.
    rows : Rows, or None
        The rows of the references, with the columns that may name them.
    id_column : str, or None
        The column that names the objects, if the user says so.
    by_row : list of str
        Files without ids beside references with ids; they are read in the references' order.
    """

    references: dict[str, NDArray[np.object_]] = field(default_factory=dict)
    tries: dict[str, dict[int, Any]] = field(default_factory=dict)
    data: dict[str, Rows] = field(default_factory=dict)
    rows: RowNames | None = None
    id_column: str | None = None
    by_row: list[str] = field(default_factory=list)


def as_entry(name: str, data_set: DataSet) -> Entry:
    """Validated data set with its representations and references; see :class:`sortal.Benchmark`."""
    if hasattr(data_set, "y") and hasattr(data_set, "X"):
        X, truth = attrgetter("X", "y")(data_set)
    else:
        X, truth = data_set
    if truth is None:
        raise InputError(f"the data set {name!r} has no classes")
    representations = X if isinstance(X, Mapping) else {ONLY_REPRESENTATION: X}
    references = truth if isinstance(truth, Mapping) else {"truth": truth}
    entry = Entry()
    for key, matrix in representations.items():
        entry.data[str(key)] = check_data(matrix, name=f"{key} of {name}")
    for key, labels in references.items():
        listed = np.asarray(labels).tolist()
        values = np.empty(len(listed), dtype=np.object_)
        values[:] = listed
        entry.references[str(key)] = values
        for representation, matrix in entry.data.items():
            if len(values) != matrix.shape[0]:
                described = (
                    name if representation == ONLY_REPRESENTATION else f"{representation} of {name}"
                )
                raise InputError(
                    f"{described!r} has {matrix.shape[0]} objects and {len(values)} classes"
                )
    return entry
