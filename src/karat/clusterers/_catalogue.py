"""The one list of clusterers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

from karat.clusterers.linkage import LinkageClustering
from karat.registry import Registry
from karat.validation import InputError

#: (value of the swept parameter, seed) -> an estimator with ``fit_predict``
Make: TypeAlias = Callable[[int, int], Any]


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
        is that of the swept ``parameter``. Must be picklable, as must the estimator.
    parameter : {"n_clusters", "min_cluster_size"}
        What is swept.
    values : tuple of int
        The values of a parameter other than ``n_clusters`` that a sweep tries by default.
    seeded : bool, optional
        Whether another seed may give another clustering; if not, one start is enough. By default
        this is so if the estimator, or one within it, has a ``random_state``.
    every_k : bool
        Whether one fit serves every number of clusters: the fitted estimator has ``cut(k)``.
    source : str
        Where it is defined.
    cost : str
        Time complexity of one fit.
    """

    key: str
    title: str
    make: Make = field(repr=False)
    parameter: Literal["n_clusters", "min_cluster_size"] = "n_clusters"
    values: tuple[int, ...] = ()
    seeded: bool | None = None
    every_k: bool = False
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


catalogue: Registry[Clusterer] = Registry("clusterer", "karat.clusterers")


def as_clusterer(given: Any) -> Clusterer:
    """The clusterer that a name, a record or any estimator with ``fit_predict`` stands for.

    Parameters
    ----------
    given : str, Clusterer or estimator
        An estimator is cloned for each fit; its ``n_clusters`` (or ``n_components``) and every
        ``random_state``, also of estimators within it, are set where it has them.

    Returns
    -------
    Clusterer

    Raises
    ------
    InputError
        For an unknown name, or an object without ``fit_predict``.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from karat.clusterers import as_clusterer
    >>> as_clusterer(KMeans(algorithm="elkan")).key
    'KMeans'
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
    parameters = given.get_params() if hasattr(given, "get_params") else {}
    swept = next((name for name in ("n_clusters", "n_components") if name in parameters), None)
    if swept is None:
        raise InputError(
            f"{type(given).__name__} has neither n_clusters nor n_components, so there is nothing "
            "to sweep; run it yourself and pass its labels to Study.add"
        )
    return Clusterer(
        key=type(given).__name__,
        title=type(given).__name__,
        make=partial(_configured, given, swept),
    )


def _configured(estimator: Any, swept: str, value: int, seed: int) -> Any:
    from sklearn.base import clone

    fresh = clone(estimator)
    seeds = dict.fromkeys(_random_states(fresh), seed)
    return fresh.set_params(**{swept: value, **seeds})


def _kmeans(k: int, seed: int) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(n_clusters=k, n_init=1, random_state=seed)


def _bisecting_kmeans(k: int, seed: int) -> Any:
    from sklearn.cluster import BisectingKMeans

    return BisectingKMeans(n_clusters=k, random_state=seed, bisecting_strategy="largest_cluster")


def _spectral(k: int, seed: int) -> Any:
    from karat.clusterers.spectral import SpectralClustering

    return SpectralClustering(n_clusters=k, random_state=seed)


def _gaussian_mixture(k: int, seed: int) -> Any:
    from sklearn.mixture import GaussianMixture

    return GaussianMixture(n_components=k, random_state=seed)


def _hdbscan(min_cluster_size: int, seed: int) -> Any:
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(min_cluster_size=min_cluster_size, copy=True)


def _informativeness(k: int, seed: int) -> Any:
    from karat.clusterers.informativeness_agglomeration import InformativenessAgglomeration

    return InformativenessAgglomeration(n_clusters=k, random_state=seed)


def _genie(k: int, seed: int) -> Any:
    from karat.clusterers.genie import GenieClustering

    return GenieClustering(n_clusters=k)


def _linkage(method: str, k: int, seed: int) -> Any:
    return LinkageClustering(n_clusters=k, method=method)


catalogue.add(
    Clusterer(
        key="kmeans",
        title="k-means",
        make=_kmeans,
        source="Lloyd 1982; starts of Arthur & Vassilvitskii 2007",
        cost="O(n k d) per iteration",
    )
)
catalogue.add(
    Clusterer(
        key="bisecting-kmeans",
        title="Bisecting k-means",
        make=_bisecting_kmeans,
        source="Steinbach, Karypis & Kumar 2000",
        cost="O(n d log k) per iteration",
    )
)
for _method, _title, _cost in (
    ("single", "Single linkage", "O(n² d)"),
    ("complete", "Complete linkage", "O(n² d), memory O(n²)"),
    ("average", "Average linkage (UPGMA)", "O(n² d), memory O(n²)"),
    ("ward", "Ward linkage", "O(n² d)"),
):
    catalogue.add(
        Clusterer(
            key=_method,
            title=_title,
            make=partial(_linkage, _method),
            every_k=True,
            source="Müllner 2013",
            cost=_cost,
        )
    )
catalogue.add(
    Clusterer(
        key="genie",
        title="Genie",
        make=_genie,
        every_k=True,
        source="Gagolewski, Bartoszuk & Cena 2016",
        cost="O(n² d)",
    )
)
catalogue.add(
    Clusterer(
        key="spectral",
        title="Spectral clustering",
        make=_spectral,
        source="Ng, Jordan & Weiss 2002; Shi & Malik 2000",
        cost="O(n² d) for the graph, then k eigenvectors",
    )
)
catalogue.add(
    Clusterer(
        key="gaussian-mixture",
        title="Gaussian mixture",
        make=_gaussian_mixture,
        source="Dempster, Laird & Rubin 1977",
        cost="O(n k d²) per iteration",
    )
)
catalogue.add(
    Clusterer(
        key="hdbscan",
        title="HDBSCAN",
        make=_hdbscan,
        parameter="min_cluster_size",
        values=(5, 10, 15, 25, 50, 100),
        source="Campello, Moulavi & Sander 2013",
        cost="O(n² d) at worst",
    )
)


catalogue.add(
    Clusterer(
        key="informativeness-agglomeration",
        title="Informativeness agglomeration",
        make=_informativeness,
        source="whissell2012 chapter 8",
        cost="O(n² d) for the neighbours, then merges",
    )
)
