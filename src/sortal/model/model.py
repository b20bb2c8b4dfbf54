"""A clustering to save and use: it assigns further objects to clusters."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.datasets import as_dataset
from sortal.datasets.prepared.preparation import Preparation, preparation_of_features
from sortal.datasets.values.missing_values import Filler
from sortal.distances import check_metric
from sortal.labelings.labels import encode
from sortal.model.archive import parse_members, read_members, write_archive
from sortal.model.checks import check_model
from sortal.model.holdout import Confidence, ExtensionAgreement, Refit, hold_out
from sortal.model.rule import PlacementRule, check_features, check_metric_of_file
from sortal.runtime.draws import draw_rows
from sortal.runtime.numerals import percent_digits
from sortal.runtime.validation import InputError, StorageError, check_random_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.datasets import Dataset
    from sortal.datasets.prepared.preparation import Prepared
    from sortal.typing import ArrayLike, Labels, Metric

#: limit of cost: objects that represent larger data
KEPT = 5_000
#: attributes of a model that its file stores as JSON
_STORED = ("names", "sizes", "n_objects", "training_agreement", "training_checked", "facts")


@dataclass(frozen=True, eq=False)
class Assignment:
    """The clusters of further objects; ``np.asarray`` of it are the labels.

    Attributes
    ----------
    labels, names : ndarray of int32 and of object, shape (m,)
        As in the clustering; ``-1`` and ``"outlier"`` where the nearest object is an outlier.
    confidence : ndarray of float64, shape (m,)
        Share of correctly placed objects among held-out objects with the same margin to the next
        cluster; correct is the cluster from clustering them.
    unlike : ndarray of bool, shape (m,)
        Whether the object is unlike all data. Either more than half of its values are missing, or
        its nearest object is farther away than for 99 % of its cluster.
    distances : ndarray of float64, shape (m,)
        Distance to the centre of the cluster; NaN for outliers.
    notes : tuple of str
        Ignored columns, filled values, unknown categories.
    """

    labels: NDArray[np.int32]
    names: NDArray[np.object_]
    confidence: NDArray[np.float64]
    unlike: NDArray[np.bool_]
    distances: NDArray[np.float64]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> NDArray[Any]:
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
    """Clusters, and the rule that assigns further objects to them.

    Create one by :attr:`Answer.model <sortal.Answer>`, by :meth:`of` from any clustering, or by
    :func:`sortal.load_model`.

    Attributes
    ----------
    rule, preparation : PlacementRule, Preparation
        The rule for further objects, and the preparation of the data.
    names, sizes : tuple of str and of int
        Name and number of objects of each cluster.
    n_objects : int
    confidence, extension_agreement : Confidence, ExtensionAgreement
        Agreement of predictions with clustering the objects themselves.
    training_agreement, training_checked : float, int
        Share of the data's objects that are predicted to be in their cluster, and the number of
        objects checked, drawn at random.
    facts : dict
        Name and origin of the clustering.
    """

    rule: PlacementRule
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
        X: Dataset | ArrayLike,
        labels: Labels,
        *,
        metric: Metric | None = None,
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
            The objects that represent all; by default all, at most 5,000 drawn at random.
        facts : dict, optional
            Facts to store with the model, in types that JSON knows.
        reason : str, optional
            Why there is no ``refit``.
        random_state : int

        Examples
        --------
        >>> import sortal
        >>> X = [[0.0], [0.2], [0.5], [9.0], [9.1], [9.4]]
        >>> placed = sortal.Model.of(X, ["low"] * 3 + ["high"] * 3).predict([[0.3], [9.2], [40.0]])
        >>> placed.names.tolist(), placed.unlike.tolist()
        (['low', 'high', 'high'], [False, False, True])
        """
        dataset = as_dataset(X, metric)
        metric = dataset.metric if metric is None or dataset.metric != "euclidean" else metric
        data = check_features(dataset.X, metric)
        metric = check_metric(metric)
        encoded = encode(labels)
        if len(encoded.codes) != dataset.n_objects:
            raise InputError(f"{len(encoded.codes)} labels for {dataset.n_objects} objects of X")
        n = dataset.n_objects
        rng = check_random_state(random_state)
        if rows is None:
            rows = draw_rows(n, KEPT, rng)
        rule = PlacementRule.of(data, encoded.codes, metric, rows)
        agreement, confidence = hold_out(
            rule.X, rule.labels, metric, by_centers=rule.by_centers, refit=refit,
            reason=None if refit is not None else reason, random_state=random_state,
        )  # fmt: skip
        checked = draw_rows(n, 2 * KEPT, rng)
        same = rule.place(data[checked]).labels == encoded.codes[checked]
        return cls(
            rule=rule, preparation=dataset.preparation or preparation_of_features(
                dataset.X, dataset.feature_names, dataset.center, dataset.scale
            ),
            names=tuple(map(str, encoded.names)),
            sizes=tuple(np.bincount(encoded.codes[encoded.codes >= 0]).tolist()), n_objects=n,
            confidence=confidence, extension_agreement=agreement,
            training_agreement=float(same.mean()), training_checked=len(checked),
            facts={"data": dataset.name, "source": dataset.source, **(facts or {})},
        )  # fmt: skip

    @property
    def n_clusters(self) -> int:
        """Number of clusters, outliers not counted."""
        return len(self.names)

    def predict(self, X: ArrayLike | Sequence[str] | Mapping[str, Any]) -> Assignment:
        """The clusters of further objects.

        Parameters
        ----------
        X : DataFrame, Arrow table, mapping, array-like, sparse, or list of str
            Rows in the form of the data before preparation. Columns of tables are matched by name;
            categories, dates, missing values and units are treated as in the data. Columns of
            arrays are matched by position; documents are texts.
        """
        return self.placed(self.prepare(X))

    def prepare(self, X: ArrayLike | Sequence[str] | Mapping[str, Any]) -> Prepared:
        """Further objects, prepared as the data were."""
        return self.preparation.apply(X, self._filler)

    def placed(
        self,
        prepared: Prepared,
        own: NDArray[np.integer[Any]] | None = None,
        labels: NDArray[np.int32] | None = None,
        *,
        named: bool = True,
    ) -> Assignment:
        """The clusters of prepared objects; parameters as for :meth:`PlacementRule.place`.

        Without ``named``, the objects have no names.
        """
        placed = self.rule.place(prepared.X, own, labels)
        names = np.array([*self.names, "outlier"], dtype=object)  # NOISE is the last
        return Assignment(
            placed.labels,
            names[placed.labels] if named else names[:0],
            self.confidence(placed.margins),
            placed.unlike | (prepared.filled > 0.5),
            placed.distances,
            prepared.notes,
        )

    @property
    def _filler(self) -> Filler | None:
        """The filler of missing values where the data had none: values of near objects."""
        X, preparation = self.rule.X, self.preparation
        if not preparation.of_table or not isinstance(X, np.ndarray):
            return None
        columns = preparation.kept
        X = preparation.original(X)[:, columns]
        bad = np.zeros(X.shape, dtype=bool)
        return Filler.of_neighbors(X, bad, preparation.categorical[columns])

    def renamed(self, names: Iterable[object]) -> Model:
        """The same clusters under other names, in the same order."""
        texts = tuple(map(str, names))
        if len(texts) != self.n_clusters:
            raise InputError(f"there are {self.n_clusters} clusters, and {len(texts)} names")
        return replace(self, names=texts)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Save the model in one file: arrays and JSON, nothing that is executed.

        The file has the objects that represent the data (all, if up to 5,000), as numbers. An
        InputError or StorageError says that the path cannot be written to (``overwrite`` replaces a
        file), or that the distance is a function.
        """
        rule = self.rule
        facts, prepared = self.preparation.to_parts()
        content = {name: getattr(self, name) for name in _STORED} | {
            "rule": {"metric": check_metric_of_file(rule.metric), "by_centers": rule.by_centers},
            "preparation": facts,
            "confidence": vars(self.confidence),
            "extension_agreement": vars(self.extension_agreement),
        }
        arrays = {f"preparation/{name}": value for name, value in prepared.items()}
        arrays |= {
            f"rule/{name}": vars(rule)[name] for name in ("labels", "limits", "X", "centers")
        }
        write_archive(path, content, arrays, overwrite=overwrite)

    def __repr__(self) -> str:
        name = self.facts.get("name", "clustering")
        outliers = self.n_objects - sum(self.sizes)
        noise = f", {outliers:,} outliers" if outliers else ""
        return f"<Model {name!r}: {self.n_clusters} clusters of {self.n_objects:,} objects{noise}>"

    def __str__(self) -> str:
        rule = "the cluster of the nearest " + ("centre" if self.rule.by_centers else "object")
        is_part = self.training_checked < self.n_objects
        checked = f" ({self.training_checked:,} were asked)" * is_part
        return (
            f"{self!r}. A further object belongs to {rule}. "
            f"{percent_digits(self.training_agreement, 4)} of the objects of the data are "
            f"predicted to be where they are{checked}. {self.extension_agreement}"
        )


def load_model(path: str | Path) -> Model:
    """Read a model that :meth:`sortal.Answer.save` or :meth:`sortal.Model.save` wrote.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    InputError
        If there is no such file.
    StorageError
        If it is no model, damaged, truncated, or written by a later version.

    Examples
    --------
    >>> import sortal, pathlib, tempfile
    >>> model = sortal.Model.of([[0.0], [0.2], [9.0], [9.1]], [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.sortal-model")
    ...     model.save(path)
    ...     sortal.load_model(path).predict([[8.0]]).labels
    array([1], dtype=int32)
    """
    members = read_members(Path(path))
    try:
        model = _from_parts(*parse_members(members))
        check_model(model)
    except Exception as error:  # a forged file may fail anywhere
        raise StorageError(
            f"{path} is not a model that this version can read ({type(error).__name__}: {error}); "
            "save it again (Answer.save)"
        ) from None
    return model


def _from_parts(content: dict[str, Any], arrays: dict[str, Any]) -> Model:
    """The model with this JSON content and these arrays."""
    of_rule = {name: arrays[f"rule/{name}"] for name in ("X", "labels", "centers", "limits")}
    start = "preparation/"
    prepared = {name[len(start) :]: arrays[name] for name in arrays if name.startswith(start)}
    plain = {name: content[name] for name in _STORED}
    return Model(
        rule=PlacementRule(**of_rule, **content["rule"]),
        preparation=Preparation.from_parts(content["preparation"], prepared),
        confidence=Confidence(**{k: tuple(v) for k, v in content["confidence"].items()}),
        extension_agreement=ExtensionAgreement(**content["extension_agreement"]),
        **plain | {"names": tuple(plain["names"]), "sizes": tuple(plain["sizes"])},
    )
