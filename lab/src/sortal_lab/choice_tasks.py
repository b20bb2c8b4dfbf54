"""The tasks on which ways of choosing are compared: real tables, benchmark sets, texts."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal_lab.data import benchmark, index, points, term_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats, Ints

#: rows of a task at most
LARGEST = 1000
#: data sets that share objects are one collection
SAME = {
    "digits_test": "digits", "optdigits": "digits",
    "pendigits_test": "pendigits", "pendigits_train": "pendigits",
    "wap": "webace", "k1a": "webace", "k1b": "webace",
    "classic": "smart", "classic3": "smart", "classic4": "smart", "classic4_texts": "smart",
    "reuters_r8": "reuters", "re0": "reuters", "re1": "reuters",
    "la1": "latimes", "la2": "latimes", "oh0": "ohsumed", "ohscal": "ohsumed",
    "sipu_a1": "sipu_a", "sipu_a2": "sipu_a", "sipu_a3": "sipu_a",
    "sipu_s1": "sipu_s", "sipu_s2": "sipu_s", "sipu_s3": "sipu_s", "sipu_s4": "sipu_s",
    "graves_ring": "graves_rings", "graves_ring_noisy": "graves_rings",
    "graves_ring_outliers": "graves_rings",
    "graves_zigzag": "graves_zigzags", "graves_zigzag_noisy": "graves_zigzags",
    "graves_zigzag_outliers": "graves_zigzags",
    "other_chameleon_t4_8k": "chameleon", "other_chameleon_t7_10k": "chameleon",
    "other_chameleon_t8_8k": "chameleon",
}  # fmt: skip


@dataclass(frozen=True)
class ChoiceTask:
    """A data set to cluster, with reference labelings.

    Attributes
    ----------
    name : str
        ``collection/data set/number``.
    family : {"benchmark", "real", "terms"}
    collection : str
        Its mean counts as one.
    whole : bool
        Whether it is a data set as it is, not a part of one.
    X : ndarray of float32, shape (n, d)
    truths : ndarray of int64, shape (L, n)
        Reference labelings; ``-1`` for objects that do not count.
    """

    name: str
    family: str
    collection: str
    whole: bool
    X: NDArray[np.float32]
    truths: NDArray[np.int64]


def plan(parts: int) -> list[tuple[str, str, int]]:
    """(family, data set, number) of every task, in an order that mixes them.

    Parameters
    ----------
    parts : int
        Sub-tasks of each real table; a third of it of each benchmark set and term collection.
    """
    todo = []
    for name, entry in tables().items():
        family = family_of(entry)
        many = parts if family == "real" else parts // 3
        todo += [(family, name, i) for i in range(1 + many)]
    # whole sets first, then everything in an order that does not depend on the plan's length
    return sorted(todo, key=lambda t: (t[2] > 0, _seed(t)))


def build(task: tuple[str, str, int]) -> ChoiceTask:
    """Make one task of a plan."""
    family, name, number = task
    rng = np.random.default_rng(_seed(task))
    label = f"{family}/{name}/{number}"
    X, truths = read(name)
    collection = SAME.get(name, name)
    if number == 0:
        rows = np.sort(rng.permutation(len(X))[:LARGEST])
        Z = _scaled(X[rows], "standard") if family == "real" else X[rows]
        return ChoiceTask(label, family, collection, True, Z.astype(np.float32), truths[:, rows])
    for _ in range(100):
        if family == "benchmark":
            thinned = _thinned(X, truths, rng)
        else:
            thinned = _sub_task(X, truths, rng, rescale=family != "terms")
        if thinned is not None:
            Z, kept = thinned
            return ChoiceTask(label, family, collection, False, Z.astype(np.float32), kept)
    raise ValueError(f"{name} gives no sub-task")


def _seed(task: tuple[str, str, int]) -> int:
    """Seed of a task."""
    return zlib.crc32(repr(task).encode())


def _thinned(X: Floats, truths: Ints, rng: np.random.Generator) -> tuple[Any, Any] | None:
    """Part of a benchmark set: fewer objects, often fewer clusters, sometimes noisier."""
    keep = np.ones(len(X), dtype=bool)
    classes = np.unique(truths[0][truths[0] >= 0])
    if len(classes) > 3 and rng.random() < 0.5:
        k = int(rng.integers(2, len(classes)))
        keep = np.isin(truths[0], [-1, *rng.choice(classes, k, replace=False)])
    rows = np.flatnonzero(keep)
    most = min(len(rows), 700)
    rows = np.sort(rng.permutation(rows)[: int(rng.uniform(0.5, 0.95) * most)])
    Z = X[rows]
    if rng.random() < 0.3:
        Z = Z + rng.normal(size=Z.shape) * Z.std(axis=0) * rng.uniform(0.01, 0.06)
    if rng.random() < 0.25:
        Z = Z * np.exp(rng.normal(size=Z.shape[1]) * 0.3)
    return _checked(Z, truths[:, rows])


def _sub_task(
    X: Floats, truths: Ints, rng: np.random.Generator, *, rescale: bool
) -> tuple[Any, Any] | None:
    """Part of the classes, rows and features of a real set (whissell2012 pp. 66-67)."""
    y = truths[0]
    classes = np.unique(y[y >= 0])
    k = int(rng.integers(2, min(len(classes), 12) + 1))
    rows = np.flatnonzero(np.isin(y, rng.choice(classes, k, replace=False)))
    n = int(np.exp(rng.uniform(np.log(90), np.log(700))))
    rows = np.sort(rng.permutation(rows)[:n])
    Z = X[rows]
    if not rescale:
        return _checked(Z, truths[:, rows])
    if Z.shape[1] > 8 and rng.random() < 0.5:
        few = round(np.exp(rng.uniform(np.log(4), np.log(Z.shape[1]))))
        Z = Z[:, rng.choice(Z.shape[1], few, replace=False)]
    way = rng.choice(["standard", "standard", "standard", "range", "robust", "none", "components"])
    return _checked(_scaled(Z, way), truths[:, rows])


def _checked(Z: Floats, truths: Ints) -> tuple[Any, Any] | None:
    """The task, or None if it is too small."""
    Z = _varying(Z)
    if Z.shape[1] < 2 or len(Z) < 40 or len(np.unique(truths[0][truths[0] >= 0])) < 2:
        return None
    return Z, truths


def _varying(Z: Floats) -> Any:
    """Features that are not constant."""
    return Z[:, Z.std(axis=0) > 1e-9]


def _scaled(Z: Floats, way: str) -> Any:
    """Features scaled in one way."""
    Z = _varying(Z)
    if way == "standard":
        return (Z - Z.mean(axis=0)) / Z.std(axis=0)
    if way == "range":
        return (Z - Z.min(axis=0)) / np.ptp(Z, axis=0)
    if way == "robust":
        width = np.subtract(*np.percentile(Z, [75, 25], axis=0))
        return (Z - np.median(Z, axis=0)) / np.where(width > 0, width, Z.std(axis=0))
    if way == "components":
        Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
        U, s, _ = np.linalg.svd(Z, full_matrices=False)
        kept = max(2, int(np.searchsorted(np.cumsum(s**2) / (s**2).sum(), 0.9)) + 1)
        return U[:, :kept] * s[:kept]
    return Z


# -- reading -------------------------------------------------------------------------------------


def tables() -> dict[str, dict[str, Any]]:
    """The entries of the index that are points or term counts."""
    kinds = ("points", "term-counts")
    return {name: entry for name, entry in index().items() if entry["kind"] in kinds}


def family_of(entry: dict[str, Any]) -> str:
    """Real tables, term collections or benchmark sets."""
    if entry["kind"] == "term-counts":
        return "terms"
    return "benchmark" if str(entry["path"]).startswith("benchmarks/") else "real"


@lru_cache(maxsize=128)
def read(name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points and reference labelings (L, n), ``-1`` where an object is noise."""
    family = family_of(index()[name])
    if family == "terms":
        return _read_terms(name)
    if family == "benchmark":
        return benchmark(name)
    X, classes = points(name, impute="median")
    return X, np.unique(classes.astype(str), return_inverse=True)[1][None].astype(np.int64)


def _read_terms(name: str) -> tuple[Any, Any]:
    """Term counts as tf-idf in 100 latent dimensions, rows of length 1: cosine as distance."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.preprocessing import normalize

    counts, names = term_counts(name)
    kept = np.flatnonzero(np.diff(counts.indptr) > 0)
    if len(kept) > 2000:
        kept = np.sort(np.random.default_rng(0).permutation(kept)[:2000])
    Z = TfidfTransformer(sublinear_tf=True).fit_transform(counts[kept])
    Z = TruncatedSVD(100, random_state=0).fit_transform(Z)
    truth = np.unique(names[kept].astype(str), return_inverse=True)[1]
    return normalize(Z), truth[None].astype(np.int64)
