"""Numbers of clusters by how much samples disagree: bootstrap, cross-validation, consensus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from karat.measures.external.pairs import rand_index
from karat.nulls.references import Null
from karat.runtime.validation import InputError
from karat.stability.consensus import consensus_matrix
from karat.stability.engine import Engine, ResamplingOptions, check_draws, prepare
from karat.stability.method import Draw, Method, carrier
from karat.stability.result import StabilityCurve, curve_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.runtime.types import ArrayLike, Rows
    from karat.stability.engine import ClassifierLike, ClustererLike

#: share that replaces a share of 0 ambiguous pairs, which has no logarithm
LEAST_AMBIGUOUS = 1e-4


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
    optimises: for iris and k = 5 it is 0.056 with the ten starts of ``"kmeans"``, and 0.100 with
    one, ``KMeans(n_init=1)``, each ± 0.005. fpc's ``kmeansCBI`` has one start, and fpc counts only
    the pairs that the *first* clustering puts together: half of all disagreements on average.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import fang_wang
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in ([0, 0], [2, 0], [0, 2])])
    >>> fang_wang(X, k=range(2, 6), n_resamples=10).selected
    3
    """

    def draw(n: int, rng: np.random.Generator) -> tuple[Any, ...]:
        """Two bootstrap samples, and all objects as the test."""
        first, second = (np.sort(rng.integers(0, n, n)) for _ in range(2))
        return first, second, np.arange(n)

    # a bootstrap sample of n objects has about 0.63 n different ones
    name = "Instability of bootstrap samples"
    method = _instability(name, draw, classifier, lambda n: max(2, n // 2))
    return method.curve(X, clusterer, k, n_resamples, n_references, options)


def wang(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_splits: int = 50,
    fraction: float = 1 / 3,
    classifier: ClassifierLike = "centroid",
    n_references: int = 0,
    **options: Unpack[ResamplingOptions],
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

    Returns
    -------
    StabilityCurve
        Lower is better: the share of pairs of validation objects that are together by one and
        apart by the other. The k is selected that is the least instable in most splits, the smaller
        in a tie; ``details["votes"]`` counts them.

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
    check_draws(n_splits, fraction)

    def most(n: int) -> int:
        """Objects in each fit: those of a training sample."""
        m = round(fraction * n)
        if fraction >= 0.5 or n - 2 * m < 2:
            raise InputError(
                f"fraction={fraction:g} of {n} objects leaves none to validate with; two "
                "training samples of that size are drawn, so choose less than 0.5"
            )
        return m

    def draw(n: int, rng: np.random.Generator) -> tuple[Any, ...]:
        """Two training samples, and the other objects as the test."""
        m = most(n)
        return tuple(np.sort(part) for part in np.split(rng.permutation(n), [m, 2 * m]))

    method = _instability("Cross-validated instability", draw, classifier, most)
    curve = method.curve(X, clusterer, k, n_splits, n_references, options)
    numbers = list(curve.samples)
    votes = Counter(numbers[i] for i in np.stack(list(curve.samples.values())).argmin(axis=0))
    return replace(
        curve,
        selected=max(numbers, key=lambda number: (votes[number], -number)),
        rule="the lowest value in most splits",
        details={"votes": {number: votes[number] for number in numbers}},
    )


def _instability(
    name: str,
    draw: Callable[[int, np.random.Generator], tuple[Any, ...]],
    classifier: ClassifierLike,
    most: Callable[[int], int],
) -> Method:
    """Share of the pairs of test objects on which two samples' clusterings differ, for each k."""

    def prepared(engine: Engine, ks: Sequence[int]) -> Draw:
        """Draw of the instability for each k."""
        carry = carrier(engine, classifier)

        def pair(rng: np.random.Generator) -> list[float]:
            """Share of the pairs of test objects on which two clusterings differ, for each k."""
            first, second, test = draw(engine.n, rng)
            fits = zip(engine.fit(first, ks, rng), engine.fit(second, ks, rng), strict=True)
            carried = ((carry(first, a, test), carry(second, b, test)) for a, b in fits)
            return [1.0 - rand_index(a, b, noise="singletons") for a, b in carried]

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


def pac(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 100,
    fraction: float = 0.8,
    **options: Unpack[ResamplingOptions],
) -> StabilityCurve:
    """Proportion of ambiguously clustered pairs: the lower, the crisper the consensus matrix.

    Parameters
    ----------
    X, clusterer, k, n_resamples, fraction, **options
        As for :func:`consensus_matrix`; k from 2 upward.

    Returns
    -------
    StabilityCurve
        ``value``: share of pairs with a consensus from 0.1 to 0.9. There is one consensus matrix
        for each k and so no standard error. The k of the lowest value is selected; it is never 1.

    Notes
    -----
    Șenbabaoğlu, Michailidis & Li 2014. Data without clusters have a k of the lowest value, too:
    see :func:`rcsi`.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import pac
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in ([0, 0], [2, 0], [0, 2])])
    >>> pac(X, k=range(2, 6), n_resamples=20).selected
    3
    """
    engine = prepare(X, clusterer, **options)
    numbers, values = _ambiguous(engine, engine.X, k, n_resamples, fraction)
    samples = dict(zip(numbers, values[:, None], strict=True))
    table = curve_table(samples, [], greater_is_better=False)
    selected = numbers[int(values.argmin())]
    return StabilityCurve(
        "Ambiguously clustered pairs", table, samples, False, selected, "the lowest value", engine.n
    )


def rcsi(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 100,
    n_references: int = 25,
    fraction: float = 0.8,
    alpha: float = 0.05,
    **options: Unpack[ResamplingOptions],
) -> StabilityCurve:
    """Relative cluster stability index: ambiguous pairs beside those of one Gaussian (M3C).

    Parameters
    ----------
    X, clusterer, k, n_resamples, fraction, **options
        As for :func:`consensus_matrix`; k from 2 upward, the answer may be 1.
    n_references : int
        Reference data sets: one Gaussian along the principal axes; of sparse data, values shuffled
        within features.
    alpha : float
        Greatest p-value with which a k may be selected.

    Returns
    -------
    StabilityCurve
        ``value``: RCSI, log10 of the references' mean share of ambiguous pairs over that of the
        data; ``null``: the same of each reference, on average. ``details["p"]``: share of the
        references, and the data among them, that are at least as unambiguous. The k of the
        largest value with p of at most ``alpha`` is selected, 1 where there is none.

    Raises
    ------
    InputError
        For input that cannot be used, and for a graph, which has no reference.

    Notes
    -----
    John, Watson, Russ, Goldmann, Ehrenstein, Pitzalis, Lewis & Barnes 2020. M3C takes p from a
    beta distribution that is fitted to the references; here it is the Monte Carlo one, so that
    alpha = 0.05 takes 19 references or more. A share of 0 counts as 0.0001.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import rcsi
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in ([0, 0], [2, 0], [0, 2])])
    >>> rcsi(X, k=range(2, 5), n_resamples=10, n_references=39).selected
    3
    """
    engine = prepare(X, clusterer, **options)
    check_draws(n_references)
    null = Null(engine.X, engine.metric)
    if not null.kinds:
        raise InputError("a graph has no reference data; use pac")
    numbers, ambiguous = _ambiguous(engine, engine.X, k, n_resamples, fraction)
    null_ambiguous = np.empty((n_references, len(numbers)))
    for r in range(n_references):
        data = null.draw(null.kinds[0], engine.generator(2**31, r))
        null_ambiguous[r] = _ambiguous(engine, data, numbers, n_resamples, fraction)[1]
    ambiguous = np.maximum(ambiguous, LEAST_AMBIGUOUS)
    null_ambiguous = np.maximum(null_ambiguous, LEAST_AMBIGUOUS)
    p = ((null_ambiguous <= ambiguous).sum(axis=0) + 1) / (n_references + 1)
    level = np.log10(null_ambiguous.mean(axis=0))
    index, of_null = level - np.log10(ambiguous), level - np.log10(null_ambiguous)
    samples = dict(zip(numbers, index[:, None], strict=True))
    references = [dict(zip(numbers, of_null.T, strict=True))]
    clear = np.where(p <= alpha, index, -np.inf)
    return StabilityCurve(
        "Relative cluster stability index",
        curve_table(samples, references, greater_is_better=True),
        samples,
        True,
        numbers[int(clear.argmax())] if np.isfinite(clear).any() else 1,
        f"the largest value with p of at most {alpha:g}, otherwise 1",
        engine.n,
        {"p": dict(zip(numbers, p.tolist(), strict=True))},
    )


def _ambiguous(
    engine: Engine, data: Rows, k: int | Iterable[int], n_resamples: int, fraction: float
) -> tuple[list[int], NDArray[np.float64]]:
    """Numbers of clusters from 2 upward, and the share of ambiguous pairs of each."""
    numbers = sorted({int(n) for n in (k if isinstance(k, Iterable) else [k]) if n > 1})
    if not numbers:
        raise InputError("consensus needs at least 2 clusters; k has only 1")
    draws: Any = {"n_resamples": n_resamples, "fraction": fraction, **engine.options}
    consensus = consensus_matrix(data, engine.clusterer, k=numbers, **draws)
    return numbers, consensus.table["ambiguous"].to_numpy(dtype=np.float64)
