"""Trying clusterings: sweeps, and those that were made elsewhere."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import Clusterer, ExcludedError, under
from karat.distances import FORMS
from karat.labelings.candidates import hard_labelings
from karat.labelings.partitions import as_labelings, canonical_codes
from karat.labelings.structures import as_kept, by_appearance
from karat.runtime.executors import Workers
from karat.runtime.progress import progress_bar
from karat.runtime.threads import available_cores
from karat.runtime.validation import InputError, StorageError, in_order_of
from karat.study import large, work
from karat.study.objects import Objects
from karat.study.record import stable
from karat.study.running import run_jobs
from karat.study.store import Finished, Planned, partition_hash
from karat.study.sweeping import Request, catalogue_name, check_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.study.study import Study


DEFAULT_CLUSTERERS = (
    "kmeans", "ward", "average", "genie", "spectral", "gaussian-mixture", "hdbscan",
    "hdbscan-filled",
)  # fmt: skip
#: for sparse rows under the cosine: linear in the stored entries, as banerjee2004 compares them
DOCUMENT_CLUSTERERS = (
    "spherical-kmeans-refined",
    "frequency-sensitive-kmeans",
    "soft-movmf",
    "hard-movmf",
    "kl-kmeans",
    "kmeans",
)
#: above, these are fitted to a sample, and mini-batches to all documents in place of k-means
MANY_DOCUMENTS = 100_000


def order_of_work(jobs: Sequence[work.Job]) -> list[work.Job]:
    """Cheap families first, in each one start of every k before the next, and short fits first."""
    return sorted(
        jobs,
        key=lambda job: (
            job.clusterer.growth,
            not job.clusterer.every_k,
            job.candidates[0].start,
            job.candidates[0].value or 0,
        ),
    )


@dataclass
class Fits:
    """How clusterers are fitted to the objects of a study: to all of them, a sample, or cells.

    ``known`` is what was swept since the study was opened, by key; a file keeps names alone.
    """

    objects: Objects
    exact: bool
    known: dict[str, Clusterer] = field(default_factory=dict)
    _workers: tuple[Any, Workers] | None = None

    @property
    def default_clusterers(self) -> tuple[str, ...]:
        """What a sweep tries unless it is told.

        For documents what never makes rows dense; k-medoids too where there are no means.
        """
        X, metric = self.objects.dataset.X, self.objects.metric
        documents = metric == "cosine" and not isinstance(X, np.ndarray)
        if documents and self.objects.n > MANY_DOCUMENTS and not self.exact:
            others = (name for name in DOCUMENT_CLUSTERERS if name != "kmeans")
            return ("spherical-kmeans-minibatch", *others)
        if documents:
            return DOCUMENT_CLUSTERERS
        if isinstance(metric, str) and (metric in FORMS or metric == "graph"):
            return DEFAULT_CLUSTERERS
        return (*DEFAULT_CLUSTERERS, "kmedoids")

    def release(self) -> None:
        """Forget the workers of an executor, and the data that they keep."""
        self._workers = None

    def workers_of(self, executor: Any) -> Workers | None:
        """An executor's workers, which keep the data from call to call."""
        if executor is None:
            return None
        if self._workers is None or self._workers[0] != executor:
            self._workers = executor, Workers.of(executor)
        return self._workers[1]

    def under_distance(self, chosen: Sequence[Clusterer]) -> tuple[list[Clusterer], dict[str, str]]:
        """The clusterers under the study's distance, and why others cannot take it."""
        out: list[Clusterer] = []
        excluded = {}
        for one in chosen:
            try:
                # a function of two rows has no form of the rows, and its matrix is what is given
                fitted = under(one, self.objects.metric)
                if callable(self.objects.metric) and "features" not in one.distances:
                    fitted = under(one, "precomputed")
                out.append(fitted)
            except ExcludedError as error:
                excluded[one.key] = str(error)
        return out, excluded

    def outcomes(
        self, jobs: Sequence[work.Job], *, deadline: float = math.inf, **options: Any
    ) -> Generator[list[Finished], None, None]:
        """Fit what scales to all objects, then the rest to a sample that is extended."""
        jobs = order_of_work(jobs)
        sampled = [job for job in jobs if self.fits_sample(job.clusterer)]
        whole = [job for job in jobs if job not in sampled]
        options["deadline"] = deadline
        data, _ = self.objects.points
        of_rows = [job for job in whole if "features" in job.clusterer.distances]
        yield from run_jobs(data, [job for job in whole if job not in of_rows], **options)
        yield from run_jobs(self.objects.dataset.X, of_rows, **options)
        if not sampled or time.monotonic() >= deadline:
            return
        sample = self.objects.sample
        for outcomes in self.on_sample(sampled, sample, **options):
            yield [
                replace(
                    outcome,
                    labels=None if outcome.labels is None else sample.extend(outcome.labels),
                    memberships=None
                    if outcome.memberships is None
                    else by_appearance(sample.extend(outcome.memberships)),
                    fitted_on=len(sample),
                )
                for outcome in outcomes
            ]

    def on_sample(
        self, jobs: Sequence[work.Job], sample: large.Sample, **options: Any
    ) -> Generator[list[Finished], None, None]:
        """Fit to the objects of a sample, or to the cells around them; nothing is extended."""
        data, metric = self.objects.points
        of_cells = [job for job in jobs if large.uses_cells(data, job.clusterer, metric)]
        of_sample = [job for job in jobs if job not in of_cells]
        if of_cells:
            means, sizes = large.cells_of(data, sample)
            yield from run_jobs(means, [replace(job, sizes=sizes) for job in of_cells], **options)
        yield from run_jobs(large.part_of(data, sample.rows, metric), of_sample, **options)

    def fits_cells(self, clusterer: Clusterer) -> bool:
        """Whether a clusterer is fitted to the cells around the sampled objects."""
        data, metric = self.objects.points
        return self.fits_sample(clusterer) and large.uses_cells(data, clusterer, metric)

    def fits_sample(self, clusterer: Clusterer) -> bool:
        """Whether a clusterer is fitted to a sample and extended, not to all objects.

        So it is above 5,000 objects where its time grows faster than linearly (``whole_to``), and
        where the data take more than a quarter of the machine's memory; unless the study is exact
        or its objects are the nodes of a graph.
        """
        n = self.objects.n
        if self.exact or self.objects.metric == "graph" or n <= large.FIT_AT_MOST:
            return False
        return n > clusterer.whole_to or self.objects.is_beyond_memory


def sweep(
    study: Study,
    clusterers: Any = None,
    *,
    k: int | Iterable[int] = range(2, 11),
    grid: Mapping[str, Iterable[Any]] | None = None,
    n_init: int = 5,
    workers: int | None = None,
    executor: Executor | Any = None,
    budget: float | None = None,
    progress: bool | None = None,
) -> None:
    """Fit clusterers × k × starts; resume where an earlier sweep of this study stopped.

    Parameters
    ----------
    clusterers : str, estimator, Clusterer, a list of these, or a mapping from names to them
        See :data:`karat.clusterers.catalogue` for the names. An estimator is cloned, a
        pipeline works on the features as they are. One that cannot take the study's distance
        is kept with the reason, its status ``excluded``. By default what suits the data.
    k : int or iterable of int
        Numbers of clusters. Clusterers that find the number themselves (HDBSCAN) try the
        values of their own parameter instead.
    grid : mapping from parameters to values, optional
        Values of the parameter that a clusterer without a number of clusters is swept by:
        ``sweep({"db": DBSCAN()}, grid={"eps": [0.1, 0.2]})``.
    n_init : int, default 5
        Starts for each k; clusterers that do not depend on a seed run once.
    workers : int, optional
        Local processes; by default one for each core. The result does not depend on it.
    executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
        Where to run instead; a string is the address of a Dask scheduler. Dask gets the data
        once, and fits the jobs of a worker that dies on another; local processes read them
        once each; to other executors every job carries the data.
    budget : float, optional
        Seconds after which fits that are not finished are stopped; they stay planned, and
        the same call resumes them. Cheap clusterers and short fits come first.
    progress : bool, optional
        Show a bar; by default on a terminal.

    Raises
    ------
    InputError
        For unknown clusterers or numbers below 1. What a fit raises is kept with the
        candidate instead.
    KeyboardInterrupt
        On Ctrl-C, after what is finished was kept. The same call resumes there.
    """
    fits, storage = study.fits, study.storage
    if clusterers is None:
        clusterers = fits.default_clusterers
    asked = Request.checked(clusterers, k, grid, n_init)
    if workers is not None:
        check_count("workers", workers)
    workers = workers or available_cores()
    fitting, excluded = fits.under_distance(asked.chosen)
    _record(study, asked)
    fits.known |= {one.key: one for one in asked.chosen}
    new = [Planned(key, key, None, None, 0, None) for key in excluded]
    there = {candidate["name"] for candidate in storage.candidates()}
    storage.plan(new)
    storage.finish(
        Finished(key, "excluded", excluded[key], None, 0.0) for key in sorted({*excluded} - there)
    )
    plan = [(one, asked.candidates_of(one, study.settings.random_state)) for one in fitting]
    storage.plan(candidate for _, group in plan for candidate in group)
    planned = storage.planned()
    jobs = [
        job
        for clusterer, group in plan
        for job in work.jobs_for(clusterer, [c for c in group if c.name in planned])
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


def _record(study: Study, asked: Request) -> None:
    """Note the sweep, unless a clusterer is another one than an earlier sweep's."""
    before = {
        one["key"]: one["identity"] for sweep in study.record.sweeps for one in sweep["clusterers"]
    }
    clusterers = []
    for one in asked.chosen:
        key, stored = one.key, study.storage.path is not None
        now = stable(one.make(1, 0), f"clusterer {key!r}", needed=stored)
        if before.get(key, now) != now:
            raise StorageError(
                f"this study was started with clusterer {key} = {before[key]}, not {now}; give "
                "other settings a name of their own (sweep({'name': estimator})) or use "
                "another storage file"
            )
        clusterers.append({"key": key, "identity": now, "name": catalogue_name(one)})
    content = {"k": asked.numbers, "n_init": asked.n_init, "grid": asked.grid}
    study.storage.record("sweep", {"clusterers": clusterers, **content})


def add(study: Study, labelings: Any, *, reference: bool | None = None) -> None:
    """Take in clusterings that were made elsewhere, on the same footing.

    Parameters
    ----------
    labelings : array-like (n,) or (M, n), mapping, DataFrame
        One or many, see :func:`karat.labelings.as_labelings`; a DataFrame's columns are
        clusterings. Fitted estimators, BERTopic models and annotated matrices are taken, too,
        see :func:`karat.labelings.hard_labelings`. Unnamed ones are called ``"labels 0"``,
        ``"labels 1"``, ... A :class:`~karat.labelings.SoftPartition` or
        :class:`~karat.labelings.OverlappingPartition` is compared with the others by its hard
        labels; its memberships are kept, see :meth:`Study.memberships`. Of a
        :class:`~karat.Dendrogram` each cut is a candidate.
    reference : bool, optional
        Whether karat looks for clusterings of its own where nothing is swept, on at most 2,000
        objects. They are no candidates: the judge compares with them, and the answer says what
        they are; without them it says what is not known. By default as before, at first True.

    Raises
    ------
    InputError
        For missing labels, wrong lengths, or a name that another clustering has.
    """
    storage = study.storage
    if reference is not None:
        study.record.change(reference=bool(reference))
    labelings, memberships = hard_labelings(labelings, study.X)
    labelings = in_order_of(study.objects.index, labelings, name="X", other_name="labelings")
    batch = as_labelings(labelings, n_objects=study.n_objects, noise="drop")
    known = {c["name"]: c for c in storage.candidates()}
    planned, finished = [], []
    for name, codes, names in zip(batch.names, batch.codes, batch.cluster_names, strict=True):
        outcome = _given(name, codes, names, memberships.get(name))
        if outcome.name not in known:
            planned.append(Planned(outcome.name, "given", None, None, 0, None))
            finished.append(outcome)
            continue
        codes = outcome.labels
        partition = None if codes is None else partition_hash(canonical_codes(codes))
        same = np.array_equal(storage.memberships(outcome.name), outcome.memberships)  # type: ignore[arg-type]
        if known[outcome.name]["partition"] != partition or not same:
            raise InputError(
                f"the study has another clustering called {outcome.name!r}; choose another name"
            )
    if planned:
        storage.record("add", {"names": [candidate.name for candidate in planned]})
    storage.plan(planned)
    storage.finish(finished)


def _given(name: str, codes: NDArray[np.int32], names: Any, memberships: Any) -> Finished:
    """What the user made elsewhere, as if it had been fitted."""
    if name.isdigit():
        name = f"labels {name}"
    if len(names) == 0:
        return Finished(name, "failed", "every object is an outlier", None, 0.0)
    flags = work.lopsided(codes)
    return Finished(
        name,
        "flagged" if flags else "ok",
        "; ".join(flags) or None,
        codes,
        0.0,
        tuple(map(str, names)),
        memberships=None if memberships is None else as_kept(memberships),
    )
