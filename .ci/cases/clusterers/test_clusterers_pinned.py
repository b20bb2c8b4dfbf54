"""Everything that a fit learns on small groups far apart, so that nothing changes unseen."""

from __future__ import annotations

import warnings
from functools import cache
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import sklearn.cluster
from pinning import Pins
from scipy import sparse
from sklearn.cluster import DBSCAN, KMeans, MiniBatchKMeans
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sortal.clusterers as cl
from sortal.clusterers import (
    _bessel,
    _catalogue,
    _metric_adapter,
    _record,
    _sparse_rows,
    criterion,
    factorizations,
    genie,
    hdbscan,
    kmedoids,
    linkage,
    lloyd,
    mixed_mixture,
    orclus,
    spectral,
    spherical,
)


def learned(estimator: Any, X: Any, new: Any = None) -> dict[str, Any]:
    """What a fit learns, without signs, what it warns of, and what it predicts."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(X)
    facts: dict[str, Any] = {"warned": [str(one.message) for one in caught]}
    for name, value in vars(estimator).items():
        if (
            name.endswith("_")
            and not name.startswith("_")
            and name not in ("n_features_in_", "estimator_")
        ):
            facts[name] = np.abs(value) if isinstance(value, np.ndarray | float) else value
    for name in ("predict", "posterior", "score"):
        if new is not None and hasattr(estimator, name):
            facts[name] = getattr(estimator, name)(new)
    return facts


def under(key: str, metric: str) -> str:
    """A clusterer's key under a distance, or why it does not take it."""
    try:
        return str(cl.under(cl.catalogue[key], metric).key)
    except cl.ExcludedError as error:
        return str(error)


def attempted(function: Any, *arguments: Any, **options: Any) -> Any:
    """What a call gives, or its error."""
    try:
        return function(*arguments, **options)
    except (ValueError, TypeError, LookupError) as error:
        return f"{type(error).__name__}: {error}"


@cache
def names() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(24) % 3
    topics = rng.poisson(0.15, size=(24, 12)) + rng.poisson(2.5, size=(24, 12)) * (
        np.arange(12) % 3 == y[:, None]
    )
    topics[5] = 0
    A = sparse.csr_array((y[:, None] == y).astype(float) - np.eye(24))
    far = rng.normal(size=(24, 3)) + 20.0 * np.eye(3)[y]
    return {
        "attempted": attempted, "nmf": factorizations, "pca": factorizations, "memberships": _metric_adapter, "metric_support": _record, "hdbscan": hdbscan,

        **{module.__name__.rpartition(".")[2].lstrip("_"): module for module in (
            _bessel, _catalogue, _record, _sparse_rows, criterion, genie, kmedoids,
            linkage, lloyd, mixed_mixture, orclus, spectral, spherical)},
        "cl": cl, "np": np, "sparse": sparse, "learned": learned, "Some": Some, "y": y, "far": far, "sk": sklearn.cluster,
        "D": np.abs(far[:, None] - far).sum(axis=2), "T": sparse.csr_array(topics.astype(float)), "A": A, "rng": np.random.default_rng,
        "mixed": np.column_stack([far[:, 0], y == 0, y == 1, y == 2, np.arange(24) % 8 > 0, np.ones(24), rng.normal(size=24)]).astype(float),
        "DBSCAN": DBSCAN, "KMeans": KMeans, "MiniBatchKMeans": MiniBatchKMeans, "GaussianMixture": GaussianMixture,
        "pipe": lambda: make_pipeline(StandardScaler(), KMeans(3)), "far2": np.concatenate([far, far + 500]),
        "under": under, "lone": sparse.block_diag([np.kron(np.eye(2), np.ones((4, 4))) - np.eye(8) + np.eye(8, k=4) * (np.arange(8) == 4) + np.eye(8, k=-4) * (np.arange(8) == 0), sparse.csr_array((2, 2))]).tocsr(), "path": sparse.csr_array(np.eye(12, k=1) + np.eye(12, k=-1)),
    }  # fmt: skip


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
