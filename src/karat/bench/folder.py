"""A folder of label files: references and clusterings of many data sets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.bench.collection import Entry
from karat.runtime.validation import InputError

_REFERENCE = re.compile(r"(?:truth|labels|reference)(\d*)")
_TRY = re.compile(r"(.+)\.(\d+)")
_PACKED = (".gz", ".bz2", ".xz")
_TABLES = (".csv", ".tsv", ".txt", ".npy", ".parquet")


def read_folder(path: Any) -> dict[str, Entry]:
    """References and clusterings of every data set in a folder.

    Parameters
    ----------
    path : str or path
        With a folder for each data set, also within others (the set is then called
        ``battery/set``), that has ``truth.csv`` (or ``labels0.csv``, ``labels1.csv``, ... for
        several references) and a file for each method, ``method.csv``, or for each of its tries,
        ``method.1.csv``, ``method.2.csv``. A file has one label a line, with or without header, or
        is any table that :func:`karat.datasets.read_labelings` reads; the columns of a table of
        several are methods. Files with a column of ids are joined with the reference by it, one
        to one.

    Returns
    -------
    dict of str to Entry
        By the name of the data set, in order.

    Raises
    ------
    InputError
        If there are no such files, one cannot be read, two files are the same try, or numbers or
        ids of objects differ.
    """
    root = Path(path)
    if not root.is_dir():
        raise InputError(f"{root} is no folder")
    files = [
        file
        for file in root.rglob("*")
        if file.is_file()
        and file.parent != root
        and not any(part.startswith(".") for part in file.relative_to(root).parts)
    ]
    found: dict[str, Entry] = {}
    # in each folder the references first: they tell the order of the objects
    for file in sorted(files, key=lambda one: (one.parent, not _is_reference(one), one)):
        entry = found.setdefault(file.parent.relative_to(root).as_posix(), Entry())
        if _is_reference(file):
            entry.references[_stem(file)] = _reference(entry, file)
            continue
        stem = _stem(file)
        match = _TRY.fullmatch(stem)
        method, number = (stem, 0) if match is None else (match[1], int(match[2]))
        columns = _columns(entry, file)
        for column, labels in columns.items():
            name = method if len(columns) == 1 else column
            tries = entry.tries.setdefault(name, {})
            if number in tries:
                raise InputError(f"{file}: there is another file of try {number} of {name}")
            tries[number] = labels
    _check(root, found)
    return found


def _is_reference(file: Path) -> bool:
    return _REFERENCE.fullmatch(_stem(file)) is not None


def _check(root: Path, found: dict[str, Entry]) -> None:
    if not any(entry.references for entry in found.values()):
        raise InputError(
            f"{root} has no label files: wanted is a folder for each data set with truth.csv and a "
            "file for each method"
        )
    for name, entry in found.items():
        if not entry.references:
            raise InputError(f"{root / name} has no reference: add truth.csv or labels0.csv")
        n = len(next(iter(entry.references.values())))
        given = [(f"reference {key}", values) for key, values in entry.references.items()]
        given += [(key, own) for key, tries in entry.tries.items() for own in tries.values()]
        for key, values in given:
            if len(values) != n:
                raise InputError(
                    f"{name}: {key} has {len(values)} objects where the reference has {n}"
                )


def _bare(path: Path) -> Path:
    """The name without the ending of a compressed file."""
    return Path(path.stem) if path.suffix.lower() in _PACKED else Path(path.name)


def _stem(path: Path) -> str:
    bare = _bare(path)
    return bare.stem if bare.suffix.lower() in _TABLES else bare.name


def _columns(entry: Entry, file: Path) -> dict[str, Any]:
    """The columns of a table of labels in the order of the references; lines are one column."""
    from karat.datasets import joining, read_labelings

    is_table = _bare(file).suffix.lower() in _TABLES
    columns = read_labelings(file) if is_table else None
    own = None if columns is None else columns.ids
    if not entry.references:
        entry.ids = own
    elif own is None:
        if entry.ids is not None and not joining.are_positions(entry.ids):
            entry.by_row.append(str(file))
    elif entry.ids is not None:
        columns = read_labelings(file, ids=entry.ids)
        if len(own) != len(entry.ids):
            raise joining.mismatch(entry.ids, own, "the reference", len(own) - len(entry.ids))
    elif not any(joining.are_positions(own, start) for start in (0, 1)):
        raise InputError(
            f"{file} names its objects ({', '.join(repr(one) for one in own[:3].tolist())}, ...) "
            "and the reference does not: give both a column of ids, or drop it"
        )
    return {"": _lines(file)} if columns is None else dict(columns)


def _lines(file: Path) -> list[Any]:
    """One label a line, whole numbers where all are."""
    from karat.datasets import read_lines

    lines = [line.strip() for line in "\n".join(read_lines(file)).strip().split("\n")]
    if not all(lines):
        raise InputError(f"{file}, line {lines.index('') + 1} has no label")
    whole = all(label.removeprefix("-").isdecimal() for label in lines)
    return [int(label) for label in lines] if whole else list(lines)


def _reference(entry: Entry, file: Path) -> NDArray[np.object_]:
    columns = _columns(entry, file)
    if len(columns) != 1:
        raise InputError(f"{file} has {len(columns)} columns of labels; wanted is one")
    given = np.array(list(next(iter(columns.values()))), dtype=object)
    given[[value == -1 for value in given]] = None
    return given
