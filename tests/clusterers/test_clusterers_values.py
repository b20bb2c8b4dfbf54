"""Everything that a fit learns on small groups far apart."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import DBSCAN, KMeans

from sortal import clusterers
from values import fails, table_test


def learned(estimator: Any, X: Any, new: Any = None) -> dict[str, Any]:
    """What a fit learns, without signs, what it warns of, and what it predicts."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(X)
    facts: dict[str, Any] = {"warned": [str(one.message) for one in caught]}
    for name, value in vars(estimator).items():
        if (
            name.endswith("_")
            and not name.startswith("_")
            and name not in ("n_features_in_", "estimator_")
        ):
            facts[name] = np.abs(value) if isinstance(value, np.ndarray | float) else value
    for name in ("predict", "posterior", "score"):
        if new is not None and hasattr(estimator, name):
            facts[name] = getattr(estimator, name)(new)
    return facts


def under(key: str, metric: str) -> str:
    """A clusterer's key under a distance, or why it does not take it."""
    try:
        return str(clusterers.under(clusterers.catalogue[key], metric).key)
    except clusterers.ExcludedError as error:
        return str(error)


def attempted(function: Any, *arguments: Any, **options: Any) -> Any:
    """What a call gives, or its error."""
    try:
        return function(*arguments, **options)
    except (ValueError, TypeError, LookupError) as error:
        return f"{type(error).__name__}: {error}"


def fixtures() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(24) % 3
    topics = rng.poisson(0.15, size=(24, 12)) + rng.poisson(2.5, size=(24, 12)) * (
        np.arange(12) % 3 == y[:, None]
    )
    topics[5] = 0
    A = sparse.csr_array((y[:, None] == y).astype(float) - np.eye(24))
    far = rng.normal(size=(24, 3)) + 20.0 * np.eye(3)[y]
    return {
        "T": sparse.csr_array(topics.astype(float)),
        "far": far,
        "D": np.abs(far[:, None] - far).sum(axis=2),
        "far2": np.concatenate([far, far + 500]),
        "mixed": np.column_stack(
            [
                far[:, 0],
                y == 0,
                y == 1,
                y == 2,
                np.arange(24) % 8 > 0,
                np.ones(24),
                rng.normal(size=24),
            ]
        ).astype(float),
        "A": A,
        "y": y,
    }


# fmt: off
CASES = {
    "SphericalKMeans": [
        lambda T: learned(clusterers.SphericalKMeans(3, random_state=0), T, T[:4]),
        lambda T: learned(clusterers.SphericalKMeans(3, refine=False, n_init=2, random_state=0), T,
            T[:4]),
        lambda T: learned(clusterers.SphericalKMeans(3, init="random", n_init=3, random_state=0),
            T, T[:4]),
        lambda T: learned(clusterers.SphericalKMeans(3, init=np.eye(3, 12), max_iter=1,
            random_state=0), T, T[:4]),
        lambda T: learned(clusterers.SphericalKMeans(1, random_state=0), T)["labels_"],
        lambda: learned(clusterers.SphericalKMeans(2, random_state=0), sparse.csr_array((3,
            4)))["labels_"],
        lambda: learned(clusterers.SphericalKMeans(4, random_state=0),
            sparse.csr_array(np.eye(5)[[0, 1, 1, 0, 1]]))["labels_"],
        lambda T: learned(clusterers.SphericalKMeans(3, random_state=0),
            T.astype(np.float32))["labels_"],
        lambda: learned(clusterers.SphericalKMeans(4, random_state=0),
            sparse.csr_array(np.eye(5)[[0, 1, 1, 0, 1]]))["warned"],
        lambda T: fails(clusterers.SphericalKMeans(3, init="odd").fit, T),
        lambda T: fails(clusterers.SphericalKMeans(3, init=np.eye(2, 12)).fit, T),
        lambda T: fails(clusterers.SphericalKMeans(3, init=np.zeros((3, 12))).fit, T),
        lambda T: fails(clusterers.SphericalKMeans(3, init=np.full((3, 12), np.inf)).fit, T),
        lambda T: fails(clusterers.SphericalKMeans(0).fit, T),
        lambda T: fails(clusterers.SphericalKMeans(25).fit, T),
        lambda T: fails(clusterers.SphericalKMeans(3, n_init=0).fit, T),
        lambda T: fails(clusterers.SphericalKMeans(3, max_iter=1.5).fit, T),
    ],
    "FrequencySensitiveSphericalKMeans": [
        lambda T: learned(clusterers.FrequencySensitiveSphericalKMeans(3, random_state=0), T,
            T[:4]),
        lambda T: learned(clusterers.FrequencySensitiveSphericalKMeans(3, max_iter=1, n_init=1,
            random_state=0), T, T[:4]),
        lambda T: learned(clusterers.FrequencySensitiveSphericalKMeans(1, random_state=0),
            T)["labels_"],
        lambda: learned(clusterers.FrequencySensitiveSphericalKMeans(2, random_state=0),
            sparse.csr_array((3, 4)))["labels_"],
        lambda: learned(clusterers.FrequencySensitiveSphericalKMeans(4, random_state=0),
            sparse.csr_array(np.eye(5)[[0, 1, 1, 0, 1]]))["labels_"],
        lambda T: learned(clusterers.FrequencySensitiveSphericalKMeans(3, random_state=0),
            T.astype(np.float32))["labels_"],
        lambda: learned(clusterers.FrequencySensitiveSphericalKMeans(4, random_state=0),
            sparse.csr_array(np.eye(5)[[0, 1, 1, 0, 1]]))["warned"],
    ],
    "VonMisesFisherMixture": [
        lambda T: learned(clusterers.VonMisesFisherMixture(3, random_state=0), T, T[:4]),
        lambda T: learned(clusterers.VonMisesFisherMixture(3, assignment="hard", random_state=0),
            T, T[:4]),
        lambda T: learned(clusterers.VonMisesFisherMixture(3, max_iter=1, n_init=1,
            random_state=0), T, T[:4]),
        lambda T: learned(clusterers.VonMisesFisherMixture(3, tol=0, init="k-means++", n_init=2,
            random_state=0), T, T[:4]),
        lambda T: learned(clusterers.VonMisesFisherMixture(3, assignment="hard", init=np.eye(3,
            12), random_state=0), T, T[:4]),
        lambda T: learned(clusterers.VonMisesFisherMixture(1, random_state=0), T)["labels_"],
        lambda: learned(clusterers.VonMisesFisherMixture(2, random_state=0), sparse.csr_array((3,
            4)))["labels_"],
        lambda: learned(clusterers.VonMisesFisherMixture(4, random_state=0),
            sparse.csr_array(np.eye(5)[[0, 1, 1, 0, 1]]))["labels_"],
        lambda T: learned(clusterers.VonMisesFisherMixture(3, random_state=0),
            T.astype(np.float32))["labels_"],
        lambda: learned(clusterers.VonMisesFisherMixture(4, random_state=0),
            sparse.csr_array(np.eye(5)[[0, 1, 1, 0, 1]]))["warned"],
        lambda T: fails(clusterers.VonMisesFisherMixture(3, assignment="x").fit, T),
        lambda T: fails(clusterers.VonMisesFisherMixture(3, tol=-1).fit, T),
        lambda T: fails(clusterers.VonMisesFisherMixture(3, tol=np.nan).fit, T),
        lambda T: [learned(clusterers.VonMisesFisherMixture(2, random_state=0, n_init=1,
            max_iter=m), T, T[:3]) for m in (1, 2, 30)],
        lambda T: [(m.score(T[4:7]), m.score(T[5:6]), m.posterior(T[5:6])) for m in
            [clusterers.VonMisesFisherMixture(3, random_state=0).fit(T)]],
    ],
    "InformationTheoreticKMeans": [
        lambda T: learned(clusterers.InformationTheoreticKMeans(3, random_state=0), T, T[:4]),
        lambda T: learned(clusterers.InformationTheoreticKMeans(3, smoothing=0, refine=False,
            random_state=0), T, T[:4]),
        lambda T: learned(clusterers.InformationTheoreticKMeans(3, init="k-means++", n_init=2,
            smoothing=.5, random_state=0), T, T[:4]),
        lambda T: learned(clusterers.InformationTheoreticKMeans(3, max_iter=1, n_init=1,
            random_state=0), T, T[:4]),
        lambda T: learned(clusterers.InformationTheoreticKMeans(1, random_state=0), T)["labels_"],
        lambda: learned(clusterers.InformationTheoreticKMeans(2, random_state=0),
            sparse.csr_array((3, 4)))["labels_"],
        lambda: learned(clusterers.InformationTheoreticKMeans(4, random_state=0),
            sparse.csr_array(np.eye(5)[[0, 1, 1, 0, 1]]))["labels_"],
        lambda T: learned(clusterers.InformationTheoreticKMeans(3, random_state=0),
            T.astype(np.float32))["labels_"],
        lambda: learned(clusterers.InformationTheoreticKMeans(4, random_state=0),
            sparse.csr_array(np.eye(5)[[0, 1, 1, 0, 1]]))["warned"],
        lambda T: fails(clusterers.InformationTheoreticKMeans(3, smoothing=-1).fit, T),
        lambda T: fails(clusterers.InformationTheoreticKMeans(3, smoothing=np.inf).fit, T),
        lambda: (fails(clusterers.InformationTheoreticKMeans(2).fit, sparse.csr_array([[1.0, -1],
            [1, 1]])), fails(clusterers.NormalizedCutNMF(2).fit, np.array([[1.0, -1], [1, 1]]))),
        lambda T: [learned(clusterers.InformationTheoreticKMeans(3, random_state=0, n_init=1,
            max_iter=m), T, T[:3]) for m in (1, 3)],
        lambda: (fails(clusterers.InformationTheoreticKMeans(2).fit, sparse.csr_array([[3.0, -1],
            [1, 1]])), fails(clusterers.SphericalKMeans(2).fit, np.array([[np.nan, 1], [1, 1]]))),
    ],
    "CriterionClustering": [
        lambda T: learned(clusterers.CriterionClustering(3, criterion="I1", random_state=0), T,
            T[:4]),
        lambda T: learned(clusterers.CriterionClustering(3, criterion="I2", random_state=0), T,
            T[:4]),
        lambda T: learned(clusterers.CriterionClustering(3, criterion="E1", random_state=0), T,
            T[:4]),
        lambda T: learned(clusterers.CriterionClustering(3, criterion="G1", random_state=0), T,
            T[:4]),
        lambda T: learned(clusterers.CriterionClustering(3, criterion="G1'", random_state=0), T,
            T[:4]),
        lambda T: learned(clusterers.CriterionClustering(3, criterion="H1", random_state=0), T,
            T[:4]),
        lambda T: learned(clusterers.CriterionClustering(3, criterion="H2", random_state=0), T,
            T[:4]),
        lambda T: learned(clusterers.CriterionClustering(3, method="bisection", random_state=0), T,
            T[:4]),
        lambda T: learned(clusterers.CriterionClustering(3, method="refined-bisection",
            criterion="E1", random_state=0), T, T[:4]),
        lambda T: learned(clusterers.CriterionClustering(3, method="agglomerative",
            random_state=0), T, T[:4]),
        lambda T: learned(clusterers.CriterionClustering(3, init=np.eye(3, 12), n_init=1,
            max_iter=1, random_state=0), T, T[:4]),
        lambda T: learned(clusterers.CriterionClustering(1, random_state=0), T)["labels_"],
        lambda: learned(clusterers.CriterionClustering(2, random_state=0), sparse.csr_array((3,
            4)))["labels_"],
        lambda: learned(clusterers.CriterionClustering(4, random_state=0),
            sparse.csr_array(np.eye(5)[[0, 1, 1, 0, 1]]))["labels_"],
        lambda T: learned(clusterers.CriterionClustering(3, random_state=0),
            T.astype(np.float32))["labels_"],
        lambda: learned(clusterers.CriterionClustering(4, random_state=0),
            sparse.csr_array(np.eye(5)[[0, 1, 1, 0, 1]]))["warned"],
        lambda T: fails(clusterers.CriterionClustering(3, criterion="x").fit, T),
        lambda T: fails(clusterers.CriterionClustering(3, method="x").fit, T),
        lambda T: fails(clusterers.CriterionClustering(3, method="bisection", init=np.eye(3,
            12)).fit, T),
        lambda T: (fails(clusterers.CriterionClustering(3, random_state=0).fit(T).cut, 2),
            [c.cut(k) for c in [clusterers.CriterionClustering(3, method="agglomerative").fit(T)]
            for k in (1, 2, 5)]),
        lambda: fails(clusterers.CriterionClustering(3).cut, 2),
        lambda T: [learned(clusterers.CriterionClustering(k, method=m, random_state=0),
            T)["labels_"] for k in (2, 4, 6) for m in ("bisection", "refined-bisection",
            "agglomerative")],
        lambda: [learned(clusterers.CriterionClustering(k, method=m, random_state=0),
            sparse.csr_array(np.eye(4)[[0, 0, 1, 1, 2, 3]]))["labels_"] for k in (2, 3, 4, 5) for m
            in ("bisection", "direct", "agglomerative")],
    ],
    "KMedoids": [
        lambda far: learned(clusterers.KMedoids(3, random_state=0), far, None),
        lambda far: learned(clusterers.KMedoids(1), far, None),
        lambda far: learned(clusterers.KMedoids(24), far, None),
        lambda D: learned(clusterers.KMedoids(3, metric="precomputed", n_init=1, random_state=0),
            D, None),
        lambda far: learned(clusterers.KMedoids(3, n_init=1, max_iter=1, random_state=3), far,
            None),
        lambda far: fails(clusterers.KMedoids(3, n_init=0).fit, far),
    ],
    "CLARA": [
        lambda far: learned(clusterers.CLARA(3, random_state=0), far, None),
        lambda far: learned(clusterers.CLARA(3, sample_size=9, n_samples=4, random_state=0), far,
            None),
        lambda D: learned(clusterers.CLARA(3, metric="precomputed", sample_size=9, random_state=0),
            D, None),
        lambda far2: learned(clusterers.CLARA(2, random_state=0), far2, None),
        lambda far: fails(clusterers.CLARA(3, sample_size=2).fit, far),
        lambda far: fails(clusterers.CLARA(3, n_samples=0).fit, far),
    ],
    "GenieClustering": [
        lambda far: learned(clusterers.GenieClustering(3), far, None),
        lambda far: learned(clusterers.GenieClustering(2, gini_threshold=1.0), far, None),
        lambda far: learned(clusterers.GenieClustering(4, gini_threshold=0, metric="cityblock"),
            far, None),
        lambda D: learned(clusterers.GenieClustering(3, metric="precomputed"), D, None),
        lambda far: fails(clusterers.GenieClustering(3, gini_threshold=1.1).fit, far),
        lambda far: fails(clusterers.GenieClustering(3, gini_threshold=-.1).fit, far),
        lambda far: fails(clusterers.GenieClustering(3).fit(far).cut, 0),
        lambda far: fails(clusterers.GenieClustering(3).fit(far).cut, 25),
        lambda far: [c.cut(k) for c in (clusterers.GenieClustering(3).fit(far),
            clusterers.LinkageClustering(3).fit(far)) for k in (1, 2, 24)],
    ],
    "LinkageClustering": [
        lambda far: learned(clusterers.LinkageClustering(3, method="single"), far, None),
        lambda far: learned(clusterers.LinkageClustering(3, method="complete"), far, None),
        lambda far: learned(clusterers.LinkageClustering(3, method="average"), far, None),
        lambda far: learned(clusterers.LinkageClustering(3, method="weighted"), far, None),
        lambda far: learned(clusterers.LinkageClustering(3, method="centroid"), far, None),
        lambda far: learned(clusterers.LinkageClustering(3, method="ward"), far, None),
        lambda D: learned(clusterers.LinkageClustering(2, method="ward", metric="precomputed"), D,
            None),
        lambda T: learned(clusterers.LinkageClustering(3, metric="cosine"), T + .1 *
            sparse.csr_array(np.ones((24, 12))), None),
        lambda far: fails(clusterers.LinkageClustering(3, method="x").fit, far),
        lambda far: fails(clusterers.LinkageClustering(3, method="ward", metric="cosine").fit, far),
        lambda far: fails(clusterers.LinkageClustering(3).fit(far).cut, 0),
        lambda far: fails(clusterers.LinkageClustering(25).fit, far),
        lambda far: (clusterers.LinkageClustering(2, method="ward").fit_cells(far[:9], np.arange(1,
            10)).linkage_, fails(clusterers.LinkageClustering(2, method="single").fit_cells,
            far[:9], np.arange(1, 10))),
        lambda: [learned(clusterers.LinkageClustering(2, method=m), np.array([[0.0], [0], [1], [1],
            [7]])) for m in ("single", "ward", "centroid")],
    ],
    "MixedMixture": [
        lambda mixed: learned(clusterers.MixedMixture(3, random_state=0), mixed, None),
        lambda mixed: learned(clusterers.MixedMixture(3, random_state=0, max_iter=1), mixed, None),
        lambda mixed: learned(clusterers.MixedMixture(1), mixed[:, :1], None),
        lambda mixed: learned(clusterers.MixedMixture(2, random_state=0), mixed[:, 1:4], None),
        lambda: learned(clusterers.MixedMixture(2, random_state=0), np.ones((4, 2)), None),
        lambda far: fails(clusterers.MixedMixture(3).fit, far[:1]),
        lambda far: fails(clusterers.MixedMixture(3, max_iter=0).fit, far),
    ],
    "ORCLUS": [
        lambda far: learned(clusterers.ORCLUS(3, random_state=0), far, None),
        lambda far2: learned(clusterers.ORCLUS(3, n_dimensions=1, random_state=0), far2, None),
        lambda far: learned(clusterers.ORCLUS(2, n_dimensions=3, random_state=0), far, None),
        lambda far: learned(clusterers.ORCLUS(5, random_state=0), far[:5], None),
        lambda: learned(clusterers.ORCLUS(3, random_state=0), np.repeat([[0.0, 1], [5, 5]], 4,
            axis=0), None),
        lambda far: fails(clusterers.ORCLUS(3, n_dimensions=0).fit, far),
        lambda far: fails(clusterers.ORCLUS(3, n_dimensions=4).fit, far),
        lambda far2: [learned(clusterers.ORCLUS(k, n_dimensions=n, random_state=0),
            far2)["labels_"] for k in (2, 4) for n in (1, 2)],
    ],
    "FilledHDBSCAN": [
        lambda far: learned(clusterers.FilledHDBSCAN(5), far, None),
        lambda D: learned(clusterers.FilledHDBSCAN(5, metric="precomputed"), D, None),
        lambda far: learned(clusterers.FilledHDBSCAN(7), np.concatenate([far, [[200.0, 0, 0], [0,
            0, 30]]]), None),
        lambda far: learned(clusterers.FilledHDBSCAN(20), far, None),
        lambda far: fails(clusterers.FilledHDBSCAN().fit, far[:1]),
    ],
    "catalogue": [
        lambda far: learned(clusterers.catalogue["informativeness-agglomeration"].make(3, 0), far,
            None),
        lambda far2: learned(clusterers.catalogue["informativeness-agglomeration"].make(1, 0),
            far2, None),
        lambda: [repr(clusterers.catalogue[k].make(5, 3)) for k in clusterers.catalogue],
        lambda: [repr(clusterers.catalogue[k].make(5, 3, metric=m)) for k in ("kmedoids",
            "hdbscan", "hdbscan-filled", "optics", "average") for m in ("cosine", "euclidean")],
    ],
    "SpectralClustering": [
        lambda far: learned(clusterers.SpectralClustering(3, random_state=0), far),
        lambda far: learned(clusterers.SpectralClustering(3, n_neighbors=5, laplacian="symmetric",
            random_state=0), far),
        lambda far2: learned(clusterers.SpectralClustering(3, n_neighbors=5,
            laplacian="unnormalized", random_state=0), far2),
        lambda A: learned(clusterers.SpectralClustering(3, metric="graph", random_state=0), A),
        lambda T: learned(clusterers.SpectralClustering(3, metric="cosine", affinity="cosine",
            random_state=0), T + .1 * sparse.csr_array(np.ones((24, 12)))),
        lambda A, far: (learned(clusterers.SpectralClustering(2, metric="graph", random_state=0),
            A)["labels_"], learned(clusterers.SpectralClustering(1, n_neighbors=1),
            far)["labels_"]),
        lambda far: fails(clusterers.SpectralClustering(3, laplacian="x").fit, far),
        lambda far: fails(clusterers.SpectralClustering(3, affinity="x").fit, far),
        lambda far: fails(clusterers.SpectralClustering(3, affinity="cosine").fit, far),
    ],
    "NormalizedCutNMF": [
        lambda T, y: np.unique(learned(clusterers.NormalizedCutNMF(3, random_state=0, n_init=2),
            T)["labels_"] * 10 + y).size,
    ],
    "PCAKMeans": [
        lambda far: fails(clusterers.PCAKMeans(3, n_components=0).fit, far),
    ],
    "as_clusterer": [
        lambda: fails(clusterers.as_clusterer, 3),
        lambda: fails(clusterers.as_clusterer, KMeans),
        lambda: fails(clusterers.as_clusterer, DBSCAN()),
        lambda: fails(clusterers.as_clusterer, DBSCAN(), "odd"),
        lambda: fails(clusterers.as_clusterer, "kmens"),
    ],
    "under": [
        lambda: [under(k, "euclidean") for k in ("kmeans", "ward", "average", "genie", "hdbscan",
            "spectral", "kl-kmeans", "i2-direct")],
        lambda: [under(k, "cosine") for k in ("kmeans", "ward", "average", "genie", "hdbscan",
            "spectral", "kl-kmeans", "i2-direct")],
        lambda: [under(k, "cityblock") for k in ("kmeans", "ward", "average", "genie", "hdbscan",
            "spectral", "kl-kmeans", "i2-direct")],
        lambda: [under(k, "precomputed") for k in ("kmeans", "ward", "average", "genie", "hdbscan",
            "spectral", "kl-kmeans", "i2-direct")],
        lambda: [under(k, "graph") for k in ("kmeans", "ward", "average", "genie", "hdbscan",
            "spectral", "kl-kmeans", "i2-direct")],
        lambda: [under(k, "kl") for k in ("kmeans", "ward", "average", "genie", "hdbscan",
            "spectral", "kl-kmeans", "i2-direct")],
        lambda: [under(k, "hellinger") for k in ("kmeans", "ward", "average", "genie", "hdbscan",
            "spectral", "kl-kmeans", "i2-direct")],
    ],
    "attempted": [
        lambda: [attempted(under, k, m) for k in ("ward", "kmeans", "spherical-kmeans",
            "k-medoids", "genie", "average") for m in ("euclidean", "cosine", "cityblock",
            "precomputed", "graph", "hellinger")],
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
