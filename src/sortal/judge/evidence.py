"""Evidence about candidate partitions without labels, and anchors to compare them with."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from sortal.judge.likelihood import (
    LIKELIHOOD_NAMES,
    likelihood_evidence,
    memory_slices,
    principal_axes,
)
from sortal.judge.settings import EVIDENCE, EvidenceSettings
from sortal.runtime.threads import in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Bools, Floats, Ints, Metric, Rows


S = TypeVar("S")
T = TypeVar("T")

#: limit of cost: saves further coordinates of lines, samples and null sets
MAX_DIMENSIONS = 30
#: limit of cost: saves neighbours and trees of wide data: features above which dense data are
#: projected, as sparse data are, and latent dimensions
MAX_DENSE_FEATURES, LATENT_DIMENSIONS = 1000, 100
#: limit of cost: saves distances to further landmarks of data whose distance is not Euclidean
MAX_LANDMARKS = 500
#: limit of cost: saves the evidence of further objects
MAX_SEEN_OBJECTS = 10_000
#: limit of cost: saves threads for fewer objects, in halves and null sets
MIN_PARALLEL_OBJECTS = 1_000
#: limit of cost: saves clusterings of further halves and null sets
N_HALVES, N_NULLS = 3, 2
#: limit of cost: saves further columns whose own distributions are compared
MAX_COLUMNS = 50
#: limit of cost: saves further rounds of k-means of the anchors
N_ROUNDS = 10
#: limit of cost: saves the anchors between these numbers of clusters
ANCHOR_NUMBERS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50)
ANCHOR_METHODS = ("k-means", "ward", "genie")

NEIGHBOR_NAMES = (
    "neighbour purity", "worst neighbour purity", "nearest in own cluster",
    "neighbour modularity", "worst conductance", "fallen apart", "label information",
    "wide label information", "lonely", "outnumbered",
)  # fmt: skip
TREE_NAMES = (
    "tree gap", "tree cut place", "tree shortest cut", "tree longest kept", "tree extra cuts",
    "tree validity", "worst tree validity", "tree contrast", "worst tree contrast",
)  # fmt: skip
VALLEY_NAMES = (
    "valley", "worst valley", "touching", "thin border", "worst thin border", "low saddle",
    "worst low saddle", "border share",
)  # fmt: skip
LINE_NAMES = (
    "gap", "worst gap", "filled middle", "most filled middle", "bimodal within",
    "most bimodal within", "excess within", "between share", "unequal spread",
)  # fmt: skip
COLUMN_NAMES = ("column mean", "column most", "column share", "column likelihood")
SIZE_NAMES = ("clusters", "outliers", "smallest", "largest", "evenness", "tiny", "log size")
#: column of the share of clusters with fewer than 1 % of the objects, or than three
TINY = SIZE_NAMES.index("tiny")
OWN_NAMES = NEIGHBOR_NAMES + TREE_NAMES + VALLEY_NAMES + LINE_NAMES
STABILITY_NAMES = (
    "stability", "mean stability", "k-means stability", "ward stability", "genie stability",
    "k-means stability of k", "ward stability of k", "genie stability of k",
)  # fmt: skip
AGAINST_NULL = (
    "neighbour purity", "neighbour modularity", "tree validity", "tree gap", "valley", "gap",
    "filled middle", "between share", "bimodal within", "label information", "thin border",
)  # fmt: skip
#: evidence for which lower is better
BETTER_LOWER = {"filled middle", "bimodal within"}
NULL_NAMES = AGAINST_NULL + LIKELIHOOD_NAMES + ("methods",)
DATA_NAMES = (
    "log n", "log d", "log n/d", "tails", "skewness", "hubness", "intrinsic dimension",
    "first components", "repeated values", "duplicates", "neighbour pieces", "distance spread",
    "bimodal axes",
)  # fmt: skip


@dataclass(frozen=True)
class View:
    """Representation of the data for the evidence, independent of the order of the objects."""

    #: principal coordinates
    Z: Floats
    #: up to thirty nearest neighbours
    wide: NDArray[np.int32]
    #: logarithm of the distance to the fifth neighbour
    core: Floats
    #: minimum spanning tree of the mutual reachability, lengths as logarithms
    edges: NDArray[np.int32]
    logs: Floats
    settings: EvidenceSettings = EVIDENCE

    @property
    def near(self) -> NDArray[np.int32]:
        """Ten nearest neighbours."""
        return self.wide[:, : self.settings.n_neighbors]

    @cached_property
    def axes(self) -> Floats:
        """Coordinates in their principal axes."""
        return principal_axes(self.Z)

    @cached_property
    def place(self) -> Floats:
        """Rank of each edge of the tree among all, in (0, 1]."""
        from scipy.stats import rankdata

        places: Floats = rankdata(self.logs) / len(self.logs)
        return places


def as_points(X: Rows, metric: Metric = "euclidean") -> Floats:
    """Dense points whose Euclidean distances approximate those of the metric.

    Dense data of up to 1,000 features with Euclidean distance stay as they are. Sparse or wide data
    are projected to 100 latent dimensions; other distances are embedded by 500 landmarks.
    """
    from scipy import sparse
    from sklearn.preprocessing import normalize

    angular = metric in ("cosine", "correlation")
    if metric == "correlation":
        X = X - X.mean(axis=1, keepdims=True)
    elif not angular and metric not in ("euclidean", "sqeuclidean"):
        return _landmark_coordinates(X, metric)
    if angular:
        X = normalize(X)
    n, d = X.shape
    if d == 1:
        X = sparse.csr_matrix(X).toarray() if sparse.issparse(X) else X
    elif sparse.issparse(X) or d > MAX_DENSE_FEATURES:
        from sklearn.decomposition import TruncatedSVD

        n_components = max(1, min(LATENT_DIMENSIONS, d - 1, n - 1))
        rows = sparse.csr_matrix(X) if sparse.issparse(X) else X
        X = TruncatedSVD(n_components, random_state=0).fit_transform(rows)
        X = normalize(X) if angular else X
    return np.ascontiguousarray(X, dtype=np.float64)


def _landmark_coordinates(X: Rows, metric: Metric) -> Floats:
    """Coordinates of all objects from their distances to 500 landmarks."""
    from sortal.distances import as_distances

    n = X.shape[0]
    chosen = np.unique(np.linspace(0, n - 1, min(n, MAX_LANDMARKS)).astype(np.intp))
    distances = as_distances(X, metric)
    D = np.vstack([distances.block(slice(i, i + 1), slice(0, n)) for i in chosen]).T
    inner = D[chosen] ** 2
    mean = inner.mean(axis=0)
    B = -0.5 * (inner - mean - mean[:, None] + mean.mean())
    values, vectors = np.linalg.eigh(B)
    top = values[::-1] > max(values[-1], 0) * 1e-6
    leading = np.flatnonzero(top)[:LATENT_DIMENSIONS]
    values, vectors = values[::-1][leading], vectors[:, ::-1][:, leading]
    if len(values) == 0:
        return np.zeros((n, 1))
    out: Floats = -0.5 * (D**2 - mean) @ (vectors / np.sqrt(values))
    return out


def coordinates(points: Floats) -> Floats:
    """Up to 30 principal coordinates, of mean square 1."""
    X = points - points.mean(axis=0)
    n, d = X.shape
    if d <= MAX_DIMENSIONS:
        Z = X
    else:
        small = X.T @ X if d <= n else X @ X.T
        values, vectors = np.linalg.eigh(small)
        top = vectors[:, ::-1][:, :MAX_DIMENSIONS]
        Z = X @ top if d <= n else top * np.sqrt(np.maximum(values[::-1][:MAX_DIMENSIONS], 0))
    scale = np.sqrt((Z**2).mean())
    return Z / scale if scale > 0 else Z


def look_at(points: Floats, Z: Floats | None = None, settings: EvidenceSettings = EVIDENCE) -> View:
    """View of points: neighbours, spanning tree and coordinates."""
    from sortal.clusterers.genie import spanning_tree
    from sortal.distances.neighbors import neighbor_lists

    Z = coordinates(points) if Z is None else Z
    n_neighbors = max(settings.n_neighbors, min(settings.n_wide, len(points) // 6))
    neighbors = neighbor_lists(points, n_neighbors)
    core = neighbors.distances[:, min(settings.core_neighbor, neighbors.n_neighbors) - 1]
    edges, lengths = spanning_tree(points, "euclidean", core)
    floor = max(np.quantile(lengths, 0.9), lengths.max() * 1e-3) * 1e-6 or 1.0
    logs, core_logs = (np.log(np.maximum(distances, floor)) for distances in (lengths, core))
    return View(np.ascontiguousarray(Z), neighbors.indices, core_logs, edges, logs, settings)


def own_evidence(view: View, codes: Ints) -> Floats:
    """Array of :data:`OWN_NAMES` (M, 36) for partitions (M, n) of at least one cluster each."""
    from sortal._kernels import evidence as kernels

    out = np.empty((len(codes), len(OWN_NAMES)))
    a, b = len(NEIGHBOR_NAMES), len(NEIGHBOR_NAMES) + len(TREE_NAMES)
    c = b + len(VALLEY_NAMES)
    for chosen in memory_slices(len(codes), view.wide.size):
        clusters, rows = kernels.StackedClusters.of(codes[chosen]), out[chosen]
        kernels.neighbor_evidence(view.wide, clusters, view.settings.n_neighbors, rows[:, :a])
        kernels.tree_evidence(view.edges, view.logs, view.place, clusters, rows[:, a:b])
        kernels.valley_evidence(view.near, view.core, clusters, rows[:, b:c])
        kernels.line_evidence(view.Z, clusters, rows[:, c:])
    return out


def column_intervals(points: Floats, settings: EvidenceSettings = EVIDENCE) -> NDArray[np.int64]:
    """Interval of each object in up to fifty columns (columns, n), at most eight of each.

    A column of few values has an interval for each, another is cut into intervals of equal size.
    """
    n, d = points.shape
    most = settings.max_intervals
    chosen = points[:, np.unique(np.linspace(0, d - 1, MAX_COLUMNS).astype(int))]
    shares = np.linspace(0, 1, min(most, max(3, round(n ** (1 / 3)))) + 1)[1:-1]
    out = np.zeros((chosen.shape[1], n), dtype=np.int64)
    for intervals, column in zip(out, chosen.T, strict=True):
        values = np.unique(column)
        edges = values[1:] if len(values) <= most else np.unique(np.quantile(column, shares))
        intervals[:] = np.searchsorted(edges, column, side="right")
    return out


def column_evidence(intervals: Ints, codes: Ints, settings: EvidenceSettings = EVIDENCE) -> Floats:
    """Array of :data:`COLUMN_NAMES` (M, 4): what clusters say about each column by itself.

    The mutual information of clusters and intervals of a column in nats, less the penalty of BIC:
    mean, most, and the share of columns with any. The likelihood takes columns as independent in
    each cluster, as latent class analysis does, and is the difference to one cluster per object.
    """
    from scipy.special import xlogy

    from sortal._kernels.evidence import StackedClusters

    out = np.empty((len(codes), len(COLUMN_NAMES)))
    n = codes.shape[1]
    for chosen in memory_slices(len(codes), n * settings.max_intervals):
        clusters = StackedClusters.of(codes[chosen])
        total = clusters.sums(clusters.sizes)
        owner = np.repeat(np.arange(len(total)), clusters.numbers)
        entropy = xlogy(clusters.sizes, clusters.sizes / total[owner])
        entropy = -clusters.sums(entropy) / total
        gains = np.empty((len(intervals), len(total)))
        for gain, column in zip(gains, intervals, strict=True):
            width = int(column.max()) + 1
            cells = np.bincount(
                (clusters.place * width + column).ravel(), minlength=(len(owner) + 1) * width
            ).reshape(-1, width)[:-1]
            joint = clusters.sums(xlogy(cells, cells).sum(axis=1) - xlogy(*[clusters.sizes] * 2))
            values = np.add.reduceat(cells, clusters.starts, axis=0)
            alone = xlogy(values, values).sum(axis=1) - xlogy(total, total)
            penalty = (clusters.numbers - 1) * (width - 1) / 2 * np.log(n)
            gain[:] = (joint - alone - penalty) / total
        rows = out[chosen]
        rows[:, 0], rows[:, 1] = gains.mean(axis=0), gains.max(axis=0)
        rows[:, 2] = (gains > 0).mean(axis=0)
        most = settings.max_difference
        rows[:, 3] = np.clip(gains.sum(axis=0) - entropy, -most, most)
    return out


def size_evidence(codes: Ints) -> Floats:
    """Array of :data:`SIZE_NAMES` (M, 7)."""
    out = np.empty((len(codes), len(SIZE_NAMES)))
    n = codes.shape[1]
    for row, code in zip(out, codes, strict=True):
        sizes = np.bincount(code[code >= 0])
        shares = sizes / sizes.sum()
        k = len(sizes)
        evenness = -(shares @ np.log(shares)) / np.log(k) if k > 1 else 0.0
        row[:] = (
            k, (code < 0).mean(), k * shares.min(), shares.max(), evenness,
            (sizes < max(3, 0.01 * n)).mean(), np.log(n / k),
        )  # fmt: skip
    return out


def stability_evidence(view: View, codes: Ints, n_clusters: Ints) -> Floats:
    """Array of :data:`STABILITY_NAMES` (M, 8): agreement with clusterings of halves."""
    from sortal._kernels.evidence import pair_agreement

    n = len(view.Z)
    order = canonical_order(view.Z)
    numbers = numbers_for(n // 2)
    place = nearest_number(n_clusters, numbers)
    rng = np.random.default_rng(0)
    samples = [order[rng.permutation(n)[: n // 2]] for _ in range(N_HALVES)]

    def again_from(half: int) -> dict[str, Ints]:
        sample = order[np.isin(order, samples[half])]
        partitions = quick(view.Z[sample], numbers)
        nearest = _nearest(view.Z, view.Z[sample])
        return {name: labels[:, nearest] for name, labels in partitions.items()}

    n_methods = len(ANCHOR_METHODS)
    halves = side_by_side(again_from, range(N_HALVES), n)
    out = np.empty((len(codes), len(STABILITY_NAMES)))
    for j in np.unique(place):
        again = np.stack([half[name][j] for half in halves for name in ANCHOR_METHODS])
        rows = np.flatnonzero(place == j)
        partitions = np.concatenate([again, codes[rows]])
        table = pair_agreement(partitions, partitions.max(axis=1).astype(np.int64) + 1)
        among = table[: len(again), : len(again)].reshape(N_HALVES, n_methods, N_HALVES, -1)
        pairs = np.triu_indices(N_HALVES, 1)
        of_k = [among[pairs[0], m, pairs[1], m].mean() for m in range(n_methods)]
        agreements = table[len(again) :, : len(again)].reshape(-1, N_HALVES, n_methods)
        out[rows, 0] = agreements.max(axis=2).mean(axis=1)
        out[rows, 1] = agreements.mean(axis=(1, 2))
        out[rows, 2 : 2 + n_methods] = agreements.mean(axis=1)
        out[rows, 2 + n_methods :] = of_k
    return out


def side_by_side(work: Callable[[S], T], items: Iterable[S], n: int) -> list[T]:
    """Results of ``work`` for each item, in parallel if there are many objects."""
    if n < MIN_PARALLEL_OBJECTS:
        return [work(item) for item in items]
    from threadpoolctl import threadpool_limits

    def on_one(item: S) -> T:
        with threadpool_limits(1, "openmp"):  # of this thread
            return work(item)

    return list(in_order(on_one, items, one_blas_thread=True))


def _nearest(Z: Floats, taken: Floats) -> Ints:
    """Nearest taken point of each object."""
    squares = (taken**2).sum(axis=1)
    out = np.empty(len(Z), dtype=np.intp)
    for start in range(0, len(Z), 1024):
        block = Z[start : start + 1024]
        out[start : start + 1024] = (squares - 2 * block @ taken.T).argmin(axis=1)
    return out


def null_evidence(view: View, n_clusters: Ints, own_values: Floats, likelihoods: Floats) -> Floats:
    """:data:`NULL_NAMES` less their values for clusterings of a Gaussian cloud (M, 21).

    The cloud has as many objects and the same covariance; the best of three clusterers counts. The
    last is how near the three come to each other there.
    """
    from sortal._kernels.evidence import pair_agreement

    n = len(view.Z)
    numbers = numbers_for(n)
    spreads = np.linalg.svd(view.Z - view.Z.mean(axis=0), compute_uv=False) / np.sqrt(n)
    rng = np.random.default_rng(1)
    clouds = [rng.normal(size=(n, len(spreads))) * spreads for _ in range(N_NULLS)]

    def best_of(seed: int) -> tuple[Floats, Floats]:
        partitions = quick(clouds[seed], numbers)
        null_view = look_at(clouds[seed], clouds[seed], view.settings)
        values = [
            _compared(
                own_evidence(null_view, labels),
                likelihood_evidence(null_view.axes, labels, view.settings),
            )
            for labels in partitions.values()
        ]
        pairs = np.triu_indices(len(partitions), 1)
        alike = [
            pair_agreement(np.stack(codes), np.full(len(codes), k, dtype=np.int64))[pairs].mean()
            for k, *codes in zip(numbers, *partitions.values(), strict=True)
        ]
        return np.asarray(np.max(values, axis=0)), np.array(alike)

    values = side_by_side(best_of, range(N_NULLS), n)
    best, alike = (np.mean(of_clouds, axis=0) for of_clouds in zip(*values, strict=True))
    at = nearest_number(n_clusters, numbers)
    return np.column_stack([_compared(own_values, likelihoods) - best[at], alike[at]])


def _compared(own_values: Floats, likelihoods: Floats) -> Floats:
    """Array of :data:`NULL_NAMES` but the last, signed so that greater is better."""
    columns = [OWN_NAMES.index(name) for name in AGAINST_NULL]
    sign = np.array([-1.0 if name in BETTER_LOWER else 1.0 for name in AGAINST_NULL])
    return np.column_stack([own_values[:, columns] * sign, likelihoods])


def data_evidence(points: Floats, view: View) -> Floats:
    """Array of :data:`DATA_NAMES`, (13,)."""
    from scipy.stats import kurtosis, skew

    n = len(view.Z)
    d = points.shape[1]
    Z = view.Z - view.Z.mean(axis=0)
    values = np.linalg.svd(Z, compute_uv=False) ** 2
    shares = values / max(values.sum(), 1e-300)
    k = view.near.shape[1]
    popular = np.bincount(view.near.ravel(), minlength=n)
    hub = float(skew(popular)) if popular.std() > 0 else 0.0
    U = np.linalg.svd(Z, full_matrices=False)[0]
    live = U[:, shares[: U.shape[1]] > 0.02]
    tails = float(np.clip(kurtosis(live, axis=0), -2, 20).mean())
    skewness = float(np.clip(np.abs(skew(live, axis=0)), 0, 5).mean())
    sampled_columns = points[:, np.unique(np.linspace(0, d - 1, MAX_COLUMNS).astype(int))]
    repeated = 1 - np.mean([len(np.unique(column)) for column in sampled_columns.T]) / n
    floor = view.core.min()
    same = float((view.core <= floor + 1e-9).mean()) if floor < view.core.mean() - 6 else 0.0
    cut = []
    for column in live.T:
        t = np.sort(column)
        left = np.cumsum(t - t.mean())[:-1]
        r = np.arange(1, n)
        cut.append((left**2 / (r * (n - r))).max() * 1.0 / max(t.var(), 1e-300))
    return np.array([
        np.log(n), np.log(d), np.log(n / d), tails, skewness, hub, _intrinsic_dimension(view, Z),
        shares[:2].sum(), repeated, same, _pieces(view.near[:, : min(5, k)]) / n,
        np.std(view.core), np.max(cut),
    ])  # fmt: skip


def _intrinsic_dimension(view: View, Z: Floats) -> float:
    """Dimension estimated from distances to neighbours in the coordinates (Facco et al. 2017)."""
    nearest = ((Z - Z[view.near[:, 0]]) ** 2).sum(axis=1)
    farthest = ((Z - Z[view.near[:, -1]]) ** 2).sum(axis=1)
    fine = (nearest > 0) & (farthest > nearest)
    if not fine.any():
        return 0.0
    spread = 0.5 * np.log(farthest[fine] / nearest[fine]).mean()
    return float(np.log(np.clip(1 / max(spread, 1e-3), 0.1, 100)))


def _pieces(near: NDArray[np.int32]) -> int:
    """Number of connected components of the neighbour graph."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, k = near.shape
    graph = coo_array((np.ones(n * k), (np.repeat(np.arange(n), k), near.ravel())), (n, n))
    return int(connected_components(graph, directed=False)[0])


def canonical_order(Z: Floats) -> Ints:
    """Order of the objects by their distance from the mean, whatever their stored order."""
    return np.argsort(((Z - Z.mean(axis=0)) ** 2).sum(axis=1).round(12), kind="stable")


def numbers_for(n: int) -> list[int]:
    """Numbers of clusters of the anchors, for n objects."""
    return [k for k in ANCHOR_NUMBERS if k <= max(2, n // 6)]


def nearest_number(n_clusters: NDArray[Any], numbers: Sequence[int]) -> Ints:
    """Position of the number closest to each candidate's, by their ratio."""
    k = np.log(np.maximum(n_clusters, 1))
    return np.abs(np.log(numbers)[None] - k[:, None]).argmin(axis=1)


def quick(Z: Floats, numbers: Sequence[int]) -> dict[str, Ints]:
    """Partitions by k-means, Ward and Genie for each number of clusters, (len(numbers), n).

    K-means starts from Ward's clusters, so that nothing is random.
    """
    import fastcluster

    from sortal.clusterers.genie import GenieClustering
    from sortal.labelings.partitions import cut_dendrogram

    ward = cut_dendrogram(fastcluster.linkage_vector(Z, method="ward"), n_clusters=numbers)
    genie = GenieClustering().fit(Z)
    return {
        "k-means": np.stack([_k_means(Z, labels) for labels in ward]),
        "ward": ward,
        "genie": np.stack([genie.cut(k) for k in numbers]),
    }


def _k_means(Z: Floats, labels: Ints) -> Ints:
    """Partition by k-means from the means of another, or that one if a cluster is lost."""
    from scipy.cluster.vq import kmeans2

    sizes = np.bincount(labels)
    order = np.argsort(labels, kind="stable")
    sums = np.add.reduceat(Z[order], np.cumsum(sizes) - sizes, axis=0)
    with warnings.catch_warnings(action="ignore"):  # of lost clusters
        moved = kmeans2(
            Z, sums / sizes[:, None], iter=N_ROUNDS, minit="matrix", check_finite=False
        )[1]
    return moved.astype(np.int32) if np.bincount(moved, minlength=len(sizes)).all() else labels


def anchors(Z: Floats) -> tuple[Ints, Bools]:
    """Distinct anchor partitions (R, n), and the methods that made each (R, methods)."""
    from sortal.labelings.partitions import canonical_codes

    order = canonical_order(Z)
    partitions = quick(Z[order], numbers_for(len(Z)))
    methods_of: dict[bytes, tuple[Ints, list[bool]]] = {}
    for j, name in enumerate(ANCHOR_METHODS):
        for labels in partitions[name]:
            code = canonical_codes(labels)
            if code.max() > 0:
                unmarked = [False] * len(ANCHOR_METHODS)
                methods_of.setdefault(code.tobytes(), (code, unmarked))[1][j] = True
    codes = np.empty((len(methods_of), len(Z)), dtype=np.int32)
    codes[:, order] = np.stack([code for code, _ in methods_of.values()])
    return codes, np.array([methods for _, methods in methods_of.values()])
