"""Out-of-fold predictions against refitting, and informativeness of many clusterings at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import naive_clarity as naive
import sortal
from example_counts import examples
from sortal import InputError, UndefinedMeasureError
from sortal.measures.clarity import KNearestNeighbors, Refit, assess


def draw(seed: int, n: int, d: int, M: int, k: int) -> tuple[Any, Any]:
    """Points around centres, and clusterings from fair to senseless."""
    rng = np.random.default_rng(seed)
    centre = rng.integers(0, k, n)
    X = rng.normal(size=(n, d)) + 2 * rng.normal(size=(k, d))[centre]
    noise = rng.random((M, n)) < np.linspace(0, 1, M)[:, None]
    labels = np.where(noise, rng.integers(0, k, (M, n)), centre)
    labels[:, :2] = [0, 1]
    return X, labels


def told(X: Any, labels: Any, **options: Any) -> Any:
    found = assess(X, labels, **options)
    names = found.labelings.cluster_names
    return np.stack([names[m][found.predictions[0, m]] for m in range(len(names))])


seeds = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(8, 50), st.integers(1, 4), st.integers(1, 4)
)


@examples(25)
@given(seeds, st.integers(2, 6), st.integers(1, 7))
def test_neighbours_leave_one_out(shape: tuple[int, ...], k: int, r: int) -> None:
    X, labels = draw(*shape, k)
    D = naive.distances(X)
    found = told(X, labels, classifiers=KNearestNeighbors(r))
    mean = told(X, labels, classifiers=KNearestNeighbors(r, "smallest mean"))
    for m, row in enumerate(labels):
        np.testing.assert_array_equal(found[m], naive.nearest_vote(D, row, r))
        np.testing.assert_array_equal(mean[m], naive.smallest_mean_vote(D, row, r))


@examples(25)
@given(seeds, st.integers(2, 6), st.integers(2, 8))
def test_everything_under_folds(shape: tuple[int, ...], k: int, n_folds: int) -> None:
    X, labels = draw(*shape, k)
    D, options = naive.distances(X), {"cv": n_folds, "random_state": 7}
    folds = assess(X, labels, **options).folds
    assert folds is not None
    near = told(X, labels, **options)
    centroid = told(X, labels, classifiers="centroid", **options)
    in_sparse = told(sparse.csr_array(X), labels, classifiers="centroid", **options)
    for m, row in enumerate(labels):
        np.testing.assert_array_equal(near[m], naive.nearest_vote(D, row, 5, folds[m]))
        np.testing.assert_array_equal(
            centroid[m], naive.refit(naive.Centroids, X, row, list(folds[m]))
        )
        np.testing.assert_array_equal(in_sparse[m], centroid[m])


@examples(20)
@given(seeds, st.integers(2, 6))
def test_closed_forms_equal_refitting_n_times(shape: tuple[int, ...], k: int) -> None:
    X, labels = draw(*shape, k)
    one_each = list(range(len(X)))
    centroid = told(X, labels, classifiers="centroid")
    in_sparse = told(sparse.csr_array(X), labels, classifiers="centroid")
    for m, row in enumerate(labels):
        expected = naive.refit(naive.Centroids, X, row, one_each)
        np.testing.assert_array_equal(centroid[m], expected)
        np.testing.assert_array_equal(in_sparse[m], expected)


def test_the_same_predictions_as_scikit_learn() -> None:
    from sklearn.model_selection import LeaveOneOut, cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neighbors import NearestCentroid as Centroid

    # two clusters and five neighbours cannot tie
    X, labels = draw(5, 50, 3, 2, 2)
    near, centroid = told(X, labels), told(X, labels, classifiers="centroid")
    for m, row in enumerate(labels):
        for model, found in ((KNeighborsClassifier(5), near), (Centroid(), centroid)):
            expected = cross_val_predict(model, X, row, cv=LeaveOneOut())
            np.testing.assert_array_equal(found[m], expected)


def test_refits_run_anywhere_with_the_same_answer() -> None:
    X, labels = draw(6, 60, 3, 3, 4)
    options: dict[str, Any] = {
        "classifiers": sortal.measures.clarity.THESIS,
        "cv": 5,
        "random_state": 3,
    }
    here = assess(X, labels, **options)
    with ThreadPoolExecutor(3) as pool:
        there = assess(X, labels, executor=pool, **options)
    np.testing.assert_array_equal(here.predictions, there.predictions)
    assert here.folds is not None
    for f, name in enumerate(("svm", "tree"), start=1):
        assert here.classifiers[f] == name


def test_a_refit_is_what_the_estimator_predicts() -> None:
    from sklearn.naive_bayes import GaussianNB

    X, labels = draw(8, 70, 3, 3, 3)
    found = assess(X, labels, classifiers=[GaussianNB(), "5nn"], cv=4, random_state=0)
    assert found.classifiers == ("GaussianNB", "5nn")
    assert found.folds is not None
    for m, row in enumerate(labels):
        names = found.labelings.cluster_names[m]
        expected = naive.refit(GaussianNB, X, row, list(found.folds[m]))
        np.testing.assert_array_equal(names[found.predictions[0, m]], expected)


@pytest.mark.quick(3)
@pytest.mark.parametrize("classifier", ["5nn", "email", "centroid", "svm", "tree"])
@pytest.mark.parametrize("cv", ["leave-one-out", 3])
def test_one_is_many_and_names_do_not_matter(classifier: str, cv: Any) -> None:
    X, labels = draw(9, 40, 2, 4, 4)
    options: dict[str, Any] = {"classifiers": classifier, "cv": cv, "random_state": 1}
    together = sortal.informativeness(X, labels, **options)
    words = np.array(["pear", "apple", "fig", "kiwi"])
    for m, row in enumerate(labels):
        assert sortal.informativeness(X, row, **options) == together[m]
        renamed = sortal.informativeness(X, words[row], **options)
        assert renamed == pytest.approx(together[m], abs=1e-12)


def test_value_is_the_definition_over_the_best_classifier() -> None:
    X, labels = draw(10, 80, 2, 5, 3)
    found = assess(X, labels, classifiers=["5nn", "centroid"])
    for m, row in enumerate(labels):
        names = found.labelings.cluster_names[m]
        each = [naive.informativeness(list(row), list(names[p[m]])) for p in found.predictions]
        assert found.values()[m] == pytest.approx(max(each), abs=1e-12)
        assert found.table["informativeness"].iloc[m] == found.values()[m]


def test_generalized() -> None:
    X, labels = draw(11, 80, 2, 5, 3)
    predicted = told(X, labels)
    for key in ("adjusted_rand_index", "purity", "variation_of_information"):
        values = sortal.generalized_informativeness(X, labels, measure=key)
        function = sortal.measures.catalogue[key].function
        expected = [function(p, row) for p, row in zip(predicted, labels, strict=True)]
        np.testing.assert_allclose(values, expected, atol=1e-12)
    agreed = sortal.generalized_informativeness(
        X, labels, measure=lambda true, pred: float(np.mean(np.asarray(true) == pred))
    )
    np.testing.assert_allclose(agreed, assess(X, labels).table["accuracy"])
    with pytest.raises(InputError, match="external"):
        sortal.generalized_informativeness(X, labels, measure="silhouette")


def test_catalogue_and_evaluate() -> None:
    X, labels = draw(12, 60, 2, 3, 3)
    labels = np.vstack([labels, np.zeros(60, dtype=int)])
    keys = [key for key, m in sortal.measures.catalogue.items() if m.family == "clarity"]
    assert "informativeness" in keys
    scores = sortal.evaluate(X, labels, measures=keys)
    np.testing.assert_array_equal(scores["informativeness"], sortal.informativeness(X, labels))
    assert "at least 2" in scores.reasons["3"]["informativeness"]
    for key in keys:
        function = sortal.measures.catalogue[key].function
        assert function(X, labels[0]) == scores[key].iloc[0]


def test_one_cluster_is_undefined() -> None:
    X, labels = draw(13, 30, 2, 2, 3)
    with pytest.raises(UndefinedMeasureError, match="at least 2"):
        sortal.informativeness(X, np.zeros(30))
    labels[1] = 4
    values = sortal.informativeness(X, labels)
    assert np.isfinite(values[0])
    assert np.isnan(values[1])
    table = assess(X, labels).table
    assert np.isnan(table["standard_error"].iloc[1])


def test_singletons_are_never_recognised() -> None:
    X = np.random.default_rng(14).normal(size=(20, 2))
    alone = np.arange(20)
    for classifier in ("5nn", "centroid", "tree"):
        value = sortal.informativeness(X, alone, classifiers=classifier)
        assert value == pytest.approx(-1 / 19)
        some = np.where(alone < 18, 0, alone)
        found = assess(X, some, classifiers=classifier)
        assert found.per_cluster()["recall"].iloc[1:].eq(0).all()


def test_clusters_smaller_than_the_folds() -> None:
    X, labels = draw(15, 30, 2, 1, 2)
    labels[0, :3] = [7, 7, 8]
    found = assess(X, labels, classifiers=sortal.measures.clarity.THESIS, cv=10, random_state=0)
    assert np.isfinite(found.values()).all()
    assert found.folds is not None
    sizes = np.bincount(found.folds[0])
    assert sizes.max() - sizes.min() <= 1
    for cluster in range(4):
        share = np.bincount(found.folds[0][found.labelings.codes[0] == cluster], minlength=10)
        assert share.max() - share.min() <= 1


def test_outliers_left_out_are_neither_learnt_nor_judged() -> None:
    X, labels = draw(16, 60, 2, 3, 3)
    labels[1, 10:20] = -1
    labels[2, 40:] = -1
    for options in ({}, {"classifiers": "centroid"}):
        together = sortal.informativeness(X, labels, noise="drop", **options)
        for m, row in enumerate(labels):
            kept = row != -1
            assert together[m] == sortal.informativeness(X[kept], row[kept], **options)
    found = assess(X, labels, noise="drop", cv=5, random_state=0)
    assert (found.predictions[0, 1, 10:20] == -1).all()
    assert np.isfinite(found.table["standard_error"]).all()


def test_a_shuffled_clustering_is_worth_nothing() -> None:
    rng = np.random.default_rng(17)
    X = rng.normal(size=(600, 3))
    sizes = np.repeat([0, 1, 2], [420, 120, 60])
    labels = np.stack([rng.permutation(sizes) for _ in range(60)])
    values = sortal.informativeness(X, labels, cv=10, baseline="permutation", random_state=0)
    error = values.std() / np.sqrt(60)
    # training folds hold a little less of an object's own cluster: the bias is of order 1/n
    assert abs(values.mean()) < 3 * error + 0.01
    # the uniform guesser does not know that one cluster is large
    labels = np.stack([rng.permutation(600) >= 540 for _ in range(10)]).astype(int)
    assert sortal.informativeness(X, labels).mean() < -0.3


def test_which_clusters_and_objects_are_at_fault() -> None:
    rng = np.random.default_rng(18)
    X = rng.normal(size=(150, 2))
    X[100:] += 20
    labels = np.repeat(["a", "b", "c"], 50)
    labels[120] = "a"
    found = assess(X, labels, classifiers=["5nn", "centroid"])
    clusters = found.per_cluster()
    assert clusters.loc["c", "recall"] == 1.0
    assert clusters.loc["a", "taken_for"] == "b"
    assert clusters["information"].sum() == pytest.approx(
        found.recognition(0, found.best_classifier(0)).average_information
    )
    pairs = found.confused_pairs()
    assert tuple(pairs.iloc[0][["a", "b"]]) == ("a", "b")
    assert pairs["confusion"].is_monotonic_decreasing
    table = found.confusion()
    for a, b, share in pairs.itertuples(index=False):
        both = table.loc[[a, b]].to_numpy().sum()
        assert share == (table.loc[a, b] + table.loc[b, a]) / both > 0
    assert found.confusion().loc["a", "c"] == 1
    assert found.confusion().to_numpy().sum() == 150
    assert "leave-one-out" in str(found)
    assert "<table" in found._repr_html_()
    with pytest.raises(InputError, match="no clustering is called 'x'"):
        found.per_cluster("x")


def test_one_judged_object_does_not_stop_the_rest() -> None:
    X, labels = draw(20, 12, 2, 1, 2)
    alone = np.full(12, -1)
    alone[0] = 0
    values = assess(X, [labels[0], alone], noise="drop").values()
    assert values[0] == assess(X, labels).values()[0]
    assert np.isnan(values[1])


def test_what_cannot_be_used() -> None:
    X, labels = draw(19, 20, 2, 1, 2)
    for options, message in (
        ({"cv": 1}, "at least 2 folds"),
        ({"cv": 21}, "21 folds need"),
        ({"cv": "loo"}, "leave-one-out"),
        ({"classifiers": "7nn"}, "did you mean '5nn'"),
        ({"classifiers": []}, "at least one"),
        ({"classifiers": 3}, "got 3"),
        ({"classifiers": ["5nn", "5nn"]}, "two classifiers"),
    ):
        with pytest.raises(InputError, match=message):
            assess(X, labels, **options)  # type: ignore[arg-type]


def test_refits_repeat_with_a_seed() -> None:
    from sklearn.ensemble import RandomForestClassifier

    X, labels = draw(20, 60, 2, 2, 3)
    forest = Refit(RandomForestClassifier(5), "forest")
    a, b = (
        assess(X, labels, classifiers=forest, cv=3, random_state=5).predictions for _ in range(2)
    )
    np.testing.assert_array_equal(a, b)
