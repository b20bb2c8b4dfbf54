"""The one list of clusterers."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any

from karat.clusterers._metric_adapter import OnDistances
from karat.clusterers._record import Clusterer, catalogue
from karat.clusterers.linkage import OF_MEANS

EVERY_SIZE = sys.maxsize
_MIN_SIZES = (5, 10, 15, 25, 50, 100)


@dataclass(frozen=True)
class Recipe:
    """How an estimator is made afresh: equal recipes make equal estimators, in any process.

    Attributes
    ----------
    path : str
        Module and class.
    swept : str
        The parameter that takes the swept value.
    fixed : tuple of (str, object)
        Other parameters.
    """

    path: str
    swept: str
    fixed: tuple[tuple[str, Any], ...]

    def __call__(self, value: Any, seed: int, metric: Any = None) -> Any:
        """A fresh one; one of scikit-learn gets the distances of a metric it does not know."""
        module, _, name = self.path.rpartition(".")
        cls = getattr(import_module(module), name)
        settings = {self.swept: value, **dict(self.fixed)}
        if "random_state" in signature(cls).parameters:
            settings["random_state"] = seed
        if metric is None:
            return cls(**settings)
        if module.startswith("karat.") and name != "FilledHDBSCAN":
            return cls(**settings, metric=metric)
        return cls(**settings) if metric == "euclidean" else OnDistances(cls(**settings), metric)


def _make(path: str, swept: str = "n_clusters", **fixed: Any) -> Recipe:
    home = path if path.startswith("sklearn.") else f"karat.clusterers.{path}"
    return Recipe(home, swept, tuple(fixed.items()))


def _criterion(criterion: str, method: str) -> Recipe:
    starts = 1 if method == "direct" else 5
    return _make("criterion.CriterionClustering", criterion=criterion, method=method, n_init=starts)


catalogue.add(
    Clusterer(
        key="kmeans",
        title="k-means",
        make=_make("sklearn.cluster.KMeans", n_init=1),
        growth=1.0,
        whole_to=EVERY_SIZE,
        threads=True,
        source="Lloyd 1982; starts of Arthur & Vassilvitskii 2007",
        cost="O(n k d) per iteration",
    )
)
catalogue.add(
    Clusterer(
        key="bisecting-kmeans",
        title="Bisecting k-means",
        make=_make("sklearn.cluster.BisectingKMeans", bisecting_strategy="largest_cluster"),
        growth=1.0,
        whole_to=EVERY_SIZE,
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
            make=_make("linkage.LinkageClustering", method=_method),
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
        make=_make("kmedoids.KMedoids", n_init=1),
        distances=("any",),
        source="FasterPAM, Schubert & Rousseeuw 2021",
        cost="O(n² d) for the distances, O(n²) per pass",
    )
)
catalogue.add(
    Clusterer(
        key="clara",
        title="CLARA",
        make=_make("kmedoids.CLARA"),
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
        make=_make("orclus.ORCLUS"),
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
        make=_make("genie.GenieClustering"),
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
        make=_make("spectral.SpectralClustering"),
        distances=("any", "graph"),
        source="Ng, Jordan & Weiss 2002; Shi & Malik 2000",
        cost="O(n² d) for the graph, then k eigenvectors",
    )
)
catalogue.add(
    Clusterer(
        key="gaussian-mixture",
        title="Gaussian mixture",
        make=_make("sklearn.mixture.GaussianMixture", "n_components"),
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
        make=_make("fuzzy.FuzzyCMeans"),
        growth=1.0,
        whole_to=EVERY_SIZE,
        source="Dunn 1973; Bezdek 1981",
        cost="O(n k d) per iteration",
    )
)
catalogue.add(
    Clusterer(
        key="hdbscan",
        title="HDBSCAN",
        make=_make("sklearn.cluster.HDBSCAN", "min_cluster_size", copy=True),
        distances=("any",),
        parameter="min_cluster_size",
        values=_MIN_SIZES,
        source="Campello, Moulavi & Sander 2013",
        cost="O(n² d) at worst",
    )
)
catalogue.add(
    Clusterer(
        key="hdbscan-filled",
        title="HDBSCAN, outliers to the nearest cluster",
        make=_make("filled.FilledHDBSCAN", "min_cluster_size"),
        distances=("any",),
        parameter="min_cluster_size",
        values=_MIN_SIZES,
        source="Campello, Moulavi & Sander 2013",
        cost="O(n² d) at worst",
    )
)


catalogue.add(
    Clusterer(
        key="informativeness-agglomeration",
        title="Informativeness agglomeration",
        make=_make("informativeness_agglomeration.InformativenessAgglomeration"),
        source="whissell2012 chapter 8",
        cost="O(n² d) for the neighbours, then merges",
    )
)
catalogue.add(
    Clusterer(
        key="dbscan",
        title="DBSCAN",
        make=_make("sklearn.cluster.DBSCAN", "eps"),
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
        make=_make("sklearn.cluster.OPTICS", "min_samples", metric="euclidean"),
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
        make=_make("affinity_propagation.QuantileAffinityPropagation", "quantile"),
        distances=("any",),
        parameter="quantile",
        values=(0.0, 0.1, 0.25, 0.5),
        source="Frey & Dueck 2007",
        cost="O(n²) per iteration",
    )
)
for _key, _title, _made, _source in (
    (
        "spherical-kmeans",
        "Spherical k-means",
        _make("spherical.SphericalKMeans", refine=False, n_init=1),
        "Dhillon & Modha 2001",
    ),
    (
        "spherical-kmeans-refined",
        "Spherical k-means with first variation",
        _make("spherical.SphericalKMeans", refine=True, n_init=1),
        "Dhillon, Guan & Kogan 2002",
    ),
    (
        "frequency-sensitive-kmeans",
        "Frequency-sensitive spherical k-means",
        _make("spherical.FrequencySensitiveSphericalKMeans", n_init=1),
        "Banerjee & Ghosh 2004",
    ),
    (
        "hard-movmf",
        "von Mises–Fisher mixture, hard",
        _make("von_mises_fisher.VonMisesFisherMixture", assignment="hard", n_init=1),
        "Banerjee, Dhillon, Ghosh & Sra 2005",
    ),
    (
        "soft-movmf",
        "von Mises–Fisher mixture, soft",
        _make("von_mises_fisher.VonMisesFisherMixture", assignment="soft", n_init=1),
        "Banerjee, Dhillon, Ghosh & Sra 2005",
    ),
):
    catalogue.add(
        Clusterer(
            key=_key,
            title=_title,
            make=_made,
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
        make=_make("spherical_minibatch.MiniBatchSphericalKMeans", n_init=1),
        distances=("cosine",),
        growth=1.0,
        whole_to=EVERY_SIZE,
        source="Sculley 2010; Dhillon & Modha 2001",
        cost="O(nnz k) per pass",
    )
)
for _key, _title, _criterion_key, _method in (
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
            make=_criterion(_criterion_key, _method),
            distances=("cosine",),
            growth=1.0,
            whole_to=100_000,
            source="Zhao & Karypis 2004",
            cost="O(nnz k) per pass",
        )
    )
for _criterion_key in ("I1", "I2", "E1", "H1", "H2"):
    catalogue.add(
        Clusterer(
            key=f"{_criterion_key.lower()}-agglomerative",
            title=f"{_criterion_key}, agglomerative",
            make=_criterion(_criterion_key, "agglomerative"),
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
            make=_make(
                "spectral.SpectralClustering",
                metric="cosine",
                n_neighbors=21,
                laplacian=_laplacian,
                affinity="cosine",
            ),
            distances=("cosine",),
            source=_source,
            cost="O(n nnz) for the graph, then k eigenvectors",
        )
    )
catalogue.add(
    Clusterer(
        key="nc-nmf",
        title="Normalised-cut NMF",
        make=_make("nmf.NormalizedCutNMF"),
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
        make=_make("pca.PCAKMeans"),
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
        make=_make("information_theoretic.InformationTheoreticKMeans", n_init=1),
        distances=("features",),
        growth=1.0,
        whole_to=100_000,
        source="Dhillon, Mallela & Kumar 2003",
        cost="O(nnz k) per iteration",
    )
)
