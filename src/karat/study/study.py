"""The study: what was tried on one data set, what came of it, and which one to use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from karat.datasets import as_dataset
from karat.labelings.labels import NOISE_POLICIES, NoisePolicy, known_labels
from karat.runtime.validation import InputError, check_choice, in_order_of
from karat.study import alternatives as other_ways
from karat.study import constraints as constraining
from karat.study import deciding, describing, differing, scoring, trying
from karat.study import stability as stabilities
from karat.study.code import code_of
from karat.study.deciders import as_decider, usual
from karat.study.objects import Objects, index_of
from karat.study.record import Record, Settings, check_identities, keep_truth, stable
from karat.study.store import Store

if TYPE_CHECKING:
    import pandas as pd

    from karat.bounds.classes import Classes
    from karat.judge import Judge


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
    storage : path, optional
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
        share that is left. To external measures each is a cluster of its own.
    delta : float, optional
        With labels for some of the objects: allowed chance that the guarantee fails; 0.1 if
        nothing is said.
    classes : iterable, int or "open", optional
        With labels for some of the objects: all the classes there can be, or how many, as for
        :func:`karat.pac_mdl_bound`.
    random_state : int, optional
        Every candidate's seed follows from it and the candidate's name; 0 if nothing is said.
    by : str, optional
        What decides, see :attr:`by`.
    exact : bool, optional
        Whether every clusterer is fitted to all objects and every measure computed exactly. By
        default clusterers whose time grows faster than linearly are fitted to 5,000 objects and
        extended to the others by the nearest object, and above 20,000 objects silhouettes and
        ranks of distances are estimated with standard errors; sums and extremes of distances have
        a reason in place of a value.
    update : bool, default False
        Whether ``truth``, ``noise`` and ``delta`` may be others than those that the stored study
        has. The change is recorded, and everything is judged by the new ones.

    Attributes
    ----------
    dataset : Dataset
    metric : str or callable
    truth : ndarray of object, shape (n,), or None
    record : karat.study.record.Record
        What decides and what was tried, in order.
    storage : karat.study.store.Store
        What keeps it all.
    objects, fits : karat.study.objects.Objects, karat.study.trying.Fits
        What is clustered and judged, with the samples that stand for it; how it is clustered.
    command : str or None
        The command line that made the study, for its report.

    Raises
    ------
    InputError
        For data that cannot be used.
    StorageError
        For a storage file that is foreign, damaged, of other data, in use, or begun with other
        settings.

    Notes
    -----
    What decides and what was tried is recorded, see :attr:`record`. Everything else follows from
    it; a resumed study has the settings that it was begun with unless others are given.

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
    ) -> None:
        dataset = as_dataset(X, metric)
        index = index_of(X, dataset)
        truth = in_order_of(index, truth, name="X", other_name="truth")
        named = {
            "noise": noise, "delta": delta, "classes": classes, "random_state": random_state,
            "by": by, "exact": exact, "metric": metric,
        }  # fmt: skip
        given = _checked(named, stored=storage is not None)
        known = dataset.truth if truth is None else truth
        if known is not None:
            listed = given.get("classes")
            listed = listed if isinstance(listed, list) else ()
            known = known_labels(known, dataset.n_objects, classes=listed)
        identity = {
            "fingerprint": dataset.fingerprint, "n_objects": dataset.n_objects,
            "name": dataset.name, "source": dataset.source, "options": dict(dataset.options),
        }  # fmt: skip
        self.storage = Store(storage, identity)
        try:
            if known is not None:
                given["truth"] = keep_truth(self.storage, known)
            self.record = Record(self.storage, given, update=update, metric=dataset.metric)
            self.objects = Objects(dataset, metric, self.record.settings, self.storage)
        except BaseException:
            self.storage.close()
            raise
        self.objects.index = index
        self.dataset, self.metric, self.truth = dataset, self.objects.metric, self.objects.truth
        self.fits = trying.Fits(self.objects, self.record.settings.exact)
        self.command: str | None = None
        #: what was worked out, see :func:`karat.study.notes.derived`
        self.results: dict[str, tuple[Any, ...]] = {}

    # -- the record ---------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """What decides, as it is recorded."""
        return self.record.settings

    @property
    def by(self) -> str:
        """What decides: a measure's key, ``"guarantee"`` or ``"consensus"``.

        Set it for the ranking, the choice, the report and the code alike. None is what suits the
        truth: the judge and the labels together where some are known, the adjusted Rand index
        where all are, otherwise the judge.

        Examples
        --------
        >>> import karat
        >>> study = karat.Study([[0.0], [0.1], [5.0], [5.1]])
        >>> study.by = "silhouette"
        >>> study.by
        'silhouette'
        """
        return self.settings.by or usual(self)

    @by.setter
    def by(self, by: str | None) -> None:
        self.record.change(by=None if by is None else as_decider(by).key)

    @property
    def judge(self) -> Judge:
        """The learned judge. Set your own, trained with karat-lab; None for the packaged one."""
        return self.record.judge

    @judge.setter
    def judge(self, judge: Judge | None) -> None:
        self.record.change_judge(judge)

    @property
    def code(self) -> str:
        """Python that makes the same study: tries the same and chooses by the same.

        What only the user has (arrays, estimators without a faithful ``repr``, a judge) is a name
        that a comment explains.
        """
        return code_of(self)

    def save(self, path: str | Path) -> None:
        """Keep a study that lives in memory in a new file, to be resumed later.

        Raises
        ------
        StorageError
            If the file is there, cannot be written, or a metric or clusterer of the study cannot
            be recognised when it is resumed.
        """
        swept = [one["identity"] for sweep in self.record.sweeps for one in sweep["clusterers"]]
        check_identities([self.settings.metric, *swept])
        self.storage.copy_to(path)

    def close(self) -> None:
        """Close the storage file."""
        self.fits.release()
        self.storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        done = sum(c["status"] != "planned" for c in self.storage.candidates())
        return f"Study({self.dataset.name}, {self.n_objects} objects, {done} candidates)"

    @property
    def X(self) -> Any:  # noqa: N802
        """The data, an array or CSR."""
        return self.dataset.X

    @property
    def n_objects(self) -> int:
        """Number of objects n."""
        return self.objects.n

    # -- what was tried -----------------------------------------------------------------------

    sweep = trying.sweep
    add = trying.add
    labels = scoring.labels
    labelings = scoring.labelings
    constrain = constraining.constrain
    cluster_names = scoring.cluster_names
    memberships = scoring.memberships

    @property
    def candidates(self) -> pd.DataFrame:
        """What was tried and what came of it, without scores; see :meth:`scores`."""
        return scoring.candidate_table(self).copy()

    # -- how it was judged --------------------------------------------------------------------

    evaluate = scoring.evaluate
    scores = scoring.scores
    standard_errors = scoring.standard_errors
    reasons = scoring.reasons
    rank = deciding.rank
    judged = deciding.judged
    bounds = scoring.bounds
    guarantee = deciding.guarantee
    stability = stabilities.stability

    # -- the answer ---------------------------------------------------------------------------

    best = deciding.best

    alternatives = other_ways.alternatives

    describe = describing.describe
    differences = differing.differences
    name_clusters = describing.name_clusters


def _checked(given: dict[str, Any], *, stored: bool) -> dict[str, Any]:
    """The settings that a caller names, as they are recorded; those that are None are not."""
    from karat.bounds.classes import listed_classes

    out = {name: one for name, one in given.items() if one is not None}
    for name, one in out.items():
        if name == "noise":
            check_choice(one, NOISE_POLICIES, "noise")
        elif name == "delta" and not 0 < one <= 1:
            raise InputError(f"delta must be in (0, 1]; got {one!r}")
        elif name == "random_state" and not (isinstance(one, (int, np.integer)) and one >= 0):
            raise InputError(f"random_state must be a non-negative integer; got {one!r}")
    as_recorded: dict[str, Callable[[Any], Any]] = {
        "delta": float,
        "classes": listed_classes,
        "random_state": int,
        "by": lambda by: as_decider(by).key,
        "exact": bool,
        "metric": lambda metric: stable(metric, "the metric", needed=stored),
    }
    return {name: as_recorded.get(name, str)(one) for name, one in out.items()}


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
        from karat.datasets import read

        X = read(X, **meta["options"])
    return Study(X, storage=path, metric=metric)
