"""Stability over the number of clusters, by subsamples, starts, and objects held out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.runtime.validation import InputError, check_choice
from karat.stability._agreement import SIMILARITIES, adjusted_rand
from karat.stability._over_k import BEYOND_NULL, curve_of
from karat.stability.engine import (
    Engine,
    check_draws,
    check_numbers,
    prepare,
    subsample,
)
from karat.stability.result import StabilityCurve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Similarity = Callable[[Any, Any], float]

#: pairs of subsamples of few objects that are tried for one that shares two objects
REDRAWS = 100


def ben_hur(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 50,
    fraction: float = 0.8,
    similarity: str = "jaccard",
    metric: Any = "euclidean",
    n_references: int = 0,
    random_state: Any = 0,
    executor: Executor | None = None,
) -> StabilityCurve:
    """Similarity of the clusterings of two overlapping subsamples, on what they share.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    clusterer : str, Clusterer or estimator
    k : int or iterable of int
    n_resamples : int
        Pairs of subsamples.
    fraction : float
        Share of the objects in each subsample.
    similarity : {"jaccard", "matching", "fowlkes_mallows", "adjusted_rand", "least_kept"}
        Ben-Hur et al. use the first three ("matching" is the Rand index). "least_kept" is the share
        of a cluster's objects that one cluster of the other holds, for the worst cluster.
    metric, n_references, random_state, executor
        As for :func:`prediction_strength`.

    Returns
    -------
    StabilityCurve
        Higher is better. ``cdf(k)`` is the distribution that the authors read k from. ``selected``
        is the k of the largest difference from its null, or 1 where no k exceeds it by
        two; without references there is no rule and it is None.

    Raises
    ------
    InputError
        For input that cannot be used.

    Notes
    -----
    Ben-Hur, Elisseeff & Guyon 2002. Small k is stable whatever the data, so compare with the
    null. 2·n_resamples fits for each k.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import ben_hur
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> float(ben_hur(X, k=3, n_resamples=10).table.loc[3, "value"])
    1.0
    """
    check_choice(similarity, tuple(SIMILARITIES), "similarity")
    engine = prepare(X, clusterer, metric=metric, random_state=random_state, executor=executor)
    check_draws(n_resamples, fraction)
    numbers = check_numbers(k, round(fraction * engine.n))
    alike = SIMILARITIES[similarity]

    def method(engine: Engine, ks: Sequence[int]) -> Floats:
        return pairs_of_subsamples(engine, ks, n_resamples, fraction, alike)

    return curve_of(
        f"Ben-Hur's stability ({similarity})",
        engine,
        numbers,
        method,
        n_references,
        None,
        BEYOND_NULL,
    )


def pairs_of_subsamples(
    engine: Engine, ks: Sequence[int], n_pairs: int, fraction: float, alike: Similarity
) -> Floats:
    """How alike the clusterings of two subsamples are on what they share, (B, K)."""

    def pair(b: int) -> list[float]:
        rng = engine.generator(b)
        for _ in range(REDRAWS):
            one, other = (subsample(engine.n, fraction, rng) for _ in range(2))
            drawn = np.zeros((2, engine.n), dtype=bool)
            drawn[0, one], drawn[1, other] = True, True
            at, to = drawn[1, one], drawn[0, other]
            if np.count_nonzero(at) > 1:
                break
        else:
            raise InputError(
                f"two subsamples of {fraction:g} of {engine.n} objects share fewer than two; "
                "use a larger fraction"
            )
        first, second = engine.fit(one, ks, rng), engine.fit(other, ks, rng)
        return [alike(a[at], c[to]) for a, c in zip(first, second, strict=True)]

    return np.array(engine.map(pair, range(n_pairs)))


def levine_domany(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 50,
    fraction: float = 2 / 3,
    n_neighbors: int = 10,
    metric: Any = "euclidean",
    n_references: int = 0,
    random_state: Any = 0,
    executor: Executor | None = None,
) -> StabilityCurve:
    """Figure of merit: are neighbours together in a subsample when they are in all the data?

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    clusterer : str, Clusterer or estimator
    k : int or iterable of int
    n_resamples : int
    fraction : float
    n_neighbors : int
        Only pairs of nearest neighbours count.
    metric, n_references, random_state, executor
        As for :func:`prediction_strength`.

    Returns
    -------
    StabilityCurve
        Share of the neighbouring pairs in the subsample that are together, or apart, as in the
        clustering of all objects; from 0 to 1, higher is better.

    Raises
    ------
    InputError
        For input that cannot be used.

    Notes
    -----
    Levine & Domany 2001: the mean, over resamples and over the pairs of neighbours in them, of
    whether the connectivity (1 together, 0 apart) is that in all the data. An object and each of
    its nearest ones are a pair, so that two that are near each other count twice. n_resamples + 1
    fits for each k, and one search for neighbours. ``selected`` as for :func:`ben_hur`.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import levine_domany
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> float(levine_domany(X, k=3, n_resamples=10).table.loc[3, "value"])
    1.0
    """
    engine = prepare(X, clusterer, metric=metric, random_state=random_state, executor=executor)
    check_draws(n_resamples, fraction)
    numbers = check_numbers(k, round(fraction * engine.n))

    def method(engine: Engine, ks: Sequence[int]) -> Floats:
        lists = engine.neighbors().indices[:, :n_neighbors]
        whole = engine.fit(None, ks, engine.generator(-1 + 2**32))

        def one(b: int) -> list[float]:
            rng = engine.generator(b)
            rows = subsample(engine.n, fraction, rng)
            position = np.full(engine.n, -1)
            position[rows] = np.arange(len(rows))
            partner = position[lists[rows]]
            at, column = np.nonzero(partner >= 0)
            to = partner[at, column]
            values = []
            for all_labels, labels in zip(whole, engine.fit(rows, ks, rng), strict=True):
                full = all_labels[rows]
                values.append(float(((full[at] == full[to]) == (labels[at] == labels[to])).mean()))
            return values

        return np.array(engine.map(one, range(n_resamples)))

    return curve_of(
        "Levine & Domany's figure of merit",
        engine,
        numbers,
        method,
        n_references,
        None,
        BEYOND_NULL,
    )


def agreement_of_starts(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_starts: int = 10,
    metric: Any = "euclidean",
    n_references: int = 0,
    random_state: Any = 0,
    executor: Executor | None = None,
) -> StabilityCurve:
    """Adjusted Rand index between clusterings of the same data from different starts.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    clusterer : str, Clusterer or estimator
        One that depends on its seed.
    k : int or iterable of int
    n_starts : int
    metric, n_references, random_state, executor
        As for :func:`prediction_strength`.

    Returns
    -------
    StabilityCurve
        A value per start: its mean agreement with the others; 1 is best. ``selected`` as for
        :func:`ben_hur`. The values are dependent, so that the standard error is a rough one.

    Raises
    ------
    InputError
        For a clusterer that does not depend on its seed, or other input that cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import agreement_of_starts
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 5)])
    >>> round(agreement_of_starts(X, k=2).table["value"].item(), 6)
    1.0
    """
    engine = prepare(X, clusterer, metric=metric, random_state=random_state, executor=executor)
    if not engine.clusterer.depends_on_seed:
        raise InputError(f"{engine.clusterer.title} does not depend on its seed; all starts agree")
    check_draws(n_starts)
    numbers = check_numbers(k, engine.n)

    def method(engine: Engine, ks: Sequence[int]) -> Floats:
        labels = engine.map(lambda b: engine.fit(None, ks, engine.generator(b)), range(n_starts))
        out = np.zeros((n_starts, len(ks)))
        for i in range(len(ks)):
            for a in range(n_starts):
                for c in range(a):
                    value = adjusted_rand(labels[a][i], labels[c][i]) / (n_starts - 1)
                    out[a, i] += value
                    out[c, i] += value
        return out

    return curve_of(
        "Agreement of starts (adjusted Rand index)",
        engine,
        numbers,
        method,
        n_references,
        None,
        BEYOND_NULL,
    )


def cross_validated_likelihood(
    X: Any,
    *,
    k: int | Iterable[int] = range(1, 11),
    n_splits: int = 20,
    fraction: float = 0.5,
    random_state: Any = 0,
    executor: Executor | None = None,
) -> StabilityCurve:
    """Mean log-likelihood of held-out objects under a Gaussian mixture of k components.

    Parameters
    ----------
    X : array-like, shape (n, d)
    k : int or iterable of int
        Numbers of components; 1 may be among them and may win.
    n_splits : int
    fraction : float
        Share of the objects that the mixture is fitted to.
    random_state, executor
        As for :func:`prediction_strength`.

    Returns
    -------
    StabilityCurve
        Nats per object, higher is better. The k of the highest mean is selected.

    Raises
    ------
    InputError
        For input that cannot be used.

    Notes
    -----
    Smyth 2000 (and 1996): Monte Carlo cross-validation, with half of the objects held out.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import cross_validated_likelihood
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.3, (60, 2)) for c in (0, 4)])
    >>> cross_validated_likelihood(X, k=range(1, 4)).selected
    2
    """
    engine = prepare(X, "gaussian-mixture", random_state=random_state, executor=executor)
    check_draws(n_splits, fraction)
    numbers = check_numbers(k, round(fraction * engine.n))

    def method(engine: Engine, ks: Sequence[int]) -> Floats:
        def split(b: int) -> list[float]:
            rng = engine.generator(b)
            train = subsample(engine.n, fraction, rng)
            test = np.setdiff1d(np.arange(engine.n), train)
            seed = int(rng.integers(2**31 - 1))
            return [
                float(engine.clusterer.make(c, seed).fit(engine.X[train]).score(engine.X[test]))
                for c in ks
            ]

        return np.array(engine.map(split, range(n_splits)))

    return curve_of(
        "Cross-validated likelihood",
        engine,
        numbers,
        method,
        0,
        lambda mean: max(mean, key=lambda number: mean[number]),
        "the highest mean",
    )
