"""Clest, and estimators of the number of clusters by one protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from sortal.measures.external.pairs import fowlkes_mallows_index
from sortal.nulls.references import draw_reference
from sortal.runtime.validation import InputError
from sortal.stability.calibrated import calibrated_stability
from sortal.stability.curves import prediction_strength
from sortal.stability.engine import Engine, check_draws, check_numbers, prepare, subsample, transfer
from sortal.stability.instability import fang_wang
from sortal.stability.result import StabilityCurve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.stability.engine import ClustererLike
    from sortal.typing import ArrayLike, RandomState, Rows

#: ``estimator(X, clusterer, numbers, random_state)`` gives the number of clusters
NumberEstimator: TypeAlias = Callable[[Any, Any, list[int], int], int]


def clest(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 6),
    n_splits: int = 20,
    n_references: int = 20,
    fraction: float = 2 / 3,
    p_max: float = 0.05,
    d_min: float = 0.05,
    random_state: RandomState = 0,
) -> StabilityCurve:
    """Clest: how well a learning set's clusters predict a test set's, against uniform data.

    Parameters
    ----------
    X : array-like, shape (n, d)
    clusterer : str, Clusterer or estimator
    k : int or iterable of int
        Numbers of clusters from 2 upward; the answer may be 1.
    n_splits : int
        Splits into learning and test set.
    n_references : int
        Uniform data sets (in the box along the principal axes).
    fraction : float
        Share of the objects in the learning set.
    p_max, d_min : float
        A k counts if its median similarity exceeds the mean of the references by at least
        ``d_min``, and at most a share ``p_max`` of the references reach it.
    random_state : None, int or Generator

    Returns
    -------
    StabilityCurve
        ``value`` is the median similarity; ``details["p"]`` the share of references that reach it.
        ``selected`` is the k that counts with the largest difference, otherwise 1.

    Notes
    -----
    Dudoit & Fridlyand 2002. (1 + n_references) · n_splits · 2 fits for each k.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.stability import clest
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in ([0, 0], [2, 0], [0, 2])])
    >>> clest(X, n_splits=5, n_references=5).selected
    3
    """
    import pandas as pd

    check_draws(n_splits, fraction)
    check_draws(n_references)
    engine = prepare(X, clusterer, random_state=random_state)
    most = min(round(fraction * engine.n), engine.n - round(fraction * engine.n))
    numbers = [n for n in check_numbers(k, most) if n > 1]
    if not numbers:
        raise InputError("Clest compares numbers from 2 upward with 1; k has only 1")

    def similarities(data: Rows, key: int) -> NDArray[np.float64]:
        reference = replace(engine, X=data, _lists=[])
        return _similarities(reference, numbers, fraction, n_splits, key)

    values = similarities(engine.X, 0)
    median = np.median(values, axis=0)
    null = np.empty((n_references, len(numbers)))
    for r in range(n_references):
        reference = draw_reference(engine.X, "uniform", random_state=engine.generator(2**31, r))
        null[r] = np.median(similarities(reference, r + 1), axis=0)
    p = (null >= median).mean(axis=0)
    difference, spread = median - null.mean(axis=0), null.std(axis=0, ddof=1)
    columns = {
        "value": median,
        "standard_error": values.std(axis=0, ddof=1) / np.sqrt(n_splits) * np.sqrt(np.pi / 2),
        "null": null.mean(axis=0),
        "null_error": spread,
        "difference": difference,
        "lower": difference - 2 * spread,
        "upper": difference + 2 * spread,
    }
    counts = (p <= p_max) & (difference >= d_min)
    selected = numbers[int(np.argmax(np.where(counts, difference, -np.inf)))] if any(counts) else 1
    return StabilityCurve(
        "Clest",
        pd.DataFrame(columns, index=pd.Index(numbers, name="k")),
        dict(zip(numbers, values.T, strict=True)),
        True,
        selected,
        f"the largest difference of at least {d_min:g} with p at most {p_max:g}, otherwise 1",
        engine.n,
        {"p": dict(zip(numbers, p.tolist(), strict=True))},
    )


def _similarities(
    engine: Engine, numbers: list[int], fraction: float, n_splits: int, key: int
) -> NDArray[np.float64]:
    """Similarity of test sets' clusters to those that learning sets predict, (B, K)."""

    def split(b: int) -> list[float]:
        rng = engine.generator(key, b)
        learn = subsample(engine.n, fraction, rng)
        test = np.setdiff1d(np.arange(engine.n), learn)
        learned, fitted = engine.fit(learn, numbers, rng), engine.fit(test, numbers, rng)
        predicted = (transfer(engine, "centroid", learn, labels, test) for labels in learned)
        return [
            fowlkes_mallows_index(labels, own_labels, noise="singletons")
            for labels, own_labels in zip(predicted, fitted, strict=True)
        ]

    return np.array(engine.map(split, range(n_splits)))


# -- estimators, by one protocol -------------------------------------------------------------


def _gap(
    reference: Literal["box", "pca"],
    X: ArrayLike,
    clusterer: ClustererLike,
    numbers: list[int],
    seed: int,
) -> int:
    """Number of clusters by the gap statistic."""
    from sortal.measures.internal.gap import gap_statistic

    engine = prepare(X, clusterer, random_state=seed)

    def run(data: Rows, k: int, fit_seed: int) -> Any:
        fitted = type(engine)(data, engine.clusterer)
        return fitted.fit(None, [k], np.random.default_rng(fit_seed))[0]

    return gap_statistic(
        X, run, k=numbers, n_references=20, reference=reference, random_state=seed
    ).first_k


def _silhouette(X: ArrayLike, clusterer: ClustererLike, numbers: list[int], seed: int) -> int:
    """Number of clusters with the largest average silhouette."""
    from sortal.measures.internal.silhouette import silhouette

    engine = prepare(X, clusterer, random_state=seed)
    above = [n for n in numbers if n > 1]
    fits = engine.fit(None, above, engine.generator(0))
    values = [silhouette(engine.X, labels, noise="drop") for labels in fits]
    return above[int(np.argmax(values))]


def _of_curve(
    method: Callable[..., StabilityCurve],
    X: ArrayLike,
    clusterer: ClustererLike,
    numbers: list[int],
    seed: int,
) -> int:
    """Number of clusters that a stability method selects, 1 for none."""
    above = [n for n in numbers if n > 1]
    return method(X, clusterer, k=above, random_state=seed).selected or 1


#: name -> (estimator, whether it can answer 1)
ESTIMATORS: Mapping[str, tuple[NumberEstimator, bool]] = {
    "gap": (partial(_gap, "box"), True),
    "gap-pca": (partial(_gap, "pca"), True),
    "clest": (partial(_of_curve, partial(clest, n_splits=10, n_references=20)), True),
    "prediction-strength": (partial(_of_curve, prediction_strength), True),
    "stability": (partial(_of_curve, partial(calibrated_stability, everywhere=False)), True),
    "silhouette": (_silhouette, False),
    "fang-wang": (partial(_of_curve, partial(fang_wang, n_resamples=25)), False),
}
