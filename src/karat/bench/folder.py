"""A folder of label files: references and clusterings of many data sets."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.bench.collection import Entry
from karat.runtime.validation import InputError

_REFERENCE = re.compile(r"(?:truth|labels|reference)(\d*)")
_FLAT = re.compile(r"(.+)\.(labels\d*)")
_CUT = re.compile(r"(.+)\.result(\d+)")
_TRY = re.compile(r"(.+)\.(\d+)")
_PACKED = (".gz", ".bz2", ".xz")
_TABLES = (".csv", ".tsv", ".txt", ".npy", ".parquet")


def read_folder(path: Any) -> dict[str, Entry]:
    """References and clusterings of every data set in a folder.

    Parameters
    ----------
    path : str or path
        Either a folder for each data set, with ``truth.csv`` (or ``labels0.csv``, ``labels1.csv``,
        ... for several references) and a file for each method, ``method.csv``, or for each of its
        tries, ``method.1.csv``, ``method.2.csv``; or ``set.labels0.gz`` beside a folder for each
        method with ``set.gz`` or ``set.1.gz``, or with ``set.result3.gz``, its clusterings into
        three clusters (clustering-data-v1 and clustering-results-v1, Gagolewski 2022: there a
        reference of 0 is noise, which counts for nothing, and each reference is compared with the
        result of as many clusters). Either form may be in folders of batteries: a data set is then
        called ``battery/set``. A file has one label a line, with or without header, or is any
        table that :func:`karat.datasets.read_labelings` reads; the columns of a table of several
        are methods. Files with a column of ids are joined with the reference by it, one to one.

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
        for file in sorted(root.rglob("*"))
        if file.is_file() and not any(p.startswith(".") for p in file.relative_to(root).parts)
    ]
    inner = [file for file in files if file.parent != root]
    if any(map(_is_reference, inner)):
        found = _set_folders(root, inner)
    else:
        found = _method_folders(root, files)
    _check(root, found)
    return found


def _set_folders(root: Path, files: list[Path]) -> dict[str, Entry]:
    """The form with a folder for each data set."""
    found: dict[str, Entry] = {}
    # in each folder the references first: they tell the order of the objects
    for file in sorted(files, key=lambda one: (one.parent, not _is_reference(one), one)):
        entry = found.setdefault(file.parent.relative_to(root).as_posix(), Entry())
        if _is_reference(file):
            entry.references[_stem(file)] = _reference(entry, file)
        else:
            _add(entry, file, *_try(_stem(file)))
    return found


def _method_folders(root: Path, files: list[Path]) -> dict[str, Entry]:
    """The form of Gagolewski: references of all sets, and a folder for each method."""
    found: dict[str, Entry] = {}
    homes = set()
    for file in files:
        if match := _FLAT.fullmatch(_stem(file)):
            battery = "" if file.parent == root else f"{file.parent.name}/"
            entry = found.setdefault(battery + match[1], Entry())
            if match[2] in entry.references:
                raise InputError(f"{file}: there is another {match[2]} of {match[1]}")
            entry.references[match[2]] = _reference(entry, file, noise=(0, -1))
            homes.add(file.parent)
    for file in files:
        if file.parent in homes:
            continue  # matrices and descriptions lie beside the references
        stem, folder = _stem(file), file.parent
        cut = _CUT.fullmatch(stem)
        for method, battery in ((folder.name, ""), (folder.parent.name, f"{folder.name}/")):
            if cut is not None and battery + cut[1] in found:
                _add_cuts(found[battery + cut[1]], file, int(cut[2]))
            elif cut is None:
                name, number = (stem, 0) if battery + stem in found else _try(stem)
                if battery + name in found:
                    _add(found[battery + name], file, method, number)
    return found


def _is_reference(file: Path) -> bool:
    return _REFERENCE.fullmatch(_stem(file)) is not None


def _try(stem: str) -> tuple[str, int]:
    """What is tried and the number of the try; only ``.N`` at the end is one."""
    match = _TRY.fullmatch(stem)
    return (stem, 0) if match is None else (match[1], int(match[2]))


def _add(entry: Entry, file: Path, method: str, number: int) -> None:
    """Store the clusterings of a file; its columns are methods where there are several."""
    columns = _columns(entry, file)
    for column, labels in columns.items():
        name = method if len(columns) == 1 else column
        tries = entry.tries.setdefault(name, {})
        if number in tries:
            raise InputError(f"{file}: there is another file of try {number} of {name}")
        tries[number] = labels


def _add_cuts(entry: Entry, file: Path, k: int) -> None:
    """Store the clusterings into k clusters, for a reference that has as many."""
    if k not in map(number_of_classes, entry.references.values()):
        return
    rows = list(csv.reader(_lines(file)))
    if len({len(row) for row in rows}) != 1 or len(rows) < 2:
        raise InputError(f"{file} is no table with the methods' names in its first line")
    for name, *labels in zip(*rows, strict=True):
        cuts = entry.tries.setdefault(name, {}).setdefault(0, {})
        if k in cuts:
            raise InputError(f"{file}: there is another result of {name} with {k} clusters")
        cuts[k] = _whole(labels)


def number_of_classes(values: NDArray[np.object_]) -> int:
    """Of a reference; what counts for nothing is no class."""
    return len({value for value in values if value is not None})


def _check(root: Path, found: dict[str, Entry]) -> None:
    if not any(entry.references for entry in found.values()):
        raise InputError(
            f"{root} has no label files: wanted is a folder for each data set with truth.csv and a "
            "file for each method, or SET.labels0 files beside a folder for each method"
        )
    for name, entry in found.items():
        if not entry.references:
            raise InputError(f"{root / name} has no reference: add truth.csv or labels0.csv")
        n = len(next(iter(entry.references.values())))
        given = [(f"reference {key}", values) for key, values in entry.references.items()]
        for key, tries in entry.tries.items():
            for labels in tries.values():
                cuts = labels.values() if isinstance(labels, dict) else [labels]
                given += [(key, own) for own in cuts]
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
    from karat.datasets import object_ids, read_labelings

    is_table = _bare(file).suffix.lower() in _TABLES
    columns = read_labelings(file) if is_table else None
    own = None if columns is None else columns.ids
    if not entry.references:
        entry.ids = own
    elif own is None:
        if entry.ids is not None and not object_ids.are_positions(entry.ids):
            entry.by_row.append(str(file))
    elif entry.ids is not None:
        columns = read_labelings(file, ids=entry.ids)
        if len(own) != len(entry.ids):
            raise object_ids.mismatch(entry.ids, own, "the reference", len(own) - len(entry.ids))
    elif not any(object_ids.are_positions(own, start) for start in (0, 1)):
        raise InputError(
            f"{file} names its objects ({', '.join(repr(one) for one in own[:3].tolist())}, ...) "
            "and the reference does not: give both a column of ids, or drop it"
        )
    return {"": _whole(_lines(file))} if columns is None else dict(columns)


def _lines(file: Path) -> list[str]:
    """One label, or row of labels, a line."""
    from karat.datasets import read_lines

    lines = [line.strip() for line in "\n".join(read_lines(file)).strip().split("\n")]
    if not all(lines):
        raise InputError(f"{file}, line {lines.index('') + 1} has no label")
    return lines


def _whole(labels: list[str]) -> list[Any]:
    """Whole numbers where all are."""
    whole = all(label.removeprefix("-").isdecimal() for label in labels)
    return [int(label) for label in labels] if whole else list(labels)


def _reference(entry: Entry, file: Path, noise: tuple[int, ...] = (-1,)) -> NDArray[np.object_]:
    """The labels of a reference; those of ``noise`` are no class."""
    columns = _columns(entry, file)
    if len(columns) != 1:
        raise InputError(f"{file} has {len(columns)} columns of labels; wanted is one")
    given = np.array(list(next(iter(columns.values()))), dtype=object)
    given[[value in noise for value in given]] = None
    return given
