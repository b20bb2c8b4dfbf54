"""The choice of a clustering as an estimator of scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from karat.runtime.validation import validated
from karat.study.study import Study

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


class ChosenClustering(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    ClusterMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Try many clusterings, choose one, and predict with it.

    Parameters
    ----------
    clusterers : str, estimator, list or mapping, optional
        What is tried, see :meth:`karat.Study.sweep`; by default what suits the data.
    k : int or iterable of int, default 2 to 10
        Numbers of clusters.
    n_init : int, default 5
        Starts for each k.
    metric : str or callable, default "euclidean"
    by : str, optional
        What decides; by default the learned judge.
    workers : int, default 1
        Local processes.
    random_state : int, default 0

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
        ``-1`` for outliers.
    answer_ : Answer
        The clustering, and all that is known of it.
    n_clusters_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where the features have names.

    See Also
    --------
    karat.Study : The same with all scores, and resumable.

    Examples
    --------
    >>> import karat
    >>> X = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [9.0], [9.2], [9.3]]
    >>> chosen = karat.ChosenClustering(["average", "ward"], k=[2, 3, 4]).fit(X)
    >>> chosen.n_clusters_, chosen.predict([[5.2], [8.8]])
    (3, array([1, 2], dtype=int32))
    """

    def __init__(
        self,
        clusterers: Any = None,
        *,
        k: int | Iterable[int] = (2, 3, 4, 5, 6, 7, 8, 9, 10),
        n_init: int = 5,
        metric: Any = "euclidean",
        by: str | None = None,
        workers: int = 1,
        random_state: int = 0,
    ) -> None:
        self.clusterers = clusterers
        self.k = k
        self.n_init = n_init
        self.metric = metric
        self.by = by
        self.workers = workers
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> ChosenClustering:
        """Cluster in many ways, and choose; ``y`` is ignored."""
        X = self._validated(X, reset=True)
        seed = 0 if self.random_state is None else self.random_state
        with Study(X, metric=self.metric, by=self.by, random_state=seed) as study:
            study.sweep(
                self.clusterers, k=self.k, n_init=self.n_init, workers=self.workers, progress=False
            )
            study.evaluate(progress=False)
            self.answer_ = study.best()
        self.labels_ = self.answer_.labels
        self.n_clusters_ = self.answer_.n_clusters
        self._n_features_out = self.n_clusters_
        return self

    def predict(self, X: Any) -> NDArray[np.int32]:
        """The clusters of objects (m,); ``answer_.predict`` has the confidence, too."""
        check_is_fitted(self)
        return self.answer_.predict(self._validated(X, reset=False)).labels

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Distances (m, k) to the centres of the clusters."""
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        return self.answer_.model.rule.to_centers(self.answer_.model.prepare(X).X)

    def _validated(self, X: Any, *, reset: bool) -> Any:
        """Rows that scikit-learn has validated; ``reset`` stores the number of features."""
        return validated(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset,
            ensure_min_samples=2 if reset else 1,
        )  # fmt: skip

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
