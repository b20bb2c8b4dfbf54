"""Cases of the corpus: candidates, their evidence, their agreement with known classes."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.judge import Evidence, Traits, gather
from sortal_lab.cases import OWN, TrainingCase
from sortal_lab.choice_labelings import own_labelings
from sortal_lab.choice_tasks import ChoiceTask, build
from sortal_lab.rivals import MEASURES

if TYPE_CHECKING:
    import numpy.typing as npt
    from numpy.typing import NDArray

NUMBERS = tuple(range(2, 11))
#: a task with fewer distinct candidates teaches nothing
FEWEST = 5


def agreement(labels: NDArray[Any], truth: NDArray[Any]) -> float:
    """Adjusted Rand index on the objects that count, outliers as clusters of one."""
    counts = truth >= 0
    a, b = outliers_alone(labels[counts]), truth[counts].astype(np.int64)
    width = b.max() + 1

    def pairs(codes: NDArray[np.int64]) -> float:
        sizes = np.bincount(codes).astype(np.float64)
        return float((sizes * (sizes - 1)).sum() / 2)

    both, first, second, every = pairs(a * width + b), pairs(a), pairs(b), len(a) * (len(a) - 1) / 2
    expected, most = first * second / every, (first + second) / 2
    return (both - expected) / (most - expected) if most > expected else 1.0


def outliers_alone(codes: NDArray[Any]) -> NDArray[np.int64]:
    """Codes with each outlier in a cluster of its own."""
    out = codes.astype(np.int64)
    noise = np.flatnonzero(out < 0)
    out[noise] = out.max(initial=0) + 1 + np.arange(len(noise))
    return out


def case_of(
    task_id: tuple[str, str, int], further: Iterable[tuple[str, NDArray[Any]]] = ()
) -> TrainingCase | None:
    """Cluster a task, look at the candidates, compare them with the reference labelings.

    Beside the candidates of a sweep there are labelings as users bring them.

    Parameters
    ----------
    task_id : (family, data set or kind, number)
        An entry of :func:`sortal_lab.choice_tasks.plan`.
    further : iterable of (source, labels)
        Candidates of further clusterers.

    Returns
    -------
    Case or None
        None where there are fewer than five distinct candidates.
    """
    from threadpoolctl import threadpool_limits

    task = build(task_id)
    X = np.asarray(task.X, dtype=np.float64)
    labelings = FoundLabelings()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _sweep(X, labelings)
        for source, labels in further:
            labelings.take(source, labels)
        if len(labelings.sources) < FEWEST:
            return None
        rng = np.random.default_rng([*task_id[1].encode(), task_id[2]])
        for label, labels in own_labelings(X, task.truths[0], rng):
            labelings.take(OWN + label, labels)
        codes = np.stack([codes for codes, _ in labelings.sources.values()])
        evidence, measures = gather(X, codes), measured(X, codes)
    return TrainingCase(
        task.name,
        task.family,
        task.collection,
        evidence,
        _agreements(task, codes),
        tuple(frozenset(sources) for _, sources in labelings.sources.values()),
        measures,
        task.whole,
        codes.astype(np.int16),
        task.truths[0].astype(np.int16),
    )


def measured(X: NDArray[np.float64], codes: NDArray[np.int32]) -> dict[str, Any]:
    """Values of the measures that rivals choose by, greater is better."""
    from sortal import evaluate
    from sortal.measures import catalogue

    table = evaluate(X, codes, measures=list(MEASURES), noise="drop")
    return {key: table[key].to_numpy(dtype=np.float64) * catalogue[key].sign for key in MEASURES}


def _agreements(task: ChoiceTask, codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Agreement of each candidate with each reference labeling."""
    if (task.truths <= 0).all():
        return np.zeros((1, len(codes)))
    return np.array([[agreement(code, truth) for code in codes] for truth in task.truths])


class FoundLabelings:
    """Distinct partitions of two clusters or more, and where each comes from."""

    def __init__(self) -> None:
        self.sources: dict[bytes, tuple[NDArray[np.int32], set[str]]] = {}

    def take(self, source: str, labels: npt.ArrayLike) -> None:
        """Add a partition, or another source of it."""
        from sortal.labelings import encode

        codes = encode(np.asarray(labels)).codes.astype(np.int32)
        inside = codes >= 0
        # clusters by first appearance, so that the same partition has the same codes
        first = np.unique(codes[inside], return_index=True)[1]
        codes[inside] = np.argsort(np.argsort(first))[codes[inside]]
        if codes.max() > 0:
            self.sources.setdefault(codes.tobytes(), (codes, set()))[1].add(source)


def _sweep(X: NDArray[np.float64], labelings: FoundLabelings) -> None:
    """The default sweep with two starts, and one embedding for spectral clustering."""
    from sortal.clusterers import catalogue

    for key in ("ward", "average", "genie"):
        tree = catalogue[key].make(2, 0).fit(X)
        for k in NUMBERS:
            labelings.take(key, tree.cut(k))
    for key, n_starts in (("kmeans", 2), ("gaussian-mixture", 1)):
        for k in NUMBERS:
            for seed in range(n_starts):
                labelings.take(key, catalogue[key].make(k, seed).fit_predict(X))
    for labels in _spectral(X):
        labelings.take("spectral", labels)
    for key in ("hdbscan", "hdbscan-filled"):
        for size in catalogue[key].values:
            if size <= len(X):
                labelings.take(key, catalogue[key].make(int(size), 0).fit_predict(X))


def _spectral(X: NDArray[np.float64]) -> list[Any]:
    """Labels by k-means on one spectral embedding."""
    from sklearn.cluster import KMeans
    from sklearn.manifold import spectral_embedding
    from sklearn.neighbors import kneighbors_graph

    graph = kneighbors_graph(X, min(20, len(X) - 1), include_self=True)
    E = spectral_embedding(
        0.5 * (graph + graph.T), n_components=max(NUMBERS), drop_first=False, random_state=0
    )
    return [KMeans(k, n_init=4, random_state=0).fit_predict(E[:, :k]) for k in NUMBERS]


# -- keeping -------------------------------------------------------------------------------------


MEASURE = "candidates measure "
OF_ALL = ("data", "agreement", "to_anchors", "among_anchors", "found_by")
OF_EACH = ("own", "sizes", "stability", "against_null", "likely", "columns")


def case_path(folder: Path, task_id: tuple[str, str, int]) -> Path:
    """File of a task in a folder that keeps cases."""
    return folder / ("_".join(map(str, task_id)).replace(" ", "-") + ".npz")


def keep(case: TrainingCase | None, path: Path) -> None:
    """Write a case to one ``.npz`` file without pickled objects; an empty one for None."""
    write(path, {} if case is None else arrays_of(case))


def write(path: Path, arrays: dict[str, Any]) -> None:
    """Write arrays to a file that is never there in part."""
    part = path.with_suffix(".part.npz")
    np.savez_compressed(part, **arrays)
    part.replace(path)


def arrays_of(case: TrainingCase) -> dict[str, Any]:
    """Plain arrays that hold a case."""
    e = case.evidence
    codes = {"codes": case.codes, "truth": case.truth} if case.codes is not None else {}
    return {
        "about": np.array(json.dumps([case.name, case.family, case.collection, case.whole])),
        "sources": np.array([json.dumps(sorted(names)) for names in case.sources]),
        "reached": case.agreement,
        **codes,
        **{f"evidence {name}": getattr(e, name) for name in OF_ALL},
        **_traits("candidates", e.traits),
        **_traits("anchors", e.anchors),
        **{MEASURE + key: values for key, values in case.measures.items()},
    }


def kept(path: Path) -> TrainingCase | None:
    """Inverse of :func:`keep`."""
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return case_from(arrays) if arrays else None


def case_from(arrays: dict[str, Any]) -> TrainingCase:
    """Inverse of :func:`arrays_of`."""
    name, family, collection, whole = json.loads(str(arrays["about"]))
    evidence = Evidence(
        _traits_from(arrays, "candidates"),
        _traits_from(arrays, "anchors"),
        **{name: arrays[f"evidence {name}"] for name in OF_ALL},
    )
    return TrainingCase(
        name,
        family,
        collection,
        evidence,
        arrays["reached"],
        tuple(frozenset(json.loads(str(names))) for names in arrays["sources"]),
        {key[len(MEASURE) :]: arrays[key] for key in arrays if key.startswith(MEASURE)},
        whole,
        arrays.get("codes"),
        arrays.get("truth"),
    )


def _traits(prefix: str, traits: Traits) -> dict[str, Any]:
    """Traits as named arrays."""
    return {f"{prefix} {name}": getattr(traits, name) for name in OF_EACH}


def _traits_from(arrays: dict[str, Any], prefix: str) -> Traits:
    """Traits from named arrays."""
    return Traits(**{name: arrays[f"{prefix} {name}"] for name in OF_EACH})
