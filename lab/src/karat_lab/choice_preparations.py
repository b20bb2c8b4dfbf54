"""Alternative preparations of the same objects, with their candidates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: units of the scale beyond which the robust preparation cuts off
FARTHEST = 6
#: share of the variance that the whitened components keep
KEPT = 0.95


def preparations(X: NDArray[Any]) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Every preparation of a table without constant columns, by name."""
    from sklearn.decomposition import PCA
    from sklearn.preprocessing import PowerTransformer, RobustScaler, StandardScaler, normalize

    Z = StandardScaler().fit_transform(X)
    axes = PCA(KEPT, svd_solver="full").fit_transform(Z)
    yield "raw", X - X.mean(axis=0)
    yield "standard", Z
    yield "robust", np.clip(RobustScaler(unit_variance=True).fit_transform(X), -FARTHEST, FARTHEST)
    yield "power", PowerTransformer().fit_transform(X)
    yield "whitened", axes / axes.std(axis=0)
    yield "unit rows", normalize(X)
