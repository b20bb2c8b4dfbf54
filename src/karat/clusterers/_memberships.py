"""The memberships that a fitted clusterer gives beside its labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.partitions import SoftPartition
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def memberships_of(estimator: Any, X: Any, labels: Any) -> NDArray[np.float64] | None:
    """Memberships (n, k) of the objects that an estimator was fitted to, None where it has none.

    Parameters
    ----------
    estimator : estimator
        Fitted. Its ``memberships_``, or ``posterior(X)``, or ``predict_proba(X)``.
    X : ndarray or csr_array
        What it was fitted to.
    labels : array-like of int, shape (n,)
        Its labels: the column of the largest membership of each object. Memberships that are of
        something else are none.

    Returns
    -------
    ndarray of float64, shape (n, k), or None
    """
    labels = np.asarray(labels)
    given = _given(estimator, X)
    if given is None or labels.dtype.kind not in "iu":
        return None
    try:
        U = SoftPartition(given).memberships
    except InputError:
        return None
    return U if np.array_equal(U.argmax(axis=1), labels) else None


def _given(estimator: Any, X: Any) -> Any:
    own = getattr(estimator, "memberships_", None)
    if own is not None:
        return own
    if getattr(estimator, "assignment", "soft") == "hard":
        return None
    for name in ("posterior", "predict_proba"):
        method = getattr(estimator, name, None)
        if method is not None:
            return method(X)
    return None
