"""Assessment of whether data have clusters at all, for any clustering method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from karat.distances import check_metric, check_points
from karat.nulls.coordinates import coordinates
from karat.nulls.valleys import VALLEY_LIMIT, find_valleys
from karat.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    from karat.runtime.types import ArrayLike, Metric, RandomState, Rows

__all__ = [
    "CERTAIN_EVIDENCE",
    "ENOUGH_EVIDENCE",
    "USUAL_SIZE",
    "Structure",
    "assess_structure",
    "needed",
    "probability_of",
    "structure_of",
]

Decision: TypeAlias = Literal["yes", "no", "unclear"]

#: logistic regression of 0, 1 (clusters) on these, by ``karat reproduce structure``
INTERCEPT, PER_EVIDENCE, PER_SIZE = -3.7, 1.5, -1.2
#: reference number of objects, evidence above which the number of objects does not matter, and
#: evidence above which more evidence does not
USUAL_SIZE, ENOUGH_EVIDENCE, CERTAIN_EVIDENCE = 400, 4.0, 8.0
#: additional evidence required from fewer objects, per unit of log(USUAL_SIZE / n)
PER_MISSING = 0.7
#: probability below which there are no clusters
NO_CLUSTERS_BELOW = 0.2


@dataclass(frozen=True)
class Structure:
    """Decision whether data have clusters, with its evidence.

    Attributes
    ----------
    probability : float
        Probability of clusters, if data with and without clusters are equally frequent.
    decision : {"yes", "no", "unclear"}
        ``"yes"`` if the evidence exceeds that of 95 % of the data sets of every kind without
        clusters; ``"no"`` if data with clusters would have shown more; else ``"unclear"``.
    evidence : float
        -log p of the deepest valley between clusters that no way around it avoids.
    n_clusters : int
        Number of clusters with this evidence; 1 without evidence.
    n_objects : int
        Number of distinct objects examined.

    Equal objects have no clusters.
    """

    probability: float
    decision: Decision
    evidence: float
    n_clusters: int
    n_objects: int

    def __str__(self) -> str:
        sentence = {
            "yes": f"These data have clusters (probability {self.probability:.2f})",
            "no": f"These data have no clusters (probability of any {self.probability:.2f})",
            "unclear": "It cannot be told whether these data have clusters (probability "
            f"{self.probability:.2f})",
        }[self.decision]
        return f"{sentence}: evidence {self.evidence:.1f}, {needed(self.n_objects):.1f} is needed."

    def _repr_html_(self) -> str:
        """Decision as HTML."""
        return f"<p>{self}</p>"


def assess_structure(
    X: ArrayLike, *, metric: Metric = "euclidean", random_state: RandomState = 0
) -> Structure:
    """Assess whether data have clusters at all.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    metric : str or callable
    random_state : None, int or Generator

    Returns
    -------
    Structure

    Raises
    ------
    InputError
        For input that cannot be used, and for a graph, which has no coordinates.

    Notes
    -----
    k-means for 2 to 30 clusters, each time without a quarter of the objects; Hartigan's dip of that
    quarter between each two clusters; pairs without a valley are one cluster
    (:func:`karat.nulls.valleys.find_valleys`). p-values are those of a uniform density, the hardest
    without a valley. Of more than 2,000 objects 2,000 are drawn. What data of many kinds, with
    clusters and without, are said to have is in the documentation of stability.

    Examples
    --------
    >>> import numpy as np
    >>> from karat import assess_structure
    >>> rng = np.random.default_rng(0)
    >>> assess_structure(rng.normal(size=(600, 2))).decision
    'no'
    >>> two = np.concatenate([rng.normal(c, 1, (100, 2)) for c in (0, 5)])
    >>> assess_structure(two).decision
    'yes'
    """
    metric = check_metric(metric)
    if metric == "graph":
        raise InputError(
            "whether a graph has clusters cannot be assessed, since it has no coordinates; give "
            "its vertices' features or a matrix of distances (metric='precomputed')"
        )
    return structure_of(check_points(X, metric), metric, check_random_state(random_state))


def structure_of(X: Rows, metric: Metric, rng: np.random.Generator) -> Structure:
    """Structure of validated data."""
    Z = coordinates(X, metric, rng)
    if Z.shape[1] == 0:
        return Structure(0.0, "no", 0.0, 1, len(Z))
    of_numbers, groups = find_valleys(Z, rng)
    evidence, n = float(of_numbers.max(initial=0.0)), len(Z)
    probability = probability_of(evidence, n)
    decision: Decision = "unclear"
    if evidence >= needed(n):
        decision = "yes"
    elif probability < NO_CLUSTERS_BELOW:
        decision = "no"
    k = int(groups[of_numbers.argmax()]) if decision == "yes" else 1
    return Structure(probability, decision, evidence, max(k, 1), n)


def needed(n: int) -> float:
    """Evidence that n objects need for a yes; more for few, since few on a curve look clustered."""
    return VALLEY_LIMIT + PER_MISSING * max(float(np.log(USUAL_SIZE / max(n, 2))), 0.0)


def probability_of(evidence: float, n: int) -> float:
    """Probability of clusters, by the evidence from n objects."""
    size = np.log(max(n, 2) / USUAL_SIZE) * max(1 - evidence / ENOUGH_EVIDENCE, 0.0)
    logit = INTERCEPT + PER_EVIDENCE * min(evidence, CERTAIN_EVIDENCE) + PER_SIZE * size
    logit = min(logit, PER_EVIDENCE * evidence)  # few objects are no evidence of clusters
    return float(1 / (1 + np.exp(-logit)))
