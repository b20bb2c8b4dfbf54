"""Generated tasks that the judge learns from: random data, candidates, evidence, in shards.

The protocol. The judge is trained on generated tasks only. Its form, its evidence, the number and
depth of its trees and its calibration are chosen on groups of kinds that are excluded from
training as a whole (:data:`GROUP_OF`). The real collections are a test set: they are opened once,
when the packaged file is final, and what is tried after that is listed beside the result.

A task is made again from its kind and number, so shards keep evidence and no data. A shard has one
task of each kind. Shards that are there are not made again.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.judge import gather
from sortal_lab.cases import OWN, TrainingCase
from sortal_lab.choice_corpus import (
    FEWEST,
    FoundLabelings,
    agreement,
    arrays_of,
    case_from,
    write,
)
from sortal_lab.choice_kinds import KINDS
from sortal_lab.choice_labelings import own_labelings
from sortal_lab.choice_shapes import CLOUDS, SHAPES

if TYPE_CHECKING:
    from sortal.typing import Floats, Ints
    from sortal_lab.choice_shapes import Rng


#: kinds that are excluded from training together, by the name of the group
GROUPS = {
    "mixtures": [*(f"{form} mixture" for form in
                   ("gaussian", "uniform", "skewed", "lognormal", "heavy")), "nested"],
    "curves": ["rings", "moons", "spirals", "lines", "chains", "blobs and rings", "uneven curves"],
    "densities": ["densities", "boxes"],
    "many": ["many"],
    "warped": ["warped", "merged", "regions"],
    "tables": ["table", "copulas", "factors", "processes"],
    "categories": ["binary", "latent classes", "ranked", "mixed", "mixed tables"],
    "images": ["manifolds", "glyphs"],
    "series": ["spectra", "series"],
    "embeddings": ["embeddings", "topics"],
    "counts": ["counts"],
}  # fmt: skip
GROUP_OF = {kind: group for group, kinds in GROUPS.items() for kind in kinds}
#: objects of a task: at least, usually at most, at most, and the share of large ones
SMALLEST, USUAL, LARGEST, LARGE_SHARE = 60, 350, 5000, 0.02
#: numbers of clusters beyond ten that are tried where there are more than ten classes
FURTHER = (12, 15, 20, 25, 30, 40, 50, 60)
#: shares of the sweep's fits that are made, and of the tasks with spectral clustering
FITTED, SPECTRAL = {"gaussian-mixture": 0.35}, 0.4
USUALLY_FITTED = 0.5
#: features from which on Gaussian mixtures are not fitted
WIDE = 60
#: labelings of users that every task has, and how many more
ALWAYS, MORE = ("truth with 0 % noise", "truth with 10 % noise"), 6
#: clusterings with errors, so that errors are no sign of a person; tasks from this number on have
#: them, and the shares of wrong objects
DAMAGED, FIRST_DAMAGED, WRONG = 2, 22, (0.05, 0.1, 0.2)


def kinds() -> list[str]:
    """Every kind of generated task, those without classes last."""
    return [*GROUP_OF, *CLOUDS]


def draw(kind: str, number: int) -> tuple[Floats, Ints, Rng]:
    """Data of a task, its classes, and the generator that made them."""
    rng = np.random.default_rng(zlib.crc32(repr(("generated", kind, number)).encode()))
    large = rng.random() < LARGE_SHARE
    low, high = (USUAL, LARGEST) if large else (SMALLEST, USUAL)
    n = int(np.exp(rng.uniform(np.log(low), np.log(high))))
    X, y = {**KINDS, **SHAPES, **CLOUDS}[kind](rng, n)
    order = rng.permutation(len(X))
    return np.asarray(X[order], dtype=np.float64), y[order], rng


def case_of(kind: str, number: int) -> TrainingCase | None:
    """Task with part of a sweep and labelings of users; None with too few candidates."""
    X, y, rng = draw(kind, number)
    labelings = FoundLabelings()
    with warnings.catch_warnings(action="ignore"):
        _sweep(X, 10 if kind in CLOUDS else int(y.max()) + 1, rng, labelings)
        if len(labelings.sources) < FEWEST:
            return None
        of_users = list(own_labelings(X, y.astype(np.int64), rng))
        chosen = rng.permutation(len(of_users))[:MORE]
        for j, (label, labels) in enumerate(of_users):
            if label in ALWAYS or j in chosen:
                labelings.take(OWN + label, labels)
        if number >= FIRST_DAMAGED:
            _damage(labelings, rng)
        codes = np.stack([codes for codes, _ in labelings.sources.values()])
        evidence = gather(X, codes)
    cloud = kind in CLOUDS
    reached = [0.0 if cloud else agreement(code, y) for code in codes]
    return TrainingCase(
        f"{kind}/{number}",
        "cloud" if cloud else "generated",
        GROUP_OF.get(kind, kind),
        evidence,
        np.array([reached]),
        tuple(frozenset(sources) for _, sources in labelings.sources.values()),
    )


def _sweep(X: Floats, n_classes: int, rng: Rng, labelings: FoundLabelings) -> None:
    """Random part of the default sweep."""
    from sklearn.cluster import KMeans
    from sklearn.manifold import spectral_embedding
    from sklearn.neighbors import kneighbors_graph

    from sortal.clusterers import catalogue

    n = len(X)
    numbers = [*range(2, 11), *(k for k in FURTHER if n_classes > 10 and k <= n // 4)]

    def some(key: str) -> list[int]:
        kept = rng.random(len(numbers)) < FITTED.get(key, USUALLY_FITTED)
        return [k for k, keep in zip(numbers, kept, strict=True) if keep]

    for key in ("ward", "average", "genie"):
        tree = catalogue[key].make(2, 0).fit(X)
        for k in some(key):
            labelings.take(key, tree.cut(k))
    for k in some("kmeans"):
        labelings.take("kmeans", KMeans(k, n_init=1, random_state=0).fit_predict(X))
    for k in some("gaussian-mixture") if X.shape[1] < WIDE else ():
        labelings.take("gaussian-mixture", catalogue["gaussian-mixture"].make(k, 0).fit_predict(X))
    if rng.random() < SPECTRAL:
        graph = kneighbors_graph(X, min(20, n - 1), include_self=True)
        most = min(max(numbers), n - 2)
        E = spectral_embedding(
            0.5 * (graph + graph.T), n_components=most, drop_first=False, random_state=0
        )
        for k in some("spectral"):
            labels = KMeans(k, n_init=2, random_state=0).fit_predict(E[:, :k])
            labelings.take("spectral", labels)
    for key in ("hdbscan", "hdbscan-filled"):
        for size in catalogue[key].values:
            if size <= n and rng.random() < USUALLY_FITTED:
                labelings.take(key, catalogue[key].make(int(size), 0).fit_predict(X))


def _damage(labelings: FoundLabelings, rng: Rng) -> None:
    """Add clusterings of the sweep with some objects exchanged, as labelings of users."""
    swept = [codes for codes, names in labelings.sources.values()
             if any(not name.startswith(OWN) for name in names)]  # fmt: skip
    for i in rng.permutation(len(swept))[:DAMAGED]:
        share, labels = rng.choice(WRONG), swept[i].copy()
        wrong = rng.random(len(labels)) < share
        labels[wrong] = rng.permutation(labels[wrong])
        labelings.take(f"{OWN}clustering with {100 * share:.0f} % noise", labels)


# -- shards --------------------------------------------------------------------------------------


def make_shards(
    folder: Path, numbers: Iterable[int], say: Callable[[str], None] | None = None
) -> None:
    """Make the shards of these numbers that the folder lacks."""
    from threadpoolctl import threadpool_limits

    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        path = shard_path(folder, number)
        if path.exists():
            continue
        arrays: dict[str, Any] = {}
        with threadpool_limits(1):
            for kind in kinds():
                case = case_of(kind, number)
                if case is not None:
                    arrays |= {f"{kind}|{key}": _short(v) for key, v in arrays_of(case).items()}
        write(path, arrays)
        if say is not None:
            say(f"shard {number}")


def shard_path(folder: Path, number: int) -> Path:
    """File of a shard."""
    return folder / f"generated-{number:04d}.npz"


def number_of(case: TrainingCase) -> int:
    """Number of the shard of a generated task."""
    return int(case.name.rpartition("/")[2])


def _short(values: Any) -> Any:
    """Values in single precision."""
    return values.astype(np.float32) if values.dtype == np.float64 else values


def cases_in(folder: Path, numbers: Iterable[int] | None = None) -> Iterator[TrainingCase]:
    """Cases of the shards of a folder, by default of all."""
    paths = (
        sorted(folder.glob("generated-[0-9][0-9][0-9][0-9].npz"))
        if numbers is None
        else [shard_path(folder, number) for number in numbers]
    )
    for path in paths:
        with np.load(path, allow_pickle=False) as file:
            by_kind: dict[str, dict[str, Any]] = {}
            for name in file.files:
                kind, _, key = name.partition("|")
                by_kind.setdefault(kind, {})[key] = file[name]
        yield from map(case_from, by_kind.values())
