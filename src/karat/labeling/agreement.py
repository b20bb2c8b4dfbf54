"""Agreement of labellers: Cohen's kappa, and limits for all objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from karat.bounds import b_always


@dataclass(frozen=True)
class Agreement:
    """Agreement of two labellers about the objects that both labelled.

    Attributes
    ----------
    common, same : int
        Objects with both labels, and with the same.
    kappa : float
        Cohen's kappa: (agreement − chance)/(1 − chance), 1 where chance alone would agree.
    low, high : float
        Limits of the share of all objects about which they would differ, if the common ones are a
        random draw: exact, and at every number of labels at once.
    delta : float
        Chance that these fail.
    """

    common: int
    same: int
    kappa: float
    low: float
    high: float
    delta: float


def agreement(
    pairs: Sequence[tuple[Any, Any]], n_objects: int, delta: float = 0.1
) -> Agreement | None:
    """Agreement of two labellers: Cohen's kappa, and limits for all objects.

    Parameters
    ----------
    pairs : sequence of tuple
        The two labels of each object that both labelled; without any the result is None.
    n_objects : int
        Objects in all.
    delta : float, default 0.1
        Allowed chance that the limits for all objects fail.

    Returns
    -------
    Agreement or None

    Notes
    -----
    Cohen (1960), a coefficient of agreement for nominal scales. Greater is better. The limits are
    those of :func:`karat.bounds.b_always` for the differences and for the agreements, at delta/2.

    Examples
    --------
    >>> from karat.labeling import agreement
    >>> result = agreement([("a", "a"), ("a", "b"), ("b", "b"), ("b", "b")], 5)
    >>> result.same, result.common, result.kappa, result.low, result.high
    (3, 4, 0.5, 0.2, 0.4)
    """
    if not pairs:
        return None
    n, hidden = len(pairs), n_objects - len(pairs)
    same = sum(a == b for a, b in pairs)
    ones, others = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(count * others[name] for name, count in ones.items()) / n**2
    kappa = 1.0 if chance == 1 else (same / n - chance) / (1 - chance)
    high = n - same + int(b_always(n, hidden, n - same, delta / 2))
    low = n_objects - same - int(b_always(n, hidden, same, delta / 2))
    return Agreement(n, same, kappa, low / n_objects, high / n_objects, delta)
