"""Measures computed together, from statistics that they share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import FORMS, embed
from karat.labelings.labels import NOISE
from karat.labelings.structures import Memberships, kind_of
from karat.measures import Measure
from karat.measures.inputs import Inputs
from karat.measures.passes.estimates import estimate, sampled_by
from karat.measures.passes.statistics import Statistics
from karat.measures.scores import Scores
from karat.runtime.executors import LostWorkersError, Workers
from karat.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.labelings.contingency import ContingencyTable

    Floats = NDArray[np.float64]

__all__ = ["Judged", "compute", "form_of", "internal_together"]


@dataclass
class Judged:
    """One measure of M clusterings: values, why there is none, which are exact, and errors.

    ``hardened`` has the names of the soft and overlapping ones whose hard labels it judges.
    """

    measure: Measure
    values: Floats
    reasons: dict[int, str]
    exact: NDArray[np.bool_]
    errors: Floats | None = None
    hardened: tuple[str, ...] = ()

    @classmethod
    def without(cls, measure: Measure, number: int, why: str = "") -> Judged:
        """No value of M clusterings, for this reason."""
        reasons = dict.fromkeys(range(number), why) if why else {}
        return cls(measure, np.full(number, math.nan), reasons, np.ones(number, dtype=bool))

    def fill(self, m: int, call: Callable[[], Any]) -> None:
        """Put what a call gives, or why it gives nothing, in the place of clustering m."""
        self.reasons.pop(m, None)
        self.values[m], self.exact[m] = math.nan, True
        if self.errors is not None:
            self.errors[m] = 0.0
        try:
            value = call()
            self.values[m], self.exact[m] = value, getattr(value, "exact", True)
        except Exception as error:
            self.reasons[m] = _told(error)


def _told(error: Exception) -> str:
    """Why there is no value; a fault in a measure of another package must not stop the rest."""
    if isinstance(error, LostWorkersError):
        raise error
    return str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"


def compute(
    inputs: Inputs,
    measures: Sequence[Measure],
    *,
    penalize: bool = False,
    precision: float | None = None,
    bounded_only: bool = False,
    random_state: Any = 0,
    executor: Any = None,
) -> Scores:
    """What :func:`karat.evaluate` does, for measures that may be in no catalogue.

    Parameters and result are those of :func:`karat.evaluate`, but ``measures`` are records; with
    ``bounded_only`` the precision holds for measures of bounded range alone.
    """
    workers = Workers.of(executor)
    sparse = hasattr(inputs.X, "toarray")
    sampled, internal, external = [], [], []
    for measure in measures:
        if measure.kind == "external":
            external.append(measure)
        elif precision is not None and (
            sampled_by(measure, inputs.metric, sparse=sparse) in ("objects", "pairs")
        ):
            sampled.append(measure)
        else:
            internal.append(measure)
    judged: list[Judged] = []
    drawn: dict[str, int] = {}
    if sampled and precision is not None:
        found = estimate(
            inputs.X, inputs.labelings, sampled, precision=precision, metric=inputs.metric,
            rng=check_random_state(random_state), bounded_only=bounded_only, workers=workers,
        )  # fmt: skip
        drawn = found.drawn
        for i, measure in enumerate(sampled):
            why = {m: reason for (m, j), reason in found.reasons.items() if j == i}
            errors = found.standard_errors[:, i]
            judged.append(Judged(measure, found.values[:, i], why, errors == 0, errors))
    judged += [*_internal(inputs, internal, workers), *_external(inputs, external)]
    coverage = inputs.coverage
    for each in judged:
        if penalize:
            factors = each.measure.penalty(each.values, coverage)
            each.values *= factors
            each.errors = None if each.errors is None else each.errors * factors
        _judge_memberships(each, inputs)
    by_key = {each.measure.key: each for each in judged}
    in_order = [by_key[measure.key] for measure in measures]
    return _as_scores(inputs.labelings.names, in_order, coverage, drawn)


def _judge_memberships(each: Judged, inputs: Inputs) -> None:
    """Memberships are judged as they are by the measures that take them, not hardened."""
    measure, classes = each.measure, inputs.classes

    def value(given: Memberships) -> Any:
        if measure.kind == "external":
            assert classes is not None
            known = classes.codes != NOISE
            some: Any = given.memberships[known]
            return measure.function(classes.codes[known], type(given)(some))
        if measure.takes == "features":
            return measure.function(embed(inputs.X, inputs.metric), given)
        return measure.function(inputs.X, given, metric=inputs.metric)

    for name, given in inputs.memberships.items():
        if inputs.weights is not None or kind_of(given) not in measure.structures:
            each.hardened += (name,)
        else:
            each.fill(inputs.labelings.names.index(name), partial(value, given))


def _as_scores(
    names: Sequence[str], judged: Sequence[Judged], coverage: Floats, drawn: dict[str, int]
) -> Scores:
    reasons: dict[str, dict[str, str]] = {}
    for each in judged:
        for m, reason in each.reasons.items():
            reasons.setdefault(names[m], {})[each.measure.key] = reason
    return Scores.of(
        names,
        {each.measure.key: each.values for each in judged},
        reasons,
        coverage,
        standard_errors={e.measure.key: e.errors for e in judged if e.errors is not None},
        exact={each.measure.key: each.exact for each in judged},
        hardened={each.measure.key: np.isin(names, each.hardened) for each in judged},
        sample_size=drawn,
    )


def form_of(metric: Any) -> str | None:
    """The form of the rows whose Euclidean distance this is, or nothing; see ``FORMS``."""
    return FORMS.get(metric) if isinstance(metric, str) else None


def _internal(inputs: Inputs, measures: list[Measure], workers: Workers) -> Iterator[Judged]:
    """Measures that are Euclidean by definition are judged on rows that fit the distance."""
    euclidean = [m for m in measures if m.takes == "features" and form_of(inputs.metric)]
    others = [m for m in measures if m not in euclidean]
    yield from internal_together(inputs, others, workers)
    if euclidean:
        try:
            rows = embed(inputs.X, inputs.metric, inputs.weights)
        except InputError as error:
            yield from (Judged.without(m, len(inputs.labelings), str(error)) for m in euclidean)
        else:
            of_rows = replace(inputs, X=rows, metric="euclidean")
            yield from internal_together(of_rows, euclidean, workers)


def internal_together(
    inputs: Inputs, measures: list[Measure], workers: Workers | None = None
) -> Iterator[Judged]:
    """Internal measures of one metric, from statistics that they share."""
    if not measures:
        return
    X, batch, metric = inputs.X, inputs.labelings, inputs.metric
    needs = frozenset().union(*(measure.needs for measure in measures))
    stats = Statistics(X, batch, needs, metric=metric, weights=inputs.weights, workers=workers)
    for measure in measures:
        if measure.compute is None:
            options = {"metric": metric} if measure.takes == "distances" else {}
            judged = Judged.without(measure, len(batch))
            for m, row in enumerate(batch.codes):
                judged.fill(m, partial(measure.function, X, row, noise="drop", **options))
            yield judged
            continue
        failed = [stats.failed[need] for need in measure.needs if need in stats.failed]
        if failed:
            yield Judged.without(measure, len(batch), failed[0])
            continue
        try:
            yield Judged(measure, *measure.judge(stats), np.ones(len(batch), dtype=bool))
        except Exception as error:
            yield Judged.without(measure, len(batch), _told(error))


def _external(inputs: Inputs, measures: list[Measure]) -> Iterator[Judged]:
    from karat.labelings.contingency import tables_against

    if not measures:
        return
    assert inputs.classes is not None
    tables = list(tables_against(inputs.classes, inputs.labelings, inputs.weights))

    def value(measure: Measure, table: ContingencyTable | None) -> float:
        if table is None:
            raise InputError("every object whose class is known is an outlier here")
        return (measure.compute or measure.function)(table)

    for measure in measures:
        judged = Judged.without(measure, len(tables))
        for m, table in enumerate(tables):
            judged.fill(m, partial(value, measure, table))
        yield judged
