"""Comparison of representations: which one brings like objects together?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import as_clusterer, under
from karat.distances.neighbors import neighbor_lists
from karat.labelings.labels import encode, known_labels
from karat.runtime.draws import draw_rows
from karat.runtime.validation import InputError, check_data

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.runtime.types import Ints, Labels, Metric, Rows
    from karat.study.request import ClustererLike


def representations(
    data: Mapping[str, Any],
    *,
    y: Labels | None = None,
    n_neighbors: Iterable[int] = (1, 5, 20),
    k: Iterable[int] = (5, 10, 20),
    clusterer: ClustererLike = "spherical-kmeans",
    metric: Metric = "cosine",
    n_resamples: int = 5,
    max_objects: int | None = 5000,
    clarity: Callable[[NDArray[Any]], Any] | None = None,
    random_state: int = 0,
) -> pd.DataFrame:
    """Judge representations of the same objects: weightings of terms, embeddings.

    Parameters
    ----------
    data : mapping of str to array-like or sparse of shape (n, d)
        The representations by name; each may have its own number of features.
    y : array-like, shape (n,), optional
        Class of each object; None where it is not known.
    n_neighbors : iterable of int
        Lengths r of neighbour lists, used with classes.
    k : iterable of int
        Numbers of clusters, for the judgement without classes.
    clusterer : str, Clusterer or estimator
        Makes these clusters, the same way for every representation.
    metric : str or callable, default "cosine"
    n_resamples : int, default 5
        Pairs of subsamples for the stability at each k.
    max_objects : int or None, default 5000
        Of more objects, a random sample of this size is judged.
    clarity : callable, optional
        Takes labels, -1 for objects that are not judged, and returns their clarity to a reader:
        ``lambda labels: karat.clarity_by_reading(texts, labels, reader)``. It is called with the
        clusterings of every representation, at each k.
    random_state : int

    Returns
    -------
    DataFrame
        A row for each representation, best first. ``clarity``, ``clarity low``, ``clarity high``:
        mean over k of the clarity by reading of its clusterings; it decides the order if present.
        ``overlaps first``: whether the interval overlaps that of the first, so that the better of
        the two is uncertain. ``informativeness``: mean over k of the informativeness of
        its clusterings by leave-one-out nearest neighbours, and its ``informativeness error``.
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
    representation are excluded from all, so that all are judged on the same objects.

    Informativeness and stability need no classes, but measure only whether clusters can be found
    again. On four collections with known classes, their order had little to do with that by
    classes.

    Examples
    --------
    >>> import numpy as np, karat
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 30)
    >>> good = np.eye(2)[y] + rng.uniform(0, 0.3, (60, 2))
    >>> table = karat.representations({"noise": rng.uniform(size=(60, 2)), "good": good}, y=y,
    ...                               k=[2])
    >>> table.index.tolist(), float(table.loc["good", "r=5"])
    (['good', 'noise'], 1.0)
    """
    import pandas as pd

    checked = {str(name): check_data(X, name=str(name)) for name, X in data.items()}
    kept = _judged(checked, max_objects, random_state)
    n = next(iter(checked.values())).shape[0]
    model = under(as_clusterer(clusterer), metric)
    figures: dict[Any, dict[str, float]] = {}
    for name, X in checked.items():
        rows, figures[name] = X[kept], {}
        if y is not None:
            classes = known_labels(y, n, name="y")[kept]
            figures[name] |= _like_neighbors(rows, classes, sorted(set(n_neighbors)), metric)
        labelings = {
            str(number): model.make(number, random_state).fit_predict(rows) for number in k
        }
        if labelings:
            figures[name] |= _informative(rows, labelings, metric, random_state)
            figures[name] |= _stable(rows, clusterer, list(k), n_resamples, metric, random_state)
            if clarity is not None:
                figures[name] |= _clear(clarity, labelings.values(), kept, n)
    table = pd.DataFrame.from_dict(figures, orient="index").rename_axis("representation")
    if "clarity" in table:
        table = table.sort_values("clarity", ascending=False, kind="stable")
        table["overlaps first"] = table["clarity high"] >= table["clarity low"].iloc[0]
        return table
    shares = [column for column in table if str(column).startswith("r=") and " " not in str(column)]
    order = table[shares].mean(axis=1) if shares else table["informativeness"]
    return table.loc[order.sort_values(ascending=False, kind="stable").index]


def _informative(
    X: Rows, labelings: Mapping[str, Ints], metric: Metric, random_state: int
) -> dict[str, float]:
    """Mean informativeness of labelings, and its standard error."""
    from karat.measures.clarity import assess

    table = assess(X, dict(labelings), metric=metric, random_state=random_state).table
    errors = table["standard_error"]
    return {
        "informativeness": float(table["informativeness"].mean()),
        "informativeness error": math.sqrt(float((errors**2).sum())) / len(errors),
    }


def _stable(
    X: Rows,
    clusterer: ClustererLike,
    k: list[int],
    n_resamples: int,
    metric: Metric,
    random_state: int,
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


def _clear(
    clarity: Callable[[NDArray[Any]], Any],
    labelings: Iterable[Ints],
    kept: NDArray[np.intp],
    n: int,
) -> dict[str, float]:
    """Mean clarity by reading, with limits from the readings' limits (Zou & Donner 2008)."""
    readings = []
    for labels in labelings:
        of_all = np.full(n, -1)
        of_all[kept] = labels
        read = clarity(of_all)
        readings.append((read.score, *read.interval))
    scores, lows, highs = np.array(readings, dtype=np.float64).T
    value, m = float(scores.mean()), len(scores)
    below, above = (float(np.linalg.norm(gaps)) / m for gaps in (scores - lows, highs - scores))
    return {"clarity": value, "clarity low": value - below, "clarity high": value + above}


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
        raise InputError("fewer than two objects have a class; omit y")
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
