"""Bounds for the best clustering of a search: what was searched sets the price of the choice."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds.classes import Classes, known_classes
from sortal.bounds.classifiers import Learner
from sortal.bounds.guarantees import Guarantee, Sequence, fixed_guarantee
from sortal.bounds.languages import Language, Lengths, Mixed
from sortal.bounds.pac_mdl import PacMdlBounds, bounds_of
from sortal.bounds.population import Population, features, prior_of
from sortal.bounds.sampling import doubted_draw
from sortal.bounds.selection import Chooser
from sortal.bounds.skipped import NONE_SKIPPED, Skipped
from sortal.bounds.tails import check_delta
from sortal.labelings.labels import NoisePolicy
from sortal.labelings.partitions import Labelings, as_labelings
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    from sortal.bounds.classes import Clusterings
    from sortal.typing import ArrayLike, Labels, RandomState

USER = "user"
"""Reserved name of the user-supplied clusterings; no clusterer may have it."""

BROUGHT = (
    "clusterings that you supplied are covered only if they were made without looking at the labels"
)


@dataclass(frozen=True)
class Searched:
    """All clusterers, settings and starts that a study tried, successful or not.

    The bits of a candidate: -log2 of its clusterer's share, -log2 of its setting's share among
    that clusterer's settings, log2 of the number of starts there. The shares of all candidates
    sum to 1, so the best of them may be chosen by its bound.

    Attributes
    ----------
    tried : mapping of str to mapping of hashable to int
        Clusterer → setting (usually the number of clusters k) → number of starts whose clusterings
        became candidates. Starts count as one if only the best by the clusterer's objective was
        kept.
    n_user : int
        Clusterings that the user supplied; together they weigh as much as one clusterer.

    Notes
    -----
    Clusterers have even shares. So have settings, but whole numbers k from 2 on have 1/(k(k−1))
    (banerjee2004, eq. 3; normalised over the settings tried, so never longer), 1/(k(k+1)) if 1 is
    among them. The search must be decided without looking at the bounds: a sweep extended because
    of them depends on the labels, which no charge covers.

    Examples
    --------
    >>> from sortal.bounds import Searched
    >>> starts = {"kmeans": 10, "average": 1}
    >>> searched = Searched({name: dict.fromkeys(range(2, 21), n) for name, n in starts.items()})
    >>> round(searched.bits(("kmeans", 3)), 2), round(searched.bits(("average", 3)), 2)
    (6.83, 3.51)
    """

    tried: Mapping[str, Mapping[Hashable, int]]
    n_user: int = 0

    def __post_init__(self) -> None:
        if USER in self.tried:
            raise InputError(f"no clusterer may be called {USER!r}; give n_user instead")
        if not self.tried and not self.n_user:
            raise InputError("a search needs at least one clusterer or user-supplied clustering")
        for name, settings in self.tried.items():
            if not settings or any(starts < 1 for starts in settings.values()):
                raise InputError(f"{name} needs at least one setting and one start for each")

    @classmethod
    def from_origins(cls, origins: Iterable[tuple[str, Hashable] | None]) -> Searched:
        """Count candidates by their origin ``(clusterer, setting)``, None for a user-supplied one.

        This is right only if every clustering that was tried is among them.
        """
        starts: dict[str, Counter[Hashable]] = {}
        n_user = 0
        for origin in origins:
            if origin is None:
                n_user += 1
            else:
                starts.setdefault(origin[0], Counter())[origin[1]] += 1
        return cls(starts, n_user)

    def bits(self, origin: tuple[str, Hashable] | None, start: int = 0) -> float:
        """Bits that name one candidate."""
        bits = math.log2(len(self.tried) + (self.n_user > 0))
        if origin is None:
            count, source = self.n_user, "the user"
        else:
            name, setting = origin
            settings = self.tried.get(name, {})
            count, source = settings.get(setting, 0), f"{name} with {setting!r}"
            bits += _setting_bits(settings, setting) if count else 0.0
        if start >= count:
            raise InputError(
                f"a candidate is number {start + 1} from {source}, but searched counts {count}; "
                "every clustering that was tried must be counted"
            )
        return bits + math.log2(count)


def _setting_bits(settings: Iterable[Hashable], setting: Any) -> float:
    """Bits that name one of the settings tried with a clusterer."""
    values: list[Any] = list(settings)
    integers = (int, np.integer)
    if not all(isinstance(k, integers) and not isinstance(k, bool) and k >= 1 for k in values):
        return math.log2(len(values))
    above = 1 if 1 in values else -1
    total = sum(1 / (k * (k + above)) for k in values)
    return max(0.0, math.log2(total * setting * (setting + above)))


def study_bounds(
    labelings: Clusterings,
    y: Labels,
    *,
    delta: float = 0.1,
    searched: Searched | None = None,
    origins: Iterable[tuple[str, Hashable] | None],
    classes: Classes = None,
    noise: NoisePolicy = "error",
    random_state: RandomState = 0,
    anytime: bool = False,
    skipped: int = 0,
) -> PacMdlBounds:
    """Bounds of all candidates of a study, valid for the best of them.

    Parameters
    ----------
    labelings : (M, n) array-like, mapping, DataFrame or Labelings
        Candidates.
    y : array-like, shape (n,)
        Known classes; None, NaN or ``-1`` elsewhere.
    delta : float
        Allowed chance that the guarantee fails.
    searched : Searched, optional
        Search that was done. By default the candidates themselves are counted.
    origins : iterable of (clusterer, setting) or None, length M
        Origin of each candidate, None for a user-supplied one. Starts of the same origin are taken
        in order.
    classes, noise, random_state
        As for :func:`sortal.pac_mdl_bound`.
    anytime : bool, default False
        Whether the bounds hold at every number of labels at once. The list of classes then costs
        what it costs without a bound on their sizes, which holds at one number of labels only.
    skipped : int, default 0
        Number of drawn objects without a label, which count as errors.

    Returns
    -------
    PacMdlBounds
        ``.best`` is the candidate to use, ``.table`` has one row for each.

    Raises
    ------
    InputError
        As for :func:`sortal.pac_mdl_bound`; or if a candidate's origin was not searched, or there
        are more candidates of one origin than its number of starts.

    Notes
    -----
    Equal partitions from different origins or starts share their words. If seven of ten starts end
    in one partition, it costs log2(10/7) bits, not log2(10).
    """
    batch = as_labelings(labelings, noise=noise)
    language, n_user = _language(batch, searched, origins)
    check_delta(delta)
    truth = known_classes(y, batch.n_objects, classes)
    blank = Skipped(np.array([skipped])) if skipped else NONE_SKIPPED
    bounds = bounds_of(batch, truth, delta, language, random_state, once=not anytime, skipped=blank)
    if anytime:
        bounds = bounds.at_every_number(blank)
    bounds = bounds.after(doubted_draw(batch.codes, truth.labelled))
    return replace(bounds, warnings=(*bounds.warnings, BROUGHT)) if n_user else bounds


def study_guarantee(
    labelings: Clusterings,
    y: Labels,
    *,
    delta: float = 0.1,
    searched: Searched | None = None,
    origins: Iterable[tuple[str, Hashable] | None],
    prior: npt.ArrayLike | None = None,
    classes: Classes = None,
    random_state: RandomState = 0,
    chooser: Chooser | None = None,
    X: ArrayLike | None = None,
    anytime: bool = False,
    order: npt.ArrayLike | None = None,
    skipped: npt.ArrayLike | None = None,
) -> Guarantee:
    """The tightest guarantee about the candidates of a study (:func:`sortal.guarantee`).

    Parameters
    ----------
    labelings, y, delta, searched, origins, classes, random_state
        As for :func:`study_bounds`. Outliers are a cluster, unless the labelings are
        :class:`sortal.labelings.Labelings`.
    prior : array-like of float, shape (M,), optional
        Shares of the candidates, decided without the labels; they sum to 1 at most. A candidate's
        share is the geometric mean of this one and what its origin costs, made to sum to 1.
    chooser : callable, optional
        ``chooser(labelled, classes)``, from positions of objects and their classes as numbers to
        the position of the candidate that half of the labels choose.
    X : array-like or sparse matrix, shape (n, d), optional
        Features, as for :func:`sortal.guarantee`.
    anytime, order, skipped
        As for :func:`sortal.guarantee`, without a target.

    Raises
    ------
    InputError
        As for :func:`study_bounds`.

    Notes
    -----
    A study looks for structure. So one half chooses its clustering by PAC-MDL bounds or by
    ``chooser``, not by the best prediction of the classes. The guaranteed classes are predicted
    from all candidates, as by :func:`sortal.guarantee`.
    """
    batch = as_labelings(labelings, noise="cluster")
    language, n_user = _language(batch, searched, origins)
    if prior is not None:
        prior_bits = prior_of(prior, batch).choice_bits(batch.names, batch.n_clusters)
        bits = (language.choice_bits(batch.names, batch.n_clusters) + prior_bits) / 2
        bits += math.log2(np.exp2(-bits).sum()) + 1e-9
        language = Mixed(Lengths(tuple(bits.tolist()), "Study"))
    X = features(X, batch.n_objects)
    learner = Learner(batch, np.zeros(len(batch)), X, language, chooser)
    objects = np.arange(batch.n_objects)
    population = Population(batch, batch, learner, language, objects, objects[:0])
    labelled, blank = population.read(y, classes), Skipped.of(skipped, order)
    if anytime:
        guarantee = Sequence(delta, None).guarantee(labelled, order, blank, random_state)
    else:
        guarantee = fixed_guarantee(labelled, delta, order, blank, random_state)
    return replace(guarantee, warnings=(*guarantee.warnings, BROUGHT)) if n_user else guarantee


def _language(
    batch: Labelings, searched: Searched | None, origins: Iterable[tuple[str, Hashable] | None]
) -> tuple[Language, int]:
    """Language that prices each candidate by its origin, and the number of user-supplied ones."""
    sources = list(origins)
    if len(sources) != len(batch):
        raise InputError(f"there are {len(batch)} candidates, but {len(sources)} origins")
    plan = Searched.from_origins(sources) if searched is None else searched
    seen: Counter[Any] = Counter()
    lengths = []
    for origin in sources:
        lengths.append(plan.bits(origin, seen[origin]))
        seen[origin] += 1
    return Mixed(Lengths(tuple(lengths), "Study")), plan.n_user
