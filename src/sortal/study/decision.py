"""The decision of a study: the distinct clusterings in order, and the facts about the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.datasets.prepared.data_checks import reproduced
from sortal.datasets.values.findings import ordered
from sortal.labelings.structures import Hardened
from sortal.measures import adjusted_rand_index
from sortal.study.constraints import pair_evidence
from sortal.study.deciders import (
    Decision,
    absolute_score,
    as_decider,
    decider_of,
    ranked_candidate,
)
from sortal.study.facts import (
    AnswerFacts,
    CandidateCounts,
    OwnClustering,
    Sample,
    StabilityFacts,
    Trouble,
)
from sortal.study.guarantees import guarantee_facts
from sortal.study.notes import derived
from sortal.study.numbers import granularities, open_above, split_facts
from sortal.study.perturbed import kept_steadiness
from sortal.study.ranking import order, ranks
from sortal.study.scores import (
    candidate_labels,
    candidate_memberships,
    candidate_table,
    distinct_candidates,
    evaluate,
    silhouette_of,
    stated,
)
from sortal.study.stability import kept_agreement, kept_assessment

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.stability import Assessment
    from sortal.study.state import StudyState


#: limit of cost: saves lines of the screen; clusterings of the user that the answer lists
MAX_OWN = 12


def ranked(state: StudyState, by: str | None = None) -> tuple[pd.DataFrame, Decision]:
    """The ranking of :meth:`sortal.Study.rank`, and the decision that it follows."""
    decider = as_decider(by or decider_of(state))
    table = distinct_candidates(state)
    decision = decider.decide(state, table)
    table = table.loc[decision.score.index]
    table[decision.column or decider.shown] = decision.score
    if decision.columns is not None:
        table = table.join(decision.columns)
    upward = decision.lead
    if upward is None:
        upward = decider.sign * decision.score.to_numpy(dtype=np.float64)
    table.insert(0, "rank", ranks(upward))
    return table.iloc[order(upward, *decision.ties)], decision


def evaluate_needed(
    state: StudyState, *, executor: object = None, progress: bool | None = None
) -> None:
    """Score the candidates by the measures that the decider and the answer read."""
    needs = as_decider(decider_of(state)).needs
    if needs is not None:
        needs = (*needs, *stated(state))
    evaluate(state, needs, executor=executor, progress=progress)


def best_candidate(state: StudyState) -> str:
    """The name of the candidate to use."""
    return str(ranked(state)[0].index[0])


@derived()
def current_facts(state: StudyState) -> AnswerFacts:
    """The facts of the answer by the results so far; nothing further is computed."""
    return facts_of(state, *ranked(state))


def facts_of(state: StudyState, ranking: pd.DataFrame, decision: Decision) -> AnswerFacts:
    """The facts about the first of the ranked candidates."""
    decider = as_decider(decider_of(state))
    top = ranking.iloc[0]
    name = str(top.name)
    labels = candidate_labels(state, name)
    decided: dict[str, Any] = {"pairs": pair_evidence(state, name), "decided_by": decider.key}
    decided |= decider.facts(state, ranking, decision)
    numbers = decided.get("numbers", ())
    if state.objects.is_partly_labelled or decider.key == "guarantee":
        decided |= guarantee_facts(state, name)
    soft, assessment = candidate_memberships(state, name), kept_assessment(state, name)
    dataset = state.dataset
    return AnswerFacts(
        name=name,
        clusterer=str(top["clusterer"]),
        k=None if top.isna()["k"] else int(top["k"]),
        n_clusters=int(top["n_clusters"]),
        labels=labels,
        sizes=tuple(sorted(np.bincount(labels[labels >= 0]).tolist(), reverse=True)),
        outliers=int((labels < 0).sum()),
        reached_by=int(top["reached_by"]),
        score=absolute_score(top),
        tied=tuple(str(rival) for rival in ranking.index[1:] if ranking.at[rival, "rank"] == 1),
        tried=_counts(state, ranking),
        runner_up=ranked_candidate(ranking, 1) if len(ranking) > 1 else None,
        own=_own(
            state, ranking, labels, {candidate.name for candidate in decided.get("level", ())}
        ),
        silhouette=silhouette_of(state, name)[0],
        structure=state.structure,
        sample=_sample(state, top),
        memberships=None if soft is None else Hardened.of(soft),
        granularities=granularities(state, numbers),
        splits=split_facts(state, name),
        number_range=None if state.splits is None else state.splits.likely,
        open_above=open_above(state),
        steadiness=kept_steadiness(state, name),
        stability=None if assessment is None else _stability(assessment),
        notes=tuple(map(str, dataset.notes)),
        findings=ordered((*reproduced(dataset, labels), *dataset.findings)),
        data=str(dataset.name),
        noun=_noun(state),
        n_columns=_n_columns(state),
        source=None if dataset.source is None else str(dataset.source),
        n_rows=dataset.whole.n_rows if dataset.whole and dataset.whole.is_sampled else None,
        **decided,
    )


def _n_columns(state: StudyState) -> int:
    """Number of columns of the table that have weight; of terms; 0 for distances and graphs."""
    data = state.dataset
    if not data.n_features or data.preparation is None or not data.preparation.columns:
        return data.n_features
    return len(np.unique(data.preparation.origin[data.preparation.kept]))


def _noun(state: StudyState) -> str:
    """Noun for the objects: texts, rows of a table, or objects."""
    data = state.dataset
    if data.of_documents or data.texts is not None:
        return "texts"
    return "rows" if data.n_features else "objects"


def _own(
    state: StudyState, ranking: pd.DataFrame, labels: NDArray[np.int32], level: set[str]
) -> tuple[OwnClustering, ...]:
    """The user's clusterings, the best first, beside the answer."""
    places = np.flatnonzero(ranking["clusterer"] == "given")[:MAX_OWN]
    out = []
    for place in places.tolist():
        candidate = ranked_candidate(ranking, place)
        agreement = adjusted_rand_index(
            labels, candidate_labels(state, candidate.name), noise="singletons"
        )
        out.append(
            OwnClustering(
                candidate.name, candidate.n_clusters, candidate.recovery, float(agreement),
                level=candidate.name in level or bool(ranking["rank"].iloc[place] == 1),
            )
        )  # fmt: skip
    return tuple(out)


def _counts(state: StudyState, ranking: pd.DataFrame) -> CandidateCounts:
    """Numbers of candidates, of distinct ones, and of those with trouble."""
    table = candidate_table(state)
    troubles = []
    for status in ("excluded", "failed", "flagged"):
        rows = table[table["status"] == status]
        if len(rows):
            reason = str(rows["reason"].iloc[0])
            troubles.append(Trouble(status, len(rows), str(rows.index[0]), reason))
    supplied = int((ranking["clusterer"] == "given").sum())
    unfinished = len(state.storage.planned())
    distinct = table["partition"].nunique()
    return CandidateCounts(
        len(table), len(ranking), supplied, unfinished, tuple(troubles),
        distinct - len(ranking) if state.stopped else None,
    )  # fmt: skip


def _sample(state: StudyState, top: pd.Series[Any]) -> Sample | None:
    """The sample that the first was fitted to; None where it was fitted to all objects."""
    if top.isna()["fitted_on"]:
        return None
    clusterer = state.clusterers.get(str(top["clusterer"]))
    of_cells = clusterer is not None and state.fits.fits_cells(clusterer)
    agreement = kept_agreement(state, str(top.name))
    return Sample(int(top["fitted_on"]), of_cells, agreement["value"], agreement["reason"])


def _stability(assessment: Assessment) -> StabilityFacts:
    """The result of resampling the first."""
    curve, clusters = assessment.curve, assessment.clusters.table
    worst = int(np.nanargmin(clusters["jaccard"]))
    numbers: tuple[int, ...] = ()
    selected = survival = null = None
    if curve is not None:
        numbers = tuple(map(int, curve.table.index[[0, -1]])) if len(curve.table) else ()
        selected = None if curve.selected is None else int(curve.selected)
    if curve is not None and selected is not None and selected > 1:
        survival, null = (float(curve.table[column][selected]) for column in ("value", "null"))
    return StabilityFacts(
        clusterer=assessment.clusterer,
        numbers=numbers,
        selected=selected,
        kept=survival,
        null=null,
        found=() if curve is not None else tuple(map(int, assessment.clusters.found)),
        found_in_null=() if curve is not None else tuple(map(int, assessment.found_in_null)),
        n_stable=int((clusters["jaccard"] >= 0.75).sum()),
        worst=str(clusters.index[worst]),
        dissolved=float(clusters["dissolved"].iloc[worst]),
        n_judged=len(assessment.rows),
    )
