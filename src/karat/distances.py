"""Distances between the rows of one data set, a tile at a time; nothing n×n is stored.

``as_distances(X, metric)`` prepares the data once (centres, scales, normalises) and picks the way
to compute tiles: differences of coordinates, matrix products, blocks from SciPy, or a given
matrix.
"""
# ruff: noqa: D102 - what the methods do stands in the base class

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from karat.validation import Data, InputError, check_data, unknown_name

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Floats = NDArray[np.float64]

#: from so many features on, dense Euclidean distances come from matrix products
PRODUCT_FEATURES = 64

#: name -> what it is
METRICS = {
    "euclidean": "√Σ(x−y)²",
    "sqeuclidean": "Σ(x−y)²",
    "cityblock": "Σ|x−y|",
    "chebyshev": "max |x−y|",
    "cosine": "1 − cosine of the angle; a row of zeros is at distance 1 from all others",
    "correlation": "1 − Pearson's r over the features",
    "seuclidean": "Euclidean after each feature is divided by its standard deviation",
    "mahalanobis": "Euclidean after whitening with the covariance of X",
    "extended_jaccard": "1 − x·y/(|x|² + |y|² − x·y) (Tanimoto)",
    "kl": "Kullback–Leibler divergence of the L1-normalised rows, from the object to the other",
    "symmetric_kl": "the two Kullback–Leibler divergences added",
    "jaccard": "1 − n11/(n11 + n10 + n01), features as presence",
    "dice": "1 − 2 n11/(|x| + |y|), features as presence",
    "matching": "share of features that differ (simple matching)",
    "minkowski": "Euclidean; for another p give a callable",
    "braycurtis": "Σ|x−y| / Σ|x+y|",
    "canberra": "Σ |x−y|/(|x|+|y|)",
    "hamming": "share of features that differ",
    "jensenshannon": "root of the Jensen–Shannon divergence",
    "rogerstanimoto": "as SciPy has it, features as presence",
    "russellrao": "as SciPy has it, features as presence",
    "sokalsneath": "as SciPy has it, features as presence",
    "yule": "as SciPy has it, features as presence",
    "precomputed": "X is the n×n matrix of distances",
}
ALIASES = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean", "minkowski": "euclidean"}
_PRESENCE = {"jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule"}


class Distances:
    """How to compute tiles of distances between n objects.

    Attributes
    ----------
    n : int
        Number of objects.
    squared : bool
        Whether tiles hold squared distances, whose root is the distance.
    symmetric : bool
        Whether d(x, y) = d(y, x).
    """

    n: int
    squared: bool = False
    symmetric: bool = True
    uses_blas: ClassVar[bool] = False

    def take(self, order: NDArray[np.integer[Any]]) -> Distances:
        """The same for the objects ``order``, in that order."""
        raise NotImplementedError

    def strip(self, j0: int, j1: int) -> Any:
        """What :meth:`tile` needs to know of the columns j0..j1."""
        return None

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Any, out: Floats) -> None:
        """Write the distances from objects j0..j1 (columns) to r0..r1 (rows) to ``out``."""
        raise NotImplementedError

    def block(self, rows: slice, columns: slice) -> Floats:
        """Distances, never squared, between two ranges of objects."""
        r0, r1, _ = rows.indices(self.n)
        j0, j1, _ = columns.indices(self.n)
        out = np.empty((r1 - r0, j1 - j0))
        self.tile(r0, r1, j0, j1, self.strip(j0, j1), out)
        same = np.arange(max(r0, j0), min(r1, j1))
        out[same - r0, same - j0] = 0.0
        return np.sqrt(out) if self.squared else out


class Direct(Distances):
    """From differences of coordinates: exact also for tight clusters far from the origin."""

    def __init__(self, Z: Floats, kind: int, squared: bool) -> None:
        self.Z, self.kind, self.squared, self.n = Z, kind, squared, len(Z)

    def take(self, order: NDArray[np.integer[Any]]) -> Distances:
        return Direct(self.Z[order], self.kind, self.squared)

    def strip(self, j0: int, j1: int) -> Floats:
        return np.ascontiguousarray(self.Z[j0:j1].T)

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Any, out: Floats) -> None:
        from karat._kernels.distances import direct_tile

        direct_tile(self.kind, self.Z, r0, r1, strip, out)


class Product(Distances):
    """Squared Euclidean distances from matrix products; direct where those cancel."""

    uses_blas = True

    def __init__(self, Z: Floats, squared: bool, *, norms: Floats | None = None) -> None:
        self.squared, self.n = squared, len(Z)
        self.Z = Z - Z.mean(axis=0) if norms is None else Z
        self.norms = np.einsum("ij,ij->i", self.Z, self.Z) if norms is None else norms

    def take(self, order: NDArray[np.integer[Any]]) -> Distances:
        return Product(self.Z[order], self.squared, norms=self.norms[order])

    def strip(self, j0: int, j1: int) -> Floats:
        return np.ascontiguousarray(self.Z[j0:j1].T)

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Any, out: Floats) -> None:
        from karat._kernels.distances import squares_from_products

        np.dot(self.Z[r0:r1], strip, out=out[: r1 - r0])
        squares_from_products(out[: r1 - r0], r0, self.norms, j0, self.Z)


class SparseProduct(Distances):
    """As :class:`Product`, for CSR rows."""

    def __init__(self, Z: csr_array, squared: bool) -> None:
        self.squared, self.n = squared, Z.shape[0]
        Z.sort_indices()
        self.Z = Z
        self.norms = np.asarray(Z.multiply(Z).sum(axis=1), dtype=np.float64).ravel()

    def take(self, order: NDArray[np.integer[Any]]) -> Distances:
        return SparseProduct(self.Z[order], self.squared)

    def strip(self, j0: int, j1: int) -> Floats:
        return np.ascontiguousarray(self.Z[j0:j1].toarray().T)

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Any, out: Floats) -> None:
        from karat._kernels.distances import sparse_products, sparse_squares_from_products

        Z, rows = self.Z, out[: r1 - r0]
        sparse_products(Z.indptr, Z.indices, Z.data, r0, r1, strip, rows)
        sparse_squares_from_products(rows, r0, self.norms, j0, Z.indptr, Z.indices, Z.data)


class ExtendedJaccard(Distances):
    """1 − x·y/(∣x∣² + ∣y∣² − x·y), from squared Euclidean distances: s/(s + x·y)."""

    def __init__(self, squares: Distances, norms: Floats) -> None:
        self.squares, self.norms, self.n = squares, norms, squares.n

    def take(self, order: NDArray[np.integer[Any]]) -> Distances:
        return ExtendedJaccard(self.squares.take(order), self.norms[order])

    def strip(self, j0: int, j1: int) -> Any:
        return self.squares.strip(j0, j1)

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Any, out: Floats) -> None:
        self.squares.tile(r0, r1, j0, j1, strip, out)
        s = out[: r1 - r0]
        product = (self.norms[r0:r1, None] + self.norms[j0:j1] - s) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            s /= s + product
        s[np.isnan(s)] = 0.0  # two rows of zeros


class Blocks(Distances):
    """Any function of two blocks of rows."""

    def __init__(
        self, X: Data, function: Callable[[Any, Any], Floats], *, symmetric: bool = True
    ) -> None:
        self.X, self.function, self.symmetric, self.n = X, function, symmetric, X.shape[0]

    def take(self, order: NDArray[np.integer[Any]]) -> Distances:
        return Blocks(self.X[order], self.function, symmetric=self.symmetric)

    def strip(self, j0: int, j1: int) -> Any:
        return _dense(self.X[j0:j1])

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Any, out: Floats) -> None:
        values = self.function(strip, _dense(self.X[r0:r1])).T
        if not np.isfinite(values).all():
            values = np.where(np.isnan(values), 0.0, values) if self.symmetric else values
        out[: r1 - r0] = values


class Divergence(Distances):
    """Kullback–Leibler divergence of rows that sum to 1."""

    def __init__(self, P: Floats, *, symmetric: bool) -> None:
        self.P, self.symmetric, self.n = P, symmetric, len(P)

    def take(self, order: NDArray[np.integer[Any]]) -> Distances:
        return Divergence(self.P[order], symmetric=self.symmetric)

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Any, out: Floats) -> None:
        from karat._kernels.distances import kullback_leibler_tile

        kullback_leibler_tile(self.P, r0, r1, j0, j1, self.symmetric, out)


class Precomputed(Distances):
    """A matrix of distances, read in place."""

    def __init__(
        self, D: NDArray[Any], order: NDArray[np.integer[Any]] | None = None, *, symmetric: bool
    ) -> None:
        self.D, self.symmetric = D, symmetric
        self.order = np.arange(len(D)) if order is None else order
        self.n = len(self.order)

    def take(self, order: NDArray[np.integer[Any]]) -> Distances:
        return Precomputed(self.D, self.order[order], symmetric=self.symmetric)

    def tile(self, r0: int, r1: int, j0: int, j1: int, strip: Any, out: Floats) -> None:
        # column objects are the first index: d(object, other)
        out[: r1 - r0] = self.D[self.order[j0:j1, None], self.order[r0:r1]].T


def _dense(rows: Any) -> Any:
    return rows.toarray() if hasattr(rows, "toarray") else rows


def check_metric(metric: Any) -> Any:
    """The metric's own name, or the callable; raise for an unknown one."""
    if callable(metric):
        return metric
    name = ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    if name not in METRICS:
        raise unknown_name(metric, [*METRICS, *ALIASES], "distance")
    return name


def check_points(X: Any, metric: Any) -> Data:
    """:func:`karat.validation.check_data`, and what a matrix of distances must be."""
    data = check_data(X)
    if metric != "precomputed":
        return data
    if hasattr(data, "toarray"):
        raise InputError(
            "a sparse matrix of distances has no value for missing entries; "
            "give all of them as a dense array, or the data and a metric"
        )
    if data.shape[0] != data.shape[1]:
        raise InputError(
            'metric="precomputed" takes the n×n matrix of distances; '
            f"X has shape {data.shape}. For data in rows name a metric, e.g. euclidean"
        )
    if data.min() < 0:
        i, j = divmod(int(np.argmin(data)), len(data))
        raise InputError(
            f"distances must not be negative; that of {i} and {j} is {data[i, j]:g}. "
            "Turn similarities into distances first"
        )
    diagonal = np.diagonal(data)
    if (diagonal != 0).any():
        own = int(np.argmax(diagonal != 0))
        raise InputError(
            f"an object's distance to itself must be 0; that of object {own} is {diagonal[own]:g}. "
            "Turn similarities into distances first"
        )
    return data


def as_distances(
    X: Data, metric: Any = "euclidean", *, exact: bool = False, weights: Floats | None = None
) -> Distances:
    """Prepare the distances between the rows of ``X``.

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, d)
        As :func:`check_points` returns it.
    metric : str or callable
        A key of :data:`METRICS`, or a symmetric ``metric(x, y)`` of two dense rows.
    exact : bool
        For dense data no centring, no products of matrices, and sums strictly in order, so that
        which distances are equal is the same on every machine; for measures of ranks.
    weights : ndarray of float64, shape (n,), optional
        Positive; how many coincident objects each stands for, in the variances that
        ``seuclidean`` and ``mahalanobis`` divide by.

    Returns
    -------
    Distances

    Raises
    ------
    InputError
        For an unknown metric, or data that it has no value for.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.distances import as_distances
    >>> as_distances(np.array([[0.0, 0.0], [3.0, 4.0]])).block(slice(0, 1), slice(0, 2))
    array([[0., 5.]])
    """
    from karat._kernels.distances import CHEBYSHEV, CITYBLOCK

    name = check_metric(metric)
    if callable(name):
        from scipy.spatial.distance import cdist

        return Blocks(X, lambda A, B: cdist(A, B, name), symmetric=True)
    if name == "precomputed":
        return Precomputed(X, symmetric=_is_symmetric(X))
    sparse = hasattr(X, "toarray")
    if name in ("euclidean", "sqeuclidean"):
        return _euclidean(X, name == "euclidean", exact)
    if name == "cosine":
        return _euclidean(_directions(X), False, exact)
    if name == "extended_jaccard":
        Z: Any = X.astype(np.float64)
        squares = Z.multiply(Z) if sparse else Z * Z
        norms = np.asarray(squares.sum(axis=1)).ravel()
        return ExtendedJaccard(_euclidean(Z, False, exact), norms)
    if not sparse:
        if name in ("cityblock", "chebyshev"):
            kind = CITYBLOCK if name == "cityblock" else CHEBYSHEV
            return Direct(np.ascontiguousarray(X, np.float64), kind, False)
        if name in ("correlation", "seuclidean", "mahalanobis"):
            Z = np.asarray(X, np.float64)
            if name == "correlation":
                Z = _directions(Z - Z.mean(axis=1, keepdims=True))
            else:
                Z = _whitened(Z, weights, full=name == "mahalanobis")
            return _euclidean(Z, name != "correlation", exact)
    elif name in ("correlation", "seuclidean", "mahalanobis"):
        raise InputError(f"{name} needs dense data (it centres each value); use X.toarray()")
    if name in ("kl", "symmetric_kl"):
        return Divergence(_probabilities(_dense(X)), symmetric=name == "symmetric_kl")
    return _from_scipy(X, name)


def _euclidean(X: Any, root: bool, exact: bool) -> Distances:
    from karat._kernels.distances import SEQUENTIAL, SQUARED

    if hasattr(X, "toarray"):
        return SparseProduct(X.astype(np.float64), root)
    Z = np.ascontiguousarray(X, dtype=np.float64)
    if exact:
        return Direct(Z, SEQUENTIAL, root)
    if Z.shape[1] < PRODUCT_FEATURES:
        return Direct(Z, SQUARED, root)
    return Product(Z, root)


def _directions(X: Any) -> Any:
    """Rows of length √½, so that half the squared distance is 1 − cosine.

    Rows of zeros get a feature of their own: distance 1 from all others, 0 among themselves.
    """
    from scipy import sparse

    if sparse.issparse(X):
        Z = X.astype(np.float64)
        norms = np.sqrt(np.asarray(Z.multiply(Z).sum(axis=1)).ravel())
    else:
        Z = np.asarray(X, np.float64)
        norms = np.linalg.norm(Z, axis=1)
    empty = norms == 0
    scale = np.sqrt(0.5) / np.where(empty, 1.0, norms)
    extra = np.sqrt(0.5) * empty[:, None].astype(np.float64)
    if sparse.issparse(X):
        Z = sparse.diags_array(scale) @ Z
        return sparse.csr_array(sparse.hstack([Z, extra]) if empty.any() else Z)
    Z = Z * scale[:, None]
    return np.hstack([Z, extra]) if empty.any() else Z


def _whitened(Z: Floats, weights: Floats | None, *, full: bool) -> Floats:
    if len(Z) < 2:
        return Z
    w = np.ones(len(Z)) if weights is None else weights
    from_mean = Z - w @ Z / w.sum()
    # n − 1 for whole objects; a part of one takes no more than itself
    freedom = w.sum() - w @ np.minimum(w, 1) / w.sum()
    if not full:
        spread = np.sqrt(w @ from_mean**2 / freedom)
        return Z / np.where(spread > 0, spread, 1.0)
    values, vectors = np.linalg.eigh((w * from_mean.T) @ from_mean / freedom)
    if values[0] <= values[-1] * 1e-12:
        raise InputError(
            "the covariance of X is singular, so mahalanobis has no value; "
            "drop features that depend on others, or use seuclidean"
        )
    return (Z - Z.mean(axis=0)) @ (vectors / np.sqrt(values))


def _probabilities(X: Any) -> Floats:
    P = np.asarray(X, np.float64)
    totals = P.sum(axis=1)
    if P.min() < 0 or (totals == 0).any():
        raise InputError("kl needs rows without negative values, and not all zeros")
    return P / totals[:, None]


def _is_symmetric(D: Any) -> bool:
    step = 512
    return all(
        np.allclose(D[i : i + step], D[:, i : i + step].T, rtol=1e-9, atol=0)
        for i in range(0, len(D), step)
    )


def _from_scipy(X: Data, name: str) -> Distances:
    from scipy.spatial.distance import cdist

    if name == "matching":
        name = "hamming"
    if name in _PRESENCE:

        def presence(A: Any, B: Any) -> Floats:
            return cdist(A != 0, B != 0, name)

        return Blocks(X, presence)
    return Blocks(X, lambda A, B: cdist(A, B, name))
