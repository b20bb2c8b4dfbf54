"""Data sets of files of strings, series, places or rows of mixed columns, with their distances."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets.labels.labelings import read_labels
from karat.datasets.readers import read, read_cells
from karat.datasets.relations import from_distances, from_objects
from karat.runtime.resources import require_memory
from karat.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    from karat.datasets.prepared.dataset import Dataset

#: metrics of whole objects, with their synonyms
OBJECT_FILES = {
    "edit": "edit", "levenshtein": "edit", "dtw": "dtw", "gower": "gower",
    "haversine": "haversine",
}  # fmt: skip
EARTH_RADIUS_KM = 6371.0088  # mean radius in kilometres


def read_objects(path: str | os.PathLike[str], metric: str, **options: Any) -> Dataset:
    """Read a file for a distance between whole objects.

    Parameters
    ----------
    path : str or path
    metric : {"edit", "levenshtein", "dtw", "gower", "haversine"}
        What it compares:

        - ``edit``: the strings of ``text_column``, or of the only column besides label and id
        - ``dtw``: the rows as series
        - ``gower``: the rows of a table of numbers and categories
        - ``haversine``: places by latitude and longitude in degrees, in kilometres
    **options
        As for :func:`read`.

    Returns
    -------
    Dataset
        Distances; for ``gower`` features with this cityblock distance.
    """
    kind = OBJECT_FILES[metric]
    if kind == "edit":
        return _strings(path, options)
    if kind == "gower":
        return gower_features(read(path, **{**options, "scale": "none"}))
    data = read(path, **{**options, "scale": "none"})
    if not isinstance(data.X, np.ndarray) or data.metric != "euclidean":
        raise InputError(f"metric={metric!r} takes a table of numbers; {data.name} has {data.kind}")
    if kind == "dtw":
        distances = from_objects(list(data.X), "dtw", ids=data.ids)
    else:
        distances = from_distances(_great_circles(data), ids=data.ids)
    return replace(
        data,
        X=distances.X,
        metric="precomputed",
        feature_names=(),
        notes=(*data.notes, *distances.notes),
    )


def gower_features(data: Dataset) -> Dataset:
    """Features whose cityblock distance is Gower's distance of the rows.

    A column contributes the difference divided by its range, or 1 where categories differ; the
    distance is the mean over the columns. Missing values were imputed.
    """
    if not isinstance(data.X, np.ndarray) or data.metric != "euclidean":
        raise InputError(f"metric='gower' takes a table; {data.name} has {data.kind}")
    X = np.array(data.X, dtype=np.float64)
    columns = () if data.plan is None else data.plan.columns
    category_columns = {column.name for column in columns if column.kind in ("category", "code")}
    category_of_feature = [
        next((name for name in category_columns if feature.startswith(f"{name}=")), None)
        for feature in data.feature_names
    ]
    low, high = X.min(axis=0), X.max(axis=0)
    reach = np.where(high > low, high - low, 1.0)
    for j, category in enumerate(category_of_feature):
        X[:, j] = X[:, j] / 2 if category else (X[:, j] - low[j]) / reach[j]
    count = sum(category is None for category in category_of_feature)
    count += len({category for category in category_of_feature if category})
    note = f"Distances are Gower's, the mean over {count} columns."
    return replace(
        data, X=X / count, metric="cityblock", notes=(*data.notes, note), center=None, scale=None
    )


def _strings(path: str | os.PathLike[str], options: dict[str, Any]) -> Dataset:
    """Data set of edit distances between the strings of a column."""
    cells, notes = read_cells(
        path, header=options.get("header"), encoding=options.get("encoding", "utf-8")
    )
    roles = {name: options.get(name) for name in ("label_column", "id_column", "text_column")}
    for name in roles.values():
        if name is not None and name not in cells:
            raise unknown_name(name, cells.columns, "column")
    not_strings = {roles["label_column"], roles["id_column"], *options.get("drop", ())}
    candidates = [name for name in cells.columns if name not in not_strings]
    string_column = roles["text_column"] or (candidates[0] if len(candidates) == 1 else None)
    if string_column is None:
        raise InputError(
            f"edit distance compares the strings of one column, and there are "
            f"{', '.join(candidates)}; name it (text_column, --text-column)"
        )
    strings = [str(value) for value in cells[string_column]]
    require_memory(
        8.0 * len(strings) ** 2, f"the distances of {len(strings):,} strings", "a sample"
    )
    label_column, id_column = roles["label_column"], roles["id_column"]
    y: Any = None if label_column is None else cells[label_column].replace("", None)
    ids = None if id_column is None else cells[id_column].tolist()
    dataset = from_objects(strings, "edit", y=y, ids=ids, name=os.fspath(path))
    if isinstance(options.get("y"), str):
        labels = read_labels(
            options["y"], dataset, id_column=id_column, on=options.get("on", "same")
        )
        dataset = replace(dataset, y=labels.values, truth_name="truth")
    return replace(dataset, notes=(*notes, *dataset.notes), source=os.fspath(path))


def _great_circles(data: Dataset) -> Any:
    """Distances between places in kilometres."""
    from sklearn.metrics.pairwise import haversine_distances

    names = [name.lower() for name in data.feature_names]
    positions = [
        next((j for j, name in enumerate(names) if name.startswith(begin)), None)
        for begin in ("lat", "lo")
    ]
    if len(names) != 2:
        raise InputError(
            f"metric='haversine' takes two columns, latitude and longitude in degrees; there are "
            f"{len(names)} ({', '.join(names[:6])})"
        )
    coordinates = [j for j in positions if j is not None]
    X = np.asarray(data.X)[:, coordinates if len(coordinates) == 2 else [0, 1]]
    if np.abs(X[:, 0]).max() > 90 or np.abs(X[:, 1]).max() > 360:
        raise InputError("latitudes are from -90 to 90 degrees and longitudes from -180 to 180")
    require_memory(16.0 * len(X) ** 2, f"the distances of {len(X):,} places", "a sample")
    return EARTH_RADIUS_KM * haversine_distances(np.radians(X))
