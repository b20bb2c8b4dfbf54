"""The facts of an answer, frozen; :mod:`sortal.study.wording` makes every sentence of them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from sortal.nulls.structure import Structure as Structure
from sortal.runtime.json_values import json_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.bounds import BoundForecast, Guarantee
    from sortal.labelings.structures import Hardened

SplitKind: TypeAlias = Literal["separate", "overlapping"]

#: tuned by eye: share of the objects from which on one clustering is said to divide another
NESTS = 0.9
#: derived: splits that are more probable than not are made
HALF = 0.5
#: tuned by eye: recoveries below which a clustering is as good as random groups, and poor
RANDOM, POOR = 0.1, 0.25
#: of a guarantee, what :meth:`Answer.to_dict` gives
GUARANTEED = (
    "name", "method", "carrier", "bound", "bound_rate", "m", "n", "delta", "errors",
    "constant_error_rate", "labels_read", "premises", "warnings",
)  # fmt: skip


@dataclass(frozen=True)
class Recovery:
    """How near a clustering is to the groups that made the data, if groups made them.

    ``value`` is the expected adjusted Rand index with these groups: 1 is perfect, 0 is chance. The
    judge learned it from generated data. Classes that somebody has in mind can be others.
    """

    value: float
    low: float
    high: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 80 % interval."""
        return self.low, self.high


@dataclass(frozen=True)
class Contribution:
    """What one kind of evidence added to the recovery."""

    kind: str
    value: float


@dataclass(frozen=True)
class Candidate:
    """Another clustering; ``score`` is that of a measure, a probability or a guarantee."""

    name: str
    n_clusters: int
    score: float | None = None
    recovery: Recovery | None = None


@dataclass(frozen=True)
class OwnClustering:
    """A clustering that the user supplied, beside the answer."""

    name: str
    n_clusters: int
    recovery: Recovery | None
    #: adjusted Rand index with the answer
    agreement: float
    #: whether it cannot be told apart from the answer
    level: bool = False


@dataclass(frozen=True)
class Number:
    """How likely a number of groups is by the tree of splits, and how it goes with the answer's."""

    k: int
    #: they sum to 1 over the numbers, 1 among them
    probability: float
    #: the best candidate with as many; None where none has
    name: str | None = None
    #: share of the objects for which the finer of the two only divides the coarser
    nested: float = 1.0
    #: the clusters of the coarser of the two, and the clusters of the finer that make each up
    united: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def is_nested(self) -> bool:
        """Whether one of the two divides the other, but for at most a tenth of the objects."""
        return self.nested >= NESTS


@dataclass(frozen=True)
class SplitFacts:
    """A node of the tree of splits: objects that may divide into groups.

    ``groups`` are the groups of the answer that make it up; empty where no union of them does.
    """

    groups: tuple[str, ...]
    #: of all objects
    share: float
    #: that they divide, given that the splits above are right, and its standard error
    probability: float
    error: float
    #: the more probable kind of groups
    kind: SplitKind
    #: the groups that they divide into; empty where none were sought
    children: tuple[SplitFacts, ...] = ()

    @property
    def divides(self) -> bool:
        """Whether it divides, more probably than not."""
        return self.probability >= HALF and bool(self.children)

    @property
    def k(self) -> int:
        """Number of groups that splits above one half make, all of whose ancestors are."""
        return sum(child.k for child in self.children) if self.divides else 1


@dataclass(frozen=True)
class LevelCandidate:
    """A candidate whose recovery differs from the answer's by less than the error."""

    name: str
    n_clusters: int
    recovery: Recovery
    #: adjusted Rand index with the answer
    agreement: float
    #: clusters of the answer that it has, too, but for a tenth of their objects
    shared: tuple[str, ...]
    #: as for :class:`Number`, with the answer
    nested: float
    united: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def is_nested(self) -> bool:
        """Whether one of the two divides the other, but for at most a tenth of the objects."""
        return self.nested >= NESTS


@dataclass(frozen=True)
class Granularity:
    """A level of a tree of clusterings that divide each other, the coarsest first.

    ``parents`` are the clusters of the level before that hold each cluster; empty for the first.
    ``probability`` is that of as many groups or more.
    """

    k: int
    name: str
    probability: float
    parents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Steadiness:
    """Mean adjusted Rand index of the answer with the answers on parts of the rows.

    Each of ``n_parts`` random parts has the share ``kept`` of the rows. The candidates that the
    judge may choose there are fitted again, and count by their chances.
    """

    value: float
    kept: float
    n_parts: int


@dataclass(frozen=True)
class ReferenceClustering:
    """The best of sortal's own sweep beside clusterings that were made elsewhere."""

    name: str
    n_clusters: int
    recovery: Recovery
    #: adjusted Rand index with the answer
    agreement: float
    #: different clusterings of that sweep
    tried: int
    #: to how many objects they were fitted, if not to all
    fitted_on: int | None = None


@dataclass(frozen=True)
class JudgedBy:
    """Whose judgement it is, and on how many of the objects if not on all."""

    version: str
    digest: str
    weighed: int | None = None


@dataclass(frozen=True)
class Family:
    """One vote of a consensus: its measures, what it prefers, whether that is the answer."""

    name: str
    measures: tuple[str, ...]
    prefers: str
    first: bool


@dataclass(frozen=True)
class Measured:
    """The measure that decided, and whom a sample does not tell from the best."""

    title: str
    value: float
    greater_is_better: bool
    n_known: int
    inside_error: tuple[str, ...]


@dataclass(frozen=True)
class LabelEvidence:
    """Probability of the choice among the candidates without the labels and with them.

    ``alike`` is that of all candidates that hardly differ from it, itself among them.
    """

    n_labels: int
    before: float
    after: float
    alike: float


@dataclass(frozen=True)
class Rate:
    """Guaranteed maximum error rate if every cluster of a clustering had one class."""

    name: str
    rate: float


@dataclass(frozen=True)
class MoreLabels:
    """What more labels would buy, and the rows to label next.

    ``rows`` are rows of the data as they were read, counted from 0, in the order of a random draw;
    ``objects`` are their positions among the objects.
    """

    labelled: int
    outlook: tuple[BoundForecast, ...]
    rows: tuple[int, ...]
    objects: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True)
class Sample:
    """What it was fitted to, if not to all objects, and the agreement with another sample.

    ``reason`` says why there is no agreement, where it was asked for.
    """

    fitted_on: int
    of_cells: bool
    agreement: float | None
    reason: str | None = None


@dataclass(frozen=True)
class StabilityFacts:
    """Stability of the clusters and of their number under resampling."""

    clusterer: str
    #: first and last number of clusters of the curve; empty where the clusterer finds it itself
    numbers: tuple[int, ...]
    #: the number that is far more stable than the null; 1 for none, None without a null
    selected: int | None
    #: share of the worst cluster's objects that stay together at that number, and in the null
    kept: float | None
    null: float | None
    #: how many clusters resamples have, where the clusterer finds the number itself
    found: tuple[int, ...]
    #: the same for data sets of the null
    found_in_null: tuple[int, ...]
    #: clusters of the answer with a mean Jaccard similarity of at least 0.75
    n_stable: int
    #: the least stable cluster, and the share of resamples in which it dissolves
    worst: str
    dissolved: float
    #: objects that were resampled
    n_judged: int


@dataclass(frozen=True)
class Trouble:
    """Candidates of one status that is not ``ok``, with the first of them and its reason."""

    status: str
    count: int
    name: str
    reason: str


@dataclass(frozen=True)
class CandidateCounts:
    """Numbers of candidates; ``own`` counts the distinct ones that the user supplied.

    ``unjudged`` counts the distinct ones without a judgement because judging was stopped; None
    where it was not.
    """

    candidates: int
    distinct: int
    own: int
    unfinished: int = 0
    troubles: tuple[Trouble, ...] = ()
    unjudged: int | None = None


@dataclass(frozen=True)
class PairEvidence:
    """Known pairs that the choice keeps, and its probability with and without them.

    ``alike`` is the probability of all candidates that hardly differ from it, itself among them.
    """

    n_must: int
    n_cannot: int
    kept_must: int
    kept_cannot: int
    before: float
    after: float
    alike: float


@dataclass(frozen=True, kw_only=True)
class AnswerFacts:
    """Everything that an answer knows; its documentation is that of :class:`sortal.Answer`."""

    name: str
    clusterer: str
    k: int | None
    n_clusters: int
    labels: NDArray[np.int32] = field(repr=False, compare=False)
    sizes: tuple[int, ...]
    outliers: int
    reached_by: int
    decided_by: str
    score: float | None
    tried: CandidateCounts
    tied: tuple[str, ...] = ()
    runner_up: Candidate | None = None
    own: tuple[OwnClustering, ...] = ()
    judge: JudgedBy | None = None
    judge_skipped: str | None = None
    structure: Structure | None = None
    recovery: Recovery | None = None
    near_best: float | None = None
    splits: SplitFacts | None = None
    numbers: tuple[Number, ...] = ()
    number_range: tuple[int, int] | None = None
    level: tuple[LevelCandidate, ...] = ()
    granularities: tuple[Granularity, ...] = ()
    open_above: int | None = None
    steadiness: Steadiness | None = None
    reference: ReferenceClustering | None = None
    reference_skipped: str | None = None
    average: float | None = None
    contributions: tuple[Contribution, ...] = ()
    votes: tuple[Family, ...] = ()
    measured: Measured | None = None
    labelled: LabelEvidence | None = None
    pairs: PairEvidence | None = None
    guarantee: Guarantee | None = None
    by_clusters: Rate | None = None
    more_labels: MoreLabels | None = None
    silhouette: float | None = None
    sample: Sample | None = None
    memberships: Hardened | None = None
    stability: StabilityFacts | None = None
    stability_skipped: str | None = None
    notes: tuple[str, ...] = ()
    findings: tuple[Any, ...] = ()
    data: str = ""
    noun: str = "rows"
    n_columns: int = 0
    source: str | None = None
    n_rows: int | None = None

    @property
    def n_objects(self) -> int:
        """Number of objects n."""
        return len(self.labels)


def plain(value: object) -> Any:
    """A fact as a JSON value; a dataclass gives the fields of its ``repr``."""
    return json_value(value, facts=_stated)


def _stated(value: object) -> object:
    """What a fact says of itself: a mapping for results and dataclasses."""
    if hasattr(value, "bound_rate") and hasattr(value, "row_classes"):
        stated = {name: getattr(value, name) for name in GUARANTEED}
        return stated | {"class_guaranteed": value.row_classes.by_class}
    if hasattr(value, "to_dict") and not isinstance(value, AnswerFacts):
        return value.to_dict()
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value) if field.repr}
    return value
