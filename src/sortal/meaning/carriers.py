"""The features that carry a clustering: those whose variance lies between its clusters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sortal.runtime.types import Floats, Rows

#: number of named features, and the least share of their variance
MAX_CARRIERS, MIN_SHARE = 3, 0.1


def carriers(
    X: Rows, labels: NDArray[np.integer], feature_names: Sequence[object]
) -> tuple[tuple[str, float], ...]:
    """The three features that carry a clustering most, with their shares of variance.

    A share is of the variance that lies between the clusters, corrected for chance (Kelley's
    epsilon squared); none is below 0.1. Outliers are excluded, and columns ``name=value`` are one
    feature.

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
    order = sorted(shares, key=lambda name: (-round(shares[name], 9), name))[:MAX_CARRIERS]
    return tuple((name, float(shares[name])) for name in order if shares[name] >= MIN_SHARE)


def _variance(X: Rows, codes: NDArray[np.integer]) -> tuple[Floats, Floats]:
    """Sums of squares of each column: between the clusters, and in total."""
    inside = codes >= 0
    X, groups = X[inside], codes[inside]
    n = len(groups)
    members = sparse.csr_array((np.ones(n), (groups, np.arange(n))))
    sums = members @ X
    sums = sums.toarray() if sparse.issparse(sums) else np.asarray(sums, dtype=np.float64)
    sizes = np.bincount(groups)[:, None]
    mean = sums.sum(axis=0) / n
    squares = np.square(X, dtype=np.float64) if isinstance(X, np.ndarray) else X.multiply(X)
    total = np.asarray(squares.sum(axis=0)).ravel() - n * mean**2
    between = (sizes * (sums / sizes - mean) ** 2).sum(axis=0)
    return between, np.maximum(total, 0.0)
