"""Distances by name, and the preparation of rows for each."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sortal.distances._embedding import embed
from sortal.distances._precomputed import as_graph, as_square
from sortal.distances._tiles import (
    Blocks,
    Direct,
    Distances,
    Divergence,
    ExtendedJaccard,
    Precomputed,
    Product,
    SparseProduct,
    StoredDistances,
    dense,
)
from sortal.runtime.resources import is_large
from sortal.runtime.validation import InputError, check_data, unknown_name
from sortal.typing import ArrayLike, Floats, Ints, Metric, Rows

#: limit of cost: objects whose pairs are checked first, in both directions, for a function
PROBED_OBJECTS = 10
#: limit of cost: number of features from which dense Euclidean distances come from matrix products
PRODUCT_FEATURES = 64
#: limit of cost: pairs per copy of rows, and pairs per block of all distances
PAIRS_OF_ROWS, PAIRS_OF_BLOCK = 2**13, 4

#: name -> definition
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
    "minkowski:P": "(Σ|x−y|ᴾ)^(1/P) of any P above 0, e.g. minkowski:3",
    "spearman": "1 − Spearman's ρ over the features",
    "braycurtis": "Σ|x−y| / Σ|x+y|",
    "canberra": "Σ |x−y|/(|x|+|y|)",
    "hamming": "share of features that differ",
    "jensenshannon": "root of the Jensen–Shannon divergence",
    "js_divergence": "Jensen–Shannon divergence of the L1-normalised rows",
    "rogerstanimoto": "as SciPy has it, features as presence",
    "russellrao": "as SciPy has it, features as presence",
    "sokalsneath": "as SciPy has it, features as presence",
    "yule": "as SciPy has it, features as presence",
    "precomputed": "X is the n×n matrix of distances, or the n(n-1)/2 above its diagonal",
    "graph": "X is the symmetric matrix of affinities of a graph, which has no distances",
}
#: further names of metrics
ALIASES = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean", "minkowski": "euclidean"}
_PRESENCE = {"jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule"}


def check_metric(metric: Metric) -> Any:
    """Canonical name of the metric, or the callable; raises for an unknown name."""
    if callable(metric):
        return metric
    name = ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    if isinstance(name, str) and name.startswith("minkowski:"):
        return _minkowski(name)
    if name not in METRICS or name == "minkowski:P":
        raise unknown_name(metric, [*METRICS, *ALIASES], "distance")
    return name


def _minkowski(name: str) -> str:
    """Canonical name of a Minkowski distance."""
    try:
        p = float(name.partition(":")[2])
    except ValueError:
        p = 0.0
    if not p > 0:
        raise InputError(f"{name}: the exponent must be a number above 0, e.g. minkowski:3")
    return {1: "cityblock", 2: "euclidean", np.inf: "chebyshev"}.get(p, f"minkowski:{p:g}")


def metric_name(metric: Metric) -> str:
    """Name of a metric in messages."""
    if isinstance(metric, str):
        return metric
    return str(getattr(metric, "__qualname__", None) or repr(metric))


def check_points(X: ArrayLike, metric: Metric) -> Rows:
    """Validated data (:func:`sortal.runtime.validation.check_data`), distances or graph."""
    if metric == "graph":
        return as_graph(X)
    return as_square(X, symmetric=True) if metric == "precomputed" else check_data(X)


def as_distances(
    X: Rows, metric: Metric = "euclidean", *, exact: bool = False, weights: Floats | None = None
) -> Distances:
    """Prepare the distances between the rows of ``X``.

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, d)
        As :func:`check_points` returns it.
    metric : str or callable
        A name in :data:`METRICS`, or a symmetric ``metric(x, y)`` of two dense rows.
    exact : bool
        Without centring and matrix products of dense data, so that ties are the same on every
        machine; for measures of ranks.
    weights : ndarray of float64, shape (n,), optional
        Positive; the number of identical objects that each row represents, in the variances
        that ``seuclidean`` and ``mahalanobis`` divide by.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.distances import as_distances
    >>> as_distances(np.array([[0.0, 0.0], [3.0, 4.0]])).block(slice(0, 1), slice(0, 2))
    array([[0., 5.]])
    """
    from sortal._kernels.distances import CHEBYSHEV, CITYBLOCK

    name = check_metric(metric)
    if callable(name):
        few = dense(X[:PROBED_OBJECTS])
        as_square(_function_values(name, few, few), symmetric=True)
        return Blocks(X, partial(_function_values, name), symmetric=True)
    if name == "graph":
        raise InputError(
            "a graph has edges, not distances between all nodes; for these give the matrix of "
            "shortest paths (scipy.sparse.csgraph) as precomputed distances"
        )
    if name == "precomputed":
        return Precomputed(X)
    sparse = hasattr(X, "toarray")
    if name in ("euclidean", "sqeuclidean"):
        return _euclidean(X, name == "euclidean", exact)
    if name in ("cosine", "correlation", "spearman"):
        # half the squared distance of unit rows
        return _euclidean(embed(X, name, length=np.sqrt(0.5)), False, exact)
    if name in ("seuclidean", "mahalanobis"):
        return _euclidean(embed(X, name, weights), True, exact)
    if name == "extended_jaccard":
        Z: Any = X.astype(np.float64)
        squares = Z.multiply(Z) if sparse else Z * Z
        norms = np.asarray(squares.sum(axis=1)).ravel()
        return ExtendedJaccard(_euclidean(Z, False, exact), norms)
    if name in ("cityblock", "chebyshev") and not sparse:
        kind = CITYBLOCK if name == "cityblock" else CHEBYSHEV
        return Direct(np.ascontiguousarray(X, np.float64), kind, squared=False)
    if name in ("kl", "symmetric_kl"):
        return Divergence(_probabilities(dense(X)), symmetric=name == "symmetric_kl")
    return _from_scipy(X, name)


def _function_values(metric: Metric, A: Floats, B: Floats) -> Floats:
    """Distances of all pairs by a user-supplied function, checked."""
    from scipy.spatial.distance import cdist

    D: Floats
    if isinstance(metric, StoredDistances):
        D = metric.between(A, B)
    else:  # without its name: SciPy takes a function named "m" for its own Minkowski distance
        function: Any = metric
        D = cdist(A, B, lambda x, y: function(x, y))
    if not (D > -1e-9).all() or not np.isfinite(D.max()):
        raise InputError(
            f"{metric_name(metric)} gives {D.max() if D.min() > -1e-9 else D.min():g} for a pair "
            "of objects; a distance is a finite number of at least 0"
        )
    return D


#: metrics whose distance of two rows depends on the other rows
DATA_DEPENDENT = {"seuclidean", "mahalanobis", "precomputed", "graph"}


class OfRows(Distances):
    """Distances of large data, prepared only for the rows that are taken."""

    def __init__(self, X: Rows, metric: Metric, *, exact: bool) -> None:
        self.X, self.metric, self.exact, self.n = X, metric, exact, X.shape[0]
        small: Any = X[:2]
        self.symmetric = as_distances(small, metric, exact=exact).symmetric

    def take(self, order: Ints) -> Distances:
        """Distances between the objects ``order``."""
        rows: Any = self.X[order]
        return as_distances(rows, self.metric, exact=self.exact)


def distances_of_parts(X: Rows, metric: Metric = "euclidean", *, exact: bool = False) -> Distances:
    """:func:`as_distances` for callers that use only :meth:`Distances.take`, on parts of the rows.

    Large data are never copied as a whole.
    """
    if is_large(X) and (callable(metric) or check_metric(metric) not in DATA_DEPENDENT):
        return OfRows(X, metric, exact=exact)
    return as_distances(X, metric, exact=exact)


def _euclidean(X: Rows, root: bool, exact: bool) -> Distances:
    """Euclidean distances if ``root``, otherwise squared distances."""
    from sortal._kernels.distances import SQUARED

    if hasattr(X, "toarray"):
        return SparseProduct(X.astype(np.float64), root)
    Z = np.ascontiguousarray(X, dtype=np.float64)
    if exact or Z.shape[1] < PRODUCT_FEATURES:
        return Direct(Z, SQUARED, squared=root, ordered=exact)
    return Product(Z, squared=root)


def _probabilities(X: Floats) -> Floats:
    """Rows divided by their sums."""
    P = np.asarray(X, np.float64)
    totals = P.sum(axis=1)
    if P.min() < 0 or (totals == 0).any():
        raise InputError("kl needs rows without negative values, and not all zeros")
    return P / totals[:, None]


def _from_scipy(X: Rows, name: str) -> Distances:
    """Distances from SciPy's cdist."""
    from scipy.spatial.distance import cdist

    if name.startswith("minkowski:"):
        p = float(name.partition(":")[2])
        return Blocks(X, lambda A, B: cdist(A, B, "minkowski", p=p))
    if name == "js_divergence":
        return Blocks(X, lambda A, B: cdist(A, B, "jensenshannon") ** 2)
    if name == "matching":
        name = "hamming"
    if name in _PRESENCE:
        return Blocks(X, lambda A, B: cdist(A != 0, B != 0, name))
    return Blocks(X, lambda A, B: cdist(A, B, name))


def pair_distances(distances: Distances, first: Ints, second: Ints) -> Floats:
    """Exact distances of the objects ``first[e]`` and ``second[e]``."""
    out = np.empty(len(first))
    size = PAIRS_OF_ROWS if isinstance(distances, (OfRows, Direct)) else PAIRS_OF_BLOCK
    for start in range(0, len(out), size):
        i, j = first[start : start + size], second[start : start + size]
        subset = distances.take(np.concatenate([i, j]))
        if isinstance(distances, OfRows):
            values = pair_distances(subset, np.arange(len(i)), np.arange(len(i), 2 * len(i)))
        elif isinstance(subset, Direct):
            values = _distances_of_halves(subset, len(i))
        else:
            values = np.diagonal(subset.block(slice(0, len(i)), slice(len(i), 2 * len(i))))
        out[start : start + size] = values
    return out


def _distances_of_halves(distances: Direct, half: int) -> Floats:
    """Distances from the first half of rows to the second, features summed in order as in tiles."""
    from sortal._kernels.distances import CHEBYSHEV, CITYBLOCK

    differences = np.abs(distances.Z[:half] - distances.Z[half:])
    if distances.kind == CHEBYSHEV:
        return np.asarray(differences.max(axis=1))
    terms = differences if distances.kind == CITYBLOCK else differences**2
    sums = np.zeros(half)
    for feature in terms.T:
        sums += feature
    return np.sqrt(sums) if distances.squared else sums
