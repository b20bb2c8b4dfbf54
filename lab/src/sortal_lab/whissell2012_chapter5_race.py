"""The race of whissell2012 chapter 5: collections, weights, algorithms, numbers of clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bench import Benchmark
from sortal.clusterers import CriterionClustering, NormalizedCutNMF, PCAKMeans, catalogue
from sortal.text import TermWeighter
from sortal_lab.data import term_counts

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

SETS = ("fbis", "re0", "re1", "tr31", "tr41", "tr45", "wap")
#: the thesis chose k1 = 20 on these, and tested it on the others
CHOSE_K1 = ("fbis", "tr31")
TESTED = tuple(which for which in SETS if which not in CHOSE_K1)
#: those of the quick look
QUICK_SETS = ("tr31", "tr45", "hitech", "k1b")
FRESH = ("la1", "la2", "hitech", "reviews", "ohscal", "k1b", "classic")
#: documents of each collection: the first, or so many drawn at random
FIRST = {"fbis": 2000}
DRAWN = 1000
#: BM25 of the tf-idf weights; formula 5.9 saturates the counts, and then multiplies by idf
SATURATED = "saturated tf-idf"
#: of the authors' toolkit CLUTO, which by default scales the columns of sparse data by idf
CLUTO = ("RB-I2", "Direct-I2", "Agglo-I2", "RB-H1", "Direct-H1", "Agglo-H1")
ON_IDF = " on idf columns"
STARTS = 20
KS = range(2, 31)
SPECTRAL = {
    "Spect-Un": "spectral-unnormalized",
    "Spect-RW": "spectral-random-walk",
    "Spect-Sy": "spectral-symmetric",
}
MEASURES = {
    "NMI": "normalized_mutual_information",
    "FQ": "f_quality",
    "PQ": "purity",
    "EQ": "entropy_quality",
}


def scale(samples: int | None) -> tuple[int, list[int]]:
    """Starts, and the numbers of clusters: the middles of as many equal parts of 2..30.

    With ``samples=0``, the quick look, one start and the middle of 2..30.
    """
    if samples is None:
        return STARTS, list(KS)
    number = min(len(KS), max(1, 3 * samples))
    middles = min(KS) + len(KS) * (np.arange(number) + 0.5) / number
    return min(max(1, 5 * samples), STARTS), sorted({int(k) for k in middles})


def of_scale(sets: Sequence[str], samples: int | None) -> tuple[str, ...]:
    """The collections; with ``samples=0`` those of the quick look."""
    return tuple(s for s in sets if s in QUICK_SETS) if samples == 0 else tuple(sets)


def algorithms(starts: int) -> dict[str, Any]:
    """The seventeen of table 5.2, under the cosine."""
    from sklearn.cluster import BisectingKMeans, KMeans

    clusterers: dict[str, Any] = {
        "K-means": KMeans(init="random", n_init=starts),
        "PAM": catalogue["kmedoids"],
        "RB-K-means": BisectingKMeans(
            init="random", n_init=starts, bisecting_strategy="largest_cluster"
        ),
        **{name: catalogue[key] for name, key in SPECTRAL.items() if key in catalogue},
        "PCA-K": PCAKMeans(n_init=starts),
        "NC-NMF": NormalizedCutNMF(n_init=max(starts // 5, 1)),
        "UPGMA": catalogue["average"],
        "Slink": catalogue["single"],
        "Clink": catalogue["complete"],
    }
    tries = min(starts, 10)
    for criterion in ("I2", "H1"):
        clusterers |= {
            f"RB-{criterion}": CriterionClustering(
                criterion=criterion, method="bisection", n_init=tries
            ),
            f"Direct-{criterion}": CriterionClustering(criterion=criterion, n_init=tries),
            f"Agglo-{criterion}": catalogue[f"{criterion.lower()}-agglomerative"],
        }
    return clusterers


def weigh(counts: Any, weight: Any) -> Any:
    """Weighted rows of length 1."""
    if weight == SATURATED:
        counts, weight = TermWeighter("tf-idf", norm=None).fit_transform(counts), "bm25-tf"
    return TermWeighter(weight).fit_transform(counts)


def cells(
    sets: Iterable[str],
    weights: Iterable[Any],
    samples: int | None,
    seed: int,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
    *,
    on_idf: bool = False,
) -> pd.DataFrame:
    """The means of the four measures over k, by weight, collection and algorithm.

    ``on_idf``: also CLUTO's algorithms on columns scaled by idf.
    """
    import pandas as pd

    starts, ks = scale(samples)
    data_sets = {}
    for which in sets:
        counts, classes = collection(which, seed)
        data_sets[which] = ({weight: weigh(counts, weight) for weight in weights}, classes)
    methods = algorithms(starts)
    races = [(data_sets, methods)]
    if on_idf:
        scaled = {
            which: ({w: weigh(X, "tf-idf") for w, X in weighted.items()}, classes)
            for which, (weighted, classes) in data_sets.items()
        }
        own = {f"{name}{ON_IDF}": methods[name] for name in CLUTO if name in methods}
        races += [(scaled, own)] if own else []
    tables = [
        Benchmark(
            data, algorithms_of_race, MEASURES.values(), k=ks, n_init=1, metric="cosine",
            storage=storage, random_state=seed,
        ).run(progress).table
        for data, algorithms_of_race in races
    ]  # fmt: skip
    table = pd.concat(tables).rename(columns={key: short for short, key in MEASURES.items()})
    by = ["representation", "set", "method"]
    # a clusterer that failed for one k has no mean over k
    kept = table.groupby(by, sort=False)[list(MEASURES)]
    means = kept.mean().where(kept.count() == len(ks))
    return means.rename_axis(["weight", "set", "algorithm"])


def collection(which: str, seed: int = 0) -> tuple[Any, NDArray[np.object_]]:
    """Counts of terms, and classes."""
    counts, classes = term_counts(which)
    rows = np.arange(min(FIRST.get(which, counts.shape[0]), counts.shape[0]))
    if which in FRESH and len(rows) > DRAWN:
        rows = np.sort(np.random.default_rng(seed).choice(len(rows), DRAWN, replace=False))
    counts, classes = counts[rows], classes[rows]
    counts = counts[:, np.flatnonzero(counts.sum(axis=0) > 0)]
    return counts, classes
