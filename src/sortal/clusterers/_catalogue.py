"""The catalogue of clusterers."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any

from sortal.clusterers._metric_adapter import OnDistances
from sortal.clusterers._record import Clusterer, catalogue
from sortal.clusterers.linkage import OF_MEANS
from sortal.typing import Metric

EVERY_SIZE = sys.maxsize


@dataclass(frozen=True)
class Recipe:
    """Recipe for new estimators; equal recipes make equal estimators, in any process.

    ``path`` is the package and class, ``swept`` the parameter that takes the swept value, ``fixed``
    has further parameters.
    """

    path: str
    swept: str
    fixed: tuple[tuple[str, object], ...]

    def __call__(self, value: float, seed: int, metric: Metric | None = None) -> Any:
        """Make an estimator; scikit-learn's get distances for metrics they do not know."""
        module, _, name = self.path.rpartition(".")
        cls = getattr(import_module(module), name)
        settings: dict[str, Any] = {self.swept: value, **dict(self.fixed)}
        if "random_state" in signature(cls).parameters:
            settings["random_state"] = seed
        if metric is None:
            return cls(**settings)
        if module.startswith("sortal.") and name != "FilledHDBSCAN":
            return cls(**settings, metric=metric)
        return cls(**settings) if metric == "euclidean" else OnDistances(cls(**settings), metric)


def _make(path: str, swept: str = "n_clusters", **fixed: object) -> Recipe:
    """Recipe for a class of scikit-learn by its path, or for one of this package."""
    home = path if "." in path else f"sortal.clusterers.{path}"
    return Recipe(home, swept, tuple(fixed.items()))


def _criterion(criterion: str, method: str) -> Recipe:
    """Recipe for criterion clustering."""
    starts = 1 if method == "direct" else 5
    return _make("CriterionClustering", criterion=criterion, method=method, n_init=starts)


def _add(key: str, title: str, make: Recipe, source: str, cost: str, **more: Any) -> None:
    """Add a clusterer to the catalogue."""
    catalogue.add(Clusterer(key=key, title=title, make=make, source=source, cost=cost, **more))


#: clusterers whose time grows linearly, by the number of objects up to which no sample is taken
_LINEAR = {"growth": 1.0, "whole_to": EVERY_SIZE}
_LINEAR_TO_100K = {"growth": 1.0, "whole_to": 100_000}
_ANY, _COSINE = {"distances": ("any",)}, {"distances": ("cosine",)}

_add("kmeans", "k-means", _make("sklearn.cluster.KMeans", n_init=1),
     "Lloyd 1982; starts of Arthur & Vassilvitskii 2007", "O(n k d) per iteration",
     threads=True, **_LINEAR)  # fmt: skip
_add("bisecting-kmeans", "Bisecting k-means",
     _make("sklearn.cluster.BisectingKMeans", bisecting_strategy="largest_cluster"),
     "Steinbach, Karypis & Kumar 2000", "O(n d log k) per iteration", **_LINEAR)  # fmt: skip
for _method, _title, _cost in (
    ("single", "Single linkage", "O(n² d)"),
    ("complete", "Complete linkage", "O(n² d), memory O(n²)"),
    ("average", "Average linkage (UPGMA)", "O(n² d), memory O(n²)"),
    ("weighted", "Weighted linkage (WPGMA)", "O(n² d), memory O(n²)"),
    ("centroid", "Centroid linkage (UPGMC)", "O(n² d)"),
    ("ward", "Ward linkage", "O(n² d)"),
):
    _distance = "euclidean" if _method in OF_MEANS else "any"
    # for average linkage a sample is better than cells, whose means are nearer than their objects
    _add(_method, _title, _make("LinkageClustering", method=_method), "Müllner 2013",
         _cost, distances=(_distance,), every_k=True, cells=_method == "ward")  # fmt: skip
_add("kmedoids", "k-medoids", _make("KMedoids", n_init=1),
     "FasterPAM, Schubert & Rousseeuw 2021", "O(n² d) for the distances, O(n²) per pass",
     **_ANY)  # fmt: skip
_add("clara", "CLARA", _make("CLARA"), "Kaufman & Rousseeuw 1990",
     "O(n k d) per sample", **_ANY, **_LINEAR_TO_100K)  # fmt: skip
_add("orclus", "ORCLUS", _make("ORCLUS"), "Aggarwal & Yu 2000",
     "O(n k d²) per step, O(k² d³) for the merges", **_LINEAR_TO_100K)  # fmt: skip
_add("genie", "Genie", _make("GenieClustering"), "Gagolewski, Bartoszuk & Cena 2016",
     "O(n² d)", every_k=True, **_ANY)  # fmt: skip
_add("spectral", "Spectral clustering", _make("SpectralClustering"),
     "Ng, Jordan & Weiss 2002; Shi & Malik 2000", "O(n² d) for the graph, then k eigenvectors",
     distances=("any", "graph"))  # fmt: skip
_add("gaussian-mixture", "Gaussian mixture",
     _make("sklearn.mixture.GaussianMixture", "n_components"),
     "Dempster, Laird & Rubin 1977", "O(n k d²) per iteration", growth=1.0,
     whole_to=20_000)  # fmt: skip
_add("mixed-mixture", "Mixture of numbers and categories", _make("MixedMixture"),
     "Vermunt & Magidson 2002", "O(n k d) per iteration", **_LINEAR_TO_100K)  # fmt: skip
for _key, _title, _made in (
    ("hdbscan", "HDBSCAN", _make("sklearn.cluster.HDBSCAN", "min_cluster_size", copy=True)),
    ("hdbscan-filled", "HDBSCAN, outliers to the nearest cluster",
     _make("FilledHDBSCAN", "min_cluster_size")),
):  # fmt: skip
    _add(_key, _title, _made, "Campello, Moulavi & Sander 2013", "O(n² d) at worst",
         parameter="min_cluster_size", values=(5, 10, 15, 25, 50, 100), **_ANY)  # fmt: skip
_add("informativeness-agglomeration", "Informativeness agglomeration",
     _make("InformativenessAgglomeration"),
     "whissell2012 chapter 8", "O(n² d) for the neighbours, then merges")  # fmt: skip
_add("dbscan", "DBSCAN", _make("sklearn.cluster.DBSCAN", "eps"),
     "Ester, Kriegel, Sander & Xu 1996", "O(n² d) at worst", parameter="eps", **_ANY)  # fmt: skip
_add("optics", "OPTICS", _make("sklearn.cluster.OPTICS", "min_samples", metric="euclidean"),
     "Ankerst, Breunig, Kriegel & Sander 1999", "O(n² d)",
     parameter="min_samples", values=(5, 10, 20), **_ANY)  # fmt: skip
for _key, _title, _made, _source in (
    ("spherical-kmeans", "Spherical k-means",
     _make("SphericalKMeans", refine=False, n_init=1), "Dhillon & Modha 2001"),
    ("spherical-kmeans-refined", "Spherical k-means with first variation",
     _make("SphericalKMeans", refine=True, n_init=1), "Dhillon, Guan & Kogan 2002"),
    ("frequency-sensitive-kmeans", "Frequency-sensitive spherical k-means",
     _make("FrequencySensitiveSphericalKMeans", n_init=1), "Banerjee & Ghosh 2004"),
    ("hard-movmf", "von Mises–Fisher mixture, hard",
     _make("VonMisesFisherMixture", assignment="hard", n_init=1),
     "Banerjee, Dhillon, Ghosh & Sra 2005"),
    ("soft-movmf", "von Mises–Fisher mixture, soft",
     _make("VonMisesFisherMixture", assignment="soft", n_init=1),
     "Banerjee, Dhillon, Ghosh & Sra 2005"),
):  # fmt: skip
    _add(_key, _title, _made, _source, "O(nnz k) per iteration", **_COSINE, **_LINEAR_TO_100K)
for _criterion_key, _method, _method_name in (
    ("I2", "direct", "direct"), ("H1", "direct", "direct"),
    ("I2", "bisection", "repeated bisection"), ("H1", "bisection", "repeated bisection"),
    ("H2", "bisection", "repeated bisection"),
):  # fmt: skip
    _add(f"{_criterion_key.lower()}-{_method}", f"{_criterion_key}, {_method_name}",
         _criterion(_criterion_key, _method), "Zhao & Karypis 2004", "O(nnz k) per pass",
         **_COSINE, **_LINEAR_TO_100K)  # fmt: skip
for _criterion_key in ("I1", "I2", "E1", "H1", "H2"):
    _add(f"{_criterion_key.lower()}-agglomerative", f"{_criterion_key}, agglomerative",
         _criterion(_criterion_key, "agglomerative"), "Zhao, Karypis & Fayyad 2005", "O(n nnz)",
         seeded=False, every_k=True, **_COSINE)  # fmt: skip
for _laplacian, _source in (
    ("unnormalized", "von Luxburg 2007"),
    ("random-walk", "Shi & Malik 2000"),
    ("symmetric", "Ng, Jordan & Weiss 2002"),
):
    _made = _make("SpectralClustering", metric="cosine", n_neighbors=21,
                  laplacian=_laplacian, affinity="cosine")  # fmt: skip
    _add(f"spectral-{_laplacian}", f"Spectral, {_laplacian}, of cosines", _made, _source,
         "O(n nnz) for the graph, then k eigenvectors", **_COSINE)  # fmt: skip
_add("nc-nmf", "Normalised-cut NMF", _make("NormalizedCutNMF"), "Xu, Liu & Gong 2003",
     "O(nnz k) per pass", **_COSINE, **_LINEAR_TO_100K)  # fmt: skip
_add("pca-kmeans", "k-means on 20 principal components", _make("PCAKMeans"),
     "whissell2012 §5.2; Ding & He 2004", "O(nnz) per component and step, then O(n k)",
     **_LINEAR_TO_100K)  # fmt: skip
_add("kl-kmeans", "Information-theoretic k-means",
     _make("InformationTheoreticKMeans", n_init=1),
     "Dhillon, Mallela & Kumar 2003", "O(nnz k) per iteration", distances=("features",),
     **_LINEAR_TO_100K)  # fmt: skip
