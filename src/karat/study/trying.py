"""Trying clusterings: sweeps, and those that were made elsewhere."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import Clusterer, ExcludedError, on_columns, under
from karat.distances import FORMS
from karat.labelings.labels import encode
from karat.labelings.partitions import as_labelings, canonical_codes
from karat.labelings.structures import as_kept, by_appearance, split
from karat.runtime.progress import progress_bar
from karat.runtime.resources import is_large, total_memory
from karat.runtime.threads import available_cores
from karat.runtime.validation import InputError, StorageError, check_same_objects
from karat.study import large, work
from karat.study.base import StudyBase
from karat.study.plan import SweepPlan, order_of_work, plan_of
from karat.study.record import stable
from karat.study.running import run_jobs
from karat.study.store import Finished, Planned, partition_hash
from karat.study.sweeping import (
    Grid,
    Swept,
    along,
    candidates_of,
    check_counts,
    check_used,
    checked_grid,
    swept,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


class TriedStudy(StudyBase):
    """A study with clusterings."""

    @property
    def default_clusterers(self) -> tuple[str, ...]:
        """What a sweep tries unless it is told.

        For documents what never makes rows dense; k-medoids too where there are no means.
        """
        documents = self.metric == "cosine" and not isinstance(self.X, np.ndarray)
        if documents and self.n_objects > MANY_DOCUMENTS and not self.settings.exact:
            others = (name for name in DOCUMENT_CLUSTERERS if name != "kmeans")
            return ("spherical-kmeans-minibatch", *others)
        if documents:
            return DOCUMENT_CLUSTERERS
        if isinstance(self.metric, str) and (self.metric in FORMS or self.metric == "graph"):
            return DEFAULT_CLUSTERERS
        return (*DEFAULT_CLUSTERERS, "kmedoids")

    def sweep(
        self,
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
            is kept with the reason, its status ``excluded``. By default
            :attr:`default_clusterers`.
        k : int or iterable of int
            Numbers of clusters. Clusterers that find the number themselves (HDBSCAN) try the
            values of their own parameter instead.
        grid : mapping from parameters to values, optional
            Values of other parameters, numbers of any kind: every combination is tried, with each
            ``k`` where the clusterer has a number of clusters. A parameter is set on those
            clusterers that have it: ``sweep({"db": DBSCAN()}, grid={"eps": [0.1, 0.2]})``.
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
            the same call resumes them. Cheap clusterers and short fits come first. One fit may
            take the share of one clusterer of the time of all workers, and is stopped then
            (``status`` is ``stopped``); a larger budget fits it.
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
        numbers = list(k) if isinstance(k, Iterable) else [k]
        check_counts(numbers, n_init, workers)
        values = checked_grid(grid)
        chosen = swept(self.default_clusterers if clusterers is None else clusterers, values)
        check_used(values, chosen)
        fitting, excluded = self.fitting(chosen, values)
        self._record_sweep(chosen, numbers, n_init, values)
        self._swept |= {one.clusterer.key: one.clusterer for one in chosen}
        plan = [(one, candidates_of(one, numbers, n_init, self.random_state)) for one in fitting]
        new = [Planned(key, key, None, None, 0, None) for key in excluded]
        unfinished = {candidate.name for candidate in new} - {
            candidate["name"] for candidate in self._store.candidates()
        }
        self._store.plan(new)
        self._store.finish(
            Finished(key, "excluded", excluded[key], None, 0.0) for key in sorted(unfinished)
        )
        self._store.plan(candidate for _, group in plan for candidate in group)
        planned = self._store.planned()
        jobs = [
            job
            for clusterer, group in plan
            for job in work.jobs_for(clusterer, [c for c in group if c.name in planned])
        ]
        total = sum(len(job.candidates) for job in jobs)
        workers = workers or available_cores()
        deadline = share = math.inf
        if budget is not None:
            deadline = time.monotonic() + budget
            share = budget * workers / max(len({job.clusterer.key for job in jobs}), 1)
        outcomes = self._outcomes(
            jobs,
            workers=workers,
            executor=self._workers_of(executor),
            deadline=deadline,
            share=share,
        )
        with closing(outcomes), progress_bar("Clustering", total, show=progress) as advance:
            for finished in outcomes:
                self._store.finish(finished)
                advance(len(finished))
        self._forget_tables()

    def fitting(
        self, chosen: Sequence[Swept], grid: Grid
    ) -> tuple[list[Clusterer], dict[str, str]]:
        """The clusterers under the study's distance, and why others cannot take it."""
        out: list[Clusterer] = []
        excluded = {}
        for one in chosen:
            try:
                # a function of two rows has no form of the rows, and its matrix is what is given
                fitted = under(one.clusterer, self.metric)
                if callable(self.metric) and "features" not in one.clusterer.distances:
                    fitted = under(one.clusterer, "precomputed")
                for part in self._of_representations(fitted):
                    out += along(part, grid)
            except ExcludedError as error:
                excluded[one.clusterer.key] = str(error)
        return out, excluded

    def _of_representations(self, clusterer: Clusterer) -> list[Clusterer]:
        """A clusterer under the study's distance, on each representation that it can take."""
        parts = self.dataset.representations
        if len(parts) == 1:
            return [clusterer]
        out, start = [], 0
        for name, part in parts.items():
            # what takes the data as it is may need counts
            if name != "embeddings" or "features" not in clusterer.distances or part.min() >= 0:
                out.append(on_columns(clusterer, name, start, start + part.shape[1]))
            start += part.shape[1]
        return out

    def plan(
        self,
        clusterers: Any = None,
        *,
        k: int | Iterable[int] = range(2, 11),
        grid: Mapping[str, Iterable[Any]] | None = None,
        n_init: int = 5,
        workers: int | None = None,
    ) -> SweepPlan:
        """What a sweep with the same arguments will take; nothing is tried or kept.

        Returns
        -------
        SweepPlan
            Print it. Each clusterer is timed on a few hundred of the objects, and extrapolated
            by the growth of its time; so is a function that gives the distances.
        """
        numbers = list(k) if isinstance(k, Iterable) else [k]
        check_counts(numbers, n_init, workers)
        clusterers = self.default_clusterers if clusterers is None else clusterers
        values = checked_grid(grid)
        chosen = swept(clusterers, values)
        check_used(values, chosen)
        fitting, excluded = self.fitting(chosen, values)
        return plan_of(self, fitting, excluded, numbers, n_init, workers or available_cores())

    @property
    def n_unfinished(self) -> int:
        """How many candidates are planned and not finished."""
        return len(self._store.planned())

    def _outcomes(
        self, jobs: Sequence[work.Job], *, deadline: float, **options: Any
    ) -> Generator[list[Finished], None, None]:
        """Fit what scales to all objects, then the rest to a sample that is extended."""
        jobs = order_of_work(jobs)
        sampled = [job for job in jobs if self.fits_sample(job.clusterer)]
        whole = [job for job in jobs if job not in sampled]
        options["deadline"] = deadline
        data, _ = self._points
        of_rows = [job for job in whole if "features" in job.clusterer.distances]
        yield from run_jobs(data, [job for job in whole if job not in of_rows], **options)
        yield from run_jobs(self.X, of_rows, **options)
        if not sampled or time.monotonic() >= deadline:
            return
        for outcomes in self.on_sample(sampled, self.sample, **options):
            yield [
                replace(
                    outcome,
                    labels=None if outcome.labels is None else self.sample.extend(outcome.labels),
                    memberships=None
                    if outcome.memberships is None
                    else by_appearance(self.sample.extend(outcome.memberships)),
                    fitted_on=len(self.sample),
                )
                for outcome in outcomes
            ]

    def on_sample(
        self, jobs: Sequence[work.Job], sample: large.Sample, **options: Any
    ) -> Generator[list[Finished], None, None]:
        """Fit to the objects of a sample, or to the cells around them; nothing is extended."""
        data, metric = self._points
        of_cells = [job for job in jobs if large.uses_cells(data, job.clusterer, metric)]
        of_sample = [job for job in jobs if job not in of_cells]
        if of_cells:
            means, sizes = large.cells_of(data, sample)
            yield from run_jobs(means, [replace(job, sizes=sizes) for job in of_cells], **options)
        yield from run_jobs(large.part_of(data, sample.rows, metric), of_sample, **options)

    def fits_cells(self, clusterer: Clusterer) -> bool:
        """Whether a clusterer is fitted to the cells around the objects of :attr:`sample`."""
        data, metric = self._points
        return self.fits_sample(clusterer) and large.uses_cells(data, clusterer, metric)

    def fits_sample(self, clusterer: Clusterer) -> bool:
        """Whether a clusterer is fitted to :attr:`sample` and extended, not to all objects.

        So it is above 5,000 objects where its time grows faster than linearly, above 20,000
        (mixtures) or 100,000 where one fit takes long, and always where the data take more than a
        quarter of the machine's memory; unless the study is exact or its objects are the nodes of a
        graph.
        """
        if self.settings.exact or self.metric == "graph" or self.n_objects <= large.FIT_AT_MOST:
            return False
        return self.n_objects > clusterer.whole_to or self._is_beyond_memory

    @cached_property
    def _is_beyond_memory(self) -> bool:
        memory = total_memory()
        return is_large(self.X) and memory is not None and 4 * self.X.nbytes > memory

    @cached_property
    def sample(self) -> large.Sample:
        """The objects that clusterers which do not scale are fitted to: 5,000, or all."""
        rows = self.sample_rows
        return large.Sample(rows, large.nearest_sampled(self._points[0], rows, self._points[1]))

    @cached_property
    def sample_rows(self) -> NDArray[np.int64]:
        """The objects of :attr:`sample`, ascending."""
        seed = work.derived_seed(self.random_state, "sample of the objects")
        return large.draw_rows(self.n_objects, large.FIT_AT_MOST, seed)

    @cached_property
    def second_sample(self) -> large.Sample:
        """As many objects, drawn independently of :attr:`sample`: to tell what samples lose."""
        seed = work.derived_seed(self.random_state, "second sample of the objects")
        data, metric = self._points
        return large.draw_sample(data, large.FIT_AT_MOST, metric=metric, random_state=seed)

    @property
    def is_estimated(self) -> bool:
        """Whether measures of pairs are estimated from samples: above 20,000 objects."""
        return self.n_objects > large.JUDGE_EXACTLY and not self.settings.exact

    def _record_sweep(
        self, chosen: Sequence[Swept], numbers: Sequence[int], n_init: int, grid: Grid
    ) -> None:
        """Note the call, unless a clusterer is another one than an earlier call's."""
        before = {
            one["key"]: one["identity"]
            for kind, content in self.record
            if kind == "sweep"
            for one in content["clusterers"]
        }
        clusterers = []
        for one in chosen:
            key, stored = one.clusterer.key, self.storage is not None
            now = stable(one.clusterer.make(1, 0), f"clusterer {key!r}", needed=stored)
            if before.get(key, now) != now:
                raise StorageError(
                    f"this study was started with clusterer {key} = {before[key]}, not {now}; give "
                    "other settings a name of their own (sweep({'name': estimator})) or use "
                    "another storage file"
                )
            clusterers.append(
                {
                    "key": key,
                    "identity": now,
                    "expression": one.expression,
                    "imports": list(one.imports),
                }
            )
        self._store.record(
            "sweep",
            {
                "clusterers": clusterers,
                "k": [int(number) for number in numbers],
                "n_init": n_init,
                "grid": grid,
            },
        )

    def add(self, labelings: Any) -> None:
        """Take in clusterings that were made elsewhere, on the same footing.

        Parameters
        ----------
        labelings : array-like (n,) or (M, n), mapping, DataFrame
            One or many, see :func:`karat.labelings.as_labelings`; a DataFrame's columns are
            clusterings. Unnamed ones are called ``"labels 0"``, ``"labels 1"``, ... A
            :class:`~karat.labelings.SoftPartition` or
            :class:`~karat.labelings.OverlappingPartition` is compared with the others by its hard
            labels; its memberships are kept, see :meth:`memberships` and :meth:`soft_scores`. Of a
            :class:`~karat.Dendrogram` each cut is a candidate.

        Raises
        ------
        InputError
            For missing labels, wrong lengths, or a name that another clustering has.
        """
        labelings, memberships = split(labelings)
        check_same_objects(self._index, labelings, name="X", other_name="labelings")
        batch = as_labelings(labelings, n_objects=self.n_objects, noise="drop")
        known = {c["name"]: c for c in self._store.candidates()}
        planned, finished = [], []
        for name, codes, names in zip(batch.names, batch.codes, batch.cluster_names, strict=True):
            given = memberships.get(name)
            kept = None if given is None else as_kept(given)
            if name.isdigit():
                name = f"labels {name}"
            flags = work.lopsided(codes)
            status = "flagged" if flags else "ok"
            outcome = Finished(
                name,
                status,
                "; ".join(flags) or None,
                codes,
                0.0,
                tuple(map(str, names)),
                memberships=kept,
            )
            if len(names) == 0:
                outcome = Finished(name, "failed", "every object is an outlier", None, 0.0)
            if name in known:
                same = _equal(self._store.memberships(name), kept)
                if known[name]["partition"] != _hash_of(outcome.labels) or not same:
                    raise InputError(
                        f"the study has another clustering called {name!r}; choose another name"
                    )
                continue
            planned.append(Planned(name, "given", None, None, 0, None))
            finished.append(outcome)
        if planned:
            self._store.record("add", {"names": [candidate.name for candidate in planned]})
        self._store.plan(planned)
        self._store.finish(finished)
        self._forget_tables()


def _equal(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def _hash_of(labels: Any) -> str | None:
    return None if labels is None else partition_hash(canonical_codes(encode(labels).codes))
