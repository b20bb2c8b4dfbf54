"""Nearest representatives of rows, by cells around anchors; sums of the rows of clusters."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _nearest(row, X, labels, starts, lower, first, excluded, enough):
    """Squared distance and label of the nearest object whose label is not excluded.

    Cells that cannot have a nearer object are skipped. The search ends at ``enough``.
    """
    best, label = np.inf, -2
    for step in range(len(lower)):
        # the cell of the nearest anchor comes first
        cell = first if step == 0 else step if step > first else step - 1
        if lower[cell] * lower[cell] > best:
            continue
        for i in range(starts[cell], starts[cell + 1]):
            if labels[i] == excluded:
                continue
            distance = 0.0
            for j in range(len(row)):
                difference = row[j] - X[i, j]
                distance += difference * difference
            if distance < best or (distance == best and labels[i] < label):
                best, label = distance, labels[i]
                if best <= enough:
                    return best, label
    return best, label


@njit(cache=True, nogil=True)
def place_rows(Z, centers, X, labels, starts, anchors, radii, limits, by_centers):
    """Label, margin, unlikeness and distance to the centre of each row.

    ``X`` are representatives in the order of their cells; the objects of cell ``c`` are
    ``starts[c]`` to ``starts[c + 1]``, no farther from ``anchors[c]`` than ``radii[c]``.
    """
    m, d = Z.shape
    k, n_cells = centers.shape[0], anchors.shape[0]
    out = np.empty(m, np.int32)
    margins, distances = np.empty(m), np.empty(m)
    unlike = np.empty(m, np.bool_)
    to_centers, lower = np.empty(k), np.empty(n_cells)
    least = limits.min()
    # typed, for a constant has a type of its own and functions compile anew for each
    any_label, noise = np.int64(-2), np.int64(-1)
    for i in range(m):
        row = Z[i]
        for c in range(k):
            squared = 0.0
            for j in range(d):
                difference = row[j] - centers[c, j]
                squared += difference * difference
            to_centers[c] = np.sqrt(squared)
        first, smallest = np.int64(0), np.inf
        for c in range(n_cells):
            squared = 0.0
            for j in range(d):
                difference = row[j] - anchors[c, j]
                squared += difference * difference
            if squared < smallest:
                first, smallest = np.int64(c), squared
            # a hair less, because these distances are rounded
            lower[c] = max(np.sqrt(squared) * (1 - 1e-12) - radii[c], 0.0)
        if by_centers:
            home = np.int64(0)
            for c in range(1, k):
                if to_centers[c] < to_centers[home]:
                    home = np.int64(c)
            following = np.inf
            for c in range(k):
                if c != home and to_centers[c] < following:
                    following = to_centers[c]
            nearest = to_centers[home]
            # any object that is near enough for every cluster will do
            squared, label = _nearest(row, X, labels, starts, lower, first, noise, least * least)
            unlike[i] = np.sqrt(squared) > limits[max(label, 0)] * (1 + 1e-9)
        else:
            squared, home = _nearest(row, X, labels, starts, lower, first, any_label, -1.0)
            nearest = np.sqrt(squared)
            squared, label = _nearest(row, X, labels, starts, lower, first, home, -1.0)
            following = np.sqrt(squared)
            member = nearest if home >= 0 else following
            cluster = home if home >= 0 else label
            unlike[i] = member > limits[max(cluster, 0)] * (1 + 1e-9)
        if following == np.inf:
            margins[i] = 1.0
        elif following == 0:
            margins[i] = 0.0
        else:
            margins[i] = min(max(1 - nearest / following, 0.0), 1.0)
        out[i] = home
        distances[i] = to_centers[home] if home >= 0 else np.nan
    return out, margins, unlike, distances


@njit(cache=True, nogil=True)
def add_rows(Z, labels, distances, centers, counts, sums, squares, spreads):
    """Add the rows to the counts, sums and sums of squares of their clusters, about the centres."""
    for i in range(Z.shape[0]):
        c = labels[i]
        if c < 0:
            continue
        counts[c] += 1
        spreads[c] += distances[i]
        for j in range(Z.shape[1]):
            value = Z[i, j] - centers[c, j]
            sums[c, j] += value
            squares[c, j] += value * value
