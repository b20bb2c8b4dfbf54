"""Indices that compare neighbouring numbers of clusters, over a sweep of clusterings.

The value of a clustering depends on the other clusterings of the sweep. These functions therefore
take a whole sweep, and have no records in the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable

from sortal.labelings.labels import NOISE, NoisePolicy
from sortal.measures.docstrings import cite
from sortal.measures.inputs import Inputs
from sortal.measures.internal.variance import sums_of_squares
from sortal.measures.passes.statistics import Statistics
from sortal.measures.scores import Scores
from sortal.runtime.validation import InputError
from sortal.typing import ArrayLike

__all__ = ["hartigan_index", "krzanowski_lai_index"]


@cite("hartigan1975 p. 91")
def hartigan_index(X: ArrayLike, labelings: object, *, noise: NoisePolicy = "error") -> Scores:
    """Hartigan's H(k) = (tr W_k/tr W_{k+1} − 1)(n − k − 1), over a sweep.

    Large if one more cluster helps. Choose the smallest k with H(k) ≤ 10 (Hartigan), or the k
    after the largest step (NbClust).

    Parameters
    ----------
    labelings : array-like (M, n), mapping or DataFrame
        A clustering for each number of clusters, in any order.

    Returns
    -------
    Scores
        A value for each clustering, and ``reasons`` of missing values.

    Examples
    --------
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> hartigan_index(X, [[0, 0, 0, 0], [0, 0, 1, 1]])["hartigan_index"].round(6).tolist()
    [200.0, nan]
    """

    def value(within: dict[int, float], k: int, n: int, d: int) -> float | str:
        if within[k + 1] == 0:
            return f"the sum of squares within {k + 1} clusters is 0"
        return (within[k] / within[k + 1] - 1) * (n - k - 1)

    return _over_sweep("hartigan_index", X, labelings, noise, (1,), value)


@cite("krzanowski1988")
def krzanowski_lai_index(
    X: ArrayLike, labelings: object, *, noise: NoisePolicy = "error"
) -> Scores:
    """KL(k) = ∣DIFF(k)/DIFF(k+1)∣ with DIFF(k) = (k−1)^{2/d} tr W_{k−1} − k^{2/d} tr W_k.

    Not negative; choose the k with the greatest value. It may be very large if DIFF(k+1) is near
    0. Parameters, result and errors are those of :func:`hartigan_index`.

    Examples
    --------
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> scores = krzanowski_lai_index(X, [[0, 0, 1, 1], [0, 0, 1, 2]])
    >>> scores["krzanowski_lai_index"].round(6).tolist()
    [194.0, nan]
    """

    def value(within: dict[int, float], k: int, n: int, d: int) -> float | str:
        before, at, after = (i ** (2 / d) * within[i] for i in (k - 1, k, k + 1))
        return abs((before - at) / (at - after)) if at != after else f"DIFF({k + 1}) is 0"

    return _over_sweep("krzanowski_lai_index", X, labelings, noise, (-1, 1), value)


def _over_sweep(
    key: str, X: ArrayLike, labelings: object, noise: NoisePolicy, beside: tuple[int, ...],
    value: Callable[[dict[int, float], int, int, int], float | str],
) -> Scores:  # fmt: skip
    """``value(traces of W, k, n, d)`` of each clustering with all clusterings of k + ``beside``."""
    inputs = Inputs.of_data(X, labelings, noise=noise)
    batch = inputs.labelings
    numbers = batch.n_clusters.tolist()
    if len(set(numbers)) < len(numbers):
        k = next(k for k in numbers if numbers.count(k) > 1)
        same = " and ".join(name for name, n in zip(batch.names, numbers, strict=True) if n == k)
        raise InputError(f"{same} have {k} clusters; give one clustering of each number: one sweep")
    is_judged = batch.codes != NOISE
    if (is_judged != is_judged[0]).any():
        raise InputError(
            "the clusterings exclude different objects, so their sums cannot be compared; use "
            'noise="singletons" or "cluster"'
        )
    stats = Statistics(inputs.X, batch, ["centroids"])
    stats.raise_failed()
    # the total sum of squares is that of one cluster
    within = {1: sum(sums_of_squares(stats, 0))}
    within |= {k: float(squares.sum()) for k, squares in zip(numbers, stats.squares, strict=True)}
    values, reasons = stats.values(), {}
    for m, (k, name) in enumerate(zip(numbers, batch.names, strict=True)):
        result: float | str
        missing = [k + step for step in beside if k + step not in within]
        if missing:
            result = f"there is no clustering of {missing[0]} clusters to compare with"
        else:
            result = value(within, k, stats.n_judged(m), stats.X.shape[1])
        if isinstance(result, str):
            reasons[name] = {key: result}
        else:
            values[m] = result
    return Scores.of(batch.names, {key: values}, reasons, inputs.coverage)
