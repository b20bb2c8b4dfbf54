"""How far labellers agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from karat.bounds import b_always, percent_up
from karat.bounds.wording import percent_down
from karat.runtime.validation import InputError


@dataclass(frozen=True)
class Agreement:
    """How far two labellers agree about objects that both labelled.

    Attributes
    ----------
    common, same : int
        Objects with both labels, and with the same.
    agreement : float
        Share of the same, in [0, 1].
    kappa : float
        Cohen's kappa: (agreement − chance)/(1 − chance), 1 where chance alone would agree.
    n_objects : int
        Objects in all.
    low, high : float
        Limits of the share of all objects about which they would differ, if the common ones are a
        random draw: exact, and at every number of labels at once.
    delta : float
        Chance that these fail.
    """

    common: int
    same: int
    agreement: float
    kappa: float
    n_objects: int
    low: float
    high: float
    delta: float

    def __str__(self) -> str:
        return (
            f"{self.same:,} of {self.common:,} objects have the same label from both (agreement "
            f"{self.agreement:.3f}, kappa {self.kappa:.3f}); of all {self.n_objects:,} they would "
            f"label between {percent_down(self.low)} and {percent_up(self.high)} differently, "
            f"unless chance misled more than {self.delta:.4g} of draws."
        )


def agreement(one: Any, other: Any, delta: float = 0.1) -> Agreement:
    """Agreement of two labellers, with Cohen's kappa and what follows for all objects.

    Parameters
    ----------
    one, other : array-like, shape (n,)
        Their labels; None where one gave none.
    delta : float, default 0.1
        Allowed chance that the limits for all n objects fail.

    Returns
    -------
    Agreement

    Raises
    ------
    InputError
        If no object has both labels.

    Notes
    -----
    Cohen (1960), a coefficient of agreement for nominal scales. Greater is better. The limits are
    those of :func:`karat.bounds.b_always` for the differences and for the agreements, at delta/2.

    Examples
    --------
    >>> from karat.labeling import agreement
    >>> found = agreement(["a", "a", "b", "b", None], ["a", "b", "b", "b", "a"])
    >>> found.same, found.common, found.kappa, found.low, found.high
    (3, 4, 0.5, 0.2, 0.4)
    """
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    if not pairs:
        raise InputError("no object has a label from both")
    return agreement_of(pairs, len(one), delta)


def agreement_of(pairs: Sequence[tuple[Any, Any]], n_objects: int, delta: float) -> Agreement:
    """:func:`agreement` of the labels of the common objects."""
    n, hidden = len(pairs), n_objects - len(pairs)
    same = sum(a == b for a, b in pairs)
    names = {name for pair in pairs for name in pair}
    chance = sum(
        sum(a == name for a, _ in pairs) * sum(b == name for _, b in pairs) for name in names
    ) / (n * n)
    kappa = 1.0 if chance == 1 else (same / n - chance) / (1 - chance)
    high = n - same + int(b_always(n, hidden, n - same, delta / 2))
    low = n_objects - same - int(b_always(n, hidden, same, delta / 2))
    limits = (low / n_objects, high / n_objects)
    return Agreement(n, same, same / n, kappa, n_objects, *limits, delta)
