"""Which representation of the same objects brings like ones together?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances.neighbors import neighbor_lists
from karat.labelings.labels import encode, known_labels
from karat.runtime.validation import InputError, check_data

if TYPE_CHECKING:
    import pandas as pd


def representations(
    data: Mapping[str, Any],
    truth: Any,
    *,
    n_neighbors: Iterable[int] = (1, 5, 20),
    metric: Any = "cosine",
    max_objects: int | None = 5000,
    random_state: int = 0,
) -> pd.DataFrame:
    """Judge representations of the same objects: weightings of terms, embeddings.

    Parameters
    ----------
    data : mapping of str to array-like or sparse of shape (n, d)
        The representations by name; each may have its own number of features.
    truth : array-like, shape (n,)
        Class of each object; None where it is not known.
    n_neighbors : iterable of int
        Lengths r of neighbour lists.
    metric : str or callable, default "cosine"
    max_objects : int or None, default 5000
        Of more objects, as many are drawn at random.
    random_state : int

    Returns
    -------
    DataFrame
        A row for each representation, best first by the mean of ``r=1``, ...: the mean share of
        the r nearest neighbours with the same class (higher is better), each with its standard
        error over objects, ``r=1 error``. ``chance`` is the share for neighbours drawn at random.

    Raises
    ------
    InputError
        If sizes differ or nothing can be judged.

    Notes
    -----
    whissell2012 figure 5.1. Objects that are empty in any representation are excluded from all.

    Examples
    --------
    >>> import numpy as np, karat
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 30)
    >>> good = np.eye(2)[y] + rng.uniform(0, 0.3, (60, 2))
    >>> table = karat.representations({"noise": rng.uniform(size=(60, 2)), "good": good}, y)
    >>> table.index.tolist(), float(table.loc["good", "r=5"])
    (['good', 'noise'], 1.0)
    """
    import pandas as pd

    forms = {str(name): check_data(X, name=str(name)) for name, X in data.items()}
    if not forms:
        raise InputError("there is no representation; give a mapping from names to data")
    sizes = {name: X.shape[0] for name, X in forms.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{name} {n}" for name, n in sizes.items())
        raise InputError(f"representations must be of the same objects; numbers of rows: {told}")
    n = next(iter(sizes.values()))
    filled = [np.asarray(abs(X).sum(axis=1)).ravel() > 0 for X in forms.values()]
    rows = np.flatnonzero(np.all(filled, axis=0))
    if len(rows) < 2:
        raise InputError("fewer than two objects have features in every representation")
    if max_objects is not None and len(rows) > max_objects:
        rng = np.random.default_rng(random_state)
        rows = np.sort(rng.choice(rows, max_objects, replace=False))
    classes = known_labels(truth, n, name="truth")[rows]
    known = np.array([value is not None for value in classes])
    if known.sum() < 2:
        raise InputError("fewer than two objects have a class; name the classes of more")
    rows, y = rows[known], encode(classes[known], name="truth").codes
    lengths = sorted(set(n_neighbors))
    counts = np.bincount(y)
    table: dict[Any, dict[str, float]] = {}
    for name, X in forms.items():
        same = y[neighbor_lists(X[rows], max(lengths), metric=metric).indices] == y[:, None]
        table[name] = {}
        for r in lengths:
            share = same[:, :r].mean(axis=1)
            table[name][f"r={r}"] = float(share.mean())
            table[name][f"r={r} error"] = float(share.std(ddof=1) / math.sqrt(len(share)))
        table[name]["chance"] = float((counts * (counts - 1)).sum() / (len(y) * (len(y) - 1)))
    found = pd.DataFrame.from_dict(table, orient="index").rename_axis("representation")
    best = (
        found[[f"r={r}" for r in lengths]].mean(axis=1).sort_values(ascending=False, kind="stable")
    )
    return found.loc[best.index]
