"""A deprecated function works, warns at the line of its caller, and keeps its documentation."""

from __future__ import annotations

import inspect

import pytest

from sortal.extension import deprecated


@deprecated("0.2", "sortal.better")
def older(a: int, *, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


def test_it_works_and_warns_where_it_is_called():
    with pytest.warns(
        FutureWarning, match="older is deprecated since version 0.2; use sortal.better"
    ) as caught:
        assert older(1, b=2) == 3
    assert caught[0].filename == __file__


def test_it_looks_like_the_function():
    assert older.__doc__ == "Add two numbers."
    assert list(inspect.signature(older).parameters) == ["a", "b"]
