"""Draws from strata: fewer labels where some clusters are surer than others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds.sampling import Picked
from karat.bounds.wording import chance, percent_up
from karat.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    from numpy.typing import NDArray


def allocate(sizes: Any, rates: Any, total: int) -> NDArray[np.int64]:
    """How many objects to draw from each stratum, for the most certain total (Neyman 1934).

    Parameters
    ----------
    sizes : array-like of int, shape (h,)
        Objects in each stratum.
    rates : array-like of float, shape (h,)
        Shares that are expected to be wrong, from a pilot, as (errors + 1) / (labels + 2).
    total : int
        How many to draw in all, at least one from each stratum.

    Returns
    -------
    ndarray of int64, shape (h,)
        In proportion to size times sqrt(rate·(1 − rate)), no more than there are.

    Raises
    ------
    InputError
        If ``total`` is less than one a stratum or more than all objects, or a rate is no share.

    Notes
    -----
    Any allocation that is fixed before the draw is covered by :func:`stratified_bound`.

    Examples
    --------
    >>> from karat.bounds import allocate
    >>> allocate([500, 500], [0.02, 0.5], 64)
    array([14, 50])
    """
    n = np.asarray(sizes, dtype=np.int64)
    p = np.asarray(rates, dtype=np.float64)
    if n.shape != p.shape or n.ndim != 1 or (n < 1).any() or not ((p >= 0) & (p <= 1)).all():
        raise InputError(
            "allocate needs a size of at least 1 and a rate in [0, 1] for each stratum"
        )
    if not len(n) <= total <= n.sum():
        raise InputError(
            f"cannot draw {total} from {len(n)} strata with {n.sum()} objects: at least one from "
            "each, at most all"
        )
    weight = n * np.sqrt(p * (1 - p))
    weight = np.where(weight > 0, weight, 1e-9 * n)
    given = np.ones(len(n), dtype=np.int64)
    for _ in range(total - len(n)):
        # the next draw goes where it lowers the variance of the total most
        gain = np.where(given < n, weight**2 / (given * (given + 1.0)), -1.0)
        given[int(gain.argmax())] += 1
    return given


def stratified_sample(strata: Any, sizes: Any, *, random_state: Any = None) -> NDArray[np.intp]:
    """Draw the objects to label from each stratum, uniformly and without replacement.

    Parameters
    ----------
    strata : array-like of int, shape (n,)
        Stratum of each object, from 0; -1 for objects that are not drawn from, such as those of
        the pilot.
    sizes : array-like of int, shape (h,)
        How many from each.
    random_state : int, Generator or None
        The seed.

    Returns
    -------
    ndarray of intp
        Positions of objects, one stratum after the other.

    Raises
    ------
    InputError
        If a stratum has fewer objects than are to be drawn, or these are no whole numbers.
    """
    codes, wanted = np.asarray(strata), np.asarray(sizes)
    if codes.ndim != 1 or wanted.ndim != 1 or len(wanted) == 0 or wanted.dtype.kind not in "iu":
        raise InputError(
            "strata has a number for each object and sizes a whole number for each stratum; got "
            f"shapes {codes.shape} and {wanted.shape} ({wanted.dtype})"
        )
    rng, drawn = check_random_state(random_state), []
    for h, size in enumerate(wanted):
        there = np.flatnonzero(codes == h)
        if not 0 <= size <= len(there):
            raise InputError(f"cannot draw {size} of the {len(there)} objects of stratum {h}")
        drawn.append(rng.permutation(there)[:size])
    rows: NDArray[np.intp] = np.concatenate(drawn)
    return rows


@dataclass(frozen=True)
class StratifiedBound:
    """Errors of one classifier among the objects that no stratum's draw has seen.

    Attributes
    ----------
    bound, n : int
        With probability at least ``1 - delta`` at most ``bound`` of the ``n`` unseen objects are
        wrong.
    delta : float
    hidden, tested, errors : tuple of int
        Of each stratum: unseen objects, drawn ones, and errors among these.
    estimate, standard_error : float
        Errors among the unseen objects, as the strata estimate them.
    """

    bound: int
    n: int
    delta: float
    hidden: tuple[int, ...]
    tested: tuple[int, ...]
    errors: tuple[int, ...]
    estimate: float
    standard_error: float

    @property
    def bound_rate(self) -> float:
        """The bound as a share of the unseen objects; 0 where there are none."""
        return self.bound / self.n if self.n else 0.0

    def __str__(self) -> str:
        return (
            f"At most {percent_up(self.bound_rate)} of the {self.n:,} objects you did not label "
            f"are wrong. {chance(self.delta)} Premises: the objects of each of the "
            f"{len(self.tested)} "
            f"strata were drawn uniformly at random; classifier and strata were fixed before. "
            f"{sum(self.errors):,} errors on {sum(self.tested):,} labelled objects (estimate among "
            f"the others: {self.estimate:.1f} ± {self.standard_error:.1f})."
        )


def stratified_bound(strata: Any, wrong: Any, delta: float = 0.1) -> StratifiedBound:
    """Bound the errors of one classifier from a draw in each of several strata.

    The classifier, the strata and the sizes of the draws were fixed before the draws, by a pilot
    for example: choose a clustering and the classes of its clusters with the pilot's labels, take
    a few groups of clusters as strata, and draw more where the pilot found more errors
    (:func:`allocate`).

    Parameters
    ----------
    strata : array-like of int, shape (n,)
        Stratum of each object, from 0; -1 for objects that are not asked about, such as those of
        the pilot.
    wrong : array-like, shape (n,)
        Whether the classifier is wrong about an object, for those drawn; None or NaN for others.
    delta : float, default 0.1
        Allowed chance that the bound fails, in (0, 1].

    Returns
    -------
    StratifiedBound

    Raises
    ------
    InputError
        If a stratum was not drawn from, an object outside the strata has an answer, or ``delta``
        is out of range; for :class:`~karat.bounds.Picked` labels.

    Notes
    -----
    If stratum h has b_h hidden errors, p_h(b_h) = bucket(m_h, n_h, a_h, b_h) is a p-value: it is
    below u with a chance of at most u. The strata are drawn independently, so Σ −ln p_h exceeds
    the (1 − delta)-quantile of a gamma variable of shape h with a chance of at most delta (Fisher's
    combination). The bound is the largest Σ b_h whose sum does not. As the logarithm of each tail
    is concave in b_h, adding one error at a time where it costs least finds it exactly.
    O(Σ n_h log n).

    Two or three strata are best: combining more costs more than they save.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.bounds import stratified_bound, stratified_sample
    >>> strata = np.repeat([0, 1], 500)
    >>> truth = np.r_[np.arange(500) % 50 == 0, np.arange(500) % 2 == 0]
    >>> wrong = np.full(1000, None, dtype=object)
    >>> rows = stratified_sample(strata, [14, 50], random_state=0)
    >>> wrong[rows] = truth[rows]
    >>> found = stratified_bound(strata, wrong)
    >>> int(np.delete(truth, rows).sum()) <= found.bound
    True
    """
    from scipy.special import gammainccinv

    from karat.bounds.tails import log_bucket

    if isinstance(wrong, Picked):
        wrong.reject()
    if not 0 < delta <= 1:
        raise InputError(f"delta must be in (0, 1]; got {delta!r}")
    codes = np.asarray(strata)
    given = np.asarray(wrong, dtype=object)
    if codes.ndim != 1 or codes.shape != given.shape or codes.dtype.kind not in "iu":
        raise InputError("strata must be a whole number, and wrong True, False or None, per object")
    seen = np.array([value is not None and value == value for value in given], dtype=bool)
    if (seen & (codes < 0)).any():
        raise InputError("an object outside the strata (-1) has an answer; it is no part of a draw")
    counts = []
    for h in range(int(codes.max()) + 1):
        inside = codes == h
        m = int((inside & seen).sum())
        if inside.any() and m == 0:
            raise InputError(f"nothing was drawn from stratum {h}; draw at least one object")
        if m:
            a = int(sum(bool(value) for value in given[inside & seen]))
            counts.append((m, int(inside.sum()) - m, a))
    costs = [-np.diff(log_bucket(m, n, a, np.arange(n + 1))) for m, n, a in counts]
    spent = np.cumsum(np.sort(np.concatenate(costs)))
    limit = float(gammainccinv(len(counts), delta)) * (1 + 1e-9) + 1e-9
    total = int((spent <= limit).sum())
    drawn, left, errors = np.array(counts).T
    smoothed = (errors + 1) / (drawn + 2)
    variance = left * (left + drawn) * smoothed * (1 - smoothed) / drawn
    return StratifiedBound(
        bound=min(total, int(left.sum())),
        n=int(left.sum()),
        delta=float(delta),
        hidden=tuple(left.tolist()),
        tested=tuple(drawn.tolist()),
        errors=tuple(errors.tolist()),
        estimate=float((errors / drawn * left).sum()),
        standard_error=float(math.sqrt(variance.sum())),
    )
