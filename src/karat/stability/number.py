"""Estimators of the number of clusters, side by side; most can answer 1."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.nulls.references import draw_reference
from karat.runtime.validation import InputError, check_choice, unknown_name
from karat.stability._agreement import SIMILARITIES
from karat.stability.calibrated import calibrated_stability
from karat.stability.engine import check_draws, check_numbers, prepare, subsample, transfer
from karat.stability.halves import prediction_strength
from karat.stability.result import StabilityCurve

if TYPE_CHECKING:
    import pandas as pd

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
    classifier: Any = "centroid",
    similarity: str = "fowlkes_mallows",
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
    classifier : {"centroid", "neighbors"} or estimator
    similarity : {"fowlkes_mallows", "jaccard", "matching", "adjusted_rand"}
    p_max, d_min : float
        A k counts if its median similarity exceeds the mean of the references by at least
        ``d_min``, and at most a share ``p_max`` of the references reach it.
    random_state : None, int or Generator

    Returns
    -------
    StabilityCurve
        ``value`` is the median similarity; ``details["p"]`` the share of references that reach it.
        ``selected`` is the k that counts with the largest difference, otherwise 1.

    Raises
    ------
    InputError
        For input that cannot be used.

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

    check_choice(similarity, tuple(SIMILARITIES), "similarity")
    check_draws(n_splits, fraction)
    check_draws(n_references)
    engine = prepare(X, clusterer, random_state=random_state)
    most = min(round(fraction * engine.n), engine.n - round(fraction * engine.n))
    numbers = [n for n in check_numbers(k, most) if n > 1]
    if not numbers:
        raise InputError("Clest compares numbers from 2 upward with 1; k has only 1")
    alike = SIMILARITIES[similarity]

    def similarities(data: Any, key: int) -> Any:
        from dataclasses import replace

        part = replace(engine, X=data, _lists=[])

        def split(b: int) -> list[float]:
            rng = engine.generator(key, b)
            learn = subsample(engine.n, fraction, rng)
            test = np.setdiff1d(np.arange(engine.n), learn)
            learned, own = part.fit(learn, numbers, rng), part.fit(test, numbers, rng)
            return [
                alike(transfer(part, classifier, learn, a, test), c)
                for a, c in zip(learned, own, strict=True)
            ]

        return np.array(part.map(split, range(n_splits)))

    found = similarities(engine.X, 0)
    median = np.median(found, axis=0)
    null = np.array(
        [
            np.median(
                similarities(
                    draw_reference(engine.X, "uniform", random_state=engine.generator(2**31, r)),
                    r + 1,
                ),
                axis=0,
            )
            for r in range(n_references)
        ]
    )
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


def _clest(X: Any, clusterer: Any, numbers: list[int], seed: int) -> int:
    curve = clest(X, clusterer, k=numbers, n_splits=10, n_references=20, random_state=seed)
    return curve.selected or 1


def _prediction_strength(X: Any, clusterer: Any, numbers: list[int], seed: int) -> int:
    curve = prediction_strength(X, clusterer, k=[1, *numbers], random_state=seed)
    return curve.selected or 1


def _stability(X: Any, clusterer: Any, numbers: list[int], seed: int) -> int:
    curve = calibrated_stability(X, clusterer, k=numbers, everywhere=False, random_state=seed)
    return curve.selected or 1


def _silhouette(X: Any, clusterer: Any, numbers: list[int], seed: int) -> int:
    from karat.measures.internal.silhouette import silhouette

    engine = prepare(X, clusterer, random_state=seed)
    above = [n for n in numbers if n > 1]
    fits = engine.fit(None, above, engine.generator(0))
    values = [silhouette(engine.X, labels, noise="drop") for labels in fits]
    return above[int(np.argmax(values))]


def _informativeness(X: Any, clusterer: Any, numbers: list[int], seed: int) -> int:
    from dataclasses import replace

    from karat.measures.clarity.permutation import NullTest
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
    test = NullTest(tuple(map(str, above)), np.asarray(own), np.array(null))
    return above[int(np.argmax(test.table["excess"]))] if test.p_any <= 0.05 else 1


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


#: name -> (estimator, whether it can answer 1)
ESTIMATORS: Mapping[str, tuple[Estimator, bool]] = {
    "gap": (_gap("box"), True),
    "gap-pca": (_gap("pca"), True),
    "clest": (_clest, True),
    "prediction-strength": (_prediction_strength, True),
    "stability": (_stability, True),
    "informativeness": (_informativeness, True),
    "silhouette": (_silhouette, False),
}


@dataclass(frozen=True)
class NumberOfClusters:
    """What several estimators say.

    Attributes
    ----------
    table : DataFrame
        A row per estimator: ``k`` (missing where it failed), ``can_answer_1``, ``seconds``,
        ``reason`` where it failed.
    """

    table: pd.DataFrame

    def to_frame(self) -> pd.DataFrame:
        """A copy of the table."""
        return self.table.copy()

    def __str__(self) -> str:
        counts = self.table["k"].value_counts()
        if counts.empty:
            return f"no estimator has an answer\n{self.table}"
        says = ", ".join(f"{int(k)} by {c}" for k, c in counts.items())  # type: ignore[call-overload]
        return f"Number of clusters: {says} of {len(self.table)} estimators\n{self.table}"

    def _repr_html_(self) -> str:
        import html

        head, _, _ = str(self).partition("\n")
        return f"<p>{html.escape(head)}</p>{self.table.to_html()}"


def n_clusters(
    X: Any,
    clusterer: Any = "kmeans",
    *,
    k: Iterable[int] = range(1, 11),
    estimators: Iterable[str] | Mapping[str, Estimator] = tuple(ESTIMATORS),
    truth: Any = None,
    random_state: int = 0,
) -> NumberOfClusters:
    """How many clusters there are, by several estimators side by side.

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
    gap and gapPC (Tibshirani, Walther & Hastie 2001), Clest (Dudoit & Fridlyand 2002), prediction
    strength (Tibshirani & Walther 2005), :func:`calibrated_stability`, informativeness beside that
    of 19 uniform data sets (whissell2012; the largest excess, 1 where its p-value over all numbers
    exceeds 0.05), and the silhouette, which never answers 1.

    Examples
    --------
    >>> import numpy as np
    >>> from karat.stability import n_clusters
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (20, 2)) for c in (0, 2, 4)])
    >>> n_clusters(X, k=range(1, 6), estimators=["gap", "silhouette"]).table["k"].tolist()
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
    numbers = check_numbers(k, prepare(X, clusterer).n)
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
    return NumberOfClusters(table)
