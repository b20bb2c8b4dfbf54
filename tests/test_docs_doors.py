"""The documentation opens by what a person holds, and finds what people look for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
INDEX = (DOCS / "index.rst").read_text(encoding="utf8")
DOORS = re.findall(r":doc:`[^`<]+ <(\w+)>`", INDEX)


def test_there_are_six_doors():
    assert len(DOORS) == 6


@pytest.mark.parametrize("door", DOORS)
def test_each_door_starts_with_a_command_and_its_picture(door):
    page = (DOCS / f"{door}.rst").read_text(encoding="utf8")
    start = re.match(
        r".*\n=+\n\n(?:\.\. long\n\n)?\.\. code-block:: console\n\n((?:   \$ sortal .*\n)+)\n"
        r"\.\. (?:raw:: html\n   :file: generated/picture-(\w+)\.html|image:: (\S+))",
        page,
    )
    assert start
    if start[2]:
        assert f'"{start[2]}":' in (DOCS / "pictures.py").read_text(encoding="utf8")
    else:
        assert (DOCS / start[3]).exists()


def test_every_page_is_in_the_contents_once():
    listed = re.findall(r"^   (\w+)(?:/index)?$", INDEX.partition("toctree::")[2], re.MULTILINE)
    pages = {page.stem for page in DOCS.glob("*.rst")} - {"index"}
    assert sorted(listed) == sorted(pages | {"gallery"})


@pytest.mark.parametrize(
    "words", ["elbow", "dendrogram", "silhouette plot", "predict", "mixed data"]
)
def test_what_people_look_for_is_in_a_heading(words):
    headings = [
        line
        for page in DOCS.glob("*.rst")
        for line in re.findall(r"^(.+)\n[=\-~]{4,}$", page.read_text(encoding="utf8"), re.MULTILINE)
    ]
    assert any(words in heading.lower() for heading in headings)


@pytest.mark.parametrize("page", sorted((ROOT / "examples" / "gallery").glob("plot_*.py")), ids=str)
def test_pages_of_the_gallery_have_a_thumbnail(page):
    found = re.search(r"sphinx_gallery_thumbnail_path = '(.+)'", page.read_text(encoding="utf8"))
    assert (DOCS / found[1]).exists()
