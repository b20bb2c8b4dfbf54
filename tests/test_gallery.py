"""The pages of the gallery run as scripts."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

GALLERY = Path(__file__).parents[1] / "examples" / "gallery"
PAGES = sorted(GALLERY.glob("plot_*.py"))


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page, monkeypatch):
    if page.stem == "plot_strings":
        pytest.importorskip("rapidfuzz", reason="edit distance needs RapidFuzz")
    monkeypatch.chdir(GALLERY.parents[1])
    runpy.run_path(str(page))
