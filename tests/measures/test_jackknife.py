"""The jackknife: objects left out one by one, and intervals that cover."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

import sortal
from command_line import sortal_command
from sortal import ContingencyTable, InputError, UndefinedMeasureError
from sortal.measures import catalogue


@pytest.mark.parametrize("key", ["rand_index", "adjusted_rand_index", "mutual_information"])
def test_every_object_is_left_out_once(key):
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 3, 40), rng.integers(0, 4, 40)
    pred[:20] = true[:20]
    pred[7] = 9  # alone in its cluster
    function = catalogue[key].function
    value = function(true, pred)
    rest = [np.arange(40) != i for i in range(40)]
    without = np.array([function(true[r], pred[r]) for r in rest])
    bias = 39 * (without.mean() - value)
    error = math.sqrt(39 / 40 * ((without - without.mean()) ** 2).sum())
    result = sortal.jackknife_interval(key, true, pred, confidence_level=0.8)
    assert result.value == value
    assert result.bias == pytest.approx(bias)
    assert result.standard_error == pytest.approx(error)
    reach = stats.t.ppf(0.9, 39) * error
    assert result.interval == pytest.approx((value - bias - reach, value - bias + reach))
    assert f"{value:.6g}" in str(result)
    assert "80 % interval" in str(result)


def test_the_error_of_a_share_is_that_of_a_sample_mean():
    table = ContingencyTable.from_counts([[30, 10], [10, 50]])

    def accuracy(t):
        same = t.row_names[t.rows] == t.column_names[t.columns]
        return float(t.counts[same].sum() / t.n)

    result = sortal.jackknife_interval(accuracy, table)
    assert result.bias == pytest.approx(0, abs=1e-12)
    assert result.standard_error == pytest.approx(math.sqrt(0.8 * 0.2 / 99))


@pytest.mark.parametrize("draws", [60, pytest.param(200, marks=pytest.mark.long)])
def test_intervals_cover(draws):
    rng = np.random.default_rng(0)
    population = np.eye(3) * 0.25 + (1 - np.eye(3)) * 0.25 / 6
    truth = sortal.rand_index(ContingencyTable.from_counts((population * 6e9).astype(int)))
    hits = 0
    for _ in range(draws):
        counts = rng.multinomial(60, population.ravel() / population.sum()).reshape(3, 3)
        table = ContingencyTable.from_counts(counts)
        low, high = sortal.jackknife_interval("rand_index", table).interval
        hits += low <= truth <= high
    assert 0.91 <= hits / draws <= 0.985 or (draws < 200 and hits == draws)


def test_ends_stay_in_the_range():
    truth = [0, 0, 1, 1] * 3
    result = sortal.jackknife_interval("rand_index", truth, [*truth[:8], 0, 0, 1, 0])
    assert result.interval[1] <= 1
    assert sortal.jackknife_interval("rand_index", [0, 1] * 9, [1, 0] * 9).interval == (1, 1)


def test_what_has_no_interval():
    with pytest.raises(InputError, match="3 objects"):
        sortal.jackknife_interval("rand_index", [0, 1], [0, 1])
    with pytest.raises(InputError, match="confidence_level"):
        sortal.jackknife_interval("rand_index", [0, 1, 1], [0, 1, 1], confidence_level=1.5)
    with pytest.raises(InputError, match="judges data"):
        sortal.jackknife_interval("silhouette", [0, 1, 1], [0, 1, 1])
    table = ContingencyTable([0, 1], [0, 1], sample_weight=[1, 2.5])
    with pytest.raises(UndefinedMeasureError, match="counted"):
        sortal.jackknife_interval("rand_index", table)
    with pytest.raises(UndefinedMeasureError, match="infinite"):
        sortal.jackknife_interval(lambda t: 1.0 if t.n > 5 else math.inf, [0, 1] * 3, [0, 1] * 3)


def test_compare_prints_intervals(tmp_path):
    rows = [f"{i % 3},{i % 3 if i % 7 else 1}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["kind,mine", *rows]))
    words = ("compare", "t.csv", "--columns", "kind,mine", "--interval")
    answer = json.loads(sortal_command(*words, "--json", cwd=tmp_path).stdout)
    record = next(m for m in answer["measures"] if m["key"] == "rand_index")
    low, high = record["intervals"]["kind"]["mine"]
    true, pred = zip(*(row.split(",") for row in rows), strict=True)
    assert (low, high) == pytest.approx(
        sortal.jackknife_interval("rand_index", true, pred).interval
    )
    assert f"({low:.3g}–{high:.3g})" in sortal_command(*words, cwd=tmp_path).stdout


def test_ties_of_a_measure_of_steps_leave_no_interval():
    # without any object the largest cells keep their counts, so purity is corrected to 0
    true, pred = [0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 2, 2]
    assert sortal.purity(true, pred) == 0.5
    with pytest.raises(sortal.UndefinedMeasureError, match="no interval: its bias"):
        sortal.jackknife_interval("purity", true, pred)
    same = sortal.jackknife_interval("purity", true, true)
    assert same.interval == (1.0, 1.0)
