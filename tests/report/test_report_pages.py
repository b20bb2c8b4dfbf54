"""The words and the drawings of the pages of three studies, so that none changes unseen.

``PYTHONPATH=tests python tests/report/test_report_pages.py`` writes ``pages.json`` anew. What
k-means draws, what the clock says, and what the answer and its reasons say are left out.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sortal
from report_page import Page
from sortal.datasets import Dataset, from_array, read
from sortal.report import render
from values import plain, same, skip_for_other_releases

FILE = Path(__file__).with_name("pages.json")
PARTS = ("cards", "comparison", "look", "ranking", "by-k", "guarantee", "clarity", "classes",
         "dendrogram", "topics")  # fmt: skip
GROUPS = np.arange(36) % 3


def numbers() -> sortal.Study:
    """Three groups in original units, with outliers and a poor clustering beside them."""
    X = np.random.default_rng(0).normal(size=(36, 3)) + 7.0 * np.eye(3)[GROUPS]
    names = ("age", "<b>size</b>", "length")
    study = sortal.Study(Dataset(
        X=X, name="three", feature_names=names, center=np.array([40.0, 0, 2]),
        scale=np.array([9.0, 1, 0.1]), ids=np.array([f"row {i}" for i in range(36)], dtype=object),
    ))  # fmt: skip
    study.sweep(["ward", "average"], k=[2, 3, 4], n_init=1, workers=1)
    study.add({"mine": np.where(np.arange(36) % 9 == 0, -1, GROUPS), "halves": np.arange(36) % 2})
    study.by = "silhouette"
    return study


def documents() -> sortal.Study:
    """Texts about three topics that share some words, so that no two distances are equal."""
    rng = np.random.default_rng(0)
    letters = "".join(rng.choice(list("abdefgiklmnoprstuz"), 46 * 8))
    words = [letters[i : i + 8] for i in range(0, len(letters), 8)]
    rows = [
        {"text": " ".join([*rng.choice(words[12 * i :][:12], 11), *rng.choice(words[36:], 4)]),
         "topic": "abc"[i]} for i in GROUPS
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "texts.jsonl")
        file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
        study = sortal.Study(read(file, text_column="text", label_column="topic"))
    study.sweep(["average"], k=[2, 3], n_init=1, workers=1)
    study.by = "adjusted_rand_index"
    return study


def labels() -> sortal.Study:
    """Thirty labels of 300 objects, which guarantee a share of errors."""
    groups = np.arange(300) % 3
    X = np.random.default_rng(0).normal(size=(300, 2)) + 9.0 * np.eye(3)[groups][:, :2]
    classes = np.array(
        [f"kind {c}" if i < 30 else None for i, c in enumerate(groups)], dtype=object
    )
    study = sortal.Study(from_array(X, y=classes))
    study.sweep(["ward"], k=[2, 3, 4, 6], n_init=1, workers=1)
    study.by = "guarantee"
    return study


STUDIES = {"numbers": numbers, "documents": documents, "labels": labels}


@cache
def page(name: str) -> dict[str, Any]:
    """The words of the page by part, and what its pictures are drawn of."""
    html = render(STUDIES[name]())
    payload = json.loads(re.search(r'id="payload">(.*?)</script>', html, re.S)[1])
    payload["figures"] = {key: one for key, one in payload["figures"].items()
                          if key not in ("elbow", "gap")}  # fmt: skip
    payload["table"].pop("seconds")
    if not any(payload["map"]["axes"]):  # t-SNE, which ends elsewhere after a rounding
        payload["map"] = {"axes": payload["map"]["axes"]}
    for column in payload["table"]["columns"]:
        column["decimals"] = None if column["key"] == "seconds" else column["decimals"]
    texts = Page(html).texts
    words = {key: " ".join(texts[key].split()) for key in PARTS if key in texts}
    return unpacked(plain({"words": words, "payload": payload}))


def unpacked(value: Any) -> Any:
    """A value with the bytes of what is compressed in it."""
    if isinstance(value, dict):
        return {key: unpacked(one) for key, one in value.items()}
    if isinstance(value, str) and value.startswith("H4sI"):
        return gzip.decompress(base64.b64decode(value)).hex()
    return value


@pytest.mark.parametrize("name", STUDIES)
def test_the_page_is_that_of_the_file(name: str) -> None:
    skip_for_other_releases()
    kept = json.loads(FILE.read_text("utf-8"))[name]
    ours = page(name)
    assert ours["words"] == kept["words"]
    for key, values in ours["payload"].items():
        assert same(values, kept["payload"][key]), key


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: page(name) for name in STUDIES}) + "\n", "utf-8")
    sys.exit(0)
