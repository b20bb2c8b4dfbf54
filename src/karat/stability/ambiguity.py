"""The number of clusters whose consensus matrix is the least ambiguous, alone or beside a null."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from karat.nulls.references import Null
from karat.runtime.validation import InputError
from karat.stability.consensus import consensus_matrix
from karat.stability.engine import Options, check_draws, prepare
from karat.stability.result import StabilityCurve, curve_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: share of ambiguous pairs that stands for none, so that it has a logarithm
LEAST = 1e-4


def pac(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 100,
    fraction: float = 0.8,
    **options: Unpack[Options],
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

    Raises
    ------
    InputError
        For input that cannot be used.

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
    value = _ambiguous(engine, engine.X, k, n_resamples, fraction)
    table = curve_table(
        {n: np.array([v, v]) for n, v in value.items()}, [], greater_is_better=False
    )
    table["standard_error"] = np.nan
    selected = min(value, key=lambda n: (value[n], n))
    samples = {n: np.array([v]) for n, v in value.items()}
    return StabilityCurve(
        "Ambiguously clustered pairs", table, samples, False, selected, "the lowest value", engine.n
    )


def rcsi(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 100,
    n_references: int = 25,
    fraction: float = 0.8,
    alpha: float = 0.05,
    **options: Unpack[Options],
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
    own = _ambiguous(engine, engine.X, k, n_resamples, fraction)
    numbers = list(own)
    drawn = np.empty((n_references, len(numbers)))
    for r in range(n_references):
        data = null.draw(null.kinds[0], engine.generator(2**31, r))
        found = _ambiguous(engine, data, numbers, n_resamples, fraction)
        drawn[r] = list(found.values())
    values = np.maximum(list(own.values()), LEAST)
    drawn = np.maximum(drawn, LEAST)
    level = np.log10(drawn.mean(axis=0))
    index, of_null = level - np.log10(values), level - np.log10(drawn)
    p = ((drawn <= values).sum(axis=0) + 1) / (n_references + 1)
    samples = {n: np.array([v]) for n, v in zip(numbers, index, strict=True)}
    references = [dict(zip(numbers, of_null.T, strict=True))]
    twice = {n: np.repeat(v, 2) for n, v in samples.items()}
    table = curve_table(twice, references, greater_is_better=True)
    table["standard_error"] = np.nan
    clear = np.where(p <= alpha, index, -np.inf)
    selected = numbers[int(clear.argmax())] if np.isfinite(clear).any() else 1
    return StabilityCurve(
        "Relative cluster stability index",
        table,
        samples,
        True,
        selected,
        f"the largest value with p of at most {alpha:g}, otherwise 1",
        engine.n,
        {"p": dict(zip(numbers, p.tolist(), strict=True))},
    )


def _ambiguous(
    engine: Any, data: Any, k: Any, n_resamples: int, fraction: float
) -> dict[int, float]:
    """Share of ambiguous pairs for each k of 2 and more."""
    part = replace(engine, X=data, _lists=[])
    numbers = sorted({int(n) for n in (k if isinstance(k, Iterable) else [k]) if n > 1})
    if not numbers:
        raise InputError("consensus needs at least 2 clusters; k has only 1")
    found = consensus_matrix(
        part.X,
        part.clusterer,
        k=numbers,
        n_resamples=n_resamples,
        fraction=fraction,
        metric=part.metric,
        random_state=part.random_state,
        executor=part.executor,
    )
    return dict(zip(numbers, found.table["ambiguous"].tolist(), strict=True))
