"""What fitting to a sample loses: the same clusterer fitted to another sample."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from karat.clusterers import Clusterer, catalogue
from karat.measures.external.pairs import adjusted_rand_index
from karat.runtime.progress import progress_bar
from karat.runtime.validation import InputError
from karat.runtime.version import __version__
from karat.study import work
from karat.study.notes import last_noted, noted
from karat.study.store import planned

if TYPE_CHECKING:
    from karat.study.study import Study


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

    found = noted(study, _key(name), __version__, compare)
    if found["value"] is None:
        raise InputError(found["reason"])
    return float(found["value"])


def _again(
    study: Study, candidate: dict[str, Any], executor: Any, progress: Any
) -> tuple[Any, str | None]:
    """The labels by the second sample, or why there are none."""
    clusterer = clusterers_of(study).get(candidate["clusterer"])
    if clusterer is None:
        raise InputError(
            f"the clusterer {candidate['clusterer']} is not in the catalogue, and a study file "
            "cannot keep it; call sweep with it again first"
        )
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
        out |= {one.key: one for one in study.fits.under_distance(chosen, sweep["grid"])[0]}
    return out


def kept_agreement(study: Study, name: str) -> dict[str, Any]:
    """What was measured before: ``value``, or None and the ``reason``."""
    version, found = last_noted(study, _key(name))
    return found if version == __version__ else {"value": None, "reason": None}


def _key(name: str) -> str:
    return f"sample agreement {name}"
