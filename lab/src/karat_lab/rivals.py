"""Simple ways of choosing without labels, by which the learned judge is measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from karat.judge.evidence import OWN_NAMES, STABILITY_NAMES
from karat.judge.features import Evidence, place, shared
from karat.measures.families import rank_correlation, tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Rival = Callable[[Evidence], "Floats"]


def _last(values: Floats) -> Floats:
    return np.where(np.isnan(values), -np.inf, values)


def _covered(evidence: Evidence) -> Floats:
    """Share of the objects that each partition does not leave out."""
    return 1 - evidence.sizes[:, 1]


def voters(evidence: Evidence) -> list[str]:
    """The measures that compare numbers of clusters and have values here."""
    from karat.measures import catalogue

    return [
        key
        for key, values in evidence.measures.items()
        if catalogue[key].compares_k and np.isfinite(values).any()
    ]


def _places(evidence: Evidence, keys: Sequence[str]) -> Floats:
    """Places by each measure (M, measures), undefined ones last."""
    values = np.column_stack([evidence.measures[key] for key in keys])
    return place(_last(values))


def by_measure(key: str) -> Rival:
    """One measure, where it is positive times the share of objects judged."""

    def score(evidence: Evidence) -> Floats:
        values = evidence.measures[key]
        return _last(np.where(values > 0, values * _covered(evidence), values))

    return score


def borda(evidence: Evidence) -> Floats:
    """Mean place by all measures, one vote each."""
    score: Floats = _places(evidence, voters(evidence)).mean(axis=1) * _covered(evidence)
    return score


def by_families(families: Sequence[Sequence[str]] | None = None) -> Rival:
    """The consensus: mean place, one vote a family; those of the catalogue by default."""

    def score(evidence: Evidence) -> Floats:
        from karat.measures import catalogue

        keys = voters(evidence)
        groups: dict[str, list[Floats]] = {}
        family = {key: catalogue[key].family for key in keys}
        if families is not None:
            family = {key: str(j) for j, group in enumerate(families) for key in group}
        for key, places in zip(keys, _places(evidence, keys).T, strict=True):
            if key in family:
                groups.setdefault(family[key], []).append(places)
        mean: Floats = np.mean([np.mean(g, axis=0) for g in groups.values()], axis=0)
        return mean * _covered(evidence)

    return score


def condorcet(evidence: Evidence) -> Floats:
    """Copeland's count: how many others a partition beats by the majority of measures."""
    V = _places(evidence, voters(evidence)).T
    wins = (V[:, :, None] > V[:, None, :]).sum(axis=0)
    score: Floats = np.sign(wins - wins.T).sum(axis=1).astype(np.float64)
    return score / len(score) + 1e-3 * borda(evidence)


def majority_of_k(evidence: Evidence) -> Floats:
    """NbClust's rule: each measure votes for its number of clusters; silhouette decides within."""
    k = evidence.sizes[:, 0]
    votes: dict[float, int] = {}
    for key in voters(evidence):
        best = float(k[np.argmax(_last(evidence.measures[key]))])
        votes[best] = votes.get(best, 0) + 1
    winner = max(votes, key=lambda value: (votes[value], -value))
    silhouette = by_measure("silhouette")(evidence)
    return np.where(k == winner, np.maximum(silhouette, -1.0), -2.0)


def standardised(evidence: Evidence) -> Floats:
    """Sum of standardised aspects after fpc: homogeneity, order of pairs, stability."""
    aspects = [
        evidence.measures["average_within_cluster_scatter"],
        evidence.measures["point_biserial_index"],
        evidence.stability[:, STABILITY_NAMES.index("mean stability")],
    ]
    total = np.zeros(len(evidence))
    for values in aspects:
        fine = np.isfinite(values)
        spread = values[fine].std()
        if spread > 0:
            worst = values[fine].min()
            total += (np.where(fine, values, worst) - values[fine].mean()) / spread
    return total


def stability(evidence: Evidence) -> Floats:
    """Found again from half of the objects."""
    return evidence.stability[:, STABILITY_NAMES.index("mean stability")]


def agreement(evidence: Evidence) -> Floats:
    """Mean agreement with the twenty nearest other candidates."""
    return shared(evidence)["agree top20"]


def density(evidence: Evidence) -> Floats:
    """Mean place by informativeness and the validity of clusters on the spanning tree."""
    tree = evidence.own[:, OWN_NAMES.index("tree validity")]
    return (place(_last(evidence.measures["informativeness"])) + place(tree)) / 2


#: by what a reader knows them as
RIVALS: dict[str, Rival] = {
    "consensus of families": by_families(),
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
}


def measure_families(
    cases: Sequence[Evidence], numbers: Sequence[int]
) -> dict[int, list[list[str]]]:
    """Families of measures that order candidates alike, by average linkage of 1 − correlation.

    One division of the measures for each number of families.
    """
    from scipy.cluster.hierarchy import fcluster

    keys = sorted(set.intersection(*(set(voters(e)) for e in cases)))
    mean = np.mean([np.nan_to_num(rank_correlation(_places(e, keys))) for e in cases], axis=0)
    linked = tree(mean)
    out = {}
    for number in numbers:
        labels = fcluster(linked, number, "maxclust")
        out[number] = [
            [key for key, at in zip(keys, labels, strict=True) if at == family]
            for family in np.unique(labels)
        ]
    return out
