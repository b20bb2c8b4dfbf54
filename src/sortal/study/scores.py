"""Scores of a study's candidates, tables of them, and their labels."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.labelings.labels import NOISE, NoisePolicy
from sortal.labelings.partitions import Labelings
from sortal.labelings.structures import Memberships, as_given
from sortal.measures import Measure, catalogue
from sortal.measures.computation import compute
from sortal.measures.evaluation import applicable
from sortal.measures.inputs import Inputs
from sortal.measures.passes.estimates import sampled_by, why_not_sampled
from sortal.runtime.executors import Workers
from sortal.runtime.progress import progress_bar
from sortal.runtime.validation import InputError, NothingToRankError, unknown_name
from sortal.runtime.version import __version__
from sortal.study import samples
from sortal.study.notes import derived
from sortal.study.store import Score

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.study.state import StudyState


#: states of candidates without labels
NO_LABELS = ("failed", "excluded")
EXTERNAL_NOISE: NoisePolicy = "singletons"
#: measures of candidates that are still computed once judging was stopped
WHEN_STOPPED = ("silhouette", "adjusted_rand_index")
#: limit of cost: partitions scored at a time; fixed, because sums depend on the batch
CHUNK = 256


def evaluate(
    state: StudyState,
    measures: Iterable[str] | None = None,
    *,
    executor: object = None,
    progress: bool | None = None,
) -> None:
    """Score every clustering that has no scores yet, in batches; by default by every measure."""
    chosen = _default_measures(state)
    if measures is not None:
        chosen = applicable(measures, has_truth=state.y is not None, metric=state.metric)
        chosen = _estimated_together(state, chosen)
    elif state.stopped:
        chosen = [measure for measure in chosen if measure.key in WHEN_STOPPED] or chosen
    storage = state.storage
    scored = _scored(state)
    todo = [
        partition
        for partition in storage.partitions()
        if any((partition, measure.key) not in scored for measure in chosen)
    ]
    with progress_bar("Judging", len(todo), show=progress) as advance:
        for start in range(0, len(todo), CHUNK):
            chunk = todo[start : start + CHUNK]
            missing = [m for m in chosen if any((p, m.key) not in scored for p in chunk)]
            _judge(state, chunk, missing, state.fits.workers_of(executor))
            advance(len(chunk))


def _default_measures(state: StudyState) -> list[Measure]:
    """The measures that every candidate is scored by."""
    return applicable(None, has_truth=state.y is not None, metric=state.metric)


def _estimated_together(state: StudyState, measures: list[Measure]) -> list[Measure]:
    """These measures, and those that are estimated from the same sample of objects or pairs.

    A sample grows until all of its estimates are precise. So the value of a measure is the same
    whether it is looked at alone or with all others.
    """
    if not state.objects.is_estimated:
        return measures
    defaults = _default_measures(state)
    shared = {_sample_of(state, measure) for measure in measures if measure in defaults} - {""}
    more = [m for m in defaults if m not in measures and _sample_of(state, m) in shared]
    return sorted([*measures, *more], key=[*catalogue.values()].index)


def _sample_of(state: StudyState, measure: Measure) -> str:
    """The sample that a measure is estimated from; empty where it is exact or undefined."""
    if measure.kind == "external":
        return ""
    if measure.estimate is not None:  # its stream of random numbers is beside those of the pairs
        return "pairs"
    unit = sampled_by(measure, state.metric)
    return "" if unit == "exact" else unit


@derived(without=("by", "judge", "notes", "candidates"))
def _scored(state: StudyState) -> dict[tuple[str, str], Score]:
    """All stored scores by partition and measure."""
    stored = (score for context in _contexts(state) for score in state.storage.scores(context))
    return {(score.partition, score.measure): score for score in stored}


def _judge(
    state: StudyState,
    partitions: Sequence[str],
    measures: Sequence[Measure],
    workers: Workers | None,
) -> None:
    """Score some partitions by some measures, and store the scores."""
    labelings = _labelings(state, partitions)
    data, metric = state.objects.points
    estimated = state.objects.is_estimated
    reads = (
        ("internal", partial(Inputs.read, data, metric=metric, noise=state.settings.noise)),
        ("external", partial(Inputs.read, None, y=state.y, noise=EXTERNAL_NOISE)),
    )
    for context, (measure_kind, read) in zip(_contexts(state), reads, strict=True):
        chosen = [measure for measure in measures if measure.kind == measure_kind]
        if not chosen:
            continue
        judged = chosen
        if measure_kind == "internal" and estimated:
            judged = [measure for measure in chosen if sampled_by(measure, state.metric)]
        computed = compute(
            read(labelings),
            judged,
            precision=samples.PRECISION if estimated else None,
            random_state=state.settings.random_state,
            executor=workers,
        )
        scores = [
            Score(partition, measure.key, math.nan, why_not_sampled(measure))
            for measure in chosen
            if measure not in judged
            for partition in partitions
        ]
        errors = computed.standard_errors
        for key, partition in product((measure.key for measure in judged), partitions):
            error = float(errors[key].loc[partition]) if key in errors else None
            reason = computed.reasons.get(partition, {}).get(key)
            scores.append(Score(partition, key, float(computed[key].loc[partition]), reason, error))
        state.storage.add_scores(context, scores)


def _labelings(state: StudyState, partitions: Sequence[str]) -> Labelings:
    """Stored partitions as one batch."""
    codes = np.stack(state.storage.labels(partitions))
    n_clusters = codes.max(axis=1).astype(np.int64) + 1
    names = tuple(np.arange(k).astype(object) for k in n_clusters)
    return Labelings(codes, tuple(partitions), n_clusters, names)


def _contexts(state: StudyState) -> tuple[str, str]:
    """Keys of internal and external scores: the version and settings that they depend on."""
    settings = state.settings
    internal = ["internal", __version__, settings.metric, settings.noise, settings.exact]
    return (
        json.dumps(internal),
        json.dumps(["external", __version__, settings.truth, EXTERNAL_NOISE]),
    )


# -- tables ----------------------------------------------------------------------------------


@derived(without=("by", "judge", "scores", "notes"))
def candidate_table(state: StudyState) -> pd.DataFrame:
    """A row per finished candidate, without scores: :attr:`sortal.Study.candidates`."""
    import pandas as pd

    rows = [c for c in state.storage.candidates() if c["status"] != "planned"]
    columns = [
        "name", "clusterer", "k", "start", "status", "reason", "n_clusters", "noise_share",
        "seconds", "fitted_on", "partition",
    ]  # fmt: skip
    for row in rows:
        row["k"] = row["value"] if row["parameter"] == "n_clusters" else None
        noise = row["n_noise"]
        row["noise_share"] = None if noise is None else noise / state.n_objects
    types = dict.fromkeys(["k", "n_clusters", "fitted_on"], "Int64") | {"noise_share": "Float64"}
    return pd.DataFrame(rows, columns=columns).astype(types).set_index("name")


@derived(without=("by", "judge", "notes"))
def score_table(state: StudyState) -> tuple[pd.DataFrame, dict[str, dict[str, str]], pd.DataFrame]:
    """Scores by distinct partition, reasons for undefined ones, and standard errors."""
    import pandas as pd

    values: dict[str, dict[str, float]] = {}
    errors: dict[str, dict[str, float]] = {}
    reasons: dict[str, dict[str, str]] = {}
    for (partition, measure), score in _scored(state).items():
        values.setdefault(measure, {})[partition] = score.value
        if score.reason is not None:
            reasons.setdefault(partition, {})[measure] = score.reason
        if score.error is not None:
            errors.setdefault(measure, {})[partition] = score.error
    table, error = (
        pd.DataFrame({key: columns[key] for key in catalogue if key in columns})
        for columns in (values, errors)
    )
    return table.reindex(state.storage.partitions()), reasons, error


def candidate_scores(state: StudyState, *, progress: bool | None = None) -> pd.DataFrame:
    """Scores of every candidate by every measure."""
    evaluate(state, progress=progress)
    return candidate_table(state).join(score_table(state)[0], on="partition")


def measured(
    state: StudyState, names: Iterable[str], measures: Iterable[str] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores of some candidates by these measures, by default all, and their standard errors."""
    evaluate(state, measures)
    partitions = candidate_table(state).loc[list(names), "partition"]
    values, _, errors = score_table(state)
    values, errors = (
        table.reindex(partitions).set_axis(partitions.index, axis=0) for table in (values, errors)
    )
    return values, errors


def stated(state: StudyState) -> tuple[str, ...]:
    """The measures that every answer states: the silhouette, if it fits the data."""
    return tuple(m.key for m in _default_measures(state) if m.key == "silhouette")


def silhouette_of(state: StudyState, name: str) -> tuple[float | None, float | None]:
    """The mean silhouette of a candidate and its standard error; None where there is none."""
    number, error = (
        float(table["silhouette"].iloc[0]) if "silhouette" in table else math.nan
        for table in measured(state, [name], stated(state))
    )
    return None if math.isnan(number) else number, None if math.isnan(error) else error


def standard_errors(state: StudyState) -> pd.DataFrame:
    """Standard errors of the scores that are estimates, a row per candidate."""
    evaluate(state)
    table = score_table(state)[2]
    return (
        candidate_table(state)[["partition"]].join(table, on="partition").drop(columns="partition")
    )


def reasons(state: StudyState) -> dict[str, dict[str, str]]:
    """Why scores are missing: candidate -> measure -> sentence."""
    evaluate(state)
    why = score_table(state)[1]
    partitions = candidate_table(state)["partition"].items()
    return {str(name): dict(why[at]) for name, at in partitions if at in why}


def distinct_candidates(state: StudyState) -> pd.DataFrame:
    """The distinct clusterings, each by its first candidate."""
    candidates = candidate_table(state)
    usable = candidates[candidates["partition"].notna()]
    if usable.empty:
        raise NothingToRankError(f"there is no clustering to rank: {why_nothing(state)}")
    counts = usable.groupby("partition").size()
    first = usable[~usable["partition"].duplicated()]
    columns = [
        "clusterer", "k", "n_clusters", "noise_share", "fitted_on", "partition",
    ]  # fmt: skip
    table = first[columns].copy()
    table["reached_by"] = counts.loc[first["partition"]].to_numpy()
    return table


def why_nothing(state: StudyState) -> str:
    """Sentence on why there is no clustering, or none with scores."""
    table, planned = candidate_table(state), state.storage.planned()
    failed = table[table["status"].isin(NO_LABELS)]
    if failed.empty and table.empty and not planned:
        return "nothing was tried; call sweep or add first"
    if planned and failed.empty:
        return "no fit was finished within the budget; allow a larger one (budget=, --budget)"
    if failed.empty:
        reasons = [r for why in score_table(state)[1].values() for r in why.values()]
    else:
        reasons = failed["reason"].tolist()
    return "; ".join(list(dict.fromkeys(reasons))[:3])


# -- labels ----------------------------------------------------------------------------------


def candidate_labels(state: StudyState, name: str) -> NDArray[np.int32]:
    """Labels of a candidate: ``0..k-1`` by first appearance, ``-1`` for outliers."""
    table = candidate_table(state)
    if name not in table.index:
        raise unknown_name(name, table.index, "candidate")
    row = table.loc[name]
    if row["status"] in NO_LABELS:
        raise InputError(f"{name} has no labels: {row['reason']}")
    return state.storage.labels([str(row["partition"])])[0]


def candidate_memberships(state: StudyState, name: str) -> Memberships | None:
    """Memberships of a candidate that is soft or overlaps; None for a hard one."""
    candidate_labels(state, name)  # raises for an invalid name
    stored = state.storage.memberships(name)
    return None if stored is None else as_given(stored)


def candidate_cluster_names(state: StudyState, name: str) -> list[str]:
    """Names of a candidate's clusters, by their numbers in :meth:`Study.labels`."""
    names = state.storage.cluster_names(name)
    return names or [str(i) for i in range(int(candidate_labels(state, name).max()) + 1)]


def candidate_labelings(state: StudyState, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Labels of several candidates, with the original names of the clusters."""
    arrays: dict[str, NDArray[Any]] = {}
    status = candidate_table(state)["status"]
    for name in names:
        if status[name] in NO_LABELS:
            arrays[name] = np.full(state.n_objects, NOISE)
            continue
        clusters: list[Any] = candidate_cluster_names(state, name)
        if all(cluster.isdecimal() and str(int(cluster)) == cluster for cluster in clusters):
            clusters = [int(cluster) for cluster in clusters]
        arrays[name] = np.array([*clusters, NOISE], dtype=object)[candidate_labels(state, name)]
    return arrays
