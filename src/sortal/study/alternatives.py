"""Search for several good clusterings of a data set that differ from each other."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial import cKDTree

from sortal.distances import FORMS
from sortal.judge import FEWEST_OBJECTS, gather
from sortal.judge.evidence import canonical_order
from sortal.labelings.partitions import canonical_codes
from sortal.meaning.effects import carriers
from sortal.nulls.coordinates import placed
from sortal.nulls.structure import StructureSearch, needed
from sortal.nulls.valleys import separated, valley_evidence
from sortal.runtime.validation import InputError
from sortal.study.decision import current_facts
from sortal.study.divisions import Alternative, AlternativesFacts
from sortal.study.facts import RANDOM, Recovery, plain
from sortal.study.judgement import judged, why_not
from sortal.study.notes import derived
from sortal.study.ranking import by_expected_agreement
from sortal.study.request import NUMBERS
from sortal.study.scores import candidate_table
from sortal.study.views import (
    LIMITS,
    DataView,
    components,
    differ,
    diverse,
    feature_groups,
    independent_blocks,
    is_crossed,
    residual,
    shared_information,
)
from sortal.study.wording import divisions as wording
from sortal.study.wording.phrases import natural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.judge import Judge, Judgement
    from sortal.study.state import StudyState
    from sortal.study.views import Codes
    from sortal.typing import Floats, Metric, Rows

#: limit of cost: rows of the systematic sample that views are searched in
MAX_SEARCHED = 1_000
#: limit of cost: rows that the clusterings of a view are judged on
MAX_JUDGED = 500
#: limit of cost: times that clusterings are projected out before the search ends
MOST_ROUNDS = 3
#: methods that cluster independent groups of features: those that cut a tree, and all
SWEPT, CUT = (
    ("kmeans", "gaussian-mixture", "ward", "average", "genie"),
    ("ward", "average", "genie"),
)


@dataclass(frozen=True)
class Alternatives(AlternativesFacts):
    """Good clusterings that differ from each other, the highest recovery first.

    Attributes
    ----------
    items : tuple of Alternative
        Empty if the data have no groups; a single one if there is one way to divide the objects.
    crossed : str or None
        Name of the answer, if it is excluded because it crosses the alternatives.
    reason : str or None
        Why there is none: a key of :data:`sortal.study.wording.divisions.REASONS`.
    searched : int
        Number of views of the data that were searched.
    alike, share : float
        Most information that two alternatives share, and least share of the best
        agreement.
    """

    def to_dict(self) -> dict[str, Any]:
        """The facts and sentences as JSON values, without labels."""
        facts = {field.name: plain(getattr(self, field.name)) for field in fields(self)}
        return facts | {"sentences": wording.sentences(self)}

    def __str__(self) -> str:
        import pandas as pd

        lines = wording.sentences(self)
        if len(self) > 1:
            rows = pd.DataFrame(wording.rows(self), columns=list(wording.HEADS))
            lines.append(rows.to_string(index=False))
        return "\n".join(lines)


def alternatives(state: StudyState, n: int = 3) -> Alternatives:
    """At most n good clusterings that differ, see :meth:`sortal.Study.alternatives`."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise InputError(f"n must be a whole number of at least 1; got {n!r}")
    result = _all_alternatives(state)
    chosen = diverse([alternative.labels for alternative in result.items], int(n))
    items = [result.items[i] for i in chosen]
    return replace(result, items=tuple(_detailed(state, item, items) for item in items))


def _detailed(
    state: StudyState, alternative: Alternative, items: Sequence[Alternative]
) -> Alternative:
    """An alternative with the features that carry it, and its agreement with the other items."""
    agreements = (
        shared_information(alternative.labels, item.labels)
        for item in items
        if item is not alternative
    )
    data = state.dataset
    features: tuple[tuple[str, float], ...] = ()
    if data.n_features and data.X.shape[1] == len(data.feature_names):
        features = carriers(data.X, alternative.labels, data.feature_names)
    return replace(alternative, agreement=max(agreements, default=0.0), carried_by=features)


def _all_alternatives(state: StudyState) -> Alternatives:
    """All good clusterings that differ from each other."""
    answer = current_facts(state)
    if judged(state) is None:
        return Alternatives((), reason=why_not(state) or "candidates")
    if not natural(answer):
        return Alternatives((), reason="structure")
    return _search_result(state, answer.name)


@derived(without=("by", "scores", "notes"))
def _search_result(state: StudyState, first: str) -> Alternatives:
    """The search beside the answer of the name ``first``; further scores do not repeat it."""
    judgement = judged(state)
    assert judgement is not None
    names = list(judgement.names)
    order = np.argsort(-judgement.judgement.score, kind="stable")
    partitions = candidate_table(state).loc[names, "partition"]
    codes = state.storage.labels(list(map(str, partitions)))
    pool = {names[i]: (codes[i], judgement.recovery(names[i])) for i in order}
    X, metric = state.objects.points
    return search(X, metric, pool, first, state.judge, list(state.dataset.feature_names))


def search(
    X: Rows,
    metric: Metric,
    pool: dict[str, tuple[Codes, Recovery]],
    first: str,
    judge: Judge,
    feature_names: Sequence[str] = (),
) -> Alternatives:
    """Search the candidates and the views of the data for good clusterings that differ.

    ``pool`` has the candidates with their recovery, the best first. ``first`` is the name of the
    answer.
    """
    if first not in pool:
        return Alternatives((), reason="candidates")
    least = max(LIMITS.share * max(recovery.value for _, recovery in pool.values()), RANDOM)
    views = _ViewSearch(X, metric, judge, feature_names)
    answer = views.candidate(first, *pool[first])
    blocks = views.clusterings_of_blocks()
    if len(blocks) > 1:
        blocks.sort(key=_worth, reverse=True)
        return Alternatives(tuple(blocks), first, None, views.n_searched)
    good = {
        name: (codes, recovery)
        for name, (codes, recovery) in pool.items()
        if recovery.value >= least or name == first
    }
    results = views.separated_candidates(good, answer)
    results += views.clusterings_of_views(good, answer, results)
    crossed = crossing(answer, results, views)
    # the finest of the separated clusterings is the most informative
    ordered = sorted((r for r in results if not crossing(r, results, views)), key=_finest_first)
    ordered = [result for result in crossed if result in ordered] + ordered
    chosen = [] if crossed else [answer]
    for result in ordered:
        if _differs(result.labels, chosen):
            alternative = views.judged(result)
            if _worth(alternative) >= least:
                chosen.append(alternative)
    if len(chosen) < 2:
        return Alternatives((answer,), None, None, views.n_searched)
    top, *others = chosen
    others.sort(key=_worth, reverse=True)
    return Alternatives((top, *others), first if crossed else None, None, views.n_searched)


class _ViewSearch:
    """Clusterings with separated clusters, in all features and in views of the data."""

    def __init__(self, X: Rows, metric: Metric, judge: Judge, feature_names: Sequence[str]) -> None:
        self.X, self.metric, self.judge = X, metric, judge
        self.feature_names = feature_names
        self.has_views = isinstance(X, np.ndarray) and metric in FORMS and X.shape[1] > 1
        self.rows = np.arange(X.shape[0])
        if self.has_views and len(self.rows) > MAX_SEARCHED:
            self.rows = np.sort(_spread(np.asarray(X, dtype=np.float64), MAX_SEARCHED))
        #: number of views so far, which the evidence that is needed grows with
        self.n_searched = 0

    @cached_property
    def points(self) -> Floats | None:
        """The searched rows in Euclidean space; None where there are no views."""
        if not self.has_views:
            return None
        return DataView("all", metric=str(self.metric)).points(self.X[self.rows])

    @cached_property
    def coordinates(self) -> tuple[Floats, NDArray[np.intp]]:
        """Coordinates by all features, and the positions of their objects."""
        return placed(self.X, self.metric, np.random.default_rng(0))

    def candidate(self, name: str, codes: Codes, recovery: Recovery) -> Alternative:
        """A candidate of the study, with the evidence that all features separate its clusters."""
        Z, at = self.coordinates
        inside = codes[at] >= 0
        codes_inside = canonical_codes(codes[at][inside]).astype(np.int64)
        evidence = valley_evidence(Z[inside], codes_inside, np.random.default_rng(0))
        return _alternative(
            name, codes, DataView("all", metric=str(self.metric)), evidence, recovery
        )

    def separated_candidates(
        self, pool: dict[str, tuple[Codes, Recovery]], answer: Alternative
    ) -> list[Alternative]:
        """Candidates that differ from the answer and whose clusters are separated."""
        candidates: list[Alternative] = []
        least = needed() + np.log(len(pool))
        for name, (codes, recovery) in pool.items():
            if not _differs(codes, [answer, *candidates]):
                continue
            candidate = self.candidate(name, codes, recovery)
            if candidate.evidence >= least:
                candidates.append(candidate)
        return candidates

    def clusterings_of_views(
        self,
        pool: dict[str, tuple[Codes, Recovery]],
        answer: Alternative,
        candidates: Sequence[Alternative],
    ) -> list[Alternative]:
        """The clustering of each view that has one, then those of what they leave."""
        if not self.has_views:
            return []
        views = self._views(pool, answer, candidates)
        results = [result for view in views if (result := self.clustering_of(view)) is not None]
        clearest = sorted(results, key=lambda result: -result.evidence)
        for result in _different(clearest)[:MOST_ROUNDS]:
            results += self._clustering_without([result])
        for _ in range(MOST_ROUNDS):
            projected = _different([answer, *candidates, *results])
            further = self._clustering_without(projected) if len(projected) > 1 else []
            if not further:
                break
            results += further
        return results

    def _views(
        self,
        pool: dict[str, tuple[Codes, Recovery]],
        answer: Alternative,
        candidates: Sequence[Alternative],
    ) -> list[DataView]:
        """Views by features, by components, by directions, and without some clusterings."""
        X, metric = self.X[self.rows], str(self.metric)
        partitions = {name: codes[self.rows] for name, (codes, _) in pool.items()}
        finest = max(partitions, key=lambda name: int(partitions[name].max()))
        views, n_groups = feature_groups(X, metric)
        is_coarse = answer.n_clusters < LIMITS.spanning
        for name in dict.fromkeys([answer.name, finest] if is_coarse else [answer.name]):
            views += components(X, metric, name, partitions[name])
        if metric == "euclidean" and X.min() >= 0:
            views.append(DataView("directions", (), (), "cosine"))
        projected = {answer.name, *(candidate.name for candidate in candidates)}
        for k in (2, 3):
            projected |= set([n for n, codes in partitions.items() if codes.max() + 1 == k][:1])
        for name in sorted(projected, key=list(partitions).index):
            remainder = residual(X, metric, {name: partitions[name]})
            views += [] if remainder is None else [remainder]
        self.n_searched = max(n_groups, len(views))
        return views

    def _clustering_without(self, clusterings: Sequence[Alternative]) -> list[Alternative]:
        """The clustering of the data without the space of others; empty if there is none."""
        self.n_searched += 1
        partitions = {clustering.name: clustering.labels[self.rows] for clustering in clusterings}
        view = residual(self.X[self.rows], str(self.metric), partitions)
        result = self.clustering_of(view)
        return [] if result is None else [result]

    def clusterings_of_blocks(self) -> list[Alternative]:
        """Clusterings of the groups of features that are independent and have structure."""
        if not self.has_views or len(self.rows) < FEWEST_OBJECTS:
            return []
        views = independent_blocks(self.X[self.rows], str(self.metric))
        self.n_searched = len(views)
        clear = [(view, evidence) for view in views if (evidence := self._structure(view))]
        if len(clear) < 2:
            return []
        return [self._swept(view, evidence) for view, evidence in clear]

    def _structure(self, view: DataView) -> float:
        """Evidence of structure in a view; 0 where there is too little for so many views."""
        P = view.points(self.X[self.rows])
        structure = StructureSearch(P, "euclidean", np.random.default_rng(0)).separation()
        least = needed(structure.linearity) + float(np.log(max(self.n_searched, 1)))
        is_clear = structure.decision == "yes" and structure.evidence >= least
        return structure.evidence if is_clear else 0.0

    def _swept(self, view: DataView, evidence: float) -> Alternative:
        """The judge's choice among the clusterings of a view."""
        P = view.points(self.X[self.rows])
        sample = _spread(P, MAX_JUDGED)
        codes = _partitions(P[sample])
        gathered = gather(P[sample], codes)
        judgement = by_expected_agreement(self.judge, self.judge(gathered), gathered)
        first = int(np.argmax(judgement.score))
        nearest = cKDTree(P[sample]).query(view.points(self.X))[1]
        labels = canonical_codes(codes[first][nearest])
        name = wording.name_of(int(labels.max()) + 1, view, self.feature_names)
        return _alternative(name, labels, view, evidence, _recovery(judgement, first))

    def clustering_of(self, view: DataView | None) -> Alternative | None:
        """The finest clustering of a view whose clusters are all separated; None without one."""
        if view is None or len(self.rows) < FEWEST_OBJECTS:
            return None
        P = view.points(self.X[self.rows])
        rng = np.random.default_rng(0)
        Z, at = placed(P, "euclidean", rng)
        # views overlap: about the square root of their number are independent
        least = needed() + float(np.log(max(self.n_searched, 1))) / 2
        divided = separated(Z, rng, least)
        if divided is None:
            return None
        labels, evidence = divided
        centres = np.stack([P[at][labels == c].mean(axis=0) for c in np.unique(labels)])
        half = np.square(centres).sum(axis=1) / 2
        codes = canonical_codes((view.points(self.X) @ centres.T - half).argmax(axis=1))
        name = wording.name_of(int(codes.max()) + 1, view, self.feature_names)
        return _alternative(name, codes, view, evidence)

    def judged(self, alternative: Alternative) -> Alternative:
        """The alternative with its recovery, judged on its view."""
        if alternative.recovery is not None:
            return alternative
        P = alternative.view.points(self.X[self.rows])
        sample = _spread(P, MAX_JUDGED)
        codes = canonical_codes(alternative.labels[self.rows][sample])
        if codes.max() < 1:
            return alternative
        judgement = self.judge(gather(P[sample], codes[None]))
        return replace(alternative, recovery=_recovery(judgement, 0))


def _recovery(judgement: Judgement, i: int) -> Recovery:
    """The recovery of the i-th clustering of a judgement, with its interval."""
    return Recovery(*(float(v[i]) for v in (judgement.predicted, judgement.low, judgement.high)))


def _spread(P: Floats, most: int) -> NDArray[np.intp]:
    """A systematic sample of the rows in their canonical order."""
    places = np.linspace(0, len(P) - 1, min(most, len(P))).astype(np.intp)
    return np.asarray(canonical_order(P)[places], dtype=np.intp)


def _partitions(P: Floats) -> NDArray[np.int32]:
    """Distinct clusterings of the points by five methods and every number of clusters."""
    from sortal.clusterers import catalogue

    codes: dict[bytes, NDArray[np.int32]] = {}
    with warnings.catch_warnings(action="ignore"):
        for key in SWEPT:
            tree = catalogue[key].make(2, 0).fit(P) if key in CUT else None
            for k in NUMBERS:
                labels = tree.cut(k) if tree else catalogue[key].make(k, 0).fit_predict(P)
                partition = canonical_codes(np.asarray(labels, dtype=np.int32))
                if partition.max() > 0:
                    codes.setdefault(partition.tobytes(), partition)
    return np.stack(list(codes.values()))


def _alternative(
    name: str, codes: Codes, view: DataView, evidence: float, recovery: Recovery | None = None
) -> Alternative:
    """An alternative made from its labels."""
    sizes = np.sort(np.bincount(codes[codes >= 0]))[::-1].tolist()
    return Alternative(name, len(sizes), codes, tuple(sizes), recovery, view, float(evidence))


def _finest_first(alternative: Alternative) -> tuple[int, float, bool, float]:
    """Sort key: the finest first; among equally certain ones, those in views of features first."""
    evidence = alternative.evidence
    in_features = alternative.view.kind == "features"
    return -alternative.n_clusters, -min(evidence, LIMITS.certain), not in_features, -evidence


def _worth(alternative: Alternative) -> float:
    """The recovery; minus infinity if not judged."""
    return -np.inf if alternative.recovery is None else alternative.recovery.value


def _differs(codes: Codes, others: Sequence[Alternative]) -> bool:
    """Whether a clustering differs from all others."""
    return all(differ(codes, alternative.labels) for alternative in others)


def _different(alternatives: Sequence[Alternative]) -> list[Alternative]:
    """The alternatives that differ from all that come before them."""
    different: list[Alternative] = []
    for alternative in alternatives:
        if _differs(alternative.labels, different):
            different.append(alternative)
    return different


def crossing(
    crossed: Alternative, alternatives: Sequence[Alternative], views: _ViewSearch
) -> tuple[Alternative, ...]:
    """The two finest divisions that a clustering crosses; empty if there are none.

    The clusters of both divisions determine the cluster, all combinations occur, and the effects
    on the means add up, as for independent divisions. Merging clusters in two ways gives divisions,
    too, but their effects do not add up. A clustering with separated clusters shares most
    information with either division and has a cluster for each combination. One without may be a
    mixture of the two.
    """
    if views.points is None:
        return ()
    codes = crossed.labels[views.rows]
    is_separated = crossed.evidence >= needed()
    least = LIMITS.informative if is_separated else LIMITS.alike
    divisions = [
        division
        for division in alternatives
        if division is not crossed
        and shared_information(codes, division.labels[views.rows]) > least
    ]
    pairs = [
        (a, b)
        for i, a in enumerate(divisions)
        for b in divisions[:i]
        if not is_separated or a.n_clusters * b.n_clusters <= crossed.n_clusters
    ]
    pairs.sort(
        key=lambda pair: (
            -sum(division.n_clusters for division in pair),
            sorted(map(_finest_first, pair), reverse=True),
        )
    )
    for pair in pairs:
        a, b = (division.labels[views.rows] for division in pair)
        if is_crossed(codes, a, b, views.points):
            return pair
    return ()
