"""Estimates with standard errors, from samples that grow until these are small enough."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from sortal.distances import Distances, distances_of_parts
from sortal.labelings.partitions import Labelings
from sortal.measures.catalogue import Measure
from sortal.measures.passes.pair_sums import SUMS
from sortal.measures.passes.pairs import sampled_silhouettes
from sortal.measures.passes.plan import STATISTICS, group
from sortal.measures.passes.samples import PairSample, SilhouetteSample
from sortal.runtime.executors import Workers
from sortal.runtime.progress import doing
from sortal.runtime.validation import InputError
from sortal.typing import Rows

if TYPE_CHECKING:
    from sortal.measures.passes.samples import EstimatedValues, GrowingSample
    from sortal.typing import Bools, Floats, Metric

    #: values estimated from a sample, and its size
    FinalEstimate = tuple[EstimatedValues, int]


def sampled_by(
    measure: Measure, metric: Metric = "euclidean", *, sparse: bool = False
) -> Literal["objects", "pairs", "exact", ""]:
    """The sample that estimates an internal measure; empty if there is no estimate.

    ``"exact"`` for measures without a pass over pairs, which need no estimate.
    """
    if measure.estimate is not None:
        return "objects"
    if not measure.needs:
        return ""
    if set(group(measure.needs, metric, sparse=sparse)) <= {"centroids", "scatter", "edges"}:
        return "exact"
    if measure.needs <= SUMS:
        return "pairs"
    if not all(map(math.isfinite, measure.range)):
        return ""
    if measure.needs == {"silhouettes"}:
        return "objects"
    return "pairs" if measure.needs == {"concordance"} else ""


def why_not_sampled(measure: Measure) -> str:
    """Reason why a measure has no estimate, and how to fix it."""
    read = "; ".join(STATISTICS[need][1] for need in sorted(measure.needs))
    return (
        f"{measure.key} has no estimate from a sample: it is no function of means of bounded "
        f"terms{f' ({read})' if read else ''}, and what a sample misses may make up nearly all of "
        "it; exclude it, or omit precision and compute it exactly"
    )


@dataclass
class Estimates:
    """Result of :func:`estimate`.

    Attributes
    ----------
    values, standard_errors : ndarray (M, measures)
    reasons : dict of (clustering, measure) to str
        Reasons of missing values.
    sample_sizes : dict of str to int
        Numbers of objects and pairs in the samples.
    """

    values: Floats
    standard_errors: Floats
    reasons: dict[tuple[int, int], str] = field(default_factory=dict)
    sample_sizes: dict[str, int] = field(default_factory=dict)

    def add(
        self, unit: str, rows: Sequence[int], columns: list[int], estimate: FinalEstimate
    ) -> None:
        """Store the estimates of some clusterings (rows) and measures (columns)."""
        (values, errors, reasons), size = estimate
        self.values[np.ix_(rows, columns)] = values
        self.standard_errors[np.ix_(rows, columns)] = np.where(np.isnan(values), np.nan, errors)
        self.reasons |= {(rows[m], columns[i]): why for (m, i), why in reasons.items()}
        self.sample_sizes[unit] = self.sample_sizes.get(unit, 0) + size


def estimate(
    X: Rows,
    labelings: Labelings,
    measures: Sequence[Measure],
    *,
    precision: float,
    metric: Metric,
    rng: np.random.Generator,
    workers: Workers,
) -> Estimates:
    """Estimates of the measures for which :func:`sampled_by` names a sample.

    Samples grow until every standard error is at most ``precision``, relative to the value for
    measures without a bounded range. Each clustering has its own
    pairs, which cost one distance each. All clusterings share the objects, which cost n distances
    each.
    """
    if not 0 < precision < 1:
        raise InputError(f"precision is a standard error between 0 and 1; got {precision}")
    shape = (len(labelings), len(measures))
    result = Estimates(np.full(shape, np.nan), np.full(shape, np.nan))
    rows = range(len(labelings))
    by_sample: dict[str, list[int]] = {"objects": [], "pairs": []}
    for i, measure in enumerate(measures):
        if measure.estimate is None:
            by_sample[sampled_by(measure)].append(i)
            continue
        options = {"metric": metric, "rng": rng.spawn(1)[0], "workers": workers}
        with doing(measure.key):
            values, errors, why, size = measure.estimate(
                X, labelings, precision=precision, **options
            )
        reasons = {(m, 0): reason for m, reason in why.items()}
        result.add("test objects", rows, [i], ((values[:, None], errors[:, None], reasons), size))
    if columns := by_sample["objects"]:
        silhouettes = partial(sampled_silhouettes, X, metric, labelings, workers=workers)
        chosen = [measures[i] for i in columns]
        sample = SilhouetteSample(X, labelings, chosen, rng, silhouettes)
        with doing("sample of objects"):
            result.add("objects", rows, columns, settle(sample, sample.estimates, precision))
    if columns := by_sample["pairs"]:
        work = partial(_pair_estimates, [measures[i] for i in columns], precision)
        estimates: Iterator[FinalEstimate]
        data, items = (X, labelings), enumerate(rng.spawn(len(labelings)))
        if workers.elsewhere is None:  # one at a time, for the memory that the pairs take
            distances = cache(partial(distances_of_parts, X, metric, exact=True))
            estimates = map(partial(work, distances, *data), items)
        else:
            import cloudpickle  # measures may be of local functions

            remote_work = partial(_pair_estimates_of_worker, cloudpickle.dumps(work), metric)
            estimates = workers.map(remote_work, data, items)
        for m in rows:
            with doing(f"sample of pairs, {m + 1:,} of {len(labelings):,}"):
                result.add("pairs", [m], columns, next(estimates))
    return result


def _pair_estimates_of_worker(
    work: bytes,
    metric: Metric,
    X: Rows,
    labelings: Labelings,
    item: tuple[int, np.random.Generator],
) -> FinalEstimate:
    """Estimates of one clustering in another process, by pickled ``work``."""
    distances = partial(distances_of_parts, X, metric, exact=True)
    settled: FinalEstimate = pickle.loads(work)(distances, X, labelings, item)
    return settled


def _pair_estimates(
    measures: Sequence[Measure],
    precision: float,
    distances: Callable[[], Distances],
    X: Rows,
    labelings: Labelings,
    item: tuple[int, np.random.Generator],
) -> FinalEstimate:
    """Estimates of one clustering from a sample of its pairs."""
    row, rng = item
    try:
        pairs = PairSample(X, distances(), labelings.select([row]), measures, rng)
        in_units = np.array([not all(map(math.isfinite, m.range)) for m in measures])
        return settle(pairs, pairs.estimates, precision, in_units)
    except InputError as error:
        nothing = np.full((1, len(measures)), np.nan)
        return (nothing, nothing, {(0, i): str(error) for i in range(len(measures))}), 0


def settle(
    sample: GrowingSample | PairSample,
    estimates: Callable[[], EstimatedValues],
    precision: float,
    in_units: Bools | bool = False,
) -> FinalEstimate:
    """Estimates and size of a sample that grows until all standard errors are small enough.

    Those of measures ``in_units`` of the data are relative to the value.
    """
    size = sample.first_size
    while True:
        sample.grow(size)
        values, errors, reasons = estimates()
        wanted = precision * np.where(in_units, np.abs(values), 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(np.isfinite(values) & (errors > 0), errors / wanted, 0.0)
        worst = float(ratio.max(initial=0.0))
        if worst <= 1 or sample.exhausted or size == sample.max_size:
            break
        # at most fourfold at a time: the first sample's own error is large
        size = math.ceil(sample.size * min(worst, 2.0) ** 2 * 1.05) + 16
        size = int(min(size, 4 * sample.size, sample.max_size))
    for m, i in () if sample.exhausted else np.argwhere(ratio > 1).tolist():
        values[m, i] = np.nan
        reasons[m, i] = (
            f"a standard error of {precision:g} needs more than the largest sample of "
            f"{sample.size:,} pairs within clusters and as many between; take a larger precision, "
            "or omit it and compute the measure exactly"
        )
    return (values, errors, reasons), sample.n_drawn
