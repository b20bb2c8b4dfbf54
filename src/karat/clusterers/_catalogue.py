"""The one list of clusterers."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from karat.clusterers._metric_adapter import OnDistances
from karat.clusterers.linkage import OF_MEANS, LinkageClustering
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
        Whether its estimator has ``fit_cells(means, sizes)``. Where a study does not fit it to all
        objects, it is then given them all as cells of objects that are near one another.
    threads : bool
        Whether fits in threads of one process run beside each other, and none can end it. A study
        starts no processes for them where a fit takes seconds at most.
    source : str
        Where it is defined.
    cost : str
        Time complexity of one fit.
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

catalogue: Registry[Clusterer] = Registry("clusterer", "karat.clusterers")


def as_clusterer(given: Any, parameter: str | None = None) -> Clusterer:
    """The clusterer that a name, a record or any estimator with ``fit_predict`` stands for.

    Parameters
    ----------
    given : str, Clusterer or estimator
        An estimator is cloned for each fit; its ``n_clusters`` (or ``n_components``) and every
        ``random_state``, also of estimators within it, are set where it has them; of a pipeline,
        the number of clusters of its last step. It takes any distance if it has a parameter
        ``metric`` that is left at its default, and works on the data as it is if that is set, or
        if it is a pipeline. Otherwise it is held for one that works in Euclidean space; an
        attribute ``distances`` as that of :class:`Clusterer` says what else it takes.
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
    from sklearn.base import clone

    fresh = clone(estimator)
    fresh.set_params(**{swept: value, **dict.fromkeys(_random_states(fresh), seed)})
    own = _taken(estimator, estimator.get_params()) != ("any",)
    if metric in (None, "euclidean") or own:
        return fresh
    if hasattr(type(fresh), "__module__") and type(fresh).__module__.startswith("karat."):
        return fresh.set_params(metric=metric)
    return OnDistances(fresh, metric)


def _kmeans(k: int, seed: int) -> Any:
    from sklearn.cluster import KMeans

    return KMeans(n_clusters=k, n_init=1, random_state=seed)


def _bisecting_kmeans(k: int, seed: int) -> Any:
    from sklearn.cluster import BisectingKMeans

    return BisectingKMeans(n_clusters=k, random_state=seed, bisecting_strategy="largest_cluster")


def _spectral(k: int, seed: int, metric: Any = "euclidean") -> Any:
    from karat.clusterers.spectral import SpectralClustering

    return SpectralClustering(n_clusters=k, metric=metric, random_state=seed)


def _spectral_of_documents(laplacian: Any, k: int, seed: int) -> Any:
    from karat.clusterers.spectral import SpectralClustering

    return SpectralClustering(
        k, metric="cosine", n_neighbors=21, laplacian=laplacian, affinity="cosine",
        random_state=seed,
    )  # fmt: skip


def _kmedoids(k: int, seed: int, metric: Any = "euclidean") -> Any:
    from karat.clusterers.kmedoids import KMedoids

    return KMedoids(n_clusters=k, metric=metric, random_state=seed)


def _clara(k: int, seed: int, metric: Any = "euclidean") -> Any:
    from karat.clusterers.kmedoids import CLARA

    return CLARA(n_clusters=k, metric=metric, random_state=seed)


def _orclus(k: int, seed: int) -> Any:
    from karat.clusterers.orclus import ORCLUS

    return ORCLUS(n_clusters=k, random_state=seed)


def _affinity_propagation(quantile: float, seed: int, metric: Any = "euclidean") -> Any:
    from karat.clusterers.affinity_propagation import QuantileAffinityPropagation

    return QuantileAffinityPropagation(quantile, metric=metric)


def _gaussian_mixture(k: int, seed: int) -> Any:
    from sklearn.mixture import GaussianMixture

    return GaussianMixture(n_components=k, random_state=seed)


def _fuzzy(k: int, seed: int) -> Any:
    from karat.clusterers.fuzzy import FuzzyCMeans

    return FuzzyCMeans(n_clusters=k, random_state=seed)


def _hdbscan(min_cluster_size: int, seed: int, metric: Any = "euclidean") -> Any:
    from sklearn.cluster import HDBSCAN

    model = HDBSCAN(min_cluster_size=min_cluster_size, copy=True)
    return model if metric == "euclidean" else OnDistances(model, metric)


def _filled_hdbscan(min_cluster_size: int, seed: int, metric: Any = "euclidean") -> Any:
    from karat.clusterers.filled import FilledHDBSCAN

    model = FilledHDBSCAN(min_cluster_size)
    return model if metric == "euclidean" else OnDistances(model, metric)


def _dbscan(eps: float, seed: int, metric: Any = "euclidean") -> Any:
    from sklearn.cluster import DBSCAN

    return DBSCAN(eps=eps) if metric == "euclidean" else OnDistances(DBSCAN(eps=eps), metric)


def _optics(min_samples: int, seed: int, metric: Any = "euclidean") -> Any:
    from sklearn.cluster import OPTICS

    model = OPTICS(min_samples=min_samples, metric="euclidean")
    return model if metric == "euclidean" else OnDistances(model, metric)


def _informativeness(k: int, seed: int) -> Any:
    from karat.clusterers.informativeness_agglomeration import InformativenessAgglomeration

    return InformativenessAgglomeration(n_clusters=k, random_state=seed)


def _spherical(refine: bool, k: int, seed: int) -> Any:
    from karat.clusterers.spherical import SphericalKMeans

    return SphericalKMeans(n_clusters=k, refine=refine, n_init=1, random_state=seed)


def _spherical_minibatch(k: int, seed: int) -> Any:
    from karat.clusterers.spherical_minibatch import MiniBatchSphericalKMeans

    return MiniBatchSphericalKMeans(n_clusters=k, n_init=1, random_state=seed)


def _frequency_sensitive(k: int, seed: int) -> Any:
    from karat.clusterers.spherical import FrequencySensitiveSphericalKMeans

    return FrequencySensitiveSphericalKMeans(n_clusters=k, n_init=1, random_state=seed)


def _mixture_of_directions(assignment: str, k: int, seed: int) -> Any:
    from karat.clusterers.von_mises_fisher import VonMisesFisherMixture

    return VonMisesFisherMixture(n_clusters=k, assignment=assignment, n_init=1, random_state=seed)


def _criterion_clustering(criterion: Any, method: Any, k: int, seed: int) -> Any:
    from karat.clusterers.criterion import CriterionClustering

    return CriterionClustering(
        k, criterion=criterion, method=method, n_init=1 if method == "direct" else 5,
        random_state=seed,
    )  # fmt: skip


def _nmf(k: int, seed: int) -> Any:
    from karat.clusterers.nmf import NormalizedCutNMF

    return NormalizedCutNMF(k, random_state=seed)


def _pca_kmeans(k: int, seed: int) -> Any:
    from karat.clusterers.pca import PCAKMeans

    return PCAKMeans(k, random_state=seed)


def _information_theoretic(k: int, seed: int) -> Any:
    from karat.clusterers.information_theoretic import InformationTheoreticKMeans

    return InformationTheoreticKMeans(n_clusters=k, n_init=1, random_state=seed)


def _genie(k: int, seed: int, metric: Any = "euclidean") -> Any:
    from karat.clusterers.genie import GenieClustering

    return GenieClustering(n_clusters=k, metric=metric)


def _linkage(method: str, k: int, seed: int, metric: Any = "euclidean") -> Any:
    return LinkageClustering(n_clusters=k, method=method, metric=metric)


catalogue.add(
    Clusterer(
        key="kmeans",
        title="k-means",
        make=_kmeans,
        growth=1.0,
        whole_to=sys.maxsize,
        threads=True,
        source="Lloyd 1982; starts of Arthur & Vassilvitskii 2007",
        cost="O(n k d) per iteration",
    )
)
catalogue.add(
    Clusterer(
        key="bisecting-kmeans",
        title="Bisecting k-means",
        make=_bisecting_kmeans,
        growth=1.0,
        whole_to=sys.maxsize,
        source="Steinbach, Karypis & Kumar 2000",
        cost="O(n d log k) per iteration",
    )
)
for _method, _title, _cost in (
    ("single", "Single linkage", "O(n² d)"),
    ("complete", "Complete linkage", "O(n² d), memory O(n²)"),
    ("average", "Average linkage (UPGMA)", "O(n² d), memory O(n²)"),
    ("weighted", "Weighted linkage (WPGMA)", "O(n² d), memory O(n²)"),
    ("centroid", "Centroid linkage (UPGMC)", "O(n² d)"),
    ("ward", "Ward linkage", "O(n² d)"),
):
    catalogue.add(
        Clusterer(
            key=_method,
            title=_title,
            make=partial(_linkage, _method),
            distances=("euclidean",) if _method in OF_MEANS else ("any",),
            every_k=True,
            # of average linkage a sample keeps more: cells' means are nearer than their objects
            cells=_method == "ward",
            source="Müllner 2013",
            cost=_cost,
        )
    )
catalogue.add(
    Clusterer(
        key="kmedoids",
        title="k-medoids",
        make=_kmedoids,
        distances=("any",),
        source="FasterPAM, Schubert & Rousseeuw 2021",
        cost="O(n² d) for the distances, O(n²) per pass",
    )
)
catalogue.add(
    Clusterer(
        key="clara",
        title="CLARA",
        make=_clara,
        distances=("any",),
        growth=1.0,
        whole_to=100_000,
        source="Kaufman & Rousseeuw 1990",
        cost="O(n k d) per sample",
    )
)
catalogue.add(
    Clusterer(
        key="orclus",
        title="ORCLUS",
        make=_orclus,
        growth=1.0,
        whole_to=100_000,
        source="Aggarwal & Yu 2000",
        cost="O(n k d²) per step, O(k² d³) for the merges",
    )
)
catalogue.add(
    Clusterer(
        key="genie",
        title="Genie",
        make=_genie,
        distances=("any",),
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
        distances=("any", "graph"),
        source="Ng, Jordan & Weiss 2002; Shi & Malik 2000",
        cost="O(n² d) for the graph, then k eigenvectors",
    )
)
catalogue.add(
    Clusterer(
        key="gaussian-mixture",
        title="Gaussian mixture",
        make=_gaussian_mixture,
        growth=1.0,
        whole_to=20_000,
        source="Dempster, Laird & Rubin 1977",
        cost="O(n k d²) per iteration",
    )
)
catalogue.add(
    Clusterer(
        key="fuzzy-cmeans",
        title="Fuzzy c-means",
        make=_fuzzy,
        growth=1.0,
        whole_to=sys.maxsize,
        source="Dunn 1973; Bezdek 1981",
        cost="O(n k d) per iteration",
    )
)
catalogue.add(
    Clusterer(
        key="hdbscan",
        title="HDBSCAN",
        make=_hdbscan,
        distances=("any",),
        parameter="min_cluster_size",
        values=(5, 10, 15, 25, 50, 100),
        source="Campello, Moulavi & Sander 2013",
        cost="O(n² d) at worst",
    )
)
catalogue.add(
    Clusterer(
        key="hdbscan-filled",
        title="HDBSCAN, outliers to the nearest cluster",
        make=_filled_hdbscan,
        distances=("any",),
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
catalogue.add(
    Clusterer(
        key="dbscan",
        title="DBSCAN",
        make=_dbscan,
        distances=("any",),
        parameter="eps",
        source="Ester, Kriegel, Sander & Xu 1996",
        cost="O(n² d) at worst",
    )
)
catalogue.add(
    Clusterer(
        key="optics",
        title="OPTICS",
        make=_optics,
        distances=("any",),
        parameter="min_samples",
        values=(5, 10, 20),
        source="Ankerst, Breunig, Kriegel & Sander 1999",
        cost="O(n² d)",
    )
)
catalogue.add(
    Clusterer(
        key="affinity-propagation",
        title="Affinity propagation",
        make=_affinity_propagation,
        distances=("any",),
        parameter="quantile",
        values=(0.0, 0.1, 0.25, 0.5),
        source="Frey & Dueck 2007",
        cost="O(n²) per iteration",
    )
)
for _key, _title, _make, _source in (
    (
        "spherical-kmeans",
        "Spherical k-means",
        partial(_spherical, False),
        "Dhillon & Modha 2001",
    ),
    (
        "spherical-kmeans-refined",
        "Spherical k-means with first variation",
        partial(_spherical, True),
        "Dhillon, Guan & Kogan 2002",
    ),
    (
        "frequency-sensitive-kmeans",
        "Frequency-sensitive spherical k-means",
        _frequency_sensitive,
        "Banerjee & Ghosh 2004",
    ),
    (
        "hard-movmf",
        "von Mises–Fisher mixture, hard",
        partial(_mixture_of_directions, "hard"),
        "Banerjee, Dhillon, Ghosh & Sra 2005",
    ),
    (
        "soft-movmf",
        "von Mises–Fisher mixture, soft",
        partial(_mixture_of_directions, "soft"),
        "Banerjee, Dhillon, Ghosh & Sra 2005",
    ),
):
    catalogue.add(
        Clusterer(
            key=_key,
            title=_title,
            make=_make,
            distances=("cosine",),
            growth=1.0,
            whole_to=100_000,
            source=_source,
            cost="O(nnz k) per iteration",
        )
    )
catalogue.add(
    Clusterer(
        key="spherical-kmeans-minibatch",
        title="Spherical k-means in mini-batches",
        make=_spherical_minibatch,
        distances=("cosine",),
        growth=1.0,
        whole_to=sys.maxsize,
        source="Sculley 2010; Dhillon & Modha 2001",
        cost="O(nnz k) per pass",
    )
)
for _key, _title, _criterion, _method in (
    ("i2-direct", "I2, direct", "I2", "direct"),
    ("h1-direct", "H1, direct", "H1", "direct"),
    ("i2-bisection", "I2, repeated bisection", "I2", "bisection"),
    ("h1-bisection", "H1, repeated bisection", "H1", "bisection"),
    ("h2-bisection", "H2, repeated bisection", "H2", "bisection"),
):
    catalogue.add(
        Clusterer(
            key=_key,
            title=_title,
            make=partial(_criterion_clustering, _criterion, _method),
            distances=("cosine",),
            growth=1.0,
            whole_to=100_000,
            source="Zhao & Karypis 2004",
            cost="O(nnz k) per pass",
        )
    )
for _criterion in ("I1", "I2", "E1", "H1", "H2"):
    catalogue.add(
        Clusterer(
            key=f"{_criterion.lower()}-agglomerative",
            title=f"{_criterion}, agglomerative",
            make=partial(_criterion_clustering, _criterion, "agglomerative"),
            distances=("cosine",),
            seeded=False,
            every_k=True,
            source="Zhao, Karypis & Fayyad 2005",
            cost="O(n nnz)",
        )
    )
for _laplacian, _source in (
    ("unnormalized", "von Luxburg 2007"),
    ("random-walk", "Shi & Malik 2000"),
    ("symmetric", "Ng, Jordan & Weiss 2002"),
):
    catalogue.add(
        Clusterer(
            key=f"spectral-{_laplacian}",
            title=f"Spectral, {_laplacian}, of cosines",
            make=partial(_spectral_of_documents, _laplacian),
            distances=("cosine",),
            source=_source,
            cost="O(n nnz) for the graph, then k eigenvectors",
        )
    )
catalogue.add(
    Clusterer(
        key="nc-nmf",
        title="Normalised-cut NMF",
        make=_nmf,
        distances=("cosine",),
        growth=1.0,
        whole_to=100_000,
        source="Xu, Liu & Gong 2003",
        cost="O(nnz k) per pass",
    )
)
catalogue.add(
    Clusterer(
        key="pca-kmeans",
        title="k-means on 20 principal components",
        make=_pca_kmeans,
        growth=1.0,
        whole_to=100_000,
        source="whissell2012 §5.2; Ding & He 2004",
        cost="O(nnz) per component and step, then O(n k)",
    )
)
catalogue.add(
    Clusterer(
        key="kl-kmeans",
        title="Information-theoretic k-means",
        make=_information_theoretic,
        distances=("features",),
        growth=1.0,
        whole_to=100_000,
        source="Dhillon, Mallela & Kumar 2003",
        cost="O(nnz k) per iteration",
    )
)
