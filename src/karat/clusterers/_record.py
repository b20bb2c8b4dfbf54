"""What a sweep has to know of a clusterer, and the clusterer that any estimator stands for."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from karat.clusterers._metric_adapter import OnDistances
from karat.runtime.registry import Registry
from karat.runtime.validation import InputError

#: (value of the swept parameter, seed[, metric]) -> an estimator with ``fit_predict``
Make: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Clusterer:
    """All that a sweep has to know of one clusterer.

    Attributes
    ----------
    key : str
        Its name in tables and on the command line.
    title : str
        Its name in prose.
    make : callable
        ``make(value, seed)`` gives a scikit-learn estimator with ``fit_predict``, where ``value``
        is that of the swept ``parameter``; ``make(value, seed, metric=...)`` where it takes any
        distance, or more than one. Must be picklable, as must the estimator.
    distances : tuple of str
        The distances that it takes: names of :data:`karat.distances.METRICS`, or

        - ``"any"``: every symmetric distance, a matrix of them too;
        - ``"euclidean"`` (default): it forms means of the objects. Under distances that are
          Euclidean on another form of the rows (cosine on unit rows) it is given that form;
        - ``"features"``: the data as it is, whatever distance judges;
        - ``"graph"``: the symmetric matrix of affinities of a graph.
    parameter : str
        What is swept.
    values : tuple of numbers
        The values of a parameter other than ``n_clusters`` that a sweep tries by default.
    seeded : bool, optional
        Whether another seed may give another clustering; if not, one start is enough. By default
        this is so if the estimator, or one within it, has a ``random_state``.
    every_k : bool
        Whether one fit serves every number of clusters: the fitted estimator has ``cut(k)``.
    growth : float
        The power of the number of objects that the time of one fit grows with.
    whole_to : int
        Up to so many objects a study fits it to all of them, above to a sample of 5,000 (which
        is the least that this can be).
    cells : bool
        Whether its estimator has ``fit_cells(means, sizes)``, for all objects as cells of objects
        that are near one another where a study does not fit it to all of them.
    threads : bool
        Whether fits in threads of one process run beside each other, and none can end it.
    source, cost : str
        Where it is defined, and the time complexity of one fit.
    """

    key: str
    title: str
    make: Make = field(repr=False)
    distances: tuple[str, ...] = ("euclidean",)
    parameter: str = "n_clusters"
    values: tuple[float, ...] = ()
    seeded: bool | None = None
    every_k: bool = False
    growth: float = 2.0
    whole_to: int = 0
    cells: bool = False
    threads: bool = False
    source: str = ""
    cost: str = ""

    @property
    def depends_on_seed(self) -> bool:
        """``seeded`` where it is given; otherwise whether there is a ``random_state``."""
        if self.seeded is not None:
            return self.seeded
        return bool(_random_states(self.make(self.values[0] if self.values else 2, 0)))


def _random_states(estimator: Any) -> list[str]:
    """Names of the parameters that are seeds, those of nested estimators included."""
    parameters = estimator.get_params() if hasattr(estimator, "get_params") else {}
    return [name for name in parameters if name.split("__")[-1] == "random_state"]


#: estimators of scikit-learn whose time grows linearly with the number of objects
#: and up to how many objects a fit is a matter of seconds
_LINEAR = {
    "KMeans": sys.maxsize,
    "MiniBatchKMeans": sys.maxsize,
    "BisectingKMeans": sys.maxsize,
    "Birch": sys.maxsize,
    "GaussianMixture": 20_000,
}

#: clusterers by name; other packages add theirs by the entry point ``karat.clusterers``
catalogue: Registry[Clusterer] = Registry("clusterer", "karat.clusterers")


def as_clusterer(given: Any, parameter: str | None = None) -> Clusterer:
    """The clusterer that a name, a record or any estimator with ``fit_predict`` stands for.

    Parameters
    ----------
    given : str, Clusterer or estimator
        An estimator is cloned for each fit; its ``n_clusters`` (or ``n_components``; of a pipeline
        those of the last step) and every ``random_state`` are set. What its attribute
        ``distances`` says it takes, as that of :class:`Clusterer`; without one, any distance if
        it has a parameter ``metric`` at its default, the data as it is if that is set or it is a
        pipeline, and otherwise Euclidean space.
    parameter : str, optional
        What to sweep instead of the number of clusters.

    Returns
    -------
    Clusterer

    Raises
    ------
    InputError
        For an unknown name, or an object without ``fit_predict``.

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN, KMeans
    >>> from karat.clusterers import as_clusterer
    >>> as_clusterer(KMeans(algorithm="elkan")).key
    'KMeans'
    >>> as_clusterer(DBSCAN(), "eps").distances
    ('any',)
    """
    if isinstance(given, Clusterer):
        return given
    if isinstance(given, str):
        return catalogue[given]
    if isinstance(given, type) or not hasattr(given, "fit_predict"):
        names = ", ".join(catalogue)
        raise InputError(
            f"{given!r} is not a clusterer; give a name ({names}) or an estimator instance with "
            "fit_predict"
        )
    name = type(given).__name__
    if type(given).__name__ == "Pipeline":
        name = type(given.steps[-1][1]).__name__
    parameters = given.get_params() if hasattr(given, "get_params") else {}
    wanted = (parameter,) if parameter else ("n_clusters", "n_components")
    swept = next((one for one in wanted if _own(given, one) in parameters), None)
    if swept is None:
        raise InputError(
            f"{name} has neither n_clusters nor n_components, so there is nothing to sweep; name "
            'a parameter and its values, e.g. sweep(DBSCAN(), grid={"eps": [0.1, 0.2]}), or run '
            "it yourself and pass its labels to Study.add"
            if parameter is None
            else f"{name} has no parameter {parameter!r}"
        )
    return Clusterer(
        key=name,
        title=name,
        make=partial(configured, given, _own(given, swept)),
        distances=_taken(given, parameters),
        growth=1.0 if name in _LINEAR else 2.0,
        whole_to=_LINEAR.get(name, 0),
        parameter="n_clusters" if parameter in (None, "n_clusters", "n_components") else parameter,
    )


def _own(estimator: Any, name: str) -> str:
    """The name of a parameter; of a pipeline, that of its last step."""
    steps = getattr(estimator, "steps", None)
    return f"{steps[-1][0]}__{name}" if steps and "__" not in name else name


def _taken(estimator: Any, parameters: dict[str, Any]) -> tuple[str, ...]:
    stated = getattr(estimator, "distances", None)
    if stated is not None:
        return (stated,) if isinstance(stated, str) else tuple(stated)
    if hasattr(estimator, "steps"):
        return ("features",)
    if "metric" not in parameters or parameters.get("linkage") == "ward":
        return ("euclidean",)
    default = inspect.signature(type(estimator)).parameters["metric"].default
    return ("any",) if parameters["metric"] == default else ("features",)


def configured(estimator: Any, swept: str, value: Any, seed: int, metric: Any = None) -> Any:
    """A fresh estimator with its swept parameter, seed and distance set."""
    from sklearn.base import clone

    fresh = clone(estimator)
    fresh.set_params(**{swept: value, **dict.fromkeys(_random_states(fresh), seed)})
    own = _taken(estimator, estimator.get_params()) != ("any",)
    if metric in (None, "euclidean") or own:
        return fresh
    if hasattr(type(fresh), "__module__") and type(fresh).__module__.startswith("karat."):
        return fresh.set_params(metric=metric)
    return OnDistances(fresh, metric)
