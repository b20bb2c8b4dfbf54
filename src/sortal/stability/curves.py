"""Stability over the number of clusters: how often objects stay together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from sortal.measures.external.pairs import (
    adjusted_rand_index,
    fowlkes_mallows_index,
    jaccard_index,
    rand_index,
)
from sortal.runtime.validation import InputError, check_choice
from sortal.stability._agreement import disagreement, least_share
from sortal.stability.engine import Engine, ResamplingOptions, check_draws, halves, subsample
from sortal.stability.method import Draw, Method, carrier
from sortal.stability.result import StabilityCurve

if TYPE_CHECKING:
    from sortal.stability.engine import ClassifierLike, ClustererLike, Codes
    from sortal.typing import ArrayLike, Floats

SIMILARITIES: dict[str, Any] = {
    "jaccard": jaccard_index,
    "matching": rand_index,
    "fowlkes_mallows": fowlkes_mallows_index,
    "adjusted_rand": adjusted_rand_index,
}
#: limit of cost: saves further attempts to draw two subsamples that share at least two objects
REDRAWS = 100


def ben_hur(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 50,
    fraction: float = 0.8,
    similarity: str = "jaccard",
    n_references: int = 0,
    **options: Unpack[ResamplingOptions],
) -> StabilityCurve:
    """Similarity of the clusterings of two overlapping subsamples, on their common objects.

    Parameters
    ----------
    X, clusterer, k, n_references, **options
        As for :func:`prediction_strength`.
    n_resamples : int
        Pairs of subsamples.
    fraction : float
        Share of the objects in each subsample.
    similarity : {"jaccard", "matching", "fowlkes_mallows", "adjusted_rand"}
        Ben-Hur et al. use the first three ("matching" is the Rand index).

    Returns
    -------
    StabilityCurve
        Higher is better. ``samples[k]`` is the distribution that the authors read k from.
        ``selected`` is the k of the largest difference from its null, or 1 if no k exceeds it by
        two standard errors. Without references it is None.

    Notes
    -----
    Ben-Hur, Elisseeff & Guyon 2002. Small k is stable whatever the data, so compare with the
    null. 2·n_resamples fits for each k.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.stability import ben_hur
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> float(ben_hur(X, k=3, n_resamples=10).table.loc[3, "value"])
    1.0
    """
    check_choice(similarity, tuple(SIMILARITIES), "similarity")
    check_draws(n_resamples, fraction)

    alike = partial(SIMILARITIES[similarity], noise="singletons")

    def pairs(engine: Engine, ks: Sequence[int]) -> Draw:
        return lambda rng: overlapping(engine, ks, rng, fraction, alike)

    name = f"Ben-Hur's stability ({similarity})"
    method = Method(name, pairs, lambda n: round(fraction * n))
    return method.curve(X, clusterer, k, n_resamples, n_references, options)


def overlapping(
    engine: Engine,
    ks: Sequence[int],
    rng: np.random.Generator,
    fraction: float,
    alike: Callable[[Codes, Codes], float],
) -> list[float]:
    """Similarity of the clusterings of two subsamples on the objects in both, for each k."""
    for _ in range(REDRAWS):
        rows, other_rows = (subsample(engine.n, fraction, rng) for _ in range(2))
        inside = np.zeros((2, engine.n), dtype=bool)
        inside[0, rows], inside[1, other_rows] = True, True
        first_at, other_at = inside[1, rows], inside[0, other_rows]
        if np.count_nonzero(first_at) > 1:
            break
    else:
        raise InputError(
            f"two subsamples of {fraction:g} of {engine.n} objects share fewer than two; "
            "use a larger fraction"
        )
    first, second = engine.fit(rows, ks, rng), engine.fit(other_rows, ks, rng)
    return [alike(a[first_at], c[other_at]) for a, c in zip(first, second, strict=True)]


def levine_domany(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 50,
    fraction: float = 2 / 3,
    n_neighbors: int = 10,
    n_references: int = 0,
    **options: Unpack[ResamplingOptions],
) -> StabilityCurve:
    """Figure of merit: are neighbours together in a subsample when they are in all the data?

    Parameters
    ----------
    X, clusterer, k, n_references, **options
        As for :func:`prediction_strength`.
    n_resamples, fraction
        Subsamples, and the share of the objects in each.
    n_neighbors : int
        Only pairs of nearest neighbours count.

    Returns
    -------
    StabilityCurve
        Share of the neighbouring pairs in the subsample that are together, or apart, as in the
        clustering of all objects; from 0 to 1, higher is better. ``selected`` as for
        :func:`ben_hur`.

    Notes
    -----
    Levine & Domany 2001: the mean, over resamples and over the pairs of neighbours in them, of
    whether the connectivity (1 together, 0 apart) is that in all the data. An object and each of
    its nearest ones are a pair, so that two that are near each other count twice. n_resamples + 1
    fits for each k, and one search for neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.stability import levine_domany
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> float(levine_domany(X, k=3, n_resamples=10).table.loc[3, "value"])
    1.0
    """
    check_draws(n_resamples, fraction)

    def merit(engine: Engine, ks: Sequence[int]) -> Draw:
        lists = engine.neighbors().indices[:, :n_neighbors]
        full_fits = engine.fit(None, ks, engine.generator(-1 + 2**32))

        def merits(rng: np.random.Generator) -> list[float]:
            rows = subsample(engine.n, fraction, rng)
            position = np.full(engine.n, -1)
            position[rows] = np.arange(len(rows))
            partner = position[lists[rows]]
            objects, column = np.nonzero(partner >= 0)
            partners = partner[objects, column]
            values = []
            for all_labels, labels in zip(full_fits, engine.fit(rows, ks, rng), strict=True):
                full = all_labels[rows]
                together = full[objects] == full[partners]
                values.append(float((together == (labels[objects] == labels[partners])).mean()))
            return values

        return merits

    method = Method("Levine & Domany's figure of merit", merit, lambda n: round(fraction * n))
    return method.curve(X, clusterer, k, n_resamples, n_references, options)


def prediction_strength(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    k: int | Iterable[int] = range(1, 6),
    n_splits: int = 10,
    classifier: ClassifierLike = "centroid",
    cutoff: float = 0.8,
    n_references: int = 0,
    **options: Unpack[ResamplingOptions],
) -> StabilityCurve:
    """Prediction strength: how well the clusters of one half predict those of the other.

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
    n_references : int
        Reference data sets of each kind (one Gaussian, one uniform box along the principal
        axes) to compare with; 0 for none.
    **options
        ``metric`` (default "euclidean"), ``random_state`` (0) and ``executor`` (a
        concurrent.futures.Executor for the resamples; by default threads).

    Returns
    -------
    StabilityCurve
        Values from 0 to 1, higher is better. The value of a split is the mean over its halves of
        the least share, over the clusters of the half, of pairs that are predicted together.

    Notes
    -----
    Tibshirani & Walther 2005. A cluster of one object has no pair and counts as predicted. Halves
    are drawn without replacement, so no object is there twice. 2·n_splits fits for each k.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.stability import prediction_strength
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> prediction_strength(X, k=range(1, 5)).selected
    3
    """

    def strength(engine: Engine, ks: Sequence[int]) -> Draw:
        carry = carrier(engine, classifier)

        def split(rng: np.random.Generator) -> Floats:
            parts = halves(engine.n, rng)
            labels = [engine.fit(rows, ks, rng) for rows in parts]
            out = np.empty((2, len(ks)))
            for side in (0, 1):
                for i in range(len(ks)):
                    predicted = carry(parts[1 - side], labels[1 - side][i], parts[side])
                    out[side, i] = least_share(labels[side][i], predicted)
            return np.asarray(out.mean(axis=0))

        return split

    method = Method(
        "Prediction strength",
        strength,
        lambda n: n // 2,
        rule=f"the largest k with a mean of at least {cutoff:g}",
        select=lambda mean: max((n for n, value in mean.items() if value >= cutoff), default=None),
    )
    return method.curve(X, clusterer, k, n_splits, n_references, options)


def lange(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_splits: int = 20,
    classifier: ClassifierLike = "neighbors",
    n_references: int = 0,
    **options: Unpack[ResamplingOptions],
) -> StabilityCurve:
    """Instability: disagreement of a half's clusters with those predicted from the other half.

    Parameters
    ----------
    X, clusterer, n_splits, classifier, n_references, **options
        As for :func:`prediction_strength`.
    k : int or iterable of int
        From 2 upward.

    Returns
    -------
    StabilityCurve
        Lower is better: 0 is perfect, 1 is what labels at random get. The k of the lowest value is
        selected, the larger one in a tie; it is never 1.

    Notes
    -----
    Lange, Roth, Braun & Buhmann 2004: the least disagreement over all matchings of the names, over
    the mean of that of random labels. Random labels keep the sizes of the clusters, as in the
    package reval. The authors draw each cluster with the same probability, so a single object
    beside one large cluster would seem stable.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.stability import lange
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> lange(X, k=range(2, 5)).selected
    3
    """

    def instability(engine: Engine, ks: Sequence[int]) -> Draw:
        carry = carrier(engine, classifier)

        def split(rng: np.random.Generator) -> list[tuple[float, float]]:
            train, test = halves(engine.n, rng)
            first, second = engine.fit(train, ks, rng), engine.fit(test, ks, rng)
            values = []
            for a, c in zip(first, second, strict=True):
                predicted = carry(train, a, test)
                by_chance = disagreement(rng.permutation(predicted), rng.permutation(c))
                values.append((disagreement(predicted, c), by_chance))
            return values

        return split

    def beside_chance(values: Floats) -> Floats:
        by_chance = values[..., 1].mean(axis=0)
        # one cluster and single objects disagree with nothing, not even by chance
        return np.divide(values[..., 0], by_chance, out=values[..., 0], where=by_chance > 0)

    method = Method(
        "Lange's instability",
        instability,
        lambda n: n // 2,
        least=2,
        rule="the lowest mean, the larger k in a tie",
        select=lambda mean: min(mean, key=lambda n: (mean[n], -n)),
        settle=beside_chance,
        greater_is_better=False,
    )
    return method.curve(X, clusterer, k, n_splits, n_references, options)
