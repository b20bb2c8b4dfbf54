"""The facade of a study: candidates, scores, ranking and answer of one data set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sortal.labelings.labels import NoisePolicy
from sortal.runtime.output import OutputPlan
from sortal.runtime.validation import InputError
from sortal.study import alternatives as search
from sortal.study import constraints, descriptions, differences, guarantees, scores, stability
from sortal.study.answer import best_answer
from sortal.study.deciders import as_decider, decider_of
from sortal.study.decision import best_candidate, ranked
from sortal.study.judgement import judged
from sortal.study.state import StudyState
from sortal.study.store import Store
from sortal.study.sweep import add, sweep

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.bounds import Guarantee, PacMdlBounds
    from sortal.bounds.classes import Classes
    from sortal.datasets import Dataset
    from sortal.datasets.prepared.column_weights import ColumnWeights
    from sortal.inference import Differences
    from sortal.judge import Judge
    from sortal.labelings.structures import Memberships
    from sortal.meaning import ClusterDescription
    from sortal.stability import Assessment
    from sortal.study.alternatives import Alternatives
    from sortal.study.answer import Answer
    from sortal.study.judgement import JudgedCandidates
    from sortal.study.record import Record
    from sortal.study.request import Clusterers
    from sortal.typing import ArrayLike, Labels, Metric


class Study:
    """Many clusterings of a data set: fitted, stored, judged together, ranked and explained.

    Parameters
    ----------
    X : Dataset, array-like, DataFrame or sparse, shape (n, d)
        The data. ``metric="precomputed"`` takes distances (:func:`sortal.datasets.from_distances`),
        ``metric="graph"`` affinities (:func:`sortal.datasets.from_graph`), and a distance between
        objects takes a sequence of them (:func:`sortal.datasets.from_objects`).
    y : array-like, shape (n,), optional
        Class of each object; None, NaN or ``-1`` if unknown. By default that of the Dataset.
    storage : path-like, optional
        An SQLite file that keeps every finished fit and score. An existing file is resumed; it must
        belong to the same data. By default nothing is written.
    metric : str or callable, optional
        The distance for clustering and judging, see :data:`sortal.distances.METRICS`. By default
        that of the Dataset: ``"cosine"`` for documents, otherwise ``"euclidean"``. Clusterers that
        do not support it are excluded with a reason. Clusterers with means may work on transformed
        rows, such as unit rows for the cosine; their names then say so. A function is called once
        for each pair.
    noise : {"drop", "cluster", "singletons", "error"}, optional
        How internal measures treat outliers. The default ``"drop"`` judges without them, and
        multiplies the score in a ranking by the share that remains. External measures take each
        outlier as a cluster.
    delta : float, optional
        With some labels: allowed chance that the guarantee fails; default 0.1.
    classes : iterable, int or "open", optional
        With some labels: all possible classes, or their number, as for
        :func:`sortal.pac_mdl_bound`.
    random_state : int, optional
        Seed of every candidate, together with the candidate's name; default 0.
    by : str, optional
        The decider, see :attr:`by`.
    exact : bool, optional
        Fit every clusterer to all objects, and compute every measure exactly. By default slow
        clusterers are fitted to 5,000 objects, and the other objects join the nearest. Above 20,000
        objects, silhouettes and ranks of distances are estimates with standard errors. Sums and
        extremes of distances then have a reason instead of a value.
    update : bool, default False
        Whether ``y``, ``noise`` and ``delta`` may differ from those of the stored study. The
        change is recorded, and everything is judged by the new values.
    column_weights : "equal", mapping of str to float, or sequence of float, optional
        Weights of the columns. By default they follow from the dependence between columns, see
        :func:`sortal.datasets.weighted`.

    Attributes
    ----------
    dataset : Dataset
        The data with their names, notes and findings.
    metric : str or callable
        The distance that clusters and judges.
    y : ndarray of object, shape (n,), or None
        Class of each object, None where it is not known.
    record : sortal.study.record.Record
        The settings that decide, and the calls that tried something, in order.
    state : sortal.study.state.StudyState
        The state: record, data, objects, fits, storage and results.
    command : str or None
        The command line that made the study, for its report.

    Raises
    ------
    InputError
        For unusable data.
    StorageError
        If the file is damaged, in use, no study, of different data, or has different settings.

    Notes
    -----
    Settings and calls are recorded, see :attr:`record`; everything else follows from them. A
    resumed study keeps its settings unless you change them.

    Examples
    --------
    >>> import sortal
    >>> X = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [9.0], [9.2], [9.3]]
    >>> study = sortal.Study(X).sweep(["average"], k=range(2, 5))
    >>> study.best().name
    'average k=3'
    """

    def __init__(
        self,
        X: ArrayLike | Dataset,
        y: Labels | None = None,
        *,
        storage: str | Path | None = None,
        metric: Metric | None = None,
        noise: NoisePolicy | None = None,
        delta: float | None = None,
        classes: Classes = None,
        random_state: int | None = None,
        by: str | None = None,
        exact: bool | None = None,
        update: bool = False,
        column_weights: ColumnWeights = None,
    ) -> None:
        self.state = StudyState(
            X, y=y, storage=storage, metric=metric, noise=noise, delta=delta, classes=classes,
            random_state=random_state, by=None if by is None else as_decider(by).key, exact=exact,
            update=update, column_weights=column_weights,
        )  # fmt: skip
        self.dataset: Dataset = self.state.dataset
        self.metric: Any = self.state.metric
        self.y: NDArray[np.object_] | None = self.state.y
        self.record: Record = self.state.record
        self.command: str | None = None

    # -- the data and the record ----------------------------------------------------------------

    @property
    def X(self) -> Any:  # noqa: N802
        """The data, an array or CSR."""
        return self.state.X

    @property
    def n_objects(self) -> int:
        """Number of objects n."""
        return self.state.n_objects

    @property
    def by(self) -> str:
        """What decides: a measure's key, ``"guarantee"`` or ``"consensus"``.

        It applies to the ranking, the choice and the report. None is the default: the judge without
        labels, the judge and the labels if some are known, the adjusted Rand index if all are.

        Examples
        --------
        >>> import sortal
        >>> study = sortal.Study([[0.0], [0.1], [5.0], [5.1]])
        >>> study.by = "silhouette"
        >>> study.by
        'silhouette'
        """
        return decider_of(self.state)

    @by.setter
    def by(self, by: str | None) -> None:
        """Change what decides; None is the default."""
        self.record.change(by=None if by is None else as_decider(by).key)

    @property
    def judge(self) -> Judge:
        """The learned judge. Set your own, trained with sortal-lab; None for the packaged one."""
        return self.record.judge

    @judge.setter
    def judge(self, judge: Judge | None) -> None:
        """Change the learned judge; None is the packaged one."""
        self.record.change_judge(judge)

    def save(self, path: str | Path) -> None:
        """Save a study to a new file, to resume it later.

        Raises
        ------
        StorageError
            If the file exists or cannot be written, or if a metric or clusterer could not be
            recognised when the study is resumed.
        """
        OutputPlan(self.dataset.inputs).addition(path)
        self.state.save(path)

    def close(self) -> None:
        """Close the storage file."""
        self.state.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        done = sum(c["status"] != "planned" for c in self.state.storage.candidates())
        return f"Study({self.dataset.name}, {self.n_objects} objects, {done} candidates)"

    # -- candidates -----------------------------------------------------------------------------

    def sweep(
        self,
        clusterers: Clusterers | None = None,
        *,
        k: int | Iterable[int] | None = None,
        grid: Mapping[str, Iterable[Any]] | None = None,
        n_init: int = 5,
        workers: int | None = None,
        executor: Executor | Any = None,
        budget: float | None = None,
        progress: bool | None = None,
    ) -> Self:
        """Fit clusterers × k × starts; resume where an earlier sweep of this study stopped.

        Parameters
        ----------
        clusterers : str, estimator, Clusterer, a list of these, or a mapping from names to them
            Names from :data:`sortal.clusterers.catalogue`, or estimators, which are cloned. A
            pipeline gets the unscaled features. Clusterers that do not support the distance get the
            status ``excluded`` and a reason. The default depends on the data.
        k : int or iterable of int, optional
            Numbers of clusters. By default 2 to 10; where valleys in the data separate more groups,
            also those within a fifth of that number. Clusterers that find the number themselves
            (HDBSCAN) try values of their main parameter instead.
        grid : mapping from parameters to values, optional
            Values of a parameter to try, for clusterers without a number of clusters:
            ``sweep({"db": DBSCAN()}, grid={"eps": [0.1, 0.2]})``.
        n_init : int, default 5
            Starts for each k; clusterers that do not depend on a seed run once.
        workers : int, optional
            Local processes; by default one for each core. The result does not depend on it.
        executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
            Where to run instead; a string is the address of a Dask scheduler. Dask gets the data
            once, and repeats the jobs of a dead worker on another. Other executors get the data
            with every job.
        budget : float, optional
            Seconds after which unfinished fits are stopped. The same call resumes them. Fast
            clusterers come first.
        progress : bool, optional
            Show a bar; by default on a terminal.

        Returns
        -------
        Study
            The study itself, so that calls can be chained.

        Raises
        ------
        InputError
            For unknown clusterers or numbers below 1. The error of a fit is kept with its candidate
            instead.
        KeyboardInterrupt
            On Ctrl-C. Finished fits are kept, and the same call resumes.
        """
        sweep(
            self.state, clusterers, k=k, grid=grid, n_init=n_init, workers=workers,
            executor=executor, budget=budget, progress=progress,
        )  # fmt: skip
        return self

    def add(self, labelings: object, *, reference: bool | None = None) -> Self:
        """Add your own clusterings as candidates.

        Parameters
        ----------
        labelings : array-like (n,) or (M, n), mapping, DataFrame
            One or many, see :func:`sortal.labelings.as_labelings`; a DataFrame's columns are
            clusterings. Fitted estimators, BERTopic models and annotated matrices work too, see
            :func:`sortal.labelings.hard_labelings`. Unnamed ones are called ``"labels 0"``,
            ``"labels 1"``, ... A :class:`~sortal.labelings.SoftPartition` or
            :class:`~sortal.labelings.OverlappingPartition` is compared by its hard labels;
            :meth:`Study.memberships` has its memberships. Each cut of a :class:`~sortal.Dendrogram`
            is a candidate. Those of :func:`sortal.datasets.read_labelings`, and pandas objects with
            an index, are joined to the objects by their names.
        reference : bool, optional
            Compute clusterings to compare with if nothing was swept, on at most 2,000 objects. They
            are no candidates; the judge uses them as rivals. Default True, or as in the call
            before.

        Returns
        -------
        Study
            The study itself.

        Raises
        ------
        InputError
            For missing labels, wrong lengths, or a name that another clustering has.
        """
        add(self.state, labelings, reference=reference)
        return self

    def constrain(self, pairs: object) -> None:
        """Use pairs of objects that must, or cannot, be together as evidence.

        Parameters
        ----------
        pairs : array-like, shape (m, 3), DataFrame, path-like or None
            Two objects, by id or position, and ``"must"`` or ``"cannot"``; or a file of them. None
            removes all pairs.

        Raises
        ------
        InputError
            For unknown objects, and for contradictory pairs; the message has the contradicting
            chain.

        Notes
        -----
        New pairs replace the earlier ones. The judge's prior is multiplied by the likelihood of the
        pairs under each candidate. A pair may be wrong, so the choice need not satisfy all pairs.

        Examples
        --------
        >>> import sortal
        >>> study = sortal.Study(sortal.datasets.load("iris"))
        >>> study = study.sweep("kmeans", k=[2, 3, 4], n_init=1, progress=False)
        >>> study.constrain([(0, 1, "must"), (60, 120, "cannot"), (0, 100, "cannot")])
        >>> study.best(stability=False).pairs.kept_must
        1
        """
        constraints.constrain(self.state, pairs)

    @property
    def candidates(self) -> pd.DataFrame:
        """A row per candidate and its outcome, without scores; see :meth:`scores`."""
        return scores.candidate_table(self.state).copy()

    def labels(self, name: str) -> NDArray[np.int32]:
        """Labels of a candidate: ``0..k-1`` by first appearance, ``-1`` for outliers."""
        return scores.candidate_labels(self.state, name)

    def labelings(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Labels of several candidates, with the names of the clusters.

        Parameters
        ----------
        names : iterable of str
            Candidates.

        Returns
        -------
        dict of str to ndarray, shape (n,)
            Integers if all names are whole numbers, otherwise text; ``-1`` for outliers.
        """
        return scores.candidate_labelings(self.state, names)

    def cluster_names(self, name: str) -> list[str]:
        """Names of a candidate's clusters, by their numbers in :meth:`labels`."""
        return scores.candidate_cluster_names(self.state, name)

    def memberships(self, name: str) -> Memberships | None:
        """Memberships of a candidate that is soft or overlaps; None for a hard one.

        Returns
        -------
        SoftPartition or OverlappingPartition or None
            Column c belongs to cluster c of :meth:`Study.labels`; single precision.
        """
        return scores.candidate_memberships(self.state, name)

    # -- scores ---------------------------------------------------------------------------------

    def evaluate(
        self,
        measures: Iterable[str] | None = None,
        *,
        executor: object = None,
        progress: bool | None = None,
    ) -> None:
        """Compute the measures of all candidates that lack them.

        :meth:`best` computes what its decision reads, and :meth:`scores` all measures.

        Parameters
        ----------
        measures : iterable of str, optional
            Catalogue keys; by default those that :func:`sortal.evaluate` computes.
        executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
            Where to compute, see :func:`sortal.evaluate`.
        progress : bool, optional
            Show a bar; by default on a terminal.
        """
        scores.evaluate(self.state, measures, executor=executor, progress=progress)

    def scores(self, *, progress: bool | None = None) -> pd.DataFrame:
        """Every candidate with every measure.

        Returns
        -------
        DataFrame
            A row per candidate, by name: the columns below, then one per measure. :meth:`reasons`
            says why a value is NaN.

            - ``clusterer``, ``k`` (as requested), ``start``, ``n_clusters``, ``noise_share``,
              ``seconds``
            - ``status``: ``ok``, ``flagged``, ``failed`` or ``excluded``, with the ``reason``
            - ``fitted_on``: the number of objects of the sample, if it was fitted to a sample
            - ``partition``: equal for equal clusterings
        """
        return scores.candidate_scores(self.state, progress=progress)

    def standard_errors(self) -> pd.DataFrame:
        """Standard errors of estimated scores, a row per candidate.

        Returns
        -------
        DataFrame
            A column per estimated measure; none if all scores are exact.
        """
        return scores.standard_errors(self.state)

    def reasons(self) -> dict[str, dict[str, str]]:
        """Why scores are missing: candidate -> measure -> sentence."""
        return scores.reasons(self.state)

    def rank(self, by: str | None = None) -> pd.DataFrame:
        """The distinct clusterings, best first.

        Parameters
        ----------
        by : str, optional
            Order by something else than :attr:`by`: a measure's key, ``"guarantee"`` or
            ``"consensus"``. In the consensus, each family of internal measures that compare numbers
            of clusters has one vote. The mean vote is multiplied by the share of objects that are
            not outliers.

        Returns
        -------
        DataFrame
            A row per distinct partition, named after its first candidate. It has columns of
            :meth:`scores`, ``rank`` (equal for ties), ``reached_by`` (how many candidates are this
            partition), and what decides:

            - judge: ``recovery``, ``low`` and ``high`` of its 80 % interval
            - judge with labels: ``probability``. Improbable numbers of clusters come last, if less
              than half as probable as another.
            - consensus: ``votes``, a rank among these candidates, then each voter
            - otherwise ``score``. With ``noise="drop"`` internal measures are multiplied by the
              share of objects that are not outliers, or divided by it if lower is better.

        Raises
        ------
        InputError
            If nothing was tried, or nothing can be ranked.
        """
        return ranked(self.state, by)[0]

    def judged(self) -> JudgedCandidates | None:
        """The learned judge's view of the distinct clusterings.

        Returns
        -------
        JudgedCandidates or None
            None for a graph, for fewer than 20 objects, and where no clustering has two clusters.
        """
        return judged(self.state)

    def bounds(self) -> PacMdlBounds:
        """What the known labels guarantee about every candidate, all at once.

        Returns
        -------
        PacMdlBounds
            With probability ``1 - delta`` over the random choice of labelled objects, all bounds
            hold at once, so the lowest one does. The choice among all planned candidates is paid
            for. Outliers count as one cluster.

        Raises
        ------
        InputError
            If no class is known, or nothing was tried.
        """
        return guarantees.candidate_bounds(self.state)

    def guarantee(
        self, *, ledger: str | Path | None = None, order: Sequence[int] | None = None
    ) -> Guarantee:
        """The tightest guarantee that the known labels give about any candidate.

        Parameters
        ----------
        ledger : path, optional
            The file of the labels, or its folder. The question is counted there, as by ``sortal
            run`` (:class:`sortal.bounds.Ledger`). By default it counts as the only question.
        order : sequence of int, optional
            Positions of the labelled objects in the order of the draw. A counted question then
            holds at every number of labels at once.

        Returns
        -------
        Guarantee
            It holds with probability ``1 - delta`` over the random choice of labelled objects. One
            half of the labels chooses the most probable candidate; the judge, without labels, is
            the prior. The other half tests it (:func:`sortal.bounds.study_guarantee`). Outliers
            count as one cluster.

        Raises
        ------
        InputError
            If no class is known, or nothing was tried.
        """
        self.state.ledger = self.state.ledger if ledger is None else ledger
        self.state.draw = self.state.draw if order is None else order
        return guarantees.tightest_guarantee(self.state)

    def stability(
        self,
        name: str | None = None,
        *,
        k: int | Iterable[int] | None = None,
        n_resamples: int = stability.N_RESAMPLES,
        n_references: int = stability.N_REFERENCES,
        executor: object = None,
        progress: bool | None = None,
    ) -> Assessment:
        """Judge whether a candidate's clusters, and their number, recur in resamples.

        Parameters
        ----------
        name : str, optional
            The candidate; by default the choice. Its clusterer is fitted to resamples.
        k : int or iterable of int, optional
            Numbers of clusters for the curve; by default those that were swept.
        n_resamples, n_references : int
            As for :func:`sortal.stability.assess`.
        executor, progress : optional
            As for :meth:`sweep`; by default threads of this process.

        Returns
        -------
        Assessment
            The study keeps it; :meth:`best` and the report show it.

        Raises
        ------
        InputError
            For your own labels, and for clusterers that cannot be fitted to parts of the data.

        Examples
        --------
        >>> import sortal
        >>> X = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [9.0], [9.2], [9.3]]
        >>> study = sortal.Study(X).sweep(["average"], k=range(2, 4))
        >>> found = study.stability("average k=3", n_resamples=5, n_references=2)
        >>> len(found.clusters.table)
        3
        """
        return stability.candidate_stability(
            self.state, name or best_candidate(self.state), k=k, n_resamples=n_resamples,
            n_references=n_references, executor=executor, progress=progress,
        )  # fmt: skip

    # -- the answer -----------------------------------------------------------------------------

    def best(
        self,
        *,
        stability: bool | None = None,
        second_sample: bool = True,
        executor: object = None,
        progress: bool | None = None,
    ) -> Answer:
        """The clustering to use, with the reasons; :attr:`by` says what decides.

        Parameters
        ----------
        stability : bool, optional
            Look for the chosen clusters, and their number, in resamples. By default only if that
            takes no more fits than the sweep. It does not change the choice.
        second_sample : bool, default True
            If the choice was fitted to a sample, fit it to a second sample and compare.
        executor, progress : optional
            As for :meth:`sweep`.

        Returns
        -------
        Answer
            Facts; it prints as a few sentences.

        Raises
        ------
        InputError
            If nothing was tried, or nothing can be ranked.
        """
        return best_answer(
            self.state, stability=stability, second_sample=second_sample, executor=executor,
            progress=progress,
        )  # fmt: skip

    def alternatives(self, n: int = 3) -> Alternatives:
        """Very different clusterings that are each good.

        Parameters
        ----------
        n : int, default 3
            How many at most, the answer among them.

        Returns
        -------
        Alternatives
            It prints as a table. Each has its labels, its view of the data, and the features that
            carry it.

        Raises
        ------
        InputError
            If nothing was tried, or n is less than 1.

        Notes
        -----
        *Good*: the judge expects at least half of the best recovery. Valleys separate all
        clusters, on objects that did not form them; the test is corrected for the number of views.
        *Different*: the mutual information, adjusted for chance, is at most 0.2 of the smaller
        entropy. So a finer version of a clustering is no alternative. The clusters also occur in
        more than three quarters of all combinations. If more than n remain, the most different ones
        are kept (Caruana et al. 2006).

        Besides the candidates of the study, k-means divides four views of the data:

        - groups of dependent features
        - the residual without the space between a clustering's means (Cui, Fern & Dy 2007)
        - independent components of that space (Ye et al. 2016)
        - directions from the origin

        Examples
        --------
        >>> import numpy as np
        >>> import sortal
        >>> rng = np.random.default_rng(0)
        >>> shape, colour = rng.integers(2, size=(2, 200))
        >>> X = np.column_stack([6 * shape, 5 * colour]) + rng.normal(size=(200, 2))
        >>> study = sortal.Study(X)
        >>> study = study.sweep(["kmeans", "ward"], k=[2, 3, 4], n_init=1, progress=False)
        >>> [[name for name, _ in one.carried_by] for one in study.alternatives()]
        [['x1'], ['x2']]
        """
        return search.alternatives(self.state, n)

    def describe(self, name: str | None = None) -> tuple[ClusterDescription, ...]:
        """Describe each cluster: rule, name, characteristic features, central and doubtful objects.

        Parameters
        ----------
        name : str, optional
            A candidate; by default the answer.

        Returns
        -------
        tuple of ClusterDescription
            ``cluster`` is the number in :meth:`labels`. For more than 200,000 objects, rules,
            effects and positions come from a random sample.

        Examples
        --------
        >>> import sortal
        >>> wine = sortal.datasets.load("wine", scale="standard")
        >>> study = sortal.Study(wine).sweep("ward", k=[3])
        >>> [one.size for one in study.describe("ward k=3")]
        [64, 58, 56]
        """
        return descriptions.describe_candidate(self.state, name or best_candidate(self.state))

    def name_clusters(
        self,
        names: Mapping[Any, str],
        *,
        by: str,
        notes: Mapping[Any, str] | None = None,
        candidate: str | None = None,
    ) -> None:
        """Name clusters; descriptions, report and model use the names.

        Parameters
        ----------
        names : mapping of int to str
            By the number of the cluster in :meth:`labels`. The other clusters keep their names.
        by : str
            Who named them; shown with the names.
        notes : mapping of int to str, optional
            How to recognise its members, and how often that worked.
        candidate : str, optional
            By default the answer. Candidates that are the same clustering have the same names.

        Raises
        ------
        InputError
            For an unknown cluster.

        Examples
        --------
        >>> import sortal
        >>> wine = sortal.datasets.load("wine", scale="standard")
        >>> study = sortal.Study(wine).sweep("ward", k=[3])
        >>> study.name_clusters({0: "light"}, by="Ann", candidate="ward k=3")
        >>> [(one.name, one.named_by) for one in study.describe("ward k=3")][0]
        ('light', 'Ann')
        """
        candidate = candidate or best_candidate(self.state)
        descriptions.name_clusters(self.state, names, by=by, notes=notes, candidate=candidate)

    def differences(
        self, family: str = "gaussian", *, scale: ArrayLike | None = None, share: float = 0.5
    ) -> Differences:
        """Test which clusters differ, and in which features, although the data chose the clusters.

        The values are thinned into two independent parts. The first part repeats the study, from
        scaling to choice. The second part tests whether these clusters differ.

        Parameters
        ----------
        family : {"gaussian", "poisson", "negative binomial", "binomial"}
            How a value varies about its mean.
        scale : float, array-like or "mixture", optional
            The known scale of this variation, in the units of the data, see
            :func:`sortal.inference.thin`.
        share : float, default 0.5
            The share of each value that is clustered.

        Returns
        -------
        Differences
            ``labels`` are the clusters of the first part, not those of :meth:`best`. The report
            shows it.

        Raises
        ------
        InputError
            If the premises of the test fail, or a value does not occur in the family.

        See Also
        --------
        sortal.inference.differences : For a clusterer of your own.

        Examples
        --------
        >>> import numpy as np, sortal
        >>> X = np.random.default_rng(0).poisson(np.repeat([[5, 9], [30, 9]], 40, axis=0))
        >>> study = sortal.Study(X).sweep(["kmeans", "ward"], k=[2, 3])
        >>> study.differences("poisson").p_value < 0.001
        True
        """
        return differences.differences(self.state, family, scale=scale, share=share)


def load_study(path: str | Path, X: Any = None, *, metric: Metric | None = None) -> Study:
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
    StorageError, InputError
        If the file is not there, foreign, damaged, in use, or of other data; if the data did not
        come from a file.
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
        from sortal.datasets import read

        options = dict(meta["options"])
        if "truth" in options:  # its name until version 0.2
            options["y"] = options.pop("truth")
        options.pop("column_weights", None)  # the study itself resumes them
        X = read(X, **options)
    return Study(X, storage=path, metric=metric)
