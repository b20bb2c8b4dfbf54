"""A scikit-learn estimator that sweeps clusterings and chooses one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from sortal.runtime.validation import check_random_state, validated
from sortal.study.study import Study

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from sortal.study.request import Clusterers
    from sortal.typing import ArrayLike, Floats, Metric, RandomState, Rows


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
        Clusterers to try, see :meth:`sortal.Study.sweep`; the default suits the data.
    n_clusters : int or iterable of int, optional
        Numbers of clusters, see :meth:`sortal.Study.sweep`; the default suits the data.
    n_init : int, default 5
        Starts for each number of clusters.
    metric : str or callable, default "euclidean"
    by : str, optional
        What decides; by default the learned judge.
    n_jobs : int, optional
        Local processes. None is 1 unless in a :func:`joblib.parallel_config` context; -1 uses all
        processors.
    random_state : int, RandomState, Generator or None, default 0
        None gives different results in every call of ``fit``.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
        ``-1`` for outliers.
    answer_ : Answer
        The clustering, with all facts about it.
    n_clusters_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if the features have names.

    See Also
    --------
    sortal.Study : The same with all scores, and resumable.

    Examples
    --------
    >>> import sortal
    >>> X = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [9.0], [9.2], [9.3]]
    >>> chosen = sortal.ChosenClustering(["average", "ward"], n_clusters=[2, 3, 4]).fit(X)
    >>> chosen.n_clusters_, chosen.predict([[5.2], [8.8]])
    (3, array([1, 2], dtype=int32))
    """

    def __init__(
        self,
        clusterers: Clusterers | None = None,
        *,
        n_clusters: int | Iterable[int] | None = None,
        n_init: int = 5,
        metric: Metric = "euclidean",
        by: str | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.clusterers = clusterers
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.metric = metric
        self.by = by
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> ChosenClustering:
        """Cluster in many ways, and choose; ``y`` is ignored."""
        rows = self._validated(X, reset=True)
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).integers(2**31)
        with Study(rows, metric=self.metric, by=self.by, random_state=int(seed)) as study:
            study.sweep(
                self.clusterers,
                k=self.n_clusters,
                n_init=self.n_init,
                workers=effective_n_jobs(self.n_jobs),
                progress=False,
            )
            self.answer_ = study.best(progress=False)
        self.labels_ = self.answer_.labels
        self.n_clusters_ = self.answer_.n_clusters
        self._n_features_out = self.n_clusters_
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.int32]:
        """The clusters of objects (m,); ``answer_.predict`` gives the confidence, too."""
        check_is_fitted(self)
        return self.answer_.predict(self._validated(X, reset=False)).labels

    def transform(self, X: ArrayLike) -> Floats:
        """Distances (m, k) to the centres of the clusters."""
        check_is_fitted(self)
        rows = self._validated(X, reset=False)
        return self.answer_.model.rule.to_centers(self.answer_.model.prepare(rows).X)

    def _validated(self, X: ArrayLike, *, reset: bool) -> Rows:
        """The data as validated rows; the first call sets the expected features."""
        return validated(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset,
            ensure_min_samples=2 if reset else 1,
        )  # fmt: skip

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
