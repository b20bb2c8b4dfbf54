"""The study: what was tried on one data set, what came of it, and which one to use."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.runtime.validation import InputError, NothingToRankError
from karat.study import annotated
from karat.study.answer import Answer
from karat.study.code import code_of
from karat.study.deciders import Verdict, as_decider, usual
from karat.study.facts import answer_of
from karat.study.loss import measure_agreements, why_no_agreement
from karat.study.ranking import order, ranks
from karat.study.record import check_identities, settle
from karat.study.representation import judged_representations, kept_representations
from karat.study.scoring import ScoredStudy
from karat.study.stability import (
    DEFAULT_NUMBERS,
    assessed,
    clusterer_of,
    kept_assessment,
    swept_numbers,
)
from karat.study.store import Store
from karat.study.wording import notebook

if TYPE_CHECKING:
    import pandas as pd

    from karat.bounds import Guarantee
    from karat.judge import Judge
    from karat.stability import Assessment
    from karat.study.judging import Judged


class Study(ScoredStudy):
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

    @classmethod
    def from_anndata(
        cls,
        adata: Any,
        *,
        rep: str = "X_pca",
        graph: str | None = None,
        clusterings: str | Iterable[str] = (),
        truth: Any = None,
        **options: Any,
    ) -> Study:
        """Make a study of the objects of an annotated matrix, as scanpy has them.

        Parameters
        ----------
        adata : AnnData, or path of an ``.h5ad`` file
            Or anything with its attributes ``obs``, ``obsm``, ``obsp``, ``obs_names`` and ``uns``.
        rep : str, default "X_pca"
            The representation: a key of ``obsm``, or ``"X"``.
        graph : str, optional
            A key of ``obsp``, such as ``"connectivities"``: the nodes of this graph are then
            clustered and judged by its edges, not by the representation.
        clusterings : str or iterable of str
            Columns of ``obs`` that are clusterings to compare, or patterns such as
            ``"leiden_*"``.
        truth : array-like or str, optional
            Classes, or the column of ``obs`` that has them.
        **options
            As for :class:`Study`: ``storage``, ``metric``, ...

        Returns
        -------
        Study
            :meth:`write_anndata` puts its scores and answer back.

        Raises
        ------
        InputError
            For a key or a column that is not there.

        Examples
        --------
        >>> import karat, numpy as np, pandas as pd
        >>> from types import SimpleNamespace
        >>> names = [f"cell {i}" for i in range(6)]
        >>> obs = pd.DataFrame({"leiden_0.5": list("000111"), "leiden_1.0": list("001223")}, names)
        >>> pca = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
        >>> adata = SimpleNamespace(obs=obs, obs_names=obs.index, obsm={"X_pca": pca}, uns={})
        >>> study = karat.Study.from_anndata(adata, clusterings="leiden_*")
        >>> study.best().name
        'leiden_0.5'
        >>> study.write_anndata(adata)
        >>> adata.uns["karat"]["chosen"], adata.obs["karat"].tolist()[:2]
        ('leiden_0.5', ['0', '0'])
        """
        adata = annotated.opened(adata)
        study = cls(annotated.dataset_from(adata, rep, graph, truth), **options)
        if clusterings:
            study.add(annotated.columns_like(adata, clusterings))
        return study

    def write_anndata(self, adata: Any, *, key: str = "karat") -> None:
        """Put the scores and the answer into an annotated matrix.

        Parameters
        ----------
        adata : AnnData
            What the study was made of, see :meth:`from_anndata`.
        key : str, default "karat"
            ``adata.obs[key]`` are the chosen labels; ``adata.uns[key]`` has ``chosen``,
            ``decided_by``, ``sentences``, ``metric`` and the tables ``scores`` and ``ranking``.

        Raises
        ------
        InputError
            For other objects, or where nothing can be chosen.
        """
        annotated.write_back(self, adata, key)

    def _repr_html_(self) -> str:
        return notebook.study_html(self, self.__dict__.get("_choice"))

    @property
    def by(self) -> str:
        """What decides: a measure's key, ``"consensus"``, ``"guarantee"``, ..."""
        return self.settings.by or usual(self)

    def decide_by(self, by: str | None) -> None:
        """Set what decides, for the ranking, the choice, the report and the code alike.

        Parameters
        ----------
        by : str or None
            A measure's key, ``"guarantee"``, ``"pac_mdl_bound"`` or ``"consensus"``. None is what
            suits the truth: the judge and the labels together where some are known, the adjusted
            Rand index where all are, otherwise the judge.

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

    def rank(self, by: str | None = None) -> pd.DataFrame:
        """The distinct clusterings, best first.

        Parameters
        ----------
        by : str, optional
            Look at another order than that of what decides (:attr:`by`): a measure's key,
            ``"guarantee"`` or ``"consensus"``. With the consensus each internal measure that
            compares numbers of clusters ranks the candidates, a family of such measures has one
            vote, and the mean of the votes, times the share of objects that are not excluded,
            is the score.

        Returns
        -------
        DataFrame
            A row per distinct partition, named after its first candidate: ``rank`` (equal for
            ties), ``clusterer``, ``k``, ``n_clusters``, ``noise_share``, ``fitted_on``,
            ``sample_agreement``, ``partition`` (as in :meth:`scores`), ``reached_by`` (how many
            candidates are this partition), ``score`` (of an internal measure with
            ``noise="drop"``: times the share of objects that are not excluded, or over it where
            lower is better), then the voters.

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
        columns = [
            "clusterer", "k", "n_clusters", "noise_share", "fitted_on", "sample_agreement",
            "partition",
        ]  # fmt: skip
        table = first[columns].copy()
        table["reached_by"] = counts.loc[first["partition"]].to_numpy()
        return table

    @property
    def judge(self) -> Judge | None:
        """Your own judge, trained with karat-lab; None for the packaged one."""
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
            None where there are fewer than 20 objects, or fewer than three clusterings of two
            clusters or more.
        """
        self.evaluate()
        return self._judged

    @cached_property
    def _judged(self) -> Judged | None:
        from karat.study.judging import judged

        table = self._distinct()
        return judged(self, table, self._scores[0].loc[table["partition"]].set_axis(table.index))

    def guarantee(self) -> Guarantee:
        """The tightest guarantee that the known labels give about any candidate.

        Returns
        -------
        Guarantee
            With probability ``1 - delta`` over which objects were labelled it holds. Outliers
            count as one cluster.

        Raises
        ------
        InputError
            If no class is known, or nothing was tried.

        See Also
        --------
        karat.guarantee

        Notes
        -----
        One half of the labels chooses the most probable candidate, with the learned judge, which
        does not see the labels, as the prior; the other half tests it
        (:func:`karat.bounds.study_guarantee`).
        """
        return self._guarantee

    @cached_property
    def _guarantee(self) -> Guarantee:
        from karat.bounds import study_guarantee
        from karat.study.judging import judged_shares, most_probable

        inputs = self.bounded(None)  # says what is missing before anything is judged
        shares = judged_shares(self)
        if shares is None:
            return study_guarantee(**inputs)
        return study_guarantee(**self.bounded(shares), chooser=most_probable(self, inputs))

    def best(self) -> Answer:
        """The clustering to use, and what is known of it; :meth:`decide_by` says what decides.

        The stability of the choice is not judged here, as it is by default on the command line;
        after ``study.stability()`` it is part of the answer.

        Returns
        -------
        Answer
            Facts; it prints as a few sentences.

        Raises
        ------
        InputError
            If nothing was tried, or nothing can be ranked.
        """
        return self._choice

    @cached_property
    def _choice(self) -> Answer:
        return answer_of(self)

    def sample_agreement(self, name: str | None = None) -> float:
        """What fitting to a sample loses: agreement of two independent samples.

        Parameters
        ----------
        name : str, optional
            A candidate that was fitted to a sample of the objects; by default the choice.

        Returns
        -------
        float
            As :meth:`sample_agreements` measures it; 1 where the candidate was fitted to all
            objects.

        Raises
        ------
        InputError
            If the second fit fails.
        """
        name = self.best().name if name is None else name
        self.labels(name)  # says what is wrong with the name
        if self._candidates.isna().at[name, "fitted_on"]:
            return 1.0
        measure_agreements(self, name)
        self._forget_agreements()
        why = why_no_agreement(self).get(name)
        if why is not None:
            raise InputError(f"{name}: {why}")
        return float(self._candidates["sample_agreement"][name])

    def sample_agreements(
        self,
        *,
        share: float | None = None,
        workers: int | None = None,
        executor: Any = None,
        progress: bool | None = None,
    ) -> pd.Series[float]:
        """What fitting to a sample loses, for every candidate that was fitted to one.

        Parameters
        ----------
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
        try:
            measure_agreements(
                self, share=share, workers=workers, executor=executor, progress=progress
            )
        finally:
            self._forget_agreements()
        sampled = self._candidates[["fitted_on", "partition"]].notna().all(axis=1)
        return self._candidates.loc[sampled, "sample_agreement"].astype(np.float64)

    def _forget_agreements(self) -> None:
        self.__dict__.pop("_candidates", None)
        self.__dict__.pop("_choice", None)  # it has that of the choice

    def stability(
        self,
        name: str | None = None,
        *,
        k: int | Iterable[int] | None = None,
        n_resamples: int = 20,
        n_references: int = 5,
        executor: Any = None,
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
        executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
            As for :meth:`sweep`; by default threads of this process.
        progress : bool, optional
            Show a bar; by default on a terminal.

        Returns
        -------
        Assessment
            It is kept in the study: asked the same again it is read, and the answer of
            :meth:`best` and the report have it. A call that was killed goes on from the last data
            set that was finished.

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
        numbers = swept_numbers(self) or DEFAULT_NUMBERS if k is None else k
        self.__dict__.pop("_choice", None)  # it has this
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
