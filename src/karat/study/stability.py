"""Would it be found again? Stability in resamples, and what fitting to a sample loses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from karat.clusterers import Clusterer, catalogue
from karat.measures.external.pairs import adjusted_rand_index
from karat.nulls.references import Null
from karat.runtime.progress import progress_bar
from karat.runtime.validation import InputError
from karat.runtime.version import __version__
from karat.stability import Assessment, assess
from karat.stability.assessment import MOST_OBJECTS, n_steps
from karat.stability.calibrated import kinds_beside, n_null_resamples, share_drawn
from karat.stability.engine import prepare
from karat.stability.progress import counted
from karat.study import work
from karat.study.notes import last_noted, noted
from karat.study.store import planned

if TYPE_CHECKING:
    from karat.study.study import Study


#: numbers of clusters where the study was not told any
DEFAULT_NUMBERS = range(2, 9)
#: fits of k-means by the engine that take at most as long as one candidate of a sweep, judging
#: included (``python -m benchmarks.stability by-default``)
QUICK_FITS = 10
N_RESAMPLES, N_REFERENCES = 20, 5


def work_of(study: Study, candidate: dict[str, Any]) -> tuple[float, float]:
    """What the stability of a candidate takes, and what the sweep took, in fits of all objects.

    From numbers of fits and objects alone: what is judged by default is the same on every machine.
    A fit to a part of the objects counts for its share of them, and a hierarchy once for all
    numbers of clusters.
    """
    clusterer = clusterer_of(study, candidate)
    n, most = study.n_objects, None if study.settings.exact else MOST_OBJECTS
    judged = min(n, most or n)
    data, metric = _given(study, clusterer)
    n_sets = _n_sets(study, clusterer, N_REFERENCES)
    one = 1 / QUICK_FITS if prepare(data, clusterer, metric=metric).quick is not None else 1.0
    curve = float(n_sets)
    if clusterer.parameter == "n_clusters":
        numbers = set(swept_numbers(study)) or set(DEFAULT_NUMBERS)
        pairs = N_RESAMPLES + n_sets * n_null_resamples(N_RESAMPLES)
        drawn = share_drawn(judged, max(numbers))
        curve = 2 * pairs * drawn * (1 if clusterer.every_k else len(numbers))
    # bootstrap samples have 1 − 1/e of the objects, those of the consensus 0.8
    clusters = 2 * N_RESAMPLES * (1 - math.exp(-1) + 0.8)
    swept = sum(
        (c["fitted_on"] or n) / n
        for c in study.storage.candidates()
        if c["parameter"] is not None and c["status"] != "planned"
    )
    return judged / n * one * (curve + clusters), swept


def why_not(study: Study, name: str) -> str | None:
    """Why the stability of a candidate is not judged unless it is asked for; None where it is."""
    candidate = study.storage.candidate(name)
    if candidate["parameter"] is None:
        return f"{name} was made elsewhere"
    takes, swept = work_of(study, candidate)
    if takes <= swept:
        return None
    return (
        f"it takes about {math.ceil(takes):,} fits of all objects, and the sweep took "
        f"{math.floor(swept):,}; --stability judges it"
    )


def swept_numbers(study: Study) -> list[int]:
    """Numbers of clusters that the study was told to try."""
    return [k for sweep in study.record.sweeps for k in sweep["k"]]


def stability(
    study: Study,
    name: str | None = None,
    *,
    k: int | Iterable[int] | None = None,
    n_resamples: int = N_RESAMPLES,
    n_references: int = N_REFERENCES,
    executor: Any = None,
    progress: bool | None = None,
) -> Assessment:
    """Judge whether the clusters of a candidate, and their number, would be found again.

    Parameters
    ----------
    name : str, optional
        The candidate; by default the choice. Its clusterer is fitted to resamples.
    k : int or iterable of int, optional
        Numbers of clusters for the curve; by default those that were swept.
    n_resamples, n_references : int
        As for :func:`karat.stability.assess`.
    executor, progress : optional
        As for :meth:`sweep`; by default threads of this process.

    Returns
    -------
    Assessment
        It is kept in the study: asked the same again it is read, and the reasons of
        :meth:`best` and the report have it.

    Raises
    ------
    InputError
        For a clustering that was made elsewhere, or of a clusterer that cannot be fitted to
        parts of the data.

    Examples
    --------
    >>> import karat
    >>> X = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [9.0], [9.2], [9.3]]
    >>> study = karat.Study(X)
    >>> study.sweep(["average"], k=range(2, 4))
    >>> found = study.stability("average k=3", n_resamples=5, n_references=2)
    >>> len(found.clusters.table)
    3
    """
    name = str(study.rank().index[0]) if name is None else name
    labels, candidate = study.labels(name), study.storage.candidate(name)
    clusterer = clusterer_of(study, candidate)
    numbers = (swept_numbers(study) or DEFAULT_NUMBERS) if k is None else k
    numbers = sorted(numbers) if isinstance(numbers, Iterable) else [numbers]
    most = None if study.settings.exact else MOST_OBJECTS
    largest = min(study.n_objects, most or study.n_objects) // 2
    options = {
        "k": [number for number in dict.fromkeys(map(int, numbers)) if 2 <= number <= largest],
        "value": candidate["value"],
        "n_resamples": n_resamples,
        "n_references": n_references,
        "max_objects": most,
        "everywhere": most is None or study.n_objects <= most,
        "random_state": study.settings.random_state,
    }
    question = {
        "version": __version__,
        "clusterer": clusterer.key,
        "metric": study.settings.metric,
        **options,
    }

    def judge() -> Assessment:
        data, metric = _given(study, clusterer)
        told = clusterer.parameter == "n_clusters"
        n_sets = _n_sets(study, clusterer, n_references)
        steps = n_steps(len(options["k"]) if told else 0, n_resamples, n_sets)
        with counted("Resampling", steps, show=progress) as threads:
            workers = threads if executor is None else study.fits.workers_of(executor)
            return assess(
                data, clusterer, labels=labels, metric=metric, executor=workers, **options
            )

    found: Assessment = noted(study, f"assessment {candidate['partition']}", question, judge)
    return found


def _given(study: Study, clusterer: Clusterer) -> tuple[Any, Any]:
    """The data and their distance as a clusterer gets them."""
    # a function of two rows is not called again, unless the clusterer needs the rows
    if "features" in clusterer.distances:
        return study.X, study.metric
    return study.objects.points


def _n_sets(study: Study, clusterer: Clusterer, n_references: int) -> int:
    """How many reference data sets there are to cluster."""
    kinds = Null(*_given(study, clusterer)).kinds
    if clusterer.parameter == "n_clusters":
        kinds = kinds_beside(kinds, study.objects.structure)
    return len(kinds) * n_references


def kept_assessment(study: Study, name: str) -> Assessment | None:
    """What :meth:`Study.stability` said of a candidate before, None where it was not asked."""
    found: Assessment | None
    found = last_noted(study, f"assessment {study.candidates['partition'].get(name)}")[1]
    return found


def clusterer_of(study: Study, candidate: dict[str, Any]) -> Clusterer:
    """What made a candidate, to be fitted again."""
    key = candidate["clusterer"]
    if candidate["parameter"] is None:
        raise InputError(
            f"{candidate['name']} was made elsewhere, and its stability needs the clusterer that "
            "made it, to be fitted to resamples; karat.stability.assess(X, clusterer, "
            "labels=..., value=k) takes both"
        )
    if key in study.fits.known or key in catalogue:
        return study.fits.known.get(key) or catalogue[key]
    # it is under the study's distance already
    return replace(_swept(study, key), distances=("features",))


def _swept(study: Study, key: str) -> Clusterer:
    found = clusterers_of(study).get(key)
    if found is None:
        raise InputError(
            f"the clusterer {key} is not in the catalogue, and a study file cannot keep it; call "
            "sweep with it again first"
        )
    return found


def sample_agreement(
    study: Study, name: str | None = None, *, executor: Any = None, progress: bool | None = None
) -> float:
    """What fitting to a sample loses, for a candidate (by default the choice) fitted to one.

    Returns
    -------
    float
        The adjusted Rand index on all objects between its labels and what its clusterer, with the
        seed of the first start, finds in a second sample, drawn independently and as large, and
        extended in the same way; outliers count as one cluster. It is kept, and not measured again.

    Raises
    ------
    InputError
        If it was fitted to all objects, its clusterer is not known, or the fit fails.
    """
    name = str(study.rank().index[0]) if name is None else name
    labels = study.labels(name)  # says what is wrong with the name
    candidate = study.storage.candidate(name)
    if candidate["fitted_on"] is None:
        raise InputError(f"{name} was fitted to all objects, so there is no sample to compare")

    def compare() -> dict[str, Any]:
        again, reason = _again(study, candidate, executor, progress)
        value = None if again is None else adjusted_rand_index(labels, again, noise="cluster")
        return {"value": value, "reason": reason}

    found = noted(study, f"sample agreement {name}", __version__, compare)
    if found["value"] is None:
        raise InputError(found["reason"])
    return float(found["value"])


def _again(
    study: Study, candidate: dict[str, Any], executor: Any, progress: Any
) -> tuple[Any, str | None]:
    """The labels by the second sample, or why there are none."""
    clusterer = _swept(study, candidate["clusterer"])
    alike = (
        one
        for one in study.storage.candidates()
        if all(one[key] == candidate[key] for key in ("clusterer", "value"))
    )
    job = work.Job(clusterer, (planned(next(alike)),))
    sample = study.objects.second_sample
    outcomes = study.fits.on_sample([job], sample, executor=study.fits.workers_of(executor))
    with closing(outcomes), progress_bar("Fitting a second sample", 1, show=progress) as advance:
        (outcome,) = next(outcomes)
        advance(1)
    if outcome.labels is None:
        return None, f"the fit to a second sample failed: {outcome.reason}"
    return sample.extend(outcome.labels), None


def clusterers_of(study: Study) -> dict[str, Clusterer]:
    """What the sweeps of a study fit, by key: under its distance, with what a grid sets."""
    out: dict[str, Clusterer] = {}
    for sweep in study.record.sweeps:
        keys = [one["key"] for one in sweep["clusterers"]]
        known = {key: catalogue[key] for key in keys if key in catalogue} | study.fits.known
        chosen = [known[key] for key in keys if key in known]
        out |= {one.key: one for one in study.fits.under_distance(chosen)[0]}
    return out


def kept_agreement(study: Study, name: str) -> dict[str, Any]:
    """What was measured before: ``value``, or None and the ``reason``."""
    version, found = last_noted(study, f"sample agreement {name}")
    return found if version == __version__ else {"value": None, "reason": None}
