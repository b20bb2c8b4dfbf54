"""Tiles of distances: R rows against a strip of B columns.

A strip is stored feature-major, ``strip[f, j]``, so that the inner loop runs over its columns.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# no "nnan", "ninf": infinite 1/d² must stay infinite
FAST = {"contract", "reassoc", "nsz"}

SQUARED, CITYBLOCK, CHEBYSHEV = range(3)


@njit(inline="always", error_model="numpy")
def _direct(kind, Z, r0, r1, strip, out):
    """Distances of two rows at a time, to load the strip once; the last may be single."""
    d, B = strip.shape
    spare = np.empty(B)
    for i in range(r0, r1, 2):
        alone = i + 1 == r1
        o, p = out[i - r0], spare if alone else out[i + 1 - r0]
        x, y = Z[i], Z[i] if alone else Z[i + 1]
        for j in range(B):
            o[j] = 0.0
            p[j] = 0.0
        f = 0
        while f + 4 <= d and kind == SQUARED:
            a0, a1, a2, a3 = x[f], x[f + 1], x[f + 2], x[f + 3]
            b0, b1, b2, b3 = y[f], y[f + 1], y[f + 2], y[f + 3]
            s0, s1, s2, s3 = strip[f], strip[f + 1], strip[f + 2], strip[f + 3]
            for j in range(B):
                t0, t1, t2, t3 = a0 - s0[j], a1 - s1[j], a2 - s2[j], a3 - s3[j]
                u0, u1, u2, u3 = b0 - s0[j], b1 - s1[j], b2 - s2[j], b3 - s3[j]
                o[j] = (((o[j] + t0 * t0) + t1 * t1) + t2 * t2) + t3 * t3
                p[j] = (((p[j] + u0 * u0) + u1 * u1) + u2 * u2) + u3 * u3
            f += 4
        while f < d:
            a, b, s = x[f], y[f], strip[f]
            for j in range(B):
                t, u = abs(a - s[j]), abs(b - s[j])
                if kind == SQUARED:
                    o[j] += t * t
                    p[j] += u * u
                elif kind == CITYBLOCK:
                    o[j] += t
                    p[j] += u
                else:
                    o[j] = max(o[j], t)
                    p[j] = max(p[j], u)
            f += 1


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def direct_tile(kind, Z, r0, r1, strip, out):
    """Distances of rows r0..r1 of Z to the strip, from differences of coordinates."""
    _direct(kind, Z, r0, r1, strip, out)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=False)
def exact_tile(kind, Z, r0, r1, strip, out):
    """Distances with features added strictly in order and without fused operations.

    Ties are therefore the same on every machine.
    """
    _direct(kind, Z, r0, r1, strip, out)


#: tuned: by eye; share of |x|² + |y|² below which a squared distance from a product is computed
#: directly
CANCELLED = 1e-3


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def squares_from_products(tile, r0, norms, j0, Z):
    """Turn inner products into squared distances; directly where the subtraction cancels."""
    R, B = tile.shape
    d = Z.shape[1]
    for r in range(R):
        row, norm = tile[r], norms[r0 + r]
        close = 0
        for j in range(B):
            norm_sum = norm + norms[j0 + j]
            value = norm_sum - 2.0 * row[j]
            row[j] = value
            close += value < CANCELLED * norm_sum
        if close:
            for j in range(B):
                if row[j] < CANCELLED * (norm + norms[j0 + j]):
                    total = 0.0
                    for f in range(d):
                        t = Z[r0 + r, f] - Z[j0 + j, f]
                        total += t * t
                    row[j] = total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def sparse_products(indptr, indices, data, r0, r1, strip, out):
    """Inner products of CSR rows with a dense strip."""
    B = strip.shape[1]
    out[: r1 - r0] = 0.0
    for i in range(r0, r1):
        o = out[i - r0]
        for e in range(indptr[i], indptr[i + 1]):
            a, s = data[e], strip[indices[e]]
            for j in range(B):
                o[j] += a * s[j]


@njit(cache=True, nogil=True, error_model="numpy")
def list_products(indptr, indices, data, r0, r1, starts, rows, values, out):
    """Inner products of CSR rows with rows stored as CSC columns."""
    out[: r1 - r0] = 0.0
    for i in range(r0, r1):
        o = out[i - r0]
        for e in range(indptr[i], indptr[i + 1]):
            a, j = data[e], indices[e]
            for at in range(starts[j], starts[j + 1]):
                o[rows[at]] += a * values[at]


@njit(cache=True, nogil=True, error_model="numpy")
def sparse_squares_from_products(tile, r0, norms, j0, indptr, indices, data):
    """Turn inner products of CSR rows, with sorted indices, into squared distances."""
    R, B = tile.shape
    for r in range(R):
        row, norm = tile[r], norms[r0 + r]
        for j in range(B):
            norm_sum = norm + norms[j0 + j]
            value = norm_sum - 2.0 * row[j]
            if value < CANCELLED * norm_sum:
                value = 0.0
                a, a_end = indptr[r0 + r], indptr[r0 + r + 1]
                b, b_end = indptr[j0 + j], indptr[j0 + j + 1]
                while a < a_end or b < b_end:
                    if b >= b_end or (a < a_end and indices[a] < indices[b]):
                        t = data[a]
                        a += 1
                    elif a >= a_end or indices[b] < indices[a]:
                        t = data[b]
                        b += 1
                    else:
                        t = data[a] - data[b]
                        a += 1
                        b += 1
                    value += t * t
            row[j] = value


@njit(cache=True, nogil=True, error_model="numpy")
def kullback_leibler_tile(P, r0, r1, c0, c1, symmetric, out):
    """KL divergence of each column object from each row object (or the sum of both ways)."""
    d = P.shape[1]
    for i in range(r0, r1):
        for j in range(c0, c1):
            total = 0.0
            for f in range(d):
                p, q = P[j, f], P[i, f]
                if p > 0.0:
                    total += p * np.log(p / q) if q > 0.0 else np.inf
                if symmetric and q > 0.0:
                    total += q * np.log(q / p) if p > 0.0 else np.inf
            out[i - r0, j - c0] = max(total, 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def gathered_tile(D, order, r0, r1, j0, j1, out):
    """Distances from the objects order[j0:j1] (columns) to order[r0:r1] (rows), from a matrix."""
    for j in range(j0, j1):
        line = D[order[j]]
        for r in range(r0, r1):
            out[r - r0, j - j0] = line[order[r]]
