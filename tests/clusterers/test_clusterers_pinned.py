"""Everything that a fit learns on small groups far apart, so that nothing changes unseen.

``PYTHONPATH=tests python tests/clusterers/test_clusterers_pinned.py`` writes
``test_clusterers_pinned.json`` anew.
"""

from __future__ import annotations

import warnings
from functools import cache
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pytest
import sklearn.cluster
from scipy import sparse
from sklearn.cluster import DBSCAN, KMeans, MiniBatchKMeans
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import karat.clusterers as cl
from karat.clusterers import (
    _bessel,
    _catalogue,
    _memberships,
    _metric_support,
    _record,
    _sparse_rows,
    criterion,
    genie,
    hdbscan,
    kmedoids,
    linkage,
    lloyd,
    mixed_mixture,
    nmf,
    orclus,
    pca,
    spectral,
    spherical,
)
from pinning import Pins


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
        return str(cl.under(cl.catalogue[key], metric).key)
    except cl.ExcludedError as error:
        return str(error)


def attempted(function: Any, *arguments: Any, **options: Any) -> Any:
    """What a call gives, or its error."""
    try:
        return function(*arguments, **options)
    except (ValueError, TypeError, LookupError) as error:
        return f"{type(error).__name__}: {error}"


@cache
def names() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(24) % 3
    topics = rng.poisson(0.15, size=(24, 12)) + rng.poisson(2.5, size=(24, 12)) * (
        np.arange(12) % 3 == y[:, None]
    )
    topics[5] = 0
    A = sparse.csr_array((y[:, None] == y).astype(float) - np.eye(24))
    far = rng.normal(size=(24, 3)) + 20.0 * np.eye(3)[y]
    return {
        "attempted": attempted, "nmf": nmf, "memberships": _memberships, "hdbscan": hdbscan,

        **{module.__name__.rpartition(".")[2].lstrip("_"): module for module in (
            _bessel, _catalogue, _metric_support, _record, _sparse_rows, criterion, genie, kmedoids,
            linkage, lloyd, mixed_mixture, orclus, pca, spectral, spherical)},
        "cl": cl, "np": np, "sparse": sparse, "learned": learned, "Some": Some, "y": y, "far": far, "sk": sklearn.cluster,
        "D": np.abs(far[:, None] - far).sum(axis=2), "T": sparse.csr_array(topics.astype(float)), "A": A, "rng": np.random.default_rng,
        "mixed": np.column_stack([far[:, 0], y == 0, y == 1, y == 2, np.arange(24) % 8 > 0, np.ones(24), rng.normal(size=24)]).astype(float),
        "DBSCAN": DBSCAN, "KMeans": KMeans, "MiniBatchKMeans": MiniBatchKMeans, "GaussianMixture": GaussianMixture,
        "pipe": lambda: make_pipeline(StandardScaler(), KMeans(3)), "far2": np.concatenate([far, far + 500]),
        "under": under, "lone": sparse.block_diag([np.kron(np.eye(2), np.ones((4, 4))) - np.eye(8) + np.eye(8, k=4) * (np.arange(8) == 4) + np.eye(8, k=-4) * (np.arange(8) == 0), sparse.csr_array((2, 2))]).tocsr(), "path": sparse.csr_array(np.eye(12, k=1) + np.eye(12, k=-1)),
    }  # fmt: skip


SPARSE = (
    "SphericalKMeans",
    "FrequencySensitiveSphericalKMeans",
    "VonMisesFisherMixture",
    "InformationTheoreticKMeans",
    "CriterionClustering",
)
EXPRESSIONS = [
    *(f"learned(cl.{name}(3, {options}random_state=0), T, T[:4])" for name, options in (
        ("SphericalKMeans", ""), ("SphericalKMeans", "refine=False, n_init=2, "), ("SphericalKMeans", "init='random', n_init=3, "), ("SphericalKMeans", "init=np.eye(3, 12), max_iter=1, "),
        ("FrequencySensitiveSphericalKMeans", ""), ("FrequencySensitiveSphericalKMeans", "max_iter=1, n_init=1, "), ("VonMisesFisherMixture", ""), ("VonMisesFisherMixture", "assignment='hard', "),
        ("VonMisesFisherMixture", "max_iter=1, n_init=1, "), ("VonMisesFisherMixture", "tol=0, init='k-means++', n_init=2, "), ("VonMisesFisherMixture", "assignment='hard', init=np.eye(3, 12), "),
        ("InformationTheoreticKMeans", ""), ("InformationTheoreticKMeans", "smoothing=0, refine=False, "), ("InformationTheoreticKMeans", "init='k-means++', n_init=2, smoothing=.5, "), ("InformationTheoreticKMeans", "max_iter=1, n_init=1, "),
        *(("CriterionClustering", f"criterion={c!r}, ") for c in ("I1", "I2", "E1", "G1", "G1'", "H1", "H2")), ("CriterionClustering", "method='bisection', "), ("CriterionClustering", "method='refined-bisection', criterion='E1', "),
        ("CriterionClustering", "method='agglomerative', "), ("CriterionClustering", "init=np.eye(3, 12), n_init=1, max_iter=1, "))),
    *(f"learned(cl.{name}({k}, random_state=0), {X})['labels_']" for name in SPARSE for k, X in ((1, "T"), (2, "sparse.csr_array((3, 4))"), (4, "sparse.csr_array(np.eye(5)[[0, 1, 1, 0, 1]])"), (3, "T.astype(np.float32)"))),
    *(f"learned(cl.{name}(4, random_state=0), sparse.csr_array(np.eye(5)[[0, 1, 1, 0, 1]]))['warned']" for name in SPARSE),
    *(f"fails(cl.{call}.fit, T)" for call in (
        "SphericalKMeans(3, init='odd')", "SphericalKMeans(3, init=np.eye(2, 12))", "SphericalKMeans(3, init=np.zeros((3, 12)))", "SphericalKMeans(3, init=np.full((3, 12), np.inf))", "SphericalKMeans(0)", "SphericalKMeans(25)", "SphericalKMeans(3, n_init=0)",
        "SphericalKMeans(3, max_iter=1.5)", "VonMisesFisherMixture(3, assignment='x')", "VonMisesFisherMixture(3, tol=-1)", "VonMisesFisherMixture(3, tol=np.nan)", "InformationTheoreticKMeans(3, smoothing=-1)", "InformationTheoreticKMeans(3, smoothing=np.inf)",
        "CriterionClustering(3, criterion='x')", "CriterionClustering(3, method='x')", "CriterionClustering(3, method='bisection', init=np.eye(3, 12))")),
    "fails(cl.InformationTheoreticKMeans(2).fit, sparse.csr_array([[1.0, -1], [1, 1]])), fails(cl.NormalizedCutNMF(2).fit, np.array([[1.0, -1], [1, 1]]))",
    "fails(cl.CriterionClustering(3, random_state=0).fit(T).cut, 2), [c.cut(k) for c in [cl.CriterionClustering(3, method='agglomerative').fit(T)] for k in (1, 2, 5)]",
    # dense
    *(f"learned(cl.{call}, {X}, {new})" for call, X, new in (
        ("KMedoids(3, random_state=0)", "far", "None"), ("KMedoids(1)", "far", "None"), ("KMedoids(24)", "far", "None"), ("KMedoids(3, metric='precomputed', n_init=1, random_state=0)", "D", "None"), ("KMedoids(3, n_init=1, max_iter=1, random_state=3)", "far", "None"),
        ("CLARA(3, random_state=0)", "far", "None"), ("CLARA(3, sample_size=9, n_samples=4, random_state=0)", "far", "None"), ("CLARA(3, metric='precomputed', sample_size=9, random_state=0)", "D", "None"), ("CLARA(2, random_state=0)", "far2", "None"),
        ("GenieClustering(3)", "far", "None"), ("GenieClustering(2, gini_threshold=1.0)", "far", "None"), ("GenieClustering(4, gini_threshold=0, metric='cityblock')", "far", "None"), ("GenieClustering(3, metric='precomputed')", "D", "None"),
        *((f"LinkageClustering(3, method={m!r})", "far", "None") for m in ("single", "complete", "average", "weighted", "centroid", "ward")), ("LinkageClustering(2, method='ward', metric='precomputed')", "D", "None"), ("LinkageClustering(3, metric='cosine')", "T + .1 * sparse.csr_array(np.ones((24, 12)))", "None"),
        ("MixedMixture(3, random_state=0)", "mixed", "None"), ("MixedMixture(3, random_state=0, max_iter=1)", "mixed", "None"), ("MixedMixture(1)", "mixed[:, :1]", "None"), ("MixedMixture(2, random_state=0)", "mixed[:, 1:4]", "None"), ("MixedMixture(2, random_state=0)", "np.ones((4, 2))", "None"),
        ("ORCLUS(3, random_state=0)", "far", "None"), ("ORCLUS(3, n_dimensions=1, random_state=0)", "far2", "None"), ("ORCLUS(2, n_dimensions=3, random_state=0)", "far", "None"), ("ORCLUS(5, random_state=0)", "far[:5]", "None"), ("ORCLUS(3, random_state=0)", "np.repeat([[0.0, 1], [5, 5]], 4, axis=0)", "None"),
        ("FilledHDBSCAN(5)", "far", "None"), ("FilledHDBSCAN(5, metric='precomputed')", "D", "None"), ("FilledHDBSCAN(7)", "np.concatenate([far, [[200.0, 0, 0], [0, 0, 30]]])", "None"), ("FilledHDBSCAN(20)", "far", "None"),
        ("catalogue['informativeness-agglomeration'].make(3, 0)", "far", "None"), ("catalogue['informativeness-agglomeration'].make(1, 0)", "far2", "None"))),
    *(f"learned(cl.SpectralClustering(3, {options}random_state=0), {X})" for options, X in (
        ("", "far"), ("n_neighbors=5, laplacian='symmetric', ", "far"), ("n_neighbors=5, laplacian='unnormalized', ", "far2"), ("metric='graph', ", "A"), ("metric='cosine', affinity='cosine', ", "T + .1 * sparse.csr_array(np.ones((24, 12)))"))),
    "learned(cl.SpectralClustering(2, metric='graph', random_state=0), A)['labels_'], learned(cl.SpectralClustering(1, n_neighbors=1), far)['labels_']",
    "[learned(cl.PCAKMeans(3, n_components=c, random_state=0), X) for c, X in ((2, far), (3, far), (20, far))], learned(cl.PCAKMeans(1, n_components=1), np.ones((3, 2)))",
    "np.unique(learned(cl.NormalizedCutNMF(3, random_state=0, n_init=2), T)['labels_'] * 10 + y).size",
    *(f"fails(cl.{call})" for call in (
        "GenieClustering(3, gini_threshold=1.1).fit, far", "GenieClustering(3, gini_threshold=-.1).fit, far", "GenieClustering(3).fit(far).cut, 0", "GenieClustering(3).fit(far).cut, 25", "LinkageClustering(3, method='x').fit, far", "LinkageClustering(3, method='ward', metric='cosine').fit, far",
        "LinkageClustering(3).fit(far).cut, 0", "LinkageClustering(25).fit, far", "CLARA(3, sample_size=2).fit, far", "CLARA(3, n_samples=0).fit, far", "ORCLUS(3, n_dimensions=0).fit, far", "ORCLUS(3, n_dimensions=4).fit, far", "SpectralClustering(3, laplacian='x').fit, far",
        "SpectralClustering(3, affinity='x').fit, far", "SpectralClustering(3, affinity='cosine').fit, far", "KMedoids(3, n_init=0).fit, far", "PCAKMeans(3, n_components=0).fit, far", "MixedMixture(3).fit, far[:1]", "MixedMixture(3, max_iter=0).fit, far",
        "CriterionClustering(3).cut, 2", "FilledHDBSCAN().fit, far[:1]", "as_clusterer, 3", "as_clusterer, KMeans", "as_clusterer, DBSCAN()", "as_clusterer, DBSCAN(), 'odd'", "as_clusterer, 'kmens'")),
    "[c.cut(k) for c in (cl.GenieClustering(3).fit(far), cl.LinkageClustering(3).fit(far)) for k in (1, 2, 24)]",
    "cl.LinkageClustering(2, method='ward').fit_cells(far[:9], np.arange(1, 10)).linkage_, fails(cl.LinkageClustering(2, method='single').fit_cells, far[:9], np.arange(1, 10))",
    # parts
    "[sparse_rows.unit_rows(X, n).toarray() for X in (T[4:8], np.array([[3.0, 4], [0, 0]]), sparse.csr_array(([0.0, 2], [0, 1], [0, 2]), shape=(1, 2))) for n in ('l1', 'l2')]",
    "[sparse_rows._most_clusters(sparse.csr_array(np.eye(4)[[0, 0, 1, 2]]), k) for k in (1, 2, 3, 9)], sparse_rows._most_clusters(sparse.csr_array(np.array([[1, 1 + 1e-7], [1, 1.0]], dtype=np.float32)), 5), sparse_rows._most_clusters(sparse.csr_array(np.array([[1, 1 + 1e-7], [1, 1.0], [1, 1 + 1e-13]])), 5)",
    "[sparse_rows._spread_seeds(sparse_rows.unit_rows(T[6:], 'l2'), 3, rng(s)) for s in range(4)], sparse_rows._spread_seeds(sparse.csr_array(np.eye(3)[[0, 0, 0]]), 2, rng(0))",
    "[(labels, sparse_rows.fill_empty(labels, reached, k), reached) for labels, reached, k in ((np.array([0, 0, 2]), np.array([.1, .2, .3]), 3), (np.array([0, 0, 0]), np.array([.3, .1, .2]), 3), (np.array([0, 1]), np.array([.1, .2]), 4), (np.array([1, 1, 1, 0]), np.array([.3, .1, .2, .0]), 3))]",
    "[sparse_rows.sums_of(T[:6], y[:6], 3), sparse_rows.directions(np.array([[3.0, 0], [4, 0]]))]",
    "[[(c.key, c.title, c.distances, c.parameter, c.growth, c.whole_to, c.depends_on_seed) for c in [cl.as_clusterer(*g)]] for g in ((KMeans(),), (MiniBatchKMeans(),), (GaussianMixture(),), (DBSCAN(), 'eps'), (DBSCAN(metric='cosine'), 'eps'), (pipe(),), (cl.KMedoids(),), (sk.AgglomerativeClustering(),),"
    " (sk.AgglomerativeClustering(linkage='average'),), (KMeans(), 'max_iter'), ('ward',), (sk.SpectralClustering(),), (sk.AffinityPropagation(), 'damping'))]",
    "[record._random_states(e) for e in (KMeans(), pipe(), DBSCAN(), 3)], [record._qualified(e, n) for e in (KMeans(), pipe()) for n in ('n_clusters', 'kmeans__tol')]",
    "[record._distances_taken(e, e.get_params()) for e in (KMeans(), pipe(), DBSCAN(), DBSCAN(metric='l1'), sk.AgglomerativeClustering(), cl.GenieClustering())], [record._distances_taken(Some(distances=d), {}) for d in ('any', ('a', 'b'))]",
    "[repr(record.configured(e, s, 4, 7, m)) for e, s, m in ((KMeans(), 'n_clusters', None), (pipe(), 'kmeans__n_clusters', 'cosine'), (DBSCAN(), 'min_samples', 'cosine'), (DBSCAN(), 'min_samples', 'euclidean'), (DBSCAN(metric='l1'), 'min_samples', 'cosine'), (cl.KMedoids(), 'n_clusters', 'cosine'))]",
    "[repr(cl.catalogue[k].make(5, 3)) for k in cl.catalogue]", "[repr(cl.catalogue[k].make(5, 3, metric=m)) for k in ('kmedoids', 'hdbscan', 'hdbscan-filled', 'optics', 'average') for m in ('cosine', 'euclidean')]",
    *(f"[under(k, {m!r}) for k in ('kmeans', 'ward', 'average', 'genie', 'hdbscan', 'spectral', 'kl-kmeans', 'i2-direct')]" for m in (
        "euclidean", "cosine", "cityblock", "precomputed", "graph", "kl", "hellinger")),
    "[(c.key, c.title, c.cells, repr(c.make(5, 3))) for c in (metric_support.under(cl.catalogue['ward'], 'cosine'), metric_support.under(cl.catalogue['average'], 'cityblock'), metric_support.under(cl.catalogue['kmeans'], 'euclidean'))]",
    "bessel.log_bessel_and_ratio(3.5, np.array([.01, 1, 50, 1e4])), bessel.log_bessel_and_ratio(80, np.array([.5, 200])), bessel.log_bessel_and_ratio(-.5, [2.0])",
    "[bessel.concentration(np.array([0, 1e-4, .3, .9, .999, 1.0]), d) for d in (2, 3, 50)]", "[bessel.log_constant(np.array([0, .1, 5, 900]), d) for d in (2, 3, 50)]",
    "[criterion._visits(n, rng(0)) for n in (3, 200, 250)], [criterion._visits(n, rng(0)).size for n in (99, 5000)]", "criterion._cut(np.zeros((0, 4)), 1)",
    "[(o.value(y, 3), o.others(y, 3), o.improve(y.copy(), 3, 5, rng(0))) for c in criterion.CRITERIA for o in [criterion._CriterionObjective(sparse_rows.unit_rows(T[[i for i in range(24) if i != 5]], 'l2'), c)] for y in [np.arange(23) % 3]]",
    "[mixed_mixture.two_valued_features(mixed), mixed_mixture.columns_by_kind(mixed)[1], np.abs(mixed_mixture.columns_by_kind(mixed)[0]).sum(axis=0)]",
    "[len(mixed_mixture.columns_by_kind(np.array(X, dtype=float))[1]) for X in ([[0, 1, 0], [1, 0, 0], [0, 0, 1]], [[0, 1, 0], [1, 0, 5], [0, 0, 7]], [[0, 1], [0, 1]], [[1, 1], [0, 0]], [[1, 0, 1], [0, 1, 0]])]",
    "[(r[0], r[1].argmax(axis=1), r[2]) for m in (1, 3, 50) for r in [mixed_mixture._maximized(mixed[:, :1] / 10, [], y, m)]]",
    "[orclus._assign(far[:6], far[:2], np.stack([np.eye(3), np.eye(3)[:, ::-1]]))], (lambda g: [g.means, g.sizes, np.abs(g.subspaces(2)), g.merge(2, 2), g.sizes, g.means])(orclus._Groups(far, np.arange(24) % 6))",
    "[kmedoids._numbered(np.array([2, 0, 1, 2]), np.array([1, 2, 3]))]", "[genie.spanning_tree(far[:6], m) for m in ('euclidean', 'cityblock')], genie.spanning_tree(far[:6], 'cityblock', np.arange(6.0) * 9), genie.spanning_tree(far[:6], 'euclidean', np.arange(6.0) * 9)",
    "[pca._varies(X) for X in (np.ones((3, 2)), far, sparse.csr_array(np.ones((3, 2))), T)]",
    "[lloyd.QuickKMeans.of(e) for e in (KMeans(), KMeans(n_init=4, init='random', max_iter=7, tol=.5), KMeans(init='random'), KMeans(algorithm='elkan'), KMeans(init=np.eye(3)), MiniBatchKMeans())], lloyd.as_columns(far[:4])",
    "[np.unique(q.labels(lloyd.as_columns(far), 3, 0) * 10 + y).size for q in (lloyd.QuickKMeans('k-means++', 2, 9, 1e-4), lloyd.QuickKMeans('random', 9, 9, 1e-4))]",
    "[spectral._neighbors(far[:8], 'euclidean', n, 'neighbors').toarray() for n in (1, 2, 4, 50)], spectral._neighbors(T[6:12] + .1 * sparse.csr_array(np.ones((6, 12))), 'cosine', 3, 'cosine').toarray()",
    "[np.abs(spectral.embedding(path, np.zeros(12, int), 3, l, rng(0))) for l in ('random-walk', 'symmetric', 'unnormalized')], spectral.embedding(path, np.zeros(12, int), 1, 'symmetric', rng(0))",
    "[spectral._clusters(W, k, 'random-walk', rng(0)) for W, k in ((A, 3), (A, 2), (path, 1), (sparse.csr_array((3, 3)), 2), (sparse.block_diag([A[:6][:, :6], sparse.csr_array((2, 2))]).tocsr(), 3))]",
    "spectral._clusters(lone, 2, 'random-walk', rng(0)), np.polynomial.polynomial.polyval(np.array([.3]), bessel.coefficients())[:, 1:4].swapaxes(0, 1).reshape(6, 1)",
    "[spherical._objective(np.array([4.0, 9, -1e-18]), np.array([2, 3, 1]), 6, b) for b in (True, False)]",
]  # fmt: skip

PINS = Pins(__file__, names)


@pytest.mark.parametrize("expression", PINS.kept)
def test_it_is_as_pinned(expression: str) -> None:
    PINS.check(expression)


if __name__ == "__main__":
    PINS.write([*dict.fromkeys([*EXPRESSIONS, *PINS.kept])])
