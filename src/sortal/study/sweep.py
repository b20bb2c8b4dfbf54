"""Candidates of a study: sweeps of clusterers, and clusterings made elsewhere."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.datasets import LabelColumns
from sortal.labelings.candidates import hard_labelings
from sortal.labelings.indexes import in_order_of
from sortal.labelings.partitions import as_labelings, canonical_codes
from sortal.labelings.structures import as_kept
from sortal.runtime.progress import progress_bar
from sortal.runtime.threads import available_cores
from sortal.runtime.validation import InputError, StorageError
from sortal.study.jobs import jobs_for, lopsided
from sortal.study.record import stable
from sortal.study.request import SweepRequest, catalogue_name, check_count, usual_numbers
from sortal.study.store import Finished, Planned, partition_hash

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.labelings.structures import Memberships
    from sortal.study.request import Clusterers
    from sortal.study.state import StudyState


def sweep(
    state: StudyState,
    clusterers: Clusterers | None = None,
    *,
    k: int | Iterable[int] | None = None,
    grid: Mapping[str, Iterable[Any]] | None = None,
    n_init: int = 5,
    workers: int | None = None,
    executor: object = None,
    budget: float | None = None,
    progress: bool | None = None,
) -> None:
    """Fit clusterers × k × starts and store each outcome, see :meth:`sortal.Study.sweep`."""
    fits, storage = state.fits, state.storage
    if clusterers is None:
        clusterers = fits.default_clusterers
    if k is None:
        k = usual_numbers(state.n_separated)
    request = SweepRequest.checked(clusterers, k, grid, n_init)
    if workers is not None:
        check_count("workers", workers)
    workers = workers or available_cores()
    fitting, excluded = fits.under_distance(request.clusterers)
    _record(state, request)
    fits.swept |= {clusterer.key: clusterer for clusterer in request.clusterers}
    earlier = {candidate["name"] for candidate in storage.candidates()}
    storage.plan(Planned(key, key, None, None, 0, None) for key in excluded)
    storage.finish(
        Finished(key, "excluded", excluded[key], None, 0.0) for key in sorted({*excluded} - earlier)
    )
    seed = state.settings.random_state
    plan = [(clusterer, request.candidates_of(clusterer, seed)) for clusterer in fitting]
    storage.plan(candidate for _, group in plan for candidate in group)
    unfinished = storage.planned()
    jobs = [
        job
        for clusterer, group in plan
        for job in jobs_for(clusterer, [c for c in group if c.name in unfinished])
    ]
    total = sum(len(job.candidates) for job in jobs)
    deadline = math.inf if budget is None else time.monotonic() + budget
    outcomes = fits.outcomes(
        jobs, workers=workers, executor=fits.workers_of(executor), deadline=deadline
    )
    with closing(outcomes), progress_bar("Clustering", total, show=progress) as advance:
        for finished in outcomes:
            storage.finish(finished)
            advance(len(finished))


def _record(state: StudyState, request: SweepRequest) -> None:
    """Record the sweep; StorageError if a clusterer differs from that of an earlier sweep."""
    before = {
        entry["key"]: entry["identity"]
        for earlier in state.record.sweeps
        for entry in earlier["clusterers"]
    }
    entries = []
    for clusterer in request.clusterers:
        key, stored = clusterer.key, state.storage.path is not None
        now = stable(clusterer.make(1, 0), f"clusterer {key!r}", needed=stored)
        if before.get(key, now) != now:
            raise StorageError(
                f"this study was started with clusterer {key} = {before[key]}, not {now}; give "
                "other settings a name of their own (sweep({'name': estimator})) or use "
                "another storage file"
            )
        entries.append({"key": key, "identity": now, "name": catalogue_name(clusterer)})
    arguments = {"k": request.numbers, "n_init": request.n_init, "grid": request.grid}
    state.storage.record("sweep", {"clusterers": entries, **arguments})


def add(state: StudyState, labelings: object, *, reference: bool | None = None) -> None:
    """Add clusterings made elsewhere as candidates, see :meth:`sortal.Study.add`."""
    storage = state.storage
    if reference is not None:
        state.record.change(reference=bool(reference))
    if isinstance(labelings, LabelColumns):
        labelings = labelings.of(state.dataset)
    labelings, memberships = hard_labelings(labelings, state.X)
    labelings = in_order_of(state.objects.index, labelings, name="X", other_name="labelings")
    batch = as_labelings(labelings, n_objects=state.n_objects, noise="drop")
    candidates = {candidate["name"]: candidate for candidate in storage.candidates()}
    planned, finished = [], []
    for name, codes, names in zip(batch.names, batch.codes, batch.cluster_names, strict=True):
        outcome = _outcome(name, codes, names, memberships.get(name))
        stored = candidates.get(outcome.name)
        # an earlier call may have been stopped before it stored the labels
        if stored is None or (stored["status"], stored["clusterer"]) == ("planned", "given"):
            planned.append(Planned(outcome.name, "given", None, None, 0, None))
            finished.append(outcome)
            continue
        codes = outcome.labels
        partition = None if codes is None else partition_hash(canonical_codes(codes))
        same = np.array_equal(storage.memberships(outcome.name), outcome.memberships)  # type: ignore[arg-type]
        if stored["partition"] != partition or not same:
            raise InputError(
                f"the study has another clustering called {outcome.name!r}; choose another name"
            )
    if planned:
        storage.record("add", {"names": [candidate.name for candidate in planned]})
    storage.plan(planned)
    storage.finish(finished)


def _outcome(
    name: str,
    codes: NDArray[np.int32],
    names: NDArray[np.object_],
    memberships: Memberships | None,
) -> Finished:
    """A clustering made elsewhere, in the form of a finished fit."""
    if name.isdigit():
        name = f"labels {name}"
    if len(names) == 0:
        return Finished(name, "failed", "every object is an outlier", None, 0.0)
    flags = lopsided(codes)
    return Finished(
        name,
        "flagged" if flags else "ok",
        "; ".join(flags) or None,
        codes,
        0.0,
        tuple(map(str, names)),
        memberships=None if memberships is None else as_kept(memberships),
    )
