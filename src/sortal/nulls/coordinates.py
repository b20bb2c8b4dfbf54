"""Low-dimensional coordinates of any data, for the search of valleys between clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sortal.distances import FORMS, RELATIONS, distance_matrix, embed
from sortal.nulls.references import principal_coordinates
from sortal.nulls.settings import STRUCTURE, StructureSettings
from sortal.runtime.draws import draw_rows
from sortal.typing import Floats, Metric, Rows

#: limit of cost: saves distances and components of further objects; of all objects, and where all
#: distances are computed
MAX_OBJECTS, MAX_RELATED = 2_000, 1_000
#: limit of cost: saves further principal components of many features
MAX_COMPONENTS = 30
#: limit of cost: saves the distinct values of each of many features, whose ties do not matter
MAX_TIED_FEATURES = 100


def coordinates(
    X: Rows, metric: Metric, rng: np.random.Generator, settings: StructureSettings = STRUCTURE
) -> Floats:
    """Principal coordinates of at most 2,000 distinct objects, ordered along the first one.

    Copies of continuous rows are dropped: drawn once each, they are no evidence. Values of features
    with few distinct ones are spread evenly up to the neighbouring values, so that a grid has no
    valleys. Of more than 30 features, those principal components stay that exceed what
    independent noise has (Marchenko & Pastur 1967), at least 3 and at most 30.

    Parameters
    ----------
    X : ndarray, csr_array
        As :func:`sortal.distances.check_points` returns it; not a graph.
    metric : str or callable
    rng : Generator
    settings : StructureSettings

    Returns
    -------
    ndarray of float64, shape (m, r)
        No column where all objects are equal.
    """
    return placed(X, metric, rng, settings)[0]


def placed(
    X: Rows, metric: Metric, rng: np.random.Generator, settings: StructureSettings = STRUCTURE
) -> tuple[Floats, NDArray[np.intp]]:
    """Principal coordinates as of :func:`coordinates`, and the position of each row's object."""
    n = X.shape[0]
    related = metric in RELATIONS or metric not in FORMS
    max_objects = MAX_RELATED if related and metric not in RELATIONS else MAX_OBJECTS
    rows = draw_rows(n, max_objects, rng)
    if n > max_objects and isinstance(X, np.ndarray) and metric not in RELATIONS:
        rows = np.lexsort(X.T)[rows]  # the same objects in whatever order they are stored
    if related:
        is_matrix = metric in RELATIONS
        distances = X[np.ix_(rows, rows)] if is_matrix else distance_matrix(X[rows], metric)
        D = np.asarray(distances, dtype=np.float64)
        distinct = np.flatnonzero(~np.triu(D == 0, 1).any(axis=0))
        Y: Rows = principal_coordinates(D[np.ix_(distinct, distinct)])
    else:
        Y = embed(X[rows], str(metric))
        distinct = np.arange(len(rows))
        if not sparse.issparse(Y):
            Y, distinct = spread_ties(np.asarray(Y, dtype=np.float64), rng, settings)
        elif min(Y.shape) <= 2 * MAX_COMPONENTS:
            Y = Y.toarray().astype(np.float64)
    Z = _first_components(Y, rng, settings)
    rows = rows[distinct]
    if Z.shape[1] == 0:
        return Z, rows
    # signs and order that do not depend on the stored order of the objects
    skew = (Z**3).sum(axis=0)
    Z = Z * np.where(skew < 0, -1.0, 1.0)
    order = np.argsort(Z[:, 0], kind="stable")
    return np.ascontiguousarray(Z[order]), rows[order]


def depend_on_draws(X: Rows, metric: Metric) -> bool:
    """Whether coordinates depend on random numbers: rows are drawn, or ties can be spread."""
    if metric not in FORMS:
        return False  # distances are computed once; drawn rows remain the same
    n, d = X.shape
    return n > MAX_OBJECTS or (isinstance(X, np.ndarray) and d <= MAX_TIED_FEATURES)


def spread_ties(
    X: Floats, rng: np.random.Generator, settings: StructureSettings = STRUCTURE
) -> tuple[Floats, NDArray[np.intp]]:
    """Rows in lexicographic order, tied values spread and copies of continuous rows dropped."""
    X = X[:, np.ptp(X, axis=0) > 0] if len(X) else X
    if X.shape[1] == 0:
        return X, np.arange(len(X))
    if X.shape[1] <= MAX_TIED_FEATURES:
        X = np.stack([_without_jitter(column, settings.jitter) for column in X.T], axis=1)
        X = X[:, np.ptp(X, axis=0) > 0]
        if X.shape[1] == 0:
            return X, np.arange(len(X))
    distinct, rows, copy_of, counts = np.unique(
        X, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    if X.shape[1] > MAX_TIED_FEATURES:
        return distinct, rows
    values = [np.unique(column) for column in distinct.T]
    if max(map(len, values)) < 0.5 * len(distinct):
        distinct = np.repeat(distinct, counts, axis=0)
        rows = np.argsort(copy_of.ravel(), kind="stable")
    out = distinct.copy()
    for j, values_of_feature in enumerate(values):
        if len(values_of_feature) >= 0.8 * len(distinct):
            continue
        steps = np.diff(values_of_feature)
        # limited reach beside a gap, so that the gap remains
        reach = np.minimum(steps / 2, 1.5 * np.median(steps))
        at = np.searchsorted(values_of_feature, distinct[:, j])
        down, up = np.append(reach[0], reach)[at], np.append(reach, reach[-1])[at]
        out[:, j] += rng.uniform(-down, up)
    return out, rows


def _without_jitter(column: Floats, jitter: float = STRUCTURE.jitter) -> Floats:
    """Values of a feature, equal where the steps between them are tiny."""
    order = np.argsort(column, kind="stable")
    ascending = column[order]
    step = jitter * (ascending[-1] - ascending[0]) * min(1.0, MAX_OBJECTS / len(column))
    value = np.concatenate([[0], np.cumsum(np.diff(ascending) > step)])
    means = np.bincount(value, weights=ascending) / np.bincount(value)
    out = np.empty_like(column)
    out[order] = means[value]
    return out


def _first_components(
    X: Rows, rng: np.random.Generator, settings: StructureSettings = STRUCTURE
) -> Floats:
    """Scores along the leading principal axes."""
    n, d = X.shape
    if n < 2 or d == 0:
        return np.zeros((n, 0))
    seed = int(rng.integers(2**31 - 1))
    if sparse.issparse(X):
        from sklearn.decomposition import PCA

        scores: Floats = PCA(MAX_COMPONENTS, svd_solver="arpack", random_state=seed).fit_transform(
            X
        )
        return scores
    Z = X - X.mean(axis=0)
    total = float(np.square(Z).sum())
    if min(n, d) > 10 * MAX_COMPONENTS:
        from sklearn.utils.extmath import randomized_svd

        vectors, sizes, _ = randomized_svd(Z, MAX_COMPONENTS, n_iter=4, random_state=seed)
    else:
        vectors, sizes, _ = np.linalg.svd(Z, full_matrices=False)
    nonzero = sizes > 1e-9 * max(sizes[0], np.finfo(float).tiny)
    vectors, sizes = vectors[:, nonzero], sizes[nonzero]
    if d > MAX_COMPONENTS:
        r = _count_above_noise(sizes, total, n, d)
        r = int(np.clip(r, settings.min_components, MAX_COMPONENTS))
        vectors, sizes = vectors[:, :r], sizes[:r]
    r = max(2, n // 5)
    return np.asarray((vectors * sizes)[:, :r])


def _count_above_noise(sizes: Floats, total: float, n: int, d: int) -> int:
    """Number of leading singular values above the largest that independent noise has.

    What is left by those counted so far is taken for noise, until no further one is above it.
    """
    rank, powers, count = min(n, d), np.square(sizes), 0
    while count < min(rank - 1, len(sizes)):
        noise = max(total - float(powers[:count].sum()), 0.0) / (rank - count)
        above = int((powers > noise * rank / d * (1 + np.sqrt(d / n)) ** 2).sum())
        if above <= count:
            break
        count = above
    return count
