"""What pages of small studies of many kinds draw: maps, flows, cards, tables and trees."""

from __future__ import annotations

import base64
import gzip
import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

import sortal
from report_page import Page
from sortal.datasets import from_array
from sortal.report import render
from values import table_test

GROUPS = np.arange(18) % 3
THIN = np.where(np.arange(18) < 5, -1, GROUPS)
#: what the clock or a program of another release decides
LEFT_OUT = {"seconds", "look", "elbow", "gap", "words", "measures", "leading"}


def points() -> Any:
    return np.random.default_rng(0).normal(size=(18, 3)) + 5.0 * np.eye(3)[GROUPS]


def ring_of_friends() -> Any:
    """A graph of three rings with a weak link from each to the next, and a lonely vertex."""
    A = np.zeros((19, 19))
    for i in range(18):
        A[i, (i + 3) % 18] = 1 + i / 17
        A[i, (i + 6) % 18] = 2 - i / 19
    A[0, 1] = A[1, 2] = 0.1
    return sparse.csr_array(np.maximum(A, A.T))


@cache
def study(kind: str) -> sortal.Study:
    """A study with two trees' clusterings and two that are given."""
    X, options, n = points(), {}, 18
    if kind == "distances":
        X, options = cdist(X, X, "cityblock"), {"metric": "precomputed"}
    elif kind == "graph":
        X, options, n = ring_of_friends(), {"metric": "graph"}, 19
    elif kind == "counts":
        X = sparse.csr_array(np.random.default_rng(1).poisson(1 + 3.0 * np.eye(3, 9)[GROUPS]))
        X, options = X.astype(float), {"metric": "cosine"}
    elif kind == "unit rows":
        options = {"metric": "cosine"}
    elif kind == "few features":
        X = X[:, :2]
    elif kind == "classes":
        classes = np.array([None if i % 6 == 5 else "abc"[g] for i, g in enumerate(GROUPS)], object)
        X = replace(from_array(X, y=classes), truth_name="letter", source="letters.csv")
    found = sortal.Study(X, **options)
    if kind != "graph":
        linkage = "average" if kind in ("counts", "distances", "unit rows") else "ward"
        found.sweep([linkage], k=[2, 3, 25], n_init=1, workers=1)
    more = np.arange(n)
    found.add({
        "thin": THIN if n == 18 else np.append(THIN, 0), "halves": more % 2, "fine": more // 2,
        "crossed": (more % 3 + more // 9) % 3,
    })  # fmt: skip
    found.by = "adjusted_rand_index" if kind == "classes" else (
        "modularity" if kind == "graph" else "silhouette"
    )  # fmt: skip
    found.command = "sortal run file.csv" if kind == "distances" else None
    return found


@cache
def page(kind: str) -> Page:
    return Page(render(study(kind)))


def unpacked(value: Any) -> Any:
    """A value without what is left out, and with the bytes of what is compressed in it."""
    if isinstance(value, dict):
        return {key: unpacked(one) for key, one in value.items() if key not in LEFT_OUT}
    if isinstance(value, str) and value.startswith("H4sI"):
        return gzip.decompress(base64.b64decode(value)).hex()
    return value


def drawn(kind: str, *keys: str) -> list[Any]:
    """Some of what the page's program is given."""
    return [unpacked(page(kind).payload[key]) for key in keys]


def table(kind: str) -> Any:
    """The ranking and the values of three measures."""
    found = dict(page(kind).payload["table"])
    keys = [column["key"] for column in found["columns"] if column["shown"]]
    values = {key: found["values"][key] for key in sorted(found["values"])[:3]}
    return unpacked(found | {"columns": keys, "values": values})


def plane(kind: str) -> Any:
    """Places of the map up to a reflection of each axis."""
    found = page(kind).payload["map"]
    places = np.array([found["x"], found["y"]])
    return [np.sort(np.abs(places - places.max(axis=1, keepdims=True) / 2), axis=1),
            found["axes"], found["equal"], found["rows"], unpacked(found["near"])]  # fmt: skip


def words(kind: str, part: str) -> list[str]:
    """Numbers and names of files in a part of the page, in their order."""
    return re.findall(
        r"[−-]?[\d.,]*\d|none|precomputed|cosine|\w+\.csv|letter", page(kind).texts.get(part, "")
    )


# fmt: off
CASES = {
    "points": [
        lambda: [table("points"), *drawn("points", "candidates", "features", "labels", "opens")],
        lambda: drawn("points", "silhouettes", "profiled", "columns", "n", "described", "terms"),
        lambda: [drawn("points", "figures")[0].get("dendrogram"), page("points").sections],
        lambda: [words("points", part) for part in ("data", "failures", "cards")],
    ],
    "few features": [
        lambda: drawn("few features", "map", "candidates", "columns"),
        lambda: words("few features", "data"),
    ],
    "classes": [
        lambda: [table("classes"), words("classes", "data"), words("classes", "classes"),
            words("classes", "cards")],
        lambda: [page("classes").payload["map"]["classes"], page("classes").sections],
    ],
    "distances": [
        lambda: [plane("distances"), table("distances"), page("distances").sections],
        lambda: [words("distances", part) for part in ("data", "reproduce")],
        lambda: drawn("distances", "candidates", "features", "labels", "silhouettes", "columns"),
    ],
    "graph": [
        lambda: [plane("graph")[1:], table("graph"), page("graph").sections],
        lambda: [words("graph", "data"), *drawn("graph", "candidates", "labels")],
    ],
    "counts": [
        lambda: [plane("counts")[1:], words("counts", "data"), page("counts").sections],
        lambda: drawn("counts", "candidates", "features", "labels", "columns", "terms"),
    ],
    "unit rows": [
        lambda: [plane("unit rows"), words("unit rows", "data"), page("unit rows").sections],
        lambda: drawn("unit rows", "candidates", "labels", "silhouettes", "figures"),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES)


def test_the_consensus_of_a_stable_clustering_has_two_digits() -> None:
    stable = sortal.Study(np.random.default_rng(0).normal(size=(18, 2)))
    stable.sweep(["ward"], k=[3], n_init=1, workers=1)
    stable.stability(n_resamples=9, n_references=0)
    shown = Page(render(stable)).payload["figures"]["consensus"]
    assert shown["rows"] is None
    cells = np.array(shown["z"], dtype=float)
    assert ((cells >= 0) & (cells <= 1)).all()
    assert (np.diag(cells) == 1).all()
    np.testing.assert_array_equal(cells, cells.T)
    assert cells.tolist() == [[float(f"{cell:.2g}") for cell in row] for row in cells]
    assert 0.33 in cells  # of three resamples one
