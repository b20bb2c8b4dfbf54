"""A folder of label files: references and clusterings of many data sets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_REFERENCE = re.compile(r"(?:truth|labels|reference)(\d*)")
_FLAT = re.compile(r"(.+)\.labels(\d*)")
_TRY = re.compile(r"(.+?)[._-](\d+)")
_PACKED = (".gz", ".bz2", ".xz")
_TABLES = ("csv", "tsv", "txt", "npy", "parquet")


@dataclass
class Entry:
    """One data set of a folder.

    Attributes
    ----------
    references : dict of str to ndarray
        The classes, by the reference's name; None where an object counts for no reference.
    tries : dict of str to list of labels
        The clusterings, by the method's name.
    data : dict of str to ndarray
        The objects, by the name of the representation.
    """

    references: dict[str, NDArray[np.object_]] = field(default_factory=dict)
    tries: dict[str, list[Any]] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)


def read_folder(path: Any) -> dict[str, Entry]:
    """References and clusterings of every data set in a folder.

    Parameters
    ----------
    path : str or path
        Either a folder for each data set, with ``truth.csv`` (or ``labels0.csv``, ``labels1.csv``,
        ... for several references) and a file for each method, ``method.csv``, or for each of its
        tries, ``method.1.csv``, ``method.2.csv``; or ``set.labels0.gz`` beside a folder for each
        method with ``set.gz`` or ``set.1.gz`` (clustering-data-v1, Gagolewski 2022: there a
        reference of 0 is noise, which counts for nothing). A file has one label a line, with or
        without header; any table of one column that :func:`karat.datasets.read_labelings` reads.

    Returns
    -------
    dict of str to Entry
        By the name of the data set, in order.

    Raises
    ------
    InputError
        If the folder has neither form, a file cannot be read, or numbers of objects differ.
    """
    root = Path(path)
    if not root.is_dir():
        raise InputError(f"{root} is no folder")
    files = sorted(p for p in root.iterdir() if p.is_file() and not p.name.startswith("."))
    flat = {p: _FLAT.fullmatch(_stem(p)) for p in files}
    found: dict[str, Entry] = {}
    if any(flat.values()):
        for file, match in flat.items():
            if match:
                entry = found.setdefault(match[1], Entry())
                entry.references[f"labels{match[2]}"] = _reference(file, noise=0)
        for folder in sorted(p for p in root.iterdir() if p.is_dir()):
            for file in sorted(p for p in folder.iterdir() if p.is_file()):
                stem = _stem(file)
                name = stem if stem in found else _without_try(stem)
                if name in found:
                    found[name].tries.setdefault(folder.name, []).append(_labels(file))
    else:
        for folder in sorted(p for p in root.iterdir() if p.is_dir()):
            entry = Entry()
            for file in sorted(p for p in folder.iterdir() if p.is_file()):
                stem = _stem(file)
                if _REFERENCE.fullmatch(stem):
                    entry.references[stem] = _reference(file, noise=None)
                elif (X := _embedding(file)) is not None:
                    entry.data[stem] = X
                elif not file.name.startswith("."):
                    entry.tries.setdefault(_without_try(stem), []).append(_labels(file))
            if entry.references or entry.tries or entry.data:
                found[folder.name] = entry
    _check(root, found)
    return found


def _check(root: Path, found: dict[str, Entry]) -> None:
    if not found:
        raise InputError(
            f"{root} has no label files: wanted is a folder for each data set with truth.csv and a "
            "file for each method, or SET.labels0 files beside a folder for each method"
        )
    for name, entry in found.items():
        if not entry.references:
            raise InputError(f"{root / name} has no reference: add truth.csv or labels0.csv")
        n = len(next(iter(entry.references.values())))
        given = [(f"reference {key}", values) for key, values in entry.references.items()]
        given += list(entry.data.items())
        given += [(key, labels) for key, tries in entry.tries.items() for labels in tries]
        for key, values in given:
            if len(values) != n:
                raise InputError(
                    f"{name}: {key} has {len(values)} objects where the reference has {n}"
                )


def _stem(path: Path) -> str:
    name = path.name
    for ending in _PACKED:
        name = name.removesuffix(ending)
    base, _, ending = name.rpartition(".")
    return base if base and ending.lower() in _TABLES else name


def _without_try(stem: str) -> str:
    """The name without the number of the try."""
    match = _TRY.fullmatch(stem)
    return stem if match is None else match[1]


def _embedding(file: Path) -> Any:
    """The matrix in a NumPy file, None where it is a file of labels."""
    from karat.runtime.validation import check_data

    if file.suffix != ".npy":
        return None
    try:
        X = np.load(file, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read as a NumPy array: {error}") from None
    return check_data(X, name=str(file)) if X.ndim == 2 and X.shape[1] > 1 else None


def _labels(file: Path) -> Any:
    from karat.datasets import read_labelings

    if not any(file.name.lower().removesuffix(p).endswith(_TABLES) for p in ("", *_PACKED)):
        return _lines(file)
    columns = read_labelings(file)
    if len(columns) != 1:
        raise InputError(f"{file} has {len(columns)} columns of labels; wanted is one")
    return next(iter(columns.values()))


def _lines(file: Path) -> list[Any]:
    """One label a line, whole numbers where all are."""
    from karat.datasets import read_lines

    lines = [line.strip() for line in "\n".join(read_lines(file)).strip().split("\n")]
    if not all(lines):
        raise InputError(f"{file}, line {lines.index('') + 1} has no label")
    if all(line.removeprefix("-").isdecimal() for line in lines):
        return [int(line) for line in lines]
    return lines


def _reference(file: Path, noise: int | None) -> NDArray[np.object_]:
    values = np.asarray(_labels(file))
    given = np.empty(len(values), dtype=object)
    given[:] = values.tolist()
    for mark in (noise, -1):
        if mark is not None:
            given[[value == mark for value in given]] = None
    return given
