"""Assessment of whether gaps separate clusters in data, for any clustering method."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import stdtrit

from sortal._kernels.modes import FEWEST, line_evidence
from sortal.distances import check_metric, check_points
from sortal.nulls.coordinates import coordinates, depend_on_draws
from sortal.nulls.gaps import ENOUGH, FREE, find_gaps
from sortal.nulls.valleys import (
    MOST_EVIDENCE,
    NUMBERS_OF_CLUSTERS,
    OBJECTS_PER_CLUSTER,
    USUAL_SIZE,
    find_valleys,
    gap_factor,
)
from sortal.runtime.threads import in_threads
from sortal.runtime.types import ArrayLike, Floats, Ints, Metric, RandomState, Rows
from sortal.runtime.validation import InputError, check_random_state

__all__ = [
    "Structure",
    "assess_structure",
    "needed",
    "predictors",
    "probability_of",
    "structure_of",
]

Decision: TypeAlias = Literal["yes", "no", "unclear"]

#: logistic regression of 0, 1 (clusters) on these, by ``sortal reproduce structure``
INTERCEPT, PER_EVIDENCE, PER_SIZE = -4.01, 0.83, -1.38
#: number of objects that counts where there are fewer; evidence relative to the linearity above
#: which the number of objects does not matter, and more evidence does not
SMALL_SIZE, ENOUGH_EVIDENCE, CERTAIN_EVIDENCE = 20, 8.0, 10.0
#: least linearity by which evidence is divided, and that of a column, whose dip has a known
#: distribution
MIN_LINEARITY, OF_COLUMN = 0.35, 0.5
#: share of the objects in a neighbourhood, and neighbourhoods whose linearity is averaged
NEIGHBOURHOOD, NEIGHBOURHOODS = 0.2, 60
#: probability from which there are clusters, and below which there are none
CLUSTERS_FROM, NO_CLUSTERS_BELOW = 0.9, 0.2
#: share of the objects below which a cluster can be missed
SMALL_CLUSTER = 0.05
#: searches at a time, most searches near a limit, and the confidence that it is not near
REPEATS, MOST_REPEATS, SURE = 4, 64, 0.99
#: what a "no" says: the search is for gaps, so groups without them stay possible
NO_GAPS = "No gaps between groups were found; groups that overlap cannot be excluded."
#: what an "unclear" says
UNCERTAIN_GAPS = "Gaps between groups are uncertain."
#: fewest objects of a neighbourhood
MIN_NEIGHBOURS = 12


@dataclass(frozen=True)
class Structure:
    """Decision whether gaps separate clusters in data, with its evidence.

    Attributes
    ----------
    probability : float
        Probability of clusters with gaps between them, if data with and without clusters are
        equally frequent. It allows for the random numbers of the search.
    decision : {"yes", "no", "unclear"}
        ``"yes"`` from a probability of .9, which few data sets without clusters reach. ``"no"``
        below .2, otherwise ``"unclear"``. A "no" says that no gaps were found, and clusters that
        overlap cannot be excluded.
    evidence : float
        -log p of the deepest valley between clusters that no way around it avoids, or what a gap
        between groups of any shape is worth, if that is more.
    n_clusters : int
        Most clusters that valleys or gaps separate, if the decision is ``"yes"``; otherwise 1.
        There can be more: those that overlap have neither.
    n_objects : int
        Number of distinct objects examined.
    error : float
        Standard error of the probability, by the random numbers of the search.
    linearity : float
        Mean share of the largest principal component in neighbourhoods of a fifth of the objects:
        1 on a line. Random gaps are deeper in thin data, so these need more evidence.

    Equal objects have no gaps. A cluster of fewer than a twentieth of the objects can be
    missed, and so can long clusters side by side without a clear gap.
    """

    probability: float
    decision: Decision
    evidence: float
    n_clusters: int
    n_objects: int
    error: float = 0.0
    linearity: float = OF_COLUMN

    @property
    def smallest(self) -> int:
        """Number of objects below which a cluster can be missed."""
        return max(int(np.ceil(SMALL_CLUSTER * self.n_objects)), FEWEST)

    def __str__(self) -> str:
        sentence = {
            "yes": f"These data have clusters (probability {self.probability:.2f})",
            "no": f"{NO_GAPS} The probability of gaps is {self.probability:.2f}",
            "unclear": f"{UNCERTAIN_GAPS} Their probability is {self.probability:.2f}",
        }[self.decision]
        least = needed(self.linearity)
        limit = ""
        if self.decision != "yes":
            limit = f" A cluster of fewer than {self.smallest} objects can be missed."
        return f"{sentence}: evidence {self.evidence:.1f}, {least:.1f} is needed.{limit}"

    def _repr_html_(self) -> str:
        """Decision as HTML."""
        return f"<p>{self}</p>"


def assess_structure(
    X: ArrayLike, *, metric: Metric = "euclidean", random_state: RandomState = 0
) -> Structure:
    """Assess whether gaps separate clusters in the data.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    metric : str or callable
    random_state : None, int or Generator

    Notes
    -----
    k-means finds 2 to 30 clusters, each time without a quarter of the objects. Hartigan's dip tests
    this quarter between each two clusters, on their line and along the data. Pairs without a valley
    are one cluster (:func:`sortal.nulls.valleys.find_valleys`). p-values are those of a uniform
    density, the hardest without a valley. A small group has no deep valley. So up to 3 clusters,
    and for one column, the likelihood of two normal groups is compared with that of one flat,
    skewed or long-tailed group. A tree of neighbours finds gaps between groups of any shape
    (:func:`sortal.nulls.gaps.find_gaps`), and the larger evidence counts. Evidence of more than 400
    objects is divided by the square root of their number over 400. At most 2,000 objects are drawn.
    The mean of 4 searches decides. Where a t interval of 99 % for the probability has a limit,
    there are up to 64. The objects are taken for independent: a random walk stays at some places by
    chance, which are groups here. The documentation of stability has results for data of many
    kinds.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal import assess_structure
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
    """Structure of validated data, by searches that are repeated near a limit of the decision."""
    Z, is_redrawn = coordinates(X, metric, rng), depend_on_draws(X, metric)
    if Z.shape[1] == 0:
        return Structure(0.0, "no", 0.0, 1, len(Z))
    is_column, numbers = Z.shape[1] == 1, np.array(NUMBERS_OF_CLUSTERS)
    linear = OF_COLUMN if is_column else linearity(Z)
    gaps_of_all = None if is_redrawn else find_gaps(Z)

    def search(seed: int) -> tuple[Floats, Ints]:
        of_search = np.random.default_rng(seed)
        drawn = coordinates(X, metric, of_search) if is_redrawn else Z
        deepest, groups = find_valleys(drawn, of_search, numbers)
        contrast, separated = gaps_of_all or find_gaps(drawn)
        worth = gap_evidence(contrast, len(drawn), linear)
        return np.append(worth, deepest), np.append(separated, groups)

    def search_column(seed: int) -> tuple[Floats, Ints]:
        drawn = coordinates(X, metric, np.random.default_rng(seed)) if is_redrawn else Z
        enough = len(drawn) >= 2 * OBJECTS_PER_CLUSTER
        found = line_evidence(drawn[:, 0]) if enough else 0.0
        return np.full(1 + len(numbers), found), np.ones(1 + len(numbers), dtype=np.int64)

    evidence, most = np.zeros((0, 1 + len(numbers))), 2
    while True:
        seeds = rng.integers(2**31 - 1, size=REPEATS).tolist()
        found = in_threads(search_column if is_column else search, seeds)
        evidence = np.vstack([evidence, [deepest for deepest, _ in found]])
        most = max(most, _most_groups(found))
        mean, error = evidence.mean(axis=0), evidence.std(axis=0, ddof=1) / len(evidence) ** 0.5
        at = int(mean.argmax())
        structure = _decided(float(mean[at]), float(error[at]), most, len(Z), linear)
        if is_settled(structure, len(evidence)) or len(evidence) >= MOST_REPEATS:
            break
        # numbers of clusters that can have the most evidence
        leading = mean + 2 * error >= mean[at]
        leading[0] = True  # gaps
        numbers, evidence = numbers[leading[1:]], evidence[:, leading]
    if is_column and structure.decision == "yes":
        most = max(most, _most_groups(in_threads(search, seeds)))
        structure = replace(structure, n_clusters=most)
    return structure


def is_settled(structure: Structure, searches: int) -> bool:
    """Whether no limit of a decision is in the t interval of the probability.

    Few searches can be alike by chance, and Student's quantile allows for that.
    """
    reach = float(stdtrit(searches - 1, (1 + SURE) / 2)) * structure.error
    limits = CLUSTERS_FROM, NO_CLUSTERS_BELOW
    return min(abs(structure.probability - limit) for limit in limits) > reach


def _most_groups(found: list[tuple[Floats, Ints]]) -> int:
    """Most groups that a number of clusters has in the median of the searches."""
    return int(np.median([groups for _, groups in found], axis=0).max())


def _decided(evidence: float, error: float, most: int, n: int, linear: float) -> Structure:
    """The decision by the most evidence, and as many clusters as valleys separate at the most."""
    # of more objects, random gaps have more evidence, too
    evidence, error = evidence / gap_factor(n), error / gap_factor(n)
    probability, error = probability_of(evidence, n, linear, error)
    decision: Decision = "unclear"
    if probability >= CLUSTERS_FROM:
        decision = "yes"
    elif probability < NO_CLUSTERS_BELOW:
        decision = "no"
    k = most if decision == "yes" else 1
    return Structure(probability, decision, evidence, k, n, error, linear)


def linearity(Z: Floats) -> float:
    """Mean share of the largest principal component of neighbourhoods: 1 on a line."""
    n = len(Z)
    m = min(max(int(NEIGHBOURHOOD * n), MIN_NEIGHBOURS), n)
    shares = []
    for at in np.linspace(0, n - 1, min(NEIGHBOURHOODS, n)).astype(np.intp):
        P = Z[np.argpartition(np.square(Z - Z[at]).sum(axis=1), m - 1)[:m]]
        sizes = np.square(np.linalg.svd(P - P.mean(axis=0), compute_uv=False))
        shares.append(sizes[0] / max(float(sizes.sum()), 1e-300))
    return float(np.mean(shares))


def gap_evidence(contrast: float, n: int, linear: float) -> float:
    """Evidence that a gap's contrast is worth: as much as is needed where it separates groups."""
    share = max(contrast - FREE, 0.0) / (ENOUGH - FREE)
    return min(share * needed(linear) * gap_factor(n), MOST_EVIDENCE)


def needed(linear: float = OF_COLUMN) -> float:
    """Evidence needed for a yes; more of data along a line."""
    limit = np.log(CLUSTERS_FROM / (1 - CLUSTERS_FROM)) - INTERCEPT
    return float(limit / PER_EVIDENCE * max(linear, MIN_LINEARITY))


def predictors(evidence: float, n: int, linear: float) -> tuple[float, float]:
    """Relative evidence, and the number of objects as far as it matters beside it."""
    relative = evidence / max(linear, MIN_LINEARITY)
    relative = min(relative, CERTAIN_EVIDENCE)
    size = np.log(max(n, SMALL_SIZE) / USUAL_SIZE) * max(1 - relative / ENOUGH_EVIDENCE, 0.0)
    return relative, float(size)


def probability_of(
    evidence: float, n: int, linear: float = OF_COLUMN, error: float = 0.0
) -> tuple[float, float]:
    """Probability of clusters and its standard error, by the evidence and its standard error."""
    if error == 0:
        return _probability(evidence, n, linear), 0.0
    at = evidence + error * np.array([-np.sqrt(3), 0.0, np.sqrt(3)])
    values = np.array([_probability(max(e, 0.0), n, linear) for e in at])
    weights = np.array([1, 4, 1]) / 6  # the mean over normal errors, by Gauss and Hermite
    mean = float(weights @ values)
    return mean, float(np.sqrt(weights @ np.square(values - mean)))


def _probability(evidence: float, n: int, linear: float) -> float:
    """Probability of clusters by the evidence, without its error."""
    relative, size = predictors(evidence, n, linear)
    logit = INTERCEPT + PER_EVIDENCE * relative + PER_SIZE * size
    logit = min(logit, PER_EVIDENCE * relative)  # few objects are no evidence of clusters
    return float(1 / (1 + np.exp(-logit)))
