"""Measures as scorers of scikit-learn's searches, and of whatever else calls ``scorer(est, X)``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from karat.labelings.candidates import hard_labelings
from karat.labelings.labels import NoisePolicy
from karat.measures import catalogue
from karat.measures.evaluation import evaluate
from karat.measures.external.pairs import adjusted_rand_index
from karat.runtime.validation import InputError

#: adjusted Rand index of two fits to the same objects, at least
SAME = 0.8
WHOLE = (
    "An internal measure needs the labels of the objects that it judges, and cross-validation fits "
    "to others. Fit and judge all objects together: all_rows = np.arange(len(X)); "
    "GridSearchCV(estimator, grid, scoring=karat.scorer(...), cv=[(all_rows, all_rows)])"
)


class Scorer:
    """What :func:`scorer` returns: ``scorer(estimator, X, y=None)`` is a number, greater better.

    Parameters
    ----------
    measure : str
    metric : str or callable
    noise : {"drop", "cluster", "singletons", "error"}
    """

    def __init__(self, measure: str, metric: Any, noise: NoisePolicy) -> None:
        self.measure, self.metric, self.noise = measure, metric, noise
        #: data on which the labels of an estimator were found to be theirs
        self._seen: set[bytes] = set()

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        """The value for a fitted estimator, NaN with a warning where it has none."""
        record = catalogue[self.measure]
        if record.kind == "external" and y is None:
            raise InputError(f"{self.measure} compares with known classes; give them as y")
        labels = self._labels(estimator, X)
        scores = evaluate(
            None if record.kind == "external" else X,
            {"it": labels},
            truth=y if record.kind == "external" else None,
            measures=[self.measure],
            metric=self.metric,
            noise=self.noise,
            penalize=self.noise == "drop",
        )
        value = float(scores[self.measure].iloc[0])
        if np.isnan(value):
            reason = scores.reasons.get("it", {}).get(self.measure, "it has no value")
            warnings.warn(f"{self.measure} of {estimator!r}: {reason}", stacklevel=2)
        return record.sign * value

    def _labels(self, estimator: Any, X: Any) -> Any:
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        ((_, labels),) = hard_labelings(estimator, X)[0].items()
        if len(labels) != n:
            raise InputError(
                f"the estimator was fitted to {len(labels)} objects and is judged on {n} others. "
                + WHOLE
            )
        self._check_theirs(estimator, X, labels)
        return labels

    def _check_theirs(self, estimator: Any, X: Any, labels: Any) -> None:
        """Halves are as large as each other: the labels must be those of these objects."""
        last = estimator[-1] if hasattr(estimator, "steps") else estimator
        if not hasattr(last, "labels_"):
            return  # they were predicted for these objects
        key = _digest(X)
        if key in self._seen:
            return
        if hasattr(estimator, "predict"):
            again = np.asarray(estimator.predict(X))
        elif _unseeded(estimator):
            return
        else:
            from sklearn.base import clone

            again = np.asarray(clone(estimator).fit_predict(X))
        if adjusted_rand_index(labels, again, noise="cluster") < SAME:
            raise InputError("the estimator was fitted to other objects than it judges. " + WHOLE)
        self._seen.add(key)

    def __repr__(self) -> str:
        return f"karat.scorer({self.measure!r}, metric={self.metric!r}, noise={self.noise!r})"


def _unseeded(estimator: Any) -> bool:
    """Whether another fit may differ."""
    params = estimator.get_params() if hasattr(estimator, "get_params") else {}
    return any(key.endswith("random_state") and value is None for key, value in params.items())


def _digest(X: Any) -> bytes:
    import hashlib

    values = X.data if hasattr(X, "toarray") else np.asarray(X)
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).digest()


def scorer(measure: str, *, metric: Any = "euclidean", noise: NoisePolicy = "drop") -> Scorer:
    """A measure for scikit-learn's searches (``GridSearchCV``), Optuna and their like.

    Parameters
    ----------
    measure : str
        A key of the catalogue, such as ``"dbcv"`` or ``"silhouette"``; an external one compares
        with ``y``.
    metric : str or callable
        The distance that judges. Pipelines are judged on the data that they are given.
    noise : {"drop", "cluster", "singletons", "error"}
        What outliers (``-1``) are; with ``"drop"`` the value is penalized by the share of the
        objects that is judged.

    Returns
    -------
    Scorer
        ``scorer(estimator, X, y=None)``; greater is better, so of measures where lower is better
        the negative value.

    Raises
    ------
    InputError
        For an unknown measure; when it is called, for estimators that were fitted to other objects
        than it judges.

    Notes
    -----
    Cross-validation is wrong for internal measures: a clusterer labels the objects that it was
    fitted to, and the measure judges these labels. One "split", in which all objects are both
    fitted and judged, makes a search of this kind right: ``cv=[(rows, rows)]``.

    Examples
    --------
    >>> import karat, numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.model_selection import GridSearchCV
    >>> X = np.array([[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [9.0], [9.2], [9.3]])
    >>> rows = np.arange(len(X))
    >>> search = GridSearchCV(
    ...     AgglomerativeClustering(), {"n_clusters": [2, 3, 4]},
    ...     scoring=karat.scorer("silhouette"), cv=[(rows, rows)],
    ... )
    >>> search.fit(X).best_params_
    {'n_clusters': 3}
    """
    return Scorer(catalogue[measure].key, metric, noise)
