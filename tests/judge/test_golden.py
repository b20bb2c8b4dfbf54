"""What the packaged judge says of stored evidence, to the last digit that matters."""

from __future__ import annotations

import numpy as np
import pytest

from judge.golden import DATA, stored, told
from sortal.judge import load_judge
from sortal.judge.evidence import _nearest, size_evidence
from sortal.judge.judgements import degenerate

DIGEST = "7aba823773e2688d463f3cfa21a8c1520e915c7b1d944ba58adf7b5129b44b08"


def test_the_packaged_judge_is_this_one():
    assert load_judge().digest == DIGEST


@pytest.mark.parametrize("name", DATA)
def test_predictions_on_stored_evidence(name):
    evidence, expected = stored(name)
    outputs = told(load_judge()(evidence))
    assert set(outputs) == set(expected)
    for key, value in expected.items():
        np.testing.assert_allclose(outputs[key], value, rtol=0, atol=1e-9, err_msg=key)


def test_the_interval_is_as_far_below_and_above_as_the_judge_was_off():
    judge = load_judge()
    said = judge(stored("iris")[0])
    inside = (said.low > -0.1) & (said.high < 1)
    assert inside.sum() > 5
    below = np.interp(said.predicted, judge.steps, judge.below)
    above = np.interp(said.predicted, judge.steps, judge.above)
    np.testing.assert_allclose((said.predicted - said.low)[inside], below[inside], atol=1e-12)
    np.testing.assert_allclose((said.high - said.predicted)[inside], above[inside], atol=1e-12)


def test_the_number_told_is_that_of_the_trees_alone():
    judge = load_judge()
    evidence = stored("iris")[0]
    expected = judge.expected.predict(judge.table(evidence))
    np.testing.assert_allclose(judge(evidence).predicted, np.clip(expected, -0.1, 1), atol=1e-6)


def test_one_object_against_the_rest_is_put_last_by_one():
    evidence = stored("iris")[0]
    said = load_judge()(evidence)
    few = degenerate(evidence.traits.sizes)
    assert few.sum() == 1
    # the penalty of 1 leaves no doubt
    assert said.score[few] < said.score[~few].min() - 0.7
    assert said.probability[few] < 0.01


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
