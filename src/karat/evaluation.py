"""One entry for judging: many clusterings, every measure that applies, one table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import check_metric, check_points
from karat.measures import Measure, catalogue
from karat.measures._sampling import estimate, needs_no_sample, sampled_by, why_not_sampled
from karat.measures.statistics import Plan, Statistics, group
from karat.partition import NOISE, Labelings, NoisePolicy, as_labelings
from karat.validation import InputError, check_random_state

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.contingency import ContingencyTable


def evaluate(
    X: Any,
    labelings: Any,
    *,
    truth: Any = None,
    measures: Iterable[str] | None = None,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    precision: float | None = None,
    random_state: Any = None,
) -> pd.DataFrame:
    """Judge many clusterings of one data set at once.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), or None
        The data; None leaves out the internal measures.
    labelings : array-like (n,) or (M, n), mapping, DataFrame
        One or many clusterings, see :func:`karat.partition.as_labelings`.
    truth : array-like, shape (n,), optional
        Class of each object; None, NaN or ``-1`` where it is not known. External measures are
        computed on the objects whose class is known.
    measures : iterable of str, optional
        Catalogue keys; by default every measure that applies and costs at most one pass over
        the pairs of objects.
    metric : str or callable
        The distance of the internal measures, see :data:`karat.distances.METRICS`; measures of
        centroids are Euclidean whatever it is.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means in a clustering.
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
        ``table.attrs["reasons"][row][column]`` says why. With ``precision``,
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
    chosen = _applicable(measures, data is not None, truth is not None, metric)
    if precision is not None:
        chosen = _without_passes(chosen, asked=measures is not None)
    return judge(
        data,
        labelings,
        truth=truth,
        measures=chosen,
        metric=metric,
        noise=noise,
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
      ranks: O(n² log n + n² M), a pass of O(n² d) for every 4 million pairs
        concordance (rank sums of the distances within, and ties)
          for aucc
      with precision:
        estimated from a sample of the objects: silhouette
        estimated from a sample of the pairs: aucc
    """
    metric = check_metric(metric)
    data = check_points(X, metric)
    batch = as_labelings(labelings, n_objects=data.shape[0], noise=noise)
    chosen = [m for m in _applicable(measures, True, False, metric) if m.kind == "internal"]
    reads = {measure.key: tuple(sorted(measure.needs)) for measure in chosen}
    name = metric if isinstance(metric, str) else getattr(metric, "__name__", "callable")
    passes = group(need for needs in reads.values() for need in needs)
    estimated = {measure.key: way for measure in chosen if (way := sampled_by(measure))}
    exact = {measure.key: "exact" for measure in chosen if needs_no_sample(measure)}
    return Plan(batch.n_objects, len(batch), name, passes, reads, estimated | exact)


def _without_passes(measures: list[Measure], *, asked: bool) -> list[Measure]:
    """Those that need no pass over all pairs where what can be estimated is."""
    fits = []
    for measure in measures:
        if measure.kind == "external" or sampled_by(measure) or needs_no_sample(measure):
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
    precision: float | None = None,
    random_state: Any = None,
) -> pd.DataFrame:
    """What :func:`evaluate` does, for measures that may be in no catalogue.

    Parameters and result are those of :func:`evaluate`, but ``measures`` are records.
    """
    import pandas as pd

    metric = check_metric(metric)
    batch = as_labelings(labelings, n_objects=None if X is None else X.shape[0], noise=noise)
    known = None if truth is None else known_truth(truth, batch.n_objects)
    columns: dict[str, NDArray[np.float64]] = {}
    reasons: dict[str, dict[str, str]] = {}
    internal = [m for m in measures if m.kind == "internal"]
    external = [m for m in measures if m.kind == "external"]
    judged = []
    sampled = [m for m in internal if precision is not None and sampled_by(m)]
    internal = [m for m in internal if m not in sampled]
    estimates = None
    if sampled and precision is not None:
        rng = check_random_state(random_state)
        estimates = estimate(X, batch, sampled, precision=precision, metric=metric, rng=rng)
        for i, measure in enumerate(sampled):
            undefined = {m: why for (m, j), why in estimates.reasons.items() if j == i}
            judged.append((measure, estimates.values[:, i], undefined))
    if internal:
        judged += list(_judge_internal(X, batch, internal, metric))
    if external:
        judged += list(_judge_external(known, batch, external))
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
    return table


def known_truth(truth: Any, n: int) -> NDArray[np.object_]:
    """The classes as objects, None where the class is not known (None, NaN, NA or -1)."""
    import pandas as pd

    values = np.empty(n, dtype=object)
    given = list(truth.to_numpy() if hasattr(truth, "to_numpy") else truth)
    if len(given) != n:
        raise InputError(f"truth has {len(given)} labels, but there are {n} objects")
    values[:] = given
    unknown = pd.isna(values) | np.array(
        [not isinstance(v, (str, bool, np.bool_)) and v == NOISE for v in given], dtype=bool
    )
    values[unknown] = None
    if unknown.all():
        raise InputError("truth names the class of no object; leave it out instead")
    return values


def _applicable(
    keys: Iterable[str] | None, has_data: bool, has_truth: bool, metric: Any = "euclidean"
) -> list[Measure]:
    """The measures with these keys; by default the cheap ones that the input allows."""

    def lacking(measure: Measure) -> str:
        if measure.kind == "external":
            return "" if has_truth else "truth"
        if not has_data:
            return "the data X"
        if metric == "precomputed" and not measure.takes_metric:
            return "the objects' features; it has no value for a matrix of distances"
        return ""

    if keys is None:
        return [m for m in catalogue.values() if m.default and not lacking(m)]
    chosen = catalogue.select(keys)
    for measure in chosen:
        if lacks := lacking(measure):
            raise InputError(f"{measure.key} is an {measure.kind} measure and needs {lacks}")
    return chosen


def _judge_internal(
    X: Any, batch: Labelings, measures: list[Measure], metric: Any
) -> Iterable[tuple[Measure, NDArray[np.float64], dict[int, str]]]:
    needs = frozenset().union(*(measure.needs for measure in measures))
    stats = Statistics(X, batch, needs, metric=metric)
    for measure in measures:
        if measure.compute is None:
            options = {"metric": metric} if measure.takes_metric else {}
            function = partial(measure.function, X, noise="drop", **options)
            yield measure, *_one_by_one([partial(function, row) for row in batch.codes])
        elif failed := [stats.failed[need] for need in measure.needs if need in stats.failed]:
            yield measure, stats.values(), dict.fromkeys(range(len(batch)), failed[0])
        else:
            stats.undefined = {}
            try:
                values = measure.compute(stats)
            except InputError as error:
                values, stats.undefined = (
                    stats.values(),
                    dict.fromkeys(range(len(batch)), str(error)),
                )
            yield measure, values, stats.undefined


def _judge_external(
    truth: Any, batch: Labelings, measures: list[Measure]
) -> Iterable[tuple[Measure, NDArray[np.float64], dict[int, str]]]:
    from karat.measures.external_batch import tables_against
    from karat.partition import Encoded, encode

    known = np.array([value is not None for value in truth])
    classes = encode(truth[known], name="truth")
    codes = np.full(len(truth), NOISE, dtype=np.int32)
    codes[known] = classes.codes
    tables = list(tables_against(Encoded(codes, classes.names), batch))

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
