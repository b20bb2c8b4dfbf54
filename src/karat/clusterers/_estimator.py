"""What the clusterers share as estimators: the rows that they take, checks, a warning."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning

from karat.runtime.validation import InputError, validated


class Estimator(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """A clusterer of dense or sparse rows, or of a matrix where its ``metric`` says so."""

    n_clusters: int
    #: whether sparse rows are taken, and whether negative values are rejected
    _sparse, _positive = True, False
    #: parameters that count something
    _counts: tuple[str, ...] = ()

    def _rows(self, X: Any, *, least: int = 1, dtype: Any = (np.float64, np.float32)) -> Any:
        """The rows of X, once the parameters are known to fit them."""
        X = validated(
            self, X, accept_sparse="csr" if self._sparse else False, dtype=list(dtype),
            ensure_min_samples=least,
        )  # fmt: skip
        for name in self._counts:
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < 1:
                raise InputError(f"{name} must be a whole number of at least 1; got {value!r}")
        self._check()
        if not 1 <= self.n_clusters <= X.shape[0]:
            raise InputError(
                f"n_clusters must be between 1 and the {X.shape[0]} objects; got {self.n_clusters}"
            )
        return X

    def _check(self) -> None:
        """Other parameters."""

    def _warn(self, told: str) -> None:
        """Say that the clusters are not what was asked for."""
        warnings.warn(f"{type(self).__name__}: {told}", ConvergenceWarning, stacklevel=3)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        tags.input_tags.positive_only = self._positive
        tags.input_tags.pairwise = getattr(self, "metric", None) in ("precomputed", "graph")
        return tags
