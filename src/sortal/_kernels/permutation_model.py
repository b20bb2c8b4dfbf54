"""Moments of contingency cells under the permutation model.

Both margins are fixed. The cell of a class of size ``a`` and a cluster of size ``b`` is
hypergeometric with mean ``mu = ab/n``. All sums run over its *deviance* ``x log(x/mu) - (x - mu)``:
its expectation is that of ``x log(x/mu)``, and no term is negative, so nothing cancels.
Probabilities start as 1 at the mode and follow by ratios; dividing by their sum makes them exact
without one factorial.
"""

import math

import numpy as np
from numba import njit

# logarithms of the small counts that fill sparse tables
LOGS = np.concatenate([[0.0], np.log(np.arange(1, 1024))])


@njit(cache=True, nogil=True, inline="always")
def deviance(x, mu):
    """``x log(x/mu) - (x - mu)``, at least 0, accurate near ``x = mu``."""
    if x == 0:
        return mu
    delta = (x - mu) / mu
    if abs(delta) > 0.125:
        return x * math.log(x / mu) - (x - mu)
    # log(1 + delta) = 2 artanh(r): the terms of lower order cancel in symbols, not in floats
    r = delta / (2 + delta)
    s = r * r
    series = s * (
        1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * (1 / 11 + s * (1 / 13 + s / 15)))))
    )
    return mu * delta * (r + (1 + r) * series)


@njit(cache=True, nogil=True, inline="always")
def _deviance_of_count(x, mu, log_mu):
    """Deviance of an integer x, by tabulated logarithms where possible."""
    if 0 < x < LOGS.size and abs(x - mu) > 0.125 * mu:
        return x * (LOGS[x] - log_mu) - (x - mu)
    return deviance(np.float64(x), mu)


@njit(cache=True, nogil=True, inline="always")
def _stirling(x):
    """Error of Stirling's formula for log x!, to 1e-16 for x >= 16."""
    s = 1 / (x * x)
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / x


@njit(cache=True, nogil=True, inline="always")
def _spread(n, a, b):
    """Standard deviation of a cell, 0 unless all four cells stay above 16 within 12 of them."""
    middle = np.float64(a) * b / n
    sd = math.sqrt(middle * (n - a) / n * (n - b) / max(n - 1, 1))
    least = min(middle, a - middle, b - middle, n - a - b + middle)
    return sd if sd >= 8 and least > 12 * sd + 20 else 0.0


@njit(cache=True, nogil=True, inline="always")
def _weight(n, a, b, x):
    """Probability of ``x`` up to a factor, from Stirling's formula in deviances (Loader 2000)."""
    log_p = 0.0
    product = 1.0
    for cell, size in (
        (np.float64(x), np.float64(a) * b),
        (np.float64(a - x), np.float64(a) * (n - b)),
        (np.float64(b - x), np.float64(n - a) * b),
        (np.float64(n - a - b + x), np.float64(n - a) * (n - b)),
    ):
        mean = size / n
        log_p -= deviance(cell, mean) + _stirling(cell)
        product *= cell / mean
    return math.exp(log_p) / math.sqrt(product)


@njit(cache=True, nogil=True)
def _mean_deviance_smooth(n, a, b, mu, sd):
    """Mean deviance for cells of wide spread, from every (sd/2)-th x.

    A hypergeometric x is a sum of independent indicators, so its characteristic function at
    frequency 2 pi/step, which is what the sum over every step-th x gets wrong, is below
    exp(-2 (pi sd/step)^2), here e^-79.
    """
    centre = np.int64(np.float64(a) * b / n)
    step = np.int64(sd / 2)
    total = 0.0
    mean = 0.0
    for k in range(-23, 24):
        x = centre + k * step
        p = _weight(n, a, b, x)
        total += p
        mean += p * deviance(np.float64(x), mu)
    return mean / total


@njit(cache=True, nogil=True)
def mean_deviance(n, a, b, mu):
    """Mean of ``deviance(x, mu)`` for x of ``b`` draws from ``n`` with ``a`` marked."""
    sd = _spread(n, a, b)
    if sd > 0:
        return _mean_deviance_smooth(n, a, b, mu, sd)
    low = max(0, a + b - n)
    high = min(a, b)
    mode = min(max(np.int64((a + 1.0) * (b + 1.0) / (n + 2.0)), low), high)
    log_mu = math.log(mu)
    total = 1.0
    mean = _deviance_of_count(mode, mu, log_mu)
    p = 1.0
    for x in range(mode, high):
        p *= (np.float64(a - x) * (b - x)) / (np.float64(x + 1) * (n - a - b + x + 1))
        term = p * _deviance_of_count(x + 1, mu, log_mu)
        total += p
        mean += term
        if p < 1e-15 * total and term < 1e-15 * mean:
            break
    p = 1.0
    for x in range(mode, low, -1):
        p *= (np.float64(x) * (n - a - b + x)) / (np.float64(a - x + 1) * (b - x + 1))
        term = p * _deviance_of_count(x - 1, mu, log_mu)
        total += p
        mean += term
        if p < 1e-15 * total and term < 1e-15 * mean:
            break
    return mean / total


@njit(cache=True, nogil=True)
def mean_deviances(a, b, n):
    """Mean deviance for each pair of a class size and a cluster size."""
    out = np.empty((a.size, b.size))
    for i in range(a.size):
        for j in range(b.size):
            out[i, j] = mean_deviance(n, a[i], b[j], np.float64(a[i]) * b[j] / n)
    return out


@njit(cache=True, nogil=True)
def sum_deviance(rows, columns, counts, row_sums, column_sums, n):
    """Sum of the deviances of the non-empty cells, and of their means."""
    total = 0.0
    means = 0.0
    for cell in range(counts.size):
        mu = np.float64(row_sums[rows[cell]]) * column_sums[columns[cell]] / n
        total += deviance(np.float64(counts[cell]), mu)
        means += mu
    return total, means


@njit(cache=True, nogil=True)
def _others(n, taken, drawn, sizes, many, skipped, cluster_size, expected):
    """Sum over the other classes of the mean deviance in a partly known cluster.

    Of ``n`` objects ``taken`` are excluded; ``drawn`` of the rest form the cluster, whose whole
    size is ``cluster_size``. ``expected`` has each class's unconditional mean.
    """
    total = 0.0
    for i in range(sizes.size):
        times = many[i] - (1 if i == skipped else 0)
        if times:
            mu = np.float64(sizes[i]) * cluster_size / n
            total += times * (mean_deviance(n - taken, sizes[i], drawn, mu) - expected[i])
    return total


@njit(cache=True, nogil=True)
def variance_of_row(i, a, many_a, b, many_b, n, expected):
    """The part of the variance of the summed deviance that belongs to class size ``a[i]``.

    Given one cell, the rest of its row and the rest of its column are independent. Cells in
    different rows and columns are linked through the corner between them. So the second moment of
    the sum is, over all cells x, that of (x + rest of column)(x + rest of row).
    """
    out = 0.0
    for j in range(b.size):
        mu = np.float64(a[i]) * b[j] / n
        low = max(0, a[i] + b[j] - n)
        high = min(a[i], b[j])
        x = min(max(np.int64((a[i] + 1.0) * (b[j] + 1.0) / (n + 2.0)), low), high)
        # every 0.8 sd of a wide cell errs by e^-30, see _mean_deviance_smooth
        step = max(int(0.8 * _spread(n, a[i], b[j])), 1)
        total = 0.0
        moment = 0.0
        for direction in (step, -step):
            p = 1.0
            at = x
            while low <= at <= high:
                if at != x or direction > 0:
                    f = deviance(np.float64(at), mu) - expected[i, j]
                    column = _others(n, a[i], b[j] - at, a, many_a, i, b[j], expected[:, j])
                    row = _others(n, b[j], a[i] - at, b, many_b, j, a[i], expected[i])
                    total += p
                    moment += p * (f + column) * (f + row)
                    if p < 1e-14 and abs(p * (f + column) * (f + row)) < 1e-13 * abs(moment):
                        break
                if step > 1:
                    at += direction
                    p = _weight(n, a[i], b[j], at) / _weight(n, a[i], b[j], x)
                    continue
                if direction == 1:
                    p *= (np.float64(a[i] - at) * (b[j] - at)) / (
                        np.float64(at + 1) * (n - a[i] - b[j] + at + 1)
                    )
                else:
                    p *= (np.float64(at) * (n - a[i] - b[j] + at)) / (
                        np.float64(a[i] - at + 1) * (b[j] - at + 1)
                    )
                at += direction
        out += many_b[j] * moment / total
    return many_a[i] * out
