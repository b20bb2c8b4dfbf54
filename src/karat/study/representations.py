"""Comparison of representations: which one brings like objects together?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from karat.distances.neighbors import neighbor_lists
from karat.labelings.labels import encode, known_labels
from karat.runtime.draws import draw_rows
from karat.runtime.types import Labels, Metric, Rows
from karat.runtime.validation import InputError, check_data

if TYPE_CHECKING:
    import pandas as pd


def representations(
    data: Mapping[str, Any],
    *,
    y: Labels,
    n_neighbors: Iterable[int] = (1, 5, 20),
    metric: Metric = "cosine",
    max_objects: int | None = 5000,
    random_state: int = 0,
) -> pd.DataFrame:
    """Judge representations of the same objects: weightings of terms, embeddings.

    Parameters
    ----------
    data : mapping of str to array-like or sparse of shape (n, d)
        The representations by name; each may have its own number of features.
    y : array-like, shape (n,)
        Class of each object; None where it is not known.
    n_neighbors : iterable of int
        Lengths r of neighbour lists.
    metric : str or callable, default "cosine"
    max_objects : int or None, default 5000
        Of more objects, a random sample of this size is judged.
    random_state : int

    Returns
    -------
    DataFrame
        A row for each representation, best first. ``r=1``, ...: mean share of the r nearest
        neighbours with the same class (order is by the mean of these), ``r=1 error``: its standard
        error over objects. ``chance`` is that share for neighbours drawn at random.

    Notes
    -----
    whissell2012, figure 5.1. Objects that are empty in any representation are excluded from all.

    Examples
    --------
    >>> import numpy as np, karat
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 30)
    >>> good = np.eye(2)[y] + rng.uniform(0, 0.3, (60, 2))
    >>> table = karat.representations({"noise": rng.uniform(size=(60, 2)), "good": good}, y=y)
    >>> table.index.tolist(), float(table.loc["good", "r=5"])
    (['good', 'noise'], 1.0)
    """
    import pandas as pd

    checked = {str(name): check_data(X, name=str(name)) for name, X in data.items()}
    kept = _judged(checked, max_objects, random_state)
    n = next(iter(checked.values())).shape[0]
    classes, lengths = known_labels(y, n, name="y")[kept], sorted(set(n_neighbors))
    figures = {
        name: _like_neighbors(X[kept], classes, lengths, metric) for name, X in checked.items()
    }
    table = pd.DataFrame.from_dict(figures, orient="index").rename_axis("representation")
    order = table[[f"r={r}" for r in lengths]].mean(axis=1)
    return table.loc[order.sort_values(ascending=False, kind="stable").index]


def _judged(data: Mapping[str, Any], most: int | None, seed: int) -> NDArray[np.intp]:
    """Objects with features in all representations, or a random sample of them."""
    if not data:
        raise InputError("there is no representation; give a mapping from names to data")
    sizes = {name: X.shape[0] for name, X in data.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} {n}" for name, n in sizes.items())
        raise InputError(f"representations must be of the same objects; numbers of rows: {listed}")
    filled = [np.asarray(abs(X).sum(axis=1)).ravel() > 0 for X in data.values()]
    rows = np.flatnonzero(np.all(filled, axis=0))
    if len(rows) < 2:
        raise InputError("fewer than two objects have features in every representation")
    return draw_rows(rows, len(rows) if most is None else most, seed)


def _like_neighbors(
    X: Rows, classes: NDArray[np.object_], lengths: list[int], metric: Metric
) -> dict[str, float]:
    """Mean share of the r nearest neighbours with the same class, among the labelled objects."""
    labelled = np.array([value is not None for value in classes])
    if labelled.sum() < 2:
        raise InputError("fewer than two objects have a class")
    y = encode(classes[labelled], name="y").codes
    same = y[neighbor_lists(X[labelled], max(lengths), metric=metric).indices] == y[:, None]
    row: dict[str, float] = {}
    for r in lengths:
        share = same[:, :r].mean(axis=1)
        row[f"r={r}"] = float(share.mean())
        row[f"r={r} error"] = float(share.std(ddof=1) / math.sqrt(len(share)))
    sizes = np.bincount(y)
    row["chance"] = float((sizes * (sizes - 1)).sum() / (len(y) * (len(y) - 1)))
    return row
