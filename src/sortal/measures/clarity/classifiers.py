"""Classifiers that learn a clustering and predict every object out of its fold."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sortal.measures.clarity._task import PredictionTask
from sortal.runtime.executors import Workers
from sortal.runtime.threads import in_strips
from sortal.runtime.validation import InputError, check_choice, unknown_name
from sortal.typing import Floats, Ints, Rows

__all__ = [
    "THESIS",
    "Classifier",
    "KNearestNeighbors",
    "NearestCentroid",
    "Refit",
    "SupportVectorMachine",
]


@runtime_checkable
class Classifier(Protocol):
    """Interface of the classifiers behind informativeness."""

    @property
    def name(self) -> str:
        """Name in tables."""
        ...

    def out_of_fold(self, task: PredictionTask) -> NDArray[np.int32]:
        """Predicted codes (M, n), each object by a classifier trained without it."""
        ...


@dataclass(frozen=True)
class KNearestNeighbors:
    """Vote of the nearest training objects.

    One search for neighbours serves all clusterings, with leave-one-out and with folds.

    Parameters
    ----------
    n_neighbors : int
        Number of voters, or all other objects if they are fewer.
    vote : {"majority", "smallest mean"}
        The most frequent cluster, or the cluster with the smallest mean distance of its members
        among the neighbours (whissell2012 §7.4, with ten neighbours). Ties go to the cluster of
        the nearer neighbour, so clusters' names do not matter.
    name : str
    """

    n_neighbors: int = 5
    vote: Literal["majority", "smallest mean"] = "majority"
    name: str = "5nn"

    def __post_init__(self) -> None:
        check_choice(self.vote, ("majority", "smallest mean"), "vote")
        if self.n_neighbors < 1:
            raise InputError(f"n_neighbors must be at least 1; got {self.n_neighbors}")

    def out_of_fold(self, task: PredictionTask) -> NDArray[np.int32]:
        """Predicted codes (M, n)."""
        out = np.full(task.codes.shape, -1, dtype=np.int32)
        if task.folds is None:
            lists = task.neighbors(self.n_neighbors)
            k = min(self.n_neighbors, lists.n_neighbors)
            self._count(
                lists.indices[:, :k],
                lists.distances[:, :k],
                np.ascontiguousarray(task.codes.T),
                out,
            )
            return out
        for m, folds in enumerate(task.folds):
            indices, distances = _outside(task, folds, self.n_neighbors)
            self._count(indices, distances, task.codes[m][:, None], out[m : m + 1])
        return out

    def _count(
        self, indices: Ints, distances: Floats, codes: NDArray[np.int32], out: NDArray[np.int32]
    ) -> None:
        """Count the votes of all objects and write the predictions into ``out``."""
        from sortal._kernels.neighbors import majority_vote, smallest_mean_vote

        indices = np.ascontiguousarray(indices)
        distances = np.ascontiguousarray(distances)
        codes = np.ascontiguousarray(codes)

        def work(start: int, stop: int) -> None:
            if self.vote == "majority":
                majority_vote(indices, codes, start, stop, out)
            else:
                smallest_mean_vote(indices, distances, codes, start, stop, out)

        in_strips(work, out.shape[1], least=2048)


def _outside(
    task: PredictionTask, folds: NDArray[np.int32], k: int
) -> tuple[NDArray[np.int32], Floats]:
    """Indices and distances of the k nearest objects in other folds.

    Longer lists are searched until they contain k such objects.
    """
    from sortal._kernels.neighbors import outside_fold

    n_folds = int(folds.max()) + 1
    length = math.ceil(k * n_folds / (n_folds - 1)) + 10
    chosen = np.empty((len(folds), k), dtype=np.int32)
    while True:
        lists = task.neighbors(length)
        short = outside_fold(lists.indices, k, folds, chosen)
        if short == 0 or lists.n_neighbors == task.n_objects - 1:
            break
        length = 2 * lists.n_neighbors
    indices = np.take_along_axis(lists.indices, np.maximum(chosen, 0), axis=1)
    indices[chosen < 0] = -1
    return indices, np.take_along_axis(lists.distances, np.maximum(chosen, 0), axis=1)


@dataclass(frozen=True)
class NearestCentroid:
    """The cluster whose training mean is nearest, by Euclidean distance.

    Excluding an object multiplies the squared distance to its cluster's centroid by (s/(s−1))²,
    s the size of the cluster, so one pass judges all clusterings without refitting.
    Ties go to the cluster that appears first in the data.

    Parameters
    ----------
    name : str
    """

    name: str = "centroid"

    def out_of_fold(self, task: PredictionTask) -> NDArray[np.int32]:
        """Predicted codes (M, n)."""
        out = np.empty(task.codes.shape, dtype=np.int32)

        def work(start: int, stop: int) -> None:
            for m in range(start, stop):
                folds = None if task.folds is None else task.folds[m]
                _nearest_centroids(task.X, task.codes[m], int(task.n_clusters[m]), folds, out[m])

        in_strips(work, len(out), least=1)
        return out


def _is_sparse(X: object) -> bool:
    """Whether ``X`` is a SciPy sparse array or matrix."""
    from scipy import sparse

    return bool(sparse.issparse(X))


def _nearest_centroids(
    X: Rows,
    codes: NDArray[np.int32],
    k: int,
    folds: NDArray[np.int32] | None,
    out: NDArray[np.int32],
) -> None:
    """Write the out-of-fold predictions of the nearest centroid into ``out``."""
    from scipy import sparse

    n = len(codes)
    member = sparse.csr_array((np.ones(n), (codes, np.arange(n))), shape=(k, n))
    sums, sizes = _dense(member @ X), np.bincount(codes, minlength=k).astype(np.float64)
    if folds is None:
        D = _squares(X, sums / sizes[:, None])
        without_self = D[np.arange(n), codes] * (sizes / np.maximum(sizes - 1, 1))[codes] ** 2
        D[np.arange(n), codes] = np.where(sizes[codes] > 1, without_self, np.inf)
        out[:] = D.argmin(axis=1)
        return
    for fold in range(int(folds.max()) + 1):
        test = np.flatnonzero(folds == fold)
        n_left = sizes - np.bincount(codes[test], minlength=k)
        remaining_sums = sums - _dense(member[:, test] @ X[test])
        D = _squares(X[test], remaining_sums / np.maximum(n_left, 1)[:, None])
        D[:, n_left == 0] = np.inf
        out[test] = D.argmin(axis=1)


def _dense(sums: Any) -> Floats:
    """Sums of rows as a dense array."""
    return np.asarray(sums.toarray() if _is_sparse(sums) else sums, dtype=np.float64)


def _squares(X: Any, C: Floats) -> Floats:
    """Squared distances to centroids; from dot products if the data are sparse."""
    from scipy.spatial.distance import cdist

    if not _is_sparse(X):
        return cdist(X, C, "sqeuclidean")
    squares = np.asarray(X.multiply(X).sum(axis=1)).reshape(-1, 1)
    return np.maximum(squares - 2 * np.asarray(X @ C.T) + (C**2).sum(axis=1), 0)


@dataclass(frozen=True)
class Refit:
    """Any estimator with ``fit`` and ``predict``, trained for every fold.

    Parameters
    ----------
    estimator : estimator
        Cloned for every fold; a ``random_state`` of None is set, so that results repeat.
    name : str
    """

    estimator: Any
    name: str

    def out_of_fold(self, task: PredictionTask) -> NDArray[np.int32]:
        """Predicted codes (M, n); the clusterings run in parallel on ``task.executor``."""
        folds = [None] * len(task.codes) if task.folds is None else list(task.folds)
        jobs = [
            (self.estimator, row, fold, task.seed)
            for row, fold in zip(task.codes, folds, strict=True)
        ]
        if task.executor is None:
            predicted: Iterable[Any] = map(partial(_refit, task.X), jobs)
        else:
            predicted = Workers.of(task.executor).map(_refit, (task.X,), jobs)
        return np.stack(list(predicted))


def _refit(
    X: Rows, job: tuple[Any, NDArray[np.int32], NDArray[np.int32] | None, int]
) -> NDArray[np.int32]:
    """Out-of-fold predictions of clones of an estimator, for one clustering."""
    from sklearn.base import clone

    estimator, codes, folds, seed = job
    if folds is None:
        folds = np.arange(len(codes), dtype=np.int32)
    out = np.empty(len(codes), dtype=np.int32)
    for fold in range(int(folds.max()) + 1):
        test, train = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        if (codes[train] == codes[train[0]]).all():
            # many classifiers reject a single class
            out[test] = codes[train[0]]
            continue
        model = clone(estimator)
        unset = {
            key: seed
            for key, value in model.get_params().items()
            if value is None and (key == "random_state" or key.endswith("__random_state"))
        }
        model.set_params(**unset)
        out[test] = model.fit(X[train], codes[train]).predict(X[test])
    return out


@dataclass(frozen=True)
class SupportVectorMachine:
    """Weka's SMO at its defaults: polynomial kernel of degree 1, C = 1, one against one.

    Features are first scaled to [0, 1] by their range in the training folds, as SMO does. Sparse
    features are divided by their largest absolute value: zeros stay zeros.

    Parameters
    ----------
    degree : int
        Degree of the kernel (x·y)^degree.
    C : float
        Cost of margin errors.
    name : str
    """

    degree: int = 1
    C: float = 1.0
    name: str = "svm"

    def out_of_fold(self, task: PredictionTask) -> NDArray[np.int32]:
        """Predicted codes (M, n)."""
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler
        from sklearn.svm import SVC

        scaler = MaxAbsScaler() if _is_sparse(task.X) else MinMaxScaler()
        machine = SVC(kernel="poly", degree=self.degree, gamma=1.0, C=self.C)
        return Refit(make_pipeline(scaler, machine), self.name).out_of_fold(task)


def _tree() -> Classifier:
    """A decision tree by entropy, with at least two objects in each leaf."""
    from sklearn.tree import DecisionTreeClassifier

    return Refit(DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2), "tree")


#: name -> constructor of the classifier
_NAMED: dict[str, Any] = {
    "5nn": KNearestNeighbors,
    "svm": SupportVectorMachine,
    "tree": _tree,
    "centroid": NearestCentroid,
    # of e-mails, whissell2012 §7.4
    "email": partial(KNearestNeighbors, 10, "smallest mean", "email"),
}
#: the four types of whissell2012 §6.3.4
THESIS = ("5nn", "svm", "tree", "centroid")


def as_classifiers(classifiers: object) -> tuple[Classifier, ...]:
    """Classifiers with unique names, from one or many names, classifiers or estimators."""
    requested = list(classifiers) if isinstance(classifiers, (list, tuple, set)) else [classifiers]
    if not requested:
        raise InputError("there is no classifier; name at least one, e.g. '5nn'")
    chosen: list[Classifier] = []
    for candidate in requested:
        if isinstance(candidate, str):
            if candidate not in _NAMED:
                raise unknown_name(candidate, _NAMED, "classifier")
            chosen.append(_NAMED[candidate]())
        elif isinstance(candidate, Classifier):
            chosen.append(candidate)
        elif hasattr(candidate, "fit") and hasattr(candidate, "predict"):
            chosen.append(Refit(candidate, type(candidate).__name__))
        else:
            raise InputError(
                f"a classifier is one of {', '.join(map(repr, _NAMED))}, or an estimator with fit "
                f"and predict; got {candidate!r}"
            )
    names = [classifier.name for classifier in chosen]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"two classifiers are called {repeated!r}; wrap one in "
            "sortal.measures.clarity.Refit(estimator, name) to give it another name"
        )
    return tuple(chosen)
