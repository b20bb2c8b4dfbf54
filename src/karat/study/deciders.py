"""What may decide which clustering to use; a new way is a :class:`Decider` in ``deciders``.

A decider gives the distinct clusterings a score each, and the facts that say why the best is best.
Every measure of the catalogue is one, too. Nothing outside this module knows how one decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat.bounds import percent_up
from karat.judge import VERSION
from karat.judge.evidence import size_evidence
from karat.judge.judgements import FAR, degenerate
from karat.judge.label_likelihood import log_likelihood, pairs_log_likelihood
from karat.labelings.labels import encode
from karat.measures import Measure, catalogue
from karat.measures.external.pairs import adjusted_rand_index
from karat.runtime.registry import Registry
from karat.runtime.validation import NothingToRankError, unknown_name
from karat.study.answer import (
    Candidate,
    Expected,
    Family,
    Labelled,
    Measured,
    Number,
    Rate,
    Reference,
)
from karat.study.constraints import constraints_of, paired
from karat.study.judging import FIT_AT_MOST, company, why_not
from karat.study.numbers import numbers_of
from karat.study.ranking import INSIDE, Consensus, consensus
from karat.study.scoring import bound_of, why_nothing

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from karat.bounds import Guarantee, PacMdlBound
    from karat.study.judging import Judged
    from karat.study.study import Study


@dataclass(frozen=True)
class Verdict:
    """The scores that a decider gives."""

    #: by the name of the clustering; those that cannot be ranked are not in it
    score: pd.Series[Any]
    #: what belongs beside the score in a ranking: voters, parts of it
    columns: pd.DataFrame | None = None
    #: what breaks ties of the score, lower first, in the order of ``score``
    ties: tuple[NDArray[Any], ...] = ()
    #: what the decider's facts are made of
    details: Any = None
    #: what is guaranteed about the best
    bound: Guarantee | PacMdlBound | None = None
    #: what the score is called in a ranking, where it is not the decider's own
    column: str | None = None


#: from the distinct clusterings (columns as in :meth:`Study.rank`, and ``partition``) and their
#: measures to the scores
Judge = Callable[["Study", "pd.DataFrame", "pd.DataFrame"], Verdict]
Facts = Callable[["Study", "pd.DataFrame", Verdict], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Decider:
    """One way to decide."""

    #: its name, for ``by``
    key: str
    #: the heading of its score
    title: str
    #: ``judge(study, distinct, values)`` gives the verdict
    judge: Judge = field(repr=False)
    #: ``facts(study, ranking, verdict)`` gives fields of :class:`karat.Answer`
    facts: Facts = field(default=lambda *given: {}, repr=False)
    greater_is_better: bool = True
    #: how the score is written: a guarantee is a share that is rounded up
    unit: Literal["number", "share", "guarantee"] = "number"
    #: measures that must be there before it judges
    needs: tuple[str, ...] = ()
    #: the column of its score in a ranking
    shown: str = "score"

    @property
    def sign(self) -> int:
        """1 where greater is better, -1 where lower is: ``sign * score`` always goes up."""
        return 1 if self.greater_is_better else -1

    def text(self, score: float) -> str:
        """A score as a person reads it."""
        if self.shown == "expected":
            return f"{max(score, 0):.2f}"
        if self.unit == "share":
            return f"{100 * score:.0f} %"
        if self.unit == "number":
            return f"{score:.3f}"
        return percent_up(score)


JUDGE = f"judge-{VERSION}"
deciders: Registry[Decider] = Registry("decider", "karat.deciders")


def as_decider(key: str) -> Decider:
    """The decider or the measure of this name; ``"judge"`` is the judge of this version."""
    if key == "judge":
        key = JUDGE
    if key in deciders:
        return deciders[key]
    if key not in catalogue:
        raise unknown_name(key, [*deciders, *catalogue], "measure or other decider")
    return _by_measure(catalogue[key])


def usual(study: Study) -> str:
    """What decides where the user names nothing."""
    if study.truth is not None and not study.objects.is_partly_labelled:
        return "adjusted_rand_index"
    judges = why_not(study) is None
    if study.truth is not None:
        return "judge-and-labels" if judges else "guarantee"
    if study.settings.constraints is not None:
        return "judge-and-pairs"
    return JUDGE if judges else "consensus"


# -- the vote of the families ----------------------------------------------------------------


def vote(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Verdict:
    """The consensus of the families of measures."""
    import pandas as pd

    internal = [m for m in catalogue.values() if m.kind == "internal" and m.compares_k]
    voters = [m for m in internal if m.key in values and values[m.key].notna().any()]
    if not voters:
        raise NothingToRankError(
            "no measure is defined for any of these clusterings, so there is no choice: "
            + why_nothing(study)
        )
    usable = values[[m.key for m in voters]].notna().any(axis=1)
    distinct, values = distinct[usable], values[usable]
    errors = study.standard_errors().reindex(values.index) if study.objects.is_estimated else None
    votes = consensus(values, voters, _judged_share(study, distinct), errors)
    score = pd.Series(votes.score, index=values.index)
    return Verdict(score, votes.families, _fewest_clusters(distinct), votes)


def _votes(study: Study, ranking: pd.DataFrame, verdict: Verdict) -> dict[str, Any]:
    found: Consensus = verdict.details
    points = found.families.loc[ranking.index]
    families = tuple(
        Family(
            str(name),
            tuple(found.members.get(str(name), ())),
            str(points[name].idxmax()),
            bool(points[name].iloc[0] >= points[name].max()),
        )
        for name in points
    )
    return {"votes": families}


# -- the guarantee ---------------------------------------------------------------------------


def _guarantee(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Verdict:
    """First what the guarantee is about; the others by their lowest PAC-MDL bounds beside it."""
    found = study.guarantee()
    table = found.mdl.table.sort_values(["bound_rate", "bits"], kind="stable")
    partitions = study.candidates["partition"]
    partition = partitions.loc[table.index]
    lowest = table[~partition.duplicated()].set_axis(partition.drop_duplicates(), axis=0)
    others = lowest.loc[distinct["partition"]].set_axis(distinct.index)
    first = distinct["partition"] == partitions[found.name]
    score = others["bound_rate"].where(~first, found.bound_rate)
    ties = (~first).to_numpy(), *(others[column].to_numpy() for column in ("errors", "bits"))
    return Verdict(score, None, ties, found, found)


# -- one measure -----------------------------------------------------------------------------


def _by_measure(measure: Measure) -> Decider:
    def judge(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Verdict:
        score = values[measure.key].astype(float)
        if measure.kind == "internal":  # outliers are clusters of their own to the others
            score = score * measure.penalty(score.to_numpy(), _judged_share(study, distinct))
        return Verdict(score, None, _fewest_clusters(distinct))

    def facts(study: Study, ranking: pd.DataFrame, verdict: Verdict) -> dict[str, Any]:
        known = 0
        if measure.kind == "external" and study.truth is not None:
            known = int(sum(value is not None for value in study.truth))
        close = _inside_the_error(study, measure.key, ranking)
        value = float(ranking["score"].iloc[0])
        up = measure.greater_is_better
        return {"measured": Measured(measure.title, value, up, known, tuple(close))}

    return Decider(
        key=measure.key,
        title=measure.title,
        judge=judge,
        facts=facts,
        greater_is_better=measure.greater_is_better,
        needs=(measure.key,),
    )


def _inside_the_error(study: Study, key: str, ranking: pd.DataFrame) -> list[str]:
    """The other clusterings whose estimates do not differ from that of the first."""
    errors = study.standard_errors() if study.objects.is_estimated else None
    if errors is None or key not in errors:
        return []
    error = errors[key].reindex(ranking.index).to_numpy(dtype=np.float64)
    apart = np.abs(ranking["score"] - ranking["score"].iloc[0]).to_numpy(dtype=np.float64)
    close = apart <= INSIDE * np.sqrt(error**2 + error[0] ** 2)
    return [str(name) for name in ranking.index[1:][close[1:]]]


def _judged_share(study: Study, distinct: pd.DataFrame) -> NDArray[np.float64]:
    """Share of the objects that internal measures judge."""
    if study.settings.noise != "drop":
        return np.ones(len(distinct))
    return 1 - distinct["noise_share"].to_numpy(dtype=np.float64)


def _fewest_clusters(distinct: pd.DataFrame) -> tuple[NDArray[Any]]:
    return (distinct["n_clusters"].to_numpy(dtype=np.int64),)


# -- the judge -------------------------------------------------------------------------------


def candidate(ranking: pd.DataFrame, place: int) -> Candidate:
    """A row of a ranking."""
    row = ranking.iloc[place]
    expected = None
    if "expected" in ranking:
        expected = Expected(*(float(row[column]) for column in ("expected", "low", "high")))
    return Candidate(str(row.name), int(row["n_clusters"]), own_score(row), expected)


def own_score(row: pd.Series[Any]) -> float | None:
    """The score of a row of a ranking, where it says more than the place among the others."""
    return next((float(row[name]) for name in ("score", "probability") if name in row), None)


def _judge(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Verdict:
    import pandas as pd

    found = study.judged()
    if found is None:
        verdict = vote(study, distinct, values)
        # all but a few objects against these are last here, too
        codes = np.stack([study.labels(str(name)) for name in verdict.score.index])
        lone = degenerate(size_evidence(codes))
        return replace(verdict, score=verdict.score - lone.astype(float), column="votes")
    index = pd.Index(found.names, name=distinct.index.name)
    said = found.judgement
    table = pd.DataFrame({"low": said.low, "high": said.high}, index=index)
    k = distinct.loc[index, "n_clusters"].to_numpy(dtype=np.int64)
    return Verdict(pd.Series(said.predicted, index=index), table, (-said.score, k), found)


def _judgement(study: Study, ranking: pd.DataFrame, verdict: Verdict) -> dict[str, Any]:
    found = study.judged()
    unseen = why_not(study)
    swept = bool(study.record.sweeps)
    skipped = None if study.settings.reference else "asked"
    beside = {"reference_skipped": None if swept else unseen or skipped}
    if found is None:
        facts = _votes(study, ranking, verdict) if len(ranking) > 1 else {}
        facts |= {"decided_by": "consensus", "judge_skipped": unseen or "candidates"}
        return facts | beside
    name, expected = str(ranking.index[0]), found.expected(str(ranking.index[0]))
    return {
        **beside,
        "judge": found.judged_by,
        "expected": expected,
        "near_best": found.judgement.near_best if len(found.names) > 1 else None,
        "numbers": numbers_of(study, ranking, found.numbers, found),
        "reference": _reference(study, name, found),
        "average": found.judgement.average,
        "contributions": found.contributions(name),
        "gains": found.judge.gain(expected.value) or (),
    }


def _reference(study: Study, name: str, found: Judged) -> Reference | None:
    """The best of what karat found itself beside clusterings that were made elsewhere."""
    if not found.company:
        return None
    best, expected = found.company[0]
    agreement = adjusted_rand_index(study.labels(name), best.codes, noise="singletons")
    k, n = int(best.codes.max()) + 1, study.n_objects
    part = FIT_AT_MOST if n > FIT_AT_MOST else None
    return Reference(best.name, k, expected, float(agreement), len(company(study)), part)


# -- the judge, and a few labels or known pairs ----------------------------------------------

#: adjusted Rand index from which on two candidates hardly differ
ALIKE = 0.8


class _Odds:
    """How likely each candidate is: by the judge, and after what else is known.

    Without a judge all are as likely, but for those of all but a few objects against these.
    """

    def __init__(self, study: Study, distinct: pd.DataFrame) -> None:
        self.found = study.judged()
        self.names = [*map(str, distinct.index)] if self.found is None else [*self.found.names]
        self.codes = np.stack([study.labels(name) for name in self.names])
        if self.found is None:
            self.before = np.full(len(self.names), 1 / len(self.names))
            self.logs = -FAR * degenerate(size_evidence(self.codes))
        else:
            self.before, self.logs = self.found.prior, self.found.lead

    @property
    def best(self) -> int:
        """Place of the most probable candidate."""
        return int(np.argmax(self.logs))

    def after(self) -> tuple[pd.Series[Any], float, float, float]:
        """All shares; of the best that before, that after, and that with those alike it."""
        import pandas as pd

        shares = np.exp(self.logs - self.logs.max())
        shares /= shares.sum()
        best = self.best
        agreed = [
            adjusted_rand_index(row, self.codes[best], noise="singletons") for row in self.codes
        ]
        alike = float(shares[np.array(agreed) >= ALIKE].sum())
        index = pd.Index(self.names, name="name")
        return pd.Series(shares, index), float(self.before[best]), float(shares[best]), alike


def _with_labels(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Verdict:
    odds = _Odds(study, distinct)
    assert study.truth is not None
    known = np.flatnonzero([value is not None for value in study.truth])
    classes = encode(np.asarray(study.truth, dtype=object)[known]).codes
    odds.logs = odds.logs + log_likelihood(odds.codes[:, known], classes)
    after, *shares = odds.after()
    tightest = study.guarantee()
    partition = study.candidates["partition"]
    bound: Guarantee | PacMdlBound = tightest
    if partition[tightest.name] != partition[odds.names[odds.best]]:
        # with its share of delta; both bounds hold together with the whole of it
        bound = replace(bound_of(study, odds.names[odds.best], tightest.mdl), delta=tightest.delta)
    details = Labelled(len(known), *shares), tightest
    return Verdict(after, None, (-odds.logs,), details, bound)


def _labelled(study: Study, ranking: pd.DataFrame, verdict: Verdict) -> dict[str, Any]:
    said, tightest = verdict.details
    found = study.judged()
    beside = None
    if verdict.bound is not tightest:
        beside = Rate(tightest.name, tightest.bound_rate, tightest.carried_by)
    return {
        "labelled": said,
        "numbers": _numbers(study, ranking, verdict),
        "judge": None if found is None else found.judged_by,
        "tightest": beside,
    }


def _numbers(study: Study, ranking: pd.DataFrame, verdict: Verdict) -> tuple[Number, ...]:
    shares: Any = verdict.score.groupby(ranking["n_clusters"]).sum().to_dict()
    return numbers_of(study, ranking, shares, None)


def _with_pairs(study: Study, distinct: pd.DataFrame, values: pd.DataFrame) -> Verdict:
    odds, known = _Odds(study, distinct), constraints_of(study)
    if odds.found is not None:  # whose lead has the pairs
        odds.before = odds.found.judgement.prior
    elif known is not None:
        odds.logs = odds.logs + pairs_log_likelihood(odds.codes, known)
    after, *shares = odds.after()
    return Verdict(after, None, (-odds.logs,), shares)


def _paired(study: Study, ranking: pd.DataFrame, verdict: Verdict) -> dict[str, Any]:
    found, name = study.judged(), str(ranking.index[0])
    facts: dict[str, Any] = {"numbers": _numbers(study, ranking, verdict)}
    if found is not None:
        facts |= {"judge": found.judged_by, "expected": found.expected(name)}
        facts |= {"gains": found.judge.gain(found.expected(name).value) or ()}
    return facts | {"pairs": paired(study, name, *verdict.details)}


_PROBABILITY: dict[str, Any] = {"title": "Probability", "unit": "share", "shown": "probability"}

for one in (
    Decider(
        key="consensus", title="Share of votes", judge=vote, facts=_votes, unit="share",
        shown="votes",
    ),
    Decider(
        key="guarantee", title="Guaranteed maximum error", judge=_guarantee,
        greater_is_better=False, unit="guarantee",
    ),
    Decider(key="judge-and-labels", judge=_with_labels, facts=_labelled, **_PROBABILITY),
    Decider(key="judge-and-pairs", judge=_with_pairs, facts=_paired, **_PROBABILITY),
    Decider(
        key=JUDGE, title="Expected agreement", judge=_judge, facts=_judgement, shown="expected"
    ),
):  # fmt: skip
    deciders.add(one)
