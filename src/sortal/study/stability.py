"""Stability of a candidate: in resamples, and between two samples of the objects."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sortal.clusterers import Clusterer, catalogue
from sortal.measures.external.pairs import adjusted_rand_index
from sortal.nulls.references import Null
from sortal.runtime.progress import progress_bar
from sortal.runtime.validation import InputError
from sortal.runtime.version import __version__
from sortal.stability import Assessment, assess
from sortal.stability.assessment import MOST_OBJECTS, n_steps
from sortal.stability.calibrated import kinds_beside, n_null_resamples, share_drawn
from sortal.stability.engine import prepare
from sortal.stability.progress import counted
from sortal.study.jobs import Job
from sortal.study.notes import last_noted, noted
from sortal.study.scores import candidate_labels, candidate_table
from sortal.study.store import planned

if TYPE_CHECKING:
    from sortal.study.state import StudyState


#: numbers of clusters where no sweep named any
DEFAULT_NUMBERS = range(2, 9)
#: tuned by ``python -m benchmarks.stability by-default``: fits of k-means by the engine that take
#: at most as long as one candidate of a sweep, judging included
QUICK_FITS = 10
#: limit of cost: resamples, and null references of each kind
N_RESAMPLES, N_REFERENCES = 20, 5


def work_of(state: StudyState, candidate: dict[str, Any]) -> tuple[float, float]:
    """The cost of a candidate's stability and of the sweeps, in fits of all objects.

    Both follow from numbers of fits and objects alone, so that every machine decides alike.
    A fit to a part of the objects counts for its share of them, and a hierarchy once for all
    numbers of clusters.
    """
    clusterer = clusterer_of(state, candidate)
    n, most = state.n_objects, None if state.settings.exact else MOST_OBJECTS
    judged = min(n, most or n)
    data, metric = _data_for(state, clusterer)
    n_sets = _n_sets(state, clusterer, N_REFERENCES)
    per_fit = 1 / QUICK_FITS if prepare(data, clusterer, metric=metric).quick is not None else 1.0
    curve = float(n_sets)
    if clusterer.parameter == "n_clusters":
        numbers = set(swept_numbers(state)) or set(DEFAULT_NUMBERS)
        pairs = N_RESAMPLES + n_sets * n_null_resamples(N_RESAMPLES)
        share = share_drawn(judged, max(numbers))
        curve = 2 * pairs * share * (1 if clusterer.every_k else len(numbers))
    # bootstrap samples have 1 − 1/e of the objects, those of the consensus 0.8
    clusters = 2 * N_RESAMPLES * (1 - math.exp(-1) + 0.8)
    swept = sum(
        (c["fitted_on"] or n) / n
        for c in state.storage.candidates()
        if c["parameter"] is not None and c["status"] != "planned"
    )
    return judged / n * per_fit * (curve + clusters), swept


def why_not(state: StudyState, name: str) -> str | None:
    """Why a candidate's stability is not assessed by default; None where it is."""
    candidate = state.storage.candidate(name)
    if candidate["parameter"] is None:
        return f"{name} was made elsewhere"
    takes, swept = work_of(state, candidate)
    if takes <= swept:
        return None
    return (
        f"it takes about {math.ceil(takes):,} fits of all objects, and the sweep took "
        f"{math.floor(swept):,}; --stability judges it"
    )


def swept_numbers(state: StudyState) -> list[int]:
    """Numbers of clusters of all sweeps."""
    return [k for sweep in state.record.sweeps for k in sweep["k"]]


def candidate_stability(
    state: StudyState,
    name: str,
    *,
    k: int | Iterable[int] | None = None,
    n_resamples: int = N_RESAMPLES,
    n_references: int = N_REFERENCES,
    executor: object = None,
    progress: bool | None = None,
) -> Assessment:
    """Resample a candidate's clusterer, see :meth:`sortal.Study.stability`."""
    labels, candidate = candidate_labels(state, name), state.storage.candidate(name)
    clusterer = clusterer_of(state, candidate)
    numbers = (swept_numbers(state) or DEFAULT_NUMBERS) if k is None else k
    numbers = sorted(numbers) if isinstance(numbers, Iterable) else [numbers]
    most = None if state.settings.exact else MOST_OBJECTS
    largest = min(state.n_objects, most or state.n_objects) // 2
    options = {
        "k": [number for number in dict.fromkeys(map(int, numbers)) if 2 <= number <= largest],
        "value": candidate["value"],
        "n_resamples": n_resamples,
        "n_references": n_references,
        "max_objects": most,
        "everywhere": most is None or state.n_objects <= most,
        "random_state": state.settings.random_state,
    }
    question = {
        "version": __version__,
        "clusterer": clusterer.key,
        "metric": state.settings.metric,
        **options,
    }

    def judge() -> Assessment:
        data, metric = _data_for(state, clusterer)
        by_k = clusterer.parameter == "n_clusters"
        n_sets = _n_sets(state, clusterer, n_references)
        steps = n_steps(len(options["k"]) if by_k else 0, n_resamples, n_sets)
        with counted("Resampling", steps, show=progress) as threads:
            workers = threads if executor is None else state.fits.workers_of(executor)
            return assess(
                data, clusterer, labels=labels, metric=metric, executor=workers, **options
            )

    return noted(state, f"assessment {candidate['partition']}", question, judge)


def _data_for(state: StudyState, clusterer: Clusterer) -> tuple[Any, Any]:
    """The data and the distance that a clusterer gets."""
    # a function of two rows is not called again, unless the clusterer needs the rows
    if "features" in clusterer.distances:
        return state.X, state.metric
    return state.objects.points


def _n_sets(state: StudyState, clusterer: Clusterer, n_references: int) -> int:
    """Number of null data sets to cluster."""
    kinds = Null(*_data_for(state, clusterer)).kinds
    if clusterer.parameter == "n_clusters":
        kinds = kinds_beside(kinds, state.structure)
    return len(kinds) * n_references


def kept_assessment(state: StudyState, name: str) -> Assessment | None:
    """The last assessment of a candidate's stability; None where there is none."""
    assessment: Assessment | None
    partition = candidate_table(state)["partition"].get(name)
    assessment = last_noted(state, f"assessment {partition}")[1]
    return assessment


def clusterer_of(state: StudyState, candidate: dict[str, Any]) -> Clusterer:
    """The clusterer that made a candidate, ready to be fitted again."""
    key = candidate["clusterer"]
    if candidate["parameter"] is None:
        raise InputError(
            f"{candidate['name']} was made elsewhere, and its stability needs the clusterer that "
            "made it, to be fitted to resamples; sortal.stability.assess(X, clusterer, "
            "labels=..., value=k) takes both"
        )
    if key in state.fits.swept or key in catalogue:
        return state.fits.swept.get(key) or catalogue[key]
    # it is under the study's distance already
    return replace(swept_clusterer(state, key), distances=("features",))


def swept_clusterer(state: StudyState, key: str) -> Clusterer:
    """A clusterer of the sweeps under the study's distance; InputError where it is lost."""
    clusterer = state.clusterers.get(key)
    if clusterer is None:
        raise InputError(
            f"the clusterer {key} is not in the catalogue, and a study file cannot keep it; call "
            "sweep with it again first"
        )
    return clusterer


def sample_agreement(
    state: StudyState, name: str, *, executor: object = None, progress: bool | None = None
) -> float:
    """The agreement of a candidate that was fitted to a sample with a fit to a second sample.

    The second sample is drawn independently, has the same size, and is extended in the same way.
    The agreement is the adjusted Rand index on all objects; outliers count as one cluster. The
    study keeps it. InputError if the candidate was fitted to all objects, its clusterer is unknown,
    or the fit fails.
    """
    labels = candidate_labels(state, name)  # says what is wrong with the name
    candidate = state.storage.candidate(name)
    if candidate["fitted_on"] is None:
        raise InputError(f"{name} was fitted to all objects, so there is no sample to compare")

    def compare() -> dict[str, Any]:
        again, reason = _again(state, candidate, executor, progress)
        value = None if again is None else adjusted_rand_index(labels, again, noise="cluster")
        return {"value": value, "reason": reason}

    agreement = noted(state, f"sample agreement {name}", __version__, compare)
    if agreement["value"] is None:
        raise InputError(agreement["reason"])
    return float(agreement["value"])


def _again(
    state: StudyState, candidate: dict[str, Any], executor: object, progress: bool | None
) -> tuple[Any, str | None]:
    """The labels by the second sample, or the reason why there are none."""
    clusterer = swept_clusterer(state, candidate["clusterer"])
    starts = (
        start
        for start in state.storage.candidates()
        if all(start[key] == candidate[key] for key in ("clusterer", "value"))
    )
    job = Job(clusterer, (planned(next(starts)),))
    sample = state.objects.second_sample
    outcomes = state.fits.on_sample([job], sample, executor=state.fits.workers_of(executor))
    with closing(outcomes), progress_bar("Fitting a second sample", 1, show=progress) as advance:
        (outcome,) = next(outcomes)
        advance(1)
    if outcome.labels is None:
        return None, f"the fit to a second sample failed: {outcome.reason}"
    return sample.extend(outcome.labels), None


def kept_agreement(state: StudyState, name: str) -> dict[str, Any]:
    """The noted agreement of two samples: ``value``, or None and the ``reason``."""
    version, agreement = last_noted(state, f"sample agreement {name}")
    return agreement if version == __version__ else {"value": None, "reason": None}
