"""The memberships that a fitted clusterer gives beside its labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.partitions import SoftPartition
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def memberships_of(estimator: Any, X: Any, labels: Any) -> NDArray[np.float64] | None:
    """Memberships (n, k) of the objects X that an estimator was fitted to, None where it has none.

    They are its ``memberships_``, or ``posterior(X)``, or ``predict_proba(X)``; those that are of
    something else, so that the column of the largest is not the label, are none.
    """
    labels, given = np.asarray(labels), getattr(estimator, "memberships_", None)
    if given is None and getattr(estimator, "assignment", "soft") != "hard":
        for name in ("posterior", "predict_proba"):
            if given is None and hasattr(estimator, name):
                given = getattr(estimator, name)(X)
    if given is None or labels.dtype.kind not in "iu":
        return None
    try:
        U = SoftPartition(given).memberships
    except InputError:
        return None
    return U if np.array_equal(U.argmax(axis=1), labels) else None
