"""The answer of a study: facts, of which :mod:`karat.study.wording` makes every sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.nulls.structure import Structure as Structure
from karat.runtime.validation import InputError
from karat.study import wording
from karat.study.wording import phrases

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from karat.bounds import Guarantee, PacMdlBound
    from karat.labelings.structures import Hardened
    from karat.model import Assignment, Changes, Model
    from karat.study.constraints import Paired
    from karat.study.fitted import Fitted

#: version of what :meth:`Answer.to_dict` gives
SCHEMA = 1
#: what an expected agreement is called, from which value on
GRADES = {"good": 0.45, "fair": 0.25, "weak": 0.1}
#: of a guarantee, what :meth:`Answer.to_dict` gives
GUARANTEED = (
    "name", "method", "bound", "bound_rate", "m", "n", "delta", "errors", "constant_error_rate",
    "labels_read", "premises", "warnings",
)  # fmt: skip


@dataclass(frozen=True)
class Expected:
    """Expected adjusted Rand index with the classes that experts would name."""

    value: float
    low: float
    high: float

    @property
    def grade(self) -> str:
        """``"random"``: no better than chance; ``"weak"``, ``"fair"`` or ``"good"``.

        From 0.1, 0.25 and 0.45 on: on real tables whose classes are known, even the best
        candidate agrees with them by about 0.6 on average.
        """
        return next((name for name, least in GRADES.items() if self.value >= least), "random")

    @property
    def interval(self) -> tuple[float, float]:
        """The 80 % interval."""
        return self.low, self.high


@dataclass(frozen=True)
class Contribution:
    """What one kind of evidence added to the expected agreement."""

    kind: str
    value: float


@dataclass(frozen=True)
class Candidate:
    """Another clustering; ``score`` is that of a measure, a probability or a guarantee."""

    name: str
    n_clusters: int
    score: float | None = None
    expected: Expected | None = None


@dataclass(frozen=True)
class Number:
    """How likely a number of clusters is, and how it goes with the most likely one."""

    k: int
    #: they sum to 1 over the numbers
    probability: float
    #: the best candidate with as many; None where that is one of karat's own sweep
    name: str | None = None
    #: share of the objects for which the finer of the two only divides the coarser
    nested: float = 1.0
    #: the clusters of the coarser of the two, and the clusters of the finer that make each up
    united: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def is_nested(self) -> bool:
        """Whether one of the two divides the other, but for at most a tenth of the objects."""
        return self.nested >= phrases.NESTS


@dataclass(frozen=True)
class Reference:
    """The best of karat's own sweep beside clusterings that were made elsewhere."""

    name: str
    n_clusters: int
    expected: Expected
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
class Labelled:
    """Probability of the choice among the candidates without the labels and with them.

    ``alike`` is that of all candidates that hardly differ from it, itself among them.
    """

    n_labels: int
    before: float
    after: float
    alike: float


@dataclass(frozen=True)
class Rate:
    """A guaranteed maximum error rate beside that of the choice, and what carries it."""

    name: str
    rate: float
    carrier: str


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
class FoundAgain:
    """What resampling says."""

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
    #: the best candidate with the selected number of clusters, where that is another one
    level: Candidate | None = None
    #: share of the objects for which the finer of the two only divides the coarser
    nested: float | None = None


@dataclass(frozen=True)
class Trouble:
    """Candidates of one status that is not ``ok``, with the first of them and its reason."""

    status: str
    count: int
    name: str
    reason: str


@dataclass(frozen=True)
class Tried:
    """Of how many candidates it is the best; ``own`` of the distinct ones the user supplied."""

    candidates: int
    distinct: int
    own: int
    unfinished: int = 0
    troubles: tuple[Trouble, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The clustering to use, and all that is known of how good it is; what does not apply is None.

    Attributes
    ----------
    name, clusterer : str
        The candidate; ``study.labels(answer.name)`` are its labels.
    k, n_clusters : int
        The number of clusters asked for, where one was, and that it has, outliers not counted.
    labels : ndarray of int32, shape (n,)
        ``-1`` for outliers.
    sizes : tuple of int
        Objects of each cluster, the largest first.
    outliers, reached_by : int
        Objects that it excludes; candidates that are this clustering.
    decided_by : str
        ``"judge-3"``, ``"consensus"``, ``"guarantee"``, the key of a measure, ...
    score : float
        The value of the measure, the probability or the guarantee, where one of these decided. A
        judge has ``expected`` instead, and a vote orders candidates and values none.
    tied : tuple of str
        Candidates that have the same score.
    tried, runner_up : Tried, Candidate
    judge : JudgedBy
    judge_skipped : {"graph", "objects", "equal", "candidates"}
        Why the judge did not decide where it would have: edges alone, too few or equal objects, no
        clustering of two clusters beside another.
    structure : Structure
        Whether the data have clusters at all.
    expected, near_best : Expected, float
        How good it is, on a scale that does not depend on the other candidates; the probability
        that no candidate is better by more than 0.05.
    numbers : tuple of Number
        How likely each number of clusters is, the most likely first.
    reference, reference_skipped : Reference, {"asked", "graph", "objects", "equal"}
        What karat finds itself, where all candidates were made elsewhere; why it did not look.
    average, contributions : float, tuple of Contribution
        What is expected where nothing is known, and what adds to it, the greatest first.
    gains : tuple of float
        By how much 10, 20 and 40 labels typically improve the agreement.
    votes, measured, labelled, pairs : tuple of Family, Measured, Labelled, Paired
        What a vote, a measure, labels or known pairs said, where they decided.
    guarantee, tightest : Guarantee or PacMdlBound, Rate
        Where the class of some objects is known: what is guaranteed about the others, and the
        lowest rate of any candidate.
    silhouette : float
        Mean silhouette.
    sample, memberships, stability : Sample, Hardened, FoundAgain
    stability_skipped : str
        Why it was not judged.
    notes, findings : tuple
        What was done to the data, and what looks wrong with them.
    data, source : str
        Their name, and the file that they are from.
    fitted : Fitted
        What its model is made of.
    """

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
    tried: Tried
    tied: tuple[str, ...] = ()
    runner_up: Candidate | None = None
    judge: JudgedBy | None = None
    judge_skipped: str | None = None
    structure: Structure | None = None
    expected: Expected | None = None
    near_best: float | None = None
    numbers: tuple[Number, ...] = ()
    reference: Reference | None = None
    reference_skipped: str | None = None
    average: float | None = None
    contributions: tuple[Contribution, ...] = ()
    gains: tuple[float, ...] = ()
    votes: tuple[Family, ...] = ()
    measured: Measured | None = None
    labelled: Labelled | None = None
    pairs: Paired | None = None
    guarantee: Guarantee | PacMdlBound | None = None
    tightest: Rate | None = None
    silhouette: float | None = None
    sample: Sample | None = None
    memberships: Hardened | None = None
    stability: FoundAgain | None = None
    stability_skipped: str | None = None
    notes: tuple[str, ...] = ()
    findings: tuple[Any, ...] = ()
    data: str = ""
    source: str | None = None
    fitted: Fitted | None = field(default=None, repr=False, compare=False)

    @property
    def model(self) -> Model:
        """What puts further objects into the clusters; made when it is first asked for.

        Its ``extension_agreement`` says how far predictions agree with clustering the objects
        themselves: the clusterer is fitted five times more, to four fifths of (at most 5,000)
        objects.
        """
        return self._made_of().model

    def predict(self, X: Any) -> Assignment:
        """The clusters of further objects, with confidence, see :meth:`karat.Model.predict`.

        Parameters
        ----------
        X : DataFrame, mapping, array-like, sparse, or list of str
            Rows as the data were before they were prepared; tables are matched by name.

        Returns
        -------
        Assignment
            ``labels``, ``names``, ``confidence``, ``unlike``, ``distances``; ``table`` is all.

        Examples
        --------
        >>> import karat
        >>> X = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [9.0], [9.2], [9.3]]
        >>> study = karat.Study(X)
        >>> study.sweep(["average"], k=range(2, 5))
        >>> study.best().predict([[5.2], [70.0]]).table[["cluster", "unlike"]]
           cluster  unlike
        0        1   False
        1        2    True
        """
        return self.model.predict(X)

    @property
    def assignment(self) -> Assignment:
        """The objects of the data in their clusters, with confidence and distance to the centre.

        Nothing is predicted; the confidence is that from the other objects.
        """
        return self._made_of().assignment

    def against(self, model: Model, X: Any = None, **options: Any) -> Changes:
        """What became of the clusters of an older model: came back, grew, split, vanished, new.

        Parameters
        ----------
        model : Model
            See :func:`karat.load_model`.
        X : DataFrame, mapping, array-like, sparse, or list of str, optional
            The rows of this answer's data before they were prepared; of arrays those of the study.
        **options
            ``n_resamples`` and ``random_state`` of the reference.

        Returns
        -------
        Changes
        """
        return self._made_of().against(model, X, **options)

    def _made_of(self) -> Fitted:
        if self.fitted is None:
            raise InputError("this answer was not made by a study, so it has no model and no data")
        return self.fitted

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Keep what puts further objects into the clusters, for :func:`karat.load_model`.

        Parameters
        ----------
        path : path-like
            ``segments.karat-model``, say; see :meth:`karat.Model.save`.
        overwrite : bool, default False
            Replace a file that is there.
        """
        self.model.save(path, overwrite=overwrite)

    @property
    def n_objects(self) -> int:
        """How many objects there are."""
        return len(self.labels)

    @property
    def story(self) -> tuple[str, str, str]:
        """What was found, how far to trust it, what to do next, for everybody."""
        found, trust, then = wording.story(self)
        return found, trust, then

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer in words: the story, then what specialists read."""
        return wording.sentences(self)

    def to_dict(self) -> dict[str, Any]:
        """All facts but the labels, for JSON, with the sentences made of them.

        Returns
        -------
        dict
            ``schema`` is the version of its keys.
        """
        told = {name: list(getattr(wording, name)(self)) for name in ("sentences", "remarks")}
        return {"schema": SCHEMA, **plain(self), **told, "footer": wording.footer(self)}

    def __str__(self) -> str:
        found = wording.findings(self.findings)
        return " ".join((*found, *self.sentences, wording.footer(self)))

    def _repr_html_(self) -> str:
        first, *rest = map(escape, self.sentences)
        found, minded = (
            "".join(f"<li>{escape(one)}</li>" for one in told)
            for told in (wording.findings(self.findings), wording.remarks(self))
        )
        found = f"<p>About the data:</p><ul>{found}</ul>" * bool(found)
        minded = f"<details><summary>What to mind</summary><ul>{minded}</ul></details>" * bool(
            minded
        )
        return (
            f"{found}<p><strong>{first}</strong> {' '.join(rest)}</p>{minded}"
            f"<p><small>{escape(wording.footer(self))}</small></p>"
        )


def plain(value: Any) -> Any:
    """A fact as JSON takes it; of a dataclass what its ``repr`` has."""
    if hasattr(value, "bound_rate"):
        return {name: plain(getattr(value, name)) for name in GUARANTEED}
    if hasattr(value, "to_dict") and not isinstance(value, Answer):
        return value.to_dict()
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value) if one.repr}
    if isinstance(value, (tuple, list)):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    return value.item() if isinstance(value, np.generic) else value
