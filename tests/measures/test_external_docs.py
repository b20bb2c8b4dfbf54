"""The examples of the page on external measures print what they say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "external.rst"


def test_examples():
    if not PAGE.exists():
        pytest.skip("the documentation is not beside the tests")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags)
    assert tried > 10
    assert failed == 0
