"""The consensus matrix: how often two objects that were drawn together share a cluster."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np

from sortal.runtime.resources import require_memory
from sortal.runtime.threads import in_strips
from sortal.runtime.validation import InputError
from sortal.stability.engine import (
    ResamplingOptions,
    check_draws,
    check_numbers,
    prepare,
    subsample,
)
from sortal.stability.result import Tabled

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.stability.engine import ClustererLike
    from sortal.typing import ArrayLike

#: limit of cost: saves finer histograms of the consensus
BINS = 100
#: limit of cost: saves memory; rows of the matrix at a time
MATRIX_ROWS = 64
#: derived: from a byte, of which one value marks objects that were not drawn
MAX_CLUSTERS = 2**8 - 2


@dataclass(frozen=True)
class Consensus(Tabled):
    """Clusterings of many subsamples, and the consensus of each pair of objects.

    Attributes
    ----------
    table : DataFrame
        A row per k:

        - ``area`` under the distribution of the consensus, and ``delta_area``, its relative growth
          from the k before (for the first k the area itself)
        - ``ambiguous`` (PAC): share of pairs with a consensus from 0.1 to 0.9; lower is better
        - ``never``: share of pairs without a consensus, never drawn together
    labels : dict of int to ndarray of uint8, shape (B, n)
        For each k the clusters in each subsample; 255 where an object was not drawn.
    """

    table: pd.DataFrame
    labels: dict[int, NDArray[np.uint8]]

    def rows(self, k: int, first: int, last: int) -> NDArray[np.float32]:
        """Rows first..last of the matrix for k clusters; NaN for pairs never drawn together."""
        from sortal._kernels.consensus import consensus_rows

        labels = self.labels[k]
        together = np.empty((last - first, labels.shape[1]), dtype=np.uint16)
        both = np.empty_like(together)
        consensus_rows(labels, first, last, together, both)
        with np.errstate(invalid="ignore"):
            return np.divide(together, both, dtype=np.float32)

    def matrix(self, k: int) -> NDArray[np.float32]:
        """The whole matrix, shape (n, n), where memory allows."""
        n = self.labels[k].shape[1]
        require_memory(4.0 * n * n, f"the consensus matrix of {n:,} objects", "use rows()")
        out = np.empty((n, n), dtype=np.float32)

        def work(start: int, stop: int) -> None:
            for i in range(start, stop, MATRIX_ROWS):
                end = min(i + MATRIX_ROWS, stop)
                out[i:end] = self.rows(k, i, end)

        in_strips(work, n)
        return out

    def order(self, k: int) -> NDArray[np.int64]:
        """Objects in the order of the dendrogram of average linkage on 1 − consensus."""
        import fastcluster
        from scipy.cluster.hierarchy import leaves_list
        from scipy.spatial.distance import squareform

        apart = 1 - np.nan_to_num(self.matrix(k), nan=0.0)
        np.fill_diagonal(apart, 0)
        condensed = squareform(apart, checks=False).astype(np.float64)
        return np.asarray(leaves_list(fastcluster.linkage(condensed, "average")), dtype=np.int64)

    @property
    def headline(self) -> str:
        """The number of clusters with the fewest ambiguous pairs."""
        best = self.table["ambiguous"].idxmin()
        return (
            f"Consensus of {len(next(iter(self.labels.values())))} subsamples: fewest ambiguous "
            f"pairs for {best} clusters; compare with a null before believing it"
        )


def consensus_matrix(
    X: ArrayLike,
    clusterer: ClustererLike = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 11),
    n_resamples: int = 100,
    fraction: float = 0.8,
    **options: Unpack[ResamplingOptions],
) -> Consensus:
    """Cluster many subsamples, and count how often pairs of objects stay together.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    clusterer : str, Clusterer or estimator
    k : int or iterable of int
    n_resamples : int
        Subsamples, at most 65,535; drawn without replacement, so no object is there twice.
    fraction : float
        Share of the objects in each.
    **options
        As for :func:`prediction_strength`.

    Returns
    -------
    Consensus
        ``table`` for all k; ``matrix(k)`` and ``rows(k, i, j)`` on demand.

    Notes
    -----
    Monti, Tamayo, Mesirov & Golub 2003; the share of ambiguous pairs is Șenbabaoğlu, Michailidis
    & Li 2014, who show that consensus matrices look crisp on data without clusters too. O(B n²)
    byte comparisons for each k; memory O(B n), since no n×n matrix is stored.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal.stability import consensus_matrix
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> int(consensus_matrix(X, k=range(2, 6), n_resamples=20).table["ambiguous"].idxmin())
    3
    """
    import pandas as pd

    engine = prepare(X, clusterer, **options)
    check_draws(n_resamples, fraction)
    if n_resamples > 65535:
        raise InputError(f"n_resamples must be at most 65535; got {n_resamples}")
    numbers = check_numbers(k, round(fraction * engine.n))

    def labels_of(b: int) -> tuple[NDArray[np.uint8], ...]:
        rng = engine.generator(b)
        rows = subsample(engine.n, fraction, rng)
        out = []
        for labels in engine.fit(rows, numbers, rng):
            # outliers share no cluster: as objects that were not drawn
            if labels.max(initial=0) >= MAX_CLUSTERS:
                raise InputError(f"a consensus matrix takes at most {MAX_CLUSTERS} clusters")
            full = np.full(engine.n, 255, dtype=np.uint8)
            full[rows] = np.where(labels < 0, 255, labels)
            out.append(full)
        return tuple(out)

    outcomes = engine.map(labels_of, range(n_resamples))
    labels = {number: np.stack([row[i] for row in outcomes]) for i, number in enumerate(numbers)}
    rows = []
    previous = None
    for number in numbers:
        counts, missed = _histogram(labels[number])
        share = np.cumsum(counts) / max(int(counts.sum()), 1)
        # Σ (x_i − x_{i−1}) CDF(x_i)
        area = float(share.mean())
        inner = int(counts[BINS // 10 : BINS * 9 // 10].sum())
        rows.append(
            {
                "area": area,
                "delta_area": area if previous is None else (area - previous) / previous,
                "ambiguous": inner / max(int(counts.sum()), 1),
                "never": missed / (engine.n * (engine.n - 1) / 2),
            }
        )
        previous = area
    return Consensus(pd.DataFrame(rows, pd.Index(numbers, name="k")), labels)


def _histogram(labels: NDArray[np.uint8]) -> tuple[NDArray[np.int64], int]:
    """Counts of the consensus of all pairs, and the number of pairs never drawn together."""
    from sortal._kernels.consensus import consensus_histogram, consensus_rows

    n = labels.shape[1]
    histograms: list[tuple[NDArray[np.int64], int]] = []

    def work(start: int, stop: int) -> None:
        counts, missed = np.zeros(BINS, dtype=np.int64), 0
        together = np.empty((MATRIX_ROWS, n), dtype=np.uint16)
        both = np.empty_like(together)
        for i in range(start, stop, MATRIX_ROWS):
            m = min(MATRIX_ROWS, stop - i)
            consensus_rows(labels, i, i + m, together[:m], both[:m])
            missed += consensus_histogram(together[:m], both[:m], i, counts)
        histograms.append((counts, missed))

    in_strips(work, n)
    return np.sum([counts for counts, _ in histograms], axis=0), sum(
        missed for _, missed in histograms
    )
