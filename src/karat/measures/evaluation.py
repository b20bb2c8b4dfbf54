"""One entry for judging: many clusterings, every measure that applies, one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from karat.distances import check_metric, metric_name
from karat.labelings.labels import NoisePolicy
from karat.measures import Measure, catalogue
from karat.measures.computation import compute, form_of
from karat.measures.inputs import Inputs
from karat.measures.passes.estimates import sampled_by, why_not_sampled
from karat.measures.passes.plan import takes_weights
from karat.measures.scores import Scores
from karat.runtime.validation import InputError

__all__ = ["applicable", "evaluate"]


def evaluate(
    X: Any,
    labelings: Any,
    *,
    truth: Any = None,
    measures: Iterable[str] | None = None,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
    penalize: bool = False,
    precision: float | None = None,
    random_state: Any = 0,
    executor: Any = None,
) -> Scores:
    """Judge many clusterings of one data set at once.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), or None
        The data; None omits the internal measures.
    labelings : array-like (n,) or (M, n), mapping, DataFrame
        One or many clusterings, see :func:`karat.labelings.as_labelings`, or what holds them
        (:func:`karat.labelings.hard_labelings`). Soft and overlapping
        ones (:class:`~karat.labelings.SoftPartition`,
        :class:`~karat.labelings.OverlappingPartition`) are judged as they are by the measures that
        take them (``Measure.structures``), by their hard labels otherwise, and
        ``scores.hardened`` says where; a :class:`~karat.Dendrogram` is its cuts.
    truth : array-like, shape (n,), optional
        Class of each object; None, NaN or ``-1`` where it is not known. External measures are
        computed on the objects whose class is known.
    measures : iterable of str, optional
        Catalogue keys; by default every measure that applies and costs at most one pass over
        the pairs of objects.
    metric : str or callable
        The distance of the internal measures, see :data:`karat.distances.METRICS`. A function of
        two rows is called for every pair in every pass; a study calls it once for each pair, as
        does :func:`karat.distances.distance_matrix`. Measures that
        are Euclidean by definition (centroids, scatter matrices) are computed on the rows whose
        Euclidean distance it is, unit rows for cosine, see :data:`karat.distances.FORMS`; under
        a distance that has no such rows they have no value and are excluded by default.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means in a clustering.
    sample_weight : array-like, shape (n,), optional
        Object weights (frequencies); 0 excludes the object. Measures that have no
        weighted form are excluded, see :data:`karat.measures.passes.plan.WEIGHTED`.
    penalize : bool
        Make values worse by the share of objects that ``noise="drop"`` excludes: those above 0
        are multiplied by the share that is judged, or divided by it where lower is better.
    precision : float, optional
        For large n: estimate the measures that go through all pairs from samples of the
        objects and of the pairs, until each has at most this standard error (times its value,
        where its range has no bound). By default everything is exact. Measures of extremes
        (Dunn's) have no estimate.
    random_state : int, Generator or None, default 0
        For the sample.
    executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
        Where passes over the pairs and over the rows, searches for neighbours and estimates are
        computed; by default threads of this process. Where it can keep data, they are sent once.
        Values do not depend on the number of workers, and differ from those of this process by
        the order of sums only. Computations of a measure's own are not distributed.

    Returns
    -------
    Scores
        ``scores.table`` has a row for each clustering and a column for each measure, and
        ``scores["silhouette"]`` is one of them; beside it are the reasons of missing values, the
        standard errors of estimates, the share of the objects judged, and which values are exact.

    Notes
    -----
    Tables and series whose pandas index has ids are joined by it, one to one.

    The last digits of a value may depend on which clusterings are judged together, never on the
    number of threads or workers.

    Raises
    ------
    InputError
        For input that cannot be used, or a measure that needs what is not given.

    Examples
    --------
    >>> import karat
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> karat.evaluate(X, {"two": [0, 0, 1, 1]}, measures=["silhouette"])
        silhouette
    two     0.8997
    """
    chosen = applicable(
        measures, has_data=X is not None, has_truth=truth is not None, metric=check_metric(metric)
    )
    if sample_weight is not None:
        if precision is not None:
            raise InputError(
                "estimates from a sample have no weighted form; omit precision, or sample_weight"
            )
        chosen = _those(chosen, takes_weights, _not_weighted, measures)
    if precision is not None:
        chosen = _those(chosen, _is_estimated, why_not_sampled, measures)
    inputs = Inputs.read(
        X, labelings, truth=truth, metric=metric, noise=noise, sample_weight=sample_weight
    )
    return compute(
        inputs, chosen, penalize=penalize, precision=precision,
        random_state=random_state, executor=executor,
    )  # fmt: skip


def _those(
    chosen: list[Measure],
    fits: Callable[[Measure], Any],
    why_not: Callable[[Measure], str],
    asked: Iterable[str] | None,
) -> list[Measure]:
    """The measures that fit; those that were asked for must."""
    for measure in chosen if asked is not None else ():
        if not fits(measure):
            raise InputError(why_not(measure))
    return [measure for measure in chosen if fits(measure)]


def _not_weighted(measure: Measure) -> str:
    return (
        f"{measure.key} has no weighted form; exclude it, omit sample_weight, or repeat each "
        "object as often as its weight says"
    )


def _is_estimated(measure: Measure) -> bool:
    """Whether it needs no pass over all pairs where what can be estimated is."""
    return measure.kind == "external" or bool(sampled_by(measure))


def applicable(
    keys: Iterable[str] | None,
    *,
    has_truth: bool,
    has_data: bool = True,
    metric: Any = "euclidean",
    every: bool = False,
) -> list[Measure]:
    """The measures with these keys; by default the cheap ones (or all) that the input allows."""

    def lacking(measure: Measure) -> str:
        if measure.kind == "external":
            return "" if has_truth else "truth"
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
