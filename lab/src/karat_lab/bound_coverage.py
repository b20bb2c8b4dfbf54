"""How often the test error exceeds its PAC-MDL bound, over random splits of real data."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds import (
    PacMdlBounds,
    Searched,
    b_max,
    binomial_tail_bound,
    pac_mdl_bound,
    prune_dendrogram,
    sample,
    study_bounds,
)
from karat.bounds.languages import Algo, Cluster, Init, Simple
from karat.labelings import Labelings, as_labelings, cut_dendrogram
from karat_lab import ExperimentResult
from karat_lab.journal import Kept

if TYPE_CHECKING:
    from numpy.typing import NDArray

DELTA = 0.1
LABELLED = 100
KS = range(2, 21)
STARTS = 3

# of a split: the bound and the true errors on the unlabelled objects
Outcome = tuple[int, int]
Setting = Callable[["NDArray[np.object_]", "NDArray[np.bool_]"], Outcome]


def run(
    *,
    name: str = "bound-coverage",
    samples: int | None = None,
    random_state: Any = 0,
    storage: Any = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Split the digits data at random, again and again, and count the broken promises.

    Parameters
    ----------
    name : str
        The only experiment here.
    samples : int, optional
        Splits for each setting; 10,000 by default.
    random_state : int, Generator or None
        Seed of the clusterings and of the splits.
    storage : path, optional
        Text file that keeps each finished setting.
    progress : callable, optional
        Called with a line of text after each setting.

    Returns
    -------
    ExperimentResult
        A row for each setting: ``language``, ``clusterer``, ``candidates``, the mean bound and
        the mean true error, the share of splits whose error exceeds the bound, and the standard
        error of that share and its upper 95 % limit. The share is to be at most 0.1.
    """
    import pandas as pd

    splits = 10_000 if samples is None else samples
    rng = np.random.default_rng(random_state)
    kept = Kept(storage, f"{splits} splits, random_state {random_state!r}")
    X, truth = _data()
    clusterings, *streams = rng.spawn(8)
    rows = []
    for number, (title, candidates, setting) in enumerate(_settings(X, truth, clusterings)):
        row = kept.get(title)
        if row is None:
            row = _row(setting, truth, splits, streams[number])
            kept.put(title, row)
        broken = round(row["share broken"] * splits)
        rows.append(
            {
                "language": title[0],
                "clusterer": title[1],
                "candidates": candidates,
                **row,
                "upper limit": binomial_tail_bound(splits, broken, 0.05),
            }
        )
        if progress is not None:
            progress(f"{title[0]}, {title[1]}: {row['share broken']:.4f} of {splits} splits broken")
    return ExperimentResult(
        name,
        pd.DataFrame(rows),
        (
            f"{splits:,} random splits of the {len(truth):,} digits into {LABELLED} labelled "
            f"objects and the rest; delta = {DELTA}. 'share broken': splits whose true error on "
            "the rest exceeds its bound, to be at most delta; 'standard error': its binomial one; "
            "'upper limit': what the share of all splits does not exceed, 95 % sure.",
            "'fixed guess' is one classifier fixed beforehand at no bits: there the bound is "
            "tight up to the steps of a whole number of errors. The others pay for all "
            "classifiers that they might have chosen, so they are broken far less often.",
        ),
    )


def _data() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return X, y


def _settings(
    X: NDArray[np.float64], truth: NDArray[np.int64], rng: np.random.Generator
) -> list[tuple[tuple[str, str], int, Setting]]:
    from scipy.cluster.hierarchy import linkage
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    def kmeans(k: int) -> NDArray[np.int32]:
        model = KMeans(k, init="random", n_init=1, random_state=int(rng.integers(2**31)))
        labels: NDArray[np.int32] = model.fit_predict(X)
        return labels

    # small fits: threads would only wait for each other
    with threadpool_limits(1):
        sweep = {f"kmeans {k} {s}": kmeans(k) for k in KS for s in range(STARTS)}
        starts = {f"start {s}": kmeans(10) for s in range(10)}
    trees = {name: linkage(X, name) for name in ("ward", "average")}
    cuts = {
        name: {f"{name} {k}": cut_dendrogram(Z, n_clusters=k) for k in KS}
        for name, Z in trees.items()
    }
    one = as_labelings({"kmeans 10 0": sweep["kmeans 10 0"]})
    ten = as_labelings(starts)
    many = as_labelings(sweep)
    every = as_labelings({**sweep, **cuts["ward"], **cuts["average"]})
    plan = Searched.grid(["kmeans", "ward", "average"], k=KS, starts={"kmeans": STARTS})
    origins = [(name.split()[0], int(name.split()[1])) for name in every.names]

    def by(labelings: Labelings, language: Any) -> Setting:
        def outcome(y: NDArray[np.object_], hidden: NDArray[np.bool_]) -> Outcome:
            found = pac_mdl_bound(labelings, y, DELTA, language)
            assert isinstance(found, PacMdlBounds)
            return _outcome(found.best, truth, hidden)

        return outcome

    def of_study(y: NDArray[np.object_], hidden: NDArray[np.bool_]) -> Outcome:
        found = study_bounds(every, y, delta=DELTA, searched=plan, origins=origins)
        return _outcome(found.best, truth, hidden)

    def of_tree(y: NDArray[np.object_], hidden: NDArray[np.bool_]) -> Outcome:
        return _outcome(prune_dendrogram(trees["ward"], y, DELTA), truth, hidden)

    majority = {c: np.bincount(truth[one.codes[0] == c]).argmax() for c in range(10)}
    fixed = np.array([majority[c] for c in one.codes[0]])

    def of_guess(y: NDArray[np.object_], hidden: NDArray[np.bool_]) -> Outcome:
        wrong = fixed != truth
        m, n = int((~hidden).sum()), int(hidden.sum())
        return b_max(m, n, int(wrong[~hidden].sum()), DELTA), int(wrong[hidden].sum())

    return [
        (("Simple", "kmeans, k = 10"), 1, by(one, Simple())),
        (("Init", "kmeans, k = 10, 10 starts"), 10, by(ten, Init(10))),
        (("Cluster", f"kmeans, k = 2..20, {STARTS} starts"), len(many), by(many, Cluster(STARTS))),
        (("Algo", "kmeans, ward, average"), len(every), by(every, Algo(STARTS, 3))),
        (("Study", "kmeans, ward, average"), len(every), of_study),
        (("Pruning", "ward"), 1, of_tree),
        (("fixed guess", "kmeans, k = 10"), 1, of_guess),
    ]


def _outcome(found: Any, truth: NDArray[np.int64], hidden: NDArray[np.bool_]) -> Outcome:
    return found.bound, int((found.predicted[hidden] != truth[hidden]).sum())


def _row(
    setting: Setting, truth: NDArray[np.int64], splits: int, rng: np.random.Generator
) -> dict[str, float]:
    bounds, errors = np.empty(splits), np.empty(splits)
    for i in range(splits):
        known = sample(len(truth), LABELLED, random_state=rng)
        y = np.full(len(truth), None, dtype=object)
        y[known] = truth[known]
        hidden = np.ones(len(truth), dtype=bool)
        hidden[known] = False
        bounds[i], errors[i] = setting(y, hidden)
    n = len(truth) - LABELLED
    share = float((errors > bounds).mean())
    return {
        "mean bound": float(bounds.mean()) / n,
        "mean error": float(errors.mean()) / n,
        "share broken": share,
        "standard error": math.sqrt(share * (1 - share) / splits),
    }
