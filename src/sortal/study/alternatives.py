"""Search for several good clusterings of a data set that differ from each other."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
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
from sortal.nulls.structure import needed, structure_of
from sortal.nulls.valleys import separated, valley_evidence
from sortal.runtime.validation import InputError
from sortal.study.decision import current_facts
from sortal.study.divisions import SHARE, Alternative, AlternativesFacts
from sortal.study.facts import RANDOM, Recovery, plain
from sortal.study.judgement import by_expected_agreement, judged, why_not
from sortal.study.notes import derived
from sortal.study.request import NUMBERS
from sortal.study.scores import candidate_table
from sortal.study.views import (
    ALIKE,
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

    from sortal.judge import Judge
    from sortal.runtime.types import Floats, Metric, Rows
    from sortal.study.state import StudyState
    from sortal.study.views import Codes

#: most objects that are searched, and judged; a systematic sample is taken of more
MAX_SEARCHED, MAX_JUDGED = 1_000, 500
#: least information of a separated clustering about each division that it crosses
MIN_INFORMATION = 0.8
#: the finest candidate spans the space, too, if the answer has fewer clusters
MIN_SPANNING = 4
#: methods that cluster independent groups of features: those that cut a tree, and all
SWEPT, CUT = (
    ("kmeans", "gaussian-mixture", "ward", "average", "genie"),
    ("ward", "average", "genie"),
)
#: evidence above this value counts as this value
CERTAIN = 20.0
#: most clusterings that are projected out before the search ends
ROUNDS = 3


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
    kinds = _all_kinds(state)
    chosen = diverse([alternative.labels for alternative in kinds.items], int(n))
    items = [kinds.items[i] for i in chosen]
    agreements = [
        max(
            (
                shared_information(alternative.labels, other_way.labels)
                for other_way in items
                if other_way is not alternative
            ),
            default=0.0,
        )
        for alternative in items
    ]
    return replace(
        kinds,
        items=tuple(
            replace(
                alternative, agreement=agreement, carried_by=_carriers(state, alternative.labels)
            )
            for alternative, agreement in zip(items, agreements, strict=True)
        ),
    )


def _carriers(state: StudyState, codes: Codes) -> tuple[tuple[str, float], ...]:
    """The features that carry a clustering, with their shares of variance."""
    data = state.dataset
    if data.n_features == 0 or data.X.shape[1] != len(data.feature_names):
        return ()
    return carriers(data.X, codes, data.feature_names)


@derived()
def _all_kinds(state: StudyState) -> Alternatives:
    """All good clusterings that differ from each other."""
    answer = current_facts(state)
    judgement = judged(state)
    if judgement is None:
        return Alternatives((), reason=why_not(state) or "candidates")
    if not natural(answer):
        return Alternatives((), reason="structure")
    names = list(judgement.names)
    order = np.argsort(-judgement.judgement.score, kind="stable")
    codes = state.storage.labels(
        [str(partition) for partition in candidate_table(state).loc[names, "partition"]]
    )
    pool = {names[i]: (codes[i], judgement.recovery(names[i])) for i in order}
    X, metric = state.objects.points
    return search(X, metric, pool, answer.name, state.judge, list(state.dataset.feature_names))


def search(
    X: Rows,
    metric: Metric,
    pool: dict[str, tuple[Codes, Recovery]],
    first: str,
    judge: Judge,
    feature_names: Sequence[str] = (),
) -> Alternatives:
    """Search the candidates and the views of the data for good clusterings that differ.

    ``pool`` has the candidates with their recovery, the best first. ``first`` is the
    name of the answer.
    """
    if first not in pool:
        return Alternatives((), reason="candidates")
    least = max(SHARE * max(alternative.value for _, alternative in pool.values()), RANDOM)
    codes, recovery = pool[first]
    seeker = _Seeker(X, metric, judge, feature_names)
    evidence = seeker.evidence(codes)
    answer = _alternative(first, codes, DataView("all", metric=str(metric)), evidence, recovery)
    blocks = seeker.in_blocks()
    if len(blocks) > 1:
        blocks.sort(key=_worth, reverse=True)
        return Alternatives(tuple(blocks), first, None, seeker.searched)
    good = {
        name: alternative
        for name, alternative in pool.items()
        if alternative[1].value >= least or name == first
    }
    alternatives = seeker.candidates(good, answer)
    alternatives += seeker.beyond(good, answer, alternatives)
    crossed = crossing(answer, alternatives, seeker)
    distinct = [
        alternative
        for alternative in alternatives
        if not crossing(alternative, alternatives, seeker)
    ]
    # the finest of the separated clusterings is the most informative
    distinct.sort(key=_order)
    distinct = [alternative for alternative in crossed if alternative in distinct] + distinct
    kinds = [] if crossed else [answer]
    for alternative in distinct:
        if _differs(alternative.labels, kinds):
            judged = seeker.judged(alternative)
            if _worth(judged) >= least:
                kinds.append(judged)
    if len(kinds) < 2:
        return Alternatives((answer,), None, None, seeker.searched)
    if crossed:
        answer = kinds[0]
    rest = [alternative for alternative in kinds if alternative is not answer]
    rest.sort(key=_worth, reverse=True)
    name = first if crossed else None
    return Alternatives((answer, *rest), name, None, seeker.searched)


class _Seeker:
    """Search in views of the data for clusterings with separated clusters."""

    def __init__(self, X: Rows, metric: Metric, judge: Judge, feature_names: Sequence[str]) -> None:
        self.X, self.metric, self.judge = X, metric, judge
        self.feature_names = feature_names
        self.searches = isinstance(X, np.ndarray) and metric in FORMS and X.shape[1] > 1
        self.rows = np.arange(X.shape[0])
        if self.searches and len(self.rows) > MAX_SEARCHED:
            self.rows = np.sort(_spread(np.asarray(X, dtype=np.float64), MAX_SEARCHED))
        self.searched = 0

    @cached_property
    def points(self) -> Floats | None:
        """Rows of the searched objects in Euclidean space; None if no views are searched."""
        if not self.searches:
            return None
        return DataView("all", metric=str(self.metric)).points(self.X[self.rows])

    @cached_property
    def placed(self) -> tuple[Floats, NDArray[np.intp]]:
        """Coordinates by all features, and the positions of their objects."""
        return placed(self.X, self.metric, np.random.default_rng(0))

    def evidence(self, codes: Codes) -> float:
        """Evidence that the clusters of a candidate are separated in all features."""
        Z, at = self.placed
        inside = codes[at] >= 0
        codes_inside = canonical_codes(codes[at][inside]).astype(np.int64)
        return valley_evidence(Z[inside], codes_inside, np.random.default_rng(0))

    def candidates(
        self, pool: dict[str, tuple[Codes, Recovery]], answer: Alternative
    ) -> list[Alternative]:
        """Candidates that differ from the answer and whose clusters are separated."""
        separate: list[Alternative] = []
        for name, (codes, recovery) in pool.items():
            if not _differs(codes, [answer, *separate]):
                continue
            evidence = self.evidence(codes)
            if evidence >= needed() + np.log(len(pool)):
                separate.append(_alternative(name, codes, answer.view, evidence, recovery))
        return separate

    def beyond(
        self,
        pool: dict[str, tuple[Codes, Recovery]],
        answer: Alternative,
        alternatives: Sequence[Alternative],
    ) -> list[Alternative]:
        """Clusterings found in views of the data, at most one for each view."""
        if not self.searches:
            return []
        part, metric = self.X[self.rows], str(self.metric)
        here = {name: codes[self.rows] for name, (codes, _) in pool.items()}
        finest = max(here, key=lambda name: int(here[name].max()))
        views, n_searched = feature_groups(part, metric)
        spanning = [answer.name, finest] if answer.n_clusters < MIN_SPANNING else [answer.name]
        for name in dict.fromkeys(spanning):
            views += components(part, metric, name, here[name])
        if metric == "euclidean" and part.min() >= 0:
            views.append(DataView("directions", (), (), "cosine"))
        projected = {answer.name} | {alternative.name for alternative in alternatives}
        for k in (2, 3):
            projected |= set([name for name, codes in here.items() if codes.max() + 1 == k][:1])
        for name in sorted(projected, key=list(here).index):
            rest = residual(part, metric, {name: here[name]})
            views += [] if rest is None else [rest]
        self.searched = max(n_searched, len(views))
        in_views = [
            alternative for view in views if (alternative := self.look_at(view)) is not None
        ]
        for kinds in _rounds(answer, alternatives, in_views):
            self.searched += 1
            rest = residual(part, metric, {o.name: o.labels[self.rows] for o in kinds})
            if (alternative := self.look_at(rest)) is not None:
                in_views.append(alternative)
        return in_views

    def in_blocks(self) -> list[Alternative]:
        """Clusterings of the groups of features that are independent and have structure."""
        if not self.searches or len(self.rows) < FEWEST_OBJECTS:
            return []
        views = independent_blocks(self.X[self.rows], str(self.metric))
        self.searched = len(views)
        clear = [(view, structure) for view in views if (structure := self._structure(view))]
        if len(clear) < 2:
            return []
        return [self._swept(view, evidence) for view, evidence in clear]

    def _structure(self, view: DataView) -> float:
        """Evidence of structure in a view; 0 where there is too little for so many views."""
        P = view.points(self.X[self.rows])
        structure = structure_of(P, "euclidean", np.random.default_rng(0))
        least = needed(structure.linearity) + float(np.log(max(self.searched, 1)))
        enough = structure.decision == "yes" and structure.evidence >= least
        return structure.evidence if enough else 0.0

    def _swept(self, view: DataView, evidence: float) -> Alternative:
        """The judge's choice among the clusterings of a view."""
        P = view.points(self.X[self.rows])
        seen = _spread(P, MAX_JUDGED)
        codes = _partitions(P[seen])
        said = gather(P[seen], codes)
        judgement = by_expected_agreement(self.judge, self.judge(said), said)
        first = int(np.argmax(judgement.score))
        everything = view.points(self.X)
        nearest = cKDTree(P[seen]).query(everything)[1]
        labels = canonical_codes(codes[first][nearest])
        name = wording.name_of(int(labels.max()) + 1, view, self.feature_names)
        worth = (judgement.predicted[first], judgement.low[first], judgement.high[first])
        return _alternative(name, labels, view, evidence, Recovery(*map(float, worth)))

    def look_at(self, view: DataView | None) -> Alternative | None:
        """The finest clustering of a view whose clusters are all separated; None without one."""
        if view is None or len(self.rows) < FEWEST_OBJECTS:
            return None
        P = view.points(self.X[self.rows])
        rng = np.random.default_rng(0)
        Z, at = placed(P, "euclidean", rng)
        # views overlap: about the square root of their number are independent
        least = needed() + float(np.log(max(self.searched, 1))) / 2
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
        seen = _spread(P, MAX_JUDGED)
        codes = canonical_codes(alternative.labels[self.rows][seen])
        if codes.max() < 1:
            return alternative
        said = self.judge(gather(P[seen], codes[None]))
        worth = Recovery(float(said.predicted[0]), float(said.low[0]), float(said.high[0]))
        return replace(alternative, recovery=worth)


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
                made = tree.cut(k) if tree else catalogue[key].make(k, 0).fit_predict(P)
                partition = canonical_codes(np.asarray(made, dtype=np.int32))
                if partition.max() > 0:
                    codes.setdefault(partition.tobytes(), partition)
    return np.stack(list(codes.values()))


def _alternative(
    name: str, codes: Codes, view: DataView, evidence: float, recovery: Recovery | None = None
) -> Alternative:
    """An alternative made from its labels."""
    sizes = np.sort(np.bincount(codes[codes >= 0]))[::-1].tolist()
    return Alternative(name, len(sizes), codes, tuple(sizes), recovery, view, float(evidence))


def _order(alternative: Alternative) -> tuple[int, float, bool, float]:
    """Sort key: the finest first; among equally certain ones, those in views of features first."""
    doubt = -min(alternative.evidence, CERTAIN)
    return (
        -alternative.n_clusters,
        doubt,
        alternative.view.kind != "features",
        -alternative.evidence,
    )


def _worth(alternative: Alternative) -> float:
    """The recovery; minus infinity if not judged."""
    return -np.inf if alternative.recovery is None else alternative.recovery.value


def _rounds(
    answer: Alternative, alternatives: Sequence[Alternative], in_views: list[Alternative]
) -> Iterator[list[Alternative]]:
    """Sets of clusterings to project out: each kind found in views, then all kinds together."""
    clear = sorted(in_views, key=lambda alternative: -alternative.evidence)
    yield from ([alternative] for alternative in _different(clear)[:ROUNDS])
    for _ in range(ROUNDS):
        before = len(in_views)
        kinds = _different([answer, *alternatives, *in_views])
        if len(kinds) > 1:
            yield kinds
        if len(in_views) == before:
            break


def _differs(codes: Codes, kinds: Sequence[Alternative]) -> bool:
    """Whether a clustering differs from all of ``kinds``."""
    return all(differ(codes, kind.labels) for kind in kinds)


def _different(alternatives: Sequence[Alternative]) -> list[Alternative]:
    """The first alternative of each kind."""
    kinds: list[Alternative] = []
    for alternative in alternatives:
        if _differs(alternative.labels, kinds):
            kinds.append(alternative)
    return kinds


def crossing(
    crossed: Alternative, alternatives: Sequence[Alternative], seeker: _Seeker
) -> tuple[Alternative, ...]:
    """The two finest divisions that a clustering crosses; empty if there are none.

    The clusters of both divisions determine the cluster, all combinations occur, and the effects
    on the means add up, as for independent divisions. Merging clusters in two ways gives divisions,
    too, but their effects do not add up. A clustering with separated clusters shares most
    information with either division and has a cluster for each combination. One without may be a
    mixture of the two.
    """
    if seeker.points is None:
        return ()
    rows, P = seeker.rows, seeker.points
    codes = crossed.labels[rows]
    apart = crossed.evidence >= needed()
    least, most = (MIN_INFORMATION, crossed.n_clusters) if apart else (ALIKE, np.inf)
    parts = [
        part
        for part in alternatives
        if part is not crossed and shared_information(codes, part.labels[rows]) > least
    ]
    pairs = [
        (a, b)
        for i, a in enumerate(parts)
        for b in parts[:i]
        if a.n_clusters * b.n_clusters <= most
    ]
    pairs.sort(
        key=lambda pair: (-sum(p.n_clusters for p in pair), sorted(map(_order, pair), reverse=True))
    )
    for pair in pairs:
        a, b = (part.labels[rows] for part in pair)
        if is_crossed(codes, a, b, P):
            return pair
    return ()
