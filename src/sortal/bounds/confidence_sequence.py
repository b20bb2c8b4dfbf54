"""Bounds that hold at every number of labels at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds.tails import check_levels

if TYPE_CHECKING:
    import numpy.typing as npt


def b_always(
    m: npt.ArrayLike,
    n: npt.ArrayLike,
    a: npt.ArrayLike,
    delta: npt.ArrayLike | None = None,
    *,
    log_delta: npt.ArrayLike | None = None,
) -> Any:
    """Largest number of hidden errors not ruled out, valid at every number of labels at once.

    Objects are labelled in random order. A classifier fixed beforehand has made ``a`` errors on
    the first ``m``. With probability at least ``1 - delta``, the other ``n`` never have more
    errors, at any m. So you may stop labelling whenever you like.

    Parameters
    ----------
    m, n : int or array-like of int
        Labelled and unlabelled objects, each below 2^31.
    a : int or array-like of int
        Errors on the labelled objects, ``0 <= a <= m``.
    delta : float or array-like, optional
        Allowed chance that one of the bounds fails, in (0, 1].
    log_delta : float or array-like, optional
        Its natural logarithm instead.

    Returns
    -------
    int or ndarray of int64
        Between 0 and ``n``; lower is better.

    Raises
    ------
    InputError
        For counts or chances out of range, or unless exactly one of ``delta`` and ``log_delta``
        is given.

    See Also
    --------
    b_max : For a number of labels that was fixed beforehand; lower.

    Notes
    -----
    A one-sided form of the prior-posterior ratio for sampling without replacement (Waudby-Smith
    and Ramdas 2020, section 2). Let L_E be the chance of the labels seen if E of all N = m + n
    objects are errors. If E is the truth, the mean over E' < E of L_E'/L_E is a nonnegative
    supermartingale that starts at 1, so the chance that it ever reaches 1/delta is at most delta
    (Ville 1939). With an even prior its numerator is
    a!(m−a)!/(m+1)! · (N+1)/E · (1 − bucket(m+1, n, a, E−a)). Since L is log-concave in E, it
    grows in E from the likeliest E on; so bisection finds the largest E below 1/delta.
    O(log n · width of the distribution).

    Examples
    --------
    >>> from sortal.bounds import b_always, b_max
    >>> b_always([50, 100, 200], [1950, 1900, 1800], [2, 5, 11], 0.1)
    array([287, 237, 195])
    >>> b_max(100, 1900, 5, 0.1)
    174
    """
    from sortal._kernels import sequence as kernel

    counts, levels, _ = check_levels(m, n, a, delta, log_delta)
    out = np.empty(levels.shape, dtype=np.int64)
    ms, ns, as_, logs = (array.flatten() for array in (*counts, levels))
    kernel.b_always_many(ms, ns, as_, logs, out.reshape(-1))
    return int(out) if out.ndim == 0 else out


def most_errors(
    tested: int,
    hidden: int,
    errors: int,
    log_delta: float,
    prior: tuple[float, float] = (1.0, 1.0),
    most: int | None = None,
) -> int:
    """Most errors among tested and hidden objects not ruled out at any number of labels.

    Parameters
    ----------
    tested, hidden, errors : int
        Labelled and unlabelled objects, and errors on the labelled ones of a classifier that was
        fixed beforehand.
    log_delta : float
        Logarithm of the allowed chance that one of the bounds fails.
    prior : tuple of float
        Parameters of the beta-binomial prior for the number of errors.
    most : int, optional
        The result at an earlier number of labels.

    Returns
    -------
    int
        -1 if no number of errors is possible: then the order is no random one.

    Notes
    -----
    As :func:`b_always`, for any prior π. If E is the truth, the mean of L_E'/L_E over E' < E,
    weighted by π, is a nonnegative supermartingale that starts at 1. It ever reaches 1/delta with a
    chance of at most delta (Ville 1939). Otherwise the truth is below every value, of any number of
    labels, so also below the least of them. O(most).

    Examples
    --------
    >>> most_errors(40, 600, 0, -2.7), most_errors(40, 600, 0, -2.7, (0.5, 5.0))
    (59, 49)
    """
    from scipy.special import betaln, gammaln

    N = tested + hidden
    E = np.arange((N if most is None else most) + 1)
    if len(E) <= 1 or tested == 0:
        return int(E[-1]) if len(E) and E[-1] >= errors else -1
    a, b = prior
    log_prior = gammaln(N + 1.0) - gammaln(E + 1.0) - gammaln(N - E + 1.0)
    log_prior += betaln(E + a, N - E + b)
    possible = (errors <= E) & (tested - errors <= N - E)
    if not possible.any():
        return -1
    e = E[possible]
    likely = np.full(len(E), -np.inf)
    likely[possible] = (
        gammaln(e + 1.0)
        - gammaln(e - errors + 1.0)
        + gammaln(N - e + 1.0)
        - gammaln(N - e - (tested - errors) + 1.0)
    )
    below = np.logaddexp.accumulate(log_prior)[:-1]
    evidence = np.logaddexp.accumulate(log_prior + likely)[:-1] - below
    slack = 1e-9 + 1e-12 * float(gammaln(N + 1.0))
    not_excluded = possible.copy()
    not_excluded[1:] &= evidence - np.where(possible, likely, 0.0)[1:] < slack - log_delta
    return int(np.flatnonzero(not_excluded)[-1])
