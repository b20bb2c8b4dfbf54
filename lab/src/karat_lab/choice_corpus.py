"""What the studies of the tasks found: candidates, their evidence, their agreement with experts."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.judge.features import Evidence, gather
from karat_lab.choice_tasks import Task, build
from karat_lab.training import Case

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUMBERS = tuple(range(2, 11))
#: a task with fewer distinct candidates teaches nothing
FEWEST = 5


def agreement(labels: NDArray[Any], truth: NDArray[Any]) -> float:
    """Adjusted Rand index on the objects that count, outliers as clusters of one."""
    from sklearn.metrics import adjusted_rand_score

    out = labels < 0
    labels = labels.astype(np.int64)
    labels[out] = labels.max() + 1 + np.arange(out.sum())
    counts = truth >= 0
    return float(adjusted_rand_score(truth[counts], labels[counts]))


def case_of(given: tuple[str, str, int]) -> Case | None:
    """Cluster a task, look at the candidates, compare them with the reference labelings.

    Parameters
    ----------
    given : (family, data set or kind, number)
        An entry of :func:`karat_lab.choice_tasks.plan`.

    Returns
    -------
    Case or None
        None where there are fewer than five distinct candidates.
    """
    from threadpoolctl import threadpool_limits

    task = build(given)
    X = np.asarray(task.X, dtype=np.float64)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        codes, found_by = _candidates(X)
        if len(codes) < FEWEST:
            return None
        evidence = gather(X, codes, found_by)
    return Case(
        task.name,
        task.family,
        task.collection,
        evidence,
        _agreements(task, codes),
        task.whole,
        codes.astype(np.int16),
        task.truths[0].astype(np.int16),
    )


def _agreements(task: Task, codes: NDArray[np.int32]) -> NDArray[np.float64]:
    if (task.truths <= 0).all():
        return np.zeros((1, len(codes)))
    return np.array([[agreement(code, truth) for code in codes] for truth in task.truths])


def _candidates(X: NDArray[np.float64]) -> tuple[NDArray[np.int32], list[frozenset[str]]]:
    """The default sweep with two starts, and one embedding for spectral clustering."""
    from karat.clusterers import catalogue
    from karat.labelings import encode

    found: dict[bytes, tuple[NDArray[np.int32], set[str]]] = {}

    def take(clusterer: str, labels: Any) -> None:
        if labels.max() > 0:
            codes = encode(labels).codes.astype(np.int32)
            found.setdefault(codes.tobytes(), (codes, set()))[1].add(clusterer)

    for key in ("ward", "average", "genie"):
        tree = catalogue[key].make(2, 0).fit(X)
        for k in NUMBERS:
            take(key, tree.cut(k))
    for key, starts in (("kmeans", 2), ("gaussian-mixture", 1)):
        for k in NUMBERS:
            for seed in range(starts):
                take(key, catalogue[key].make(k, seed).fit_predict(X))
    for labels in _spectral(X):
        take("spectral", labels)
    for key in ("hdbscan", "hdbscan-filled"):
        for size in catalogue[key].values:
            if size <= len(X):
                take(key, catalogue[key].make(int(size), 0).fit_predict(X))
    if not found:
        return np.empty((0, len(X)), dtype=np.int32), []
    return np.stack([codes for codes, _ in found.values()]), [
        frozenset(names) for _, names in found.values()
    ]


def _spectral(X: NDArray[np.float64]) -> list[Any]:
    from sklearn.cluster import KMeans
    from sklearn.manifold import spectral_embedding
    from sklearn.neighbors import kneighbors_graph

    graph = kneighbors_graph(X, min(20, len(X) - 1), include_self=True)
    E = spectral_embedding(
        0.5 * (graph + graph.T), n_components=max(NUMBERS), drop_first=False, random_state=0
    )
    return [KMeans(k, n_init=4, random_state=0).fit_predict(E[:, :k]) for k in NUMBERS]


# -- keeping -------------------------------------------------------------------------------------


def keep(case: Case | None, path: Path) -> None:
    """Write a case to one ``.npz`` file without pickled objects; an empty one for None."""
    arrays: dict[str, Any] = {}
    if case is not None:
        e = case.evidence
        arrays = {
            "about": np.array(json.dumps([case.name, case.family, case.collection, case.whole])),
            "clusterers": np.array([json.dumps(sorted(names)) for names in e.clusterers]),
            "own": e.own,
            "sizes": e.sizes,
            "stability": e.stability,
            "against_null": e.against_null,
            "data": e.data,
            "agreement": e.agreement,
            "reached": case.agreement,
            "codes": case.codes,
            "truth": case.truth,
            **{f"measure {key}": values for key, values in e.measures.items()},
        }
    part = path.with_suffix(".part.npz")
    np.savez_compressed(part, **arrays)
    part.replace(path)


def kept(path: Path) -> Case | None:
    """Inverse of :func:`keep`."""
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    if not arrays:
        return None
    name, family, collection, whole = json.loads(str(arrays["about"]))
    start = len("measure ")
    evidence = Evidence(
        arrays["own"],
        arrays["sizes"],
        arrays["stability"],
        arrays["against_null"],
        arrays["data"],
        arrays["agreement"],
        {key[start:]: arrays[key] for key in arrays if key.startswith("measure ")},
        tuple(frozenset(json.loads(str(names))) for names in arrays["clusterers"]),
    )
    return Case(
        name,
        family,
        collection,
        evidence,
        arrays["reached"],
        whole,
        arrays["codes"],
        arrays["truth"],
    )
