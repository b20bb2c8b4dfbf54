"""Memberships of a fitted clusterer."""

from __future__ import annotations

import numpy as np

from sortal.labelings.partitions import SoftPartition
from sortal.runtime.types import ArrayLike, Estimator, Floats, Labels
from sortal.runtime.validation import InputError


def memberships_of(estimator: Estimator, X: ArrayLike, labels: Labels) -> Floats | None:
    """Memberships (n, k) of the objects X that an estimator was fitted to, or None.

    They are its ``memberships_``, or ``posterior(X)``, or ``predict_proba(X)``. The result is None
    where the estimator has none of these, or where the largest membership is not in the column of
    the label.
    """
    codes, memberships = np.asarray(labels), getattr(estimator, "memberships_", None)
    if memberships is None and getattr(estimator, "assignment", "soft") != "hard":
        for name in ("posterior", "predict_proba"):
            if memberships is None and hasattr(estimator, name):
                memberships = getattr(estimator, name)(X)
    if memberships is None or codes.dtype.kind not in "iu":
        return None
    try:
        U = SoftPartition(memberships).memberships
    except InputError:
        return None
    return U if np.array_equal(U.argmax(axis=1), codes) else None
