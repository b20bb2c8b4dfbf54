"""Data sets drawn in the shape of those that are not there: a stranger's run needs no download.

They have the objects, features, classes and class sizes of the registry, and classes that differ;
nothing else is alike. What an experiment finds on them is no result: its report says so first.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.runtime.output import write_output
from sortal_lab.originals import csv_lines, documents, packed, sparse_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = 4000
#: words of a document, and how many of them are of its class
LENGTH, OWN = 60, 20


def simulate(entry: dict[str, Any], folder: Path) -> None:
    """Write the files of a data set of the registry into a folder."""
    rng = np.random.default_rng(zlib.crc32(entry["name"].encode()))
    contents = KINDS[entry["kind"]](entry, rng)
    for file in entry["sha256"]:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        content = contents.get(_suffix(file), b"")
        write_output(path, packed(file, content), overwrite=True)


def _suffix(file: str) -> str:
    """Part of a file name after the name of the data set."""
    return "." + Path(file).name.partition(".")[2]


def _codes(sizes: dict[str, int], rng: np.random.Generator) -> tuple[list[str], NDArray[np.intp]]:
    """Names of the classes, and random codes with their sizes."""
    names = list(sizes)
    return names, rng.permutation(np.repeat(np.arange(len(names)), list(sizes.values())))


def _points(entry: dict[str, Any], rng: np.random.Generator) -> dict[str, bytes]:
    """Files of a table of random points."""
    several = isinstance(entry["sizes"], list)
    names, codes = _codes(entry["sizes"][0] if several else entry["sizes"], rng)
    d = entry["d"]
    X = rng.normal(size=(len(codes), d)) + 3 * rng.normal(size=(len(names), d))[codes]
    rows = [",".join(f"{value:.4f}" for value in row) for row in X]
    header = ",".join(f"x{j + 1}" for j in range(d))
    if not several:
        rows = [f"{row},{names[c]}" for row, c in zip(rows, codes, strict=True)]
        return {".csv.gz": csv_lines([f"{header},label", *rows])}
    contents = {".data.csv.gz": csv_lines([header, *rows])}
    for number, sizes in enumerate(entry["sizes"]):
        labels = np.repeat(list(sizes), list(sizes.values()))[np.argsort(codes, kind="stable")]
        contents[f".labels{number}.csv.gz"] = csv_lines(["label", *labels])
    return contents


def _term_counts(entry: dict[str, Any], rng: np.random.Generator) -> dict[str, bytes]:
    """Files of random term counts."""
    names, codes = _codes(entry["sizes"], rng)
    each = max(2, entry["nonzero"] // len(codes))
    d = entry["d"]
    indptr, indices, data = [0], [], []
    for code in codes:
        common = (d * rng.random(each) ** 3).astype(int)
        common[: each // 3] = (code * d // len(names) + common[: each // 3]) % d
        terms = np.unique(common)
        indices += list(terms)
        data += list(rng.geometric(0.6, len(terms)))
        indptr.append(len(indices))
    return {
        ".npz": sparse_counts(indptr, indices, data, d),
        ".labels.txt.gz": csv_lines([names[c] for c in codes]),
        ".terms.txt.gz": csv_lines([f"term{j}" for j in range(d)]),
        ".ids.txt.gz": csv_lines([f"document{i}" for i in range(len(codes))]),
    }


def _texts(entry: dict[str, Any], rng: np.random.Generator) -> dict[str, bytes]:
    """Files of random texts."""
    names, codes = _codes(entry["sizes"], rng)
    share = 1 / np.arange(1, WORDS + 1)
    words = rng.choice(WORDS, (len(codes), LENGTH), p=share / share.sum())
    own_words = (
        WORDS + 200 * codes[:, None] + (200 * rng.random((len(codes), OWN)) ** 2).astype(int)
    )
    words[:, :OWN] = own_words
    spoken = np.array([_word(j) for j in range(WORDS + 200 * len(names))])
    label = entry["labels"].removeprefix("field:")

    def record(i: int) -> dict[str, Any]:
        text = " ".join(spoken[words[i]])
        empty_fields: dict[str, Any] = dict.fromkeys(entry["fields"], "")
        return empty_fields | {
            "id": str(i),
            label: names[codes[i]],
            "text": f"From: writer{i}\nSubject: {spoken[words[i, 0]]}\n\n{text}\n",
        }

    return {".jsonl.gz": documents(record(i) for i in range(len(codes)))}


def _word(number: int, letters: Sequence[str] = ("bcdfgklmnprstvz", "aeiou")) -> str:
    """A word that can be spoken, one for each number."""
    word = ""
    for position in range(6):
        number, letter = divmod(number, len(letters[position % 2]))
        word += letters[position % 2][letter]
    return word


KINDS = {"points": _points, "term-counts": _term_counts, "texts": _texts, "emails": _texts}
