"""Distances that are Euclidean once the rows are transformed."""

from __future__ import annotations

from typing import Any

import numpy as np

from sortal.runtime.validation import InputError
from sortal.typing import Floats, Rows

#: limit of cost: rows of a block, so that nothing but the result is as large as the data
_NORM_ROWS = 4096
#: distance -> the transformed rows whose Euclidean distance (or squared distance) it is
FORMS = {
    "euclidean": "",
    "sqeuclidean": "",
    "cosine": "unit rows",
    "correlation": "centred unit rows",
    "spearman": "unit rows of ranks",
    "seuclidean": "standardised features",
    "mahalanobis": "whitened features",
}


def embed(X: Rows, metric: str, weights: Floats | None = None, *, length: float = 1.0) -> Any:
    """Rows whose Euclidean distance is the metric, or (for angles) whose squared distance is.

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, d)
    metric : str
        A key of :data:`FORMS`.
    weights : ndarray of float64, shape (n,), optional
        Frequency weights of the rows, for standard deviations.
    length : float, default 1
        Length of the rows for cosine, correlation and spearman: half their squared distance
        divided by ``length**2`` is the distance.

    Returns
    -------
    ndarray or csr_array
    """
    if metric in ("euclidean", "sqeuclidean"):
        return X
    if metric == "cosine":
        return _directions(X, length)
    if hasattr(X, "toarray"):
        raise InputError(f"{metric} needs dense data (it centres each value); use X.toarray()")
    Z = np.asarray(X, np.float64)
    if metric in ("correlation", "spearman"):
        if metric == "spearman":
            from scipy.stats import rankdata

            Z = rankdata(Z, axis=1)
        return _directions(Z - Z.mean(axis=1, keepdims=True), length)
    return _whitened(Z, weights, full=metric == "mahalanobis")


def _directions(X: Rows, length: float) -> Any:
    """Rows scaled to a length; half their squared distance over its square is 1 − cosine.

    Rows of zeros get an extra feature: distance 1 from all others, 0 among themselves.
    """
    from scipy import sparse

    if sparse.issparse(X):
        Z: Any = X.astype(np.float64)
        norms = np.sqrt(np.asarray(Z.multiply(Z).sum(axis=1)).ravel())
    else:
        X = np.asarray(X)
        n, d = X.shape
        blocks = [slice(start, start + _NORM_ROWS) for start in range(0, n, _NORM_ROWS)]
        norms = np.zeros(n)
        for rows in blocks:
            norms[rows] = np.linalg.norm(X[rows].astype(np.float64), axis=1)
    empty = norms == 0
    scale = length / np.where(empty, 1.0, norms)
    extra = length * empty[:, None].astype(np.float64)
    if sparse.issparse(X):
        Z = sparse.diags_array(scale) @ Z
        return sparse.csr_array(sparse.hstack([Z, extra]) if empty.any() else Z)
    out = np.empty((n, d + int(empty.any())))
    out[:, d:] = extra[:, : out.shape[1] - d]
    for rows in blocks:
        np.multiply(X[rows], scale[rows, None], out=out[rows, :d])
    return out


def _whitened(Z: Floats, weights: Floats | None, *, full: bool) -> Floats:
    """Standardised features, or whitened features if ``full``."""
    if len(Z) < 2:
        return Z
    w = np.ones(len(Z)) if weights is None else weights
    from_mean = Z - w @ Z / w.sum()
    # n − 1 for weights of at least 1; a smaller weight subtracts no more than itself
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
