"""From the files that a source publishes to the files that experiments read.

A recipe takes the published files in the order of the registry, and what else the registry says of
them, and returns the contents of the files to write, by their suffix: ``.data.csv.gz``,
``.labels0.csv.gz``, ``.npz``, ``.terms.txt.gz`` and so on.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    import numpy.typing as npt

    from sortal.typing import Ints

Contents = dict[str, bytes]


def content_digest(file: Path | bytes, suffix: str | None = None) -> str:
    """SHA-256 of what a file says: without the compression, which differs between machines."""
    suffix = file.suffix if isinstance(file, Path) else suffix
    source = file if isinstance(file, Path) else io.BytesIO(file)
    digest = hashlib.sha256()
    if str(suffix).endswith(".npz"):
        with zipfile.ZipFile(source) as archive:
            for member in sorted(archive.namelist()):
                digest.update(member.encode() + archive.read(member))
    else:
        with gzip.open(source, "rb") as content:
            while block := content.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def packed(suffix: str, content: bytes) -> bytes:
    """Content of a file with this suffix: the same bytes every day."""
    if suffix.endswith(".npz"):
        return content
    target = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=target, compresslevel=9, mtime=0) as file:
        file.write(content)
    return target.getvalue()


def _csv(frame: pd.DataFrame) -> bytes:
    """Table as bytes of a CSV file."""
    return frame.to_csv(index=False, lineterminator="\n").encode()


def csv_lines(names: Sequence[str]) -> bytes:
    """Lines of a file."""
    return "".join(f"{name}\n" for name in names).encode()


def _unzipped(path: Path) -> str:
    """Text of a gzip file."""
    return gzip.decompress(path.read_bytes()).decode()


def documents(records: Iterator[dict[str, Any]]) -> bytes:
    """JSON lines, one for each document."""
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode()


def battery(files: Sequence[Path]) -> Contents:
    """Coordinates and labelings of a benchmark suite; its numbers are copied, digit by digit."""
    rows = [line.split() for line in _unzipped(files[0]).splitlines() if line.strip()]
    header = ",".join(f"x{j + 1}" for j in range(len(rows[0])))
    contents = {".data.csv.gz": csv_lines([header, *(",".join(row) for row in rows)])}
    for number, file in enumerate(files[1:]):
        contents[f".labels{number}.csv.gz"] = csv_lines(["label", *_unzipped(file).split()])
    return contents


def _arff(path: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """Attributes, as name and type, and the lines of data."""
    attributes, data = [], []
    inside = False
    for line in path.read_text("utf-8", "replace").splitlines():
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if inside:
            data.append(line)
        elif line.lower().startswith("@data"):
            inside = True
        elif line.lower().startswith("@attribute"):
            rest = line.split(None, 1)[1]
            quote = rest[0] if rest[0] in "'\"" else None
            if quote:
                name, _, kind = rest[1:].partition(quote)
            else:
                name, kind = rest.split(None, 1)
            attributes.append((name.strip(), kind.strip()))
    return attributes, data


def table(
    files: Sequence[Path],
    *,
    arff: bool = False,
    separator: str | None = ",",
    skip: int = 0,
    label: int = -1,
    drop: Sequence[int] = (),
    names: Sequence[str] | None = None,
    whole: Sequence[int] = (),
    classes: dict[str, str] | None = None,
    member: str | None = None,
) -> Contents:
    """Rows of one or several tables, the class moved to the last column ``label``.

    Columns ``whole`` are written as integers, ``classes`` are renamed; ``member`` is the path of
    the table in a zip archive.
    """
    if arff:
        attributes, lines = _arff(files[0])
        names = [name for name, _ in attributes]
    else:
        texts = [f.read_text("utf-8") if member is None else _member(f, member) for f in files]
        lines = [line for text in texts for line in text.splitlines()[skip:] if line]
    rows = [[field.strip().strip("'") for field in line.split(separator)] for line in lines]
    labels = [row.pop(label) for row in rows]
    kept = [j for j in range(len(rows[0])) if j not in drop]
    text = "\n".join(",".join(row[j] for j in kept) for row in rows)
    text = text.replace("true", "1").replace("false", "0")
    frame = pd.read_csv(io.StringIO(text), header=None, na_values=["?"])
    frame.columns = pd.Index([names[j] for j in kept] if names else _numbered(len(kept)))
    frame = frame.astype(dict.fromkeys(frame.columns[list(whole)], int))
    frame.columns = pd.Index([name.replace(" ", "_") for name in frame.columns])
    return {".csv.gz": _csv(frame.assign(label=[(classes or {}).get(c, c) for c in labels]))}


def _member(file: Path, name: str) -> str:
    """Text of one member of a zip archive."""
    with zipfile.ZipFile(file) as archive:
        return archive.read(name).decode()


def _numbered(d: int) -> list[str]:
    """Names x1, x2, ... of d features."""
    return [f"x{j + 1}" for j in range(d)]


def suite_table(files: Sequence[Path]) -> Contents:
    """A table of a benchmark suite: its data and its first labeling in one file."""
    frame = pd.read_csv(files[0], sep=r"\s+", header=None)
    frame.columns = pd.Index(_numbered(frame.shape[1]))
    classes = _unzipped(files[1]).split()
    return {".csv.gz": _csv(frame.assign(label=classes))}


def sparse_counts(
    indptr: Sequence[int] | Ints, indices: npt.ArrayLike, data: npt.ArrayLike, d: int
) -> bytes:
    """The file of a matrix of counts, as 32-bit integers with sorted columns."""
    from scipy import sparse

    matrix = sparse.csr_matrix(
        (
            np.asarray(data, dtype=np.int32),
            np.asarray(indices, dtype=np.int32),
            np.asarray(indptr, dtype=np.int32),
        ),
        shape=(len(indptr) - 1, d),
    )
    matrix.sort_indices()
    target = io.BytesIO()
    sparse.save_npz(target, matrix, compressed=True)
    return target.getvalue()


def cluto(files: Sequence[Path], *, names: Sequence[str], rest: str | None = None) -> Contents:
    """Sparse rows and one row of marks per class; an ARFF file, if any, has the terms.

    ``names`` are the classes in the order of the rows (a later row wins), ``rest`` that of the
    documents without a mark.
    """
    lines = files[0].read_text().splitlines()
    n, d = map(int, lines[0].split()[:2])
    indptr, indices, data = [0], [], []
    for line in lines[1 : n + 1]:
        count, *pairs = line.split()
        indices += [int(j) for j in pairs[: 2 * int(count) : 2]]
        data += [int(value) for value in pairs[1 : 2 * int(count) : 2]]
        indptr.append(len(indices))
    classes = [rest or ""] * n
    for name, marks in zip(names, files[1].read_text().splitlines(), strict=True):
        for i, mark in enumerate(marks.split()):
            if mark == "1":
                classes[i] = name
    contents = {
        ".npz": sparse_counts(indptr, indices, data, d),
        ".labels.txt.gz": csv_lines(classes),
    }
    if len(files) > 2:
        contents[".terms.txt.gz"] = csv_lines([name for name, _ in _arff(files[2])[0][:d]])
    return contents


def sparse_arff(files: Sequence[Path]) -> Contents:
    """Counts, classes and terms of a sparse ARFF file whose last attribute is the class."""
    attributes, lines = _arff(files[0])
    d = len(attributes) - 1
    values = [name.strip().strip("'") for name in attributes[-1][1].strip("{} ").split(",")]
    indptr, indices, data, classes = [0], [], [], []
    for line in lines:
        name = values[0]  # sparse ARFF omits the first value
        for pair in line.strip("{} ").split(","):
            column, value = pair.split()
            if int(column) == d:
                name = value.strip("'")
            else:
                indices.append(int(column))
                data.append(int(float(value)))
        indptr.append(len(indices))
        classes.append(name)
    return {
        ".npz": sparse_counts(indptr, indices, data, d),
        ".labels.txt.gz": csv_lines(classes),
        ".terms.txt.gz": csv_lines([name for name, _ in attributes[:d]]),
    }


def matlab_counts(
    files: Sequence[Path], *, matrix: str, classes: str, names: dict[str, str] | None = None
) -> Contents:
    """Counts and classes of a MATLAB file; a second file, if any, has the terms."""
    from scipy import sparse
    from scipy.io import loadmat

    variables = loadmat(files[0])
    counts = sparse.csr_matrix(variables[matrix])
    counts.sort_indices()
    labels = [str(int(value)) for value in np.ravel(variables[classes])]
    contents = {
        ".npz": sparse_counts(counts.indptr, counts.indices, counts.data, counts.shape[1]),
        ".labels.txt.gz": csv_lines([names[name] for name in labels] if names else labels),
    }
    if len(files) > 1:
        contents[".terms.txt.gz"] = csv_lines(files[1].read_text().split())
    return contents


def coordinates(files: Sequence[Path]) -> Contents:
    """A list of (document, term, count), the documents with their classes, and the terms."""
    lines = files[0].read_text().splitlines()
    n, d = map(int, lines[0].split()[:2])
    rows = np.array([line.split() for line in lines[1:]], dtype=np.int64)
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    indptr = np.searchsorted(rows[:, 0], np.arange(1, n + 2))
    ids = [line.split()[0] for line in files[1].read_text().splitlines()]
    return {
        ".npz": sparse_counts(indptr, rows[:, 1] - 1, rows[:, 2], d),
        ".labels.txt.gz": csv_lines([name.partition(".")[0] for name in ids]),
        ".terms.txt.gz": csv_lines(files[2].read_text().split()),
        ".ids.txt.gz": csv_lines(ids),
    }


def isolet(files: Sequence[Path]) -> Contents:
    """Features and classes of the MATLAB file, the classes as letters."""
    from scipy.io import loadmat

    variables = loadmat(files[0])
    frame = pd.DataFrame(
        np.round(variables["fea"], 6), columns=_numbered(variables["fea"].shape[1])
    )
    whole = [name for name in frame if (frame[name] == frame[name].round()).all()]
    frame = frame.astype(dict.fromkeys(whole, int))
    letters = [chr(ord("A") + int(value) - 1) for value in np.ravel(variables["gnd"])]
    return {".csv.gz": _csv(frame.assign(label=letters))}


def digits(files: Sequence[Path]) -> Contents:
    """The digits that scikit-learn has."""
    from sklearn.datasets import load_digits

    data_set = load_digits()
    frame = pd.DataFrame(data_set.data.astype(int), columns=data_set.feature_names)
    return {".csv.gz": _csv(frame.assign(label=data_set.target))}


SMART = {"T": "title", "A": "author", "B": "source", "W": "text"}


def smart(files: Sequence[Path], *, names: Sequence[str]) -> Contents:
    """Documents of the SMART collections, one file for each group."""

    def records() -> Iterator[dict[str, Any]]:
        for path, group in zip(files, names, strict=True):
            text = path.read_bytes().decode("latin-1")
            for block in ("\n" + text).split("\n.I ")[1:]:
                number, _, body = block.partition("\n")
                fields: dict[str, list[str]] = {}
                current: list[str] = []
                for line in body.split("\n"):
                    if len(line.rstrip()) == 2 and line[0] == "." and line[1] in "TABWKCNX":
                        current = fields.setdefault(line[1], [])
                    else:
                        current.append(line.rstrip())
                texts = {name: "\n".join(fields.get(key, [])) for key, name in SMART.items()}
                texts = {name: text.strip("\n") for name, text in texts.items()}
                yield {"id": f"{group}.{int(number):06d}", "group": group, **texts}

    return {".jsonl.gz": documents(records())}


def tabbed(files: Sequence[Path], *, names: Sequence[str]) -> Contents:
    """Articles of tables ``class<TAB>text``, one for each part."""

    def records() -> Iterator[dict[str, Any]]:
        for path, part in zip(files, names, strict=True):
            lines = [line for line in path.read_text("utf-8").split("\n")[3:] if line]
            for number, line in enumerate(lines, 1):
                group, _, text = line.partition("\t")
                yield {"id": f"{part}.{number:05d}", "part": part, "group": group, "text": text}

    return {".jsonl.gz": documents(records())}


def _members(path: Path, below: str) -> Iterator[tuple[str, str, bytes]]:
    """Folder, name and bytes of the files below a folder of a tar archive; nothing is extracted."""
    with tarfile.open(path) as archive:
        for member in archive:
            parts = member.name.split("/")
            if member.isfile() and any(part.startswith(below) for part in parts[:-2]):
                yield parts[-2], parts[-1], _read(archive, member)


def newsgroups(files: Sequence[Path]) -> Contents:
    """Messages of 20 Newsgroups as they were posted, from an archive ``.../<group>/<number>``."""
    messages = sorted(_members(files[0], "20_newsgroup"), key=lambda m: (m[0], int(m[1])))
    return {
        ".jsonl.gz": documents(
            {"id": name, "group": group, "text": text.decode("latin-1")}
            for group, name, text in messages
        )
    }


def lingspam(files: Sequence[Path]) -> Contents:
    """Messages of the ten parts of Ling-Spam; names of spam begin with ``spmsg``."""
    messages = sorted(
        (int(part[4:]), name, text) for part, name, text in _members(files[0], "bare")
    )
    return {
        ".jsonl.gz": documents(
            {
                "id": name.removesuffix(".txt"),
                "part": f"part{part}",
                "label": "spam" if name.startswith("spmsg") else "ham",
                "text": text.decode("latin-1"),
            }
            for part, name, text in messages
        )
    }


def spamassassin(files: Sequence[Path], *, length: int = 12_000) -> Contents:
    """Messages of the public corpus, one JSON file each, cut to a length."""

    def records() -> Iterator[dict[str, Any]]:
        for group, name, content in sorted(_members(files[0], "data")):
            if name.endswith(".json") and content:
                text = json.loads(content)["text"]
                yield {
                    "id": name.removesuffix(".json"),
                    "group": group,
                    "label": "spam" if group.startswith("spam") else "ham",
                    "chars": len(text),
                    "text": text[:length],
                }

    return {".jsonl.gz": documents(records())}


def trec(
    files: Sequence[Path], *, absent: Sequence[int], seed: int, n: int, length: int = 8_000
) -> Contents:
    """A sample of the messages, drawn as the registry says; ``absent`` were not drawn from."""
    labels: dict[str, str] = {}
    messages: dict[int, bytes] = {}
    with tarfile.open(files[0]) as archive:
        for member in archive:
            folder, _, name = member.name.rpartition("/")
            if not member.isfile():
                continue
            if folder.endswith("full") and name == "index":
                for line in _read(archive, member).decode().splitlines():
                    label, path = line.split()
                    labels[path.rpartition("/")[2]] = label
            elif folder.endswith("trec07p/data") and name.startswith("inmail."):
                messages[int(name.partition(".")[2])] = _read(archive, member)
    numbers = sorted(int(name.partition(".")[2]) for name in labels)
    numbers = [number for number in numbers if number not in set(absent)]
    drawn = sorted(random.Random(seed).sample(numbers, n))
    return {
        ".jsonl.gz": documents(
            {
                "id": f"inmail.{number}",
                "label": labels[f"inmail.{number}"],
                "bytes": len(messages[number]),
                "text": messages[number][:length].decode("latin-1"),
            }
            for number in drawn
        )
    }


def _read(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    """Content of one member of a tar archive."""
    file = archive.extractfile(member)
    assert file is not None
    return file.read()


RECIPES: dict[str, Callable[..., Contents]] = {
    recipe.__name__: recipe
    for recipe in (
        battery,
        table,
        suite_table,
        cluto,
        sparse_arff,
        matlab_counts,
        coordinates,
        isolet,
        digits,
        smart,
        tabbed,
        newsgroups,
        lingspam,
        spamassassin,
        trec,
    )
}
