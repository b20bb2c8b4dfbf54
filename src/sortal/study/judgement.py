"""The learned judge's view of a study: evidence, judgement, and reference clusterings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sortal.distances import RELATIONS
from sortal.judge import FEWEST_OBJECTS
from sortal.judge.judgements import set_back
from sortal.judge.label_likelihood import prior
from sortal.judge.settings import JUDGE
from sortal.labelings.pairs import Constraints
from sortal.labelings.partitions import canonical_codes
from sortal.measures import adjusted_rand_index
from sortal.study import samples
from sortal.study.constraints import constraints_of
from sortal.study.facts import HALF, Contribution, JudgedBy, Recovery
from sortal.study.jobs import derived_seed, jobs_for
from sortal.study.notes import derived
from sortal.study.ranking import (
    FAR_BEHIND,
    by_expected_agreement,
    chosen_when_shaken,
    may_lead,
)
from sortal.study.request import SweepRequest, usual_numbers
from sortal.study.samples import draw_sample, part_of
from sortal.study.scores import (
    candidate_labels,
    candidate_table,
    distinct_candidates,
)
from sortal.study.store import partition_hash

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.judge import Evidence, Judge, Judgement
    from sortal.study.state import StudyState

#: default clusterers that take about a second together
QUICK = (
    "kmeans", "ward", "average", "genie", "gaussian-mixture", "hdbscan-filled", "kmedoids",
    "spherical-kmeans-refined", "kl-kmeans",
)  # fmt: skip
#: limit of cost: saves these clusterers of more features
FEW_FEATURES = {"gaussian-mixture": 50, "hdbscan-filled": 50}
#: limit of cost: saves fits to more objects; the labels are extended to the others
MAX_REFERENCE = 2_000
#: limit of cost: saves the evidence of more candidates once judging was stopped
MOST_STOPPED = 30
#: limit of cost: saves reference clusterings beside at least so many candidates
MIN_CANDIDATES = 3


class ReferenceCandidate(NamedTuple):
    """A clustering that sortal makes itself to compare candidates with: its name and labels."""

    name: str
    codes: NDArray[np.int32]


@derived(without=("by", "judge", "scores", "notes"))
def reference_candidates(state: StudyState) -> dict[str, ReferenceCandidate]:
    """Distinct reference clusterings with two clusters or more, by the hash of their partition.

    They follow from the data, their distance and the seed alone.
    """
    seed, fits = state.settings.random_state, state.fits
    d = 1 if state.metric in RELATIONS else state.X.shape[1]
    names = [
        name for name in fits.default_clusterers if name in QUICK and d <= FEW_FEATURES.get(name, d)
    ]
    request = SweepRequest.checked(names, usual_numbers(state.n_separated), None, 1)
    fitting, _ = fits.under_distance(request.clusterers)
    jobs = [
        job
        for clusterer in fitting
        for job in jobs_for(clusterer, request.candidates_of(clusterer, seed))
    ]
    data, metric = state.objects.points
    contents = state.objects.contents.rows
    sample_seed = derived_seed(seed, "reference")
    sample = draw_sample(
        data, MAX_REFERENCE, metric=metric, random_state=sample_seed, among=contents
    )
    is_complete = len(sample) == len(contents)
    outcomes = fits.outcomes(jobs) if is_complete else fits.on_sample(jobs, sample)
    references: dict[str, ReferenceCandidate] = {}
    for outcome in (outcome for group in outcomes for outcome in group):
        if outcome.labels is None:
            continue
        codes = canonical_codes(outcome.labels if is_complete else sample.extend(outcome.labels))
        if codes.max() >= 1:
            reference = ReferenceCandidate(outcome.name, codes)
            references.setdefault(partition_hash(codes), reference)
    return references


@dataclass(frozen=True)
class JudgedCandidates:
    """The judgement of a study's distinct clusterings."""

    judge: Judge
    #: in the order of ``names``; its shares sum to 1 over these
    judgement: Judgement
    evidence: Evidence
    names: tuple[str, ...]
    #: number of objects that the evidence was taken from, None for all
    weighed: int | None
    #: mask of the clusterings that come back with another seed
    repeatable: NDArray[np.bool_]
    #: mask of the clusterings into the groups of the tree of splits; None where it has one group
    fitting: NDArray[np.bool_] | None = None
    #: reference clusterings, the best first; some may be candidates, too
    references: tuple[tuple[ReferenceCandidate, Recovery], ...] = ()
    #: log-likelihood of the pairs of objects that are known to be together, or apart
    pairs: NDArray[np.float64] | float = 0.0

    @property
    def lead(self) -> NDArray[np.float64]:
        """Log of the prior up to a constant; set back where all but a few objects are together."""
        return set_back(self.judgement.level, self.evidence) / JUDGE.temperature + self.pairs

    @property
    def prior(self) -> NDArray[np.float64]:
        """Shares that sum to 1: the judge's, times the likelihood of the known pairs."""
        return prior(JUDGE.temperature * self.lead)

    @property
    def judged_by(self) -> JudgedBy:
        """Version and digest of the judge, as an answer has them."""
        return JudgedBy(self.judge.version, self.judge.digest, self.weighed)

    def recovery(self, name: str) -> Recovery:
        """How near a clustering is to groups that made the data, and its interval."""
        return _recovery(self.judgement, self.names.index(name))

    @property
    def first(self) -> str:
        """The clustering with the best score."""
        return self.names[int(np.argmax(self.judgement.score))]

    @property
    def may_be_first(self) -> NDArray[np.bool_]:
        """Mask of the clusterings that may be chosen: none has an unlikely number of clusters."""
        return may_lead(self.judgement, self.evidence, self.fitting) & (
            self.judgement.ahead >= self.judgement.ahead.max() - FAR_BEHIND
        )

    def chosen_on_parts(self) -> dict[str, float]:
        """Chances of the clusterings to be chosen on 90 % of the rows."""
        chances = chosen_when_shaken(
            self.judgement.ahead, self.evidence.agreement, self.may_be_first, self.repeatable
        )
        return dict(zip(self.names, chances.tolist(), strict=True))

    def contributions(self, name: str) -> tuple[Contribution, ...]:
        """What each kind of evidence added to the prediction, the greatest first."""
        i = self.names.index(name)
        parts = [
            Contribution(k, float(values[i])) for k, values in self.judgement.contributions.items()
        ]
        return tuple(sorted(parts, key=lambda contribution: -abs(contribution.value)))


def judged(state: StudyState) -> JudgedCandidates | None:
    """The judgement of the distinct clusterings, see :meth:`sortal.Study.judged`."""
    return _judged(state)


@derived(without=("by", "scores", "notes"))
def _judged(state: StudyState) -> JudgedCandidates | None:
    """The judgement, with the likelihood of the known pairs."""
    from sortal.judge.label_likelihood import pairs_log_likelihood

    judgement, constraints = _judged_without_pairs(state), constraints_of(state)
    if constraints is None or judgement is None:
        return judgement
    codes = np.stack([candidate_labels(state, name) for name in judgement.names])
    return replace(judgement, pairs=pairs_log_likelihood(codes, constraints))


def judged_apart(state: StudyState) -> JudgedCandidates | None:
    """The judgement for a guarantee: without pairs that touch an object of known class.

    Such pairs may have been made from the labels that test the guarantee.
    """
    from sortal.judge.label_likelihood import pairs_log_likelihood

    judgement, constraints = _judged_without_pairs(state), constraints_of(state)
    if constraints is None or judgement is None or state.y is None:
        return judgement
    labelled = np.array([label is not None for label in state.y])
    apart = ~labelled[constraints.pairs].any(axis=1)
    constraints = Constraints(constraints.pairs[apart], constraints.must[apart])
    codes = np.stack([candidate_labels(state, name) for name in judgement.names])
    return replace(judgement, pairs=pairs_log_likelihood(codes, constraints))


@derived(without=("by", "scores", "notes", "constraints"))
def _judged_without_pairs(state: StudyState) -> JudgedCandidates | None:
    """The judgement of clusterings with two clusters or more; None without evidence."""
    distinct = distinct_candidates(state)
    usable = distinct[(distinct["n_clusters"] > 1).to_numpy(dtype=bool)]
    usable = _few_of(usable) if state.stopped else usable
    if why_not(state) is not None or usable.empty:
        return None
    references = _references_beside(state, usable)
    gathered = _gathered(state, usable, references)
    if gathered is None:
        return None
    evidence, usable, references, n_weighed = gathered
    judge, m = state.judge, len(usable)
    of_all = judge(evidence)
    of_candidates = evidence.take(np.arange(m))
    repeatable = _repeatable(state, usable)
    beside = np.r_[repeatable, np.ones(len(references), dtype=bool)]
    fitting = _fitting(state, usable, references)
    of_all = by_expected_agreement(judge, of_all, evidence, beside, fitting=fitting)
    judgement, fitting = of_all, None if fitting is None else fitting[:m]
    if references:
        judgement = by_expected_agreement(
            judge, judge(of_candidates), of_candidates, repeatable, fitting=fitting
        )
    judgement = led_by_the_best(judgement)
    place = dict(zip(usable["partition"], range(m), strict=True))
    shared = reference_candidates(state).items() if references else ()
    ordered = [(reference, place[key]) for key, reference in shared if key in place]
    ordered += [(reference, m + i) for i, reference in enumerate(references)]
    ordered.sort(key=lambda pair: -of_all.score[pair[1]])
    return JudgedCandidates(
        judge=judge,
        judgement=judgement,
        evidence=of_candidates,
        names=tuple(map(str, usable.index)),
        weighed=n_weighed if n_weighed < len(state.objects.contents) else None,
        repeatable=repeatable,
        fitting=fitting,
        references=tuple((reference, _recovery(of_all, i)) for reference, i in ordered),
    )


def _fitting(
    state: StudyState, usable: pd.DataFrame, references: list[ReferenceCandidate]
) -> NDArray[np.bool_] | None:
    """Mask of the clusterings that divide the objects as the tree of splits does.

    They have as many clusters, and an adjusted Rand index of at least a half with it. None where
    the tree divides nothing, and where the groups overlap, so that none has an exact number.
    """
    splits = state.splits
    if splits is None or splits.k == 1 or splits.root.kind == "overlapping":
        return None
    groups = splits.place(state.n_objects)
    rows = np.flatnonzero(groups >= 0)

    def fits(codes: NDArray[np.int32]) -> bool:
        same = codes.max() + 1 == splits.k
        return bool(
            same and adjusted_rand_index(groups[rows], codes[rows], noise="singletons") >= HALF
        )

    labels = [candidate_labels(state, str(name)) for name in usable.index]
    return np.array([fits(codes) for codes in (*labels, *(r.codes for r in references))])


def _repeatable(state: StudyState, usable: pd.DataFrame) -> NDArray[np.bool_]:
    """Mask of the partitions that a clusterer without random numbers, or the user, has made."""
    table = candidate_table(state)
    random_ones = {key for key, clusterer in state.clusterers.items() if clusterer.depends_on_seed}
    steady = table.loc[~table["clusterer"].isin(random_ones), "partition"]
    return usable["partition"].isin(steady).to_numpy(dtype=bool)


def _few_of(usable: pd.DataFrame) -> pd.DataFrame:
    """The clusterings that most candidates are, of each number of clusters in turn."""
    ahead = usable.sort_values("reached_by", ascending=False, kind="stable")
    turn = ahead.groupby("n_clusters").cumcount()
    names = turn.sort_values(kind="stable").index[:MOST_STOPPED]
    return usable[usable.index.isin(names)]


def led_by_the_best(judgement: Judgement) -> Judgement:
    """A judgement whose expectations are capped by that of the candidate with the best score."""
    first = int(np.argmax(judgement.score))
    # behind it by a hair, in the order of the scores: they are no ties
    hair = 1e-6 * (judgement.score[first] - judgement.score)
    lower = np.maximum(judgement.predicted - judgement.predicted[first] + hair, 0.0)
    return replace(
        judgement,
        predicted=judgement.predicted - lower,
        level=np.minimum(judgement.level, judgement.level[first] - hair),
        low=np.maximum(judgement.low - lower, -0.1),
        high=judgement.high - lower,
    )


def why_not(state: StudyState) -> str | None:
    """Why the judge sees too little of the data to judge; None where it can."""
    if state.metric == "graph":
        return "graph"
    if state.n_objects < FEWEST_OBJECTS:
        return "objects"
    structure = state.structure
    return "equal" if structure is not None and structure.probability == 0 else None


def _references_beside(state: StudyState, usable: pd.DataFrame) -> list[ReferenceCandidate]:
    """Reference clusterings that are no candidates, where candidates are few or made elsewhere."""
    few = len(usable) < MIN_CANDIDATES or not state.record.sweeps
    if not state.settings.reference or not few or state.stopped:
        return []
    partitions = set(usable["partition"])
    references = reference_candidates(state).items()
    return [reference for key, reference in references if key not in partitions]


def _gathered(
    state: StudyState, usable: pd.DataFrame, references: list[ReferenceCandidate]
) -> tuple[Evidence, pd.DataFrame, list[ReferenceCandidate], int] | None:
    """The evidence of candidates and references, the usable ones of both, and the objects used."""
    from sortal.judge import gather

    labels = [candidate_labels(state, str(name)) for name in usable.index]
    codes = np.stack([*labels, *(reference.codes for reference in references)])
    X, metric = state.objects.in_order
    rows = state.objects.contents.rows
    if len(rows) > samples.MAX_WEIGHED and not state.settings.exact:
        # evidence comes from the objects that sampled clusterers are fitted to
        rows = state.objects.sample.rows
        X = part_of(state.objects.points[0], rows, metric)
    codes = codes[:, rows]
    is_usable = np.array([len(np.unique(row[row >= 0])) > 1 for row in codes])
    m = len(usable)
    usable, references = usable[is_usable[:m]], list(compress(references, is_usable[m:]))
    if usable.empty:
        return None
    codes = np.stack([canonical_codes(row) for row in codes[is_usable]])
    return gather(X, codes, metric=metric), usable, references, len(rows)


def _recovery(judgement: Judgement, i: int) -> Recovery:
    """The recovery of the i-th clustering."""
    return Recovery(
        float(judgement.predicted[i]), float(judgement.low[i]), float(judgement.high[i])
    )
