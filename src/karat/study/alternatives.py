"""Really different clusterings of one data set that are each good, and what each is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import FORMS
from karat.judge import FEWEST_OBJECTS, gather
from karat.judge.evidence import canonical_order
from karat.labelings.partitions import canonical_codes
from karat.meaning.carriers import carriers
from karat.nulls.coordinates import placed
from karat.nulls.structure import needed
from karat.nulls.valleys import separated, valley_evidence
from karat.runtime.validation import InputError
from karat.study import deciding, judging
from karat.study.answer import GRADES, Expected, plain
from karat.study.notes import derived
from karat.study.views import (
    ALIKE,
    View,
    components,
    differ,
    diverse,
    feature_groups,
    is_crossed,
    residual,
    told_by,
)
from karat.study.wording import divisions as wording
from karat.study.wording.phrases import natural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.judge import Judge
    from karat.study.study import Study

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]

#: share of the best expected agreement that an alternative must have
SHARE = 0.5
#: objects that are searched and judged; of more, a systematic sample by distance from the mean
SEARCHED, JUDGED = 1_000, 500
#: what a clustering that is set apart tells at least of those that it crosses
TOLD = 0.8
#: clusters of the answer below which the finest candidate spans more
FEW = 4
#: evidence from which on more says nothing
CERTAIN = 20.0
#: clusterings that are projected out before the search ends
ROUNDS = 3


@dataclass(frozen=True)
class Alternative:
    """One way to divide the objects.

    Attributes
    ----------
    name, n_clusters : str, int
        A candidate of the study, or what was found beyond the sweep.
    labels : ndarray of int32, shape (n,)
        ``-1`` for outliers.
    sizes : tuple of int
        The largest first.
    expected, view : Expected, View
        The judge's expected agreement, and the view that it was found and judged on.
    evidence : float
        -log p of the shallowest valley that sets its clusters apart.
    carried_by : tuple of (str, float)
        The features that carry it, with the share of their variance that lies between its
        clusters, corrected for chance.
    agreement : float
        The most that it tells of one of the others, or they of it.
    """

    name: str
    n_clusters: int
    labels: Codes = field(repr=False, compare=False)
    sizes: tuple[int, ...]
    expected: Expected | None
    view: View
    evidence: float
    carried_by: tuple[tuple[str, float], ...] = ()
    agreement: float = 0.0


@dataclass(frozen=True)
class Alternatives:
    """Really different and good clusterings, the most expected first.

    Attributes
    ----------
    items : tuple of Alternative
        None where the data have no groups, one where there is one way to divide them.
    crossed : str or None
        The answer, where it is not among them because it crosses them.
    reason : str or None
        Why there is none: a key of :data:`karat.study.wording.divisions.REASONS`.
    searched : int
        Views of the data in which others were looked for.
    alike, share : float
        The most that one may tell of another, the least part of the best expected agreement.
    """

    items: tuple[Alternative, ...]
    crossed: str | None = None
    reason: str | None = None
    searched: int = 0
    alike: float = ALIKE
    share: float = SHARE

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Alternative]:
        return iter(self.items)

    def __getitem__(self, i: int) -> Alternative:
        return self.items[i]

    def to_dict(self) -> dict[str, Any]:
        """For JSON, without the labels, with the sentences."""
        facts = {one.name: plain(getattr(self, one.name)) for one in fields(self)}
        return facts | {"sentences": wording.sentences(self)}

    def __str__(self) -> str:
        import pandas as pd

        lines = wording.sentences(self)
        if len(self) > 1:
            rows = pd.DataFrame(wording.rows(self), columns=list(wording.HEADS))
            lines.append(rows.to_string(index=False))
        return "\n".join(lines)


def alternatives(study: Study, n: int = 3) -> Alternatives:
    """Really different clusterings that are each good: other honest ways to divide the objects.

    Parameters
    ----------
    n : int, default 3
        How many at most, the answer among them.

    Returns
    -------
    Alternatives
        It prints as a table; each has its labels, the view that it was found on, and the features
        that carry it.

    Raises
    ------
    InputError
        If nothing was tried, or n is less than 1.

    Notes
    -----
    *Good*: the judge expects at least half of the best expected agreement, and valleys set all
    clusters apart on objects that did not form them, after correction for the views that were
    looked at. *Different*: neither tells more than 0.2 of the other (mutual information corrected
    for chance, over the smaller entropy, so that a finer or coarser version is no alternative),
    and their clusters occur in more than three quarters of all combinations. Of more than n kinds
    the most different are kept, one after the other (Caruana et al. 2006).

    Beside the candidates of the study, k-means divides groups of dependent features, what is left
    without the space between the clusters of a known clustering (Cui, Fern & Dy 2007), independent
    components of that space (Ye et al. 2016), and directions from the origin.

    Examples
    --------
    >>> import numpy as np
    >>> import karat
    >>> rng = np.random.default_rng(0)
    >>> shape, colour = rng.integers(2, size=(2, 200))
    >>> X = np.column_stack([6 * shape, 5 * colour]) + rng.normal(size=(200, 2))
    >>> study = karat.Study(X)
    >>> study.sweep(["kmeans", "ward"], k=[2, 3, 4], n_init=1, workers=1, progress=False)
    >>> [[name for name, _ in one.carried_by] for one in study.alternatives()]
    [['x1'], ['x2']]
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise InputError(f"n must be a whole number of at least 1; got {n!r}")
    found = _found(study)
    chosen = diverse([one.labels for one in found.items], int(n))
    items = [found.items[i] for i in chosen]
    told = [
        max((told_by(one.labels, o.labels) for o in items if o is not one), default=0.0)
        for one in items
    ]
    return replace(
        found,
        items=tuple(
            replace(one, agreement=agreement, carried_by=_carriers(study, one.labels))
            for one, agreement in zip(items, told, strict=True)
        ),
    )


def _carriers(study: Study, codes: Codes) -> tuple[tuple[str, float], ...]:
    data = study.dataset
    if data.n_features == 0 or data.X.shape[1] != len(data.feature_names):
        return ()
    return carriers(data.X, codes, data.feature_names)


@derived()
def _found(study: Study) -> Alternatives:
    """All kinds of clusterings that are good."""
    answer = deciding.answer(study)
    judged = study.judged()
    if judged is None:
        return Alternatives((), reason=judging.why_not(study) or "candidates")
    if not natural(answer):
        return Alternatives((), reason="structure")
    names = list(judged.names)
    order = np.argsort(-judged.judgement.score, kind="stable")
    codes = study.storage.labels([str(one) for one in study.candidates.loc[names, "partition"]])
    pool = {names[i]: (codes[i], judged.expected(names[i])) for i in order}
    X, metric = study.objects.points
    return search(X, metric, pool, answer.name, study.judge, list(study.dataset.feature_names))


def search(
    X: Any,
    metric: Any,
    pool: dict[str, tuple[Codes, Expected]],
    first: str,
    judge: Judge,
    feature_names: Sequence[str] = (),
) -> Alternatives:
    """All kinds of good clusterings among candidates, the best first, and beyond them.

    ``pool`` are candidates, the best first, with their expected agreement; ``first`` is the answer.
    """
    if first not in pool:
        return Alternatives((), reason="candidates")
    least = max(SHARE * max(one.value for _, one in pool.values()), GRADES["weak"])
    codes, expected = pool[first]
    seeker = _Seeker(X, metric, judge, feature_names)
    evidence = seeker.evidence(codes)
    answer = _alternative(first, codes, View("all", metric=str(metric)), evidence, expected)
    good = {name: one for name, one in pool.items() if one[1].value >= least or name == first}
    found = seeker.candidates(good, answer)
    found += seeker.beyond(good, answer, found)
    crossed = crossing(answer, found, seeker)
    others = [one for one in found if not crossing(one, found, seeker)]
    # what is set apart everywhere says most where it is finest
    others.sort(key=_order)
    others = [one for one in crossed if one in others] + others
    kinds = [] if crossed else [answer]
    for one in others:
        if _differs(one.labels, kinds):
            judged = seeker.judged(one)
            if _worth(judged) >= least:
                kinds.append(judged)
    if len(kinds) < 2:
        return Alternatives((answer,), None, None, seeker.searched)
    if crossed:
        answer = kinds[0]
    rest = [one for one in kinds if one is not answer]
    rest.sort(key=_worth, reverse=True)
    name = first if crossed else None
    return Alternatives((answer, *rest), name, None, seeker.searched)


class _Seeker:
    """Looks at views of the data for clusterings whose clusters are set apart there."""

    def __init__(self, X: Any, metric: Any, judge: Judge, feature_names: Sequence[str]) -> None:
        self.X, self.metric, self.judge = X, metric, judge
        self.feature_names = feature_names
        self.searches = isinstance(X, np.ndarray) and metric in FORMS and X.shape[1] > 1
        self.rows = np.arange(X.shape[0])
        if self.searches and len(self.rows) > SEARCHED:
            order = canonical_order(np.asarray(X, dtype=np.float64))
            self.rows = np.sort(order[np.linspace(0, len(order) - 1, SEARCHED).astype(np.intp)])
        self.searched = 0

    @cached_property
    def points(self) -> Floats | None:
        """Rows in Euclidean space, of the objects that are searched."""
        part = self.X[self.rows]
        return View("all", metric=self.metric).points(part) if self.searches else None

    @cached_property
    def placed(self) -> tuple[Floats, NDArray[np.intp]]:
        """Coordinates by all features, and of which objects."""
        return placed(self.X, self.metric, np.random.default_rng(0))

    def evidence(self, codes: Codes) -> float:
        """What sets the clusters of a candidate apart by all features."""
        Z, at = self.placed
        inside = codes[at] >= 0
        own = canonical_codes(codes[at][inside]).astype(np.int64)
        return valley_evidence(Z[inside], own, np.random.default_rng(0))

    def candidates(
        self, pool: dict[str, tuple[Codes, Expected]], answer: Alternative
    ) -> list[Alternative]:
        """Candidates that differ from the answer and whose clusters are set apart."""
        found: list[Alternative] = []
        for name, (codes, expected) in pool.items():
            if not _differs(codes, [answer, *found]):
                continue
            evidence = self.evidence(codes)
            if evidence >= needed(len(self.rows)) + np.log(len(pool)):
                found.append(_alternative(name, codes, answer.view, evidence, expected))
        return found

    def beyond(
        self,
        pool: dict[str, tuple[Codes, Expected]],
        answer: Alternative,
        known: Sequence[Alternative],
    ) -> list[Alternative]:
        """What is found in views of the data, one clustering for each."""
        if not self.searches:
            return []
        part, metric = self.X[self.rows], self.metric
        here = {name: codes[self.rows] for name, (codes, _) in pool.items()}
        finest = max(here, key=lambda name: int(here[name].max()))
        views, tried = feature_groups(part, metric)
        spanning = [answer.name, finest] if answer.n_clusters < FEW else [answer.name]
        for name in dict.fromkeys(spanning):
            views += components(part, metric, name, here[name])
        if metric == "euclidean" and part.min() >= 0:
            views.append(View("directions", (), (), "cosine"))
        projected = {answer.name} | {one.name for one in known}
        for k in (2, 3):
            projected |= set([name for name, codes in here.items() if codes.max() + 1 == k][:1])
        for name in sorted(projected, key=list(here).index):
            rest = residual(part, metric, {name: here[name]})
            views += [] if rest is None else [rest]
        self.searched = max(tried, len(views))
        found = [one for view in views if (one := self.look_at(view)) is not None]
        for kinds in _rounds(answer, known, found):
            self.searched += 1
            rest = residual(part, metric, {o.name: o.labels[self.rows] for o in kinds})
            if (one := self.look_at(rest)) is not None:
                found.append(one)
        return found

    def look_at(self, view: View | None) -> Alternative | None:
        """The finest clustering of a view whose clusters are all set apart; None without one."""
        if view is None or len(self.rows) < FEWEST_OBJECTS:
            return None
        P = view.points(self.X[self.rows])
        rng = np.random.default_rng(0)
        Z, at = placed(P, "euclidean", rng)
        # views overlap: as many as the root of their number are independent
        least = needed(len(Z)) + float(np.log(max(self.searched, 1))) / 2
        divided = separated(Z, rng, least)
        if divided is None:
            return None
        labels, evidence = divided
        centres = np.stack([P[at][labels == c].mean(axis=0) for c in np.unique(labels)])
        half = np.square(centres).sum(axis=1) / 2
        codes = canonical_codes((view.points(self.X) @ centres.T - half).argmax(axis=1))
        name = wording.name_of(int(codes.max()) + 1, view, self.feature_names)
        return _alternative(name, codes, view, evidence)

    def judged(self, one: Alternative) -> Alternative:
        """With its expected agreement on the view that it lives in."""
        if one.expected is not None:
            return one
        P = one.view.points(self.X[self.rows])
        order = canonical_order(P)
        seen = order[np.linspace(0, len(P) - 1, min(JUDGED, len(P))).astype(np.intp)]
        codes = canonical_codes(one.labels[self.rows][seen])
        if codes.max() < 1:
            return one
        said = self.judge(gather(P[seen], codes[None]))
        worth = Expected(float(said.predicted[0]), float(said.low[0]), float(said.high[0]))
        return replace(one, expected=worth)


def _alternative(
    name: str, codes: Codes, view: View, evidence: float, expected: Expected | None = None
) -> Alternative:
    sizes = np.sort(np.bincount(codes[codes >= 0]))[::-1].tolist()
    return Alternative(name, len(sizes), codes, tuple(sizes), expected, view, float(evidence))


def _order(one: Alternative) -> tuple[int, float, bool, float]:
    """The finest first; of what is beyond doubt, what features show."""
    doubt = -min(one.evidence, CERTAIN)
    return -one.n_clusters, doubt, one.view.kind != "features", -one.evidence


def _worth(one: Alternative) -> float:
    return -np.inf if one.expected is None else one.expected.value


def _rounds(
    answer: Alternative, known: Sequence[Alternative], found: list[Alternative]
) -> Iterator[list[Alternative]]:
    """What is projected out after the first views: each kind that they showed, then all kinds."""
    clear = sorted(found, key=lambda one: -one.evidence)
    yield from ([one] for one in _different(clear)[:ROUNDS])
    for _ in range(ROUNDS):
        before = len(found)
        kinds = _different([answer, *known, *found])
        if len(kinds) > 1:
            yield kinds
        if len(found) == before:
            break


def _differs(codes: Codes, kinds: Sequence[Alternative]) -> bool:
    return all(differ(codes, one.labels) for one in kinds)


def _different(found: Sequence[Alternative]) -> list[Alternative]:
    """The first of each kind."""
    kinds: list[Alternative] = []
    for one in found:
        if _differs(one.labels, kinds):
            kinds.append(one)
    return kinds


def crossing(
    one: Alternative, found: Sequence[Alternative], seeker: _Seeker
) -> tuple[Alternative, ...]:
    """The two divisions that a clustering is made of by crossing them, the finest; none if not so.

    Knowing the clusters of both tells that of the clustering, all combinations occur, and their
    effects on the means add up, as those of independent divisions do. Merging clusters in two ways
    gives other clusterings, too, whose effects do not. What is set apart tells most of either and
    has a cluster for each combination; an answer that is not may be a mixture of the two.
    """
    if seeker.points is None:
        return ()
    rows, P = seeker.rows, seeker.points
    own = one.labels[rows]
    apart = one.evidence >= needed(len(rows))
    least, most = (TOLD, one.n_clusters) if apart else (ALIKE, np.inf)
    parts = [o for o in found if o is not one and told_by(own, o.labels[rows]) > least]
    pairs = [
        (a, b)
        for i, a in enumerate(parts)
        for b in parts[:i]
        if a.n_clusters * b.n_clusters <= most
    ]
    pairs.sort(
        key=lambda two: (-sum(o.n_clusters for o in two), sorted(map(_order, two), reverse=True))
    )
    for two in pairs:
        a, b = (o.labels[rows] for o in two)
        if is_crossed(own, a, b, P):
            return two
    return ()
