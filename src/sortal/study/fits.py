"""Fits of clusterers to the objects of a study: to all of them, to a sample, or to cells."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.clusterers import Clusterer, ExcludedError, under
from sortal.clusterers.mixed_mixture import two_valued_features
from sortal.distances import FORMS
from sortal.labelings.structures import by_appearance
from sortal.runtime.executors import Workers
from sortal.study import samples
from sortal.study.execution import run_jobs
from sortal.study.jobs import Job, is_own
from sortal.study.store import Finished

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.study.objects import Objects


#: clusterers of a sweep by default
DEFAULT_CLUSTERERS = (
    "kmeans", "ward", "average", "genie", "spectral", "gaussian-mixture", "hdbscan",
    "hdbscan-filled",
)  # fmt: skip
#: limit of cost: features from which on the covariances of a mixture take minutes a fit
MANY_FEATURES = 1_000
#: for sparse rows with the cosine distance: linear in the stored entries (banerjee2004)
DOCUMENT_CLUSTERERS = (
    "spherical-kmeans-refined",
    "frequency-sensitive-kmeans",
    "soft-movmf",
    "hard-movmf",
    "kl-kmeans",
    "kmeans",
)


def order_of_work(jobs: Sequence[Job]) -> list[Job]:
    """Jobs sorted by cost: cheap clusterers first, one start of every k before the next start."""
    return sorted(
        jobs,
        key=lambda job: (
            job.clusterer.growth,
            not job.clusterer.every_k,
            job.candidates[0].start,
            job.candidates[0].value or 0,
        ),
    )


def _extended(outcomes: Sequence[Finished], sample: samples.ExtendableSample) -> list[Finished]:
    """Outcomes of fits to the objects of a sample, with labels and memberships of all objects."""
    return [
        replace(
            outcome,
            labels=None if outcome.labels is None else sample.extend(outcome.labels),
            memberships=None
            if outcome.memberships is None
            else by_appearance(sample.extend(outcome.memberships)),
        )
        for outcome in outcomes
    ]


@dataclass
class Fits:
    """Fits of clusterers to the objects of a study: to all of them, to a sample, or to cells.

    ``swept`` has the clusterers swept since the study was opened, by key; a file stores only their
    names.
    """

    objects: Objects
    exact: bool
    swept: dict[str, Clusterer] = field(default_factory=dict)
    _workers: tuple[Any, Workers] | None = None

    @property
    def default_clusterers(self) -> tuple[str, ...]:
        """Names of the clusterers that a sweep tries by default.

        Documents get those that never make rows dense; k-medoids is added if there are no means, a
        mixture of numbers and categories if columns have two values. Gaussian mixtures are for
        fewer than 1,000 features.
        """
        X, metric = self.objects.dataset.X, self.objects.metric
        documents = metric == "cosine" and not isinstance(X, np.ndarray)
        if documents:
            return DOCUMENT_CLUSTERERS
        is_wide = self.objects.dataset.n_features >= MANY_FEATURES
        names = tuple(c for c in DEFAULT_CLUSTERERS if c != "gaussian-mixture" or not is_wide)
        if metric == "euclidean" and isinstance(X, np.ndarray) and two_valued_features(X).any():
            return (*names, "mixed-mixture")
        if isinstance(metric, str) and (metric in FORMS or metric == "graph"):
            return names
        return (*names, "kmedoids")

    def release(self) -> None:
        """Forget the executor's workers and the data that they store."""
        self._workers = None

    def workers_of(self, executor: object) -> Workers | None:
        """An executor's workers; they store the data between calls."""
        if executor is None:
            return None
        if self._workers is None or self._workers[0] != executor:
            self._workers = executor, Workers.of(executor)
        return self._workers[1]

    def under_distance(self, chosen: Sequence[Clusterer]) -> tuple[list[Clusterer], dict[str, str]]:
        """The clusterers adapted to the study's distance, and why others do not support it."""
        fitting: list[Clusterer] = []
        excluded = {}
        for clusterer in chosen:
            try:
                # a callable metric works on pairs of rows only: clusterers get its matrix
                adapted = under(clusterer, self.objects.metric)
                if callable(self.objects.metric) and "features" not in clusterer.distances:
                    adapted = under(clusterer, "precomputed")
                fitting.append(adapted)
            except ExcludedError as error:
                excluded[clusterer.key] = str(error)
        return fitting, excluded

    def outcomes(
        self, jobs: Sequence[Job], *, deadline: float = math.inf, **options: Any
    ) -> Generator[list[Finished], None, None]:
        """Fit clusterers that scale to all objects, then the others to a sample.

        The package's clusterers get the objects by their contents. Others get them as they are,
        since their estimators may hold something of each object, such as its neighbours.
        """
        jobs = order_of_work(jobs)
        sampled = [job for job in jobs if self.fits_sample(job.clusterer)]
        unsampled = [job for job in jobs if job not in sampled]
        options["deadline"] = deadline
        if len(jobs) < 2:
            options["workers"] = 1
        by_sortal = [job for job in unsampled if is_own(job.clusterer)]
        for outcomes in self._on_all(by_sortal, by_contents=True, **options):
            yield _extended(outcomes, self.objects.contents)
        foreign = [job for job in unsampled if job not in by_sortal]
        yield from self._on_all(foreign, by_contents=False, **options)
        if not sampled or time.monotonic() >= deadline:
            return
        sample = self.objects.sample
        for outcomes in self.on_sample(sampled, sample, **options):
            extended = _extended(outcomes, sample)
            yield [replace(outcome, fitted_on=len(sample)) for outcome in extended]

    def _on_all(
        self, jobs: Sequence[Job], *, by_contents: bool, **options: Any
    ) -> Generator[list[Finished], None, None]:
        """Fit to all objects, in the order of their contents or as they are stored."""
        of_rows = [job for job in jobs if "features" in job.clusterer.distances]
        of_points = [job for job in jobs if job not in of_rows]
        objects = self.objects
        if of_points:
            X, _ = objects.in_order if by_contents else objects.points
            yield from run_jobs(X, of_points, **options)
        if of_rows:
            X = objects.features_in_order if by_contents else objects.dataset.X
            yield from run_jobs(X, of_rows, **options)

    def on_sample(
        self, jobs: Sequence[Job], sample: samples.ExtendableSample, **options: Any
    ) -> Generator[list[Finished], None, None]:
        """Fit to the objects of a sample, or to the cells around them, without extending labels."""
        data, metric = self.objects.points
        of_cells = [job for job in jobs if samples.uses_cells(data, job.clusterer, metric)]
        of_sample = [job for job in jobs if job not in of_cells]
        if of_cells:
            means, sizes = samples.cells_of(data, sample)
            yield from run_jobs(means, [replace(job, sizes=sizes) for job in of_cells], **options)
        yield from run_jobs(samples.part_of(data, sample.rows, metric), of_sample, **options)

    def on_rows(self, job: Job, rows: NDArray[np.int64], executor: object) -> list[Finished]:
        """Fit to some of the objects, in the order of ``rows``; labels are of these."""
        of_rows = "features" in job.clusterer.distances
        points, metric = self.objects.points
        X = self.objects.dataset.X if of_rows else points
        data = samples.part_of(X, rows, self.objects.metric if of_rows else metric)
        outcomes = run_jobs(data, [job], executor=self.workers_of(executor))
        return [outcome for group in outcomes for outcome in group]

    def fits_cells(self, clusterer: Clusterer) -> bool:
        """Whether a clusterer is fitted to the cells around the sampled objects."""
        data, metric = self.objects.points
        return self.fits_sample(clusterer) and samples.uses_cells(data, clusterer, metric)

    def fits_sample(self, clusterer: Clusterer) -> bool:
        """Whether a clusterer is fitted to a sample and extended, not to all objects.

        True above 5,000 objects if its time grows faster than linearly (``whole_to``), or if the
        data take a quarter of the memory. Always False in an exact study and for graphs.
        """
        n = self.objects.n
        if self.exact or self.objects.metric == "graph" or n <= samples.MAX_FITTED:
            return False
        return n > clusterer.whole_to or self.objects.is_beyond_memory
