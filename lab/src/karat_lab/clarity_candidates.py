"""The measures that the choice of a clarity-based combination is made among."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.measures.clarity import Clarity
    from karat_lab.whissell2012_chapter6_samples import Sample

TRUTH = "normalized_mutual_information"
NEIGHBORS = (1, 3, 5, 10, 20)
#: leave-one-out all of them; the neighbours come from one search
CLASSIFIERS = (*(f"{k}-NN" for k in NEIGHBORS), "√n-NN", "centroid")
#: external measures between a clustering and what is predicted for it
AGREEMENTS = {
    "inf-ARI": "adjusted_rand_index",
    "inf-NMI": "normalized_mutual_information",
    "inf-EQ": "entropy_quality",
    "inf-PQ": "purity",
    "inf-F1": "f_quality",
    "inf-MI": "mutual_information",
}
#: by one classifier only, because it costs more than all others together
COSTLY_AGREEMENTS = {"inf-AMI": "adjusted_mutual_information"}
RECOGNITIONS = ("I", "corrected I", "AI", "A", "NA", "macro A", "worst cluster")
#: λ in AI − λ H: what a bit of the clustering costs of what is recognised of it
PRICES = (0.5, 0.7, 0.8, 0.9, 0.95)
#: p in I · H^p, from informativeness (0) to the bits recognised beyond guessing (1)
POWERS = (0.25, 0.5, 1.0)
#: other internal measures of at most one pass over the pairs of objects
OTHERS = {
    "silhouette": "silhouette",
    "Davies–Bouldin": "davies_bouldin_index",
    "C-Index": "c_index",
    "B/W": "between_within_ratio",
    "point-wise margin": "point_wise_margin",
    "Calinski–Harabasz": "calinski_harabasz_index",
    "PBM": "pbm_index",
    "Dunn": "dunn_index",
    "connectivity": "connectivity",
}
#: what a pair of other measures is joined to
CENTRAL = "5-NN"


@dataclass(frozen=True)
class Candidate:
    """A measure, or the mean of the ranks of several within a sample.

    Attributes
    ----------
    parts : tuple of str
        Columns of :func:`base_values`; the first is a measure of clarity.
    """

    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        """For tables."""
        return " + ".join(self.parts)

    @property
    def alone(self) -> bool:
        """Whether it is a measure of clarity without others."""
        return len(self.parts) == 1


def clarity_measures(classifier: str) -> list[str]:
    """Names of all measures of clarity by one classifier."""
    names = [*RECOGNITIONS, *AGREEMENTS]
    if classifier == CENTRAL:
        names += COSTLY_AGREEMENTS
    names += [f"AI − {price:g} H" for price in PRICES]
    names += [f"I · H^{power:g}" for power in POWERS]
    return [f"{name} ({classifier})" for name in names]


def family() -> list[Candidate]:
    """Every candidate: clarity alone, with one other measure, 5-NN clarity also with two."""
    clarity = [name for classifier in CLASSIFIERS for name in clarity_measures(classifier)]
    found = [Candidate((name,)) for name in clarity]
    found += [Candidate((name, other)) for name in clarity for other in OTHERS]
    found += [
        Candidate((name, *others))
        for name in clarity_measures(CENTRAL)
        for others in combinations(OTHERS, 2)
    ]
    return found


def base_values(made: Sample) -> pd.DataFrame:
    """NMI with the classes and all single measures of a sample's clusterings, greater is better."""
    import pandas as pd

    import karat
    from karat.measures.clarity import KNearestNeighbors, NearestCentroid, assess

    lengths = (*NEIGHBORS, round(len(made.X) ** 0.5))
    voters: list[Any] = [
        KNearestNeighbors(k, name=name) for k, name in zip(lengths, CLASSIFIERS, strict=False)
    ]
    # the longest list first, which serves the others
    voters.sort(key=lambda voter: -voter.n_neighbors)
    found = assess(made.X, made.labels, classifiers=[*voters, NearestCentroid()])
    table = karat.evaluate(
        made.X, found.labelings, truth=made.truth, measures=[TRUTH, *OTHERS.values()]
    ).table
    alone = [np.bincount(codes).min() == 1 for codes in found.labelings.codes]
    table.loc[alone, "point_wise_margin"] = np.inf
    columns: dict[str, Any] = {TRUTH: table[TRUTH]}
    for name, key in OTHERS.items():
        columns[name] = karat.measures.catalogue[key].sign * table[key]
    for f, classifier in enumerate(found.classifiers):
        one = replace(found, classifiers=(classifier,), predictions=found.predictions[f : f + 1])
        columns |= {f"{name} ({classifier})": v for name, v in _clarity(one).items()}
    return pd.DataFrame(columns, index=table.index)


def _clarity(found: Clarity) -> dict[str, NDArray[np.float64]]:
    """The measures of clarity by the only classifier."""
    import karat

    (classifier,) = found.classifiers
    seen = [found.recognition(m, 0) for m in range(len(found.labelings))]
    H = np.array([one.entropy for one in seen]) / np.log(2)
    AI = np.array([one.average_information for one in seen]) / np.log(2)
    out = {
        "I": found.values(),
        "corrected I": found.values("permutation"),
        "AI": AI,
        "A": np.array([one.accuracy for one in seen]),
        "NA": np.array([one.normalized_accuracy for one in seen]),
        "macro A": np.array([one.macro_accuracy for one in seen]),
        "worst cluster": np.array([(one.recognised / one.sizes).min() for one in seen]),
    }
    wanted = AGREEMENTS | (COSTLY_AGREEMENTS if classifier == CENTRAL else {})
    for name, key in wanted.items():
        record = karat.measures.catalogue[key]
        out[name] = record.sign * found.agreement(record.function, record.sign)
    out |= {f"AI − {price:g} H": AI - price * H for price in PRICES}
    out |= {f"I · H^{power:g}": out["I"] * H**power for power in POWERS}
    return out
