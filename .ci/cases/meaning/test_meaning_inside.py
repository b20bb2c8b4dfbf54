"""Single questions of the search for rules, against every question that there is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sortal.meaning.features import as_table
from sortal.meaning.rules import _cuts, _learn


@given(
    arrays(np.float64, st.tuples(st.integers(4, 25), st.integers(1, 3)),
           elements=st.integers(0, 6).map(float)),
    st.data(),
)  # fmt: skip
def test_one_question_is_the_best_there_is(values, data):
    members = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    )
    table = as_table(values, None, None)
    used, cuts = _learn(table, np.arange(len(values)), members)
    if not members.any() or members.all():
        assert cuts == ()
        return

    def f1(said):
        return 2 * (said & members).sum() / (said.sum() + members.sum())

    best = max(
        (f1(side) for j in range(values.shape[1]) for t in np.unique(values[:, j])[:-1]
         for side in (values[:, j] <= t, values[:, j] > t)),
        default=0.0,
    )  # fmt: skip
    always = 2 * members.mean() / (1 + members.mean())
    if len(cuts) == 0:
        assert best < always + 1e-9
    if len(cuts) == 1:
        assert f1(cuts[0].holds(values[:, used])) == pytest.approx(best)


def test_the_score_of_a_question_is_its_f1_where_values_are_missing():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 2))
    values[::5, 0] = np.nan
    mask, members = rng.random(40) < 0.8, rng.random(40) < 0.4
    order = np.argsort(values, axis=0)
    found = _cuts(order, np.take_along_axis(values, order, axis=0), members, mask)
    assert {cut.above for _, cut in found} == {False, True}
    for score, cut in found:
        said = mask & cut.holds(values)
        assert score == pytest.approx(2 * (said & members).sum() / (said.sum() + members.sum()))
