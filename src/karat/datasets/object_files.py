"""Files whose objects are compared as wholes: strings, series, rows of mixed columns."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets._labelings import read_labels
from karat.datasets._read import read, read_cells
from karat.datasets._relations import from_objects
from karat.runtime.resources import require_memory
from karat.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    from karat.datasets._dataset import Dataset

#: the metrics of whole objects
OBJECT_FILES = ("edit", "dtw", "gower")


def read_objects(path: str | os.PathLike[str], metric: str, **options: Any) -> Dataset:
    """Read a file for a distance between whole objects.

    Parameters
    ----------
    path : str or path
    metric : {"edit", "dtw", "gower"}
        ``edit`` compares the strings of ``text_column``, or of the only column that is no label
        or id; ``dtw`` the rows as series; ``gower`` the rows of a table of numbers and categories.
    **options
        As for :func:`read`.

    Returns
    -------
    Dataset
        Of distances; for ``gower`` of features whose cityblock distance it is.
    """
    if metric == "edit":
        return _strings(path, options)
    data = read(path, **{**options, "scale": "none"})
    if not isinstance(data.X, np.ndarray) or data.metric != "euclidean":
        raise InputError(f"metric={metric!r} takes a table; {data.name} has {data.kind}")
    if metric == "gower":
        return gower_features(data)
    made = from_objects(list(data.X), "dtw", ids=data.ids)
    notes = (*data.notes, *made.notes)
    return replace(data, X=made.X, metric="precomputed", feature_names=(), notes=notes)


def gower_features(data: Dataset) -> Dataset:
    """Features whose cityblock distance is Gower's distance of the rows.

    A number counts its difference by the range of its column, a category 1 where two differ; the
    distance is the mean over the columns. Missing values are those that were imputed.
    """
    X = np.array(data.X, dtype=np.float64)
    columns = () if data.plan is None else data.plan.columns
    named = {one.name for one in columns if one.kind in ("category", "code")}
    of_category = [
        next((name for name in named if feature.startswith(f"{name}=")), None)
        for feature in data.feature_names
    ]
    low, high = X.min(axis=0), X.max(axis=0)
    reach = np.where(high > low, high - low, 1.0)
    for j, category in enumerate(of_category):
        X[:, j] = X[:, j] / 2 if category else (X[:, j] - low[j]) / reach[j]
    count = of_category.count(None) + len({name for name in of_category if name})
    note = f"Distances are Gower's, the mean over {count} columns."
    return replace(
        data, X=X / count, metric="cityblock", notes=(*data.notes, note), center=None, scale=None
    )


def _strings(path: str | os.PathLike[str], options: dict[str, Any]) -> Dataset:
    written = {name: options[name] for name in ("header", "encoding") if name in options}
    cells, notes = read_cells(path, **written)
    label, own, text = (options.get(f"{name}_column") for name in ("label", "id", "text"))
    for name in (label, own, text):
        if name is not None and name not in cells:
            raise unknown_name(name, cells.columns, "column")
    free = [str(name) for name in cells if name not in (label, own, *options.get("drop", ()))]
    chosen = text or (free[0] if len(free) == 1 else None)
    if chosen is None:
        raise InputError(
            f"edit distance compares the strings of one column, and there are {', '.join(free)}; "
            "name it (text_column, --text-column)"
        )
    strings = [str(value) for value in cells[chosen]]
    require_memory(
        8.0 * len(strings) ** 2, f"the distances of {len(strings):,} strings", "a sample"
    )
    truth: Any = None if label is None else cells[label].replace("", None)
    ids = None if own is None else cells[own].tolist()
    made = from_objects(strings, "edit", truth=truth, ids=ids, name=os.fspath(path))
    if isinstance(options.get("truth"), str):
        known = read_labels(options["truth"], len(strings), ids=made.ids)
        made = replace(made, truth=known.values, truth_name="truth")
    return replace(made, notes=(*notes, *made.notes), source=os.fspath(path))
