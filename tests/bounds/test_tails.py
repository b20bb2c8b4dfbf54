"""bucket and b_max against exact rational and many-digit arithmetic."""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_bounds as naive
from example_counts import examples
from sortal import InputError
from sortal.bounds import b_max, bucket, log_bucket

DELTAS = (0.1, 0.05, 0.5, 0.25, 0.9, 1e-4, 1e-12, 1.0, 1 - 2.0**-53)


def test_recurrence_of_the_oracle_is_the_definition() -> None:
    for m in range(6):
        for n in range(6):
            for a in range(m + 1):
                assert naive.buckets(m, n, a) == [naive.bucket(m, n, a, b) for b in range(n + 1)]


@pytest.mark.parametrize("most", [22, pytest.param(40, marks=pytest.mark.long)])
def test_b_max_and_bucket_are_exact(most: int) -> None:
    worst = 0.0
    for m in range(most + 1):
        for n in range(most + 1):
            tails = [naive.buckets(m, n, a) for a in range(m + 1)]
            a = np.arange(m + 1)
            got = b_max(m, n, a[:, None], np.array(DELTAS)[None, :])
            for i, falling in enumerate(tails):
                rising = falling[::-1]
                for j, delta in enumerate(DELTAS):
                    # the largest b whose tail is at least delta
                    want = n - bisect_left(rising, Fraction(delta))
                    assert got[i, j] == want, (m, n, i, delta)
            logs = log_bucket(m, n, a[:, None], np.arange(n + 1)[None, :])
            exact = np.array([[float(p) for p in falling] for falling in tails])
            worst = max(worst, float(np.abs(np.exp(logs) / exact - 1).max()))
    assert worst < 1e-13


def test_ties_are_decided_exactly() -> None:
    # by symmetry P[at most a red of 2a + 1] is exactly 1/2 where m = n
    for m in (3, 40, 1000, 10**5, 10**7):
        a = m // 3
        assert b_max(m, m, a, 0.5) == a + 1
        assert b_max(m, m, a, float(np.nextafter(0.5, 1))) == a
    assert b_max(3, 2, 0, 0.1) == 1  # the tail of 2 is 1/10, just below the float 0.1


@pytest.mark.quick(1)
@pytest.mark.parametrize("size", [50, 2000, 10**5, 10**7])
def test_next_float_to_a_tail_is_told_from_it(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(12 if size < 10**7 else 4):  # their oracle sums millions of terms
        m, n = (int(rng.integers(size // 2, size + 1)) for _ in range(2))
        a = int(m * rng.uniform(0, 0.4) ** 2)
        center = n * (a + 1) / (m + 2)
        width = math.sqrt(center + 1)
        b = int(np.clip(center + rng.uniform(-2, 9) * width, 1, n))
        exact = naive.log_tail(m, n, a, b)
        for log_delta in (
            float(exact),
            float(np.nextafter(float(exact), 0)),
            float(np.nextafter(float(exact), -math.inf)),
        ):
            got = b_max(m, n, a, log_delta=log_delta)
            assert (got >= b) == (exact >= mpmath.mpf(log_delta)), (m, n, a, b, log_delta)


def test_large_counts_and_deep_confidences_agree_with_many_digits() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        m = int(10 ** rng.uniform(2, 7))
        n = int(10 ** rng.uniform(2, 7))
        a = int(m * rng.uniform(0, 0.5) ** 2)
        log_delta = -float(10 ** rng.uniform(-1, math.log10(1e5 * math.log(2))))
        b = b_max(m, n, a, log_delta=log_delta)
        assert naive.log_tail(m, n, a, b) >= log_delta
        if b < n:
            assert naive.log_tail(m, n, a, b + 1) < log_delta


def test_where_bisection_over_scipy_goes_wrong() -> None:
    assert b_max(10**5, 10**5, 5 * 10**4, 1e-300) == 58_251
    assert b_max(10**7, 10**7, 10**6, log_delta=-1e5 * math.log(2)) == 1_553_758
    for b, sign in ((1_553_758, 1), (1_553_759, -1)):
        gap = naive.log_tail(10**7, 10**7, 10**6, b) + mpmath.mpf(1e5 * math.log(2))
        assert gap * sign > 0


def test_published_values() -> None:
    rates = [
        100 * b_max(m, n, a, 0.1 / words) / n
        for m, n, a, words in [
            (1500, 1500, 398, 3**3),
            (1500, 1500, 398, 10 * 3**3),
            (1499, 1500, 42, 10 * 3**3 * 3 * 2),
            (1499, 1500, 42, 10 * 3**3 * 3 * 2 * 6),
            (1500, 1500, 45, 3**3),
            (1430, 1430, 5, 10 * 2**2 * 2 * 1 * 6),
        ]
    ]
    assert [round(rate, 2) for rate in rates] == [31.0, 32.2, 5.67, 6.0, 4.93, 1.68]


counts = st.tuples(st.integers(1, 3000), st.integers(1, 3000)).flatmap(
    lambda mn: st.tuples(st.just(mn[0]), st.just(mn[1]), st.integers(0, mn[0] - 1))
)


@examples(150)
@given(counts, st.floats(-4000, -0.01))
def test_monotone(mna: tuple[int, int, int], log_delta: float) -> None:
    m, n, a = mna
    here = b_max(m, n, a, log_delta=log_delta)
    assert 0 <= here <= n
    assert b_max(m + 1, n, a, log_delta=log_delta) <= here
    assert here <= b_max(m, n + 1, a, log_delta=log_delta) <= here + 1
    assert here <= b_max(m, n, a + 1, log_delta=log_delta)
    assert here <= b_max(m, n, a, log_delta=1.1 * log_delta)
    if here < n:
        assert log_bucket(m, n, a, here + 1) < log_delta
    assert log_bucket(m, n, a, here) >= log_delta * (1 + 1e-12)


def test_scalars_and_arrays_are_one() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 300, 50)
    log_delta = -rng.uniform(0.1, 2000, 50)
    many = b_max(300, 4000, a, log_delta=log_delta)
    assert many.dtype == np.int64
    scalars = [
        b_max(300, 4000, int(x), log_delta=float(y)) for x, y in zip(a, log_delta, strict=True)
    ]
    assert many.tolist() == scalars
    assert isinstance(scalars[0], int)
    assert isinstance(bucket(5, 5, 1, 2), float)
    assert b_max(30, 40, [[1], [2]], [0.1, 0.2]).shape == (2, 2)


def test_nothing_labelled_nothing_left() -> None:
    assert b_max(0, 7, 0, 0.1) == 7
    assert b_max(7, 0, 3, 0.1) == 0
    assert b_max(0, 0, 0, 0.1) == 0
    assert b_max(5, 9, 5, 1e-300) == 9  # wrong on every labelled object: anything is possible
    assert bucket(4, 6, 2, 0) == 1.0


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((5, 5, 6, 0.1), {}, "0 <= a <= m"),
        ((5, 5, -1, 0.1), {}, "0 <= a <= m"),
        ((5, -5, 1, 0.1), {}, "between 0 and"),
        ((2**31, 5, 1, 0.1), {}, "between 0 and"),
        ((5, 5, 1, 0.0), {}, "delta must be in"),
        ((5, 5, 1, 1.5), {}, "delta must be in"),
        ((5, 5, 1, math.nan), {}, "delta must be in"),
        ((5, 5, [1, 2], [0.1, 0.0]), {}, "delta must be in"),
        ((5, 5, 1), {"log_delta": 1.0}, "log_delta must be"),
        ((5, 5, 1), {"log_delta": -math.inf}, "log_delta must be"),
        ((5, 5, 1), {}, "either delta or log_delta"),
        ((5, 5, 1, 0.1), {"log_delta": -1.0}, "either delta or log_delta"),
        ((5, 5, 1.5, 0.1), {}, "whole number"),
        ((5, 5, "1", 0.1), {}, "whole number"),
    ],
)
def test_what_cannot_be_used_is_rejected(
    arguments: tuple[object, ...], keywords: dict[str, float], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        b_max(*arguments, **keywords)


def test_bucket_rejects_more_blue_than_there_are() -> None:
    with pytest.raises(InputError, match="between 0 and n"):
        bucket(5, 5, 1, 6)
