"""From evidence of one data set's candidates to the columns that a judge reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

from karat.judge.evidence import (
    AGAINST_NULL,
    DATA_NAMES,
    LARGEST,
    OWN_NAMES,
    SIZE_NAMES,
    STABILITY_NAMES,
    as_points,
    data_evidence,
    look_at,
    null_evidence,
    own_evidence,
    side_by_side,
    size_evidence,
    stability_evidence,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["FEWEST_OBJECTS", "Evidence", "columns", "gather", "measure_keys", "place", "shared"]

#: internal measures beyond those that :func:`karat.evaluate` computes by default
MORE_MEASURES = (
    "c_index", "point_biserial_index", "wemmert_gancarski_index", "s_dbw_index",
    "cubic_clustering_criterion", "bayesian_information_criterion", "log_determinant_ratio",
    "ray_turi_index", "sd_scattering", "sd_separation", "banfield_raftery_index",
)  # fmt: skip
#: columns of which the best and the median of all candidates tell about the data
ABOUT_ALL = (
    "own neighbour modularity", "own tree validity", "own valley", "own gap", "stab stability",
    "null neighbour purity", "null tree validity", "null valley", "null gap", "agree top20",
)  # fmt: skip
#: fewest objects whose candidates can be judged
FEWEST_OBJECTS = 20


@dataclass(frozen=True)
class Evidence:
    """All that was seen of M partitions of one data set.

    Attributes
    ----------
    own, sizes, stability, against_null : ndarray, shapes (M, ...)
        See :mod:`karat.judge.evidence`.
    data : ndarray
    agreement : ndarray, shape (M, M)
        Adjusted Rand index of all pairs of partitions.
    measures : dict of str to ndarray, shape (M,)
        Internal measures, greater is better, NaN where undefined.
    clusterers : tuple of frozenset of str, length M
        Which clusterers found each partition.
    """

    own: Floats
    sizes: Floats
    stability: Floats
    against_null: Floats
    data: Floats
    agreement: Floats
    measures: dict[str, Floats]
    clusterers: tuple[frozenset[str], ...]

    def __len__(self) -> int:
        return len(self.own)

    def take(self, kept: NDArray[Any], clusterers: Sequence[frozenset[str]]) -> Evidence:
        """That of some of the partitions."""
        return Evidence(
            self.own[kept],
            self.sizes[kept],
            self.stability[kept],
            self.against_null[kept],
            self.data,
            self.agreement[np.ix_(kept, kept)],
            {key: values[kept] for key, values in self.measures.items()},
            tuple(clusterers),
        )


def measure_keys() -> list[str]:
    """The internal measures that are evidence."""
    from karat.measures import catalogue

    return [
        m.key
        for m in catalogue.values()
        if m.kind == "internal" and (m.key in MORE_MEASURES or m.key in DEFAULT_MEASURES)
    ]


#: fixed here, because a judge must go on reading what it was trained on
DEFAULT_MEASURES = (
    "dunn_index", "centroid_dunn_index", "generalized_dunn_index_12", "point_wise_margin",
    "davies_bouldin_index", "calinski_harabasz_index", "within_sum_of_squares",
    "ball_hall_index", "pbm_index", "ratkowsky_lance_index", "informativeness",
    "informativeness_ari", "informativeness_eq", "informativeness_f1", "informativeness_pq",
    "average_within_cluster_scatter", "within_cluster_scatter",
    "weighted_within_cluster_scatter_1", "weighted_within_cluster_scatter_2",
    "average_between_cluster_scatter", "between_cluster_scatter", "between_within_ratio",
    "mcclain_rao_index", "ratio_cut", "normalized_cut", "silhouette",
    "squared_euclidean_silhouette", "simplified_silhouette", "xie_beni_index",
)  # fmt: skip


def gather(
    X: Any,
    codes: NDArray[np.int32],
    clusterers: Sequence[frozenset[str]],
    *,
    metric: Any = "euclidean",
    measures: dict[str, Floats] | None = None,
) -> Evidence:
    """See what there is to see of distinct partitions.

    Parameters
    ----------
    X : ndarray or csr, shape (n, d)
    codes : ndarray of int32, shape (M, n)
        Clusters from 0, ``-1`` for outliers; every partition has two clusters or more.
    clusterers : sequence of frozenset of str, length M
    metric : str or callable
    measures : dict of str to ndarray, optional
        Values as :func:`karat.evaluate` gives them with ``noise="drop"``; what is missing is
        computed.

    Returns
    -------
    Evidence

    Notes
    -----
    O(n² d) for neighbours and tree, O(n d) for each partition and O(n) for each pair of them.
    More than 10,000 objects are sampled, except for the measures.
    """
    from karat._kernels.evidence import pair_agreement

    points = as_points(X, metric)
    same = points.shape == X.shape and metric == "euclidean"
    every, all_codes = points, codes
    n = codes.shape[1]
    if n > LARGEST:
        rows = np.sort(np.random.default_rng(0).permutation(n)[:LARGEST])
        points = points[rows]
        codes = np.stack([_again(code[rows]) for code in codes])
    view = look_at(points)
    n_clusters = codes.max(axis=1).astype(np.int64) + 1
    own = own_evidence(view, codes)
    parts: list[Callable[[], Any]] = [
        lambda: null_evidence(view, n_clusters, own),
        lambda: stability_evidence(view, codes, n_clusters),
        lambda: _measures(every, all_codes, measures or {} if same else {}),
    ]
    against_null, stability, values = side_by_side(lambda part: part(), parts, len(points))
    return Evidence(
        own,
        size_evidence(codes),
        stability,
        against_null,
        data_evidence(points, view),
        pair_agreement(codes, n_clusters),
        values,
        tuple(clusterers),
    )


def _again(code: NDArray[np.int32]) -> NDArray[np.int32]:
    kept = code >= 0
    out = np.full(len(code), -1, dtype=np.int32)
    out[kept] = np.unique(code[kept], return_inverse=True)[1]
    return out


def _measures(
    points: Floats, codes: NDArray[np.int32], given: dict[str, Floats]
) -> dict[str, Floats]:
    from karat.measures import catalogue
    from karat.measures.evaluation import evaluate

    wanted = measure_keys()
    found: dict[str, Any] = {key: given[key] for key in wanted if key in given}
    missing = [key for key in wanted if key not in found]
    if missing:
        table = evaluate(points, codes, measures=missing, noise="drop")
        found |= {key: table[key].to_numpy(dtype=np.float64) for key in missing}
    return {key: found[key] * catalogue[key].sign for key in wanted}


def columns(evidence: Evidence) -> dict[str, Floats]:
    """What a judge reads of each partition, by name.

    Places are among the distinct partitions, from 0 to 1; so nothing depends on the order of
    the objects, the names of clusters, the scale of the data or copies of a candidate.
    """
    from karat.measures import catalogue

    out: dict[str, Floats] = {}
    M = len(evidence)
    for names, table, prefix in (
        (OWN_NAMES, evidence.own, "own "),
        (STABILITY_NAMES, evidence.stability, "stab "),
        (AGAINST_NULL, evidence.against_null, "null "),
    ):
        places = place(table)
        for j, name in enumerate(names):
            out[prefix + name] = table[:, j]
            out[prefix + name + " place"] = places[:, j]
    out |= {f"size {n}": v for n, v in zip(SIZE_NAMES, evidence.sizes.T, strict=True)}
    agreed = shared(evidence)
    out |= agreed
    out |= {name + " place": place(values) for name, values in agreed.items()}
    for key, values, places in _measured(evidence):
        fine = np.isfinite(values)
        out["measure " + key] = places
        measure = catalogue[key]
        if np.all(np.isfinite(measure.range)):
            out["value " + key] = np.where(fine, values, -1.0)
    out |= {f"data {n}": np.full(M, v) for n, v in zip(DATA_NAMES, evidence.data, strict=True)}
    for name in ABOUT_ALL:
        out["best " + name] = np.full(M, out[name].max())
        out["median " + name] = np.full(M, np.median(out[name]))
    return out


def _measured(evidence: Evidence) -> Iterator[tuple[str, Floats, Floats]]:
    """Key, values and places of each measure; a place of -0.05 where it is undefined."""
    V = np.column_stack(list(evidence.measures.values()))
    fine = np.isfinite(V)
    n_fine = fine.sum(axis=0)
    # undefined ones come first and are not counted
    places = rankdata(np.where(fine, V, -np.inf), axis=0) - (len(V) - n_fine) - 1
    places = np.where(fine & (n_fine > 1), places / np.maximum(n_fine - 1, 1), -0.05)
    yield from zip(evidence.measures, V.T, places.T, strict=True)


def place(values: Floats) -> Floats:
    """Places of values from 0 (least) to 1 (greatest) in each column, ties sharing theirs."""
    if len(values) == 1:
        return np.ones(values.shape)
    places: Floats = (rankdata(values, axis=0) - 1) / (len(values) - 1)
    return places


def shared(evidence: Evidence) -> dict[str, Floats]:
    """How far the other candidates agree with each."""
    A = evidence.agreement
    M = len(A)
    if M == 1:
        return {f"agree {n}": np.ones(1) for n in ("mean", "top5", "top20", "near", "k", "others")}
    others = A - np.diag(A.diagonal())
    nearest = np.sort(others, axis=1)[:, ::-1]
    k = evidence.sizes[:, 0]
    alike = np.abs(k[:, None] - k[None]) <= 1
    np.fill_diagonal(alike, False)
    families = sorted(frozenset().union(*evidence.clusterers))
    best = np.column_stack(
        [A[:, [f in by for by in evidence.clusterers]].max(axis=1) for f in families]
    )
    foreign = np.array([[f not in by for f in families] for by in evidence.clusterers])
    n_foreign = foreign.sum(axis=1)
    by_others = (best * foreign).sum(axis=1) / np.maximum(n_foreign, 1)
    if len(families) == 1:
        by_others = nearest[:, :5].mean(axis=1)
    return {
        "agree mean": others.sum(axis=1) / (M - 1),
        "agree top5": nearest[:, :5].mean(axis=1),
        "agree top20": nearest[:, :20].mean(axis=1),
        "agree near": (others > 0.7).mean(axis=1),
        "agree k": (others * alike).sum(axis=1) / np.maximum(alike.sum(axis=1), 1),
        "agree others": np.where((n_foreign > 0) | (len(families) == 1), by_others, 1.0),
    }
