"""Evidence of a change, limits of distances, and cells of objects, from their definitions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.special import betaln
from scipy.stats import chi2_contingency

import sortal
from sortal.model import Placed, PlacementRule, all_rows
from sortal.model.rule import _BLOCK
from sortal.model.watch import _limits, _signal, change_evidence, spread_of


def streams(
    seed: int, sizes: tuple[int, int], n_streams: int = 150, looks: int = 120
) -> np.ndarray:
    """Counts of independent rows in three categories, of days of different sizes."""
    rng = np.random.default_rng(seed)
    n = rng.integers(*sizes, (n_streams, looks))
    shares = rng.dirichlet(np.ones(3), n_streams)[:, None, :]
    return rng.multinomial(n, shares).astype(float)


@pytest.mark.parametrize("sizes", [(0, 4), (1, 60), (100, 5000)])
def test_false_alarms_stay_rare_over_many_looks(sizes: tuple[int, int]) -> None:
    counts = streams(1, sizes)
    spread = np.array([spread_of(series[:7]) for series in counts])[:, None, None]
    for scale in (1.0, spread):
        evidence, _ = change_evidence(counts / scale, 7)
        ever = (evidence.max(axis=1) >= -np.log(0.05)).mean()
        assert ever <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(counts))


def test_the_evidence_is_that_of_its_definition() -> None:
    counts = np.array([[3, 5], [2, 6], [9, 1]], dtype=float)
    a, b = counts.cumsum(axis=0).T

    def likelihood(x: float, y: float) -> float:
        """Of rows in order, over a beta prior."""
        return float(np.exp(betaln(x + 0.5, y + 0.5) - betaln(0.5, 0.5)))

    p = a[2] / (a[2] + b[2])
    best = p ** a[2] * (1 - p) ** b[2]
    # the change began with the second day, with the third, or will later
    splits = [likelihood(a[s - 1], b[s - 1]) * likelihood(a[2] - a[s - 1], b[2] - b[s - 1])
              for s in (1, 2)]  # fmt: skip
    mixed = splits[0] / 2 + splits[1] / 6 + likelihood(a[2], b[2]) / 3
    evidence, since = change_evidence(counts, 1)
    assert evidence[2] == pytest.approx(np.log(mixed / best))
    assert since[2] == 2
    assert evidence[0] == 0


def test_a_quarter_of_a_clusters_rows_are_far_from_its_centre() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(90, 2)), columns=list("ab"))
    model = sortal.Model.of(frame, rng.integers(0, 3, 90))
    placed = model.rule.place(model.rule.X, np.arange(90))
    limits = _limits(model)
    for c in range(3):
        distances = placed.distances[placed.labels == c]
        assert (distances > limits[c]).mean() == pytest.approx(0.25, abs=0.02)
        assert limits[c] == pytest.approx(np.quantile(distances, 0.75))
    assert limits[3] == np.inf


def test_days_that_vary_by_habit_lower_the_evidence() -> None:
    rng = np.random.default_rng(4)
    share = np.tile([0.2, 0.3, 0.3, 0.4, 0.3, 0.5, 0.4], 5)
    counts = rng.binomial(2000, share)
    days = np.column_stack([2000 - counts, counts])
    spread = spread_of(days[:7])
    assert spread > 10
    plain, _ = change_evidence(days, 7)
    tempered, _ = change_evidence(days / spread, 7)
    assert plain.max() > 10
    assert tempered.max() < 3


def test_the_spread_of_rare_categories_is_that_of_pearson() -> None:
    counts = np.array([[9, 0], [9, 1], [8, 0], [3, 7]])
    expected = chi2_contingency(counts, correction=False)
    assert spread_of(counts) == pytest.approx(expected.statistic / expected.dof)
    rare = np.array([[1, 0], [0, 1], [0, 1], [2, 0], [0, 3]])
    expected = chi2_contingency(rare, correction=False)
    assert spread_of(rare) == pytest.approx(expected.statistic / expected.dof)


def test_the_usual_share_is_that_of_the_reference() -> None:
    counts = np.array([[300, 100], [290, 110], [100, 300]])
    signal = _signal("share", "a", counts, 2, 0.05)
    np.testing.assert_allclose((signal.low + signal.high) / 2, 210.5 / 801)
    np.testing.assert_allclose(signal.values, [0.25, 0.275, 0.75])


def test_numbers_get_decimal_points_in_every_column() -> None:
    table = pa.table({"a": ["1,5", "2"], "b": ["0,25", None]})
    assert all_rows.with_points(table, ",").to_pydict() == {
        "a": ["1.5", "2"], "b": ["0.25", None]
    }  # fmt: skip
    assert all_rows.with_points(table, ".") is table


@pytest.mark.parametrize("outliers", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_the_cells_give_what_all_distances_give(seed: int, outliers: float) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(300, 3)) + 3 * rng.integers(0, 3, 300)[:, None]
    labels = rng.integers(0, 3, 300).astype(np.int32) if seed else (points[:, 0] > 3).astype("i4")
    labels[rng.random(300) < outliers] = -1
    rule = PlacementRule.of(points, labels, by_centers=None if seed else outliers == 0)
    rows = np.concatenate([points[:50], 4 * rng.normal(size=(500, 3))])
    placed = rule.place(rows)
    assert len(rows) <= _BLOCK
    expected = Placed(*rule._block(rows, None, None))
    np.testing.assert_array_equal(placed.labels, expected.labels)
    np.testing.assert_allclose(placed.margins, expected.margins, atol=1e-6)
    np.testing.assert_allclose(placed.distances, expected.distances)
    np.testing.assert_array_equal(placed.unlike, expected.unlike)
