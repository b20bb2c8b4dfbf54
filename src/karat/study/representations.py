"""Which representation of the same objects brings like ones together?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import as_clusterer, under
from karat.distances.neighbors import neighbor_lists
from karat.runtime.validation import InputError, check_data
from karat.runtime.version import __version__
from karat.study.stability import from_columns, to_columns
from karat.text import WEIGHTS, TermWeighter, TextVectorizer

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.study.study import Study


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
    classes = None if truth is None else _classes(truth, n)[kept]
    model = under(as_clusterer(clusterer), metric)
    rows = {}
    for name, X in checked.items():
        own = X[kept]
        row: dict[str, Any] = {}
        if classes is not None:
            row |= _like_neighbors(own, classes, sorted(set(n_neighbors)), metric)
        labelings = {str(number): model.make(number, random_state).fit_predict(own) for number in k}
        if labelings:
            row |= _informative(own, labelings, metric, random_state)
            row |= _stable(own, clusterer, list(k), n_resamples, metric, random_state)
            if clarity is not None:
                row |= _clear(clarity, labelings.values(), kept, n)
        rows[name] = row
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

    values, errors = [], []
    for number in k:
        curve = ben_hur(
            X,
            clusterer,
            k=[number],
            n_resamples=n_resamples,
            similarity="adjusted_rand",
            metric=metric,
            random_state=random_state,
        ).table
        values.append(float(curve["value"].iloc[0]))
        errors.append(float(curve["standard_error"].iloc[0]))
    return {
        "stability": float(np.mean(values)),
        "stability error": float(np.linalg.norm(errors)) / len(errors),
    }


def _clear(
    clarity: Callable[[Any], Any], labelings: Iterable[Any], kept: NDArray[Any], n: int
) -> dict[str, float]:
    """Mean clarity by reading, with limits from those of each reading (Zou & Donner 2008)."""
    scores, lows, highs = [], [], []
    for labels in labelings:
        of_all = np.full(n, -1)
        of_all[kept] = labels
        found = clarity(of_all)
        scores.append(found.score)
        lows.append(found.interval[0])
        highs.append(found.interval[1])
    value, m = float(np.mean(scores)), len(scores)
    below = float(np.linalg.norm(np.subtract(scores, lows))) / m
    above = float(np.linalg.norm(np.subtract(highs, scores))) / m
    return {"clarity": value, "clarity low": value - below, "clarity high": value + above}


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
        raise InputError("fewer than two objects have a class; leave truth out")
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


# -- those of a study ------------------------------------------------------------------------

KEY = "representations"
#: numbers of clusters, of which those are taken that leave ten documents to a cluster
NUMBERS = (5, 10, 20)


def study_representations(
    study: Study, k: Iterable[int] | None = None, n_resamples: int = 5
) -> pd.DataFrame:
    """Judge the representations of a study's documents, which are weightings of their terms.

    Parameters
    ----------
    study : Study
    k : iterable of int, optional
        Numbers of clusters for the judgement without classes; by default those of 5, 10 and 20
        that leave ten documents to a cluster.
    n_resamples : int, default 5

    Returns
    -------
    DataFrame
        See :func:`representations`. Of texts every weighting is judged, of counts of terms the one
        that the study has. It is kept in the study, and the report has it.

    Raises
    ------
    InputError
        If the study's distance is not the cosine.

    Examples
    --------
    >>> import karat, scipy.sparse
    >>> X = scipy.sparse.csr_array([[3, 1, 0], [2, 1, 0], [0, 1, 4], [0, 2, 5]] * 6)
    >>> study = karat.Study(X, metric="cosine")
    >>> study_representations(study, k=[2], n_resamples=2).index.tolist()
    ['terms']
    """
    if study.metric != "cosine":
        raise InputError(
            "representations are weightings of terms, compared by the cosine; the "
            f"metric of this study is {study.settings.metric}"
        )
    usual = [number for number in NUMBERS if 10 * number <= study.n_objects] or [2]
    numbers = usual if k is None else [int(number) for number in k]
    question = {
        "version": __version__,
        "truth": study.settings.truth,
        "k": numbers,
        "n_resamples": n_resamples,
        "random_state": study.settings.random_state,
    }
    kept = study.storage.meta.get(KEY)
    if kept is not None and kept["question"] == question:
        return from_columns(kept["answer"])
    found = representations(
        described(study),
        truth=study.truth,
        k=numbers,
        n_resamples=n_resamples,
        random_state=study.settings.random_state,
    )
    study.storage.set_meta({KEY: {"question": question, "answer": to_columns(found)}})
    return found


def kept_representations(study: Study) -> pd.DataFrame | None:
    """What :func:`study_representations` said before, None where it was not asked."""
    kept = study.storage.meta.get(KEY)
    return None if kept is None else from_columns(kept["answer"])


def described(study: Study) -> dict[str, Any]:
    """The documents by every weighting, where there are texts, and by what the study has."""
    data = study.dataset
    if data.texts is None:
        return {"features" if isinstance(data.X, np.ndarray) else "terms": data.X}
    given = data.options.get("vectorizer")
    options = given.get_params() if isinstance(given, TextVectorizer) else dict(given or {})
    counted = TextVectorizer(**{**options, "weight": "tf", "norm": None}).fit_transform(data.texts)
    of_bm25 = {name: options[name] for name in ("k1", "b") if name in options}
    return {weight: TermWeighter(weight, **of_bm25).fit_transform(counted) for weight in WEIGHTS}
