"""Computation of several measures together, from shared statistics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.distances import FORMS, embed
from sortal.labelings.labels import NOISE
from sortal.labelings.structures import Memberships, kind_of
from sortal.measures import Measure
from sortal.measures.inputs import Inputs
from sortal.measures.passes.estimates import estimate, sampled_by
from sortal.measures.passes.statistics import Statistics
from sortal.measures.scores import Scores
from sortal.runtime.executors import LostWorkersError, Workers
from sortal.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    from sortal.labelings.contingency import ContingencyTable
    from sortal.typing import Bools, Floats, Metric, RandomState

__all__ = ["MeasureResult", "compute", "form_of", "internal_together"]


@dataclass
class MeasureResult:
    """Values, reasons, exactness and errors of one measure for M clusterings.

    ``hardened`` names the soft and overlapping clusterings whose hard labels the measure judges.
    """

    measure: Measure
    values: Floats
    reasons: dict[int, str]
    exact: Bools
    errors: Floats | None = None
    hardened: tuple[str, ...] = ()

    @classmethod
    def without(cls, measure: Measure, number: int, reason: str = "") -> MeasureResult:
        """A result without values for M clusterings, with one reason for all."""
        reasons = dict.fromkeys(range(number), reason) if reason else {}
        return cls(measure, np.full(number, math.nan), reasons, np.ones(number, dtype=bool))

    def fill(self, m: int, call: Callable[[], Any]) -> None:
        """Store the value of clustering m that ``call`` returns, or why it fails."""
        self.reasons.pop(m, None)
        self.values[m], self.exact[m] = math.nan, True
        if self.errors is not None:
            self.errors[m] = 0.0
        try:
            value = call()
            self.values[m], self.exact[m] = value, getattr(value, "exact", True)
        except Exception as error:
            self.reasons[m] = _reason_of(error)


def _reason_of(error: Exception) -> str:
    """Reason of a missing value; a fault of one measure must not stop the rest."""
    if isinstance(error, LostWorkersError):
        raise error
    return str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"


def compute(
    inputs: Inputs,
    measures: Sequence[Measure],
    *,
    penalize: bool = False,
    precision: float | None = None,
    random_state: RandomState = 0,
    executor: object = None,
) -> Scores:
    """Scores of validated inputs, also for measures outside the catalogue.

    Parameters and result are those of :func:`sortal.evaluate`, but ``measures`` are records.
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
    results: list[MeasureResult] = []
    sample_size: dict[str, int] = {}
    if sampled and precision is not None:
        estimates = estimate(
            inputs.X, inputs.labelings, sampled, precision=precision, metric=inputs.metric,
            rng=check_random_state(random_state), workers=workers,
        )  # fmt: skip
        sample_size = estimates.sample_sizes
        for i, measure in enumerate(sampled):
            why = {m: reason for (m, j), reason in estimates.reasons.items() if j == i}
            errors = estimates.standard_errors[:, i]
            results.append(MeasureResult(measure, estimates.values[:, i], why, errors == 0, errors))
    results += [*_internal(inputs, internal, workers), *_external(inputs, external)]
    coverage = inputs.coverage
    for result in results:
        if penalize:
            factors = result.measure.penalty(result.values, coverage)
            result.values *= factors
            result.errors = None if result.errors is None else result.errors * factors
        _judge_memberships(result, inputs)
    by_key = {result.measure.key: result for result in results}
    in_order = [by_key[measure.key] for measure in measures]
    return _as_scores(inputs.labelings.names, in_order, coverage, sample_size)


def _judge_memberships(result: MeasureResult, inputs: Inputs) -> None:
    """Judge memberships directly if the measure supports them, else mark them as hardened."""
    measure, classes = result.measure, inputs.classes

    def value(memberships: Memberships) -> Any:
        if measure.kind == "external":
            assert classes is not None
            has_class = classes.codes != NOISE
            judged: Any = memberships.memberships[has_class]
            return measure.function(classes.codes[has_class], type(memberships)(judged))
        if measure.takes == "features":
            return measure.function(embed(inputs.X, inputs.metric), memberships)
        return measure.function(inputs.X, memberships, metric=inputs.metric)

    for name, memberships in inputs.memberships.items():
        if inputs.weights is not None or kind_of(memberships) not in measure.structures:
            result.hardened += (name,)
        else:
            result.fill(inputs.labelings.names.index(name), partial(value, memberships))


def _as_scores(
    names: Sequence[str],
    results: Sequence[MeasureResult],
    coverage: Floats,
    sample_size: dict[str, int],
) -> Scores:
    """The results of all measures as one :class:`Scores`."""
    reasons: dict[str, dict[str, str]] = {}
    for result in results:
        for m, reason in result.reasons.items():
            reasons.setdefault(names[m], {})[result.measure.key] = reason
    return Scores.of(
        names,
        {result.measure.key: result.values for result in results},
        reasons,
        coverage,
        standard_errors={
            result.measure.key: result.errors for result in results if result.errors is not None
        },
        exact={result.measure.key: result.exact for result in results},
        hardened={result.measure.key: np.isin(names, result.hardened) for result in results},
        sample_size=sample_size,
    )


def form_of(metric: Metric) -> str | None:
    """The row transformation that makes a metric Euclidean, or None; see ``FORMS``."""
    return FORMS.get(metric) if isinstance(metric, str) else None


def _internal(inputs: Inputs, measures: list[Measure], workers: Workers) -> Iterator[MeasureResult]:
    """Results of internal measures; Euclidean ones are judged on transformed rows."""
    euclidean = [m for m in measures if m.takes == "features" and form_of(inputs.metric)]
    others = [m for m in measures if m not in euclidean]
    yield from internal_together(inputs, others, workers)
    if euclidean:
        try:
            rows = embed(inputs.X, inputs.metric, inputs.weights)
        except InputError as error:
            yield from (
                MeasureResult.without(m, len(inputs.labelings), str(error)) for m in euclidean
            )
        else:
            of_rows = replace(inputs, X=rows, metric="euclidean")
            yield from internal_together(of_rows, euclidean, workers)


def internal_together(
    inputs: Inputs, measures: list[Measure], workers: Workers | None = None
) -> Iterator[MeasureResult]:
    """Results of internal measures of one metric, from shared statistics."""
    if not measures:
        return
    X, batch, metric = inputs.X, inputs.labelings, inputs.metric
    needs = frozenset().union(*(measure.needs for measure in measures))
    stats = Statistics(X, batch, needs, metric=metric, weights=inputs.weights, workers=workers)
    for measure in measures:
        if measure.compute is None:
            options = {"metric": metric} if measure.takes == "distances" else {}
            result = MeasureResult.without(measure, len(batch))
            for m, row in enumerate(batch.codes):
                result.fill(m, partial(measure.function, X, row, noise="drop", **options))
            yield result
            continue
        failed = [stats.failed[need] for need in sorted(measure.needs) if need in stats.failed]
        if failed:
            yield MeasureResult.without(measure, len(batch), failed[0])
            continue
        try:
            yield MeasureResult(measure, *measure.judge(stats), np.ones(len(batch), dtype=bool))
        except Exception as error:
            yield MeasureResult.without(measure, len(batch), _reason_of(error))


def _external(inputs: Inputs, measures: list[Measure]) -> Iterator[MeasureResult]:
    """Results of external measures, from shared contingency tables."""
    from sortal.labelings.contingency import tables_against

    if not measures:
        return
    assert inputs.classes is not None
    tables = list(tables_against(inputs.classes, inputs.labelings, inputs.weights))

    def value(measure: Measure, table: ContingencyTable | None) -> float:
        if table is None:
            raise InputError("all objects of known class are outliers here")
        return (measure.compute or measure.function)(table)

    for measure in measures:
        result = MeasureResult.without(measure, len(tables))
        for m, table in enumerate(tables):
            result.fill(m, partial(value, measure, table))
        yield result
