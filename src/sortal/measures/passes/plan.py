"""Passes over the data that compute the shared statistics."""

from __future__ import annotations

from collections.abc import Iterable

from sortal.runtime.validation import unknown_name
from sortal.typing import Metric

#: statistic -> (its pass, its content)
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
    "determinants": ("scatter", "determinants of the scatter matrices, eigenvalues of T"),
    "distance_squares": ("squares", "sum of the squared distances of all pairs"),
    "extreme_sums": ("selection", "sums of the smallest and largest |P_w| distances, within, all"),
    "concordance": ("ranks", "rank sums of the distances within, and ties"),
    "edges": ("edges", "weights and numbers of edges within and between, degrees, per cluster"),
}
#: statistic -> its attributes of :class:`Statistics`
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
    "distance_squares": ("distance_squares",),
    "extreme_sums": ("smallest_sums", "largest_sums", "totals_within", "totals"),
    "concordance": ("concordant", "discordant", "tied"),
    "edges": ("edge_sums",),
}
#: attributes that are lists or arrays with an entry for each clustering
LISTS = {name for names in GIVES.values() for name in names} - {"objects"}
#: statistics that extend to objects with weights
WEIGHTED = frozenset(
    need for need, (name, _) in STATISTICS.items() if name in ("pairs", "centroids")
)
#: statistics that follow from centroids under squared Euclidean distance
OF_CENTROIDS = frozenset({"pair_sums", "silhouettes"})


def group(
    needs: Iterable[str], metric: Metric = "euclidean", *, sparse: bool = False
) -> dict[str, tuple[str, ...]]:
    """Passes that compute these statistics, in order of execution.

    Sums of squared Euclidean distances come from centroids, unless a pass over the pairs is needed
    anyway. Sparse data also use the pairs, because the identities lose digits far from the origin.
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
