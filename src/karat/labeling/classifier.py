"""A classifier that requests a few labels and learns from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from karat.labeling.medoids import central_objects, spread_labels
from karat.runtime.validation import InputError, check_choice, check_random_state, validated

if TYPE_CHECKING:
    from karat.runtime.types import ArrayLike, Floats, Labels, RandomState, Rows


def _has(method: str) -> Callable[[FewLabelClassifier], bool]:
    """Condition of ``available_if``: the classifier has the method."""

    def check(self: FewLabelClassifier) -> bool:
        """Whether the trained classifier, or else the untrained one, has the method."""
        return hasattr(self.classifier_ if hasattr(self, "classifier_") else self._base(), method)

    return check


@dataclass(eq=False, repr=False)
class FewLabelClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn to classify from a few labels, requested where a clustering makes them most useful.

    The data are clustered in several ways without a label, a measure of quality chooses one of
    the clusterings, and you label the central object of each cluster. A classifier is trained on
    those objects alone, or on all objects, each with the label of its cluster's central object.

    Parameters
    ----------
    n_labels : int, default 10
        How many labels are requested, 2 or more; all objects where there are fewer.
    spread : {"cluster", "medoid"}
        Train on every object with the label of its cluster, full-cluster filtering (FCSF) in
        whissell2012, or on the labelled objects alone, cluster-medoid filtering (CMSF).
    clusterers : sequence of str or estimators
        Names in :data:`karat.clusterers.catalogue`, or estimators with ``n_clusters``.
    measure : str, default "informativeness"
        The internal measure that chooses among their clusterings.
    classifier : estimator, optional
        Logistic regression by default.
    metric : str or callable, default "euclidean"
        The distance for clustering, for the measure and for central objects.
    random_state : None, int or Generator
        Seed of the clusterers. :meth:`fit` reuses the clustering that :meth:`ask` made of the same
        data. With an integer, a new estimator in another run requests the same labels.

    Attributes
    ----------
    asked_ : ndarray of int
        Positions of the objects whose labels were used, in the order of the requests.
    labels_ : ndarray of int, shape (n,)
        The clustering that was chosen.
    chosen_ : str
        The clusterer that made it.
    scores_ : dict of str to float
        The measure of each clusterer's clustering; empty if there is only one.
    y_spread_ : ndarray of object, shape (n,)
        The labels that trained the classifier; None for objects that it did not see.
    classifier_ : estimator
        The trained classifier.
    classes_ : ndarray
    n_features_in_ : int

    See Also
    --------
    karat.guarantee : A bound on the error, from labels of objects drawn at random.

    Notes
    -----
    whissell2012 §7.3 (algorithms 1 and 2). The requested objects are chosen, not drawn: their
    labels train a classifier and cannot support a guarantee. The cost is that of the clusterings,
    of the measure, and O(Σ n_c² d) for the central objects.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from karat.labeling import FewLabelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FewLabelClassifier(n_labels=8, random_state=0)
    >>> rows = model.ask(X)  # label these
    >>> len(rows)
    8
    >>> labels = [y[i] if i in rows else None for i in range(len(X))]
    >>> model.fit(X, labels).score(X, y) > 0.85
    True
    """

    n_labels: int = 10
    _: KW_ONLY
    spread: Literal["cluster", "medoid"] = "cluster"
    clusterers: Any = ("kmeans", "bisecting-kmeans", "average", "spectral")
    measure: str = "informativeness"
    classifier: Any = None
    metric: Any = "euclidean"
    random_state: RandomState = None

    def ask(self, X: ArrayLike, y: Labels | None = None) -> NDArray[np.intp]:
        """Positions of the objects to label next."""
        X = self._validated(X, reset=True)
        self._cluster(X)
        labels = np.full(X.shape[0], None, dtype=object) if y is None else _labels(y, X.shape[0])
        return self._unlabelled(labels)

    def fit(self, X: ArrayLike, y: Labels) -> FewLabelClassifier:
        """Cluster, read the labels of the requested objects, and train."""
        X = self._validated(X, reset=True)
        labels = _labels(y, X.shape[0])
        self._cluster(X)
        missing = self._unlabelled(labels)
        if len(missing):
            shown = ", ".join(str(i) for i in missing[:10]) + (", ..." if len(missing) > 10 else "")
            raise InputError(
                f"{len(missing)} objects that are asked for have no label: {shown} (positions "
                "from 0). ask(X, y) lists them; random_state must be the same integer"
            )
        self._train(X, labels)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of each object."""
        check_is_fitted(self)
        return self.classes_[self.classifier_.predict(self._validated(X))]

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: ArrayLike) -> Floats:
        """The probability of each class, by the classifier."""
        check_is_fitted(self)
        return np.asarray(self.classifier_.predict_proba(self._validated(X)))

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: ArrayLike) -> Floats:
        """The classifier's decision function."""
        check_is_fitted(self)
        X = self._validated(X)
        if len(self.classes_) == 1:
            return np.zeros(X.shape[0])
        return np.asarray(self.classifier_.decision_function(X))

    def _validated(self, X: ArrayLike, *, reset: bool = False) -> Rows:
        """Validated objects, as scikit-learn validates them."""
        rows: Rows = validated(
            self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
        return rows

    def _base(self) -> Any:
        """The classifier to train, not yet fitted."""
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000) if self.classifier is None else self.classifier

    def _cluster(self, X: Rows) -> None:
        """Cluster, unless :meth:`ask` did so for the same data and parameters."""
        key = (joblib.hash(X), repr(sorted(self.get_params().items(), key=lambda item: item[0])))
        if getattr(self, "_clustered", None) != key:
            self._cluster_anew(X)
            self._clustered = key

    def _cluster_anew(self, X: Rows) -> None:
        """Cluster with every clusterer, choose one, and rank its central objects."""
        from karat.clusterers import ExcludedError, as_clusterer, under

        check_choice(self.spread, ("cluster", "medoid"), "spread")
        if isinstance(self.metric, str) and self.metric in ("precomputed", "graph"):
            raise InputError(
                f"metric={self.metric!r} has no rows that a classifier could be trained on; give "
                "the rows and a metric on them"
            )
        if self.n_labels < 2:
            raise InputError(f"n_labels must be at least 2; got {self.n_labels}")
        k = min(self.n_labels, X.shape[0])
        seed = int(check_random_state(self.random_state).integers(2**31 - 1))
        candidates: dict[str, NDArray[Any]] = {}
        excluded: list[str] = []
        for clusterer in self.clusterers:
            record = as_clusterer(clusterer)
            try:
                estimator = under(record, self.metric).make(k, seed)
                candidates[record.key] = np.asarray(estimator.fit_predict(X))
            except (ExcludedError, ValueError) as error:
                excluded.append(f"{record.key}: {error}")
        if not candidates:
            raise InputError("no clusterer could cluster the data: " + "; ".join(excluded))
        self.scores_ = self._judged(X, candidates) if len(candidates) > 1 else {}
        self.chosen_ = max(self.scores_ or candidates, key=lambda key: self.scores_.get(key, 0.0))
        self.labels_ = candidates[self.chosen_]
        groups = central_objects(X, self.labels_, metric=self.metric)
        sizes = np.array([(self.labels_ == self.labels_[group[0]]).sum() for group in groups])
        self._groups = groups
        self._first = np.concatenate([groups[i] for i in np.argsort(-sizes, kind="stable")])

    def _judged(self, X: Rows, candidates: dict[str, NDArray[Any]]) -> dict[str, float]:
        """The measure of each candidate, greater for better; -inf without a value."""
        from karat.measures import catalogue
        from karat.measures.evaluation import evaluate

        record = catalogue[self.measure]
        scores = evaluate(
            X, candidates, measures=[self.measure], metric=self.metric, noise="singletons"
        )
        values = scores.table[self.measure].to_numpy(dtype=np.float64)
        signed = values if record.greater_is_better else -values
        signed = np.where(np.isnan(signed), -np.inf, signed)
        return dict(zip(candidates, signed.tolist(), strict=True))

    def _unlabelled(self, labels: NDArray[np.object_]) -> NDArray[np.intp]:
        """Requested objects without a label, in the order of the requests."""
        return np.array([i for i in self._first if labels[i] is None], dtype=np.intp)

    def _train(self, X: Rows, labels: NDArray[np.object_]) -> None:
        """Train the classifier on the labels, spread over the clusters if wanted."""
        from sklearn.dummy import DummyClassifier

        y = np.full(len(labels), None, dtype=object)
        if self.spread == "cluster":
            y = spread_labels(self.labels_, self._groups, labels)
        y[self._first] = labels[self._first]
        rows = np.flatnonzero([label is not None for label in y])
        self.classes_, codes = np.unique(np.array(list(y[rows])), return_inverse=True)
        model = clone(self._base()) if len(self.classes_) > 1 else DummyClassifier()
        self.classifier_ = model.fit(X[rows], codes)
        self.asked_, self.y_spread_ = self._first, y

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _labels(y: Labels | None, n: int) -> NDArray[np.object_]:
    """Labels as objects, None where missing.

    Unlike ``known_labels``, −1 is a class where there are two: scikit-learn's classifiers accept
    the classes −1 and 1 unchanged.
    """
    import pandas as pd

    if y is None:
        raise InputError(
            "FewLabelClassifier requires y to be passed, but the target y is None: give the labels "
            "of the objects that ask(X) names"
        )
    column = np.asarray(y, dtype=object) if isinstance(y, (list, tuple)) else np.asarray(y)
    column = column_or_1d(column, warn=True)
    if len(column) != n:
        raise InputError(f"y must have one label for each of the {n} objects; got {column.shape}")
    values = np.empty(n, dtype=object)
    values[:] = column.tolist()
    values[pd.isna(values)] = None
    kinds = set(values) - {None}
    if any(isinstance(kind, float) and not kind.is_integer() for kind in kinds):
        raise InputError("Unknown label type: y has fractions (continuous); classes are wanted")
    if -1 in kinds and len(kinds) > 2:
        raise InputError(
            "y has -1 beside other classes: unknown labels are None or NaN here; rename the class "
            "-1 if it is one"
        )
    return values
