"""Slow, obvious versions of the bounds, written from their definitions in exact arithmetic."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from math import comb, factorial, prod

import mpmath


def bucket(m: int, n: int, a: int, b: int) -> Fraction:
    """The defining sum: at least b blue of a + b balls from m red and n blue."""
    ways = sum(comb(n, t) * comb(m, a + b - t) for t in range(b, a + b + 1))
    return Fraction(ways, comb(m + n, a + b))


def buckets(m: int, n: int, a: int) -> list[Fraction]:
    """All b at once, through the blue balls met before red ball a + 1."""
    if a >= m:
        return [Fraction(1)] * (n + 1)
    total = comb(m + n, n)
    tail, out = 0, []
    for b in range(n, -1, -1):
        tail += comb(a + b, b) * comb(m + n - a - b - 1, n - b)
        out.append(Fraction(tail, total))
    return out[::-1]


def b_max(m: int, n: int, a: int, delta: Fraction) -> int:
    return max(b for b, p in enumerate(buckets(m, n, a)) if p >= delta)


def log_tail(m: int, n: int, a: int, b: int, digits: int = 60) -> mpmath.mpf:
    """log bucket to many digits, for counts that no fraction can hold."""
    with mpmath.workdps(digits):
        if b <= 0 or a >= m:
            return mpmath.mpf(0)

        def log_comb(x: int, y: int) -> mpmath.mpf:
            return mpmath.loggamma(x + 1) - mpmath.loggamma(y + 1) - mpmath.loggamma(x - y + 1)

        D = a + b

        def total(start: int, steps: range) -> mpmath.mpf:
            term = mpmath.mpf(1)
            result = mpmath.mpf(0)
            t = start
            for nxt in steps:
                result += term
                if nxt > t:
                    term *= mpmath.mpf((n - t) * (D - t)) / ((t + 1) * (m - D + t + 1))
                else:
                    term *= mpmath.mpf(t * (m - D + t)) / ((n - t + 1) * (D - t + 1))
                t = nxt
                if term < result * mpmath.mpf(10) ** -digits:
                    break
            return result

        def first(t: int) -> mpmath.mpf:
            return log_comb(n, t) + log_comb(m, D - t) - log_comb(m + n, D)

        if b * m >= a * n:
            return first(b) + mpmath.log(total(b, range(b + 1, min(n, D) + 2)))
        low = max(0, D - m)
        below = mpmath.exp(first(b - 1)) * total(b - 1, range(b - 2, low - 2, -1))
        return mpmath.log1p(-below)


def errors(labels: list[int], classes: list[object]) -> int:
    """Labelled objects that the majority of their cluster outvotes; None: not labelled."""
    wrong = 0
    for cluster in set(labels):
        votes = Counter(
            y for c, y in zip(labels, classes, strict=True) if c == cluster and y is not None
        )
        if votes:
            wrong += sum(votes.values()) - max(votes.values())
    return wrong


def label_shares(labels: tuple[int, ...], n_classes: int) -> list[Fraction]:
    """Shares of cluster labels, the largest cluster's first, in the five codes of Mixed."""
    c, counts = len(labels), Counter(labels)
    histograms = comb(c + n_classes - 1, n_classes - 1)
    vectors = factorial(c) // prod(factorial(h) for h in counts.values())
    default = leading = Fraction(1)
    if n_classes > 1:
        exceptions = [c - counts[t] for t in range(n_classes)]
        words = [comb(c, j) * (n_classes - 1) ** j for j in exceptions]
        default = sum(Fraction(1, w) for w in words) / (n_classes * (c + 1))
        lead = max((i + 1 for i in range(c) if labels[i] != labels[-1]), default=0)
        last = n_classes - 1 if lead else 1
        leading = Fraction(1, c * n_classes ** max(lead, 1) * last)
    used = min(c, n_classes)
    onto = sum((-1) ** i * comb(used, i) * (used - i) ** c for i in range(used + 1))
    spread = Fraction(int(len(counts) == used), comb(n_classes, used) * onto)
    return [Fraction(1, n_classes**c), Fraction(1, histograms * vectors), default, leading, spread]


def false_stop(N: int, E: int, checks: list[int], target: Fraction) -> Fraction:
    """Chance to stop while more than the target are wrong, over all orders of E wrong of N."""
    orders = list(itertools.combinations(range(N), E))
    false = 0
    for wrong in orders:
        for k, t in enumerate(checks):
            if sum(i < t for i in wrong) <= k:
                false += E - sum(i < t for i in wrong) > target * (N - t)
                break
    return Fraction(false, len(orders))


def false_stop_by_steps(N: int, E: int, checks: list[int], target: Fraction) -> Fraction:
    """The same, one label at a time."""
    chances, false = {0: Fraction(1)}, Fraction(0)
    for t in range(1, N + 1):
        after: dict[int, Fraction] = {}
        for x, p in chances.items():
            for error, share in (
                (1, Fraction(E - x, N - t + 1)),
                (0, 1 - Fraction(E - x, N - t + 1)),
            ):
                if share > 0:
                    after[x + error] = after.get(x + error, Fraction(0)) + p * share
        k = sum(check <= t for check in checks) - 1
        false += sum(
            (p for x, p in after.items() if x <= k and E - x > target * (N - t)), Fraction(0)
        )
        chances = {x: p for x, p in after.items() if x > k}
    return false
