"""Tightness of the guarantee, the labels it needs, and its warnings.

Candidates are those of a study with k = 2 to 10, one start each; delta is 0.1. The settings of the
classifier, of the sequences and of the objects that teach were chosen on glass, ionosphere,
segment, satimage, spambase, optdigits and simulations. Of ``TABLES`` the results of logistic
regression were known; on ``APART`` nothing was looked at before these figures were stored.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

import sortal
from sortal.bounds import LabelSequence, b_max, doubted_draw, sample
from sortal.labeling import teaching_objects
from sortal.labelings import Labelings, as_labelings
from sortal_lab import ExperimentResult
from sortal_lab.data import benchmark, index, points
from sortal_lab.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt
    from numpy.typing import NDArray

    from sortal.typing import Ints


DELTA = 0.1
MOST = 1_500
TABLES = ("breast_w", "dermatology", "ecoli", "seeds", "wdbc", "wine", "vehicle", "yeast")
APART = ("pendigits_test", "letter", "isolet_1560", "sipu_aggregation", "sipu_compound",
         "fcps_chainlink", "wut_smile", "wut_z2")  # fmt: skip
#: groups of sets, and the numbers of labels there
GROUPS = {"tables": (TABLES, (20, 50, 100)), "sets kept apart": (APART, (50, 100, 200))}
#: sets and the rates at which labelling stops
STOPS = {"breast_w": 0.1, "wdbc": 0.1, "wine": 0.15, "dermatology": 0.2, "seeds": 0.2,
         "ecoli": 0.35}  # fmt: skip
#: share of the draws in which a number of labels fixed beforehand is to reach the target
FIXED_REACHES = 0.9
#: objects that teach before a sequence, as in sortal label
TEACH = 20
DRAWS = {"tightness": 30, "stopping": 30, "draws": 100}

Progress = Callable[[str], None] | None


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Progress = None,
) -> ExperimentResult:
    """Draw labels at random, again and again, and count.

    ``samples``: draws of the labels of each set; 30, 30 and 100 by default.
    """
    which = name.removeprefix("guarantee-")
    draws = DRAWS[which] if samples is None else samples
    journal = Journal(storage, which)
    _read.cache_clear()
    _teaching.cache_clear()
    seeds = [int(s) for s in np.random.SeedSequence(random_state).generate_state(draws)]
    made = {"tightness": _tightness, "stopping": _stopping, "draws": _unlike_draws}[which]
    rows, notes = made(seeds, journal, progress)
    import pandas as pd

    return ExperimentResult(name, pd.DataFrame(rows), tuple(notes))


# -- data and candidates -------------------------------------------------------------------------


@cache
def _read(name: str) -> tuple[NDArray[np.float64], NDArray[np.intp], Labelings]:
    """At most 1,500 standardised objects, their classes, and the candidates."""
    from threadpoolctl import threadpool_limits

    if index()[name]["path"].startswith("benchmarks"):
        X, references = benchmark(name)
        truth = references[0]
    else:
        X, truth = points(name, impute="median")
    rows = np.arange(len(X))
    if len(X) > MOST:
        rows = np.random.default_rng(0).permutation(len(X))[:MOST]
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
    y = np.unique(truth[rows].astype(str), return_inverse=True)[1]
    study = sortal.Study(X[rows])
    with threadpool_limits(1):
        study.sweep(k=range(2, 11), n_init=1)
    fitted = study.candidates.index[study.candidates["status"] != "failed"]
    return X[rows], y, as_labelings({c: study.labels(c) for c in fitted}, noise="cluster")


def _partly(y: NDArray[np.intp], *rows: NDArray[np.intp]) -> NDArray[np.object_]:
    """Classes of the objects in these rows, None for all others."""
    few = np.full(len(y), None, dtype=object)
    for positions in rows:
        few[positions] = y[positions]
    return few


def _after(taught: NDArray[np.intp], n: int, seed: int) -> NDArray[np.intp]:
    """All objects but those that teach, in the order of a draw."""
    order = sample(n, n, random_state=seed)
    return order[~np.isin(order, taught)]


@cache
def _teaching(name: str, k: int) -> NDArray[np.intp]:
    """Objects that teach the classifier."""
    return teaching_objects(_read(name)[2], k)


def _each(
    titles: list[str],
    seeds: list[int],
    journal: Journal,
    progress: Progress,
    compute: Callable[[str, int], dict[str, float]],
) -> dict[str, list[dict[str, float]]]:
    """Results of each draw of each title, stored or computed."""
    results: dict[str, list[dict[str, float]]] = {}
    for title in titles:
        results[title] = []
        for seed in seeds:
            row = journal.get((title, str(seed)))
            if row is None:
                row = {key: float(value) for key, value in compute(title, seed).items()}
                journal.put((title, str(seed)), row)
            results[title].append(row)
        if progress is not None:
            progress(title)
    return results


def _at(cells: dict[str, tuple[Any, ...]], of: Any, title: str, seed: int) -> dict[str, float]:
    """One draw of a cell of the table."""
    row: dict[str, float] = of(*cells[title], seed)
    return row


def _mean(values: npt.ArrayLike) -> tuple[float, float]:
    """Mean and its standard error."""
    numbers = np.asarray(values, dtype=np.float64)
    return float(numbers.mean()), float(
        numbers.std(ddof=min(1, len(numbers) - 1)) / len(numbers) ** 0.5
    )


# -- how low it is -------------------------------------------------------------------------------

#: what is compared, in the order of the table
METHODS = (
    "guarantee",
    "guarantee with features",
    "half of the labels teach",
    "half of the labels teach, with features",
    "guarantee at every number of labels",
    "logistic regression on memberships",
    "logistic regression on features",
    "largest class",
    "PAC-MDL alone",
)


def _tightness(
    seeds: list[int], journal: Journal, progress: Progress
) -> tuple[list[dict[str, Any]], list[str]]:
    """Bounds by method and number of labels, with notes."""
    rows = []
    groups = {
        group: ([name for name in names if name in index()], sizes)
        for group, (names, sizes) in GROUPS.items()
    }
    for group, (names, sizes) in groups.items():
        cells = {f"{s} {m}": (s, m) for m in sizes for s in names if m <= 0.6 * len(_read(s)[1])}
        results = _each(list(cells), seeds, journal, progress, partial(_at, cells, _bounds))
        for method in (*METHODS, "truly wrong"):
            row: dict[str, Any] = {"sets": group, "method": method}
            column = method if method in METHODS else "guarantee wrong"
            for m in sizes:
                means = [_mean([r[column] for r in results[t]]) for t in cells if cells[t][1] == m]
                mean, error = np.reshape(means, (-1, 2)).T
                row[f"{m} labels"] = float(mean.sum() / len(means)) if means else None
                row[f"{m} labels error"] = float((error**2).sum() ** 0.5 / max(len(means), 1))
            broken = [r.get(f"{method} broken", np.nan) for t in cells for r in results[t]]
            rows.append(row | {"broken": float(np.mean(broken))})
    return rows, [
        f"Mean bounds and their standard errors over {len(seeds)} draws of the labels of each set, "
        f"delta = {DELTA}; 'broken': the share of draws with more errors than the bound. Sets with "
        "fewer than five objects for three labels are excluded. 'truly wrong' is of the guarantee.",
        *(f"{group}: {', '.join(names)}." for group, (names, _) in groups.items()),
    ]


def _bounds(name: str, m: int, seed: int) -> dict[str, float]:
    """Every bound of one draw of m labels, whether it is broken, and the true error."""
    from scipy import sparse
    from threadpoolctl import threadpool_limits

    X, y, batch = _read(name)
    order = sample(len(y), m, random_state=seed)
    taught = _teaching(name, m // 2)
    drawn = _after(taught, len(y), seed)[: m - len(taught)]
    few, both = _partly(y, order), _partly(y, taught, drawn)
    rest, rest_taught = (np.flatnonzero(v == None) for v in (few, both))  # noqa: E711
    teach: dict[str, Any] = {"order": drawn, "taught": taught}
    guarantees = [
        (sortal.guarantee(batch, few, DELTA, order=order), rest),
        (sortal.guarantee(batch, few, DELTA, X=X, order=order), rest),
        (sortal.guarantee(batch, both, DELTA, **teach), rest_taught),
        (sortal.guarantee(batch, both, DELTA, X=X, **teach), rest_taught),
        (sortal.guarantee(batch, few, DELTA, anytime=True, order=order), rest),
    ]
    row: dict[str, float] = {}
    for method, (guarantee, hidden) in zip(METHODS, guarantees, strict=False):
        wrong = guarantee.labels[hidden] != y[hidden]
        row |= {method: guarantee.bound_rate, f"{method} broken": wrong.sum() > guarantee.bound}
        row[f"{method} wrong"] = wrong.mean()
    blocks = [sparse.csr_matrix((np.ones(len(y)), (np.arange(len(y)), c))) for c in batch.codes]
    features = (sparse.hstack(blocks).tocsr() * (10 / len(batch)), X, np.zeros((len(y), 1)))
    with threadpool_limits(1):
        for method, F, penalty in zip(METHODS[5:8], features, (100.0, 1.0, 1.0), strict=True):
            bound, errors = _on_half(F, y, order, penalty)
            row |= {method: bound / len(rest), f"{method} broken": errors > bound}
    mdl: Any = sortal.pac_mdl_bound(batch, few, DELTA)
    best = mdl.best
    wrong = best.predicted[rest] != y[rest]
    return row | {METHODS[8]: best.bound_rate, f"{METHODS[8]} broken": wrong.sum() > best.bound}


def _on_half(features: Any, y: Ints, order: Ints, penalty: float) -> tuple[int, int]:
    """Logistic regression on one half of the labels, tested on the other: bound, true errors."""
    from sklearn.linear_model import LogisticRegression

    train, test = np.split(order, [len(order) // 2])
    rest = np.setdiff1d(np.arange(len(y)), order)
    predicted = np.full(len(y), y[train][0])
    if len(set(y[train])) > 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LogisticRegression(max_iter=300, C=penalty).fit(features[train], y[train])
        predicted = model.predict(features)
    bound = b_max(len(test), len(rest), int((predicted[test] != y[test]).sum()), DELTA)
    return bound, int((predicted[rest] != y[rest]).sum())


# -- how many labels it takes --------------------------------------------------------------------


def _stopping(
    seeds: list[int], journal: Journal, progress: Progress
) -> tuple[list[dict[str, Any]], list[str]]:
    """Labels needed to reach a target, with notes."""
    results = _each(list(STOPS), seeds, journal, progress, lambda t, s: _stop(t, STOPS[t], s))
    rows = []
    for name, target in STOPS.items():
        row: dict[str, Any] = {"set": name, "target": target}
        for column, key in (("labels", "labels"), ("none teach", "labels without teaching")):
            counts = [r[key] for r in results[name]]
            row[column], row[f"{column} error"] = _mean(counts)
            row[f"{column}, median"] = float(np.median(counts))
        row["reached"] = _mean([r["reached"] for r in results[name]])[0]
        row["broken"] = int(sum(r["broken"] for r in results[name]))
        for column, teaches in (("fixed", True), ("fixed, none teach", False)):
            row[column] = _oracle(name, target, seeds, teaches)
        rows.append(row)
    return rows, [
        f"Labels until the target is guaranteed, mean with its standard error and median over "
        f"{len(seeds)} draws, {TEACH} of them teaching (or none); labelling ends at 200, or with "
        "half of the objects. 'fixed' is the least number that, were it known beforehand, reaches "
        "the target in nine of ten draws, half of it teaching (or none), in steps of a tenth. "
        "'broken' counts both sequences of each draw.",
    ]


def _stop(name: str, target: float, seed: int) -> dict[str, float]:
    """Labels at which one draw reaches the target, with and without teaching."""
    X, y, batch = _read(name)
    row: dict[str, float] = {"broken": 0}
    for column, k in (("labels without teaching", 0), ("labels", min(TEACH, _most(name) // 2))):
        taught = _teaching(name, k)
        order = _after(taught, len(y), seed)
        keeps = LabelSequence(batch, DELTA, target, X=X, taught=taught)
        for m in range(max(1, 10 - k), _most(name) - k + 1):
            bound = keeps.update(_partly(y, taught, order[:m]), order[:m])
            if bound.bound_rate <= target:
                break
        wrong = (bound.labels[order[m:]] != y[order[m:]]).sum()
        row |= {column: k + m, "reached": bound.bound_rate <= target}
        row["broken"] += wrong > bound.bound
    return row


def _most(name: str) -> int:
    """Greatest number of labels tried on a data set."""
    return min(200, len(_read(name)[1]) // 2)


def _oracle(name: str, target: float, seeds: list[int], teaches: bool) -> int | None:
    """The least step that reaches the target in nine of ten draws, by bisection."""
    X, y, batch = _read(name)
    steps = sorted({round(16 * 1.1**i) for i in range(40) if 16 * 1.1**i <= _most(name)})

    def reached(m: int, seed: int) -> bool:
        taught = _teaching(name, m // 2 if teaches else 0)
        order = _after(taught, len(y), seed)[: m - len(taught)]
        few = _partly(y, taught, order)
        bound = sortal.guarantee(batch, few, DELTA, X=X, order=order, taught=taught)
        return bool(bound.bound_rate <= target)

    low, high = 0, len(steps)
    while low < high:
        middle = (low + high) // 2
        if np.mean([reached(steps[middle], seed) for seed in seeds]) >= FIXED_REACHES:
            high = middle
        else:
            low = middle + 1
    return steps[low] if low < len(steps) else None


# -- labels that are no random draw --------------------------------------------------------------


def _unlike_draws(
    seeds: list[int], journal: Journal, progress: Progress
) -> tuple[list[dict[str, Any]], list[str]]:
    """Draws that are not uniform: how often they are rejected or warned about."""
    cells = {f"{how}, {s}": (s, how) for s in ("wine", "breast_w", "vehicle") for how in WAYS}
    results = _each(list(cells), seeds, journal, progress, partial(_at, cells, _doubted))
    rows = []
    for how in WAYS:
        draws = [r for t in cells if cells[t][1] == how for r in results[t]]
        shares = {key: _mean([r[key] for r in draws])[0] for key in ("refused", "warned")}
        rows.append({"labelled": how, **shares})
    return rows, [
        f"Shares of {3 * len(seeds)} draws of 60 labels of wine, breast_w and vehicle; the "
        "clusters are four of one candidate."
    ]


WAYS = ("at random", "nearest to the centres", "two clusters alone", "the easy ones more often",
        "as many of each cluster")  # fmt: skip


def _doubted(name: str, how: str, seed: int) -> dict[str, float]:
    """Whether a draw that is not uniform is rejected or warned about."""
    X, y, batch = _read(name)
    rng, m = np.random.default_rng(seed), min(60, len(y) // 3)
    codes = batch.codes[next(i for i, k in enumerate(batch.n_clusters) if k == 4)]
    centers = np.array([X[codes == c].mean(axis=0) for c in range(4)])[codes]
    far = ((X - centers) ** 2).sum(axis=1)
    two = np.flatnonzero(np.isin(codes, np.argsort(-np.bincount(codes))[:2]))
    easy = np.where(far < np.median(far), 5.0, 1.0)
    if how == WAYS[1]:
        rows = np.argsort(far + 1e-9 * rng.random(len(far)))[:m]
    elif how == WAYS[2]:
        rows = rng.choice(two, m, replace=False)
    elif how == WAYS[3]:
        rows = rng.choice(len(y), m, replace=False, p=easy / easy.sum())
    elif how == WAYS[4]:
        each = [rng.permutation(np.flatnonzero(codes == c))[: m // 4] for c in range(4)]
        rows = np.concatenate(each)
    else:
        rows = rng.choice(len(y), m, replace=False)
    doubt = doubted_draw(batch.codes, rows)
    refused = doubt is not None and doubt.refuses
    return {"refused": refused, "warned": doubt is not None and not refused}
