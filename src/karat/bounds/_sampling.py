"""Which objects to label, and whether the labelled ones look as if they were drawn at random."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

# a check is only reported where chance alone would do so about once in 10,000 data sets
_UNLIKELY = 1e-4


def sample(n_objects: int, size: int, *, random_state: Any = None) -> NDArray[np.intp]:
    """Draw the objects to label: uniformly, without replacement, in random order.

    The bounds hold for labelled objects that were drawn like this. Because the order is random
    too, every beginning is itself such a draw; to stop because of what a bound says, ask for one
    that allows it (``karat.guarantee(..., anytime=True, order=...)``). With the same seed a larger
    sample starts with the smaller one.

    Parameters
    ----------
    n_objects : int
        Objects to draw from.
    size : int
        How many to draw, between 0 and ``n_objects``.
    random_state : int, Generator or None
        The seed.

    Returns
    -------
    ndarray of intp, shape (size,)
        Positions of objects, from 0.

    Raises
    ------
    InputError
        If there are fewer objects than are to be drawn.

    Examples
    --------
    >>> from karat.bounds import sample
    >>> bool((sample(100, 5, random_state=1) == sample(100, 9, random_state=1)[:5]).all())
    True
    """
    if not 0 <= size <= n_objects:
        raise InputError(f"cannot draw {size} of {n_objects} objects without replacement")
    drawn: NDArray[np.intp] = check_random_state(random_state).permutation(n_objects)[:size]
    return drawn


def sampling_warnings(labelled: Any, classes: Sequence[Any] | None = None) -> tuple[str, ...]:
    """Reasons to doubt that the labelled objects were drawn at random from all objects.

    Parameters
    ----------
    labelled : array-like of bool, shape (n,)
        True where an object has a label, in the order of the data.
    classes : sequence, optional
        Classes of the labelled objects, to see whether equally many of each were picked.

    Returns
    -------
    tuple of str
        One sentence a reason; empty where nothing looks systematic. Random draws give a warning
        about once in some thousands; silence proves nothing.

    Notes
    -----
    The mean position (rank-sum statistic) finds labels that gather at one end; the sum of squared
    gaps between labelled positions, whose mean and variance are exact (the gaps of a uniform
    subset are a Dirichlet-multinomial vector), finds blocks and regular steps; equal class
    counts find quotas. O(n).

    Examples
    --------
    >>> from karat.bounds import sampling_warnings
    >>> sampling_warnings([True] * 50 + [False] * 150)[0]
    'the labelled objects gather near the start of the data'
    """
    if classes is not None and (isinstance(classes, str) or not hasattr(classes, "__len__")):
        raise InputError(f"classes must be the class of each labelled object; got {classes!r}")
    if not isinstance(labelled, (Sequence, np.ndarray)) and not hasattr(labelled, "to_numpy"):
        raise InputError(f"labelled must be True or False per object; got {labelled!r:.80}")
    mask = np.asarray(labelled, dtype=bool)
    if mask.ndim != 1:
        raise InputError(f"labelled must be one-dimensional; its shape is {mask.shape}")
    N, positions = len(mask), np.flatnonzero(mask)
    m = len(positions)
    n = N - m
    found = []
    if m >= 8 and n >= 8:
        z = (positions.mean() - (N - 1) / 2) / math.sqrt((N + 1) * n / (12 * m))
        if math.erfc(abs(z) / math.sqrt(2)) < _UNLIKELY:
            side = "start" if z < 0 else "end"
            found.append(f"the labelled objects gather near the {side} of the data")
        low, high = _gap_scores(positions, N)
        if low:
            found.append("the labelled objects lie at nearly regular steps in the data")
        elif high and not found:
            found.append("the labelled objects come in blocks of neighbouring rows")
    if classes is not None and _same_number_of_each(Counter(classes)):
        found.append("every class has the same number of labelled objects, as quotas would give")
    return tuple(found)


def _gap_scores(positions: NDArray[np.intp], N: int) -> tuple[bool, bool]:
    """Whether Σ gap·(gap−1) is far below or above what a uniform subset gives."""
    m = len(positions)
    n = N - m
    gaps = np.diff(np.concatenate([[-1], positions, [N]])) - 1.0
    cells = m + 1.0

    def moment(r: int, s: int) -> float:
        """E[(g1)_r (g2)_s], falling factorials, of a Dirichlet-multinomial vector."""
        top = math.prod(n - i for i in range(r + s)) * math.factorial(r) * math.factorial(s)
        return top / math.prod(cells + i for i in range(r + s))

    mean = cells * moment(2, 0)
    # (g)_2² = (g)_4 + 4 (g)_3 + 2 (g)_2
    square = moment(4, 0) + 4 * moment(3, 0) + 2 * moment(2, 0)
    variance = cells * square + cells * (cells - 1) * moment(2, 2) - mean**2
    if variance <= 0:
        return False, False
    z = (float((gaps * (gaps - 1)).sum()) - mean) / math.sqrt(variance)
    # the upper tail of a sum of squares is heavy, the lower one light
    return z < -3.6, z > 8.0


def _same_number_of_each(counts: Counter[Any]) -> bool:
    """Equal counts that even equally frequent classes would give with a chance below 1e-4."""
    sizes = set(counts.values())
    if len(counts) < 2 or len(sizes) != 1:
        return False
    size, classes = sizes.pop(), len(counts)
    m = size * classes
    log_chance = math.lgamma(m + 1) - classes * math.lgamma(size + 1) - m * math.log(classes)
    return log_chance < math.log(_UNLIKELY)
