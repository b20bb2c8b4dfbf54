"""A clusterer from any function of the data, such as one that calls a graph library."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator, ClusterMixin

from karat.clusterers._record import Clusterer
from karat.runtime.validation import InputError


@dataclass(eq=False, repr=False)
class FunctionClusterer(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Labels that a function gives, as a scikit-learn estimator; see :func:`from_function`.

    Parameters
    ----------
    function : callable
        ``function(X, value, seed)`` gives a label for each object.
    value : object
        Of the parameter that is swept.
    random_state : int, optional
        The seed.

    Attributes
    ----------
    labels_ : array-like, shape (n,)
    """

    function: Callable[..., Any]
    value: Any = None
    random_state: int | None = None

    def fit(self, X: Any, y: Any = None) -> FunctionClusterer:
        """Call the function."""
        self.labels_ = self.function(X, self.value, self.random_state)
        return self


def from_function(
    function: Callable[..., Any],
    name: str | None = None,
    *,
    distances: str | Iterable[str] = "euclidean",
    parameter: str = "n_clusters",
    values: Iterable[float] = (),
    seeded: bool = True,
) -> Clusterer:
    """Make a clusterer of a function, to be swept beside the others.

    Parameters
    ----------
    function : callable
        ``function(X, value, seed)`` gives a label for each object, ``-1`` for outliers. X is what
        the study has: rows, the matrix of distances, or of a graph the symmetric weights as a
        CSR array. Define it in a module, so that other processes find it.
    name : str, optional
        What to call it; by default the name of the function.
    distances : str or iterable of str
        What X may be, as :class:`Clusterer` says: ``"euclidean"``, ``"features"``,
        ``"precomputed"``, ``"graph"`` or names of distances.
    parameter : str, default "n_clusters"
        What ``value`` is called in tables, e.g. ``"resolution"``.
    values : iterable of numbers
        Those of a parameter other than ``n_clusters`` that a sweep tries, unless its grid says.
    seeded : bool, default True
        Whether another seed may give other labels.

    Returns
    -------
    Clusterer

    Raises
    ------
    InputError
        For what cannot be called, or ``distances="any"``: the function does not learn which
        distance the study has.

    Notes
    -----
    With python-igraph and leidenalg, which karat does not depend on::

        def leiden(A, resolution, seed):
            graph = igraph.Graph.Weighted_Adjacency(A, mode="undirected")
            return leidenalg.find_partition(
                graph, leidenalg.RBConfigurationVertexPartition, weights="weight",
                resolution_parameter=resolution, seed=seed,
            ).membership

        study.sweep(from_function(leiden, distances="graph", parameter="resolution"),
                    grid={"resolution": [0.5, 1, 2]})

    Examples
    --------
    >>> import karat
    >>> from karat.clusterers import from_function
    >>> def halves(A, k, seed):
    ...     return [i * k // A.shape[0] for i in range(A.shape[0])]
    >>> A = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    >>> study = karat.Study(A, metric="graph")
    >>> study.sweep(from_function(halves, distances="graph", seeded=False), k=[2, 4], workers=1)
    >>> study.best().name
    'halves k=2'
    """
    if not callable(function):
        raise InputError(f"from_function takes a function of (X, value, seed); got {function!r}")
    takes = (distances,) if isinstance(distances, str) else tuple(distances)
    if "any" in takes:
        raise InputError(
            'a function is not told the distance, so distances="any" is none that it can take; '
            'name "precomputed" for a matrix of any distance'
        )
    key = name or str(getattr(function, "__name__", type(function).__name__))
    return Clusterer(
        key=key,
        title=key,
        make=partial(_made, function),
        distances=takes,
        parameter=parameter,
        values=tuple(values),
        seeded=seeded,
    )


def _made(
    function: Callable[..., Any], value: Any, seed: int, metric: Any = None
) -> FunctionClusterer:
    return FunctionClusterer(function, value, seed)
