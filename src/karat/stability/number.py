"""The number of clusters: one answer with probabilities, and the estimators that it is made of."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.distances import check_points
from karat.nulls.coordinates import coordinates
from karat.nulls.references import draw_reference
from karat.nulls.structure import Structure, structure_of
from karat.nulls.valleys import LIMIT, find_valleys
from karat.runtime.validation import InputError, unknown_name
from karat.stability._agreement import fowlkes_mallows
from karat.stability.ambiguity import pac, rcsi
from karat.stability.calibrated import calibrated_stability
from karat.stability.curves import prediction_strength
from karat.stability.engine import Engine, check_draws, check_numbers, prepare, subsample, transfer
from karat.stability.instability import fang_wang, wang
from karat.stability.result import StabilityCurve, Tabled

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

__all__ = [
    "ESTIMATORS",
    "USUAL",
    "Estimator",
    "NumberOfClusters",
    "clest",
    "n_clusters",
    "probabilities",
]

#: ``estimator(X, clusterer, numbers, random_state)`` gives the number of clusters
Estimator: TypeAlias = Callable[[Any, Any, list[int], int], int]


def clest(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: int | Iterable[int] = range(2, 6),
    n_splits: int = 20,
    n_references: int = 20,
    fraction: float = 2 / 3,
    p_max: float = 0.05,
    d_min: float = 0.05,
    random_state: Any = 0,
) -> StabilityCurve:
    """Clest: how well a learning set's clusters predict a test set's, against uniform data.

    Parameters
    ----------
    X : array-like, shape (n, d)
    clusterer : str, Clusterer or estimator
    k : int or iterable of int
        Numbers of clusters from 2 upward; the answer may be 1.
    n_splits : int
        Splits into learning and test set.
    n_references : int
        Uniform data sets (in the box along the principal axes).
    fraction : float
        Share of the objects in the learning set.
    p_max, d_min : float
        A k counts if its median similarity exceeds the mean of the references by at least
        ``d_min``, and at most a share ``p_max`` of the references reach it.
    random_state : None, int or Generator

    Returns
    -------
    StabilityCurve
        ``value`` is the median similarity; ``details["p"]`` the share of references that reach it.
        ``selected`` is the k that counts with the largest difference, otherwise 1.

    Notes
    -----
    Dudoit & Fridlyand 2002. (1 + n_references) · n_splits · 2 fits for each k.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import clest
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in ([0, 0], [2, 0], [0, 2])])
    >>> clest(X, n_splits=5, n_references=5).selected
    3
    """
    import pandas as pd

    check_draws(n_splits, fraction)
    check_draws(n_references)
    engine = prepare(X, clusterer, random_state=random_state)
    most = min(round(fraction * engine.n), engine.n - round(fraction * engine.n))
    numbers = [n for n in check_numbers(k, most) if n > 1]
    if not numbers:
        raise InputError("Clest compares numbers from 2 upward with 1; k has only 1")

    def similarities(data: Any, key: int) -> Any:
        part = replace(engine, X=data, _lists=[])
        return _predicted(part, numbers, fraction, n_splits, key)

    found = similarities(engine.X, 0)
    median = np.median(found, axis=0)
    null = np.empty((n_references, len(numbers)))
    for r in range(n_references):
        drawn = draw_reference(engine.X, "uniform", random_state=engine.generator(2**31, r))
        null[r] = np.median(similarities(drawn, r + 1), axis=0)
    p = (null >= median).mean(axis=0)
    difference = median - null.mean(axis=0)
    spread = null.std(axis=0, ddof=1)
    table = pd.DataFrame(
        {
            "value": median,
            "standard_error": found.std(axis=0, ddof=1) / np.sqrt(n_splits) * np.sqrt(np.pi / 2),
            "null": null.mean(axis=0),
            "null_error": spread,
            "difference": difference,
            "lower": difference - 2 * spread,
            "upper": difference + 2 * spread,
        },
        index=pd.Index(numbers, name="k"),
    )
    counts = (p <= p_max) & (difference >= d_min)
    selected = numbers[int(np.argmax(np.where(counts, difference, -np.inf)))] if any(counts) else 1
    return StabilityCurve(
        "Clest",
        table,
        {number: found[:, i] for i, number in enumerate(numbers)},
        True,
        selected,
        f"the largest difference of at least {d_min:g} with p at most {p_max:g}, otherwise 1",
        engine.n,
        {"p": dict(zip(numbers, p.tolist(), strict=True))},
    )


def _predicted(
    engine: Engine, numbers: list[int], fraction: float, n_splits: int, key: int
) -> NDArray[np.float64]:
    """How alike a test set's clusters are to those that a learning set predicts, (B, K)."""

    def split(b: int) -> list[float]:
        rng = engine.generator(key, b)
        learn = subsample(engine.n, fraction, rng)
        test = np.setdiff1d(np.arange(engine.n), learn)
        learned, own = engine.fit(learn, numbers, rng), engine.fit(test, numbers, rng)
        return [
            fowlkes_mallows(transfer(engine, "centroid", learn, a, test), c)
            for a, c in zip(learned, own, strict=True)
        ]

    return np.array(engine.map(split, range(n_splits)))


# -- estimators, by one protocol -------------------------------------------------------------


def _gap(reference: Any) -> Estimator:
    def estimate(X: Any, clusterer: Any, numbers: list[int], seed: int) -> int:
        from karat.measures.internal.gap import gap_statistic

        engine = prepare(X, clusterer, random_state=seed)

        def run(data: Any, k: int, fit_seed: int) -> Any:
            part = type(engine)(data, engine.clusterer)
            return part.fit(None, [k], np.random.default_rng(fit_seed))[0]

        return gap_statistic(
            X, run, k=numbers, n_references=20, reference=reference, random_state=seed
        ).first_k

    return estimate


def _silhouette(X: Any, clusterer: Any, numbers: list[int], seed: int) -> int:
    from karat.measures.internal.silhouette import silhouette

    engine = prepare(X, clusterer, random_state=seed)
    above = [n for n in numbers if n > 1]
    fits = engine.fit(None, above, engine.generator(0))
    values = [silhouette(engine.X, labels, noise="drop") for labels in fits]
    return above[int(np.argmax(values))]


def _informativeness(X: Any, clusterer: Any, numbers: list[int], seed: int) -> int:
    from karat.measures.internal.clarity import informativeness

    engine = prepare(X, clusterer, random_state=seed)
    above = [n for n in numbers if n > 1]

    def values(data: Any, key: int) -> Any:
        fits = replace(engine, X=data, _lists=[]).fit(None, above, engine.generator(key))
        labelings = dict(zip(map(str, above), fits, strict=True))
        return informativeness(data, labelings, random_state=seed)

    own = values(engine.X, 0)
    null = [
        values(draw_reference(engine.X, "uniform", random_state=engine.generator(2**31, r)), r + 1)
        for r in range(19)
    ]
    excess = np.asarray(own) - np.mean(null, axis=0)
    return above[int(np.argmax(excess))] if _p_any(np.vstack([own, null])) <= 0.05 else 1


def _p_any(values: Any) -> float:
    """Share of the rows whose largest standardised value is no less than that of the first."""
    spread = values.std(axis=0)
    if not spread.any():
        return 1.0
    largest = ((values - values.mean(axis=0))[:, spread > 0] / spread[spread > 0]).max(axis=1)
    return float((largest >= largest[0]).mean())


def _by_labels(truth: Any) -> Estimator:
    """The number whose clustering has the least PAC-MDL bound, for some known labels."""

    def estimate(X: Any, clusterer: Any, numbers: list[int], seed: int) -> int:
        from karat.bounds import PacMdlBounds, pac_mdl_bound

        engine = prepare(X, clusterer, random_state=seed)
        fits = engine.fit(None, numbers, engine.generator(0))
        bounds = pac_mdl_bound(np.stack(fits), truth)
        assert isinstance(bounds, PacMdlBounds)
        return numbers[int(np.argmin(bounds.table["bound_rate"]))]

    return estimate


def _valleys(X: Any, clusterer: Any, numbers: list[int], seed: int) -> int:
    rng = np.random.default_rng(seed)
    found = find_valleys(coordinates(check_points(X, "euclidean"), "euclidean", rng), rng)
    if found.strongest < LIMIT:
        return 1
    # parts of a finer division are seldom joined by a valley that is not there
    return int(found.groups[found.evidence >= found.strongest / 2].max())


def _of_curve(method: Callable[..., StabilityCurve], **options: Any) -> Estimator:
    def estimate(X: Any, clusterer: Any, numbers: list[int], seed: int) -> int:
        above = [n for n in numbers if n > 1]
        return method(X, clusterer, k=above, random_state=seed, **options).selected or 1

    return estimate


#: name -> (estimator, whether it can answer 1)
ESTIMATORS: Mapping[str, tuple[Estimator, bool]] = {
    "gap": (_gap("box"), True),
    "gap-pca": (_gap("pca"), True),
    "clest": (_of_curve(clest, n_splits=10, n_references=20), True),
    "prediction-strength": (_of_curve(prediction_strength), True),
    "stability": (_of_curve(calibrated_stability, everywhere=False), True),
    "valleys": (_valleys, True),
    "informativeness": (_informativeness, True),
    "silhouette": (_silhouette, False),
    "fang-wang": (_of_curve(fang_wang, n_resamples=25), False),
    "wang": (_of_curve(wang, n_splits=25), False),
    "pac": (_of_curve(pac, n_resamples=50), False),
    "rcsi": (_of_curve(rcsi, n_resamples=50, n_references=19), True),
}
#: those that vote
USUAL = ("gap", "prediction-strength", "stability", "valleys", "silhouette")
#: how quickly a vote for k fades with the logarithm of the ratio to k, and the share of the
#: probability that no vote takes, by ``karat reproduce number-of-clusters``
FADES, UNHEARD = 0.25, 0.1
#: probability from which on another number is named
NAMED = 0.15


@dataclass(frozen=True)
class NumberOfClusters(Tabled):
    """How many clusters there are.

    Attributes
    ----------
    k : int
        The most probable number.
    probabilities : Series
        The probability of each number asked for; they sum to 1.
    table : DataFrame
        What it follows from. Of :func:`karat.stability.n_clusters` a row per estimator: ``k``
        (missing where it failed), ``can_answer_1``, ``seconds``, ``reason`` where it failed.
    structure : Structure or None
        Whether there are clusters at all, which is the probability of 1.
    """

    k: int
    probabilities: pd.Series[float]
    table: pd.DataFrame
    structure: Structure | None = None

    @property
    def sentence(self) -> str:
        """The answer, and what else it may be."""
        ordered = self.probabilities.sort_values(ascending=False, kind="stable")
        others = [f"{k} ({p:.0%})" for k, p in ordered.iloc[1:].items() if p >= NAMED]
        what = "No clusters" if self.k == 1 else f"{self.k} clusters"
        more = f", or {' or '.join(others)}" if others else ""
        return f"{what} ({ordered.iloc[0]:.0%}){more}."

    headline = sentence

    def __repr__(self) -> str:
        return self.sentence


def n_clusters(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: Iterable[int] = range(1, 11),
    estimators: Iterable[str] | Mapping[str, Estimator] = USUAL,
    truth: Any = None,
    random_state: int = 0,
) -> NumberOfClusters:
    """How many clusters there are by several estimators of the literature, and what they add up to.

    Parameters
    ----------
    X : array-like, shape (n, d)
    clusterer : str, Clusterer or estimator
    k : iterable of int
        Numbers to choose among.
    estimators : iterable of str, or mapping from names to functions
        Names in :data:`ESTIMATORS`; a function of your own is called as
        ``estimator(X, clusterer, numbers, random_state)`` and returns a number.
    truth : array-like, shape (n,), optional
        Known classes of some objects, -1 or missing elsewhere. They add ``"pac-mdl"``: the number
        whose clustering has the least PAC-MDL bound.
    random_state : int

    Returns
    -------
    NumberOfClusters

    Raises
    ------
    InputError
        For an unknown name. An estimator that cannot be computed has a reason in the table.

    Notes
    -----
    ``Study.best().numbers`` is the better answer: on labelled sets this vote is overconfident.
    1 has the probability that there are no clusters (:func:`karat.assess_structure`). The rest is
    shared out by the estimators' answers above 1, one vote each: a vote for j gives k a part in
    proportion to exp(−|log(k/j)| / 0.25), and a tenth is the same for every k.

    The gap (Tibshirani, Walther & Hastie 2001), prediction strength (Tibshirani & Walther 2005),
    :func:`calibrated_stability`, valleys (:func:`karat.assess_structure`) and the silhouette vote;
    on request also gapPC, Clest (Dudoit & Fridlyand 2002), informativeness beside that of 19
    uniform data sets (whissell2012; the largest excess, 1 where its p-value over all numbers
    exceeds 0.05), :func:`fang_wang`, :func:`wang`, :func:`pac` and :func:`rcsi`.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import n_clusters
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> found = n_clusters(X, k=range(1, 6), estimators=["gap", "silhouette"])
    >>> found.k
    3
    >>> found.table["k"].tolist()
    [3, 3]
    """
    import pandas as pd

    if isinstance(estimators, Mapping):
        chosen: dict[str, tuple[Estimator, bool | None]] = {
            name: (function, None) for name, function in estimators.items()
        }
    else:
        chosen = {}
        for name in estimators:
            if name not in ESTIMATORS:
                raise unknown_name(name, ESTIMATORS, "estimator")
            chosen[name] = ESTIMATORS[name]
    if truth is not None:
        chosen["pac-mdl"] = (_by_labels(truth), True)
    engine = prepare(X, clusterer)
    numbers = check_numbers(k, engine.n)
    rows = {}
    for name, (estimate, one) in chosen.items():
        began, number, reason = time.perf_counter(), None, None
        try:
            number = int(estimate(X, clusterer, numbers, random_state))
        except InputError as error:
            reason = str(error)
        rows[name] = {
            "k": number,
            "can_answer_1": one,
            "seconds": time.perf_counter() - began,
            "reason": reason,
        }
    table = pd.DataFrame.from_dict(rows, orient="index").astype({"k": "Int64"})
    structure = None
    if 1 in numbers:
        structure = structure_of(engine.X, engine.metric, np.random.default_rng(random_state))
    votes = [int(number) for number in table["k"].dropna()]
    shares = probabilities(votes, numbers, 1.0 if structure is None else structure.probability)
    return NumberOfClusters(numbers[int(shares.argmax())], shares, table, structure)


def probabilities(
    votes: list[int], numbers: list[int], clusters: float, fades: float = FADES
) -> pd.Series[float]:
    """Of each number, from estimators' answers and the probability that there are clusters."""
    import pandas as pd

    above = np.array([n for n in numbers if n > 1], dtype=np.float64)
    shares = pd.Series(0.0, index=pd.Index(numbers, name="k"))
    if len(above) == 0:
        return shares + 1.0
    each = np.full(len(above), 1 / len(above))
    heard = [vote for vote in votes if vote > 1]
    if heard:
        near = np.exp(-np.abs(np.log(above / np.array(heard)[:, None])) / fades)
        each = UNHEARD * each + (1 - UNHEARD) * (near / near.sum(axis=1)[:, None]).mean(axis=0)
    shares[[n for n in numbers if n > 1]] = clusters * each
    if 1 in shares.index:
        shares[1] = 1 - clusters
    return shares
