"""Agreement of labellers: Cohen's kappa, and limits for all objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sortal.bounds import b_always, wording
from sortal.bounds.contradictions import is_grouped


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
        Limits of the share of all objects about which they would differ, if the common objects are
        a random draw. Exact, at every number of labels at once.
    delta : float
        Chance that these fail.
    refused : str
        Reason why there are no limits if the objects were not labelled in a random order, else
        empty.
    """

    common: int
    same: int
    kappa: float
    low: float
    high: float
    delta: float
    refused: str = ""


def agreement(
    pairs: Sequence[tuple[Any, Any]],
    n_objects: int,
    delta: float = 0.1,
    *,
    ordered: bool = False,
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
    ordered : bool, default False
        Whether the pairs are in the order of a random draw. The limits are then the tightest so
        far, and differences that come together refute the order.

    Notes
    -----
    Cohen (1960), a coefficient of agreement for nominal scales. Greater is better. The limits are
    those of :func:`sortal.bounds.b_always` for the differences and for the agreements, at delta/2.

    Examples
    --------
    >>> from sortal.labeling import agreement
    >>> result = agreement([("a", "a"), ("a", "b"), ("b", "b"), ("b", "b")], 5)
    >>> result.same, result.common, result.kappa, result.low, result.high
    (3, 4, 0.5, 0.2, 0.4)
    """
    if not pairs:
        return None
    n = len(pairs)
    same = sum(a == b for a, b in pairs)
    ones, others = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(count * others[name] for name, count in ones.items()) / n**2
    kappa = 1.0 if chance == 1 else (same / n - chance) / (1 - chance)
    differ = np.cumsum([a != b for a, b in pairs]) if ordered else np.array([n - same])
    m = np.arange(1, n + 1) if ordered else np.array([n])
    high = int((differ + b_always(m, n_objects - m, differ, delta / 2)).min())
    low = n_objects - int((m - differ + b_always(m, n_objects - m, m - differ, delta / 2)).min())
    refused = ""
    if low > high or (ordered and is_grouped(np.diff(differ, prepend=0))):
        refused, low, high = wording.NO_RANDOM_PAIRS, 0, n_objects
    return Agreement(n, same, kappa, low / n_objects, high / n_objects, delta, refused)
