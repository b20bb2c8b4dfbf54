"""CLUTO's criteria: by their formulas, by brute force, and what every move must do."""

import numpy as np
import pytest
from scipy import sparse

from sortal._kernels import criterion as kernels
from sortal.clusterers._sparse_rows import arrays
from sortal.clusterers.criterion import _CriterionObjective, _visits

CRITERIA = ("I1", "I2", "E1", "G1", "G1'", "H1", "H2")


@pytest.mark.parametrize("criterion", CRITERIA)
def test_sums_that_follow_the_moves_are_those_made_afresh(criterion):
    """Ten thousand moves, from labels drawn anew, without starting the sums afresh."""
    rng = np.random.default_rng(2)
    rows = sparse.random_array((300, 80), density=0.1, rng=rng, format="csr")
    rows.data /= np.repeat(np.sqrt((rows**2).sum(axis=1)), np.diff(rows.indptr))
    rows = sparse.csr_array(rows)
    dense = rows.toarray()
    whole = _CriterionObjective(rows, criterion)
    labels = rng.integers(0, 5, 300)
    _, products, sums, clusters = whole._clusters(labels, 5)
    sizes, squares, totals = clusters
    moves = 0
    for _ in range(2000):
        if moves >= 10_000:
            break
        for i in rng.choice(300, 100):  # put rows anywhere, by hand
            r, s = labels[i], rng.integers(5)
            if r == s or sizes[r] == 1:
                continue
            x = dense[i]
            squares[r] += -2 * sums[:, r] @ x + x @ x
            squares[s] += 2 * sums[:, s] @ x + x @ x
            sums[:, r] -= x
            sums[:, s] += x
            sizes[r] -= 1
            sizes[s] += 1
            totals[r] -= products[i]
            totals[s] += products[i]
            labels[i] = s
            moves += 1
        before = kernels.criterion_value(whole.code, clusters)
        made = kernels.criterion_moves(
            arrays(rows), whole.code, rng.permutation(300), products, (0.0, 0.0), labels, sums,
            clusters, 1e-12,
        )  # fmt: skip
        moves += made
        after = kernels.criterion_value(whole.code, clusters)
        ratio = (lambda v: v[0] / v[1]) if criterion in ("H1", "H2") else (lambda v: v[0])
        assert ratio(after) >= ratio(before)
    fresh = whole.value(labels, 5)
    assert whole._ratio(clusters, (0.0, 0.0)) == pytest.approx(fresh, rel=1e-10)
    assert moves >= 10_000


@pytest.mark.parametrize("n", [1, 8, 99, 250, 6_411])
def test_each_row_is_visited_once(n):
    rng = np.random.default_rng(0)
    visits = _visits(n, rng)
    np.testing.assert_array_equal(np.sort(visits), np.arange(n))
    assert n < 3 or (visits != _visits(n, rng)).any()
