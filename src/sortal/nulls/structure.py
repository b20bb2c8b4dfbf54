"""Assessment of whether gaps separate clusters in data, for any clustering method."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import stdtrit

from sortal._kernels.modes import FEWEST, line_evidence
from sortal.distances import FORMS, check_metric, check_points, embed
from sortal.nulls.coordinates import coordinates, depend_on_draws, placed
from sortal.nulls.gaps import find_gaps
from sortal.nulls.overlap import overlap_evidence
from sortal.nulls.settings import (
    STRUCTURE,
    GapSettings,
    StructureSettings,
    ValleySettings,
)
from sortal.nulls.valleys import NUMBERS_OF_CLUSTERS, find_valleys, gap_factor
from sortal.runtime.numerals import certain_percent
from sortal.runtime.threads import in_threads
from sortal.runtime.validation import InputError, check_random_state
from sortal.typing import ArrayLike, Floats, Ints, Metric, RandomState, Rows

__all__ = [
    "Structure",
    "StructureSearch",
    "assess_structure",
    "needed",
    "predictors",
    "probability_of",
    "structure_of",
]

Decision: TypeAlias = Literal["yes", "no", "unclear"]
Answer: TypeAlias = Literal["separate", "overlapping", "one cloud"]

#: limit of cost: saves the linearity of further neighbourhoods
N_NEIGHBOURHOODS = 60
#: limit of cost: saves further searches at a time, and more of them near a limit
N_SEARCHES, MAX_SEARCHES = 4, 64
#: limit of cost: saves correlations of more columns; their principal coordinates take their place
MAX_COLUMNS = 200
#: what is said of data without groups of either kind; it is no claim about classes of somebody's
ONE_CLOUD = "One cloud: no split is better supported than another."
BENT_CLOUD = "One bent cloud, or a chain of kinds: the evidence cannot tell which."
#: what is said of data with groups
KINDS = {"separate": "Separate groups.", "overlapping": "Groups that overlap, without gaps."}
#: what is said where neither groups nor one cloud are likely
UNCERTAIN = "One cloud, perhaps: groups of any kind are uncertain"


@dataclass(frozen=True)
class Structure:
    """Whether data have separate groups, groups that overlap, or none, with the evidence.

    The probabilities of the three (``probability``, ``overlapping``, ``one_cloud``) sum to 1, and
    ``answer`` is the one that counts.

    Attributes
    ----------
    probability : float
        Probability of clusters with gaps between them, if data with and without clusters are
        equally frequent. It allows for the random numbers of the search.
    decision : {"yes", "no", "unclear"}
        ``"yes"`` from a probability of .9, which few data sets without clusters reach. ``"no"``
        below .2, otherwise ``"unclear"``. It is about gaps alone: ``answer`` knows of groups that
        overlap.
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
    overlapping : float
        Probability of groups without gaps between them: the objects' neighbours are together more
        than those in one cloud with the same columns and correlations. Not sought, and 0, where
        the decision is ``"yes"``.
    overlap_evidence : float
        Standard deviations of twins without groups, see :func:`sortal.nulls.overlap_evidence`.
        A bent cloud has some, so more is needed of data along a curve.

    Equal objects have no gaps. A cluster of fewer than a twentieth of the objects can be
    missed, and so can long clusters side by side without a clear gap.
    """

    probability: float
    decision: Decision
    evidence: float
    n_clusters: int
    n_objects: int
    error: float = 0.0
    linearity: float = STRUCTURE.column_linearity
    overlapping: float = 0.0
    overlap_evidence: float = 0.0

    @property
    def grouped(self) -> float:
        """Probability of groups of either kind, separate or overlapping."""
        return self.probability + self.overlapping

    @property
    def one_cloud(self) -> float:
        """Probability of neither kind of groups."""
        return 1 - self.grouped

    @property
    def answer(self) -> Answer:
        """The more probable kind of groups, where groups are more probable than one cloud."""
        if self.grouped <= 0.5:
            return "one cloud"
        return "separate" if self.probability >= self.overlapping else "overlapping"

    @property
    def smallest(self) -> int:
        """Number of objects below which a cluster can be missed."""
        return max(int(np.ceil(0.05 * self.n_objects)), FEWEST)

    @property
    def is_uncertain(self) -> bool:
        """Whether one cloud is likely, and groups are not excluded."""
        return STRUCTURE.no_clusters_below <= self.grouped <= 0.5

    @property
    def is_bent(self) -> bool:
        """Whether one cloud is the answer only because its neighbourhoods follow a curve."""
        straight = overlap_probability(self.overlap_evidence, STRUCTURE.overlap.straight)
        return self.grouped <= 0.5 < straight

    @property
    def cloud(self) -> str:
        """Sentence on data without groups, or with uncertain ones."""
        if self.is_bent:
            return BENT_CLOUD
        if self.is_uncertain:
            return f"{UNCERTAIN} (chance {certain_percent(self.grouped)})."
        return ONE_CLOUD

    def __str__(self) -> str:
        shares = (
            f"Probabilities: separate groups {self.probability:.2f}, groups that overlap "
            f"{self.overlapping:.2f}, one cloud {self.one_cloud:.2f}."
        )
        if self.answer != "one cloud":
            k = f" Gaps separate at least {self.n_clusters}." if self.n_clusters > 1 else ""
            return f"{KINDS[self.answer]}{k} {shares}"
        return f"{self.cloud} {shares} A group of fewer than {self.smallest} objects can be missed."

    def to_dict(self) -> dict[str, Any]:
        """The answer, the probability of one cloud, and all attributes."""
        return {"answer": self.answer, "one_cloud": self.one_cloud, **asdict(self)}

    def _repr_html_(self) -> str:
        """The answer as HTML."""
        return f"<p>{self}</p>"


def assess_structure(
    X: ArrayLike,
    *,
    metric: Metric = "euclidean",
    random_state: RandomState = 0,
    settings: StructureSettings = STRUCTURE,
) -> Structure:
    """Assess whether data have separate groups, groups that overlap, or are one cloud.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    metric : str or callable
    random_state : None, int or Generator
    settings : sortal.nulls.StructureSettings
        Constants that were tuned on generated data.

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
    there are up to 64. Groups that overlap have neither valleys nor gaps. Where these are not
    certain, the graph of neighbours shows them, beside twins of the table that are one cloud
    (:func:`sortal.nulls.overlap_evidence`). The objects are taken for independent: a random walk
    stays at some places by chance, which are groups here. The documentation of stability has
    results for data of many kinds.

    Examples
    --------
    >>> import numpy as np
    >>> from sortal import assess_structure
    >>> rng = np.random.default_rng(0)
    >>> assess_structure(rng.normal(size=(600, 2))).answer
    'one cloud'
    >>> two = np.concatenate([rng.normal(c, 1, (100, 2)) for c in (0, 5)])
    >>> assess_structure(two).answer
    'separate'
    """
    metric = check_metric(metric)
    if metric == "graph":
        raise InputError(
            "whether a graph has clusters cannot be assessed, since it has no coordinates; give "
            "its vertices' features or a matrix of distances (metric='precomputed')"
        )
    rng = check_random_state(random_state)
    return structure_of(check_points(X, metric), metric, rng, settings)


def structure_of(
    X: Rows, metric: Metric, rng: np.random.Generator, settings: StructureSettings = STRUCTURE
) -> Structure:
    """Structure of validated data, by searches that are repeated near a limit of the decision."""
    return StructureSearch(X, metric, rng, settings).structure(settings)


@dataclass
class StructureSearch:
    """Searches for valleys and gaps in data, each made once for all tables of settings.

    Parameters
    ----------
    X : ndarray, csr_array
        As :func:`sortal.distances.check_points` returns it; not a graph.
    metric : str or callable
    rng : Generator
        Draws the coordinates, and the seeds of the searches.
    settings : StructureSettings
        Constants of the coordinates: ``jitter`` and ``min_components``.
    """

    X: Rows
    metric: Metric
    rng: np.random.Generator
    settings: StructureSettings = STRUCTURE
    _valleys: dict[tuple[ValleySettings, int, bytes], tuple[Floats, Ints]] = field(
        default_factory=dict, init=False
    )
    _gaps: dict[tuple[GapSettings, int], tuple[float, int, int]] = field(
        default_factory=dict, init=False
    )
    _overlap: dict[tuple[int, float, float], float] = field(default_factory=dict, init=False)
    _seeds: list[list[int]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._coordinates, self._rows = placed(self.X, self.metric, self.rng, self.settings)
        self._is_redrawn = depend_on_draws(self.X, self.metric)

    def structure(self, settings: StructureSettings = STRUCTURE) -> Structure:
        """The structure by these settings; those of the coordinates are as they were."""
        structure = self.separation(settings)
        if structure.decision == "yes" or not self._coordinates.shape[1]:
            return structure
        evidence = self._overlap_evidence(settings)
        if evidence == 0:  # too few objects for a graph
            return structure
        share = overlap_probability(evidence, structure.linearity, settings)
        overlapping = (1 - structure.probability) * share
        return replace(structure, overlapping=overlapping, overlap_evidence=evidence)

    def separation(self, settings: StructureSettings = STRUCTURE) -> Structure:
        """The structure by valleys and gaps alone; groups that overlap are not sought."""
        Z, numbers = self._coordinates, np.array(NUMBERS_OF_CLUSTERS)
        if Z.shape[1] == 0:
            return Structure(0.0, "no", 0.0, 1, len(Z))
        is_column = Z.shape[1] == 1
        linear = settings.column_linearity if is_column else linearity(Z, settings)

        if not is_column and not self._is_redrawn:
            self._find_gaps(Z, 0, settings.gaps)  # once, for all searches

        def search(seed: int) -> tuple[Floats, Ints]:
            (deepest, groups), gaps = self._results(seed, numbers, settings)
            contrast, n_separated, n = gaps
            evidence = gap_evidence(contrast, n, linear, settings)
            return np.append(evidence, deepest), np.append(n_separated, groups)

        def search_column(seed: int) -> tuple[Floats, Ints]:
            column = self._coordinates_with(np.random.default_rng(seed))[:, 0]
            is_enough = len(column) >= 2 * settings.valleys.objects_per_cluster
            evidence, n = line_evidence(column) if is_enough else 0.0, 1 + len(numbers)
            return np.full(n, evidence), np.ones(n, dtype=np.int64)

        evidence, n_clusters = np.zeros((0, 1 + len(numbers))), 2
        for round_ in range(MAX_SEARCHES // N_SEARCHES):
            seeds = self._seeds_of(round_)
            results = in_threads(search_column if is_column else search, seeds)
            evidence = np.vstack([evidence, [values for values, _ in results]])
            n_clusters = max(n_clusters, _most_groups(results))
            mean, error = evidence.mean(axis=0), evidence.std(axis=0, ddof=1) / len(evidence) ** 0.5
            first = int(mean.argmax())
            structure = _decided(
                float(mean[first]), float(error[first]), n_clusters, len(Z), linear, settings
            )
            if is_settled(structure, len(evidence), settings):
                break
            # numbers of clusters that can have the most evidence
            leading = mean + 2 * error >= mean[first]
            leading[0] = True  # gaps
            numbers, evidence = numbers[leading[1:]], evidence[:, leading]
        if is_column and structure.decision == "yes":
            n_clusters = max(n_clusters, _most_groups(in_threads(search, seeds)))
            structure = replace(structure, n_clusters=n_clusters)
        return structure

    def _overlap_evidence(self, settings: StructureSettings) -> float:
        """Evidence of groups that overlap, in the columns of the data if these are few."""
        overlap = settings.overlap
        key = overlap.neighbors, overlap.coarse_resolution, overlap.least_spread
        if key not in self._overlap:
            columns, d = self._coordinates, self.X.shape[1]
            if self.metric in FORMS and isinstance(self.X, np.ndarray) and d <= MAX_COLUMNS:
                columns = np.asarray(embed(self.X[self._rows], str(self.metric)), dtype=np.float64)
            rng = np.random.default_rng(self._seeds_of(0)[0])
            self._overlap[key] = overlap_evidence(columns, rng, overlap)
        return self._overlap[key]

    def _seeds_of(self, round_: int) -> list[int]:
        """Seeds of the searches of a round, the same whenever it is asked for."""
        while len(self._seeds) <= round_:
            self._seeds.append(self.rng.integers(2**31 - 1, size=N_SEARCHES).tolist())
        return self._seeds[round_]

    def _coordinates_with(self, rng: np.random.Generator) -> Floats:
        """Coordinates of a search: other rows and other values of ties in each."""
        if not self._is_redrawn:
            return self._coordinates
        return coordinates(self.X, self.metric, rng, self.settings)

    def _results(
        self, seed: int, numbers: Ints, settings: StructureSettings
    ) -> tuple[tuple[Floats, Ints], tuple[float, int, int]]:
        """What a search finds: valleys, their groups; the gaps' contrast, groups and objects."""
        in_valleys = settings.valleys, seed, numbers.tobytes()
        in_gaps = settings.gaps, seed if self._is_redrawn else 0
        if in_valleys not in self._valleys or in_gaps not in self._gaps:
            rng = np.random.default_rng(seed)
            Z = self._coordinates_with(rng)
            if in_valleys not in self._valleys:
                self._valleys[in_valleys] = find_valleys(Z, rng, numbers, settings.valleys)
            if in_gaps not in self._gaps:
                self._find_gaps(Z, in_gaps[1], settings.gaps)
        return self._valleys[in_valleys], self._gaps[in_gaps]

    def _find_gaps(self, Z: Floats, seed: int, settings: GapSettings) -> None:
        """Remember the gaps of the coordinates that a seed drew."""
        self._gaps[settings, seed] = (*find_gaps(Z, settings), len(Z))


def is_settled(
    structure: Structure, searches: int, settings: StructureSettings = STRUCTURE
) -> bool:
    """Whether no limit of a decision is in the t interval of the probability.

    Few searches can be alike by chance, and Student's quantile allows for that.
    """
    reach = float(stdtrit(searches - 1, (1 + settings.confidence) / 2)) * structure.error
    limits = settings.clusters_from, settings.no_clusters_below
    return min(abs(structure.probability - limit) for limit in limits) > reach


def _most_groups(results: list[tuple[Floats, Ints]]) -> int:
    """Most groups that a number of clusters has in the median of the searches."""
    return int(np.median([groups for _, groups in results], axis=0).max())


def _decided(
    evidence: float,
    error: float,
    n_clusters: int,
    n: int,
    linear: float,
    settings: StructureSettings = STRUCTURE,
) -> Structure:
    """The decision by the most evidence, and as many clusters as valleys separate at the most."""
    # of more objects, random gaps have more evidence, too
    factor = gap_factor(n, settings.valleys)
    evidence, error = evidence / factor, error / factor
    probability, error = probability_of(evidence, n, linear, error, settings)
    decision: Decision = "unclear"
    if probability >= settings.clusters_from:
        decision = "yes"
    elif probability < settings.no_clusters_below:
        decision = "no"
    k = n_clusters if decision == "yes" else 1
    return Structure(probability, decision, evidence, k, n, error, linear)


def linearity(Z: Floats, settings: StructureSettings = STRUCTURE) -> float:
    """Mean share of the largest principal component of neighbourhoods: 1 on a line."""
    n = len(Z)
    m = min(max(int(settings.neighbourhood * n), settings.min_neighbourhood), n)
    shares = []
    for at in np.linspace(0, n - 1, min(N_NEIGHBOURHOODS, n)).astype(np.intp):
        P = Z[np.argpartition(np.square(Z - Z[at]).sum(axis=1), m - 1)[:m]]
        sizes = np.square(np.linalg.svd(P - P.mean(axis=0), compute_uv=False))
        shares.append(sizes[0] / max(float(sizes.sum()), 1e-300))
    return float(np.mean(shares))


def gap_evidence(
    contrast: float, n: int, linear: float, settings: StructureSettings = STRUCTURE
) -> float:
    """Evidence that a gap's contrast is worth: as much as is needed where it separates groups."""
    gaps, valleys = settings.gaps, settings.valleys
    share = max(contrast - gaps.free_contrast, 0.0) / (gaps.enough_contrast - gaps.free_contrast)
    return min(share * needed(linear, settings) * gap_factor(n, valleys), valleys.max_evidence)


def overlap_probability(
    evidence: float, linear: float, settings: StructureSettings = STRUCTURE
) -> float:
    """Probability of groups that overlap, where none are separate."""
    overlap = settings.overlap
    logit = overlap.intercept + overlap.evidence_slope * min(evidence, overlap.certain_evidence)
    logit += overlap.linearity_slope * max(linear - overlap.straight, 0.0)
    return float(1 / (1 + np.exp(-logit)))


def needed(
    linear: float = STRUCTURE.column_linearity, settings: StructureSettings = STRUCTURE
) -> float:
    """Evidence needed for a yes; more of data along a line."""
    limit = np.log(settings.clusters_from / (1 - settings.clusters_from)) - settings.intercept
    return float(limit / settings.evidence_slope * max(linear, settings.min_linearity))


def predictors(
    evidence: float, n: int, linear: float, settings: StructureSettings = STRUCTURE
) -> tuple[float, float]:
    """Relative evidence, and the number of objects as far as it matters beside it."""
    relative = min(evidence / max(linear, settings.min_linearity), settings.certain_evidence)
    size = np.log(max(n, settings.min_size) / settings.valleys.usual_size)
    return relative, float(size * max(1 - relative / settings.enough_evidence, 0.0))


def probability_of(
    evidence: float,
    n: int,
    linear: float = STRUCTURE.column_linearity,
    error: float = 0.0,
    settings: StructureSettings = STRUCTURE,
) -> tuple[float, float]:
    """Probability of clusters and its standard error, by the evidence and its standard error."""
    if error == 0:
        return _probability(evidence, n, linear, settings), 0.0
    at = evidence + error * np.array([-np.sqrt(3), 0.0, np.sqrt(3)])
    values = np.array([_probability(max(e, 0.0), n, linear, settings) for e in at])
    weights = np.array([1, 4, 1]) / 6  # the mean over normal errors, by Gauss and Hermite
    mean = float(weights @ values)
    return mean, float(np.sqrt(weights @ np.square(values - mean)))


def _probability(evidence: float, n: int, linear: float, settings: StructureSettings) -> float:
    """Probability of clusters by the evidence, without its error."""
    relative, size = predictors(evidence, n, linear, settings)
    logit = settings.intercept + settings.evidence_slope * relative + settings.size_slope * size
    logit = min(logit, settings.evidence_slope * relative)  # few objects are no evidence
    return float(1 / (1 + np.exp(-logit)))
