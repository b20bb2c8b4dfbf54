"""Counting: integer labels to codes, and pairs of codes to cells of a contingency table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


def encode(labels: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Codes and distinct labels, sorted if a table can be used, otherwise hashed."""
    low, high = int(labels.min()), int(labels.max())
    if high - low < max(labels.size // 2, 1 << 16):
        return _encode_by_range(labels, low, high - low + 1)
    return _encode_by_hash(labels)


@njit(cache=True, nogil=True)
def _encode_by_range(labels, low, width):
    """Codes in label order by a table of ``width`` entries, and the distinct labels."""
    place = np.zeros(width, np.int32)
    k = 0
    for i in range(labels.size):
        k += 1 - place[labels[i] - low]
        place[labels[i] - low] = 1
        if k == width:
            break
    values = np.empty(k, np.int64)
    codes = np.empty(labels.size, np.int32)
    if k == width:  # the labels are codes already, except for their start
        for v in range(width):
            values[v] = v + low
        for i in range(labels.size):
            codes[i] = labels[i] - low
        return codes, values
    k = 0
    for v in range(width):
        if place[v]:
            values[k] = v + low
            place[v] = k
            k += 1
    for i in range(labels.size):
        codes[i] = place[labels[i] - low]
    return codes, values


@njit(cache=True, nogil=True)
def _slot(label, shift):
    """Slot of a label by Fibonacci hashing: high bits of its product with 2^64 / golden ratio."""
    return np.int64((np.uint64(label) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(shift))


@njit(cache=True, nogil=True)
def _encode_by_hash(labels):
    """Codes by first appearance by open addressing, and the distinct labels in that order."""
    bits = 12
    owner = np.full(1 << bits, -1, np.int32)
    values = np.empty(1 << (bits - 1), np.int64)
    k = 0
    codes = np.empty(labels.size, np.int32)
    for i in range(labels.size):
        label = np.int64(labels[i])
        at = _slot(label, 64 - bits)
        while owner[at] >= 0 and values[owner[at]] != label:
            at = (at + 1) & (owner.size - 1)
        if owner[at] < 0:
            if k == values.size:
                bits += 1
                grown = np.empty(2 * k, np.int64)
                for code in range(k):  # assigning a slice takes a second longer to compile
                    grown[code] = values[code]
                values = grown
                owner = np.full(1 << bits, -1, np.int32)
                for code in range(k):
                    at = _slot(values[code], 64 - bits)
                    while owner[at] >= 0:
                        at = (at + 1) & (owner.size - 1)
                    owner[at] = code
                at = _slot(label, 64 - bits)
                while owner[at] >= 0:
                    at = (at + 1) & (owner.size - 1)
            owner[at] = k
            values[k] = label
            k += 1
        codes[i] = owner[at]
    return codes, values[:k].copy()


@njit(cache=True, nogil=True)
def count_dense(true, pred, table):
    """Count objects in the cells of ``table``, labels from -1; False for a label outside it."""
    height, width = table.shape
    for i in range(true.size):
        row = true[i] + 1
        column = pred[i] + 1
        if row < 0 or row >= height or column < 0 or column >= width:
            return False
        table[row, column] += 1
    return True


@njit(cache=True, nogil=True)
def count_sparse(true, k_true, pred, k_pred):
    """Occupied cells in row-major order, O(n + cells log cells), for tables too wide to store."""
    start = np.zeros(k_true + 1, np.int64)
    for i in range(true.size):
        start[true[i] + 1] += 1
    for c in range(k_true):
        start[c + 1] += start[c]
    place = start[:-1].copy()
    ordered = np.empty(true.size, np.int32)
    for i in range(true.size):
        ordered[place[true[i]]] = pred[i]
        place[true[i]] += 1
    tally = np.zeros(k_pred, np.int64)
    rows = np.empty(true.size, np.int64)
    columns = np.empty(true.size, np.int64)
    counts = np.empty(true.size, np.int64)
    cells = 0
    for c in range(k_true):
        first = cells
        for i in range(start[c], start[c + 1]):
            if tally[ordered[i]] == 0:
                columns[cells] = ordered[i]
                cells += 1
            tally[ordered[i]] += 1
        columns[first:cells].sort()
        for cell in range(first, cells):
            rows[cell] = c
            counts[cell] = tally[columns[cell]]
            tally[columns[cell]] = 0
    return rows[:cells].copy(), columns[:cells].copy(), counts[:cells].copy()


@njit(cache=True, nogil=True)
def count_many(true, labelings, k_pred, offsets, tables):
    """Tables of one clustering against M; table m begins at ``offsets[m]`` in ``tables``.

    Codes of -1 on either side are excluded.
    """
    for m in range(labelings.shape[0]):
        width = k_pred[m]
        base = offsets[m]
        row = labelings[m]
        for i in range(true.size):
            if true[i] >= 0 and row[i] >= 0:
                tables[base + true[i] * width + row[i]] += 1
