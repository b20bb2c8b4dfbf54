"""From clusterings and a few labels to training errors and the best labelling of the clusters."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from sortal._kernels.hypergeometric import b_max, log_bucket

#: derived: nats of a bit
_LN2 = math.log(2.0)


@njit(cache=True, nogil=True)
def _log2_sum(x, y):
    """log2(2^x + 2^y)."""
    top = max(x, y)
    low = min(x, y)
    if top - low > 60.0 or top == -math.inf:
        return top
    return top + math.log1p(math.exp((low - top) * _LN2)) / _LN2


@njit(cache=True, nogil=True)
def mixed_label_bits(histogram, lead, log2_factorial, log2_spread):
    """Bits of cluster labels under the even mixture of the five label codes.

    ``histogram``: clusters per class; ``lead``: how many clusters, largest first, come before
    the tail that shares one label, that tail's first cluster not counted. ``log2_spread[c]``:
    ways to label c clusters with as many different classes as possible.
    """
    n_classes = len(histogram)
    if n_classes == 1:
        return 0.0
    c = 0
    log2_multinomial = 0.0
    used = 0
    for h in histogram:
        c += h
        used += h > 0
        log2_multinomial -= log2_factorial[h]
    log2_multinomial += log2_factorial[c]
    log2_classes = math.log2(n_classes)
    log2_others = math.log2(n_classes - 1.0)
    uniform = -c * log2_classes
    rest = c + n_classes - 1
    log2_histograms = log2_factorial[rest] - log2_factorial[n_classes - 1] - log2_factorial[c]
    counted = -log2_histograms - log2_multinomial
    # a word for each class as the default; those that no cluster has are alike
    default = -c * log2_others
    if used < n_classes:
        default += math.log2(n_classes - used)
    else:
        default = -math.inf
    for h in histogram:
        if h > 0:
            places = log2_factorial[c] - log2_factorial[h] - log2_factorial[c - h]
            default = _log2_sum(default, -places - (c - h) * log2_others)
    default -= log2_classes + math.log2(c + 1.0)
    leading = -math.log2(c) - max(lead, 1) * log2_classes
    if lead > 0:
        leading -= log2_others
    mixed = _log2_sum(_log2_sum(uniform, counted), _log2_sum(default, leading))
    if used == min(c, n_classes):
        mixed = _log2_sum(mixed, -log2_spread[c])
    return max(0.0, math.log2(5.0) - mixed)


@njit(cache=True, nogil=True)
def _majority(counts, rank, turn, labels):
    """Most common label of each cluster, ties to the smaller random rank; returns the errors.

    Cluster i draws from row ``turn[i]`` of the ranks, so that its name does not matter.
    """
    errors = 0
    for i in range(counts.shape[0]):
        best = 0
        total = 0
        lot = rank[turn[i]]
        for j in range(counts.shape[1]):
            total += counts[i, j]
            if counts[i, j] > counts[i, best] or (
                counts[i, j] == counts[i, best] and lot[j] < lot[best]
            ):
                best = j
        labels[i] = best
        errors += total - counts[i, best]
    return errors


@njit(cache=True, nogil=True)
def _lead_of(labels, order):
    """Length of the part, largest clusters first, before the constant tail."""
    c = len(order)
    lead = c - 1
    while lead > 0 and labels[order[lead - 1]] == labels[order[c - 1]]:
        lead -= 1
    return lead


@njit(cache=True, nogil=True)
def best_mixed_labelling(
    counts, order, rank, turn, m, n, log_level, log2_factorial, log2_spread, out
):
    """Labels of the clusters that make the bound smallest among simple families; errors, bits.

    The families:

    - the majority everywhere
    - a default class, with the exceptions that save most errors
    - the majority in the largest clusters, and a default class in the rest
    """
    c, n_classes = counts.shape
    majority = np.empty(c, dtype=np.int32)
    fewest = _majority(counts, rank, turn, majority)
    histogram = np.zeros(n_classes, dtype=np.int64)
    for i in range(c):
        histogram[majority[i]] += 1
        out[i] = majority[i]
    errors = fewest
    bits = mixed_label_bits(histogram, _lead_of(majority, order), log2_factorial, log2_spread)
    bound, _ = b_max(m, n, errors, log_level - bits * _LN2)
    # the codes are alike for all classes, so no labelling has more than a share of 1/n_classes; so
    # many errors cannot lower the bound even at that
    most = log_level - math.log(n_classes)
    hopeless = m + 1
    low = fewest
    while low < hopeless:
        middle = (low + hopeless) // 2
        if log_bucket(m, n, min(middle, m), bound) >= most:
            hopeless = middle
        else:
            low = middle + 1
    labels = np.empty(c, dtype=np.int32)
    gains = np.empty(c, dtype=np.int64)
    for default in range(n_classes):
        for i in range(c):
            gains[i] = counts[i, majority[i]] - counts[i, default]
        by_gain = np.argsort(-gains, kind="mergesort")
        for family in range(2):
            trial_errors = fewest + gains.sum()
            histogram[:] = 0
            histogram[default] = c
            labels[:] = default
            for j in range(c + 1):
                if j > 0:
                    i = by_gain[j - 1] if family == 0 else order[j - 1]
                    if gains[i] == 0:
                        continue
                    trial_errors -= gains[i]
                    labels[i] = majority[i]
                    histogram[default] -= 1
                    histogram[majority[i]] += 1
                if trial_errors >= hopeless:
                    continue
                lead = _lead_of(labels, order)
                trial_bits = mixed_label_bits(histogram, lead, log2_factorial, log2_spread)
                if bound == 0 or (trial_errors >= errors and trial_bits >= bits):
                    continue
                level = log_level - trial_bits * _LN2
                if log_bucket(m, n, trial_errors, bound) < level:
                    bound, _ = b_max(m, n, trial_errors, level)
                    errors, bits = trial_errors, trial_bits
                    for i in range(c):  # assigning an array takes seconds to compile
                        out[i] = labels[i]
    return errors, bits


@njit(cache=True, nogil=True)
def label_clusterings(
    codes,
    labelled,
    classes,
    n_classes,
    offsets,
    rank,
    mixed,
    log_levels,
    log2_factorial,
    log2_spread,
):
    """Label every cluster of every clustering.

    ``codes`` (M, n) have -1 for excluded objects. ``labelled`` are positions of the labelled
    objects, ``classes`` their classes. Clusters of row r are ``offsets[r]:offsets[r + 1]``. Returns
    labels of the clusters, errors, bits of the labels, judged labelled objects, judged unlabelled
    ones, and the judged labelled objects per class.
    """
    M = codes.shape[0]
    labels = np.empty(offsets[M], dtype=np.int32)
    errors = np.empty(M, dtype=np.int64)
    bits = np.empty(M, dtype=np.float64)
    ms = np.empty(M, dtype=np.int64)
    ns = np.empty(M, dtype=np.int64)
    per_class = np.zeros((M, n_classes), dtype=np.int64)
    log2_classes = math.log2(n_classes)
    for r in range(M):
        c = offsets[r + 1] - offsets[r]
        counts = np.zeros((c, n_classes), dtype=np.int64)
        sizes = np.zeros(c, dtype=np.int64)
        turn = np.empty(c, dtype=np.int64)
        seen = 0
        for i in codes[r]:
            if i >= 0:
                if sizes[i] == 0:
                    turn[i] = seen
                    seen += 1
                sizes[i] += 1
        for s in range(len(labelled)):
            i = codes[r, labelled[s]]
            if i >= 0:
                counts[i, classes[s]] += 1
                per_class[r, classes[s]] += 1
        m = per_class[r].sum()
        n = sizes.sum() - m
        out = labels[offsets[r] : offsets[r + 1]]
        if mixed:
            order = np.argsort(turn - sizes * c, kind="mergesort")
            errors[r], bits[r] = best_mixed_labelling(
                counts, order, rank, turn, m, n, log_levels[r], log2_factorial, log2_spread, out
            )
        else:
            errors[r] = _majority(counts, rank, turn, out)
            bits[r] = c * log2_classes
        ms[r], ns[r] = m, n
    return labels, errors, bits, ms, ns, per_class


@njit(cache=True, nogil=True)
def rows_by_first_appearance(codes, n_clusters):
    """Each row with its clusters renumbered in the order they appear, in place."""
    for r in range(codes.shape[0]):
        number = np.full(n_clusters[r], -1, dtype=codes.dtype)
        seen = 0
        for i in range(codes.shape[1]):
            c = codes[r, i]
            if c >= 0:
                if number[c] < 0:
                    number[c] = seen
                    seen += 1
                codes[r, i] = number[c]
