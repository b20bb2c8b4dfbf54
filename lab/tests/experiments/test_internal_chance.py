"""Chance correction of internal measures: what cannot change a ranking does not."""

import pytest

from sortal_lab.internal_chance import run

CONSTANT = ["average_within_cluster_scatter", "pooled_variance", "aucc", "kendall_tau_index",
            "point_biserial_index"]  # fmt: skip


@pytest.mark.long
def test_a_constant_expectation_keeps_the_ranking():
    table = run(samples=1).table.set_index("measure")
    kept = set(table.index[table["least tau"] > 1 - 1e-12])
    assert set(CONSTANT) <= kept
    assert "within_cluster_scatter" not in kept
