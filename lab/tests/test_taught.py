"""The network that is taught to cluster."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from karat_lab.taught_choice import Reading


def blocks(labels: np.ndarray, sure: float) -> Reading:
    same = labels[:, None] == labels[None]
    return Reading(np.where(same, sure, 1 - sure) + (1 - sure) * np.eye(len(labels)), np.eye(16)[2])


def test_a_sure_reading_gives_its_groups() -> None:
    labels = np.repeat([0, 1, 2], [7, 5, 9])
    reading = blocks(labels, 0.9)
    for way in ("number", "expected"):
        assert adjusted_rand_score(reading.answer(way), labels) == 1
    assert reading.cuts([1, 2, 50]).keys() == {1, 2}


def test_expected_agreement_is_the_rand_index_of_certain_pairs() -> None:
    rng = np.random.default_rng(0)
    truth, codes = rng.integers(3, size=40), rng.integers(4, size=40)
    reading = blocks(truth, 1.0)
    assert reading.expected(codes) == pytest.approx(adjusted_rand_score(truth, codes), abs=1e-12)
    alone = codes.copy()
    alone[:5] = -1
    singles = alone.copy()
    singles[:5] = 100 + np.arange(5)
    assert reading.expected(alone) == pytest.approx(reading.expected(singles), abs=1e-12)


def test_units_and_the_order_of_rows_and_columns_say_nothing() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is an extra of the laboratory: taught")
    from karat_lab.taught_network import TaughtNetwork, read_tables

    torch.manual_seed(0)
    network = TaughtNetwork(width=32, layers=2, heads=2).eval()
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 4)) + 5 * rng.integers(2, size=(30, 1))
    order = rng.permutation(30)
    both, numbers = read_tables(network, X, flips=1)
    changed, same_numbers = read_tables(network, 3 * X[order][:, ::-1] + 7, flips=1)
    assert changed == pytest.approx(both[np.ix_(order, order)], abs=1e-3)
    assert same_numbers == pytest.approx(numbers, abs=1e-3)
    assert both == pytest.approx(both.T, abs=1e-5)


def test_training_goes_on_where_it_stopped(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is an extra of the laboratory: taught")
    from karat_lab.taught_training import train

    path = tmp_path / "network.pt"
    first = train(path, 0.01, planned=3, workers=0)
    second = train(path, 60, planned=3, workers=0)
    assert [line["step"] for line in first + second[1:]] == [1, 3]
    assert second[0] == first[0]
    assert train(path, 60, planned=3, workers=0) == second
