"""One entry for judging: many clusterings, every measure that applies, one table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import FORMS, check_metric, check_points, embed, metric_name
from karat.labelings.held import held_labelings
from karat.labelings.labels import NOISE, Encoded, NoisePolicy, encode, known_labels
from karat.labelings.partitions import Labelings, as_labelings
from karat.labelings.structures import Memberships, kind_of, split
from karat.measures import Measure, catalogue
from karat.measures.passes.estimates import Estimates, estimate, sampled_by, why_not_sampled
from karat.measures.passes.statistics import Plan, Statistics, group, takes_weights, weigh
from karat.measures.scores import Scores
from karat.runtime.executors import LostWorkersError, Workers
from karat.runtime.validation import InputError, check_random_state, in_order_of, on_host

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.labelings.contingency import ContingencyTable

    Floats = NDArray[np.float64]

__all__ = ["applicable", "evaluate", "explain", "judge_together"]


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
        (:func:`karat.labelings.held_labelings`). Soft and overlapping
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
        weighted form are excluded, see :data:`karat.measures.passes.statistics.WEIGHTED`.
    penalize : bool
        Make values worse by the share of objects that ``noise="drop"`` excludes: those above 0
        are multiplied by the share that is judged, or divided by it where lower is better.
    precision : float, optional
        For large n: estimate the measures that go through all pairs from samples of the
        objects and of the pairs, until each has at most this standard error (times its value,
        where its range has no bound). By default everything is exact. Measures of extremes
        (Dunn's) have no estimate, see :func:`explain`.
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
    labelings, memberships = split(held_labelings(labelings, X))
    labelings = in_order_of(X, labelings, name="X", other_name="labelings")
    truth = in_order_of(X, truth, name="X", other_name="truth")
    truth = in_order_of(labelings, truth, name="labelings", other_name="truth")
    sample_weight = in_order_of(X, sample_weight, name="X", other_name="sample_weight")
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
    scores = judge(
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
        executor=executor,
    )
    if memberships:
        weighted = sample_weight is not None
        scores = as_they_are(scores, memberships, data, truth, chosen, metric, weighted)
    return scores


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
    batch = as_labelings(
        split(held_labelings(labelings, X))[0], n_objects=data.shape[0], noise=noise
    )
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
    bounded_only: bool = False,
    random_state: Any = 0,
    executor: Any = None,
) -> Scores:
    """What :func:`evaluate` does, for measures that may be in no catalogue.

    Parameters and result are those of :func:`evaluate`, but ``measures`` are records; with
    ``bounded_only`` the precision holds for measures of bounded range alone.
    """
    metric = check_metric(metric)
    workers = Workers.of(executor)
    X, batch, weights, kept = weigh(X, labelings, sample_weight, metric=metric, noise=noise)
    classes = None if truth is None else _classes_of_kept(truth, kept)
    internal = [m for m in measures if m.kind == "internal"]
    sampled = [] if precision is None else [m for m in internal if _is_sampled(m, X, metric)]
    internal = [m for m in internal if m not in sampled]
    external = [m for m in measures if m.kind == "external"]
    judged: list[Judged] = []
    drawn: dict[str, int] = {}
    if sampled and precision is not None:
        found = estimate(
            X, batch, sampled, precision=precision, metric=metric,
            rng=check_random_state(random_state), bounded_only=bounded_only, workers=workers,
        )  # fmt: skip
        drawn = found.drawn
        judged += _estimated(sampled, found)
    if internal:
        judged += _judge_internal(X, batch, internal, metric, weights, workers)
    if external:
        judged += _judge_external(classes, batch, external, weights)
    coverage = _coverage(batch, weights)
    for each in judged if penalize else ():
        each.penalize(coverage)
    by_key = {each.measure.key: each for each in judged}
    return _as_scores(batch, [by_key[measure.key] for measure in measures], coverage, drawn)


def _classes_of_kept(truth: Any, kept: NDArray[np.bool_]) -> Encoded:
    """The known classes of the objects that have a weight."""
    known = _classes(truth, len(kept))
    if kept.all():
        return known
    known = Encoded(known.codes[kept], known.names)
    if (known.codes == NOISE).all():
        raise InputError("truth names the class of no object that has a weight; omit it instead")
    return known


def _estimated(measures: Sequence[Measure], found: Estimates) -> Iterator[Judged]:
    for i, measure in enumerate(measures):
        why = {m: reason for (m, j), reason in found.reasons.items() if j == i}
        errors = found.standard_errors[:, i]
        yield Judged(measure, found.values[:, i], why, errors == 0, errors)


def _as_scores(
    batch: Labelings, judged: Sequence[Judged], coverage: Floats, drawn: dict[str, int]
) -> Scores:
    reasons: dict[str, dict[str, str]] = {}
    for each in judged:
        for m, reason in each.reasons.items():
            reasons.setdefault(batch.names[m], {})[each.measure.key] = reason
    return Scores.of(
        batch.names,
        {each.measure.key: each.values for each in judged},
        reasons,
        coverage,
        standard_errors={e.measure.key: e.errors for e in judged if e.errors is not None},
        exact={each.measure.key: each.exact for each in judged},
        sample_size=drawn,
    )


def _coverage(batch: Labelings, weights: Floats | None) -> Floats:
    """The share of the objects, or of their weight, that each clustering does not exclude."""
    if batch.codes.min() >= 0:
        return np.ones(len(batch))
    return np.asarray(np.average(batch.codes != NOISE, axis=1, weights=weights))


@dataclass
class Judged:
    """One measure of M clusterings: values, why there is none, which are exact, and errors."""

    measure: Measure
    values: Floats
    reasons: dict[int, str]
    exact: NDArray[np.bool_]
    errors: Floats | None = None

    def penalize(self, coverage: Floats) -> None:
        """Make values worse by the share of the objects that is not judged."""
        factors = self.measure.penalty(self.values, coverage)
        self.values *= factors
        if self.errors is not None:
            self.errors *= factors

    @property
    def first(self) -> tuple[float, str]:
        """Value of the first clustering, and why there is none."""
        return float(self.values[0]), self.reasons.get(0, "")


def _classes(truth: Any, n: int) -> Encoded:
    """The known classes as codes, -1 where the class is not known; integers stay integers."""
    given = on_host(truth, name="truth")
    given = given.to_numpy() if hasattr(given, "to_numpy") else given
    if isinstance(given, np.ndarray) and given.dtype.kind in "iu" and given.shape == (n,):
        found = encode(given, name="truth")
        if found.n_clusters:
            return found
    values = known_labels(truth, n)
    known = np.array([value is not None for value in values])
    classes = encode(values[known], name="truth")
    codes = np.full(n, NOISE, dtype=np.int32)
    codes[known] = classes.codes
    return Encoded(codes, classes.names)


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
        if measure.takes == "distances" or _form(metric) is not None:
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


def _form(metric: Any) -> str | None:
    """The form of the rows whose Euclidean distance this is, or nothing; see ``FORMS``."""
    return FORMS.get(metric) if isinstance(metric, str) else None


def as_they_are(
    scores: Scores,
    memberships: dict[str, Memberships],
    X: Any,
    truth: Any,
    measures: Sequence[Measure],
    metric: Any,
    weighted: bool = False,
) -> Scores:
    """Scores in which memberships are judged by the measures that take them, not hardened."""
    known = np.zeros(0, dtype=bool)
    classes = None
    if truth is not None:
        classes = known_labels(truth, len(next(iter(memberships.values())).memberships))
        known = np.array([value is not None for value in classes])

    def judged(measure: Measure, given: Memberships) -> Any:
        if measure.kind == "external":
            assert classes is not None
            some: Any = given.memberships[known]
            return measure.function(classes[known], type(given)(some))
        if measure.takes == "features":
            return measure.function(embed(X, metric), given)
        return measure.function(X, given, metric=metric)

    table, errors = scores.table.copy(), scores.standard_errors.copy()
    exact, reasons = scores.exact.copy(), {name: dict(r) for name, r in scores.reasons.items()}
    hardened = scores.hardened.copy()
    for name, given in memberships.items():
        hardened.loc[name] = True
        for measure in measures:
            if weighted or kind_of(given) not in measure.structures:
                continue
            value, why = _one_by_one(measure, [partial(judged, measure, given)]).first
            table.loc[name, measure.key] = value
            hardened.loc[name, measure.key], exact.loc[name, measure.key] = False, True
            if measure.key in errors:
                errors.loc[name, measure.key] = 0.0
            reasons.get(name, {}).pop(measure.key, None)
            if why:
                reasons.setdefault(name, {})[measure.key] = why
    reasons = {name: why for name, why in reasons.items() if why}
    return replace(
        scores,
        table=table,
        reasons=reasons,
        standard_errors=errors,
        exact=exact,
        hardened=hardened,
    )


def _judge_internal(
    X: Any,
    batch: Labelings,
    measures: list[Measure],
    metric: Any,
    weights: Floats | None,
    workers: Workers,
) -> Iterator[Judged]:
    """Measures that are Euclidean by definition are judged on rows that fit the distance."""
    euclidean = [m for m in measures if m.takes == "features"] if _form(metric) else []
    others = [m for m in measures if m not in euclidean]
    if others:
        yield from judge_together(X, batch, others, metric, weights, workers)
    if euclidean:
        try:
            rows = embed(X, metric, weights)
        except InputError as error:
            yield from (_without_value(m, str(error), len(batch)) for m in euclidean)
        else:
            yield from judge_together(rows, batch, euclidean, "euclidean", weights, workers)


def judge_together(
    X: Any,
    batch: Labelings,
    measures: list[Measure],
    metric: Any,
    weights: Floats | None,
    workers: Workers | None = None,
) -> Iterator[Judged]:
    """Internal measures of one metric, from statistics that they share."""
    needs = frozenset().union(*(measure.needs for measure in measures))
    stats = Statistics(X, batch, needs, metric=metric, weights=weights, workers=workers)
    for measure in measures:
        if measure.compute is None:
            options = {"metric": metric} if measure.takes == "distances" else {}
            function = partial(measure.function, X, noise="drop", **options)
            yield _one_by_one(measure, [partial(function, row) for row in batch.codes])
            continue
        failed = [stats.failed[need] for need in measure.needs if need in stats.failed]
        if failed:
            yield _without_value(measure, failed[0], len(batch))
            continue
        try:
            yield Judged(measure, *measure.judge(stats), np.ones(len(batch), dtype=bool))
        except LostWorkersError:
            raise
        except InputError as error:
            yield _without_value(measure, str(error), len(batch))
        except Exception as error:  # a measure of another package must not stop the rest
            yield _without_value(measure, f"{type(error).__name__}: {error}", len(batch))


def _without_value(measure: Measure, why: str, number: int) -> Judged:
    reasons = dict.fromkeys(range(number), why)
    return Judged(measure, np.full(number, math.nan), reasons, np.ones(number, dtype=bool))


def _judge_external(
    classes: Any, batch: Labelings, measures: list[Measure], weights: Floats | None
) -> Iterator[Judged]:
    from karat.measures.external.agreement import tables_against

    tables = list(tables_against(classes, batch, weights))

    def judge(measure: Measure, table: ContingencyTable | None) -> float:
        if table is None:
            raise InputError("every object whose class is known is an outlier here")
        return (measure.compute or measure.function)(table)

    for measure in measures:
        yield _one_by_one(measure, [partial(judge, measure, table) for table in tables])


def _one_by_one(measure: Measure, calls: list[Any]) -> Judged:
    found = Judged(measure, np.full(len(calls), math.nan), {}, np.ones(len(calls), dtype=bool))
    for m, call in enumerate(calls):
        try:
            value = call()
            found.values[m], found.exact[m] = value, getattr(value, "exact", True)
        except InputError as error:
            found.reasons[m] = str(error)
        except Exception as error:  # a measure of another package must not stop the rest
            found.reasons[m] = f"{type(error).__name__}: {error}"
    return found
