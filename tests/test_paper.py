"""The paper for the Journal of Open Source Software has the parts that the journal asks for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAPER = Path(__file__).resolve().parents[1] / "paper"
if not PAPER.is_dir():
    pytest.skip("the paper is not beside the tests", allow_module_level=True)
TEXT = (PAPER / "paper.md").read_text("utf-8")
REFERENCES = (PAPER / "paper.bib").read_text("utf-8")
HEADER, BODY = re.fullmatch(r"---\n(.*?)\n---\n(.*)", TEXT, re.S).groups()


def test_it_has_the_sections_of_the_journal() -> None:
    assert re.findall(r"^# (.+)$", BODY, re.M) == [
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
        "Research impact statement",
        "AI usage disclosure",
        "Acknowledgements",
        "References",
    ]
    fields = re.findall(r"^(\w+):", HEADER, re.M)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(fields)
    assert 750 <= len(re.sub(r"<!--.*?-->", "", BODY, flags=re.S).split()) <= 1750


def test_citations_and_references_are_the_same() -> None:
    cited = set(re.findall(r"@([a-z]+\d{4})", BODY))
    listed = re.findall(r"^@\w+\{(\w+),$", REFERENCES, re.M)
    assert cited == set(listed)
    assert len(listed) == len(set(listed))


def test_every_reference_is_complete() -> None:
    for entry in REFERENCES.split("\n\n"):
        assert entry.count("{") == entry.count("}"), entry
        for field in ("author", "title", "year"):
            assert re.search(rf"^  {field} = \{{.+\}},?$", entry, re.M), (field, entry)
        assert re.search(r"^  (journal|booktitle|school|publisher) = ", entry, re.M), entry
