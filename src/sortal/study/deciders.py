"""Deciders: ways to choose a clustering; a new way is a :class:`Decider` in ``deciders``.

A decider scores the distinct clusterings, and gives the facts that say why the best is best. Every
measure of the catalogue is one, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sortal.judge import VERSION
from sortal.judge.evidence import size_evidence
from sortal.judge.judgements import FAR, degenerate
from sortal.judge.label_likelihood import log_likelihood, pairs_log_likelihood
from sortal.labelings.labels import encode
from sortal.measures import Measure, catalogue
from sortal.measures.external.pairs import adjusted_rand_index
from sortal.runtime.numerals import percent, percent_up
from sortal.runtime.registry import Registry
from sortal.runtime.validation import NothingToRankError, unknown_name
from sortal.study.constraints import constraints_of, pair_evidence
from sortal.study.facts import (
    Candidate,
    Family,
    LabelEvidence,
    Measured,
    Recovery,
    ReferenceClustering,
)
from sortal.study.guarantees import tightest_guarantee
from sortal.study.judgement import MAX_REFERENCE, judged, reference_candidates, why_not
from sortal.study.numbers import level_with, numbers_of
from sortal.study.ranking import CHOICE, TIE_WIDTH, FamilyVotes, consensus, level_numbers
from sortal.study.scores import candidate_labels, candidate_table, measured, why_nothing

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.study.judgement import JudgedCandidates
    from sortal.study.state import StudyState


@dataclass(frozen=True)
class Decision:
    """The scores that a decider gives."""

    #: by the name of the clustering, without those that cannot be ranked
    score: pd.Series[Any]
    #: columns beside the score in a ranking: voters, parts of it
    columns: pd.DataFrame | None = None
    #: tiebreakers, lower first, in the order of ``score``
    ties: tuple[NDArray[Any], ...] = ()
    #: what the clusterings are ordered by, greater is better; None for the score
    lead: NDArray[Any] | None = None
    #: the decider's premises for its facts
    details: Any = None
    #: name of the score in a ranking, None for the decider's
    column: str | None = None


#: from the distinct clusterings (columns as in :meth:`sortal.Study.rank`, and ``partition``) to
#: their scores
Decide = Callable[["StudyState", "pd.DataFrame"], Decision]
FactsOf = Callable[["StudyState", "pd.DataFrame", Decision], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Decider:
    """One way to decide."""

    #: its name, for ``by``
    key: str
    #: the heading of its score
    title: str
    #: ``decide(state, distinct)`` gives the decision
    decide: Decide = field(repr=False)
    #: ``facts(state, ranking, decision)`` gives fields of :class:`sortal.Answer`
    facts: FactsOf = field(default=lambda *arguments: {}, repr=False)
    greater_is_better: bool = True
    #: how the score is written: a guarantee is a share that is rounded up
    unit: Literal["number", "share", "guarantee"] = "number"
    #: the measures that it reads; None for all that are computed by default
    needs: tuple[str, ...] | None = ()
    #: the column of its score in a ranking
    shown: str = "score"

    @property
    def sign(self) -> int:
        """1 where greater is better, -1 where lower is: ``sign * score`` always goes up."""
        return 1 if self.greater_is_better else -1

    def text(self, score: float) -> str:
        """A score as a person reads it."""
        if self.shown == "recovery":
            return f"{max(score, 0):.2f}"
        if self.unit == "share":
            return percent(score, 0)
        if self.unit == "number":
            return f"{score:.3f}"
        return percent_up(score)


JUDGE = f"judge-{VERSION}"
deciders: Registry[Decider] = Registry("decider", "sortal.deciders")


def as_decider(key: str) -> Decider:
    """The decider or the measure of this name; ``"judge"`` is the judge of this version."""
    if key == "judge":
        key = JUDGE
    if key in deciders:
        return deciders[key]
    if key not in catalogue:
        raise unknown_name(key, [*deciders, *catalogue], "measure or other decider")
    return _by_measure(catalogue[key])


def decider_of(state: StudyState) -> str:
    """The key of the decider that the settings name, or of the default one."""
    return state.settings.by or default_decider(state)


def default_decider(state: StudyState) -> str:
    """The decider's key where the user names none."""
    if state.y is not None and not state.objects.is_partly_labelled:
        return "adjusted_rand_index"
    judges = why_not(state) is None
    if state.y is not None:
        return "judge-and-labels" if judges else "guarantee"
    if state.settings.constraints is not None:
        return "judge-and-pairs"
    return JUDGE if judges else "consensus"


# -- the vote of the families ----------------------------------------------------------------


def vote(state: StudyState, distinct: pd.DataFrame) -> Decision:
    """The consensus of the families of measures."""
    import pandas as pd

    values, errors = measured(state, distinct.index)
    internal = [m for m in catalogue.values() if m.kind == "internal" and m.compares_k]
    voters = [m for m in internal if m.key in values and values[m.key].notna().any()]
    if not voters:
        raise NothingToRankError(
            "no measure is defined for any of these clusterings, so there is no choice: "
            + why_nothing(state)
        )
    usable = values[[m.key for m in voters]].notna().any(axis=1)
    distinct, values = distinct[usable], values[usable]
    shares = _judged_share(state, distinct)
    votes = consensus(values, voters, shares, errors.reindex(values.index))
    score = pd.Series(votes.score, index=values.index)
    return Decision(score, votes.families, _fewest_clusters(distinct), details=votes)


def _vote_facts(state: StudyState, ranking: pd.DataFrame, decision: Decision) -> dict[str, Any]:
    """The families' votes for an answer."""
    votes: FamilyVotes = decision.details
    points = votes.families.loc[ranking.index]
    families = tuple(
        Family(
            name=str(name),
            measures=tuple(votes.members.get(str(name), ())),
            prefers=str(points[name].idxmax()),
            first=bool(points[name].iloc[0] >= points[name].max()),
        )
        for name in points
    )
    return {"votes": families}


# -- the guarantee ---------------------------------------------------------------------------


def _by_guarantee(state: StudyState, distinct: pd.DataFrame) -> Decision:
    """The candidate of the tightest guarantee first, the rest by their lowest PAC-MDL bounds."""
    guarantee = tightest_guarantee(state)
    table = guarantee.mdl.table.sort_values(["bound_rate", "bits"], kind="stable")
    partitions = candidate_table(state)["partition"]
    partition = partitions.loc[table.index]
    lowest = table[~partition.duplicated()].set_axis(partition.drop_duplicates(), axis=0)
    bounds = lowest.loc[distinct["partition"]].set_axis(distinct.index)
    first = distinct["partition"] == partitions[guarantee.name]
    score = bounds["bound_rate"].where(~first, guarantee.bound_rate)
    ties = (~first).to_numpy(), *(bounds[column].to_numpy() for column in ("errors", "bits"))
    return Decision(score, None, ties)


# -- a measure -------------------------------------------------------------------------------


def _by_measure(measure: Measure) -> Decider:
    """The decider that a measure is."""

    def decide(state: StudyState, distinct: pd.DataFrame) -> Decision:
        values, _ = measured(state, distinct.index, [measure.key])
        score = values[measure.key].astype(float)
        if measure.kind == "internal":  # outliers are clusters of their own to the others
            score = score * measure.penalty(score.to_numpy(), _judged_share(state, distinct))
        return Decision(score, None, _fewest_clusters(distinct))

    def facts(state: StudyState, ranking: pd.DataFrame, decision: Decision) -> dict[str, Any]:
        n_labels = 0
        if measure.kind == "external" and state.y is not None:
            n_labels = int(sum(label is not None for label in state.y))
        close = _within_error(state, measure.key, ranking)
        value, up = float(ranking["score"].iloc[0]), measure.greater_is_better
        return {"measured": Measured(measure.title, value, up, n_labels, tuple(close))}

    return Decider(
        key=measure.key,
        title=measure.title,
        decide=decide,
        facts=facts,
        greater_is_better=measure.greater_is_better,
        needs=(measure.key,),
    )


def _within_error(state: StudyState, key: str, ranking: pd.DataFrame) -> list[str]:
    """The clusterings whose estimates do not differ from that of the first."""
    _, errors = measured(state, ranking.index, [key])
    if key not in errors:
        return []
    error = errors[key].to_numpy(dtype=np.float64)
    apart = np.abs(ranking["score"] - ranking["score"].iloc[0]).to_numpy(dtype=np.float64)
    close = apart <= TIE_WIDTH * np.sqrt(error**2 + error[0] ** 2)
    return [str(name) for name in ranking.index[1:][close[1:]]]


def _judged_share(state: StudyState, distinct: pd.DataFrame) -> NDArray[np.float64]:
    """Share of the objects that internal measures judge."""
    if state.settings.noise != "drop":
        return np.ones(len(distinct))
    return 1 - distinct["noise_share"].to_numpy(dtype=np.float64)


def _fewest_clusters(distinct: pd.DataFrame) -> tuple[NDArray[Any]]:
    """The tiebreaker that prefers few clusters."""
    return (distinct["n_clusters"].to_numpy(dtype=np.int64),)


# -- the judge -------------------------------------------------------------------------------


def ranked_candidate(ranking: pd.DataFrame, place: int) -> Candidate:
    """The candidate at a place of a ranking."""
    row = ranking.iloc[place]
    recovery = None
    if "recovery" in ranking:
        recovery = Recovery(*(float(row[column]) for column in ("recovery", "low", "high")))
    return Candidate(str(row.name), int(row["n_clusters"]), absolute_score(row), recovery)


def absolute_score(row: pd.Series[Any]) -> float | None:
    """The score in a row of a ranking, if it means something apart from the other rows."""
    return next((float(row[name]) for name in ("score", "probability") if name in row), None)


def _by_judge(state: StudyState, distinct: pd.DataFrame) -> Decision:
    """The order of the learned judge; the vote of the families where it cannot judge."""
    import pandas as pd

    judgement = judged(state)
    if judgement is None:
        decision = vote(state, distinct)
        # clusterings of all but a few objects against these come last here, too
        codes = np.stack([candidate_labels(state, str(name)) for name in decision.score.index])
        lone = degenerate(size_evidence(codes))
        return replace(decision, score=decision.score - lone.astype(float), column="votes")
    index = pd.Index(judgement.names, name=distinct.index.name)
    by_judge = judgement.judgement
    table = pd.DataFrame({"low": by_judge.low, "high": by_judge.high}, index=index)
    k = distinct.loc[index, "n_clusters"].to_numpy(dtype=np.int64)
    score = pd.Series(by_judge.predicted, index=index)
    return Decision(score, table, (-by_judge.score, k), details=judgement)


def _judge_facts(state: StudyState, ranking: pd.DataFrame, decision: Decision) -> dict[str, Any]:
    """The judge's expectation, numbers of clusters and reference for an answer."""
    judgement, unseen = judged(state), why_not(state)
    skipped = None if state.settings.reference else "asked"
    facts = {"reference_skipped": None if state.record.sweeps else unseen or skipped}
    if judgement is None:
        votes = _vote_facts(state, ranking, decision) if len(ranking) > 1 else {}
        decided = {"decided_by": "consensus", "judge_skipped": unseen or "candidates"}
        return {**facts, **votes, **decided}
    name = str(ranking.index[0])
    return {
        **facts,
        "judge": judgement.judged_by,
        "recovery": judgement.recovery(name),
        "near_best": judgement.judgement.near_best if len(judgement.names) > 1 else None,
        "numbers": numbers_of(state, ranking, judgement),
        "level": level_with(state, ranking, judgement),
        "reference": _reference(state, name, judgement),
        "average": judgement.judgement.average,
        "contributions": judgement.contributions(name),
    }


def _reference(
    state: StudyState, name: str, judgement: JudgedCandidates
) -> ReferenceClustering | None:
    """The best reference clustering, beside candidates that were made elsewhere."""
    if not judgement.references:
        return None
    best, recovery = judgement.references[0]
    agreement = adjusted_rand_index(candidate_labels(state, name), best.codes, noise="singletons")
    return ReferenceClustering(
        name=best.name,
        n_clusters=int(best.codes.max()) + 1,
        recovery=recovery,
        agreement=float(agreement),
        tried=len(reference_candidates(state)),
        fitted_on=MAX_REFERENCE if state.n_objects > MAX_REFERENCE else None,
    )


# -- the judge, and a few labels or known pairs ----------------------------------------------


class _Posterior:
    """Probabilities of the candidates: the judge's shares, times likelihoods.

    Without a judge all are as probable, except those of all but a few objects against these.
    """

    def __init__(self, state: StudyState, distinct: pd.DataFrame) -> None:
        self.judgement = judged(state)
        judgement = self.judgement
        self.names = [*map(str, distinct.index)] if judgement is None else [*judgement.names]
        self.codes = np.stack([candidate_labels(state, name) for name in self.names])
        if judgement is None:
            self.before = np.full(len(self.names), 1 / len(self.names))
            self.logs = -FAR * degenerate(size_evidence(self.codes))
        else:
            self.before, self.logs = judgement.prior, judgement.lead

    def decision(self, evidence: Callable[[float, float, float], Any]) -> Decision:
        """The decision by the probability of each candidate.

        It has the evidence that is made from the first's probability before, after, and with all
        candidates that are alike. Candidates whose number of clusters is less than half as
        probable as another one are behind.
        """
        import pandas as pd

        probability = np.exp(self.logs - self.logs.max())
        probability /= probability.sum()
        n_clusters = self.codes.max(axis=1).astype(np.int64) + 1
        lead = self.logs - FAR * ~level_numbers(probability, n_clusters)
        first = int(np.argmax(lead))
        agreement = [
            adjusted_rand_index(row, self.codes[first], noise="singletons") for row in self.codes
        ]
        alike = float(probability[np.array(agreement) >= CHOICE.alike].sum())
        index = pd.Index(self.names, name="name")
        return Decision(
            pd.Series(probability, index),
            lead=lead,
            details=evidence(float(self.before[first]), float(probability[first]), alike),
        )


def _by_labels(state: StudyState, distinct: pd.DataFrame) -> Decision:
    """The judge's shares times the likelihood of the known classes."""
    posterior = _Posterior(state, distinct)
    assert state.y is not None
    labelled = np.flatnonzero([label is not None for label in state.y])
    classes = encode(np.asarray(state.y, dtype=object)[labelled]).codes
    posterior.logs = posterior.logs + log_likelihood(posterior.codes[:, labelled], classes)
    return posterior.decision(partial(LabelEvidence, len(labelled)))


def _label_facts(state: StudyState, ranking: pd.DataFrame, decision: Decision) -> dict[str, Any]:
    """Evidence of the known classes, for an answer."""
    judgement = judged(state)
    return {
        "labelled": decision.details,
        "numbers": numbers_of(state, ranking, None),
        "judge": None if judgement is None else judgement.judged_by,
    }


def _by_pairs(state: StudyState, distinct: pd.DataFrame) -> Decision:
    """The judge's shares times the likelihood of the known pairs."""
    posterior, constraints = _Posterior(state, distinct), constraints_of(state)
    if posterior.judgement is not None:  # its lead has the pairs
        posterior.before = posterior.judgement.judgement.prior
    elif constraints is not None:
        pairs = pairs_log_likelihood(posterior.codes, constraints)
        posterior.logs = posterior.logs + pairs
    return posterior.decision(lambda *shares: shares)


def _pair_facts(state: StudyState, ranking: pd.DataFrame, decision: Decision) -> dict[str, Any]:
    """Evidence of the known pairs, for an answer."""
    judgement, name = judged(state), str(ranking.index[0])
    facts: dict[str, Any] = {"numbers": numbers_of(state, ranking, None)}
    if judgement is not None:
        facts |= {"judge": judgement.judged_by, "recovery": judgement.recovery(name)}
    return facts | {"pairs": pair_evidence(state, name, *decision.details)}


_PROBABILITY: dict[str, Any] = {"title": "Probability", "unit": "share", "shown": "probability"}

for decider in (
    Decider(
        key="consensus", title="Share of votes", decide=vote, facts=_vote_facts, unit="share",
        needs=None, shown="votes",
    ),
    Decider(
        key="guarantee", title="Guaranteed maximum error", decide=_by_guarantee,
        greater_is_better=False, unit="guarantee",
    ),
    Decider(key="judge-and-labels", decide=_by_labels, facts=_label_facts, **_PROBABILITY),
    Decider(key="judge-and-pairs", decide=_by_pairs, facts=_pair_facts, **_PROBABILITY),
    Decider(
        key=JUDGE, title="Recovery", decide=_by_judge, facts=_judge_facts,
        shown="recovery",
    ),
):  # fmt: skip
    deciders.add(decider)
