"""Simple ways of choosing without labels, by which the learned judge is measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from sortal.judge import columns

if TYPE_CHECKING:
    from sortal.typing import Floats
    from sortal_lab.cases import TrainingCase


Rival = Callable[["TrainingCase"], "Floats"]
#: the internal measures that take part
MEASURES = (
    "dunn_index", "centroid_dunn_index", "generalized_dunn_index_12", "point_wise_margin",
    "davies_bouldin_index", "calinski_harabasz_index", "within_sum_of_squares",
    "ball_hall_index", "pbm_index", "ratkowsky_lance_index", "informativeness",
    "informativeness_ari", "informativeness_eq", "informativeness_f1", "informativeness_pq",
    "average_within_cluster_scatter", "within_cluster_scatter",
    "weighted_within_cluster_scatter_1", "weighted_within_cluster_scatter_2",
    "average_between_cluster_scatter", "between_cluster_scatter", "between_within_ratio",
    "mcclain_rao_index", "ratio_cut", "normalized_cut", "silhouette",
    "squared_euclidean_silhouette", "simplified_silhouette", "xie_beni_index",
    "c_index", "point_biserial_index", "wemmert_gancarski_index", "s_dbw_index",
    "cubic_clustering_criterion", "bayesian_information_criterion", "log_determinant_ratio",
    "ray_turi_index", "sd_scattering", "sd_separation", "banfield_raftery_index",
)  # fmt: skip


def place(values: Floats) -> Floats:
    """Places of values from 0 (least) to 1 (greatest) in each column, ties sharing theirs."""
    if len(values) == 1:
        return np.ones(values.shape)
    places: Floats = (rankdata(values, axis=0) - 1) / (len(values) - 1)
    return places


def _last(values: Floats) -> Floats:
    """Values with NaN last."""
    return np.where(np.isnan(values), -np.inf, values)


def _covered(case: TrainingCase) -> Floats:
    """Share of the objects that each partition does not exclude."""
    return 1 - case.evidence.traits.sizes[:, 1]


def voters(case: TrainingCase) -> list[str]:
    """The measures that compare numbers of clusters and have values here."""
    from sortal.measures import catalogue

    return [
        key
        for key, values in case.measures.items()
        if catalogue[key].compares_k and np.isfinite(values).any()
    ]


def _places(case: TrainingCase, keys: Sequence[str]) -> Floats:
    """Places by each measure (M, measures), undefined ones last."""
    values = np.column_stack([case.measures[key] for key in keys])
    return place(_last(values))


def by_measure(key: str) -> Rival:
    """Score by one measure; positive values are multiplied by the share of objects judged."""

    def score(case: TrainingCase) -> Floats:
        values = case.measures[key]
        return _last(np.where(values > 0, values * _covered(case), values))

    return score


def borda(case: TrainingCase) -> Floats:
    """Mean place by all measures, one vote each."""
    score: Floats = _places(case, voters(case)).mean(axis=1) * _covered(case)
    return score


def consensus(case: TrainingCase) -> Floats:
    """Mean place, one vote for each family of the catalogue."""
    from sortal.measures import catalogue

    keys = voters(case)
    groups: dict[str, list[Floats]] = {}
    for key, places in zip(keys, _places(case, keys).T, strict=True):
        groups.setdefault(catalogue[key].family, []).append(places)
    mean: Floats = np.mean([np.mean(g, axis=0) for g in groups.values()], axis=0)
    return mean * _covered(case)


def condorcet(case: TrainingCase) -> Floats:
    """Copeland's count: how many others a partition beats by the majority of measures."""
    V = _places(case, voters(case)).T
    wins = (V[:, :, None] > V[:, None, :]).sum(axis=0)
    score: Floats = np.sign(wins - wins.T).sum(axis=1).astype(np.float64)
    return score / len(score) + 1e-3 * borda(case)


def majority_of_k(case: TrainingCase) -> Floats:
    """NbClust's rule: each measure votes for its number of clusters; silhouette decides within."""
    k = case.evidence.traits.sizes[:, 0]
    votes: dict[float, int] = {}
    for key in voters(case):
        best = float(k[np.argmax(_last(case.measures[key]))])
        votes[best] = votes.get(best, 0) + 1
    winner = max(votes, key=lambda value: (votes[value], -value))
    silhouette = by_measure("silhouette")(case)
    return np.where(k == winner, np.maximum(silhouette, -1.0), -2.0)


def standardised(case: TrainingCase) -> Floats:
    """Sum of standardised aspects after fpc: homogeneity, order of pairs, stability."""
    aspects = [
        case.measures["average_within_cluster_scatter"],
        case.measures["point_biserial_index"],
        columns(case.evidence)["stab mean stability"],
    ]
    total = np.zeros(len(case.first))
    for values in aspects:
        fine = np.isfinite(values)
        spread = values[fine].std()
        if spread > 0:
            worst = values[fine].min()
            total += (np.where(fine, values, worst) - values[fine].mean()) / spread
    return total


def stability(case: TrainingCase) -> Floats:
    """Score by stability, from clusterings of half of the objects."""
    return columns(case.evidence)["stab mean stability"]


def agreement(case: TrainingCase) -> Floats:
    """Mean agreement with the twenty nearest other candidates."""
    others = case.evidence.agreement - np.diag(case.evidence.agreement.diagonal())
    mean: Floats = -np.sort(-others, axis=1)[:, :20].mean(axis=1)
    return mean


def likelihood(case: TrainingCase) -> Floats:
    """BIC of the classification likelihood, each cluster with its own full covariance."""
    return columns(case.evidence)["likely full"]


def best_likelihood(case: TrainingCase) -> Floats:
    """Score by likelihood with the best covariance model for each partition."""
    return columns(case.evidence)["likely best model"]


def density(case: TrainingCase) -> Floats:
    """Mean place by informativeness and the validity of clusters on the spanning tree."""
    tree = columns(case.evidence)["own tree validity"]
    return (place(_last(case.measures["informativeness"])) + place(tree)) / 2


#: by what a reader knows them as
RIVALS: dict[str, Rival] = {
    "consensus of families": consensus,
    "silhouette": by_measure("silhouette"),
    "Calinski–Harabasz": by_measure("calinski_harabasz_index"),
    "Davies–Bouldin": by_measure("davies_bouldin_index"),
    "Dunn": by_measure("dunn_index"),
    "informativeness": by_measure("informativeness"),
    "informativeness and tree validity": density,
    "Borda": borda,
    "Condorcet (Copeland)": condorcet,
    "majority of k (NbClust)": majority_of_k,
    "standardised sum (fpc)": standardised,
    "stability": stability,
    "agreement among candidates": agreement,
    "likelihood (BIC, full covariances)": likelihood,
    "likelihood (BIC, best model)": best_likelihood,
}
