"""The three subsampling methods of abul2003."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from sortal.distances import RELATIONS
from sortal.runtime.validation import InputError, unknown_name
from sortal.stability.engine import (
    Engine,
    ResamplingOptions,
    check_draws,
    check_numbers,
    prepare,
    subsample,
    transfer,
)
from sortal.stability.number import ESTIMATORS, NumberEstimator
from sortal.stability.result import StabilityCurve, curve_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.stability.engine import ClassifierLike, ClustererLike, Codes
    from sortal.typing import ArrayLike


#: tuned: by eye; fewest objects for an estimator of the number of clusters
MIN_OBJECTS = 10


def subsampling(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    method: Literal[1, 2, 3] = 1,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 20,
    fraction: float = 0.5,
    classifier: ClassifierLike = "neighbors",
    folds: int | None = None,
    estimator: str | NumberEstimator = "gap-pca",
    n_runs: int = 1,
    **options: Unpack[ResamplingOptions],
) -> StabilityCurve:
    """Confidence in a clustering by subsampling it.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    clusterer : str, Clusterer or estimator
    method : {1, 2, 3}
        1: mean accuracy of a classifier that is trained on a subsample of the labelled objects,
        on the rest. 2: share of subsets of the clusters whose number an estimator gets right from
        their objects. 3: share of subsamples of single clusters in which it finds one cluster.
    k : int or iterable of int
    n_resamples : int
        Subsamples (method 1), subsets (method 2; all of them where there are no more), or
        subsamples of each cluster (method 3).
    fraction : float
        Share of the objects in a subsample (methods 1 and 3).
    classifier : {"neighbors", "centroid"} or estimator
        For method 1.
    folds : int, optional
        Method 1 by cross-validation with so many folds in place of subsampling; the paper has 10.
    estimator : str or callable
        For methods 2 and 3: a name in :data:`sortal.stability.ESTIMATORS` that can answer 1, or
        a function as there.
    n_runs : int
        Clusterings from different seeds that are averaged over, for randomised clusterers.
    **options
        As for :func:`prediction_strength`.

    Returns
    -------
    StabilityCurve
        Confidence from 0 to 1 for each k, higher is better; the most confident k is selected.
        Method 1 is high for small k whatever the data.

    Notes
    -----
    Abul, Lo, Alhajj, Polat & Barker 2003. A cluster of fewer than 10 objects is given to no
    estimator: method 2 passes over subsets with so few objects, method 3 counts it as one cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.stability import subsampling
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> subsampling(X, k=3, method=1, n_resamples=5).table["value"].item()
    1.0
    """
    if method not in (1, 2, 3):
        raise InputError(f"method must be 1, 2 or 3; got {method!r}")
    check_draws(n_resamples, fraction)
    engine = prepare(X, clusterer, **options)
    numbers = check_numbers(k, engine.n)
    estimate: Any = estimator
    if isinstance(estimator, str):
        if estimator not in ESTIMATORS:
            raise unknown_name(estimator, ESTIMATORS, "estimator")
        estimate, can_answer_one = ESTIMATORS[estimator]
        if method == 3 and not can_answer_one:
            raise InputError(f"method 3 needs an estimator that can answer 1; {estimator} cannot")
    if method > 1 and engine.metric in RELATIONS:
        raise InputError("methods 2 and 3 need the objects' features for the estimator")
    if classifier == "neighbors" and method == 1:
        engine.neighbors()  # before processes would, each for itself

    def confidences(labels: Codes, key: tuple[int, int]) -> list[float]:
        if method == 1:
            tests = _tests(engine, labels, key, folds, n_resamples, fraction)
            return engine.map(lambda test: _accuracy(engine, labels, classifier, test), tests)
        if method == 2:
            return _subsets(engine, labels, key, n_resamples, estimate)
        return _single_clusters(engine, labels, key, n_resamples, fraction, estimate)

    samples: dict[int, NDArray[np.float64]] = {}
    for number in numbers:
        values: list[float] = []
        for run in range(n_runs):
            labels = engine.fit(None, [number], engine.generator(run, number))[0]
            values += confidences(labels, (run, number))
        samples[number] = np.array(values or [np.nan])
    table = curve_table(samples, [], greater_is_better=True)
    best = None if table["value"].isna().all() else numbers[int(np.nanargmax(table["value"]))]
    return StabilityCurve(
        f"Subsampling, method {method}", table, samples, True, best, "the highest mean", engine.n
    )


def _tests(
    engine: Engine,
    labels: Codes,
    key: tuple[int, int],
    folds: int | None,
    n_resamples: int,
    fraction: float,
) -> list[NDArray[np.int64]]:
    """Test objects of each classifier: folds, or the objects outside of a subsample."""
    judged = np.flatnonzero(labels >= 0)
    if folds is not None:
        if not 2 <= folds <= len(judged):
            raise InputError(f"folds must be between 2 and {len(judged)}; got {folds}")
        test_sets = np.array_split(engine.generator(*key, 0).permutation(judged), folds)
        return [np.sort(rows) for rows in test_sets]
    samples = (
        subsample(len(judged), fraction, engine.generator(*key, b)) for b in range(n_resamples)
    )
    return [np.delete(judged, rows) for rows in samples]


def _accuracy(
    engine: Engine, labels: Codes, classifier: ClassifierLike, test: NDArray[np.int64]
) -> float:
    """Accuracy on the test objects of a classifier trained on the other objects."""
    train = np.setdiff1d(np.flatnonzero(labels >= 0), test)
    predicted = transfer(engine, classifier, train, labels[train], test)
    return float((predicted == labels[test]).mean())


def _subsets(
    engine: Engine, labels: Codes, key: tuple[int, int], most: int, estimate: NumberEstimator
) -> list[float]:
    """For subsets of the clusters, whether an estimator gets their number right."""
    k = int(labels.max(initial=-1)) + 1
    rng = engine.generator(*key, 2)
    if 2**k - 1 <= most:
        subsets = [s for size in range(1, k + 1) for s in combinations(range(k), size)]
    else:
        # every subset of the clusters is equally likely
        shares = np.array([comb(k, size) for size in range(1, k + 1)], dtype=float)
        sizes = rng.choice(np.arange(1, k + 1), most, p=shares / shares.sum())
        subsets = [tuple(sorted(rng.choice(k, size, replace=False))) for size in sizes]
    right = []
    for b, subset in enumerate(subsets):
        rows = np.flatnonzero(np.isin(labels, subset))
        if len(rows) >= MIN_OBJECTS:
            answer = _estimate_number(engine, rows, k + 2, estimate, engine.generator(*key, 3, b))
            right.append(float(answer == len(subset)))
    return right


def _single_clusters(
    engine: Engine,
    labels: Codes,
    key: tuple[int, int],
    n_resamples: int,
    fraction: float,
    estimate: NumberEstimator,
) -> list[float]:
    """For subsamples of single clusters, whether an estimator answers one."""
    values = []
    for cluster in range(int(labels.max(initial=-1)) + 1):
        rows = np.flatnonzero(labels == cluster)
        for b in range(n_resamples):
            rng = engine.generator(*key, 4, cluster, b)
            sample = rows[subsample(len(rows), fraction, rng)] if len(rows) > 1 else rows
            few = len(sample) < MIN_OBJECTS
            values.append(
                1.0 if few else float(_estimate_number(engine, sample, 5, estimate, rng) == 1)
            )
    return values


def _estimate_number(
    engine: Engine,
    rows: NDArray[np.integer[Any]],
    most: int,
    estimate: NumberEstimator,
    rng: np.random.Generator,
) -> int:
    """Number of clusters of some objects by an estimator."""
    numbers = list(range(1, min(most, len(rows) // 2) + 1))
    return estimate(engine.X[rows], engine.clusterer, numbers, int(rng.integers(2**31 - 1)))
