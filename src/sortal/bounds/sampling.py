"""Random draws of objects to label, and tests whether labelled objects were drawn at random."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    import numpy.typing as npt
    from numpy.typing import NDArray

    from sortal.typing import Bools, Floats, Ints, RandomState

#: limit of cost: simulated draws of a test of a draw
SIMULATED = 4_999
#: derived: labels of one random draw in 1,000 are rejected, whatever the data
REFUSED = 0.001
#: derived: labels of one random draw in 100 have a warning
WARNED = 0.01
#: tuned: by eye; numbers of labels at which the draw is tested if labelling may stop at any number
PREFIXES = (25, 50, 100, 200)
#: derived: one false warning in 10,000 data sets
_ALARM_LEVEL = 1e-4


def sample(n_objects: int, size: int, *, random_state: RandomState = None) -> NDArray[np.intp]:
    """Draw the objects to label: uniformly, without replacement, in random order.

    The bounds hold for labelled objects drawn like this. The order is random too, so every prefix
    is itself such a draw. To stop when a bound is low enough, use one that allows it
    (``sortal.guarantee(..., anytime=True, order=...)``). With the same seed a larger sample starts
    with the smaller one.

    Parameters
    ----------
    n_objects : int
        Objects to draw from.
    size : int
        Number of objects to draw, between 0 and ``n_objects``.
    random_state : int, Generator or None
        Seed of the draw.

    Returns
    -------
    ndarray of intp, shape (size,)
        Positions of objects, from 0.

    Raises
    ------
    InputError
        If ``size`` exceeds the number of objects.

    Examples
    --------
    >>> from sortal.bounds import sample
    >>> bool((sample(100, 5, random_state=1) == sample(100, 9, random_state=1)[:5]).all())
    True
    """
    if not 0 <= size <= n_objects:
        raise InputError(f"cannot draw {size} of {n_objects} objects without replacement")
    positions: NDArray[np.intp] = check_random_state(random_state).permutation(n_objects)[:size]
    return positions


def sample_more(
    n_objects: int, labelled: npt.ArrayLike, size: int, *, random_state: int = 0
) -> NDArray[np.intp]:
    """Draw the objects to label next, so that all labelled ones remain a uniform draw.

    Where the labelled objects are the beginning of :func:`sample` with this seed, its next objects
    follow; otherwise they are drawn uniformly from the unlabelled ones.

    Parameters
    ----------
    n_objects : int
        Number of objects, labelled and not.
    labelled : array-like of int
        Positions of the labelled objects, themselves drawn at random.
    size : int
        Number of further objects; at most those that are unlabelled.
    random_state : int, default 0
        Seed of the draw.

    Returns
    -------
    ndarray of intp
        Positions in the order in which to label them. Skip none.

    Examples
    --------
    >>> from sortal.bounds import sample, sample_more
    >>> order = sample(100, 12, random_state=1)
    >>> bool((sample_more(100, order[:7], 5, random_state=1) == order[7:]).all())
    True
    """
    positions = np.asarray(labelled)
    for value in positions.ravel().tolist():
        if positions.dtype.kind not in "iu" or not 0 <= value < n_objects:
            raise InputError(
                f"labelled has {value!r}; it must have positions, integers from 0 to "
                f"{n_objects - 1}"
            )
    seen = np.unique(positions.astype(np.intp))
    order = sample(n_objects, n_objects, random_state=random_state)
    if np.array_equal(np.sort(order[: len(seen)]), seen):
        return order[len(seen) : len(seen) + size]
    unlabelled = np.setdiff1d(np.arange(n_objects), seen)
    further: NDArray[np.intp] = np.random.default_rng([random_state, len(seen)]).permutation(
        unlabelled
    )
    return further[:size]


def sampling_warnings(labelled: Bools, classes: Sequence[Any] | None = None) -> tuple[str, ...]:
    """Reasons to doubt that the labelled objects, with these classes, were drawn at random.

    Parameters
    ----------
    labelled : ndarray of bool, shape (n,)
        Which objects are labelled.
    classes : sequence, optional
        Classes of the labelled ones.

    Returns
    -------
    tuple of str
        Empty for nearly all random draws; no warning proves nothing.

    Notes
    -----
    The mean position (rank-sum statistic) detects labels gathered at one end, equal class counts
    detect quotas. A random draw gives a warning about once in several thousand.
    """
    N, positions = len(labelled), np.flatnonzero(labelled)
    m = len(positions)
    n = N - m
    reasons = []
    if m >= 8 and n >= 8:
        z = (positions.mean() - (N - 1) / 2) / math.sqrt((N + 1) * n / (12 * m))
        if math.erfc(abs(z) / math.sqrt(2)) < _ALARM_LEVEL:
            side = "start" if z < 0 else "end"
            reasons.append(f"the labelled objects gather near the {side} of the data")
    if classes is not None and same_number_of_each(Counter(classes)):
        reasons.append("every class has the same number of labelled objects, as quotas would give")
    return tuple(reasons)


def same_number_of_each(counts: Counter[Any]) -> bool:
    """Whether all counts are equal although even equal classes make that unlikely (below 1e-4)."""
    sizes = set(counts.values())
    if len(counts) < 2 or len(sizes) != 1:
        return False
    size, classes = sizes.pop(), len(counts)
    m = size * classes
    log_chance = math.lgamma(m + 1) - classes * math.lgamma(size + 1) - m * math.log(classes)
    return log_chance < math.log(_ALARM_LEVEL)


@dataclass(frozen=True)
class Doubt:
    """Evidence in the labels per cluster that the labelled objects are no random draw.

    Attributes
    ----------
    p : float
        Probability that a random draw deviates as much, over all clusterings.
    row, cluster : int
        Clustering and cluster (-1: outliers) with the largest deviation.
    count, m : int
        Labelled objects in this cluster, and in all.
    expected : float
        Expected number of labelled objects in this cluster under a random draw.
    """

    p: float
    row: int
    cluster: int
    count: int
    m: int
    expected: float

    @property
    def refuses(self) -> bool:
        """Whether nothing may be guaranteed."""
        return self.p < REFUSED


def doubted_draw(codes: NDArray[Any], labelled: Ints, tests: int = 1) -> Doubt | None:
    """Test whether labelled objects are spread over the clusters unlike a random draw.

    Parameters
    ----------
    codes : ndarray of int, shape (M, n)
        The clusterings, made without the labels; -1 for outliers.
    labelled : ndarray of int, shape (m,)
        Positions of the labelled objects.
    tests : int, default 1
        Number of such tests that share the level.

    Returns
    -------
    Doubt or None
        None if a random draw deviates as much at least once in a hundred times.

    Notes
    -----
    Given the clusterings the labelled objects per cluster are multivariate hypergeometric. The
    statistic is the least of the M approximate p-values of the G statistic, G = 2 Σ O ln(O/E) ·
    (n−1)/(n−m). Its exact p-value is its rank among 4,999 simulated draws (Barnard 1963). Draws are
    simulated only if the approximate p-value is below 0.01, which makes no alarm likelier. O(M·n),
    and O(4,999·M·m) where draws are simulated.
    """
    from scipy.special import gammaincc

    M, n = codes.shape
    m = len(labelled)
    if m < 8 or n - m < 8:
        return None
    sizes = [np.bincount(row + 1) for row in codes]
    usable = [r for r in range(M) if (sizes[r] > 0).sum() > 1]
    if not usable:
        return None

    def least(draws: Ints) -> tuple[Floats, int]:
        best, row = np.full(len(draws), np.inf), usable[0]
        rows = np.arange(len(draws))[:, None]
        for r in usable:
            k = len(sizes[r])
            cells = (rows * k + codes[r, draws] + 1).ravel()
            seen = np.bincount(cells, minlength=len(draws) * k).reshape(len(draws), k)
            expected = np.maximum(sizes[r] * (m / n), 1e-300)
            terms = seen * np.log(np.maximum(seen, 1) / expected)
            freedom = int((sizes[r] > 0).sum()) - 1
            p_values = gammaincc(freedom / 2, terms.sum(axis=1) * (n - 1) / (n - m))
            row = r if p_values[0] < best[0] else row
            best = np.minimum(best, p_values)
        return best, row

    seen, row = least(labelled[None, :])
    if seen[0] >= WARNED:
        return None
    rng = np.random.default_rng(0)
    below, p = 0, 0.0
    batch = 100  # draws at a time; one batch suffices for an ordinary draw
    for start in range(0, SIMULATED, batch):
        size = min(batch, SIMULATED - start)
        draws = np.stack([rng.choice(n, m, replace=False, shuffle=False) for _ in range(size)])
        below += int((least(draws)[0] <= seen[0]).sum())
        p = tests * (1 + below) / (SIMULATED + 1)
        if p >= WARNED:  # it only grows
            return None
    counts = np.bincount(codes[row, labelled] + 1, minlength=len(sizes[row]))
    expected = sizes[row] * (m / n)
    cluster = int(np.argmax(np.abs(counts - expected) / np.sqrt(np.maximum(expected, 1e-300))))
    return Doubt(p, row, cluster - 1, int(counts[cluster]), m, float(expected[cluster]))
