"""Base of sortal's clusterers: input validation, parameter checks, a warning."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning

from sortal.runtime.validation import InputError, validated
from sortal.typing import ArrayLike


@dataclass(frozen=True)
class ClustererSettings:
    """Tuned numbers of the clusterers."""

    #: tuned: by eye; least variance of a column within a cluster, as a share of its variance
    min_variance: float = 1e-3
    #: tuned: by eye; initial seeds of ORCLUS for each requested cluster
    seeds_per_cluster: int = 5
    #: tuned: by eye; objects for each small cluster from which agglomeration starts
    objects_per_start: int = 15


class BaseClusterer(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the clusterers of dense or sparse rows, or of a matrix if ``metric`` says so."""

    n_clusters: int
    #: tuned numbers, which a subclass may replace
    _tuning: ClassVar[ClustererSettings] = ClustererSettings()
    #: whether sparse rows are accepted, and whether negative values are rejected
    _sparse, _positive = True, False
    #: parameters that count something
    _counts: ClassVar[tuple[str, ...]] = ()

    def _rows(
        self,
        X: ArrayLike,
        *,
        least: int = 1,
        dtype: Sequence[npt.DTypeLike] = (np.float64, np.float32),
    ) -> Any:
        """Validated rows of X; raises for parameters that do not fit them."""
        rows = validated(
            self, X, accept_sparse="csr" if self._sparse else False, dtype=list(dtype),
            ensure_min_samples=least,
        )  # fmt: skip
        values = rows.data if sparse.issparse(rows) else rows
        if self._positive and rows.size and values.min(initial=0) < 0:
            raise InputError(
                f"Negative values in data passed to {type(self).__name__}: rows must be counts, "
                "weights or shares; for embeddings take spherical k-means"
            )
        for name in self._counts:
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < 1:
                raise InputError(f"{name} must be a whole number of at least 1; got {value!r}")
        self._check()
        n = rows.shape[0]
        if not 1 <= self.n_clusters <= n:
            raise InputError(
                f"n_clusters must be between 1 and the {n} objects; got {self.n_clusters}"
            )
        return rows

    def _check(self) -> None:
        """Check the parameters of a subclass."""

    def _warn(self, message: str) -> None:
        """Warn that the clusters are not as requested."""
        warnings.warn(f"{type(self).__name__}: {message}", ConvergenceWarning, stacklevel=3)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        tags.input_tags.positive_only = self._positive
        tags.input_tags.pairwise = getattr(self, "metric", None) in ("precomputed", "graph")
        return tags
