"""Fits of clusterings to a few labels, and their errors with each label excluded."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _left_out(row, default):
    """Number of a cluster's labels that its other labels predict; a default if there are none."""
    top, second, ties = 0, 0, 0
    for count in row:
        if count > top:
            second, ties = top, 1
            top = count
        elif count > second:
            second, ties = count, 1
        elif count == second:
            ties += 1
    if top == 1 and second == 0:
        return 1.0 if row[default] == 1 else 0.0
    if top - 1 > second:
        return float(top)
    # without one of its objects the first class is level with ``ties`` others
    return top / (1.0 + ties) if top - 1 == second else 0.0


@njit(cache=True, nogil=True)
def fits(codes, labelled, classes, n_classes, n_clusters):
    """Errors of each clustering's majority labels, leave-one-out errors, and number of labels.

    ``codes`` (M, n) has -1 for excluded objects; ``labelled`` are positions of labelled objects,
    ``classes`` their classes. Only labels of clustered objects count.
    """
    M = codes.shape[0]
    errors = np.empty(M, dtype=np.int64)
    left_out = np.empty(M, dtype=np.float64)
    n_labels = np.empty(M, dtype=np.int64)
    totals = np.zeros(n_classes, dtype=np.int64)
    for y in classes:
        totals[y] += 1
    default = np.argmax(totals)
    for r in range(M):
        counts = np.zeros((n_clusters[r], n_classes), dtype=np.int64)
        m = 0
        for s in range(len(labelled)):
            i = codes[r, labelled[s]]
            if i >= 0:
                counts[i, classes[s]] += 1
                m += 1
        right, right_left_out = 0, 0.0
        for i in range(n_clusters[r]):
            most = 0
            for count in counts[i]:
                most = max(most, count)
            right += most
            right_left_out += _left_out(counts[i], default)
        errors[r], left_out[r], n_labels[r] = m - right, m - right_left_out, m
    return errors, left_out, n_labels


@njit(cache=True, nogil=True)
def votes(codes, voters, chosen, labelled, classes, n_classes, n_clusters, step):
    """Votes of the clusterings ``voters`` for each class in the clusters of ``chosen``.

    Every ``step``-th object takes part. Each voter gives it the shares of the classes among the
    labels in the object's cluster.
    """
    out = np.zeros((n_clusters[chosen], n_classes))
    for r in voters:
        shares = np.zeros((n_clusters[r], n_classes))
        for s in range(len(labelled)):
            i = codes[r, labelled[s]]
            if i >= 0:
                shares[i, classes[s]] += 1.0
        for i in range(n_clusters[r]):
            total = shares[i].sum()
            if total > 0:
                for j in range(n_classes):  # dividing an array takes seconds to compile
                    shares[i, j] /= total
        for x in range(0, codes.shape[1], step):
            i, home = codes[r, x], codes[chosen, x]
            if i >= 0 and home >= 0:
                for j in range(n_classes):
                    out[home, j] += shares[i, j]
    return out
