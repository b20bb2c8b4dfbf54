"""No new sentence is hard to read, and the script that says so sees the hard ones."""

from __future__ import annotations

import importlib.util
import json
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / ".ci" / "sentences.py"
if not SCRIPT.exists():
    pytest.skip("the repository's scripts are not beside the tests", allow_module_level=True)
SPEC = importlib.util.spec_from_file_location("sentences", SCRIPT)
sentences = sys.modules["sentences"] = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(sentences)
CEILINGS = json.loads(sentences.CEILINGS.read_text("utf-8"))


@cache
def texts() -> dict[str, str]:
    """All texts, read by the first test that wants them: not by each collection."""
    return dict(sentences.texts())


def test_no_text_has_more_hard_sentences_than_its_ceiling() -> None:
    for name, text in texts().items():
        reasons = sentences.hard(text)
        assert len(reasons) <= CEILINGS.get(name, 0), (name, reasons)


def test_ceilings_are_of_texts_that_there_are() -> None:
    assert set(CEILINGS) <= set(texts())


def test_the_documentation_is_short() -> None:
    pages = {name: text for name, text in texts().items() if name.startswith("docs/")}
    assert sum(len(text.split()) for text in pages.values()) <= 20_000
    every = [one for text in pages.values() for one in sentences.sentences(text)]
    assert sum(len(one.split()) > sentences.LONGEST for one in every) <= 0.03 * len(every)


@pytest.mark.parametrize(
    "page", ["bound", "reproduce", "choice", "stability", "internal", "study", "input", "model",
             "axioms_external", "api"],
)  # fmt: skip
def test_a_page_is_a_picture_and_a_recipe(page: str) -> None:
    source = (ROOT / "docs" / f"{page}.rst").read_text("utf-8")
    assert len(texts()[f"docs/{page}.rst"].split()) <= 500
    if page != "api":
        assert "generated/picture-" in source or ".. figure::" in source
        assert ".. code-block::" in source or ">>> " in source


def test_most_pages_have_a_picture() -> None:
    pages = [p.read_text("utf-8") for p in (ROOT / "docs").glob("*.rst")]
    shown = [p for p in pages if "generated/picture-" in p or "figure::" in p or "image::" in p
             or "measure_map_heat" in p]  # fmt: skip
    assert len(shown) >= 30


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("word " * 30 + "word.", "31 words"),
        ("One part of this; another part of that sentence; and a third part of it all.", "chain"),
        ("The rate of errors of the labels of classes.", "of ... of ... of"),
        ("It finds the groups that an expert would name.", "relative clause"),
        ("Beside it stands the null.", "order"),
        ("It is bad all the same.", "dated"),
    ],
)
def test_hard_sentences_are_seen(text: str, reason: str) -> None:
    assert any(reason in why for why, _ in sentences.hard(text))


def test_prose_is_taken_out_of_docstrings(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        'class Public:\n    """Summary.\n\n    Parameters\n    ----------\n    x : int, optional\n'
        '        A number.\n\n    Examples\n    --------\n    >>> 1\n    1\n    """\n\n'
        '    def method(self):\n        """Do it."""\n\n        def inner():\n'
        '            """Nested."""\n\n\ndef _private():\n    """Hidden."""\n'
    )
    text = sentences.docstrings(path)
    assert sentences.sentences(text) == ["Summary.", "A number.", "Do it."]


def test_prose_is_taken_out_of_pages() -> None:
    page = (
        "Title\n=====\n\n.. code-block:: python\n\n   x = 1  # code\n\nA ``literal`` word, and "
        ":doc:`a page <page>`.\n\n>>> print(1)\n1\n\n- one item\n- another\n\n"
        ".. raw:: html\n   :file: x.html\n"
    )
    text = sentences.plain(page)
    assert "code" not in text
    assert "print" not in text
    assert sentences.sentences(text) == ["Title", "A literal word, and a page.", "one item",
                                         "another"]  # fmt: skip
