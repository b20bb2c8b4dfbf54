"""What a benchmark is given: data sets with references, clusterers, external measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bench.folder import Entry
from karat.runtime.validation import InputError, check_data

if TYPE_CHECKING:
    from karat.clusterers import Clusterer

#: the representation of a set that is given as one matrix
ONLY = "data"


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


def as_methods(given: Any) -> dict[str, Clusterer]:
    """Clusterers by name."""
    from karat.clusterers import as_clusterer

    if isinstance(given, Mapping):
        found = {str(name): as_clusterer(one) for name, one in given.items()}
    else:
        records = [as_clusterer(one) for one in ([given] if isinstance(given, str) else given)]
        found = {record.key: record for record in records}
    for name, clusterer in found.items():
        if clusterer.parameter != "n_clusters":
            raise InputError(
                f"{name} takes no number of clusters, it has {clusterer.parameter}; run it "
                "yourself and compare files of labels (Benchmark.from_folder)"
            )
    return found


def as_measures(measures: Iterable[str]) -> list[str]:
    """Keys of external measures."""
    from karat.measures import catalogue

    keys = list(measures)
    for key in keys:
        if catalogue[key].kind != "external":
            raise InputError(f"{key} does not compare with classes; give external measures")
    if not keys:
        raise InputError("give at least one external measure")
    return keys
