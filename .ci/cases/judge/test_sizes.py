"""Sizes of clusters as evidence, and what is degenerate by them."""

from __future__ import annotations

import numpy as np
import pytest

from sortal.judge.evidence import _nearest, size_evidence
from sortal.judge.judgements import degenerate


@pytest.mark.parametrize(("n", "rest", "few"), [
    (80, 2, True), (80, 3, False), (1000, 9, True), (1000, 11, False),
])  # fmt: skip
def test_fewer_than_three_objects_or_one_in_a_hundred_against_the_rest_are_few(n, rest, few):
    codes = np.zeros((2, n), dtype=np.int32)
    codes[0, :rest] = 1
    codes[1, : n // 2] = 1
    assert degenerate(size_evidence(codes)).tolist() == [few, False]


@pytest.mark.parametrize(("share", "few"), [(0.85, False), (0.95, True)])
def test_where_nine_of_ten_are_outliers_there_is_no_partition(share, few):
    codes = np.zeros((2, 400), dtype=np.int32)
    codes[:, ::2] = 1
    codes[0, : int(400 * share)] = -1
    assert degenerate(size_evidence(codes)).tolist() == [few, False]
    # unless there is no other
    assert not degenerate(size_evidence(codes[:1])).any()


def test_sizes_are_told_by_number_share_evenness_and_smallness():
    codes = np.array([[0, 0, 0, 0, 1, 1, 1, 1, -1, -1], [0, 0, 0, 0, 0, 0, 0, 1, 1, 1], [0] * 10])
    entropy = -(0.7 * np.log2(0.7) + 0.3 * np.log2(0.3))
    expected = [
        [2, 0.2, 1, 0.5, 1, 0, np.log(5)],
        [2, 0, 0.6, 0.7, entropy, 0, np.log(5)],
        [1, 0, 1, 1, 0, 0, np.log(10)],
    ]
    np.testing.assert_allclose(size_evidence(codes.astype(np.int32)), expected, atol=1e-12)


def test_nearest_means_of_many_rows():
    rng = np.random.default_rng(0)
    Z, means = rng.normal(size=(2500, 3)), rng.normal(size=(7, 3))
    assert (_nearest(Z, means) == ((Z[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)).all()
