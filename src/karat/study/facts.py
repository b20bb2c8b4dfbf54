"""What is known of the best clustering of a study, gathered into its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets.findings import ordered
from karat.datasets.reading_plan import reproduced
from karat.labelings.structures import Hardened
from karat.study.answer import Answer, FoundAgain, Sample, Tried, Trouble
from karat.study.constraints import paired
from karat.study.deciders import Verdict, as_decider, candidate, own_score
from karat.study.fitted import fitted_of
from karat.study.loss import clusterers_of, kept_agreement
from karat.study.numbers import nesting
from karat.study.scoring import bound_of
from karat.study.stability import kept_assessment

if TYPE_CHECKING:
    import pandas as pd

    from karat.stability import Assessment
    from karat.study.study import Study


def answer_of(study: Study, ranked: pd.DataFrame, verdict: Verdict) -> Answer:
    """What is known of the first of the ranked candidates."""
    decider = as_decider(study.by)
    top = ranked.iloc[0]
    name = str(top.name)
    labels = study.labels(name)
    facts: dict[str, Any] = {"decided_by": decider.key, **decider.facts(study, ranked, verdict)}
    guarantee = verdict.bound
    if guarantee is None and study.objects.is_partly_labelled:
        guarantee = bound_of(study, name)
    soft = study.memberships(name)
    found = kept_assessment(study, name)
    return Answer(
        name=name,
        clusterer=str(top["clusterer"]),
        k=None if top.isna()["k"] else int(top["k"]),
        n_clusters=int(top["n_clusters"]),
        labels=labels,
        sizes=tuple(sorted(np.bincount(labels[labels >= 0]).tolist(), reverse=True)),
        outliers=int((labels < 0).sum()),
        reached_by=int(top["reached_by"]),
        score=own_score(top),
        tied=tuple(str(one) for one in ranked.index[1:] if ranked.at[one, "rank"] == 1),
        tried=_tried(study, ranked),
        runner_up=candidate(ranked, 1) if len(ranked) > 1 else None,
        guarantee=guarantee,
        silhouette=_silhouette(study, name),
        structure=study.objects.structure,
        sample=_sample(study, top),
        memberships=None if soft is None else Hardened.of(soft),
        stability=None if found is None else _found_again(study, ranked, found),
        notes=tuple(map(str, study.dataset.notes)),
        findings=ordered((*reproduced(study.dataset, labels), *study.dataset.findings)),
        data=str(study.dataset.name),
        source=None if study.dataset.source is None else str(study.dataset.source),
        fitted=fitted_of(study, name),
        **{"pairs": paired(study, name)} | facts,
    )


def _silhouette(study: Study, name: str) -> float | None:
    scores = study.scores()
    value = scores["silhouette"].astype(float)[name] if "silhouette" in scores else np.nan
    return None if np.isnan(value) else float(value)


def _tried(study: Study, ranked: pd.DataFrame) -> Tried:
    table = study.candidates
    troubles = []
    for status in ("excluded", "failed", "flagged"):
        these = table[table["status"] == status]
        if len(these):
            reason = str(these["reason"].iloc[0])
            troubles.append(Trouble(status, len(these), str(these.index[0]), reason))
    own = int((ranked["clusterer"] == "given").sum())
    return Tried(len(table), len(ranked), own, len(study.storage.planned()), tuple(troubles))


def _sample(study: Study, top: pd.Series[Any]) -> Sample | None:
    missing = top.isna()
    if missing["fitted_on"]:
        return None
    clusterer = clusterers_of(study).get(str(top["clusterer"]))
    of_cells = clusterer is not None and study.fits.fits_cells(clusterer)
    kept = kept_agreement(study, str(top.name))
    return Sample(int(top["fitted_on"]), of_cells, kept["value"], kept["reason"])


def _found_again(study: Study, ranked: pd.DataFrame, found: Assessment) -> FoundAgain:
    curve, clusters = found.curve, found.clusters.table
    worst = int(np.nanargmin(clusters["jaccard"]))
    numbers: tuple[int, ...] = ()
    selected = kept = null = level = nested = None
    if curve is not None:
        numbers = tuple(map(int, curve.table.index[[0, -1]])) if len(curve.table) else ()
        selected = None if curve.selected is None else int(curve.selected)
    if curve is not None and selected is not None and selected > 1:
        kept, null = (float(curve.table[column][selected]) for column in ("value", "null"))
        places = np.flatnonzero(ranked["n_clusters"] == selected)
        if selected != len(clusters) and len(places):
            level = candidate(ranked, int(places[0]))
            pair = [study.labels(level.name), study.labels(str(ranked.index[0]))]
            coarse, fine = sorted(pair, key=lambda labels: labels.max())
            nested, _ = nesting(coarse, fine)
    return FoundAgain(
        clusterer=found.clusterer,
        numbers=numbers,
        selected=selected,
        kept=kept,
        null=null,
        found=() if curve is not None else tuple(map(int, found.clusters.found)),
        found_in_null=() if curve is not None else tuple(map(int, found.found_in_null)),
        n_stable=int((clusters["jaccard"] >= 0.75).sum()),
        worst=str(clusters.index[worst]),
        dissolved=float(clusters["dissolved"].iloc[worst]),
        n_judged=len(found.rows),
        level=level,
        nested=nested,
    )
