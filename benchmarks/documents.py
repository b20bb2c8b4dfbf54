"""Clusterers of documents beside fifteen lines of SciPy: objective, time, memory.

``python -m benchmarks.documents [NAME ...]``, with names of the parts that ``main`` lists; all but
the long ones by default. The texts are looked for as by sortal-lab (``SORTAL_DATA``).
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import sortal
from benchmarks.large import command
from sortal.clusterers import CriterionClustering, InformationTheoreticKMeans, SphericalKMeans
from sortal.text import TermWeighter
from sortal_lab.banerjee2004_collections import COLLECTIONS, collection
from sortal_lab.data import locate, records

K = 20
OURS, THEIRS = 10, 50


def scipy_spherical(X: Any, k: int, seed: int, labels: Any = None) -> tuple[Any, float]:
    """Spherical k-means as one writes it with SciPy; X has unit rows."""
    rng = np.random.default_rng(seed)
    n = X.shape[0]
    if labels is None:
        seeds = X[np.sort(rng.choice(n, k, replace=False))]
        labels = np.asarray((X @ seeds.T).todense()).argmax(axis=1)
    while True:
        member = sparse.csr_array((np.ones(n), (labels, np.arange(n))), shape=(k, n))
        sums = np.asarray((member @ X).todense())
        lengths = np.linalg.norm(sums, axis=1)
        new = np.asarray(X @ (sums / np.where(lengths > 0, lengths, 1)[:, None]).T).argmax(axis=1)
        if (new == labels).all():
            return labels, float(lengths.sum())
        labels = new


def information() -> None:
    print("KL k-means, as many clusters as classes, best of 10: objective in nats and error in %")
    for name in [c for c in COLLECTIONS if c != "cmu-newsgroup-clean-1000"]:
        data = collection(name, np.random.default_rng(0))
        k = int(data.y.max()) + 1
        batch = InformationTheoreticKMeans(k, init="k-means++", refine=False, random_state=0)
        moves = InformationTheoreticKMeans(k, random_state=0)
        line = f"{name:26s}"
        for model in (batch, moves):
            labels = model.fit(data.counts).labels_
            line += f"{model.objective_:10.1f}{100 * (1 - sortal.purity(data.y, labels)):6.1f}"
        labels = SphericalKMeans(k, random_state=0).fit(data.X).labels_
        print(f"{line}   SPKMeans{100 * (1 - sortal.purity(data.y, labels)):6.1f}", flush=True)


def objectives() -> None:
    print(f"sum of cosines, k = {K}: {OURS} starts of ours, best of {THEIRS} of SciPy's")
    for name in ("cmu-different-1000", "classic3", "yahoo"):
        data = collection(name, np.random.default_rng(0)).X
        X = sparse.csr_array(data)[np.diff(data.indptr) > 0]
        began = time.process_time()
        theirs = max(scipy_spherical(X, K, seed)[1] for seed in range(THEIRS))
        middle = time.process_time()
        found = {}
        for what, model in (
            ("plain", SphericalKMeans(K, refine=False, n_init=OURS, random_state=0)),
            ("first variation", SphericalKMeans(K, n_init=OURS, random_state=0)),
        ):
            start = time.process_time()
            found[what] = (model.fit(X).objective_, time.process_time() - start)
        told = ", ".join(f"{w} {o:.1f} ({s:.1f} s)" for w, (o, s) in found.items())
        print(f"  {name:20s} SciPy {theirs:.1f} ({middle - began:.1f} s), {told}", flush=True)


def fitted(model: Any, X: Any) -> tuple[float, float, int]:
    """Seconds of processors and by the clock, and peak bytes beside X of another fit."""
    began, seen = time.process_time(), time.perf_counter()
    model.fit(X)
    seconds, wall = time.process_time() - began, time.perf_counter() - seen
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, wall, peak


def size_of(X: Any) -> int:
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


def newsgroups() -> Any:
    data = collection("cmu-newsgroup-clean-1000", np.random.default_rng(0)).X
    return data[np.diff(data.indptr) > 0]


def time_and_memory() -> None:
    X = newsgroups()
    size = size_of(X)
    print(f"20 Newsgroups: {X.shape[0]:,} × {X.shape[1]:,}, {X.nnz:,} entries, {size / 1e6:.0f} MB")
    seeds = np.sort(np.random.default_rng(0).choice(X.shape[0], K, replace=False))
    start = np.asarray(X[seeds].todense())
    model = SphericalKMeans(K, refine=False, init=start)
    model.fit(X[:500])
    for repeat in range(3):
        began = time.process_time()
        model.fit(X)
        middle = time.process_time()
        labels = np.asarray(X @ start.T).argmax(axis=1)
        _, objective = scipy_spherical(X, K, 0, labels)
        theirs = time.process_time() - middle
        ours = middle - began
        print(
            f"  run {repeat + 1}: ours {ours:.2f} s, SciPy {theirs:.2f} s, ratio "
            f"{theirs / ours:.2f}; objectives {model.objective_:.2f}, {objective:.2f}",
            flush=True,
        )
    for name, one in (
        ("plain", SphericalKMeans(K, refine=False, n_init=1, random_state=0)),
        ("first variation", SphericalKMeans(K, n_init=1, random_state=0)),
        ("soft moVMF", sortal.clusterers.VonMisesFisherMixture(K, n_init=1, random_state=0)),
    ):
        seconds, _, peak = fitted(one, X)
        print(
            f"  {name:16s} {seconds:6.2f} s, objective {one.objective_:.2f}, "
            f"{peak / size:.2f} × the matrix beside it",
            flush=True,
        )


def incremental() -> None:
    X = newsgroups()
    print("I2 direct beside batch spherical k-means, the same kind of start")
    pairs = []
    for seed in range(8):
        took, reached = [], []
        for model in (
            SphericalKMeans(K, refine=False, init="random", n_init=1, random_state=seed),
            CriterionClustering(K, n_init=1, random_state=seed),
        ):
            if seed == 0:
                model.fit(X[:500])
            began = time.process_time()
            reached.append(model.fit(X).objective_)
            took.append(time.process_time() - began)
        pairs.append((*took, *reached))
    batch, moves, one, other = np.mean(pairs, axis=0)
    ratios = sorted(m / b for b, m, *_ in pairs)
    better = sum(o > e for *_, e, o in pairs)
    print(
        f"  {moves:.2f} s against {batch:.2f} s, {moves / batch:.2f} times ({ratios[0]:.2f} to "
        f"{ratios[-1]:.2f}); objective {other:.1f} against {one:.1f}, higher in {better} of 8"
    )


def ohscal() -> None:
    X = TermWeighter("tf-idf").fit_transform(sparse.csr_array(sparse.load_npz(locate("ohscal"))))
    print(f"ohscal: {X.shape[0]:,} × {X.shape[1]:,}, {X.nnz:,} entries, {size_of(X) / 1e6:.0f} MB")
    for key, k in (
        ("spectral-symmetric", 10),
        ("spectral-random-walk", 10),
        ("spectral-unnormalized", 10),
        ("i2-bisection", 100),
        ("nc-nmf", 10),
        ("pca-kmeans", 10),
        ("i2-agglomerative", 10),
        ("h1-agglomerative", 10),
    ):
        make = sortal.clusterers.catalogue[key].make
        make(2, 0).fit(X[:200])
        seconds, wall, peak = fitted(make(k, 0), X)
        print(
            f"  {key:22s} k = {k:3d}: {seconds:6.1f} s of processors, {wall:6.1f} s by the clock, "
            f"{peak / 1e6:4.0f} MB",
            flush=True,
        )


def study() -> None:
    X = newsgroups()
    print("the study of 20 Newsgroups, k = 2..30, six clusterers, 3 starts")
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, sortal.Study(X, metric="cosine") as one:
        one.sweep(k=range(2, 31), n_init=3)
        print(f"  swept in {time.perf_counter() - began:.0f} s", flush=True)
        one.report(Path(folder) / "report.html")
        print(f"  with report {time.perf_counter() - began:.0f} s", flush=True)


def corpus(n: int, terms: int = 60_000, topics: int = 50, seed: int = 0) -> tuple[Any, Any]:
    """Counts of single precision, made in blocks: Zipf's law with a vocabulary for each topic."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(topics, n, p=rng.dirichlet(np.full(topics, 3.0)))
    every = np.cumsum(1 / np.arange(1, terms + 1))
    own = np.cumsum(1 / np.arange(10, 2010))
    words = np.array([rng.permutation(np.arange(200, terms))[:2000] for _ in range(topics)])
    blocks = []
    for start in range(0, n, 20_000):
        topic = truth[start : start + 20_000]
        lengths = rng.negative_binomial(3, 3 / 103, len(topic))
        rows = np.repeat(np.arange(len(topic), dtype=np.int32), lengths)
        tokens = np.searchsorted(every, rng.random(len(rows)) * every[-1]).astype(np.int32)
        about = np.flatnonzero(rng.random(len(rows)) < 0.3)
        ranks = np.searchsorted(own, rng.random(len(about)) * own[-1])
        tokens[about] = words[topic[rows[about]], ranks]
        counts = sparse.coo_array(
            (np.ones(len(rows), np.float32), (rows, tokens)), shape=(len(topic), terms)
        )
        blocks.append(counts.tocsr())
    return sparse.csr_array(sparse.vstack(blocks, format="csr")), truth


def many(n: int = 500_000, k: int = 50) -> None:
    counts, truth = corpus(n)
    X = TermWeighter("tf-idf").fit_transform(counts)
    size = size_of(X)
    print(f"synthetic: {n:,} × {X.shape[1]:,}, {X.nnz:,} entries, {size / 1e6:.0f} MB, k = {k}")
    part = X[:100_000]
    for what, rows, model in (
        ("batch steps alone", part, SphericalKMeans(k, refine=False, n_init=1, random_state=0)),
        ("with single moves", part, SphericalKMeans(k, n_init=1, random_state=0)),
    ):
        seconds, _, peak = fitted(model, rows)
        print(
            f"  {what:17s} {rows.shape[0]:9,} documents: {seconds:6.1f} s, mean cosine "
            f"{model.objective_ / rows.shape[0]:.4f}, {model.n_iter_} steps, ARI with the topics "
            f"{sortal.adjusted_rand_index(truth[: rows.shape[0]], model.labels_):.3f}, "
            f"{peak / size_of(rows):.2f} × the matrix beside it",
            flush=True,
        )


def passages(n: int = 200_000, words: int = 24) -> None:
    """``sortal run`` on a JSONL of as many passages of the articles' bodies."""
    import pandas as pd

    found = []
    for article in records("20newsgroups"):
        said = article["text"].partition("\n\n")[2].split()
        for start in range(0, len(said) - words + 1, words):
            found.append((article["group"], " ".join(said[start : start + words])))
    chosen = np.random.default_rng(0).permutation(len(found))[:n]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with open(folder / "passages.jsonl", "w", encoding="utf-8") as file:
            for i in chosen:
                file.write(json.dumps({"text": found[i][1]}) + "\n")
        print(f"sortal run on {len(chosen):,} passages of {words} words, k = 2..10", flush=True)
        seconds, peak, told = command(
            "run", str(folder / "passages.jsonl"), "--text-column", "text",
            "--report", str(folder / "r.html"), "--labels", str(folder / "labels.csv"),
        )  # fmt: skip
        labels = pd.read_csv(folder / "labels.csv")["cluster"]
        size = (folder / "r.html").stat().st_size / 1e6
    alike = sortal.normalized_mutual_information([found[i][0] for i in chosen], labels)
    print(
        f"  {seconds:.0f} s, {peak:.2f} GB, {told['best']['name']}, NMI with the groups "
        f"{alike:.3f}, report {size:.1f} MB"
    )


PARTS = {
    "objectives": objectives,
    "information": information,
    "newsgroups": time_and_memory,
    "incremental": incremental,
    "ohscal": ohscal,
    "many": many,
    "study": study,
    "passages": passages,
}
LONG = ("many", "study", "passages")


def main() -> None:
    for name in sys.argv[1:] or [part for part in PARTS if part not in LONG]:
        PARTS[name]()


if __name__ == "__main__":
    main()
