"""Resampling methods: published values, definitions, planted clusters, and what cannot be."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from scattering import Scattering
from sortal import InputError, stability
from sortal.clusterers import as_clusterer
from sortal.stability import Engine, halves, prepare, subsample, transfer

IRIS = load_iris().data


def blobs(k: int, d: int, n: int = 30, *, seed: int = 0, apart: float = 12.0):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(k, d))
    gap = min(np.linalg.norm(a - b) for a, b in itertools.combinations(centers, 2))
    X = np.repeat(centers / gap * apart, n, axis=0) + rng.normal(size=(k * n, d))
    return X, np.repeat(np.arange(k), n)


# -- published values ------------------------------------------------------------------------


def test_prediction_strength_of_iris_as_in_fpc():
    # fpc takes one random start of k-means; its 10 splits have a standard error of about 0.06
    found = stability.prediction_strength(
        IRIS, KMeans(n_init=1, init="random"), k=range(1, 6), n_splits=40
    )
    published = np.array([1, 0.980, 0.631, 0.535, 0.486])
    errors = 3 * np.sqrt(found.table["standard_error"] ** 2 * (1 + 40 / 10)) + 1e-12
    assert (np.abs(found.table["value"] - published) <= errors + 0.01).all()
    assert found.selected == 2


def test_clusterwise_bootstrap_of_iris_as_in_fpc():
    found = stability.clusterwise_bootstrap(IRIS, KMeans(n_init=10), k=3, n_resamples=60)
    means = np.sort(found.table["jaccard"])
    assert means == pytest.approx([0.949, 0.961, 1.0], abs=0.03)
    assert (found.table["recovered"] >= 0.8).all()
    assert "found again" in found.advice


def test_a_partition_that_depends_on_the_seed_is_said_to():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(150, 2))
    once = KMeans(n_init=1, init="random", max_iter=3)
    found = stability.clusterwise_bootstrap(X, once, k=8, n_resamples=4)
    assert found.refits.shape == (8,)
    # the definition: the worst of five fits to all objects, cluster by cluster
    engine = prepare(X, once, random_state=0)
    again = [engine.fit(None, [8], engine.generator(2**32 - 2 - r))[0] for r in range(5)]
    for c in range(8):
        own = found.labels == c
        best = [
            max((own & (f == h)).sum() / (own | (f == h)).sum() for h in range(8)) for f in again
        ]
        assert found.refits[c] == pytest.approx(min(best))
    assert "depends on its seed" in found.advice
    assert f"cluster {np.argmin(found.refits)} is found again" in found.advice
    average = stability.clusterwise_bootstrap(X, "average", k=8, n_resamples=4)
    assert average.refits is None
    given = stability.clusterwise_bootstrap(X, once, k=8, labels=found.labels, n_resamples=4)
    assert given.refits is None


# -- definitions -----------------------------------------------------------------------------


@pytest.mark.parametrize("sparse", [False, True])
def test_means_carry_labels_as_a_classifier_of_the_training_objects(sparse):
    from scipy.sparse import csr_array
    from sklearn.neighbors import NearestCentroid

    rng = np.random.default_rng(5)
    for _ in range(5):
        X = rng.normal(size=(120, 3)) + 50
        train, test = halves(120, rng)
        labels = rng.choice([-1, 0, 2, 3], len(train)).astype(np.int32)  # nobody is in 1
        kept = labels >= 0
        expected = NearestCentroid().fit(X[train][kept], labels[kept]).predict(X[test])
        engine = prepare(csr_array(X) if sparse else X, "kmeans")
        assert (transfer(engine, "centroid", train, labels, test) == expected).all()


def test_levine_and_domany_is_the_definition():
    X, _ = blobs(3, 2, 12, apart=3)
    found = stability.levine_domany(X, "average", k=[2, 4], n_resamples=6, n_neighbors=4)
    D = np.linalg.norm(X[:, None] - X[None], axis=2) + np.diag(np.full(36, np.inf))
    engine = prepare(X, "average")
    whole = engine.fit(None, [2, 4], engine.generator(2**32 - 1))
    for b in range(6):
        rng = engine.generator(b)
        rows = subsample(36, 2 / 3, rng).tolist()
        for full, labels, k in zip(
            whole, engine.fit(np.array(rows), [2, 4], rng), (2, 4), strict=True
        ):
            same = [
                (full[i] == full[j]) == (labels[rows.index(i)] == labels[rows.index(j)])
                for i in rows
                for j in np.argsort(D[i])[:4]
                if j in rows
            ]
            assert found.samples[k][b] == pytest.approx(np.mean(same))


def test_lange_is_the_definition():
    X, _ = blobs(3, 2, 12, apart=3)
    found = stability.lange(X, "average", k=[2, 3], n_splits=5, classifier="centroid")
    engine = prepare(X, "average")

    def least(one, other):
        names = itertools.permutations(range(3))
        return min(np.mean(np.array(name)[one] != other) for name in names)

    own, chance = np.empty((5, 2)), np.empty((5, 2))
    for b in range(5):
        rng = engine.generator(b)
        one, other = halves(36, rng)
        fits = engine.fit(one, [2, 3], rng), engine.fit(other, [2, 3], rng)
        for i, (a, c) in enumerate(zip(*fits, strict=True)):
            predicted = transfer(engine, "centroid", one, a, other)
            own[b, i] = least(predicted, c)
            chance[b, i] = least(rng.permutation(predicted), rng.permutation(c))
    for i, k in enumerate((2, 3)):
        np.testing.assert_allclose(found.samples[k], own[:, i] / chance[:, i].mean())


def test_consensus_is_the_definition():
    X, _ = blobs(3, 2, 8, apart=3)
    found = stability.consensus_matrix(X, k=[2, 3], n_resamples=15, fraction=0.6)
    for k in (2, 3):
        labels = found.labels[k].astype(int)
        n = len(X)
        naive = np.full((n, n), np.nan)
        for i in range(n):
            for j in range(n):
                both = (labels[:, i] != 255) & (labels[:, j] != 255)
                if both.any():
                    naive[i, j] = (labels[both, i] == labels[both, j]).mean()
        np.testing.assert_allclose(found.matrix(k), naive, rtol=1e-6)
        upper = naive[np.triu_indices(n, 1)]
        upper = upper[~np.isnan(upper)]
        ambiguous = ((upper >= 0.1) & (upper < 0.9 - 1e-9)).mean()
        assert found.table.loc[k, "ambiguous"] == pytest.approx(ambiguous, abs=0.02)
        # the distribution is summed over a hundred bins
        area = np.mean([(upper < x - 1e-9).mean() for x in np.arange(1, 100) / 100] + [1])
        assert found.table.loc[k, "area"] == pytest.approx(area, abs=0.02)
        never = (n * (n - 1) / 2 - len(upper)) / (n * (n - 1) / 2)
        assert found.table.loc[k, "never"] == pytest.approx(never)
        assert sorted(found.order(k)) == list(range(n))


def test_neighbours_carry_labels_as_a_classifier_of_the_training_objects():
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    engine = prepare(X, "kmeans")
    train, test = halves(200, rng)
    labels = rng.integers(0, 2, len(train)).astype(np.int32)
    expected = KNeighborsClassifier(5).fit(X[train], labels).predict(X[test])
    assert (transfer(engine, "neighbors", train, labels, test) == expected).all()


def test_a_tie_of_voters_goes_to_the_nearest():
    """Two votes for 0 and two for 1; the nearest of the five has label 1, the third label 0."""
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [60.0], [61.0]])
    engine = prepare(X, "kmeans")
    train, test = np.arange(1, 8), np.array([0])
    for labels, expected in [
        ([1, 0, 0, 1, 2], 1), ([0, 1, 1, 0, 2], 0), ([2, 0, 0, 1, 1], 0), ([2, 1, 1, 0, 0], 1),
        ([2, 0, 1, 0, 1], 0), ([2, 1, 0, 1, 0], 1), ([4, 3, 2, 1, 0], 4),
    ]:  # fmt: skip
        found = transfer(engine, "neighbors", train, np.array([*labels, 0, 0], np.int32), test)
        assert found.tolist() == [expected]


def test_objects_far_from_all_that_were_drawn_take_the_nearest_label():
    X = np.concatenate([np.zeros((90, 1)), np.full((10, 1), 50.0), np.full((1, 1), 49.0)])
    X += np.random.default_rng(0).normal(scale=1e-3, size=X.shape)
    engine = prepare(X, "kmeans")
    train = np.concatenate([np.arange(3), np.arange(90, 93)])
    labels = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    test = np.arange(3, 90)
    assert (transfer(engine, "neighbors", train, labels, test) == 0).all()
    assert transfer(engine, "neighbors", train, labels, np.array([100]))[0] == 1


# -- planted clusters ------------------------------------------------------------------------


@pytest.mark.quick(2)
@pytest.mark.parametrize(("k", "d"), [(2, 2), (3, 10), (5, 2), (4, 50)])
def test_planted_clusters_are_found(k, d):
    X, _ = blobs(k, d)
    kmeans = KMeans(n_init=10)
    assert stability.prediction_strength(X, kmeans, k=range(1, 8)).selected == k
    assert stability.lange(X, kmeans, k=range(2, 8), n_splits=10).selected == k
    bootstrap = stability.clusterwise_bootstrap(X, kmeans, k=k, n_resamples=20)
    assert (bootstrap.table["jaccard"] > 0.9).all()
    assert np.nanmin(bootstrap.objects) > 0.8
    assert stability.subsampling(X, kmeans, k=k, n_resamples=5).table["value"].item() > 0.97


@pytest.mark.long
@pytest.mark.parametrize("name", ["gap-pca", "clest", "prediction-strength", "stability"])
def test_one_cluster_can_be_the_answer(name):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(90, 3))
    estimate, can_answer_1 = stability.ESTIMATORS[name]
    assert can_answer_1
    assert estimate(X, KMeans(n_init=3), [1, 2, 3, 4], 0) == 1
    X = np.repeat(9.0 * np.eye(3), 30, axis=0) + rng.normal(size=(90, 3))
    assert estimate(X, KMeans(n_init=3), [1, 2, 3, 4], 0) == 3


def test_null_is_beside_every_curve_and_more_noise_means_less_confidence():
    values = []
    for apart in (12.0, 0.3):
        X, _ = blobs(3, 2, apart=apart, seed=1)
        curve = stability.ben_hur(
            X, KMeans(n_init=3), k=[2, 3, 4], n_resamples=10, n_references=4,
            similarity="adjusted_rand",
        )  # fmt: skip
        assert set(curve.table) >= {"null", "null_error", "difference", "lower", "upper"}
        values.append(curve.table.loc[3, "value"])
    assert values[0] > values[1]


def test_subsampling_methods_two_and_three():
    X, _ = blobs(3, 2, 20)
    kmeans = KMeans(n_init=1)
    good = stability.subsampling(X, kmeans, k=3, method=2, n_resamples=7)
    assert good.table["value"].item() >= 0.8
    single = stability.subsampling(X, kmeans, k=[2, 3], method=3, n_resamples=2)
    assert single.table.loc[3, "value"] > single.table.loc[2, "value"]
    folds = stability.subsampling(X, kmeans, k=3, folds=10)
    assert len(folds.samples[3]) == 10


def test_levine_domany_of_planted_clusters():
    X, _ = blobs(3, 2, 25)
    assert stability.levine_domany(X, "average", k=3, n_resamples=5).table["value"].item() > 0.99


# -- what it rests on ------------------------------------------------------------------------


def test_the_number_of_workers_changes_nothing(monkeypatch):
    X, _ = blobs(3, 2, apart=3)
    tables = []
    for cores in (1, 2):
        monkeypatch.setenv("LOKY_MAX_CPU_COUNT", str(cores))
        tables.append(stability.ben_hur(X, k=[2, 3], n_resamples=6).table)
    with ThreadPoolExecutor(3) as pool:
        tables.append(stability.ben_hur(X, k=[2, 3], n_resamples=6, executor=pool).table)
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_halves_predict_the_same_elsewhere():
    X, _ = blobs(3, 2, apart=3)
    options = {"k": [2, 3], "n_splits": 4, "n_references": 2}
    here = stability.prediction_strength(X, classifier="neighbors", **options)
    there = stability.prediction_strength(
        X, classifier="neighbors", executor=Scattering(), **options
    )
    assert there.table.equals(here.table)


def test_precomputed_distances_give_the_same():
    from scipy.spatial.distance import cdist

    X, _ = blobs(3, 2, apart=4)
    by_features = stability.ben_hur(X, "average", k=[2, 3], n_resamples=5)
    by_matrix = stability.ben_hur(
        cdist(X, X), "average", k=[2, 3], n_resamples=5, metric="precomputed"
    )
    np.testing.assert_allclose(by_features.table, by_matrix.table)


def test_a_tree_is_fitted_once_for_every_number_of_clusters():
    engine = prepare(IRIS, "average")
    rows = subsample(150, 0.5, np.random.default_rng(0))
    many = engine.fit(rows, [1, 2, 5], np.random.default_rng(0))
    assert [len(np.unique(labels)) for labels in many] == [1, 2, 5]
    calls = []
    record = as_clusterer("average")
    counting = Engine(IRIS, type(record)(**{**record.__dict__, "make": lambda k, s: (calls.append(k), record.make(k, s))[1]}))  # noqa: E501  # fmt: skip
    counting.fit(None, [2, 3, 4], np.random.default_rng(0))
    assert len(calls) == 1


def test_outliers_of_a_density_clusterer_are_excluded():
    X, _ = blobs(2, 2, 40)
    X = np.concatenate([X, [[200.0, 0.0]]])
    found = stability.clusterwise_bootstrap(X, "hdbscan", k=10, n_resamples=10)
    assert np.isnan(found.objects[-1])
    assert found.table["size"].sum() <= 80


@pytest.mark.parametrize("fraction", [None, 0.6])
def test_separated_clusters_are_found_again(fraction):
    X, labels = blobs(3, 6, 15, apart=25.0)
    options = {"k": 3, "labels": labels, "fraction": fraction, "n_resamples": 10}
    found = stability.clusterwise_bootstrap(X, "average", **options)
    assert (found.table["jaccard"] > 0.99).all()
    again = stability.clusterwise_bootstrap(X, "average", **options)
    assert again.table.equals(found.table)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda X: stability.ben_hur(X, k=0), "k must be"),
        (lambda X: stability.ben_hur(X, k=2, fraction=1.5), "fraction"),
        (lambda X: stability.ben_hur(X, k=2, n_resamples=1), "at least 2"),
        (lambda X: stability.ben_hur(X, k=2, similarity="nmi"), "similarity"),
        (lambda X: stability.subsampling(X, method=4), "method must be"),
        (lambda X: stability.subsampling(X, method=3, estimator="silhouette"), "answer 1"),
        (lambda X: stability.subsampling(X, method=2, estimator="elbow"), "elbow"),
        (lambda X: stability.prediction_strength(X[:3]), "at least 4"),
        (lambda X: stability.clusterwise_bootstrap(X, labels=[0, 1]), "2 labels"),
        (lambda X: stability.draw_reference(X, "cube"), "gaussian"),
    ],
)
def test_what_cannot_be_is_said(call, says):
    with pytest.raises(InputError, match=says):
        call(IRIS)


def test_results_print():
    X, _ = blobs(2, 2, 15)
    curve = stability.ben_hur(X, k=[2, 3], n_resamples=4, n_references=2)
    assert "by the largest difference" in str(curve)
    assert "<table" in curve._repr_html_()
    assert len(curve.samples[2]) == 4
    assert "Consensus" in str(stability.consensus_matrix(X, k=2, n_resamples=4))
