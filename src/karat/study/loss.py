"""What fitting to a sample loses: the same clusterers fitted to another sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import Clusterer, catalogue
from karat.measures.external.pairs import adjusted_rand_index
from karat.runtime.progress import progress_bar
from karat.runtime.threads import available_cores
from karat.runtime.version import __version__
from karat.study import work
from karat.study.store import Finished, Planned, Store
from karat.study.sweeping import Swept

if TYPE_CHECKING:
    import pandas as pd

    from karat.study.study import Study

#: share of the time of all fits that ``karat run`` gives to fits to a second sample
SHARE = 0.25
UNMEASURED = "not measured; Study.sample_agreements measures it"
UNKNOWN = (
    "the clusterer is not in the catalogue, and a study file cannot keep it; call sweep with it "
    "again first"
)
_KEY = "sample agreement "


@dataclass(frozen=True)
class _Refit:
    """One fit to the second sample, and the candidates that it is compared with."""

    job: work.Job
    #: by the name of the candidate of the job
    compared: dict[str, list[dict[str, Any]]]

    @property
    def candidates(self) -> list[dict[str, Any]]:
        return [one for group in self.compared.values() for one in group]

    @property
    def seconds(self) -> float:
        """What the same fit to the first sample took: a start, or all cuts of a tree."""
        groups = self.compared.values()
        return sum(sum(c["seconds"] for c in group) / len(group) for group in groups)


def sample_agreements(
    study: Study,
    name: str | None = None,
    *,
    share: float | None = None,
    workers: int | None = None,
    executor: Any = None,
    progress: bool | None = None,
) -> pd.Series[float]:
    """What fitting to a sample loses, for candidates that were fitted to one.

    Parameters
    ----------
    name : str, optional
        Measure one candidate alone.
    share : float, optional
        Measure the choice, and of the other candidates, the best ranked first, as many as
        were fitted in this share of the time that all fits of the study took. By default all.
    workers, executor, progress : optional
        As for :meth:`sweep`.

    Returns
    -------
    Series
        By candidate, the adjusted Rand index on all objects between its labels and what its
        clusterer finds in a second sample, drawn independently and as large, and extended in
        the same way; outliers count as one cluster. NaN where it was not measured or the fit
        failed; :meth:`reasons` says why. It is kept, in :attr:`candidates`, :meth:`scores` and
        :meth:`rank` as ``sample_agreement``, and what was measured is not fitted again.

    Notes
    -----
    One fit for each number of clusters (or value of another parameter), with the seed of the
    first start, to which all starts are compared; one for all numbers of clusters of a
    hierarchy. The distances of 5,000 objects to all are computed once.

    Examples
    --------
    >>> import karat, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(6000, 2))
    >>> X[:2000] += 9
    >>> study = karat.Study(X)
    >>> study.sweep(["average"], k=[2, 3], workers=1)
    >>> found = study.sample_agreements(workers=1)
    >>> found.round(3).to_dict()
    {'average k=2': 1.0, 'average k=3': 0.998}
    """
    refits = _refits(study)
    if name is not None:
        study.labels(name)  # says what is wrong with the name
        refits = [one for one in refits if any(c["name"] == name for c in one.candidates)]
    elif share is not None and refits:
        refits = _within(study, refits, share)
    kept = kept_agreements(study.storage)
    refits = [one for one in refits if any(c["name"] not in kept for c in one.candidates)]
    if refits:
        _measure(study, refits, workers, executor, progress)
    found = study.candidates
    found = found[found[["fitted_on", "partition"]].notna().all(axis=1)]
    return found["sample_agreement"].astype(np.float64)


def _measure(
    study: Study, refits: Sequence[_Refit], workers: int | None, executor: Any, progress: Any
) -> None:
    compared = {first: group for one in refits for first, group in one.compared.items()}
    outcomes = study.fits.on_sample(
        [one.job for one in refits],
        study.objects.second_sample,
        workers=workers or available_cores(),
        executor=study.fits.workers_of(executor),
    )
    with (
        closing(outcomes),
        progress_bar("Fitting a second sample", len(compared), show=progress) as advance,
    ):
        for finished in outcomes:
            for outcome in finished:
                _keep(study, outcome, compared[outcome.name])
            advance(len(finished))


def _refits(study: Study) -> list[_Refit]:
    """The fits that tell the agreements: one for each tree, or value of a parameter."""
    clusterers = clusterers_of(study)
    first: dict[tuple[str, Any], Planned] = {}
    compared: dict[str, list[dict[str, Any]]] = {}
    for candidate in study.storage.candidates():
        start = first.setdefault((candidate["clusterer"], candidate["value"]), _planned(candidate))
        if _is_sampled(candidate) and candidate["clusterer"] in clusterers:
            compared.setdefault(start.name, []).append(candidate)
    jobs = [
        job
        for key, clusterer in clusterers.items()
        for job in work.jobs_for(
            clusterer, [c for c in first.values() if c.clusterer == key and c.name in compared]
        )
    ]
    return [_Refit(job, {c.name: compared[c.name] for c in job.candidates}) for job in jobs]


def _is_sampled(candidate: dict[str, Any]) -> bool:
    return candidate["fitted_on"] is not None and candidate["partition"] is not None


def _within(study: Study, refits: Sequence[_Refit], share: float) -> list[_Refit]:
    """That of the choice, and the best ranked that take a share of the time of all fits."""
    # names of rows first: other candidates are seen by another's name
    place = {str(name): i for i, name in enumerate(study.rank().index)}
    choice = next(iter(place))
    ranked = sorted(
        refits, key=lambda one: min(place.get(c["name"], math.inf) for c in one.candidates)
    )
    left = share * float(study.candidates["seconds"].sum())
    out = []
    for one in ranked:
        if one.seconds <= left or any(c["name"] == choice for c in one.candidates):
            left -= one.seconds
            out.append(one)
    return out


def _planned(candidate: dict[str, Any]) -> Planned:
    names = ("name", "clusterer", "parameter", "value", "start", "seed")
    return Planned(*(candidate[name] for name in names))


def clusterers_of(study: Study) -> dict[str, Clusterer]:
    """What the sweeps of a study fit, by key: under its distance, with what a grid sets."""
    out: dict[str, Clusterer] = {}
    for sweep in study.record.sweeps:
        keys = [one["key"] for one in sweep["clusterers"]]
        known = {key: catalogue[key] for key in keys if key in catalogue} | study.fits.known
        chosen = [Swept(known[key], None) for key in keys if key in known]
        out |= {one.key: one for one in study.fits.under_distance(chosen, sweep["grid"])[0]}
    return out


def _keep(study: Study, outcome: Finished, candidates: Sequence[dict[str, Any]]) -> None:
    found: dict[str, float] = {}
    again = None if outcome.labels is None else study.objects.second_sample.extend(outcome.labels)
    for partition in {c["partition"] for c in candidates} if again is not None else ():
        (labels,) = study.storage.labels([partition])
        found[partition] = float(adjusted_rand_index(labels, again, noise="cluster"))
    reason = None if found else f"the fit to a second sample failed: {outcome.reason}"
    study.storage.set_meta(
        {
            _KEY + c["name"]: {
                "version": __version__,
                "value": found.get(c["partition"]),
                "reason": reason,
            }
            for c in candidates
        }
    )


def kept_agreements(store: Store) -> dict[str, tuple[float, str | None]]:
    """What was measured before: the agreement of each candidate, NaN with the reason."""
    return {
        key.removeprefix(_KEY): (
            math.nan if kept["value"] is None else kept["value"],
            kept["reason"],
        )
        for key, kept in store.meta.items()
        if key.startswith(_KEY) and kept["version"] == __version__
    }


def why_no_agreement(study: Study) -> dict[str, str]:
    """Why candidates that were fitted to a sample have no agreement."""
    kept = kept_agreements(study.storage)
    sampled = [c for c in study.storage.candidates() if _is_sampled(c)]
    missing = [c for c in sampled if c["name"] not in kept]
    known = clusterers_of(study) if missing else {}
    out = {c["name"]: UNMEASURED if c["clusterer"] in known else UNKNOWN for c in missing}
    return out | {name: reason for name, (_, reason) in kept.items() if reason is not None}
