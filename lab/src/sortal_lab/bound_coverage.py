"""Coverage of PAC-MDL bounds over random splits of real data."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds import (
    LabelSequence,
    PacMdlBounds,
    Searched,
    b_max,
    binomial_tail_bound,
    claims,
    guarantee,
    pac_mdl_bound,
    sample,
    study_bounds,
)
from sortal.bounds.languages import Algo, Cluster, Init, Simple
from sortal.labeling import teaching_objects
from sortal.labelings import Labelings, as_labelings, cut_dendrogram
from sortal_lab import ExperimentResult
from sortal_lab.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from sortal.typing import RandomState

DELTA = 0.1
LABELLED = 100
KS = range(2, 21)
STARTS = 3

#: objects, labels, and draws at most, of each design of the guarantee, and where one stops
OBJECTS, FEW, DRAWS, TARGET = 120, 30, 1_000, 0.3
#: objects that teach, in two of the designs
TAUGHT = 8
#: what is guaranteed: for a fixed number of labels, without and with the features and with objects
#: that teach; at the stop for a target, with those too; at every number of labels (broken if any
#: is); claims that hold together
KINDS = (
    "fixed",
    "with features",
    "with objects that teach",
    "stopped at a target",
    "at every number",
    "claims",
)
POPULATIONS = ("clear", "noisy", "unrelated", "many classes")

# of a split: the bound and the true errors on the unlabelled objects
Outcome = tuple[int, int]
Setting = Callable[["NDArray[np.object_]", "NDArray[np.bool_]"], Outcome]


def run(
    *,
    name: str = "bound-coverage",
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Split the digits data at random, again and again, and count the broken promises.

    ``samples``: splits for each setting; 10,000 by default.

    Returns a row for each setting: ``language``, ``clusterer``, ``candidates``, the mean bound
    and the mean true error, the share of splits whose error exceeds the bound, and the standard
    error of that share and its upper 95 % limit. The share is to be at most 0.1.
    """
    import pandas as pd

    splits = 10_000 if samples is None else samples
    rng = np.random.default_rng(random_state)
    journal = Journal(storage, f"{splits} splits, random_state {random_state!r}")
    X, truth = _data()
    clusterings, *streams = rng.spawn(9)
    del streams[5]  # of a setting that is no more: the others keep theirs
    rows = []
    for number, (title, candidates, setting) in enumerate(_settings(X, truth, clusterings)):
        row = journal.get(title)
        if row is None:
            row = _row(setting, truth, splits, streams[number])
            journal.put(title, row)
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
    rows += _designs(min(splits, DRAWS), journal, streams[-1], progress)
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
            f"The others are designs of {OBJECTS} objects with {FEW} labels at most, "
            f"{min(splits, DRAWS):,} draws each: 'claims' and 'at every number' are broken if any "
            "of their statements is.",
        ),
    )


def _data() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The digits, with their classes."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return X, y


def _settings(
    X: NDArray[np.float64], truth: NDArray[np.int64], rng: np.random.Generator
) -> list[tuple[tuple[str, str], int, Setting]]:
    """Settings by language and clusterings, with their numbers of bounds."""
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
    single_labeling = as_labelings({"kmeans 10 0": sweep["kmeans 10 0"]})
    ten = as_labelings(starts)
    many = as_labelings(sweep)
    every = as_labelings({**sweep, **cuts["ward"], **cuts["average"]})
    times = {"kmeans": STARTS, "ward": 1, "average": 1}
    plan = Searched({name: dict.fromkeys(KS, n) for name, n in times.items()})
    origins = [(name.split()[0], int(name.split()[1])) for name in every.names]

    def by(labelings: Labelings, language: Any) -> Setting:
        def outcome(y: NDArray[np.object_], hidden: NDArray[np.bool_]) -> Outcome:
            bounds = pac_mdl_bound(labelings, y, DELTA, language)
            assert isinstance(bounds, PacMdlBounds)
            return _outcome(bounds.best, truth, hidden)

        return outcome

    def of_study(y: NDArray[np.object_], hidden: NDArray[np.bool_]) -> Outcome:
        bounds = study_bounds(every, y, delta=DELTA, searched=plan, origins=origins)
        return _outcome(bounds.best, truth, hidden)

    majority = {c: np.bincount(truth[single_labeling.codes[0] == c]).argmax() for c in range(10)}
    fixed = np.array([majority[c] for c in single_labeling.codes[0]])

    def of_guess(y: NDArray[np.object_], hidden: NDArray[np.bool_]) -> Outcome:
        wrong = fixed != truth
        m, n = int((~hidden).sum()), int(hidden.sum())
        return b_max(m, n, int(wrong[~hidden].sum()), DELTA), int(wrong[hidden].sum())

    return [
        (("Simple", "kmeans, k = 10"), 1, by(single_labeling, Simple())),
        (("Init", "kmeans, k = 10, 10 starts"), 10, by(ten, Init(10))),
        (("Cluster", f"kmeans, k = 2..20, {STARTS} starts"), len(many), by(many, Cluster(STARTS))),
        (("Algo", "kmeans, ward, average"), len(every), by(every, Algo(STARTS, 3))),
        (("Study", "kmeans, ward, average"), len(every), of_study),
        (("fixed guess", "kmeans, k = 10"), 1, of_guess),
    ]


def _outcome(bound: Any, truth: NDArray[np.int64], hidden: NDArray[np.bool_]) -> Outcome:
    """Bound and true errors on the hidden objects."""
    return bound.bound, int((bound.predicted[hidden] != truth[hidden]).sum())


def _row(
    setting: Setting, truth: NDArray[np.int64], splits: int, rng: np.random.Generator
) -> dict[str, float]:
    """Share of broken bounds over random splits."""
    bounds, errors = np.empty(splits), np.empty(splits)
    for i in range(splits):
        labelled = sample(len(truth), LABELLED, random_state=rng)
        y = np.full(len(truth), None, dtype=object)
        y[labelled] = truth[labelled]
        hidden = np.ones(len(truth), dtype=bool)
        hidden[labelled] = False
        bounds[i], errors[i] = setting(y, hidden)
    n = len(truth) - LABELLED
    share = float((errors > bounds).mean())
    return {
        "mean bound": float(bounds.mean()) / n,
        "mean error": float(errors.mean()) / n,
        "share broken": share,
        "standard error": math.sqrt(share * (1 - share) / splits),
    }


def _designs(
    draws: int,
    journal: Journal,
    rng: np.random.Generator,
    progress: Callable[[str], None] | None,
) -> list[dict[str, Any]]:
    """The guarantee of every kind for every population, a row each."""
    rows = []
    for number, population in enumerate(POPULATIONS):
        X, truth, batch = _population(population, np.random.default_rng(number))
        for kind, stream in zip(KINDS, rng.spawn(len(KINDS)), strict=True):
            row = journal.get((kind, population))
            if row is None:
                draws_made = [_draw(kind, X, truth, batch, stream) for _ in range(draws)]
                bound, errors, broken = np.mean(draws_made, axis=0)
                error = math.sqrt(broken * (1 - broken) / draws)
                row = {"mean bound": bound, "mean error": errors, "share broken": broken,
                       "standard error": error}  # fmt: skip
                journal.put((kind, population), row)
            limit = binomial_tail_bound(draws, round(row["share broken"] * draws), 0.05)
            head = {"language": kind, "clusterer": population, "candidates": len(batch)}
            rows.append({**head, **row, "upper limit": limit})
            if progress is not None:
                progress(f"{kind}, {population}: {row['share broken']:.4f} of {draws} draws broken")
    return rows


def _population(name: str, rng: np.random.Generator) -> tuple[Any, NDArray[np.object_], Labelings]:
    """Data, classes and clusterings of a simulated population."""
    from scipy.sparse import csr_matrix
    from sklearn.cluster import KMeans

    group = rng.choice(3, OBJECTS, p=[0.5, 0.3, 0.2])
    X = rng.normal(size=(OBJECTS, 2)) + 4.0 * np.eye(3)[group, :2]
    truth = group.copy()
    if name == "noisy":
        stray = rng.random(OBJECTS) < 0.25
        truth[stray] = rng.integers(0, 3, int(stray.sum()))
    elif name == "unrelated":
        truth = rng.permutation(truth)
    elif name == "many classes":
        truth = np.arange(OBJECTS) // 2
    codes = [KMeans(k, n_init=1, random_state=0).fit_predict(X) for k in range(2, 7)]
    # sparse, so that a logistic regression learns from them, which is quick
    return csr_matrix(X), truth.astype(object), as_labelings(np.array(codes))


def _draw(
    kind: str,
    X: NDArray[np.float64],
    truth: NDArray[np.object_],
    batch: Labelings,
    rng: np.random.Generator,
) -> tuple[float, float, bool]:
    """Bound, true share of errors, and whether something said is false, of one random draw."""
    teaches = kind in ("with objects that teach", "stopped at a target")
    taught = teaching_objects(batch, TAUGHT if teaches else 0)
    order = sample(OBJECTS, OBJECTS, random_state=rng)
    order = order[~np.isin(order, taught)][: FEW - len(taught)]

    def partly(m: int) -> NDArray[np.object_]:
        y = np.full(OBJECTS, None, dtype=object)
        y[order[:m]], y[taught] = truth[order[:m]], truth[taught]
        return y

    def outcome(guaranteed: Any, m: int) -> tuple[float, float, bool]:
        """Bound, true share of errors, and whether the bound is broken."""
        hidden = np.setdiff1d(np.arange(OBJECTS), np.concatenate([order[:m], taught]))
        errors = int((guaranteed.labels[hidden] != truth[hidden]).sum())
        return guaranteed.bound_rate, errors / len(hidden), errors > guaranteed.bound

    if kind in ("fixed", "with features", "with objects that teach"):
        features = X if kind == "with features" else None
        guaranteed = guarantee(batch, partly(FEW), DELTA, X=features, order=order, taught=taught)
        return outcome(guaranteed, len(order))
    if kind == "claims":
        about = ("error", "clusters", "classes", "counts")
        held = claims(batch, partly(FEW), DELTA, about=about, order=order)
        share = float((held.labels != truth).mean()) * OBJECTS / (OBJECTS - FEW)
        limit = next((claim.high for claim in held.claims if claim.about == "error"), 1.0)
        return limit, share, any(_is_false(claim, held, truth, batch) for claim in held.claims)
    target = TARGET if teaches else None
    keeps, outcomes = LabelSequence(batch, DELTA, target, taught=taught), []
    for m in range(2 if teaches else 10, len(order) + 1, 4):
        outcomes.append(outcome(keeps.update(partly(m), order[:m]), m))
        if teaches and outcomes[-1][0] <= TARGET:
            break
    return (*outcomes[-1][:2], outcomes[-1][2] if teaches else any(f[2] for f in outcomes))


def _is_false(claim: Any, guaranteed: Any, truth: NDArray[np.object_], batch: Labelings) -> bool:
    """Whether a claim about the labelled data is false."""
    of_class = truth == claim.subject
    if claim.about == "counts":
        return not claim.low <= of_class.sum() <= claim.high
    if claim.about == "classes":
        return (guaranteed.labels[of_class] == claim.subject).mean() < claim.low - 1e-12
    if claim.about == "clusters":
        row = batch.names.index(guaranteed.name)
        inside = batch.codes[row] == list(batch.cluster_names[row]).index(claim.subject)
        return (truth[inside] == claim.says).mean() < claim.low - 1e-12
    return (guaranteed.labels != truth).sum() > claim.high * (OBJECTS - FEW) + 1e-9
