"""Estimates with standard errors, from samples that grow until these are small enough.

Measures of totals over objects are estimated from objects with all their distances, measures of the
order of distances from pairs. Extremes have no estimate: the nearest or farthest pair of all is
hardly ever in a sample, and nothing in the sample says by how much it is missed.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat.distances import Distances, distances_of_parts
from karat.labelings.partitions import Labelings
from karat.measures.catalogue import Measure
from karat.measures.passes.pairs import distributed_sample, sampled_pass
from karat.measures.passes.plan import STATISTICS, group
from karat.measures.passes.sampled_objects import TOTALS, ObjectSample
from karat.measures.passes.sampled_pairs import PAIRWISE, PairSample
from karat.runtime.executors import Workers
from karat.runtime.progress import doing
from karat.runtime.validation import Data, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    #: values and standard errors (M, measures), why there is no value, and how many were drawn
    Settled = tuple[Floats, Floats, dict[tuple[int, int], str], int]


def sampled_by(
    measure: Measure, metric: Any = "euclidean", *, sparse: bool = False
) -> Literal["objects", "pairs", "exact", ""]:
    """What an internal measure is estimated from; nothing where it has no estimate.

    ``"exact"`` for those that take no pass over pairs, and so need none.
    """
    if measure.estimate is not None:
        return "objects"
    if not measure.needs:
        return ""
    if set(group(measure.needs, metric, sparse=sparse)) <= {"centroids", "scatter", "edges"}:
        return "exact"
    if measure.needs <= set(TOTALS):
        return "objects"
    if measure.needs <= PAIRWISE:
        return "pairs"
    return ""


#: statistics that no sample tells anything certain of
EXTREMES = frozenset({"nearest", "diameters", "linkages", "hausdorff"})


def why_not_sampled(measure: Measure) -> str:
    """Why a measure has no estimate, and how to fix it."""
    out = "exclude it, or omit precision and compute it exactly"
    extremes = [STATISTICS[need][1] for need in sorted(measure.needs & EXTREMES)]
    if not extremes:
        return (
            f"{measure.key} has no estimate from a sample: it is neither a function of totals over "
            f"objects alone nor of the order of pair distances; {out}"
        )
    return (
        f"{measure.key} has no estimate from a sample: it rests on extremes "
        f"({'; '.join(extremes)}), which a sample misses without a trace, so that there is no "
        f"standard error; {out}"
    )


@dataclass
class Estimates:
    """What :func:`estimate` returns.

    Attributes
    ----------
    values, standard_errors : ndarray (M, measures)
    reasons : dict of (clustering, measure) to str
        Why there is no value.
    drawn : dict of str to int
        How many objects, and how many pairs, were drawn.
    """

    values: Floats
    standard_errors: Floats
    reasons: dict[tuple[int, int], str] = field(default_factory=dict)
    drawn: dict[str, int] = field(default_factory=dict)

    def add(self, way: str, rows: Sequence[int], columns: list[int], settled: Settled) -> None:
        """What a sample says of some clusterings and measures."""
        values, errors, reasons, drawn = settled
        self.values[np.ix_(rows, columns)] = values
        self.standard_errors[np.ix_(rows, columns)] = np.where(np.isnan(values), np.nan, errors)
        self.reasons |= {(rows[m], columns[i]): why for (m, i), why in reasons.items()}
        self.drawn[way] = self.drawn.get(way, 0) + drawn


def estimate(
    X: Data,
    labelings: Labelings,
    measures: Sequence[Measure],
    *,
    precision: float,
    metric: Any,
    rng: np.random.Generator,
    bounded_only: bool = False,
    workers: Workers,
) -> Estimates:
    """Estimates of measures that :func:`sampled_by` names a way for.

    Samples grow until every standard error is at most ``precision``, or, for measures whose range
    has no bound, ``precision`` times the value. Each clustering has its own pairs: they cost no
    more than their distances. Objects, which cost n distances each, are shared. With
    ``bounded_only`` measures without a bound do not make samples grow: they have the standard
    error that the others' samples give them.
    """
    if not 0 < precision < 1:
        raise InputError(f"precision is a standard error between 0 and 1; got {precision}")
    shape = (len(labelings), len(measures))
    result = Estimates(np.full(shape, np.nan), np.full(shape, np.nan))
    by: dict[str, list[int]] = {"objects": [], "pairs": []}
    for i, measure in enumerate(measures):
        if measure.estimate is None:
            by[sampled_by(measure)].append(i)
            continue
        with doing(measure.key):
            values, errors, why, drawn = measure.estimate(
                X,
                labelings,
                precision=precision,
                metric=metric,
                rng=rng.spawn(1)[0],
                workers=workers,
            )
        result.values[:, i], result.standard_errors[:, i] = values, errors
        result.reasons |= {(m, i): reason for m, reason in why.items()}
        result.drawn["test objects"] = drawn
    if which := by["objects"]:
        chosen = [measures[i] for i in which]
        run: Any = sampled_pass
        if workers.elsewhere:
            run = distributed_sample(workers, X, metric)
        sample = ObjectSample(X, distances_of_parts(X, metric), labelings, chosen, rng, run)
        with doing("sample of objects"):
            settled = _settle(sample, precision, bounded_only)
        result.add("objects", range(len(labelings)), which, settled)
    if which := by["pairs"]:
        chosen = [measures[i] for i in which]
        work = partial(_of_pairs, chosen, precision, bounded_only)
        every: Iterator[Settled]
        data, items = (X, labelings), enumerate(rng.spawn(len(labelings)))
        if workers.elsewhere is None:  # one at a time, for the memory that the pairs take
            distances = cache(partial(distances_of_parts, X, metric, exact=True))
            every = map(partial(work, distances, *data), items)
        else:
            import cloudpickle  # measures may be of local functions

            there = partial(_of_pairs_there, cloudpickle.dumps(work), metric)
            every = workers.map(there, data, items)
        for m in range(len(labelings)):
            with doing(f"sample of pairs, {m + 1:,} of {len(labelings):,}"):
                settled = next(every)
            result.add("pairs", [m], which, settled)
    return result


def _of_pairs_there(
    work: bytes, metric: Any, X: Data, labelings: Labelings, item: tuple[int, np.random.Generator]
) -> Settled:
    distances = partial(distances_of_parts, X, metric, exact=True)
    settled: Settled = pickle.loads(work)(distances, X, labelings, item)
    return settled


def _of_pairs(
    measures: Sequence[Measure],
    precision: float,
    bounded_only: bool,
    distances: Callable[[], Distances],
    X: Data,
    labelings: Labelings,
    item: tuple[int, np.random.Generator],
) -> Settled:
    m, rng = item
    try:
        pairs = PairSample(X, distances(), labelings.select([m]), measures, rng)
        return _settle(pairs, precision, bounded_only)
    except InputError as error:
        nothing = np.full((1, len(measures)), np.nan)
        return nothing, nothing, {(0, i): str(error) for i in range(len(measures))}, 0


def _settle(sample: ObjectSample | PairSample, precision: float, bounded_only: bool) -> Settled:
    """Grow the sample until it is large enough; what it says."""
    bounded = np.array([all(map(math.isfinite, measure.range)) for measure in sample.measures])
    #: whose errors make the sample grow; the others' are found when it is large enough
    decisive = bounded if bounded_only and not bounded.all() else None
    sample.grow(sample.least)
    while True:
        values, errors, reasons = sample.estimates(decisive)
        unbounded = np.inf if bounded_only else precision * np.abs(values)
        target = np.where(bounded, precision, unbounded)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(np.isfinite(values) & (errors > 0), errors / target, 0.0)
        worst = float(ratio.max(initial=0.0))
        if worst <= 1 or sample.exhausted:
            break
        if sample.size >= sample.largest:
            for m, i in np.argwhere(ratio > 1).tolist():
                values[m, i] = np.nan
                reasons[m, i] = (
                    f"a standard error of {precision:g} takes more than the {sample.size:,} pairs "
                    "within clusters and as many between that are held; take a larger precision, "
                    "or omit it and compute the measure exactly"
                )
            break
        # at most fourfold at a time: the first sample's own error is large
        size = math.ceil(sample.size * min(worst, 2.0) ** 2 * 1.05) + 16
        sample.grow(int(min(size, 4 * sample.size, sample.largest)))
    if decisive is not None and isinstance(sample, ObjectSample):
        values, others, reasons = sample.estimates(~decisive)
        errors = np.where(decisive, errors, others)
    for m, i in np.argwhere(np.isinf(errors) & np.isfinite(values)).tolist():
        values[m, i] = np.nan
        reasons[m, i] = (
            f"the {sample.size:,} objects of the sample are all alike in it, so that it says "
            "nothing of the others; omit precision and compute the measure exactly"
        )
    return values, errors, reasons, sample.n_drawn
