"""What fitting to a sample loses: the same clusterers fitted to another sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karat.clusterers import Clusterer, catalogue
from karat.measures.external.pairs import adjusted_rand_index
from karat.runtime.progress import progress_bar
from karat.runtime.threads import available_cores
from karat.runtime.version import __version__
from karat.study import work
from karat.study.store import Finished, Planned, Store
from karat.study.sweeping import Swept

if TYPE_CHECKING:
    from karat.study.study import Study
    from karat.study.trying import TriedStudy

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


def measure_agreements(
    study: Study,
    name: str | None = None,
    *,
    share: float | None = None,
    workers: int | None = None,
    executor: Any = None,
    progress: bool | None = None,
) -> None:
    """Measure the agreement of one candidate, or of all, and keep it.

    See :meth:`Study.sample_agreements`.
    """
    refits = _refits(study)
    if name is not None:
        refits = [one for one in refits if any(c["name"] == name for c in one.candidates)]
    elif share is not None and refits:
        refits = _within(study, refits, share)
    kept = kept_agreements(study._store)
    refits = [one for one in refits if any(c["name"] not in kept for c in one.candidates)]
    if not refits:
        return
    compared = {first: group for one in refits for first, group in one.compared.items()}
    outcomes = study.on_sample(
        [one.job for one in refits],
        study.second_sample,
        workers=workers or available_cores(),
        executor=study._workers_of(executor),
    )
    with (
        closing(outcomes),
        progress_bar("Fitting a second sample", len(compared), show=progress) as advance,
    ):
        for finished in outcomes:
            for outcome in finished:
                _keep(study, outcome, compared[outcome.name])
            advance(len(finished))


def _refits(study: TriedStudy) -> list[_Refit]:
    """The fits that tell the agreements: one for each tree, or value of a parameter."""
    clusterers = _clusterers(study)
    first: dict[tuple[str, Any], Planned] = {}
    compared: dict[str, list[dict[str, Any]]] = {}
    for candidate in study._store.candidates():
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
    choice = study.best().name
    # names of rows first: other candidates are seen by another's name
    place = {str(name): i for i, name in enumerate(study.rank().index)}
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


def _clusterers(study: TriedStudy) -> dict[str, Clusterer]:
    """What the sweeps of a study fit, by key: under its distance, with what a grid sets."""
    out: dict[str, Clusterer] = {}
    for kind, content in study.record:
        if kind != "sweep":
            continue
        keys = [one["key"] for one in content["clusterers"]]
        known = {key: catalogue[key] for key in keys if key in catalogue} | study._swept
        chosen = [Swept(known[key], None) for key in keys if key in known]
        out |= {one.key: one for one in study.fitting(chosen, content["grid"])[0]}
    return out


def _keep(study: Study, outcome: Finished, candidates: Sequence[dict[str, Any]]) -> None:
    found: dict[str, float] = {}
    again = None if outcome.labels is None else study.second_sample.extend(outcome.labels)
    for partition in {c["partition"] for c in candidates} if again is not None else ():
        (labels,) = study._store.labels([partition])
        found[partition] = float(adjusted_rand_index(labels, again, noise="cluster"))
    reason = None if found else f"the fit to a second sample failed: {outcome.reason}"
    study._store.set_meta(
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


def why_no_agreement(study: TriedStudy) -> dict[str, str]:
    """Why candidates that were fitted to a sample have no agreement."""
    kept = kept_agreements(study._store)
    sampled = [c for c in study._store.candidates() if _is_sampled(c)]
    missing = [c for c in sampled if c["name"] not in kept]
    known = _clusterers(study) if missing else {}
    out = {c["name"]: UNMEASURED if c["clusterer"] in known else UNKNOWN for c in missing}
    return out | {name: reason for name, (_, reason) in kept.items() if reason is not None}
