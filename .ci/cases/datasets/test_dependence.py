"""Tests of dependence against SciPy and at their levels: pairs, all partners, triples."""

import numpy as np
import pandas as pd
import pytest

from sortal.datasets.prepared import column_weights as _dependence


def test_pair_tests_agree_with_scipy():
    from scipy.stats import chi2_contingency

    rng = np.random.default_rng(0)
    codes = [rng.integers(3, size=80), rng.integers(2, size=80), rng.integers(4, size=80)]
    p_values, _ = _dependence.pair_tests(codes, np.array([0, 2]))
    for row, code in enumerate(codes):
        for column, partner in enumerate((0, 2)):
            table = pd.crosstab(code, codes[partner])
            expected = 1 if row == partner else chi2_contingency(table, correction=False).pvalue
            assert p_values[row, column] == pytest.approx(expected, rel=1e-4)


def test_missing_values_are_no_evidence():
    from scipy.stats import chi2_contingency

    rng = np.random.default_rng(0)
    codes = [rng.integers(3, size=90), rng.integers(2, size=90)]
    for code in codes:
        code[rng.random(90) < 0.2] = -1
    seen = (codes[0] >= 0) & (codes[1] >= 0)
    expected = chi2_contingency(pd.crosstab(*(c[seen] for c in codes)), correction=False).pvalue
    assert _dependence.pair_tests(codes, np.arange(2))[0][0, 1] == pytest.approx(expected, rel=1e-4)
    # absent together, but independent where they are seen
    values = rng.normal(size=(400, 5))
    values[:, 1] += 3 * values[:, 0]
    values[rng.random(400) < 0.4, 3:] = np.nan
    mask = _dependence.informative(values, np.ones(5, dtype=bool), rng)
    assert mask.tolist() == [True, True, False, False, False]


def test_joint_test_keeps_its_level_whatever_the_others_do():
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(150, 1))
    chances = []
    for _ in range(300):
        others = factor + 0.5 * rng.normal(size=(150, 6))
        X = np.column_stack([others, rng.normal(size=150)])
        codes = [_dependence.code_values(column) for column in X.T]
        chances.append(_dependence.pair_tests(codes, np.arange(7))[1][-1])
    shares = np.mean(np.array(chances)[:, None] <= [0.01, 0.1, 0.5], axis=0)
    assert (shares <= [0.03, 0.15, 0.6]).all()
    assert (shares >= [0.0, 0.05, 0.4]).all()


def test_triples_keep_their_level_beside_skewed_dependent_columns():
    rng = np.random.default_rng(0)
    factor = rng.random((200, 1)) < 0.13
    chances = []
    for _ in range(100):
        others = np.where(rng.random((200, 5)) < 0.95, factor, rng.random((200, 5)) < 0.13)
        X = np.column_stack([others, rng.integers(2, size=200)]) + 0.0
        chances.append(_dependence.triple_tests(X, np.arange(6) == 5)[-1] * 10)
    assert np.mean(np.array(chances) <= 0.1) < 0.15
