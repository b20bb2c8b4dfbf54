"""Which representation of the same objects brings like ones together?"""

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
    clarity: Callable[[NDArray[Any]], Any] | None = None,
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
    clarity : callable, optional
        From labels, -1 for objects that are not judged, to what they are worth to a reader:
        ``lambda labels: karat.clarity_by_reading(texts, labels, reader)``. It is asked about the
        clusterings of every representation, at each k.
    random_state : int

    Returns
    -------
    DataFrame
        A row for each representation, best first. ``clarity``, ``clarity low``, ``clarity high``:
        mean over k of the clarity by reading of its clusterings, by which they are then ordered;
        ``overlaps first`` says whose interval reaches that of the first, so that which of the two
        makes clusters that can be named better is open. ``informativeness``: mean over k of that of
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
    n = next(iter(checked.values())).shape[0]
    model = under(as_clusterer(clusterer), metric)
    rows: dict[Any, dict[str, float]] = {}
    for name, X in checked.items():
        own, rows[name] = X[kept], {}
        if truth is not None:
            classes = known_labels(truth, n, name="truth")[kept]
            rows[name] |= _like_neighbors(own, classes, sorted(set(n_neighbors)), metric)
        labelings = {str(number): model.make(number, random_state).fit_predict(own) for number in k}
        if labelings:
            rows[name] |= _informative(own, labelings, metric, random_state)
            rows[name] |= _stable(own, clusterer, list(k), n_resamples, metric, random_state)
            if clarity is not None:
                rows[name] |= _clear(clarity, labelings.values(), kept, n)
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("representation")
    if "clarity" in table:
        table = table.sort_values("clarity", ascending=False, kind="stable")
        table["overlaps first"] = table["clarity high"] >= table["clarity low"].iloc[0]
        return table
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


def _clear(
    clarity: Callable[[Any], Any], labelings: Iterable[Any], kept: NDArray[Any], n: int
) -> dict[str, float]:
    """Mean clarity by reading, with limits from those of each reading (Zou & Donner 2008)."""
    found = []
    for labels in labelings:
        of_all = np.full(n, -1)
        of_all[kept] = labels
        read = clarity(of_all)
        found.append((read.score, *read.interval))
    scores, lows, highs = np.array(found, dtype=np.float64).T
    value, m = float(scores.mean()), len(scores)
    below, above = (float(np.linalg.norm(one)) / m for one in (scores - lows, highs - scores))
    return {"clarity": value, "clarity low": value - below, "clarity high": value + above}


def _judged(data: Mapping[str, Any], most: int | None, seed: int) -> NDArray[np.intp]:
    """The objects that have features in all representations, or a sample of them."""
    if not data:
        raise InputError("there is no representation; give a mapping from names to data")
    sizes = {name: X.shape[0] for name, X in data.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{name} {n}" for name, n in sizes.items())
        raise InputError(f"representations must be of the same objects; numbers of rows: {told}")
    filled = [np.asarray(abs(X).sum(axis=1)).ravel() > 0 for X in data.values()]
    rows = np.flatnonzero(np.all(filled, axis=0))
    if len(rows) < 2:
        raise InputError("fewer than two objects have features in every representation")
    return draw_rows(rows, len(rows) if most is None else most, seed)


def _like_neighbors(X: Any, classes: Any, lengths: list[int], metric: Any) -> dict[str, float]:
    """Mean share of the r nearest neighbours of the same class, among the labelled objects."""
    known = np.array([value is not None for value in classes])
    if known.sum() < 2:
        raise InputError("fewer than two objects have a class; give no truth")
    y = encode(classes[known], name="truth").codes
    same = y[neighbor_lists(X[known], max(lengths), metric=metric).indices] == y[:, None]
    row: dict[str, float] = {}
    for r in lengths:
        share = same[:, :r].mean(axis=1)
        row[f"r={r}"] = float(share.mean())
        row[f"r={r} error"] = float(share.std(ddof=1) / math.sqrt(len(share)))
    sizes = np.bincount(y)
    row["chance"] = float((sizes * (sizes - 1)).sum() / (len(y) * (len(y) - 1)))
    return row
