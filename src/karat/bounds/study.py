"""The language of a study: what was searched is what choosing its best clustering costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from karat.bounds.classes import Classes, known_classes
from karat.bounds.classifiers import Learner
from karat.bounds.codes import Choice, Integer
from karat.bounds.guarantees import Guarantee, fixed_guarantee
from karat.bounds.languages import Language, Mixed
from karat.bounds.pac_mdl import PacMdlBounds, pac_mdl_bound
from karat.bounds.population import Labelled, Population, features, order_of
from karat.bounds.selection import Chooser
from karat.labelings.labels import NoisePolicy
from karat.labelings.partitions import Labelings, as_labelings
from karat.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

USER = "user"
"""The group of user-supplied clusterings, in :class:`Searched` and in origins."""

BROUGHT = (
    "clusterings that you supplied are covered only if they were made without looking at the labels"
)


@dataclass(frozen=True)
class Searched:
    """Everything that a study tried, whether or not it came to something.

    The bits of a candidate: -log2 of its clusterer's share, -log2 of its setting's share among
    that clusterer's settings, log2 of the number of starts there. The shares of all candidates
    sum to 1, so the best of them may be chosen by its bound.

    Attributes
    ----------
    tried : mapping of str to mapping of hashable to int
        Clusterer → setting (usually the number of clusters k) → number of starts whose
        clusterings became candidates. Starts of which only the best by the clusterer's own
        objective was kept count as one.
    n_user : int
        Clusterings that the user supplied; together they weigh as much as one clusterer.
    clusterer_prior : mapping of str to float, optional
        Weights of the clusterers (and of ``"user"``); even by default.
    setting_prior : mapping of hashable to float, optional
        Weights of the settings; by default 1/(k(k−1)) for whole numbers from 2 on
        (banerjee2004, eq. 3; normalised over the settings tried, so never longer), 1/(k(k+1))
        if 1 is among them, even for settings that are not numbers of clusters.

    Notes
    -----
    All of it must be decided without looking at the bounds. A sweep that was extended because of
    what the bounds said is charged for everything it tried, but its plan then depended on the
    labels, which no charge of this kind covers: :class:`OpenEnded` does.

    Examples
    --------
    >>> from karat.bounds import Searched
    >>> searched = Searched.grid(["kmeans", "average"], k=range(2, 21), starts={"kmeans": 10})
    >>> round(searched.bits(("kmeans", 3)), 2), round(searched.bits(("average", 3)), 2)
    (6.83, 3.51)
    """

    tried: Mapping[str, Mapping[Hashable, int]]
    n_user: int = 0
    clusterer_prior: Mapping[str, float] | None = None
    setting_prior: Mapping[Hashable, float] | None = None
    _clusterers: Choice = field(init=False, repr=False, compare=False)
    _settings: dict[str, Choice] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = [*self.tried, *([USER] if self.n_user else [])]
        if USER in self.tried:
            raise InputError(f"no clusterer may be called {USER!r}; give n_user instead")
        for name, settings in self.tried.items():
            if not settings or any(starts < 1 for starts in settings.values()):
                raise InputError(f"{name} needs at least one setting and one start for each")
        object.__setattr__(self, "_clusterers", _choice(names, self.clusterer_prior, "clusterer"))
        object.__setattr__(
            self,
            "_settings",
            {
                name: _settings(tuple(tried), self.setting_prior)
                for name, tried in self.tried.items()
            },
        )

    @classmethod
    def grid(
        cls,
        clusterers: Iterable[str],
        *,
        k: Iterable[Hashable],
        starts: int | Mapping[str, int] = 1,
        **priors: Any,
    ) -> Searched:
        """Every clusterer with every k; ``starts`` for all of them, or by clusterer (else 1)."""
        settings = list(k)

        def of(name: str) -> int:
            return starts.get(name, 1) if isinstance(starts, Mapping) else starts

        return cls({name: dict.fromkeys(settings, of(name)) for name in clusterers}, **priors)

    @classmethod
    def from_origins(
        cls, origins: Iterable[tuple[str, Hashable] | None], **priors: Any
    ) -> Searched:
        """Count the candidates: each ``(clusterer, setting)``, None for one the user supplied.

        Only right where every clustering that was tried is among them.
        """
        tried: dict[str, Counter[Hashable]] = {}
        n_user = 0
        for origin in origins:
            if origin is None:
                n_user += 1
            else:
                tried.setdefault(origin[0], Counter())[origin[1]] += 1
        return cls(tried, n_user, **priors)

    def bits(self, origin: tuple[str, Hashable] | None, start: int = 0) -> float:
        """Length of naming one candidate.

        Parameters
        ----------
        origin : (clusterer, setting), or None for one that the user supplied
        start : int
            Which of the candidates of this origin, from 0.

        Returns
        -------
        float

        Raises
        ------
        InputError
            If nothing like it was searched, or not so often.
        """
        if origin is None:
            count, what = self.n_user, "the user"
            parts = self._clusterers.bits(USER)
        else:
            name, setting = origin
            count, what = self.tried.get(name, {}).get(setting, 0), f"{name} with {setting!r}"
            parts = self._clusterers.bits(name) + (
                self._settings[name].bits(setting) if count else 0.0
            )
        if start >= count:
            raise InputError(
                f"a candidate is number {start + 1} from {what}, but searched counts {count}; "
                "every clustering that was tried must be counted"
            )
        return parts + math.log2(count)


@dataclass(frozen=True)
class OpenEnded:
    """A search that may continue for as long as you like, and wherever the bounds lead you.

    The share of start j (from 0) of a clusterer with setting k (a whole number from 1) is
    w · 1/(k(k+1)) · 1/((j+1)(j+2)), w the clusterer's weight. They sum to 1 over everything that
    could ever be tried, so it does not matter what was, nor why: unlike :class:`Searched`, the
    guarantee survives a sweep that was extended because of what the bounds said. What must be
    fixed beforehand is the list of clusterers, and the seeds.

    Attributes
    ----------
    clusterers : sequence of str
        All that might be tried.
    clusterer_prior : mapping of str to float, optional
        Their weights; even by default.

    Examples
    --------
    >>> from karat.bounds import OpenEnded
    >>> round(OpenEnded(["kmeans", "average"]).bits(("kmeans", 3)), 2)
    5.58
    """

    clusterers: Sequence[str]
    clusterer_prior: Mapping[str, float] | None = None
    n_user: int = field(default=0, init=False, repr=False)

    def bits(self, origin: tuple[str, Hashable] | None, start: int = 0) -> float:
        """Length of naming one candidate, as :meth:`Searched.bits`."""
        if origin is None:
            raise InputError(
                "an open-ended search cannot cover clusterings that the user supplied; use Searched"
            )
        name, setting = origin
        if name not in self.clusterers:
            raise unknown_name(name, self.clusterers, "clusterer of this search")
        if not _is_whole(setting) or setting < 1:
            raise InputError(
                f"an open-ended search has whole numbers from 1 as settings; got {setting!r} for "
                f"{name}. Use Searched"
            )
        weight = _choice(list(self.clusterers), self.clusterer_prior, "clusterer").bits(name)
        return weight + Integer(1).bits(setting) + Integer(0).bits(start)


@dataclass(frozen=True)
class _StudyLanguage(Language):
    """The choice bits of each candidate, in order."""

    lengths: tuple[float, ...]

    @property
    def name(self) -> str:
        return "Study"

    def choice_bits(self, names: tuple[str, ...], n_clusters: Any) -> NDArray[np.float64]:
        return np.array(self.lengths)


def study_bounds(
    labelings: Any,
    y_partial: Any,
    *,
    delta: float = 0.1,
    searched: Searched | OpenEnded | None = None,
    origins: Iterable[tuple[str, Hashable] | None],
    prior: Any = None,
    classes: Classes = None,
    noise: NoisePolicy = "error",
    random_state: Any = 0,
) -> PacMdlBounds:
    """Bounds of all candidates of a study, with the choice among them paid for.

    Parameters
    ----------
    labelings : (M, n) array-like, mapping, DataFrame or Labelings
        The candidates.
    y_partial : array-like, shape (n,)
        Known classes; None, NaN or ``-1`` elsewhere.
    delta : float
        Allowed chance that the guarantee fails.
    searched : Searched or OpenEnded, optional
        What was tried, or might be. By default the candidates themselves are counted.
    origins : iterable of (clusterer, setting) or None, length M
        Where each candidate comes from; None for one that the user supplied. Starts of the same
        origin are taken in order.
    prior : array-like of float, shape (M,), optional
        Shares of the candidates, decided without the labels; they sum to 1 at most, and replace
        what the origins cost.
    classes, noise, random_state
        As for :func:`karat.pac_mdl_bound`.

    Returns
    -------
    PacMdlBounds
        ``.best`` is the candidate to use, ``.table`` has one row for each.

    Raises
    ------
    InputError
        As for :func:`karat.pac_mdl_bound`; or if a candidate's origin was not searched, or there
        are more candidates of one origin than its number of starts.

    Notes
    -----
    Equal partitions from different origins or starts share their words: if seven of ten starts
    end in the same partition, it costs log2(10/7) bits instead of log2(10).
    """
    batch = as_labelings(labelings, noise=noise)
    language, n_user = _language(batch, searched, origins, prior)
    found = pac_mdl_bound(
        batch,
        y_partial,
        delta,
        language,
        classes=classes,
        noise=noise,
        random_state=random_state,
    )
    assert isinstance(found, PacMdlBounds)
    return replace(found, warnings=(*found.warnings, BROUGHT)) if n_user else found


def study_guarantee(
    labelings: Any,
    y_partial: Any,
    *,
    delta: float = 0.1,
    searched: Searched | OpenEnded | None = None,
    origins: Iterable[tuple[str, Hashable] | None],
    prior: Any = None,
    classes: Classes = None,
    random_state: Any = 0,
    chooser: Chooser | None = None,
    X: Any = None,
) -> Guarantee:
    """The tightest guarantee about the candidates of a study (:func:`karat.guarantee`).

    Parameters
    ----------
    labelings, y_partial, delta, searched, origins, prior, classes, random_state
        As for :func:`study_bounds`; but a ``prior`` does not replace what the origins cost: a
        candidate's share is the geometric mean of the two, made to sum to 1. Outliers are a
        cluster, unless the labelings are :class:`karat.labelings.Labelings`.
    chooser : callable, optional
        ``chooser(labelled, classes)``, from positions of objects and their classes as numbers to
        the position of the candidate that half of the labels choose.
    X : array-like or sparse matrix, shape (n, d), optional
        Features, as for :func:`karat.guarantee`.

    Returns
    -------
    Guarantee

    Raises
    ------
    InputError
        As for :func:`study_bounds`.

    Notes
    -----
    A study looks for structure, so the half that chooses its clustering does so by PAC-MDL bounds
    or by ``chooser``, not by what predicts the classes best; the classes that are guaranteed are
    predicted from all candidates, as by :func:`karat.guarantee`.
    """
    batch = as_labelings(labelings, noise="cluster")
    sources = list(origins)
    language, n_user = _language(batch, searched, sources, None)
    if prior is not None:
        judged = np.array(_lengths(prior, len(batch)))
        both = (language.choice_bits(batch.names, batch.n_clusters) + judged) / 2
        both += math.log2(np.exp2(-both).sum()) + 1e-9
        language = Mixed(_StudyLanguage(tuple(both.tolist())))
    truth = known_classes(y_partial, batch.n_objects, classes)
    drawn = order_of(None, truth.known, random_state)
    X = features(X, batch.n_objects)
    learner = Learner(batch, np.zeros(len(batch)), X, language, chooser)
    every = np.arange(batch.n_objects)
    labelled = Labelled(
        Population(learner, language, every, every[:0]), learner, truth, truth.names
    )
    found = fixed_guarantee(labelled, delta, drawn, random_state)
    return replace(found, warnings=(*found.warnings, BROUGHT)) if n_user else found


def _language(
    batch: Labelings,
    searched: Searched | OpenEnded | None,
    origins: Iterable[tuple[str, Hashable] | None],
    prior: Any,
) -> tuple[Language, int]:
    """What naming each candidate costs, and how many of them the user supplied."""
    sources = list(origins)
    if len(sources) != len(batch):
        raise InputError(f"there are {len(batch)} candidates, but {len(sources)} origins")
    plan = Searched.from_origins(sources) if searched is None else searched
    seen: Counter[Any] = Counter()
    lengths = []
    for origin in sources:
        lengths.append(plan.bits(origin, seen[origin]))
        seen[origin] += 1
    if prior is not None:
        lengths = _lengths(prior, len(batch))
    return Mixed(_StudyLanguage(tuple(lengths))), plan.n_user


def _lengths(prior: Any, n_candidates: int) -> list[float]:
    shares = np.asarray(prior, dtype=np.float64)
    if shares.shape != (n_candidates,) or not (shares > 0).all() or shares.sum() > 1 + 1e-9:
        raise InputError(
            f"prior must be {n_candidates} positive shares that sum to at most 1; got shape "
            f"{shares.shape} with sum {shares.sum():.4g}"
        )
    lengths: list[float] = (-np.log2(shares)).tolist()
    return lengths


def bound_candidates(
    labelings: Any,
    y_partial: Any,
    *,
    delta: float = 0.1,
    searched: Searched | OpenEnded | None = None,
    origins: Iterable[tuple[str, Hashable] | None],
    **options: Any,
) -> pd.DataFrame:
    """The table of :func:`study_bounds`, with the origin of each candidate.

    Parameters
    ----------
    labelings, y_partial, delta, searched, origins, **options
        As for :func:`study_bounds`.

    Returns
    -------
    DataFrame
        One row per candidate: ``clusterer``, ``setting`` and the columns of
        :attr:`PacMdlBounds.table`. What else there is to say of them, and which is the best,
        :func:`study_bounds` tells.

    Examples
    --------
    >>> from karat.bounds import Searched, bound_candidates
    >>> labelings = {"kmeans-2": [0, 0, 0, 1, 1, 1], "kmeans-3": [0, 0, 1, 1, 2, 2]}
    >>> table = bound_candidates(
    ...     labelings, ["x", None, "x", None, "y", None],
    ...     searched=Searched.grid(["kmeans"], k=[2, 3]), origins=[("kmeans", 2), ("kmeans", 3)],
    ... )
    >>> table[["setting", "errors", "bound"]]
              setting  errors  bound
    kmeans-2        2       0      3
    kmeans-3        3       0      3
    """
    sources = list(origins)
    found = study_bounds(
        labelings, y_partial, delta=delta, searched=searched, origins=sources, **options
    )
    table = found.table.copy()
    table.insert(0, "clusterer", [USER if origin is None else origin[0] for origin in sources])
    table.insert(1, "setting", [None if origin is None else origin[1] for origin in sources])
    return table


def _choice(names: list[str], prior: Mapping[str, float] | None, what: str) -> Choice:
    if prior is None:
        return Choice(names)
    missing = [name for name in names if name not in prior]
    if missing:
        raise InputError(f"the {what}_prior gives no weight to {missing[0]!r}")
    return Choice(dict(prior))


def _settings(settings: tuple[Hashable, ...], prior: Mapping[Hashable, float] | None) -> Choice:
    if prior is not None:
        missing = [setting for setting in settings if setting not in prior]
        if missing:
            raise InputError(f"the setting_prior gives no weight to {missing[0]!r}")
        return Choice(dict(prior))
    whole = [setting for setting in settings if _is_whole(setting)]
    if len(whole) < len(settings) or min(whole) < 1:
        return Choice(settings)
    code = Integer(1 if 1 in whole else 2)
    return Choice({k: code.probability(k) for k in whole})


def _is_whole(setting: Any) -> TypeGuard[int]:
    return isinstance(setting, (int, np.integer)) and not isinstance(setting, bool)
