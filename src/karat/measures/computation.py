"""Measures computed together, from statistics that they share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import FORMS, embed
from karat.labelings.labels import NOISE
from karat.labelings.partitions import Labelings
from karat.labelings.structures import Memberships, kind_of
from karat.measures import Measure
from karat.measures.inputs import Inputs
from karat.measures.passes.estimates import Estimates, estimate, sampled_by
from karat.measures.passes.statistics import Statistics
from karat.measures.scores import Scores
from karat.runtime.executors import LostWorkersError, Workers
from karat.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.labelings.contingency import ContingencyTable

    Floats = NDArray[np.float64]

__all__ = ["Judged", "compute", "form_of", "internal_together"]


def compute(
    inputs: Inputs,
    measures: Sequence[Measure],
    *,
    penalize: bool = False,
    precision: float | None = None,
    random_state: Any = 0,
    executor: Any = None,
) -> Scores:
    """What :func:`karat.evaluate` does, for measures that may be in no catalogue.

    Parameters and result are those of :func:`karat.evaluate`, but ``measures`` are records.
    """
    workers = Workers.of(executor)
    internal = [m for m in measures if m.kind == "internal"]
    sampled = [] if precision is None else [m for m in internal if _is_sampled(m, inputs)]
    internal = [m for m in internal if m not in sampled]
    external = [m for m in measures if m.kind == "external"]
    judged: list[Judged] = []
    drawn: dict[str, int] = {}
    if sampled and precision is not None:
        found = estimate(
            inputs.X, inputs.labelings, sampled, precision=precision, metric=inputs.metric,
            rng=check_random_state(random_state), workers=workers,
        )  # fmt: skip
        drawn = found.drawn
        judged += _estimated(sampled, found)
    if internal:
        judged += _internal(inputs, internal, workers)
    if external:
        judged += _external(inputs, external)
    coverage = inputs.coverage
    for each in judged if penalize else ():
        each.penalize(coverage)
    by_key = {each.measure.key: each for each in judged}
    in_order = [by_key[measure.key] for measure in measures]
    scores = _as_scores(inputs.labelings, in_order, coverage, drawn)
    return _as_they_are(scores, inputs, measures) if inputs.memberships else scores


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


def _is_sampled(measure: Measure, inputs: Inputs) -> bool:
    sparse = hasattr(inputs.X, "toarray")
    return sampled_by(measure, inputs.metric, sparse=sparse) in ("objects", "pairs")


def form_of(metric: Any) -> str | None:
    """The form of the rows whose Euclidean distance this is, or nothing; see ``FORMS``."""
    return FORMS.get(metric) if isinstance(metric, str) else None


def _as_they_are(scores: Scores, inputs: Inputs, measures: Sequence[Measure]) -> Scores:
    """Scores in which memberships are judged by the measures that take them, not hardened."""
    X, metric, classes = inputs.X, inputs.metric, inputs.classes
    known = slice(0) if classes is None else classes.codes != NOISE

    def judged(measure: Measure, given: Memberships) -> Any:
        if measure.kind == "external":
            assert classes is not None
            some: Any = given.memberships[known]
            return measure.function(classes.codes[known], type(given)(some))
        if measure.takes == "features":
            return measure.function(embed(X, metric), given)
        return measure.function(X, given, metric=metric)

    table, errors = scores.table.copy(), scores.standard_errors.copy()
    exact, reasons = scores.exact.copy(), {name: dict(r) for name, r in scores.reasons.items()}
    hardened = scores.hardened.copy()
    for name, given in inputs.memberships.items():
        hardened.loc[name] = True
        for measure in measures:
            if inputs.weights is not None or kind_of(given) not in measure.structures:
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
        scores, table=table, reasons=reasons, standard_errors=errors, exact=exact, hardened=hardened
    )


def _internal(inputs: Inputs, measures: list[Measure], workers: Workers) -> Iterator[Judged]:
    """Measures that are Euclidean by definition are judged on rows that fit the distance."""
    metric = inputs.metric
    euclidean = [m for m in measures if m.takes == "features"] if form_of(metric) else []
    others = [m for m in measures if m not in euclidean]
    if others:
        yield from internal_together(inputs, others, workers)
    if euclidean:
        try:
            rows = embed(inputs.X, metric, inputs.weights)
        except InputError as error:
            number = len(inputs.labelings)
            yield from (_without_value(m, str(error), number) for m in euclidean)
        else:
            of_rows = replace(inputs, X=rows, metric="euclidean")
            yield from internal_together(of_rows, euclidean, workers)


def internal_together(
    inputs: Inputs, measures: list[Measure], workers: Workers | None = None
) -> Iterator[Judged]:
    """Internal measures of one metric, from statistics that they share."""
    X, batch, metric = inputs.X, inputs.labelings, inputs.metric
    needs = frozenset().union(*(measure.needs for measure in measures))
    stats = Statistics(X, batch, needs, metric=metric, weights=inputs.weights, workers=workers)
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


def _external(inputs: Inputs, measures: list[Measure]) -> Iterator[Judged]:
    from karat.measures.external.agreement import tables_against

    assert inputs.classes is not None
    tables = list(tables_against(inputs.classes, inputs.labelings, inputs.weights))

    def of_table(measure: Measure, table: ContingencyTable | None) -> float:
        if table is None:
            raise InputError("every object whose class is known is an outlier here")
        return (measure.compute or measure.function)(table)

    for measure in measures:
        yield _one_by_one(measure, [partial(of_table, measure, table) for table in tables])


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
