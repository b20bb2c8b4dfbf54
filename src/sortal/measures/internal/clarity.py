"""Clarity: how well a classifier predicts the clustering on which it is trained."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from sortal.labelings.labels import NoisePolicy
from sortal.measures.catalogue import catalogue, define
from sortal.measures.docstrings import cite
from sortal.measures.internal.batch import TOO_FEW_CLUSTERS
from sortal.runtime.validation import InputError, UndefinedMeasureError, check_choice

if TYPE_CHECKING:
    from sortal.labelings.partitions import Labelings
    from sortal.measures.clarity import Clarity
    from sortal.measures.passes.statistics import Statistics
    from sortal.typing import ArrayLike, Floats, Labels, Metric, RandomState, Rows

__all__ = [
    "generalized_informativeness",
    "informativeness",
    "informativeness_ari",
    "informativeness_eq",
    "informativeness_f1",
    "informativeness_pq",
]

INFORMATIVENESS_COST = "O(n² d) once, O(n) per clustering"


def informativeness(
    X: ArrayLike,
    labels: object,
    *,
    classifiers: object = "5nn",
    cv: int | Literal["leave-one-out"] = "leave-one-out",
    baseline: Literal["uniform", "permutation"] = "uniform",
    metric: Metric = "euclidean",
    noise: NoisePolicy = "error",
    random_state: RandomState = 0,
    executor: Executor | None = None,
) -> Any:
    """How well clusters can be learnt: correct information in a classifier's predictions.

    I = (AI − E)/(H − E). Here AI = −Σ r(c) log p(c) is the mean correct information in a prediction
    for an object outside the training data. H is the entropy of the clustering, and E the AI of a
    guesser. With several classifiers, the largest AI counts.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    labels : array-like, shape (n,) or (M, n)
        One or many clusterings; many cost little more than one, see
        :func:`sortal.measures.clarity.assess`, which also reports the clusters at fault.
    classifiers : str, classifier, estimator, or a list of them
        ``"5nn"``, ``"svm"``, ``"tree"``, ``"centroid"``, ``"email"``, or any
        estimator with ``fit`` and ``predict``. whissell2012 takes the first four and 10 folds:
        ``classifiers=sortal.measures.clarity.THESIS, cv=10``.
    cv : "leave-one-out" or int
        Number of folds; they are stratified by cluster.
    baseline : {"uniform", "permutation"}
        The guesser predicts every cluster equally often, E = H/k (whissell2012), or each as
        often as the classifier. With the second, a classifier that ignores the objects scores 0
        for clusters of any sizes.
    metric : str or callable
        The distance of the neighbour classifiers.
    random_state : int, Generator or None, default 0
        Randomness of the folds and of randomised classifiers.
    executor : concurrent.futures.Executor, optional
        Runs the search for neighbours and the training of classifiers.

    Returns
    -------
    float, or ndarray of float64, shape (M,)
        At most 1 (every object recognised); 0 is guessing; below 0 is worse. Greater is better.
        In an array, NaN for a single cluster.

    Notes
    -----
    With ``"5nn"`` one search for neighbours, O(n² d) or less, then O(n) for each clustering.
    Singletons are never recognised.

    Whissell 2012, equations 6.5 and 6.11–6.13 (6.12 with the missing minus sign).

    Examples
    --------
    >>> import numpy as np
    >>> from sortal import informativeness
    >>> angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> X = np.concatenate([ring, 3 * ring])
    >>> informativeness(X, np.repeat(["inner", "outer"], 60))
    1.0
    """
    from sortal.measures.clarity.assessment import assess
    from sortal.measures.clarity.scores import BASELINES

    check_choice(baseline, BASELINES, "baseline")
    clarity = assess(
        X, labels, classifiers=classifiers, cv=cv, metric=metric, noise=noise,
        random_state=random_state, executor=executor,
    )  # fmt: skip
    return _like(labels, clarity.values(baseline))


@cite("whissell2012 §6.2")
def generalized_informativeness(
    X: ArrayLike,
    labels: object,
    *,
    measure: str | Callable[[Any, Any], float] = "adjusted_rand_index",
    classifiers: object = "5nn",
    cv: int | Literal["leave-one-out"] = "leave-one-out",
    metric: Metric = "euclidean",
    noise: NoisePolicy = "error",
    random_state: RandomState = 0,
    executor: Executor | None = None,
) -> Any:
    """Agreement of a clustering with a classifier's predictions, by any external measure.

    Parameters
    ----------
    labels : array-like, shape (n,) or (M, n)
    measure : str or callable
        Key of an external measure in the catalogue, or ``measure(labels_true, labels_pred)``,
        greater is better. As in whissell2012, the prediction takes the place of the truth. With
        several classifiers, the best value counts.
    classifiers, cv, metric, noise, random_state, executor
        As in :func:`informativeness`.

    Returns
    -------
    float, or ndarray of float64, shape (M,)
        On the scale of the measure; errors as :func:`informativeness`.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.3], [0.4], [9.0], [9.1], [9.3], [9.4]]
    >>> from sortal.measures.clarity import KNearestNeighbors
    >>> generalized_informativeness(
    ...     X, [0, 0, 0, 0, 1, 1, 1, 1], classifiers=KNearestNeighbors(3), measure="purity"
    ... )
    1.0
    """
    from sortal.measures.clarity.assessment import assess

    clarity = assess(
        X, labels, classifiers=classifiers, cv=cv, metric=metric, noise=noise,
        random_state=random_state, executor=executor,
    )  # fmt: skip
    if callable(measure):
        return _like(labels, clarity.agreement(measure, 1))
    record = catalogue[measure]
    if record.kind != "external":
        raise InputError(
            f"{measure} is an {record.kind} measure; generalized informativeness compares two "
            "partitions and needs an external one, e.g. 'adjusted_rand_index'"
        )
    return _like(labels, clarity.agreement(record.function, record.sign))


def _like(labels: Any, values: Floats) -> Any:
    """A float if ``labels`` is a single clustering, otherwise the array."""
    if len(values) > 1 or np.ndim(labels) != 1:
        return values
    if np.isnan(values[0]):
        raise UndefinedMeasureError(f"informativeness is undefined: {TOO_FEW_CLUSTERS}")
    return float(values[0])


#: 5-NN predictions by statistics, shared by all records
_predicted: WeakKeyDictionary[Any, Clarity] = WeakKeyDictionary()


def _estimate(
    X: Rows, labelings: Labelings, **options: Any
) -> tuple[Floats, Floats, dict[int, str], int]:
    """Informativeness estimated from a sample; options as in ``Measure.estimate``."""
    from sortal.measures.clarity.sampled import estimate_informativeness

    return estimate_informativeness(X, labelings, **options)


def _compute(stats: Statistics, judge: Callable[..., float] | None = None) -> list[float | str]:
    """Batch form: informativeness, or agreement by an external measure."""
    from sortal.measures.clarity.assessment import assess_labelings

    if stats not in _predicted:
        _predicted[stats] = assess_labelings(
            stats.X, stats.labelings, metric=stats.metric, random_state=0, executor=stats.workers
        )
    clarity = _predicted[stats]
    values = clarity.values() if judge is None else clarity.agreement(judge)
    return [
        float(value) if k > 1 else TOO_FEW_CLUSTERS
        for value, k in zip(values, clarity.labelings.n_clusters, strict=True)
    ]


def _generalized(key: str, measure: str, title: str, low: float) -> Callable[..., float]:
    """Define and return generalized informativeness by one external measure."""

    def function(
        X: ArrayLike, labels: Labels, *, metric: Metric = "euclidean", noise: NoisePolicy = "error"
    ) -> float:
        return generalized_informativeness(X, labels, measure=measure, metric=metric, noise=noise)

    function.__name__ = function.__qualname__ = key
    function.__doc__ = f"""{title}: agreement of a clustering with its 5-NN prediction.

    The external measure {measure!r} between the clustering and its leave-one-out prediction by
    the five nearest neighbours; :func:`generalized_informativeness` takes other classifiers,
    folds and measures.

    Raises
    ------
    UndefinedMeasureError
        For a single cluster.
    """
    define(
        function,
        title,
        family="clarity",
        references=["whissell2012 §6.2"],
        compute=lambda stats: _compute(stats, catalogue[measure].function),
        range=(low, 1.0),
        cost=INFORMATIVENESS_COST,
    )
    return function


define(
    informativeness,
    "Informativeness (5-NN, leave-one-out)",
    family="clarity",
    references=["whissell2012 6.5, 6.11–6.13"],
    compute=_compute,
    estimate=_estimate,
    range=(-1.0, 1.0),
    cost=INFORMATIVENESS_COST,
)
informativeness_ari = _generalized("informativeness_ari", "adjusted_rand_index", "inf-ARI", -1.0)
informativeness_eq = _generalized("informativeness_eq", "entropy_quality", "inf-EQ", 0.0)
informativeness_f1 = _generalized("informativeness_f1", "f_quality", "inf-F1", 0.0)
informativeness_pq = _generalized("informativeness_pq", "purity", "inf-PQ", 0.0)
