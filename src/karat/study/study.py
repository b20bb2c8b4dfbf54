"""The study: what was tried on one data set, what came of it, and which one to use."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import Clusterer, as_clusterer
from karat.datasets import Dataset, from_array
from karat.evaluation import evaluate, known_truth
from karat.measures import Measure, catalogue
from karat.partition import NOISE_POLICIES, Labelings, NoisePolicy, as_labelings, encode
from karat.progress import progress_bar
from karat.resources import available_cores
from karat.study import choice as explain
from karat.study import work
from karat.study.choice import Choice
from karat.study.ranking import Consensus, consensus, order, ranks
from karat.study.store import Finished, Planned, Score, Store
from karat.validation import (
    InputError,
    NothingToRankError,
    StorageError,
    check_choice,
    unknown_name,
)

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.bounds import PacMdlBound, PacMdlBounds

DEFAULT_CLUSTERERS = ("kmeans", "ward", "average", "spectral", "gaussian-mixture", "hdbscan")
BOUND = "pac_mdl_bound"
CHUNK = 256  # partitions judged at a time; fixed, because sums depend on what is judged together


class Study:
    """Many clusterings of one data set: fitted, kept, judged together, ranked, explained.

    Parameters
    ----------
    X : Dataset, array-like, DataFrame or sparse, shape (n, d)
        The data.
    truth : array-like, shape (n,), optional
        Class of each object, None, NaN or ``-1`` where it is not known. By default that of the
        Dataset.
    storage : path-like, optional
        One SQLite file that keeps every finished fit and score as soon as it is there. An
        existing one is resumed; it must belong to the same data. By default memory.
    metric : str or callable, optional
        The distance of the internal measures; by default that of the Dataset, which is
        ``"cosine"`` for documents and ``"euclidean"`` otherwise.
    noise : {"drop", "cluster", "singletons", "error"}
        What measures make of objects that a clusterer excludes. With ``"drop"`` they are
        judged without them, and the score in a ranking is multiplied by the share that is left.
    delta : float, default 0.1
        With labels for some of the objects: allowed chance that the guarantee fails.
    random_state : int, default 0
        Every candidate's seed follows from it and the candidate's name.

    Raises
    ------
    InputError
        For data that cannot be used.
    StorageError
        For a storage file that is foreign, damaged, of other data, or in use.

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
        noise: NoisePolicy = "drop",
        delta: float = 0.1,
        random_state: int = 0,
    ) -> None:
        self.dataset = X if isinstance(X, Dataset) else from_array(X)
        given = self.dataset.truth if truth is None else truth
        self.truth = None if given is None else known_truth(given, self.n_objects)
        self.metric = metric = self.dataset.metric if metric is None else metric
        check_choice(noise, NOISE_POLICIES, "noise")
        self.noise = noise
        if not 0 < delta <= 1:
            raise InputError(f"delta must be in (0, 1]; got {delta!r}")
        self.delta = float(delta)
        if not isinstance(random_state, (int, np.integer)) or random_state < 0:
            raise InputError(f"random_state must be a non-negative integer; got {random_state!r}")
        self.random_state = int(random_state)
        self.command: str | None = None
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
        self._store.set_meta(
            {
                "settings": {
                    "noise": noise,
                    "metric": metric if isinstance(metric, str) else None,
                    "delta": self.delta,
                }
            }
        )

    # -- what the data is --------------------------------------------------------------------

    @property
    def X(self) -> Any:  # noqa: N802
        """The data, an array or CSR."""
        return self.dataset.X

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

    # -- trying ------------------------------------------------------------------------------

    def sweep(
        self,
        clusterers: Any = DEFAULT_CLUSTERERS,
        *,
        k: int | Iterable[int] = range(2, 11),
        n_init: int = 5,
        workers: int | None = None,
        executor: Executor | None = None,
        progress: bool | None = None,
    ) -> None:
        """Fit clusterers × k × starts; go on where an earlier sweep of this study stopped.

        Parameters
        ----------
        clusterers : str, estimator, Clusterer, a list of these, or a mapping from names to them
            See :data:`karat.clusterers.catalogue` for the names. An estimator is cloned.
        k : int or iterable of int
            Numbers of clusters. Clusterers that find the number themselves (HDBSCAN) try the
            values of their own parameter instead.
        n_init : int, default 5
            Starts for each k; clusterers that do not depend on a seed run once.
        workers : int, optional
            Local processes; by default one for each core. The result does not depend on it.
        executor : concurrent.futures.Executor, optional
            Where to run instead, e.g. ``dask.distributed.Client().get_executor()``. Every job
            carries the data.
        progress : bool, optional
            Show a bar; by default on a terminal.

        Raises
        ------
        InputError
            For unknown clusterers or numbers below 1. What a fit raises is kept with the
            candidate instead.
        KeyboardInterrupt
            On Ctrl-C, after what is finished was kept. The same call goes on from there.
        """
        numbers = list(k) if isinstance(k, Iterable) else [k]
        _check_counts(numbers, n_init, workers)
        chosen = _clusterers(clusterers)
        self._check_settings(chosen)
        plan = [
            (clusterer, self._candidates_of(clusterer, numbers, n_init)) for clusterer in chosen
        ]
        self._store.plan(candidate for _, group in plan for candidate in group)
        planned = self._store.planned()
        jobs = [
            job
            for clusterer, group in plan
            for job in work.jobs_for(clusterer, [c for c in group if c.name in planned])
        ]
        # long jobs first, so that no worker is left with one at the end
        jobs.sort(key=lambda job: (not job.clusterer.every_k, -(job.candidates[0].value or 0)))
        total = sum(len(job.candidates) for job in jobs)
        outcomes = work.run_jobs(
            self.X, jobs, workers=workers or available_cores(), executor=executor
        )
        with progress_bar("Clustering", total, show=progress) as advance:
            for finished in outcomes:
                self._store.finish(finished)
                advance(len(finished))
        self._forget_tables()

    def _candidates_of(
        self, clusterer: Clusterer, numbers: Sequence[int], n_init: int
    ) -> list[Planned]:
        swept = clusterer.parameter == "n_clusters"
        label = "k" if swept else clusterer.parameter
        out = []
        for value in numbers if swept else clusterer.values:
            for start in range(n_init if clusterer.depends_on_seed else 1):
                name = f"{clusterer.key} {label}={value}"
                if clusterer.depends_on_seed:
                    name += f" start={start}"
                seed = work.derived_seed(self.random_state, name)
                out.append(
                    Planned(name, clusterer.key, clusterer.parameter, int(value), start, seed)
                )
        return out

    def _check_settings(self, chosen: Sequence[Clusterer]) -> None:
        meta = self._store.meta
        settings = {f"clusterer {c.key}": repr(c.make(1, 0)) for c in chosen}
        settings["random_state"] = str(self.random_state)
        for key, value in settings.items():
            if meta.get(key, value) != value:
                raise StorageError(
                    f"this study was started with {key} = {meta[key]}, not {value}; give other "
                    "settings a name of their own (sweep({'name': estimator})) or use another "
                    "storage file"
                )
        self._store.set_meta(settings)

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
        batch = as_labelings(labelings, n_objects=self.n_objects, noise="drop")
        known = {c["name"]: c for c in self._store.candidates()}
        planned, finished = [], []
        for name, codes, names in zip(batch.names, batch.codes, batch.cluster_names, strict=True):
            if name.isdigit():
                name = f"labels {name}"
            outcome = Finished(name, "ok", None, codes, 0.0, tuple(map(str, names)))
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
        table = evaluate(
            self.X,
            self._labelings(partitions),
            truth=self.truth,
            measures=[measure.key for measure in measures],
            metric=self.metric,
            noise=self.noise,
        )
        reasons = table.attrs["reasons"]
        for context, kind in zip(self._contexts, ("internal", "external"), strict=True):
            self._store.add_scores(
                context,
                [
                    Score(p, m.key, float(table[m.key].loc[p]), reasons.get(p, {}).get(m.key))
                    for m in measures
                    if m.kind == kind
                    for p in partitions
                ],
            )

    def _measures(self, keys: Iterable[str] | None) -> list[Measure]:
        if keys is not None:
            return catalogue.select(keys)
        return [
            m
            for m in catalogue.values()
            if m.default and (m.kind == "internal" or self.truth is not None)
        ]

    def _labelings(self, partitions: Sequence[str]) -> Labelings:
        codes = np.stack(self._store.labels(partitions))
        n_clusters = codes.max(axis=1).astype(np.int64) + 1
        names = tuple(np.arange(k).astype(object) for k in n_clusters)
        return Labelings(codes, tuple(partitions), n_clusters, names)

    @cached_property
    def _contexts(self) -> tuple[str, str]:
        truth = None
        if self.truth is not None:
            truth = hashlib.sha256(repr(self.truth.tolist()).encode()).hexdigest()[:16]
        metric = (
            self.metric
            if isinstance(self.metric, str)
            else getattr(self.metric, "__qualname__", repr(self.metric))
        )
        return (
            json.dumps(["internal", metric, self.noise]),
            json.dumps(["external", truth, self.noise]),
        )

    # -- tables ------------------------------------------------------------------------------

    def _forget_tables(self) -> None:
        self.__dict__.pop("_candidates", None)
        self.__dict__.pop("_scores", None)
        self.__dict__.pop("_bounds", None)

    @cached_property
    def _candidates(self) -> pd.DataFrame:
        import pandas as pd

        rows = [c for c in self._store.candidates() if c["status"] != "planned"]
        table = pd.DataFrame(
            rows,
            columns=[
                "name", "clusterer", "parameter", "value", "start", "status", "reason",
                "n_clusters", "n_noise", "seconds", "partition",
            ],
        ).set_index("name")  # fmt: skip
        swept = table["parameter"] == "n_clusters"
        table["k"] = table["value"].where(swept).astype("Int64")
        table["n_clusters"] = table["n_clusters"].astype("Int64")
        table["noise_share"] = table["n_noise"].astype("Float64") / self.n_objects
        order_of_columns = [
            "clusterer", "k", "start", "status", "reason", "n_clusters", "noise_share", "seconds",
            "partition",
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
        return self._candidates.drop(columns="partition")

    def scores(self, *, progress: bool | None = None) -> pd.DataFrame:
        """Every candidate with every measure.

        Returns
        -------
        DataFrame
            A row per candidate, by name, in the order of planning: ``clusterer``, ``k`` (as asked
            for), ``start``, ``status`` (``ok``, ``flagged``, ``failed``), ``reason``,
            ``n_clusters``, ``noise_share``, ``seconds``, then a column per measure.
            ``attrs["reasons"][name][measure]`` says why a value is NaN.
        """
        self.evaluate(progress=progress)
        values, why = self._scores
        table = self._candidates.join(values, on="partition")
        reasons = {
            name: why[partition]
            for name, partition in table["partition"].items()
            if partition in why
        }
        table = table.drop(columns="partition")
        table.attrs["reasons"] = reasons
        return table

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
        from karat.bounds import Searched, study_bounds

        if self.truth is None:
            raise InputError("a bound needs the class of some objects; give truth, None elsewhere")
        planned = [(c, _origin(c)) for c in self._store.candidates()]
        tried = [(c, origin) for c, origin in planned if c["partition"] is not None]
        if not tried:
            raise NothingToRankError(f"there is no clustering: {self._why_nothing()}")
        codes = self._store.labels([c["partition"] for c, _ in tried])
        return study_bounds(
            {c["name"]: row for (c, _), row in zip(tried, codes, strict=True)},
            self.truth,
            delta=self.delta,
            searched=Searched.from_origins([origin for _, origin in planned]),
            origins=[origin for _, origin in tried],
            noise="cluster",
            random_state=self.random_state,
        )

    def rank(self, by: str | None = None) -> pd.DataFrame:
        """The distinct clusterings, best first.

        Parameters
        ----------
        by : str, optional
            A measure's key, ``"pac_mdl_bound"`` or ``"consensus"``. By default the bound where
            some labels are known, the adjusted Rand index where all are, otherwise the
            consensus: each internal measure that compares numbers of
            clusters ranks the candidates, a family of such measures has one vote, and the mean
            of the votes, times the share of objects that are not excluded, is the score.

        Returns
        -------
        DataFrame
            A row per distinct partition, named after its first candidate: ``rank`` (equal for
            ties), ``clusterer``, ``k``, ``n_clusters``, ``noise_share``, ``score`` (of a measure:
            times the share of objects that are not excluded, or over it where lower is better),
            ``reached_by`` (how many candidates are this partition), then the voters.
            ``attrs["decided_by"]`` says what decided.

        Raises
        ------
        InputError
            If nothing was tried, or nothing can be ranked.
        """
        return self._rank(by)[0]

    def _rank(self, by: str | None) -> tuple[pd.DataFrame, Consensus | None]:
        self.evaluate()
        decided_by = by or self._decider()
        table = self._distinct()
        values = self._scores[0].loc[table["partition"]].set_axis(table.index)
        votes = None
        if decided_by == "consensus":
            voters = [
                m
                for m in catalogue.values()
                if m.kind == "internal" and m.compares_k and m.key in values
                and values[m.key].notna().any()
            ]  # fmt: skip
            if not voters:
                raise NothingToRankError(
                    "no measure is defined for any of these clusterings, so there is no choice: "
                    + self._why_nothing()
                )
            usable = values[[m.key for m in voters]].notna().any(axis=1)
            table, values = table[usable], values[usable]
            coverage = 1 - table["noise_share"].to_numpy(dtype=np.float64)
            votes = consensus(
                values, voters, coverage, table["n_clusters"].to_numpy(dtype=np.int64)
            )
            table["score"] = votes.score
            table = table.join(votes.families)
            best_first = order(votes.score, table["n_clusters"].to_numpy(dtype=np.int64))
            upward = votes.score
        elif decided_by == BOUND:
            found = self._bounds_of(table)
            table["score"] = found["bound_rate"]
            table = table.join(found[["errors", "bits", "bound"]])
            upward = -table["score"].to_numpy(dtype=np.float64)
            best_first = order(upward, *(found[c].to_numpy() for c in ("errors", "bits")))
        else:
            measure = catalogue[decided_by]
            if measure.key not in values:
                self.evaluate([measure.key])
                return self._rank(by)
            coverage = 1 - table["noise_share"].to_numpy(dtype=np.float64)
            score = values[measure.key].to_numpy(dtype=np.float64)
            table["score"] = score * measure.penalty(score, coverage)
            upward = measure.sign * table["score"].to_numpy(dtype=np.float64)
            best_first = order(upward, table["n_clusters"].to_numpy(dtype=np.int64))
        table.insert(0, "rank", ranks(upward))
        table = table.iloc[best_first].drop(columns="partition")
        table.attrs["decided_by"] = decided_by
        return table, votes

    def _bounds_of(self, distinct: pd.DataFrame) -> pd.DataFrame:
        """The bound of each distinct partition: the best of the candidates that reach it."""
        table = self.bounds().table.sort_values(["bound_rate", "bits"], kind="stable")
        partition = self._candidates.loc[table.index, "partition"]
        first = table[~partition.duplicated()].set_axis(partition.drop_duplicates(), axis=0)
        return first.loc[distinct["partition"]].set_axis(distinct.index)

    def _decider(self) -> str:
        if self.truth is None:
            return "consensus"
        return BOUND if self.is_partly_labelled else "adjusted_rand_index"

    def _distinct(self) -> pd.DataFrame:
        usable = self._candidates[self._candidates["partition"].notna()]
        if usable.empty:
            raise NothingToRankError(f"there is no clustering to rank: {self._why_nothing()}")
        counts = usable.groupby("partition").size()
        first = usable[~usable["partition"].duplicated()]
        columns = ["clusterer", "k", "n_clusters", "noise_share", "partition"]
        table = first[columns].copy()
        table["reached_by"] = counts.loc[first["partition"]].to_numpy()
        return table

    def _why_nothing(self) -> str:
        failed = self._candidates[self._candidates["status"] == "failed"]
        if failed.empty and self._candidates.empty:
            return "nothing was tried; call sweep or add first"
        if failed.empty:
            reasons = [r for why in self._scores[1].values() for r in why.values()]
        else:
            reasons = failed["reason"].tolist()
        return "; ".join(list(dict.fromkeys(reasons))[:3])

    def best(self, by: str | None = None) -> Choice:
        """The clustering to use, with the reasons.

        Parameters
        ----------
        by : str, optional
            As for :meth:`rank`.

        Returns
        -------
        Choice
            Prints as a few sentences.
        """
        ranked, votes = self._rank(by)
        top = ranked.iloc[0]
        decided_by = ranked.attrs["decided_by"]
        tied = [str(name) for name in ranked.index[1:] if ranked.at[name, "rank"] == 1]
        bound = self._bound_of(str(top.name)) if self.is_partly_labelled else None
        if votes is not None:
            why = explain.why_by_consensus(ranked, votes, tied)
        elif decided_by == BOUND:
            assert bound is not None
            why = explain.why_by_bound(ranked, bound, tied)
        else:
            measure = catalogue[decided_by]
            known = 0
            if measure.kind == "external" and self.truth is not None:
                known = int(sum(value is not None for value in self.truth))
            why = explain.why_by_measure(
                ranked, measure.title, known, self.n_objects, measure.greater_is_better
            )
        return Choice(
            name=str(top.name),
            clusterer=str(top["clusterer"]),
            k=None if top.isna()["k"] else int(top["k"]),
            n_clusters=int(top["n_clusters"]),
            labels=self.labels(str(top.name)),
            decided_by=decided_by,
            reasons=(explain.what_it_is(top), *why),
            runner_up=str(ranked.index[1]) if len(ranked) > 1 else None,
            confidence=None if votes is None else votes.confidence,
            k_confidence=None if votes is None else votes.group_confidence,
            bound=bound,
        )

    def _bound_of(self, name: str) -> PacMdlBound:
        """The lowest bound among the candidates that are the same partition."""
        same = self._candidates["partition"] == self._candidates.at[name, "partition"]
        table = self.bounds().table
        rows = table[table.index.isin(self._candidates.index[same])]
        return self.bounds()[str(rows["bound_rate"].idxmin())]

    def labels(self, name: str) -> NDArray[np.int32]:
        """Labels of a candidate: ``0..k-1`` by first appearance, ``-1`` for outliers."""
        if name not in self._candidates.index:
            raise unknown_name(name, self._candidates.index, "candidate")
        row = self._candidates.loc[name]
        if row["status"] == "failed":
            raise InputError(f"{name} has no labels: {row['reason']}")
        return self._store.labels([str(row["partition"])])[0]

    def cluster_names(self, name: str) -> list[str]:
        """What each cluster of a candidate is called, by its number in :meth:`labels`."""
        given = self._store.cluster_names(name)
        return given or [str(i) for i in range(int(self.labels(name).max()) + 1)]

    # -- telling -----------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Keep a study that lives in memory in a new file, to go on with later."""
        self._store.copy_to(path)

    def report(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write one self-contained HTML page with the answer, the reasons and the pictures."""
        from karat.report import write

        write(self, path, overwrite=overwrite)

    @property
    def code(self) -> str:
        """Python that makes the same study."""
        source = self.dataset.source
        options = "".join(f", {key}={value!r}" for key, value in self.dataset.options.items())
        data = f"karat.datasets.read({source!r}{options})" if source else "X"
        finished = self._store.candidates()
        swept = list(dict.fromkeys(c["clusterer"] for c in finished if c["parameter"]))
        ks = sorted({c["value"] for c in finished if c["parameter"] == "n_clusters"})
        starts = 1 + max((c["start"] for c in finished), default=0)
        extra = "" if self.random_state == 0 else f", random_state={self.random_state}"
        lines = ["import karat", "", f"study = karat.Study({data}{extra})"]
        if swept:
            lines.append(f"study.sweep({swept!r}, k={_span(ks)}, n_init={starts})")
        if any(c["clusterer"] == "given" for c in finished):
            lines.append("study.add(labelings)  # the clusterings that were given")
        lines += ["print(study.best())"]
        return "\n".join(lines)


def _origin(candidate: dict[str, Any]) -> tuple[str, int] | None:
    """What the search for it consisted of; None for a clustering that the user supplied."""
    if candidate["parameter"] is None:
        return None
    return candidate["clusterer"], candidate["value"]


def _span(ks: list[int]) -> str:
    if len(ks) > 2 and ks == list(range(ks[0], ks[-1] + 1)):
        return f"range({ks[0]}, {ks[-1] + 1})"
    return repr(ks)


def _hash_of(labels: Any) -> str | None:
    from karat.partition import canonical_codes
    from karat.study.store import partition_hash

    return None if labels is None else partition_hash(canonical_codes(encode(labels).codes))


def _check_counts(numbers: list[Any], n_init: Any, workers: Any) -> None:
    if not numbers:
        raise InputError("k is empty; name at least one number of clusters, e.g. range(2, 11)")
    for number in numbers:
        if not isinstance(number, (int, np.integer)) or number < 1:
            raise InputError(f"k must be whole numbers of clusters of at least 1; got {number!r}")
    for name, value in (("n_init", n_init), ("workers", 1 if workers is None else workers)):
        if not isinstance(value, (int, np.integer)) or value < 1:
            raise InputError(f"{name} must be a whole number of at least 1; got {value!r}")


def _clusterers(given: Any) -> list[Clusterer]:
    from dataclasses import replace

    if isinstance(given, Mapping):
        chosen = [replace(as_clusterer(value), key=str(name)) for name, value in given.items()]
    elif isinstance(given, (list, tuple, set)):
        chosen = [as_clusterer(one) for one in given]
    else:
        chosen = [as_clusterer(given)]
    keys = [clusterer.key for clusterer in chosen]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(
            f"two clusterers are called {twice!r}; name them: sweep({{'a': ..., 'b': ...}})"
        )
    return chosen
