"""Null references: data without clusters whose extent is that of the user's data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from sortal.distances import check_points
from sortal.runtime.validation import InputError, check_choice, check_random_state
from sortal.typing import ArrayLike, Floats, Ints, Metric, RandomState

NullKind: TypeAlias = Literal["gaussian", "uniform", "within", "box", "shuffled"]
ALONG_AXES: tuple[NullKind, ...] = ("gaussian", "uniform")

#: limit of cost: saves further principal coordinates of a distance matrix
MAX_COORDINATES = 50
#: limit of cost: saves keys of all objects for the features of at most this share of them
KEYED_SHARE = 0.2


@dataclass(frozen=True)
class Null:
    """Source of reference sets without clusters for one data set.

    Attributes
    ----------
    X : ndarray or csr_array
        Data, or the matrix of distances with ``metric="precomputed"``.
    metric : str or callable
    """

    X: Any
    metric: Any = "euclidean"

    @property
    def kinds(self) -> tuple[NullKind, ...]:
        """Kinds of reference available for these data."""
        if self.metric == "graph":
            return ()
        return ("shuffled",) if sparse.issparse(self.X) else ALONG_AXES

    @cached_property
    def _along_axes(self) -> tuple[Any, Floats, Any]:
        """Mean, scores along the principal axes, and the axes (distances have neither)."""
        if self.metric == "precomputed":
            return 0.0, principal_coordinates(self.X), None
        mean = self.X.mean(axis=0, dtype=np.float64)
        with threadpool_limits(1, "blas"):  # several threads round otherwise, and may turn an axis
            _, _, axes = np.linalg.svd(self.X - mean, full_matrices=False)
        return mean, (self.X - mean) @ axes.T, axes

    def draw(self, kind: NullKind, rng: np.random.Generator, labels: Ints | None = None) -> Any:
        """One reference set: rows, or their distances where the data are distances.

        ``"within"`` is one Gaussian with the covariance within the clusters of ``labels``.
        """
        if kind == "shuffled":
            return _shuffled(self.X, rng)
        if kind == "box":
            return rng.uniform(self.X.min(axis=0), self.X.max(axis=0), self.X.shape)
        mean, turned, axes = self._along_axes
        sample: Floats
        if kind == "within":
            assert labels is not None
            sample = rng.normal(size=turned.shape) @ _within(turned, labels)
        elif kind == "gaussian":
            sample = rng.normal(size=turned.shape) * turned.std(axis=0, ddof=1)
        else:
            sample = rng.uniform(turned.min(axis=0), turned.max(axis=0), turned.shape)
        if axes is not None:
            return sample @ axes + mean
        from scipy.spatial.distance import cdist

        return cdist(sample, sample)


def draw_reference(
    X: ArrayLike,
    kind: NullKind = "gaussian",
    *,
    metric: Metric = "euclidean",
    random_state: RandomState = None,
) -> Any:
    """Draw data of one group with the extent of X.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    kind : {"gaussian", "uniform", "shuffled"}
        For dense data and distances: one Gaussian with the covariance of X, or a uniform box along
        its principal axes. For sparse data: the values of each feature dealt to other objects.
    metric : str or callable
        Only ``"precomputed"`` makes a difference.
    random_state : None, int or Generator

    Returns
    -------
    ndarray of float64 or csr_array, shape (n, d)
        Distances, shape (n, n), where X is distances.

    Notes
    -----
    The box is that of gapPC (Tibshirani, Walther & Hastie 2001). O(n d min(n, d)).

    Distances become principal coordinates first (Torgerson 1952; the 50 largest, scaled to the mean
    squared distance), along which both kinds are drawn. Of distances that are not Euclidean,
    what no coordinates can have is lost. O(n²) for each draw.

    Sparse data have zeros that neither kind has. Each feature keeps its values and its number of
    objects. These objects are drawn without replacement, in proportion to their numbers of
    features, so long documents stay long. Each object keeps at least one value. Dependence among
    features is lost, and not only that of clusters. O(nnz log nnz).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(500, 3)) * [1, 2, 3]
    >>> draw_reference(X, random_state=0).std(axis=0).round()
    array([1., 2., 3.])
    """
    check_choice(kind, (*ALONG_AXES, "shuffled"), "kind")
    null = Null(check_points(X, metric), metric)
    if kind not in null.kinds:
        names = {"shuffled": "sparse data", "": "graphs"}
        raise InputError(
            f"{names.get(''.join(null.kinds), 'dense data')} have no reference of the kind "
            f"{kind!r}; there is {' and '.join(map(repr, null.kinds)) or 'none'}"
        )
    return null.draw(kind, check_random_state(random_state))


def _within(scores: Floats, labels: Ints) -> Floats:
    """Square root of the covariance within clusters, without the outliers."""
    inside = scores[labels >= 0]
    codes = labels[labels >= 0]
    sizes = np.maximum(np.bincount(codes), 1)
    sums = np.stack([np.bincount(codes, weights=column) for column in inside.T], axis=1)
    away = inside - (sums / sizes[:, None])[codes]
    W = away.T @ away / max(len(away) - len(sizes), 1)
    values, vectors = np.linalg.eigh(W)
    root: Floats = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    return root


def principal_coordinates(D: Floats) -> Floats:
    """Points whose Euclidean distances approximate those of the matrix."""
    n = len(D)
    inner = -0.5 * np.square(D, dtype=np.float64)
    means = inner.mean(axis=1)
    inner += means.mean() - means[:, None] - means[None, :]
    if n <= 10 * MAX_COORDINATES:
        values, vectors = np.linalg.eigh(inner)
    else:
        from scipy.sparse.linalg import eigsh

        start = np.random.default_rng(0).normal(size=n)
        values, vectors = eigsh(inner, MAX_COORDINATES, which="LA", v0=start)
    first = np.argsort(-values)[:MAX_COORDINATES]
    first = first[values[first] > 1e-9 * values.max(initial=0.0)]
    if len(first) == 0:
        return np.zeros((n, 1))
    scale = np.trace(inner) / values[first].sum()
    coordinates: Floats = vectors[:, first] * np.sqrt(values[first] * max(scale, 1e-9))
    return coordinates


def _shuffled(X: sparse.csr_array, rng: np.random.Generator) -> Any:
    """Sparse data with the values of each feature dealt to other objects."""
    n, d = X.shape
    columns = sparse.csc_array(X)
    columns.eliminate_zeros()
    counts = np.diff(columns.indptr)
    lengths = np.diff(sparse.csr_array(columns).indptr).astype(np.float64)
    ends = np.cumsum(lengths)
    rows = np.empty(columns.nnz, dtype=np.int64)
    feature_of = np.repeat(np.arange(d), counts)
    common = counts > KEYED_SHARE * n
    for j in np.flatnonzero(common):
        # keys of rate 1 / length: the lowest are a draw without replacement by length
        with np.errstate(divide="ignore"):
            keys = rng.exponential(size=n) / lengths
        rows[feature_of == j] = rng.permutation(np.argsort(keys)[: counts[j]])
    undrawn = np.flatnonzero(~common[feature_of])
    rare = undrawn
    while len(undrawn):
        rows[undrawn] = np.searchsorted(ends, rng.uniform(0, ends[-1], len(undrawn)), side="right")
        distinct = np.unique(feature_of[rare] * n + rows[rare], return_index=True)[1]
        undrawn = np.delete(rare, distinct)  # drawn twice for one feature: drawn again
    _fill_empty(rows, lengths, rng)
    # 32-bit indices, as scikit-learn takes them
    places = rows.astype(X.indices.dtype), feature_of.astype(X.indices.dtype)
    return sparse.csr_array((columns.data.astype(np.float64), places), shape=(n, d))


def _fill_empty(rows: Ints, lengths: Floats, rng: np.random.Generator) -> None:
    """Give a value of an object with several to each object that lost every value."""
    remaining = np.bincount(rows, minlength=len(lengths))
    empty = np.flatnonzero((remaining == 0) & (lengths > 0))
    for value in rng.permutation(len(rows)) if len(empty) else ():
        if len(empty) == 0:
            break
        if remaining[rows[value]] > 1:
            remaining[rows[value]] -= 1
            rows[value], empty = empty[0], empty[1:]
