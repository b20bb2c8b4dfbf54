"""Data without clusters that are like the data in extent: what stability is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from karat.validation import InputError, check_choice, check_data, check_random_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

Reference: TypeAlias = Literal["gaussian", "uniform"]
REFERENCES: tuple[Reference, ...] = ("gaussian", "uniform")


def draw_reference(X: Any, kind: Reference = "gaussian", *, random_state: Any = None) -> Any:
    """Data of one group with the mean, the principal axes and the extent of X.

    Parameters
    ----------
    X : array-like, shape (n, d)
    kind : {"gaussian", "uniform"}
        One Gaussian with the covariance of X, or a uniform box along its principal axes.
    random_state : None, int or Generator

    Returns
    -------
    ndarray of float64, shape (n, d)

    Raises
    ------
    InputError
        For sparse data, whose zeros neither kind has.

    Notes
    -----
    The box is that of gapPC (Tibshirani, Walther & Hastie 2001). O(n d min(n, d)).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(500, 3)) * [1, 2, 3]
    >>> draw_reference(X, random_state=0).std(axis=0).round()
    array([1., 2., 3.])
    """
    check_choice(kind, REFERENCES, "kind")
    data: Any = check_data(X)
    if hasattr(data, "toarray"):
        raise InputError("reference data need dense features; use n_references=0 for sparse data")
    rng = check_random_state(random_state)
    mean = data.mean(axis=0, dtype=np.float64)
    _, _, axes = np.linalg.svd(data - mean, full_matrices=False)
    turned = (data - mean) @ axes.T
    shape = turned.shape
    drawn: NDArray[np.float64]
    if kind == "gaussian":
        drawn = rng.normal(size=shape) * turned.std(axis=0, ddof=1)
    else:
        drawn = rng.uniform(turned.min(axis=0), turned.max(axis=0), shape)
    return drawn @ axes + mean
