"""Cuts of a graph: given by its affinities, or of all objects by 1/d²."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from karat.labelings.partitions import NOISE, NoisePolicy, as_labelings
from karat.measures.bibliography import Reference, cite
from karat.measures.catalogue import define
from karat.measures.internal.batch import each, one
from karat.measures.passes.statistics import Statistics
from karat.runtime.validation import InputError, UndefinedMeasureError, check_choice, check_data

__all__ = ["gaussian_affinity", "graph_cut", "normalized_cut", "ratio_cut"]

Cut = Literal["ratio", "normalized", "minmax"]


@cite(Reference("whissell2012", "2.24–2.26"))
def graph_cut(
    affinity: Any, labels: Any, *, kind: Cut = "normalized", noise: NoisePolicy = "error"
) -> float:
    """Cut of a graph: for each cluster the affinity to the others over a size of its own, summed.

    The size is the number of objects (``"ratio"``), the affinity of its objects to all
    (``"normalized"``), or that within (``"minmax"``). Not negative, lower is better.

    Parameters
    ----------
    affinity : array-like or sparse, shape (n, n)
        Symmetric, not negative; the diagonal counts as given.
    labels : array-like, shape (n,)
    kind : {"ratio", "normalized", "minmax"}
    noise : {"error", "cluster", "singletons", "drop"}

    Returns
    -------
    float
        Infinite where a cluster has affinity to others, but its own size is 0.

    Raises
    ------
    InputError
        For a matrix that is not square, not symmetric or negative.
    UndefinedMeasureError
        For fewer than two clusters.

    Notes
    -----
    Both directions of an edge count in ``"normalized"`` and
    ``"minmax"``. O(n² + k) time, O(entries) for sparse.

    Examples
    --------
    >>> from karat import graph_cut
    >>> A = [[0, 4, 1], [4, 0, 0], [1, 0, 0]]
    >>> graph_cut(A, [0, 0, 1], kind="ratio")
    1.5
    """
    from scipy import sparse

    check_choice(kind, ("ratio", "normalized", "minmax"), "kind")
    A = check_data(affinity, name="affinity")
    if A.shape[0] != A.shape[1]:
        raise InputError(f"affinity must be square (n×n); its shape is {A.shape}")
    if A.min() < 0 or abs(A - A.T).max() > 1e-9 * abs(A).max():
        raise InputError("affinity must be symmetric and non-negative; use (A + A.T)/2")
    labelings = as_labelings({"labels": labels}, n_objects=A.shape[0], noise=noise)
    codes, sizes = labelings.codes[0], labelings.sizes(0)
    k = len(sizes)
    if k < 2:
        raise UndefinedMeasureError(f"a cut is undefined: the clustering has {k} cluster")
    kept = np.flatnonzero(codes != NOISE)
    member = sparse.csr_array((np.ones(len(kept)), (codes[kept], kept)), shape=(k, len(codes)))
    between: Any = member @ A @ member.T
    between = between.toarray() if sparse.issparse(between) else np.asarray(between)
    within = np.diagonal(between)
    cut = between.sum(axis=1) - within
    size = {"ratio": sizes, "normalized": within + cut, "minmax": within}[kind]
    with np.errstate(divide="ignore"):
        terms = np.where(cut > 0, cut / np.where(cut > 0, size, 1), 0.0)
    return float(terms.sum())


@cite(Reference("whissell2012", "2.10"))
def gaussian_affinity(X: Any, *, sigma: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Affinities exp(−∣x − y∣²/(2σ²)) of all pairs, an (n, n) array, for :func:`graph_cut`.

    O(n² d) time and n² memory.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    sigma : float
        Above 0, in the unit of the distance.

    Examples
    --------
    >>> from karat import gaussian_affinity
    >>> gaussian_affinity([[0.0], [1.0]], sigma=1.0).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """
    from karat.distances import as_distances

    if not sigma >= 1e-150:  # its square must not vanish
        raise InputError(f"sigma must be above 0, and 1e-150 at least; got {sigma}")
    data = check_data(X)
    n = data.shape[0]
    squares = as_distances(data, "sqeuclidean").block(slice(0, n), slice(0, n))
    with np.errstate(over="ignore"):
        return np.exp(-squares / (2 * sigma**2))


def ratio_cut(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Ratio-Cut with 1/d² as affinity: (Σ_{P_b} 1/d²) · Σ_c 1/∣c∣.

    Not negative, lower is better; infinite where coincident objects are in different clusters.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), or (n, n) with ``metric="precomputed"``
    labels : array-like, shape (n,)
    metric : str or callable
    noise : {"error", "cluster", "singletons", "drop"}
    sample_weight : array-like, shape (n,), optional
        Object weights (frequencies); 0 excludes the object.

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters.

    Notes
    -----
    whissell2012 equation 3.7 (Ackerman & Ben-David 2008). O(n² d) time.

    Examples
    --------
    >>> from karat import ratio_cut
    >>> round(ratio_cut([[0.0], [1.0], [3.0]], [0, 0, 1]), 6)
    0.541667
    """
    return one("ratio_cut", X, labels, metric, noise, sample_weight)


def normalized_cut(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """N-Cut with 1/d² as affinity: (Σ_{P_b} 1/d²) · Σ_c 1/(Σ_{pairs in c} 1/d²).

    Not negative, lower is better. A singleton has no pair within it, so the value is infinite;
    it is also infinite where coincident objects are in different clusters.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), or (n, n) with ``metric="precomputed"``
    labels : array-like, shape (n,)
    metric : str or callable
    noise : {"error", "cluster", "singletons", "drop"}
    sample_weight : array-like, shape (n,), optional
        Object weights (frequencies); 0 excludes the object.

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where coincident objects are both in one cluster and in
        two, so that every term is ∞ · 0.

    Notes
    -----
    whissell2012 equation 3.9, whose first sum runs over pairs *between* clusters. O(n² d) time.

    Examples
    --------
    >>> from karat import normalized_cut
    >>> round(normalized_cut([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.08122
    """
    return one("normalized_cut", X, labels, metric, noise, sample_weight)


def _ratio_cut(stats: Statistics, m: int) -> float:
    return float(stats.between_inverse[m].sum()) / 2 * float((1 / stats.sizes[m]).sum())


def _normalized_cut(stats: Statistics, m: int) -> float | str:
    between = float(stats.between_inverse[m].sum()) / 2
    within = sum(1 / v if v > 0 else math.inf for v in stats.within_inverse[m].tolist())
    if math.isinf(between) and within == 0:
        return "coincident objects are in one cluster and in two: every term is ∞ · 0"
    return between * within if not (between == 0 and math.isinf(within)) else math.inf


define(
    ratio_cut,
    "Ratio-Cut of 1/d²",
    family="graph cuts",
    references=[Reference("whissell2012", "3.7"), Reference("ackerman2008")],
    compute=each(_ratio_cut),
    needs=["inverse_square_sums"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n² d)",
    compares_k=False,
)
define(
    normalized_cut,
    "N-Cut of 1/d²",
    family="graph cuts",
    references=[Reference("whissell2012", "3.9"), Reference("ackerman2008")],
    compute=each(_normalized_cut),
    needs=["inverse_square_sums"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n² d)",
    compares_k=False,
)
