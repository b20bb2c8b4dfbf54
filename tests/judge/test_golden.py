"""What the packaged judge says of stored evidence, to the last digit that matters."""

from __future__ import annotations

import numpy as np
import pytest

from judge.golden import DATA, stored, told
from sortal.judge import load_judge, set_back

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
    few = set_back(np.zeros(len(evidence)), evidence) < 0
    assert few.sum() == 1
    # the penalty of 1 leaves no doubt
    assert said.score[few] < said.score[~few].min() - 0.7
    assert said.probability[few] < 0.01
