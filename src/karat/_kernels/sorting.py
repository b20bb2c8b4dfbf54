"""Sorting within kernels; each one that calls NumPy's takes a second longer to compile."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def sort_first(x, n):
    """Sort the first ``n`` numbers, ascending: heapsort (Williams 1964), O(n log n)."""
    start, end = n // 2, n
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            x[0], x[end] = x[end], x[0]
        root = start
        while True:
            child = 2 * root + 1
            if child >= end:
                break
            if child + 1 < end and x[child] < x[child + 1]:
                child += 1
            if x[root] >= x[child]:
                break
            x[root], x[child] = x[child], x[root]
            root = child
