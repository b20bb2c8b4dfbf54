"""How low the guarantee is, beside its parts, a classifier and the most common class.

``python -m benchmarks.guarantee [DRAWS | prunings]``, from ``../shared/data``: sets that nothing in
the guarantee was chosen on. Each has 24 candidates: k-means, Ward and average linkage at eight
numbers of clusters. Means over the draws of the labels, delta = 0.1. ``prunings``: random prunings
of a dendrogram among the candidates.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from pathlib import Path

import fastcluster
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

import karat
from karat.bounds import (
    allocate,
    b_always,
    b_max,
    random_prunings,
    sample,
    stratified_bound,
    stratified_sample,
    supervised_yardstick,
)
from karat.labelings.partitions import cut_dendrogram

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = (
    "breast_w",
    "dermatology",
    "ionosphere",
    "isolet_1560",
    "letter",
    "optdigits",
    "pendigits_test",
    "spambase",
    "fbis",
    "hitech",
    "k1b",
    "la1",
    "re1",
    "reviews",
)
KS = (2, 3, 5, 8, 11, 15, 20, 30)
MOST = 2_000
DELTA = 0.1


def read(name: str) -> tuple[np.ndarray, np.ndarray]:
    """At most 2,000 objects: standardised features, or 100 latent dimensions of tf-idf."""
    entry = next(e for e in json.loads((DATA / "datasets.json").read_text()) if e["name"] == name)
    if entry["kind"] == "points":
        table = pd.read_csv(DATA / entry["path"])
        X = table.drop(columns="label")
        X = X.fillna(X.median(numeric_only=True)).to_numpy(dtype=float)
        X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
        y = table["label"].to_numpy()
    else:
        X = sparse.load_npz(DATA / entry["path"]).tocsr().astype(float)
        with gzip.open(DATA / entry["labels"], "rt") as lines:
            y = np.array(lines.read().split("\n")[: X.shape[0]])
    rows = np.random.default_rng(0).permutation(X.shape[0])[:MOST]
    X, y = X[rows], pd.factorize(y[rows])[0]
    if sparse.issparse(X):
        found = np.asarray((X > 0).sum(axis=0)).ravel()
        X, found = X[:, found >= 2], found[found >= 2]
        X.data = 1 + np.log(X.data)
        X = normalize(X @ sparse.diags(np.log(X.shape[0] / found) + 1))
        X = normalize(TruncatedSVD(min(100, X.shape[1] - 1), random_state=0).fit_transform(X))
    return X, y


def candidates(X: np.ndarray) -> karat.labelings.Labelings:
    labelings = {}
    trees = {name: fastcluster.linkage(X, name) for name in ("ward", "average")}
    for k in KS:
        labelings[f"kmeans {k}"] = KMeans(k, n_init=3, random_state=0).fit_predict(X)
        for name, tree in trees.items():
            labelings[f"{name} {k}"] = cut_dendrogram(tree, n_clusters=k)
    return karat.labelings.as_labelings(labelings)


def chosen_on_half(batch: karat.labelings.Labelings, y: np.ndarray, order: np.ndarray) -> float:
    """The plain form: fewest errors of the majority labels on one half, tested on the other."""
    first, rest = order[: len(order) // 2], order[len(order) // 2 :]
    best = None
    for codes, k in zip(batch.codes, batch.n_clusters, strict=True):
        counts = np.zeros((k, y.max() + 1))
        np.add.at(counts, (codes[first], y[first]), 1)
        counts[counts.sum(axis=1) == 0] = counts.sum(axis=0)
        labels = counts.argmax(axis=1)
        key = ((labels[codes[first]] != y[first]).sum(), k)
        if best is None or key < best[0]:
            best = key, int((labels[codes[rest]] != y[rest]).sum())
    n = len(y) - len(order)
    return b_max(len(rest), n, best[1], DELTA) / n


def row(batch, X, y, m: int, seed: int) -> dict[str, float]:
    order = sample(len(y), m, random_state=seed)
    few = np.full(len(y), None, dtype=object)
    few[order] = y[order]
    found = karat.guarantee(batch, few, DELTA, order=order)
    always = karat.guarantee(batch, few, DELTA, anytime=True, order=order)
    mdl = karat.pac_mdl_bound(batch, few, DELTA).best
    hidden = np.setdiff1d(np.arange(len(y)), order)
    with threadpool_limits(1):
        classifier = supervised_yardstick(X, few, DELTA, random_state=seed)["bound_rate"].min()
    return {
        "true error": float((found.labels[hidden] != y[hidden]).mean()),
        "pac-mdl": mdl.bound_rate,
        "half, plain": chosen_on_half(batch, y, order),
        "guarantee": found.bound_rate,
        "anytime": always.bound_rate,
        "classifier": float(classifier),
        "constant": mdl.constant_bound_rate,
        "from half": float(found.method == "half"),
        "broken": float((found.labels[hidden] != y[hidden]).sum() > found.bound),
    }


def tightness(draws: int) -> None:
    rows = []
    for name in SETS:
        X, y = read(name)
        with threadpool_limits(1):
            batch = candidates(X)
        for m in (20, 40, 100):
            if 2 * m <= len(y):
                mean = pd.DataFrame([row(batch, X, y, m, seed) for seed in range(draws)]).mean()
                rows.append({"set": name, "classes": y.max() + 1, "m": m, **mean})
        print(pd.DataFrame(rows[-3:]).round(3).to_string(index=False, header=len(rows) <= 3))
    table = pd.DataFrame(rows)
    print(table.drop(columns="set").groupby("m").mean().round(3).to_string())
    at_100 = table[table["m"] == 100]
    goals = {
        "half and pac-mdl": at_100[["half, plain", "pac-mdl"]].min(axis=1),
        "these and the classifier": at_100[["half, plain", "pac-mdl", "classifier"]].min(axis=1),
    }
    for title, goal in goals.items():
        reached = (at_100["guarantee"] <= goal + 0.01).sum()
        print(f"m = 100: at most the best of {title} + 0.01 in {reached} of {len(at_100)} sets")
    at_40 = table[(table["m"] == 40) & (table["true error"] < 0.35)]
    reached = (at_40["guarantee"] <= 0.75 * at_40["constant"]).sum()
    print(f"m = 40, error < 0.35: at most 0.75 × the constant's in {reached} of {len(at_40)} sets")


def speed() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 2_000)
    many = np.array(
        [np.where(rng.random(2_000) < 0.7, truth, rng.integers(0, 12, 2_000)) for _ in range(1_000)]
    )
    batch = karat.labelings.as_labelings(many)
    few = np.full(2_000, None, dtype=object)
    order = sample(2_000, 100, random_state=0)
    few[order] = truth[order]
    karat.guarantee(batch, few, order=order)
    for title, options in (("fixed", {}), ("anytime", {"anytime": True})):
        began = time.process_time()
        for _ in range(5):
            karat.guarantee(batch, few, order=order, **options)
        took = (time.process_time() - began) / 5
        print(f"1,000 candidates, 2,000 objects, 100 labels, {title}: {took * 1e3:.0f} ms of CPU")
    m = np.arange(1, 2_001)
    began = time.process_time()
    b_always(m, 100_000 - m, m // 10, DELTA)
    print(f"b_always for m = 1..2,000 of 100,000: {(time.process_time() - began) * 1e3:.0f} ms")


def strata(draws: int = 100) -> None:
    """Draws from strata whose error rates a pilot of 20 labels each has found, beside one draw."""
    for m, rates in ((200, [0.02, 0.5]), (600, [0.02, 0.5]), (600, [0.01, 0.05, 0.5])):
        size = 6_000 // len(rates)
        codes = np.repeat(np.arange(len(rates)), size)
        truth = np.concatenate([np.arange(size) < round(rate * size) for rate in rates])
        given = allocate([size] * len(rates), [(20 * rate + 1) / 22 for rate in rates], m)
        found = []
        for seed in range(draws):
            rows = stratified_sample(codes, given, random_state=seed)
            wrong = np.full(len(codes), None, dtype=object)
            wrong[rows] = truth[rows]
            errors = int(truth[sample(len(codes), m, random_state=seed)].sum())
            one = b_max(m, len(codes) - m, errors, DELTA) / (len(codes) - m)
            found.append((stratified_bound(codes, wrong, DELTA).bound_rate, one))
        mean = 100 * np.mean(found, axis=0)
        told = f"bound {mean[0]:.1f} %, one draw {mean[1]:.1f} %"
        print(f"{m} labels, strata with {rates} wrong: {told}")


def stopping(draws: int = 15) -> None:
    """Labels until a target is met, beside numbers that would have had to be known beforehand."""
    steps = range(10, 301, 10)
    for name, target in (("breast_w", 0.1), ("breast_w", 0.2), ("k1b", 0.2), ("wdbc", 0.2)):
        X, y = read(name)
        with threadpool_limits(1):
            batch = candidates(X)
        stops, met = [], np.zeros((draws, len(steps)))
        for seed in range(draws):
            order = sample(len(y), steps[-1], random_state=seed)
            stop = None
            for i, m in enumerate(steps):
                few = np.full(len(y), None, dtype=object)
                few[order[:m]] = y[order[:m]]
                fixed = karat.guarantee(batch, few, DELTA, order=order[:m])
                met[seed, i] = fixed.bound_rate <= target
                if stop is None:
                    always = karat.guarantee(batch, few, DELTA, anytime=True, order=order[:m])
                    stop = m if always.bound_rate <= target else None
            stops.append(stop or steps[-1] + 10)
        reached = [next((m for m, r in zip(steps, met.mean(axis=0), strict=True) if r >= q), None)
                   for q in (0.5, 0.9)]  # fmt: skip
        print(
            f"{name}, target {target:.0%}: stopped after {np.mean(stops):.0f} labels on average; "
            f"fixed numbers that reach it in 5 and in 9 of 10 draws: {reached}"
        )


def prunings(draws: int = 20) -> None:
    """The guarantee with 200 random prunings of a Ward dendrogram among the candidates."""
    for name in SETS[:2] + ("ionosphere", "optdigits", "pendigits_test"):
        X, y = read(name)
        with threadpool_limits(1):
            batch = candidates(X)
        drawn = random_prunings(fastcluster.linkage_vector(X, "ward"), 200)
        more = {f"pruning {i}": labels for i, labels in enumerate(drawn)}
        both = karat.labelings.as_labelings(dict(zip(batch.names, batch.codes, strict=True)) | more)
        for m in (40, 100):
            rates = np.empty((2, draws))
            for seed in range(draws):
                order = sample(len(y), m, random_state=seed)
                few = np.full(len(y), None, dtype=object)
                few[order] = y[order]
                rates[:, seed] = [
                    karat.guarantee(some, few, DELTA, order=order).bound_rate
                    for some in (batch, both)
                ]
            change = rates[1] - rates[0]
            print(
                f"{name}, {m} labels: {rates[0].mean():.3f}, with prunings {rates[1].mean():.3f}: "
                f"{change.mean():+.3f} ± {change.std(ddof=1) / draws**0.5:.3f}"
            )


def main() -> None:
    if "prunings" in sys.argv:
        prunings()
        return
    speed()
    strata()
    if not (DATA / "datasets.json").exists():
        print("the shared data are not here")
        return
    stopping()
    tightness(int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 10)


if __name__ == "__main__":
    main()
