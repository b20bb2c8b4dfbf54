"""Null references and valleys by their definitions: boxes, coordinates, shuffles, partitions."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse

from sortal import InputError
from sortal.nulls import Null, Structure, draw_reference


def test_a_box_has_the_limits_of_each_feature():
    X = np.random.default_rng(0).normal(size=(60, 3)) * [1, 10, 0.1] + [0, 50, -3]
    box = Null(X, "euclidean").draw("box", np.random.default_rng(1))
    assert (box >= X.min(axis=0)).all()
    assert (box <= X.max(axis=0)).all()
    assert (np.ptp(box, axis=0) > 0.8 * np.ptp(X, axis=0)).all()


def test_shuffled_counts_keep_features_and_lengths():
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson([0.1] * 15 + [1.5] * 5, size=(80, 20)).astype(float))
    drawn = [draw_reference(X, "shuffled", random_state=seed) for seed in range(40)]
    for one in drawn[:5]:
        assert one.has_canonical_format or one.nnz == X.nnz
        dense = one.toarray()
        assert np.count_nonzero(dense) == X.nnz  # no object got one feature twice
        for j in range(20):
            np.testing.assert_array_equal(np.sort(dense[:, j]), np.sort(X.toarray()[:, j]))
    # longer objects get more features
    lengths = np.diff(X.indptr)
    got = np.mean([np.diff(sparse.csr_array(one).indptr) for one in drawn], axis=0)
    assert np.corrcoef(lengths, got)[0, 1] > 0.9


@pytest.mark.parametrize(("X", "there"), [
    (np.eye(5), "'gaussian' and 'uniform'"), (sparse.csr_array(np.eye(5)), "'shuffled'"),
])  # fmt: skip
def test_a_kind_that_the_data_do_not_have_is_rejected_with_those_that_they_have(X, there):
    wrong = "shuffled" if isinstance(X, np.ndarray) else "uniform"
    with pytest.raises(InputError, match=re.escape(f"there is {there}")):
        draw_reference(X, wrong)


def test_the_sentence_says_what_can_be_missed_unless_there_are_clusters():
    for shares, said in (((0.9, 0.0), False), ((0.1, 0.7), False), ((0.1, 0.2), True)):
        found = Structure(shares[0], "unclear", 4.0, 2, 100, overlapping=shares[1])
        assert ("can be missed" in str(found)) == said
