"""The engine of every resampling method: draws, fits, and labels carried to other objects."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, TypeVar, Unpack

import numpy as np
from scipy import sparse

from sortal.clusterers import Clusterer, LinkageClustering, as_clusterer, catalogue, under
from sortal.clusterers.lloyd import MOST_FEATURES, QuickKMeans, as_columns
from sortal.distances import RELATIONS, check_metric, check_points
from sortal.distances.neighbors import NeighborLists, nearest_among, neighbor_lists
from sortal.labelings.labels import encode
from sortal.runtime.executors import Workers
from sortal.runtime.threads import in_threads
from sortal.runtime.validation import InputError, check_random_state
from sortal.stability.progress import CountingPool

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.base import ClassifierMixin

    from sortal.typing import ArrayLike, Estimator, Metric, RandomState, Rows

    Codes = NDArray[np.int32]
    Positions = NDArray[np.int64]
    #: a clusterer by name, as a record, or as an estimator
    ClustererLike: TypeAlias = str | Clusterer | Estimator
    #: a classifier by name, or an estimator with ``fit`` and ``predict``
    ClassifierLike: TypeAlias = str | ClassifierMixin

T = TypeVar("T")
R = TypeVar("R")

#: limit of cost: saves longer lists of the neighbours that serve every subsample
LIST_LENGTH = 60
#: limit of cost: saves further starts of each fit of k-means by name; an estimator has as many as
#: it says
KMEANS_STARTS = 10


@dataclass
class Engine:
    """A clusterer on one data set, fitted again and again to parts of it.

    Attributes
    ----------
    X : ndarray or csr_array
        The data, or the matrix of distances with ``metric="precomputed"``.
    clusterer : Clusterer
    metric : str or callable
    random_state : int
        Every draw and every fit has a generator of its own that follows from it, so that the
        result does not depend on the number of workers.
    """

    X: Any
    clusterer: Clusterer
    metric: Metric = "euclidean"
    random_state: int = 0
    #: threads, or what has the data elsewhere
    executor: ThreadPoolExecutor | CountingPool | Workers | None = None
    _lists: list[NeighborLists] = field(default_factory=list)

    @property
    def n(self) -> int:
        """Number of objects."""
        return int(self.X.shape[0])

    @property
    def options(self) -> ResamplingOptions:
        """The options that this engine was prepared with."""
        return {
            "metric": self.metric, "random_state": self.random_state, "executor": self.executor,
        }  # fmt: skip

    def generator(self, *keys: int) -> np.random.Generator:
        """The random generator of one draw."""
        return np.random.default_rng([self.random_state, *keys])

    def part(self, rows: Positions) -> Any:
        """The data of the objects in ``rows``."""
        return self.X[np.ix_(rows, rows)] if self.metric in RELATIONS else self.X[rows]

    @cached_property
    def quick(self) -> QuickKMeans | None:
        """k-means without scikit-learn's milliseconds around each fit, where this is k-means."""
        dense = isinstance(self.X, np.ndarray) and self.X.shape[1] <= MOST_FEATURES
        takes_k = self.clusterer.parameter == "n_clusters" and not self.clusterer.every_k
        if not dense or self.metric != "euclidean" or not takes_k:
            return None
        quick = QuickKMeans.of(self.clusterer.make(2, 0))
        if quick is not None and self.clusterer == catalogue["kmeans"]:
            return replace(quick, n_init=KMEANS_STARTS)
        return quick

    def fit(
        self, rows: Positions | None, ks: Sequence[int], rng: np.random.Generator
    ) -> list[Codes]:
        """Labels of the objects in ``rows`` (all where None), one array per number of clusters."""
        data = self.X if rows is None else self.part(rows)
        n = data.shape[0]
        columns = None if self.quick is None else as_columns(data)
        # the seed for one number does not depend on which others are asked for
        first = int(rng.integers(2**31 - 1))
        seeds = [(first + 104_729 * k) % (2**31 - 1) for k in ks]
        if self.clusterer.every_k:
            tree = self.clusterer.make(1, seeds[0]).fit(data)
            if isinstance(tree, LinkageClustering):
                return list(tree.cut(list(ks)))
            return [encode(tree.cut(k)).codes for k in ks]
        fits: list[Codes] = []
        for k, seed in zip(ks, seeds, strict=True):
            if k == 1 and self.clusterer.parameter == "n_clusters":
                fits.append(np.zeros(n, dtype=np.int32))
            elif self.quick is not None and columns is not None:
                fits.append(self.quick.labels(columns, k, seed))
            else:
                fits.append(encode(self.clusterer.make(k, seed).fit_predict(data)).codes)
        return fits

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """``function`` of every item, in order, on all cores."""
        from threadpoolctl import threadpool_limits

        pending = list(items)
        if isinstance(self.executor, Workers):
            pickled = _without(self.X, function)
            return list(self.executor.map(_call, (self.X, pickled), pending))
        if self.executor is not None:
            return list(self.executor.map(function, pending))
        # without BLAS nothing is to be limited, and the search for libraries takes milliseconds
        with nullcontext() if self.quick is not None else threadpool_limits(1):
            return in_threads(function, pending)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "executor": None}

    def neighbors(self) -> NeighborLists:
        """Nearest neighbours of every object, searched once for all subsamples."""
        if not self._lists:
            length = min(LIST_LENGTH, self.n - 1)
            workers = self.executor if isinstance(self.executor, Workers) else None
            self._lists.append(neighbor_lists(self.X, length, metric=self.metric, executor=workers))
        return self._lists[0]


def _without(X: Rows, function: Callable[..., Any]) -> bytes:
    """A function as bytes that do not contain X, which it refers to."""
    import cloudpickle

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        def persistent_id(self, value: object) -> bool | None:
            return True if value is X else None

    file = io.BytesIO()
    Pickler(file).dump(function)
    return file.getvalue()


def _call(X: Rows, pickled: bytes, item: object) -> Any:
    """Result of a pickled function of an item, with X back in place."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, _: object) -> Any:
            return X

    return Unpickler(io.BytesIO(pickled)).load()(item)


class ResamplingOptions(TypedDict, total=False):
    """Options that every resampling method takes: distance, seed, and where the resamples run."""

    metric: Metric
    random_state: RandomState
    executor: object


def prepare(X: ArrayLike, clusterer: ClustererLike, **options: Unpack[ResamplingOptions]) -> Engine:
    """Engine of a resampling method, after input validation.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    clusterer : str, Clusterer or estimator
    **options
        As for :func:`prediction_strength`.

    Returns
    -------
    Engine
    """
    metric = check_metric(options.get("metric", "euclidean"))
    random_state, executor = options.get("random_state", 0), options.get("executor")
    data = check_points(X, metric)
    if data.shape[0] < 4:
        raise InputError(f"resampling needs at least 4 objects; got {data.shape[0]}")
    if not isinstance(random_state, (int, np.integer)):
        random_state = int(check_random_state(random_state).integers(2**31 - 1))
    record = under(as_clusterer(clusterer), metric)
    if executor is not None and not isinstance(executor, (ThreadPoolExecutor, CountingPool)):
        executor = Workers.of(executor)
    return Engine(data, record, metric, int(random_state), executor)


def check_numbers(k: int | Iterable[int], most: int) -> list[int]:
    """Numbers of clusters, ascending, each between 1 and the objects that a fit has."""
    numbers = sorted({int(v) for v in (k if isinstance(k, Iterable) else [k])})
    if not numbers or numbers[0] < 1 or numbers[-1] > most:
        raise InputError(
            f"k must be numbers of clusters between 1 and {most:,}, the objects in each fit; "
            f"got {numbers}"
        )
    return numbers


def check_draws(n_resamples: int, fraction: float | None = None) -> None:
    """Raise for numbers of resamples and fractions that cannot be used."""
    if n_resamples < 2:
        raise InputError(f"the number of resamples must be at least 2; got {n_resamples}")
    if fraction is not None and not 0 < fraction < 1:
        raise InputError(f"fraction must be between 0 and 1, exclusive; got {fraction}")


def subsample(n: int, fraction: float, rng: np.random.Generator) -> Positions:
    """Objects drawn without replacement, ascending.

    Parameters
    ----------
    n : int
    fraction : float
        Share of the objects, at least two of them.
    rng : Generator

    Returns
    -------
    ndarray of int64
    """
    return np.sort(rng.choice(n, max(2, round(fraction * n)), replace=False)).astype(np.int64)


def halves(n: int, rng: np.random.Generator) -> tuple[Positions, Positions]:
    """A random split into two halves, each ascending.

    Parameters
    ----------
    n : int
    rng : Generator

    Returns
    -------
    (ndarray of int64, ndarray of int64)
    """
    order = rng.permutation(n)
    return np.sort(order[: n // 2]), np.sort(order[n // 2 :])


# -- labels for other objects ----------------------------------------------------------------


def transfer(
    engine: Engine, classifier: ClassifierLike, train: Positions, labels: Codes, test: Positions
) -> NDArray[np.int32]:
    """Labels of the ``test`` objects from a classifier trained on the labelled ``train`` objects.

    Parameters
    ----------
    engine : Engine
    classifier : {"neighbors", "centroid"} or estimator
        The five nearest labelled objects, the nearest mean, or a scikit-learn classifier.
        Neighbour lists are searched once.
    train, test : ndarray of int64
        Objects.
    labels : ndarray of int32
        Of the ``train`` objects; outliers (``-1``) do not train, and are never predicted.

    Returns
    -------
    ndarray of int32
    """
    if labels.min(initial=0) < 0:
        train, labels = train[labels >= 0], labels[labels >= 0]
    if len(train) == 0:
        return np.full(len(test), -1, dtype=np.int32)
    if classifier == "neighbors":
        return _by_neighbors(engine, train, labels, test)
    if engine.metric in RELATIONS:
        raise InputError(
            f"classifier={classifier!r} needs the objects' features; with a matrix of distances "
            "use classifier='neighbors'"
        )
    if isinstance(classifier, str):
        if classifier != "centroid":
            raise InputError(
                "classifier must be 'neighbors', 'centroid' or an estimator with fit and predict; "
                f"got {classifier!r}"
            )
        return _by_centroids(engine, train, labels, test)
    from sklearn.base import clone

    model = clone(classifier).fit(engine.X[train], labels)
    return np.asarray(model.predict(engine.X[test]), dtype=np.int32)


def _by_centroids(
    engine: Engine, train: Positions, labels: Codes, test: Positions
) -> NDArray[np.int32]:
    """Labels of the test objects by the nearest mean."""
    X = engine.X
    if not sparse.issparse(X):
        from sortal._kernels.resamples import nearest_means

        predicted = np.empty(len(test), dtype=np.int32)
        nearest_means(X, train, labels, test, predicted)
        return predicted
    present, codes = np.unique(labels, return_inverse=True)
    member = sparse.csr_array(
        (np.ones(len(codes)), (codes, np.arange(len(codes)))), (len(present), len(codes))
    )
    means = (member @ X[train] / np.bincount(codes)[:, None]).toarray()
    # ‖x − m‖² without ‖x‖², which is the same for every mean
    nearest = ((means**2).sum(axis=1) - 2 * (X[test] @ means.T)).argmin(axis=1)
    return np.asarray(present[nearest], dtype=np.int32)


def _by_neighbors(
    engine: Engine, train: Positions, labels: Codes, test: Positions, r: int = 5
) -> NDArray[np.int32]:
    """Labels of the test objects by the vote of their nearest labelled neighbours."""
    position = np.full(engine.n, -1, dtype=np.int64)
    position[train] = np.arange(len(train))
    lists = position[engine.neighbors().indices[test]]
    labelled = lists >= 0
    voting = labelled & (np.cumsum(labelled, axis=1) <= r)
    short = np.flatnonzero(voting.sum(axis=1) < min(r, len(train)))
    k = int(labels.max()) + 1
    rows, columns = np.nonzero(voting)
    voters = labels[lists[rows, columns]]
    votes = np.zeros((len(test), k))
    np.add.at(votes, (rows, voters), 1.0)
    # a tie goes to the nearest: an earlier voter weighs a little more
    np.add.at(votes, (rows, voters), 1e-3 / (1 + columns))
    out = votes.argmax(axis=1).astype(np.int32)
    if len(short):
        # far from all that were drawn
        out[short] = labels[nearest_among(engine.X, train, test[short], engine.metric)]
    return out
