"""scikit-learn's k-means without its overhead for each call, which takes milliseconds.

Resampling fits the same clusterer to thousands of small parts of the data. There the checks and
the set-up of threads around each fit take ten times as long as the fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortal.typing import Floats

#: limit of cost: features up to which plain loops are as fast as a matrix product
MOST_FEATURES = 128


@dataclass(frozen=True)
class QuickKMeans:
    """Lloyd's algorithm with scikit-learn's parameters, safe to run in several threads.

    Attributes
    ----------
    init : {"k-means++", "random"}
    n_init, max_iter : int
    tol : float
        As in ``sklearn.cluster.KMeans``.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.clusterers import QuickKMeans
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> labels = QuickKMeans("k-means++", 10, 300, 1e-4).labels(X.T - X.mean(), 2, seed=0)
    >>> (labels[:2] == labels[0]).all() and (labels[2:] == labels[2]).all()
    np.True_
    """

    init: str
    n_init: int
    max_iter: int
    tol: float

    @classmethod
    def of(cls, estimator: Any) -> QuickKMeans | None:
        """The same k-means as an estimator, or None if that is not k-means by Lloyd's algorithm."""
        from sklearn.cluster import KMeans

        if type(estimator) is not KMeans or estimator.algorithm not in ("lloyd", "auto"):
            return None
        init, n_init = estimator.init, estimator.n_init
        if not isinstance(init, str) or init not in ("k-means++", "random"):
            return None
        if n_init in ("auto", "warn"):
            n_init = 1 if init == "k-means++" else 10
        return cls(init, n_init, estimator.max_iter, estimator.tol)

    def labels(self, columns: Floats, k: int, seed: int) -> NDArray[np.int32]:
        """Cluster of each object; ``columns`` (d, n) are the transposed data, centred."""
        from sortal._kernels.kmeans import kmeans

        n = columns.shape[1]
        rng = np.random.default_rng(seed)
        trials = 2 + int(log(k))
        rows = np.full((self.n_init, k), -1, dtype=np.int64)
        uniforms = np.empty((self.n_init, 0))
        if self.init == "random":
            for start in range(self.n_init):
                rows[start] = rng.choice(n, k, replace=False)
        else:
            uniforms = rng.random((self.n_init, 1 + (k - 1) * trials))
        tolerance = self.tol * float(columns.var(axis=1).mean())
        out = np.empty(n, dtype=np.int32)
        kmeans(columns, uniforms, rows, trials, self.max_iter, tolerance, out)
        return out


def as_columns(X: NDArray[np.floating]) -> Floats:
    """Transpose of X, centred: one row per feature."""
    columns = np.ascontiguousarray(X.T, dtype=np.float64)
    return columns - columns.mean(axis=1, keepdims=True)
