"""Estimates from a sample of the objects, each with all its distances.

Of each sampled object the sums, silhouette and margin are exact; what is estimated are their
totals over the clusters. A sampled measure is then computed from the totals as from exact ones.
Standard errors come from the bootstrap of Rao & Wu (1988) within the clusters, with the
finite-population correction, so that they hold for ratios and other functions of totals too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import as_distances
from karat.measures._catalogue import Measure
from karat.measures._pair_pass import pair_pass
from karat.measures.statistics import Statistics
from karat.partition import NOISE, Labelings
from karat.validation import Data, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PILOT = 512
REPLICATES = 200
#: statistics that are totals over objects
TOTALS = {"pair_sums", "silhouettes", "margins", "inverse_square_sums"}


def can_be_sampled(measure: Measure) -> bool:
    """Whether an internal measure is a function of totals over the objects."""
    return bool(measure.needs) and measure.needs <= TOTALS


class Sample:
    """Objects drawn so far, with their own exact sums.

    One clustering: drawn within the clusters in proportion to their sizes, at least two (or all)
    of each. Several: drawn at random, and weighted by cluster afterwards.
    """

    def __init__(
        self,
        X: Data,
        labelings: Labelings,
        measures: Sequence[Measure],
        metric: Any,
        rng: np.random.Generator,
    ) -> None:
        self.distances = as_distances(X, metric)
        self.X, self.labelings, self.metric, self.measures = X, labelings, metric, measures
        self.needs = frozenset().union(*(measure.needs for measure in measures))
        self.rng = rng
        self.order = self._draw_order()
        self.size = 0
        self.objects = np.empty((len(labelings), 0, 8))

    def _draw_order(self) -> NDArray[np.int64]:
        """All objects in the order in which they are drawn."""
        n = self.labelings.n_objects
        order = self.rng.permutation(n)
        if len(self.labelings) > 1:
            return order
        codes = self.labelings.codes[0][order]
        rank = np.empty(n)
        for c, size in enumerate(self.labelings.sizes(0)):
            members = np.flatnonzero(codes == c)
            # systematic within the cluster: every prefix holds its share of each cluster
            rank[members] = (np.arange(size) + self.rng.random()) / size
            rank[members[:2]] = -1
        rank[codes == NOISE] = np.inf
        return order[np.argsort(rank, kind="stable")]

    @property
    def most(self) -> int:
        """Number of objects that can be drawn."""
        if len(self.labelings) > 1:
            return self.labelings.n_objects
        return int((self.labelings.codes[0] != NOISE).sum())

    def grow(self, size: int) -> None:
        """Draw until there are ``size`` objects."""
        size = min(size, self.most)
        new = self.order[self.size : size]
        found = pair_pass(
            self.distances,
            self.labelings,
            sums=bool(self.needs & {"pair_sums", "silhouettes"}),
            minima="margins" in self.needs,
            inverses="inverse_square_sums" in self.needs,
            objects=True,
            sample=new,
        )
        assert found.objects is not None
        self.objects = np.concatenate([self.objects, found.objects[:, new]], axis=1)
        self.size = size

    def values(self, replicate: np.random.Generator | None = None) -> Floats:
        """(M, measures): the estimates, or those of one bootstrap replicate."""
        stats = Statistics(self.X, self.labelings, (), metric=self.metric)
        drawn = self.order[: self.size]
        for m, sizes in enumerate(stats.sizes):
            own = self.labelings.codes[m, drawn]
            kept = own != NOISE
            weights = np.ones(int(kept.sum()))
            own, values = own[kept], self.objects[m, kept]
            counts = np.bincount(own, minlength=len(sizes))
            if replicate is not None:
                weights = _rao_wu_weights(own, counts, sizes, replicate)
            summed = [np.bincount(own, weights * column, len(sizes)) for column in values.T]
            # clusters that no object was drawn from take the others' mean
            seen = counts > 0
            means: Any = np.stack(summed, axis=1) / np.maximum(counts, 1)[:, None]
            if not seen.all():
                means[~seen] = sizes[seen] @ means[seen] / sizes[seen].sum()
            totals = means * sizes[:, None]
            for target, column in (
                (stats.silhouette_sums, totals[:, 0]),
                (stats.margin_sums, totals[:, 1]),
                (stats.within_sums, totals[:, 4] / 2),
                (stats.between_sums, totals[:, 5]),
                (stats.within_inverse, totals[:, 6] / 2),
                (stats.between_inverse, totals[:, 7]),
            ):
                target.append(column)
        columns = []
        for measure in self.measures:
            stats.undefined = {}
            assert measure.compute is not None
            columns.append(measure.compute(stats))
        self.undefined = stats.undefined
        return np.stack(columns, axis=1)

    def standard_errors(self) -> Floats:
        """(M, measures): bootstrap standard errors; 0 where every object was drawn."""
        if self.size == self.most:
            return np.zeros((len(self.labelings), len(self.measures)))
        rng = np.random.default_rng(0)
        with np.errstate(invalid="ignore", over="ignore"):
            return np.std([self.values(rng) for _ in range(REPLICATES)], axis=0, ddof=1)


def _rao_wu_weights(
    own: NDArray[np.int32],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    rng: np.random.Generator,
) -> Floats:
    order = np.argsort(own, kind="stable")
    starts = np.concatenate([[0], np.cumsum(counts)])
    # as many draws with replacement from each cluster as it has objects in the sample
    picks = starts[own[order]] + (rng.random(len(own)) * counts[own[order]]).astype(np.int64)
    times = np.bincount(picks, minlength=len(own))
    share = counts / sizes
    scale = np.sqrt((1 - share) * counts / np.maximum(counts - 1, 1))
    weights = np.empty(len(own))
    weights[order] = 1 + scale[own[order]] * (times - 1)
    return weights


def estimate(
    X: Data,
    labelings: Labelings,
    measures: Sequence[Measure],
    *,
    precision: float,
    metric: Any,
    rng: np.random.Generator,
) -> tuple[Floats, Floats, int]:
    """Estimates and standard errors (M, measures), and the number of objects drawn.

    The sample grows until every standard error is at most ``precision``, or, for measures whose
    range has no bound, ``precision`` times the value.
    """
    if not 0 < precision < 1:
        raise InputError(f"precision is a standard error between 0 and 1; got {precision}")
    sample = Sample(X, labelings, measures, metric, rng)
    bounded = np.array([math.isfinite(m.range[0]) and math.isfinite(m.range[1]) for m in measures])
    sample.grow(max(PILOT, 4 * int(labelings.n_clusters.max())))
    while True:
        values, errors = sample.values(), sample.standard_errors()
        target = np.where(bounded, precision, precision * np.abs(values))
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(errors > 0, errors / target, 0.0)
        worst = float(np.nanmax(np.where(np.isfinite(values), ratio, 0.0), initial=0.0))
        if worst <= 1 or sample.size == sample.most:
            return values, errors, sample.size
        # at most fourfold at a time: the pilot's own error is large
        sample.grow(min(math.ceil(sample.size * worst**2 * 1.05) + 16, 4 * sample.size))
