"""The study: what was tried on one data set, what came of it, and which one to use."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat import __version__
from karat.clusterers import Clusterer, ExcludedError, on_columns, under
from karat.datasets import RELATIONS, Dataset, as_dataset, with_embeddings
from karat.distances import FORMS, check_metric, distance_matrix, metric_name
from karat.evaluation import applicable, judge
from karat.measures import Measure, catalogue
from karat.measures.passes.estimates import sampled_by, why_not_sampled
from karat.partition import (
    NOISE,
    NOISE_POLICIES,
    Labelings,
    NoisePolicy,
    as_labelings,
    canonical_codes,
    encode,
    known_labels,
)
from karat.progress import progress_bar
from karat.resources import available_cores
from karat.study import choice as explain
from karat.study import large, work
from karat.study.choice import Choice
from karat.study.code import code_of
from karat.study.deciders import Verdict, as_decider, usual
from karat.study.plan import SweepPlan, order_of_work, plan_of
from karat.study.ranking import order, ranks
from karat.study.record import (
    check_identities,
    fingerprint_of,
    keep_truth,
    kept_truth,
    settle,
    stable,
)
from karat.study.representation import judged_representations, kept_representations
from karat.study.stability import DEFAULT_NUMBERS, assessed, clusterer_of, kept_assessment
from karat.study.store import Finished, Planned, Score, Store, partition_hash
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
from karat.validation import (
    InputError,
    NothingToRankError,
    StorageError,
    check_choice,
    check_same_objects,
    unknown_name,
)

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.bounds import PacMdlBound, PacMdlBounds
    from karat.bounds.classes import Classes
    from karat.choice import Judge
    from karat.stability import Assessment
    from karat.study.judging import Judged

NO_LABELS = ("failed", "excluded")
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
EXTERNAL_NOISE: NoisePolicy = "singletons"
CHUNK = 256  # partitions judged at a time; fixed, because sums depend on what is judged together


class Study:
    """Many clusterings of one data set: fitted, kept, judged together, ranked, explained.

    Parameters
    ----------
    X : Dataset, array-like, DataFrame or sparse, shape (n, d)
        The data; with ``metric="precomputed"`` distances, with ``metric="graph"`` affinities, see
        :func:`karat.datasets.from_distances` and :func:`karat.datasets.from_graph`; with another
        distance between objects, a sequence of these, see :func:`karat.datasets.from_objects`.
    truth : array-like, shape (n,), optional
        Class of each object, None, NaN or ``-1`` where it is not known. By default that of the
        Dataset.
    storage : path-like, optional
        One SQLite file that keeps every finished fit and score as soon as it is there. An
        existing one is resumed; it must belong to the same data. By default memory.
    metric : str or callable, optional
        The distance that clusters and judges, see :data:`karat.distances.METRICS`; by default
        that of the Dataset, which is ``"cosine"`` for documents and ``"euclidean"`` otherwise.
        Clusterers that cannot take it are excluded with a reason; those that form means work on
        rows whose Euclidean distance it is (unit rows for cosine), and their names say so. A
        function is called once for each pair.
    noise : {"drop", "cluster", "singletons", "error"}, optional
        What internal measures make of objects that a clusterer excludes. With ``"drop"``, the
        default, they are judged without them, and the score in a ranking is multiplied by the
        share that is left. External measures always take each of them for a cluster of its own,
        so that a clusterer gains nothing by excluding what is hard.
    delta : float, optional
        With labels for some of the objects: allowed chance that the guarantee fails; 0.1 if
        nothing is said.
    classes : iterable, int or "open", optional
        With labels for some of the objects: all the classes there can be, or how many, as for
        :func:`karat.pac_mdl_bound`.
    random_state : int, optional
        Every candidate's seed follows from it and the candidate's name; 0 if nothing is said.
    by : str, optional
        What decides, see :meth:`decide_by`.
    exact : bool, optional
        Whether every clusterer is fitted to all objects and every measure computed exactly,
        however many objects there are. By default clusterers whose time grows faster than
        linearly are fitted to 5,000 objects and extended to the others by the nearest object
        (above 5,000), and measures of pairs are estimated with standard errors (above 20,000).
    update : bool, default False
        Whether ``truth``, ``noise`` and ``delta`` may be others than those that the stored study
        has. The change is recorded, and everything is judged by the new ones.
    embeddings : array-like, shape (n, q), DataFrame or path, optional
        Vectors of the same documents. Every clusterer is then fitted to the terms and to the
        embeddings, and all are judged by one distance in which both representations have the same
        part, see :func:`karat.datasets.with_embeddings`.

    Raises
    ------
    InputError
        For data that cannot be used.
    StorageError
        For a storage file that is foreign, damaged, of other data, in use, or begun with other
        settings.

    Notes
    -----
    What decides (metric, noise, delta, truth, ``by``) and what was tried (sweeps, added
    clusterings) is recorded in the study, see :attr:`record`. Ranking, choice, report and code
    read it there; a resumed study has the settings that it was begun with unless others are
    given.

    Examples
    --------
    >>> import karat
    >>> X = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [9.0], [9.2], [9.3]]
    >>> study = karat.Study(X)
    >>> study.sweep(["average"], k=range(2, 5))
    >>> study.best().name
    'average k=3'
    """

    def __init__(
        self,
        X: Any,
        *,
        truth: Any = None,
        storage: str | Path | None = None,
        metric: Any = None,
        noise: NoisePolicy | None = None,
        delta: float | None = None,
        classes: Classes = None,
        random_state: int | None = None,
        by: str | None = None,
        exact: bool | None = None,
        update: bool = False,
        embeddings: Any = None,
    ) -> None:
        check_same_objects(X, truth, name="X", other_name="truth")
        self.dataset: Dataset = as_dataset(X, metric)
        if embeddings is not None:
            if metric == "cosine":
                self.dataset = replace(self.dataset, metric="cosine")
            self.dataset = with_embeddings(self.dataset, embeddings)
        if self.dataset.n_embedded and metric not in (None, "cosine"):
            raise InputError(
                "terms and embeddings are judged by the cosine; got the metric "
                f"{metric_name(metric)!r}"
            )
        #: a table without columns, whose index is that of the data
        self._index = X.iloc[:, :0] if hasattr(X, "iloc") and X.ndim == 2 else None
        given: dict[str, Any] = {}
        if noise is not None:
            check_choice(noise, NOISE_POLICIES, "noise")
            given["noise"] = noise
        if delta is not None:
            if not 0 < delta <= 1:
                raise InputError(f"delta must be in (0, 1]; got {delta!r}")
            given["delta"] = float(delta)
        if random_state is not None:
            if not isinstance(random_state, (int, np.integer)) or random_state < 0:
                raise InputError(
                    f"random_state must be a non-negative integer; got {random_state!r}"
                )
            given["random_state"] = int(random_state)
        if metric is not None:
            given["metric"] = stable(metric, "the metric", needed=storage is not None)
        if exact is not None:
            given["exact"] = bool(exact)
        if by is not None:
            given["by"] = as_decider(by).key
        if classes is not None:
            from karat.bounds.classes import listed_classes

            given["classes"] = listed_classes(classes)
        labels = self.dataset.truth if truth is None else truth
        listed = given.get("classes")
        known = (
            None
            if labels is None
            else known_labels(
                labels, self.n_objects, classes=listed if isinstance(listed, list) else ()
            )
        )
        self.command: str | None = None
        self._swept: dict[str, Clusterer] = {}
        self._own_judge: Judge | None = None
        self._store = Store(
            storage,
            {
                "fingerprint": self.dataset.fingerprint,
                "n_objects": self.n_objects,
                "name": self.dataset.name,
                "source": self.dataset.source,
                "options": dict(self.dataset.options),
            },
        )
        try:
            if known is not None:
                given["truth"] = keep_truth(self._store, known)
            self.settings = settle(self._store, given, update=update, metric=self.dataset.metric)
            if metric is None:
                metric = self.settings.metric
                if "#" in metric:
                    raise StorageError(
                        f"this study was started with the metric {metric}, a function, which a "
                        "file cannot keep; give it again with metric="
                    )
        except BaseException:
            self._store.close()
            raise
        own = self.dataset.metric
        self.metric = own if own in RELATIONS else check_metric(metric)
        self.truth = None
        if self.settings.truth is not None:
            self.truth = kept_truth(self._store, self.settings.truth)

    # -- what the data is --------------------------------------------------------------------

    @property
    def X(self) -> Any:  # noqa: N802
        """The data, an array or CSR."""
        return self.dataset.X

    @cached_property
    def _points(self) -> tuple[Any, Any]:
        """What is clustered and judged, and its distance: a function is called once per pair."""
        if callable(self.metric):
            return distance_matrix(self.X, self.metric), "precomputed"
        return self.X, self.metric

    @property
    def n_objects(self) -> int:
        """Number of objects n."""
        return self.dataset.X.shape[0]

    @property
    def storage(self) -> Path | None:
        """The file that keeps the study."""
        return self._store.path

    def close(self) -> None:
        """Let go of the storage file."""
        self._store.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        done = sum(c["status"] != "planned" for c in self._store.candidates())
        return f"Study({self.dataset.name}, {self.n_objects} objects, {done} candidates)"

    def _repr_html_(self) -> str:
        return explain.study_html(self, self.__dict__.get("_choice"))

    # -- what was decided ----------------------------------------------------------------------

    @property
    def noise(self) -> NoisePolicy:
        """What measures make of objects that a clusterer excludes."""
        return self.settings.noise

    @property
    def delta(self) -> float:
        """Allowed chance that a guarantee fails."""
        return self.settings.delta

    @property
    def random_state(self) -> int:
        """The seed that all seeds follow from."""
        return self.settings.random_state

    @property
    def by(self) -> str:
        """What decides: a measure's key, ``"consensus"``, ``"pac_mdl_bound"``, ..."""
        return self.settings.by or usual(self)

    def decide_by(self, by: str | None) -> None:
        """Set what decides, for the ranking, the choice, the report and the code alike.

        Parameters
        ----------
        by : str or None
            A measure's key, ``"pac_mdl_bound"`` or ``"consensus"``. None is what suits the
            truth: the bound where some labels are known, the adjusted Rand index where all are,
            otherwise the consensus.

        Raises
        ------
        InputError
            For an unknown name.

        Examples
        --------
        >>> import karat
        >>> study = karat.Study([[0.0], [0.1], [5.0], [5.1]])
        >>> study.decide_by("silhouette")
        >>> study.by
        'silhouette'
        """
        key = None if by is None else as_decider(by).key
        self.settings = settle(self._store, {"by": key})
        self.__dict__.pop("_choice", None)

    @property
    def record(self) -> list[tuple[str, dict[str, Any]]]:
        """What was decided and done, in order: ``("settings" | "sweep" | "add", content)``."""
        return self._store.calls()

    @property
    def truth_is_that_of_the_data(self) -> bool:
        """Whether reading the data again gives the classes, too."""
        own = self.dataset.truth
        return own is not None and self.settings.truth == fingerprint_of(
            known_labels(own, self.n_objects)
        )

    # -- trying ------------------------------------------------------------------------------

    @property
    def default_clusterers(self) -> tuple[str, ...]:
        """What a sweep tries unless it is told.

        For documents what never makes rows dense; k-medoids too where there are no means.
        """
        documents = self.metric == "cosine" and not isinstance(self.X, np.ndarray)
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
        executor: Executor | None = None,
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
        executor : concurrent.futures.Executor, optional
            Where to run instead, e.g. ``dask.distributed.Client().get_executor()``. Every job
            carries the data.
        budget : float, optional
            Seconds after which fits that are not finished are stopped; they stay planned, and
            the same call resumes them. Cheap clusterers come first.
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
        deadline = math.inf if budget is None else time.monotonic() + budget
        outcomes = self._outcomes(jobs, workers or available_cores(), executor, deadline)
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
        n_init: int = 5,
        workers: int | None = None,
    ) -> SweepPlan:
        """What a sweep with the same arguments will take; nothing is tried or kept.

        Returns
        -------
        SweepPlan
            Print it. Each clusterer is timed on a few hundred of the objects, and extrapolated
            by the growth of its time.
        """
        numbers = list(k) if isinstance(k, Iterable) else [k]
        check_counts(numbers, n_init, workers)
        clusterers = self.default_clusterers if clusterers is None else clusterers
        return plan_of(self, clusterers, numbers, n_init, workers or available_cores())

    @property
    def n_unfinished(self) -> int:
        """How many candidates are planned and not finished."""
        return len(self._store.planned())

    def _outcomes(
        self, jobs: Sequence[work.Job], workers: int, executor: Executor | None, deadline: float
    ) -> Generator[list[Finished], None, None]:
        """Fit what scales to all objects, then the rest to a sample that is extended."""
        jobs = order_of_work(jobs)
        sampled = [job for job in jobs if self.fits_sample(job.clusterer)]
        whole = [job for job in jobs if job not in sampled]
        options: Any = {"workers": workers, "executor": executor, "deadline": deadline}
        data, metric = self._points
        of_rows = [job for job in whole if "features" in job.clusterer.distances]
        yield from work.run_jobs(data, [job for job in whole if job not in of_rows], **options)
        yield from work.run_jobs(self.X, of_rows, **options)
        if not sampled or time.monotonic() >= deadline:
            return
        part = large.part_of(data, self.sample.rows, metric)
        for outcomes in work.run_jobs(part, sampled, **options):
            yield [
                replace(
                    outcome,
                    labels=None if outcome.labels is None else self.sample.extend(outcome.labels),
                    fitted_on=len(self.sample),
                )
                for outcome in outcomes
            ]

    def fits_sample(self, clusterer: Clusterer) -> bool:
        """Whether a clusterer is fitted to :attr:`sample` and extended, not to all objects.

        So it is above 5,000 objects where its time grows faster than linearly, and above
        100,000 where one fit takes long (mixtures), unless the study is exact or its objects
        are the nodes of a graph.
        """
        return (
            self.n_objects > max(large.FIT_AT_MOST, clusterer.whole_to)
            and not self.settings.exact
            and self.metric != "graph"
        )

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
            One or many, see :func:`karat.partition.as_labelings`; a DataFrame's columns are
            clusterings. Unnamed ones are called ``"labels 0"``, ``"labels 1"``, ...

        Raises
        ------
        InputError
            For missing labels, wrong lengths, or a name that another clustering has.
        """
        check_same_objects(self._index, labelings, name="X", other_name="labelings")
        batch = as_labelings(labelings, n_objects=self.n_objects, noise="drop")
        known = {c["name"]: c for c in self._store.candidates()}
        planned, finished = [], []
        for name, codes, names in zip(batch.names, batch.codes, batch.cluster_names, strict=True):
            if name.isdigit():
                name = f"labels {name}"
            flags = work.lopsided(codes)
            status = "flagged" if flags else "ok"
            outcome = Finished(
                name, status, "; ".join(flags) or None, codes, 0.0, tuple(map(str, names))
            )
            if len(names) == 0:
                outcome = Finished(name, "failed", "every object is an outlier", None, 0.0)
            if name in known:
                if known[name]["partition"] != _hash_of(outcome.labels):
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

    # -- judging -----------------------------------------------------------------------------

    def evaluate(
        self, measures: Iterable[str] | None = None, *, progress: bool | None = None
    ) -> None:
        """Judge every clustering that is not judged yet, many at once.

        Parameters
        ----------
        measures : iterable of str, optional
            Catalogue keys; by default those that :func:`karat.evaluate` computes.
        progress : bool, optional
            Show a bar; by default on a terminal.
        """
        chosen = self._measures(measures)
        there = {(s.partition, s.measure) for c in self._contexts for s in self._store.scores(c)}
        todo = [
            partition
            for partition in self._store.partitions()
            if any((partition, measure.key) not in there for measure in chosen)
        ]
        with progress_bar("Judging", len(todo), show=progress) as advance:
            for start in range(0, len(todo), CHUNK):
                chunk = todo[start : start + CHUNK]
                missing = [m for m in chosen if any((p, m.key) not in there for p in chunk)]
                self._judge(chunk, missing)
                advance(len(chunk))
        if todo:
            self._forget_tables()

    def _judge(self, partitions: Sequence[str], measures: Sequence[Measure]) -> None:
        labelings = self._labelings(partitions)
        for context, kind in zip(self._contexts, ("internal", "external"), strict=True):
            keys = [measure.key for measure in measures if measure.kind == kind]
            if not keys:
                continue
            internal = kind == "internal"
            unjudged: dict[str, str] = {}
            if internal and self.is_estimated:
                unjudged = {
                    key: why_not_sampled(catalogue[key])
                    for key in keys
                    if not sampled_by(catalogue[key], self.metric)
                }
            found = judge(
                self._points[0] if internal else None,
                labelings,
                truth=None if internal else self.truth,
                measures=[catalogue[key] for key in keys if key not in unjudged],
                metric=self._points[1] if internal else "euclidean",
                noise=self.noise if internal else EXTERNAL_NOISE,
                precision=large.PRECISION if internal and self.is_estimated else None,
                bounded_only=True,
                random_state=self.random_state,
            )
            scores = []
            for key, partition in product(keys, partitions):
                if key in unjudged:
                    scores.append(Score(partition, key, math.nan, unjudged[key]))
                    continue
                errors = found.standard_errors
                error = float(errors[key].loc[partition]) if key in errors else None
                reason = found.reasons.get(partition, {}).get(key)
                value = float(found[key].loc[partition])
                scores.append(Score(partition, key, value, reason, error))
            self._store.add_scores(context, scores)

    def _measures(self, keys: Iterable[str] | None) -> list[Measure]:
        return applicable(keys, has_truth=self.truth is not None, metric=self.metric)

    def _labelings(self, partitions: Sequence[str]) -> Labelings:
        codes = np.stack(self._store.labels(partitions))
        n_clusters = codes.max(axis=1).astype(np.int64) + 1
        names = tuple(np.arange(k).astype(object) for k in n_clusters)
        return Labelings(codes, tuple(partitions), n_clusters, names)

    @property
    def _contexts(self) -> tuple[str, str]:
        """What internal and external scores depend on; another karat judges again."""
        settings = self.settings
        return (
            json.dumps(["internal", __version__, settings.metric, settings.noise, settings.exact]),
            json.dumps(["external", __version__, settings.truth, EXTERNAL_NOISE]),
        )

    # -- tables ------------------------------------------------------------------------------

    def _forget_tables(self) -> None:
        self.__dict__.pop("_candidates", None)
        self.__dict__.pop("_scores", None)
        self.__dict__.pop("_bounds", None)
        self.__dict__.pop("_judged", None)
        self.__dict__.pop("_choice", None)

    @cached_property
    def _candidates(self) -> pd.DataFrame:
        import pandas as pd

        rows = [c for c in self._store.candidates() if c["status"] != "planned"]
        table = pd.DataFrame(
            rows,
            columns=[
                "name", "clusterer", "parameter", "value", "start", "status", "reason",
                "n_clusters", "n_noise", "seconds", "fitted_on", "partition",
            ],
        ).set_index("name")  # fmt: skip
        swept = table["parameter"] == "n_clusters"
        table["k"] = table["value"].where(swept).astype("Int64")
        table["n_clusters"] = table["n_clusters"].astype("Int64")
        table["fitted_on"] = table["fitted_on"].astype("Int64")
        table["noise_share"] = table["n_noise"].astype("Float64") / self.n_objects
        order_of_columns = [
            "clusterer", "k", "start", "status", "reason", "n_clusters", "noise_share", "seconds",
            "fitted_on", "partition",
        ]  # fmt: skip
        return table[order_of_columns]

    @cached_property
    def _scores(self) -> tuple[pd.DataFrame, dict[str, dict[str, str]]]:
        """A row per distinct partition, and the reasons for what is undefined."""
        import pandas as pd

        values: dict[str, dict[str, float]] = {}
        reasons: dict[str, dict[str, str]] = {}
        for context in self._contexts:
            for score in self._store.scores(context):
                values.setdefault(score.measure, {})[score.partition] = score.value
                if score.reason is not None:
                    reasons.setdefault(score.partition, {})[score.measure] = score.reason
        table = pd.DataFrame({m: values[m] for m in catalogue if m in values})
        return table.reindex(self._store.partitions()), reasons

    @property
    def candidates(self) -> pd.DataFrame:
        """What was tried and what came of it, without scores; see :meth:`scores`."""
        return self._candidates.copy()

    def scores(self, *, progress: bool | None = None) -> pd.DataFrame:
        """Every candidate with every measure.

        Returns
        -------
        DataFrame
            A row per candidate, by name, in the order of planning: ``clusterer``, ``k`` (as asked
            for), ``start``, ``status`` (``ok``, ``flagged``, ``failed``, ``excluded``), ``reason``,
            ``n_clusters``, ``noise_share``, ``seconds``, ``partition`` (equal for equal
            clusterings), then a column per measure. :meth:`reasons` says why a value is NaN.
        """
        self.evaluate(progress=progress)
        return self._candidates.join(self._scores[0], on="partition")

    def standard_errors(self) -> pd.DataFrame:
        """Standard errors of the scores that are estimates, a row per candidate.

        Returns
        -------
        DataFrame
            Columns only for measures that were estimated; none where every score is exact.
        """
        import pandas as pd

        self.evaluate()
        errors: dict[str, dict[str, float]] = {}
        for score in self._store.scores(self._contexts[0]):
            if score.error is not None:
                errors.setdefault(score.measure, {})[score.partition] = score.error
        table = pd.DataFrame({m: errors[m] for m in catalogue if m in errors})
        return self._candidates[["partition"]].join(table, on="partition").drop(columns="partition")

    def reasons(self) -> dict[str, dict[str, str]]:
        """Why scores are missing: candidate -> measure -> sentence."""
        self.evaluate()
        why = self._scores[1]
        partitions = self._candidates["partition"].items()
        return {str(name): dict(why[at]) for name, at in partitions if at in why}

    # -- choosing ----------------------------------------------------------------------------

    @property
    def is_partly_labelled(self) -> bool:
        """Whether the class of some objects is known and that of others is not."""
        return self.truth is not None and any(value is None for value in self.truth)

    def bounds(self) -> PacMdlBounds:
        """What the known labels guarantee about every candidate, all at once.

        Returns
        -------
        PacMdlBounds
            With probability ``1 - delta`` over which objects were labelled, every bound in it
            holds, the lowest of them too: each candidate pays for the choice among everything
            that was planned. Outliers count as one cluster.

        Raises
        ------
        InputError
            If no class is known, or nothing was tried.
        """
        return self._bounds

    @cached_property
    def _bounds(self) -> PacMdlBounds:
        return self.bounds_with(None)

    def bounds_with(self, shares: Mapping[str, float] | None) -> PacMdlBounds:
        """The bounds, with shares of the distinct partitions that were decided without labels.

        Parameters
        ----------
        shares : mapping of str to float or None
            By partition; they sum to 1 at most. Partitions that are not in it share what is left
            of 1, so it must not be all. None charges for what was searched.

        Returns
        -------
        PacMdlBounds
        """
        from karat.bounds import Searched, study_bounds

        if self.truth is None:
            raise InputError("a bound needs the class of some objects; give truth, None elsewhere")
        planned = [(c, _origin(c)) for c in self._store.candidates() if c["status"] != "excluded"]
        tried = [(c, origin) for c, origin in planned if c["partition"] is not None]
        if not tried:
            raise NothingToRankError(f"there is no clustering: {self.why_nothing()}")
        codes = self._store.labels([c["partition"] for c, _ in tried])
        return study_bounds(
            {c["name"]: row for (c, _), row in zip(tried, codes, strict=True)},
            self.truth,
            delta=self.delta,
            classes=self.settings.classes,
            searched=Searched.from_origins([origin for _, origin in planned]),
            origins=[origin for _, origin in tried],
            prior=None if shares is None else _prior([c["partition"] for c, _ in tried], shares),
            noise="cluster",
            random_state=self.random_state,
        )

    def rank(self, by: str | None = None) -> pd.DataFrame:
        """The distinct clusterings, best first.

        Parameters
        ----------
        by : str, optional
            Look at another order than that of what decides (:attr:`by`): a measure's key,
            ``"pac_mdl_bound"`` or ``"consensus"``. With the consensus each internal measure that
            compares numbers of clusters ranks the candidates, a family of such measures has one
            vote, and the mean of the votes, times the share of objects that are not excluded,
            is the score.

        Returns
        -------
        DataFrame
            A row per distinct partition, named after its first candidate: ``rank`` (equal for
            ties), ``clusterer``, ``k``, ``n_clusters``, ``noise_share``, ``partition`` (as in
            :meth:`scores`), ``reached_by`` (how many candidates are this partition), ``score``
            (of an internal measure with ``noise="drop"``: times the share of objects that are not
            excluded, or over it where lower is better), then the voters.

        Raises
        ------
        InputError
            If nothing was tried, or nothing can be ranked.
        """
        return self._rank(by)[0]

    def _rank(self, by: str | None = None) -> tuple[pd.DataFrame, Verdict]:
        decider = as_decider(by or self.by)
        self.evaluate()
        if any(key not in self._scores[0] for key in decider.needs):
            self.evaluate(decider.needs)
        table = self._distinct()
        values = self._scores[0].loc[table["partition"]].set_axis(table.index)
        verdict = decider.judge(self, table, values)
        table = table.loc[verdict.score.index]
        table["score"] = verdict.score
        if verdict.columns is not None:
            table = table.join(verdict.columns)
        upward = decider.sign * verdict.score.to_numpy(dtype=np.float64)
        table.insert(0, "rank", ranks(upward))
        return table.iloc[order(upward, *verdict.ties)], verdict

    def _distinct(self) -> pd.DataFrame:
        usable = self._candidates[self._candidates["partition"].notna()]
        if usable.empty:
            raise NothingToRankError(f"there is no clustering to rank: {self.why_nothing()}")
        counts = usable.groupby("partition").size()
        first = usable[~usable["partition"].duplicated()]
        columns = ["clusterer", "k", "n_clusters", "noise_share", "fitted_on", "partition"]
        table = first[columns].copy()
        table["reached_by"] = counts.loc[first["partition"]].to_numpy()
        return table

    def found_by(self) -> dict[str, frozenset[str]]:
        """The clusterers that found each distinct partition; copies from elsewhere add nothing."""
        usable = self._candidates[self._candidates["partition"].notna()]
        groups = usable.groupby("partition")["clusterer"]
        by = {str(partition): frozenset(names) for partition, names in groups}
        return {p: names - {"given"} or names for p, names in by.items()}

    @property
    def judge(self) -> Judge | None:
        """Your own judge, from :func:`karat.train_judge`; None for the packaged one."""
        return self._own_judge

    @judge.setter
    def judge(self, judge: Judge | None) -> None:
        self._own_judge = judge
        self.__dict__.pop("_judged", None)

    def judged(self) -> Judged | None:
        """What the learned judge says of the distinct clusterings.

        Returns
        -------
        Judged or None
            None where there are fewer than 20 objects, or no clustering of two clusters.
        """
        self.evaluate()
        return self._judged

    @cached_property
    def _judged(self) -> Judged | None:
        from karat.study.judging import judged

        table = self._distinct()
        return judged(self, table, self._scores[0].loc[table["partition"]].set_axis(table.index))

    def why_nothing(self) -> str:
        """What kept candidates from being clusterings, or clusterings from having scores."""
        failed = self._candidates[self._candidates["status"].isin(NO_LABELS)]
        if failed.empty and self._candidates.empty:
            return "nothing was tried; call sweep or add first"
        if failed.empty:
            reasons = [r for why in self._scores[1].values() for r in why.values()]
        else:
            reasons = failed["reason"].tolist()
        return "; ".join(list(dict.fromkeys(reasons))[:3])

    def best(self) -> Choice:
        """The clustering to use, with the reasons; :meth:`decide_by` says what decides.

        Returns
        -------
        Choice
            Prints as a few sentences.

        Raises
        ------
        InputError
            If nothing was tried, or nothing can be ranked.
        """
        return self._choice

    @cached_property
    def _choice(self) -> Choice:
        ranked, verdict = self._rank()
        decider = as_decider(self.by)
        top = ranked.iloc[0]
        labels = self.labels(str(top.name))
        why = decider.why(self, ranked, verdict)
        found = kept_assessment(self, str(top["partition"]))
        told = () if found is None else (found.number, found.clusters.advice)
        return Choice(
            name=str(top.name),
            clusterer=str(top["clusterer"]),
            k=None if top.isna()["k"] else int(top["k"]),
            n_clusters=int(top["n_clusters"]),
            labels=labels,
            decided_by=decider.key,
            reasons=(*explain.what_it_is(top, labels), *why, *told),
            runner_up=str(ranked.index[1]) if len(ranked) > 1 else None,
            bound=self.bound_of(str(top.name)) if self.is_partly_labelled else None,
        )

    def stability(
        self,
        name: str | None = None,
        *,
        k: int | Iterable[int] | None = None,
        n_resamples: int = 20,
        n_references: int = 5,
        executor: Executor | None = None,
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
        executor : concurrent.futures.Executor, optional
            By default threads of this process.
        progress : bool, optional
            Show a bar; by default on a terminal.

        Returns
        -------
        Assessment
            It is kept in the study: asked the same again it is read, and the reasons of
            :meth:`best` and the report have it. A call that was killed begins anew.

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
        name = self.best().name if name is None else name
        self.labels(name)  # says what is wrong with the name
        candidate = next(c for c in self._store.candidates() if c["name"] == name)
        swept_numbers = [
            number for kind, content in self.record if kind == "sweep" for number in content["k"]
        ]
        numbers = swept_numbers or DEFAULT_NUMBERS if k is None else k
        self.__dict__.pop("_choice", None)  # its reasons have this
        return assessed(
            self,
            candidate,
            clusterer_of(self, candidate),
            sorted(numbers) if isinstance(numbers, Iterable) else [numbers],
            n_resamples=n_resamples,
            n_references=n_references,
            executor=executor,
            progress=progress,
        )

    def kept_stability(self, name: str) -> Assessment | None:
        """What :meth:`stability` said of a candidate before, None where it was not asked."""
        return kept_assessment(self, str(self._candidates["partition"].get(name)))

    def representations(
        self, *, k: int | Iterable[int] | None = None, n_resamples: int = 5
    ) -> pd.DataFrame:
        """Judge the representations of documents: weightings of their terms, and embeddings.

        Parameters
        ----------
        k : int or iterable of int, optional
            Numbers of clusters for the judgement without classes; by default those of 5, 10 and 20
            that leave ten documents to a cluster.
        n_resamples : int, default 5

        Returns
        -------
        DataFrame
            See :func:`karat.representations`. Of texts every weighting is judged, of counts of
            terms the one that the study has. It is kept in the study, and the report has it.

        Raises
        ------
        InputError
            If the study's distance is not the cosine.

        Examples
        --------
        >>> import karat, scipy.sparse
        >>> X = scipy.sparse.csr_array([[3, 1, 0], [2, 1, 0], [0, 1, 4], [0, 2, 5]] * 6)
        >>> study = karat.Study(X, metric="cosine")
        >>> study.representations(k=2, n_resamples=2).index.tolist()
        ['terms']
        """
        numbers = [k] if isinstance(k, (int, np.integer)) else k
        return judged_representations(self, numbers, n_resamples)

    def kept_representations(self) -> pd.DataFrame | None:
        """What :meth:`representations` said before, None where it was not asked."""
        return kept_representations(self)

    def bound_of(self, name: str) -> PacMdlBound:
        """What is guaranteed about a candidate: the lowest bound of those that are the same."""
        same = self._candidates["partition"] == self._candidates.at[name, "partition"]
        table = self.bounds().table
        rows = table[table.index.isin(self._candidates.index[same])]
        return self.bounds()[str(rows["bound_rate"].idxmin())]

    def labels(self, name: str) -> NDArray[np.int32]:
        """Labels of a candidate: ``0..k-1`` by first appearance, ``-1`` for outliers."""
        if name not in self._candidates.index:
            raise unknown_name(name, self._candidates.index, "candidate")
        row = self._candidates.loc[name]
        if row["status"] in NO_LABELS:
            raise InputError(f"{name} has no labels: {row['reason']}")
        return self._store.labels([str(row["partition"])])[0]

    def cluster_names(self, name: str) -> list[str]:
        """What each cluster of a candidate is called, by its number in :meth:`labels`."""
        given = self._store.cluster_names(name)
        return given or [str(i) for i in range(int(self.labels(name).max()) + 1)]

    def labelings(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Labels of several candidates as they were given: the clusters by their names.

        Parameters
        ----------
        names : iterable of str
            Candidates.

        Returns
        -------
        dict of str to ndarray, shape (n,)
            Integers where all names of clusters are whole numbers, otherwise text; ``-1`` for
            outliers.
        """
        out: dict[str, NDArray[Any]] = {}
        for name in names:
            if self._candidates.at[name, "status"] in NO_LABELS:
                out[name] = np.full(self.n_objects, NOISE)
                continue
            clusters: list[Any] = self.cluster_names(name)
            if all(_is_whole(cluster) for cluster in clusters):
                clusters = [int(cluster) for cluster in clusters]
            out[name] = np.array([*clusters, NOISE], dtype=object)[self.labels(name)]
        return out

    # -- telling -----------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Keep a study that lives in memory in a new file, to be resumed later.

        Raises
        ------
        StorageError
            If the file is there, cannot be written, or a metric or clusterer of the study cannot
            be recognised when it is resumed.
        """
        identities = [self.settings.metric] + [
            one["identity"]
            for kind, content in self.record
            if kind == "sweep"
            for one in content["clusterers"]
        ]
        check_identities(identities)
        self._store.copy_to(path)

    def report(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write one self-contained HTML page with the answer, the reasons and the pictures."""
        from karat.report import write

        write(self, path, overwrite=overwrite)

    @property
    def code(self) -> str:
        """Python that makes the same study: tries the same and chooses by the same.

        What only the user has (arrays, estimators without a faithful ``repr``) is a name that a
        comment explains.
        """
        return code_of(self)


def load_study(path: str | Path, X: Any = None, *, metric: Any = None) -> Study:
    """Open a study file with the settings that it was begun with.

    Parameters
    ----------
    path : path-like
        A file that ``storage=`` or :meth:`Study.save` made.
    X : Dataset, array-like, DataFrame or sparse, shape (n, d), optional
        The data. By default it is read again from where it came from, with the same options.
    metric : callable, optional
        The distance, where it is a function: a file cannot keep it.

    Returns
    -------
    Study
        Close it, or use it in a ``with`` statement.

    Raises
    ------
    StorageError
        If the file is not there, foreign, damaged, in use, or of other data.
    InputError
        If the data did not come from a file.
    """
    store = Store(path, None)
    try:
        meta = store.meta
    finally:
        store.close()
    if X is None:
        if meta["source"] is None:
            raise InputError(
                f"{path} does not know where its data came from; give the data (X=, or --data on "
                "the command line)"
            )
        X = meta["source"]
    if isinstance(X, (str, Path)):
        from karat.datasets import read

        X = read(X, **meta["options"])
    return Study(X, storage=path, metric=metric)


def _prior(partitions: Sequence[str], shares: Mapping[str, float]) -> NDArray[np.float64]:
    """Shares of candidates: copies of a partition have equal parts of its share."""
    copies = Counter(partitions)
    others = len(set(partitions) - set(shares))
    rest = (1 - sum(shares.values())) / max(others, 1)
    return np.array([shares.get(p, rest) / copies[p] for p in partitions])


def _origin(candidate: dict[str, Any]) -> tuple[str, int] | None:
    """What the search for it consisted of; None for a clustering that the user supplied."""
    if candidate["parameter"] is None:
        return None
    return candidate["clusterer"], candidate["value"]


def _hash_of(labels: Any) -> str | None:
    return None if labels is None else partition_hash(canonical_codes(encode(labels).codes))


def _is_whole(name: str) -> bool:
    return name.isdecimal() and str(int(name)) == name
