"""Prunings of a dendrogram: their number, and the pruning with the fewest errors.

Node v < N is leaf v; node N + t is merge t, with children ``left[t]`` and ``right[t]``.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numba.typed import List


@njit(cache=True, nogil=True)
def _convolve_log2(x, y, cap):
    """log2 of the convolution of 2^x and 2^y; entry c − 1 is for c, so the result is for c ≥ 2."""
    length = min(len(x) + len(y) - 1, cap - 1)
    out = np.empty(length, dtype=np.float64)
    for c in range(length):
        low = max(0, c - len(y) + 1)
        high = min(c, len(x) - 1)
        top = -math.inf
        for i in range(low, high + 1):
            top = max(top, x[i] + y[c - i])
        total = 0.0
        for i in range(low, high + 1):
            total += 2.0 ** (x[i] + y[c - i] - top)
        out[c] = top + math.log2(total)
    return out


@njit(cache=True, nogil=True)
def log2_prunings(left, right, cap):
    """log2 of the number of prunings with c = 1..cap clusters."""
    N = len(left) + 1
    leaf = np.zeros(1, dtype=np.float64)
    arrays = List()
    for _ in range(2 * N - 1):
        arrays.append(leaf)
    for t in range(N - 1):
        rest = _convolve_log2(arrays[left[t]], arrays[right[t]], cap)
        whole = np.empty(len(rest) + 1, dtype=np.float64)
        whole[0] = 0.0
        whole[1:] = rest
        arrays[N + t] = whole
        arrays[left[t]] = leaf
        arrays[right[t]] = leaf
    return arrays[2 * N - 2]


@njit(cache=True, nogil=True)
def class_counts(left, right, classes, n_classes):
    """Labelled leaves of each class below each node; ``classes`` has -1 for unlabelled ones."""
    N = len(left) + 1
    counts = np.zeros((2 * N - 1, n_classes), dtype=np.int32)
    for v in range(N):
        if classes[v] >= 0:
            counts[v, classes[v]] = 1
    for t in range(N - 1):
        counts[N + t] = counts[left[t]] + counts[right[t]]
    return counts


@njit(cache=True, nogil=True)
def fewest_errors(left, right, stop_errors, cap):
    """For every node, the fewest errors with at most c clusters, and the left child's clusters.

    Arrays end where no error is left, or at ``cap`` clusters. Entry c − 1 of the second list is
    0 where the node itself is a cluster.
    """
    N = len(left) + 1
    errors = List()
    splits = List()
    none = np.zeros(1, dtype=np.int32)
    for _ in range(2 * N - 1):
        errors.append(none)
        splits.append(none)
    for t in range(N - 1):
        v = N + t
        if stop_errors[v] == 0:
            continue
        f, g = errors[left[t]], errors[right[t]]
        length = min(len(f) + len(g), cap)
        out = np.empty(length, dtype=np.int32)
        split = np.zeros(length, dtype=np.int32)
        out[0] = stop_errors[v]
        for c in range(2, length + 1):
            best = out[c - 2]
            at = split[c - 2]
            for i in range(max(1, c - len(g)), min(len(f), c - 1) + 1):
                value = f[i - 1] + g[c - i - 1]
                if value < best:
                    best = value
                    at = i
            out[c - 1] = best
            split[c - 1] = at
            if best == 0:
                out = out[:c].copy()
                split = split[:c].copy()
                break
        errors[v] = out
        splits[v] = split
        errors[left[t]] = none
        errors[right[t]] = none
    return errors[2 * N - 2], splits


@njit(cache=True, nogil=True)
def pruned_labels(left, right, splits, c):
    """The cluster of each leaf in the best pruning with at most c clusters."""
    N = len(left) + 1
    budget = np.zeros(2 * N - 1, dtype=np.int64)
    label = np.full(2 * N - 1, -1, dtype=np.int64)
    budget[2 * N - 2] = c
    clusters = 0
    for v in range(2 * N - 2, -1, -1):
        if label[v] < 0:
            allowed = min(budget[v], len(splits[v]))
            at = splits[v][allowed - 1]
            if at == 0:
                label[v] = clusters
                clusters += 1
            else:
                # an entry that repeats its predecessor's split has spare clusters: harmless
                budget[left[v - N]] = at
                budget[right[v - N]] = allowed - at
        if v >= N and label[v] >= 0:
            label[left[v - N]] = label[v]
            label[right[v - N]] = label[v]
    return label[:N].copy()


@njit(cache=True, nogil=True)
def cut_errors(left, right, stop_errors, cap):
    """Errors of the cuts of the dendrogram into c = 1..cap clusters, merges undone from the top."""
    N = len(left) + 1
    out = np.empty(cap, dtype=np.int64)
    out[0] = stop_errors[2 * N - 2]
    for c in range(2, cap + 1):
        t = N - c
        out[c - 1] = out[c - 2] - stop_errors[N + t] + stop_errors[left[t]] + stop_errors[right[t]]
    return out
