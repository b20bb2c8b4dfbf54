"""Labels in an order that is not that of the draw: refused, or bounded as a fixed number."""

from __future__ import annotations

import numpy as np
import pytest

import sortal
from sortal.bounds import most_errors, sample

#: objects, labels and clusterings of the designs, and the ways to sort the labels
N, M, WAYS = 150, 40, ("by label", "by row", "by difficulty", "hardest first")


def population(seed: int):
    """Three classes of different size and difficulty in the order of the rows, and clusterings."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], [75, 45, 30])
    hard = rng.random(N)
    labelings = [np.where(rng.random(N) < hard * 0.9, rng.integers(0, k, N), truth % k)
                 for k in (2, 3, 4)]  # fmt: skip
    return truth, hard, labelings


def in_order(way: str, rows, truth, hard):
    """The labelled rows as a spreadsheet sorts them."""
    keys = {"by label": truth, "by row": np.arange(N), "by difficulty": hard,
            "hardest first": -hard}  # fmt: skip
    return rows if way == "as drawn" else rows[np.argsort(keys[way][rows], kind="stable")]


def outcome(way: str, seed: int, **options):
    """Whether the guarantee is refused, and whether it is broken, of one draw."""
    truth, hard, labelings = population(seed)
    rows = in_order(way, sample(N, M, random_state=seed), truth, hard)
    y = np.full(N, None, dtype=object)
    y[rows] = truth[rows]
    guarantee = sortal.guarantee(labelings, y, 0.1, anytime=True, order=rows, **options)
    hidden = np.setdiff1d(np.arange(N), rows)
    errors = int((guarantee.labels[hidden] != truth[hidden]).sum())
    assert guarantee.refused or guarantee.bound >= 0
    return bool(guarantee.refused), not guarantee.refused and errors > guarantee.bound


@pytest.mark.quick(1)
@pytest.mark.parametrize("way", WAYS)
def test_sorted_labels_are_refused_or_true(way: str) -> None:
    outcomes = [outcome(way, seed) for seed in range(8)]
    assert sum(broken for _, broken in outcomes) <= 1
    if way in ("by label", "by row"):
        assert all(refused for refused, _ in outcomes)


def test_the_order_of_the_draw_is_not_refused() -> None:
    outcomes = [outcome("as drawn", seed) for seed in range(12)]
    assert sum(refused for refused, _ in outcomes) == 0


@pytest.mark.long
@pytest.mark.parametrize("way", ["as drawn", *WAYS])
def test_few_sorted_draws_break_their_bound(way: str) -> None:
    outcomes = [outcome(way, seed) for seed in range(200)]
    assert sum(broken for _, broken in outcomes) <= 20 + 2 * (200 * 0.09) ** 0.5
    if way == "as drawn":
        assert sum(refused for refused, _ in outcomes) <= 4


def test_an_empty_confidence_set_is_not_the_best_of_all_bounds() -> None:
    assert most_errors(30, 270, 5, -2.3, most=4) == -1
    assert most_errors(30, 270, 5, -2.3, most=-1) == -1
    assert most_errors(30, 270, 0, -2.3, most=0) == 0


def test_halves_are_not_taken_from_a_sorted_order() -> None:
    truth, _, labelings = population(0)
    rows = np.sort(sample(N, M, random_state=0))
    y = np.full(N, None, dtype=object)
    y[rows] = truth[rows]
    assert sortal.guarantee(labelings, y, order=rows).bound == sortal.guarantee(labelings, y).bound
