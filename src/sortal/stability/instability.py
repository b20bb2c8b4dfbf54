"""Number of clusters by how much the clusterings of bootstrap samples disagree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Unpack

import numpy as np

from sortal.measures.external.pairs import rand_index
from sortal.stability.engine import Engine, ResamplingOptions
from sortal.stability.method import Draw, Method, carrier
from sortal.stability.result import StabilityCurve

if TYPE_CHECKING:
    from sortal.stability.engine import ClassifierLike, ClustererLike
    from sortal.typing import ArrayLike


def fang_wang(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 50,
    classifier: ClassifierLike = "centroid",
    n_references: int = 0,
    **options: Unpack[ResamplingOptions],
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

    Notes
    -----
    Fang & Wang 2012. 2·n_resamples fits for each k. The value depends on how well the clusterer
    optimises. For iris and k = 5 it is 0.056 with the ten starts of ``"kmeans"``, and 0.100 with
    ``KMeans(n_init=1)``, each ± 0.005. fpc's ``kmeansCBI`` has one start, and fpc counts only the
    pairs that the *first* clustering puts together: half of all disagreements on average.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.stability import fang_wang
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in ([0, 0], [2, 0], [0, 2])])
    >>> fang_wang(X, k=range(2, 6), n_resamples=10).selected
    3
    """

    def prepared(engine: Engine, ks: Sequence[int]) -> Draw:
        carry, test = carrier(engine, classifier), np.arange(engine.n)

        def pair(rng: np.random.Generator) -> list[float]:
            first, second = (np.sort(rng.integers(0, engine.n, engine.n)) for _ in range(2))
            fits = zip(engine.fit(first, ks, rng), engine.fit(second, ks, rng), strict=True)
            carried = ((carry(first, a, test), carry(second, b, test)) for a, b in fits)
            return [1.0 - rand_index(a, b, noise="singletons") for a, b in carried]

        return pair

    method = Method(
        "Instability of bootstrap samples",
        prepared,
        # a bootstrap sample of n objects has about 0.63 n different ones
        lambda n: max(2, n // 2),
        least=2,
        rule="the lowest mean",
        select=lambda mean: min(mean, key=lambda n: (mean[n], n)),
        greater_is_better=False,
    )
    return method.curve(X, clusterer, k, n_resamples, n_references, options)
