"""The examples on the pages of the documentation run and print what the pages say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from sortal.extension import one_core

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [page for page in sorted(DOCS.glob("*.rst")) if "\n>>> " in page.read_text()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_on_the_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    with one_core():  # sweeps of few objects: processes would take longer to start
        failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert tried > 1
    assert failed == 0


def test_the_pages_with_examples_are_found() -> None:
    assert {"quickstart", "input"} <= {page.stem for page in PAGES}
