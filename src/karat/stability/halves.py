"""Stability over the number of clusters, by half of the objects predicting the other half."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.runtime.validation import InputError
from karat.stability._agreement import disagreement
from karat.stability._over_k import curve_of
from karat.stability.engine import (
    Engine,
    check_draws,
    check_numbers,
    halves,
    prepare,
    transfer,
)
from karat.stability.result import StabilityCurve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def prediction_strength(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: int | Iterable[int] = range(1, 6),
    n_splits: int = 10,
    classifier: Any = "centroid",
    cutoff: float = 0.8,
    metric: Any = "euclidean",
    n_references: int = 0,
    random_state: Any = 0,
    executor: Executor | None = None,
) -> StabilityCurve:
    """Prediction strength: do the clusters of one half predict who is together in the other?

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    clusterer : str, Clusterer or estimator
    k : int or iterable of int
        Numbers of clusters; 1 has the value 1.
    n_splits : int
        Random splits into halves; each half is predicted from the other.
    classifier : {"centroid", "neighbors"} or estimator
        What carries the clusters of one half to the other.
    cutoff : float
        The largest k with at least this mean is selected.
    metric : str or callable
    n_references : int
        Reference data sets of each kind (one Gaussian, one uniform box along the principal
        axes) to compare with; 0 for none.
    random_state : None, int or Generator
    executor : concurrent.futures.Executor, optional
        Where the resamples run; by default threads of this process.

    Returns
    -------
    StabilityCurve
        Values from 0 to 1, higher is better. The value of a split is the mean over its halves of
        the least share, over the clusters of the half, of pairs that are predicted together.

    Raises
    ------
    InputError
        For input that cannot be used.

    Notes
    -----
    Tibshirani & Walther 2005. A cluster of one object has no pair and counts as predicted. Halves
    are drawn without replacement, so no object is there twice. 2·n_splits fits for each k.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import prediction_strength
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> prediction_strength(X, k=range(1, 5)).selected
    3
    """
    from karat._kernels.resamples import least_share

    engine = prepare(X, clusterer, metric=metric, random_state=random_state, executor=executor)
    check_draws(n_splits)
    numbers = check_numbers(k, engine.n // 2)

    def method(engine: Engine, ks: Sequence[int]) -> Floats:
        if classifier == "neighbors":  # before processes would, each for itself
            engine.neighbors()

        def split(b: int) -> Floats:
            rng = engine.generator(b)
            parts = halves(engine.n, rng)
            labels = [engine.fit(rows, ks, rng) for rows in parts]
            out = np.empty((2, len(ks)))
            for side in (0, 1):
                for i in range(len(ks)):
                    other = labels[1 - side][i]
                    predicted = transfer(engine, classifier, parts[1 - side], other, parts[side])
                    out[side, i] = least_share(labels[side][i], predicted)
            return np.asarray(out.mean(axis=0))

        return np.stack(engine.map(split, range(n_splits)))

    def choose(mean: dict[int, float]) -> int | None:
        strong = [number for number, value in mean.items() if value >= cutoff]
        return max(strong) if strong else None

    return curve_of(
        "Prediction strength",
        engine,
        numbers,
        method,
        n_references,
        choose,
        f"the largest k with a mean of at least {cutoff:g}",
    )


def lange(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_splits: int = 20,
    classifier: Any = "neighbors",
    metric: Any = "euclidean",
    n_references: int = 0,
    random_state: Any = 0,
    executor: Executor | None = None,
) -> StabilityCurve:
    """Instability: disagreement of a half's clusters with those predicted from the other half.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    clusterer : str, Clusterer or estimator
    k : int or iterable of int
        From 2 upward.
    n_splits : int
    classifier : {"neighbors", "centroid"} or estimator
    metric, n_references, random_state, executor
        As for :func:`prediction_strength`.

    Returns
    -------
    StabilityCurve
        Lower is better: 0 is perfect, 1 is what labels at random get. The k of the lowest value is
        selected, the larger one in a tie; it is never 1.

    Raises
    ------
    InputError
        For input that cannot be used.

    Notes
    -----
    Lange, Roth, Braun & Buhmann 2004: the least disagreement over all matchings of the names,
    over the mean of that of random labels. These have the sizes of the clusters, as in the package
    reval, where the authors draw each cluster with the same probability: an object alone beside one
    large cluster would be next to stable by that.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import lange
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> lange(X, k=range(2, 5)).selected
    3
    """
    engine = prepare(X, clusterer, metric=metric, random_state=random_state, executor=executor)
    check_draws(n_splits)
    numbers = [n for n in check_numbers(k, engine.n // 2) if n > 1]
    if not numbers:
        raise InputError("instability needs at least 2 clusters; k has only 1")

    def method(engine: Engine, ks: Sequence[int]) -> Floats:
        if classifier == "neighbors":  # before processes would, each for itself
            engine.neighbors()

        def split(b: int) -> list[tuple[float, float]]:
            rng = engine.generator(b)
            one, other = halves(engine.n, rng)
            first, second = engine.fit(one, ks, rng), engine.fit(other, ks, rng)
            values = []
            for a, c in zip(first, second, strict=True):
                predicted = transfer(engine, classifier, one, a, other)
                by_chance = disagreement(rng.permutation(predicted), rng.permutation(c))
                values.append((disagreement(predicted, c), by_chance))
            return values

        found = np.array(engine.map(split, range(n_splits)))
        by_chance = found[..., 1].mean(axis=0)
        # one cluster and single objects disagree with nothing, not even by chance
        return np.divide(found[..., 0], by_chance, out=found[..., 0], where=by_chance > 0)

    return curve_of(
        "Lange's instability",
        engine,
        numbers,
        method,
        n_references,
        lambda mean: min(mean, key=lambda number: (mean[number], -number)),
        "the lowest mean, the larger k in a tie",
        greater_is_better=False,
    )
