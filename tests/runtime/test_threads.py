"""How many cores there are, and maps over them."""

from __future__ import annotations

import pytest

from sortal.extension import available_cores, one_core
from sortal.runtime import in_order, in_threads


def test_cores_follow_the_environment_and_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    assert available_cores() == 1
    monkeypatch.delenv("LOKY_MAX_CPU_COUNT")
    there = available_cores()
    assert there >= 1
    with one_core():
        assert available_cores() == 1
    assert available_cores() == there


def test_results_are_in_order_for_any_number_of_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores in ("1", "2"):
        monkeypatch.setenv("LOKY_MAX_CPU_COUNT", cores)
        assert list(in_order(lambda i: i * i, range(40))) == [i * i for i in range(40)]
    assert in_threads(str, range(7)) == list(in_order(str, range(7)))


def test_an_error_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_order(lambda i: 1 // (i - 4), range(9)))
