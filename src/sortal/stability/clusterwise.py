"""Stability of single clusters in resamples of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from sortal.labelings.labels import encode
from sortal.runtime.validation import InputError
from sortal.stability._agreement import best_matches
from sortal.stability.engine import ResamplingOptions, check_draws, check_numbers, prepare
from sortal.stability.result import ClusterStability

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.stability.engine import ClustererLike
    from sortal.typing import ArrayLike, Labels

#: derived: from Hennig 2007, section 4; similarity from which a cluster is found again, and up to
#: which it is dissolved
RECOVERED, DISSOLVED = 0.75, 0.5
#: derived: from a byte that has 0 or 1 for objects of a resample; mark of the others
NOT_DRAWN = -1
#: limit of cost: saves further fits to all objects from other seeds
REFITS = 5


def clusterwise_bootstrap(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    k: int = 3,
    labels: Labels | None = None,
    n_resamples: int = 100,
    **options: Unpack[ResamplingOptions],
) -> ClusterStability:
    """Mean Jaccard similarity of each cluster with the most similar one of each resample.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    clusterer : str, Clusterer or estimator
    k : int
        The swept parameter's value, usually the number of clusters.
    labels : array-like, shape (n,), optional
        The clustering to judge; by default the clusterer's own on all objects.
    n_resamples : int
        As many objects as there are are drawn with replacement, each kept once however often it
        was drawn, since copies would make clusters of their own.
    **options
        As for :func:`prediction_strength`.

    Returns
    -------
    ClusterStability
        Per cluster and per object. A mean below 0.6 is no cluster to believe in, 0.75 and more is
        a stable one (Hennig 2007).

    Notes
    -----
    Hennig 2007; ``clusterboot`` of R's fpc with its default ``multipleboot=FALSE``. n_resamples + 1
    fits, and five more where the clusterer has a seed: what changes with it on the same objects is
    no property of the data.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.stability import clusterwise_bootstrap
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> clusterwise_bootstrap(X, k=3, n_resamples=20).advice
    'Every cluster is found again in the resamples (mean Jaccard at least 0.75).'
    """
    engine = prepare(X, clusterer, **options)
    check_draws(n_resamples)
    (number,) = check_numbers(k, engine.n)
    if labels is None:
        codes = engine.fit(None, [number], engine.generator(2**32 - 1))[0]
    else:
        codes = encode(labels).codes
        if len(codes) != engine.n:
            raise InputError(f"labels has {len(codes)} labels, but there are {engine.n} objects")
    codes = np.asarray(codes, dtype=np.int32)
    n_clusters = int(codes.max(initial=-1)) + 1
    if n_clusters == 0:
        raise InputError("every object is an outlier, so there is no cluster to judge")

    def resample(b: int) -> tuple[NDArray[Any], ...]:
        rng = engine.generator(b)
        rows = np.unique(rng.integers(0, engine.n, engine.n))
        labels = engine.fit(rows, [number], rng)[0]
        best, stayed = best_matches(codes[rows], labels, n_clusters)
        objects = np.full(engine.n, NOT_DRAWN, dtype=np.int8)
        objects[rows] = stayed
        return best, objects, np.array(int(labels.max(initial=-1)) + 1)

    def refit(r: int) -> tuple[NDArray[Any]]:
        labels = engine.fit(None, [number], engine.generator(2**32 - 2 - r))[0]
        return (best_matches(codes, labels, n_clusters)[0],)

    refits = None
    if labels is None and engine.clusterer.depends_on_seed:
        again = engine.map(refit, range(REFITS))
        refits = np.min([best for (best,) in again], axis=0)
    outcomes = engine.map(resample, range(n_resamples))
    values = np.stack([best for best, *_ in outcomes])
    marks = np.stack([objects for _, objects, _ in outcomes])
    marks[:, codes < 0] = NOT_DRAWN
    stayed, seen = (marks == 1).sum(axis=0), (marks != NOT_DRAWN).sum(axis=0)
    frame = _table(values, np.bincount(codes[codes >= 0], minlength=n_clusters))
    objects = np.divide(stayed, seen, out=np.full(engine.n, np.nan), where=seen > 0)
    counts = np.array([int(count) for *_, count in outcomes])
    return ClusterStability(frame, codes, objects, n_resamples, counts, refits)


def _table(values: NDArray[np.float64], sizes: NDArray[np.int64]) -> pd.DataFrame:
    """Summary of each cluster's similarities over the resamples."""
    import pandas as pd

    seen = (~np.isnan(values)).sum(axis=0)
    n_resamples = np.maximum(seen, 1)
    mean = np.where(seen > 0, np.nansum(values, axis=0) / n_resamples, np.nan)
    error = np.sqrt(np.nansum(np.square(values - mean), axis=0)) / n_resamples
    return pd.DataFrame(
        {
            "size": sizes,
            "jaccard": mean,
            "standard_error": np.where(seen > 0, error, np.nan),
            "recovered": (values >= RECOVERED).sum(axis=0) / n_resamples,
            "dissolved": (values <= DISSOLVED).sum(axis=0) / n_resamples,
        },
        index=pd.Index(range(len(sizes)), name="cluster"),
    )
