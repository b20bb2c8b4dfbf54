"""Partitions: labels of any type, outliers, soft, overlapping, dendrogram cuts, many at once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage

from sortal import InputError
from sortal.labelings import (
    OverlappingPartition,
    SoftPartition,
    apply_noise_policy,
    as_labelings,
    canonical_codes,
    cut_dendrogram,
    encode,
)

LABELS = [
    [3, 1, 3, 2],
    ["c", "a", "c", "b"],
    np.array([3, 1, 3, 2], dtype=np.int8),
    np.array([3.0, 1.0, 3.0, 2.0]),
    np.array(["c", "a", "c", "b"]),
    pd.Series(["c", "a", "c", "b"]),
    pd.Series(["c", "a", "c", "b"], dtype="category"),
    pd.Series([3, 1, 3, 2], dtype="Int64"),
    pl.Series(["c", "a", "c", "b"]),
    pl.Series([3, 1, 3, 2]),
    [(2, 0), (0, 0), (2, 0), (1, 0)],
    ["1", 0, "1", 2.5],
]


class Tensor:
    """A scalar as PyTorch's are: compared and hashed by identity."""

    ndim = 0
    dtype = "torch.int64"

    def __init__(self, value):
        self.value = value

    def item(self):
        return self.value


Tensor.__module__ = "torch"


def strict_scalar(value):
    return pytest.importorskip("array_api_strict").asarray(value)


@pytest.mark.parametrize("scalar", [Tensor, strict_scalar, np.array])
def test_lists_of_scalars_of_array_libraries_are_lists_of_numbers(scalar):
    labels = [scalar(value) for value in (3, -1, 3, 1)]
    expected = encode([3, -1, 3, 1])
    for found in (encode(labels), encode([3, *labels[1:]])):
        assert found.codes.tolist() == expected.codes.tolist()
        assert found.names.tolist() == [1, 3]
    assert as_labelings(labels, noise="drop").codes.tolist() == [expected.codes.tolist()]
    assert encode([scalar(True), scalar(False)]).names.tolist() == [False, True]


@pytest.mark.parametrize("labels", LABELS, ids=lambda v: f"{type(v).__name__}")
def test_labels_of_any_type(labels):
    encoded = encode(labels)
    assert encoded.n_clusters == 3
    np.testing.assert_array_equal(canonical_codes(encoded.codes), [0, 1, 0, 2])


def test_names_are_sorted_where_they_can_be():
    assert list(encode([3, 1, 2]).names) == [1, 2, 3]
    assert list(encode(["b", "a"]).names) == ["a", "b"]
    assert list(encode([2, "a", 1]).names) == [2, "a", 1]


def test_text_and_number_are_different_names():
    assert encode(["1", 1, "1"]).n_clusters == 2
    assert encode([True, False]).n_clusters == 2


@pytest.mark.parametrize("labels", [[0, -1, 0], [0.0, -1.0, 0.0], [-1, "a", "a"], (-1, 5, 5)])
def test_minus_one_is_an_outlier(labels):
    encoded = encode(labels)
    assert (encoded.codes == -1).sum() == 1
    assert encoded.n_clusters == 1


def test_the_text_minus_one_is_a_name():
    assert encode(["-1", "a"]).n_clusters == 2


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "is empty"),
        ([[1, 2], [3, 4]], "one-dimensional|hashable"),
        (np.zeros((2, 2)), "one-dimensional"),
        ("abc", "sequence"),
        (5, "sequence"),
        ([1, None, 2, None], r"2 missing labels \(the first at position 1\)"),
        ([1.0, float("nan")], "1 missing label"),
        (pd.Series([1, pd.NA], dtype="Int64"), "1 missing label"),
        (pd.Series(["a", None]), "1 missing label"),
        (pl.Series(["a", None]), "1 missing label"),
    ],
)
def test_bad_labels(labels, message):
    with pytest.raises(InputError, match=message):
        encode(labels)


def test_inputs_are_not_changed_and_may_be_read_only():
    labels = np.array([5, -1, 5, 7])[::-1]
    labels.flags.writeable = False
    before = labels.copy()
    apply_noise_policy(encode(labels), "singletons")
    np.testing.assert_array_equal(labels, before)


def test_noise_policies():
    encoded = encode([4, -1, 4, -1])
    with pytest.raises(InputError, match=r'2 of 4 objects.*"cluster".*"singletons".*"drop"'):
        apply_noise_policy(encoded, "error")
    np.testing.assert_array_equal(apply_noise_policy(encoded, "cluster").codes, [0, 1, 0, 1])
    np.testing.assert_array_equal(apply_noise_policy(encoded, "singletons").codes, [0, 1, 0, 2])
    np.testing.assert_array_equal(apply_noise_policy(encoded, "drop").codes, [0, -1, 0, -1])
    with pytest.raises(InputError, match="noise must be one of"):
        apply_noise_policy(encoded, "ignore")


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=30))
def test_canonical_codes_know_equal_partitions(labels):
    rng = np.random.default_rng(0)
    names = rng.permutation(100)[:6]
    renamed = [-1 if v == -1 else int(names[v]) for v in labels]
    one, two = (canonical_codes(encode(v).codes) for v in (labels, renamed))
    np.testing.assert_array_equal(one, two)
    again = canonical_codes(one)
    np.testing.assert_array_equal(one, again)


def test_many_forms_of_many_labelings():
    a, b = [0, 0, 1], [0, 1, 2]
    for given_ in (
        {"a": a, "b": b},
        pd.DataFrame({"a": a, "b": b}),
        pl.DataFrame({"a": a, "b": b}),
    ):
        batch = as_labelings(given_)
        assert batch.names == ("a", "b")
        np.testing.assert_array_equal(batch.n_clusters, [2, 3])
    for given_ in ([a, b], np.array([a, b]), (a, b)):
        assert as_labelings(given_).names == ("0", "1")
    assert len(as_labelings(a)) == 1


def test_labelings_errors():
    with pytest.raises(InputError, match="3 labels, but there are 4 objects"):
        as_labelings([0, 1, 1], n_objects=4)
    with pytest.raises(InputError, match="'b' has 2 labels"):
        as_labelings({"a": [0, 1, 1], "b": [0, 1]})
    with pytest.raises(InputError, match="two clusterings are called 'a'"):
        as_labelings(pd.DataFrame([[0, 1]], columns=["a", "a"]).T.T)
    with pytest.raises(InputError, match="no clustering"):
        as_labelings({})
    with pytest.raises(InputError, match="labels 'b' marks 1 of 3"):
        as_labelings({"a": [0, 1, 1], "b": [0, -1, 1]})


def test_labelings_coverage_and_sizes():
    batch = as_labelings({"a": [0, -1, 5, 5]}, noise="drop")
    assert batch.coverage[0] == 0.75
    np.testing.assert_array_equal(batch.sizes(0), [1, 2])
    np.testing.assert_array_equal(as_labelings(batch, noise="cluster").codes, [[0, 2, 1, 1]])


def test_soft_partition():
    soft = SoftPartition([[0.2, 0.8], [0.5, 0.5], [1, 0]])
    np.testing.assert_array_equal(soft.harden(), [1, 0, 0])
    with pytest.raises(InputError, match=r"object 1 sum to 0\.9"):
        SoftPartition([[0.5, 0.5], [0.5, 0.4]])
    with pytest.raises(InputError, match="not negative"):
        SoftPartition([[1.5, -0.5]])
    with pytest.raises(InputError, match="shape"):
        SoftPartition([0.5, 0.5])


def test_overlapping_partition():
    assert OverlappingPartition([[1, 1], [0, 0]]).memberships.dtype == bool
    with pytest.raises(InputError, match="True or False"):
        OverlappingPartition([[0.5, 1]])


@given(st.integers(2, 25), st.integers(0, 1000), st.sampled_from(["average", "single", "centroid"]))
def test_dendrogram_cuts(n, seed, method):
    Z = linkage(np.random.default_rng(seed).normal(size=(n, 2)), method)
    for labels, k in zip(
        cut_dendrogram(Z, n_clusters=range(1, n + 1)), range(1, n + 1), strict=True
    ):
        assert labels.max() + 1 == k
        if method != "centroid" and k < n:  # fcluster of SciPy 1.13 is wrong at k = n
            np.testing.assert_array_equal(labels, canonical_codes(fcluster(Z, k, "maxclust")))
    for height in (0.0, float(np.median(Z[:, 2])), float(Z[:, 2].max())):
        expected = canonical_codes(fcluster(Z, height, "distance"))
        np.testing.assert_array_equal(cut_dendrogram(Z, height=height), expected)


def test_dendrogram_errors():
    Z = linkage([[0.0], [1.0], [5.0]], "average")
    for kwargs, message in [
        ({}, "either"),
        ({"n_clusters": 2, "height": 1.0}, "either"),
        ({"n_clusters": 4}, "between 1 and the 3"),
        ({"n_clusters": 0}, "between 1"),
    ]:
        with pytest.raises(InputError, match=message):
            cut_dendrogram(Z, **kwargs)
    with pytest.raises(InputError, match="linkage matrix"):
        cut_dendrogram([[1, 2]], n_clusters=1)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
@pytest.mark.parametrize("odd", [None, -1, 3, 9])
def test_labels_that_are_codes_already(dtype: type, odd: int | None) -> None:
    """Seen in a sample of the labels; one that is elsewhere counts all the same."""
    labels = np.tile(np.arange(3), 20_000).astype(dtype)
    if odd is not None and (odd >= 0 or dtype is not np.uint8):
        labels[7] = odd
    found = encode(labels)
    clusters = sorted(set(labels.tolist()) - {-1})
    assert found.names.tolist() == clusters
    assert found.codes.tolist() == [
        clusters.index(label) if label in clusters else -1 for label in labels.tolist()
    ]
    labels[:] = 0
    assert found.codes.max() > 0


def test_a_list_of_scalars_is_one_labeling():
    labels = np.array([3, 1, 3, 1])
    for scalars in (list(labels), tuple(labels)):
        found = as_labelings(scalars)
        assert len(found) == 1
        np.testing.assert_array_equal(found.codes[0], [1, 0, 1, 0])


def test_objects_that_are_taken_keep_their_clusters_and_these_their_names():
    labelings = {"a": [7, 7, 3, -1, 9, 9], "b": ["x", "y", "x", "z", "z", "y"]}
    whole = as_labelings(labelings, noise="drop")
    for objects in ([0, 1, 3, 5], [2], [5, 4, 3, 2, 1, 0], [3]):
        part = whole.take(np.array(objects))
        for m, labels in enumerate(labelings.values()):
            names = [None if code == -1 else part.cluster_names[m][code] for code in part.codes[m]]
            assert names == [None if labels[i] == -1 else labels[i] for i in objects]
            used = {labels[i] for i in objects} - {-1}
            assert part.n_clusters[m] == len(part.cluster_names[m]) == len(used)
        assert part.names == ("a", "b")


@pytest.mark.parametrize(("missing", "words"), [(1, "1 missing label "), (2, "2 missing labels ")])
def test_missing_labels_are_counted(missing, words):
    with pytest.raises(InputError, match=words):
        encode(["a", "b", *[None] * missing])
