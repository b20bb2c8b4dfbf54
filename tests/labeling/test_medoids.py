"""The central objects of clusters."""

import numpy as np

from sortal.labeling import central_objects

# Four clusters on a line. Medoids by hand: 1 of (0, 1, 2), 11 of (10, 11, 13), 20 of (20, 21)
# because it comes first, 30 alone.
LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0], [20.0], [21.0], [30.0]])
GROUPS = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3])


def test_medoids_by_hand():
    assert [list(c) for c in central_objects(LINE, GROUPS)] == [[1], [4], [6], [8]]
    assert [list(c) for c in central_objects(LINE, GROUPS, 2)] == [[1, 0], [4, 3], [6, 7], [8]]


def test_medoids_equal_the_smallest_row_sums_of_the_matrix():
    rng = np.random.default_rng(7)
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
