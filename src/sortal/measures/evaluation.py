"""One entry point: many clusterings, every applicable measure, one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sortal.distances import check_metric, metric_name
from sortal.labelings.labels import NoisePolicy
from sortal.measures import Measure, catalogue
from sortal.measures.catalogue import takes_weights
from sortal.measures.computation import compute, form_of
from sortal.measures.inputs import Inputs
from sortal.measures.passes.estimates import sampled_by, why_not_sampled
from sortal.measures.scores import Scores
from sortal.runtime.validation import InputError
from sortal.typing import ArrayLike, Labels, Metric, RandomState

__all__ = ["applicable", "evaluate"]


def evaluate(
    X: ArrayLike | None,
    labelings: object,
    *,
    y: Labels | None = None,
    measures: Iterable[str] | None = None,
    metric: Metric = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: ArrayLike | None = None,
    penalize: bool = False,
    precision: float | None = None,
    random_state: RandomState = 0,
    executor: object = None,
) -> Scores:
    """Judge many clusterings of one data set at once.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), or None
        The data; None omits the internal measures.
    labelings : array-like (n,) or (M, n), mapping, DataFrame
        One or many clusterings, see :func:`sortal.labelings.as_labelings`, or fitted estimators
        and other containers (:func:`sortal.labelings.hard_labelings`). Measures that support soft
        and overlapping clusterings (``Measure.structures``) judge a
        :class:`~sortal.labelings.SoftPartition` or :class:`~sortal.labelings.OverlappingPartition`
        directly. The others judge its hard labels, marked in ``scores.hardened``. A
        :class:`~sortal.Dendrogram` is judged by its cuts.
    y : array-like, shape (n,), optional
        Class of each object; None, NaN or ``-1`` marks an unknown class. External measures
        ignore objects of unknown class.
    measures : iterable of str, optional
        Catalogue keys; by default every applicable measure that costs at most one pass over
        the pairs of objects.
    metric : str or callable
        The distance of the internal measures, see :data:`sortal.distances.METRICS`. A function of
        two rows is called for every pair in every pass; a study calls it once for each pair, as
        does :func:`sortal.distances.distance_matrix`. Measures that are Euclidean by definition
        (centroids, scatter matrices) use transformed rows whose Euclidean distance is the
        metric: unit rows for cosine, see :data:`sortal.distances.FORMS`. They are excluded by
        default, and have no value, under a distance without such rows. Under cosine a row of
        zeros is at distance 1 from all others, and 0 from its like.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means in a clustering.
    sample_weight : array-like, shape (n,), optional
        Object weights (frequencies); 0 excludes the object. Measures without a weighted form
        are excluded, see :data:`sortal.measures.passes.plan.WEIGHTED`.
    penalize : bool
        Worsen values by the share of objects that ``noise="drop"`` excludes. Values above 0 are
        multiplied by the share of judged objects, or divided by it if lower is better.
    precision : float, optional
        Largest standard error of estimates, for large n. It is relative to the value for measures
        without a bounded range, such as sums of distances. Silhouettes, informativeness, and sums
        and ranks of distances are then estimated from samples of the objects and of the pairs. By
        default everything is exact. Extremes of distances and sums of 1/d² have no estimate.
    random_state : int, Generator or None, default 0
        For the sample.
    executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
        Computes passes over the pairs and over the rows, searches for neighbours and estimates;
        by default threads of this process. Executors that can keep data receive them once.
        Values do not depend on the number of workers, and differ from those of this process only
        by the order of sums. Measures that share no statistics are not distributed.

    Returns
    -------
    Scores
        ``scores.table`` has a row for each clustering and a column for each measure;
        ``scores["silhouette"]`` is a column. Further attributes hold the reasons of missing
        values, the standard errors of estimates, the share of judged objects, and which values
        are exact.

    Notes
    -----
    Tables and series with a pandas index of ids are joined by these ids, one to one.

    The last digits of a value may depend on the clusterings judged together, never on the number
    of threads or workers.

    Examples
    --------
    >>> import sortal
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> sortal.evaluate(X, {"two": [0, 0, 1, 1]}, measures=["silhouette"])
        silhouette
    two     0.8997
    """
    chosen = applicable(
        measures, has_data=X is not None, has_truth=y is not None, metric=check_metric(metric)
    )
    if sample_weight is not None:
        if precision is not None:
            raise InputError(
                "estimates from a sample have no weighted form; omit precision, or sample_weight"
            )
        chosen = _fitting(chosen, takes_weights, _not_weighted, measures)
    if precision is not None:
        chosen = _fitting(chosen, _is_estimated, why_not_sampled, measures)
    inputs = Inputs.read(X, labelings, y=y, metric=metric, noise=noise, sample_weight=sample_weight)
    return compute(
        inputs, chosen, penalize=penalize, precision=precision,
        random_state=random_state, executor=executor,
    )  # fmt: skip


def _fitting(
    chosen: list[Measure],
    fits: Callable[[Measure], Any],
    why_not: Callable[[Measure], str],
    requested: Iterable[str] | None,
) -> list[Measure]:
    """The measures that fit; raise for a requested one that does not."""
    for measure in chosen if requested is not None else ():
        if not fits(measure):
            raise InputError(why_not(measure))
    return [measure for measure in chosen if fits(measure)]


def _not_weighted(measure: Measure) -> str:
    """Error message for a measure without a weighted form."""
    return (
        f"{measure.key} has no weighted form; exclude it, omit sample_weight, or repeat each "
        "object as often as its weight says"
    )


def _is_estimated(measure: Measure) -> bool:
    """Whether a measure can be computed without a pass over all pairs."""
    return measure.kind == "external" or bool(sampled_by(measure))


def applicable(
    keys: Iterable[str] | None,
    *,
    has_truth: bool,
    has_data: bool = True,
    metric: Metric = "euclidean",
    every: bool = False,
) -> list[Measure]:
    """The measures with these keys; by default the cheap ones (or all) that fit the input."""

    def lacking(measure: Measure) -> str:
        if measure.kind == "external":
            return "" if has_truth else "the classes y"
        if not has_data:
            return "the data X"
        if measure.takes == "graph":
            return "" if metric == "graph" else 'the edges of a graph (metric="graph")'
        if metric == "graph":
            return f"{measure.takes} of the objects, and a graph has edges alone"
        if measure.takes == "distances" or form_of(metric) is not None:
            return ""
        if metric == "precomputed":
            return "the objects' features; it has no value for a matrix of distances"
        return f"Euclidean distance; it has no value for {metric_name(metric)}"

    if keys is None:
        return [m for m in catalogue.values() if (m.default or every) and not lacking(m)]
    chosen = catalogue.select(keys)
    for measure in chosen:
        if lacks := lacking(measure):
            raise InputError(f"{measure.key} is an {measure.kind} measure and needs {lacks}")
    return chosen
