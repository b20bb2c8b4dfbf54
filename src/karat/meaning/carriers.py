"""The features that carry a clustering: those whose variance lies between its clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: features that are named, and the least share of their variance
NAMED, LEAST = 3, 0.1


def carriers(
    X: Any, labels: NDArray[np.integer], feature_names: Sequence[object]
) -> tuple[tuple[str, float], ...]:
    """The three features that carry a clustering most, with their shares of variance.

    Parameters
    ----------
    X : ndarray or sparse, shape (n, d)
    labels : ndarray of int, shape (n,)
        Clusters from 0, ``-1`` for outliers, which are excluded.
    feature_names : sequence of length d
        Columns ``name=value`` are one feature.

    Returns
    -------
    tuple of (str, float)
        The share of the variance that lies between the clusters, corrected for chance (Kelley's
        epsilon squared), the largest first; none below 0.1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [0.1, 0.0], [5.0, 0.9], [5.1, 0.1]])
    >>> [name for name, _ in carriers(X, np.array([0, 0, 1, 1]), ["income", "age"])]
    ['income']
    """
    between, total = _variance(X, labels)
    sources: dict[str, list[int]] = {}
    for j, name in enumerate(feature_names):
        sources.setdefault(str(name).partition("=")[0], []).append(j)
    n, k = int((labels >= 0).sum()), int(labels.max()) + 1
    shares = {}
    for name, columns in sources.items():
        whole = total[columns].sum()
        share = between[columns].sum() / whole if whole > 0 else 0.0
        shares[name] = 1 - (1 - share) * (n - 1) / max(n - k, 1)
    order = sorted(shares.items(), key=lambda one: (-round(one[1], 9), one[0]))
    return tuple((name, float(share)) for name, share in order[:NAMED] if share >= LEAST)


def _variance(X: Any, codes: NDArray[np.integer]) -> tuple[Floats, Floats]:
    """Sums of squares between the clusters, and in all, of each column."""
    inside = codes >= 0
    X, own = X[inside], codes[inside]
    n = len(own)
    members = sparse.csr_array((np.ones(n), (own, np.arange(n))))
    sums = members @ X
    sums = sums.toarray() if sparse.issparse(sums) else np.asarray(sums, dtype=np.float64)
    sizes = np.bincount(own)[:, None]
    mean = sums.sum(axis=0) / n
    squares = X.multiply(X) if sparse.issparse(X) else np.square(X, dtype=np.float64)
    total = np.asarray(squares.sum(axis=0)).ravel() - n * mean**2
    between = (sizes * (sums / sizes - mean) ** 2).sum(axis=0)
    return between, np.maximum(total, 0.0)
