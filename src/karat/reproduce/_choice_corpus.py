"""What the studies of the tasks found: candidates, their evidence, their agreement with experts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def agreement(labels: NDArray[Any], truth: NDArray[Any]) -> float:
    """Adjusted Rand index on the objects that count, outliers as clusters of one."""
    from sklearn.metrics import adjusted_rand_score

    out = labels < 0
    labels = labels.astype(np.int64)
    labels[out] = labels.max() + 1 + np.arange(out.sum())
    counts = truth >= 0
    return float(adjusted_rand_score(truth[counts], labels[counts]))
