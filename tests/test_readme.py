"""What the README says of its example is so; tests/test_pages.py runs its code."""

from __future__ import annotations

import re
from pathlib import Path

from sklearn.datasets import load_wine

import sortal

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf8")


def test_readme_tells_the_truth_of_its_example():
    told = float(re.search(r"adjusted Rand index of (0\.\d+)\. If", README.replace("\n", " "))[1])
    study = sortal.Study(sortal.datasets.read("wine"))
    study.sweep(["kmeans", "ward"], k=[3], n_init=5, workers=1)
    chosen = study.best(stability=False).labels
    assert round(sortal.adjusted_rand_index(load_wine().target, chosen), 1) == told
    assert f"adjusted Rand index of {told}." in (ROOT / "docs" / "index.rst").read_text("utf8")


def test_readme_s_pages_are_there():
    for path in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / path).exists(), path


def test_readme_is_one_screen():
    assert len(README.splitlines()) <= 70
