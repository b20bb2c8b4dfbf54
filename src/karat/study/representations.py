"""Which representation of the same objects brings like ones together?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import as_clusterer, under
from karat.distances.neighbors import neighbor_lists
from karat.runtime.validation import InputError, check_data

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


def representations(
    data: Mapping[str, Any],
    *,
    truth: Any = None,
    n_neighbors: Iterable[int] = (1, 5, 20),
    k: Iterable[int] = (5, 10, 20),
    clusterer: Any = "spherical-kmeans",
    metric: Any = "cosine",
    n_resamples: int = 5,
    max_objects: int | None = 5000,
    random_state: int = 0,
) -> pd.DataFrame:
    """Judge representations of the same objects: weightings of terms, embeddings.

    Parameters
    ----------
    data : mapping of str to array-like or sparse of shape (n, d)
        The representations by name; each may have its own number of features.
    truth : array-like, shape (n,), optional
        Class of each object; None where it is not known.
    n_neighbors : iterable of int
        Lengths r of neighbour lists, where there are classes.
    k : iterable of int
        Numbers of clusters, for the judgement without classes.
    clusterer : str, Clusterer or estimator
        What makes these clusters, the same for every representation.
    metric : str or callable, default "cosine"
    n_resamples : int, default 5
        Pairs of subsamples for the stability at each k.
    max_objects : int or None, default 5000
        Of more objects, as many are drawn at random for all that is judged.
    random_state : int

    Returns
    -------
    DataFrame
        A row for each representation, best first. ``informativeness``: mean over k of that of its
        clusterings by leave-one-out nearest neighbours, and its ``informativeness error``.
        ``stability``: mean over k of the adjusted Rand index between clusterings of two
        subsamples, and its ``stability error``. With classes ``r=1``, ...: mean share of the r
        nearest neighbours with the same class (order is by the mean of these), ``r=1 error``: its
        standard error over objects. ``chance`` is that share for neighbours drawn at random.

    Raises
    ------
    InputError
        If sizes differ or nothing can be judged.

    Notes
    -----
    The share of like neighbours is that of whissell2012 figure 5.1. Objects that are empty in any
    representation are excluded from all, so that all are judged by the same ones.

    Informativeness and stability need no classes, but say only whether a representation gives
    clusters that can be found again; on four collections whose classes are known their order had
    little to do with that by classes.

    Examples
    --------
    >>> import numpy as np, karat
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 30)
    >>> good = np.eye(2)[y] + rng.uniform(0, 0.3, (60, 2))
    >>> table = karat.representations({"noise": rng.uniform(size=(60, 2)), "good": good}, truth=y,
    ...                               k=[2])
    >>> table.index.tolist(), float(table.loc["good", "r=5"])
    (['good', 'noise'], 1.0)
    """
    import pandas as pd

    checked = {str(name): check_data(X, name=str(name)) for name, X in data.items()}
    kept = _judged(checked, max_objects, random_state)
    classes = None
    if truth is not None:
        classes = _classes(truth, next(iter(checked.values())).shape[0])[kept]
    model = under(as_clusterer(clusterer), metric)
    rows = {}
    for name, X in checked.items():
        own = X[kept]
        rows[name] = {}
        if classes is not None:
            rows[name] |= _like_neighbors(own, classes, sorted(set(n_neighbors)), metric)
        labelings = {str(number): model.make(number, random_state).fit_predict(own) for number in k}
        if labelings:
            rows[name] |= _informative(own, labelings, metric, random_state)
            rows[name] |= _stable(own, clusterer, list(k), n_resamples, metric, random_state)
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("representation")
    shares = [column for column in table if str(column).startswith("r=") and " " not in str(column)]
    by = table[shares].mean(axis=1) if shares else table["informativeness"]
    return table.loc[by.sort_values(ascending=False, kind="stable").index]


def _informative(
    X: Any, labelings: Mapping[str, Any], metric: Any, random_state: int
) -> dict[str, float]:
    """Mean informativeness, and its standard error."""
    from karat.measures.clarity import assess

    found = assess(X, dict(labelings), metric=metric, random_state=random_state).table
    errors = found["standard_error"]
    return {
        "informativeness": float(found["informativeness"].mean()),
        "informativeness error": math.sqrt(float((errors**2).sum())) / len(errors),
    }


def _stable(
    X: Any, clusterer: Any, k: list[int], n_resamples: int, metric: Any, random_state: int
) -> dict[str, float]:
    """Mean agreement of clusterings of two subsamples, and its standard error."""
    from karat.stability import ben_hur

    curves = [
        ben_hur(
            X, clusterer, k=[number], n_resamples=n_resamples, similarity="adjusted_rand",
            metric=metric, random_state=random_state,
        ).table.iloc[0]
        for number in k
    ]  # fmt: skip
    errors = [float(curve["standard_error"]) for curve in curves]
    return {
        "stability": float(np.mean([curve["value"] for curve in curves])),
        "stability error": float(np.linalg.norm(errors)) / len(errors),
    }


def _judged(data: Mapping[str, Any], most: int | None, seed: int) -> NDArray[np.intp]:
    if not data:
        raise InputError("there is no representation; give a mapping from names to data")
    sizes = {name: X.shape[0] for name, X in data.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{name} {n}" for name, n in sizes.items())
        raise InputError(f"representations must be of the same objects; numbers of rows: {told}")
    kept = np.ones(next(iter(sizes.values())), dtype=bool)
    for X in data.values():
        kept &= np.asarray(abs(X).sum(axis=1)).ravel() > 0
    rows = np.flatnonzero(kept)
    if len(rows) < 2:
        raise InputError("fewer than two objects have features in every representation")
    if most is not None and len(rows) > most:
        rows = np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))
    return rows


def _classes(truth: Any, n: int) -> NDArray[np.int64]:
    from karat.labelings.labels import known_labels

    known = known_labels(truth, n, name="truth")
    names = {value: i for i, value in enumerate(dict.fromkeys(v for v in known if v is not None))}
    return np.array([-1 if value is None else names[value] for value in known])


def _like_neighbors(
    X: Any, classes: NDArray[np.int64], lengths: list[int], metric: Any
) -> dict[str, float]:
    """Mean share of the r nearest neighbours of the same class, among the labelled objects."""
    known = classes >= 0
    if known.sum() < 2:
        raise InputError("fewer than two objects have a class; give no truth")
    y = classes[known]
    lists = neighbor_lists(X[known], max(lengths), metric=metric).indices
    same = y[lists] == y[:, None]
    row: dict[str, float] = {}
    for r in lengths:
        share = same[:, :r].mean(axis=1)
        row[f"r={r}"] = float(share.mean())
        row[f"r={r} error"] = float(share.std(ddof=1) / math.sqrt(len(share)))
    sizes = np.bincount(y)
    row["chance"] = float((sizes * (sizes - 1)).sum() / (len(y) * (len(y) - 1)))
    return row
