"""Hypergeometric tails: how many errors may hide among the unlabelled objects."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds.exact import log_of, tail_reaches
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    from sortal.typing import Ints

#: derived: counts of objects are 32-bit integers in the kernels
_MAX_COUNT = 2**31


def bucket(m: npt.ArrayLike, n: npt.ArrayLike, a: npt.ArrayLike, b: npt.ArrayLike) -> Any:
    """Chance of at least ``b`` blue balls among ``a + b`` drawn from ``m`` red and ``n`` blue.

    Read it as ``m`` labelled and ``n`` unlabelled objects, and a classifier that is wrong on ``a +
    b`` of them. The value is the chance that at most ``a`` of these errors fall on labelled
    objects.

    Parameters
    ----------
    m, n, a, b : int or array-like of int
        Counts with ``0 <= a <= m`` and ``0 <= b <= n``; arrays broadcast.

    Returns
    -------
    float or ndarray of float64
        In [0, 1]; it falls in ``b`` and grows in ``a``. Below 1e-308 it is 0: use
        :func:`log_bucket` there.

    Raises
    ------
    InputError
        For counts that are not whole or out of range.

    See Also
    --------
    log_bucket, b_max

    Notes
    -----
    banerjee2004, section 2. The hypergeometric sum, in O(width of the distribution).

    Examples
    --------
    >>> from sortal.bounds import bucket
    >>> round(bucket(3, 3, 0, 1), 12)
    0.5
    """
    value = log_bucket(m, n, a, b)
    return math.exp(value) if isinstance(value, float) else np.exp(value)


def log_bucket(m: npt.ArrayLike, n: npt.ArrayLike, a: npt.ArrayLike, b: npt.ArrayLike) -> Any:
    """Natural logarithm of :func:`bucket`, accurate far below the smallest float.

    Parameters
    ----------
    m, n, a, b : int or array-like of int
        As for :func:`bucket`.

    Returns
    -------
    float or ndarray of float64
        At most 0. Relative error of the tail: about 1e-14 + 1e-15 · abs(log_bucket).

    Raises
    ------
    InputError
        For counts that are not whole or out of range.

    Examples
    --------
    >>> from sortal.bounds import log_bucket
    >>> round(log_bucket(2000, 2000, 0, 1500), 3)
    -1521.125
    """
    from sortal._kernels import hypergeometric as kernel

    m, n, a, b = (whole(value, name) for value, name in ((m, "m"), (n, "n"), (a, "a"), (b, "b")))
    check_counts(m, n, a)
    if np.any(b < 0) or np.any(b > n):
        raise InputError("b must be between 0 and n in bucket(m, n, a, b)")
    arrays = np.broadcast_arrays(m, n, a, b)
    out = np.empty(arrays[0].shape, dtype=np.float64)
    ms, ns, as_, bs = (array.flatten() for array in arrays)
    kernel.log_bucket_many(ms, ns, as_, bs, out.reshape(-1))
    return float(out) if out.ndim == 0 else out


def b_max(m: Any, n: Any, a: Any, delta: Any = None, *, log_delta: Any = None) -> Any:
    """Largest number of test errors that ``a`` training errors do not rule out.

    ``max{b : bucket(m, n, a, b) >= delta}``. A classifier fixed beforehand errs on ``a`` of ``m``
    labelled objects, drawn at random from all ``m + n``. With a chance below ``delta`` it errs on
    more than this many of the others.

    Parameters
    ----------
    m, n : int or array-like of int
        Labelled and unlabelled objects, each below 2^31.
    a : int or array-like of int
        Errors on the labelled objects, ``0 <= a <= m``.
    delta : float or array-like, optional
        Allowed chance of being wrong, in (0, 1].
    log_delta : float or array-like, optional
        Its natural logarithm instead, for probabilities too small for a float, such as 2^-5000.

    Returns
    -------
    int or ndarray of int64
        Between 0 and ``n``; lower is better. It grows in ``a`` and ``n``, and falls in
        ``delta`` and (at the same ``a``) in ``m``.

    Raises
    ------
    InputError
        For counts or chances out of range, or unless exactly one of ``delta`` and
        ``log_delta`` is given.

    Notes
    -----
    banerjee2004, section 2. Newton steps on the log tail, which is concave in ``b``; each costs
    O(width of the distribution). The result is right to the last integer for the numbers
    given: where rounding could decide, a hundred digits do. If the bound is the truth, at least
    ``a`` errors have a chance of 1 - delta or more, so they contradict it only for delta near 1.

    Examples
    --------
    >>> from sortal.bounds import b_max
    >>> b_max(1500, 1500, 398, 0.1 / 3**3)
    465
    >>> b_max(2000, 2000, [0, 10, 100], log_delta=-500)
    array([634, 684, 923])
    """
    from sortal._kernels import hypergeometric as kernel

    level = log_delta if delta is None else delta
    if type(m) is type(n) is type(a) is int and type(level) is float and None in (delta, log_delta):
        # fast path for scalars
        log = level if delta is None else math.log(level) if level > 0 else math.nan
        if 0 <= a <= m < _MAX_COUNT and 0 <= n < _MAX_COUNT and -math.inf < log <= 0:
            errors, unsure = kernel.b_max(m, n, a, log)
            if not unsure:
                return errors
            return _settle(m, n, a, errors, Decimal(level) if delta is None else log_of(level))
    counts, levels, chances = check_levels(m, n, a, delta, log_delta)
    out = np.empty(levels.shape, dtype=np.int64)
    unsure = np.zeros(levels.size, dtype=np.bool_)
    ms, ns, as_, logs = (array.flatten() for array in (*counts, levels))
    kernel.b_max_many(ms, ns, as_, logs, out.reshape(-1), unsure)
    for i in np.flatnonzero(unsure):
        exact = Decimal(float(logs[i])) if delta is None else log_of(float(chances.flat[i]))
        out.flat[i] = _settle(int(ms[i]), int(ns[i]), int(as_[i]), int(out.flat[i]), exact)
    return int(out) if out.ndim == 0 else out


def check_levels(
    m: npt.ArrayLike,
    n: npt.ArrayLike,
    a: npt.ArrayLike,
    delta: npt.ArrayLike | None,
    log_delta: npt.ArrayLike | None,
) -> tuple[list[Any], Any, Any]:
    """Validated counts and logarithms of chances in one shape, and the chances as given."""
    if (delta is None) == (log_delta is None):
        raise InputError("give either delta or log_delta, the natural logarithm of delta")
    counts = [whole(value, name) for value, name in ((m, "m"), (n, "n"), (a, "a"))]
    check_counts(*counts)
    chances = np.asarray(log_delta if delta is None else delta, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        levels = chances if delta is None else np.log(chances)
    right = (levels <= 0.0) & np.isfinite(levels)
    if not right.all():
        bad = chances[~right].flat[0]
        raise InputError(
            f"log_delta must be finite and at most 0; got {bad}"
            if delta is None
            else f"delta must be in (0, 1]; got {bad}. For chances below 1e-308 give log_delta"
        )
    *counts, levels, chances = np.broadcast_arrays(*counts, levels, chances)
    return counts, levels, chances


def check_delta(delta: float) -> None:
    """Raise :class:`InputError` unless delta is in (0, 1]."""
    if not 0 < delta <= 1:
        raise InputError(f"delta must be in (0, 1]; got {delta!r}")


def log_level(delta: float, bits: npt.ArrayLike = 0.0) -> Any:
    """Logarithm of 2^-bits · delta, rounded down so that floating point never tightens a bound."""
    bits = np.asarray(bits, dtype=np.float64)
    levels = math.log(delta) - bits * math.log(2) - 1e-12 * (1 + bits)
    return float(levels) if levels.ndim == 0 else levels


def _settle(m: int, n: int, a: int, b: int, level: Decimal) -> int:
    """Exact answer near ``b``, by high-precision tails."""
    if level == 0:
        return n if a >= m else 0
    while b < n and tail_reaches(m, n, a, b + 1, level):
        b += 1
    while b > 0 and not tail_reaches(m, n, a, b, level):
        b -= 1
    return b


def whole(value: npt.ArrayLike, name: str) -> Ints:
    """Whole numbers as int64, after input validation."""
    array = np.asarray(value)
    code = array.dtype.kind
    if code not in "iu" and (code != "f" or not np.all(array == np.floor(array))):
        raise InputError(f"{name} must be a whole number; got {value!r}")
    return array.astype(np.int64)


def check_counts(m: Ints, n: Ints, a: Ints) -> None:
    """Raise :class:`InputError` unless the counts of objects and errors are in range."""
    if np.any(m < 0) or np.any(n < 0) or np.any(m >= _MAX_COUNT) or np.any(n >= _MAX_COUNT):
        raise InputError("m and n are numbers of objects: they must be between 0 and 2^31 - 1")
    if np.any(a < 0) or np.any(a > m):
        raise InputError("a counts errors among the m labelled objects: 0 <= a <= m")


def binomial_tail_bound(n_tested: int, errors: int, delta: float) -> float:
    """Largest error rate that so few errors on independent test objects do not rule out.

    ``max{p : P[Binomial(n, p) <= errors] >= delta}``, the exact test-set bound.

    Parameters
    ----------
    n_tested, errors : int
        ``0 <= errors <= n_tested``.
    delta : float
        Allowed chance that the bound fails, in (0, 1].

    Returns
    -------
    float
        In [0, 1]; lower is better. 1 where nothing was tested.

    Raises
    ------
    InputError
        For numbers out of range.

    Notes
    -----
    The quantile 1 − delta of the Beta(errors + 1, n − errors) distribution (Clopper & Pearson
    1934, one-sided).

    Examples
    --------
    >>> from sortal.bounds import binomial_tail_bound
    >>> round(binomial_tail_bound(100, 0, 0.05), 4)
    0.0295
    """
    from scipy.special import betainccinv

    if not 0 <= errors <= n_tested:
        raise InputError(f"errors must be between 0 and n_tested; got {errors} of {n_tested}")
    check_delta(delta)
    if errors == n_tested:
        return 1.0
    bound = float(betainccinv(errors + 1, n_tested - errors, delta))
    return bound if math.isfinite(bound) else 1.0  # SciPy's inverse fails near delta = 1e-300
