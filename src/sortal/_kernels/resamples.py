"""Labels of objects outside a resample by its clusters."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def nearest_means(X, train, labels, test, out):
    """Labels of the ``test`` rows by the nearest mean of the labelled ``train`` rows."""
    k, d = 0, X.shape[1]
    for label in labels:  # the method of arrays takes a second to compile
        k = max(k, label + 1)
    sizes, means = np.zeros(k), np.zeros((d, k))
    for i in range(len(train)):
        sizes[labels[i]] += 1
        for j in range(d):
            means[j, labels[i]] += X[train[i], j]
    for j in range(d):
        for c in range(k):
            means[j, c] = means[j, c] / sizes[c] if sizes[c] > 0 else np.inf
    apart = np.empty(k)
    for i in range(len(test)):
        apart[:] = 0.0
        for j in range(d):
            x = X[test[i], j]
            for c in range(k):
                apart[c] += (x - means[j, c]) ** 2
        out[i] = apart.argmin()
