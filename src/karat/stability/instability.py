"""Instability of the clusterings of independent samples, on objects that both are carried to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat.runtime.validation import InputError, check_choice
from karat.stability._agreement import matching
from karat.stability._over_k import curve_of
from karat.stability.engine import Engine, check_draws, check_numbers, prepare, transfer
from karat.stability.result import StabilityCurve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int64]


def fang_wang(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 50,
    classifier: Any = "centroid",
    metric: Any = "euclidean",
    n_references: int = 0,
    random_state: Any = 0,
    executor: Executor | None = None,
) -> StabilityCurve:
    """Instability of two bootstrap samples' clusterings, on all objects (``nselectboot`` of fpc).

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    clusterer : str, Clusterer or estimator
    k : int or iterable of int
        From 2 upward.
    n_resamples : int
        Pairs of bootstrap samples.
    classifier : {"centroid", "neighbors"} or estimator
        What carries the clusters of a sample to all objects.
    metric, n_references, random_state, executor
        As for :func:`prediction_strength`.

    Returns
    -------
    StabilityCurve
        Lower is better: the share of pairs of objects that are together by one and apart by the
        other. The k of the lowest mean is selected; it is never 1.

    Raises
    ------
    InputError
        For input that cannot be used.

    Notes
    -----
    Fang & Wang 2012. 2·n_resamples fits for each k.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import fang_wang
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in ([0, 0], [2, 0], [0, 2])])
    >>> fang_wang(X, k=range(2, 6), n_resamples=10).selected
    3
    """
    engine = prepare(X, clusterer, metric=metric, random_state=random_state, executor=executor)
    check_draws(n_resamples)
    # a bootstrap sample of n objects has about 0.63 n different ones
    numbers = _above_one(k, max(2, engine.n // 2), "the instability of bootstrap samples")

    def method(engine: Engine, ks: Sequence[int]) -> Floats:
        def pair(b: int) -> list[float]:
            rng = engine.generator(b)
            one, other = (np.sort(rng.integers(0, engine.n, engine.n)) for _ in range(2))
            return _disagreements(engine, ks, one, other, np.arange(engine.n), classifier, rng)

        if classifier == "neighbors":
            engine.neighbors()
        return np.array(engine.map(pair, range(n_resamples)))

    return curve_of(
        "Instability of bootstrap samples",
        engine,
        numbers,
        method,
        n_references,
        _least,
        "the lowest mean",
        greater_is_better=False,
    )


def wang(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_splits: int = 50,
    fraction: float = 1 / 3,
    rule: Literal["voting", "averaging"] = "voting",
    classifier: Any = "centroid",
    metric: Any = "euclidean",
    n_references: int = 0,
    random_state: Any = 0,
    executor: Executor | None = None,
) -> StabilityCurve:
    """Instability of two training samples' clusterings, on objects that neither has.

    Parameters
    ----------
    X, clusterer, k
        As for :func:`fang_wang`.
    n_splits : int
        Random splits into two training samples and a validation sample.
    fraction : float
        Share of the objects in each training sample, below one half.
    rule : {"voting", "averaging"}
        Whether the k is selected that is the least instable in most splits (the smaller in a
        tie), or the one of the lowest mean.
    classifier, metric, n_references, random_state, executor
        As for :func:`fang_wang`.

    Returns
    -------
    StabilityCurve
        Lower is better: the share of pairs of validation objects that are together by one and
        apart by the other. ``details["votes"]``: the splits in which each k is the least instable.

    Raises
    ------
    InputError
        For input that cannot be used.

    Notes
    -----
    Wang 2010. 2·n_splits fits for each k.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import wang
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (30, 2)) for c in ([0, 0], [2, 0], [0, 2])])
    >>> wang(X, k=range(2, 6), n_splits=10).selected
    3
    """
    check_choice(rule, ("voting", "averaging"), "rule")
    engine = prepare(X, clusterer, metric=metric, random_state=random_state, executor=executor)
    check_draws(n_splits, fraction)
    m = round(fraction * engine.n)
    if fraction >= 0.5 or engine.n - 2 * m < 2:
        raise InputError(
            f"fraction={fraction:g} of {engine.n} objects leaves none to validate with; two "
            "training samples of that size are drawn, so choose less than 0.5"
        )
    numbers = _above_one(k, m, "cross-validated instability")

    def method(engine: Engine, ks: Sequence[int]) -> Floats:
        def split(b: int) -> list[float]:
            rng = engine.generator(b)
            order = rng.permutation(engine.n)
            one, other, left = (np.sort(part) for part in np.split(order, [m, 2 * m]))
            return _disagreements(engine, ks, one, other, left, classifier, rng)

        if classifier == "neighbors":
            engine.neighbors()
        return np.array(engine.map(split, range(n_splits)))

    curve = curve_of(
        "Cross-validated instability",
        engine,
        numbers,
        method,
        n_references,
        _least,
        "the lowest mean" if rule == "averaging" else "the lowest value in most splits",
        greater_is_better=False,
    )
    values = np.stack(list(curve.samples.values()))
    counted = Counter(numbers[i] for i in values.argmin(axis=0))
    votes = {number: counted[number] for number in numbers}
    selected = curve.selected if rule == "averaging" else max(numbers, key=lambda c: (votes[c], -c))
    return replace(curve, selected=selected, details={"votes": votes})


def _above_one(k: int | Iterable[int], most: int, what: str) -> list[int]:
    numbers = [n for n in check_numbers(k, most) if n > 1]
    if not numbers:
        raise InputError(f"{what} needs at least 2 clusters; k has only 1")
    return numbers


def _least(mean: dict[int, float]) -> int:
    return min(mean, key=lambda number: (mean[number], number))


def _disagreements(
    engine: Engine,
    ks: Sequence[int],
    one: Rows,
    other: Rows,
    test: Rows,
    classifier: Any,
    rng: np.random.Generator,
) -> list[float]:
    """Share of the pairs of test objects on which two samples' clusterings differ, for each k."""
    first, second = engine.fit(one, ks, rng), engine.fit(other, ks, rng)
    return [
        1.0
        - matching(
            transfer(engine, classifier, one, a, test), transfer(engine, classifier, other, c, test)
        )
        for a, c in zip(first, second, strict=True)
    ]
