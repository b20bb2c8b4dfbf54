"""Instability over the number of clusters: how often two samples' clusterings disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from karat.runtime.validation import InputError, check_choice
from karat.stability._agreement import disagreement, matching
from karat.stability.engine import Engine, Options, check_draws, halves
from karat.stability.method import Draw, Method, carrier
from karat.stability.result import StabilityCurve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def lange(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_splits: int = 20,
    classifier: Any = "neighbors",
    n_references: int = 0,
    **options: Unpack[Options],
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

    def instability(engine: Engine, ks: Sequence[int]) -> Draw:
        carry = carrier(engine, classifier)

        def split(rng: np.random.Generator) -> list[tuple[float, float]]:
            one, other = halves(engine.n, rng)
            first, second = engine.fit(one, ks, rng), engine.fit(other, ks, rng)
            values = []
            for a, c in zip(first, second, strict=True):
                predicted = carry(one, a, other)
                by_chance = disagreement(rng.permutation(predicted), rng.permutation(c))
                values.append((disagreement(predicted, c), by_chance))
            return values

        return split

    def beside_chance(found: Floats) -> Floats:
        by_chance = found[..., 1].mean(axis=0)
        # one cluster and single objects disagree with nothing, not even by chance
        return np.divide(found[..., 0], by_chance, out=found[..., 0], where=by_chance > 0)

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


def fang_wang(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 50,
    classifier: Any = "centroid",
    n_references: int = 0,
    **options: Unpack[Options],
) -> StabilityCurve:
    """Instability of two bootstrap samples' clusterings, on all objects (``nselectboot`` of fpc).

    Parameters
    ----------
    X, clusterer, classifier, n_references, **options
        As for :func:`prediction_strength`.
    k : int or iterable of int
        From 2 upward.
    n_resamples : int
        Pairs of bootstrap samples.

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

    def draw(n: int, rng: np.random.Generator) -> tuple[Any, Any, Any]:
        one, other = (np.sort(rng.integers(0, n, n)) for _ in range(2))
        return one, other, np.arange(n)

    # a bootstrap sample of n objects has about 0.63 n different ones
    method = _instability(
        "Instability of bootstrap samples", draw, classifier, lambda n: max(2, n // 2)
    )
    return method.curve(X, clusterer, k, n_resamples, n_references, options)


def wang(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_splits: int = 50,
    fraction: float = 1 / 3,
    rule: str = "voting",
    classifier: Any = "centroid",
    n_references: int = 0,
    **options: Unpack[Options],
) -> StabilityCurve:
    """Instability of two training samples' clusterings, on objects that neither has.

    Parameters
    ----------
    X, clusterer, k, classifier, n_references, **options
        As for :func:`fang_wang`.
    n_splits : int
        Random splits into two training samples and a validation sample.
    fraction : float
        Share of the objects in each training sample, below one half.
    rule : {"voting", "averaging"}
        Whether the k is selected that is the least instable in most splits (the smaller in a
        tie), or the one of the lowest mean.

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
    check_draws(n_splits, fraction)

    def most(n: int) -> int:
        m = round(fraction * n)
        if fraction >= 0.5 or n - 2 * m < 2:
            raise InputError(
                f"fraction={fraction:g} of {n} objects leaves none to validate with; two "
                "training samples of that size are drawn, so choose less than 0.5"
            )
        return m

    def draw(n: int, rng: np.random.Generator) -> tuple[Any, ...]:
        m = most(n)
        return tuple(np.sort(part) for part in np.split(rng.permutation(n), [m, 2 * m]))

    method = _instability("Cross-validated instability", draw, classifier, most)
    curve = method.curve(X, clusterer, k, n_splits, n_references, options)
    numbers = list(curve.samples)
    counted = Counter(numbers[i] for i in np.stack(list(curve.samples.values())).argmin(axis=0))
    curve = replace(curve, details={"votes": {number: counted[number] for number in numbers}})
    if rule == "averaging":
        return curve
    winner = max(numbers, key=lambda c: (counted[c], -c))
    return replace(curve, selected=winner, rule="the lowest value in most splits")


def _instability(
    name: str,
    draw: Callable[[int, np.random.Generator], tuple[Any, ...]],
    classifier: Any,
    most: Callable[[int], int],
) -> Method:
    """Share of the pairs of test objects on which two samples' clusterings differ, for each k."""

    def prepared(engine: Engine, ks: Sequence[int]) -> Draw:
        carry = carrier(engine, classifier)

        def pair(rng: np.random.Generator) -> list[float]:
            one, other, test = draw(engine.n, rng)
            first, second = engine.fit(one, ks, rng), engine.fit(other, ks, rng)
            return [
                1.0 - matching(carry(one, a, test), carry(other, c, test))
                for a, c in zip(first, second, strict=True)
            ]

        return pair

    return Method(
        name,
        prepared,
        most,
        least=2,
        rule="the lowest mean",
        select=lambda mean: min(mean, key=lambda n: (mean[n], n)),
        greater_is_better=False,
    )
