"""The gap statistic: scatter within clusters compared with null references."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from sortal.labelings.partitions import as_labelings
from sortal.measures.docstrings import cite
from sortal.measures.passes.statistics import Statistics
from sortal.runtime.validation import InputError, check_choice, check_data, check_random_state

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import ArrayLike, Floats, Labels, RandomState

    Codes = NDArray[np.int32]

__all__ = ["GapResult", "gap_statistic"]

ReferenceKind = Literal["box", "pca"]
#: ``clusterer(X, k, seed)`` returns labels
Clusterer: TypeAlias = "Callable[[Any, int, int], Labels]"


@dataclass(frozen=True)
class GapResult:
    """Gap statistics of several numbers of clusters.

    Attributes
    ----------
    table : DataFrame
        A row per k: ``log_scatter`` (log W_k), ``expected`` (its mean over the reference sets),
        ``gap`` (expected − log_scatter) and ``standard_error`` (s_k = sd·√(1 + 1/B), the error of
        simulation).
    first_k : int
        The smallest k with gap(k) ≥ gap(k′) − s_k′ for the next k′ tried (Tibshirani et al.);
        the largest tried k without such a k.
    largest_k : int
        The k of the largest gap.
    labels : dict of int to ndarray
        The clustering of X for each k.
    """

    table: pd.DataFrame
    first_k: int
    largest_k: int
    labels: dict[int, Codes]

    def __str__(self) -> str:
        return (
            f"{self.first_k} clusters by the first gap within one standard error of the next, "
            f"{self.largest_k} by the largest gap\n{self.table.round(4)}"
        )


@cite("tibshirani2001", "yan2007")
def gap_statistic(
    X: ArrayLike,
    clusterer: Clusterer | None = None,
    *,
    k: Iterable[int] = range(1, 11),
    n_references: int = 50,
    reference: ReferenceKind = "box",
    weighted: bool = False,
    random_state: RandomState = 0,
) -> GapResult:
    """Gap statistic: how far log W_k is below its expectation for uniform data.

    Parameters
    ----------
    X : array-like, shape (n, d)
    clusterer : callable, optional
        ``clusterer(X, k, seed)`` returns labels. By default k-means with ten starts.
    k : iterable of int
        Numbers of clusters; 1 may be among them.
    n_references : int
        Number B of reference data sets.
    reference : {"box", "pca"}
        Uniform over the range of each feature, or over that of each principal component
        (gapPC).
    weighted : bool
        W_k weighs a cluster's sum of squared distances by 1/(2∣c∣(∣c∣−1)) (weighted gap), not by
        1/(2∣c∣).
    random_state : int, Generator or None, default 0
        Randomness of the references and the clusterer's seeds.

    Returns
    -------
    GapResult
        Gaps with standard errors, and the k chosen by both rules.

    Notes
    -----
    ``weighted`` is Yan & Ye's. W_k is WWCS1 (WWCS2) of
    squared Euclidean distances: O(n d) by the centroids. B + 1 runs of the clusterer for each k.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal import gap_statistic
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (30, 2)) for c in (0, 2, 4)])
    >>> gap_statistic(X, k=range(1, 6), n_references=10, random_state=0).first_k
    3
    """
    import pandas as pd

    from sortal.nulls import Null

    check_choice(reference, ("box", "pca"), "reference")
    data: Any = check_data(X)
    if hasattr(data, "toarray"):
        raise InputError("the gap statistic needs dense data: its reference data fill a box")
    numbers = sorted({int(number) for number in k})
    if not numbers or numbers[0] < 1 or numbers[-1] >= data.shape[0]:
        raise InputError(f"k must be numbers between 1 and n − 1; got {numbers}")
    if n_references < 2:
        raise InputError(f"n_references must be at least 2; got {n_references}")
    rng = check_random_state(random_state)
    null = Null(data)

    def log_scatter(points: Floats) -> tuple[Floats, list[Codes]]:
        seeds = rng.integers(0, 2**31 - 1, len(numbers))
        batch = _clustered(points, numbers, seeds, clusterer or _kmeans)
        return _log_scatter(points, batch, weighted), batch

    observed, batch = log_scatter(data)
    distribution: Literal["box", "uniform"] = "uniform" if reference == "pca" else "box"
    references = [log_scatter(null.draw(distribution, rng))[0] for _ in range(n_references)]
    expected = np.mean(references, axis=0)
    gap = expected - observed
    error = np.std(references, axis=0) * np.sqrt(1 + 1 / n_references)
    fits = np.flatnonzero(gap[:-1] >= gap[1:] - error[1:])
    columns = {
        "log_scatter": observed, "expected": expected, "gap": gap, "standard_error": error,
    }  # fmt: skip
    return GapResult(
        pd.DataFrame(columns, index=pd.Index(numbers, name="k")),
        numbers[int(fits[0]) if len(fits) else -1],
        numbers[int(np.argmax(gap))],
        dict(zip(numbers, batch, strict=True)),
    )


def _clustered(
    points: Floats, numbers: list[int], seeds: NDArray[np.int64], clusterer: Clusterer
) -> list[Codes]:
    """Labels of a clustering for each number of clusters."""
    return [
        np.zeros(len(points), dtype=np.int32)
        if number == 1
        else np.asarray(clusterer(points, number, int(seed)), dtype=np.int32)
        for number, seed in zip(numbers, seeds, strict=True)
    ]


def _log_scatter(points: Floats, labels: list[Codes], weighted: bool) -> Floats:
    """Log W_k of each clustering."""
    batch = as_labelings(np.stack(labels), noise="drop")
    stats = Statistics(points, batch, ["centroids"])
    scatter = [
        float((s / np.maximum(size - 1, 1)).sum() if weighted else s.sum())
        for s, size in zip(stats.squares, stats.sizes, strict=True)
    ]
    if min(scatter) == 0:
        raise InputError("a clustering has all objects at their centroids; try smaller k")
    return np.log(scatter)


def _kmeans(X: Floats, k: int, seed: int) -> Labels:
    """Labels by k-means with ten starts."""
    from sortal.clusterers.lloyd import MOST_FEATURES, QuickKMeans, as_columns

    if X.shape[1] <= MOST_FEATURES:
        return QuickKMeans("k-means++", 10, 300, 1e-4).labels(as_columns(X), k, seed)
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=10, random_state=seed).fit_predict(X)
