"""One entry for judging: many clusterings, every measure that applies, one table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import FORMS, check_metric, check_points, embed, metric_name
from karat.measures import Measure, catalogue
from karat.measures.passes.estimates import estimate, sampled_by, why_not_sampled
from karat.measures.passes.statistics import Plan, Statistics, group, takes_weights, weigh
from karat.partition import NOISE, Labelings, NoisePolicy, as_labelings, known_labels
from karat.validation import InputError, check_random_state

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.contingency import ContingencyTable

    Floats = NDArray[np.float64]


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
    random_state: Any = None,
) -> pd.DataFrame:
    """Judge many clusterings of one data set at once.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), or None
        The data; None omits the internal measures.
    labelings : array-like (n,) or (M, n), mapping, DataFrame
        One or many clusterings, see :func:`karat.partition.as_labelings`.
    truth : array-like, shape (n,), optional
        Class of each object; None, NaN or ``-1`` where it is not known. External measures are
        computed on the objects whose class is known.
    measures : iterable of str, optional
        Catalogue keys; by default every measure that applies and costs at most one pass over
        the pairs of objects.
    metric : str or callable
        The distance of the internal measures, see :data:`karat.distances.METRICS`. Measures that
        are Euclidean by definition (centroids, scatter matrices) are computed on the rows whose
        Euclidean distance it is, unit rows for cosine, see :data:`karat.distances.FORMS`; under
        a distance that has no such rows they have no value and are left out by default.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means in a clustering.
    sample_weight : array-like, shape (n,), optional
        How many coincident objects each stands for; 0 leaves it out. Measures that have no
        weighted form are excluded, see :data:`karat.measures.passes.statistics.WEIGHTED`.
    penalize : bool
        Make values worse by the share of objects that ``noise="drop"`` excludes: those above 0
        are multiplied by the share that is judged, or divided by it where lower is better.
    precision : float, optional
        For large n: estimate the measures that go through all pairs from samples of the
        objects and of the pairs, until each has at most this standard error (times its value,
        where its range has no bound). By default everything is exact. Measures of extremes
        (Dunn's) have no estimate, see :func:`explain`.
    random_state : None, int or Generator
        For the sample.

    Returns
    -------
    DataFrame
        One row per clustering, one column per measure. Where a value is NaN,
        ``table.attrs["reasons"][row][column]`` says why. ``table.attrs["coverage"][row]`` is the
        share of the objects that is judged (of their weight, with weights). With ``precision``,
        ``table.attrs["standard_errors"]`` is a table of the estimates' standard errors (a column
        is there for each *estimated* measure; 0 where the sample is everything, so that the
        value is exact), and ``table.attrs["sample_size"]`` says how many ``"objects"`` and how
        many ``"pairs"`` of them were drawn.

    Notes
    -----
    The last digits of a value may depend on which clusterings are judged together, never on the
    number of threads.

    Raises
    ------
    InputError
        For input that cannot be used, or a measure that needs what is not given.

    Examples
    --------
    >>> import karat
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> karat.evaluate(X, {"two": [0, 0, 1, 1]}, measures=["silhouette"]).round(3)
         silhouette
    two         0.9
    """
    metric = check_metric(metric)
    data = None if X is None else check_points(X, metric)
    chosen = applicable(
        measures, has_data=data is not None, has_truth=truth is not None, metric=metric
    )
    if sample_weight is not None:
        if precision is not None:
            raise InputError(
                "estimates from a sample have no weighted form; omit precision, or sample_weight"
            )
        chosen = _with_weights(chosen, asked=measures is not None)
    if precision is not None:
        chosen = _without_passes(chosen, asked=measures is not None)
    return judge(
        data,
        labelings,
        truth=truth,
        measures=chosen,
        metric=metric,
        noise=noise,
        sample_weight=sample_weight,
        penalize=penalize,
        precision=precision,
        random_state=random_state,
    )


def explain(
    X: Any,
    labelings: Any,
    *,
    measures: Iterable[str] | None = None,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
) -> Plan:
    """Which passes over the data :func:`evaluate` makes for internal measures, and for what.

    Parameters are those of :func:`evaluate`; nothing is computed.

    Returns
    -------
    Plan
        Print it.

    Examples
    --------
    >>> import karat
    >>> print(karat.explain([[0.0], [1.0], [5.0]], [0, 0, 1], measures=["silhouette", "aucc"]))
    1 clustering of 3 objects, euclidean distance: 2 kinds of passes over the data
      pairs: O(n² d)
        silhouettes (sum of the objects' silhouettes, per cluster)
          for silhouette
      ranks: O(n² log n + n² M), a pass of O(n² d) for every few million pairs
        concordance (rank sums of the distances within, and ties)
          for aucc
      with precision:
        estimated from a sample of the objects: silhouette
        estimated from a sample of the pairs: aucc
    """
    metric = check_metric(metric)
    data = check_points(X, metric)
    batch = as_labelings(labelings, n_objects=data.shape[0], noise=noise)
    chosen = [
        m for m in applicable(measures, has_truth=False, metric=metric) if m.kind == "internal"
    ]
    reads = {measure.key: tuple(sorted(measure.needs)) for measure in chosen}
    name = metric_name(metric)
    needs = {need for statistics in reads.values() for need in statistics}
    sparse = hasattr(data, "toarray")
    passes = group(needs, metric, sparse=sparse)
    ways: dict[str, str] = {
        m.key: way for m in chosen if (way := sampled_by(m, metric, sparse=sparse))
    }
    return Plan(batch.n_objects, len(batch), name, passes, reads, ways)


def _with_weights(measures: list[Measure], *, asked: bool) -> list[Measure]:
    """Those that have a weighted form."""
    fits = []
    for measure in measures:
        if takes_weights(measure):
            fits.append(measure)
        elif asked:
            raise InputError(
                f"{measure.key} has no weighted form; exclude it, omit sample_weight, or "
                "repeat each object as often as its weight says"
            )
    return fits


def _is_sampled(measure: Measure, X: Any, metric: Any) -> bool:
    return sampled_by(measure, metric, sparse=hasattr(X, "toarray")) in ("objects", "pairs")


def _without_passes(measures: list[Measure], *, asked: bool) -> list[Measure]:
    """Those that need no pass over all pairs where what can be estimated is."""
    fits = []
    for measure in measures:
        if measure.kind == "external" or sampled_by(measure):
            fits.append(measure)
        elif asked:
            raise InputError(why_not_sampled(measure))
    return fits


def judge(
    X: Any,
    labelings: Any,
    *,
    truth: Any = None,
    measures: Sequence[Measure],
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
    penalize: bool = False,
    precision: float | None = None,
    random_state: Any = None,
) -> pd.DataFrame:
    """What :func:`evaluate` does, for measures that may be in no catalogue.

    Parameters and result are those of :func:`evaluate`, but ``measures`` are records.
    """
    import pandas as pd

    metric = check_metric(metric)
    X, batch, weights, kept = weigh(X, labelings, sample_weight, metric=metric, noise=noise)
    known = None
    if truth is not None:
        known = known_truth(truth, len(kept))
        if not kept.all():
            known = known_truth(known[kept], batch.n_objects)
    columns: dict[str, NDArray[np.float64]] = {}
    reasons: dict[str, dict[str, str]] = {}
    internal = [m for m in measures if m.kind == "internal"]
    external = [m for m in measures if m.kind == "external"]
    judged = []
    sampled = [] if precision is None else [m for m in internal if _is_sampled(m, X, metric)]
    internal = [m for m in internal if m not in sampled]
    estimates = None
    if sampled and precision is not None:
        rng = check_random_state(random_state)
        estimates = estimate(X, batch, sampled, precision=precision, metric=metric, rng=rng)
        for i, measure in enumerate(sampled):
            undefined = {m: why for (m, j), why in estimates.reasons.items() if j == i}
            judged.append((measure, estimates.values[:, i], undefined))
    if internal:
        judged += list(_judge_internal(X, batch, internal, metric, weights))
    if external:
        judged += list(_judge_external(known, batch, external, weights))
    for measure, values, why in judged:
        columns[measure.key] = values
        for m, reason in why.items():
            reasons.setdefault(batch.names[m], {})[measure.key] = reason
    table = pd.DataFrame(
        {measure.key: columns[measure.key] for measure in measures}, index=list(batch.names)
    )
    table.attrs["reasons"] = reasons
    if estimates is not None:
        table.attrs["standard_errors"] = pd.DataFrame(
            estimates.standard_errors, list(batch.names), [measure.key for measure in sampled]
        )
        table.attrs["sample_size"] = estimates.drawn
    coverage = np.average(batch.codes != NOISE, axis=1, weights=weights)
    table.attrs["coverage"] = dict(zip(batch.names, coverage.tolist(), strict=True))
    if penalize:
        _penalize(table, measures, coverage)
    return table


def _penalize(table: pd.DataFrame, measures: Sequence[Measure], coverage: Floats) -> None:
    """Make values worse by what is excluded, and standard errors to fit."""
    errors = table.attrs.get("standard_errors", {})
    for measure in measures:
        factors = measure.penalty(table[measure.key].to_numpy(), coverage)
        table[measure.key] *= factors
        if measure.key in errors:
            errors[measure.key] *= factors


def known_truth(truth: Any, n: int) -> NDArray[np.object_]:
    """The classes as objects, None where the class is not known (missing, or -1)."""
    return known_labels(truth, n)


def applicable(
    keys: Iterable[str] | None,
    *,
    has_truth: bool,
    has_data: bool = True,
    metric: Any = "euclidean",
) -> list[Measure]:
    """The measures with these keys; by default the cheap ones that the input allows."""

    def lacking(measure: Measure) -> str:
        if measure.kind == "external":
            return "" if has_truth else "truth"
        if not has_data:
            return "the data X"
        if measure.takes_metric or _form(metric) is not None:
            return ""
        if metric == "precomputed":
            return "the objects' features; it has no value for a matrix of distances"
        return f"Euclidean distance; it has no value for {metric_name(metric)}"

    if keys is None:
        return [m for m in catalogue.values() if m.default and not lacking(m)]
    chosen = catalogue.select(keys)
    for measure in chosen:
        if lacks := lacking(measure):
            raise InputError(f"{measure.key} is an {measure.kind} measure and needs {lacks}")
    return chosen


def _form(metric: Any) -> str | None:
    """The form of the rows whose Euclidean distance this is, or nothing; see ``FORMS``."""
    return FORMS.get(metric) if isinstance(metric, str) else None


def _judge_internal(
    X: Any, batch: Labelings, measures: list[Measure], metric: Any, weights: Floats | None
) -> Iterable[tuple[Measure, NDArray[np.float64], dict[int, str]]]:
    """Measures that are Euclidean by definition are judged on rows that fit the distance."""
    euclidean = [m for m in measures if not m.takes_metric] if _form(metric) else []
    others = [m for m in measures if m not in euclidean]
    if others:
        yield from _judge_together(X, batch, others, metric, weights)
    if euclidean:
        try:
            rows = embed(X, metric, weights)
        except InputError as error:
            why = dict.fromkeys(range(len(batch)), str(error))
            yield from ((m, np.full(len(batch), math.nan), why) for m in euclidean)
        else:
            yield from _judge_together(rows, batch, euclidean, "euclidean", weights)


def _judge_together(
    X: Any, batch: Labelings, measures: list[Measure], metric: Any, weights: Floats | None
) -> Iterable[tuple[Measure, NDArray[np.float64], dict[int, str]]]:
    needs = frozenset().union(*(measure.needs for measure in measures))
    stats = Statistics(X, batch, needs, metric=metric, weights=weights)
    for measure in measures:
        if measure.compute is None:
            options = {"metric": metric} if measure.takes_metric else {}
            function = partial(measure.function, X, noise="drop", **options)
            yield measure, *_one_by_one([partial(function, row) for row in batch.codes])
        elif failed := [stats.failed[need] for need in measure.needs if need in stats.failed]:
            yield measure, stats.values(), dict.fromkeys(range(len(batch)), failed[0])
        else:
            try:
                yield measure, *measure.judge(stats)
            except InputError as error:
                yield measure, stats.values(), dict.fromkeys(range(len(batch)), str(error))


def _judge_external(
    truth: Any, batch: Labelings, measures: list[Measure], weights: Floats | None
) -> Iterable[tuple[Measure, NDArray[np.float64], dict[int, str]]]:
    from karat.measures.external.agreement import tables_against
    from karat.partition import Encoded, encode

    known = np.array([value is not None for value in truth])
    classes = encode(truth[known], name="truth")
    codes = np.full(len(truth), NOISE, dtype=np.int32)
    codes[known] = classes.codes
    tables = list(tables_against(Encoded(codes, classes.names), batch, weights))

    def judge(measure: Measure, table: ContingencyTable | None) -> float:
        if table is None:
            raise InputError("every object whose class is known is an outlier here")
        return (measure.compute or measure.function)(table)

    for measure in measures:
        yield measure, *_one_by_one([partial(judge, measure, table) for table in tables])


def _one_by_one(calls: list[Any]) -> tuple[NDArray[np.float64], dict[int, str]]:
    values, why = np.full(len(calls), math.nan), {}
    for m, call in enumerate(calls):
        try:
            values[m] = call()
        except InputError as error:
            why[m] = str(error)
        except Exception as error:  # a measure of another package must not stop the rest
            why[m] = f"{type(error).__name__}: {error}"
    return values, why
