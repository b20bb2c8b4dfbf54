"""Samples of chapter 6 of whissell2012: drawn, clustered, and kept with what was found out."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal_lab.data import points
from sortal_lab.whissell2012_sets import WHISSELL2012, make_whissell2012

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import RandomState

K = range(2, 21)
#: objects of the test part, which come last and are those of the thesis
TESTED = {"IMAGE": 2_100}
#: real data set -> file, and what differs from the one of the thesis
REAL = {
    "IMAGE": ("segment", ""),
    "ISOLET": (
        "isolet_1560",
        "1,560 objects, published another sample of 2,398, which cannot be: its 26 classes are "
        "said to have at most 52",
    ),
    "IRIS": ("iris", ""),
    "PENDIGITS": ("pendigits_train", ""),
    "WINE": ("wine", ""),
}


def cluster(X: NDArray[np.float64], rng: np.random.Generator) -> dict[str, NDArray[np.int32]]:
    """The sample's clusterings by every algorithm and number of clusters, by name."""
    import fastcluster
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    from sortal.labelings import cut_dendrogram

    def two_means(points: NDArray[np.float64], k: int) -> NDArray[np.int32]:
        seed = int(rng.integers(2**31 - 1))
        model = KMeans(k, init="random", n_init=20, random_state=seed)
        with warnings.catch_warnings():
            # coincident points stay together, and their cluster whole
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit_predict(points).astype(np.int32)

    labelings = {f"kmeans {k}": two_means(X, k) for k in K}
    labels = np.zeros(len(X), dtype=np.int32)
    for k in K:
        largest = np.flatnonzero(labels == np.bincount(labels).argmax())
        labels = labels.copy()
        labels[largest[two_means(X[largest], 2) == 1]] = k - 1
        labelings[f"bisecting {k}"] = labels
    trees = {name: fastcluster.linkage(X, name) for name in ("average", "complete", "single")}
    S = similarities(X)
    trees |= {name: criterion_tree(S, name) for name in ("E1", "I1", "I2")}
    for name, tree in trees.items():
        for k, row in zip(K, cut_dendrogram(tree, n_clusters=K), strict=True):
            labelings[f"{name} {k}"] = row
    return labelings


def similarities(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Similarities of all pairs: 1 − distance / largest distance."""
    from scipy.spatial.distance import pdist, squareform

    distances = squareform(pdist(X))
    return 1 - distances / distances.max()


def criterion_tree(S: NDArray[np.float64], criterion: str) -> NDArray[np.float64]:
    """Agglomeration by similarities S (n, n) under I1, I2 or E1, as a linkage matrix."""
    from sortal_lab import agglomeration as agglomeration

    n = len(S)
    merges = np.empty((n - 1, 2), dtype=np.int64)
    # the kernel writes into its matrix
    agglomeration.agglomerate(S.copy(), getattr(agglomeration, criterion), merges)
    node, size = np.arange(n), np.ones(n)
    tree = np.empty((n - 1, 4))
    for step, (a, b) in enumerate(merges):
        size[a] += size[b]
        tree[step] = *sorted((node[a], node[b])), step + 1, size[a]
        node[a] = n + step
    return tree


def draw(name: str, rng: np.random.Generator) -> tuple[Any, Any]:
    """A random sample: a new synthetic set, or half of a real one, unscaled.

    Objects of a real set that lack a value are dropped first.
    """
    if name in WHISSELL2012:
        return make_whissell2012(name, random_state=rng)
    X, truth = (column[-TESTED.get(name, 0) :] for column in points(REAL[name][0], scale="none"))
    rows = np.sort(rng.choice(len(X), len(X) // 2, replace=False))
    return X[rows], truth[rows]


class KeptParts:
    """Finished parts of samples, in a SQLite file or in memory; each part is some arrays."""

    def __init__(self, path: str | Path | None, seed: int) -> None:
        self.seed = seed
        self.db = sqlite3.connect(":memory:" if path is None else str(path), timeout=60)
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS chapter6_parts (dataset TEXT, sample INTEGER, "
            "seed INTEGER, part TEXT, arrays BLOB, PRIMARY KEY (dataset, sample, seed, part))"
        )

    def get(self, dataset: str, sample: int, title: str) -> dict[str, NDArray[Any]] | None:
        """The arrays of a part, None if it is not finished."""
        row = self.db.execute(
            "SELECT arrays FROM chapter6_parts WHERE dataset=? AND sample=? AND seed=? AND part=?",
            (dataset, sample, self.seed, title),
        ).fetchone()
        if row is None:
            return None
        with np.load(BytesIO(row[0])) as arrays:
            return dict(arrays)

    def put(self, dataset: str, sample: int, title: str, arrays: dict[str, Any]) -> None:
        """Store the arrays of a part."""
        file = BytesIO()
        np.savez_compressed(file, **arrays)
        with self.db:
            # two runs on one file may have made the same
            self.db.execute(
                "INSERT OR IGNORE INTO chapter6_parts VALUES (?, ?, ?, ?, ?)",
                (dataset, sample, self.seed, title, file.getvalue()),
            )

    def get_table(self, dataset: str, sample: int, title: str) -> pd.DataFrame | None:
        """A table that was put with :meth:`put_table`."""
        import pandas as pd

        arrays = self.get(dataset, sample, title)
        if arrays is None:
            return None
        return pd.DataFrame(arrays["values"], index=arrays["rows"], columns=arrays["columns"])

    def put_table(self, dataset: str, sample: int, title: str, table: pd.DataFrame) -> None:
        """Store a table."""
        names = {"rows": table.index.to_numpy(str), "columns": table.columns.to_numpy(str)}
        self.put(dataset, sample, title, {"values": table.to_numpy(float), **names})


@contextmanager
def keeping(path: str | Path | None, random_state: RandomState) -> Iterator[KeptParts]:
    """Stored parts for a seed, closed at the end."""
    if isinstance(random_state, (int, np.integer)):
        seed = int(random_state)
    else:
        seed = int(np.random.default_rng(random_state).integers(2**31 - 1))
    journal = KeptParts(path, seed)
    with closing(journal.db):
        yield journal


@dataclass(frozen=True)
class ClusteredSample:
    """A sample of a data set with its clusterings.

    Attributes
    ----------
    X : ndarray, shape (n, d)
    truth : ndarray, shape (n,)
    labels : dict of str to ndarray, shape (n,)
    seed : int
        For judging the clusterings at random.
    """

    X: NDArray[np.float64]
    truth: NDArray[Any]
    labels: dict[str, NDArray[np.int32]]
    seed: int


def drawn(dataset: str, sample: int, seed: int) -> tuple[Any, Any, np.random.Generator]:
    """Data and classes of one sample, and the stream that its clusterings continue."""
    # a stream of its own, so that a resumed run draws what a whole one draws
    place = [*WHISSELL2012, *REAL].index(dataset)
    rng = np.random.default_rng([seed, place, sample])
    return *draw(dataset, rng), rng


def sample_of(dataset: str, sample: int, journal: KeptParts) -> ClusteredSample:
    """A sample with its clusterings, stored or computed."""
    from threadpoolctl import threadpool_limits

    X, truth, rng = drawn(dataset, sample, journal.seed)
    stored = journal.get(dataset, sample, "labels")
    if stored is None:
        # small fits: threads would only wait for each other
        with threadpool_limits(1):
            labels = cluster(X, rng)
        # there are at most 20 clusters
        codes = np.stack(list(labels.values())).astype(np.int8)
        seed = rng.integers(2**31 - 1)
        stored = {"names": np.array(list(labels)), "codes": codes, "seed": np.array(seed)}
        journal.put(dataset, sample, "labels", stored)
    rows = stored["codes"].astype(np.int32)
    return ClusteredSample(
        X, truth, dict(zip(stored["names"].tolist(), rows, strict=True)), int(stored["seed"])
    )
