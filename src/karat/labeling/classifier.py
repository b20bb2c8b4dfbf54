"""A classifier from a few labels, which it asks for."""

from __future__ import annotations

from typing import Any, Literal

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from karat.bounds import Picked
from karat.labeling.medoids import central_objects, spread_labels
from karat.runtime.validation import InputError, check_choice, check_random_state, validated


def _has(method: str) -> Any:
    def check(self: Any) -> bool:
        return hasattr(self.classifier_ if hasattr(self, "classifier_") else self._base(), method)

    return check


class FewLabelClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn to classify from a few labels, asked for where a clustering says they tell most.

    The data are clustered in several ways without a label, a measure of quality chooses one of
    the clusterings, and the central object of each cluster is to be labelled. A classifier is
    trained on those objects alone, or on all objects with the label of their cluster's.

    Parameters
    ----------
    n_labels : int, default 10
        How many labels are asked for, 2 or more; all objects where there are fewer.
    spread : {"cluster", "medoid"}
        Train on every object with the label of its cluster, full-cluster filtering (FCSF) in
        whissell2012, or on the labelled objects alone, cluster-medoid filtering (CMSF).
    per_cluster : int, default 1
        Labels asked for in each cluster, of which the most common counts; there are
        ``n_labels // per_cluster`` clusters.
    clusterers : sequence of str or estimators
        Names in :data:`karat.clusterers.catalogue`, or estimators with ``n_clusters``.
    measure : str, default "informativeness"
        The internal measure that chooses among their clusterings.
    classifier : estimator, optional
        Logistic regression by default.
    metric : str or callable, default "euclidean"
        The distance that clusters, judges and finds central objects.
    random_state : None, int or Generator
        Seed of the clusterers. :meth:`fit` takes the clustering that :meth:`ask` made of the same
        data; give an integer for another object, in another run, to ask for the same.

    Attributes
    ----------
    asked_ : ndarray of int
        Positions of the objects whose labels were used, in the order in which they were asked.
    labels_ : ndarray of int, shape (n,)
        The clustering that was chosen.
    chosen_ : str
        The clusterer that made it.
    scores_ : dict of str to float
        What the measure says about the clustering of each clusterer; empty if there is one only.
    y_spread_ : ndarray of object, shape (n,)
        The labels of which the classifier was trained; None for objects that it did not see.
    picked_ : karat.bounds.Picked
        The labels that were asked for, which every bound refuses.
    classifier_ : estimator
        The trained classifier.
    classes_ : ndarray
    n_features_in_ : int

    See Also
    --------
    karat.guarantee : A bound on the error, from labels of objects drawn at random.

    Notes
    -----
    whissell2012 §7.3 (algorithms 1 and 2). The asked objects are chosen, not drawn: their labels
    train and can bear no guarantee. The cost is that of the clusterings, of the measure, and
    O(Σ n_c² d) for the central objects.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from karat.labeling import FewLabelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FewLabelClassifier(n_labels=8, random_state=0)
    >>> asked = model.ask(X)  # label these
    >>> len(asked)
    8
    >>> known = [y[i] if i in asked else None for i in range(len(X))]
    >>> model.fit(X, known).score(X, y) > 0.85
    True
    """

    def __init__(
        self,
        n_labels: int = 10,
        *,
        spread: Literal["cluster", "medoid"] = "cluster",
        per_cluster: int = 1,
        clusterers: Any = ("kmeans", "bisecting-kmeans", "average", "spectral"),
        measure: str = "informativeness",
        classifier: Any = None,
        metric: Any = "euclidean",
        random_state: Any = None,
    ) -> None:
        self.n_labels = n_labels
        self.spread = spread
        self.per_cluster = per_cluster
        self.clusterers = clusterers
        self.measure = measure
        self.classifier = classifier
        self.metric = metric
        self.random_state = random_state

    def ask(self, X: Any, y: Any = None) -> NDArray[np.intp]:
        """The objects that are to be labelled next."""
        X = self._validated(X, reset=True)
        self._cluster(X)
        known = np.full(X.shape[0], None, dtype=object) if y is None else _labels(y, X.shape[0])
        return self._unlabelled(known)

    def fit(self, X: Any, y: Any) -> FewLabelClassifier:
        """Cluster, read the labels of the asked objects, and train."""
        X = self._validated(X, reset=True)
        known = _labels(y, X.shape[0])
        self._cluster(X)
        missing = self._unlabelled(known)
        if len(missing):
            shown = ", ".join(str(i) for i in missing[:10]) + (", ..." if len(missing) > 10 else "")
            raise InputError(
                f"{len(missing)} objects that are asked for have no label: {shown} (positions "
                "from 0). ask(X, y) lists them; random_state must be the same integer"
            )
        self._train(X, known)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each object."""
        check_is_fitted(self)
        return self.classes_[self.classifier_.predict(self._validated(X))]

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class, by the classifier."""
        check_is_fitted(self)
        return np.asarray(self.classifier_.predict_proba(self._validated(X)))

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The classifier's decision function."""
        check_is_fitted(self)
        X = self._validated(X)
        if len(self.classes_) == 1:
            return np.zeros(X.shape[0])
        return np.asarray(self.classifier_.decision_function(X))

    def _validated(self, X: Any, *, reset: bool = False) -> Any:
        return validated(self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32])

    def _base(self) -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000) if self.classifier is None else self.classifier

    def _cluster(self, X: Any) -> None:
        """Cluster, unless that was done for the same data and parameters, as by ``ask``."""
        asked = (joblib.hash(X), repr(sorted(self.get_params().items(), key=lambda item: item[0])))
        if getattr(self, "_clustered", None) != asked:
            self._cluster_anew(X)
            self._clustered = asked

    def _cluster_anew(self, X: Any) -> None:
        from karat.clusterers import ExcludedError, as_clusterer, under

        check_choice(self.spread, ("cluster", "medoid"), "spread")
        if isinstance(self.metric, str) and self.metric in ("precomputed", "graph"):
            raise InputError(
                f"metric={self.metric!r} has no rows that a classifier could be trained on; give "
                "the rows and a metric on them"
            )
        k = self.n_labels // self.per_cluster if self.per_cluster > 0 else 0
        if k < 2:
            raise InputError(
                f"n_labels={self.n_labels} and per_cluster={self.per_cluster} leave {k} clusters; "
                "there must be 2 or more"
            )
        k = min(k, X.shape[0])
        seed = int(check_random_state(self.random_state).integers(2**31 - 1))
        candidates: dict[str, NDArray[Any]] = {}
        refused: list[str] = []
        for given in self.clusterers:
            record = as_clusterer(given)
            try:
                estimator = under(record, self.metric).make(k, seed)
                candidates[record.key] = np.asarray(estimator.fit_predict(X))
            except (ExcludedError, ValueError) as error:
                refused.append(f"{record.key}: {error}")
        if not candidates:
            raise InputError("no clusterer could cluster the data: " + "; ".join(refused))
        self.scores_ = self._judged(X, candidates) if len(candidates) > 1 else {}
        self.chosen_ = max(self.scores_ or candidates, key=lambda key: self.scores_.get(key, 0.0))
        self.labels_ = candidates[self.chosen_]
        groups = central_objects(X, self.labels_, self.per_cluster, metric=self.metric)
        sizes = np.array([(self.labels_ == self.labels_[group[0]]).sum() for group in groups])
        self._groups = groups
        self._first = np.concatenate([groups[i] for i in np.argsort(-sizes, kind="stable")])

    def _judged(self, X: Any, candidates: dict[str, NDArray[Any]]) -> dict[str, float]:
        """The measure of each candidate, greater for better; the worst for one without."""
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

    def _unlabelled(self, known: NDArray[np.object_]) -> NDArray[np.intp]:
        return np.array([i for i in self._first if known[i] is None], dtype=np.intp)

    def _train(self, X: Any, known: NDArray[np.object_]) -> None:
        from sklearn.dummy import DummyClassifier

        y = np.full(len(known), None, dtype=object)
        if self.spread == "cluster":
            y = spread_labels(self.labels_, self._groups, known)
        y[self._first] = known[self._first]
        rows = np.flatnonzero([label is not None for label in y])
        self.classes_, codes = np.unique(np.array(list(y[rows])), return_inverse=True)
        model = clone(self._base()) if len(self.classes_) > 1 else DummyClassifier()
        self.classifier_ = model.fit(X[rows], codes)
        self.asked_, self.y_spread_ = self._first, y
        self.picked_ = Picked(self.asked_, known[self.asked_], "medoids of clusters")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _labels(y: Any, n: int) -> NDArray[np.object_]:
    """Labels as objects, None where missing.

    Unlike ``known_labels`` it takes −1 for a class where there are two:
    scikit-learn's classifiers are given classes −1 and 1, and keep them as they are.
    """
    import pandas as pd

    if y is None:
        raise InputError(
            "FewLabelClassifier requires y to be passed, but the target y is None: give the labels "
            "of the objects that ask(X) names"
        )
    given = np.asarray(y, dtype=object) if isinstance(y, (list, tuple)) else np.asarray(y)
    given = column_or_1d(given, warn=True)
    if len(given) != n:
        raise InputError(f"y must have one label for each of the {n} objects; got {given.shape}")
    values = np.empty(n, dtype=object)
    values[:] = given.tolist()
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
