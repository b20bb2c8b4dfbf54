"""Records of clusterers for sweeps, of any estimator too, and under any distance."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from sortal.clusterers._metric_adapter import OnDistances, OnForm
from sortal.distances import FORMS, metric_name
from sortal.runtime.registry import Registry
from sortal.runtime.validation import InputError
from sortal.typing import Estimator, Metric

#: (value of the swept parameter, seed[, metric]) -> an estimator with ``fit_predict``
Make: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Clusterer:
    """Record of one clusterer, for sweeps.

    Attributes
    ----------
    key : str
        Its name in tables and on the command line.
    title : str
        Its name in prose.
    make : callable
        ``make(value, seed)`` returns a scikit-learn estimator with ``fit_predict``, where ``value``
        is that of the swept ``parameter``; ``make(value, seed, metric=...)`` where it takes any
        distance, or more than one. It must be picklable, as must the estimator.
    distances : tuple of str
        The distances that it takes: names of :data:`sortal.distances.METRICS`, or

        - ``"any"``: every symmetric distance, a matrix of them too;
        - ``"euclidean"`` (default): it forms means of the objects. Under distances that are
          Euclidean on transformed rows (cosine on unit rows) it gets those;
        - ``"features"``: the unchanged data, whatever distance judges;
        - ``"graph"``: the symmetric matrix of affinities of a graph.
    parameter : str
        Name of the swept parameter.
    values : tuple of numbers
        The values of a parameter other than ``n_clusters`` that a sweep tries by default.
    seeded : bool, optional
        Whether another seed may give another clustering; if not, one start is enough. By default
        true if the estimator, or an estimator within it, has a ``random_state``.
    every_k : bool
        Whether one fit serves every number of clusters: the fitted estimator has ``cut(k)``.
    growth : float
        The time of one fit grows with this power of the number of objects.
    whole_to : int
        A study fits it to all objects up to this number, at least 5,000. Above, it fits a sample of
        5,000.
    cells : bool
        Whether its estimator has ``fit_cells(means, sizes)``, for cells of nearby objects where a
        study does not fit it to all objects.
    threads : bool
        Whether fits can run in parallel threads of one process, and none can end it.
    source, cost : str
        Publication that defines it, and the time complexity of one fit.
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
        """``seeded`` if it is set, otherwise whether there is a ``random_state``."""
        if self.seeded is not None:
            return self.seeded
        return bool(_random_states(self.make(self.values[0] if self.values else 2, 0)))


def _random_states(estimator: Estimator) -> list[str]:
    """Names of the parameters that are seeds, including those of nested estimators."""
    parameters = estimator.get_params() if hasattr(estimator, "get_params") else {}
    return [name for name in parameters if name.split("__")[-1] == "random_state"]


#: estimators of scikit-learn whose time grows linearly with the number of objects, and the number
#: of objects up to which a fit takes seconds
_LINEAR_UP_TO = {
    "KMeans": sys.maxsize,
    "MiniBatchKMeans": sys.maxsize,
    "BisectingKMeans": sys.maxsize,
    "Birch": sys.maxsize,
    "GaussianMixture": 20_000,
}

#: clusterers by name; other packages add theirs by the entry point ``sortal.clusterers``
catalogue: Registry[Clusterer] = Registry("clusterer", "sortal.clusterers")


def as_clusterer(given: str | Clusterer | Estimator, parameter: str | None = None) -> Clusterer:
    """The clusterer for a name, a record or any estimator with ``fit_predict``.

    Parameters
    ----------
    given : str, Clusterer or estimator
        An estimator is cloned for each fit. Its ``n_clusters`` (or ``n_components``; in a pipeline
        those of the last step) and every ``random_state`` are set. Its attribute ``distances``
        means the same as in :class:`Clusterer`. Without this attribute, the estimator takes any
        distance if its parameter ``metric`` has the default. It gets the unchanged data if
        ``metric`` is set, or if it is a pipeline. Otherwise it takes Euclidean space.
    parameter : str, optional
        Parameter to sweep instead of the number of clusters.

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN, KMeans
    >>> from sortal.clusterers import as_clusterer
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
    estimator: Any = given
    name = type(estimator).__name__
    if name == "Pipeline":
        name = type(estimator.steps[-1][1]).__name__
    parameters = estimator.get_params() if hasattr(estimator, "get_params") else {}
    candidates = (parameter,) if parameter else ("n_clusters", "n_components")
    swept = next((p for p in candidates if _qualified(estimator, p) in parameters), None)
    if swept is None:
        raise InputError(
            f"{name} has neither n_clusters nor n_components, so there is nothing to sweep. Name "
            'a parameter and its values, e.g. sweep(DBSCAN(), grid={"eps": [0.1, 0.2]}). Or run '
            "it yourself and pass its labels to Study.add"
            if parameter is None
            else f"{name} has no parameter {parameter!r}"
        )
    return Clusterer(
        key=name,
        title=name,
        make=partial(configured, estimator, _qualified(estimator, swept)),
        distances=_distances_taken(estimator, parameters),
        growth=1.0 if name in _LINEAR_UP_TO else 2.0,
        whole_to=_LINEAR_UP_TO.get(name, 0),
        parameter="n_clusters" if parameter in (None, "n_clusters", "n_components") else parameter,
    )


def _qualified(estimator: Estimator, name: str) -> str:
    """Full name of a parameter, which in a pipeline is that of the last step."""
    steps = getattr(estimator, "steps", None)
    return f"{steps[-1][0]}__{name}" if steps and "__" not in name else name


def _distances_taken(estimator: Estimator, parameters: dict[str, Any]) -> tuple[str, ...]:
    """Distances that an estimator takes, as in ``Clusterer.distances``."""
    stated = getattr(estimator, "distances", None)
    if stated is not None:
        return (stated,) if isinstance(stated, str) else tuple(stated)
    if hasattr(estimator, "steps"):
        return ("features",)
    if "metric" not in parameters or parameters.get("linkage") == "ward":
        return ("euclidean",)
    default = inspect.signature(type(estimator)).parameters["metric"].default
    return ("any",) if parameters["metric"] == default else ("features",)


def configured(
    estimator: Estimator, swept: str, value: float, seed: int, metric: Metric | None = None
) -> Any:
    """Clone of an estimator with its swept parameter, seed and distance set."""
    from sklearn.base import clone

    fresh = clone(estimator)
    fresh.set_params(**{swept: value, **dict.fromkeys(_random_states(fresh), seed)})
    keeps_metric = _distances_taken(estimator, estimator.get_params()) != ("any",)
    if metric in (None, "euclidean") or keeps_metric:
        return fresh
    if hasattr(type(fresh), "__module__") and type(fresh).__module__.startswith("sortal."):
        return fresh.set_params(metric=metric)
    return OnDistances(fresh, metric)


class ExcludedError(InputError):
    """A clusterer cannot take the distance; the message says why."""


def under(clusterer: Clusterer, metric: Metric) -> Clusterer:
    """The clusterer under a distance.

    Parameters
    ----------
    clusterer : Clusterer
    metric : str or callable
        As :func:`sortal.distances.check_metric` returns it, or ``"graph"``.

    Returns
    -------
    Clusterer
        A clusterer for Euclidean space gets transformed rows, whose Euclidean distance is the
        metric, if there are such rows. Its key says so: ``"kmeans on unit rows"`` for cosine.

    Raises
    ------
    ExcludedError
        If it cannot take the distance.

    Examples
    --------
    >>> from sortal.clusterers import catalogue, under
    >>> under(catalogue["kmeans"], "cosine").key
    'kmeans on unit rows'
    """
    takes, name = clusterer.distances, metric if isinstance(metric, str) else None
    if name == "kl" and "features" not in takes:
        raise ExcludedError(
            f"{clusterer.title} needs one distance for a pair of objects, and kl depends on the "
            "direction; use symmetric_kl"
        )
    if name in takes or ("any" in takes and name != "graph"):
        if len(takes) == 1 and "any" not in takes:
            return clusterer
        return replace(clusterer, make=partial(clusterer.make, metric=metric))
    if "features" in takes and name not in ("precomputed", "graph"):
        return clusterer
    form = FORMS.get(name) if name and "euclidean" in takes else None
    if form == "":
        return clusterer
    if name and form is not None:
        return replace(
            clusterer,
            key=f"{clusterer.key} on {form}",
            title=f"{clusterer.title} on {form}",
            cells=False,
            make=partial(_on_form, clusterer.make, name),
        )
    raise ExcludedError(_exclusion_reason(clusterer, metric))


def _on_form(make: Make, metric: str, value: float, seed: int) -> OnForm:
    """Estimator on rows whose Euclidean distance is that of a metric."""
    return OnForm(make(value, seed), metric)


def _exclusion_reason(clusterer: Clusterer, metric: Metric) -> str:
    """Why a clusterer cannot take a metric."""
    title, takes = clusterer.title, clusterer.distances
    if metric == "graph":
        return f"{title} needs objects with distances, and a graph has edges alone"
    if takes == ("graph",):
        return f'{title} clusters the nodes of a graph; give one with metric="graph"'
    if metric == "precomputed":
        return f"{title} needs the objects' features, and a matrix of distances has none"
    if "euclidean" in takes:
        return f"{title} forms means of the objects, which {metric_name(metric)} distance has not"
    return f"{title} takes {' or '.join(takes)} distance, not {metric_name(metric)}"
