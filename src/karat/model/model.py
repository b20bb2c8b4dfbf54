"""A clustering that can be kept and used: which cluster a further object belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import as_dataset
from karat.datasets.preparation import Filler, preparation_of_features
from karat.distances import check_metric
from karat.labelings.labels import encode
from karat.model.held_out import Confidence, ExtensionAgreement, Refit, hold_out
from karat.model.rule import Rule, check_features
from karat.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.datasets import Dataset
    from karat.datasets.preparation import Preparation, Prepared

#: objects that are kept of larger data
KEPT = 5_000
#: training objects that are predicted to say how often they are where they were
CHECKED = 10_000
#: an object with a larger share of its values missing is unlike the data
MOST_MISSING = 0.5


@dataclass(frozen=True, eq=False)
class Assignment:
    """The clusters of further objects; ``np.asarray`` of it are the labels.

    Attributes
    ----------
    labels, names : ndarray of int32 and of object, shape (m,)
        As in the clustering; ``-1`` and ``"outlier"`` where the nearest object is an outlier.
    confidence : ndarray of float64, shape (m,)
        The share of held-out objects with such a margin to the next cluster that were placed
        where clustering them places them.
    unlike : ndarray of bool, shape (m,)
        Whether the object is unlike anything in the data: farther from the nearest one than
        all but one in a hundred of its cluster are from theirs, or known by less than half of
        its values.
    distances : ndarray of float64, shape (m,)
        To the centre of the cluster; NaN for outliers.
    notes : tuple of str
        What was ignored, filled in, or not known.
    """

    labels: NDArray[np.int32]
    names: NDArray[np.object_]
    confidence: NDArray[np.float64]
    unlike: NDArray[np.bool_]
    distances: NDArray[np.float64]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.labels, dtype=dtype)

    @property
    def table(self) -> pd.DataFrame:
        """A row for each object: cluster, name, confidence, unlike, distance."""
        import pandas as pd

        return pd.DataFrame({
            "cluster": self.labels,
            "name": self.names,
            "confidence": self.confidence,
            "unlike": self.unlike,
            "distance": self.distances,
        })  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """Clusters, and what puts further objects into them.

    Make one by :attr:`Answer.model <karat.Answer>`, by :meth:`of` from any clustering, or by
    :func:`karat.load_model`.

    Attributes
    ----------
    rule, preparation : Rule, Preparation
        What decides, and how the data were prepared.
    names, sizes : tuple of str and of int
        What the clusters are called, and the objects of each.
    n_objects : int
    confidence, extension_agreement : Confidence, ExtensionAgreement
        How far predictions agree with clustering the objects themselves.
    training_agreement, training_checked : float, int
        The share of the objects of the data that are predicted to be where they are, and on how
        many of them, drawn at random.
    facts : dict
        What the clustering is called and where it came from.
    """

    rule: Rule
    preparation: Preparation
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    n_objects: int
    confidence: Confidence
    extension_agreement: ExtensionAgreement
    training_agreement: float
    training_checked: int
    facts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        X: Dataset | Any,
        labels: Any,
        *,
        metric: Any = None,
        refit: Refit | None = None,
        rows: NDArray[np.integer[Any]] | None = None,
        facts: dict[str, Any] | None = None,
        reason: str | None = "no clusterer is known that made the clusters",
        random_state: int = 0,
    ) -> Model:
        """The model of any clustering.

        Parameters
        ----------
        X : Dataset, array-like, DataFrame or sparse, shape (n, d)
        labels : array-like, shape (n,)
            ``-1`` for outliers.
        metric : str or callable, optional
            The distance; by default that of the data set.
        refit : callable, optional
            Gives labels of some rows of ``X``, clustered anew in the same way.
        rows : ndarray of int, optional
            The objects that stand for all; by default all, at most 5,000 drawn at random.
        facts : dict, optional
            To be kept with it; what JSON takes.
        reason : str, optional
            Why there is no ``refit``.
        random_state : int

        Raises
        ------
        InputError
            For distances or graphs, which have no features, and for a clustering without clusters.

        Examples
        --------
        >>> import karat
        >>> X = [[0.0], [0.2], [0.5], [9.0], [9.1], [9.4]]
        >>> found = karat.Model.of(X, ["low"] * 3 + ["high"] * 3).predict([[0.3], [9.2], [40.0]])
        >>> found.names.tolist(), found.unlike.tolist()
        (['low', 'high', 'high'], [False, False, True])
        """
        dataset = as_dataset(X, metric)
        metric = dataset.metric if metric is None or dataset.metric != "euclidean" else metric
        data = check_features(dataset.X, metric)
        metric = check_metric(metric)
        given = encode(labels)
        if len(given.codes) != dataset.n_objects:
            raise InputError(f"{len(given.codes)} labels for {dataset.n_objects} objects of X")
        n = dataset.n_objects
        rng = check_random_state(random_state)
        if rows is None:
            rows = np.arange(n) if n <= KEPT else np.sort(rng.choice(n, KEPT, replace=False))
        rule = Rule.of(data, given.codes, metric, rows)
        agreement, confidence = hold_out(
            rule.X, rule.labels, metric, by_centers=rule.by_centers, refit=refit,
            reason=None if refit is not None else reason, random_state=random_state,
        )  # fmt: skip
        checked = np.arange(n) if n <= CHECKED else np.sort(rng.choice(n, CHECKED, replace=False))
        same = rule.place(data[checked]).labels == given.codes[checked]
        return cls(
            rule=rule, preparation=dataset.preparation or preparation_of_features(
                dataset.X, dataset.feature_names, dataset.center, dataset.scale
            ),
            names=tuple(map(str, given.names)),
            sizes=tuple(np.bincount(given.codes[given.codes >= 0]).tolist()), n_objects=n,
            confidence=confidence, extension_agreement=agreement,
            training_agreement=float(same.mean()), training_checked=len(checked),
            facts={"data": dataset.name, "source": dataset.source, **(facts or {})},
        )  # fmt: skip

    @property
    def n_clusters(self) -> int:
        """Number of clusters, outliers not counted."""
        return len(self.names)

    def predict(self, X: Any) -> Assignment:
        """The clusters of further objects.

        Parameters
        ----------
        X : DataFrame, Arrow table, mapping, array-like, sparse, or list of str
            Rows as the data were before they were prepared: tables are matched by the names of
            their columns, and categories, dates, missing values and units are treated as those of
            the data were. Arrays are taken by position; of documents their texts.

        Returns
        -------
        Assignment

        Raises
        ------
        InputError
            If columns are missing, or the number of features is another one.
        """
        return self.placed(self.prepare(X))

    def prepare(self, X: Any) -> Prepared:
        """Further objects as the data were prepared."""
        return self.preparation.apply(X, self._filler)

    def placed(
        self,
        prepared: Prepared,
        own: NDArray[np.integer[Any]] | None = None,
        labels: NDArray[np.int32] | None = None,
    ) -> Assignment:
        """The clusters of prepared objects; ``own`` and ``labels`` as for :meth:`Rule.place`."""
        found = self.rule.place(prepared.X, own, labels)
        called = np.array([*self.names, "outlier"], dtype=object)  # NOISE is the last
        return Assignment(
            found.labels,
            called[found.labels],
            self.confidence(found.margins),
            found.unlike | (prepared.filled > MOST_MISSING),
            found.distances,
            prepared.notes,
        )

    @property
    def _filler(self) -> Filler | None:
        """What fills missing values where the data had none: the values of near objects."""
        X, done = self.rule.X, self.preparation
        if not done.of_table or not isinstance(X, np.ndarray):
            return None
        if done.scale is not None and done.center is not None:
            X = X * done.scale + done.center
        return Filler.of_neighbors(X, np.zeros(X.shape, dtype=bool), done.categorical)

    def renamed(self, names: Any) -> Model:
        """The same clusters under other names, in the same order."""
        names = tuple(map(str, names))
        if len(names) != self.n_clusters:
            raise InputError(f"there are {self.n_clusters} clusters, and {len(names)} names")
        return replace(self, names=names)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Keep it in one file: arrays and JSON, nothing that is executed.

        It has the objects that stand for the data (all of up to 5,000), as numbers. An InputError
        or StorageError says that the path cannot be written to (``overwrite`` replaces a file), or
        that the distance is a function.
        """
        from karat.model.archive import write_model

        write_model(self, path, overwrite=overwrite)

    def __repr__(self) -> str:
        name = self.facts.get("name", "clustering")
        outliers = self.n_objects - sum(self.sizes)
        apart = f", {outliers:,} outliers" if outliers else ""
        return f"<Model {name!r}: {self.n_clusters} clusters of {self.n_objects:,} objects{apart}>"

    def __str__(self) -> str:
        rule = "the cluster of the nearest " + ("centre" if self.rule.by_centers else "object")
        part = self.training_checked < self.n_objects
        checked = f" ({self.training_checked:,} were asked)" * part
        return (
            f"{self!r}. A further object belongs to {rule}. "
            f"{100 * self.training_agreement:.4g} % of the objects of the data are predicted to be "
            f"where they are{checked}. {self.extension_agreement}"
        )
