"""Measures as scorers for scikit-learn's searches and other callers of ``scorer(est, X)``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sortal.labelings.candidates import hard_labelings
from sortal.labelings.labels import NoisePolicy
from sortal.measures import catalogue
from sortal.measures.evaluation import evaluate
from sortal.measures.external.pairs import adjusted_rand_index
from sortal.measures.tuning import TUNING, MeasureSettings
from sortal.runtime.validation import InputError
from sortal.typing import ArrayLike, Estimator, Labels, Metric

HOW_TO_FIT = (
    "It has no predict, so it has no labels for them. Fit and judge all objects together: "
    "all_rows = np.arange(len(X)); "
    "GridSearchCV(estimator, grid, scoring=sortal.scorer(...), cv=[(all_rows, all_rows)])"
)


class CrossValidationError(BaseException):
    """A clusterer without ``predict`` is judged on objects to which it was not fitted.

    No ``Exception``, because searches turn these into NaN and choose among NaN.
    """


class Scorer:
    """A callable ``scorer(estimator, X, y=None)``; greater values are better."""

    def __init__(
        self, measure: str, metric: Metric, noise: NoisePolicy, tuning: MeasureSettings = TUNING
    ) -> None:
        self.measure, self.metric, self.noise, self.tuning = measure, metric, noise, tuning
        #: digests of data whose labels were checked
        self._seen: set[bytes] = set()

    def __call__(self, estimator: Estimator, X: ArrayLike, y: Labels | None = None) -> float:
        """The value of a fitted estimator; NaN with a warning if it is undefined."""
        record = catalogue[self.measure]
        if record.kind == "external" and y is None:
            raise InputError(f"{self.measure} compares with known classes; give them as y")
        labels = self._labels(estimator, X)
        external = record.kind == "external"
        scores = evaluate(
            None if external else X, {"estimator": labels}, y=y if external else None,
            measures=[self.measure], metric=self.metric, noise=self.noise,
            penalize=self.noise == "drop",
        )  # fmt: skip
        value = float(scores[self.measure].iloc[0])
        if np.isnan(value):
            reason = scores.reasons.get("estimator", {}).get(self.measure, "it has no value")
            warnings.warn(f"{self.measure} of {estimator!r}: {reason}", stacklevel=2)
        return record.sign * value

    def _labels(self, estimator: Any, X: Any) -> Any:
        """Labels of the rows of ``X``: those of the fit to them, else predicted ones."""
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        ((_, labels),) = hard_labelings(estimator, X)[0].items()
        if len(labels) != n:
            if not hasattr(estimator, "predict"):
                raise CrossValidationError(
                    f"{type(estimator).__name__} was fitted to {len(labels)} objects and is judged "
                    f"on {n} others. {HOW_TO_FIT}"
                )
            return np.asarray(estimator.predict(X))
        # training halves may have equal size: the labels must belong to these objects
        last = estimator[-1] if hasattr(estimator, "steps") else estimator
        if hasattr(last, "labels_") and (key := _digest(X)) not in self._seen:
            labels_again = _labels_again(estimator, X)
            if labels_again is None:
                return labels
            agreement = adjusted_rand_index(labels, labels_again, noise="cluster")
            if agreement < self.tuning.same_fit_ari:
                if hasattr(estimator, "predict"):
                    return labels_again
                raise CrossValidationError(
                    f"{type(estimator).__name__} was fitted to objects other than the judged ones. "
                    f"{HOW_TO_FIT}"
                )
            self._seen.add(key)
        return labels

    def __repr__(self) -> str:
        return f"sortal.scorer({self.measure!r}, metric={self.metric!r}, noise={self.noise!r})"


def _labels_again(estimator: Any, X: ArrayLike) -> Any:
    """Labels of another prediction or fit; None if fits are random."""
    if hasattr(estimator, "predict"):
        return np.asarray(estimator.predict(X))
    params = estimator.get_params() if hasattr(estimator, "get_params") else {}
    if any(key.endswith("random_state") and value is None for key, value in params.items()):
        return None
    from sklearn.base import clone

    return np.asarray(clone(estimator).fit_predict(X))


def _digest(X: Any) -> bytes:
    """Digest of the values of ``X``."""
    import hashlib

    values = X.data if hasattr(X, "toarray") else np.asarray(X)
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).digest()


def scorer(measure: str, *, metric: Metric = "euclidean", noise: NoisePolicy = "drop") -> Scorer:
    """A measure for scikit-learn's searches (``GridSearchCV``), Optuna and similar tools.

    Parameters
    ----------
    measure : str
        A key of the catalogue, such as ``"dbcv"`` or ``"silhouette"``; an external one compares
        with ``y``.
    metric : str or callable
        The distance of the measure. Pipelines are judged on their input data.
    noise : {"drop", "cluster", "singletons", "error"}
        What the label ``-1`` means; with ``"drop"`` the value is penalized by the share of judged
        objects.

    Returns
    -------
    Scorer
        ``scorer(estimator, X, y=None)``; greater is better. Measures for which lower is better are
        negated.

    Raises
    ------
    InputError
        For an unknown measure.
    sortal.measures.scorer.CrossValidationError
        By the scorer, for a clusterer without ``predict`` that was fitted to other objects. It
        stops a search.

    Notes
    -----
    In cross-validation the predicted labels of the held-out objects are judged. A clusterer
    without ``predict`` labels only the objects that it was fitted to. Give one "split" in which
    all objects are both fitted and judged: ``cv=[(rows, rows)]``.

    Examples
    --------
    >>> import sortal, numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.model_selection import GridSearchCV
    >>> X = np.array([[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [9.0], [9.2], [9.3]])
    >>> rows = np.arange(len(X))
    >>> search = GridSearchCV(
    ...     AgglomerativeClustering(), {"n_clusters": [2, 3, 4]},
    ...     scoring=sortal.scorer("silhouette"), cv=[(rows, rows)],
    ... )
    >>> search.fit(X).best_params_
    {'n_clusters': 3}
    """
    return Scorer(catalogue[measure].key, metric, noise)
