"""Which passes over the data give which statistics, and what a pass costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from karat.runtime.validation import unknown_name

if TYPE_CHECKING:
    from karat.measures.catalogue import Measure

#: statistic -> (the pass that gives it, what it is)
STATISTICS = {
    "pair_sums": ("pairs", "sums of distances within and between, per cluster"),
    "silhouettes": ("pairs", "sum of the objects' silhouettes, per cluster"),
    "nearest": ("pairs", "smallest distance within and between, per cluster"),
    "margins": ("pairs", "sum of nearest within / nearest between, per cluster"),
    "diameters": ("pairs", "largest distance within, per cluster"),
    "inverse_square_sums": ("pairs", "sums of 1/d² within and between, per cluster"),
    "linkages": ("pairs", "sum, minimum and maximum of distances, per pair of clusters"),
    "hausdorff": ("pairs", "largest distance to the nearest object, per pair of clusters"),
    "objects": ("pairs", "silhouette, margin and nearest distances, per object"),
    "centroids": ("centroids", "centroids and the spread around them, per cluster"),
    "squared_silhouettes": ("centroids", "silhouettes of squared Euclidean distance, by identity"),
    "simplified_silhouettes": ("centroids", "silhouettes of distances to centroids"),
    "total_spreads": ("centroids", "sum of distances to the mean of all objects"),
    "cross_spreads": ("centroids", "sums of distances to all centroids, per pair of clusters"),
    "determinants": ("scatter", "determinants of the scatter matrices, tr W⁻¹B, eigenvalues of T"),
    "cluster_determinants": ("scatter", "determinants of each cluster's scatter matrix"),
    "distance_squares": ("squares", "sum of the squared distances of all pairs"),
    "extreme_sums": ("selection", "sums of the smallest and largest |P_w| distances"),
    "concordance": ("ranks", "rank sums of the distances within, and ties"),
    "edges": ("edges", "weights and numbers of edges within and between, degrees, per cluster"),
    "pieces": ("edges", "nodes in the largest connected piece of each cluster"),
    "densities": ("densities", "density at each object, and the share of other clusters in it"),
}
#: statistic -> the attributes of :class:`Statistics` that hold it
GIVES = {
    "pair_sums": ("within_sums", "between_sums"),
    "silhouettes": ("silhouette_sums",),
    "nearest": ("nearest_within", "nearest_between"),
    "margins": ("margin_sums",),
    "diameters": ("diameters",),
    "inverse_square_sums": ("within_inverse", "between_inverse"),
    "linkages": ("linkage_sums", "linkage_minima", "linkage_maxima"),
    "hausdorff": ("hausdorff",),
    "objects": ("objects",),
    "centroids": ("centroids", "squares", "feature_squares", "spreads", "radii"),
    "squared_silhouettes": ("squared_silhouette_sums",),
    "simplified_silhouettes": ("simplified_silhouette_sums",),
    "total_spreads": ("total_spreads",),
    "cross_spreads": ("cross_spreads",),
    "determinants": ("scatter",),
    "cluster_determinants": ("scatter",),
    "distance_squares": ("distance_squares",),
    "extreme_sums": ("smallest_sums", "largest_sums"),
    "concordance": ("concordant", "discordant", "tied"),
    "edges": ("edge_sums",),
    "pieces": ("largest_pieces",),
    "densities": ("densities", "density_radii"),
}
#: the attributes that are lists or arrays, an entry for each clustering
LISTS = {one for attributes in GIVES.values() for one in attributes} - {"objects"}
#: those that extend to objects with weights
WEIGHTED = frozenset(
    need for need, (name, _) in STATISTICS.items() if name in ("pairs", "centroids")
)
#: those that are functions of centroids where the distance is squared Euclidean
OF_CENTROIDS = frozenset({"pair_sums", "silhouettes"})
COSTS = {
    "pairs": "O(n² d)",
    "centroids": "O(n d), times k for silhouettes, for each clustering",
    "scatter": "O(n d² + d³) for each clustering, times k for each cluster's d³",
    "squares": "O(n d) for Euclidean distances, otherwise O(n² d)",
    "selection": "two to four passes of O(n² d)",
    "ranks": "O(n² log n + n² M), a pass of O(n² d) for every few million pairs",
    "edges": "O(edges) for each clustering",
    "densities": "three passes of O(n² d) and n² M, n memory for each clustering",
}
WITH_PRECISION = {
    "objects": "estimated from a sample of the objects",
    "pairs": "estimated from a sample of the pairs",
    "exact": "always exact",
    "": "no estimate",
}


def takes_weights(measure: Measure) -> bool:
    """Whether a measure extends to objects with weights."""
    return measure.kind == "external" or (bool(measure.needs) and measure.needs <= WEIGHTED)


@dataclass(frozen=True)
class Plan:
    """The passes over the data that some measures need.

    Attributes
    ----------
    n_objects, n_clusterings : int
    metric : str
    passes : dict of str to tuple of str
        Pass -> the statistics that it gives.
    measures : dict of str to tuple of str
        Measure -> the statistics that it reads.
    sampled : dict of str to str
        Measure -> what it is estimated from where a precision is given: ``"objects"`` or
        ``"pairs"``; ``"exact"`` where it takes no sample. Others have no estimate.
    """

    n_objects: int
    n_clusterings: int
    metric: str
    passes: dict[str, tuple[str, ...]]
    measures: dict[str, tuple[str, ...]]
    sampled: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [
            f"{self.n_clusterings} clustering{'s' * (self.n_clusterings != 1)} of "
            f"{self.n_objects:,} objects, {self.metric} distance: {len(self.passes)} "
            f"kind{'s' * (len(self.passes) != 1)} of passes over the data"
        ]
        for name, statistics in self.passes.items():
            lines.append(f"  {name}: {COSTS[name]}")
            for statistic in statistics:
                readers = [key for key, reads in self.measures.items() if statistic in reads]
                lines.append(f"    {statistic} ({STATISTICS[statistic][1]})")
                lines.append(f"      for {', '.join(readers)}")
        alone = [key for key, reads in self.measures.items() if not reads]
        if alone:
            lines.append(f"  a computation of their own: {', '.join(alone)}")
        lines.append("  with precision:")
        for way, title in WITH_PRECISION.items():
            keys = [key for key in self.measures if self.sampled.get(key, "") == way]
            if keys:
                lines.append(f"    {title}: {', '.join(keys)}")
        return "\n".join(lines)


def group(
    needs: Iterable[str], metric: Any = "euclidean", *, sparse: bool = False
) -> dict[str, tuple[str, ...]]:
    """The passes for these statistics, in the order in which they are made.

    Sums of squared Euclidean distances come from centroids, unless there is a pass over the
    pairs anyway, or the data is sparse: then the identities lose digits far from the origin.
    """
    passes: dict[str, tuple[str, ...]] = {}
    wanted = set(needs)
    for need in wanted - set(STATISTICS):
        raise unknown_name(need, STATISTICS, "statistic")
    of_pairs = {need for need in wanted if STATISTICS[need][0] == "pairs"}
    by_identity = of_pairs if metric == "sqeuclidean" and not sparse else set()
    if not of_pairs <= OF_CENTROIDS:
        by_identity = set()
    for need, (name, _) in STATISTICS.items():
        if need in wanted:
            name = "centroids" if need in by_identity else name
            passes[name] = (*passes.get(name, ()), need)
    return passes
