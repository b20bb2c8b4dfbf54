"""A classifier from a few labels: what it asks for, what it reads, what it learns."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from karat.labeling import FewLabelClassifier, central_objects, spread_labels
from karat.runtime.validation import InputError

FAST = ("kmeans", "average")


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@parametrize_with_checks([FewLabelClassifier(8, clusterers=("kmeans",), random_state=0)])
def test_the_estimator_contract(estimator, check):
    check(estimator)


# Four clusters on a line. Medoids by hand: 1 of (0, 1, 2), 11 of (10, 11, 13), 20 of (20, 21)
# because it comes first, 30 alone.
LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0], [20.0], [21.0], [30.0]])
GROUPS = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3])
CLASSES = np.array(["a", "a", "b", "b", "b", "a", "a", "b", "b"], dtype=object)


def test_medoids_by_hand():
    assert [list(c) for c in central_objects(LINE, GROUPS)] == [[1], [4], [6], [8]]
    assert [list(c) for c in central_objects(LINE, GROUPS, 2)] == [[1, 0], [4, 3], [6, 7], [8]]


def test_medoids_equal_the_smallest_row_sums_of_the_matrix(rng):
    X = rng.normal(size=(2300, 3))
    labels = rng.integers(0, 2, 2300)
    for cluster, central in enumerate(central_objects(X, labels, 3)):
        members = np.flatnonzero(labels == cluster)
        D = np.sqrt(((X[members, None] - X[None, members]) ** 2).sum(axis=2))
        assert list(central) == list(members[np.argsort(D.sum(axis=1))[:3]])


def test_outliers_belong_to_no_cluster():
    labels = np.where(GROUPS == 3, -1, GROUPS)
    medoids = central_objects(LINE, labels)
    assert [list(c) for c in medoids] == [[1], [4], [6]]
    assert spread_labels(labels, medoids, CLASSES)[8] is None


@pytest.mark.parametrize(
    ("per_cluster", "wanted"),
    [
        (1, ["a", "a", "a", "b", "b", "b", "a", "a", "b"]),
        # all of a cluster: the majority, and in a tie the medoid's
        (3, ["a", "a", "a", "b", "b", "b", "a", "a", "b"]),
    ],
)
def test_full_cluster_labels_by_hand(per_cluster, wanted):
    medoids = central_objects(LINE, GROUPS, per_cluster)
    assert list(spread_labels(GROUPS, medoids, CLASSES)) == wanted


def test_a_majority_outvotes_the_medoid():
    labelled = [np.array([0, 1, 2])]
    y = np.array(["b", "a", "a"], dtype=object)
    assert list(spread_labels([0, 0, 0], labelled, y)) == ["a", "a", "a"]


@pytest.mark.parametrize("spread", ["cluster", "medoid"])
def test_both_filters_equal_their_definition(spread):
    """Algorithms 1 and 2 of whissell2012 §7.3, written out."""
    from karat.clusterers import as_clusterer, under

    X, y = load_iris(return_X_y=True)
    model = FewLabelClassifier(5, spread=spread, clusterers=("average",), random_state=0).fit(X, y)
    labels = under(as_clusterer("average"), "euclidean").make(5, 0).fit_predict(X)
    medoids = np.concatenate(central_objects(X, labels))
    assert sorted(model.asked_) == sorted(medoids)
    if spread == "medoid":
        expected = LogisticRegression(max_iter=1000).fit(X[model.asked_], y[model.asked_])
    else:
        of = {labels[i]: y[i] for i in medoids}
        expected = LogisticRegression(max_iter=1000).fit(X, [of[label] for label in labels])
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), atol=1e-6)


def test_only_the_labels_asked_for_are_read():
    X, y = load_iris(return_X_y=True)
    model = FewLabelClassifier(6, clusterers=FAST, random_state=0)
    rows = model.ask(X)
    wrong = (y + 1) % 3
    wrong[rows] = y[rows]
    missing = np.where(np.isin(np.arange(150), rows), y, np.nan)
    assert (model.fit(X, y).predict(X) == model.fit(X, wrong).predict(X)).all()
    assert (model.fit(X, y).predict(X) == model.fit(X, missing).predict(X)).all()


def test_a_missing_label_is_named():
    X, _ = load_iris(return_X_y=True)
    model = FewLabelClassifier(4, clusterers=FAST, random_state=0)
    rows = model.ask(X)
    with pytest.raises(InputError, match=f"1 objects that are asked for .*: {rows[1]} "):
        model.fit(X, ["a" if i in rows and i != rows[1] else None for i in range(150)])


def test_minus_one_beside_classes_is_no_guess():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="-1 beside other classes"):
        FewLabelClassifier(4, clusterers=FAST).fit(X, np.where(y == 0, -1, y))


def test_the_measure_chooses_the_clusterer():
    X, y = load_iris(return_X_y=True)
    model = FewLabelClassifier(
        4, clusterers=("kmeans", "single"), measure="davies_bouldin_index", random_state=0
    ).fit(X, y)
    assert model.chosen_ == max(model.scores_, key=model.scores_.get)
    assert set(model.scores_) == {"kmeans", "single"}
    assert max(model.scores_.values()) <= 0


def test_sparse_rows_give_what_dense_rows_give():
    X, y = load_iris(return_X_y=True)
    model = FewLabelClassifier(5, clusterers=FAST, metric="cosine", random_state=0)
    dense = model.fit(X, y).predict(X)
    assert (model.fit(sparse.csr_array(X), y).predict(sparse.csr_array(X)) == dense).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_labels": 1}, "at least 2"),
        ({"spread": "all"}, "spread"),
        ({"metric": "precomputed"}, "no rows"),
        ({"clusterers": ()}, "no clusterer"),
    ],
)
def test_settings_that_cannot_work(given, message):
    with pytest.raises(InputError, match=message):
        FewLabelClassifier(**given).ask(LINE)


def test_what_asked_has_clustered_is_not_clustered_again(rng, monkeypatch):
    X, y = make_blobs(60, centers=3, random_state=0)
    done, cluster = [], FewLabelClassifier._cluster_anew
    monkeypatch.setattr(
        FewLabelClassifier, "_cluster_anew", lambda self, X: (done.append(1), cluster(self, X))[1]
    )
    model = FewLabelClassifier(4, clusterers=FAST)  # no seed
    rows = model.ask(X)
    labels = [y[i] if i in rows else None for i in range(60)]
    assert len(model.ask(X, labels)) == 0
    model.fit(X, labels)
    assert len(done) == 1
    assert sorted(model.asked_) == sorted(rows)
    model.ask(sparse.csr_array(X))
    assert len(done) == 2
    model.set_params(n_labels=5).ask(sparse.csr_array(X))
    assert len(done) == 3
    model.ask(X + 1)
    assert len(done) == 4
