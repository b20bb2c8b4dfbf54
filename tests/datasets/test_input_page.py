"""The examples on the page about input run."""

from __future__ import annotations

import doctest
from pathlib import Path


def test_examples_on_the_page() -> None:
    page = Path(__file__).parents[2] / "docs" / "input.rst"
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert tried > 5
    assert failed == 0
