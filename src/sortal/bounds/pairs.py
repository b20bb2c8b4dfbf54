"""Share of known pairs of objects that clusterings keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds.contradictions import picked_pairs
from sortal.labelings.indexes import in_order_of
from sortal.labelings.pairs import as_constraints
from sortal.labelings.partitions import as_labelings
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd

    from sortal.bounds.classes import Clusterings
    from sortal.typing import Floats


def kept_pairs(
    labelings: Clusterings,
    pairs: pd.DataFrame | Iterable[Sequence[object]],
    *,
    ids: Iterable[Any] | None = None,
    random: bool = False,
    delta: float = 0.05,
) -> pd.DataFrame:
    """How many must-link and cannot-link pairs each clustering keeps.

    Parameters
    ----------
    labelings : mapping of str to array-like, DataFrame or array-like
        As for :func:`sortal.evaluate`; ``-1`` marks outliers, each a cluster of its own.
    pairs : array-like, shape (m, 3)
        Two objects and ``"must"`` or ``"cannot"``.
    ids : iterable of length n, optional
        Ids of the objects; by default the index of the labelings, else positions.
    random : bool, default False
        Whether the pairs were drawn at random from all pairs of objects and then labelled; an
        interval requires this.
    delta : float, default 0.05
        Allowed chance that an interval fails.

    Returns
    -------
    DataFrame
        A row per clustering: ``must`` and ``cannot``, the pairs of each kind that it keeps, and
        their ``share``. With ``random`` also an interval, ``low`` to ``high``, for the share among
        all pairs of objects: the Rand index.

    Raises
    ------
    InputError
        For pairs that cannot be used or contradict each other, or without any; with ``random``,
        if no random draw would have so many pairs of one object or within clusters.

    Notes
    -----
    The pairs are drawn without replacement from all n (n − 1) / 2. So the interval inverts the
    hypergeometric distribution, with delta / 2 on either side, and is exact.

    Examples
    --------
    >>> from sortal.bounds import kept_pairs
    >>> labelings = {"two": [0, 0, 1, 1], "one": [0, 0, 0, 0]}
    >>> kept_pairs(labelings, [(0, 1, "must"), (1, 2, "cannot")])["share"].tolist()
    [1.0, 0.5]
    """
    import pandas as pd

    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1); got {delta!r}")
    if ids is None and hasattr(labelings, "index") and not callable(labelings.index):
        ids = list(labelings.index)
    batch = as_labelings(
        in_order_of(labelings, labelings, name="labelings", other_name="labelings")
    )
    n = batch.codes.shape[1]
    constraints = as_constraints(pairs, n, ids)
    if len(constraints) == 0:
        raise InputError("there are no pairs; give at least one (a, b, 'must')")
    kept = constraints.kept(batch.codes)
    table = pd.DataFrame(
        {
            "must": kept[:, constraints.must].sum(axis=1),
            "cannot": kept[:, ~constraints.must].sum(axis=1),
            "share": kept.mean(axis=1),
        },
        index=pd.Index(batch.names, name="name"),
    )
    if random:
        together = constraints.together(batch.codes)
        picked = picked_pairs(constraints.pairs, together, batch.names, batch.codes)
        if picked:
            raise InputError(picked)
        ends = [
            share_of_pairs(int(x), len(constraints), n * (n - 1) // 2, delta)
            for x in kept.sum(axis=1)
        ]
        table["low"], table["high"] = np.array(ends).T
    return table


def share_of_pairs(x: int, m: int, population: int, delta: float) -> tuple[float, float]:
    """Interval of a share of a finite population, where x of m drawn members have a property.

    Examples
    --------
    >>> [round(end, 3) for end in share_of_pairs(9, 10, 10**9, 0.05)]
    [0.555, 0.997]
    >>> share_of_pairs(9, 10, 10, 0.05)
    (0.9, 0.9)
    """

    def least(reached: Callable[[int], bool]) -> int:
        low, high = x, population - (m - x)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle + 1, high)
        return low

    low = least(lambda K: _chances(K, m, population)[x:].sum() > delta / 2)
    excluded = least(lambda K: _chances(K, m, population)[: x + 1].sum() <= delta / 2)
    still = _chances(excluded, m, population)[: x + 1].sum() > delta / 2
    return low / population, (excluded if still else max(excluded - 1, x)) / population


def _chances(K: int, m: int, population: int) -> Floats:
    """Probabilities that 0 to m of the drawn have what K of the population have."""

    def ways(size: int) -> Floats:
        steps = np.maximum(size - np.arange(m), 0) / np.arange(1.0, m + 1)
        with np.errstate(divide="ignore"):
            return np.concatenate([[0.0], np.cumsum(np.log(steps))])

    probabilities: Floats = np.exp(ways(K) + ways(population - K)[::-1] - ways(population)[-1])
    return probabilities
